/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cuda/decode.cuh: eight neighbouring weights of any format, as codes in float32, a scale and a minimum.
 *
 * Eight is what every format has in one piece under one scale, and a load of 16 bytes of the plain ones. Products
 * of few tokens multiply with the codes, and with the scale once a piece. The layouts are told in
 * kernels/cpu/dequantize*.c; code * scale + min gives its results bit for bit where products and sums are not
 * fused. */
#pragma once

#include "device.cuh"
#include "shared/block-parts.h"
#include "shared/int8.h"
#include "shared/iq-grids.h"
#include "shared/whole-tables.h"
#include "weight.h"

#define PIECE 8u

typedef struct
{
  float code[PIECE];
  float scale, min;           /* value = code * scale + min */
} Piece;

/* The greatest power of two, up to 16, in the size of a block; 1 for what may stand anywhere. */
template <AssayDtype format> struct FormatBlock { static const unsigned elements = 1, bytes = 0, align = 1; };

#define FORMAT_BLOCK(name, n, size)                                                            \
  template <> struct FormatBlock<ASSAY_DTYPE_##name>                                           \
  {                                                                                            \
    static const unsigned elements = n, bytes = size;                                          \
    static const unsigned align = size % 16 == 0 ? 16 : size % 8 == 0 ? 8 : size % 4 == 0 ? 4 : size % 2 == 0 ? 2 : 1; \
  };
FORMAT_BLOCK (Q4_0, 32, 18) FORMAT_BLOCK (Q4_1, 32, 20) FORMAT_BLOCK (Q5_0, 32, 22) FORMAT_BLOCK (Q5_1, 32, 24)
FORMAT_BLOCK (Q8_0, 32, 34) FORMAT_BLOCK (Q8_1, 32, 36) FORMAT_BLOCK (Q2_K, 256, 84) FORMAT_BLOCK (Q3_K, 256, 110)
FORMAT_BLOCK (Q4_K, 256, 144) FORMAT_BLOCK (Q5_K, 256, 176) FORMAT_BLOCK (Q6_K, 256, 210)
FORMAT_BLOCK (Q8_K, 256, 292) FORMAT_BLOCK (TQ1_0, 256, 54) FORMAT_BLOCK (TQ2_0, 256, 66)
FORMAT_BLOCK (IQ1_S, 256, 50) FORMAT_BLOCK (IQ1_M, 256, 56) FORMAT_BLOCK (IQ2_XXS, 256, 66)
FORMAT_BLOCK (IQ2_XS, 256, 74) FORMAT_BLOCK (IQ2_S, 256, 82) FORMAT_BLOCK (IQ3_XXS, 256, 98)
FORMAT_BLOCK (IQ3_S, 256, 110) FORMAT_BLOCK (IQ4_NL, 32, 18) FORMAT_BLOCK (IQ4_XS, 256, 136)
FORMAT_BLOCK (MXFP4, 32, 17) FORMAT_BLOCK (NVFP4, 64, 36)

/* The same bits of each of eight bytes, moved to the bottom: four bytes a step. */
static __device__ inline uint2
bits_of_bytes (uint2 bytes, unsigned shift, uint32_t mask)
{
  return make_uint2 (bytes.x >> shift & mask, bytes.y >> shift & mask);
}

/* high above `shift` bits of low, byte by byte. */
static __device__ inline uint2
join_bytes (uint2 low, uint2 high, unsigned shift)
{
  return make_uint2 (low.x | high.x << shift, low.y | high.y << shift);
}

/* --- blocks of 32 --- */

/* Codes of elements e .. e + 7 of nibbles whose low halves come first. */
template <unsigned align>
static __device__ inline void
decode_nibbles (uint32_t code[PIECE], const uint8_t *qs, unsigned e, unsigned half)
{
  const uint2 nibbles = bits_of_bytes (load_8_bytes<align> (qs + e % half), e < half ? 0 : 4, 0x0f0f0f0f);
  for (unsigned i = 0; i < PIECE; i++)
    code[i] = byte_of (nibbles, i);
}

