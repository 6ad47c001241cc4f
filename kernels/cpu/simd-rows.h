/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cpu/simd-rows.h: norms, gates, softmax and rope in vectors. Included once by each isa-*.c, after
 * its vec-*.h.
 *
 * exp, tanh, erf, sin and cos are polynomials with a relative error of about 1e-7 (the coefficients are those
 * of the Cephes library). */
#pragma once

#include "cpu.h"

#include <math.h>

VEC_INLINE vf
v_load_upto (const float *p, size_t n)
{
  return n >= VW ? v_load (p) : v_load_n (p, n);
}

VEC_INLINE void
v_store_upto (float *p, vf a, size_t n)
{
  if (n >= VW)
    v_store (p, a);
  else
    v_store_n (p, a, n);
}

VEC_INLINE vf
v_zero_beyond (vf a, size_t n)
{
  float lanes[VW];
  if (n >= VW)
    return a;
  v_store (lanes, a);
  return v_load_n (lanes, n);
}

/* 0 below -87.3, infinity above 88.7, NaN stays */
VEC_INLINE vf
v_exp (vf x)
{
  const vf clamped = v_min (v_set (88.8f), v_max (v_set (-87.4f), x));
  const vf n = v_from_int (v_to_int (clamped * v_set (1.44269504f)));
  const vf r = v_fma (n, v_set (2.12194440e-4f), v_fma (n, v_set (-0.693359375f), clamped));
  vf p = v_set (1.9875691500e-4f);
  p = v_fma (p, r, v_set (1.3981999507e-3f));
  p = v_fma (p, r, v_set (8.3334519073e-3f));
  p = v_fma (p, r, v_set (4.1665795894e-2f));
  p = v_fma (p, r, v_set (1.6666665459e-1f));
  p = v_fma (p, r, v_set (5.0000001201e-1f));
  p = v_fma (p, r * r, r) + v_set (1.0f);
  return v_if_less (x, v_set (-87.3f), v_set (0.0f), v_scale (p, n));
}

VEC_INLINE vf
v_tanh (vf x)
{
  const vf magnitude = v_abs (x), z = x * x;
  vf p = v_set (-5.70498872745e-3f);
  p = v_fma (p, z, v_set (2.06390887954e-2f));
  p = v_fma (p, z, v_set (-5.37397155531e-2f));
  p = v_fma (p, z, v_set (1.33314422036e-1f));
  p = v_fma (p, z, v_set (-3.33332819422e-1f));
  const vf near = v_fma (p * z, x, x);
  const vf far = v_set (1.0f) - v_set (2.0f) / (v_exp (magnitude + magnitude) + v_set (1.0f));
  return v_if_less (magnitude, v_set (0.625f), near, v_with_sign (far, x));
}

static void
simd_rmsnorm (float *y, const float *x, const float *w, size_t n, float eps)
{
  vf sum = v_set (0.0f);
  for (size_t i = 0; i < n; i += VW)
    {
      const vf a = v_load_upto (x + i, n - i);
      sum = v_fma (a, a, sum);
    }
  const vf factor = v_set (1.0f / sqrtf (v_sum (sum) / (float) n + eps));
  for (size_t i = 0; i < n; i += VW)
    v_store_upto (y + i, v_load_upto (x + i, n - i) * factor * v_load_upto (w + i, n - i), n - i);
}

/* Two passes: the squares of what is left after the mean, not a difference of sums. */
static void
simd_layernorm (float *y, const float *x, const float *w, const float *bias, size_t n, float eps)
{
  vf sum = v_set (0.0f), squares = v_set (0.0f);
  for (size_t i = 0; i < n; i += VW)
    sum += v_load_upto (x + i, n - i);
  const float mean = v_sum (sum) / (float) n;
  for (size_t i = 0; i < n; i += VW)
    {
      /* absent lanes hold zero, and must not count as far from the mean */
      const vf a = v_zero_beyond (v_load_upto (x + i, n - i) - v_set (mean), n - i);
      squares = v_fma (a, a, squares);
    }
  const vf factor = v_set (1.0f / sqrtf (v_sum (squares) / (float) n + eps));
  for (size_t i = 0; i < n; i += VW)
    {
      const vf shift = bias != NULL ? v_load_upto (bias + i, n - i) : v_set (0.0f);
      v_store_upto (
        y + i,
        v_fma ((v_load_upto (x + i, n - i) - v_set (mean)) * factor, v_load_upto (w + i, n - i), shift),
        n - i);
    }
}

