/* SPDX-License-Identifier: GPL-3.0-or-later */
/* app/cli-ledger.c: verbs that read ledgers: list, show, import, validate. */
#include "cli.h"

#include <glib/gi18n.h>
#include <string.h>

#include "assay-axes.h"
#include "assay-compare.h"
#include "assay-export.h"
#include "assay-gates.h"
#include "assay-hints.h"
#include "assay-inspect.h"
#include "assay-library.h"
#include "assay-repeats.h"
#include "assay-setting.h"
#include "assay-store.h"

/* --- list --- */

static const AssayFieldId list_fields[] = { ASSAY_FIELD_MODEL_ID, ASSAY_FIELD_QUANTIZATION, ASSAY_FIELD_DEVICE,
                                            ASSAY_FIELD_OFFLOAD_MODE, ASSAY_FIELD_CONTEXT_LENGTH, ASSAY_FIELD_PEAK_VRAM,
                                            ASSAY_FIELD_PEAK_RAM, ASSAY_FIELD_ELAPSED_SECONDS };

static void
list_add_value_json (JsonBuilder *b, AssayRecord *record, AssayFieldId field)
{
  const AssayFieldInfo *info = assay_field_get_info (field);
  const AssayValues *values = assay_record_get_values_for (record, field);
  double number = 0;
  gint64 integer = 0;
  json_builder_set_member_name (b, info->name);
  if (assay_values_get_state (values, field) != ASSAY_VALUE_SET)
    json_builder_add_null_value (b);
  else if (info->type == ASSAY_VALUE_TYPE_INTEGER && assay_values_get_integer (values, field, &integer))
    json_builder_add_int_value (b, integer);
  else if (info->type == ASSAY_VALUE_TYPE_REAL && assay_values_get_real (values, field, &number))
    json_builder_add_double_value (b, number);
  else
    json_builder_add_string_value (b, assay_values_get_text (values, field));
}

static void
list_add_run_json (JsonBuilder *b, AssayLedger *ledger, AssayRecord *record)
{
  g_autoptr (AssayGates) gates = assay_gates_judge (ledger, record);
  json_builder_begin_object (b);
  cli_json_text (b, "run_id", assay_record_get_id (record));
  cli_json_text (b, "parent", assay_record_get_parent (record));
  cli_json_text (b, "status", assay_run_status_get_name (assay_record_get_status (record)));
  for (gsize i = 0; i < G_N_ELEMENTS (list_fields); i++)
    list_add_value_json (b, record, list_fields[i]);
  for (guint g = 0; g < ASSAY_N_GATES; g++)
    cli_json_text (b, assay_gate_get_name (g), assay_verdict_get_name (gates->verdict[g]));
  json_builder_end_object (b);
}

static void
list_print_run (AssayLedger *ledger, AssayRecord *record)
{
  if (assay_record_is_damaged (record))
    {
      g_print ("%-26s %s: %s\n", assay_record_get_id (record), _("damaged"), assay_record_get_damage (record));
      return;
    }
  g_autoptr (AssayGates) gates = assay_gates_judge (ledger, record);
  const AssayValues *burden = assay_record_get_burden (record);
  const AssayFieldId own = assay_compare_get_own_peak (record);
  g_autofree char *peak = assay_values_dup_display (burden, own);
  g_autofree char *time = assay_values_dup_display (burden, ASSAY_FIELD_ELAPSED_SECONDS);
  const char *changed = assay_record_get_changed (record);
  g_print ("%-26s %-14s %-4s %10s %10s ", assay_record_get_id (record),
           assay_run_status_get_name (assay_record_get_status (record)), own == ASSAY_FIELD_PEAK_VRAM ? "VRAM" : "RAM", peak, time);
  for (guint g = 0; g < ASSAY_N_GATES; g++)
    {
      /* where there is no verdict, in words too: a dash alone would look like nothing to tell */
      const gboolean judged = gates->verdict[g] != ASSAY_VERDICT_NOT_JUDGED;
      g_print (" %s %s%s%s", assay_gate_get_word (g), assay_verdict_get_mark (gates->verdict[g]), judged ? "" : " ",
               judged ? "" : assay_verdict_get_word (gates->verdict[g]));
    }
  g_print ("  %s\n", changed != NULL ? changed : "");
}

