/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-run-measures.h: every peak of a run that was measured beside its own, each with what was counted and by whom.
 *
 * They differ because they count different things; the one that says what the run needed stands apart from them. */
#pragma once

#include <gtk/gtk.h>

#include "assay-record.h"

G_BEGIN_DECLS

/* Empties the grid and fills it. Returns: the number of measures told. */
guint assay_run_measures_fill (GtkGrid *grid, AssayRecord *record, AssayFieldId own);
/* "allocated, counted by: allocator"; NULL: the record does not say. (transfer full) */
char *assay_run_measures_dup_kind (AssayRecord *record, AssayFieldId field);

G_END_DECLS
