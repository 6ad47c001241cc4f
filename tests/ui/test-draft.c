/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/ui/test-draft.c: the rules of the form, without a window: what a trial may be, what a child holds fixed, and
 * what is asked of the planner. */
#include "assay-attachments-editor.h"
#include "assay-draft-file.h"
#include "assay-draft.h"
#include "assay-forecaster.h"
#include "assay-idle-field.h"
#include "views-driver.h"

static AssayDraft *
draft_new (void)
{
  AssayDraft *draft = assay_draft_new (ASSAY_TASK_LANGUAGE);
  g_autoptr(AssayValues) from = assay_values_new ();

  assay_values_set_text (from, ASSAY_FIELD_MODEL_PATH, "/no/such/model.gguf");
  assay_values_set_text (from, ASSAY_FIELD_PROMPT, "Why?");
  assay_draft_start_baseline (draft, from);
  g_assert_null (assay_draft_get_problem (draft));
  return draft;
}

static void
set (AssayDraft *draft, const char *name, const char *text)
{
  assay_draft_set_typed (draft, assay_field_from_name (name), text);
}

static void
assert_value (AssayDraft *draft, const char *name, const char *expected)
{
  g_autofree char *text = assay_values_dup_text (assay_draft_get_values (draft), assay_field_from_name (name));
  g_assert_cmpstr (text, ==, expected);
}

static void
assert_choice (AssayDraft *draft, const char *name, const char *choice, const char *rule)
{
  g_autofree char *problem = assay_draft_dup_choice_problem (draft, assay_field_from_name (name), choice);

  if (rule == NULL)
    g_assert_null (problem);
  else
    g_assert_true (problem != NULL && strstr (problem, rule) != NULL);
}

static void
assert_idle (AssayDraft *draft, const char *name, const char *reason)
{
  const char *idle = assay_draft_get_idle_reason (draft, assay_field_from_name (name));

  if (reason == NULL)
    g_assert_null (idle);
  else
    g_assert_true (idle != NULL && strstr (idle, reason) != NULL);
}

/* A sealed run on the virtual device, offloading by groups, as the engine records one. */
static AssayRecord *
parent_new (const char *quantization)
{
  static const char *const rows[][2] = {
    { "model_path", "/no/such/model.gguf" }, { "model_id", "org/model" }, { "prompt", "Why?" }, { "device", "virtual" },
    { "runtime", "native" }, { "offload_mode", "group" }, { "offload_granularity", "1" }, { "prefetch", "true" },
    { "offload_api", "enable_group_offload" }, { "pipeline_moved_to_cuda", "false" }, { "device_map", "none" },
    { "attached_components", "none" }, { "kv_cache_type", "float16" }, { "v_cache_type", "float16" },
    { "compute_dtype", "int8" }, { "dtype", "float32" }, { "context_length", "2048" }, { "batch_size", "1" },
  };
  AssayRecord *record = assay_record_new ();

  assay_record_set_id (record, "20261130T071400Z-ba5e00");
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const AssayFieldId field = assay_field_from_name (rows[i][0]);
      g_assert_true (assay_values_parse (assay_record_get_conditions (record), field, rows[i][1], NULL));
      g_assert_true (assay_values_parse (assay_record_get_effective (record), field, rows[i][1], NULL));
    }
  assay_values_set_text (assay_record_get_effective (record), ASSAY_FIELD_QUANTIZATION, quantization);
  assay_values_set_text (assay_record_get_effective (record), ASSAY_FIELD_QUANTIZATION_METHOD, "gguf");
  assay_record_set_status (record, ASSAY_STATUS_COMPLETED);
  assay_record_seal (record);
  return record;
}

/* The subject's rules */

static void
test_offload_is_no_choice_on_cpu (void)
{
  g_autoptr(AssayDraft) draft = draft_new ();

  assert_value (draft, "device", "cpu");
  for (const char *const *mode = (const char *const[]) { "model", "group", "sequential", NULL }; *mode != NULL; mode++)
    assert_choice (draft, "offload_mode", *mode, "nowhere to offload to");
  assert_choice (draft, "offload_mode", "none", NULL);
  assert_idle (draft, "offload_mode", "nowhere to offload to");
  assert_idle (draft, "link_bandwidth", "no copy link");
  assert_idle (draft, "ram_budget", "bounds all memory");
  set (draft, "device", "virtual");
  assert_idle (draft, "offload_mode", NULL);
  assert_idle (draft, "link_bandwidth", NULL);
  assert_idle (draft, "ram_budget", NULL);
  assert_choice (draft, "offload_mode", "group", NULL);
}