static int
list_ledger (const char *path, gboolean json)
{
  g_autoptr (AssayLedger) ledger = cli_load_ledger (path);
  if (ledger == NULL)
    return CLI_BAD_FILE;
  g_autoptr (JsonBuilder) b = json_builder_new ();
  json_builder_begin_array (b);
  if (!json)
    g_print ("%s\n", assay_ledger_get_title (ledger));
  for (guint i = 0; i < assay_ledger_get_n_runs (ledger); i++)
    if (json)
      list_add_run_json (b, ledger, assay_ledger_get_run (ledger, i));
    else
      list_print_run (ledger, assay_ledger_get_run (ledger, i));
  json_builder_end_array (b);
  if (json)
    cli_print_json (json_builder_get_root (b));
  for (const char *const *n = assay_ledger_get_notices (ledger); *n != NULL; n++)
    g_printerr ("assay: %s: %s\n", path, *n);
  return CLI_OK;
}

static int
list_folder (const char *path, gboolean json)
{
  GError *error = NULL;
  g_autoptr (GPtrArray) items = assay_library_scan (path, NULL, &error);
  if (items == NULL)
    return cli_fail (CLI_BAD_FILE, error);
  g_autoptr (JsonBuilder) b = json_builder_new ();
  json_builder_begin_array (b);
  for (guint i = 0; i < items->len; i++)
    {
      g_autofree char *file = NULL, *title = NULL, *task = NULL, *problem = NULL;
      guint n_runs = 0;
      g_object_get (g_ptr_array_index (items, i), "path", &file, "title", &title, "task", &task, "problem", &problem,
                    "n-runs", &n_runs, NULL);
      if (!json)
        {
          g_print ("%-9s %5u  %s\n  %s\n", task != NULL ? task : "-", n_runs, title != NULL ? title : "", file);
          if (problem != NULL)
            g_print ("  %s: %s\n", _("cannot be opened"), problem);
          continue;
        }
      json_builder_begin_object (b);
      cli_json_text (b, "path", file);
      cli_json_text (b, "title", title != NULL ? title : "");
      cli_json_text (b, "task", task != NULL ? task : "");
      cli_json_integer (b, "n_runs", n_runs);
      cli_json_text (b, "problem", problem);
      json_builder_end_object (b);
    }
  json_builder_end_array (b);
  if (json)
    cli_print_json (json_builder_get_root (b));
  return CLI_OK;
}

int
cli_list (int argc, char **argv)
{
  gboolean json = FALSE;
  if (!cli_parse ("list", NULL, 0, 1, &argc, &argv, &json))
    return CLI_USAGE;
  g_autofree char *default_folder = assay_library_dup_default_folder ();
  const char *path = argc > 1 ? argv[1] : default_folder;
  return g_file_test (path, G_FILE_TEST_IS_DIR) ? list_folder (path, json) : list_ledger (path, json);
}

/* --- show --- */

/* The plain record holds neither; a person who asks for a run wants both. */
static void
show_print_answers_and_reviews (AssayRecord *record)
{
  GPtrArray *outputs = assay_record_get_outputs (record);
  for (guint i = 0; i < outputs->len; i++)
    {
      const AssayOutput *output = g_ptr_array_index (outputs, i);
      g_autofree char *text = cli_dup_printable (output->text, output->text_length);
      g_print ("\n[%s] %s\n", output->question, text);
    }
  GPtrArray *reviews = assay_record_get_reviews (record);
  for (guint i = 0; i < reviews->len; i++)
    {
      const AssayReview *review = g_ptr_array_index (reviews, i);
      g_autofree char *note = review->quality_note != NULL ? cli_dup_printable (review->quality_note, strlen (review->quality_note)) : NULL;
      g_print ("\n%s: %s, %s: %s%s%s\n", _("review"), review->reviewer, review->at, assay_verdict_get_name (review->verdict),
               note != NULL ? "; " : "", note != NULL ? note : "");
    }
}

