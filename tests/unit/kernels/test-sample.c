/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/kernels/test-sample.c: which token is drawn, and how often. */
#include <math.h>
#include <string.h>

#include "shared/philox.h"
#include "kernels-test.h"

static AssayStatus
sample (AssayBackend *b, int32_t *token, const float *logits, gsize n, AssaySampling s)
{
  g_autofree gpointer workspace = g_malloc (b->ops->sample_workspace (b, n) + 1);
  return b->ops->sample (b, token, logits, n, &s, workspace);
}

static int32_t
sample_one (AssayBackend *b, const float *logits, gsize n, AssaySampling s)
{
  int32_t token = -1;
  g_assert_cmpint (sample (b, &token, logits, n, s), ==, ASSAY_OK);
  return token;
}

/* The published answers of Philox 4x32-10: zeros, ones, and digits of pi. */
static void
test_philox_gives_the_known_answers (void)
{
  guint32 zeros[4] = { 0 }, ones[4] = { G_MAXUINT32, G_MAXUINT32, G_MAXUINT32, G_MAXUINT32 };
  guint32 pi[4] = { 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344 };
  const guint32 from_zeros[4] = { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 };
  const guint32 from_ones[4] = { 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd };
  const guint32 from_pi[4] = { 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 };
  philox_4x32_10 (zeros, 0, 0);
  philox_4x32_10 (ones, G_MAXUINT32, G_MAXUINT32);
  philox_4x32_10 (pi, 0xa4093822, 0x299f31d0);
  g_assert_cmpmem (zeros, 16, from_zeros, 16);
  g_assert_cmpmem (ones, 16, from_ones, 16);
  g_assert_cmpmem (pi, 16, from_pi, 16);
}

static void
check_greedy (AssayBackend *b, gpointer data)
{
  const float ties[] = { 1, 5, -INFINITY, 5, 4 }, infinite[] = { 0, INFINITY, 3, INFINITY },
              low[] = { -5, -4, -4 };
  const float zeros[] = { -0.0f, 0.0f };
  const AssaySampling greedy = { 0, 1, 0, 1, 2, 3 };
  g_assert_cmpint (sample_one (b, ties, 5, greedy), ==, 1);
  g_assert_cmpint (sample_one (b, infinite, 4, greedy), ==, 1);
  g_assert_cmpint (sample_one (b, low, 3, greedy), ==, 1);
  g_assert_cmpint (sample_one (b, zeros, 2, greedy), ==, 0);
  g_assert_cmpint (sample_one (b, ties, 1, greedy), ==, 0);
}

static void
test_greedy_takes_the_lowest_of_equals (void)
{
  kt_for_each_backend (check_greedy, NULL);
}

static void
check_faults (AssayBackend *b, gpointer data)
{
  const float with_nan[] = { 1, 2, NAN, 0 }, nothing[] = { -INFINITY, -INFINITY }, fine[] = { 1 };
  for (int hot = 0; hot < 2; hot++)
    {
      const AssaySampling s = { (float) hot, 1, 0, 1, 2, 3 };
      int32_t token;
      g_assert_cmpint (sample (b, &token, with_nan, 4, s), ==, ASSAY_DEVICE_FAULT);
      g_assert_nonnull (strstr (b->fault, "not a number"));
      g_assert_cmpint (sample (b, &token, nothing, 2, s), ==, ASSAY_DEVICE_FAULT);
      g_assert_cmpint (sample (b, &token, fine, 0, s), ==, ASSAY_UNSUPPORTED);
      g_assert_cmpint (sample (b, &token, fine, 1, (AssaySampling){ NAN, 1, 0, 1, 2, 3 }), ==,
                       ASSAY_UNSUPPORTED);
      g_assert_cmpint (sample (b, &token, fine, 1, (AssaySampling){ 1, -0.5f, 0, 1, 2, 3 }), ==,
                       ASSAY_UNSUPPORTED);
    }
}

static void
test_no_token_from_nonsense (void)
{
  kt_for_each_backend (check_faults, NULL);
}

/* counts[n] of 40000 draws */
static void
draw_many (AssayBackend *b, const float *logits, gsize n, AssaySampling s, guint *counts)
{
  memset (counts, 0, n * sizeof *counts);
  for (s.counter = 0; s.counter < 40000; s.counter++)
    counts[sample_one (b, logits, n, s)]++;
}

/* Five standard deviations, of draws that are the same every time. */
static void
assert_frequency (guint count, double p)
{
  g_assert_cmpfloat (fabs (count - 40000 * p), <=, 5 * sqrt (40000 * p * (1 - p)) + 1e-9);
}

static void
test_frequencies_are_the_softmax (void)
{
  AssayBackend *b = kt_backend (ASSAY_CPU_BEST, 1, FALSE);
  const float logits[] = { 1, -1, 0.5f, -INFINITY, 2 };
  guint counts[5];
  for (double t = 0.5; t < 3; t *= 2)
    {
      double total = 0;
      draw_many (b, logits, 5, (AssaySampling) { (float) t, 1, 0, 42, 0, 0 }, counts);
      for (guint i = 0; i < 5; i++)
        total += exp (logits[i] / t);
      for (guint i = 0; i < 5; i++)
        assert_frequency (counts[i], exp (logits[i] / t) / total);
    }
  b->ops->destroy (b);
}