static void
test_an_offload_mode_excludes_map_and_move (void)
{
  g_autoptr(AssayDraft) draft = draft_new ();

  set (draft, "device", "virtual");
  assert_choice (draft, "pipeline_moved_to_cuda", "true", NULL);
  set (draft, "offload_mode", "group");
  assert_choice (draft, "pipeline_moved_to_cuda", "true", "must not be moved");
  assert_idle (draft, "pipeline_moved_to_cuda", "never be moved");
  assert_idle (draft, "device_map", "one placement");
  assert_idle (draft, "offload_granularity", NULL);
  assert_choice (draft, "device", "cpu", "nowhere to offload to"); /* told of another field, broken by this choice */
  set (draft, "offload_mode", "none");
  set (draft, "device_map", "embedding=device, decoder=cpu, head=device");
  g_assert_null (assay_draft_get_problem (draft));
  assert_idle (draft, "offload_mode", "must be reset before");
  assert_choice (draft, "offload_mode", "model", "must be reset first");
}

static void
test_calls_are_derived_in_the_allowed_order (void)
{
  g_autoptr(AssayDraft) draft = draft_new ();

  set (draft, "device", "virtual");
  set (draft, "offload_mode", "sequential");
  set (draft, "attached_components", "/no/such/adapter.gguf@0.5");
  g_autofree char *calls = assay_draft_dup_calls (draft);
  g_assert_cmpstr (calls, ==, "attach, enable_sequential_cpu_offload");
  g_assert_true (assay_draft_is_derived (ASSAY_FIELD_OFFLOAD_API));
  g_assert_false (assay_draft_can_unlock (draft, ASSAY_FIELD_OFFLOAD_API));
  g_assert_null (assay_draft_get_problem (draft));
}

/* A broken value stays within reach: making its control insensitive would lock the person in. */
static void
test_a_value_that_breaks_a_rule_can_be_mended (void)
{
  g_autoptr(AssayDraft) draft = draft_new ();

  set (draft, "device", "virtual");
  set (draft, "pipeline_moved_to_cuda", "true");
  set (draft, "offload_mode", "model");
  g_assert_nonnull (assay_draft_get_problem (draft));
  assert_idle (draft, "pipeline_moved_to_cuda", NULL);
  g_assert_nonnull (assay_draft_get_error (draft, ASSAY_FIELD_PIPELINE_MOVED_TO_CUDA));
  set (draft, "pipeline_moved_to_cuda", "false");
  g_assert_null (assay_draft_get_problem (draft));
}

/* Children */

static void
test_a_child_holds_again_what_a_choice_set_free (void)
{
  g_autoptr(AssayDraft) draft = assay_draft_new (ASSAY_TASK_LANGUAGE);
  g_autoptr(AssayRecord) parent = parent_new ("Q4_1");

  assay_draft_continue (draft, parent, ASSAY_FIELD_OFFLOAD_MODE, "sequential");
  g_assert_null (assay_draft_get_problem (draft));
  assert_value (draft, "offload_api", NULL);
  set (draft, "offload_mode", "model");
  g_assert_null (assay_draft_get_problem (draft));
  set (draft, "offload_mode", "group");
  assert_value (draft, "offload_api", "enable_group_offload");
  g_assert_nonnull (strstr (assay_draft_get_problem (draft), "still has the parent's value"));
}

