/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/assay-gguf-write.h: writes a GGUF file, tensor by tensor, that is there completely or not at
 * all.
 *
 * The key-values are another model's, byte for byte and in its order, but for those that are set or dropped
 * here; what made it a part of a split model is left out. finish() reads the file's metadata back before it
 * gets its name. Freed before that, nothing is left. Blocking; one thread.
 *
 *   new → set_u32 …, add_tensor … → begin → append … (each tensor's bytes, in order) → finish */
#pragma once

#include "assay-model-file.h"

G_BEGIN_DECLS

typedef struct _AssayGgufWrite AssayGgufWrite;

/* from: whose metadata it takes over; referenced. */
AssayGgufWrite *assay_gguf_write_new (AssayModelFile *from);
void assay_gguf_write_free (AssayGgufWrite *self);

/* Replaces the key at its place, or adds it at the end. */
void assay_gguf_write_set_u32 (AssayGgufWrite *self, const char *key, guint32 value);
void assay_gguf_write_set_f32 (AssayGgufWrite *self, const char *key, float value);
/* Leaves the key out; one that ends in a dot: every key that begins so. */
void assay_gguf_write_drop (AssayGgufWrite *self, const char *key);
/* shape: of n_dims numbers, fastest first; the rows are whole blocks. Returns: the tensor's bytes. */
guint64 assay_gguf_write_add_tensor (AssayGgufWrite *self, AssayBytes name, guint n_dims, const gint64 *shape,
                                     AssayDtype dtype);

/* Makes the hidden file and writes the metadata. Errors: those of assay_output_file_new(). */
gboolean assay_gguf_write_begin (AssayGgufWrite *self, const char *path, gboolean overwrite, GError **error);
gboolean assay_gguf_write_append (AssayGgufWrite *self, const void *data, gsize bytes, GError **error);
gboolean assay_gguf_write_finish (AssayGgufWrite *self, GError **error);
guint64 assay_gguf_write_get_bytes (AssayGgufWrite *self); /* of the whole file; after begin() */

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayGgufWrite, assay_gguf_write_free)

G_END_DECLS
