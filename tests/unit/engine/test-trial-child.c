/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs that continue another one: a file that was replaced under its name is seen by what it holds. */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

#include "tiny-model.h"
#include "trial-fixture.h"

enum { WIDTH = 32, RANK = 2 };

static char *folder, *model, *adapter;

/* As before to anyone who looks at name, size and time. */
static void
keep_time (const char *path, const GStatBuf *before)
{
  GStatBuf after;
  const struct timespec times[2] = { before->st_atim, before->st_mtim };
  g_assert_cmpint (utimensat (AT_FDCWD, path, times, 0), ==, 0);
  g_assert_cmpint (g_stat (path, &after), ==, 0);
  g_assert_cmpint (after.st_size, ==, before->st_size);
}

static void
save_model (guint32 seed)
{
  tiny_model_save (&(TinyModel){ .tokenizer = TINY_GPT2, .seed = seed }, model);
}

static void
save_adapter (float alpha, float value)
{
  float data[WIDTH * RANK];
  for (guint i = 0; i < G_N_ELEMENTS (data); i++)
    data[i] = value * (float) (i % 7);
  g_autoptr (GgufWriter) w = gguf_writer_new ();
  gguf_writer_set_string (w, "general.architecture", "llama");
  gguf_writer_set_string (w, "general.type", "adapter");
  gguf_writer_set_string (w, "adapter.type", "lora");
  gguf_writer_set_f32 (w, "adapter.lora.alpha", alpha);
  gguf_writer_add_tensor (w, "blk.0.attn_q.weight.lora_a", 2, (const guint64[]){ WIDTH, RANK },
                          ASSAY_DTYPE_F32, data);
  gguf_writer_add_tensor (w, "blk.0.attn_q.weight.lora_b", 2, (const guint64[]){ RANK, WIDTH },
                          ASSAY_DTYPE_F32, data);
  gguf_writer_save (w, adapter);
}

static AssayValues *
attached_conditions (const char *scale)
{
  g_autofree char *entry = g_strconcat (adapter, scale, NULL);
  return trial_fixture_conditions_with (model, ASSAY_FIELD_ATTACHED_COMPONENTS, entry);
}

/* Takes the conditions. */
static AssayRecord *
run_child (AssayRecord *parent, AssayValues *conditions, const char *changed)
{
  g_autoptr (AssayValues) taken = conditions;
  g_autoptr (AssayTrial) trial = assay_trial_new (taken, NULL, assay_record_get_id (parent), changed);
  assay_trial_set_parent (trial, parent);
  assay_trial_start (trial);
  while (assay_trial_get_record (trial) == NULL)
    g_main_context_iteration (NULL, TRUE);
  return g_object_ref (assay_trial_get_record (trial));
}

static void
assert_refused (AssayRecord *child, const char *word)
{
  trial_fixture_assert_status (child, ASSAY_STATUS_INVALID);
  g_assert_cmpstr (trial_fixture_outcome (child, ASSAY_FIELD_ERROR_CODE), ==, "not-one-axis");
  g_assert_nonnull (strstr (trial_fixture_outcome (child, ASSAY_FIELD_ERROR), word));
}

static const char *
attached_hash (AssayRecord *record)
{
  return assay_values_get_text (assay_record_get_effective (record), ASSAY_FIELD_ATTACHED_CONTENT_HASH);
}

static AssayRecord *
run_parent (void)
{
  save_model (1);
  save_adapter (4, 0.01f);
  AssayRecord *parent = trial_fixture_run (attached_conditions (""), NULL);
  trial_fixture_assert_status (parent, ASSAY_STATUS_COMPLETED);
  g_assert_true (g_str_has_prefix (attached_hash (parent), "sha256:"));
  return parent;
}

static AssayValues *
fewer_tokens (void)
{
  AssayValues *conditions = attached_conditions ("");
  assay_values_set_integer (conditions, ASSAY_FIELD_MAX_TOKENS, 6);
  return conditions;
}

