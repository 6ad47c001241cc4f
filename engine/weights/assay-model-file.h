/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/assay-model-file.h: a model's metadata and tensors, from files treated as hostile.
 *
 * Opening reads metadata only and answers every malformed file with an error; nothing is allocated from a
 * number in the file before that number was compared with the bytes left. Tensor data is memory-mapped on
 * demand. Immutable once opened: any thread may read. Split files are opened from any part and read as
 * one model. */
/* Reason codes of opening, mapping and hashing (FORMAT where nothing else is said):
 *   gguf-truncated           the file ends before what it announces
 *   gguf-bad-magic           does not begin with GGUF
 *   gguf-old-format          GGML, GGMF, GGJT: convert it
 *   gguf-version             0, 1, or above 3
 *   gguf-byte-order          written for the other byte order
 *   gguf-metadata-too-large  above 1 GiB
 *   gguf-too-many-keys, gguf-too-many-tensors: more than the bytes can hold
 *   gguf-key-name            empty or with a zero byte
 *   gguf-duplicate-key
 *   gguf-string-length       longer than the file or its limit
 *   gguf-array-length        longer than the file
 *   gguf-array-depth         nested more than four deep
 *   gguf-value-type          no such type
 *   gguf-bool                neither 0 nor 1
 *   gguf-alignment           not u32, no power of two, above 1 MiB
 *   gguf-tensor-name         empty or with control characters
 *   gguf-tensor-type         no such type, or a removed one
 *   gguf-tensor-dims         more than 4, above 2^40, or rows that are no whole blocks
 *   gguf-tensor-size         more than the file, or than 2^64
 *   gguf-tensor-offset       unaligned or past the end
 *   gguf-tensor-overlap      two tensors share bytes
 *   gguf-duplicate-tensor    also between parts
 *   gguf-data-short          the last bytes are missing
 *   gguf-split-missing       parts are absent, named
 *   gguf-split-joined        a part alone, or parts joined with cat
 *   gguf-split-mismatch      parts that do not belong together
 *   python-pickle, zip-archive, hdf5-file, git-lfs-pointer, web-page, compressed-file: what it is instead
 *   safetensors-file         UNSUPPORTED so far
 *   not-a-file               a folder, pipe, socket or device
 *   file-changed             CHANGED (FORMAT when it shrank while its metadata was read)
 *   no-host-memory           OOM_HOST
 *   weights-not-finite, weights-all-zero: hash_content with verify */
#pragma once

#include <gio/gio.h>

#include "../assay-engine-error.h"
#include "kernels.h"

G_BEGIN_DECLS

typedef struct _AssayModelFile AssayModelFile;

typedef struct { const char *data; gsize length; } AssayBytes; /* lent; not terminated, may hold any byte */

/* What stands between a tensor's bytes and the weight that the model computes with; GGUF files need none. */
enum
{
  ASSAY_CHANGE_NONE = 0,
  ASSAY_CHANGE_TRANSPOSE = 1, /* stored [in, out] */
  ASSAY_CHANGE_ADD_ONE = 2,   /* a norm's weights w stand for 1 + w */
};

typedef struct
{
  AssayBytes name;      /* the file's own, for messages */
  AssayBytes canonical; /* GGUF's name, by which it is found; in a GGUF the same */
  guint change;         /* ASSAY_CHANGE_* */
  AssayDtype dtype;
  guint n_dims;
  gint64 shape[4];      /* GGUF order, after the change; unused ones 1 */
  guint64 bytes, row_bytes; /* rows of `shape`, after the change */
  guint part;           /* which file, from 0 */
  guint64 offset;       /* from the start of that file */
} AssayTensorInfo;

/* Returns: (transfer full); NULL with ASSAY_ENGINE_ERROR or G_IO_ERROR (CANCELLED, NOT_FOUND …). */
AssayModelFile *assay_model_file_open (const char *path, GCancellable *cancellable, GError **error);
/* lent; for tests and fuzzing */
AssayModelFile *assay_model_file_open_bytes (const void *data, gsize length, const char *name,
                                             GError **error);
AssayModelFile *assay_model_file_ref (AssayModelFile *self);
void assay_model_file_unref (AssayModelFile *self);

