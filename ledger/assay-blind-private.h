/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-blind-private.h: sides of comparisons, as arithmetic. */
#pragma once

#include "assay-random.h"

G_BEGIN_DECLS

typedef struct
{
  guint left, right; /* which competitor, from 0; never the same */
  gboolean fixed;    /* was shown like this: stays */
} AssaySides;

/* Turns those that are not fixed so that the sum of the squares of (left − right), over competitors, is
 * least. Without fixed ones: 0 for each that occurs an even number of times, ±1 for the others. */
void assay_blind_balance (AssaySides *sides, guint n_sides, guint n_competitors, AssayRandom *random);

G_END_DECLS
