/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cpu/isa-scalar.c: every inner loop in plain C and libm, sums in double; others are
 * judged by it. */
#include "cpu.h"
#include "shared/half.h"

#include <math.h>

static void
scalar_rmsnorm (float *y, const float *x, const float *w, size_t n, float eps)
{
  double sum = 0;
  for (size_t i = 0; i < n; i++)
    sum += (double) x[i] * x[i];
  const double factor = 1 / sqrt (sum / (double) n + eps);
  for (size_t i = 0; i < n; i++)
    y[i] = (float) (x[i] * factor * w[i]);
}

static void
scalar_layernorm (float *y, const float *x, const float *w, const float *bias, size_t n, float eps)
{
  double sum = 0, squares = 0;
  for (size_t i = 0; i < n; i++)
    sum += x[i];
  const double mean = sum / (double) n;
  for (size_t i = 0; i < n; i++)
    squares += (x[i] - mean) * (x[i] - mean);
  const double factor = 1 / sqrt (squares / (double) n + eps);
  for (size_t i = 0; i < n; i++)
    y[i] = (float) ((x[i] - mean) * factor * w[i] + (bias != NULL ? bias[i] : 0));
}

static float
scalar_gelu_tanh (float x)
{
  return 0.5f * x * (1.0f + tanhf (0.79788456080286536f * (x + 0.044715f * x * x * x)));
}

static float
scalar_activation (float x, AssayActivation activation)
{
  switch (activation)
    {
    case ASSAY_ACTIVATION_GELU_TANH: return scalar_gelu_tanh (x);
    case ASSAY_ACTIVATION_GELU: return 0.5f * x * erfcf (-0.70710678118654752f * x);
    default: return x / (1.0f + expf (-x));
    }
}

static void
scalar_activate (float *y, const float *x, size_t n, AssayActivation activation)
{
  for (size_t i = 0; i < n; i++)
    y[i] = scalar_activation (x[i], activation);
}

static void
scalar_gated (float *y, const float *gate, const float *up, size_t n, AssayActivation activation)
{
  for (size_t i = 0; i < n; i++)
    y[i] = scalar_activation (gate[i], activation) * up[i];
}

static void
scalar_add (float *y, const float *x, size_t n, float scale)
{
  for (size_t i = 0; i < n; i++)
    y[i] += scale * x[i];
}

static float
scalar_exp_sum (float *x, size_t n, float max)
{
  double sum = 0;
  for (size_t i = 0; i < n; i++)
    {
      x[i] = expf (x[i] - max);
      sum += x[i];
    }
  return (float) sum;
}

static void
scalar_softmax (float *x, size_t n)
{
  float max = -INFINITY;
  for (size_t i = 0; i < n; i++)
    max = x[i] > max ? x[i] : max;
  const float sum = scalar_exp_sum (x, n, max);
  for (size_t i = 0; i < n; i++)
    x[i] /= sum;
}

static void
scalar_soft_cap (float *x, size_t n, float cap)
{
  for (size_t i = 0; i < n; i++)
    x[i] = cap * tanhf (x[i] / cap);
}

static float
scalar_score (float *x, size_t n, float scale, float cap)
{
  float max = -INFINITY;
  for (size_t i = 0; i < n; i++)
    {
      x[i] *= scale;
      if (cap > 0)
        x[i] = cap * tanhf (x[i] / cap);
      max = x[i] > max ? x[i] : max;
    }
  return max;
}

static void
scalar_sincos (float *cosine, float *sine, const double *angle, size_t n)
{
  for (size_t i = 0; i < n; i++)
    {
      cosine[i] = (float) cos (angle[i]);
      sine[i] = (float) sin (angle[i]);
    }
}

static void
scalar_rotate (float *a, float *b, const float *cosine, const float *sine, size_t n, size_t stride)
{
  for (size_t i = 0; i < n; i++, a += stride, b += stride)
    {
      const float x = *a, y = *b;
      *a = x * cosine[i] - y * sine[i];
      *b = x * sine[i] + y * cosine[i];
    }
}

