/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-xml-guard.h: what must be true of bytes before libxml2 may see them.
 *
 * Everything here is one linear pass. It exists because libxml2's own limits depend on how a document is fed
 * to it, because it compares every attribute of an element with every other, and because with a DOCTYPE
 * refused here no entity, external subset or parameter entity is ever looked at. */
#pragma once

#include "assay-ledger-error.h"

G_BEGIN_DECLS

#define ASSAY_XML_MAX_BYTES (G_GUINT64_CONSTANT (1) << 30)
#define ASSAY_XML_MAX_DEPTH 64u
#define ASSAY_XML_MAX_ATTRIBUTES 256u
#define ASSAY_XML_MAX_NAME 1000u
#define ASSAY_XML_MAX_RUN_OF_TEXT 10000000u /* one text, comment, CDATA section or tag */

/* Bytes of a file as UTF-8 text without a byte order mark. *notice is set when something was changed on the
 * way (UTF-16, a contradicting declaration). Errors: LOST for an empty or zero-filled file, FORMAT with the
 * offset. `name` is what messages call it. (transfer full) */
GBytes *assay_xml_guard_decode (GBytes *bytes, const char *name, char **notice, GError **error);

/* What to do where a file holds nothing: names its backup where there is one. (transfer full) */
char *assay_xml_guard_dup_way_out (const char *name);

/* Errors: FORMAT with offset and line; CONFLICT for merge conflict markers. What is merely not well-formed
 * passes: the parser says it better. */
gboolean assay_xml_guard_check (GBytes *text, const char *name, GError **error);

/* What the check saw on its way: where the root's children are, if the text is well-formed. */
typedef struct
{
  gsize start, name_end, end;   /* from '<' to behind the last '>' */
} AssayXmlSpan;

typedef struct
{
  gsize head_end;       /* behind the root's start tag */
  gsize tail;           /* where its end tag begins; 0 when it has none */
  GArray *children;     /* (element-type AssayXmlSpan), in order, those with an end tag */
} AssayXmlOutline;

/* children: empty before; may be longer than what is right when FALSE is returned. */
gboolean assay_xml_guard_outline (GBytes *text, AssayXmlOutline *outline);

/* Sets a FORMAT error "NAME: byte N (line M): …". Offsets are of `text`. */
void assay_xml_guard_refuse (GError **error, const char *name, GBytes *text, gsize offset, const char *format,
                             ...) G_GNUC_PRINTF (5, 6);

G_END_DECLS
