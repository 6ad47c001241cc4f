/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/metadata-hash.c: SHA-256 of what the metadata says, the same for a model split or joined.
 *
 * Hashed are, in file order: the version, every key-value but split.*, and every tensor's canonical name, type and
 * shape. Offsets and padding are left out, for they depend on how the file was cut. */
#include "gguf-private.h"

#include <string.h>

static void
metadata_hash_u64 (GChecksum *sum, guint64 value)
{
  const guint64 le = GUINT64_TO_LE (value);
  g_checksum_update (sum, (const guchar *) &le, sizeof le);
}

/* What says how a model was cut, or, of a folder, how people named it. */
static gboolean
metadata_is_of_the_place (const guint8 *key, gsize length, gboolean translated)
{
  return (length >= 6 && memcmp (key, "split.", 6) == 0)
         || (translated && length == 12 && memcmp (key, "general.name", 12) == 0);
}

static void
metadata_hash_values (GChecksum *sum, const ModelPart *part, gboolean translated)
{
  for (guint i = 0; i < part->values->len; i++)
    {
      const GgufValue *value = &g_array_index (part->values, GgufValue, i);
      const guint8 *key = part->metadata + value->key_at;
      if (metadata_is_of_the_place (key, value->key_length, translated))
        continue;
      metadata_hash_u64 (sum, value->key_length);
      g_checksum_update (sum, key, value->entry_end - value->key_at); /* key, type and value, as they stand */
    }
}

static void
metadata_hash_tensors (GChecksum *sum, AssayModelFile *self)
{
  for (guint i = 0; i < self->tensors->len; i++)
    {
      const AssayTensorInfo *tensor = &g_array_index (self->tensors, AssayTensorInfo, i);
      metadata_hash_u64 (sum, tensor->canonical.length);
      g_checksum_update (sum, (const guchar *) tensor->canonical.data, (gssize) tensor->canonical.length);
      metadata_hash_u64 (sum, tensor->dtype);
      metadata_hash_u64 (sum, tensor->n_dims);
      for (guint k = 0; k < 4; k++)
        metadata_hash_u64 (sum, (guint64) tensor->shape[k]);
    }
}

const char *
assay_model_file_get_metadata_sha256 (AssayModelFile *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  if (self->metadata_sha256 != NULL)
    return self->metadata_sha256;
  const ModelPart *first = self->translated != NULL ? self->translated : g_ptr_array_index (self->parts, 0);
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  metadata_hash_u64 (sum, first->version);
  metadata_hash_values (sum, first, self->translated != NULL);
  metadata_hash_tensors (sum, self);
  self->metadata_sha256 = g_strdup (g_checksum_get_string (sum));
  return self->metadata_sha256;
}
