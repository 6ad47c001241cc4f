/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-random.h: numbers that follow from a seed, the same on every machine and in every version.
 *
 * splitmix64 (Steele, Lea, Flood 2014): the state grows by a constant and is mixed. GLib's generator would
 * do, but promises no sequence. Not for secrets. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  guint64 state;
} AssayRandom;

guint64 assay_random_mix (guint64 value); /* the mixing alone: a hash of one word */
guint64 assay_random_next (AssayRandom *self);
guint assay_random_below (AssayRandom *self, guint n); /* 0 … n − 1, each equally likely; n ≥ 1 */
void assay_random_shuffle (AssayRandom *self, gpointer *items, guint n);
guint64 assay_random_hash (guint64 seed, const char *text); /* of a text under a seed */

G_END_DECLS
