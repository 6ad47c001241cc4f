/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/convert/quantize-private.h
 *
 *   quantize-plan.c    which tensor becomes what
 *   quantize-rows.c    a tensor's rows as float32, in GGUF's order
 *   quantize-foreign.c  what GGUF says otherwise than a Hugging Face folder
 *   assay-quantize.c   the work */
#pragma once

#include "assay-quantize.h"
#include "models/assay-config.h"
#include "weights/assay-gguf-write.h"

G_BEGIN_DECLS

typedef struct
{
  const AssayTensorInfo *tensor;
  AssayDtype to;
  gboolean fell_back;
  guint interleave;     /* rows are two halves a head that GGUF wants as neighbours: this many heads; 0: no */
} QuantizeStep;

/* Returns: (transfer full) (element-type QuantizeStep), a step a tensor, in file order; NULL with RULE. */
GArray *assay_quantize_plan (AssayModelFile *file, const AssayModelConfig *config, const AssayQuantizeOptions *options,
                             GError **error);
/* general.file_type's number for the format that holds most bytes of the matrices; FALSE: it has none. */
gboolean assay_quantize_get_file_type (const GArray *steps, guint32 *out);
gboolean assay_quantize_is_matrix (const AssayTensorInfo *tensor);

/* Sets and drops keys, and adds the tensors of what a GGUF file has as such: call it after the model's own were added.
 * Returns: (transfer full) (element-type float*) their values, rope.n_dims / 2 each, in that order; none for a GGUF. */
GPtrArray *assay_quantize_put_foreign (AssayGgufWrite *out, AssayModelFile *file, const AssayModelConfig *config,
                                       GError **error);

/* One tensor on its way. A tensor that is stored transposed is unfolded whole; others come row by row. */
typedef struct
{
  AssayBackend *backend;
  const QuantizeStep *step;
  AssayTensor stored;   /* as it lies in the file */
  gint64 n, n_rows;     /* of the result: rows of n elements */
  float *whole;         /* [n_rows, n], or NULL */
} QuantizeSource;

/* data: the tensor's bytes. FALSE with OOM_HOST or DEVICE. */
gboolean assay_quantize_source_open (QuantizeSource *self, AssayBackend *backend, AssayModelFile *file,
                                     const QuantizeStep *step, GError **error);
void assay_quantize_source_close (QuantizeSource *self);
gboolean assay_quantize_source_read (QuantizeSource *self, float *y, gint64 first, gint64 n_rows, GError **error);

G_END_DECLS
