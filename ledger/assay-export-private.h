/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-export-private.h: what the forms of export share, and the codec of plain records. */
#pragma once

#include "assay-export.h"
#include "assay-gates.h"

G_BEGIN_DECLS

/* runs: (element-type AssayRecord). Each returns the whole text (transfer full). */
char *export_key_value (AssayLedger *ledger, GPtrArray *runs);
char *export_csv (AssayLedger *ledger, GPtrArray *runs);
char *export_json (AssayLedger *ledger, GPtrArray *runs);
char *export_markdown (AssayLedger *ledger, const char *run_id, GError **error);

/* "not judged", "pass", "fail": never translated here. */
const char *export_get_gate (const AssayGates *gates, AssayGate gate);

/* Values as text on one line. Escapes are \n \r \t \\ \xHH; unescape fails (NULL) on any other and \x00. */
char *plain_escape (const char *text);
char *plain_unescape (const char *text, gsize length);

/* "a=1; b=2", ';' '=' and '\' in values escaped with '\'. parse: name → value, NULL when it is none. */
void plain_pairs_add (GString *pairs, const char *name, const char *value); /* nothing for a NULL value */
GHashTable *plain_pairs_parse (const char *text);

gboolean export_is_left_to_engine (AssayRecord *record, AssayFieldId field);  /* in effect, and nobody asked for it */
gboolean export_is_deviation (AssayRecord *record, AssayFieldId field);       /* in effect, and not what was asked for */

G_END_DECLS
