/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A candidate chosen becomes a next_trial that moves one axis and holds the rest. */
#include "assay-advice.h"
#include "judgment.h"

static AssayAdvice *
oom_advice (AssayLedger *ledger)
{
  AssayRecord *record = judgment_add (
      ledger, judgment_run ("r", ASSAY_STATUS_OOM_HOST, "model_id", "m", "device", "cuda:0", "offload_mode",
                            "model", "quantization", "Q8_0", "context_length", "4096", NULL));
  return assay_advice_for (ledger, record);
}

static void
test_choice_without_a_signal_says_none (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  g_autoptr(GError) error = NULL;
  AssayRecord *run = judgment_run ("r", ASSAY_STATUS_COMPLETED, "model_id", "m", "device", "cpu", "offload_mode", "none",
                                   "quantization", "Q4_1", "compute_dtype", "int8", "question_set", "basic-12", NULL);
  judgment_review (run, "Ana", ASSAY_VERDICT_PASS);
  AssayRecord *record = judgment_add (ledger, run);
  g_autoptr(AssayAdvice) advice = assay_advice_for (ledger, record);
  g_autoptr(AssayNextTrial) next = assay_advice_choose (advice, 1, NULL, "see", &error);
  g_assert_no_error (error);
  g_assert_cmpstr (next->signal, ==, "none");
  g_assert_cmpstr (next->axis, ==, "compute_dtype");
  g_assert_false (g_strv_contains ((const char *const *) next->held, "compute_dtype"));
  assay_ledger_set_next_trial (ledger, "r", next, &error);
  g_assert_no_error (error);
}

static void
test_choice_is_a_next_trial_the_ledger_takes (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  g_autoptr(AssayAdvice) advice = oom_advice (ledger);
  g_autoptr(GError) error = NULL;
  g_autoptr(AssayNextTrial) next = assay_advice_choose (advice, 0, NULL, "try it", &error);
  g_assert_no_error (error);
  g_assert_cmpstr (next->signal, ==, "oom_host");
  g_assert_cmpstr (next->axis, ==, "quantization");
  g_assert_cmpstr (next->from, ==, "Q8_0");
  g_assert_cmpstr (next->to, ==, "Q6_K");
  g_assert_cmpstr (next->note, ==, "try it");
  g_assert_true (g_strv_contains ((const char *const *) next->held, "model_id"));
  assay_ledger_set_next_trial (ledger, "r", next, &error);
  g_assert_no_error (error);
}

static void
test_choice_of_the_model_does_not_hold_it (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  g_autoptr(AssayAdvice) advice = oom_advice (ledger);
  g_autoptr(GError) error = NULL;
  const guint last = advice->candidates->len - 1;
  g_assert_null (assay_advice_choose (advice, last, NULL, NULL, &error));
  g_assert_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_RULE);
  g_clear_error (&error);
  g_assert_null (assay_advice_choose (advice, last, "m", NULL, &error)); /* the model it is already */
  g_assert_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_RULE);
  g_clear_error (&error);
  g_autoptr(AssayNextTrial) next = assay_advice_choose (advice, last, "smaller", NULL, &error);
  g_assert_no_error (error);
  g_assert_false (g_strv_contains ((const char *const *) next->held, "model_id"));
  g_assert_true (g_strv_contains ((const char *const *) next->held, "context_length"));
}

static gboolean
foretell (const AssayValues *conditions, AssayPrediction *out, gpointer data, GError **error)
{
  *out = (AssayPrediction){ .peak_vram = 7, .peak_ram = 5, .link_bytes = -1, .seconds = 0.25, .fits = TRUE };
  return TRUE;
}

