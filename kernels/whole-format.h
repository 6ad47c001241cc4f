/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/whole-format.h: where the parts of a matrix in one of bitsandbytes' formats lie, and what its codes
 * stand for. For those who make, read or store such matrices; others ask assay_dtype_matrix_bytes().
 *
 * Elements are counted row by row; a block of NF4 or FP4 crosses the rows' borders and the last one may be
 * short. All parts are little-endian and start at multiples of 64 bytes. Any thread. */
#pragma once

#include "kernels.h"

static inline bool
assay_whole_is_double (AssayDtype dtype)
{
  return dtype == ASSAY_DTYPE_NF4_DOUBLE || dtype == ASSAY_DTYPE_FP4_DOUBLE;
}

#ifdef __cplusplus
extern "C" {
#endif

#define ASSAY_WHOLE_BLOCK 64u    /* elements that share an absmax */
#define ASSAY_WHOLE_NESTED 256u  /* absmax codes that share a nested absmax */

/* The codes, at 0, are followed by the parts that the format has, in this order. */
typedef struct
{
  size_t n_elements;
  size_t n_blocks;        /* of NF4 and FP4, else 0 */
  size_t n_nested;        /* of *_DOUBLE, else 0 */
  size_t absmax;          /* float [n_blocks], or uint8 [n_blocks] of *_DOUBLE */
  size_t nested, offset;  /* float [n_nested], float */
  size_t scale;           /* of INT8: float [n_rows] */
  size_t bytes;           /* of it all */
} AssayWholeLayout;

/* false, and nothing written, for a format of rows, a negative size or one that does not fit size_t. */
bool assay_whole_layout (AssayDtype dtype, int64_t n, int64_t n_rows, AssayWholeLayout *out);

/* What the 16 codes of NF4 (and NF4_DOUBLE) or FP4 (and FP4_DOUBLE) stand for, times absmax. */
const float *assay_whole_values (AssayDtype dtype);

/* What an absmax code stands for, times the nested absmax: bitsandbytes' signed dynamic map, ascending. */
extern const float *const assay_dynamic_values; /* [256] */

#ifdef __cplusplus
}
#endif
