/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/engine/test-remaining.c: what is told of the time left, without a run. */
#include "assay-remaining.h"

#include <math.h>

#define STEP_S 0.1
#define N_STEPS 600u

/* Twelve answers that may have 100 tokens and end after 20 to 90, a token each step: as questions end, the share that is
 * done jumps. */
static double
share_done (guint step)
{
  static const guint lengths[] = { 30, 90, 20, 50, 45, 80, 25, 60, 35, 70, 40, 55 }; /* N_STEPS together */
  guint question = 0;
  while (question < G_N_ELEMENTS (lengths) && step >= lengths[question])
    step -= lengths[question++];
  return (question + (question < G_N_ELEMENTS (lengths) ? step / 100.0 : 0)) / G_N_ELEMENTS (lengths);
}

static void
test_it_never_jumps (void)
{
  AssayRemaining remaining = { 0 };
  double last = -1, raw_jump = 0, last_raw = -1;
  guint n_told = 0;
  for (guint step = 1; step < N_STEPS; step++)
    {
      const double done = share_done (step), spent = step * STEP_S;
      const double left = assay_remaining_update (&remaining, done, spent), raw = spent * (1 - done) / done;
      if (left >= 0 && last >= 0)
        {
          raw_jump = MAX (raw_jump, fabs (raw - last_raw));
          g_assert_cmpfloat (fabs (left - last), <, 3.0); /* a step is a tenth of a second */
          n_told++;
        }
      g_assert_true (left >= 0 || last < 0); /* once told, always told */
      last = left;
      last_raw = raw;
    }
  g_assert_cmpfloat (raw_jump, >, 10.0); /* what it was made for did come */
  g_assert_cmpuint (n_told, >, N_STEPS / 2);
  g_assert_cmpfloat (last, <, 10.0); /* and near the end it says so */
}

static void
test_nothing_is_told_before_it_holds_still (void)
{
  AssayRemaining remaining = { 0 };
  g_assert_cmpfloat (assay_remaining_update (&remaining, 0, 5), ==, -1);
  g_assert_cmpfloat (assay_remaining_update (&remaining, 0.1, 0.5), ==, -1);
  g_assert_cmpfloat (assay_remaining_update (&remaining, 0.1, 1.5), ==, -1); /* the first estimate */
  g_assert_cmpfloat (assay_remaining_update (&remaining, 0.4, 2.6), ==, -1); /* quite another one */
  g_assert_cmpfloat_with_epsilon (assay_remaining_update (&remaining, 0.55, 3.7), 3.7 * 0.45 / 0.55, 1e-9);
}

static void
test_an_even_run_is_told_exactly (void)
{
  AssayRemaining remaining = { 0 };
  double left = -1;
  for (guint step = 1; step <= 100; step++)
    {
      left = assay_remaining_update (&remaining, step / 100.0, step * STEP_S);
      if (left >= 0)
        g_assert_cmpfloat_with_epsilon (left, 10.0 - step * STEP_S, 1e-6);
    }
  g_assert_cmpfloat_with_epsilon (left, 0, 1e-6);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/remaining/it-never-jumps", test_it_never_jumps);
  g_test_add_func ("/engine/remaining/nothing-is-told-before-it-holds-still",
                   test_nothing_is_told_before_it_holds_still);
  g_test_add_func ("/engine/remaining/an-even-run-is-told-exactly", test_an_even_run_is_told_exactly);
  return g_test_run ();
}
