/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/weights/st-writer.h: safetensors files, valid and deliberately broken, and the folders around
 * them.
 *
 * In tests only: it aborts when misused. */
#pragma once

#include "weights/safetensors-private.h"

G_BEGIN_DECLS

typedef struct
{
  char *name;           /* as it stands in the JSON, without quotes */
  const char *dtype;    /* static */
  guint n_dims;
  guint64 shape[8];     /* in the file's order */
  GByteArray *data;
} StTensor;

typedef struct
{
  GPtrArray *tensors;   /* StTensor, in the order of their data */
  guint padding;        /* blanks after the header: 0 may leave the data unaligned */
} StWriter;

StWriter *st_writer_new (void);
void st_writer_free (StWriter *self);
/* The data is made of the name, so that the same tensor has the same bytes in every file. */
void st_writer_add (StWriter *self, const char *name, const char *dtype, guint n_dims, const guint64 *shape);
/* Every n-th tensor of a file, from the first on: its parts, when first goes from 0 to n - 1. */
void st_writer_add_every (StWriter *self, const GByteArray *file, guint first, guint n);
GByteArray *st_writer_bytes (StWriter *self);           /* (transfer full) */
/* A file of this header and so many bytes of data. (transfer full) */
GByteArray *st_file_of (const char *header, gssize length, gsize data_bytes);

/* A scratch folder with config.json. */
typedef struct { char *path; } StFolder;
void st_folder_init (StFolder *self);
void st_folder_clear (StFolder *self);                  /* removes all of it */
char *st_folder_path (const StFolder *self, const char *name); /* (transfer full) */
void st_folder_put (const StFolder *self, const char *name, const char *text);
void st_folder_put_bytes (const StFolder *self, const char *name, const GByteArray *bytes);
void st_folder_put_tensors (const StFolder *self, const char *name,
                            const char *const *tensors); /* F32 [2, 3] */
/* A small model of transformers in parts, which loads: config.json, tokenizer.json, weights and, of
 * several, the index. family: a folder below tests/data/families. */
void st_folder_put_family (const StFolder *self, const char *family, guint n_parts);
/* {tensor: file}, pairs ended by NULL. */
void st_folder_put_index (const StFolder *self, const char *const *pairs);

/* "c.NAME" for each NAME; "skip." is no part of the model, "turn." is transposed, "norm." has one added. */
gboolean st_translate (const AssayHfFolder *folder, GByteArray *gguf_metadata, AssayHfNames *names,
                       GError **error);
/* name: within the folder, NULL the folder itself. */
AssayModelFile *st_folder_open (const StFolder *self, const char *name, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (StWriter, st_writer_free)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (StFolder, st_folder_clear)

G_END_DECLS
