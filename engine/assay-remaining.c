/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-remaining.h"

#include <math.h>

#define LEAST_SPENT_S 1.0 /* what is timed before says nothing yet */
#define STILL_S 1.0       /* an estimate is told once it held still for so long */
#define STILL_SHARE 0.25  /* which it does while it is off by no more of itself */
#define FOLLOW_S 4.0      /* in this time most of a new estimate is taken up */

static gboolean
remaining_holds_still (AssayRemaining *self, double left_s, double spent_s)
{
  const double expected_s = self->first_left_s - (spent_s - self->first_s);
  if (self->first_s <= 0 || fabs (left_s - expected_s) > STILL_SHARE * left_s)
    {
      self->first_s = spent_s;
      self->first_left_s = left_s;
    }
  return spent_s - self->first_s >= STILL_S;
}

double
assay_remaining_update (AssayRemaining *self, double done, double spent_s)
{
  if (done <= 0 || spent_s < LEAST_SPENT_S)
    return -1;
  const double estimate_s = spent_s * MAX (1 - done, 0) / done;
  if (!self->told && !remaining_holds_still (self, estimate_s, spent_s))
    return -1;
  const double passed_s = self->told ? spent_s - self->at_s : 0;
  const double expected_s = self->told ? MAX (self->left_s - passed_s, 0) : estimate_s;
  self->left_s = expected_s + (estimate_s - expected_s) * (1 - exp (-passed_s / FOLLOW_S));
  self->at_s = spent_s;
  self->told = TRUE;
  return self->left_s;
}
