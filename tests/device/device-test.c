/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/device-test.c: see device-test.h. */
#include "device-test.h"

#include <math.h>
#include <string.h>

void
dt_open (DtPair *self, AssayCompute compute, guint64 seed)
{
  const AssayEmulationOptions machine = { .order = seed > 0 ? ASSAY_EMULATION_RANDOM : ASSAY_EMULATION_LAZY,
                                          .seed = seed > 0 ? seed : (guint64) g_test_rand_int () };
  const AssayCudaOptions options = { .compute = compute };
  char fault[240] = "";
  assay_emulation_start (&machine);
  self->cpu = kt_backend_with (ASSAY_CPU_SCALAR, 1, compute);
  self->device = assay_cuda_module.backend_new (&options, fault, sizeof fault);
  g_assert_cmpstr (fault, ==, "");
  g_assert_nonnull (self->device);
  self->memory = g_ptr_array_new ();
}

void
dt_close (DtPair *self)
{
  dt_release (self);
  g_ptr_array_free (self->memory, TRUE);
  self->cpu->ops->destroy (self->cpu);
  self->device->ops->destroy (self->device);
  g_assert_cmpstr (assay_emulation_get_fault (), ==, NULL);
  g_assert_true (assay_emulation_is_balanced ());
}

/* The emulation does so itself. */
static void
poison (AssayBackend *b, gpointer memory, gsize bytes)
{
  g_autofree guint8 *nan = g_malloc (bytes + 1);
  memset (nan, 0xff, bytes);
  g_assert_cmpint (b->ops->upload (b, memory, nan, bytes), ==, ASSAY_OK);
}

gpointer
dt_put (DtPair *self, const void *host, gsize bytes)
{
  AssayBackend *b = self->device;
  gpointer memory;
  g_assert_cmpint (b->ops->alloc (b, bytes, &memory), ==, ASSAY_OK);
  if (host != NULL)
    g_assert_cmpint (b->ops->upload (b, memory, host, bytes), ==, ASSAY_OK);
  else if (assay_emulation_is_real ())
    poison (b, memory, bytes);
  g_ptr_array_add (self->memory, memory);
  return memory;
}

AssayTensor
dt_weight (AssayDtype dtype, gsize n, gsize rows)
{
  const AssayTensor w = kt_weight (dtype, n, rows, (guint32) g_test_rand_int ());
  const AssayDtypeInfo *info = assay_dtype_info (dtype);
  /* its scale's half lies in the upper four bits of four words: the exponent in the last one */
  for (gsize at = 0; dtype == ASSAY_DTYPE_IQ1_M && at < dt_tensor_bytes (&w); at += info->block_bytes)
    ((guint8 *) w.data)[at + 55] = (guint8) ((((guint8 *) w.data)[at + 55] & 0x0f) | 0x20);
  for (gsize at = 0; dtype == ASSAY_DTYPE_Q8_K && at < dt_tensor_bytes (&w); at += info->block_bytes)
    {
      const float scale = (float) g_test_rand_double_range (0.001, 0.1);
      memcpy ((guint8 *) w.data + at, &scale, sizeof scale);
    }
  for (gsize i = 0; dtype == ASSAY_DTYPE_F64 && i < n * rows; i++)
    ((double *) w.data)[i] = g_test_rand_double_range (-1, 1);
  return w;
}

gsize
dt_tensor_bytes (const AssayTensor *w)
{
  const gsize rows = (gsize) (w->shape[1] * w->shape[2] * w->shape[3]);
  return w->row_bytes > 0 ? w->row_bytes * rows
                          : assay_dtype_matrix_bytes (w->dtype, w->shape[0], (gint64) rows);
}

AssayTensor
dt_put_tensor (DtPair *self, const AssayTensor *w, gsize bytes)
{
  AssayTensor there = *w;
  there.data = dt_put (self, w->data, bytes);
  return there;
}

void
dt_get (DtPair *self, void *host, const void *device, gsize bytes)
{
  AssayBackend *b = self->device;
  if (b->ops->download (b, host, device, bytes) != ASSAY_OK)
    g_error ("download: %s", b->fault);
}

void
dt_release (DtPair *self)
{
  AssayBackend *b = self->device;
  for (guint i = 0; i < self->memory->len; i++)
    b->ops->free (b, self->memory->pdata[i], 0);
  g_ptr_array_set_size (self->memory, 0);
  g_assert_cmpstr (assay_emulation_get_fault (), ==, NULL);
}

AssayStatus
dt_same (DtPair *self, AssayStatus cpu, AssayStatus device, const char *where)
{
  if (cpu != device)
    g_error ("%s: the CPU says %d '%s', the device %d '%s'", where, cpu, self->cpu->fault, device,
             self->device->fault);
  return device;
}

static void
check_near (const float *got,
            const float *expected,
            const double *scale,
            gsize n,
            double tolerance,
            const char *label)
{
  for (gsize i = 0; i < n; i++)
    {
      const double room = tolerance * (scale != NULL ? scale[i] + 1e-30 : 1 + fabs ((double) expected[i]));
      const gboolean both_nan = isnan (got[i]) && isnan (expected[i]);
      if (!both_nan && got[i] != expected[i] && !(fabs ((double) got[i] - (double) expected[i]) <= room))
        g_error ("%s: at %zu of %zu: %.9g is not within %g of %.9g", label, i, n, (double) got[i], room,
                 (double) expected[i]);
    }
}

void
dt_check (DtPair *self,
          const float *device,
          const float *expected,
          const double *scale,
          gsize n,
          double tolerance,
          const char *label)
{
  g_autofree float *got = g_new (float, n + 1);
  dt_get (self, got, device, n * sizeof *got);
  check_near (got, expected, scale, n, tolerance, label);
}

void
dt_check_bytes (DtPair *self, const void *device, const void *expected, gsize bytes, const char *label)
{
  g_autofree guint8 *got = g_malloc (bytes + 1);
  dt_get (self, got, device, bytes);
  for (gsize i = 0; i < bytes; i++)
    if (got[i] != ((const guint8 *) expected)[i])
      g_error ("%s: byte %zu of %zu is %02x, not %02x", label, i, bytes, got[i],
               ((const guint8 *) expected)[i]);
}

float *
dt_random (gsize n, double low, double high)
{
  float *x = g_new (float, n + 1);
  for (gsize i = 0; i < n; i++)
    x[i] = (float) g_test_rand_double_range (low, high);
  return x;
}

gsize
dt_size (gsize most)
{
  static const gsize sizes[] = { 0, 1, 2, 31, 32, 33, 63, 64, 65, 255, 256, 257 };
  if (g_test_rand_bit ())
    return (gsize) g_test_rand_int_range (0, (gint) most);
  const gsize size = sizes[g_test_rand_int_range (0, G_N_ELEMENTS (sizes))];
  return size < most ? size : most;
}