/* sum of coefficients[i] * x^(n - 1 - i) */
VEC_INLINE vf
v_polynomial (vf x, const float *coefficients, size_t n)
{
  vf p = v_set (coefficients[0]);
  for (size_t i = 1; i < n; i++)
    p = v_fma (p, x, v_set (coefficients[i]));
  return p;
}

/* erfc (x) of x >= 1 */
VEC_INLINE vf
v_erfc_above_1 (vf x)
{
  static const float below_2[] = { 2.326819970068386e-2f, -1.387039388740657e-1f, 3.687424674597105e-1f,
                                   -5.824733027278666e-1f, 6.210004621745983e-1f, -4.944515323274145e-1f,
                                   3.404879937665872e-1f, -2.741127028184656e-1f, 5.638259427386472e-1f };
  static const float above_2[] = { -1.047766399936249e+1f, 1.297719955372516e+1f, -7.495518717768503e+0f,
                                   2.921019019210786e+0f, -1.015265279202700e+0f, 4.218463358204948e-1f,
                                   -2.820767439740514e-1f, 5.641895067754075e-1f };
  const vf inverse = v_set (1.0f) / x, z = inverse * inverse;
  const vf p = v_if_less (x, v_set (2.0f), v_polynomial (z, below_2, 9), v_polynomial (z, above_2, 8));
  return v_exp (v_set (0.0f) - x * x) * inverse * p;
}

/* x (1 + erf (x / sqrt (2))) / 2. Far below zero the sum would be a difference of near numbers: erfc
 * instead. */
VEC_INLINE vf
v_gelu (vf x)
{
  static const float erf_near[] = { 7.853861353153693e-5f, -8.010193625184903e-4f, 5.188327685732524e-3f,
                                    -2.685381193529856e-2f, 1.128358514861418e-1f, -3.761262582423300e-1f,
                                    1.128379165726710e+0f };
  const vf half = v_set (0.5f) * x, z = v_set (0.70710678118654752f) * x, magnitude = v_abs (z);
  const vf near = v_fma (half * z, v_polynomial (z * z, erf_near, 7), half);
  const vf rest = half * v_erfc_above_1 (magnitude);
  return v_if_less (magnitude, v_set (1.0f), near, v_if_less (z, v_set (0.0f), rest, x - rest));
}

VEC_INLINE vf
v_activation (vf x, AssayActivation activation)
{
  vf u = x;
  if (activation == ASSAY_ACTIVATION_GELU)
    return v_gelu (x);
  /* 0.5 (1 + tanh (u)) is the logistic function of 2u */
  if (activation == ASSAY_ACTIVATION_GELU_TANH)
    u = v_set (1.5957691216057308f) * v_fma (v_set (0.044715f) * x * x, x, x);
  return x / (v_set (1.0f) + v_exp (v_set (0.0f) - u));
}

static void
simd_gated (float *y, const float *gate, const float *up, size_t n, AssayActivation activation)
{
  for (size_t i = 0; i < n; i += VW)
    v_store_upto (y + i,
                  v_activation (v_load_upto (gate + i, n - i), activation) * v_load_upto (up + i, n - i),
                  n - i);
}

static void
simd_activate (float *y, const float *x, size_t n, AssayActivation activation)
{
  for (size_t i = 0; i < n; i += VW)
    v_store_upto (y + i, v_activation (v_load_upto (x + i, n - i), activation), n - i);
}

static void
simd_add (float *y, const float *x, size_t n, float scale)
{
  for (size_t i = 0; i < n; i += VW)
    v_store_upto (y + i, v_fma (v_load_upto (x + i, n - i), v_set (scale), v_load_upto (y + i, n - i)), n - i);
}

static float
simd_exp_sum (float *x, size_t n, float max)
{
  vf sum = v_set (0.0f);
  size_t i = 0;
  for (; i + VW <= n; i += VW)
    {
      const vf e = v_exp (v_load (x + i) - v_set (max));
      v_store (x + i, e);
      sum += e;
    }
  if (i < n)
    {
      v_store_n (x + i, v_exp (v_load_n (x + i, n - i) - v_set (max)), n - i);
      sum += v_load_n (x + i, n - i);
    }
  return v_sum (sum);
}

static float
simd_max (const float *x, size_t n)
{
  vf max = v_set (-INFINITY);
  size_t i = 0;
  for (; i + VW <= n; i += VW)
    max = v_max (v_load (x + i), max);
  float greatest = v_greatest (max);
  for (; i < n; i++)
    greatest = x[i] > greatest ? x[i] : greatest;
  return greatest;
}