template <AssayDtype format, unsigned align>
static __device__ inline void
decode_32 (Piece *p, const uint8_t *b, unsigned e)
{
  constexpr bool is_five = format == ASSAY_DTYPE_Q5_0 || format == ASSAY_DTYPE_Q5_1;
  constexpr bool has_min = format == ASSAY_DTYPE_Q4_1 || format == ASSAY_DTYPE_Q5_1;
  constexpr unsigned head = has_min ? 4 : 2, at = head + (is_five ? 4 : 0);
  const float d = float_of_half (load_2_bytes<(align < 2 ? 1 : 2)> (b));
  const uint32_t high = is_five ? load_4_bytes<(head == 4 && align >= 4 ? 4 : align < 2 ? 1 : 2)> (b + head) >> e : 0;
  uint32_t code[PIECE];
  decode_nibbles<(at % 8 == 0 && align >= 8 ? 8 : at % 4 == 0 && align >= 4 ? 4 : align < 2 ? 1 : 2)> (code, b + at, e, 16);
  for (unsigned i = 0; i < PIECE; i++)
    {
      const int c = (int) (code[i] | (high >> i & 1) << 4);
      p->code[i] = (float) (has_min ? c : c - (is_five ? 16 : 8));
    }
  p->scale = d;
  if (has_min)
    p->min = float_of_half (load_2_bytes<(align < 2 ? 1 : 2)> (b + 2));
}

/* int8 codes */
template <unsigned align>
static __device__ inline void
decode_bytes (Piece *p, const uint8_t *codes, float d)
{
  const uint2 bytes = load_8_bytes<align> (codes);
  for (unsigned i = 0; i < PIECE; i++)
    p->code[i] = (float) (int8_t) byte_of (bytes, i);
  p->scale = d;
}

/* codes looked up */
template <unsigned align>
static __device__ inline void
decode_looked_up (Piece *p, const uint8_t *qs, unsigned e, unsigned half, const int8_t *values, float d)
{
  uint32_t code[PIECE];
  decode_nibbles<align> (code, qs, e, half);
  for (unsigned i = 0; i < PIECE; i++)
    p->code[i] = (float) values[code[i]];
  p->scale = d;
}

/* --- K --- */

template <unsigned align>
static __device__ inline void
decode_q2_k (Piece *p, const uint8_t *b, unsigned e)
{
  constexpr unsigned a2 = align < 2 ? 1 : 2, a4 = align < 4 ? a2 : 4;
  const unsigned s = e / 16;
  const float d = float_of_half (load_2_bytes<a2> (b + 80)) * (float) (b[s] & 15);
  const float m = float_of_half (load_2_bytes<a2> (b + 82)) * (float) (b[s] >> 4);
  const uint2 bytes = load_8_bytes<a4> (b + 16 + 32 * (e / 128) + e % 32);
  const uint2 codes = bits_of_bytes (bytes, e / 32 % 4 * 2, 0x03030303);
  for (unsigned i = 0; i < PIECE; i++)
    p->code[i] = (float) byte_of (codes, i);
  p->scale = d;
  p->min = -m;
}

template <unsigned align>
static __device__ inline void
decode_q3_k (Piece *p, const uint8_t *b, unsigned e)
{
  constexpr unsigned a2 = align < 2 ? 1 : 2;
  const float d = float_of_half (load_2_bytes<a2> (b + 108)) * (float) q3_k_scale (b + 96, e / 16);
  const uint2 low = load_8_bytes<a2> (b + 32 + 32 * (e / 128) + e % 32), high = load_8_bytes<a2> (b + e % 32);
  const uint2 codes = join_bytes (bits_of_bytes (low, e / 32 % 4 * 2, 0x03030303),
                                  bits_of_bytes (high, e / 32, 0x01010101), 2);
  for (unsigned i = 0; i < PIECE; i++)
    p->code[i] = (float) ((int) byte_of (codes, i) - 4);
  p->scale = d;
}

