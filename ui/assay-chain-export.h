/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-chain-export.h: a chain as a PNG, SVG or PDF file, the same drawing as on screen, on paper's colours.
 *
 * PNG and SVG are one picture; a PDF has pages. Rendered and written on a worker thread, whole or not at all. */
#pragma once

#include "assay-chain.h"
#include "assay-chart-export.h"

G_BEGIN_DECLS

/* ledger: of the calling thread. */
GBytes *assay_chain_export_render (AssayLedger *ledger, const char *run_id, AssayChartFormat format, GError **error);

void assay_chain_export_async (AssayLedger *ledger, const char *run_id, AssayChartFormat format, GFile *file,
                               GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data);
gboolean assay_chain_export_finish (GAsyncResult *result, GError **error);

G_END_DECLS
