/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/gguf-values.c: the key-value pairs.
 *
 * Values stay packed in the metadata buffer; read here is where each begins. Arrays of strings get a table of
 * their strings' places, 4 bytes for at least 8 in the file, so that a token is found in constant time. */
#include "gguf-private.h"

#include <inttypes.h>
#include <string.h>

enum { NESTING_MAX = 4, KEY_ENTRY_MIN = 13 }; /* a key's length, a type, a value of one byte */

guint
assay_gguf_type_bytes (guint type)
{
  static const guint8 bytes[GGUF_N_TYPES] = { 1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8 };
  return type < GGUF_N_TYPES ? bytes[type] : 0;
}

const char *
assay_gguf_type_name (guint type)
{
  static const char *const names[GGUF_N_TYPES] = { "u8",   "i8",     "u16",   "i16", "u32", "i32", "f32",
                                                   "bool", "string", "array", "u64", "i64", "f64" };
  return type < GGUF_N_TYPES ? names[type] : "unknown";
}

static AssayBytes
gguf_key_of (gconstpointer owner, guint32 index)
{
  const ModelPart *part = owner;
  const GgufValue *value = &g_array_index (part->values, GgufValue, index);
  return (AssayBytes) { (const char *) part->metadata + value->key_at, value->key_length };
}

AssayBytes
assay_gguf_part_get_key (ModelPart *self, const GgufValue *value)
{
  return (AssayBytes) { (const char *) self->metadata + value->key_at, value->key_length };
}

static gboolean
gguf_key_is (const GgufReader *r, const char *key)
{
  return r->name_length == strlen (key) && memcmp (r->part->metadata + r->name_at, key, r->name_length) == 0;
}

static guint32
gguf_string_limit (const GgufReader *r)
{
  static const char prefix[] = "tokenizer.";
  if (gguf_key_is (r, "tokenizer.ggml.tokens"))
    return GGUF_TOKEN_MAX;
  if (r->name_length >= sizeof prefix - 1
      && memcmp (r->part->metadata + r->name_at, prefix, sizeof prefix - 1) == 0)
    return GGUF_TOKENIZER_STRING_MAX;
  return GGUF_STRING_MAX;
}

/* The rules of spelling that are no rule of safety: lower_snake_case words between dots. */
static gboolean
gguf_key_is_usual (const guint8 *key, gsize length)
{
  for (gsize i = 0; i < length; i++)
    if (!g_ascii_islower (key[i]) && !g_ascii_isdigit (key[i]) && key[i] != '_' && key[i] != '.'
        && key[i] != '-')
      return FALSE;
  return TRUE;
}

static gboolean
gguf_read_key (GgufReader *r, GgufValue *value, GError **error)
{
  const guint64 start = r->at;
  guint32 at, length;
  if (!assay_gguf_read_string (r, GGUF_KEY_MAX, &at, &length, error))
    return FALSE;
  const guint8 *key = r->part->metadata + at;
  if (length == 0)
    return assay_gguf_fail (r, "gguf-key-name", start, error, "the key is empty");
  r->name_at = at;
  r->name_length = length;
  if (memchr (key, '\0', length) != NULL)
    return assay_gguf_fail (r, "gguf-key-name", start, error, "the key holds a zero byte");
  if (!gguf_key_is_usual (key, length))
    {
      g_autofree char *shown = assay_engine_escape ((const char *) key, length);
      assay_model_part_notice (r->part, "the key '%s' is spelled unlike GGUF keys", shown);
    }
  value->key_at = at;
  value->key_length = (guint16) length;
  return TRUE;
}

static gboolean
gguf_check_bools (GgufReader *r, guint64 at, guint64 count, GError **error)
{
  for (guint64 i = 0; i < count; i++)
    if (r->part->metadata[at + i] > 1)
      return assay_gguf_fail (r, "gguf-bool", at + i, error, "a truth value of %u; only 0 and 1 are allowed",
                              r->part->metadata[at + i]);
  return TRUE;
}

/* The least that an element takes in the file. */
static guint64
gguf_element_min (guint type)
{
  return type == GGUF_STRING ? 8 : type == GGUF_ARRAY ? 12 : assay_gguf_type_bytes (type);
}

static gboolean
gguf_read_array_head (GgufReader *r, guint32 *type, guint64 *count, GError **error)
{
  const guint64 start = r->at;
  if (!assay_gguf_read_u32 (r, type, error) || !assay_gguf_read_u64 (r, count, error))
    return FALSE;
  if (*type >= GGUF_N_TYPES)
    return assay_gguf_fail (r, "gguf-value-type", start, error, "an array of type %u; types end at %u", *type,
                            GGUF_N_TYPES - 1);
  if (*count > assay_gguf_left (r) / gguf_element_min (*type))
    return assay_gguf_fail (r, "gguf-array-length", start, error,
                            "an array of %" PRIu64 " %s, but the file has only %" PRIu64
                            " bytes left; it is cut short or damaged: fetch it again",
                            *count, assay_gguf_type_name (*type), assay_gguf_left (r));
  return TRUE;
}

static gboolean
gguf_read_strings (GgufReader *r, guint64 count, guint32 limit, GArray *places, GError **error)
{
  for (guint64 i = 0; i < count; i++)
    {
      guint32 at, length;
      if (!assay_gguf_poll (r, i, error) || !assay_gguf_read_string (r, limit, &at, &length, error))
        return FALSE;
      at -= 8; /* the length stands before the bytes */
      if (places != NULL)
        g_array_append_val (places, at);
    }
  return TRUE;
}

