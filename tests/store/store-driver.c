/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/store/store-driver.c: a program to be killed, starved and lied to while it saves.
 *
 *   make PATH N            a new ledger of N runs
 *   write PATH PREFIX N    opens, then N times: adds a run PREFIX-i, saves, prints "Saved PREFIX-i"
 *   ids PATH               the runs' ids, a line each
 *   fresh PATH N           as write, but the runs have ids of their own, as new trials have
 *   again PATH             opens, changes nothing but the title, saves twice (the second after a failure of the first)
 *   save-as FROM TO        opens one and saves it as the other
 *   hold PATH MS           takes the file's lock, prints "Held", keeps it for a while
 *   wait PATH NAME         opens, prints "Opened", waits for a line on standard input, adds a run, saves
 *   journal FOLDER PATH    writes a journal entry, prints "Written", waits to be killed
 *   recover FOLDER         prints id, status and ledger of every entry
 *
 * Runs are made of fixed values: the same call writes the same bytes. Exit status 1 with a message when it
 * fails. */
#include <dlfcn.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assay-lock.h"
#include "assay-store.h"

static int
fail (GError *error)
{
  fprintf (stderr, "code %d: %s\n", error->code, error->message);
  return 1;
}

static AssayRecord *
make_run (const char *id) /* NULL: a fresh one */
{
  AssayRecord *record = assay_record_new ();
  AssayValues *burden = assay_record_get_burden (record);
  AssayOutput *output = assay_output_new ("q1");

  if (id != NULL)
    assay_record_set_id (record, id);
  assay_values_set_text (assay_record_get_conditions (record), ASSAY_FIELD_MODEL_ID, "SmolLM2");
  assay_values_set_real (assay_record_get_conditions (record), ASSAY_FIELD_TEMPERATURE, 0.7);
  assay_values_set_integer (burden, ASSAY_FIELD_PEAK_RAM, 123456789);
  assay_values_set_real (burden, ASSAY_FIELD_ELAPSED_SECONDS, 11.25);
  assay_record_set_status (record, ASSAY_STATUS_COMPLETED);
  output->text = g_strnfill (1500, 'a');
  output->text_length = 1500;
  g_ptr_array_add (assay_record_get_outputs (record), output);
  assay_record_seal (record);
  return record;
}

static void
add_run (AssayLedger *ledger, const char *prefix, int i)
{
  g_autofree char *id = g_strdup_printf ("%s-%d", prefix, i);
  g_autoptr(AssayRecord) record = make_run (id);
  assay_ledger_add_run (ledger, record);
}

static int
do_make (char **argv)
{
  g_autoptr(AssayLedger) ledger = assay_ledger_new (ASSAY_TASK_LANGUAGE, "driver");
  g_autoptr(GError) error = NULL;

  for (int i = 0; i < atoi (argv[3]); i++)
    add_run (ledger, "made", i);
  return assay_store_save (ledger, argv[2], &error) ? 0 : fail (error);
}

/* From here on the preloaded shim, if there is one, may refuse memory: the save is what is tried, not the start. */
static void
arm_shim (void)
{
  void (*arm) (void);
  *(void **) &arm = dlsym (RTLD_DEFAULT, "store_shim_arm");
  if (arm != NULL)
    arm ();
}

static int
do_write (char **argv)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AssayLedger) ledger = assay_store_load (argv[2], &error);

  if (ledger == NULL)
    return fail (error);
  arm_shim ();
  for (int i = 0; i < atoi (argv[4]); i++)
    {
      add_run (ledger, argv[3], i);
      if (!assay_store_save (ledger, NULL, &error))
        return fail (error);
      printf ("Saved %s-%d\n", argv[3], i);
      fflush (stdout);
    }
  for (const char *const *notice = assay_ledger_get_notices (ledger); *notice != NULL; notice++)
    printf ("Notice %s\n", *notice);
  return 0;
}

static int
do_fresh (char **argv)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AssayLedger) ledger = assay_store_load (argv[2], &error);

  if (ledger == NULL)
    return fail (error);
  for (int i = 0; i < atoi (argv[3]); i++)
    {
      g_autoptr(AssayRecord) record = make_run (NULL);
      assay_ledger_add_run (ledger, record);
      if (!assay_store_save (ledger, NULL, &error))
        return fail (error);
      printf ("Saved %s\n", assay_record_get_id (record));
    }
  return 0;
}