static void
test_a_child_changes_the_format_of_weights_alone (void)
{
  g_autoptr(AssayDraft) draft = assay_draft_new (ASSAY_TASK_LANGUAGE);
  g_autoptr(AssayRecord) parent = parent_new ("Q8_0");

  assay_draft_continue (draft, parent, ASSAY_FIELD_QUANTIZATION, "nf4");
  g_assert_null (assay_draft_get_problem (draft));
  assert_value (draft, "quantization", "nf4");
  assert_value (draft, "quantization_method", NULL); /* follows: bitsandbytes */
  assert_value (draft, "compute_dtype", "int8");     /* held */
  assay_draft_continue (draft, parent, ASSAY_FIELD_KV_CACHE_TYPE, "float32");
  g_assert_null (assay_draft_get_problem (draft));
  g_assert_cmpstr (assay_draft_get_changed (draft), ==, "kv_cache_type");
}

static void
test_a_baselines_numbers_follow_its_quantization (void)
{
  g_autoptr(AssayDraft) draft = draft_new ();

  set (draft, "quantization", "Q4_K");
  assert_value (draft, "quantization_method", "gguf");
  assert_value (draft, "compute_dtype", "int8");
  assert_idle (draft, "quantization_method", "only int8");
  set (draft, "quantization", "int8");
  assert_value (draft, "quantization_method", "bitsandbytes");
  assert_idle (draft, "quantization_method", NULL);
  set (draft, "quantization_method", "bitsandbytes-fp32-cpu");
  g_assert_null (assay_draft_get_problem (draft));
  set (draft, "quantization", "none");
  assert_value (draft, "quantization_method", "none");
  assert_value (draft, "compute_dtype", "float32");
  assert_idle (draft, "quantized_modules", "Counts only while");
  set (draft, "compute_dtype", "bfloat16");
  set (draft, "quantization", "nf4");
  assert_value (draft, "compute_dtype", "bfloat16"); /* a person's own choice stays */
}

/* The planner */

static char *
find_default_model (void)
{
  const char *named = g_getenv ("ASSAY_DEFAULT_MODEL");
  char *path = named != NULL ? g_strdup (named)
                             : g_build_filename (g_get_user_data_dir (), "assay", "models",
                                                 "SmolLM2-135M-Instruct.Q4_1.gguf", NULL);

  if (g_file_test (path, G_FILE_TEST_EXISTS))
    return path;
  g_free (path);
  return NULL;
}

static void
count_cb (AssayForecaster *forecaster, guint *n_answers)
{
  *n_answers += !assay_forecaster_is_pending (forecaster) && assay_forecaster_get_forecast (forecaster) != NULL;
}

static void
wait_for_answer (guint *n_answers)
{
  const guint before = *n_answers;

  while (*n_answers == before)
    g_main_context_iteration (NULL, TRUE);
}

static void
test_edits_that_come_together_are_one_question (void)
{
  g_autofree char *model = find_default_model ();
  guint n_answers = 0;

  if (model == NULL)
    {
      g_test_skip ("the default model is not on this machine");
      return;
    }
  g_autoptr(AssayDraft) draft = draft_new ();
  g_autoptr(AssayValues) from = assay_values_copy (assay_draft_get_values (draft));
  assay_values_set_text (from, ASSAY_FIELD_MODEL_PATH, model);
  assay_draft_start_baseline (draft, from);
  g_autoptr(AssayForecaster) forecaster = assay_forecaster_new (draft);
  g_signal_connect (forecaster, "changed", G_CALLBACK (count_cb), &n_answers);
  for (const char *const *n = (const char *const[]) { "256", "512", "1024", NULL }; *n != NULL; n++)
    set (draft, "context_length", *n);
  wait_for_answer (&n_answers);
  const guint64 of_1024 = assay_forecaster_get_forecast (forecaster)->host[ASSAY_MEMORY_KV_CACHE];
  set (draft, "context_length", "512");
  wait_for_answer (&n_answers);
  g_assert_cmpuint (n_answers, ==, 2);
  g_assert_cmpuint (assay_forecaster_get_forecast (forecaster)->host[ASSAY_MEMORY_KV_CACHE] * 2, ==, of_1024);
  set (draft, "context_length", "1048576"); /* beyond what the model was trained for: told beside the field */
  while (assay_forecaster_get_problem (forecaster) == NULL)
    g_main_context_iteration (NULL, TRUE);
  g_assert_nonnull (strstr (assay_draft_get_error (draft, ASSAY_FIELD_CONTEXT_LENGTH), "trained for"));
  g_assert_cmpstr (assay_draft_get_problem (draft), ==, assay_forecaster_get_problem (forecaster));
  set (draft, "context_length", "256");
  g_object_run_dispose (G_OBJECT (forecaster)); /* with a question due, and again with one under way */
  g_autoptr(AssayForecaster) other = assay_forecaster_new (draft);
  while (!assay_forecaster_is_pending (other))
    g_main_context_iteration (NULL, TRUE);
  g_clear_object (&other);
  for (guint i = 0; i < 50; i++)
    g_main_context_iteration (NULL, FALSE);
}