const char *assay_model_file_get_path (AssayModelFile *self);        /* the first part */
guint assay_model_file_get_n_parts (AssayModelFile *self);
const char *assay_model_file_get_part_path (AssayModelFile *self, guint part);
const char *assay_model_file_get_format (AssayModelFile *self);      /* "gguf" */
guint64 assay_model_file_get_bytes (AssayModelFile *self);           /* of all files */
/* odd but accepted; NULL-terminated */
const char *const *assay_model_file_get_notices (AssayModelFile *self);

/* Metadata. Integers of any stored width are accepted when in range. FALSE: absent or of another kind
 * (has() tells). */
gboolean assay_model_file_has (AssayModelFile *self, const char *key);
gboolean assay_model_file_get_uint (AssayModelFile *self, const char *key, guint64 *out);
gboolean assay_model_file_get_int (AssayModelFile *self, const char *key, gint64 *out);
gboolean assay_model_file_get_real (AssayModelFile *self, const char *key, double *out);
gboolean assay_model_file_get_bool (AssayModelFile *self, const char *key, gboolean *out);
gboolean assay_model_file_get_string (AssayModelFile *self, const char *key, AssayBytes *out);
/* Arrays. type: GGUF's element type (4 u32, 5 i32, 6 f32, 7 bool, 8 string …). FALSE when absent or no
 * array. */
gboolean assay_model_file_get_array (AssayModelFile *self, const char *key, guint *type, guint64 *length);
/* constant time */
AssayBytes assay_model_file_get_array_string (AssayModelFile *self, const char *key, guint64 i);
/* FALSE: no such integer, or negative */
gboolean assay_model_file_get_array_uint (AssayModelFile *self, const char *key, guint64 i, guint64 *out);
/* packed, unaligned; fixed-size types */
const void *assay_model_file_get_array_data (AssayModelFile *self, const char *key);
/* for messages; -1 absent */
gint64 assay_model_file_get_value_offset (AssayModelFile *self, const char *key);
guint assay_model_file_get_n_keys (AssayModelFile *self);
AssayBytes assay_model_file_get_key (AssayModelFile *self, guint i);
/* for people; escaped and cut; arrays as "[n type]" */
char *assay_model_file_dup_value (AssayModelFile *self, const char *key);

guint assay_model_file_get_n_tensors (AssayModelFile *self);
const AssayTensorInfo *assay_model_file_get_tensor (AssayModelFile *self, guint i);
/* NULL when absent */
const AssayTensorInfo *assay_model_file_find_tensor (AssayModelFile *self, const char *name);

/* Maps the tensors' data. Verifies that the files are still those that were opened (device, inode, size,
 * time). A page that vanishes later (the file was cut short) reads as zeros and is_changed() turns TRUE:
 * no signal reaches the app. */
gboolean assay_model_file_map (AssayModelFile *self, GError **error);
void assay_model_file_unmap (AssayModelFile *self);
/* after map() */
const void *assay_model_file_get_data (AssayModelFile *self, const AssayTensorInfo *tensor);
gboolean assay_model_file_is_changed (AssayModelFile *self); /* cheap; also compares size and time again */
guint64 assay_model_file_get_mapped_bytes (AssayModelFile *self);

/* SHA-256 of what the metadata says, hex: version, key-values in file order, tensors' names, types and
 * shapes. split.* keys, offsets and padding do not count, so that a model has the same one split or
 * joined. */
const char *assay_model_file_get_metadata_sha256 (AssayModelFile *self);
/* Hash over every tensor's name, type, shape and bytes, names in byte order, so that the same weights in
 * another file give the same hash. Reads everything: progress in bytes, polls cancellable each few MiB.
 * verify: also refuses NaN or infinite block scales and float weights (FORMAT, "weights-not-finite",
 * naming tensor and block) and matrices of zeros ("weights-all-zero"). CHANGED when the file changes
 * meanwhile. Maps the file when it is not mapped yet. (transfer full) "xxh3-128:" and 32 hex digits */
char *assay_model_file_hash_content (AssayModelFile *self, gboolean verify,
                                     void (*progress) (guint64 done, guint64 total, gpointer data),
                                     gpointer data, GCancellable *cancellable, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayModelFile, assay_model_file_unref)

G_END_DECLS
