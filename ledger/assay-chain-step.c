/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-chain-step.c: one step of a chain: the run, what it took and how it was judged. */
#include "assay-chain-private.h"

#include <glib/gi18n-lib.h>

#include "assay-compare.h"
#include "assay-figure.h"

#define LINE_CHARS 600

char *
chain_dup_line (const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text != NULL ? text : "", -1);
  GString *line = g_string_new (NULL);
  glong n = 0;
  for (const char *p = valid; *p != '\0' && n < LINE_CHARS; p = g_utf8_next_char (p), n++)
    {
      const gunichar c = g_utf8_get_char (p);
      g_string_append_unichar (line, g_unichar_iscntrl (c) ? ' ' : c);
    }
  if (n == LINE_CHARS)
    g_string_append (line, "…");
  return g_string_free (line, FALSE);
}

static void
line_free (gpointer data)
{
  AssayChainLine *line = data;
  g_free (line->text);
  g_free (line);
}

void
chain_step_add_line (AssayChainStep *step, gboolean on_way, const char *label, const char *text)
{
  if (text == NULL || *text == '\0')
    return;
  AssayChainLine *line = g_new (AssayChainLine, 1);
  *line = (AssayChainLine){ .on_way = on_way, .label = label, .text = chain_dup_line (text) };
  g_ptr_array_add (step->lines, line);
}

/* The run */

static void
step_add_ending (AssayChainStep *step, AssayRecord *run)
{
  const char *error = assay_values_get_text (assay_record_get_outcome (run), ASSAY_FIELD_ERROR);
  const char *status = assay_run_status_get_name (assay_record_get_status (run));
  g_autofree char *text
      = error != NULL && *error != '\0' ? g_strdup_printf ("%s: %s", status, error) : g_strdup (status);
  chain_step_add_line (step, FALSE, C_ ("chain", "ended"), text);
}

/* "peak_vram 401 MiB (allocated, allocator); elapsed_seconds 2.10 s"; what the record says nothing of is left out. */
static char *
run_dup_measured (AssayRecord *run)
{
  const AssayFieldId fields[] = { assay_compare_get_own_peak (run), ASSAY_FIELD_ELAPSED_SECONDS,
                                  ASSAY_FIELD_GENERATE_TOKENS_PER_SECOND };
  GString *text = g_string_new (NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (fields); i++)
    {
      g_autofree char *words = assay_figure_dup_words (assay_record_get_burden (run), fields[i]);
      if (words != NULL)
        g_string_append_printf (text, "%s%s %s", text->len > 0 ? "; " : "", assay_field_get_info (fields[i])->name,
                                words);
    }
  if (text->len == 0)
    g_string_append (text, _("nothing was measured"));
  return g_string_free (text, FALSE);
}

static void
step_add_gates (AssayChainStep *step, AssayLedger *ledger, AssayRecord *run)
{
  step->gates = assay_gates_judge (ledger, run);
  for (AssayGate gate = 0; gate < ASSAY_N_GATES; gate++)
    {
      const AssayVerdict verdict = step->gates->verdict[gate];
      g_autofree char *text = g_strdup_printf ("%s %s: %s", assay_verdict_get_mark (verdict),
                                               assay_verdict_get_word (verdict), step->gates->evidence[gate]);
      chain_step_add_line (step, FALSE, assay_gate_get_word (gate), text);
    }
}

#define MOST_BRANCHES 8u

static void
step_add_branches (AssayChainStep *step)
{
  const guint n = g_strv_length (step->branches);
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < MIN (n, MOST_BRANCHES); i++)
    g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", step->branches[i]);
  if (n > MOST_BRANCHES)
    g_string_append_printf (text,
                            g_dngettext (GETTEXT_PACKAGE, " and %u more run", " and %u more runs", n - MOST_BRANCHES),
                            n - MOST_BRANCHES);
  chain_step_add_line (step, FALSE, C_ ("chain", "also continued by"), text->str);
  g_string_free (text, TRUE);
}

void
chain_step_take_run (AssayChainStep *step, AssayChain *self, AssayRecord *run)
{
  step->record = g_object_ref (run);
  step->title = chain_dup_line (assay_record_get_id (run));
  step->branches = chain_dup_branches (self, run);
  if (assay_record_is_damaged (run))
    chain_step_add_line (step, FALSE, C_ ("chain", "damaged"), assay_record_get_damage (run));
  else
    {
      step->measured = run_dup_measured (run);
      step_add_ending (step, run);
      chain_step_add_line (step, FALSE, C_ ("chain", "measured"), step->measured);
      step_add_gates (step, self->ledger, run);
    }
  step_add_branches (step);
}

/* Steps */

static AssayChainStep *
step_new (guint number)
{
  AssayChainStep *step = g_new0 (AssayChainStep, 1);
  step->number = number;
  step->lines = g_ptr_array_new_with_free_func (line_free);
  return step;
}

AssayChainStep *
assay_chain_dup_step (AssayChain *self, guint position)
{
  g_return_val_if_fail (self != NULL && position <= self->runs->len, NULL);
  AssayChainStep *step = step_new (position + 1);
  AssayRecord *before = position > 0 ? assay_chain_get_run (self, position - 1) : NULL;
  if (position == self->runs->len)
    {
      step->title = g_strdup (_("not run yet"));
      if (assay_chain_has_plan (self))
        chain_step_take_plan (step, before);
      return step;
    }
  AssayRecord *run = assay_chain_get_run (self, position);
  if (before != NULL)
    chain_step_take_change (step, self->ledger, before, run);
  chain_step_take_run (step, self, run);
  return step;
}

void
assay_chain_step_free (AssayChainStep *self)
{
  if (self == NULL)
    return;
  g_clear_object (&self->record);
  g_clear_pointer (&self->gates, assay_gates_free);
  g_ptr_array_unref (self->lines);
  g_strfreev (self->branches);
  char *texts[] = { self->title, self->signal, self->axis, self->from, self->to,
                    self->change, self->predicted, self->note, self->measured };
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    g_free (texts[i]);
  g_free (self);
}

/* Text */

static void
step_append_lines (const AssayChainStep *self, GString *out, gboolean on_way)
{
  for (guint i = 0; i < self->lines->len; i++)
    {
      const AssayChainLine *line = g_ptr_array_index (self->lines, i);
      if (line->on_way == on_way)
        g_string_append_printf (out, "   %s%s: %s\n", on_way ? "↓ " : "", line->label, line->text);
    }
}

char *
assay_chain_step_dup_text (const AssayChainStep *self)
{
  g_return_val_if_fail (self != NULL, NULL);
  GString *out = g_string_new (NULL);
  step_append_lines (self, out, TRUE);
  g_string_append_printf (out, "%u. %s\n", self->number, self->title);
  step_append_lines (self, out, FALSE);
  return g_string_free (out, FALSE);
}

char *
assay_chain_dup_text (AssayChain *self)
{
  g_return_val_if_fail (self != NULL, NULL);
  const guint n = self->runs->len + (assay_chain_has_plan (self) ? 1 : 0);
  g_autofree char *heading = assay_chain_dup_heading (self);
  GString *out = g_string_new (heading);
  g_string_append_c (out, '\n');
  if (self->problem != NULL)
    g_string_append_printf (out, "%s\n", self->problem);
  for (guint i = 0; i < n; i++)
    {
      g_autoptr(AssayChainStep) step = assay_chain_dup_step (self, i);
      g_autofree char *text = assay_chain_step_dup_text (step);
      g_string_append (out, text);
    }
  return g_string_free (out, FALSE);
}
