/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/emulation/product.cc: the product itself: elements are read into float32 (or int32), summed
 * there in the order of k, and rounded once at the end. */
#include <cstdint>
#include <cstring>
#include <vector>

#include "blas.h"
#include "shared/half.h"

namespace emulation
{

size_t
blas_type_bytes (cudaDataType type)
{
  return type == CUDA_R_8I ? 1 : type == CUDA_R_16F || type == CUDA_R_16BF ? 2 : type == CUDA_R_64F ? 8 : 4;
}

static float
element_read (const unsigned char *at, cudaDataType type)
{
  float value;
  switch (type)
    {
    case CUDA_R_16F:
      return f16_to_float (load_u16 (at));
    case CUDA_R_16BF:
      return bf16_to_float (load_u16 (at));
    case CUDA_R_8I:
      return (float) *(const int8_t *) at;
    default:
      memcpy (&value, at, sizeof value);
      return value;
    }
}

static void
element_write (unsigned char *at, cudaDataType type, float value)
{
  const uint16_t half = type == CUDA_R_16F ? f16_from_float (value) : bf16_from_float (value);
  if (type == CUDA_R_32F)
    memcpy (at, &value, sizeof value);
  else
    memcpy (at, &half, sizeof half);
}

/* To nearest, ties to even, at ten bits behind the point. */
static float
tf32_round (float value)
{
  uint32_t bits = bits_from_float (value);
  if ((bits & 0x7f800000) != 0x7f800000)
    bits = (bits + 0xfff + (bits >> 13 & 1)) & ~UINT32_C (0x1fff);
  return float_from_bits (bits);
}

/* Element (row, column) of what the operation makes of it. */
static const unsigned char *
matrix_at (const Matrix &matrix, int batch, int row, int column)
{
  const size_t at = matrix.turned ? (size_t) row * matrix.ld + column : (size_t) column * matrix.ld + row;
  return (const unsigned char *) matrix.data
         + ((size_t) batch * (size_t) matrix.stride + at) * blas_type_bytes (matrix.type);
}

/* [k, m] of float32, so that sums of a column run side by side. */
static std::vector<float>
product_read_a (const Product &p, int batch)
{
  std::vector<float> a ((size_t) p.m * p.k);
  for (int l = 0; l < p.k; l++)
    for (int i = 0; i < p.m; i++)
      {
        const float value = element_read (matrix_at (p.a, batch, i, l), p.a.type);
        a[(size_t) l * p.m + i] = p.tf32 ? tf32_round (value) : value;
      }
  return a;
}

template <class Sum>
static void
product_column (const Product &p, int batch, int column, const std::vector<float> &a, std::vector<Sum> &sums)
{
  sums.assign ((size_t) p.m, 0);
  for (int l = 0; l < p.k; l++)
    {
      float value = element_read (matrix_at (p.b, batch, l, column), p.b.type);
      if (p.tf32)
        value = tf32_round (value);
      const float *each = a.data () + (size_t) l * p.m;
      for (int i = 0; i < p.m; i++)
        sums[i] += (Sum) each[i] * (Sum) value;
    }
}

static void
product_write (const Product &p, int batch, int column, const std::vector<float> &sums)
{
  for (int i = 0; i < p.m; i++)
    {
      unsigned char *at = (unsigned char *) matrix_at (p.c, batch, i, column);
      const float before = p.beta != 0 ? p.beta * element_read (at, p.c.type) : 0;
      element_write (at, p.c.type, p.alpha * sums[i] + before);
    }
}

static void
product_write_integers (const Product &p, int batch, int column, const std::vector<int32_t> &sums)
{
  for (int i = 0; i < p.m; i++)
    {
      unsigned char *at = (unsigned char *) matrix_at (p.c, batch, i, column);
      int32_t value = 0;
      if (p.beta != 0)
        memcpy (&value, at, sizeof value);
      value += p.alpha != 0 ? sums[i] : 0;
      memcpy (at, &value, sizeof value);
    }
}

void
product_run (const Product &p)
{
  std::vector<float> sums;
  std::vector<int32_t> integers;
  for (int batch = 0; batch < p.n_batches; batch++)
    {
      const std::vector<float> a = product_read_a (p, batch);
      for (int column = 0; column < p.n; column++)
        if (p.integers)
          {
            product_column (p, batch, column, a, integers);
            product_write_integers (p, batch, column, integers);
          }
        else
          {
            product_column (p, batch, column, a, sums);
            product_write (p, batch, column, sums);
          }
    }
}

}
