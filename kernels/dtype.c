/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/dtype.c: the element formats: their names, block sizes and bytes, under GGUF's numbers. */
#include "whole-format.h"

#include <strings.h>

static const AssayDtypeInfo dtypes[] = {
  { ASSAY_DTYPE_F32, "F32", 1, 4, false },
  { ASSAY_DTYPE_F16, "F16", 1, 2, false },
  { ASSAY_DTYPE_Q4_0, "Q4_0", 32, 18, true },
  { ASSAY_DTYPE_Q4_1, "Q4_1", 32, 20, true },
  { ASSAY_DTYPE_Q5_0, "Q5_0", 32, 22, true },
  { ASSAY_DTYPE_Q5_1, "Q5_1", 32, 24, true },
  { ASSAY_DTYPE_Q8_0, "Q8_0", 32, 34, true },
  { ASSAY_DTYPE_Q8_1, "Q8_1", 32, 36, true },
  { ASSAY_DTYPE_Q2_K, "Q2_K", 256, 84, true },
  { ASSAY_DTYPE_Q3_K, "Q3_K", 256, 110, true },
  { ASSAY_DTYPE_Q4_K, "Q4_K", 256, 144, true },
  { ASSAY_DTYPE_Q5_K, "Q5_K", 256, 176, true },
  { ASSAY_DTYPE_Q6_K, "Q6_K", 256, 210, true },
  { ASSAY_DTYPE_Q8_K, "Q8_K", 256, 292, true },
  { ASSAY_DTYPE_IQ2_XXS, "IQ2_XXS", 256, 66, true },
  { ASSAY_DTYPE_IQ2_XS, "IQ2_XS", 256, 74, true },
  { ASSAY_DTYPE_IQ3_XXS, "IQ3_XXS", 256, 98, true },
  { ASSAY_DTYPE_IQ1_S, "IQ1_S", 256, 50, true },
  { ASSAY_DTYPE_IQ4_NL, "IQ4_NL", 32, 18, true },
  { ASSAY_DTYPE_IQ3_S, "IQ3_S", 256, 110, true },
  { ASSAY_DTYPE_IQ2_S, "IQ2_S", 256, 82, true },
  { ASSAY_DTYPE_IQ4_XS, "IQ4_XS", 256, 136, true },
  { ASSAY_DTYPE_I8, "I8", 1, 1, false },
  { ASSAY_DTYPE_I16, "I16", 1, 2, false },
  { ASSAY_DTYPE_I32, "I32", 1, 4, false },
  { ASSAY_DTYPE_I64, "I64", 1, 8, false },
  { ASSAY_DTYPE_F64, "F64", 1, 8, false },
  { ASSAY_DTYPE_IQ1_M, "IQ1_M", 256, 56, true },
  { ASSAY_DTYPE_BF16, "BF16", 1, 2, false },
  { ASSAY_DTYPE_TQ1_0, "TQ1_0", 256, 54, true },
  { ASSAY_DTYPE_TQ2_0, "TQ2_0", 256, 66, true },
  { ASSAY_DTYPE_MXFP4, "MXFP4", 32, 17, true },
  { ASSAY_DTYPE_NVFP4, "NVFP4", 64, 36, true },
  { ASSAY_DTYPE_Q1_0, "Q1_0", 128, 18, true },
  { ASSAY_DTYPE_Q2_0, "Q2_0", 64, 18, true },
  { ASSAY_DTYPE_NF4, "nf4", 1, 0, true, true },
  { ASSAY_DTYPE_FP4, "fp4", 1, 0, true, true },
  { ASSAY_DTYPE_NF4_DOUBLE, "nf4-double", 1, 0, true, true },
  { ASSAY_DTYPE_FP4_DOUBLE, "fp4-double", 1, 0, true, true },
  { ASSAY_DTYPE_INT8, "int8", 1, 0, true, true },
};


const AssayDtypeInfo *
assay_dtype_info (uint32_t dtype)
{
  for (size_t i = 0; i < sizeof dtypes / sizeof dtypes[0]; i++)
    if ((uint32_t) dtypes[i].dtype == dtype)
      return &dtypes[i];
  return NULL;
}

bool
assay_dtype_from_name (const char *name, AssayDtype *out)
{
  static const struct { const char *name; AssayDtype dtype; } synonyms[] = {
    { "float32", ASSAY_DTYPE_F32 }, { "float16", ASSAY_DTYPE_F16 }, { "bfloat16", ASSAY_DTYPE_BF16 }
  };
  for (size_t i = 0; i < sizeof dtypes / sizeof dtypes[0]; i++)
    if (strcasecmp (dtypes[i].name, name) == 0)
      {
        *out = dtypes[i].dtype;
        return true;
      }
  for (size_t i = 0; i < sizeof synonyms / sizeof synonyms[0]; i++)
    if (strcasecmp (synonyms[i].name, name) == 0)
      {
        *out = synonyms[i].dtype;
        return true;
      }
  return false;
}

bool
assay_dtype_can_quantize (uint32_t dtype)
{
  switch (dtype)
    {
    case ASSAY_DTYPE_F32:
    case ASSAY_DTYPE_F16:
    case ASSAY_DTYPE_BF16:
    case ASSAY_DTYPE_Q8_0:
    case ASSAY_DTYPE_Q4_0:
    case ASSAY_DTYPE_Q4_1:
    case ASSAY_DTYPE_Q5_0:
    case ASSAY_DTYPE_Q5_1:
    case ASSAY_DTYPE_Q4_K:
    case ASSAY_DTYPE_Q5_K:
    case ASSAY_DTYPE_Q6_K:
    case ASSAY_DTYPE_NF4:
    case ASSAY_DTYPE_FP4:
    case ASSAY_DTYPE_NF4_DOUBLE:
    case ASSAY_DTYPE_FP4_DOUBLE:
    case ASSAY_DTYPE_INT8:
      return true;
    default:
      return false;
    }
}

size_t
assay_dtype_matrix_bytes (AssayDtype dtype, int64_t n, int64_t n_rows)
{
  const AssayDtypeInfo *info = assay_dtype_info (dtype);
  AssayWholeLayout layout;
  size_t bytes;
  if (info == NULL || n < 0 || n_rows < 0)
    return 0;
  if (info->whole)
    return assay_whole_layout (dtype, n, n_rows, &layout) ? layout.bytes : 0;
  if (n % info->block_elements != 0
      || __builtin_mul_overflow (n / info->block_elements, info->block_bytes, &bytes)
      || __builtin_mul_overflow (bytes, (uint64_t) n_rows, &bytes))
    return 0;
  return bytes;
}
