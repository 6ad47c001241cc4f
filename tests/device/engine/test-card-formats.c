/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/engine/test-card-formats.c: each family's logits in each compute type, quantization, cache and offload mode
 * on a card beside the processor's, which computes exactly with the very same weights. */
#include <math.h>

#include "card-fixture.h"
#include "card-work.h"
#include "tiny-model.h"

#define PROMPT 19u

/* Relative error of the logits, L2, that rounding may come to in two layers of random weights: of the factors, of what is
 * cached, and of the activations, which LLM.int8() rounds to eight bits. A difference in the last bit of a sum can tip any of
 * them over. */
typedef struct { const char *name; double error; } Rounding;
static const Rounding computes[] = { { "float32", 1e-4 }, { "float16", 2e-2 }, { "bfloat16", 8e-2 }, { "int8", 2e-2 } };
static const Rounding caches[] = { { "float32", 0 }, { "float16", 2e-3 }, { "q8_0", 4e-2 } };
#define VECTORWISE_ERROR 8e-2
static const char *const quantizations[] = { "none", "Q8_0", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q4_K", "Q5_K", "Q6_K",
                                             "nf4",  "fp4",  "nf4-double", "int8" };
static const char *const modes[] = { "none", "model", "group", "sequential" };

typedef struct { const char *quantization, *cache, *mode, *compute; } Choice;

static char *
dup_model (TinyFamily family)
{
  static char *folder;
  if (folder == NULL)
    folder = g_dir_make_tmp ("assay-formats-XXXXXX", NULL);
  const TinyModel options = { .family = family, .n_layers = 2, .n_embd = 256, .n_heads = 4, .n_kv_heads = 2,
                              .own_output = family == TINY_FAMILY_QWEN3, .seed = (guint32) g_test_rand_int () };
  char *path = g_strdup_printf ("%s/%u.gguf", folder, family);
  tiny_model_save (&options, path);
  return path;
}

static float *
logits_of (const char *path, const char *device, const Choice *choice, guint *n_vocab)
{
  const char *const given[][2] = {
    { "device", device },         { "compute_dtype", choice->compute },
    { "threads", "2" },           { "context_length", "64" },
    { "offload_mode", choice->mode }, { "kv_cache_type", choice->cache },
    { "quantization", choice->quantization },
  };
  g_autoptr (GPtrArray) settings = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  CardWork work;
  for (guint i = 0; i < G_N_ELEMENTS (given); i++)
    g_ptr_array_add (settings, g_strconcat (given[i][0], "=", given[i][1], NULL));
  g_ptr_array_add (settings, NULL);
  card_work_open (&work, path, (const char *const *) settings->pdata, FALSE, &error);
  g_assert_no_error (error);
  g_autofree gint32 *tokens = card_work_dup_tokens (&work, PROMPT);
  g_autoptr (GArray) out = card_work_generate (&work, tokens, PROMPT, 1, &error);
  g_assert_no_error (error);
  float *logits = card_work_dup_logits (&work, &error);
  g_assert_no_error (error);
  *n_vocab = work.inspection->config.n_vocab;
  card_work_close (&work);
  return logits;
}

static double
relative_error (const float *got, const float *expected, guint n)
{
  double difference = 0, norm = 0;
  for (guint i = 0; i < n; i++)
    {
      difference += pow ((double) got[i] - (double) expected[i], 2);
      norm += pow ((double) expected[i], 2);
    }
  return sqrt (difference / norm);
}

static void
check_choice (const char *path, const Choice *choice, const float *expected, double tolerance)
{
  guint n;
  card_fixture_start (NULL);
  g_autofree float *got = logits_of (path, "cuda:0", choice, &n);
  card_fixture_assert_clean ();
  const double error = relative_error (got, expected, n);
  g_test_message ("%s, quantization %s, cache %s, offload %s: %.2e", choice->compute, choice->quantization, choice->cache,
                  choice->mode, error);
  if (!(error < tolerance))
    g_error ("%s, quantization %s, cache %s, offload %s: relative error %.3g is not below %g", choice->compute,
             choice->quantization, choice->cache, choice->mode, error, tolerance);
}

/* A real card takes every compute type and mode; an emulated one draws one of each. */
static void
check_quantization (const char *path, guint q, guint family)
{
  const gboolean all = assay_emulation_is_real ();
  const Rounding *cache = &caches[q % G_N_ELEMENTS (caches)];
  const double besides = cache->error + (g_str_equal (quantizations[q], "int8") ? VECTORWISE_ERROR : 0);
  Choice choice = { quantizations[q], cache->name, "none", "float32" };
  guint n;
  g_autofree float *expected = logits_of (path, "cpu", &choice, &n);
  for (guint c = 0; c < G_N_ELEMENTS (computes); c++)
    for (guint m = 0; m < G_N_ELEMENTS (modes); m++)
      {
        choice.compute = computes[c].name;
        choice.mode = modes[m];
        if (all || (c == (q + family) % G_N_ELEMENTS (computes) && m == (q / 4 + family) % G_N_ELEMENTS (modes)))
          check_choice (path, &choice, expected, computes[c].error + besides);
      }
}

static void
test_family (gconstpointer data)
{
  const guint family = GPOINTER_TO_UINT (data);
  g_autofree char *path = dup_model (family);
  for (guint q = 0; q < G_N_ELEMENTS (quantizations); q++)
    check_quantization (path, q, family);
}

int
main (int argc, char **argv)
{
  static const char *const names[] = { "llama", "qwen3", "gemma2", "gpt2" };
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_strconcat ("/device/formats/", names[i], NULL);
      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_family);
    }
  return g_test_run ();
}
