/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run that continues another one: what was planned, and what moved. */
#include "assay-child.h"
#include "judgment.h"

#define PARENT(...) judgment_run ("p", ASSAY_STATUS_COMPLETED, "model_id", "m", __VA_ARGS__, NULL)

static AssayRecord *
child_of (AssayRecord *child, const char *changed)
{
  assay_record_set_id (child, "c");
  assay_record_set_parent (child, "p", changed);
  return child;
}

#define CHILD(CHANGED, ...) child_of (PARENT (__VA_ARGS__), CHANGED)

static void
assert_verdict (AssayRecord *parent, AssayRecord *child, gboolean satisfied, const char *words)
{
  g_autoptr(AssayChildVerdict) verdict = assay_child_verdict (parent, child);
  g_assert_cmpstr (verdict->words, ==, words);
  g_assert_cmpint (verdict->satisfied, ==, satisfied);
  if (satisfied)
    g_assert_true (verdict->moved_as_planned && verdict->also->len == 0);
}

static void
test_generator_moved_along_with_offload (void)
{
  g_autoptr(AssayRecord) parent
      = PARENT ("device", "cuda:0", "offload_mode", "none", "generator_device", "cuda");
  g_autoptr(AssayRecord) child
      = CHILD ("offload_mode", "device", "cuda:0", "offload_mode", "model", "generator_device", "cpu");
  g_autoptr(AssayRecord) kept
      = CHILD ("offload_mode", "device", "cuda:0", "offload_mode", "model", "generator_device", "cuda");
  assert_verdict (parent, child, FALSE,
                  "offload_mode moved as planned (none → model); also moved: generator_device: cuda → cpu");
  assert_verdict (parent, kept, TRUE, "offload_mode moved as planned (none → model); nothing else moved");
  g_assert_null (assay_child_check (parent, child)); /* nobody chose it: it could not be refused before */
}

static void
test_the_plan_is_the_parents_where_the_child_names_none (void)
{
  g_autoptr(AssayRecord) parent = PARENT ("threads", "4", "context_length", "64");
  g_autoptr(AssayRecord) child = CHILD (NULL, "threads", "8", "context_length", "64");
  g_assert_null (assay_child_verdict (parent, child));
  AssayNextTrial *next = assay_next_trial_new ();
  g_free (next->axis);
  next->axis = g_strdup ("threads");
  assay_record_take_next_trial (parent, next);
  assert_verdict (parent, child, TRUE, "threads moved as planned (4 → 8); nothing else moved");
}

static void
test_a_plan_that_was_not_followed_is_told (void)
{
  g_autoptr(AssayRecord) parent = PARENT ("offload_mode", "none", "threads", "4");
  g_autoptr(AssayRecord) fell_back
      = CHILD ("offload_mode", "offload_mode", "group", "effective.offload_mode", "model", "threads", "4");
  g_autoptr(AssayRecord) stayed = CHILD ("offload_mode", "offload_mode", "none", "threads", "8");
  assert_verdict (parent, fell_back, FALSE,
                  "offload_mode did not move as planned: model instead of group; nothing else moved");
  assert_verdict (parent, stayed, FALSE,
                  "offload_mode did not move, though that was planned; also moved: threads: 4 → 8");
}

static void
test_sizes_are_told_with_units_unless_those_hide_the_change (void)
{
  g_autoptr(AssayRecord) parent = PARENT ("vram_budget", "209715200", "threads", "4");
  g_autoptr(AssayRecord) half = CHILD ("vram_budget", "vram_budget", "104857600", "threads", "4");
  g_autoptr(AssayRecord) next = CHILD ("vram_budget", "vram_budget", "209715201", "threads", "4");
  assert_verdict (parent, half, TRUE, "vram_budget moved as planned (200 MiB → 100 MiB); nothing else moved");
  assert_verdict (parent, next, TRUE, "vram_budget moved as planned (209715200 → 209715201); nothing else moved");
}

