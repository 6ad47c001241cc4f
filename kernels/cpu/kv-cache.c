/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cpu/kv-cache.c: rows of keys or values converted into their cache. */
#include "cpu.h"
#include "shared/half.h"
#include "quantize.h"

#include <math.h>
#include <string.h>

/* A wild number makes its whole block NaN: rounded to a code, it would look sane. */
static void
kv_store_q8_0 (uint8_t *to, const float *x, size_t n)
{
  static const uint16_t nan = 0x7e00;
  for (size_t i = 0; i < n; i += 32, to += 34)
    {
      float nothing = 0;
      for (size_t k = 0; k < 32; k++)
        nothing += x[i + k] * 0.0f;
      if (isnan (nothing))
        {
          memcpy (to, &nan, sizeof nan);
          memset (to + 2, 1, 32);
        }
      else
        cpu_quantize_q8_0 (to, x + i, 32);
    }
}

static void
kv_store_row (const CpuIsa *isa, uint8_t *to, AssayDtype dtype, const float *x, size_t n)
{
  if (dtype == ASSAY_DTYPE_Q8_0)
    kv_store_q8_0 (to, x, n);
  else if (dtype == ASSAY_DTYPE_F16)
    isa->to_f16 (to, x, n);
  else if (n > 0)
    memcpy (to, x, n * sizeof *x);
}

AssayStatus
cpu_kv_store (AssayBackend *b, const AssayTensor *cache, const float *x, size_t n_tokens, uint32_t first)
{
  const size_t n = (size_t) cache->shape[0], capacity = (size_t) cache->shape[1];
  uint8_t *to = (uint8_t *) cache->data + first * cache->row_bytes;
  if (!cpu_cache_holds (cache->dtype, n))
    return cpu_fault (b, ASSAY_UNSUPPORTED,
                      "a KV cache on the CPU is F32, F16 or (rows of whole blocks of 32) Q8_0, not format "
                      "number %u with rows of %zu",
                      (unsigned) cache->dtype, n);
  if (first > capacity || n_tokens > capacity - first)
    return cpu_fault (b, ASSAY_DEVICE_FAULT, "%zu tokens at position %u do not fit a KV cache of %zu",
                      n_tokens, first, capacity);
  for (size_t i = 0; i < n_tokens; i++, to += cache->row_bytes, x += n)
    kv_store_row (cpu_backend (b)->isa, to, cache->dtype, x, n);
  return ASSAY_OK;
}