/* Q4_K, Q5_K */
template <unsigned align, bool is_five>
static __device__ inline void
decode_q45_k (Piece *p, const uint8_t *b, unsigned e)
{
  constexpr unsigned a2 = align < 2 ? 1 : 2, a8 = align < 8 ? a2 : 8;
  const unsigned s = e / 32, l = e % 32;
  uint8_t scale, min;
  q4_k_scale (b + 4, s, &scale, &min);
  const float d = float_of_half (load_2_bytes<a2> (b)) * (float) scale;
  const float m = float_of_half (load_2_bytes<a2> (b + 2)) * (float) min;
  const uint2 low = load_8_bytes<a8> (b + (is_five ? 48 : 16) + 32 * (s / 2) + l);
  const uint2 high = is_five ? load_8_bytes<a8> (b + 16 + l) : make_uint2 (0, 0);
  const uint2 codes = join_bytes (bits_of_bytes (low, s % 2 * 4, 0x0f0f0f0f), bits_of_bytes (high, s, 0x01010101), 4);
  for (unsigned i = 0; i < PIECE; i++)
    p->code[i] = (float) byte_of (codes, i);
  p->scale = d;
  p->min = -m;
}

template <unsigned align>
static __device__ inline void
decode_q6_k (Piece *p, const uint8_t *b, unsigned e)
{
  constexpr unsigned a2 = align < 2 ? 1 : 2;
  const unsigned h = e / 128, k = e / 32 % 4, l = e % 32;
  const float d = float_of_half (load_2_bytes<a2> (b + 208)) * (float) (int8_t) b[192 + e / 16];
  const uint2 low = load_8_bytes<a2> (b + 64 * h + 32 * (k & 1) + l), high = load_8_bytes<a2> (b + 128 + 32 * h + l);
  const uint2 codes = join_bytes (bits_of_bytes (low, k < 2 ? 0 : 4, 0x0f0f0f0f),
                                  bits_of_bytes (high, 2 * k, 0x03030303), 4);
  for (unsigned i = 0; i < PIECE; i++)
    p->code[i] = (float) ((int) byte_of (codes, i) - 32);
  p->scale = d;
}

/* --- ternary --- */

static __device__ inline void
decode_tq (Piece *p, const uint8_t *b, unsigned e, bool is_two)
{
  p->scale = float_of_half (load_2_bytes<1> (b + (is_two ? 64 : 52)));
  for (unsigned i = 0; i < PIECE; i++, e++)
    p->code[i] = (float) (is_two ? (int) (b[32 * (e / 128) + e % 32] >> (e / 32 % 4 * 2) & 3) - 1 : tq1_0_code (b, e));
}

/* --- codebooks --- */

static __device__ inline void
decode_entry_8 (Piece *p, float d, uint32_t entry, uint32_t signs)
{
  p->scale = d;
  for (unsigned i = 0; i < PIECE; i++)
    p->code[i] = iq2_values[entry >> (2 * i) & 3] * (signs >> i & 1 ? -1.0f : 1.0f);
}

static __device__ inline void
decode_entries_4 (Piece *p, float d, const float *values, uint32_t first, uint32_t second, uint32_t signs)
{
  p->scale = d;
  for (unsigned i = 0; i < PIECE; i++)
    p->code[i] = values[(i < 4 ? first >> (4 * i) : second >> (4 * (i - 4))) & 15] * (signs >> i & 1 ? -1.0f : 1.0f);
}

static __device__ inline void
decode_entry_ternary (Piece *p, float d, float delta, uint32_t entry)
{
  p->scale = d;
  for (unsigned i = 0; i < PIECE; i++)
    p->code[i] = (float) (int) (entry >> (2 * i) & 3) - 1.0f + delta;
}

