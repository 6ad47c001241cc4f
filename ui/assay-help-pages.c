/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-help-pages.c: see the header. Each topic answers one question of a person at work; what a control does is said
 * beside the control, not here. */
#include "assay-help-pages.h"

#include <glib/gi18n-lib.h>

static const HelpPart first_trial[] = {
  { HELP_PARAGRAPH, N_("Assay runs a model that is on this machine, measures what the run takes, and lets you judge what it "
                       "gave. Both findings go into one ledger, and neither stands in for the other.") },
  { HELP_HEADING, N_("With the sample") },
  { HELP_POINT, N_("Press “Try the Sample Experiment” on the first page. It needs nothing else: a small model answers twelve "
                   "questions.") },
  { HELP_POINT, N_("Watch memory in Run. When the run has ended, a line says whether it ran to the end.") },
  { HELP_POINT, N_("Open Review, score the answers and set a verdict. Until then the run is not judged on quality.") },
  { HELP_POINT, N_("Press “Plan the Next Trial”, choose one change, and run again with everything else held fixed.") },
  { HELP_HEADING, N_("With a model of your own") },
  { HELP_POINT, N_("Press New Trial, then choose a model: a GGUF file, or a folder with safetensors. Models that other programs "
                   "have stored are found by themselves; a file that was left out says why.") },
  { HELP_POINT, N_("The bar above the form foretells the peaks of memory while you change it, before anything is loaded.") },
  { HELP_POINT, N_("Press Run (F5). The ledger is made, saved and listed at the left.") },
  { HELP_END, NULL },
};

static const HelpPart chart[] = {
  { HELP_PARAGRAPH, N_("Time goes from left to right. The upper lane is the memory of the device, the lower one that of the "
                       "whole machine; on the processor alone there is one lane.") },
  { HELP_POINT, N_("Colored layers are what the engine allocated, by category: weights, cache of keys and values, activations, "
                   "workspace, staging and output. Together they are the height of the stack.") },
  { HELP_POINT, N_("The line across is the budget. Where memory goes beyond it, the excess is named.") },
  { HELP_POINT, N_("The thin line is what the driver or the system reports for the process: more than the engine allocated, "
                   "since it counts what is reserved too.") },
  { HELP_POINT, N_("Bands with names are phases: load, convert, prompt, generate. The dot is the peak, with its value.") },
  { HELP_POINT, N_("Ticks mark that unused memory was given back. They move no weights and save nothing for this run.") },
  { HELP_HEADING, N_("Looking closer") },
  { HELP_POINT, N_("The pointer shows exact figures. Scroll to zoom, drag to move along, double-click to see all again.") },
  { HELP_POINT, N_("With the keyboard, focus the chart: arrow keys move the cursor, plus and minus zoom, 0 shows all.") },
  { HELP_POINT, N_("The menu of the chart saves the picture as PNG, SVG or PDF.") },
  { HELP_END, NULL },
};

static const HelpPart gates[] = {
  { HELP_PARAGRAPH, N_("Three questions are asked of every run, and each has an answer of its own: pass, fail, or not judged "
                       "yet. No answer follows from another one.") },
  { HELP_POINT, N_("Feasibility: did it run to the end? Read from the record.") },
  { HELP_POINT, N_("Quality: does the output serve its purpose? Only a person’s review answers this. A hint such as “expected "
                   "answer found” is never a score.") },
  { HELP_POINT, N_("Operation: can its time and memory be borne again and again? The ledger’s limits and repeats decide; a "
                   "ledger without limits does not judge it.") },
  { HELP_PARAGRAPH, N_("The marks on rows stand in this order: ✓ pass, ✕ fail, – not judged.") },
  { HELP_HEADING, N_("Judging blind") },
  { HELP_POINT, N_("With two runs or more, Review offers a blind review first: answers without a name, a setting or a figure, in an "
                   "order of your own. The window hides its runs until you leave; which run it was appears after saving.") },
  { HELP_POINT, N_("Side by side, two answers to the same question are compared. Each run stands left as often as right, and "
                   "whether a side was favoured is told at the end.") },
  { HELP_POINT, N_("Where several people have judged, “Agreement and Preferences” tells how far they agree, and leads to the outputs "
                   "about which they do not.") },
  { HELP_POINT, N_("A review by name is possible at any time; it is kept as one that was not blind.") },
  { HELP_END, NULL },
};

static const HelpPart next_trial[] = {
  { HELP_PARAGRAPH, N_("One signal, one changed axis, everything else held fixed: otherwise nothing can be learnt from the next "
                       "run.") },
  { HELP_POINT, N_("Out of device memory: change the input’s scale, the quantization, or the offload mode.") },
  { HELP_POINT, N_("Out of main memory, or swapping: change the quantization or the offload, or take a smaller model.") },
  { HELP_POINT, N_("It runs, but too slowly: change the size of what is moved, the model’s size, or the input’s scale.") },
  { HELP_POINT, N_("It runs, but misses the criterion: change the model, the prompt, the reference input, or the criterion.") },
  { HELP_PARAGRAPH, N_("A trial that continues another one opens with one field unlocked. “Change Something Else” moves "
                       "the lock; “Start a New Baseline” opens all fields and compares with nothing.") },
  { HELP_PARAGRAPH, N_("Afterwards the record says whether the planned axis moved, and whether anything else did.") },
  { HELP_HEADING, N_("The chain") },
  { HELP_POINT, N_("“Show the Chain”, below the plan and in the menu of a run, tells the way from the first run to this one: why "
                   "each step was taken, what changed, what was foretold, what was measured, and the three verdicts.") },
  { HELP_POINT, N_("A step opens its run. The chain can be copied as text, and saved as PNG, SVG or PDF.") },
  { HELP_HEADING, N_("Handing it on") },
  { HELP_POINT, N_("“Save Report” in the main menu writes one PDF: the questions, the conditions, each run’s chart, the comparison, "
                   "the reviews with the agreement of the reviewers, the chains, and the next trials.") },
  { HELP_POINT, N_("“Markdown” under “This Ledger” says the same as text, for an issue report.") },
  { HELP_END, NULL },
};