static void
test_an_adapter_replaced_in_place_is_noticed (void)
{
  static const struct
  {
    float alpha, value;
  } others[] = { { 4, 0.02f }, { 8, 0.01f } };
  g_autoptr (AssayRecord) parent = run_parent ();
  GStatBuf before;
  g_assert_cmpint (g_stat (adapter, &before), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    {
      save_adapter (others[i].alpha, others[i].value);
      keep_time (adapter, &before);
      g_autoptr (AssayRecord) child = run_child (parent, fewer_tokens (), "max_tokens");
      g_autoptr (AssayRecord) repeat = run_child (parent, attached_conditions (""), NULL);
      assert_refused (child, "attached_content_hash");
      assert_refused (child, "max_tokens");
      assert_refused (repeat, "attached_content_hash");
    }
}

static void
test_the_same_adapter_is_the_same (void)
{
  g_autoptr (AssayRecord) parent = run_parent ();
  g_autoptr (AssayRecord) child = run_child (parent, fewer_tokens (), "max_tokens");
  trial_fixture_assert_status (child, ASSAY_STATUS_COMPLETED);
  g_assert_cmpstr (attached_hash (parent), ==, attached_hash (child));
}

static void
test_other_parts_by_plan_are_no_second_change (void)
{
  g_autoptr (AssayRecord) parent = run_parent ();
  g_autoptr (AssayRecord) weaker = run_child (parent, attached_conditions ("@0.5"), "attached_components");
  g_autoptr (AssayRecord) without
      = run_child (parent, trial_fixture_conditions (model), "attached_components");
  trial_fixture_assert_status (weaker, ASSAY_STATUS_COMPLETED);
  trial_fixture_assert_status (without, ASSAY_STATUS_COMPLETED);
  g_assert_cmpstr (attached_hash (parent), !=, attached_hash (weaker));
  g_assert_null (attached_hash (without));
}

static void
test_a_repeat_holds_the_model_fixed (void)
{
  GStatBuf before;
  save_model (1);
  g_assert_cmpint (g_stat (model, &before), ==, 0);
  g_autoptr (AssayRecord) parent = trial_fixture_run (trial_fixture_conditions (model), NULL);
  g_autoptr (AssayRecord) repeat = run_child (parent, trial_fixture_conditions (model), NULL);
  trial_fixture_assert_status (repeat, ASSAY_STATUS_COMPLETED);
  save_model (2);
  keep_time (model, &before);
  g_autoptr (AssayRecord) replaced = run_child (parent, trial_fixture_conditions (model), NULL);
  assert_refused (replaced, "model_content_hash");
}

/* The name in effect is the file's, whatever a person calls it. */
static void
test_another_name_is_no_other_model (void)
{
  save_model (1);
  g_autoptr (AssayRecord) parent = trial_fixture_run (trial_fixture_conditions (model), NULL);
  g_autoptr (AssayRecord) renamed = run_child (
      parent, trial_fixture_conditions_with (model, ASSAY_FIELD_MODEL_ID, "other/name"), "model_id");
  g_autoptr (AssayRecord) revised = run_child (
      parent, trial_fixture_conditions_with (model, ASSAY_FIELD_MODEL_REVISION, "v2"), "model_revision");
  g_autoptr (AssayRecord) baseline = trial_fixture_run (
      trial_fixture_conditions_with (model, ASSAY_FIELD_MODEL_ID, "other/name"), NULL);
  assert_refused (renamed, "choose another file (model_path)");
  assert_refused (revised, "choose another file (model_path)");
  trial_fixture_assert_status (baseline, ASSAY_STATUS_COMPLETED);
  save_model (2);
  g_autoptr (AssayRecord) other = run_child (
      parent, trial_fixture_conditions_with (model, ASSAY_FIELD_MODEL_ID, "other/name"), "model_id");
  trial_fixture_assert_status (other, ASSAY_STATUS_COMPLETED);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("assay-child-XXXXXX", NULL);
  model = g_build_filename (folder, "model.gguf", NULL);
  adapter = g_build_filename (folder, "adapter.gguf", NULL);
#define ADD(NAME, FUNC) g_test_add_func ("/engine/child/" NAME, FUNC)
  ADD ("an-adapter-replaced-in-place-is-noticed", test_an_adapter_replaced_in_place_is_noticed);
  ADD ("the-same-adapter-is-the-same", test_the_same_adapter_is_the_same);
  ADD ("other-parts-by-plan-are-no-second-change", test_other_parts_by_plan_are_no_second_change);
  ADD ("a-repeat-holds-the-model-fixed", test_a_repeat_holds_the_model_fixed);
  ADD ("another-name-is-no-other-model", test_another_name_is_no_other_model);
#undef ADD
  const int result = g_test_run ();
  g_unlink (model);
  g_unlink (adapter);
  g_rmdir (folder);
  g_free (folder);
  g_free (model);
  g_free (adapter);
  return result;
}