static inline float
scalar_load (const void *x, AssayDtype dtype, size_t i)
{
  switch ((int) dtype)
    {
    case ASSAY_DTYPE_F16: return load_f16 ((const uint8_t *) x + 2 * i);
    case ASSAY_DTYPE_BF16: return bf16_to_float (load_u16 ((const uint8_t *) x + 2 * i));
    case ASSAY_DTYPE_Q8_0:
      {
        const uint8_t *block = (const uint8_t *) x + i / 32 * 34;
        return load_f16 (block) * (float) (int8_t) block[2 + i % 32];
      }
    default: return float_from_bits (load_u32 ((const uint8_t *) x + 4 * i));
    }
}

static void
scalar_to_float (float *y, const void *x, AssayDtype dtype, size_t n)
{
  for (size_t i = 0; i < n; i++)
    y[i] = scalar_load (x, dtype, i);
}

static void
scalar_to_f16 (void *y, const float *x, size_t n)
{
  for (size_t i = 0; i < n; i++)
    {
      const uint16_t bits = f16_from_float (x[i]);
      memcpy ((uint8_t *) y + 2 * i, &bits, sizeof bits);
    }
}

static void
scalar_round (float *y, const float *x, AssayDtype dtype, size_t n)
{
  for (size_t i = 0; i < n; i++)
    y[i] = dtype == ASSAY_DTYPE_F16 ? f16_to_float (f16_from_float (x[i])) : bf16_round (x[i]);
}

static float
scalar_dot (const float *x, const void *w, AssayDtype dtype, size_t n)
{
  double sum = 0;
  for (size_t i = 0; i < n; i++)
    sum += (double) x[i] * scalar_load (w, dtype, i);
  return (float) sum;
}

static void
scalar_scores (float *scores, const float *q, const void *k, size_t stride, AssayDtype dtype, size_t n_keys,
               size_t dim)
{
  for (size_t j = 0; j < n_keys; j++)
    scores[j] = scalar_dot (q, (const uint8_t *) k + j * stride, dtype, dim);
}

static void
scalar_mix (float *y, const float *weights, const void *v, size_t stride, AssayDtype dtype, size_t n_keys,
            size_t dim)
{
  for (size_t j = 0; j < n_keys; j++)
    for (size_t i = 0; i < dim; i++)
      y[i] += weights[j] * scalar_load ((const uint8_t *) v + j * stride, dtype, i);
}

/* Magnitudes compare as integers, which lets a NaN win. */
static uint32_t
scalar_max_bits (const float *x, size_t n)
{
  uint32_t max = 0;
  for (size_t i = 0; i < n; i++)
    {
      const uint32_t bits = bits_from_float (x[i]) & 0x7fffffff;
      max = bits > max ? bits : max;
    }
  return max;
}

/* 32 activations: their terms; returns the scale, NaN when one of them is not finite */
static float
scalar_quantize_32 (int8_t *high, int8_t *low, const float *x)
{
  const uint32_t bits = scalar_max_bits (x, 32);
  const float max = float_from_bits (bits);
  const float inverse = bits >= 0x7f800000 || max < 1e-30f ? 0.0f : CPU_ACTIVATION_MAX / max;
  for (uint32_t i = 0; i < 32; i++)
    {
      const int32_t both = inverse > 0 ? (int32_t) lrintf (x[i] * inverse) : 0;
      const int32_t rest = both - ((both + 128) >> 8) * 256;
      high[i] = (int8_t) ((both + 128) >> 8);
      low[i] = (int8_t) (rest < -127 ? -127 : rest);
    }
  return bits >= 0x7f800000 ? NAN : inverse > 0 ? max / CPU_ACTIVATION_MAX : 0.0f;
}

static void
scalar_quantize (int8_t *codes, CpuGroup *groups, const float *x, size_t n, const CpuFormat *format)
{
  for (size_t i = 0; i < n; i += 32)
    {
      const float d = scalar_quantize_32 (codes + i, codes + n + i, x + i);
      for (size_t g = i / format->group; g < (i + 32) / format->group; g++)
        {
          int32_t sum = 0;
          for (size_t k = g * format->group; k < (g + 1) * format->group; k++)
            sum += 256 * codes[k] + codes[n + k];
          groups[g].d = d;
          if (format->has_min)
            groups[g].sum = d * (float) sum;
          else
            groups[g].bias = -format->offset * sum;
        }
    }
}

