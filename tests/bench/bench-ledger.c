/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/bench/bench-ledger.c: how long a large ledger takes to save, to open and to be judged for its list.
 *
 *   bench-ledger [RUNS [SAMPLES]]     5000 runs of 100 memory samples unless given
 *
 * Prints one line a step. The list's step is what the window does for a row: three verdicts and three texts a run, here
 * for every run of the ledger at once. */
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <stdlib.h>

#include "assay-gates.h"
#include "assay-store.h"

static AssaySeries *
make_series (GRand *rand, guint n_samples)
{
  AssaySeries *series = assay_series_new (20 * 1000000);
  assay_series_begin_phase (series, "load", 0);
  for (guint i = 0; i < n_samples; i++)
    {
      AssaySample sample = { .t_ns = (gint64) i * 20000000, .reserved = -1, .mapped_weights = 98000000, .ram_pinned = 0,
                             .ram_system = 4000000000, .vram_device = -1, .link_bytes = -1 };
      sample.allocated[ASSAY_MEMORY_KV_CACHE] = g_rand_int_range (rand, 1, 100000000);
      sample.ram_anonymous = 150000000 + g_rand_int_range (rand, 0, 1000000);
      sample.ram_mapped = 98000000;
      assay_series_append (series, &sample);
    }
  assay_series_end_phase (series, (gint64) n_samples * 20000000, 100000000);
  return series;
}

static AssayRecord *
make_run (GRand *rand, guint i, const char *parent, guint n_samples)
{
  AssayRecord *record = assay_record_new ();
  AssayValues *conditions = assay_record_get_conditions (record);
  AssayValues *burden = assay_record_get_burden (record);
  assay_values_set_text (conditions, ASSAY_FIELD_MODEL_ID, "HuggingFaceTB/SmolLM2-135M-Instruct");
  assay_values_set_text (conditions, ASSAY_FIELD_QUANTIZATION, "Q4_1");
  assay_values_set_text (conditions, ASSAY_FIELD_DEVICE, "cpu");
  assay_values_set_integer (conditions, ASSAY_FIELD_CONTEXT_LENGTH, 512 << (i % 4));
  assay_values_set_integer (burden, ASSAY_FIELD_PEAK_RAM, 150000000 + g_rand_int_range (rand, 0, 1000000));
  assay_values_set_real (burden, ASSAY_FIELD_ELAPSED_SECONDS, 5 + g_rand_double (rand));
  assay_record_set_status (record, ASSAY_STATUS_COMPLETED);
  assay_record_set_parent (record, parent, parent != NULL ? "context_length" : NULL);
  assay_record_take_series (record, make_series (rand, n_samples));
  AssayOutput *output = assay_output_new ("q1");
  output->text = g_strdup ("Plants take in carbon dioxide from the air.");
  output->text_length = strlen (output->text);
  output->finish = g_strdup ("stop");
  g_ptr_array_add (assay_record_get_outputs (record), output);
  assay_record_seal (record);
  return record;
}

static void
report (const char *step, gint64 start_us)
{
  g_print ("%-28s %8.3f s\n", step, (g_get_monotonic_time () - start_us) / 1e6);
}

static void
check (gboolean fine, GError *error)
{
  if (fine)
    return;
  g_printerr ("bench-ledger: %s\n", error->message);
  exit (1);
}

int
main (int argc, char **argv)
{
  const guint n_runs = argc > 1 ? (guint) strtoul (argv[1], NULL, 10) : 5000;
  const guint n_samples = argc > 2 ? (guint) strtoul (argv[2], NULL, 10) : 100;
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("assay-bench-XXXXXX", &error);
  g_autofree char *path = g_build_filename (folder, "large" ASSAY_LEDGER_SUFFIX, NULL);

  g_autoptr (AssayLedger) ledger = assay_ledger_new (ASSAY_TASK_LANGUAGE, "A large ledger");
  g_autofree char *parent = NULL;
  for (guint i = 0; i < n_runs; i++)
    {
      g_autoptr (AssayRecord) record = make_run (rand, i, parent, n_samples);
      assay_ledger_add_run (ledger, record);
      g_free (parent);
      parent = g_strdup (assay_record_get_id (record));
    }
  g_print ("ledger of %u runs, %u samples each\n", n_runs, n_samples);

  gint64 start = g_get_monotonic_time ();
  check (assay_store_save (ledger, path, &error), error);
  report ("save", start);
  start = g_get_monotonic_time ();
  g_autoptr (AssayLedger) opened = assay_store_load (path, &error);
  check (opened != NULL, error);
  report ("open", start);
  start = g_get_monotonic_time ();
  for (guint i = 0; i < assay_ledger_get_n_runs (opened); i++)
    {
      AssayRecord *record = assay_ledger_get_run (opened, i);
      g_autoptr (AssayGates) gates = assay_gates_judge (opened, record);
      g_autofree char *peak = assay_values_dup_display (assay_record_get_burden (record), ASSAY_FIELD_PEAK_RAM);
      g_autofree char *time = assay_values_dup_display (assay_record_get_burden (record), ASSAY_FIELD_ELAPSED_SECONDS);
    }
  report ("judge every row", start);

  GStatBuf info;
  if (g_stat (path, &info) == 0)
    g_print ("%-28s %8.1f MB\n", "file", info.st_size / 1e6);
  g_autofree char *backup = g_strconcat (path, ".bak", NULL);
  g_unlink (path);
  g_unlink (backup);
  g_rmdir (folder);
  return 0;
}
