/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/model-whole.c: a matrix whose parts lie apart in the files, put together as the kernels want
 * it. */
#include "model-private.h"

#include <string.h>

const ModelWhole *
assay_model_file_get_whole (AssayModelFile *self, const AssayTensorInfo *tensor)
{
  g_return_val_if_fail (tensor->assembled > 0 && tensor->assembled <= self->wholes->len, NULL);
  return &g_array_index (self->wholes, ModelWhole, tensor->assembled - 1);
}

static guint64
whole_get_step (AssayDtype dtype)
{
  return dtype == ASSAY_DTYPE_INT8       ? 1
         : assay_whole_is_double (dtype) ? ASSAY_WHOLE_BLOCK * ASSAY_WHOLE_NESTED
                                         : ASSAY_WHOLE_BLOCK;
}

gboolean
assay_tensor_info_can_split (const AssayTensorInfo *tensor, guint64 first)
{
  return tensor->assembled == 0 || first * (guint64) tensor->shape[0] % whole_get_step (tensor->dtype) == 0;
}

/* So many bytes of a place, and zeros to the end of the part that they make. */
static void
whole_copy (AssayModelFile *self, const TensorPlace *place, guint64 from, guint8 *out, gsize bytes)
{
  const guint8 *source = assay_model_file_get_place (self, place);
  memcpy (out, source + from, bytes);
  memset (out + bytes, 0, (64 - bytes % 64) % 64);
}

static void
whole_read_statistics (AssayModelFile *self, const ModelWhole *whole, const AssayWholeLayout *to,
                       gboolean nested, guint64 first_block, guint8 *out)
{
  const gsize size = nested ? 1 : sizeof (float);
  whole_copy (self, &whole->absmax, first_block * size, out + to->absmax, to->n_blocks * size);
  if (!nested)
    return;
  whole_copy (self, &whole->nested, first_block / ASSAY_WHOLE_NESTED * sizeof (float), out + to->nested,
              to->n_nested * sizeof (float));
  memcpy (out + to->offset, &whole->offset, sizeof whole->offset);
  memset (out + to->offset + sizeof whole->offset, 0, 64 - sizeof whole->offset);
}

void
assay_model_file_read_rows (AssayModelFile *self, const AssayTensorInfo *tensor, guint64 first,
                            guint64 n, void *out)
{
  AssayWholeLayout to;
  const ModelWhole *whole = assay_model_file_get_whole (self, tensor);
  const guint64 start = first * (guint64) tensor->shape[0];
  g_return_if_fail (whole != NULL && assay_tensor_info_can_split (tensor, first));
  g_return_if_fail (first <= (guint64) tensor->shape[1] && n <= (guint64) tensor->shape[1] - first);
  if (!assay_whole_layout (tensor->dtype, tensor->shape[0], (gint64) n, &to))
    g_return_if_reached ();
  if (tensor->dtype == ASSAY_DTYPE_INT8)
    {
      whole_copy (self, &whole->codes, start, out, to.n_elements);
      whole_copy (self, &whole->scale, first * sizeof (float), (guint8 *) out + to.scale,
                  n * sizeof (float));
      return;
    }
  whole_copy (self, &whole->codes, start / 2, out, to.n_elements / 2 + to.n_elements % 2);
  whole_read_statistics (self, whole, &to, assay_whole_is_double (tensor->dtype), start / ASSAY_WHOLE_BLOCK,
                         out);
}
