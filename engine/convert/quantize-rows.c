/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/convert/quantize-rows.c: a tensor's rows as float32, in the order and with the values that GGUF
 * wants. */
#include "quantize-private.h"

#include <string.h>

static gboolean
source_fail (QuantizeSource *self, AssayStatus status, GError **error)
{
  if (status == ASSAY_OK)
    return TRUE;
  g_autofree char *name
      = assay_engine_escape (self->step->tensor->name.data, self->step->tensor->name.length);
  assay_engine_error_set (error,
                          status == ASSAY_NO_MEMORY ? ASSAY_ENGINE_ERROR_OOM_HOST : ASSAY_ENGINE_ERROR_DEVICE,
                          status == ASSAY_NO_MEMORY ? "no-host-memory" : "kernel-failed", NULL, NULL, -1,
                          "tensor '%s' cannot be read as float32: %s", name, self->backend->fault);
  return FALSE;
}

static gboolean
source_unfold (QuantizeSource *self, GError **error)
{
  const gint64 n_in = self->n, n_out = self->n_rows; /* stored [in, out]: rows of `out` elements */
  g_autofree float *row = g_try_new (float, (gsize) n_out);
  self->whole = g_try_malloc_n ((gsize) n_in, (gsize) n_out * sizeof (float));
  if (row == NULL || self->whole == NULL)
    {
      g_strlcpy (self->backend->fault, "no memory for the transposed matrix", sizeof self->backend->fault);
      return source_fail (self, ASSAY_NO_MEMORY, error);
    }
  for (gint64 i = 0; i < n_in; i++)
    {
      if (!source_fail (self,
                        self->backend->ops->dequantize (self->backend, row, &self->stored, (size_t) i, 1),
                        error))
        return FALSE;
      for (gint64 o = 0; o < n_out; o++)
        self->whole[o * n_in + i] = row[o];
    }
  return TRUE;
}

gboolean
assay_quantize_source_open (QuantizeSource *self, AssayBackend *backend, AssayModelFile *file,
                            const QuantizeStep *step, GError **error)
{
  const AssayTensorInfo *tensor = step->tensor;
  const gboolean transposed = (tensor->change & ASSAY_CHANGE_TRANSPOSE) != 0;
  const AssayDtypeInfo *info = assay_dtype_info (tensor->dtype);
  const gboolean column
      = tensor->n_dims == 1 && step->interleave > 0; /* a bias whose elements change places, as rows do */
  *self = (QuantizeSource) {
    .backend = backend,
    .step = step,
    .n = column ? 1 : tensor->shape[0],
    .n_rows = column ? tensor->shape[0] : tensor->shape[1] * tensor->shape[2] * tensor->shape[3],
  };
  self->stored = (AssayTensor) {
    .dtype = tensor->dtype,
    .shape = { transposed ? self->n_rows : self->n, transposed ? self->n : self->n_rows, 1, 1 },
    .data = assay_model_file_get_data (file, tensor),
  };
  self->stored.row_bytes = (gsize) self->stored.shape[0] / info->block_elements * info->block_bytes;
  return !transposed || source_unfold (self, error);
}

void
assay_quantize_source_close (QuantizeSource *self)
{
  g_free (self->whole);
  *self = (QuantizeSource) { 0 };
}

/* Row `to` of a GGUF file is this one of the source: per head, even rows come from the first half, odd ones
 * from the second. */
static gint64
source_row (const QuantizeSource *self, gint64 to)
{
  const gint64 head = self->n_rows / self->step->interleave, at = to % head;
  return to - at + at / 2 + (at % 2) * (head / 2);
}

static gboolean
source_read_plain (QuantizeSource *self, float *y, gint64 first, gint64 n_rows, GError **error)
{
  if (self->whole == NULL)
    return source_fail (self,
                        self->backend->ops->dequantize (self->backend, y, &self->stored, (size_t) first,
                                                        (size_t) n_rows),
                        error);
  memcpy (y, self->whole + first * self->n, (gsize) (n_rows * self->n) * sizeof *y);
  return TRUE;
}

gboolean
assay_quantize_source_read (QuantizeSource *self, float *y, gint64 first, gint64 n_rows, GError **error)
{
  if (self->step->interleave == 0)
    {
      if (!source_read_plain (self, y, first, n_rows, error))
        return FALSE;
    }
  else
    for (gint64 i = 0; i < n_rows; i++)
      if (!source_read_plain (self, y + i * self->n, source_row (self, first + i), 1, error))
        return FALSE;
  if (self->step->tensor->change & ASSAY_CHANGE_ADD_ONE)
    for (gint64 i = 0; i < n_rows * self->n; i++)
      y[i] += 1;
  return TRUE;
}
