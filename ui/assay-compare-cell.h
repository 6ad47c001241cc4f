/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-compare-cell.h: the comparison for a file: a figure stands alone in its cell, and what stands beside it on
 * screen, its spread, its kind, what was asked for, has a column of its own. */
#pragma once

#include "assay-compare-row.h"

G_BEGIN_DECLS

typedef enum
{
  ASSAY_CELL_WHOLE,
  ASSAY_CELL_LOWEST,       /* of repeats */
  ASSAY_CELL_GREATEST,
  ASSAY_CELL_MEMORY,       /* which one the peak is of: "VRAM" */
  ASSAY_CELL_ASKED,        /* what was asked for, where something else was in effect */
  ASSAY_CELL_CONTRADICTED, /* whether a forecast was */
  ASSAY_CELL_COUNT,        /* how many runs are in a mean */
} AssayCompareCellPart;

typedef struct
{
  AssayCompareColumn column;
  AssayCompareCellPart part;
} AssayCompareCell;

/* columns: (element-type guint); rows: (element-type AssayCompareRow). Parts that no row has are left out.
 * (transfer full) (element-type AssayCompareCell) */
GArray *assay_compare_cells_new (GArray *columns, GPtrArray *rows);
char *assay_compare_cell_dup_title (const AssayCompareCell *self, const AssayCompareUnit *unit);
/* As a program reads it: "9.4", whatever the language; NULL: nothing to say. is_number: not to be quoted. */
char *assay_compare_cell_dup_text (const AssayCompareCell *self, AssayCompareRow *row, const AssayCompareUnit *unit,
                                   gboolean *is_number);

G_END_DECLS