/* What the run and its repeats took together, where no threshold asked for it and the gate is silent. */
static void
show_print_setting (AssayLedger *ledger, AssayRecord *record)
{
  g_autoptr (GPtrArray) runs = assay_repeats_find (ledger, record);
  AssaySettingFigures figures;
  assay_setting_measure (runs, &figures);
  g_autofree char *words = assay_setting_dup_words (&figures);
  if (*words != '\0')
    g_print (ngettext ("%u run of this setting: %s\n", "%u runs of this setting: %s\n", runs->len), runs->len, words);
}

/* The plain record has the verdicts alone. */
static void
show_print_evidence (AssayLedger *ledger, AssayRecord *record)
{
  g_autoptr (AssayGates) gates = assay_gates_judge (ledger, record);
  g_print ("\n");
  for (AssayGate gate = 0; gate < ASSAY_N_GATES; gate++)
    g_print ("%s: %s: %s\n", assay_gate_get_name (gate), assay_verdict_get_word (gates->verdict[gate]), gates->evidence[gate]);
  if (gates->verdict[ASSAY_GATE_OPERATION] == ASSAY_VERDICT_NOT_JUDGED)
    show_print_setting (ledger, record);
}

static void
show_print_hints (AssayLedger *ledger, AssayRecord *record)
{
  GPtrArray *outputs = assay_record_get_outputs (record);
  for (guint i = 0; i < outputs->len; i++)
    {
      const AssayOutput *output = outputs->pdata[i];
      g_autoptr (GPtrArray) hints = assay_hints_for_output (ledger, record, output);
      for (guint k = 0; k < hints->len; k++)
        g_print ("\n[%s] %s: %s", output->question, _("automatic hint, not a score"), ((const AssayHint *) hints->pdata[k])->text);
    }
  g_print ("\n");
}

static void
show_print_hints_json (AssayLedger *ledger, AssayRecord *record)
{
  GPtrArray *outputs = assay_record_get_outputs (record);
  g_autoptr (JsonBuilder) b = json_builder_new ();
  json_builder_begin_array (b);
  for (guint i = 0; i < outputs->len; i++)
    {
      const AssayOutput *output = outputs->pdata[i];
      g_autoptr (GPtrArray) hints = assay_hints_for_output (ledger, record, output);
      for (guint k = 0; k < hints->len; k++)
        {
          const AssayHint *hint = hints->pdata[k];
          json_builder_begin_object (b);
          cli_json_text (b, "question", output->question);
          cli_json_text (b, "hint", assay_hint_kind_get_name (hint->kind));
          cli_json_text (b, "leaning", assay_hint_leaning_get_name (hint->leaning));
          cli_json_text (b, "text", hint->text);
          json_builder_end_object (b);
        }
    }
  json_builder_end_array (b);
  cli_print_json (json_builder_get_root (b));
}

int
cli_show (int argc, char **argv)
{
  gboolean json = FALSE, chain = FALSE, hints = FALSE;
  const GOptionEntry entries[] = {
    { "chain", 0, 0, G_OPTION_ARG_NONE, &chain, N_("The chain of trials from the first run to this one"), NULL },
    { "hints", 0, 0, G_OPTION_ARG_NONE, &hints, N_("What can be noticed about each output: hints and no scores; look at them after judging"), NULL },
    { NULL },
  };
  if (!cli_parse ("show", entries, 2, 2, &argc, &argv, &json))
    return CLI_USAGE;
  g_autoptr (AssayLedger) ledger = cli_load_ledger (argv[1]);
  if (ledger == NULL)
    return CLI_BAD_FILE;
  AssayRecord *record = cli_find_run (ledger, argv[2]);
  if (record == NULL)
    return CLI_USAGE;
  if (chain)
    {
      cli_print_chain (ledger, record, json);
      return CLI_OK;
    }
  if (hints && json)
    {
      show_print_hints_json (ledger, record);
      return CLI_OK;
    }
  GError *error = NULL;
  g_autofree char *text = json ? assay_export_record_json (ledger, record)
                               : assay_export_ledger (ledger, assay_record_get_id (record), ASSAY_EXPORT_KEY_VALUE, &error);
  if (text == NULL)
    return cli_fail (CLI_FAILED, error);
  g_print ("%s%s", text, g_str_has_suffix (text, "\n") ? "" : "\n");
  if (!json)
    {
      show_print_evidence (ledger, record);
      show_print_answers_and_reviews (record);
    }
  if (hints)
    show_print_hints (ledger, record);
  return CLI_OK;
}

