/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cuda/weight.cu: what the host looks at in a weight before kernels read it. */
#include "weight.h"

static bool
weight_is_known (AssayDtype dtype)
{
  switch ((int) dtype)
    {
#define KNOWN(name) case ASSAY_DTYPE_##name:
      ASSAY_CUDA_FORMATS (KNOWN)
#undef KNOWN
      return true;
    default:
      return false;
    }
}

/* 16 bytes for plain formats; for blocks the greatest power of two in their size. */
static bool
weight_is_aligned (const CudaWeight *w, const AssayDtypeInfo *info)
{
  const size_t places = (size_t) (uintptr_t) w->data | w->row_bytes;
  if (info->whole)
    return (uintptr_t) w->data % 4 == 0 && w->n % 8 == 0;
  const uint32_t size = info->block_elements == 1 ? 16 : info->block_bytes;
  return places % cuda_min (size & (~size + 1), 16) == 0;
}

static void
weight_place_parts (CudaWeight *w, const AssayWholeLayout *layout)
{
  w->absmax = (const float *) (w->data + layout->absmax);
  w->absmax_codes = w->data + layout->absmax;
  w->nested = (const float *) (w->data + layout->nested);
  w->offset = (const float *) (w->data + layout->offset);
  w->scale = (const float *) (w->data + layout->scale);
}

AssayStatus
cuda_weight_look (AssayBackend *b, CudaWeight *out, const AssayTensor *w)
{
  const AssayDtypeInfo *info = assay_dtype_info (w->dtype);
  AssayWholeLayout layout;
  if (info == NULL || !weight_is_known (w->dtype))
    return cuda_fault (b, ASSAY_UNSUPPORTED, "the CUDA device cannot compute with format %s (number %u)",
                       info != NULL ? info->name : "unknown", (unsigned) w->dtype);
  if (w->shape[0] % info->block_elements != 0)
    return cuda_fault (b, ASSAY_UNSUPPORTED, "rows of %lld elements are not whole %s blocks of %u",
                       (long long) w->shape[0], info->name, info->block_elements);
  *out = CudaWeight ();
  out->data = (const uint8_t *) w->data;
  out->row_bytes = info->whole ? 0 : w->row_bytes;
  out->n = (size_t) w->shape[0];
  out->n_rows = cuda_n_rows (w);
  out->dtype = w->dtype;
  out->aligned = weight_is_aligned (out, info);
  if (info->whole)
    {
      if (!assay_whole_layout (w->dtype, w->shape[0], (int64_t) out->n_rows, &layout))
        return cuda_fault (b, ASSAY_UNSUPPORTED, "a matrix of %lld by %zu in %s is too large",
                           (long long) w->shape[0], out->n_rows, info->name);
      weight_place_parts (out, &layout);
    }
  return ASSAY_OK;
}
