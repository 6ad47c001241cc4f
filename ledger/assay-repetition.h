/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-repetition.h: text that is one short pattern over and over.
 *
 * A sign of arithmetic that broke, on a device or in a format, and no judgment: a person may have asked for it. Any
 * thread. */
#pragma once

#include "assay-record.h"

G_BEGIN_DECLS

/* The share of the text that lies in its longest stretch of a repeated pattern of at most 16 bytes; 0 for texts of fewer
 * than 64 bytes and patterns that come fewer than 8 times. 0..1 */
double assay_repetition_measure (const char *text, gsize length);
/* Does an output of the record consist of that? */
gboolean assay_repetition_is_suspicious (AssayRecord *record);
/* "suspicious: repetition 100 % (q3, q7)"; NULL where nothing is. (transfer full) */
char *assay_repetition_dup_note (AssayRecord *record);

G_END_DECLS
