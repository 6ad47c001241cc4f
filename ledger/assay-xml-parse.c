/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-xml-parse.c: the one place that calls libxml2's parser.
 *
 * Options: NONET, and none of NOENT, DTDLOAD, DTDATTR, DTDVALID, XINCLUDE, HUGE, RECOVER. The SAX table is
 * our own and holds no entity, DTD or external callback, so a declaration that slipped past the guard would
 * find nobody home. */
#include "assay-xml-parse.h"

#include <glib/gi18n-lib.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <string.h>

#include "assay-canon.h"
#include "assay-text-code.h"
#include "assay-xml-guard.h"

#define PARSER_KNOWN 64u

/* libxml2 gives one name the same address for as long as it parses a file. */
typedef struct
{
  const xmlChar *name, *uri;
  gboolean is_container;
} KnownName;

struct _AssayXmlParser
{
  /* borrowed */
  GBytes *bytes;
  const char *text;
  gsize length;
  const char *name;
  const AssayXmlPiece *pieces;
  guint n_pieces;
  const AssayXmlHandler *handler;
  gpointer data;
  xmlParserCtxtPtr context;

  /* owned */
  GString *pending;         /* text of the element that is open */
  GString *values;          /* decoded attribute values of the present start tag */
  GArray *attributes;       /* (element-type AssayXmlAttribute) */
  GArray *canon;            /* (element-type AssayCanonAttribute) */
  GPtrArray *declarations;  /* (element-type char*), borrowed: prefix, URI, … of the present start tag */
  GError *error;

  guint fed;                /* the piece libxml2 is given next, and how much of it it has */
  gsize fed_length;
  guint piece;              /* the one that the parser is in, and where it begins in what libxml2 was given */
  gsize piece_start;
  guint depth;
  guint first_depth;        /* elements above this are the wrapper of a fragment */
  gsize first_offset;
  guint64 hash;
  gboolean hash_begins;
  KnownName known[PARSER_KNOWN];
  gboolean has_children[ASSAY_XML_MAX_DEPTH + 3];
  gboolean is_container[ASSAY_XML_MAX_DEPTH + 3];
};

gboolean
assay_xml_is_blank (const char *text, gsize length)
{
  for (gsize i = 0; i < length; i++)
    if (text[i] != ' ' && text[i] != '\t' && text[i] != '\n' && text[i] != '\r')
      return FALSE;
  return TRUE;
}

gsize
assay_xml_find_tag_end (const char *text, gsize length, gsize start)
{
  char quote = '\0';

  for (gsize i = start; i < length; i++)
    if (quote != '\0')
      quote = text[i] == quote ? '\0' : quote;
    else if (text[i] == '"' || text[i] == '\'')
      quote = text[i];
    else if (text[i] == '>')
      return i + 1;
  return length;
}

void
assay_xml_begin_hash (AssayXmlParser *parser)
{
  parser->hash = assay_canon_new ();
  parser->hash_begins = TRUE;
}

static void
parser_fail (AssayXmlParser *self, gsize offset, const char *reason)
{
  if (self->error == NULL)
    assay_xml_guard_refuse (&self->error, self->name, self->bytes, offset, "%s", reason);
  xmlStopParser (self->context);
}

void
assay_xml_stop (AssayXmlParser *parser, gsize offset, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  g_autofree char *reason = g_strdup_vprintf (format, args);
  va_end (args);
  parser_fail (parser, offset + parser->first_offset, reason);
}

/* From what libxml2 was given to the text. Between two pieces, it is the end of the first. */
static gsize
parser_locate (AssayXmlParser *self, gsize consumed)
{
  while (self->piece > 0 && consumed <= self->piece_start)
    self->piece_start -= self->pieces[--self->piece].length;
  while (self->piece + 1 < self->n_pieces && consumed > self->piece_start + self->pieces[self->piece].length)
    self->piece_start += self->pieces[self->piece++].length;
  return self->pieces[self->piece].at + (consumed - self->piece_start);
}

static gsize
parser_get_offset (AssayXmlParser *self)
{
  const long consumed = xmlByteConsumed (self->context);
  return consumed < 0 ? 0 : MIN (parser_locate (self, (gsize) consumed), self->length);
}

/* A start tag is reported before its '>' is read, and '<' cannot stand inside one. */
static gsize
parser_get_tag_start (AssayXmlParser *self)
{
  const gsize offset = parser_get_offset (self);
  const char *start = memrchr (self->text, '<', offset);
  return start == NULL ? 0 : (gsize) (start - self->text);
}

