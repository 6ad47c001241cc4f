/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-compare-view.h: the ledger's runs as a table, and what two or more of them may be said to show.
 *
 * Conditions that differ from the baseline (the first of the selected runs, else the oldest) are bold and
 * marked ≠. */
#pragma once

#include <adwaita.h>

#include "assay-ledger.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_COMPARE_VIEW (assay_compare_view_get_type ())
G_DECLARE_FINAL_TYPE (AssayCompareView, assay_compare_view, ASSAY, COMPARE_VIEW, AdwBin)

/* Property: "ledger" (AssayLedger, nullable). Signal: "run-activated" (AssayRecord). */
GtkWidget *assay_compare_view_new (void);
void assay_compare_view_set_ledger (AssayCompareView *self, AssayLedger *ledger);
void assay_compare_view_select (AssayCompareView *self, const char *const *run_ids); /* NULL-terminated */
const char *assay_compare_view_get_findings (AssayCompareView *self); /* the sentences shown, a line each */

G_END_DECLS