static void
test_what_follows_from_the_plan_does_not_count (void)
{
  g_autoptr(AssayRecord) parent
      = PARENT ("quantization", "Q8_0", "model_path", "/q8", "model_content_hash", "x", "matmul_kernel", "a");
  g_autoptr(AssayRecord) child = CHILD ("quantization", "quantization", "Q4_1", "model_path", "/q4",
                                         "model_content_hash", "y", "matmul_kernel", "b");
  assert_verdict (parent, child, TRUE, "quantization moved as planned (Q8_0 → Q4_1); nothing else moved");
  g_assert_null (assay_child_check (parent, child));
}

static void
test_the_environment_is_named_and_not_refused (void)
{
  g_autoptr(AssayRecord) parent
      = PARENT ("threads", "4", "driver", "580", "runtime_version", "1", "device_name", "A");
  g_autoptr(AssayRecord) child
      = CHILD ("threads", "threads", "8", "driver", "581", "runtime_version", "2", "device_name", "B");
  assert_verdict (parent, child, FALSE,
                  "threads moved as planned (4 → 8); also moved: runtime_version: 1 → 2, driver: 580 → 581, "
                  "device_name: A → B");
  g_assert_null (assay_child_check (parent, child));
}

/* A run that ended while loading never learnt which kernels it would have used. */
static void
test_silence_of_one_run_blames_nothing (void)
{
  g_autoptr(AssayRecord) parent
      = judgment_run ("p", ASSAY_STATUS_OOM_DEVICE, "model_id", "m", "offload_mode", "none", NULL);
  g_autoptr(AssayRecord) child = CHILD ("offload_mode", "offload_mode", "model", "attention_kernel", "flash",
                                         "model_content_hash", "x");
  assert_verdict (parent, child, TRUE,
                  "offload_mode moved as planned (none → model); nothing else moved; not known of both runs: "
                  "model_content_hash, attention_kernel");
}

static void
test_a_criterion_is_the_ledgers (void)
{
  g_autoptr(AssayRecord) parent = PARENT ("threads", "4");
  g_autoptr(AssayRecord) child = CHILD ("evaluation_criterion", "threads", "4");
  g_autoptr(AssayRecord) other = CHILD ("evaluation_criterion", "threads", "8");
  g_autoptr(AssayChildVerdict) kept = assay_child_verdict (parent, child);
  g_autoptr(AssayChildVerdict) broken = assay_child_verdict (parent, other);
  g_assert_true (kept->satisfied);
  g_assert_false (broken->satisfied);
}

/* Before the run */

static void
assert_refused (AssayRecord *parent, AssayRecord *child, const char *moved)
{
  g_autofree char *message = assay_child_check (parent, child);
  g_autofree char *wanted = g_strconcat ("this moved as well: ", moved, ". ", NULL);
  if (message == NULL || strstr (message, wanted) == NULL
      || strstr (message, assay_record_get_changed (child)) == NULL)
    g_error ("'%s' does not name %s", message != NULL ? message : "nothing", moved);
}

static void
test_two_changes_are_refused_and_named (void)
{
  g_autoptr(AssayRecord) parent
      = PARENT ("offload_mode", "none", "threads", "4", "device", "virtual", "system_prompt", "a");
  g_autoptr(AssayRecord) one
      = CHILD ("offload_mode", "offload_mode", "group", "threads", "4", "device", "virtual", "system_prompt",
               "a", "offload_granularity", "2", "prefetch", "true", "offload_api", "enable_group_offload");
  g_autoptr(AssayRecord) two = CHILD ("offload_mode", "offload_mode", "group", "threads", "8", "device",
                                       "virtual", "system_prompt", "a");
  g_autoptr(AssayRecord) three = CHILD ("offload_mode", "offload_mode", "group", "threads", "8", "device",
                                         "virtual", "system_prompt", "b");
  g_assert_null (assay_child_check (parent, one));
  assert_refused (parent, two, "threads: 4 → 8");
  assert_refused (parent, three, "threads: 4 → 8, system_prompt: a → b");
  g_autofree char *message = assay_child_check (parent, two);
  g_assert_cmpstr (
      message, ==,
      "one axis at a time: offload_mode is the planned change against run p, but this moved as well: "
      "threads: 4 → 8. Set it back, or run it as a trial of its own");
}

