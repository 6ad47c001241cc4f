/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-ledger-row.h: one ledger of the library: title, number of runs, what they have shown; or why it cannot be
 * opened. */
#pragma once

#include <gtk/gtk.h>

#include "assay-library.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_LEDGER_ROW (assay_ledger_row_get_type ())
G_DECLARE_FINAL_TYPE (AssayLedgerRow, assay_ledger_row, ASSAY, LEDGER_ROW, GtkListBoxRow)

GtkWidget *assay_ledger_row_new (AssayLibraryItem *item);
void assay_ledger_row_show_file (AssayLedgerRow *self, gboolean shown); /* its name, where another has the same title */
void assay_ledger_row_set_marks_hidden (AssayLedgerRow *self, gboolean hidden);
const char *assay_ledger_row_get_title (AssayLedgerRow *self);
char *assay_ledger_row_dup_path (AssayLedgerRow *self);
char *assay_ledger_row_dup_task (AssayLedgerRow *self);
char *assay_ledger_row_dup_group (AssayLedgerRow *self); /* the folder, in words; "" for the library's own */

G_END_DECLS