static void
test_what_was_foretold_stops_a_run_only_by_a_rule (void)
{
  g_autoptr(AssayDraft) draft = draft_new ();
  g_autoptr(AssayValues) from = assay_values_copy (assay_draft_get_values (draft));

  assay_draft_set_foretold_problem (draft, ASSAY_FIELD_THREADS, "no memory", FALSE);
  g_assert_cmpstr (assay_draft_get_error (draft, ASSAY_FIELD_THREADS), ==, "no memory");
  g_assert_null (assay_draft_get_problem (draft));
  assay_draft_set_foretold_problem (draft, ASSAY_FIELD_THREADS, "too many", TRUE);
  g_assert_cmpstr (assay_draft_get_error (draft, ASSAY_FIELD_THREADS), ==, "too many");
  g_assert_cmpstr (assay_draft_get_problem (draft), ==, "too many");
  set (draft, "context_length", "many"); /* told first: there is no value to run with */
  g_assert_true (assay_draft_has_wrong_text (draft, ASSAY_FIELD_INVALID));
  g_assert_cmpstr (assay_draft_get_problem (draft), !=, "too many");
  set (draft, "context_length", "512");
  g_assert_cmpstr (assay_draft_get_problem (draft), ==, "too many");
  assay_draft_set_foretold_problem (draft, ASSAY_FIELD_INVALID, NULL, FALSE);
  g_assert_null (assay_draft_get_problem (draft));
  assay_draft_set_foretold_problem (draft, ASSAY_FIELD_THREADS, "too many", TRUE);
  g_assert_cmpstr (assay_draft_get_problem (draft), ==, "too many");
  assay_draft_start_baseline (draft, from); /* it was told of other conditions */
  g_assert_null (assay_draft_get_problem (draft));
}

static void
test_every_broken_rule_is_told_at_once (void)
{
  g_autoptr(AssayDraft) draft = draft_new ();

  set (draft, "offload_mode", "group");
  set (draft, "batch_size", "65");
  set (draft, "temperature", "warm");
  g_auto(GStrv) lines = g_strsplit (assay_draft_get_problem (draft), "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), ==, 3);
  g_assert_nonnull (strstr (lines[0], "warm"));
  g_assert_nonnull (strstr (lines[1], "nowhere to offload to"));
  g_assert_nonnull (strstr (lines[2], "at most 64"));
  g_assert_cmpstr (assay_draft_get_error (draft, ASSAY_FIELD_OFFLOAD_MODE), ==, lines[1]);
  g_assert_cmpstr (assay_draft_get_error (draft, ASSAY_FIELD_BATCH_SIZE), ==, lines[2]);
}

static void
test_an_empty_form_tells_all_that_is_missing (void)
{
  g_autoptr(AssayDraft) draft = assay_draft_new (ASSAY_TASK_LANGUAGE);

  g_assert_cmpstr (assay_draft_get_problem (draft), ==,
                   "Choose a model file\nWrite a prompt, or choose a question set");
}

/* Another model */

/* A small model that was trained for so many tokens. */
static AssayInspection *
inspection_new (guint context_length)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *path
    = g_build_filename (g_getenv ("ASSAY_SOURCE_ROOT"), "tests", "data", "logits", "tiny-f32.gguf", NULL);
  AssayInspection *inspection = assay_inspect (path, TRUE, NULL, &error);

  g_assert_no_error (error);
  inspection->config.context_length = context_length;
  return inspection;
}

static void
choose (AssayDraft *draft, guint context_length)
{
  assay_draft_take_inspection (draft, inspection_new (context_length), FALSE);
}

