/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/gguf-private.h: one GGUF file read into a ModelPart, without trusting a byte of it.
 *
 * The metadata is copied into private memory as the parser asks for it, so that nobody can change what
 * was checked; places in it are 32-bit offsets, for the buffer may move while it grows. Arithmetic on
 * numbers from the file is checked, and the work done is bounded by bytes that are really there. */
#pragma once

#include "model-private.h"

G_BEGIN_DECLS

#define GGUF_METADATA_MAX (G_GUINT64_CONSTANT (1) << 30) /* bytes; the largest known files have 20 MiB */
#define GGUF_STRING_MAX (64u << 20)
#define GGUF_TOKENIZER_STRING_MAX (256u << 20)
#define GGUF_TOKEN_MAX (64u << 10)
#define GGUF_KEY_MAX 65535u
#define GGUF_TENSOR_NAME_MAX 64u
#define GGUF_TENSORS_MAX (1u << 20)
#define GGUF_ALIGNMENT_MAX (1u << 20)

typedef enum
{
  GGUF_U8, GGUF_I8, GGUF_U16, GGUF_I16, GGUF_U32, GGUF_I32, GGUF_F32, GGUF_BOOL, GGUF_STRING, GGUF_ARRAY,
  GGUF_U64, GGUF_I64, GGUF_F64, GGUF_N_TYPES,
} GgufType;

/* Where the parser stands, for the error message. */
typedef struct
{
  ModelPart *part;
  gint fd;               /* -1 for lent bytes */
  GCancellable *cancellable;
  guint64 at;
  const char *what;      /* "key", "tensor"; NULL in the header */
  guint64 index;
  guint32 name_at, name_length; /* of that key or tensor, once known */
} GgufReader;

ModelPart *assay_gguf_part_open (const char *path, GCancellable *cancellable, GError **error);
ModelPart *assay_gguf_part_open_bytes (const void *data, gsize length, const char *name, GError **error);
/* Key-values alone, as the translation of a model in another layout writes them; takes the bytes. */
ModelPart *assay_gguf_part_new_translated (GByteArray *metadata, const char *path, GError **error);

const GgufValue *assay_gguf_part_find (ModelPart *self, const char *key);
gboolean assay_gguf_part_get_uint (ModelPart *self, const GgufValue *value, guint64 *out);
gboolean assay_gguf_part_get_int (ModelPart *self, const GgufValue *value, gint64 *out);
AssayBytes assay_gguf_part_get_key (ModelPart *self, const GgufValue *value);

/* gguf-reader.c: the cursor. Each answers FALSE with FORMAT, CANCELLED or an I/O error. */
gboolean assay_gguf_fail (const GgufReader *r, const char *reason, guint64 at, GError **error,
                          const char *format, ...) G_GNUC_PRINTF (5, 6);
gboolean assay_gguf_need (GgufReader *r, guint64 bytes, GError **error); /* [at, at + bytes) can be read */
gboolean assay_gguf_skip (GgufReader *r, guint64 bytes, GError **error);
gboolean assay_gguf_read_u32 (GgufReader *r, guint32 *out, GError **error);
gboolean assay_gguf_read_u64 (GgufReader *r, guint64 *out, GError **error);
gboolean assay_gguf_read_string (GgufReader *r, guint32 limit, guint32 *at, guint32 *length, GError **error);
guint64 assay_gguf_left (const GgufReader *r);
gboolean assay_gguf_poll (const GgufReader *r, guint64 i, GError **error); /* cancelled? cheap for most i */

/* The three stages after the header. */
gboolean assay_gguf_read_values (GgufReader *r, guint64 n, GError **error);
gboolean assay_gguf_read_tensors (GgufReader *r, guint64 n, GError **error);
gboolean assay_gguf_check_layout (GgufReader *r, GError **error);

guint assay_gguf_type_bytes (guint type); /* 0 for strings, arrays and unknown numbers */
const char *assay_gguf_type_name (guint type);

/* gguf-split.c: the other parts of a split model. parts: holds the one that was opened, and then all, in
 * order. */
gboolean assay_gguf_is_split (ModelPart *part);
gboolean assay_gguf_open_parts (GPtrArray *parts, GCancellable *cancellable, GError **error);

G_END_DECLS
