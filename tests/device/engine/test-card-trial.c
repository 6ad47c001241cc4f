/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/engine/test-card-trial.c: whole trials on the emulated card: what is recorded, and what is left when one
 * is stopped, runs out of memory, or loses its card. */
#include "card-fixture.h"
#include "card-skip.h"
#include "trial-fixture.h"

#include <string.h>

#define CUDA_MEMORY_ALLOCATION 2
#define CUDA_ILLEGAL_ADDRESS 700

static AssayValues *
card_conditions (AssayFieldId field, const char *value)
{
  AssayValues *conditions = trial_fixture_conditions_with ("tiny-f32.gguf", ASSAY_FIELD_DEVICE, "cuda:0");
  if (value != NULL)
    g_assert_true (assay_values_parse (conditions, field, value, NULL));
  return conditions;
}

static void
assert_cpu_still_works (void)
{
  g_autoptr (AssayRecord) record = trial_fixture_run (trial_fixture_conditions ("tiny-f32.gguf"), NULL);
  trial_fixture_assert_status (record, ASSAY_STATUS_COMPLETED);
}

static const char *
effective (AssayRecord *record, AssayFieldId field)
{
  return assay_values_get_text (assay_record_get_effective (record), field);
}

/* --- what is recorded --- */

static void
test_record (void)
{
  static const AssayFieldId unknown[] = { ASSAY_FIELD_PEAK_VRAM_PROCESS, ASSAY_FIELD_PEAK_VRAM_DEVICE,
                                          ASSAY_FIELD_VRAM_BASELINE };
  card_fixture_start (NULL);
  g_autoptr (AssayRecord) on_cpu = trial_fixture_run (trial_fixture_conditions ("tiny-f32.gguf"), NULL);
  g_autoptr (AssayRecord) record
    = trial_fixture_run (card_conditions (ASSAY_FIELD_OFFLOAD_MODE, "sequential"), NULL);
  trial_fixture_assert_status (record, ASSAY_STATUS_COMPLETED);
  g_assert_cmpstr (trial_fixture_output (record, 0)->text, ==, trial_fixture_output (on_cpu, 0)->text);
  g_assert_cmpint (trial_fixture_burden (record, ASSAY_FIELD_PEAK_VRAM), ==,
                   trial_fixture_burden (record, ASSAY_FIELD_PREDICTED_PEAK_VRAM));
  g_assert_cmpint (trial_fixture_burden (record, ASSAY_FIELD_PEAK_RAM_ENGINE), ==,
                   trial_fixture_burden (record, ASSAY_FIELD_PREDICTED_PEAK_RAM));
  g_assert_cmpint (trial_fixture_burden (record, ASSAY_FIELD_LINK_BYTES), >, 0);
  g_assert_cmpstr (effective (record, ASSAY_FIELD_GENERATOR_DEVICE), ==, "cuda:0");
  g_assert_true (g_str_has_prefix (effective (record, ASSAY_FIELD_DRIVER), "CUDA "));
  g_assert_true (g_str_has_prefix (effective (record, ASSAY_FIELD_MATMUL_KERNEL), "cuda sm_"));
  /* the driver's library is not there: unknown, and not 0 */
  for (guint i = 0; i < G_N_ELEMENTS (unknown) && !assay_emulation_is_real (); i++)
    g_assert_cmpint (assay_values_get_state (assay_record_get_burden (record), unknown[i]), ==, ASSAY_VALUE_UNKNOWN);
  card_fixture_assert_clean ();
}

/* --- ends --- */

static void
test_no_card (void)
{
  if (card_skip ("a real card is there"))
    return;
  card_fixture_start (&(AssayEmulationOptions) { .no_driver = true });
  g_autoptr (AssayRecord) record = trial_fixture_run (card_conditions (0, NULL), NULL);
  g_assert_cmpint (assay_record_get_status (record), !=, ASSAY_STATUS_COMPLETED);
  const char *message = trial_fixture_outcome (record, ASSAY_FIELD_ERROR);
  g_assert_nonnull (strstr (message, "cuda:0 cannot be used: no driver;"));
  g_assert_nonnull (strstr (message, "choose 'cpu' or 'virtual'"));
  assert_cpu_still_works ();
}

