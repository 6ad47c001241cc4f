/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/shared/philox.h: Philox 4x32-10, a random function of a counter and a key: no state to keep. */
#pragma once

#include "portable.h"

#include <stdint.h>

ASSAY_SHARED void
philox_4x32_10 (uint32_t x[4], uint32_t key0, uint32_t key1)
{
  for (int round = 0; round < 10; round++, key0 += 0x9e3779b9u, key1 += 0xbb67ae85u)
    {
      const uint64_t a = UINT64_C (0xd2511f53) * x[0], b = UINT64_C (0xcd9e8d57) * x[2];
      const uint32_t next[4] = { (uint32_t) (b >> 32) ^ x[1] ^ key0, (uint32_t) b,
                                 (uint32_t) (a >> 32) ^ x[3] ^ key1, (uint32_t) a };
      for (int i = 0; i < 4; i++)
        x[i] = next[i];
    }
}

/* In [0, 1), 53 bits. */
ASSAY_SHARED double
philox_uniform (uint64_t seed, uint64_t stream, uint64_t counter)
{
  uint32_t x[4]
    = { (uint32_t) counter, (uint32_t) (counter >> 32), (uint32_t) stream, (uint32_t) (stream >> 32) };
  philox_4x32_10 (x, (uint32_t) seed, (uint32_t) (seed >> 32));
  return (double) (((uint64_t) x[0] << 32 | x[1]) >> 11) * 0x1p-53;
}