static void
test_a_new_model_resets_what_nobody_entered (void)
{
  g_autoptr(AssayDraft) draft = draft_new ();

  choose (draft, 8192);
  assert_value (draft, "context_length", "4096");
  g_assert_null (assay_draft_get_note (draft, ASSAY_FIELD_CONTEXT_LENGTH));
  choose (draft, 2048);
  assert_value (draft, "context_length", "2048");
  g_assert_cmpstr (assay_draft_get_note (draft, ASSAY_FIELD_CONTEXT_LENGTH), ==,
                   "was 4096 tokens, this model has at most 2048");
  choose (draft, 8192);
  assert_value (draft, "context_length", "4096"); /* what this one would have been given at first */
  set (draft, "context_length", "1024");
  g_assert_null (assay_draft_get_note (draft, ASSAY_FIELD_CONTEXT_LENGTH));
}

static void
test_a_new_model_keeps_what_a_person_entered (void)
{
  g_autoptr(AssayDraft) draft = draft_new ();

  choose (draft, 8192);
  set (draft, "context_length", "6000");
  set (draft, "chat_format", "llama3");
  choose (draft, 2048);
  assert_value (draft, "context_length", "6000");
  assert_value (draft, "chat_format", "llama3");
  g_assert_nonnull (strstr (assay_draft_get_error (draft, ASSAY_FIELD_CONTEXT_LENGTH), "trained for 2048"));
  g_assert_nonnull (strstr (assay_draft_get_problem (draft), "trained for 2048"));
  choose (draft, 8192);
  g_assert_null (assay_draft_get_problem (draft));
}

static void
test_a_copy_of_a_run_follows_a_new_model (void)
{
  g_autoptr(AssayDraft) draft = draft_new ();
  g_autoptr(AssayValues) from = assay_values_copy (assay_draft_get_values (draft));

  assay_values_set_integer (from, ASSAY_FIELD_CONTEXT_LENGTH, 1000);
  assay_values_set_text (from, ASSAY_FIELD_CHAT_FORMAT, "chatml");
  assay_draft_start_baseline (draft, from);
  choose (draft, 2048);
  assert_value (draft, "context_length", "1000"); /* it can stay */
  assert_value (draft, "chat_format", "auto");
  g_assert_cmpstr (assay_draft_get_note (draft, ASSAY_FIELD_CHAT_FORMAT), ==, "was chatml, set anew for this model");
}

/* The list of attached components */

static gboolean
is_named_entry (GtkWidget *widget, const char *text)
{
  return GTK_IS_ENTRY (widget) && g_strcmp0 (gtk_editable_get_text (GTK_EDITABLE (widget)), text) == 0;
}

static void
test_attached_components_keep_the_records_form (void)
{
  if (views_no_display ())
    return;
  g_autoptr(AssayDraft) draft = draft_new ();
  GtkWidget *window = gtk_window_new (), *editor = assay_attachments_editor_new (draft);

  gtk_window_set_child (GTK_WINDOW (window), editor);
  gtk_window_present (GTK_WINDOW (window));
  assay_attachments_editor_add (ASSAY_ATTACHMENTS_EDITOR (editor), "/models/tone.gguf");
  assay_attachments_editor_add (ASSAY_ATTACHMENTS_EDITOR (editor), "/models/peft");
  assert_value (draft, "attached_components", "/models/tone.gguf\n/models/peft");
  gtk_editable_set_text (GTK_EDITABLE (views_find (editor, is_named_entry, "1")), "0,75");
  assert_value (draft, "attached_components", "/models/tone.gguf@0.75\n/models/peft");
  gtk_editable_set_text (GTK_EDITABLE (views_find (editor, is_named_entry, "0,75")), "much"); /* no number: it cannot be run */
  g_assert_nonnull (strstr (assay_draft_get_problem (draft), "The scale of tone.gguf must be a number from -100 to 100"));
  g_assert_nonnull (assay_draft_get_error (draft, ASSAY_FIELD_ATTACHED_COMPONENTS));
  gtk_editable_set_text (GTK_EDITABLE (views_find (editor, is_named_entry, "1")), "2"); /* of the other one */
  g_assert_nonnull (assay_draft_get_problem (draft));
  gtk_editable_set_text (GTK_EDITABLE (views_find (editor, is_named_entry, "much")), "101");
  g_assert_nonnull (assay_draft_get_problem (draft));
  gtk_editable_set_text (GTK_EDITABLE (views_find (editor, is_named_entry, "101")), "-100");
  g_assert_null (assay_draft_get_problem (draft));
  assert_value (draft, "attached_components", "/models/tone.gguf@-100\n/models/peft@2");
  set (draft, "attached_components", "/models/a@b.gguf@2");
  views_settle ();
  g_assert_nonnull (views_find (editor, is_named_entry, "2"));
  gtk_editable_set_text (GTK_EDITABLE (views_find (editor, is_named_entry, "2")), "1");
  assert_value (draft, "attached_components", "/models/a@b.gguf@1"); /* the path has an @ of its own */
  gtk_window_destroy (GTK_WINDOW (window));
}

