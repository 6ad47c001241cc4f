/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/gguf-build.h: the beginning of a GGUF file, key by key.
 *
 * Version 3, numbers little-endian. The count of keys is filled in at the end; the tensors' is left 0. */
#pragma once

#include "assay-model-file.h"

G_BEGIN_DECLS

typedef struct
{
  GByteArray *bytes; /* borrowed; what is in it stays before the file's beginning */
  guint start;
  guint64 n_keys;
} GgufBuild;

void assay_gguf_build_start (GgufBuild *self, GByteArray *bytes);
void assay_gguf_build_finish (GgufBuild *self); /* fills the count in */

void assay_gguf_build_u32 (GgufBuild *self, const char *key, guint32 value);
void assay_gguf_build_f32 (GgufBuild *self, const char *key, float value);
void assay_gguf_build_bool (GgufBuild *self, const char *key, gboolean value);
void assay_gguf_build_text (GgufBuild *self, const char *key, const char *text, gssize length);

/* A key-value as it stands in another file: from its key's length on. */
void assay_gguf_build_entry (GgufBuild *self, const guint8 *entry, gsize length);

/* An array's head; exactly n elements must follow. element_type: GGUF's number. */
void assay_gguf_build_array (GgufBuild *self, const char *key, guint element_type, guint64 n);
void assay_gguf_build_element_u8 (GgufBuild *self, guint8 value); /* and bool */
void assay_gguf_build_element_u32 (GgufBuild *self, guint32 value);
void assay_gguf_build_element_u64 (GgufBuild *self, guint64 value);
void assay_gguf_build_element_f32 (GgufBuild *self, float value);
void assay_gguf_build_element_text (GgufBuild *self, const char *text, gsize length);

G_END_DECLS
