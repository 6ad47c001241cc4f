/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/device-test.h: the CUDA backend on the emulated device beside the scalar CPU backend.
 *
 * Outputs on the device are poison until they are written, stand between guard words, and cannot be touched
 * by the host; the emulation tells of whatever breaks a rule, and dt_close() fails the test then. */
#pragma once

#include <glib.h>

#include "cuda/assay-cuda.h"
#include "emulation.h"
#include "kernels-test.h"
#include "kernels.h"

typedef struct
{
  AssayBackend *cpu, *device;
  GPtrArray *memory; /* of the device */
} DtPair;

/* seed 0: streams in the lazy order, threads and blocks by GLib's test seed; else all by this one. The
 * emulation starts anew. */
void dt_open (DtPair *self, AssayCompute compute, guint64 seed);
void dt_close (DtPair *self); /* nothing is left, no rule was broken */

/* On the device, until dt_release(). NULL host: poison. */
gpointer dt_put (DtPair *self, const void *host, gsize bytes);
/* The same weight with its data there. */
AssayTensor dt_put_tensor (DtPair *self, const AssayTensor *w, gsize bytes);
void dt_get (DtPair *self, void *host, const void *device, gsize bytes);
void dt_release (DtPair *self); /* all of it, guards looked at */

/* Both answer the same status, which is returned. */
#define dt_both(pair, on_cpu, on_device) dt_same (pair, on_cpu, on_device, G_STRLOC)
AssayStatus dt_same (DtPair *self, AssayStatus cpu, AssayStatus device, const char *where);

/* What lies on the device is within tolerance * scale[i] of `expected`; scale NULL: 1 + |expected|. label: in
 * words. */
void dt_check (DtPair *self,
               const float *device,
               const float *expected,
               const double *scale,
               gsize n,
               double tolerance,
               const char *label);
/* Bit for bit. */
void dt_check_bytes (DtPair *self, const void *device, const void *expected, gsize bytes, const char *label);

/* [n] between low and high, by GLib's test seed. free: g_free */
float *dt_random (gsize n, double low, double high);

/* One of the sizes that break kernels: 0, 1, around 32, 64, 256, and any below `most`. */
gsize dt_size (gsize most);

/* kt_weight(), by GLib's test seed, with sane numbers also where a format holds float32 scales or doubles. */
AssayTensor dt_weight (AssayDtype dtype, gsize n, gsize rows);

gsize dt_tensor_bytes (const AssayTensor *w);

/* Every format there is: calls test (dtype) where `has` (dtype). */
#define DT_FOR_EACH_DTYPE(dtype, has)                                                                        \
  for (guint32 dtype = 0; dtype <= ASSAY_DTYPE_INT8; dtype++)                                                \
    if (assay_dtype_info (dtype) != NULL && has (dtype))