static void
test_another_file_under_the_same_name_is_refused (void)
{
  g_autoptr(AssayRecord) parent
      = PARENT ("threads", "4", "model_path", "/m", "model_metadata_sha256", "u", "model_content_hash", "x");
  g_autoptr(AssayRecord) early
      = CHILD ("threads", "threads", "8", "model_path", "/m", "model_metadata_sha256", "u");
  g_autoptr(AssayRecord) late = CHILD ("threads", "threads", "8", "model_path", "/m",
                                        "model_metadata_sha256", "u", "model_content_hash", "y");
  g_autoptr(AssayRecord) header
      = CHILD ("threads", "threads", "8", "model_path", "/m", "model_metadata_sha256", "v");
  g_autoptr(AssayRecord) converted
      = CHILD ("quantization", "quantization", "Q4_K", "threads", "4", "model_path", "/m",
               "model_metadata_sha256", "u", "model_content_hash", "y");
  g_assert_null (assay_child_check (parent, early)); /* the weights are not read yet */
  assert_refused (parent, late, "model_content_hash: x → y");
  assert_refused (parent, header, "model_metadata_sha256: u → v");
  assert_refused (parent, converted, "model_content_hash: x → y");
}

/* Nobody planned anything: what the files hold is fixed, what was chosen anew is a trial of its own. */
static void
test_a_repeat_holds_its_files_fixed (void)
{
  g_autoptr(AssayRecord) parent = PARENT ("model_path", "/m", "model_content_hash", "x", "threads", "4",
                                           "attached_components", "a.gguf", "attached_content_hash", "u");
  g_autoptr(AssayRecord) same = CHILD (NULL, "model_path", "/m", "model_content_hash", "x", "threads", "8",
                                        "attached_components", "a.gguf", "attached_content_hash", "u");
  g_autoptr(AssayRecord) replaced = CHILD (NULL, "model_path", "/m", "model_content_hash", "y", "threads", "4",
                                            "attached_components", "a.gguf", "attached_content_hash", "v");
  g_autofree char *message = assay_child_check (parent, replaced);
  g_assert_null (assay_child_check (parent, same));
  g_assert_cmpstr (message, ==,
                   "no change is planned against run p, but its files were replaced: model_content_hash: x → y, "
                   "attached_content_hash: u → v. Put the file back, or run it as a trial of its own");
}

static void
test_a_replaced_adapter_is_refused (void)
{
  g_autoptr(AssayRecord) parent
      = PARENT ("threads", "4", "attached_components", "a", "attached_content_hash", "u");
  g_autoptr(AssayRecord) replaced
      = CHILD ("threads", "threads", "8", "attached_components", "a", "attached_content_hash", "v");
  g_autoptr(AssayRecord) planned = CHILD ("attached_components", "threads", "4", "attached_components", "b",
                                           "attached_content_hash", "v");
  g_autoptr(AssayRecord) bare = CHILD ("attached_components", "threads", "4");
  assert_refused (parent, replaced, "attached_content_hash: u → v");
  g_assert_null (assay_child_check (parent, planned));
  g_assert_null (assay_child_check (parent, bare));
  assert_verdict (parent, planned, TRUE, "attached_components moved as planned (a → b); nothing else moved");
}

static void
test_another_name_is_no_other_model (void)
{
  g_autoptr(AssayRecord) parent = PARENT ("model_content_hash", "x", "model_metadata_sha256", "u");
  g_autoptr(AssayRecord) early = CHILD ("model_id", "model_revision", "2");
  g_autoptr(AssayRecord) renamed
      = CHILD ("model_revision", "model_revision", "2", "model_content_hash", "x", "model_metadata_sha256", "v");
  g_autoptr(AssayRecord) other
      = CHILD ("model_revision", "model_revision", "2", "model_content_hash", "y", "model_metadata_sha256", "v");
  g_autofree char *message = assay_child_check (parent, renamed);
  g_assert_null (assay_child_check (parent, early)); /* the weights are not read yet */
  g_assert_null (assay_child_check (parent, other));
  g_assert_cmpstr (message, ==,
                   "model_revision is the planned change against run p, but the model is the same by its content: "
                   "choose another file (model_path)");
}

