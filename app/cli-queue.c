/* SPDX-License-Identifier: GPL-3.0-or-later */
/* app/cli-queue.c: the verb queue: what is still to be run, taking some of it off, and running the rest. */
#include "cli.h"

#include <glib/gi18n.h>

#include "assay-planned.h"
#include "assay-readiness.h"
#include "assay-queue.h"

static void
queue_print_one (AssayLedger *ledger, AssayRecord *planned, guint n, const AssayReadiness *readiness)
{
  const char *parent = assay_record_get_parent (planned);
  g_autofree char *change = assay_planned_dup_change (ledger, planned);
  g_print ("%3u  %s  %s", n, assay_record_get_id (planned), change);
  if (parent != NULL)
    g_print (_("  (continues %s)"), parent);
  g_print ("\n");
  if (readiness != NULL && readiness->words != NULL)
    g_print ("     %s\n", readiness->words);
}

static void
queue_add_json (JsonBuilder *b, AssayLedger *ledger, AssayRecord *planned, const AssayReadiness *readiness)
{
  static const char *const states[] = { "fits", "does_not_fit", "memory_held" };
  g_autofree char *change = assay_planned_dup_change (ledger, planned);
  gint64 repeats = 1;
  assay_values_get_integer (assay_record_get_conditions (planned), ASSAY_FIELD_REPEATS, &repeats);
  json_builder_begin_object (b);
  cli_json_text (b, "id", assay_record_get_id (planned));
  cli_json_text (b, "parent", assay_record_get_parent (planned));
  cli_json_text (b, "changed", assay_record_get_changed (planned));
  cli_json_text (b, "change", change);
  cli_json_integer (b, "repeats", repeats);
  cli_json_integer (b, "runs", assay_ledger_count_planned_runs (ledger, assay_record_get_id (planned)));
  if (readiness != NULL)
    {
      cli_json_text (b, "forecast", readiness->words != NULL ? states[readiness->state] : NULL);
      cli_json_text (b, "forecast_words", readiness->words);
    }
  json_builder_end_object (b);
}

static int
queue_list (AssayLedger *ledger, gboolean forecast, gboolean json)
{
  g_autoptr (GPtrArray) left = assay_ledger_dup_left (ledger);
  g_autoptr (JsonBuilder) b = json_builder_new ();
  json_builder_begin_array (b);
  for (guint i = 0; i < left->len; i++)
    {
      AssayRecord *planned = left->pdata[i];
      g_autoptr (AssayReadiness) readiness
          = forecast ? assay_readiness_new (assay_record_get_conditions (planned), assay_queue_get_questions (ledger, planned))
                     : NULL;
      if (json)
        queue_add_json (b, ledger, planned, readiness);
      else
        queue_print_one (ledger, planned, i + 1, readiness);
    }
  json_builder_end_array (b);
  if (json)
    cli_print_json (json_builder_get_root (b));
  else if (left->len == 0)
    g_print ("%s\n", _("Nothing is planned."));
  return CLI_OK;
}

/* An id, or a beginning or end of it that only one has. */
static const char *
queue_find (GPtrArray *left, const char *part)
{
  const char *found = NULL;
  for (guint i = 0; i < left->len; i++)
    {
      const char *id = assay_record_get_id (left->pdata[i]);
      if (g_str_equal (id, part))
        return id;
      if (cli_id_fits (id, part) && found != NULL)
        return NULL;
      if (cli_id_fits (id, part))
        found = id;
    }
  return found;
}

static int
queue_remove (AssayLedger *ledger, const char *path, char **remove, gboolean clear)
{
  g_autoptr (GPtrArray) left = assay_ledger_dup_left (ledger);
  g_autoptr (GPtrArray) ids = g_ptr_array_new ();
  for (char **r = remove; r != NULL && *r != NULL; r++)
    {
      const char *id = queue_find (left, *r);
      if (id == NULL)
        return cli_complain (CLI_USAGE, _("‘%s’ is no planned trial of this ledger, or begins or ends the ids of more than one"), *r);
      g_ptr_array_add (ids, (char *) id);
    }
  for (guint i = 0; clear && i < left->len; i++)
    g_ptr_array_add (ids, (char *) assay_record_get_id (left->pdata[i]));
  g_ptr_array_add (ids, NULL);
  const guint n = assay_ledger_remove_planned (ledger, (const char *const *) ids->pdata);
  if (n > 0 && !cli_save_ledger (ledger, path))
    return CLI_FAILED;
  g_printerr (ngettext ("assay: %u planned trial was removed\n", "assay: %u planned trials were removed\n", n), n);
  return CLI_OK;
}

int
cli_queue (int argc, char **argv)
{
  gboolean json = FALSE, run = FALSE, clear = FALSE, forecast = FALSE;
  g_auto (GStrv) remove = NULL;
  g_auto (CliQueueOptions) options = { 0 };
  const GOptionEntry entries[] = {
    { "run", 0, 0, G_OPTION_ARG_NONE, &run, N_("Run them, each its own record"), NULL },
    CLI_QUEUE_OPTIONS (options),
    { "forecast", 0, 0, G_OPTION_ARG_NONE, &forecast, N_("Say of each whether it fits"), NULL },
    { "remove", 0, 0, G_OPTION_ARG_STRING_ARRAY, &remove, N_("Take one off"), "PLANNED_ID" },
    { "clear", 0, 0, G_OPTION_ARG_NONE, &clear, N_("Take all off"), NULL },
    { NULL },
  };
  if (!cli_parse ("queue", entries, 1, 1, &argc, &argv, &json) || !cli_queue_check_options (&options))
    return CLI_USAGE;
  if (run && (clear || remove != NULL))
    return cli_complain (CLI_USAGE, _("--run goes without --remove and --clear"));
  g_autoptr (AssayLedger) ledger = cli_load_ledger (argv[1]);
  if (ledger == NULL)
    return CLI_BAD_FILE;
  const gboolean writes = run || clear || remove != NULL;
  if (writes && assay_ledger_is_read_only (ledger))
    return cli_complain (CLI_BAD_FILE, "%s", assay_ledger_get_read_only_reason (ledger));
  if (writes && !cli_trial_can_write (argv[1]))
    return CLI_BAD_FILE;
  if (!assay_ledger_is_read_only (ledger)) /* a trial that was going on when the program died is not still to do */
    cli_trial_adopt_journal (ledger, argv[1]);
  if (clear || remove != NULL)
    return queue_remove (ledger, argv[1], remove, clear);
  return run ? cli_queue_perform (ledger, argv[1], NULL, &options, json) : queue_list (ledger, forecast, json);
}
