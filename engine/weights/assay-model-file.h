/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/assay-model-file.h: a model's metadata and tensors, from files treated as hostile.
 *
 * A model is a GGUF (one file, or split and opened from any part), or a folder in Hugging Face's layout:
 * config.json, the tokenizer's files and weights in .safetensors, whose texts are put in GGUF's words
 * once, so that every accessor works for both. Opening reads metadata only and answers every malformed
 * file with an error; nothing is allocated from a number in the file before that number was compared with
 * the bytes left. Tensor data is memory-mapped on demand. Immutable once opened: any thread may read. */
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
 *   safetensors-truncated    the file ends before its header does
 *   safetensors-header-too-large: above 100 000 000 bytes
 *   safetensors-json         header or index is no JSON object
 *   safetensors-unicode      no UTF-8, or half a surrogate pair
 *   safetensors-depth        JSON nested more than 16 deep
 *   safetensors-duplicate    two members of one name in an object: tensors, fields, __metadata__
 *   safetensors-metadata     __metadata__ holds more than texts
 *   safetensors-too-many-tensors: above 2^20
 *   safetensors-name         empty, with a zero byte, above 4096 bytes
 *   safetensors-field        a tensor lacks dtype, shape or data_offsets
 *   safetensors-number       no whole number from 0 to 2^64 - 1
 *   safetensors-dtype        no such format; UNSUPPORTED when the model needs one that is not computed with
 *   safetensors-shape        above rank 8 or 2^40, or not what the model needs
 *   safetensors-size         shape, format and place disagree, or wrap
 *   safetensors-offsets      not two numbers in order
 *   safetensors-overlap, safetensors-hole, safetensors-trailing: the tensors do not fill the data exactly
 *   safetensors-data-short   the last bytes are missing
 *   safetensors-duplicate-tensor: in two files, or two for one place in the model
 *   safetensors-index        the index names no files
 *   safetensors-index-stale  the index names a tensor that its file does not have
 *   safetensors-missing      files are absent, named
 *   safetensors-several      the folder has several models and does not say which is meant: choose a file
 *   safetensors-stray        the file is not one of the folder's model
 *   safetensors-path         a file name that is a path, or a link out of the folder
 *   safetensors-folder, safetensors-text-too-large: more files, or a longer text, than a model has
 *   safetensors-config-missing: weights without config.json
 *   safetensors-alone        a safetensors file in memory, without its folder
 *   bitsandbytes-parts       a quantized matrix lacks a part, or has one of another form
 *   bitsandbytes-state       its quant_state is no such text: no JSON, a member missing or impossible
 *   bitsandbytes-shape       its shape and its codes disagree
 *   bitsandbytes-size        a part of another length or format than the shape asks for
 *   bitsandbytes-map         UNSUPPORTED: codes that stand for other values than bitsandbytes' own
 *   bitsandbytes-variant     UNSUPPORTED: blocks other than 64 (and 256 of absmax), 8-bit codes not in rows
 *   hf-…                     a text of the folder: see hf-translate.h
 *   python-pickle, zip-archive, hdf5-file, git-lfs-pointer, web-page, compressed-file: what it is instead
 *   not-a-file               a folder without a model, pipe, socket or device
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
  guint assembled;      /* not 0: a matrix in a whole format (row_bytes 0) whose parts lie apart, the codes at
                           `offset`: there is no get_data(), only read_rows() */
} AssayTensorInfo;

/* path: a GGUF file; a folder in Hugging Face's layout, or its config.json, index or any .safetensors file
 * that is part of its model. What a file is its content tells, not its name.
 * Returns: (transfer full); NULL with ASSAY_ENGINE_ERROR or G_IO_ERROR (CANCELLED, NOT_FOUND …). */
AssayModelFile *assay_model_file_open (const char *path, GCancellable *cancellable, GError **error);
/* A GGUF, lent; for tests and fuzzing. */
AssayModelFile *assay_model_file_open_bytes (const void *data, gsize length, const char *name,
                                             GError **error);
