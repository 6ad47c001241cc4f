/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/kernels/kernels-test.c: see kernels-test.h. */
#include "kernels-test.h"

#include <math.h>
#include <string.h>

#include "whole-format.h"

#define GUARD 16
#define GUARD_WORD 0x5a17c0de

AssayBackend *
kt_backend_with (AssayCpuIsa isa, guint32 n_threads, AssayCompute compute)
{
  const AssayCpuOptions options = { .n_threads = n_threads, .isa = isa, .compute = compute };
  return assay_cpu_backend_new (&options);
}

AssayBackend *
kt_backend (AssayCpuIsa isa, guint32 n_threads, gboolean exact)
{
  return kt_backend_with (isa, n_threads, exact ? ASSAY_COMPUTE_F32 : ASSAY_COMPUTE_INT8);
}

void
kt_for_each_backend (void (*test) (AssayBackend *b, gpointer data), gpointer data)
{
  for (int isa = ASSAY_CPU_SCALAR; isa < ASSAY_CPU_BEST; isa++)
    for (int exact = 0; exact < 2; exact++)
      {
        AssayBackend *b = kt_backend ((AssayCpuIsa) isa, 2, exact);
        if (b == NULL)
          continue;
        g_test_message ("%s", assay_cpu_get_kernel_name (b));
        test (b, data);
        b->ops->destroy (b);
      }
}

KtBuffer
kt_buffer_new (gsize n)
{
  KtBuffer self = { .n = n, .memory = g_new (float, n + 2 * GUARD) };
  const guint32 guard = GUARD_WORD;
  self.data = self.memory + GUARD;
  for (gsize i = 0; i < GUARD; i++)
    {
      memcpy (self.memory + i, &guard, sizeof guard);
      memcpy (self.data + n + i, &guard, sizeof guard);
    }
  for (gsize i = 0; i < n; i++)
    self.data[i] = NAN;
  return self;
}

void
kt_buffer_check (const KtBuffer *self)
{
  const guint32 guard = GUARD_WORD;
  for (gsize i = 0; i < GUARD; i++)
    {
      g_assert_cmpmem (self->memory + i, 4, &guard, 4);
      g_assert_cmpmem (self->data + self->n + i, 4, &guard, 4);
    }
}

void
kt_buffer_clear (KtBuffer *self)
{
  if (self->memory == NULL)
    return;
  kt_buffer_check (self);
  g_clear_pointer (&self->memory, g_free);
}

void
kt_fill (KtBuffer *self, guint32 seed, float low, float high)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed (seed);
  for (gsize i = 0; i < self->n; i++)
    self->data[i] = (float) g_rand_double_range (rand, low, high);
}

static void
weight_set_half (guint8 *at, GRand *rand, double low, double high)
{
  /* 2^-15 .. 2^-1 by exponent, any mantissa: a half with a positive sign */
  const guint16 bits
    = (guint16) (g_rand_int_range (rand, (gint) low, (gint) high) << 10 | g_rand_int_range (rand, 0, 1024));
  memcpy (at, &bits, sizeof bits);
}

/* Where the halves that scale a block stand; 0xff: none. */
static void
weight_scale_block (AssayDtype dtype, guint8 *block, GRand *rand)
{
  switch ((int) dtype)
    {
    case ASSAY_DTYPE_Q4_1:
    case ASSAY_DTYPE_Q5_1:
    case ASSAY_DTYPE_Q4_K:
    case ASSAY_DTYPE_Q5_K:
      weight_set_half (block, rand, 6, 9);
      weight_set_half (block + 2, rand, 6, 9);
      break;
    case ASSAY_DTYPE_Q2_K:
      weight_set_half (block + 80, rand, 6, 9);
      weight_set_half (block + 82, rand, 6, 9);
      break;
    case ASSAY_DTYPE_Q3_K: weight_set_half (block + 108, rand, 6, 9); break;
    case ASSAY_DTYPE_Q6_K: weight_set_half (block + 208, rand, 3, 6); break;
    case ASSAY_DTYPE_TQ1_0: weight_set_half (block + 52, rand, 12, 15); break;
    case ASSAY_DTYPE_TQ2_0: weight_set_half (block + 64, rand, 12, 15); break;
    case ASSAY_DTYPE_MXFP4: block[0] = (guint8) g_rand_int_range (rand, 124, 128); break;
    default: weight_set_half (block, rand, 6, 9);
    }
}