static void
test_choice_keeps_what_was_foretold_of_its_value (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  g_autoptr(GError) error = NULL;
  AssayRecord *record = judgment_add (
      ledger, judgment_run ("r", ASSAY_STATUS_COMPLETED, "model_id", "m", "device", "virtual", "offload_mode", "group",
                            "context_length", "4096", NULL));
  g_autoptr(AssayAdvice) advice = assay_advice_for (ledger, record);
  assay_advice_predict (advice, record, foretell, NULL);
  const AssayCandidate *candidate = advice->candidates->pdata[0];
  g_assert_nonnull (candidate->to);
  g_autoptr(AssayNextTrial) next = assay_advice_choose (advice, 0, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (next->predicted_peak_vram, ==, 7);
  g_assert_cmpint (next->predicted_peak_ram, ==, 5);
  g_assert_cmpint (next->predicted_ns, ==, 250000000);
  g_autoptr(AssayNextTrial) copy = assay_next_trial_copy (next);
  g_assert_cmpint (copy->predicted_ns, ==, 250000000);
  g_autoptr(AssayNextTrial) other
      = assay_advice_choose_field (advice, record, ASSAY_FIELD_SEED, "77", NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (other->predicted_peak_vram, ==, -1); /* nobody was asked about another value */
}

static void
test_choice_checks_value_and_number (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  g_autoptr(AssayAdvice) advice = oom_advice (ledger);
  g_autoptr(GError) error = NULL;
  g_assert_null (assay_advice_choose (advice, 99, NULL, NULL, &error));
  g_assert_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_RULE);
  g_clear_error (&error);
  g_assert_null (assay_advice_choose (advice, 2, "everything", NULL, &error)); /* offload_mode */
  g_assert_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_VALUE);
}

static void
test_any_condition_may_be_chosen (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  g_autoptr(GError) error = NULL;
  AssayRecord *run = judgment_run ("r", ASSAY_STATUS_LOAD_FAILED, "model_id", "m", "temperature", "0", NULL);
  AssayRecord *record = judgment_add (ledger, run);
  g_autoptr(AssayAdvice) advice = assay_advice_for (ledger, record);
  g_autoptr(AssayNextTrial) next
      = assay_advice_choose_field (advice, record, ASSAY_FIELD_TEMPERATURE, "0.5", "warmer", &error);
  g_assert_no_error (error);
  g_assert_cmpstr (next->signal, ==, "none");
  g_assert_cmpstr (next->from, ==, "0");
  g_assert_cmpstr (next->to, ==, "0.5");
  assay_ledger_set_next_trial (ledger, "r", next, &error);
  g_assert_no_error (error);
}

static void
test_no_condition_no_change_and_no_value_are_refused (void)
{
  static const struct { AssayFieldId field; const char *to; int code; } rows[] = {
    { ASSAY_FIELD_PEAK_RAM, "1", ASSAY_LEDGER_ERROR_RULE },     /* measured, not chosen */
    { ASSAY_FIELD_DRIVER, "1", ASSAY_LEDGER_ERROR_RULE },       /* recorded, not chosen */
    { ASSAY_FIELD_TEMPERATURE, "0", ASSAY_LEDGER_ERROR_RULE },  /* what it is */
    { ASSAY_FIELD_SEED, NULL, ASSAY_LEDGER_ERROR_RULE },        /* unset already */
    { ASSAY_FIELD_TEMPERATURE, "warm", ASSAY_LEDGER_ERROR_VALUE },
  };
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  AssayRecord *record
      = judgment_add (ledger, judgment_run ("r", ASSAY_STATUS_COMPLETED, "temperature", "0", NULL));
  g_autoptr(AssayAdvice) advice = assay_advice_for (ledger, record);
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr(GError) error = NULL;
      g_assert_null (assay_advice_choose_field (advice, record, rows[i].field, rows[i].to, NULL, &error));
      g_assert_error (error, ASSAY_LEDGER_ERROR, rows[i].code);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ledger/advice/choice-keeps-what-was-foretold-of-its-value",
                   test_choice_keeps_what_was_foretold_of_its_value);
  g_test_add_func ("/ledger/advice/choice-without-a-signal-says-none", test_choice_without_a_signal_says_none);
  g_test_add_func ("/ledger/advice/any-condition-may-be-chosen", test_any_condition_may_be_chosen);
  g_test_add_func ("/ledger/advice/no-condition-no-change-and-no-value-are-refused",
                   test_no_condition_no_change_and_no_value_are_refused);
  g_test_add_func ("/ledger/advice/choice-is-a-next-trial-the-ledger-takes",
                   test_choice_is_a_next_trial_the_ledger_takes);
  g_test_add_func ("/ledger/advice/choice-of-the-model-does-not-hold-it",
                   test_choice_of_the_model_does_not_hold_it);
  g_test_add_func ("/ledger/advice/choice-checks-value-and-number", test_choice_checks_value_and_number);
  return g_test_run ();
}