static void
test_out_of_memory (void)
{
  static const struct { const char *context; gsize card_bytes; } rows[] = {
    { "64", 8u << 20 },                 /* not even what the backend takes first */
    { "64", (8u << 20) + (64u << 10) }, /* not the weights */
    { "128", (8u << 20) + (300u << 10) },
  };
  if (card_skip (CARD_NO_SIZES))
    return;
  guint n_refused = 0;
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      card_fixture_start (&(AssayEmulationOptions) { .budget_bytes = rows[i].card_bytes });
      g_autoptr (AssayRecord) record
        = trial_fixture_run (card_conditions (ASSAY_FIELD_CONTEXT_LENGTH, rows[i].context), NULL);
      if (assay_record_get_status (record) != ASSAY_STATUS_COMPLETED)
        n_refused++;
      card_fixture_assert_clean ();
    }
  g_assert_cmpuint (n_refused, >=, 2);
  assert_cpu_still_works ();
}

static void
test_budget (void)
{
  card_fixture_start (NULL);
  g_autoptr (AssayRecord) record = trial_fixture_run (card_conditions (ASSAY_FIELD_VRAM_BUDGET, "1048576"), NULL);
  trial_fixture_assert_status (record, ASSAY_STATUS_OOM_DEVICE);
  g_assert_nonnull (strstr (trial_fixture_outcome (record, ASSAY_FIELD_ERROR), "vram_budget"));
  card_fixture_assert_clean ();
}

static gboolean
stop_now (gpointer trial)
{
  assay_trial_cancel (trial);
  return G_SOURCE_REMOVE;
}

static void
on_phase (AssayTrial *trial, GParamSpec *pspec, gpointer phase)
{
  if (g_str_equal (assay_trial_get_phase (trial), phase))
    stop_now (trial);
}

static void
test_cancel (gconstpointer phase)
{
  card_fixture_start (NULL);
  g_autoptr (TrialWatch) watch = trial_watch_new (card_conditions (ASSAY_FIELD_MAX_TOKENS, "40"), NULL, NULL);
  g_signal_connect (watch->trial, "notify::phase", G_CALLBACK (on_phase), (gpointer) phase);
  trial_watch_run (watch);
  g_assert_true (assay_record_get_status (watch->record) == ASSAY_STATUS_CANCELLED
                 || assay_record_get_status (watch->record) == ASSAY_STATUS_COMPLETED); /* it may have been done */
  card_fixture_assert_clean ();
}

/* At every tenth call, the card is gone for good. */
static void
test_sticky (void)
{
  if (card_skip (CARD_NO_FAILURES))
    return;
  guint64 n_calls;
  guint n_lost = 0;
  card_fixture_start (NULL);
  g_autoptr (AssayRecord) whole = trial_fixture_run (card_conditions (0, NULL), NULL);
  trial_fixture_assert_status (whole, ASSAY_STATUS_COMPLETED);
  n_calls = assay_emulation_get_n_calls (NULL);
  for (guint64 n = 1; n <= n_calls; n += 1 + n_calls / 12)
    {
      card_fixture_start (NULL);
      assay_emulation_fail_call (NULL, n, CUDA_ILLEGAL_ADDRESS, true);
      g_autoptr (AssayRecord) record = trial_fixture_run (card_conditions (0, NULL), NULL);
      if (assay_record_get_status (record) == ASSAY_STATUS_COMPLETED)
        continue;
      const char *message = trial_fixture_outcome (record, ASSAY_FIELD_ERROR);
      g_assert_true (message != NULL && *message != '\0');
      n_lost++;
    }
  g_assert_cmpuint (n_lost, >, 5);
  assert_cpu_still_works ();
}

int
main (int argc, char **argv)
{
  static const char *const phases[] = { "load", "prompt", "generate" };
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/device/trial/a-record-tells-card-driver-and-figures", test_record);
  g_test_add_func ("/device/trial/no-card-is-said", test_no_card);
  g_test_add_func ("/device/trial/too-small-a-card", test_out_of_memory);
  g_test_add_func ("/device/trial/too-small-a-budget", test_budget);
  for (guint i = 0; i < G_N_ELEMENTS (phases); i++)
    {
      g_autofree char *path = g_strconcat ("/device/trial/cancelled-in-", phases[i], NULL);
      g_test_add_data_func (path, phases[i], test_cancel);
    }
  g_test_add_func ("/device/trial/a-lost-card-leaves-the-processor-working", test_sticky);
  return g_test_run ();
}
