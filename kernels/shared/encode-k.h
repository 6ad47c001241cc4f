/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/shared/encode-k.h: 256 numbers of float32 to a block of Q4_K, Q5_K or Q6_K.
 *
 * These formats leave it to the encoder which scale a sub-block gets. For each, some twenty roundings of its
 * numbers to codes are tried: codes given, the best scale (and minimum) is a least squares problem with a
 * closed solution, and the try with the least error wins. Errors are weighted by the magnitude, since
 * large weights matter more. Then the sub-blocks' scales are themselves rounded to 6 or 8 bits, and the codes
 * are made anew for what the decoder will see. */
#pragma once

#include "half.h"
#include "portable.h"

#include <math.h>

#define K_SUPER 256u

/* A sub-block with less than this is nothing to float16. */
#define K_MAGNITUDE_MIN 1e-15f

/* Partial sums, so that the compiler may use vectors without changing a result. */
#define K_LANES 8u

typedef struct
{
  float scale, min;       /* value = scale * code - min */
} KFit;

/* Nearest integer of |value| < 2^22, ties to even. */
ASSAY_SHARED float
k_nearest (float value)
{
  return value + 0x1.8p23f - 0x1.8p23f;
}

ASSAY_SHARED float
k_clamp (float value, float low, float high)
{
  return value < low ? low : value > high ? high : value;
}

ASSAY_SHARED float
k_store_f16 (uint8_t *at, float value)
{
  const uint16_t bits = f16_from_float (value);
  memcpy (at, &bits, sizeof bits);
  return f16_to_float (bits);
}

ASSAY_SHARED double
k_sum (const float *lanes)
{
  double sum = 0;
  for (uint32_t k = 0; k < K_LANES; k++)
    sum += lanes[k];
  return sum;
}

/* --- scale and minimum: Q4_K, Q5_K --- */

typedef struct
{
  double w, x, code, code2, x_code; /* weighted sums of 1, x, code, code^2, x * code */
} KSums;

ASSAY_SHARED void
k_sums_of_codes (KSums *sums, const float *x, const float *w, float min, float inverse, float top)
{
  float code[K_LANES] = { 0 }, code2[K_LANES] = { 0 }, x_code[K_LANES] = { 0 };
  for (uint32_t i = 0; i < 32; i += K_LANES)
    for (uint32_t k = 0; k < K_LANES; k++)
      {
        const float c = k_clamp (k_nearest ((x[i + k] - min) * inverse), 0, top), wc = w[i + k] * c;
        code[k] += wc;
        code2[k] += wc * c;
        x_code[k] += wc * x[i + k];
      }
  sums->code = k_sum (code);
  sums->code2 = k_sum (code2);
  sums->x_code = k_sum (x_code);
}

/* The best scale and minimum for the codes summed up; returns by how much they lower the squared error. */
ASSAY_SHARED double
k_sums_solve (const KSums *s, KFit *fit)
{
  const double determinant = s->w * s->code2 - s->code * s->code;
  double scale = 0, shift = 0;
  if (determinant > 0)
    {
      scale = (s->w * s->x_code - s->x * s->code) / determinant;
      shift = (s->code2 * s->x - s->code * s->x_code) / determinant;
    }
  if (shift > 0 || determinant <= 0)
    {
      shift = 0;
      scale = s->code2 > 0 ? s->x_code / s->code2 : 0;
    }
  fit->scale = (float) scale;
  fit->min = (float) -shift;
  return scale > 0 ? scale * s->x_code + shift * s->x : 0;
}

/* w = |x| + its quadratic mean */
ASSAY_SHARED void
k_weigh (float *w, const float *x, KSums *sums)
{
  float squares[K_LANES] = { 0 }, total[K_LANES] = { 0 }, weighted[K_LANES] = { 0 };
  for (uint32_t i = 0; i < 32; i++)
    squares[i % K_LANES] += x[i] * x[i];
  const float mean = (float) sqrt (k_sum (squares) / 32);
  for (uint32_t i = 0; i < 32; i++)
    {
      w[i] = mean + fabsf (x[i]);
      total[i % K_LANES] += w[i];
      weighted[i % K_LANES] += w[i] * x[i];
    }
  sums->w = k_sum (total);
  sums->x = k_sum (weighted);
}

