/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/whole-format.c: see whole-format.h. */
#include "whole-format.h"

#include "shared/whole-tables.h"

const float *const assay_dynamic_values = dynamic_values;

const float *
assay_whole_values (AssayDtype dtype)
{
  return dtype == ASSAY_DTYPE_NF4 || dtype == ASSAY_DTYPE_NF4_DOUBLE ? nf4_values : fp4_values;
}

/* Puts a part behind what is there already; false where the sum would not fit. */
static bool
whole_append (AssayWholeLayout *layout, size_t count, size_t size, size_t *place)
{
  if (count > (SIZE_MAX - 63 - layout->bytes) / size)
    return false;
  *place = layout->bytes;
  layout->bytes = (layout->bytes + count * size + 63) / 64 * 64;
  return true;
}

static bool
whole_append_statistics (AssayWholeLayout *layout, bool is_double)
{
  layout->n_blocks = layout->n_elements / ASSAY_WHOLE_BLOCK + (layout->n_elements % ASSAY_WHOLE_BLOCK != 0);
  if (!is_double)
    return whole_append (layout, layout->n_blocks, sizeof (float), &layout->absmax);
  layout->n_nested = layout->n_blocks / ASSAY_WHOLE_NESTED + (layout->n_blocks % ASSAY_WHOLE_NESTED != 0);
  return whole_append (layout, layout->n_blocks, 1, &layout->absmax)
         && whole_append (layout, layout->n_nested, sizeof (float), &layout->nested)
         && whole_append (layout, 1, sizeof (float), &layout->offset);
}

bool
assay_whole_layout (AssayDtype dtype, int64_t n, int64_t n_rows, AssayWholeLayout *out)
{
  const AssayDtypeInfo *info = assay_dtype_info (dtype);
  AssayWholeLayout layout = { 0 };
  size_t codes;
  bool fits = info != NULL && info->whole && n >= 0 && n_rows >= 0
              && !__builtin_mul_overflow ((uint64_t) n, (uint64_t) n_rows, &layout.n_elements);
  if (fits && dtype == ASSAY_DTYPE_INT8)
    fits = whole_append (&layout, layout.n_elements, 1, &codes)
           && whole_append (&layout, (size_t) n_rows, sizeof (float), &layout.scale);
  else if (fits)
    fits = whole_append (&layout, layout.n_elements / 2 + layout.n_elements % 2, 1, &codes)
           && whole_append_statistics (&layout, assay_whole_is_double (dtype));
  if (fits)
    *out = layout;
  return fits;
}
