/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-xml-read.h: from XML to records and ledgers. Text comes from assay_xml_guard_decode(). */
#pragma once

#include "assay-ledger-private.h"
#include "assay-xml-parse.h"

G_BEGIN_DECLS

/* A whole ledger. `assets` is the folder of its side files, or NULL when there is none at hand. Records come
 * sealed. */
AssayLedger *assay_xml_read_ledger (GBytes *text, const char *name, const char *assets, GError **error);

/* The same, its runs read by several threads at once, as assay_xml_read_ledger() does with large texts. NULL where that
 * cannot be shown to be the same. */
AssayLedger *assay_xml_read_ledger_apart (GBytes *text, const char *assets, guint n_threads);

/* The checksum of title, criteria and questions that the root states. FALSE when the text is no ledger. */
gboolean assay_xml_hash_header (GBytes *text, guint64 *hash);

/* One <run> element. NULL when it is not well-formed; what it says may be damaged all the same. Not sealed;
 * checks that need the ledger are the caller's. */
AssayRecord *assay_xml_read_run (GBytes *bytes, AssayScope *scope, const char *assets, GError **error);

/* The series in a record's bytes, which were read before. Called under the record's lock. (transfer full) */
AssaySeries *assay_xml_read_series (AssayRecord *record);

/* ---- for the two readers ---- */

typedef struct _AssayRunReader AssayRunReader;

/* uri: the namespace that counts as ours. assets: borrowed. */
AssayRunReader *assay_run_reader_new (const char *uri, const char *assets);
AssayRunReader *assay_run_reader_new_for_series (AssaySeries *series); /* fills it beside reading the rest */
void assay_run_reader_set_uri (AssayRunReader *self, const char *uri);
void assay_run_reader_free (AssayRunReader *self);
/* Depths are relative: the run is 1. */
void assay_run_reader_start (AssayRunReader *self, const AssayXmlStart *element, guint depth);
void assay_run_reader_end (AssayRunReader *self, const AssayXmlEnd *element, guint depth);
/* After the end of depth 1: the record, with its checksum compared; source and scope are the caller's to set.
 */
AssayRecord *assay_run_reader_steal (AssayRunReader *self);

G_END_DECLS