/* Keeps the better one; most: what `best` gains. */
ASSAY_SHARED void
k_fit_choose (const KSums *sums, KFit *best, double *most)
{
  KFit fit;
  const double gain = k_sums_solve (sums, &fit);
  if (gain <= *most || fit.scale <= 0)
    return;
  *most = gain;
  *best = fit;
}

/* 32 numbers: codes 0 .. top. */
ASSAY_SHARED KFit
k_fit_minimum (const float *x, float top)
{
  float w[32], min = 0, max = x[0];
  KSums sums;
  KFit best;
  for (uint32_t i = 0; i < 32; i++)
    {
      min = x[i] < min ? x[i] : min;
      max = x[i] > max ? x[i] : max;
    }
  best.scale = 0;
  best.min = -min;
  if (max - min < K_MAGNITUDE_MIN)
    return best;
  k_weigh (w, x, &sums);
  double most = -INFINITY;
  for (int step = -10; step <= 10; step++)
    {
      k_sums_of_codes (&sums, x, w, min, (top + 0.1f * (float) step) / (max - min), top);
      k_fit_choose (&sums, &best, &most);
    }
  for (int again = 0; again < 3 && best.scale > 0; again++)
    {
      k_sums_of_codes (&sums, x, w, -best.min, 1.0f / best.scale, top);
      k_fit_choose (&sums, &best, &most);
    }
  return best;
}

/* --- the super-block --- */

/* The inverse of q4_k_scale(). */
ASSAY_SHARED void
k_pack_scale (uint8_t *packed, uint32_t s, uint8_t scale, uint8_t min)
{
  if (s < 4)
    {
      packed[s] |= scale;
      packed[s + 4] |= min;
      return;
    }
  packed[s + 4] |= (uint8_t) ((scale & 15) | min << 4);
  packed[s - 4] |= (uint8_t) (scale >> 4 << 6);
  packed[s] |= (uint8_t) (min >> 4 << 6);
}

ASSAY_SHARED void
k_encode_minimum (uint8_t *codes, const float *x, KFit fit, float top)
{
  const float inverse = fit.scale > 0 ? 1.0f / fit.scale : 0.0f;
  for (uint32_t i = 0; i < 32; i++)
    codes[i] = (uint8_t) k_clamp (k_nearest ((x[i] + fit.min) * inverse), 0, top);
}

/* | d f16 | dmin f16 | packed 12 | of a block, and its codes. */
ASSAY_SHARED void
k_encode_super (uint8_t *block, uint8_t *codes, const float *x, float top)
{
  KFit fits[8], greatest = { 0, 0 };
  for (uint32_t s = 0; s < 8; s++)
    {
      fits[s] = k_fit_minimum (x + 32 * s, top);
      greatest.scale = fits[s].scale > greatest.scale ? fits[s].scale : greatest.scale;
      greatest.min = fits[s].min > greatest.min ? fits[s].min : greatest.min;
    }
  const float d = k_store_f16 (block, greatest.scale / 63), dmin = k_store_f16 (block + 2, greatest.min / 63);
  memset (block + 4, 0, 12);
  for (uint32_t s = 0; s < 8; s++)
    {
      const float scale = d > 0 ? k_clamp (k_nearest (fits[s].scale / d), 0, 63) : 0;
      const float min = dmin > 0 ? k_clamp (k_nearest (fits[s].min / dmin), 0, 63) : 0;
      k_pack_scale (block + 4, s, (uint8_t) scale, (uint8_t) min);
      const KFit rounded = { d * scale, dmin * min };
      k_encode_minimum (codes + 32 * s, x + 32 * s, rounded, top);
    }
}

/* qs 128: sub-blocks 2i and 2i + 1 share 32 bytes */
ASSAY_SHARED void
k_pack_nibbles (uint8_t *qs, const uint8_t *codes)
{
  for (uint32_t i = 0; i < 128; i++)
    {
      const uint8_t *pair = codes + 64 * (i / 32) + i % 32;
      qs[i] = (uint8_t) ((pair[0] & 15) | pair[32] << 4);
    }
}