/* Piece k of 32. */
template <AssayDtype format, unsigned align>
static __device__ inline void
decode_iq (Piece *p, const uint8_t *b, unsigned k)
{
  constexpr unsigned a2 = align < 2 ? 1 : 2;
  const float d = format == ASSAY_DTYPE_IQ1_M ? 0.0f : float_of_half (load_2_bytes<a2> (b));
  if constexpr (format == ASSAY_DTYPE_IQ2_XXS)
    {
      const uint8_t *q = b + 2 + 8 * (k / 4);
      const uint32_t rest = load_4_bytes<a2> (q + 4);
      decode_entry_8 (p, d * (0.5f + (float) (rest >> 28)) * 0.25f, iq2_xxs_grid[q[k % 4]],
                      iq_signs (rest >> (k % 4 * 7) & 127));
    }
  else if constexpr (format == ASSAY_DTYPE_IQ2_XS)
    {
      const uint32_t scale = b[66 + k / 4] >> (k / 2 % 2 * 4) & 15, q = load_2_bytes<a2> (b + 2 + 2 * k);
      decode_entry_8 (p, d * (0.5f + (float) scale) * 0.25f, iq2_xs_grid[q & 511], iq_signs (q >> 9));
    }
  else if constexpr (format == ASSAY_DTYPE_IQ2_S)
    {
      const uint32_t scale = b[74 + k / 4] >> (k / 2 % 2 * 4) & 15;
      const uint32_t entry = b[2 + k] | (b[66 + k / 4] >> (k % 4 * 2) & 3u) << 8;
      decode_entry_8 (p, d * (0.5f + (float) scale) * 0.25f, iq2_s_grid[entry], b[34 + k]);
    }
  else if constexpr (format == ASSAY_DTYPE_IQ3_XXS)
    {
      const uint32_t rest = load_4_bytes<a2> (b + 66 + 4 * (k / 4));
      decode_entries_4 (p, d * (0.5f + (float) (rest >> 28)) * 0.5f, iq3_xxs_values, iq3_xxs_grid[b[2 + 2 * k]],
                        iq3_xxs_grid[b[3 + 2 * k]], iq_signs (rest >> (k % 4 * 7) & 127));
    }
  else if constexpr (format == ASSAY_DTYPE_IQ3_S)
    {
      const uint32_t scale = b[106 + k / 8] >> (k / 4 % 2 * 4) & 15, high = b[66 + k / 4] >> (k % 4 * 2);
      decode_entries_4 (p, d * (float) (1 + 2 * scale), iq3_s_values, iq3_s_grid[b[2 + 2 * k] | (high & 1) << 8],
                        iq3_s_grid[b[3 + 2 * k] | (high >> 1 & 1) << 8], b[74 + k]);
    }
  else if constexpr (format == ASSAY_DTYPE_IQ1_S)
    {
      const uint32_t rest = load_2_bytes<a2> (b + 34 + 2 * (k / 4));
      decode_entry_ternary (p, d * (float) (2 * (rest >> 12 & 7) + 1), rest & 0x8000 ? -0.125f : 0.125f,
                            iq1_s_grid[b[2 + k] | (rest >> (k % 4 * 3) & 7) << 8]);
    }
  else
    {
      const uint32_t scale = load_2_bytes<a2> (b + 48 + 2 * (k / 8)) >> (k / 2 % 4 * 3) & 7;
      const uint32_t high = b[32 + k / 2] >> (k % 2 * 4);
      decode_entry_ternary (p, iq1_m_scale (b) * (float) (2 * scale + 1), high & 8 ? -0.125f : 0.125f,
                            iq1_s_grid[b[k] | (high & 7) << 8]);
    }
}

/* --- formats without blocks, and those of a whole matrix --- */

template <AssayDtype format>
static __device__ inline float
decode_plain (const uint8_t *row, size_t i)
{
  if constexpr (format == ASSAY_DTYPE_F16)
    return float_of_half (load_2_bytes<1> (row + 2 * i));
  else if constexpr (format == ASSAY_DTYPE_BF16)
    return float_of_bfloat (load_2_bytes<1> (row + 2 * i));
  else if constexpr (format == ASSAY_DTYPE_F64)
    {
      const uint2 bits = load_8_bytes<1> (row + 8 * i);
      return (float) __hiloint2double ((int) bits.y, (int) bits.x);
    }
  else
    return __uint_as_float (load_4_bytes<1> (row + 4 * i));
}