AssayModelFile *assay_model_file_ref (AssayModelFile *self);
void assay_model_file_unref (AssayModelFile *self);

/* What opens this model again: the file, the first part, the folder; its file where the folder has several
 * models. */
const char *assay_model_file_get_path (AssayModelFile *self);
guint assay_model_file_get_n_parts (AssayModelFile *self);
const char *assay_model_file_get_part_path (AssayModelFile *self, guint part);
const char *assay_model_file_get_format (AssayModelFile *self);      /* "gguf", "safetensors" */
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
/* for messages; -1: absent, or made from a folder's texts */
gint64 assay_model_file_get_value_offset (AssayModelFile *self, const char *key);
guint assay_model_file_get_n_keys (AssayModelFile *self);
AssayBytes assay_model_file_get_key (AssayModelFile *self, guint i);
/* for people; escaped and cut; arrays as "[n type]" */
char *assay_model_file_dup_value (AssayModelFile *self, const char *key);

guint assay_model_file_get_n_tensors (AssayModelFile *self);
const AssayTensorInfo *assay_model_file_get_tensor (AssayModelFile *self, guint i);
/* By canonical name; NULL when absent. */
const AssayTensorInfo *assay_model_file_find_tensor (AssayModelFile *self, const char *name);

/* Maps the tensors' data. Verifies that the files are still those that were opened (device, inode, size,
 * time). A page that vanishes later (the file was cut short) reads as zeros and is_changed() turns TRUE:
 * no signal reaches the app. */
gboolean assay_model_file_map (AssayModelFile *self, GError **error);
void assay_model_file_unmap (AssayModelFile *self);
/* After map(). A tensor's data may begin at any byte, whatever its format: readers of words copy or
 * convert. */
const void *assay_model_file_get_data (AssayModelFile *self, const AssayTensorInfo *tensor);
/* Whether an assembled tensor can be cut before this row, so that both halves are matrices of its format:
 * blocks of 64 elements, or of 64 × 256, cross the rows' borders. Any other tensor can. */
gboolean assay_tensor_info_can_split (const AssayTensorInfo *tensor, guint64 first);
/* After map(). Rows [first, first + n) of an assembled tensor, which must be able to split there, put
 * together as kernels.h lays out a matrix of so many rows: assay_dtype_matrix_bytes() bytes. */
void assay_model_file_read_rows (AssayModelFile *self, const AssayTensorInfo *tensor, guint64 first,
                                 guint64 n, void *out);
gboolean assay_model_file_is_changed (AssayModelFile *self); /* cheap; also compares size and time again */
guint64 assay_model_file_get_mapped_bytes (AssayModelFile *self);
/* After map(): how much of the files is in memory (the page cache) already, 0 to 1, without reading any of
 * it; -1: unknown (not mapped, or the system does not tell for files of another user). */
double assay_model_file_get_cached_share (AssayModelFile *self);

/* SHA-256 of what the metadata says, hex: version, key-values in file order, tensors' canonical names,
 * types and shapes. split.* keys, offsets and padding do not count, so that a model has the same one split
 * or joined. */
const char *assay_model_file_get_metadata_sha256 (AssayModelFile *self);
/* Hash over every tensor's canonical name, type, shape and bytes, names in byte order, so that the same
 * weights in another file give the same hash. Reads everything: progress in bytes, polls cancellable each
 * few MiB. verify: also refuses NaN or infinite block scales and float weights (FORMAT,
 * "weights-not-finite", naming tensor and block) and matrices of zeros ("weights-all-zero"). CHANGED when
 * the file changes meanwhile. Maps the file when it is not mapped yet. (transfer full) "xxh3-128:" and 32
 * hex digits */
char *assay_model_file_hash_content (AssayModelFile *self, gboolean verify,
                                     void (*progress) (guint64 done, guint64 total, gpointer data),
                                     gpointer data, GCancellable *cancellable, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayModelFile, assay_model_file_unref)

G_END_DECLS