/* An end tag is reported behind its '>'. */
static gsize
parser_get_tag_end (AssayXmlParser *self)
{
  const gsize offset = parser_get_offset (self);

  if (offset > 0 && self->text[offset - 1] == '>')
    return offset;
  const char *end = memchr (self->text + offset, '>', self->length - offset);
  return end == NULL ? self->length : (gsize) (end - self->text) + 1;
}

/* Elements of ours that never hold text: blanks in them mean nothing, even when they are empty. */
static gboolean
parser_is_container (const char *uri, const char *name)
{
  static const char *const containers[]
      = { "ledger",    "criteria", "feasibility", "quality",    "operation",  "criterion",
          "questions", "question", "run",         "conditions", "effective",  "burden",
          "outcome",   "phase",    "samples",     "review",     "next_trial", NULL };
  return g_str_has_prefix (uri, "urn:assay:ledger:") && g_strv_contains (containers, name);
}

static gboolean
parser_knows_container (AssayXmlParser *self, const xmlChar *uri, const xmlChar *name)
{
  KnownName *known = &self->known[((gsize) name / sizeof (gpointer)) % PARSER_KNOWN];

  if (known->name != name || known->uri != uri)
    *known = (KnownName){ name, uri, parser_is_container (uri == NULL ? "" : (const char *) uri, (const char *) name) };
  return known->is_container;
}

static void
parser_hash_text (AssayXmlParser *self, gboolean exact)
{
  if (self->pending->len > 0 && (exact || !assay_xml_is_blank (self->pending->str, self->pending->len)))
    self->hash = assay_canon_text (self->hash, self->pending->str, self->pending->len);
}

/* libxml2 hands '&' in attributes on as "&#38;", for a tree builder to expand; no other '&' can occur. */
static void
parser_append_value (GString *out, const char *value, gsize length)
{
  for (gsize i = 0; i < length; i++)
    {
      g_string_append_c (out, value[i]);
      if (value[i] == '&' && length - i >= 5 && memcmp (value + i, "&#38;", 5) == 0)
        i += 4;
    }
  g_string_append_c (out, '\0');
}

/* xml: [n][5] localname, prefix, URI, value, end of value */
static void
parser_take_attributes (AssayXmlParser *self, int n, const xmlChar **xml)
{
  gsize at = 0;

  g_string_truncate (self->values, 0);
  g_array_set_size (self->attributes, 0);
  for (int i = 0; i < n; i++)
    parser_append_value (self->values, (const char *) xml[5 * i + 3],
                         (gsize) (xml[5 * i + 4] - xml[5 * i + 3]));
  for (int i = 0; i < n; i++)
    {
      const AssayXmlAttribute attribute = {
        .name = (const char *) xml[5 * i],
        .prefix = xml[5 * i + 1] == NULL ? "" : (const char *) xml[5 * i + 1],
        .uri = xml[5 * i + 2] == NULL ? "" : (const char *) xml[5 * i + 2],
        .value = self->values->str + at,
      };
      g_array_append_val (self->attributes, attribute);
      at += strlen (attribute.value) + 1;
    }
}

static void
parser_hash_start (AssayXmlParser *self, const char *uri, const char *name)
{
  g_array_set_size (self->canon, 0);
  for (guint i = 0; i < self->attributes->len; i++)
    {
      const AssayXmlAttribute *from = &g_array_index (self->attributes, AssayXmlAttribute, i);
      const AssayCanonAttribute to = { from->uri, from->name, from->value, strlen (from->value) };
      if (!self->hash_begins || *from->uri != '\0' || !g_str_equal (from->name, "checksum"))
        g_array_append_val (self->canon, to);
    }
  self->hash_begins = FALSE;
  self->hash = assay_canon_start (self->hash, uri, name, (AssayCanonAttribute *) self->canon->data,
                                  self->canon->len);
}