/* Elements that are neither arrays nor kept. */
static gboolean
gguf_skip_plain (GgufReader *r, guint type, guint64 count, GArray *places, GError **error)
{
  if (type == GGUF_STRING)
    return gguf_read_strings (r, count, gguf_string_limit (r), places, error);
  const guint64 at = r->at;
  if (!assay_gguf_skip (r, count * assay_gguf_type_bytes (type), error)) /* the count was checked */
    return FALSE;
  return type != GGUF_BOOL || gguf_check_bools (r, at, count, error);
}

/* Arrays of arrays: no model needs them, so they are walked over, four deep and without recursion. */
static gboolean
gguf_skip_nested (GgufReader *r, guint64 count, GError **error)
{
  guint64 left[NESTING_MAX] = { count };
  guint depth = 1;
  for (guint64 i = 0; depth > 0; i++)
    {
      if (left[depth - 1] == 0)
        {
          depth--;
          continue;
        }
      left[depth - 1]--;
      const guint64 start = r->at;
      guint32 type;
      guint64 n;
      if (!assay_gguf_poll (r, i, error) || !gguf_read_array_head (r, &type, &n, error))
        return FALSE;
      if (type != GGUF_ARRAY)
        {
          if (!gguf_skip_plain (r, type, n, NULL, error))
            return FALSE;
        }
      else if (depth + 1 >= NESTING_MAX)
        return assay_gguf_fail (r, "gguf-array-depth", start, error, "arrays nested more than %d deep",
                                NESTING_MAX);
      else
        left[depth++] = n;
    }
  assay_model_part_notice (r->part, "an array of arrays was skipped");
  return TRUE;
}

static gboolean
gguf_read_array (GgufReader *r, GgufValue *value, GError **error)
{
  guint32 type;
  guint64 count;
  if (!gguf_read_array_head (r, &type, &count, error))
    return FALSE;
  value->element_type = (guint8) type;
  value->value_at = (guint32) r->at;
  value->strings = r->part->string_at->len;
  if (type == GGUF_ARRAY ? !gguf_skip_nested (r, count, error)
                         : !gguf_skip_plain (r, type, count, r->part->string_at, error))
    return FALSE;
  value->count = (guint32) count; /* its elements were there, within the metadata's limit */
  return TRUE;
}

static gboolean
gguf_read_value (GgufReader *r, GgufValue *value, GError **error)
{
  const guint64 start = r->at;
  guint32 type;
  if (!assay_gguf_read_u32 (r, &type, error))
    return FALSE;
  if (type >= GGUF_N_TYPES)
    return assay_gguf_fail (r, "gguf-value-type", start, error, "a value of type %u; types end at %u", type,
                            GGUF_N_TYPES - 1);
  value->type = (guint8) type;
  value->value_at = (guint32) r->at;
  if (type == GGUF_ARRAY)
    return gguf_read_array (r, value, error);
  if (type == GGUF_STRING)
    {
      guint32 at, length;
      return assay_gguf_read_string (r, gguf_string_limit (r), &at, &length, error);
    }
  return gguf_skip_plain (r, type, 1, NULL, error);
}

/* The alignment decides where every tensor lies: a reader that ignores an odd one silently shifts them
 * all. */
static gboolean
gguf_take_alignment (GgufReader *r, const GgufValue *value, GError **error)
{
  if (value->type != GGUF_U32)
    return assay_gguf_fail (r, "gguf-alignment", value->value_at, error,
                            "the alignment is stored as %s; it must be u32",
                            assay_gguf_type_name (value->type));
  guint64 alignment = 0;
  assay_gguf_part_get_uint (r->part, value, &alignment);
  if (alignment == 0 || (alignment & (alignment - 1)) != 0 || alignment > GGUF_ALIGNMENT_MAX)
    return assay_gguf_fail (r, "gguf-alignment", value->value_at, error,
                            "an alignment of %" PRIu64 "; it must be a power of two up to %u",
                            alignment, GGUF_ALIGNMENT_MAX);
  if (alignment < 8)
    assay_model_part_notice (
        r->part, "an alignment of %" PRIu64 ", where the format asks for a multiple of 8",
        alignment);
  r->part->alignment = (guint32) alignment;
  return TRUE;
}

static gboolean
gguf_read_entry (GgufReader *r, GError **error)
{
  ModelPart *part = r->part;
  GgufValue value = { 0 };
  const guint64 start = r->at;
  if (!gguf_read_key (r, &value, error) || !gguf_read_value (r, &value, error))
    return FALSE;
  value.entry_end = (guint32) r->at;
  g_array_append_val (part->values, value);
  if (!assay_name_table_add (part->keys, part->values->len - 1))
    return assay_gguf_fail (r, "gguf-duplicate-key", start, error,
                            "the key is there twice, so its value is unclear");
  return !gguf_key_is (r, "general.alignment") || gguf_take_alignment (r, &value, error);
}

gboolean
assay_gguf_read_values (GgufReader *r, guint64 n, GError **error)
{
  ModelPart *part = r->part;
  if (n > assay_gguf_left (r) / KEY_ENTRY_MIN)
    return assay_gguf_fail (r, "gguf-too-many-keys", 16, error,
                            "%" PRIu64 " keys in a file with %" PRIu64
                            " bytes left; it is cut short or damaged: fetch it again",
                            n, assay_gguf_left (r));
  part->keys = assay_name_table_new (gguf_key_of, part);
  for (guint64 i = 0; i < n; i++)
    {
      r->what = "key";
      r->index = i;
      r->name_length = 0;
      if (!assay_gguf_poll (r, i, error) || !gguf_read_entry (r, error))
        return FALSE;
    }
  r->what = NULL;
  return TRUE;
}