/* A program of a person's own as the runtime */

static void
test_a_process_is_chosen_and_left_with_its_program (void)
{
  g_autoptr(AssayDraft) draft = draft_new ();

  assert_idle (draft, "program", "only while the runtime is process");
  assert_choice (draft, "runtime", "process", NULL); /* its program is asked for afterwards */
  set (draft, "runtime", "process");
  g_assert_nonnull (strstr (assay_draft_get_problem (draft), "program is empty"));
  g_assert_nonnull (assay_draft_get_error (draft, ASSAY_FIELD_PROGRAM));
  assert_idle (draft, "offload_mode", NULL);
  set (draft, "program", "python3");
  g_assert_nonnull (strstr (assay_draft_get_problem (draft), "whole path"));
  set (draft, "program", "/usr/bin/python3");
  set (draft, "recipe", "transformers");
  g_assert_null (assay_draft_get_problem (draft));
  g_assert_true (assay_draft_is_typed (draft, ASSAY_FIELD_MODEL_ID));
  assert_choice (draft, "runtime", "native", NULL);
  set (draft, "runtime", "native");
  assert_value (draft, "program", NULL);
  assert_value (draft, "recipe", NULL);
  g_assert_null (assay_draft_get_problem (draft));
  g_assert_false (assay_draft_is_typed (draft, ASSAY_FIELD_MODEL_ID));
}

static void
test_a_childs_runtime_opens_with_its_program (void)
{
  g_autoptr(AssayDraft) draft = draft_new ();
  g_autoptr(AssayRecord) parent = parent_new ("Q4_1");

  assay_draft_continue (draft, parent, ASSAY_FIELD_RUNTIME, NULL);
  g_assert_false (assay_draft_is_open (draft, ASSAY_FIELD_PROGRAM));
  set (draft, "runtime", "process");
  g_assert_true (assay_draft_is_open (draft, ASSAY_FIELD_PROGRAM));
  g_assert_false (assay_draft_is_open (draft, ASSAY_FIELD_DEVICE));
  set (draft, "program", "/usr/bin/python3");
  assert_value (draft, "runtime", "process");
  assay_draft_move_lock (draft, ASSAY_FIELD_CONTEXT_LENGTH);
  assert_value (draft, "runtime", "native");
  assert_value (draft, "program", NULL);
}

/* Drafts on disk */

static void
test_a_draft_is_read_as_it_was_written (void)
{
  g_autoptr(AssayValues) values = assay_values_new ();
  g_autoptr(GError) error = NULL;

  assay_values_set_text (values, ASSAY_FIELD_PROMPT, "  Two\nlines; \"quoted\", 한국어 and \377");
  assay_values_set_integer (values, ASSAY_FIELD_VRAM_BUDGET, G_GINT64_CONSTANT (4294967296));
  const AssayDraftFile written = { values, (char *) "20261130T071400Z-ba5e00", ASSAY_FIELD_PROMPT, (char *) "", 0 };
  g_autofree char *text = assay_draft_file_dup_text (&written);
  g_autoptr(AssayDraftFile) read = assay_draft_file_parse (text, strlen (text), &error);
  g_assert_no_error (error);
  g_assert_true (assay_values_equal (read->values, values));
  g_assert_cmpstr (read->parent, ==, written.parent);
  g_assert_cmpuint (read->open, ==, ASSAY_FIELD_PROMPT);
  g_assert_cmpstr (read->questions, ==, "");
}

