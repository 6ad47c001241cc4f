/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-xml-runs.h: the runs of a large ledger, read by several threads before the rest of it.
 *
 * Nearly all of a ledger is its runs, and a run can be read without its neighbours. The guard's pass tells where each
 * begins and ends if the text is well-formed; threads parse them, each a part, as a ledger with these runs alone; then
 * the rest is parsed with an empty element in place of each run, and takes the records as it comes to them. An element
 * may stand wherever another one may, so both ways say the same: when each run is one whole element, and each empty
 * one was read where it was put. Where anything else comes out, there is no result, and the text is read in one
 * pass. */
#pragma once

#include "assay-xml-parse.h"

G_BEGIN_DECLS

typedef struct _AssayXmlRuns AssayXmlRuns;

/* How many threads are worth it; 1: none beside this one. */
guint assay_xml_runs_count_threads (GBytes *text);

/* text, assets: borrowed until it is freed. NULL: in one pass, please. */
AssayXmlRuns *assay_xml_runs_read (GBytes *text, const char *assets, guint n_threads);
void assay_xml_runs_free (AssayXmlRuns *self);

/* The text without the runs; its offsets are those of all of it. FALSE: in one pass, please. */
gboolean assay_xml_runs_parse_rest (AssayXmlRuns *self, const AssayXmlHandler *handler, gpointer data);

/* For its handler, to be asked of every child of the root: the record of the run that begins there, with its seal; or
 * NULL. (transfer full) */
AssayRecord *assay_xml_runs_take (AssayXmlRuns *self, gsize start);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayXmlRuns, assay_xml_runs_free)

G_END_DECLS