static void
test_what_the_engine_will_choose_is_passed_over (void)
{
  g_autoptr(AssayRecord) parent
      = PARENT ("threads", "4", "temperature", "0.5", "seed", "-1", "effective.seed", "7", "chat_format",
                "auto", "effective.chat_format", "chatml", "effective.weight_access", "mapped");
  g_autoptr(AssayRecord) early
      = CHILD ("threads", "threads", "8", "temperature", "0.5", "seed", "-1", "chat_format", "auto");
  g_autoptr(AssayRecord) pinned = CHILD ("threads", "threads", "8", "temperature", "0.5", "seed", "7",
                                          "chat_format", "chatml", "weight_access", "mapped");
  g_autoptr(AssayRecord) drawn
      = CHILD ("threads", "threads", "8", "temperature", "0.5", "seed", "-1", "effective.seed", "8",
               "chat_format", "auto", "effective.chat_format", "chatml", "effective.weight_access", "mapped");
  g_assert_null (assay_child_check (parent, early));
  g_assert_null (assay_child_check (parent, pinned));
  assert_refused (parent, drawn, "seed: 7 → 8");
}

static void
test_a_request_taken_back_is_a_change (void)
{
  g_autoptr(AssayRecord) parent
      = PARENT ("threads", "4", "seed", "7", "temperature", "0.5", "system_prompt", "a");
  g_autoptr(AssayRecord) child = CHILD ("threads", "threads", "8", "temperature", "0.5", "seed", "7");
  g_autoptr(AssayRecord) unpinned
      = CHILD ("threads", "threads", "8", "temperature", "0.5", "seed", "-1", "system_prompt", "a");
  assert_refused (parent, child, "system_prompt: a → not set");
  assert_refused (parent, unpinned, "seed: 7 → -1");
}

/* An older release did not record how weights were reached; a prompt that it does not hold was empty. */
static void
test_an_older_parent_can_be_continued (void)
{
  g_autoptr(AssayRecord) parent
      = PARENT ("threads", "4", "kv_cache_type", "float32", "offload_mode", "none");
  g_autoptr(AssayRecord) child
      = CHILD ("threads", "threads", "8", "kv_cache_type", "float32", "offload_mode", "none", "weight_access",
               "mapped", "ram_budget", "0", "prefetch", "true", "v_cache_type", "float32");
  g_autoptr(AssayRecord) prompted = CHILD ("threads", "threads", "8", "kv_cache_type", "float32",
                                            "offload_mode", "none", "system_prompt", "b");
  g_assert_null (assay_child_check (parent, child));
  assert_refused (parent, prompted, "system_prompt: not set → b");
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
#define ADD(NAME, FUNC) g_test_add_func ("/ledger/child/" NAME, FUNC)
  ADD ("C73-generator-moved-along-with-offload", test_generator_moved_along_with_offload);
  ADD ("the-plan-is-the-parents-where-the-child-names-none",
       test_the_plan_is_the_parents_where_the_child_names_none);
  ADD ("a-plan-that-was-not-followed-is-told", test_a_plan_that_was_not_followed_is_told);
  ADD ("sizes-are-told-with-units-unless-those-hide-the-change",
       test_sizes_are_told_with_units_unless_those_hide_the_change);
  ADD ("what-follows-from-the-plan-does-not-count", test_what_follows_from_the_plan_does_not_count);
  ADD ("the-environment-is-named-and-not-refused", test_the_environment_is_named_and_not_refused);
  ADD ("silence-of-one-run-blames-nothing", test_silence_of_one_run_blames_nothing);
  ADD ("a-criterion-is-the-ledgers", test_a_criterion_is_the_ledgers);
  ADD ("two-changes-are-refused-and-named", test_two_changes_are_refused_and_named);
  ADD ("another-file-under-the-same-name-is-refused", test_another_file_under_the_same_name_is_refused);
  ADD ("a-repeat-holds-its-files-fixed", test_a_repeat_holds_its_files_fixed);
  ADD ("a-replaced-adapter-is-refused", test_a_replaced_adapter_is_refused);
  ADD ("another-name-is-no-other-model", test_another_name_is_no_other_model);
  ADD ("what-the-engine-will-choose-is-passed-over", test_what_the_engine_will_choose_is_passed_over);
  ADD ("a-request-taken-back-is-a-change", test_a_request_taken_back_is_a_change);
  ADD ("an-older-parent-can-be-continued", test_an_older_parent_can_be_continued);
#undef ADD
  return g_test_run ();
}