static void
test_a_foreign_draft_does_no_harm (void)
{
  static const char strange[] = "[draft]\nparent=x\nopen=no_such_field\n[values]\nvram_budget=-5\nstatus=completed\n"
                                "device=cpu\nno_such=1\n";
  g_autoptr(GError) error = NULL;
  g_autoptr(AssayDraftFile) read = assay_draft_file_parse (strange, strlen (strange), &error);

  g_assert_no_error (error);
  g_assert_null (read->parent);
  g_assert_cmpstr (assay_values_get_text (read->values, ASSAY_FIELD_DEVICE), ==, "cpu");
  g_assert_cmpint (assay_values_get_state (read->values, ASSAY_FIELD_VRAM_BUDGET), ==, ASSAY_VALUE_UNSET);
  g_assert_cmpint (assay_values_get_state (read->values, ASSAY_FIELD_STATUS), ==, ASSAY_VALUE_UNSET);
  g_assert_null (assay_draft_file_parse ("\1\2", 2, &error));
  g_assert_nonnull (error);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  if (gtk_init_check ())
    adw_init ();
  g_test_add_func ("/ui/draft/offload-is-no-choice-on-cpu", test_offload_is_no_choice_on_cpu);
  g_test_add_func ("/ui/draft/an-offload-mode-excludes-map-and-move", test_an_offload_mode_excludes_map_and_move);
  g_test_add_func ("/ui/draft/calls-are-derived-in-the-allowed-order", test_calls_are_derived_in_the_allowed_order);
  g_test_add_func ("/ui/draft/a-value-that-breaks-a-rule-can-be-mended", test_a_value_that_breaks_a_rule_can_be_mended);
  g_test_add_func ("/ui/draft/a-child-holds-again-what-a-choice-set-free", test_a_child_holds_again_what_a_choice_set_free);
  g_test_add_func ("/ui/draft/a-child-changes-the-format-of-weights-alone",
                   test_a_child_changes_the_format_of_weights_alone);
  g_test_add_func ("/ui/draft/a-baselines-numbers-follow-its-quantization",
                   test_a_baselines_numbers_follow_its_quantization);
  g_test_add_func ("/ui/draft/what-was-foretold-stops-a-run-only-by-a-rule",
                   test_what_was_foretold_stops_a_run_only_by_a_rule);
  g_test_add_func ("/ui/draft/every-broken-rule-is-told-at-once", test_every_broken_rule_is_told_at_once);
  g_test_add_func ("/ui/draft/an-empty-form-tells-all-that-is-missing", test_an_empty_form_tells_all_that_is_missing);
  g_test_add_func ("/ui/draft/a-new-model-resets-what-nobody-entered", test_a_new_model_resets_what_nobody_entered);
  g_test_add_func ("/ui/draft/a-new-model-keeps-what-a-person-entered", test_a_new_model_keeps_what_a_person_entered);
  g_test_add_func ("/ui/draft/a-copy-of-a-run-follows-a-new-model", test_a_copy_of_a_run_follows_a_new_model);
  g_test_add_func ("/ui/draft/edits-that-come-together-are-one-question", test_edits_that_come_together_are_one_question);
  g_test_add_func ("/ui/draft/a-process-is-chosen-and-left-with-its-program",
                   test_a_process_is_chosen_and_left_with_its_program);
  g_test_add_func ("/ui/draft/a-childs-runtime-opens-with-its-program", test_a_childs_runtime_opens_with_its_program);
  g_test_add_func ("/ui/draft/a-draft-is-read-as-it-was-written", test_a_draft_is_read_as_it_was_written);
  g_test_add_func ("/ui/draft/a-foreign-draft-does-no-harm", test_a_foreign_draft_does_no_harm);
  g_test_add_func ("/ui/draft/attached-components-keep-the-records-form",
                   test_attached_components_keep_the_records_form);
  return g_test_run ();
}
