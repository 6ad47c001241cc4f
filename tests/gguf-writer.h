/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/gguf-writer.h: writes GGUF files, valid ones and deliberately broken ones.
 *
 * A writer is a list of key-values and tensors that a test may change before the bytes are made; every
 * number that the writer would compute (counts, offsets, alignment) can be overridden by a wrong one. In
 * tests only: it aborts when misused. */
#pragma once

#include "kernels.h"

#include <glib.h>

G_BEGIN_DECLS

enum
{
  GGUF_TYPE_U8, GGUF_TYPE_I8, GGUF_TYPE_U16, GGUF_TYPE_I16, GGUF_TYPE_U32, GGUF_TYPE_I32, GGUF_TYPE_F32,
  GGUF_TYPE_BOOL,
  GGUF_TYPE_STRING, GGUF_TYPE_ARRAY, GGUF_TYPE_U64, GGUF_TYPE_I64, GGUF_TYPE_F64,
};

#define GGUF_AUTO G_MAXUINT64 /* let the writer compute it */

typedef struct
{
  GByteArray *key;
  guint32 type;
  GByteArray *value;    /* as it stands in the file */
} GgufWriterValue;

typedef struct
{
  GByteArray *name;
  guint32 n_dims;
  guint64 dims[8];
  guint32 type;
  guint64 offset;       /* GGUF_AUTO */
  GByteArray *data;
  guint64 hole;         /* bytes of a sparse file that no data stands for */
} GgufWriterTensor;

typedef struct
{
  GPtrArray *values;    /* GgufWriterValue, in file order */
  GPtrArray *tensors;   /* GgufWriterTensor */
  guint32 version;      /* 3 */
  guint32 magic;
  guint64 n_values, n_tensors;  /* GGUF_AUTO */
  guint32 alignment;    /* of the layout; gguf_writer_set_alignment() writes the key too */
  GByteArray *trailing; /* after the last tensor */
  gboolean sparse;      /* tensors are holes: a model of any size, of which only the metadata is there */
} GgufWriter;

GgufWriter *gguf_writer_new (void);
void gguf_writer_free (GgufWriter *self);

/* Each replaces the value when the key is there already (at its place), and appends it otherwise. */
void gguf_writer_set (GgufWriter *self, const char *key, guint32 type, gconstpointer value, gsize bytes);
void gguf_writer_set_u32 (GgufWriter *self, const char *key, guint32 value);
void gguf_writer_set_u64 (GgufWriter *self, const char *key, guint64 value);
void gguf_writer_set_f32 (GgufWriter *self, const char *key, float value);
void gguf_writer_set_bool (GgufWriter *self, const char *key, guint8 value);
void gguf_writer_set_string (GgufWriter *self, const char *key, const char *value);
void gguf_writer_set_string_n (GgufWriter *self, const char *key, const char *value, gsize length);
void gguf_writer_set_array (GgufWriter *self, const char *key, guint32 element_type, guint64 count,
                            gconstpointer data, gsize bytes);
void gguf_writer_set_strings (GgufWriter *self, const char *key, const char *const *strings, gsize n);
/* Always appends: for keys that are odd or there twice. */
void gguf_writer_append (GgufWriter *self, const char *key, gsize key_length, guint32 type,
                         gconstpointer value, gsize bytes);
void gguf_writer_remove (GgufWriter *self, const char *key);
GgufWriterValue *gguf_writer_find (GgufWriter *self, const char *key); /* NULL when absent */
void gguf_writer_set_alignment (GgufWriter *self, guint32 alignment);

/* data: NULL for zeros. Returns: lent; change its fields at will. */
GgufWriterTensor *gguf_writer_add_tensor (GgufWriter *self, const char *name, guint n_dims,
                                          const guint64 *dims,
                                          AssayDtype dtype, gconstpointer data);
GgufWriterTensor *gguf_writer_get_tensor (GgufWriter *self, const char *name); /* aborts when absent */
void gguf_writer_remove_tensor (GgufWriter *self, const char *name);
void gguf_writer_rename_tensor (GgufWriterTensor *tensor, const char *name, gsize length);

GByteArray *gguf_writer_bytes (GgufWriter *self);               /* (transfer full) */
void gguf_writer_save (GgufWriter *self, const char *path); /* a sparse one as a file with a hole */
/* PREFIX-00001-of-0000N.gguf …; the first has all metadata, the others split.* only. */
void gguf_writer_save_split (GgufWriter *self, const char *prefix, guint n_parts);
/* One part of these as a writer of its own, which borrows nothing. */
GgufWriter *gguf_writer_part (GgufWriter *self, guint part, guint n_parts);

/* For values made by hand. */
void gguf_put_u32 (GByteArray *out, guint32 value);
void gguf_put_u64 (GByteArray *out, guint64 value);
void gguf_put_string (GByteArray *out, const char *text, gsize length);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GgufWriter, gguf_writer_free)

G_END_DECLS
