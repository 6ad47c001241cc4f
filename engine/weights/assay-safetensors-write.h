/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/assay-safetensors-write.h: writes one safetensors file whose tensors come in any order.
 *
 * All tensors are declared first. Their data is laid out by the size of their elements, so that every one is
 * aligned, and written where it belongs. The file is there completely or not at all. Blocking; one thread. */
#pragma once

#include "assay-model-file.h"

G_BEGIN_DECLS

typedef struct _AssaySafetensorsWrite AssaySafetensorsWrite;

AssaySafetensorsWrite *assay_safetensors_write_new (void);
void assay_safetensors_write_free (AssaySafetensorsWrite *self);

/* dtype: the format's word, static: "F16", "U8". element_bytes: of one. shape: slowest first, up to 4
 * numbers. Returns: the tensor's number. */
guint assay_safetensors_write_add (AssaySafetensorsWrite *self, const char *name, const char *dtype,
                                   guint element_bytes, guint n_dims, const gint64 *shape);
/* Errors: those of assay_output_file_new(). */
gboolean assay_safetensors_write_begin (AssaySafetensorsWrite *self, const char *path, GError **error);
/* Bytes [at, at + bytes) of a tensor. Every byte must come once. */
gboolean assay_safetensors_write_put (AssaySafetensorsWrite *self, guint tensor, guint64 at, const void *data,
                                      gsize bytes, GError **error);
gboolean assay_safetensors_write_finish (AssaySafetensorsWrite *self, GError **error);
guint64
assay_safetensors_write_get_bytes (AssaySafetensorsWrite *self); /* of the whole file; after begin() */

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssaySafetensorsWrite, assay_safetensors_write_free)

G_END_DECLS
