/* SPDX-License-Identifier: GPL-3.0-or-later */
/* app/cli.c: the list of verbs and what they share. */
#include "cli.h"

#include "assay-change.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "assay-store.h"

static const CliVerb verbs[] = {
  { "run", "--ledger FILE [--set FIELD=VALUE]… [--from RUN_ID [--sweep FIELD=VALUES]] [--questions FILE | --prompt TEXT]", N_("run a trial and write it into a ledger"), cli_run },
  { "plan", "[--ledger FILE] [--set FIELD=VALUE]… [--from RUN_ID] [--questions FILE | --prompt TEXT]", N_("say what a trial would need, loading nothing"), cli_plan },
  { "list", "LEDGER|FOLDER", N_("list runs, or the ledgers of a folder"), cli_list },
  { "show", "LEDGER RUN_ID", N_("show one run"), cli_show },
  { "compare", "LEDGER [RUN_ID RUN_ID…]", N_("say what may be said of two or more runs, or what each axis does in a ledger"), cli_compare },
  { "review", "LEDGER RUN_ID --reviewer NAME --score CRITERION=VALUE… --verdict pass|fail", N_("record a person's judgment"), cli_review },
  { "prefer", "LEDGER LEFT_RUN_ID RIGHT_RUN_ID --reviewer NAME [--question ID] --choice left|right|tie|both_bad", N_("record which of two outputs a person preferred"), cli_prefer },
  { "agreement", "LEDGER", N_("what the reviews add up to: means, agreement, preferences, and what is left out"), cli_agreement },
  { "next", "LEDGER RUN_ID [--choose K]", N_("the signal, the candidates, what stays fixed"), cli_next },
  { "queue", "LEDGER [--run]", N_("list the trials that are planned, or run them one after another"), cli_queue },
  { "import", "FILE --ledger LEDGER", N_("add plain records to a ledger"), cli_import },
  { "export", "LEDGER [RUN_ID] --format csv|json|md|kv|pdf [-o FILE]", N_("write a ledger for other programs, or as a report for people"), cli_export },
  { "validate", "FILE…", N_("check ledgers and model files"), cli_validate },
  { "models", "[FOLDER]", N_("list the models on this machine"), cli_models },
  { "inspect", "MODEL", N_("describe a model from its metadata"), cli_inspect },
  { "tokenize", "MODEL TEXT", N_("print token ids"), cli_tokenize },
  { "logits", "MODEL --prompt TEXT [--top N]", N_("print the likeliest next tokens"), cli_logits },
  { "quantize", "MODEL --method METHOD --out FILE [--modules LIST]", N_("write a model in another format"), cli_quantize },
  { "fields", "", N_("list the record's fields"), cli_fields },
  { "devices", "", N_("list what can compute here, and why not more"), cli_devices },
  { "bench", "MODEL", N_("measure a model by offload mode, quantization and link"), cli_bench },
  { "version", "", N_("print the version"), cli_version },
};

const CliVerb *
cli_find_verb (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (verbs); i++)
    if (strcmp (verbs[i].name, name) == 0)
      return &verbs[i];
  return NULL;
}

void
cli_print_help (void)
{
  g_print ("%s\n\n", _("assay weighs a model run and keeps it in a ledger. Without a verb it opens the window."));
  for (gsize i = 0; i < G_N_ELEMENTS (verbs); i++)
    g_print ("  assay %s %s\n      %s\n", verbs[i].name, verbs[i].arguments, _(verbs[i].summary));
  g_print ("\n%s\n%s\n",
           _("Every verb takes --json and --help. Fields and their values: assay fields."),
           _("Exit status: 0 fine, 2 usage, 3 bad file, 4 a rule was broken, 10 out of device memory, 11 out of host "
             "memory, 12 time limit, 13 cancelled, 14 failed."));
}