static void
test_cuts_keep_what_they_say (void)
{
  AssayBackend *b = kt_backend (ASSAY_CPU_BEST, 1, FALSE);
  /* 0.4 0.3 0.2 0.1, not in order; the last two equal */
  const float logits[] = { logf (0.2f), logf (0.4f), logf (0.05f), logf (0.3f), logf (0.05f) };
  guint counts[5];
  draw_many (b, logits, 5, (AssaySampling) { 1, 1, 2, 7, 1, 0 }, counts);
  assert_frequency (counts[1], 0.4 / 0.7);
  assert_frequency (counts[3], 0.3 / 0.7);
  draw_many (b, logits, 5, (AssaySampling) { 1, 0.85f, 0, 7, 1, 0 }, counts);
  assert_frequency (counts[0], 0.2 / 0.9);
  assert_frequency (counts[1], 0.4 / 0.9);
  assert_frequency (counts[2] + counts[4], 0);
  draw_many (b, logits, 5, (AssaySampling) { 1, 1, 4, 7, 1, 0 }, counts);
  assert_frequency (counts[2], 0.05 / 0.95);
  assert_frequency (counts[4], 0);
  draw_many (b, logits, 5, (AssaySampling){ 1, 0.5f, 3, 7, 1, 0 }, counts); /* 0.4 / 0.9 < 0.5 <= 0.7 / 0.9 */
  assert_frequency (counts[1], 0.4 / 0.7);
  assert_frequency (counts[0], 0);
  draw_many (b, logits, 5, (AssaySampling) { 1, 0, 0, 7, 1, 0 }, counts);
  assert_frequency (counts[1], 1);
  draw_many (b, logits, 5, (AssaySampling) { 1, 0, 1000, 7, 1, 0 }, counts);
  assert_frequency (counts[1], 1);
  b->ops->destroy (b);
}

static void
test_same_numbers_same_token_everywhere (void)
{
  g_auto(KtBuffer) logits = kt_buffer_new (49152);
  kt_fill (&logits, 30, -10, 10);
  const AssaySampling kinds[] = { { 0.8f, 1, 0, 5, 6, 7 },
                                  { 0.8f, 0.95f, 0, 5, 6, 7 },
                                  { 0.8f, 1, 40, 5, 6, 7 },
                                  { 1.5f, 0.9f, 400, 5, 6, 7 } };
  for (gsize k = 0; k < G_N_ELEMENTS (kinds); k++)
    {
      AssayBackend *scalar = kt_backend (ASSAY_CPU_SCALAR, 1, FALSE),
                   *best = kt_backend (ASSAY_CPU_BEST, 3, TRUE);
      guint differ = 0;
      for (AssaySampling s = kinds[k]; s.counter < 40; s.counter++)
        {
          const AssaySampling other_stream
            = { s.temperature, s.top_p, s.top_k, s.seed, s.stream + 1, s.counter };
          const int32_t token = sample_one (scalar, logits.data, logits.n, s);
          g_assert_cmpint (sample_one (best, logits.data, logits.n, s), ==, token);
          g_assert_cmpint (sample_one (scalar, logits.data, logits.n, s), ==, token);
          differ += sample_one (scalar, logits.data, logits.n, other_stream) != token;
        }
      g_assert_cmpuint (differ, >, 20);
      scalar->ops->destroy (scalar);
      best->ops->destroy (best);
    }
}

static void
test_infinite_logits_share_evenly (void)
{
  AssayBackend *b = kt_backend (ASSAY_CPU_BEST, 1, FALSE);
  const float logits[] = { 3, INFINITY, 88, INFINITY };
  guint counts[4];
  draw_many (b, logits, 4, (AssaySampling) { 1, 1, 0, 3, 1, 0 }, counts);
  assert_frequency (counts[1], 0.5);
  assert_frequency (counts[3], 0.5);
  b->ops->destroy (b);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kernels/sample/philox-gives-the-known-answers", test_philox_gives_the_known_answers);
  g_test_add_func ("/kernels/sample/greedy-takes-the-lowest-of-equals",
                   test_greedy_takes_the_lowest_of_equals);
  g_test_add_func ("/kernels/sample/no-token-from-nonsense", test_no_token_from_nonsense);
  g_test_add_func ("/kernels/sample/frequencies-are-the-softmax", test_frequencies_are_the_softmax);
  g_test_add_func ("/kernels/sample/cuts-keep-what-they-say", test_cuts_keep_what_they_say);
  g_test_add_func ("/kernels/sample/same-numbers-same-token-everywhere",
                   test_same_numbers_same_token_everywhere);
  g_test_add_func ("/kernels/sample/infinite-logits-share-evenly", test_infinite_logits_share_evenly);
  return g_test_run ();
}