static const HelpPart process_runtime[] = {
  { HELP_PARAGRAPH, N_("With the runtime “process” a program of yours does the work, and Assay measures it from outside, with all "
                       "of its child processes. Recipes for llama.cpp, Transformers and Diffusers come with Assay; they need a "
                       "Python that has those packages.") },
  { HELP_PARAGRAPH, N_("The program reads lines “key: value” from standard input, which then ends: the conditions by their names, "
                       "and each question with its text.") },
  { HELP_CODE, "protocol: 1\noutput_folder: /tmp/assay-…\ncontext_length: 2048\nquestion: q1\ntext: What weighs more …?\nend:" },
  { HELP_PARAGRAPH, N_("It answers with such lines on standard output. In values, \\n stands for a new line. Lines that are none of "
                       "these are kept for the log and do no harm.") },
  { HELP_CODE, "version: llama-cpp-python 0.3.16\nphase: load\nphase: generate\nprogress: 0.4\nquestion: q1\ntext: … kilogram\n"
               "output_tokens: 120\nfinish: stop\npeak_vram: 3221225472\nstatus: oom_device" },
  { HELP_PARAGRAPH, N_("A run is complete when the program exits with 0 and every question has an answer.") },
  { HELP_END, NULL },
};

static const HelpPart trouble[] = {
  { HELP_HEADING, N_("A model is not in the list") },
  { HELP_PARAGRAPH, N_("Files that were left out stand below the list, each with its reason. Folders of your own are added in "
                       "Preferences. A file can also be dropped onto the window.") },
  { HELP_HEADING, N_("It ran out of memory") },
  { HELP_PARAGRAPH, N_("The run is recorded with its figures; nothing is lost. Plan the next trial: each change says what it would "
                       "need before it is run.") },
  { HELP_HEADING, N_("A ledger does not open") },
  { HELP_PARAGRAPH, N_("The message names the place in the file. The file is left as it is. Where whole runs can be read, “Open What "
                       "Can Be Read” shows them without writing.") },
  { HELP_HEADING, N_("It could not be saved") },
  { HELP_PARAGRAPH, N_("Nothing is lost while the window is open. Make room or choose another place, then save again.") },
  { HELP_HEADING, N_("There is no graphics card here") },
  { HELP_PARAGRAPH, N_("The device “virtual” has memory of its own and a link of a chosen speed, so that offloading and its limits "
                       "can be tried without a card. Its records say so.") },
  { HELP_HEADING, N_("On the command line") },
  { HELP_PARAGRAPH, N_("Everything here can be done without a window too. These list the verbs, and check a file:") },
  { HELP_CODE, "assay --help\nassay validate FILE\nman assay" },
  { HELP_END, NULL },
};

static const HelpPart keys[] = {
  { HELP_PARAGRAPH, N_("Everything can be done without a mouse. Ctrl+? lists all keys.") },
  { HELP_HEADING, N_("Trials and ledgers") },
  { HELP_POINT, N_("Ctrl+N sets up a new trial, F5 runs it, Escape asks whether to stop. Ctrl+T plans the next one.") },
  { HELP_POINT, N_("Ctrl+L makes a new ledger, Ctrl+O opens one, Ctrl+Shift+N opens another window.") },
  { HELP_POINT, N_("In the library, F2 renames the ledger, Delete removes the selected run, and Shift+F10 opens the menu of a "
                   "row.") },
  { HELP_POINT, N_("Ctrl+Z takes back the last edit of the ledger, Ctrl+Shift+Z does it again.") },
  { HELP_HEADING, N_("The chart") },
  { HELP_POINT, N_("Left and Right move the cursor, Home and End bring it to the start and the end.") },
  { HELP_POINT, N_("+ and − zoom, 0 shows the whole run, Shift+Left and Shift+Right move what is shown.") },
  { HELP_POINT, N_("Shift+F10 opens the menu of the chart.") },
  { HELP_HEADING, N_("Review") },
  { HELP_POINT, N_("1 to 5 score the criterion that has the focus, Y and N answer yes or no.") },
  { HELP_POINT, N_("Alt+Page Down and Alt+Page Up lead to the next and the previous question. Ctrl+Enter leads to the next answer, "
                   "and at the last one saves and goes on.") },
  { HELP_POINT, N_("Side by side, 1 or Left prefers the left answer, 2 or Right the right one, 3 or Up is a tie, 4 or Down is both "
                   "bad; Backspace goes back to the comparison before.") },
  { HELP_END, NULL },
};

static const HelpTopic topics[] = {
  { "first-trial", N_("The First Trial"), first_trial },
  { "chart", N_("Reading the Chart"), chart },
  { "gates", N_("The Three Gates"), gates },
  { "next-trial", N_("Planning the Next Trial"), next_trial },
  { "process", N_("Programs of Your Own"), process_runtime },
  { "trouble", N_("When Something Goes Wrong"), trouble },
  { "keys", N_("Keys"), keys },
  { "fields", N_("Fields of the Record"), NULL },
};

const HelpTopic *
assay_help_get_topics (guint *n)
{
  *n = G_N_ELEMENTS (topics);
  return topics;
}
