/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/emulation/half-type.h: sixteen bits that are a number, on the conversions that the CPU
 * kernels have. */
#pragma once

#include "shared/half.h"
#include "vector-types.h"

template <class T>
static inline unsigned short
assay_bits (T value)
{
  unsigned short bits;
  memcpy (&bits, &value, sizeof bits);
  return bits;
}

template <class T>
static inline T
assay_from_bits (unsigned short bits)
{
  T value;
  memcpy ((void *) &value, &bits, sizeof bits);
  return value;
}

template <class T>
static inline T
assay_from_float (float value)
{
  return T (value);
}

/* Left uninitialised by default, as shared memory needs. */
#define ASSAY_HALF_TYPE(name, pair, to, from)                                                         \
  struct name                                                                                         \
  {                                                                                                   \
    unsigned short bits;                                                                              \
    name () = default;                                                                                \
    name (float value) : bits (from (value)) {}                                                       \
    operator float () const { return to (bits); }                                                     \
  };                                                                                                  \
  struct alignas (4) pair                                                                             \
  {                                                                                                   \
    name x, y;                                                                                        \
  };                                                                                                  \
  static inline float assay_to_float (name value) { return to (value.bits); }                         \
  static inline name __hmul (name a, name b) { return name ((float) a * (float) b); }                 \
  static inline name __hadd (name a, name b) { return name ((float) a + (float) b); }                 \
  static inline name __hsub (name a, name b) { return name ((float) a - (float) b); }                 \
  static inline pair __hmul2 (pair a, pair b) { return { __hmul (a.x, b.x), __hmul (a.y, b.y) }; }    \
  static inline pair __hadd2 (pair a, pair b) { return { __hadd (a.x, b.x), __hadd (a.y, b.y) }; }    \
  static inline pair __hsub2 (pair a, pair b) { return { __hsub (a.x, b.x), __hsub (a.y, b.y) }; }    \
  static inline bool __hisnan (name a) { return (float) a != (float) a; }                             \
  static inline bool __hisinf (name a) { return __builtin_isinf ((float) a); }
