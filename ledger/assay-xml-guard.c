/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-xml-guard.c: decoding, and the pass that bounds what the parser may be asked to do. */
#include "assay-xml-guard.h"

#include <glib/gi18n-lib.h>
#include <string.h>

typedef struct
{
  GBytes *bytes;
  const char *text;
  gsize length;
  const char *name;
  guint depth;
  AssayXmlOutline *outline;   /* or NULL */
  GError **error;
} Guard;

static guint
guard_line_of (const char *text, gsize offset)
{
  guint line = 1;

  for (const char *p = text; (p = memchr (p, '\n', offset - (gsize) (p - text))) != NULL; p++)
    line++;
  return line;
}

void
assay_xml_guard_refuse (GError **error, const char *name, GBytes *text, gsize offset, const char *format, ...)
{
  gsize length;
  const char *data = g_bytes_get_data (text, &length);
  va_list args;

  offset = MIN (offset, length);
  va_start (args, format);
  g_autofree char *reason = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_FORMAT,
               _("%s: byte %zu (line %u): %s"), name, offset,
               length == 0 ? 1 : guard_line_of (data, offset), reason);
}

#define guard_fail(guard, offset, ...)                                                                       \
  (assay_xml_guard_refuse ((guard)->error, (guard)->name, (guard)->bytes, (offset), __VA_ARGS__), FALSE)

static gboolean
guard_is_filled_with (const char *data, gsize length, const char *allowed, gsize n_allowed)
{
  for (gsize i = 0; i < length; i++)
    if (memchr (allowed, data[i], n_allowed) == NULL)
      return FALSE;
  return TRUE;
}

static GBytes *
guard_convert_utf16 (GBytes *bytes, const char *name, gboolean big, char **notice, GError **error)
{
  gsize length, read = 0, written = 0;
  const char *data = g_bytes_get_data (bytes, &length);
  char *text = g_convert (data + 2, (gssize) length - 2, "UTF-8", big ? "UTF-16BE" : "UTF-16LE", &read,
                          &written, NULL);

  if (text == NULL || read != length - 2)
    {
      g_free (text);
      assay_xml_guard_refuse (error, name, bytes, read + 2,
                              _("this UTF-16 text breaks off or is damaged here"));
      return NULL;
    }
  *notice = g_strdup (_("The file was UTF-16; it will be saved as UTF-8"));
  return g_bytes_new_take (text, written);
}

/* The encoding named in the XML declaration, or NULL. (transfer full) */
static char *
guard_dup_declared_encoding (const char *text, gsize length)
{
  const char *end;

  if (text == NULL || length < 6 || memcmp (text, "<?xml", 5) != 0)
    return NULL;
  end = memmem (text, MIN (length, 65536), "?>", 2);
  if (end == NULL)
    return NULL;
  const char *at = memmem (text, (gsize) (end - text), "encoding", 8);
  if (at == NULL)
    return NULL;
  for (at += 8; at < end && (*at == ' ' || *at == '='); at++)
    ;
  if (at >= end || (*at != '"' && *at != '\''))
    return NULL;
  const char *stop = memchr (at + 1, *at, (gsize) (end - at - 1));
  return stop == NULL ? NULL : g_strndup (at + 1, MIN ((gsize) (stop - at - 1), 40));
}

static gboolean
guard_check_declaration (GBytes *text, const char *name, gboolean marked, char **notice, GError **error)
{
  gsize length;
  const char *data = g_bytes_get_data (text, &length);
  g_autofree char *encoding = guard_dup_declared_encoding (data, length);

  if (encoding == NULL || g_ascii_strcasecmp (encoding, "UTF-8") == 0
      || g_ascii_strcasecmp (encoding, "US-ASCII") == 0)
    return TRUE;
  if (marked)
    {
      if (*notice == NULL)
        *notice = g_strdup_printf (
            _("The file calls itself %s and is UTF-8 by its first bytes; read as UTF-8"), encoding);
      return TRUE;
    }
  g_autofree char *shown = g_utf8_make_valid (encoding, -1);
  assay_xml_guard_refuse (error, name, text, 0, _("the encoding “%s” is not read; save the file as UTF-8"),
                          shown);
  return FALSE;
}