gboolean
cli_parse (const char *verb, const GOptionEntry *entries, int least, int most, int *argc, char ***argv, gboolean *json)
{
  const GOptionEntry common[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, json, N_("Machine-readable output"), NULL },
    { NULL },
  };
  g_autoptr (GOptionContext) context = g_option_context_new (cli_find_verb (verb)->arguments);
  g_autoptr (GError) error = NULL;
  g_option_context_set_summary (context, _(cli_find_verb (verb)->summary));
  if (entries != NULL)
    g_option_context_add_main_entries (context, entries, GETTEXT_PACKAGE);
  g_option_context_add_main_entries (context, common, GETTEXT_PACKAGE);
  if (!g_option_context_parse (context, argc, argv, &error))
    {
      cli_complain (CLI_USAGE, "%s", error->message);
      return FALSE;
    }
  const int n = *argc - 1;
  if (n < least || (most >= 0 && n > most))
    {
      cli_complain (CLI_USAGE, _("usage: assay %s %s"), verb, cli_find_verb (verb)->arguments);
      return FALSE;
    }
  return TRUE;
}

int
cli_complain (int status, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *message = g_strdup_vprintf (format, args);
  va_end (args);
  g_autofree char *printable = cli_dup_printable (message, strlen (message)); /* it may quote a file */
  g_printerr ("assay: %s\n", printable);
  return status;
}

int
cli_fail (int status, GError *error)
{
  cli_complain (status, "%s", error != NULL ? error->message : _("failed"));
  g_clear_error (&error);
  return status;
}

void
cli_print_json (JsonNode *node)
{
  g_autofree char *text = json_to_string (node, TRUE);
  g_print ("%s\n", text);
  json_node_unref (node);
}

/* A terminal would obey the control characters of either block; those of the second have no pictures. */
static gunichar
char_get_printable (gunichar c)
{
  if (c == '\n' || c == '\t')
    return c;
  if (c >= 0x80 && c <= 0x9f)
    return 0xfffd;
  return c < 0x20 ? 0x2400 + c : c == 0x7f ? 0x2421 : c;
}

char *
cli_dup_printable (const char *text, gsize length)
{
  g_autofree char *valid = g_utf8_make_valid (text, (gssize) length);
  GString *out = g_string_new (NULL);
  for (const char *p = valid; *p != '\0'; p = g_utf8_next_char (p))
    {
      const gunichar c = g_utf8_get_char (p);
      if (c == '\r' && p[1] == '\n')
        continue;
      g_string_append_unichar (out, char_get_printable (c));
    }
  return g_string_free (out, FALSE);
}

void
cli_json_text (JsonBuilder *b, const char *name, const char *value)
{
  json_builder_set_member_name (b, name);
  if (value == NULL)
    {
      json_builder_add_null_value (b);
      return;
    }
  g_autofree char *valid = g_utf8_make_valid (value, -1); /* a file's name may be any bytes; JSON is UTF-8 */
  json_builder_add_string_value (b, valid);
}

void
cli_json_integer (JsonBuilder *b, const char *name, gint64 value)
{
  json_builder_set_member_name (b, name);
  json_builder_add_int_value (b, value);
}

void
cli_json_boolean (JsonBuilder *b, const char *name, gboolean value)
{
  json_builder_set_member_name (b, name);
  json_builder_add_boolean_value (b, value);
}

void
cli_json_real (JsonBuilder *b, const char *name, double value)
{
  json_builder_set_member_name (b, name);
  if (isfinite (value))
    json_builder_add_double_value (b, value);
  else
    json_builder_add_null_value (b);
}

void
cli_json_array (JsonBuilder *b, const char *name)
{
  json_builder_set_member_name (b, name);
  json_builder_begin_array (b);
}

int
cli_exit_status (AssayRunStatus status)
{
  switch (status)
    {
    case ASSAY_STATUS_COMPLETED:
      return CLI_OK;
    case ASSAY_STATUS_INVALID:
      return CLI_RULE;
    case ASSAY_STATUS_OOM_DEVICE:
      return CLI_OOM_DEVICE;
    case ASSAY_STATUS_OOM_HOST:
      return CLI_OOM_HOST;
    case ASSAY_STATUS_TIME_LIMIT:
      return CLI_TIME_LIMIT;
    case ASSAY_STATUS_CANCELLED:
      return CLI_CANCELLED;
    default:
      return CLI_FAILED;
    }
}

