/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-text-code.h: any bytes as XML text, and back.
 *
 * XML 1.0 cannot carry control characters, lone surrogates, U+FFFE or bytes that are no UTF-8, and libxml2's
 * writer writes them all the same, into a file that nothing can read again. A model prints such bytes every
 * day. So a text that XML can carry is written as it is, and any other in an escaped form, named as such
 * beside it: \xHH     one byte
 *   \\       a backslash
 *   \ and a line end   nothing: keeps lines of the file short
 * The escaped form is chosen only where it is needed, so that files stay readable. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum { ASSAY_TEXT_ELEMENT, ASSAY_TEXT_ATTRIBUTE } AssayTextPlace;

gboolean assay_text_needs_escape (const char *bytes, gsize length);
void assay_text_append (GString *xml, const char *bytes, gsize length, AssayTextPlace place,
                        gboolean escaped);

/* Undoes the escaped form. Returns: (transfer full) bytes with a NUL behind them; what is no escape stays. */
char *assay_text_unescape (const char *text, gsize length, gsize *out_length);

G_END_DECLS