char *
assay_xml_guard_dup_way_out (const char *name)
{
  g_autofree char *backup = g_strconcat (name, ".bak", NULL);
  if (g_file_test (backup, G_FILE_TEST_IS_REGULAR))
    return g_strdup_printf (_("open the backup %s"), backup);
  return g_strdup (_("there is no backup beside it: take a copy from elsewhere, or remove it and begin anew"));
}

GBytes *
assay_xml_guard_decode (GBytes *bytes, const char *name, char **notice, GError **error)
{
  gsize length;
  const char *data = g_bytes_get_data (bytes, &length);
  g_autoptr(GBytes) text = NULL;
  const char *end = NULL;
  gboolean marked = TRUE;

  if (length == 0 || guard_is_filled_with (data, length, "\0 \t\r\n", 5))
    {
      g_autofree char *way_out = assay_xml_guard_dup_way_out (name);
      g_set_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_LOST,
                   length == 0
                     ? _("%s: the file is empty, as a crash or a full disk leaves it; %s")
                     : _("%s: the file holds nothing but blanks or zeros, as a crash leaves it; %s"),
                   name, way_out);
      return NULL;
    }
  if (length >= 2 && (memcmp (data, "\xff\xfe", 2) == 0 || memcmp (data, "\xfe\xff", 2) == 0))
    text = guard_convert_utf16 (bytes, name, (guchar) data[0] == 0xfe, notice, error);
  else if (length >= 3 && memcmp (data, "\xef\xbb\xbf", 3) == 0)
    text = g_bytes_new_from_bytes (bytes, 3, length - 3);
  else
    {
      text = g_bytes_ref (bytes);
      marked = FALSE;
    }
  if (text == NULL || !guard_check_declaration (text, name, marked, notice, error))
    return NULL;

  data = g_bytes_get_data (text, &length);
  if (length == 0 || g_utf8_validate_len (data, length, &end))
    return g_steal_pointer (&text);
  if (*end == '\0')
    assay_xml_guard_refuse (error, name, text, (gsize) (end - data),
                            _("a zero byte, as a crash leaves behind; the rest is not text"));
  else
    assay_xml_guard_refuse (error, name, text, (gsize) (end - data),
                            _("not UTF-8 (byte %02x); nothing is guessed"), (guchar)*end);
  return NULL;
}

/* The end of a construct that closes with `close`; the text's length when it is not closed. */
static gboolean
guard_skip_to (Guard *guard, gsize *at, const char *close, const char *what)
{
  const gsize n = strlen (close), start = *at;
  const char *end = memmem (guard->text + start, guard->length - start, close, n);

  *at = end == NULL ? guard->length : (gsize) (end - guard->text) + n;
  if (*at - start > ASSAY_XML_MAX_RUN_OF_TEXT)
    return guard_fail (guard, start, _("%s of %zu bytes; at most %u are read"), what,
                       *at - start, ASSAY_XML_MAX_RUN_OF_TEXT);
  return TRUE;
}

static gboolean
guard_doctype (Guard *guard, gsize at)
{
  if (guard->length - at >= 9 && g_ascii_strncasecmp (guard->text + at, "<!DOCTYPE", 9) == 0)
    return guard_fail (guard, at, _("a DOCTYPE; ledgers have none, and none is read"));
  return guard_fail (guard, at, _("“<!” begins nothing that a ledger may hold"));
}

/* A tag that changed the depth. */
static void
guard_note_tag (Guard *guard, gboolean closes, AssayXmlSpan tag)
{
  AssayXmlOutline *outline = guard->outline;
  GArray *children = outline->children;

  if (!closes && guard->depth == 1)
    outline->head_end = tag.end;
  else if (!closes && guard->depth == 2)
    g_array_append_val (children, tag);
  else if (closes && guard->depth == 1 && children->len > 0)
    g_array_index (children, AssayXmlSpan, children->len - 1).end = tag.end;
  else if (closes && guard->depth == 0)
    outline->tail = tag.start;
}