/* codes: [256] of scratch, as below. */
ASSAY_SHARED void
encode_q4_k (uint8_t *b, uint8_t *codes, const float *x)
{
  k_encode_super (b, codes, x, 15);
  k_pack_nibbles (b + 16, codes);
}

ASSAY_SHARED void
encode_q5_k (uint8_t *b, uint8_t *codes, const float *x)
{
  k_encode_super (b, codes, x, 31);
  memset (b + 16, 0, 32);
  for (uint32_t e = 0; e < K_SUPER; e++)
    b[16 + (e & 31)] |= (uint8_t) (codes[e] >> 4 << (e >> 5));
  k_pack_nibbles (b + 48, codes);
}

/* --- scale only: Q6_K --- */

/* The error that a scale for these codes leaves is least where x_code^2 / code2 is greatest. */
ASSAY_SHARED double
q6_k_try (const float *x, float inverse, float *scale)
{
  float code2[K_LANES] = { 0 }, x_code[K_LANES] = { 0 };
  for (uint32_t i = 0; i < 16; i += K_LANES)
    for (uint32_t k = 0; k < K_LANES; k++)
      {
        const float w = x[i + k] * x[i + k], c = k_clamp (k_nearest (x[i + k] * inverse), -32, 31);
        code2[k] += w * c * c;
        x_code[k] += w * c * x[i + k];
      }
  const double squares = k_sum (code2), products = k_sum (x_code);
  *scale = squares > 0 ? (float) (products / squares) : 0;
  return squares > 0 ? products * products / squares : 0;
}

/* 16 numbers: codes -32 .. 31, the extreme one towards -32. */
ASSAY_SHARED float
k_fit_scale (const float *x)
{
  float extreme = x[0], best = 0, scale;
  double most = 0;
  for (uint32_t i = 1; i < 16; i++)
    extreme = fabsf (x[i]) > fabsf (extreme) ? x[i] : extreme;
  if (fabsf (extreme) < K_MAGNITUDE_MIN)
    return 0;
  for (int step = -9; step <= 9; step++)
    {
      const double gain = q6_k_try (x, -(32 + 0.1f * (float) step) / extreme, &scale);
      if (gain > most)
        {
          most = gain;
          best = scale;
        }
    }
  return best;
}

/* | ql 128 | qh 64 | */
ASSAY_SHARED void
q6_k_pack (uint8_t *block, const uint8_t *codes)
{
  memset (block, 0, 192);
  for (uint32_t e = 0; e < K_SUPER; e++)
    {
      const uint32_t half = e >> 7, k = e >> 5 & 3, l = e & 31;
      block[64 * half + 32 * (k & 1) + l] |= (uint8_t) ((codes[e] & 15) << (k < 2 ? 0 : 4));
      block[128 + 32 * half + l] |= (uint8_t) (codes[e] >> 4 << (2 * k));
    }
}

/* Returns d, after float16. */
ASSAY_SHARED float
q6_k_encode_scales (uint8_t *block, const float *scales)
{
  float extreme = scales[0];
  for (uint32_t s = 1; s < 16; s++)
    extreme = fabsf (scales[s]) > fabsf (extreme) ? scales[s] : extreme;
  const float d = k_store_f16 (block + 208, extreme / -128);
  for (uint32_t s = 0; s < 16; s++)
    block[192 + s] = (uint8_t) (int8_t) (d != 0 ? k_clamp (k_nearest (scales[s] / d), -128, 127) : 0);
  return d;
}

ASSAY_SHARED void
encode_q6_k (uint8_t *b, uint8_t *codes, const float *x)
{
  float scales[16];
  for (uint32_t s = 0; s < 16; s++)
    scales[s] = k_fit_scale (x + 16 * s);
  const float d = q6_k_encode_scales (b, scales);
  for (uint32_t e = 0; e < K_SUPER; e++)
    {
      const float scale = d * (float) (int8_t) b[192 + e / 16];
      codes[e] = (uint8_t) (k_clamp (k_nearest (scale != 0 ? x[e] / scale : 0), -32, 31) + 32);
    }
  q6_k_pack (b, codes);
}
