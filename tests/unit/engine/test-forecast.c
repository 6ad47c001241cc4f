/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A forecast is held against what a run of the same conditions took, family by family and mode by mode. */
#include <glib/gstdio.h>

#include "assay-forecast.h"
#include "tiny-model.h"
#include "trial-fixture.h"

#define MIB (1024.0 * 1024.0)

/* The conditions that vary; every combination is run. */
static const char *const modes[] = { "none", "model", "group", "sequential" };
static const struct { const char *dtype, *quantization; } formats[] = {
  { "float32", "none" }, { "float16", "none" }, { "bfloat16", "none" }, { "float32", "Q8_0" },
  { "float16", "Q4_0" }, { "float32", "nf4" },  { "float16", "int8" },
};
static const struct { const char *context, *batch; } scales[] = { { "48", "1" }, { "96", "3" }, { "40", "2" } };
static const TinyFamily families[] = { TINY_FAMILY_LLAMA, TINY_FAMILY_GEMMA2, TINY_FAMILY_GPT2 };

static char *
family_dup_path (const char *folder, TinyFamily family)
{
  const TinyModel options = { .family = family, .n_layers = 4, .n_embd = 64, .n_heads = 2, .n_kv_heads = 1,
                              .tokenizer = TINY_GPT2, .own_output = family == TINY_FAMILY_LLAMA };
  char *path = g_strdup_printf ("%s/family-%d.gguf", folder, family);
  tiny_model_save (&options, path);
  return path;
}

static AssayValues *
combination_new (const char *path, const char *mode, guint format, guint scale)
{
  const struct { AssayFieldId field; const char *value; } set[] = {
    { ASSAY_FIELD_DEVICE, "virtual" },
    { ASSAY_FIELD_OFFLOAD_MODE, mode },
    { ASSAY_FIELD_DTYPE, formats[format].dtype },
    { ASSAY_FIELD_QUANTIZATION, formats[format].quantization },
    { ASSAY_FIELD_CONTEXT_LENGTH, scales[scale].context },
    { ASSAY_FIELD_BATCH_SIZE, scales[scale].batch },
    { ASSAY_FIELD_MAX_TOKENS, "2" },
  };
  AssayValues *conditions = trial_fixture_conditions (path);
  for (guint i = 0; i < G_N_ELEMENTS (set); i++)
    g_assert_true (assay_values_parse (conditions, set[i].field, set[i].value, NULL));
  return conditions;
}

static gint64
burden_get (AssayRecord *record, AssayFieldId field)
{
  gint64 value = -1;
  assay_values_get_integer (assay_record_get_burden (record), field, &value);
  return value;
}

static void
assert_same (AssayRecord *record, AssayFieldId predicted, AssayFieldId measured)
{
  const gint64 foretold = burden_get (record, predicted), found = burden_get (record, measured);
  g_assert_cmpint (foretold, >=, 0);
  g_assert_cmpint (foretold, ==, found);
}

static void
check_record (AssayRecord *record)
{
  static const struct { AssayFieldId predicted, measured; } pairs[] = {
    { ASSAY_FIELD_PREDICTED_PEAK_VRAM, ASSAY_FIELD_PEAK_VRAM },
    { ASSAY_FIELD_PREDICTED_PEAK_RAM, ASSAY_FIELD_PEAK_RAM_ENGINE },
    { ASSAY_FIELD_PREDICTED_WEIGHTS, ASSAY_FIELD_PEAK_WEIGHTS },
    { ASSAY_FIELD_PREDICTED_KV_CACHE, ASSAY_FIELD_PEAK_KV_CACHE },
    { ASSAY_FIELD_PREDICTED_ACTIVATIONS, ASSAY_FIELD_PEAK_ACTIVATIONS },
    { ASSAY_FIELD_PREDICTED_WORKSPACE, ASSAY_FIELD_PEAK_WORKSPACE },
    { ASSAY_FIELD_PREDICTED_OUTPUT, ASSAY_FIELD_PEAK_OUTPUT },
  };
  g_assert_cmpstr (assay_values_get_text (assay_record_get_outcome (record), ASSAY_FIELD_ERROR), ==, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (pairs); i++)
    assert_same (record, pairs[i].predicted, pairs[i].measured);
  const gint64 process = burden_get (record, ASSAY_FIELD_PEAK_RAM) - burden_get (record, ASSAY_FIELD_RAM_BASELINE);
  const gint64 engine = burden_get (record, ASSAY_FIELD_PREDICTED_PEAK_RAM);
  g_assert_cmpfloat (process - engine, <, 32 * MIB); /* tokenizer, threads, the process itself */
  g_assert_cmpint (burden_get (record, ASSAY_FIELD_LINK_BYTES), <=, burden_get (record, ASSAY_FIELD_PREDICTED_LINK_BYTES));
}

static guint
check_family (const char *path)
{
  guint n = 0;
  for (guint mode = 0; mode < G_N_ELEMENTS (modes); mode++)
    for (guint format = 0; format < G_N_ELEMENTS (formats); format++)
      for (guint scale = 0; scale < G_N_ELEMENTS (scales); scale++, n++)
        {
          AssayValues *conditions = combination_new (path, modes[mode], format, scale);
          g_autoptr (GPtrArray) questions = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_question_free);
          for (guint i = 0; i < 3; i++)
            {
              g_autofree char *id = g_strdup_printf ("q%u", i);
              g_ptr_array_add (questions, assay_question_new (id, "weigh the metal, then judge how fine it is"));
            }
          assay_values_unset (conditions, ASSAY_FIELD_PROMPT);
          TrialWatch *watch = trial_watch_new (conditions, questions, NULL);
          trial_watch_run (watch);
          check_record (watch->record);
          trial_watch_free (watch);
        }
  return n;
}

static void
test_peaks_are_those_of_the_run (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("assay-forecast-XXXXXX", &error);
  guint n = 0;
  for (guint i = 0; i < G_N_ELEMENTS (families); i++)
    {
      g_autofree char *path = family_dup_path (folder, families[i]);
      n += check_family (path);
      g_unlink (path);
    }
  g_rmdir (folder);
  g_test_message ("%u combinations", n);
  g_assert_cmpuint (n, >=, 200);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/forecast/peaks-are-those-of-the-run", test_peaks_are_those_of_the_run);
  return g_test_run ();
}
