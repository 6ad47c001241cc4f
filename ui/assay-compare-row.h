/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-compare-row.h: one run as a row of the comparison: what each column says and how it sorts.
 *
 * Judging a run's gates looks at its repeats, so it is done when a row is first looked at and kept until the
 * ledger changes. */
#pragma once

#include "assay-gates.h"

G_BEGIN_DECLS

typedef enum
{
  ASSAY_COMPARE_RUN,
  ASSAY_COMPARE_STATUS,
  ASSAY_COMPARE_RAN,      /* the three gates, in their order */
  ASSAY_COMPARE_GOOD,
  ASSAY_COMPARE_BEARABLE,
  ASSAY_COMPARE_PEAK,     /* what it took, before what was asked: it is why a person looks here */
  ASSAY_COMPARE_TIME,
  ASSAY_COMPARE_SPEED,
  ASSAY_COMPARE_FORETOLD, /* the planner's peak */
  ASSAY_COMPARE_ERROR,    /* how far it was off, and whether the run contradicts it */
  ASSAY_COMPARE_LINK,     /* bytes over the link */
  ASSAY_COMPARE_STALL,
  ASSAY_COMPARE_PLAN,     /* whether a child changed what was planned */
  ASSAY_COMPARE_OFFLOAD,
  ASSAY_COMPARE_QUANTIZATION,
  ASSAY_COMPARE_CONTEXT_LENGTH,
  ASSAY_COMPARE_COMPUTE_DTYPE,
  ASSAY_COMPARE_MODEL,
  ASSAY_N_COMPARE_COLUMNS
} AssayCompareColumn;

#define ASSAY_TYPE_COMPARE_ROW (assay_compare_row_get_type ())
G_DECLARE_FINAL_TYPE (AssayCompareRow, assay_compare_row, ASSAY, COMPARE_ROW, GObject)

AssayCompareRow *assay_compare_row_new (AssayLedger *ledger, AssayRecord *record);
AssayRecord *assay_compare_row_get_record (AssayCompareRow *self);
void assay_compare_row_forget (AssayCompareRow *self); /* the ledger changed: judge again when next asked */

char *assay_compare_row_dup_text (AssayCompareRow *self, AssayCompareColumn column);    /* plain text */
char *assay_compare_row_dup_tooltip (AssayCompareRow *self,
                                     AssayCompareColumn column); /* evidence, exact figures; or NULL */
int assay_compare_row_order (AssayCompareRow *a,
                             AssayCompareRow *b,
                             AssayCompareColumn column); /* unknown comes last */

/* Whether a condition differs from the baseline's; never of burden or outcome, which always do. */
gboolean assay_compare_row_differs (AssayCompareRow *self, AssayRecord *baseline, AssayCompareColumn column);

/* Whether this run has anything to say in a column that not every ledger needs. */
gboolean assay_compare_row_has (AssayCompareRow *self, AssayCompareColumn column);
gboolean assay_compare_column_is_optional (AssayCompareColumn column);
const char *assay_compare_column_get_title (AssayCompareColumn column); /* translated */
gboolean assay_compare_column_is_numeric (AssayCompareColumn column);

G_END_DECLS