/* From '<' of a tag to behind its '>'. */
static gboolean
guard_tag (Guard *guard, gsize *at)
{
  const gsize start = *at;
  const gboolean closes = start + 1 < guard->length && guard->text[start + 1] == '/';
  gsize i = start + 1;
  guint n_attributes = 0;

  const gsize name = i;
  while (i < guard->length && memchr (" \t\r\n/>", guard->text[i], 6) == NULL)
    i++;
  const gsize name_end = i;
  if (i - name > ASSAY_XML_MAX_NAME)
    return guard_fail (guard, start, _("a name of %zu bytes; at most %u are read"), i - name,
                       ASSAY_XML_MAX_NAME);
  while (i < guard->length && guard->text[i] != '>')
    {
      if (guard->text[i] == '"' || guard->text[i] == '\'')
        {
          const char *end = memchr (guard->text + i + 1, guard->text[i], guard->length - i - 1);
          i = end == NULL ? guard->length - 1 : (gsize) (end - guard->text);
          n_attributes++;
        }
      i++;
    }
  *at = MIN (i + 1, guard->length);
  if (n_attributes > ASSAY_XML_MAX_ATTRIBUTES)
    return guard_fail (guard, start, _("an element with %u attributes; at most %u are read"), n_attributes,
                       ASSAY_XML_MAX_ATTRIBUTES);
  if (*at - start > ASSAY_XML_MAX_RUN_OF_TEXT)
    return guard_fail (guard, start, _("a tag of %zu bytes; at most %u are read"),
                       *at - start, ASSAY_XML_MAX_RUN_OF_TEXT);
  const gboolean opens = !closes && i > 0 && i < guard->length && guard->text[i - 1] != '/';
  if (closes)
    guard->depth -= guard->depth > 0 ? 1 : 0;
  else if (opens && ++guard->depth > ASSAY_XML_MAX_DEPTH)
    return guard_fail (guard, start, _("elements nested more than %u deep"), ASSAY_XML_MAX_DEPTH);
  if (guard->outline != NULL && (opens || closes))
    guard_note_tag (guard, closes, (AssayXmlSpan){ start, name_end, *at });
  return TRUE;
}

static gboolean
guard_markup (Guard *guard, gsize *at)
{
  const char *p = guard->text + *at;
  const gsize left = guard->length - *at;

  if (left >= 8 && memcmp (p, "<<<<<<< ", 8) == 0)
    {
      g_set_error (guard->error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_CONFLICT,
                   _("%s: byte %zu (line %u): a merge conflict was left unresolved; both sides can be "
                      "joined by their runs"),
                   guard->name, *at, guard_line_of (guard->text, *at));
      return FALSE;
    }
  if (left >= 4 && memcmp (p, "<!--", 4) == 0)
    return guard_skip_to (guard, at, "-->", _("a comment"));
  if (left >= 9 && memcmp (p, "<![CDATA[", 9) == 0)
    return guard_skip_to (guard, at, "]]>", _("a CDATA section"));
  if (left >= 2 && p[1] == '?')
    return guard_skip_to (guard, at, "?>", _("a processing instruction"));
  if (left >= 2 && p[1] == '!')
    return guard_doctype (guard, *at);
  return guard_tag (guard, at);
}

static gboolean
guard_check (Guard *guard)
{
  guard->text = g_bytes_get_data (guard->bytes, &guard->length);
  for (gsize at = 0; at < guard->length;)
    {
      const char *next = memchr (guard->text + at, '<', guard->length - at);
      const gsize gap = next == NULL ? guard->length - at : (gsize) (next - guard->text) - at;
      if (gap > ASSAY_XML_MAX_RUN_OF_TEXT)
        return guard_fail (guard, at,
                           _("a text of %zu bytes; at most %u are read (long outputs "
                              "belong into side files)"),
                           gap, ASSAY_XML_MAX_RUN_OF_TEXT);
      if (next == NULL)
        break;
      at += gap;
      if (!guard_markup (guard, &at))
        return FALSE;
    }
  return TRUE;
}

gboolean
assay_xml_guard_check (GBytes *text, const char *name, GError **error)
{
  return guard_check (&(Guard){ .bytes = text, .name = name, .error = error });
}

gboolean
assay_xml_guard_outline (GBytes *text, AssayXmlOutline *outline)
{
  return guard_check (&(Guard){ .bytes = text, .name = "", .outline = outline });
}
