/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-run-row.h: one run in the list beside the ledger: what changed, what it took, how it was judged. */
#pragma once

#include <gtk/gtk.h>

#include "assay-ledger.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_RUN_ROW (assay_run_row_get_type ())
G_DECLARE_FINAL_TYPE (AssayRunRow, assay_run_row, ASSAY, RUN_ROW, GtkWidget)

GtkWidget *assay_run_row_new (void);
/* Computed when shown, so that a list of thousands costs what is on screen. ledger may be NULL with record. */
void assay_run_row_show (AssayRunRow *self, AssayLedger *ledger, AssayRecord *record);

AssayRecord *assay_run_row_get_record (AssayRunRow *self); /* (transfer none); NULL while none is shown */

/* "offload_mode: none → sequential", or what a baseline is. (transfer full) */
char *assay_run_dup_title (AssayLedger *ledger, AssayRecord *record);
const char *assay_run_get_short_id (const char *run_id); /* the random part: "3f2a9c" */

G_END_DECLS
