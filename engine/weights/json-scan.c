/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/json-scan.c: each open object keeps the names it had so far, to find the second of a
 * kind. */
#include "json-scan.h"

#include "name-table.h"

#include <string.h>

typedef struct
{
  gboolean is_object;
  gboolean is_empty;     /* nothing in it yet */
  GArray *names;         /* AssayBytes; kept for the next object at this depth */
  NameTable *table;
} JsonLevel;

struct _AssayJsonScan
{
  const char *text;
  gsize length, at;
  guint depth, depth_max;
  gboolean is_started;
  AssayJsonFault fault;
  const char *problem;
  AssayBytes twice;
  GStringChunk *strings; /* made when the first escape is met */
  GString *decoded;      /* scratch */
  JsonLevel levels[ASSAY_JSON_DEPTH_LIMIT];
};

static gboolean
json_fail (AssayJsonScan *self, AssayJsonFault fault, gsize at, const char *problem)
{
  if (self->fault == ASSAY_JSON_FAULT_NONE)
    {
      self->fault = fault;
      self->problem = problem;
      self->at = MIN (at, self->length);
    }
  return FALSE;
}

AssayJsonScan *
assay_json_scan_new (const char *text, gsize length, guint depth_max)
{
  const char *end;
  AssayJsonScan *self = g_new0 (AssayJsonScan, 1);
  self->text = text;
  self->length = length;
  self->depth_max = MIN (depth_max, (guint) ASSAY_JSON_DEPTH_LIMIT);
  self->decoded = g_string_new (NULL);
  if (length >= 3 && memcmp (text, "\357\273\277", 3) == 0)
    json_fail (self, ASSAY_JSON_FAULT_SYNTAX, 0, "begins with a byte-order mark");
  else if (!g_utf8_validate_len (text, length, &end))
    json_fail (self, *end != '\0' ? ASSAY_JSON_FAULT_UNICODE : ASSAY_JSON_FAULT_SYNTAX, (gsize) (end - text),
               *end != '\0' ? "is no UTF-8" : "holds a zero byte");
  return self;
}

void
assay_json_scan_free (AssayJsonScan *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (self->levels); i++)
    {
      assay_name_table_free (self->levels[i].table);
      g_clear_pointer (&self->levels[i].names, g_array_unref);
    }
  g_clear_pointer (&self->strings, g_string_chunk_free);
  g_string_free (self->decoded, TRUE);
  g_free (self);
}

AssayJsonFault
assay_json_scan_get_fault (const AssayJsonScan *self)
{
  return self->fault;
}

const char *
assay_json_scan_get_problem (const AssayJsonScan *self)
{
  return self->problem;
}

gsize
assay_json_scan_get_offset (const AssayJsonScan *self)
{
  return self->at;
}

AssayBytes
assay_json_scan_get_twice (const AssayJsonScan *self)
{
  return self->twice;
}

static AssayBytes
json_name_of (gconstpointer owner, guint32 index)
{
  const JsonLevel *level = owner;
  return g_array_index (level->names, AssayBytes, index);
}

static gboolean
json_open (AssayJsonScan *self, gboolean is_object)
{
  if (self->depth == self->depth_max)
    return json_fail (self, ASSAY_JSON_FAULT_DEPTH, self->at, "nests too deep");
  JsonLevel *level = &self->levels[self->depth++];
  level->is_object = is_object;
  level->is_empty = TRUE;
  if (is_object && level->names == NULL)
    {
      level->names = g_array_new (FALSE, FALSE, sizeof (AssayBytes));
      level->table = assay_name_table_new (json_name_of, level);
    }
  else if (is_object)
    {
      g_array_set_size (level->names, 0);
      assay_name_table_clear (level->table);
    }
  return TRUE;
}

static void
json_skip_blanks (AssayJsonScan *self)
{
  while (self->at < self->length && memchr (" \t\r\n", self->text[self->at], 4) != NULL)
    self->at++;
}

/* '\0' at the end: the text holds none. */
static char
json_peek (const AssayJsonScan *self)
{
  return self->at < self->length ? self->text[self->at] : '\0';
}

static gint64
json_hex4 (const AssayJsonScan *self, gsize at)
{
  gint64 value = 0;
  if (at + 4 > self->length)
    return -1;
  for (gsize i = at; i < at + 4; i++)
    {
      const gint digit = g_ascii_xdigit_value (self->text[i]);
      if (digit < 0)
        return -1;
      value = value << 4 | digit;
    }
  return value;
}