/* --- import --- */

static AssayLedger *
import_open (const char *path)
{
  if (g_file_test (path, G_FILE_TEST_EXISTS))
    return cli_load_ledger (path);
  g_autofree char *title = g_path_get_basename (path);
  if (g_str_has_suffix (title, ASSAY_LEDGER_SUFFIX))
    title[strlen (title) - strlen (ASSAY_LEDGER_SUFFIX)] = '\0';
  return assay_ledger_new (ASSAY_TASK_LANGUAGE, title);
}

int
cli_import (int argc, char **argv)
{
  gboolean json = FALSE;
  g_autofree char *ledger_path = NULL;
  const GOptionEntry entries[] = {
    { "ledger", 0, 0, G_OPTION_ARG_FILENAME, &ledger_path, N_("The ledger to add to; made when it does not exist"), "LEDGER" },
    { NULL },
  };
  if (!cli_parse ("import", entries, 1, 1, &argc, &argv, &json))
    return CLI_USAGE;
  if (ledger_path == NULL)
    return cli_complain (CLI_USAGE, _("--ledger LEDGER is needed"));
  GError *error = NULL;
  g_autofree char *text = NULL;
  gsize length = 0;
  if (!g_file_get_contents (argv[1], &text, &length, &error))
    return cli_fail (CLI_BAD_FILE, error);
  g_autoptr (GPtrArray) records = assay_import_key_value (text, (gssize) length, argv[1], &error);
  if (records == NULL)
    return cli_fail (CLI_BAD_FILE, error);
  g_autoptr (AssayLedger) ledger = import_open (ledger_path);
  if (ledger == NULL)
    return CLI_BAD_FILE;
  guint n_added = 0;
  for (guint i = 0; i < records->len; i++)
    {
      AssayRecord *record = g_ptr_array_index (records, i);
      if (assay_ledger_find_run (ledger, assay_record_get_id (record)) != NULL)
        {
          g_printerr (_("assay: run %s is in the ledger already and was left as it is\n"), assay_record_get_id (record));
          continue;
        }
      assay_ledger_add_run (ledger, record);
      for (const char *const *notice = assay_record_get_notices (record); *notice != NULL; notice++)
        g_printerr (_("assay: run %s: %s\n"), assay_record_get_id (record), *notice);
      n_added++;
      for (const char *const *n = assay_record_get_notices (record); *n != NULL; n++)
        g_printerr ("assay: %s: %s\n", assay_record_get_id (record), *n);
    }
  if (!cli_save_ledger (ledger, ledger_path))
    return CLI_BAD_FILE;
  if (json)
    g_print ("{\"added\": %u, \"read\": %u}\n", n_added, records->len);
  else
    g_print (ngettext ("%u run added\n", "%u runs added\n", n_added), n_added);
  return CLI_OK;
}

/* --- validate --- */

