/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long it takes to foretell a 32-layer model of 8B shape, of which only the metadata is there: inspecting, and then
 * each forecast, by offload mode. */
#include <glib/gstdio.h>

#include "assay-forecast.h"
#include "tiny-model.h"

#define ROUNDS 15

static double
median_ms (gint64 *us)
{
  for (guint i = 1; i < ROUNDS; i++)
    for (guint k = i; k > 0 && us[k - 1] > us[k]; k--)
      {
        const gint64 swap = us[k];
        us[k] = us[k - 1];
        us[k - 1] = swap;
      }
  return us[ROUNDS / 2] / 1000.0;
}

static AssayValues *
bench_conditions (const char *path, const char *mode)
{
  const struct { AssayFieldId field; const char *value; } set[] = {
    { ASSAY_FIELD_MODEL_PATH, path }, { ASSAY_FIELD_DEVICE, "virtual" },     { ASSAY_FIELD_OFFLOAD_MODE, mode },
    { ASSAY_FIELD_PROMPT, "weigh" },  { ASSAY_FIELD_CONTEXT_LENGTH, "8192" }, { ASSAY_FIELD_LINK_BANDWIDTH, "24000000000" },
  };
  AssayValues *conditions = assay_values_new ();
  for (guint i = 0; i < G_N_ELEMENTS (set); i++)
    g_assert_true (assay_values_parse (conditions, set[i].field, set[i].value, NULL));
  return conditions;
}

static void
bench_mode (const AssayInspection *inspection, const char *path, const char *mode)
{
  gint64 us[ROUNDS];
  g_autoptr (AssayValues) conditions = bench_conditions (path, mode);
  guint64 peak = 0;
  for (guint i = 0; i < ROUNDS; i++)
    {
      g_autoptr (GError) error = NULL;
      const gint64 start = g_get_monotonic_time ();
      g_autoptr (AssayForecast) forecast = assay_forecast_new (conditions, inspection, NULL, &error);
      us[i] = g_get_monotonic_time () - start;
      g_assert_no_error (error);
      peak = forecast->peak_device;
    }
  g_print ("  %-12s %8.2f ms   %7.2f GiB\n", mode, median_ms (us), peak / (1024.0 * 1024 * 1024));
}

int
main (void)
{
  static const char *const modes[] = { "none", "model", "group", "sequential" };
  const TinyModel shape = { .n_layers = 32, .n_embd = 4096, .n_ff = 14336, .n_heads = 32, .n_kv_heads = 8,
                            .context_length = 131072, .matrices = ASSAY_DTYPE_Q4_K, .embedding = ASSAY_DTYPE_Q4_K,
                            .tokenizer = TINY_GPT2, .own_output = TRUE, .sparse = TRUE };
  g_autofree char *folder = g_dir_make_tmp ("assay-bench-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "8b.gguf", NULL);
  g_autoptr (GError) error = NULL;
  tiny_model_save (&shape, path);
  g_autoptr (AssayInspection) inspection = assay_inspect (path, FALSE, NULL, &error);
  g_assert_no_error (error);
  g_print ("forecasts of a 32-layer 8B shape from metadata (median of %d; the limit is 50 ms)\n", ROUNDS);
  for (guint i = 0; i < G_N_ELEMENTS (modes); i++)
    bench_mode (inspection, path, modes[i]);
  g_unlink (path);
  g_rmdir (folder);
  return 0;
}
