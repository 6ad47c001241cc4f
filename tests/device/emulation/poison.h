/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/emulation/poison.h: memory that holds no numbers, and must not be touched. Each pattern is a
 * NaN as float32, float16 and bfloat16; that of guards a signalling one, which any arithmetic changes: `y[n]
 * += x` must not leave it as it was. */
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

namespace emulation
{

enum : uint32_t
{
  POISON_FRESH = 0xffffffff,
  POISON_FREED = 0xfff0fff0,
  POISON_SHARED = 0xfff5fff5,
  POISON_GUARD = 0xff9aff9a,
};

/* Bytes in any number, at any address of a whole pattern's. */
static inline void
poison_fill (void *memory, size_t bytes, uint32_t pattern)
{
  unsigned char *at = (unsigned char *) memory;
  const uint64_t twice = (uint64_t) pattern << 32 | pattern;
  size_t i = 0;
  for (; i + 8 <= bytes; i += 8)
    memcpy (at + i, &twice, 8);
  memcpy (at + i, &twice, bytes - i);
}

static inline bool
poison_is_whole (const void *memory, size_t bytes, uint32_t pattern)
{
  const unsigned char *at = (const unsigned char *) memory;
  const uint64_t twice = (uint64_t) pattern << 32 | pattern;
  size_t i = 0;
  for (; i + 8 <= bytes; i += 8)
    if (memcmp (at + i, &twice, 8) != 0)
      return false;
  return memcmp (at + i, &twice, bytes - i) == 0;
}

/* Under AddressSanitizer whoever touches it is told at once, a reader too. */
static inline void
poison_forbid (const void *memory, size_t bytes)
{
#ifdef __SANITIZE_ADDRESS__
  __asan_poison_memory_region (memory, bytes);
#else
  (void) memory;
  (void) bytes;
#endif
}

static inline void
poison_release (const void *memory, size_t bytes)
{
#ifdef __SANITIZE_ADDRESS__
  __asan_unpoison_memory_region (memory, bytes);
#else
  (void) memory;
  (void) bytes;
#endif
}

}