static gboolean
looks_like_xml (const char *path)
{
  if (g_str_has_suffix (path, ".xml"))
    return TRUE;
  char head[64] = "";
  g_autoptr (GFile) file = g_file_new_for_path (path);
  if (g_file_query_file_type (file, G_FILE_QUERY_INFO_NONE, NULL) != G_FILE_TYPE_REGULAR)
    return FALSE; /* never open a FIFO to look into it */
  g_autoptr (GFileInputStream) stream = g_file_read (file, NULL, NULL);
  if (stream == NULL || g_input_stream_read (G_INPUT_STREAM (stream), head, sizeof head - 1, NULL, NULL) <= 0)
    return FALSE;
  const char *p = g_str_has_prefix (head, "\xEF\xBB\xBF") ? head + 3 : head;
  return g_strchug ((char *) p)[0] == '<';
}

static gboolean
validate_one (const char *path, char **verdict, GError **error)
{
  if (looks_like_xml (path))
    {
      g_autoptr (AssayLedger) ledger = assay_store_load (path, error);
      if (ledger == NULL)
        return FALSE;
      guint n_damaged = 0;
      const char *damage = NULL;
      for (guint i = 0; i < assay_ledger_get_n_runs (ledger); i++)
        if (assay_record_is_damaged (assay_ledger_get_run (ledger, i)) && n_damaged++ == 0)
          damage = assay_record_get_damage (assay_ledger_get_run (ledger, i));
      *verdict = g_strdup_printf ("ledger, %u runs, %u damaged", assay_ledger_get_n_runs (ledger), n_damaged);
      if (n_damaged > 0)
        g_set_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_FORMAT, _("%s: %u of %u runs are damaged, the first: %s"), path, n_damaged,
                     assay_ledger_get_n_runs (ledger), damage);
      return n_damaged == 0;
    }
  g_autoptr (AssayInspection) inspection = assay_inspect (path, FALSE, NULL, error);
  if (inspection == NULL)
    return FALSE;
  *verdict = g_strdup_printf ("model, %s, %s, %u tensors", inspection->config.architecture, inspection->quantization,
                              assay_model_file_get_n_tensors (inspection->file));
  return TRUE;
}

static const char *
validate_get_reason (const GError *error)
{
  if (error == NULL || error->domain != ASSAY_LEDGER_ERROR)
    return assay_engine_error_get_reason (error);
  switch (error->code)
    {
    case ASSAY_LEDGER_ERROR_LOST:
      return "ledger-lost";
    case ASSAY_LEDGER_ERROR_CONFLICT:
      return "ledger-merge-conflict";
    default:
      return "ledger-format";
    }
}

static void
validate_add_json (JsonBuilder *b, const char *path, const char *verdict, const GError *error)
{
  json_builder_begin_object (b);
  cli_json_text (b, "file", path);
  cli_json_boolean (b, "valid", error == NULL);
  cli_json_text (b, "verdict", error != NULL ? error->message : verdict);
  if (error != NULL)
    {
      const char *field = assay_engine_error_get_field (error);
      cli_json_text (b, "reason", validate_get_reason (error));
      cli_json_text (b, "field", field != NULL ? field : "");
      cli_json_integer (b, "offset", assay_engine_error_get_offset (error));
    }
  json_builder_end_object (b);
}

int
cli_validate (int argc, char **argv)
{
  gboolean json = FALSE;
  if (!cli_parse ("validate", NULL, 1, -1, &argc, &argv, &json))
    return CLI_USAGE;
  int status = CLI_OK;
  g_autoptr (JsonBuilder) b = json_builder_new ();
  json_builder_begin_array (b);
  for (int i = 1; i < argc; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *verdict = NULL;
      if (!validate_one (argv[i], &verdict, &error))
        status = CLI_BAD_FILE;
      validate_add_json (b, argv[i], verdict, error);
      if (json)
        continue;
      const char *reason = validate_get_reason (error);
      if (error == NULL)
        g_print ("%s: ok: %s\n", argv[i], verdict);
      else
        g_print ("%s: refused%s%s%s: %s\n", argv[i], reason[0] != '\0' ? " [" : "", reason, reason[0] != '\0' ? "]" : "",
                 error->message);
    }
  json_builder_end_array (b);
  if (json)
    cli_print_json (json_builder_get_root (b));
  return status;
}
