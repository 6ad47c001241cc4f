/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-report-pdf.h: a report as one PDF that a person can hand to a colleague: A4, with an outline, numbered pages,
 * the drawings of the window, and text that other programs can read. */
#pragma once

#include <gio/gio.h>

#include "assay-report.h"

G_BEGIN_DECLS

/* All of the ledger, or one run with its chain. Takes the time of drawing: off the UI thread, on a ledger of the
 * thread's own (a snapshot). (transfer full) */
GBytes *assay_report_pdf_render (AssayLedger *ledger, const char *run_id, GError **error);

/* The same, written whole or not at all: a full disk leaves what was there. */
gboolean assay_report_pdf_write (AssayLedger *ledger, const char *run_id, const char *path, GError **error);

G_END_DECLS
