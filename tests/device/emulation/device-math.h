/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/emulation/device-math.h: CUDA's own functions of numbers. Where CUDA promises an
 * approximation, this is the exact one: tolerances are found out on a card, not here. */
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <math.h>

#define ASSAY_BITS(name, to, from)                                                                    \
  static inline to name (from value)                                                                  \
  {                                                                                                   \
    to bits;                                                                                          \
    memcpy (&bits, &value, sizeof bits);                                                              \
    return bits;                                                                                      \
  }
ASSAY_BITS (__float_as_int, int, float)
ASSAY_BITS (__float_as_uint, unsigned, float)
ASSAY_BITS (__int_as_float, float, int)
ASSAY_BITS (__uint_as_float, float, unsigned)
ASSAY_BITS (__double_as_longlong, long long, double)
ASSAY_BITS (__longlong_as_double, double, long long)
#undef ASSAY_BITS

/* Names that the C library keeps for itself. */
#define __expf expf
#define __exp10f exp10f
#define __logf logf
#define __log2f log2f
#define __powf powf
#define __sinf sinf
#define __cosf cosf
#define __tanhf tanhf

static inline float __fdividef (float x, float y) { return x / y; }
static inline float __fdiv_rn (float x, float y) { return x / y; }
static inline float __frcp_rn (float x) { return 1 / x; }
static inline float __fsqrt_rn (float x) { return sqrtf (x); }
static inline float __frsqrt_rn (float x) { return (float) (1 / sqrt ((double) x)); }
static inline float __fadd_rn (float x, float y) { return x + y; }
static inline float __fsub_rn (float x, float y) { return x - y; }
static inline float __fmul_rn (float x, float y) { return x * y; }
static inline double __dadd_rn (double x, double y) { return x + y; }
static inline double __dmul_rn (double x, double y) { return x * y; }
static inline float __fmaf_rn (float x, float y, float z) { return fmaf (x, y, z); }
static inline float __saturatef (float x) { return x > 0 ? (x < 1 ? x : 1) : 0; }
static inline float rsqrtf (float x) { return 1 / sqrtf (x); }
static inline double rsqrt (double x) { return 1 / sqrt (x); }
static inline void sincospif (float x, float *s, float *c) { sincosf (x * (float) M_PI, s, c); }

/* What does not fit becomes the nearest that does, a NaN 0: a card's conversions, not C++'s. */
static inline int
__float2int_rz (float x)
{
  return x != x ? 0 : x >= 0x1p31f ? INT32_MAX : x < -0x1p31f ? INT32_MIN : (int) x;
}

static inline int __float2int_rn (float x) { return __float2int_rz (rintf (x)); }
static inline int __float2int_rd (float x) { return __float2int_rz (floorf (x)); }
static inline int __float2int_ru (float x) { return __float2int_rz (ceilf (x)); }

static inline unsigned
__float2uint_rz (float x)
{
  return !(x > 0) ? 0 : x >= 0x1p32f ? UINT32_MAX : (unsigned) x;
}

static inline unsigned __float2uint_rn (float x) { return __float2uint_rz (rintf (x)); }
static inline float __int2float_rn (int x) { return (float) x; }
static inline float __uint2float_rn (unsigned x) { return (float) x; }
static inline float __double2float_rn (double x) { return (float) x; }

static inline double
__hiloint2double (int high, int low)
{
  return __longlong_as_double ((long long) ((uint64_t) (uint32_t) high << 32 | (uint32_t) low));
}

static inline int __clz (int x) { return x != 0 ? __builtin_clz ((unsigned) x) : 32; }
static inline int __clzll (long long x) { return x != 0 ? __builtin_clzll ((unsigned long long) x) : 64; }
static inline int __ffs (int x) { return __builtin_ffs (x); }
static inline int __popc (unsigned x) { return __builtin_popcount (x); }
static inline int __popcll (unsigned long long x) { return __builtin_popcountll (x); }
static inline unsigned __umulhi (unsigned x, unsigned y) { return (unsigned) ((uint64_t) x * y >> 32); }
static inline int __mulhi (int x, int y) { return (int) ((int64_t) x * y >> 32); }
static inline unsigned long long
__umul64hi (unsigned long long x, unsigned long long y)
{
  return (unsigned long long) ((unsigned __int128) x * y >> 64);
}
static inline int __mul24 (int x, int y) { return (x << 8 >> 8) * (y << 8 >> 8); }

static inline unsigned
__funnelshift_r (unsigned low, unsigned high, unsigned shift)
{
  return (unsigned) (((uint64_t) high << 32 | low) >> (shift & 31));
}

static inline unsigned
__funnelshift_l (unsigned low, unsigned high, unsigned shift)
{
  return (unsigned) (((uint64_t) high << 32 | low) << (shift & 31) >> 32);
}

/* Four bytes picked from eight; bit 3 of a selector spreads the byte's sign. */
static inline unsigned
__byte_perm (unsigned x, unsigned y, unsigned selector)
{
  const uint64_t bytes = (uint64_t) y << 32 | x;
  unsigned result = 0;
  for (int i = 0; i < 4; i++)
    {
      const unsigned pick = selector >> (4 * i) & 0xf, byte = (unsigned) (bytes >> (8 * (pick & 7))) & 0xff;
      result |= (pick & 8 ? (byte & 0x80 ? 0xffu : 0) : byte) << (8 * i);
    }
  return result;
}

static inline int
__dp4a (int a, int b, int c)
{
  for (int i = 0; i < 4; i++)
    c = (int) ((unsigned) c + (unsigned) ((int8_t) (a >> (8 * i)) * (int8_t) (b >> (8 * i))));
  return c;
}

static inline unsigned
__dp4a (unsigned a, unsigned b, unsigned c)
{
  for (int i = 0; i < 4; i++)
    c += (a >> (8 * i) & 0xff) * (b >> (8 * i) & 0xff);
  return c;
}

/* Four bytes at once. */
#define ASSAY_BYTES(name, type, expression)                                                           \
  static inline unsigned name (unsigned a, unsigned b)                                                \
  {                                                                                                   \
    unsigned result = 0;                                                                              \
    for (int i = 0; i < 32; i += 8)                                                                   \
      {                                                                                               \
        const int x = (type) (a >> i), y = (type) (b >> i);                                           \
        result |= (unsigned) ((expression) & 0xff) << i;                                              \
      }                                                                                               \
    return result;                                                                                    \
  }
#define ASSAY_CLAMP(x) ((x) > 127 ? 127 : (x) < -128 ? -128 : (x))
ASSAY_BYTES (__vadd4, uint8_t, x + y)
ASSAY_BYTES (__vsub4, uint8_t, x - y)
ASSAY_BYTES (__vaddss4, int8_t, ASSAY_CLAMP (x + y))
ASSAY_BYTES (__vsubss4, int8_t, ASSAY_CLAMP (x - y))
ASSAY_BYTES (__vcmpeq4, uint8_t, x == y ? 0xff : 0)
ASSAY_BYTES (__vcmpne4, uint8_t, x != y ? 0xff : 0)
#undef ASSAY_BYTES
#undef ASSAY_CLAMP

/* Global, of any two numbers, as CUDA has them; of a number and a NaN, the number. */
template <class A, class B>
static inline auto
min (A a, B b) -> decltype (a + b)
{
  using T = decltype (a + b);
  return (T) a < (T) b || b != b ? (T) a : (T) b;
}

template <class A, class B>
static inline auto
max (A a, B b) -> decltype (a + b)
{
  using T = decltype (a + b);
  return (T) a > (T) b || b != b ? (T) a : (T) b;
}