static void
on_start (void *data, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri, int n_namespaces,
          const xmlChar **namespaces, int n_attributes, int n_defaulted, const xmlChar **attributes)
{
  AssayXmlParser *self = data;
  const gsize start = parser_get_tag_start (self);

  if (++self->depth > ASSAY_XML_MAX_DEPTH + 1)
    {
      parser_fail (self, start, _("elements nested too deep"));
      return;
    }
  parser_hash_text (self, FALSE);
  g_string_truncate (self->pending, 0);
  self->has_children[self->depth - 1] = TRUE;
  self->has_children[self->depth] = FALSE;
  self->is_container[self->depth] = parser_knows_container (self, uri, name);
  if (self->depth <= self->first_depth)
    return;
  parser_take_attributes (self, n_attributes, attributes);
  g_ptr_array_set_size (self->declarations, 0);
  for (int i = 0; i < 2 * n_namespaces; i++) /* the default one has no prefix; an undeclared one no URI */
    g_ptr_array_add (self->declarations, namespaces[i] == NULL ? (gpointer) "" : (gpointer) namespaces[i]);

  const AssayXmlStart element = {
    .uri = uri == NULL ? "" : (const char *) uri,
    .name = (const char *) name,
    .depth = self->depth - self->first_depth,
    .start = start - self->first_offset,
    .attributes = (const AssayXmlAttribute *) self->attributes->data,
    .n_attributes = self->attributes->len,
    .declarations = (const char *const *) self->declarations->pdata,
    .n_declarations = (guint) n_namespaces,
  };
  self->handler->start (self, &element, self->data);
  parser_hash_start (self, element.uri, element.name);
}

static void
on_end (void *data, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri)
{
  AssayXmlParser *self = data;
  const gboolean leaf = !self->has_children[self->depth];

  parser_hash_text (self, leaf && !self->is_container[self->depth]);
  self->hash = assay_canon_end (self->hash);
  const AssayXmlEnd element = {
    .name = (const char *) name,
    .depth = self->depth - self->first_depth,
    .end = parser_get_tag_end (self) - self->first_offset,
    .text = leaf ? self->pending->str : "",
    .text_length = leaf ? self->pending->len : 0,
    .hash = self->hash,
  };
  if (self->depth > self->first_depth)
    self->handler->end (self, &element, self->data);
  g_string_truncate (self->pending, 0);
  self->depth--;
}

static void
on_characters (void *data, const xmlChar *text, int length)
{
  AssayXmlParser *self = data;

  g_string_append_len (self->pending, (const char *) text, length);
  if (self->pending->len > ASSAY_XML_MAX_RUN_OF_TEXT)
    parser_fail (self, parser_get_offset (self), _("a text longer than is read"));
}

static void
on_error (void *data, xmlErrorPtr xml_error)
{
  AssayXmlParser *self = data;

  if (xml_error->level == XML_ERR_WARNING || xml_error->code == XML_ERR_USER_STOP)
    return;
  g_autofree char *reason = g_strchomp (g_strdup (xml_error->message == NULL ? "" : xml_error->message));
  g_autofree char *valid = g_utf8_make_valid (reason, -1);
  parser_fail (self, parser_get_offset (self), valid);
}

static int
parser_feed (void *data, char *buffer, int length)
{
  AssayXmlParser *self = data;
  gsize n = 0;

  while (n < (gsize) length && self->fed < self->n_pieces)
    {
      const AssayXmlPiece *piece = &self->pieces[self->fed];
      const gsize part = MIN ((gsize) length - n, piece->length - self->fed_length);
      memcpy (buffer + n, piece->data + self->fed_length, part);
      n += part;
      self->fed_length += part;
      if (self->fed_length < piece->length)
        break;
      self->fed++;
      self->fed_length = 0;
    }
  return (int) n;
}

static const xmlSAXHandler parser_sax = {
  .initialized = XML_SAX2_MAGIC,
  .startElementNs = on_start,
  .endElementNs = on_end,
  .characters = on_characters,
  .ignorableWhitespace = on_characters,
  .cdataBlock = on_characters,
  .serror = on_error,
};

static gboolean
parser_open (AssayXmlParser *self, GError **error)
{
  static gsize ready = 0;
  xmlSAXHandler sax = parser_sax;

  if (g_once_init_enter (&ready))
    {
      xmlInitParser ();
      g_once_init_leave (&ready, 1);
    }
  self->context = xmlCreateIOParserCtxt (&sax, self, parser_feed, NULL, self, XML_CHAR_ENCODING_UTF8);
  if (self->context == NULL)
    {
      g_set_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_FORMAT, _("%s: no memory for the parser"),
                   self->name);
      return FALSE;
    }
  xmlCtxtUseOptions (self->context, XML_PARSE_NONET | XML_PARSE_BIG_LINES | XML_PARSE_IGNORE_ENC);
  self->pending = g_string_new (NULL);
  self->values = g_string_new (NULL);
  self->attributes = g_array_new (FALSE, FALSE, sizeof (AssayXmlAttribute));
  self->canon = g_array_new (FALSE, FALSE, sizeof (AssayCanonAttribute));
  self->declarations = g_ptr_array_new ();
  return TRUE;
}

