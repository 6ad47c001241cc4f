/* SPDX-License-Identifier: GPL-3.0-or-later */
/* app/cli.h: the command line's verbs. Results go to standard output, messages to standard error; the exit status is
 * one a script can use. */
#pragma once

#include <gio/gio.h>
#include <json-glib/json-glib.h>

#include "assay-ledger.h"
#include "assay-trial.h"

G_BEGIN_DECLS

enum
{
  CLI_OK = 0,
  CLI_USAGE = 2,
  CLI_BAD_FILE = 3,
  CLI_RULE = 4,
  CLI_OOM_DEVICE = 10,
  CLI_OOM_HOST = 11,
  CLI_TIME_LIMIT = 12,
  CLI_CANCELLED = 13,
  CLI_FAILED = 14,
};

typedef struct
{
  const char *name;
  const char *arguments; /* for --help: "LEDGER RUN_ID" */
  const char *summary;   /* translatable */
  int (*run) (int argc, char **argv);
} CliVerb;

const CliVerb *cli_find_verb (const char *name);
void cli_print_help (void);

/* The verbs, one family a file. */
int cli_run (int argc, char **argv);
int cli_plan (int argc, char **argv);
int cli_list (int argc, char **argv);
int cli_show (int argc, char **argv);
int cli_compare (int argc, char **argv);
int cli_review (int argc, char **argv);
int cli_prefer (int argc, char **argv);
int cli_agreement (int argc, char **argv);
int cli_next (int argc, char **argv);
int cli_queue (int argc, char **argv);
int cli_import (int argc, char **argv);
int cli_export (int argc, char **argv);
int cli_validate (int argc, char **argv);
int cli_models (int argc, char **argv);
int cli_inspect (int argc, char **argv);
int cli_tokenize (int argc, char **argv);
int cli_logits (int argc, char **argv);
int cli_quantize (int argc, char **argv);
int cli_fields (int argc, char **argv);
int cli_devices (int argc, char **argv);
int cli_bench (int argc, char **argv);
int cli_version (int argc, char **argv);

/* Parses options in place; argv[1…] are then the verb's arguments, whose number must lie in [least, most] (most -1: any).
 * `json` is set by --json, which every verb has. Returns FALSE after printing what was wrong. */
gboolean cli_parse (const char *verb, const GOptionEntry *entries, int least, int most, int *argc, char ***argv, gboolean *json);

/* Prints "assay: message" and returns `status`. cli_fail takes the error. */
int cli_complain (int status, const char *format, ...) G_GNUC_PRINTF (2, 3);
int cli_fail (int status, GError *error);

/* A model's text for a terminal: control characters as their pictures, so that no escape sequence runs. (transfer full) */
char *cli_dup_printable (const char *text, gsize length);
void cli_print_json (JsonNode *node); /* takes the node */
void cli_json_text (JsonBuilder *b, const char *name, const char *value); /* NULL becomes null */
void cli_json_integer (JsonBuilder *b, const char *name, gint64 value);
void cli_json_boolean (JsonBuilder *b, const char *name, gboolean value);
void cli_json_real (JsonBuilder *b, const char *name, double value);      /* what is no number becomes null */
void cli_json_array (JsonBuilder *b, const char *name);                   /* begins one */
int cli_exit_status (AssayRunStatus status);

/* Loads a ledger, or complains and returns NULL. */
AssayLedger *cli_load_ledger (const char *path);
/* The chain that leads to a run. */
void cli_print_chain (AssayLedger *ledger, AssayRecord *record, gboolean json);
gboolean cli_id_fits (const char *id, const char *part); /* it begins or ends with that */
/* The run by its id, or by any beginning or end of it that only one run has. */
AssayRecord *cli_find_run (AssayLedger *ledger, const char *id);
gboolean cli_is_same_file (const char *a, const char *b); /* also through links; FALSE when one is absent */
/* Saves, or complains and returns FALSE. */
gboolean cli_save_ledger (AssayLedger *ledger, const char *path);

