/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-setting.h: a setting is its runs under the same conditions, taken together.
 *
 * What can be said of a setting and of no single run: how its times spread, how often it failed, what failing
 * cost. */
#pragma once

#include "assay-distribution.h"
#include "assay-gates.h"

G_BEGIN_DECLS

/* Figures come from runs that completed. A run that a person stopped, or that the app's end cut off, was not
 * put to the test and is not counted; neither is one without a status. */
typedef struct
{
  guint n_counted; /* put to the test */
  guint n_completed;
  guint n_failed;      /* counted and not completed: each had to be tried again */
  guint n_stopped;     /* not counted */
  double lost_seconds; /* what the failed ones took; NaN when one of them does not say */
  AssayDistribution
      latency; /* seconds of one answer, prompt and generation; of the run where answers have no times */
  AssayDistribution tokens_per_second; /* of a run, generating */
  AssayDistribution elapsed;           /* seconds of a run */
  AssayDistribution peak_ram;          /* bytes of a run */
  gint64 storage_bytes;                /* of the model's files, the greatest recorded; -1 unknown */
} AssaySettingFigures;

/* runs: (element-type AssayRecord) */
void assay_setting_measure (GPtrArray *runs, AssaySettingFigures *out);

/* The three gates over the runs of one setting. Feasibility and quality: any fail fails, a pass needs one run
 * that passes and none that fails, else it is not judged; the evidence is that of each run, a line a run
 * where there are several. Operation is of all repeats together as it is. (transfer full) */
AssayGates *assay_gates_judge_setting (AssayLedger *ledger, GPtrArray *runs);

/* "latency of 24 answers: mean 1.20 s ± 0.10 s, median 1.15 s, 95 % within 1.40 s" and so on for whatever is
 * known, parted by " · ". (transfer full) */
char *assay_setting_dup_words (const AssaySettingFigures *self);

G_END_DECLS