static void
simd_softmax (float *x, size_t n)
{
  const vf factor = v_set (1.0f / simd_exp_sum (x, n, simd_max (x, n)));
  for (size_t i = 0; i < n; i += VW)
    v_store_upto (x + i, v_load_upto (x + i, n - i) * factor, n - i);
}

static void
simd_soft_cap (float *x, size_t n, float cap)
{
  for (size_t i = 0; i < n; i += VW)
    v_store_upto (x + i, v_set (cap) * v_tanh (v_load_upto (x + i, n - i) / v_set (cap)), n - i);
}

static float
simd_score (float *x, size_t n, float scale, float cap)
{
  for (size_t i = 0; i < n; i += VW)
    {
      vf a = v_load_upto (x + i, n - i) * v_set (scale);
      if (cap > 0)
        a = v_set (cap) * v_tanh (a / v_set (cap));
      v_store_upto (x + i, a, n - i);
    }
  return simd_max (x, n);
}

typedef double vd __attribute__ ((vector_size (VW * 4)));
typedef int64_t vl __attribute__ ((vector_size (VW * 4)));
typedef float vh __attribute__ ((vector_size (VW * 2)));

/* Adding 1.5 * 2^52 leaves the nearest whole number in the low bits; below it, which quarter turn. */
VEC_INLINE void
v_sincos (vd angle, vd *cosine, vd *sine)
{
  const vd magic = { 0 }, shifter = magic + 0x1.8p52;
  const vd shifted = angle * 0x1.45f306dc9c883p-1 + shifter;
  const vd k = shifted - shifter;
  const vd r = (angle - k * 0x1.921fb544p0) - k * 0x1.0b4611a626331p-34, z = r * r;
  const vd s = r + r * z * (-0x1.5555555555555p-3 + z * (0x1.1111111111111p-7 + z * (-0x1.a01a01a01a01ap-13
    + z * (0x1.71de3a556c734p-19 - z * 0x1.ae64567f544e4p-26))));
  const vd c = 1.0 - z * 0.5 + z * z * (0x1.5555555555555p-5 + z * (-0x1.6c16c16c16c17p-10
    + z * (0x1.a01a01a01a01ap-16 - z * (0x1.27e4fb7789f5cp-22 - z * 0x1.1eed8eff8d898p-29))));
  const vl quarter = (vl) shifted, odd = -(quarter & 1);
  const vl sine_sign = (quarter & 2) << 62, cosine_sign = ((quarter + 1) & 2) << 62;
  *sine = (vd) ((((vl) c & odd) | ((vl) s & ~odd)) ^ sine_sign);
  *cosine = (vd) ((((vl) s & odd) | ((vl) c & ~odd)) ^ cosine_sign);
}

static void
simd_sincos (float *cosine, float *sine, const double *angle, size_t n)
{
  for (size_t i = 0; i < n; i += VW / 2)
    {
      vd a = { 0 }, c, s;
      const size_t count = cpu_min (n - i, VW / 2);
      __builtin_memcpy (&a, angle + i, count * sizeof *angle);
      v_sincos (a, &c, &s);
      const vh c_float = __builtin_convertvector (c, vh), s_float = __builtin_convertvector (s, vh);
      __builtin_memcpy (cosine + i, &c_float, count * sizeof *cosine);
      __builtin_memcpy (sine + i, &s_float, count * sizeof *sine);
    }
}

static void
simd_rotate (float *a, float *b, const float *cosine, const float *sine, size_t n, size_t stride)
{
  size_t i = 0;
  if (stride == 2)
    for (; i + VW / 2 <= n; i += VW / 2)
      {
        const vf x = v_load (a + 2 * i);
        /* x c - y s beside x s + y c: the partner, times s with a minus on even lanes */
        const vf other = v_swap_pairs (x) * v_minus_even (v_load_twice (sine + i));
        v_store (a + 2 * i, x * v_load_twice (cosine + i) + other);
      }
  else
    for (; i + VW <= n; i += VW)
      {
        const vf x = v_load (a + i), y = v_load (b + i), c = v_load (cosine + i), s = v_load (sine + i);
        v_store (a + i, x * c - y * s);
        v_store (b + i, x * s + y * c);
      }
  for (; i < n; i++)
    {
      const float x = a[i * stride], y = b[i * stride];
      a[i * stride] = x * cosine[i] - y * sine[i];
      b[i * stride] = x * sine[i] + y * cosine[i];
    }
}
