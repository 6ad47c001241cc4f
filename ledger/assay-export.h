/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-export.h: ledgers as text for other programs, and the plain record read back. */
#pragma once

#include "assay-ledger.h"

G_BEGIN_DECLS

typedef enum { ASSAY_EXPORT_KEY_VALUE, ASSAY_EXPORT_CSV, ASSAY_EXPORT_JSON, ASSAY_EXPORT_MARKDOWN } AssayExportFormat;

gboolean assay_export_format_from_name (const char *name, AssayExportFormat *format); /* kv, csv, json, md */

/* All runs, or only `run_id`. Key-value: the source section's plain record, "name: value" a line, runs apart by an
 * empty line; text is escaped on one line (\n, \\). CSV: RFC 4180, one column a field, names as in the record, cells
 * that a spreadsheet would run as a formula guarded. JSON: full fidelity. The three groups and the three gates stand
 * apart everywhere; no review is "not judged". (transfer full) */
char *assay_export_ledger (AssayLedger *ledger, const char *run_id, AssayExportFormat format, GError **error);
char *assay_export_record_json (AssayLedger *ledger, AssayRecord *record); /* one run */

/* Reads plain records. Unknown keys are errors with their line. Returns: (transfer full) (element-type AssayRecord). */
GPtrArray *assay_import_key_value (const char *text, gssize length, const char *name, GError **error);

/* A question set file (data/questions/NAME.questions.xml). Returns (element-type AssayQuestion); *set: "name sha256:…". */
GPtrArray *assay_questions_load (const char *path, char **set, GError **error);

G_END_DECLS
