/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/dtype.c: the element formats and their block sizes, under GGUF's numbers. */
#include "kernels.h"

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
};

const AssayDtypeInfo *
assay_dtype_info (uint32_t dtype)
{
  for (size_t i = 0; i < sizeof dtypes / sizeof dtypes[0]; i++)
    if ((uint32_t) dtypes[i].dtype == dtype)
      return &dtypes[i];
  return NULL;
}