static int
do_ids (char **argv)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AssayLedger) ledger = assay_store_load (argv[2], &error);

  if (ledger == NULL)
    return fail (error);
  for (guint i = 0; i < assay_ledger_get_n_runs (ledger); i++)
    {
      AssayRecord *record = assay_ledger_get_run (ledger, i);
      printf ("%s%s\n", assay_record_get_id (record), assay_record_is_damaged (record) ? " damaged" : "");
    }
  if (assay_ledger_is_read_only (ledger))
    fprintf (stderr, "read-only: %s\n", assay_ledger_get_read_only_reason (ledger));
  return 0;
}

static int
do_again (char **argv)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AssayLedger) ledger = assay_store_load (argv[2], &error);

  if (ledger == NULL)
    return fail (error);
  assay_ledger_set_title (ledger, "again");
  add_run (ledger, "again", 0);
  if (assay_store_save (ledger, NULL, &error))
    return 0;
  fprintf (stderr, "first: %s\n", error->message);
  if (!assay_ledger_is_unsaved (ledger) || assay_ledger_find_run (ledger, "again-0") == NULL)
    return 2;
  g_clear_error (&error);
  if (!assay_store_save (ledger, NULL, &error))
    return fail (error);
  printf ("Saved at the second try\n");
  return 0;
}

static int
do_save_as (char **argv)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AssayLedger) ledger = assay_store_load (argv[2], &error);
  return ledger != NULL && assay_store_save (ledger, argv[3], &error) ? 0 : fail (error);
}

static int
do_hold (char **argv)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AssayLock) lock = assay_lock_take (argv[2], 0, &error);

  if (lock == NULL)
    return fail (error);
  printf ("Held\n");
  fflush (stdout);
  g_usleep ((gulong) atoi (argv[3]) * 1000);
  return 0;
}

static int
do_wait (char **argv)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AssayLedger) ledger = assay_store_load (argv[2], &error);
  char line[16];

  if (ledger == NULL)
    return fail (error);
  printf ("Opened\n");
  fflush (stdout);
  if (fgets (line, sizeof line, stdin) == NULL)
    return 2;
  add_run (ledger, argv[3], 0);
  if (!assay_store_save (ledger, NULL, &error))
    return fail (error);
  printf ("Saved\n");
  return 0;
}

static int
do_journal (char **argv)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AssayRecord) record = assay_record_new ();

  assay_record_set_id (record, "begun");
  assay_values_set_text (assay_record_get_conditions (record), ASSAY_FIELD_MODEL_ID, "SmolLM2");
  assay_record_seal (record);
  if (!assay_journal_write (argv[2], argv[3], record, &error))
    return fail (error);
  printf ("Written\n");
  fflush (stdout);
  pause ();
  return 0;
}

static int
do_recover (char **argv)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) entries = assay_journal_list (argv[2], &error);

  if (entries == NULL)
    return fail (error);
  for (guint i = 0; i < entries->len; i++)
    {
      const AssayJournalEntry *entry = g_ptr_array_index (entries, i);
      printf ("%s %s %s\n", assay_record_get_id (entry->record),
              assay_record_is_damaged (entry->record)
                  ? "damaged"
                  : assay_run_status_get_name (assay_record_get_status (entry->record)),
              entry->ledger_path == NULL ? "-" : entry->ledger_path);
    }
  return 0;
}

int
main (int argc, char **argv)
{
  static const struct { const char *name; int n; int (*run) (char **argv);
  } commands[] = {
    { "make", 4, do_make },       { "write", 5, do_write }, { "fresh", 4, do_fresh },
    { "ids", 3, do_ids },         { "again", 3, do_again }, { "save-as", 4, do_save_as },
    { "hold", 4, do_hold },       { "wait", 4, do_wait },   { "journal", 4, do_journal },
    { "recover", 3, do_recover },
  };

  setlocale (LC_ALL, "");
  signal (SIGXFSZ, SIG_IGN); /* a file size limit is an error like others */
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    if (argc == commands[i].n && strcmp (argv[1], commands[i].name) == 0)
      return commands[i].run (argv);
  fprintf (stderr, "usage: see the head of store-driver.c\n");
  return 2;
}
