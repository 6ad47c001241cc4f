/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/test-device-sample.c: the token that is drawn on the emulated device is the one the CPU draws.
 */
#include <math.h>
#include <string.h>

#include "device-test.h"

static gint32
check_sample (DtPair *pair, const float *logits, gsize n, const AssaySampling *s)
{
  AssayBackend *cpu = pair->cpu, *b = pair->device;
  g_autofree guint8 *workspace = g_malloc (cpu->ops->sample_workspace (cpu, n) + 1);
  gpointer on_workspace = dt_put (pair, NULL, b->ops->sample_workspace (b, n));
  const float *on_logits = dt_put (pair, logits, n * 4);
  gint32 expected = -1, got = -1;
  dt_both (pair, cpu->ops->sample (cpu, &expected, logits, n, s, workspace),
           b->ops->sample (b, &got, on_logits, n, s, on_workspace));
  dt_release (pair);
  if (got != expected)
    g_error ("%zu logits, temperature %g, top_k %u, top_p %g, counter %" G_GUINT64_FORMAT ": %d is not %d", n,
             (double) s->temperature, s->top_k, (double) s->top_p, s->counter, got, expected);
  return got;
}

static void
test_draws_what_the_cpu_draws (void)
{
  static const guint32 top_k[] = { 0, 1, 5, 40, 100000 };
  static const float top_p[] = { 1, 0.9f, 0.3f, 0 };
  DtPair pair;
  dt_open (&pair, ASSAY_COMPUTE_F32, 0);
  for (guint i = 0; i < 80; i++)
    {
      const gsize n = dt_size (3000) + 1;
      g_autofree float *logits = dt_random (n, -8, 8);
      const AssaySampling s = { i % 5 ? (float) g_test_rand_double_range (0.1, 2) : 0,
                                top_p[i % 4],
                                top_k[i / 4 % 5],
                                (guint64) g_test_rand_int () << 32,
                                i % 3,
                                i };
      if (i % 7 == 0)
        for (gsize k = 0; k < n; k++)
          logits[k] = roundf (logits[k]); /* ties */
      check_sample (&pair, logits, n, &s);
    }
  dt_close (&pair);
}

/* Ids of more than two digits, and candidates that many steps of the block go through. */
static void
test_draws_from_a_large_vocabulary (void)
{
  const gsize n = 66000 + dt_size (9000);
  DtPair pair;
  dt_open (&pair, ASSAY_COMPUTE_F32, 0);
  g_autofree float *logits = dt_random (n, -8, 8);
  for (guint i = 0; i < 8; i++)
    {
      const AssaySampling s = { .temperature = i % 2 ? 1.5f : 0.7f, .top_p = i / 2 % 2 ? 0.95f : 1,
                                .top_k = i / 4 ? 2000 : 0, .seed = (guint64) g_test_rand_int (), .counter = i };
      check_sample (&pair, logits, n, &s);
    }
  dt_close (&pair);
}

static void
test_greatest_of_equals_is_the_first (void)
{
  DtPair pair;
  dt_open (&pair, ASSAY_COMPUTE_F32, 0);
  g_autofree float *logits = g_new (float, 1000);
  const AssaySampling greedy = { .top_p = 1 };
  for (gsize i = 0; i < 1000; i++)
    logits[i] = i == 700 || i == 333 || i == 999 ? 2 : -INFINITY;
  g_assert_cmpint (check_sample (&pair, logits, 1000, &greedy), ==, 333);
  dt_close (&pair);
}

static void
test_wrong_logits_are_a_fault (void)
{
  DtPair pair;
  dt_open (&pair, ASSAY_COMPUTE_F32, 0);
  g_autofree float *logits = dt_random (600, -1, 1);
  const AssaySampling s = { .temperature = 1, .top_p = 1 };
  logits[577] = NAN;
  g_assert_cmpint (check_sample (&pair, logits, 600, &s), ==, -1);
  g_assert_cmpstr (pair.device->fault, !=, "");
  for (gsize i = 0; i < 600; i++)
    logits[i] = -INFINITY;
  g_assert_cmpint (check_sample (&pair, logits, 600, &s), ==, -1);
  dt_close (&pair);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/device/sample/draws-what-the-cpu-draws", test_draws_what_the_cpu_draws);
  g_test_add_func ("/device/sample/draws-from-a-large-vocabulary", test_draws_from_a_large_vocabulary);
  g_test_add_func ("/device/sample/greatest-of-equals-is-the-first", test_greatest_of_equals_is_the_first);
  g_test_add_func ("/device/sample/wrong-logits-are-a-fault", test_wrong_logits_are_a_fault);
  return g_test_run ();
}
