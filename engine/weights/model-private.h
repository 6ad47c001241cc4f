/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/model-private.h: a model's files, GGUF and safetensors alike, and what is known of them.
 *
 * A file's beginning, up to where its tensors' data starts, is held in private memory: what was checked
 * can neither change nor vanish, and is compared with the file again when it is mapped. */
#pragma once

#include "assay-model-file.h"
#include "name-table.h"
#include "whole-format.h"

G_BEGIN_DECLS

enum { MODEL_NOTICES_MAX = 16, MODEL_FIRST_BYTES = 16 };

/* One key-value of a GGUF. */
typedef struct
{
  guint32 key_at;
  guint16 key_length;
  guint8 type;
  guint8 element_type; /* of an array */
  guint32 value_at;    /* first byte of the value; of an array, of its elements */
  guint32 count;       /* elements of an array */
  guint32 strings;     /* of an array of strings: index of the first in string_at */
  guint32 entry_end;   /* one past the value's last byte */
} GgufValue;

typedef struct
{
  guint64 device, inode, size;
  gint64 mtime_ns;
} PartIdentity;

typedef struct
{
  char *path;            /* as opened; a name for messages when the bytes are lent */
  PartIdentity identity; /* zero for lent bytes */
  guint64 size;          /* of the file */

  guint8 *metadata;      /* from the file's first byte to where tensor infos or header end */
  gsize metadata_bytes;
  gboolean lent;         /* `metadata` is the caller's, and holds the whole file */

  guint64 data_start;
  GPtrArray *notices;
  guint n_notices;       /* also those that were not kept */

  /* GGUF only; of a safetensors file NULL or 0 */
  guint32 version;
  guint32 alignment;
  guint64 trailing;      /* bytes after the last tensor */
  GArray *values;        /* GgufValue, in file order */
  GArray *string_at;     /* guint32: where each string of each array of strings begins */
  NameTable *keys;
  GArray *tensors;       /* AssayTensorInfo, in file order */
  GArray *name_at;       /* guint32, parallel to tensors; only while reading */
  NameTable *names;

  void *map;             /* the whole file, or NULL */
  gint fd;               /* of the mapping, else -1 */
  struct _BusRegion *region;
} ModelPart;

typedef struct
{
  guint32 part;
  guint64 offset, bytes; /* from the start of its file */
  guint32 whole;         /* 0: the tensor's bytes; else the number, from 1, among the model's wholes */
} TensorPlace;

/* A matrix in a whole format whose parts lie apart. What the format does not have takes no bytes. */
typedef struct
{
  AssayWholeLayout layout; /* of all rows */
  TensorPlace codes, absmax, nested, scale;
  float offset;
} ModelWhole;

struct _AssayModelFile
{
  gatomicrefcount ref_count;
  const char *format;        /* static */
  char *path;                /* what opens this model again */
  GPtrArray *parts;          /* ModelPart */
  ModelPart *translated;     /* safetensors: key-values made of the folder's texts; else NULL */
  GStringChunk *strings;     /* safetensors: names that stand nowhere as they are; else NULL */
  GArray *tensors;           /* AssayTensorInfo of all parts */
  GArray *wholes;            /* ModelWhole: safetensors of bitsandbytes; else NULL */
  NameTable *names;          /* of all parts; canonical */
  GPtrArray *notices;        /* of all parts, NULL-terminated */
  GMutex lock;               /* the two below, and the parts' maps */
  char *metadata_sha256;     /* once asked for */
  guint64 mapped_bytes;
};

/* model-part.c */
ModelPart *assay_model_part_new (const char *path, guint64 size);
void assay_model_part_free (ModelPart *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ModelPart, assay_model_part_free)
void assay_model_part_notice (ModelPart *self, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* Opens a regular file, refusing everything that could block or act; nothing of it is read yet. place:
 * where it really is when `path` is a link that was followed and found good, else NULL. The caller closes
 * fd. */
ModelPart *assay_model_part_open (const char *path, const char *place, gint *fd, GError **error);
/* Makes metadata hold the file's first `bytes`, which must not be more than its size. */
gboolean assay_model_part_read (ModelPart *self, gint fd, gsize bytes, GCancellable *cancellable,
                                GError **error);

/* assay-model-file.c: what remains once parts, tensors and path are there. */
AssayModelFile *assay_model_file_new_empty (const char *format);
AssayModelFile *assay_model_file_new_gguf (ModelPart *opened, GCancellable *cancellable,
                                           GError **error); /* takes it */
gboolean assay_model_file_index_tensors (AssayModelFile *self, GError **error);
void assay_model_file_join_notices (AssayModelFile *self);

/* model-map.c: after map(). */
const guint8 *assay_model_file_get_place (AssayModelFile *self, const TensorPlace *place);

/* model-whole.c: of an assembled tensor. */
const ModelWhole *assay_model_file_get_whole (AssayModelFile *self, const AssayTensorInfo *tensor);

/* file-kind.c: by content, whatever the name says. first: up to MODEL_FIRST_BYTES of the file. */
gboolean assay_file_kind_is_gguf (const guint8 *first, gsize length);
gboolean assay_file_kind_is_safetensors (const guint8 *first, gsize length, guint64 size);
/* FALSE with the error when the file is of a known kind that is no model of ours. wanted: "GGUF". */
gboolean assay_file_kind_check (const char *path, const guint8 *first, gsize length, const char *wanted,
                                GError **error);

G_END_DECLS