static void
weight_fill_plain (AssayDtype dtype, guint8 *bytes, gsize count, GRand *rand)
{
  for (gsize i = 0; i < count; i++)
    {
      const float value = (float) g_rand_double_range (rand, -1, 1);
      guint32 bits;
      memcpy (&bits, &value, sizeof bits);
      const guint16 upper = (guint16) (bits >> 16), half = (guint16) (g_rand_int_range (rand, 10, 15) << 10
                                        | g_rand_int_range (rand, 0, 1024) | (gint) (bits >> 31) << 15);
      if (dtype == ASSAY_DTYPE_F32)
        memcpy (bytes + 4 * i, &value, 4);
      else
        memcpy (bytes + 2 * i, dtype == ASSAY_DTYPE_F16 ? &half : &upper, 2);
    }
}

static void
weight_fill_floats (guint8 *at, gsize count, GRand *rand, double low, double high)
{
  for (gsize i = 0; i < count; i++)
    {
      const float value = (float) g_rand_double_range (rand, low, high);
      memcpy (at + 4 * i, &value, sizeof value);
    }
}

static AssayTensor
weight_whole (AssayDtype dtype, gsize n, gsize rows, GRand *rand)
{
  AssayWholeLayout layout;
  g_assert_true (assay_whole_layout (dtype, (gint64) n, (gint64) rows, &layout));
  guint8 *bytes = g_malloc (layout.bytes + 1);
  for (gsize i = 0; i < layout.bytes; i++)
    bytes[i] = (guint8) g_rand_int_range (rand, 0, 256);
  if (dtype == ASSAY_DTYPE_INT8)
    weight_fill_floats (bytes + layout.scale, rows, rand, 0.1, 2);
  else if (!assay_whole_is_double (dtype))
    weight_fill_floats (bytes + layout.absmax, layout.n_blocks, rand, 0.1, 2);
  else
    {
      weight_fill_floats (bytes + layout.nested, layout.n_nested, rand, 0.1, 0.5);
      weight_fill_floats (bytes + layout.offset, 1, rand, 1, 1.5);
    }
  return (AssayTensor) { dtype, { (gint64) n, (gint64) rows, 1, 1 }, 0, bytes };
}

AssayTensor
kt_weight (AssayDtype dtype, gsize n, gsize rows, guint32 seed)
{
  const AssayDtypeInfo *info = assay_dtype_info (dtype);
  g_autoptr(GRand) rand = g_rand_new_with_seed (seed);
  if (info->whole)
    return weight_whole (dtype, n, rows, rand);
  const gsize row_bytes = n / info->block_elements * info->block_bytes;
  guint8 *bytes = g_malloc (row_bytes * rows + 1);
  if (!info->quantized)
    weight_fill_plain (dtype, bytes, n * rows, rand);
  else
    for (gsize i = 0; i < n / info->block_elements * rows; i++)
      {
        guint8 *block = bytes + i * info->block_bytes;
        for (gsize k = 0; k < info->block_bytes; k++)
          block[k] = (guint8) g_rand_int_range (rand, 0, 256);
        weight_scale_block (dtype, block, rand);
      }
  return (AssayTensor) { dtype, { (gint64) n, (gint64) rows, 1, 1 }, row_bytes, bytes };
}

void
kt_weight_clear (AssayTensor *w)
{
  g_free ((gpointer) w->data);
  w->data = NULL;
}

guint64
kt_hash (const void *data, gsize n)
{
  const guint8 *bytes = data;
  guint64 hash = G_GUINT64_CONSTANT (0xcbf29ce484222325);
  for (gsize i = 0; i < n; i++)
    hash = (hash ^ bytes[i]) * G_GUINT64_CONSTANT (0x100000001b3);
  return hash;
}

gboolean
kt_is_close (const float *a, const double *b, const double *scale, gsize n, double tolerance)
{
  for (gsize i = 0; i < n; i++)
    {
      const double room = tolerance * (scale != NULL ? scale[i] + 1e-30 : 1 + fabs (b[i]));
      if (!(fabs (a[i] - b[i]) <= room))
        {
          g_test_message ("at %zu of %zu: %.9g is not within %g of %.9g", i, n, (double) a[i], room, b[i]);
          return FALSE;
        }
    }
  return TRUE;
}
