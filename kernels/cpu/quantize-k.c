/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cpu/quantize-k.c: float32 to Q4_K, Q5_K and Q6_K. */
#include "quantize.h"

#include "shared/encode-k.h"

void
cpu_quantize_q4_k (void *blocks, const float *x, size_t n)
{
  uint8_t *b = blocks, codes[K_SUPER];
  for (; n >= K_SUPER; n -= K_SUPER, b += 144, x += K_SUPER)
    encode_q4_k (b, codes, x);
}

void
cpu_quantize_q5_k (void *blocks, const float *x, size_t n)
{
  uint8_t *b = blocks, codes[K_SUPER];
  for (; n >= K_SUPER; n -= K_SUPER, b += 176, x += K_SUPER)
    encode_q5_k (b, codes, x);
}

void
cpu_quantize_q6_k (void *blocks, const float *x, size_t n)
{
  uint8_t *b = blocks, codes[K_SUPER];
  for (; n >= K_SUPER; n -= K_SUPER, b += 210, x += K_SUPER)
    encode_q6_k (b, codes, x);
}