/* self->at: at the 'u'. A pair of surrogates is one character; half a pair is none. */
static gboolean
json_read_unicode (AssayJsonScan *self)
{
  const gsize start = self->at - 1;
  gint64 c = json_hex4 (self, self->at + 1);
  if (c < 0)
    return json_fail (self, ASSAY_JSON_FAULT_SYNTAX, start, "has \\u without four hex digits");
  self->at += 5;
  if (c >= 0xd800 && c < 0xdc00 && self->at + 6 <= self->length && self->text[self->at] == '\\'
      && self->text[self->at + 1] == 'u')
    {
      const gint64 low = json_hex4 (self, self->at + 2);
      if (low >= 0xdc00 && low < 0xe000)
        {
          c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
          self->at += 6;
        }
    }
  if (c >= 0xd800 && c < 0xe000)
    return json_fail (self, ASSAY_JSON_FAULT_UNICODE, start, "has half of a surrogate pair");
  g_string_append_unichar (self->decoded, (gunichar) c);
  return TRUE;
}

static gboolean
json_read_escape (AssayJsonScan *self)
{
  static const char letters[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
  self->at++;
  const char c = json_peek (self);
  const char *letter = c != '\0' ? strchr (letters, c) : NULL;
  if (c == 'u')
    return json_read_unicode (self);
  if (letter == NULL)
    return json_fail (self, ASSAY_JSON_FAULT_SYNTAX, self->at, "has an unknown escape");
  g_string_append_c (self->decoded, values[letter - letters]);
  self->at++;
  return TRUE;
}

/* Copies runs of plain characters and decodes what stands between them. */
static gboolean
json_read_escaped (AssayJsonScan *self, gsize start, AssayBytes *out)
{
  g_string_truncate (self->decoded, 0);
  for (gsize from = start;; from = self->at)
    {
      while (self->at < self->length && self->text[self->at] != '"' && self->text[self->at] != '\\'
             && (guint8) self->text[self->at] >= 0x20)
        self->at++;
      g_string_append_len (self->decoded, self->text + from, (gssize) (self->at - from));
      const char c = json_peek (self);
      if (c == '"')
        break;
      if (c != '\\')
        return json_fail (self, ASSAY_JSON_FAULT_SYNTAX, self->at, "has a string that does not end");
      if (!json_read_escape (self))
        return FALSE;
    }
  self->at++;
  if (self->strings == NULL)
    self->strings = g_string_chunk_new (4096);
  out->length = self->decoded->len;
  out->data = g_string_chunk_insert_len (self->strings, self->decoded->str, (gssize) self->decoded->len);
  return TRUE;
}

static gboolean
json_read_string (AssayJsonScan *self, AssayBytes *out)
{
  const gsize start = ++self->at;
  while (self->at < self->length && self->text[self->at] != '"' && self->text[self->at] != '\\'
         && (guint8) self->text[self->at] >= 0x20)
    self->at++;
  if (json_peek (self) != '"')
    {
      self->at = start;
      return json_read_escaped (self, start, out);
    }
  *out = (AssayBytes) { self->text + start, self->at - start };
  self->at++;
  return TRUE;
}

static gsize
json_skip_digits (AssayJsonScan *self)
{
  const gsize start = self->at;
  while (g_ascii_isdigit (json_peek (self)))
    self->at++;
  return self->at - start;
}

static gboolean
json_read_number (AssayJsonScan *self, AssayBytes *out)
{
  const gsize start = self->at;
  self->at += json_peek (self) == '-';
  const gboolean zero = json_peek (self) == '0';
  const gsize n_whole = json_skip_digits (self);
  gboolean ok = n_whole > 0 && (!zero || n_whole == 1);
  if (ok && json_peek (self) == '.')
    {
      self->at++;
      ok = json_skip_digits (self) > 0;
    }
  if (ok && (json_peek (self) == 'e' || json_peek (self) == 'E'))
    {
      self->at++;
      self->at += json_peek (self) == '-' || json_peek (self) == '+';
      ok = json_skip_digits (self) > 0;
    }
  *out = (AssayBytes) { self->text + start, self->at - start };
  return ok || json_fail (self, ASSAY_JSON_FAULT_SYNTAX, start, "has a number that is none in JSON");
}

static gboolean
json_read_word (AssayJsonScan *self, AssayJsonItem *item)
{
  static const struct { const char *word; AssayJsonKind kind; } words[] = {
    { "true", ASSAY_JSON_ITEM_TRUE }, { "false", ASSAY_JSON_ITEM_FALSE }, { "null", ASSAY_JSON_ITEM_NULL },
  };
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    {
      const gsize length = strlen (words[i].word);
      if (length > self->length - self->at || memcmp (self->text + self->at, words[i].word, length) != 0)
        continue;
      item->kind = words[i].kind;
      self->at += length;
      return TRUE;
    }
  return json_fail (self, ASSAY_JSON_FAULT_SYNTAX, self->at,
                    self->at < self->length ? "is no JSON" : "ends in the middle");
}

static gboolean
json_read_value (AssayJsonScan *self, AssayJsonItem *item)
{
  const char c = json_peek (self);
  self->is_started = TRUE;
  if (c == '{' || c == '[')
    {
      item->kind = c == '{' ? ASSAY_JSON_ITEM_OBJECT : ASSAY_JSON_ITEM_ARRAY;
      if (!json_open (self, c == '{'))
        return FALSE;
      self->at++;
      return TRUE;
    }
  if (c == '"')
    {
      item->kind = ASSAY_JSON_ITEM_STRING;
      return json_read_string (self, &item->text);
    }
  if (c != '-' && !g_ascii_isdigit (c))
    return json_read_word (self, item);
  item->kind = ASSAY_JSON_ITEM_NUMBER;
  return json_read_number (self, &item->text);
}

static gboolean
json_read_name (AssayJsonScan *self, JsonLevel *level, AssayJsonItem *item)
{
  if (json_peek (self) != '"')
    return json_fail (self, ASSAY_JSON_FAULT_SYNTAX, self->at, "has a member without a name");
  item->is_member = TRUE;
  if (!json_read_string (self, &item->name))
    return FALSE;
  g_array_append_val (level->names, item->name);
  if (!assay_name_table_add (level->table, level->names->len - 1))
    {
      self->twice = item->name;
      return json_fail (self, ASSAY_JSON_FAULT_DUPLICATE, item->at, "has two members of one name");
    }
  json_skip_blanks (self);
  if (json_peek (self) != ':')
    return json_fail (self, ASSAY_JSON_FAULT_SYNTAX, self->at, "lacks a colon after a name");
  self->at++;
  json_skip_blanks (self);
  return TRUE;
}

/* Within an object or array: a comma and the next of it, or its end. */
static gboolean
json_read_in_level (AssayJsonScan *self, AssayJsonItem *item)
{
  JsonLevel *level = &self->levels[self->depth - 1];
  if (json_peek (self) == (level->is_object ? '}' : ']'))
    {
      item->kind = ASSAY_JSON_ITEM_CLOSE;
      self->depth--;
      self->at++;
      return TRUE;
    }
  if (!level->is_empty)
    {
      if (json_peek (self) != ',')
        return json_fail (self, ASSAY_JSON_FAULT_SYNTAX, self->at,
                          self->at < self->length ? "lacks a comma" : "ends in the middle");
      self->at++;
      json_skip_blanks (self);
      item->at = self->at;
    }
  level->is_empty = FALSE;
  return (!level->is_object || json_read_name (self, level, item)) && json_read_value (self, item);
}

gboolean
assay_json_scan_next (AssayJsonScan *self, AssayJsonItem *item)
{
  *item = (AssayJsonItem) { .kind = ASSAY_JSON_ITEM_END };
  if (self->fault != ASSAY_JSON_FAULT_NONE)
    return FALSE;
  json_skip_blanks (self);
  item->at = self->at;
  if (self->depth > 0)
    return json_read_in_level (self, item);
  if (!self->is_started)
    return json_read_value (self, item);
  return self->at == self->length
         || json_fail (self, ASSAY_JSON_FAULT_SYNTAX, self->at, "goes on after its end");
}

gboolean
assay_json_scan_skip (AssayJsonScan *self, const AssayJsonItem *item)
{
  if (item->kind != ASSAY_JSON_ITEM_OBJECT && item->kind != ASSAY_JSON_ITEM_ARRAY)
    return TRUE;
  const guint outside = self->depth - 1;
  AssayJsonItem inner;
  while (self->depth > outside)
    if (!assay_json_scan_next (self, &inner))
      return FALSE;
  return TRUE;
}

gboolean
assay_json_item_get_uint (const AssayJsonItem *item, guint64 *out)
{
  guint64 value = 0;
  if (item->kind != ASSAY_JSON_ITEM_NUMBER)
    return FALSE;
  for (gsize i = 0; i < item->text.length; i++)
    {
      const char c = item->text.data[i];
      if (!g_ascii_isdigit (c) || __builtin_mul_overflow (value, (guint64) 10, &value)
          || __builtin_add_overflow (value, (guint64) (c - '0'), &value))
        return FALSE;
    }
  *out = value;
  return TRUE;
}

gboolean
assay_json_bytes_are (AssayBytes bytes, const char *text)
{
  return bytes.length == strlen (text) && memcmp (bytes.data, text, bytes.length) == 0;
}