/* Eight elements of 16 bytes' alignment. */
template <AssayDtype format>
static __device__ inline void
decode_plain_8 (float w[PIECE], const uint8_t *at)
{
  const uint4 first = *reinterpret_cast<const uint4 *> (at);
  if constexpr (format == ASSAY_DTYPE_F32)
    {
      const uint4 second = *reinterpret_cast<const uint4 *> (at + 16);
      const uint32_t words[PIECE] = { first.x, first.y, first.z, first.w, second.x, second.y, second.z, second.w };
      for (unsigned i = 0; i < PIECE; i++)
        w[i] = __uint_as_float (words[i]);
    }
  else
    {
      const uint32_t words[4] = { first.x, first.y, first.z, first.w };
      for (unsigned i = 0; i < PIECE; i++)
        {
          const uint32_t bits = words[i / 2] >> (i % 2 * 16) & 0xffff;
          w[i] = format == ASSAY_DTYPE_F16 ? float_of_half (bits) : float_of_bfloat (bits);
        }
    }
}

template <AssayDtype format>
static __device__ inline float
decode_absmax (const CudaWeight &w, size_t block)
{
  if constexpr (format == ASSAY_DTYPE_NF4 || format == ASSAY_DTYPE_FP4)
    return w.absmax[block];
  else
    return __fadd_rn (__fmul_rn (dynamic_values[w.absmax_codes[block]], w.nested[block / ASSAY_WHOLE_NESTED]),
                      *w.offset);
}

template <AssayDtype format>
static constexpr bool format_has_values = format >= ASSAY_DTYPE_NF4 && format <= ASSAY_DTYPE_FP4_DOUBLE;

/* What the 16 codes stand for; NULL where codes are numbers. */
template <AssayDtype format>
static __device__ inline const float *
format_values (void)
{
  if constexpr (!format_has_values<format>)
    return NULL;
  else
    return format == ASSAY_DTYPE_NF4 || format == ASSAY_DTYPE_NF4_DOUBLE ? nf4_values : fp4_values;
}

/* Elements from `first` on, counted row by row. values: format_values(), wherever they are at hand. */
template <AssayDtype format>
static __device__ inline void
decode_4bit (float out[PIECE], const CudaWeight &w, size_t first, unsigned count, const float *values)
{
  size_t block = first / ASSAY_WHOLE_BLOCK;
  float absmax = decode_absmax<format> (w, block);
  for (unsigned i = 0; i < count; i++)
    {
      const size_t at = first + i;
      if (at / ASSAY_WHOLE_BLOCK != block)
        absmax = decode_absmax<format> (w, ++block);
      out[i] = values[w.data[at / 2] >> (at % 2 == 0 ? 4 : 0) & 15] * absmax;
    }
}

/* The same of one block, eight whole bytes' worth of codes. */
template <AssayDtype format>
static __device__ inline void
decode_4bit_8 (Piece *p, const CudaWeight &w, size_t first, const float *values)
{
  const uint32_t codes = *reinterpret_cast<const uint32_t *> (w.data + first / 2);
  for (unsigned i = 0; i < PIECE; i++)
    p->code[i] = values[codes >> (i / 2 * 8 + (i % 2 == 0 ? 4 : 0)) & 15];
  p->scale = decode_absmax<format> (w, first / ASSAY_WHOLE_BLOCK);
}

/* --- any --- */

template <AssayDtype format>
static constexpr bool format_has_min = format == ASSAY_DTYPE_Q4_1 || format == ASSAY_DTYPE_Q5_1
                                       || format == ASSAY_DTYPE_Q2_K || format == ASSAY_DTYPE_Q4_K
                                       || format == ASSAY_DTYPE_Q5_K;

/* Elements [from, from + count) of a row, from a multiple of 8, count 8 but at a row's end; zeros behind them.
 * aligned: the weight is. */
