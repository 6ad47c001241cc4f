/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/assay-remaining.h: how long the rest of a run takes, told calmly.
 *
 * An answer mostly ends before it may, and then the share that is done jumps. So nothing is told until the estimate has
 * held still for a while, and from then on it follows a new one slowly, as time passes. Seconds; one thread. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  double first_s, first_left_s; /* since when an estimate holds still, and what it was; 0: none */
  double at_s, left_s;          /* when something was told last, and what */
  gboolean told;
} AssayRemaining;

/* done: of the whole, 0..1; spent_s: on that, rising. Returns: seconds that are left, or -1 while that is not known. */
double assay_remaining_update (AssayRemaining *self, double done, double spent_s);

G_END_DECLS
