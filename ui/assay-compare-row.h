/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-compare-row.h: a run, or the repeats of one trial, as a row of the comparison: what each column says and how
 * it sorts.
 *
 * Judging a run's gates looks at its repeats, so it is done when a row is first looked at and kept until the ledger
 * changes. */
#pragma once

#include "assay-compare-column.h"
#include "assay-gates.h"
#include "assay-repeats.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_COMPARE_ROW (assay_compare_row_get_type ())
G_DECLARE_FINAL_TYPE (AssayCompareRow, assay_compare_row, ASSAY, COMPARE_ROW, GObject)

/* family: repeats, oldest first (element-type AssayRecord); kept. */
AssayCompareRow *assay_compare_row_new (AssayLedger *ledger, GPtrArray *family);
AssayRecord *assay_compare_row_get_record (AssayCompareRow *self); /* the one that speaks for the repeats */
GPtrArray *assay_compare_row_get_family (AssayCompareRow *self);
gboolean assay_compare_row_holds (AssayCompareRow *self, const char *run_id);
void assay_compare_row_renew (AssayCompareRow *self, AssayRecord *record); /* the same run after an edit */
void assay_compare_row_forget (AssayCompareRow *self); /* the ledger changed: judge again when next asked */

char *assay_compare_row_dup_text (AssayCompareRow *self, AssayCompareColumn column,
                                  const AssayCompareUnit *unit); /* plain text */
char *assay_compare_row_dup_tooltip (AssayCompareRow *self, AssayCompareColumn column); /* exact figures; or NULL */
/* Of a gate's column: the figures that the verdict stands on. */
const char *assay_compare_row_get_evidence (AssayCompareRow *self, AssayCompareColumn column, AssayVerdict *verdict);
/* A condition as it was in effect, and what was asked for; the latter NULL where that is the same. */
char *assay_compare_row_dup_value (AssayCompareRow *self, AssayCompareColumn column, const AssayCompareUnit *unit);
char *assay_compare_row_dup_asked (AssayCompareRow *self, AssayCompareColumn column);
/* The criterion that scores are told of: the first on a scale, else the first yes or no; NULL: there is none. */
const AssayCriterion *assay_compare_row_get_criterion (AssayLedger *ledger);
/* Its mean over the runs that count, 1 to 5 or a share, and how many these are. FALSE: none is scored. */
gboolean assay_compare_row_get_score (AssayCompareRow *self, double *mean, guint *n_runs);
/* How far the forecast was off, as a share, NaN where it cannot be said; FALSE where nothing was foretold. */
gboolean assay_compare_row_get_error (AssayCompareRow *self, double *error, gboolean *contradicted);
/* Of a column of figures; FALSE where the row has none. */
gboolean assay_compare_row_get_figures (AssayCompareRow *self, AssayCompareColumn column, AssayRepeats *figures);
gboolean assay_compare_row_get_greatest (AssayCompareRow *self, AssayCompareColumn column, double *greatest);
int assay_compare_row_order (AssayCompareRow *a,
                             AssayCompareRow *b,
                             AssayCompareColumn column); /* unknown comes last */

/* Whether a condition differs from the baseline's; never of burden or outcome, which always do. */
gboolean assay_compare_row_differs (AssayCompareRow *self, AssayRecord *baseline, AssayCompareColumn column);

/* Whether this run has anything to say in a column that not every ledger needs; not asked of conditions. */
gboolean assay_compare_row_has (AssayCompareRow *self, AssayCompareColumn column);

G_END_DECLS