template <AssayDtype format, bool aligned>
static __device__ inline void
decode_piece (Piece *p, const CudaWeight &w, size_t row, size_t from, unsigned count,
              const float *values = format_values<format> ())
{
  using Block = FormatBlock<format>;
  constexpr unsigned align = aligned ? Block::align : 1, a2 = align < 2 ? 1 : 2, a4 = align < 4 ? a2 : 4;
  const uint8_t *at = w.data + row * w.row_bytes;
  float *out = p->code;
  p->scale = 1;
  p->min = -0.0f; /* which leaves any number as it is */
  if constexpr (Block::bytes == 0)
    {
      const size_t first = row * w.n + from;
      constexpr bool is_whole = format >= ASSAY_DTYPE_NF4, is_wide = format != ASSAY_DTYPE_F64 && !is_whole;
      constexpr unsigned size = format == ASSAY_DTYPE_F32 ? 4 : 2;
      if (count < PIECE)
        for (unsigned i = 0; i < PIECE; i++)
          out[i] = 0;
      if constexpr (format == ASSAY_DTYPE_INT8)
        {
          /* in the order of the library's products */
          for (unsigned i = 0; i < count; i++)
            out[i] = (float) (int8_t) w.data[first + i] * w.scale[row];
          p->scale = INT8_UNIT;
        }
      else if constexpr (is_whole)
        {
          if constexpr (aligned) /* rows of whole eights */
            decode_4bit_8<format> (p, w, first, values);
          else
            decode_4bit<format> (out, w, first, count, values);
        }
      else if (is_wide && aligned && count == PIECE)
        decode_plain_8<format> (out, at + from * size);
      else
        for (unsigned i = 0; i < count; i++)
          out[i] = decode_plain<format> (at, from + i);
    }
  else
    {
      const uint8_t *b = at + from / Block::elements * Block::bytes;
      const unsigned e = (unsigned) (from % Block::elements);
      if constexpr (Block::elements == 32 && format != ASSAY_DTYPE_Q8_0 && format != ASSAY_DTYPE_Q8_1
                    && format != ASSAY_DTYPE_IQ4_NL && format != ASSAY_DTYPE_MXFP4)
        decode_32<format, align> (p, b, e);
      else if constexpr (format == ASSAY_DTYPE_Q8_0)
        decode_bytes<a2> (p, b + 2 + e, float_of_half (load_2_bytes<a2> (b)));
      else if constexpr (format == ASSAY_DTYPE_Q8_1)
        decode_bytes<a4> (p, b + 4 + e, float_of_half (load_2_bytes<a2> (b)));
      else if constexpr (format == ASSAY_DTYPE_Q8_K)
        decode_bytes<a4> (p, b + 4 + e, __uint_as_float (load_4_bytes<a4> (b)));
      else if constexpr (format == ASSAY_DTYPE_Q2_K)
        decode_q2_k<align> (p, b, e);
      else if constexpr (format == ASSAY_DTYPE_Q3_K)
        decode_q3_k<align> (p, b, e);
      else if constexpr (format == ASSAY_DTYPE_Q4_K || format == ASSAY_DTYPE_Q5_K)
        decode_q45_k<align, format == ASSAY_DTYPE_Q5_K> (p, b, e);
      else if constexpr (format == ASSAY_DTYPE_Q6_K)
        decode_q6_k<align> (p, b, e);
      else if constexpr (format == ASSAY_DTYPE_TQ1_0 || format == ASSAY_DTYPE_TQ2_0)
        decode_tq (p, b, e, format == ASSAY_DTYPE_TQ2_0);
      else if constexpr (format == ASSAY_DTYPE_IQ4_NL)
        decode_looked_up<a2> (p, b + 2, e, 16, iq4_values, float_of_half (load_2_bytes<a2> (b)));
      else if constexpr (format == ASSAY_DTYPE_IQ4_XS)
        decode_looked_up<a4> (p, b + 8 + 16 * (e / 32), e % 32, 16, iq4_values,
                              float_of_half (load_2_bytes<a2> (b)) * (float) iq4_xs_scale (b, e / 32));
      else if constexpr (format == ASSAY_DTYPE_MXFP4)
        decode_looked_up<1> (p, b + 1, e, 16, e2m1_doubled, e8m0_half (b[0]));
      else if constexpr (format == ASSAY_DTYPE_NVFP4)
        decode_looked_up<a4> (p, b + 4 + 8 * (e / 16), e % 16, 8, e2m1_doubled, e4m3_half (b[e / 16]));
      else
        decode_iq<format, align> (p, b, e / PIECE);
    }
}
