/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-quality-mean.h: the mean of each criterion over runs, and every run that is not in it.
 *
 * In a mean are the scores of the current reviews, by the present criteria, of runs that completed. Each run
 * counts once, with the mean of its scores, so that a run with many reviewers or questions weighs no more
 * than another. Any run left out is listed with its reason: nothing goes missing silently. Any thread, on a
 * ledger of its own. */
#pragma once

#include "assay-ledger.h"

G_BEGIN_DECLS

typedef struct
{
  const AssayCriterion *criterion; /* borrowed from the ledger */
  double mean;                     /* 1..5, or for yes/no the share of yes, 0..1; NaN while n_runs is 0 */
  double spread;                   /* standard deviation between runs (n − 1); NaN below two runs */
  guint n_runs, n_scores, n_reviewers;
} AssayQualityMean;

typedef enum
{
  ASSAY_EXCLUDED_DAMAGED,
  ASSAY_EXCLUDED_NOT_COMPLETED,
  ASSAY_EXCLUDED_NO_STATUS,
  ASSAY_EXCLUDED_NOT_REVIEWED,
  ASSAY_EXCLUDED_SUPERSEDED,       /* its reviews are all superseded */
  ASSAY_EXCLUDED_EARLIER_CRITERIA, /* its reviews were all written before the criteria were changed */
  ASSAY_EXCLUDED_NO_SCORES,        /* reviewed by a verdict alone */
} AssayExclusion;

typedef struct
{
  AssayRecord *run; /* borrowed */
  AssayExclusion exclusion;
  char *reason; /* translated: "did not complete: oom_device; 1 review kept" */
} AssayExcludedRun;

typedef struct
{
  GPtrArray *means;    /* (element-type AssayQualityMean): all but those of free words */
  GPtrArray *excluded; /* (element-type AssayExcludedRun), in the order of the runs */
  guint n_runs;        /* counted in at least one mean */
} AssayQualityMeans;

/* runs: (element-type AssayRecord) of the ledger; NULL for all of it. */
AssayQualityMeans *assay_quality_means_new (AssayLedger *ledger, GPtrArray *runs);
void assay_quality_means_free (AssayQualityMeans *self);
const char *assay_exclusion_get_name (AssayExclusion exclusion); /* "not_completed" */
/* "4.2 of 5, 3 runs" or "yes in 67 %, 3 runs"; "not judged" without any. (transfer full) */
char *assay_quality_mean_dup_words (const AssayQualityMean *self);

/* Of one run's reviews, by the present criteria; NaN when none has a score of it. n_scores may be NULL. */
double assay_quality_mean_of_reviews (const AssayCriteria *criteria,
                                      GPtrArray *reviews,
                                      const char *criterion,
                                      guint *n_scores);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayQualityMeans, assay_quality_means_free)

G_END_DECLS
