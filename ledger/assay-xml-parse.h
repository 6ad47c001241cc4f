/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-xml-parse.h: libxml2's SAX parser, hardened, with what it lacks: byte offsets of every element
 * and the checksum of its meaning.
 *
 * Elements come as start and end; the text of an element without children comes with its end, exact to the
 * blank. Text between child elements is dropped. No tree is built, nothing recurses, no entity is expanded
 * beyond XML's own five, nothing is fetched. */
#pragma once

#include "assay-record-private.h"

G_BEGIN_DECLS

typedef struct _AssayXmlParser AssayXmlParser;

typedef struct
{
  const char *uri;      /* "" for none */
  const char *prefix;   /* "" for none */
  const char *name;
  const char *value;    /* decoded, NUL-terminated */
} AssayXmlAttribute;

typedef struct
{
  const char *uri;
  const char *name;
  guint depth;          /* the root is 1 */
  gsize start;          /* offset of its '<' */
  const AssayXmlAttribute *attributes;
  guint n_attributes;
  const char *const *declarations; /* namespaces declared here: prefix, URI, …; n_declarations pairs */
  guint n_declarations;
} AssayXmlStart;

typedef struct
{
  const char *name;
  guint depth;
  gsize end;            /* offset behind its '>' */
  const char *text;     /* "" when it has children */
  gsize text_length;
  guint64 hash;         /* since assay_xml_begin_hash() */
} AssayXmlEnd;

typedef struct
{
  void (*start) (AssayXmlParser *parser, const AssayXmlStart *element, gpointer data);
  void (*end) (AssayXmlParser *parser, const AssayXmlEnd *element, gpointer data);
} AssayXmlHandler;

/* text: what assay_xml_guard_decode() gave. Errors: FORMAT or CONFLICT, or what the handler stopped with. */
gboolean assay_xml_parse (GBytes *text, const char *name, const AssayXmlHandler *handler, gpointer data,
                          GError **error);

/* A part of what is parsed in place of a text: bytes, and the offset in the text that the first of them counts as. */
typedef struct
{
  const char *data;
  gsize length;
  gsize at;
} AssayXmlPiece;

/* Parses the pieces as one text; offsets are of `text`, which has passed the guard. FALSE when they
 * are not well-formed. */
gboolean assay_xml_parse_pieces (GBytes *text, const AssayXmlPiece *pieces, guint n_pieces, const AssayXmlHandler *handler,
                                 gpointer data);

/* Parses one element out of its file: bytes of the element and the namespaces in force around it. Depths and
 * offsets are as if the element were the root. */
gboolean assay_xml_parse_fragment (GBytes *bytes, const AssayScope *scope, const AssayXmlHandler *handler,
                                   gpointer data, GError **error);

/* For handlers: from a start handler, begins a checksum with this very element, its `checksum` attribute left
 * out. */
void assay_xml_begin_hash (AssayXmlParser *parser);
/* For handlers: ends the parse with a FORMAT error at `offset`. */
void assay_xml_stop (AssayXmlParser *parser, gsize offset, const char *format, ...) G_GNUC_PRINTF (3, 4);

/* Attributes without a namespace. NULL when absent; dup undoes the escaped form if the element says so. */
const char *assay_xml_get_attribute (const AssayXmlStart *element, const char *name);
char *assay_xml_dup_attribute (const AssayXmlStart *element, const char *name);
gboolean assay_xml_is_escaped (const AssayXmlStart *element,
                               const char *part); /* part: attribute name, or "text" */

/* Behind the '>' that ends the start tag at `start`; quoted values may hold one. */
gsize assay_xml_find_tag_end (const char *text, gsize length, gsize start);
gboolean assay_xml_is_blank (const char *text, gsize length);

G_END_DECLS
