/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-blind.h: in which order one reviewer sees what there is to judge, and what stands beside what.
 *
 * Everything follows from a seed, which the reviews and preferences made by it record (order_seed, position):
 * so the ledger tells in which order a person saw the runs. A seed is 1 … 2^53 − 1, which JSON carries
 * exactly; 0 is none. Any thread, on a ledger of its own (a snapshot). */
#pragma once

#include "assay-preference.h"

G_BEGIN_DECLS

/* ---- one at a time ---- */

guint64 assay_blind_new_seed (void); /* random */
/* The seed of this reviewer's latest review or preference; 0 when none is recorded: then a new one is drawn,
 * and kept by the first review that is saved with it. */
guint64 assay_blind_find_seed (AssayLedger *ledger, const char *reviewer);

/* Something to judge: completed, with an output, not damaged. */
gboolean assay_blind_is_reviewable (AssayRecord *record);

/* The reviewable runs, each once, in the order of the seed. A run's place depends on its id and the seed
 * alone: the same seed and the same runs are the same order whenever each came, and a run that comes later
 * moves none of the others past each other. (transfer container) (element-type AssayRecord) */
GPtrArray *assay_blind_order (AssayLedger *ledger, guint64 seed);

/* One more than what this reviewer's reviews and preferences of this seed say was seen; from 1. */
guint assay_blind_next_position (AssayLedger *ledger, const char *reviewer, guint64 seed);
/* Writes seed and next position into a review about to be added, for its reviewer. */
void assay_blind_stamp_review (AssayLedger *ledger, AssayReview *review, guint64 seed);
void assay_blind_stamp_preference (AssayLedger *ledger, AssayPreference *preference, guint64 seed);

/* ---- side by side ---- */

typedef struct
{
  char *question;
  AssayRecord *left, *right;
  AssayPreference *judged; /* what this reviewer chose (current), or NULL: still to be shown */
} AssayBlindPair;

typedef struct
{
  GPtrArray *pairs; /* (element-type AssayBlindPair), in the order to show */
  guint n_judged;
  guint n_identical; /* comparisons left out because both outputs are the same, byte for byte */
  guint64 seed;
} AssayBlindPlan;

/* Comparisons of two reviewable runs' outputs to the same question (the same prompt, where there are no
 * questions), at most `max` of them, those that the reviewer has judged included. The guarantee, whatever the
 * runs and questions:
 *
 *  - Sides: over the whole plan each run stands left exactly as often as right when it occurs an even number
 * of times, and once more on one side than on the other when it occurs an odd number of times. What was
 * judged before stays on the side where it was shown and is counted in; where that alone is too lopsided, the
 * rest comes as near as can be.
 *  - Pairs: they come in cycles; a cycle has each pair of runs that still shares a question once. So at any
 * point two pairs differ by at most one comparison, those that ran out of shared questions aside. Within a
 * cycle each run comes once before any comes again, as in a tournament's rounds.
 *  - Questions: no pair meets the same question twice, and when all runs answered the same ones, the number
 * of times that two questions occur in a cycle differs by at most one.
 *  - The same seed, runs and judged preferences give the same plan.
 *
 * Comparisons whose two outputs are the same are left out and counted: there is nothing to prefer. */
AssayBlindPlan *assay_blind_plan_pairs (AssayLedger *ledger, const char *reviewer, guint64 seed, guint max);
void assay_blind_plan_free (AssayBlindPlan *self);
/* The first that is still to be judged; NULL when all are. */
const AssayBlindPair *assay_blind_plan_get_next (const AssayBlindPlan *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayBlindPlan, assay_blind_plan_free)

G_END_DECLS
