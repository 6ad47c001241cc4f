/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/weight-scan.c: a block is judged by its scales, for codes are finite by nature. */
#include "weight-scan.h"

#include <string.h>

enum { NONE = 255, F16_EXPONENT = 0x7c00, BF16_EXPONENT = 0x7f80 };

/* Where a block's half-precision scale and its minimum (or second number) stand. */
static const struct { guint8 dtype, scale_at, min_at; } places[] = {
  { ASSAY_DTYPE_Q4_0, 0, NONE },    { ASSAY_DTYPE_Q4_1, 0, 2 },       { ASSAY_DTYPE_Q5_0, 0, NONE },
  { ASSAY_DTYPE_Q5_1, 0, 2 },       { ASSAY_DTYPE_Q8_0, 0, NONE },    { ASSAY_DTYPE_Q8_1, 0, 2 },
  { ASSAY_DTYPE_Q2_K, 80, 82 },     { ASSAY_DTYPE_Q3_K, 108, NONE },  { ASSAY_DTYPE_Q4_K, 0, 2 },
  { ASSAY_DTYPE_Q5_K, 0, 2 },       { ASSAY_DTYPE_Q6_K, 208, NONE },  { ASSAY_DTYPE_IQ2_XXS, 0, NONE },
  { ASSAY_DTYPE_IQ2_XS, 0, NONE },  { ASSAY_DTYPE_IQ2_S, 0, NONE },   { ASSAY_DTYPE_IQ3_XXS, 0, NONE },
  { ASSAY_DTYPE_IQ3_S, 0, NONE },   { ASSAY_DTYPE_IQ1_S, 0, NONE },   { ASSAY_DTYPE_IQ4_NL, 0, NONE },
  { ASSAY_DTYPE_IQ4_XS, 0, NONE },  { ASSAY_DTYPE_TQ1_0, 52, NONE },  { ASSAY_DTYPE_TQ2_0, 64, NONE },
};

static guint16
scan_u16 (const guint8 *at)
{
  return (guint16) (at[0] | at[1] << 8);
}

static void
scan_note (WeightScan *scan, guint64 block, gboolean bad, gboolean any)
{
  scan->any |= any;
  if (bad && scan->n_bad++ == 0)
    scan->first_bad = block;
}

static void
scan_halves (const guint8 *at, gsize stride, guint min_at, guint64 first, guint64 n, guint16 exponent,
             WeightScan *scan)
{
  for (guint64 i = 0; i < n; i++, at += stride)
    {
      const guint16 d = scan_u16 (at), m = min_at != NONE ? scan_u16 (at + min_at) : 0;
      scan_note (scan, first + i, (d & exponent) == exponent || (m & exponent) == exponent,
                 ((d | m) & 0x7fff) != 0);
    }
}

static void
scan_floats (const guint8 *at, gsize stride, guint64 first, guint64 n, WeightScan *scan)
{
  for (guint64 i = 0; i < n; i++, at += stride)
    {
      const guint32 bits = scan_u16 (at) | (guint32) scan_u16 (at + 2) << 16;
      scan_note (scan, first + i, (bits & 0x7f800000) == 0x7f800000, (bits & 0x7fffffff) != 0);
    }
}

/* IQ1_M keeps its scale in the top four bits of four 16-bit words. */
static void
scan_iq1_m (const guint8 *at, guint64 first, guint64 n, WeightScan *scan)
{
  for (guint64 i = 0; i < n; i++, at += 56)
    {
      const guint16 d = (guint16) (scan_u16 (at + 48) >> 12 | (scan_u16 (at + 50) >> 8 & 0xf0)
                                   | (scan_u16 (at + 52) >> 4 & 0xf00) | (scan_u16 (at + 54) & 0xf000));
      scan_note (scan, first + i, (d & F16_EXPONENT) == F16_EXPONENT, (d & 0x7fff) != 0);
    }
}

/* Scales of one byte, several a block. nan: the byte that stands for no number. */
static void
scan_bytes (const guint8 *at, gsize stride, guint n_scales, guint8 mask, guint8 nan, guint64 first, guint64 n,
            WeightScan *scan)
{
  for (guint64 i = 0; i < n; i++, at += stride)
    for (guint k = 0; k < n_scales; k++)
      scan_note (scan, first + i, (at[k] & mask) == nan, TRUE);
}

static void
scan_quantized (AssayDtype dtype, gsize stride, const guint8 *blocks, guint64 first, guint64 n,
                WeightScan *scan)
{
  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    if (places[i].dtype == dtype)
      {
        const guint min_at = places[i].min_at != NONE ? places[i].min_at - places[i].scale_at : NONE;
        scan_halves (blocks + places[i].scale_at, stride, min_at, first, n, F16_EXPONENT, scan);
        return;
      }
  scan->any = TRUE;
}

void
assay_weight_scan (AssayDtype dtype, const guint8 *blocks, guint64 first, guint64 n, WeightScan *scan)
{
  const gsize stride = assay_dtype_info (dtype)->block_bytes;
  switch (dtype)
    {
    case ASSAY_DTYPE_F32:
    case ASSAY_DTYPE_Q8_K:
      scan_floats (blocks, stride, first, n, scan);
      break;
    case ASSAY_DTYPE_F16:
      scan_halves (blocks, stride, NONE, first, n, F16_EXPONENT, scan);
      break;
    case ASSAY_DTYPE_BF16:
      scan_halves (blocks, stride, NONE, first, n, BF16_EXPONENT, scan);
      break;
    case ASSAY_DTYPE_IQ1_M:
      scan_iq1_m (blocks, first, n, scan);
      break;
    case ASSAY_DTYPE_MXFP4:
      scan_bytes (blocks, stride, 1, 0xff, 0xff, first, n, scan);
      break;
    case ASSAY_DTYPE_NVFP4:
      scan_bytes (blocks, stride, 4, 0x7f, 0x7f, first, n, scan);
      break;
    default:
      scan_quantized (dtype, stride, blocks, first, n, scan);
      break;
    }
}
