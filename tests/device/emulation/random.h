/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/emulation/random.h: xorshift64*, for orders, not for secrets. */
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace emulation
{

struct Random
{
  uint64_t state = 1;

  explicit Random (uint64_t seed = 1) : state (seed * 0x9e3779b97f4a7c15 + 0x2545f4914f6cdd1d)
  {
    if (state == 0)
      state = 1;
    next ();
  }

  uint32_t
  next ()
  {
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (uint32_t) (state * 0x2545f4914f6cdd1d >> 32);
  }

  /* 0 .. n - 1 */
  size_t
  below (size_t n)
  {
    return (size_t) ((uint64_t) next () * n >> 32);
  }

  template <class T>
  void
  shuffle (T *items, size_t n)
  {
    for (size_t i = n; i > 1; i--)
      std::swap (items[i - 1], items[below (i)]);
  }
};

}
