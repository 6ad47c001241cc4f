/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/gguf-part.c: one GGUF file, from its path to a checked ModelPart. */
#include "gguf-private.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

/* Takes the part of any kind. */
static ModelPart *
gguf_part_init (ModelPart *self)
{
  self->alignment = 32;
  self->values = g_array_new (FALSE, FALSE, sizeof (GgufValue));
  self->string_at = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->tensors = g_array_new (FALSE, FALSE, sizeof (AssayTensorInfo));
  self->name_at = g_array_new (FALSE, FALSE, sizeof (guint32));
  return self;
}

static gboolean
gguf_check_version (GgufReader *r, guint32 version, GError **error)
{
  if (version == 2 || version == 3)
    return TRUE;
  if (version != 0 && (version & 0xffff) == 0)
    return assay_gguf_fail (
        r, "gguf-byte-order", 4, error,
        "the file was written for machines of the other byte order; fetch the little-endian file");
  if (version > 3)
    return assay_gguf_fail (r, "gguf-version", 4, error,
                            "GGUF version %u is newer than this program, which reads 2 and 3", version);
  return assay_gguf_fail (r, "gguf-version", 4, error,
                          "GGUF version %u is too old; versions 2 and 3 are read. Convert the model again",
                          version);
}

static gboolean
gguf_check_magic (GgufReader *r, GError **error)
{
  ModelPart *part = r->part;
  enum { MAGIC_BYTES = 4 };
  const gsize length = (gsize) MIN (part->size, (guint64) MODEL_FIRST_BYTES);
  if (!assay_gguf_need (r, length, error))
    return FALSE;
  if (assay_file_kind_is_gguf (part->metadata, length))
    {
      r->at = MAGIC_BYTES;
      return TRUE;
    }
  if (assay_file_kind_is_safetensors (part->metadata, length, part->size))
    return assay_gguf_fail (r, "safetensors-alone", 0, error,
                            "a safetensors file, which needs config.json and the tokenizer's files beside it; "
                            "open the model's folder");
  if (!assay_file_kind_check (part->path, part->metadata, length, "GGUF", error))
    return FALSE;
  if (length < MAGIC_BYTES)
    return assay_gguf_fail (r, "gguf-truncated", 0, error,
                            "the file has %" PRIu64 " bytes, too few for any model: fetch it again",
                            part->size);
  g_autofree char *shown = assay_engine_escape ((const char *) part->metadata, MAGIC_BYTES);
  return assay_gguf_fail (r, "gguf-bad-magic", 0, error,
                          "not a GGUF file: it begins with '%s' instead of 'GGUF'", shown);
}

static gboolean
gguf_read_part (GgufReader *r, GError **error)
{
  ModelPart *part = r->part;
  guint64 n_tensors, n_values;
  if (!gguf_check_magic (r, error) || !assay_gguf_read_u32 (r, &part->version, error)
      || !gguf_check_version (r, part->version, error) || !assay_gguf_read_u64 (r, &n_tensors, error)
      || !assay_gguf_read_u64 (r, &n_values, error))
    return FALSE;
  const guint64 most
      = MIN (assay_gguf_left (r) / 24, (guint64) GGUF_TENSORS_MAX); /* 24: the shortest tensor info */
  if (n_tensors > most)
    return assay_gguf_fail (r, "gguf-too-many-tensors", 8, error,
                            "%" PRIu64 " tensors; with %" PRIu64
                            " bytes left there can be %" PRIu64 " at most",
                            n_tensors, assay_gguf_left (r), most);
  return assay_gguf_read_values (r, n_values, error) && assay_gguf_read_tensors (r, n_tensors, error)
         && assay_gguf_check_layout (r, error);
}

/* The content decides what a file is; a name that says otherwise is worth a word. */
static void
gguf_note_name (ModelPart *part)
{
  static const char *const others[] = { ".safetensors", ".bin", ".pt", ".pth", ".ckpt" };
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    if (g_str_has_suffix (part->path, others[i]))
      assay_model_part_notice (part, "the file is GGUF, though its name ends in %s", others[i]);
}

ModelPart *
assay_gguf_part_open (const char *path, GCancellable *cancellable, GError **error)
{
  gint fd = -1;
  g_autoptr (ModelPart) part = assay_model_part_open (path, NULL, &fd, error);
  if (part == NULL)
    return NULL;
  gguf_part_init (part);
  gguf_note_name (part);
  GgufReader reader = { .part = part, .fd = fd, .cancellable = cancellable };
  const gboolean ok = gguf_read_part (&reader, error);
  close (fd);
  return ok ? g_steal_pointer (&part) : NULL;
}

ModelPart *
assay_gguf_part_open_bytes (const void *data, gsize length, const char *name, GError **error)
{
  g_autoptr (ModelPart) part = gguf_part_init (assay_model_part_new (name, length));
  part->lent = TRUE;
  part->metadata = (guint8 *) data;
  part->metadata_bytes = length;
  GgufReader reader = { .part = part, .fd = -1 };
  return gguf_read_part (&reader, error) ? g_steal_pointer (&part) : NULL;
}

ModelPart *
assay_gguf_part_new_translated (GByteArray *metadata, const char *path, GError **error)
{
  g_autoptr (ModelPart) part = gguf_part_init (assay_model_part_new (path, metadata->len));
  part->metadata_bytes = metadata->len;
  part->metadata = g_byte_array_free (metadata, FALSE);
  GgufReader reader = { .part = part, .fd = -1 };
  return gguf_read_part (&reader, error) ? g_steal_pointer (&part) : NULL;
}

const GgufValue *
assay_gguf_part_find (ModelPart *self, const char *key)
{
  const gint64 i = assay_name_table_find (self->keys, key, strlen (key));
  return i >= 0 ? &g_array_index (self->values, GgufValue, i) : NULL;
}

/* Sign-extended; FALSE for other kinds. is_signed tells whether negative ones can be among them. */
static gboolean
gguf_read_integer (const guint8 *at, guint type, guint64 *out, gboolean *is_signed)
{
  const guint bytes = assay_gguf_type_bytes (type);
  guint64 raw = 0;
  for (guint i = 0; i < bytes; i++)
    raw |= (guint64) at[i] << (8 * i);
  *is_signed = type == GGUF_I8 || type == GGUF_I16 || type == GGUF_I32 || type == GGUF_I64;
  if (*is_signed && bytes < 8 && (raw >> (8 * bytes - 1)) != 0)
    raw |= G_MAXUINT64 << (8 * bytes);
  *out = raw;
  return *is_signed || type == GGUF_U8 || type == GGUF_U16 || type == GGUF_U32 || type == GGUF_U64;
}

gboolean
assay_gguf_part_get_uint (ModelPart *self, const GgufValue *value, guint64 *out)
{
  gboolean is_signed;
  guint64 raw;
  if (value == NULL || !gguf_read_integer (self->metadata + value->value_at, value->type, &raw, &is_signed)
      || (is_signed && (gint64) raw < 0))
    return FALSE;
  *out = raw;
  return TRUE;
}

gboolean
assay_gguf_part_get_int (ModelPart *self, const GgufValue *value, gint64 *out)
{
  gboolean is_signed;
  guint64 raw;
  if (value == NULL || !gguf_read_integer (self->metadata + value->value_at, value->type, &raw, &is_signed)
      || (!is_signed && raw > G_MAXINT64))
    return FALSE;
  *out = (gint64) raw;
  return TRUE;
}
