/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/assay-model-file.h: a model's metadata and tensors, from files treated as hostile.
 *
 * Opening reads metadata only and answers every malformed file with an error; nothing is allocated from a number in
 * the file before that number was compared with the bytes left. Tensor data is memory-mapped on demand. Immutable once
 * opened: any thread may read. Split files are opened from any part and read as one model. */
#pragma once

#include <gio/gio.h>

#include "../assay-engine-error.h"
#include "kernels.h"

G_BEGIN_DECLS

typedef struct _AssayModelFile AssayModelFile;

typedef struct { const char *data; gsize length; } AssayBytes; /* lent; not terminated, may hold any byte */

typedef struct
{
  AssayBytes name;
  AssayDtype dtype;
  guint n_dims;
  gint64 shape[4];      /* GGUF order, unused ones 1 */
  guint64 bytes, row_bytes;
  guint part;           /* which file, from 0 */
  guint64 offset;       /* from the start of that file */
} AssayTensorInfo;

/* Returns: (transfer full); NULL with ASSAY_ENGINE_ERROR or G_IO_ERROR (CANCELLED, NOT_FOUND …). */
AssayModelFile *assay_model_file_open (const char *path, GCancellable *cancellable, GError **error);
AssayModelFile *assay_model_file_open_bytes (const void *data, gsize length, const char *name, GError **error); /* lent; for tests and fuzzing */
AssayModelFile *assay_model_file_ref (AssayModelFile *self);
void assay_model_file_unref (AssayModelFile *self);

const char *assay_model_file_get_path (AssayModelFile *self);        /* the first part */
guint assay_model_file_get_n_parts (AssayModelFile *self);
const char *assay_model_file_get_part_path (AssayModelFile *self, guint part);
const char *assay_model_file_get_format (AssayModelFile *self);      /* "gguf" */
guint64 assay_model_file_get_bytes (AssayModelFile *self);           /* of all files */
const char *const *assay_model_file_get_notices (AssayModelFile *self); /* odd but accepted; NULL-terminated */

/* Metadata. Integers of any stored width are accepted when in range. FALSE: absent or of another kind (has() tells). */
gboolean assay_model_file_has (AssayModelFile *self, const char *key);
gboolean assay_model_file_get_uint (AssayModelFile *self, const char *key, guint64 *out);
gboolean assay_model_file_get_int (AssayModelFile *self, const char *key, gint64 *out);
gboolean assay_model_file_get_real (AssayModelFile *self, const char *key, double *out);
gboolean assay_model_file_get_bool (AssayModelFile *self, const char *key, gboolean *out);
gboolean assay_model_file_get_string (AssayModelFile *self, const char *key, AssayBytes *out);
/* Arrays. type: GGUF's element type (4 u32, 5 i32, 6 f32, 7 bool, 8 string …). FALSE when absent or no array. */
gboolean assay_model_file_get_array (AssayModelFile *self, const char *key, guint *type, guint64 *length);
AssayBytes assay_model_file_get_array_string (AssayModelFile *self, const char *key, guint64 i); /* constant time */
gboolean assay_model_file_get_array_uint (AssayModelFile *self, const char *key, guint64 i, guint64 *out); /* FALSE: no such integer, or negative */
const void *assay_model_file_get_array_data (AssayModelFile *self, const char *key);             /* packed, unaligned; fixed-size types */
gint64 assay_model_file_get_value_offset (AssayModelFile *self, const char *key);                /* for messages; -1 absent */
guint assay_model_file_get_n_keys (AssayModelFile *self);
AssayBytes assay_model_file_get_key (AssayModelFile *self, guint i);
char *assay_model_file_dup_value (AssayModelFile *self, const char *key); /* for people; escaped and cut; arrays as "[n type]" */

guint assay_model_file_get_n_tensors (AssayModelFile *self);
const AssayTensorInfo *assay_model_file_get_tensor (AssayModelFile *self, guint i);
const AssayTensorInfo *assay_model_file_find_tensor (AssayModelFile *self, const char *name); /* NULL when absent */

/* Maps the tensors' data. Verifies that the files are still those that were opened (device, inode, size, time). A page
 * that vanishes later (the file was cut short) reads as zeros and is_changed() turns TRUE: no signal reaches the app. */
gboolean assay_model_file_map (AssayModelFile *self, GError **error);
void assay_model_file_unmap (AssayModelFile *self);
const void *assay_model_file_get_data (AssayModelFile *self, const AssayTensorInfo *tensor);  /* after map() */
gboolean assay_model_file_is_changed (AssayModelFile *self); /* cheap; also compares size and time again */
guint64 assay_model_file_get_mapped_bytes (AssayModelFile *self);

/* SHA-256 of all metadata (header, key-values, tensor infos), hex; split.* keys and the padding do not count. */
const char *assay_model_file_get_metadata_sha256 (AssayModelFile *self);
/* Hash over every tensor's name, type, shape and bytes, names in byte order, so that the same weights in another file
 * give the same hash. Reads everything: progress in bytes, polls cancellable each few MiB. Also finds NaN or infinite
 * block scales and float weights (FORMAT, "weights-not-finite", naming tensor and block). (transfer full) hex */
char *assay_model_file_hash_content (AssayModelFile *self, gboolean verify, void (*progress) (guint64 done, guint64 total, gpointer data),
                                     gpointer data, GCancellable *cancellable, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayModelFile, assay_model_file_unref)

G_END_DECLS
