/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-compare-view.h: the ledger's runs as a plot and as a table, what two or more of them may be said to show, and
 * what is found among all of them.
 *
 * Repeats are one row. Conditions that differ from the baseline (the pinned run, else the first of those selected, else
 * the oldest) are bold, tinted and marked ≠. What is shown can be copied, and exported as CSV, PNG, SVG and PDF. */
#pragma once

#include <adwaita.h>

#include "assay-ledger.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_COMPARE_VIEW (assay_compare_view_get_type ())
G_DECLARE_FINAL_TYPE (AssayCompareView, assay_compare_view, ASSAY, COMPARE_VIEW, AdwBin)

/* Properties: "ledger" (AssayLedger, nullable), "chosen-columns" (strv: "+id" and "-id" of columns that a person chose to
 * see or not to, for the owner to remember). Signals: "run-activated" (AssayRecord); "problem" (const char *message);
 * "saved" (const char *message). */
GtkWidget *assay_compare_view_new (void);
void assay_compare_view_set_ledger (AssayCompareView *self, AssayLedger *ledger);
void assay_compare_view_select (AssayCompareView *self, const char *const *run_ids); /* NULL-terminated */
const char *assay_compare_view_get_findings (AssayCompareView *self); /* the sentences shown, a line each */

G_END_DECLS