/* One block's share of a row's product. */
static double
scalar_block_int8 (const CpuFormat *format, const uint8_t *block, const int8_t *high, const int8_t *low,
                   const CpuGroup *groups)
{
  uint8_t w[256];
  float d[16], m[16];
  double sum = 0;
  cpu_format_unpack (format, block, w, d, m);
  for (uint32_t g = 0; g < format->block_elements / format->group; g++)
    {
      int32_t dot = format->has_min ? 0 : groups[g].bias;
      for (uint32_t k = g * format->group; k < (g + 1) * format->group; k++)
        dot += w[k] * (256 * high[k] + low[k]);
      sum += (double) d[g] * groups[g].d * dot;
      if (format->has_min)
        sum += (double) m[g] * groups[g].sum;
    }
  return sum;
}

static void
scalar_gemv_int8 (float *y, const CpuFormat *format, const uint8_t *rows, size_t row_bytes, size_t n_rows,
                  const int8_t *codes, const CpuGroup *groups, size_t n)
{
  for (size_t r = 0; r < n_rows; r++, rows += row_bytes)
    {
      double sum = 0;
      for (size_t i = 0; i < n / format->block_elements; i++)
        {
          const int8_t *high = codes + i * format->block_elements;
          sum += scalar_block_int8 (format, rows + i * format->block_bytes, high, high + n,
                                    groups + i * (format->block_elements / format->group));
        }
      y[r] = (float) sum;
    }
}

static float
scalar_quantize_vectorwise (int8_t *codes, const float *x, size_t n)
{
  float max = 0;
  for (size_t i = 0; i < n; i++)
    {
      const float magnitude = fabsf (f16_to_float (f16_from_float (x[i])));
      if (!(magnitude >= ASSAY_INT8_THRESHOLD) && !(magnitude <= max))
        max = isnan (max) ? max : magnitude;
    }
  const float inverse = max > 0 ? 127.0f / max : 0.0f;
  for (size_t i = 0; i < n; i++)
    {
      const float value = f16_to_float (f16_from_float (x[i]));
      codes[i] = inverse > 0 && fabsf (value) < ASSAY_INT8_THRESHOLD ? (int8_t) lrintf (value * inverse) : 0;
    }
  return max;
}

static void
scalar_dot_vectorwise (int32_t *y, size_t ldy, const int8_t *rows, size_t n_rows, const int8_t *codes,
                       const CpuToken *tokens, size_t n_tokens, size_t n)
{
  (void) tokens;
  for (size_t t = 0; t < n_tokens; t++)
    for (size_t r = 0; r < n_rows; r++)
      {
        int32_t sum = 0;
        for (size_t i = 0; i < n; i++)
          sum += rows[r * n + i] * codes[t * cpu_vectorwise_stride (n) + i];
        y[t * ldy + r] = sum;
      }
}

const CpuIsa cpu_isa_scalar = {
  .id = ASSAY_CPU_SCALAR,
  .name = "scalar",
  .rmsnorm = scalar_rmsnorm,
  .layernorm = scalar_layernorm,
  .gated = scalar_gated,
  .activate = scalar_activate,
  .add = scalar_add,
  .softmax = scalar_softmax,
  .soft_cap = scalar_soft_cap,
  .sincos = scalar_sincos,
  .rotate = scalar_rotate,
  .to_float = scalar_to_float,
  .to_f16 = scalar_to_f16,
  .round = scalar_round,
  .dot = scalar_dot,
  .scores = scalar_scores,
  .mix = scalar_mix,
  .score = scalar_score,
  .exp_sum = scalar_exp_sum,
  .quantize = scalar_quantize,
  .gemv_int8 = scalar_gemv_int8,
  .quantize_vectorwise = scalar_quantize_vectorwise,
  .dot_vectorwise = scalar_dot_vectorwise,
};
