/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-export.h: ledgers as text for other programs, and the plain record read back. */
#pragma once

#include "assay-ledger.h"

G_BEGIN_DECLS

typedef enum { ASSAY_EXPORT_KEY_VALUE, ASSAY_EXPORT_CSV, ASSAY_EXPORT_JSON, ASSAY_EXPORT_MARKDOWN } AssayExportFormat;

gboolean assay_export_format_from_name (const char *name, AssayExportFormat *format); /* kv, csv, json, md */

/* All runs, or only `run_id` (NO_SUCH when there is none). The three groups and the three gates stand apart in
 * every form; no review is "not judged". (transfer full)
 *
 * Key-value, CSV and Markdown give the values in effect under the record's names, and what was asked for apart.
 *
 * Key-value: the source section's plain record, "name: value" a line, runs apart by an empty line. Empty is
 *   unset; "unknown: reason" is unknown; text is escaped on one line (\n, \\, \xHH), "" is the empty text.
 *   Beside the fields: parent, changed, requested.NAME (where it differs from NAME), left_to_engine (names of
 *   what nobody asked for), NAME.measure, gate_NAME (derived: an import ignores it). Outputs, series, scores
 *   and damaged runs are not in it.
 * CSV: RFC 4180, one column a field; text that a spreadsheet would run as a formula begins with '. An unknown
 *   is an empty cell and stands, with its reason, in the column `unknown`.
 * JSON: full fidelity, conditions as asked for and `effective` apart; a text that is not UTF-8 is
 *   {"base64": …}.
 * Markdown: for people; what all runs share once, then a table of what differs. */
char *assay_export_ledger (AssayLedger *ledger, const char *run_id, AssayExportFormat format, GError **error);
char *assay_export_record_json (AssayLedger *ledger, AssayRecord *record); /* one run */

/* One more cell of the line at the end of `out`, as the CSV above has its texts; NULL is empty. Lines end in "\r\n". */
void assay_export_add_csv_text (GString *out, const char *text);

/* Reads plain records, sealed. Strict: an unknown key, a key given twice, a number that could be read in two
 * ways (decimal comma, "Mb") is an error with `name` and line, and nothing is imported. Sizes may carry
 * units: B, KiB … TiB (1024) and kB … TB (1000), spelt exactly. A record without run_id gets a new one; a
 * quality_note becomes a review by "import" without a verdict; free text in next_trial becomes the note of
 * one that cannot be followed. Verdicts of gates are let go, which the record's notices tell. Returns:
 * (transfer full) (element-type AssayRecord). */
GPtrArray *assay_import_key_value (const char *text, gssize length, const char *name, GError **error);

/* A question set file (data/questions/NAME.questions.xml), read as a hostile file. *set: "name sha256:…", the
 * hash over ids, languages, texts and expected answers, whatever the file's spacing. Returns: (transfer full)
 * (element-type AssayQuestion); NULL with FORMAT, naming the file and the line. */
GPtrArray *assay_questions_load (const char *path, char **set, GError **error);

G_END_DECLS
