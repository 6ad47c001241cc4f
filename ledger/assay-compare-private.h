/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-compare-private.h: the figures of two runs, apart from what may be claimed of them. */
#pragma once

#include "assay-compare.h"

G_BEGIN_DECLS

/* One more part of a list with ', ' between. */
void compare_add (GString *text, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* The peak that both runs state and at least one needed: peak_vram, else another kind of device memory, each with its
 * own; where neither used any, peak_ram_engine of two runs of this engine, else peak_ram. Kinds are never mixed. */
AssayFieldId compare_get_peak_field (AssayRecord *a, AssayRecord *b);
const char *compare_get_kind (AssayRecord *record, AssayFieldId peak); /* as measured, or NULL */
double compare_get_peak_ratio (AssayRecord *a, AssayRecord *b);        /* b over a; NaN when not both known */
double compare_get_ratio (AssayRecord *a, AssayRecord *b, AssayFieldId field);

/* "×3.4" of a time, "−61 %", "×3.4" or "unchanged" of another field. (transfer full) */
char *compare_dup_change (AssayFieldId field, double ratio);

/* Two verdicts on answers that are all the same: the judgment moved, and no effect on quality is claimed. */
gboolean compare_judged_differently (GPtrArray *answers, AssayVerdict before, AssayVerdict after);
char *compare_dup_judged_differently (AssayVerdict before, AssayVerdict after, guint n); /* (transfer full) */

/* Which peak two runs are compared by, and how it is read. What a process held before a run began is not the run's: a
 * window holds far more than a command. */
typedef struct
{
  AssayFieldId field;
  gboolean above_baseline;   /* both state what was held before: that is taken off */
  gboolean one_baseline;     /* only one does: nothing can be said */
  const char *words;         /* translated: "VRAM" */
} ComparePeak;
void compare_find_peak (ComparePeak *self, AssayRecord *a, AssayRecord *b);
double compare_read_peak (const ComparePeak *self, AssayRecord *record); /* bytes; NaN unknown */

/* Why this run is in no comparison; NULL and NONE when it may be. (transfer full) */
char *compare_refuse_run (AssayRecord *record, gboolean accepted, AssayComparisonReason *reason);

/* Whether everything that was recorded of two runs is equal, the clock and what else the machine did aside: exact
 * peaks, bytes moved, phases, marks and outputs. FALSE where there is nothing to tell it by. */
gboolean compare_is_observed_alike (AssayRecord *a, AssayRecord *b);

/* Memory, time, quality, answers; what went over the link where `moved` decides on it. */
void compare_add_figures (GString *text, const AssayComparison *self, AssayLedger *ledger, AssayRecord *a,
                          AssayRecord *b, AssayAxis moved);

G_END_DECLS