AssayLedger *
cli_load_ledger (const char *path)
{
  GError *error = NULL;
  AssayLedger *ledger = assay_store_load (path, &error);
  if (ledger == NULL)
    cli_fail (CLI_BAD_FILE, error);
  return ledger;
}

gboolean
cli_id_fits (const char *id, const char *part)
{
  return g_str_has_prefix (id, part) || g_str_has_suffix (id, part);
}

AssayRecord *
cli_find_run (AssayLedger *ledger, const char *id)
{
  AssayRecord *found = assay_ledger_find_run (ledger, id);
  if (found != NULL)
    return found;
  guint n_matches = 0;
  for (guint i = 0; i < assay_ledger_get_n_runs (ledger); i++)
    if (cli_id_fits (assay_record_get_id (assay_ledger_get_run (ledger, i)), id))
      {
        found = assay_ledger_get_run (ledger, i);
        n_matches++;
      }
  if (n_matches == 1)
    return found;
  if (n_matches == 0)
    cli_complain (CLI_USAGE, _("no run ‘%s’ in this ledger; ‘assay list’ shows them"), id);
  else
    cli_complain (CLI_USAGE, _("‘%s’ begins or ends the ids of %u runs; give more of it"), id, n_matches);
  return NULL;
}

gboolean
cli_is_same_file (const char *a, const char *b)
{
  GStatBuf x, y;
  return g_stat (a, &x) == 0 && g_stat (b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

gboolean
cli_save_ledger (AssayLedger *ledger, const char *path)
{
  GError *error = NULL;
  if (assay_store_save (ledger, path, &error))
    return TRUE;
  cli_fail (CLI_BAD_FILE, error);
  return FALSE;
}

/* What is measured is not set; only whether an unverified tokenizer is accepted is a person's to say. */
static gboolean
cli_may_set (AssayFieldId field)
{
  if (field == ASSAY_FIELD_INVALID || assay_field_get_info (field)->group != ASSAY_GROUP_CONDITIONS)
    return FALSE;
  return assay_field_get_info (field)->section != ASSAY_SECTION_ENVIRONMENT || field == ASSAY_FIELD_TOKENIZER_NOTE;
}

static gboolean
settings_apply_one (AssayValues *conditions, const char *setting, GError **error)
{
  const char *equals = strchr (setting, '=');
  if (equals == NULL)
    return g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, _("--set wants FIELD=VALUE, not ‘%s’"), setting),
           FALSE;
  g_autofree char *name = g_strndup (setting, equals - setting);
  const AssayFieldId field = assay_field_from_name (name);
  if (!cli_may_set (field))
    return g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                        _("‘%s’ is not a condition that can be set; ‘assay fields’ lists them"), name),
           FALSE;
  if (equals[1] == '\0' && assay_field_get_info (field)->type != ASSAY_VALUE_TYPE_TEXT)
    return assay_change_apply (conditions, field, NULL, error);
  g_autoptr (AssayValues) typed = assay_values_new ();
  if (!assay_values_parse_user (typed, field, equals + 1, error))
    return FALSE;
  g_autofree char *value = assay_values_dup_text (typed, field);
  return assay_change_apply (conditions, field, value, error);
}

/* Twice: what follows from one setting (the method from the quantization) is freed by it, whatever their order; the second
 * time round everything that was said stands. */
gboolean
cli_apply_settings (AssayValues *conditions, char **settings)
{
  for (guint round = 0; round < 2; round++)
    for (char **s = settings; s != NULL && *s != NULL; s++)
      {
        GError *error = NULL;
        if (!settings_apply_one (conditions, *s, &error))
          return cli_fail (CLI_USAGE, error), FALSE;
      }
  return TRUE;
}
