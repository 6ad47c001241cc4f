/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/gguf-build.c: appends; a wrong order of calls is the caller's mistake. */
#include "gguf-build.h"

#include "gguf-private.h"

#include <string.h>

enum
{
  N_KEYS_AT = 16
};

static void
build_key (GgufBuild *self, const char *key, guint32 type)
{
  self->n_keys++;
  assay_gguf_build_element_text (self, key, strlen (key));
  assay_gguf_build_element_u32 (self, type);
}

void
assay_gguf_build_start (GgufBuild *self, GByteArray *bytes)
{
  *self = (GgufBuild){ .bytes = bytes, .start = bytes->len };
  g_byte_array_append (bytes, (const guint8 *)"GGUF", 4);
  assay_gguf_build_element_u32 (self, 3);
  assay_gguf_build_element_u64 (self, 0);
  assay_gguf_build_element_u64 (self, 0);
}

void
assay_gguf_build_finish (GgufBuild *self)
{
  const guint64 n = GUINT64_TO_LE (self->n_keys);
  memcpy (self->bytes->data + self->start + N_KEYS_AT, &n, sizeof n);
}

void
assay_gguf_build_u32 (GgufBuild *self, const char *key, guint32 value)
{
  build_key (self, key, GGUF_U32);
  assay_gguf_build_element_u32 (self, value);
}

void
assay_gguf_build_f32 (GgufBuild *self, const char *key, float value)
{
  build_key (self, key, GGUF_F32);
  assay_gguf_build_element_f32 (self, value);
}

void
assay_gguf_build_bool (GgufBuild *self, const char *key, gboolean value)
{
  build_key (self, key, GGUF_BOOL);
  assay_gguf_build_element_u8 (self, value != FALSE);
}

void
assay_gguf_build_text (GgufBuild *self, const char *key, const char *text, gssize length)
{
  build_key (self, key, GGUF_STRING);
  assay_gguf_build_element_text (self, text, length < 0 ? strlen (text) : (gsize)length);
}

void
assay_gguf_build_entry (GgufBuild *self, const guint8 *entry, gsize length)
{
  self->n_keys++;
  g_byte_array_append (self->bytes, entry, (guint)length);
}

void
assay_gguf_build_array (GgufBuild *self, const char *key, guint element_type, guint64 n)
{
  build_key (self, key, GGUF_ARRAY);
  assay_gguf_build_element_u32 (self, element_type);
  assay_gguf_build_element_u64 (self, n);
}

void
assay_gguf_build_element_u8 (GgufBuild *self, guint8 value)
{
  g_byte_array_append (self->bytes, &value, 1);
}

void
assay_gguf_build_element_u32 (GgufBuild *self, guint32 value)
{
  value = GUINT32_TO_LE (value);
  g_byte_array_append (self->bytes, (const guint8 *)&value, sizeof value);
}

void
assay_gguf_build_element_u64 (GgufBuild *self, guint64 value)
{
  value = GUINT64_TO_LE (value);
  g_byte_array_append (self->bytes, (const guint8 *)&value, sizeof value);
}

void
assay_gguf_build_element_f32 (GgufBuild *self, float value)
{
  guint32 bits;
  memcpy (&bits, &value, sizeof bits);
  assay_gguf_build_element_u32 (self, bits);
}

void
assay_gguf_build_element_text (GgufBuild *self, const char *text, gsize length)
{
  assay_gguf_build_element_u64 (self, length);
  g_byte_array_append (self->bytes, (const guint8 *)text, (guint)length);
}
