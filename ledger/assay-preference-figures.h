/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-preference-figures.h: what the choices add up to: who wins against whom, and whether a side
 * was favoured.
 *
 * Counted are the current preferences between two runs that completed and are not damaged; the others are
 * kept in the ledger and told with their reason. Any thread, on a ledger of its own. */
#pragma once

#include "assay-preference.h"

G_BEGIN_DECLS

/* Two runs against each other; `first` comes first in the ledger. */
typedef struct
{
  AssayRecord *first, *second; /* borrowed from the ledger */
  guint first_wins, second_wins, ties, both_bad;
} AssayPairing;

typedef struct
{
  const AssayPreference *preference; /* borrowed from the ledger */
  char *reason; /* translated: "the run … is not in this ledger", "the run … ended as oom_device" */
} AssayUncounted;

/* Left against right among the decided choices (a tie and 'both bad' decide nothing). */
typedef struct
{
  guint n; /* decided */
  guint n_left;
  double share;     /* of the left; NaN while n is 0 */
  double low, high; /* Wilson's interval of the share, 95 % */
  double p;         /* exact two-sided binomial: this or less likely if sides did not matter; 1 for n 0 */
} AssayPositionBias;

typedef struct
{
  GPtrArray *pairings;  /* (element-type AssayPairing), in the ledger's order */
  GPtrArray *uncounted; /* (element-type AssayUncounted) */
  guint n_counted, n_superseded;
  guint n_reviewers; /* of the counted */
  AssayPositionBias bias;
} AssayPreferenceFigures;

AssayPreferenceFigures *assay_preference_figures_new (AssayLedger *ledger);
void assay_preference_figures_free (AssayPreferenceFigures *self);

void assay_position_bias_compute (guint n_left, guint n, AssayPositionBias *out);
/* "left chosen in 14 of 20 decided comparisons (70 %, 95 % interval 48 % to 85 %), p = 0.12"; says so when
 * none is decided. (transfer full) */
char *assay_position_bias_dup_words (const AssayPositionBias *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayPreferenceFigures, assay_preference_figures_free)

G_END_DECLS
