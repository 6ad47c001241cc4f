/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/emulation/vector-types.h: CUDA's small vectors, with CUDA's alignment: a misaligned access
 * that a card would refuse is one here too (the sanitizers tell of it). */
#pragma once

#define ASSAY_VECTORS(type, name, bytes)                                                              \
  struct alignas (bytes) name##2                                                                      \
  {                                                                                                   \
    type x, y;                                                                                        \
  };                                                                                                  \
  struct name##3                                                                                      \
  {                                                                                                   \
    type x, y, z;                                                                                     \
  };                                                                                                  \
  struct alignas (2 * bytes > 16 ? 16 : 2 * bytes) name##4                                            \
  {                                                                                                   \
    type x, y, z, w;                                                                                  \
  };                                                                                                  \
  static inline name##2 make_##name##2 (type x, type y) { return { x, y }; }                          \
  static inline name##3 make_##name##3 (type x, type y, type z) { return { x, y, z }; }               \
  static inline name##4 make_##name##4 (type x, type y, type z, type w) { return { x, y, z, w }; }

ASSAY_VECTORS (signed char, char, 2)
ASSAY_VECTORS (unsigned char, uchar, 2)
ASSAY_VECTORS (short, short, 4)
ASSAY_VECTORS (unsigned short, ushort, 4)
ASSAY_VECTORS (int, int, 8)
ASSAY_VECTORS (unsigned, uint, 8)
ASSAY_VECTORS (float, float, 8)
ASSAY_VECTORS (double, double, 16)
ASSAY_VECTORS (long long, longlong, 16)
ASSAY_VECTORS (unsigned long long, ulonglong, 16)

#undef ASSAY_VECTORS

struct dim3
{
  unsigned x, y, z;
  constexpr dim3 (unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x (x_), y (y_), z (z_) {}
};