static void
parser_close (AssayXmlParser *self)
{
  xmlFreeParserCtxt (self->context);
  g_string_free (self->pending, TRUE);
  g_string_free (self->values, TRUE);
  g_array_unref (self->attributes);
  g_array_unref (self->canon);
  g_ptr_array_unref (self->declarations);
}

/* pieces NULL: the text is parsed as it is. */
static gboolean
parser_run (AssayXmlParser *self, GError **error)
{
  self->text = g_bytes_get_data (self->bytes, &self->length);
  const AssayXmlPiece whole = { self->text, self->length, 0 };
  if (self->pieces == NULL)
    {
      self->pieces = &whole;
      self->n_pieces = 1;
    }
  if (!parser_open (self, error))
    return FALSE;
  const int failed = xmlParseDocument (self->context);
  if ((failed != 0 || !self->context->wellFormed) && self->error == NULL)
    parser_fail (self, parser_get_offset (self), _("the text is no well-formed XML"));
  parser_close (self);
  if (self->error == NULL)
    return TRUE;
  g_propagate_error (error, self->error);
  return FALSE;
}

gboolean
assay_xml_parse (GBytes *text, const char *name, const AssayXmlHandler *handler, gpointer data,
                 GError **error)
{
  AssayXmlParser self = { .bytes = text, .name = name, .handler = handler, .data = data };
  return assay_xml_guard_check (text, name, error) && parser_run (&self, error);
}

gboolean
assay_xml_parse_pieces (GBytes *text, const AssayXmlPiece *pieces, guint n_pieces, const AssayXmlHandler *handler,
                        gpointer data)
{
  g_autoptr(GError) error = NULL;
  AssayXmlParser self = { .bytes = text, .name = "", .pieces = pieces, .n_pieces = n_pieces, .handler = handler,
                          .data = data };
  return parser_run (&self, &error);
}

gboolean
assay_xml_parse_fragment (GBytes *bytes, const AssayScope *scope, const AssayXmlHandler *handler,
                          gpointer data, GError **error)
{
  gsize length;
  const char *fragment = g_bytes_get_data (bytes, &length);
  GString *wrapped = g_string_sized_new (length + 200);

  g_string_append (wrapped, "<w");
  for (char **p = scope->declarations; *p != NULL; p += 2)
    {
      g_string_append_printf (wrapped, " xmlns%s%s=\"", *p[0] == '\0' ? "" : ":", p[0]);
      assay_text_append (wrapped, p[1], strlen (p[1]), ASSAY_TEXT_ATTRIBUTE, FALSE);
      g_string_append_c (wrapped, '"');
    }
  g_string_append_c (wrapped, '>');
  const gsize first = wrapped->len;
  g_string_append_len (wrapped, fragment, (gssize) length);
  g_string_append (wrapped, "</w>");

  g_autoptr(GBytes) text = g_string_free_to_bytes (wrapped);
  AssayXmlParser self = { .bytes = text, .name = _("run"), .handler = handler, .data = data, .first_depth = 1,
                          .first_offset = first };
  return assay_xml_guard_check (text, self.name, error) && parser_run (&self, error);
}

const char *
assay_xml_get_attribute (const AssayXmlStart *element, const char *name)
{
  for (guint i = 0; i < element->n_attributes; i++)
    if (*element->attributes[i].uri == '\0' && g_str_equal (element->attributes[i].name, name))
      return element->attributes[i].value;
  return NULL;
}

gboolean
assay_xml_is_escaped (const AssayXmlStart *element, const char *part)
{
  const char *list = assay_xml_get_attribute (element, "escaped");
  const gsize length = strlen (part);

  for (const char *p = list; p != NULL && *p != '\0'; p += strspn (p, " "))
    {
      const gsize n = strcspn (p, " ");
      if (n == length && memcmp (p, part, n) == 0)
        return TRUE;
      p += n;
    }
  return FALSE;
}

char *
assay_xml_dup_attribute (const AssayXmlStart *element, const char *name)
{
  const char *value = assay_xml_get_attribute (element, name);

  if (value == NULL || !assay_xml_is_escaped (element, name))
    return g_strdup (value);
  return assay_text_unescape (value, strlen (value), NULL);
}