/* Applies FIELD=VALUE settings to the conditions; complains and returns FALSE for a name or value that is not allowed. */
gboolean cli_apply_settings (AssayValues *conditions, char **settings);

/* What `run` and `next --run` share. */
typedef struct
{
  const char *ledger_path;
  AssayLedger *ledger;     /* loaded, or new */
  AssayValues *conditions;
  GPtrArray *questions;    /* (element-type AssayQuestion), or NULL: the condition `prompt` is asked */
  const char *parent;      /* run id, or NULL */
  const char *changed;     /* field name, or NULL */
  const char *planned;     /* id of the planned trial that it carries out, or NULL */
  const char *samples_path;/* CSV of every sample, or NULL */
  gboolean json;
} CliTrial;
int cli_trial_perform (CliTrial *trial);
/* One run of whole conditions, saved and printed. *record: (transfer full), or NULL where it could not be saved. */
int cli_trial_run_once (CliTrial *trial, gint64 repeat, gint64 n_repeats, AssayRecord **record);
/* Runs that an earlier session began on this ledger and could not save are added to it. */
void cli_trial_adopt_journal (AssayLedger *ledger, const char *path);
/* The ledger's folder can be written into; complains. */
gboolean cli_trial_can_write (const char *ledger_path);
/* Starts a trial and waits for it; signals cancel it. (transfer full) */
AssayRecord *cli_trial_run_to_end (AssayTrial *trial);

/* The queue: what to do before a trial that cannot be run now, and after one that failed. */
typedef struct
{
  char *unfit;             /* stop, skip or run; NULL: stop */
  gint wait_seconds;       /* for memory that other programs hold */
  gboolean stop_at_failure;
} CliQueueOptions;
#define CLI_QUEUE_OPTIONS(o) \
  { "unfit", 0, 0, G_OPTION_ARG_STRING, &(o).unfit, N_("Before a trial that does not fit: stop (the default), skip it, or run it"), "stop|skip|run" }, \
  { "wait", 0, 0, G_OPTION_ARG_INT, &(o).wait_seconds, N_("Wait so long for memory that other programs hold"), "SECONDS" }, \
  { "stop-at-failure", 0, 0, G_OPTION_ARG_NONE, &(o).stop_at_failure, N_("Run no further trial after one that failed"), NULL }
gboolean cli_queue_check_options (const CliQueueOptions *options); /* complains */
void cli_queue_clear_options (CliQueueOptions *options);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (CliQueueOptions, cli_queue_clear_options)
/* Runs those of `only`, or all; the worst status of them. */
int cli_queue_perform (AssayLedger *ledger, const char *path, GPtrArray *only, const CliQueueOptions *options, gboolean json);
/* `run --sweep`; sweeps: what was said. later: they are only planned. */
int cli_queue_sweep (const char *ledger_path, const char *from, char **sweeps, gint repeats, gboolean later,
                     const CliQueueOptions *options, gboolean json);

/* What was said of a trial's conditions: `run` and `plan`. */
typedef struct
{
  char *ledger_path, *from, *questions, *prompt;
  char **settings;
  CliTrial trial;          /* filled by cli_request_read() */
  AssayRecord *parent;     /* owned */
} CliRequest;

#define CLI_REQUEST_OPTIONS(r) \
  { "set", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &(r).settings, N_("A condition; ‘assay fields’ lists them"), "FIELD=VALUE" }, \
  { "from", 0, 0, G_OPTION_ARG_FILENAME, &(r).from, N_("Continue this run: its conditions, with one axis changed"), "RUN_ID" }, \
  { "questions", 0, 0, G_OPTION_ARG_FILENAME, &(r).questions, N_("A question set: a file, or the name of a bundled one (basic-12)"), "FILE" }, \
  { "prompt", 0, 0, G_OPTION_ARG_FILENAME, &(r).prompt, N_("Ask only this"), "TEXT" }

/* Loads the ledger and makes the conditions; complains where something is wrong. */
int cli_request_read (CliRequest *self);
void cli_request_clear (CliRequest *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (CliRequest, cli_request_clear)

G_END_DECLS
