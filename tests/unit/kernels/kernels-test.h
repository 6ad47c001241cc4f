/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/kernels/kernels-test.h: what the kernel tests share: backends, seeded numbers, guarded buffers,
 * weights.
 *
 * A guarded buffer has words of a known pattern on both sides and starts out poisoned with NaN, so that a
 * write outside and a place never written both show. */
#pragma once

#include <glib.h>

#include "kernels.h"

AssayBackend *kt_backend (AssayCpuIsa isa, guint32 n_threads,
                          gboolean exact); /* NULL: not on this processor */

AssayBackend *kt_backend_with (AssayCpuIsa isa, guint32 n_threads, AssayCompute compute); /* the same */

/* Calls test (backend, data) with every instruction set this processor has, with and without exact. */
void kt_for_each_backend (void (*test) (AssayBackend *b, gpointer data), gpointer data);

typedef struct
{
  float *data;      /* [n] */
  gsize n;
  float *memory;    /* owned */
} KtBuffer;

KtBuffer kt_buffer_new (gsize n);
void kt_buffer_check (const KtBuffer *self);    /* the guards */
void kt_buffer_clear (KtBuffer *self);          /* checks them too */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (KtBuffer, kt_buffer_clear)

void kt_fill (KtBuffer *self, guint32 seed, float low, float high);

/* [shape0, rows] of random codes with sane scales; values are of the order of one. Nothing readable follows a
 * matrix in a whole format. free: kt_weight_clear */
AssayTensor kt_weight (AssayDtype dtype, gsize n, gsize rows, guint32 seed);
void kt_weight_clear (AssayTensor *w);

/* 64-bit FNV-1a, as the fixtures' scripts compute it. */
guint64 kt_hash (const void *data, gsize n);

/* Every |a - b| is at most `tolerance` times scale[i], or times 1 + |b| without a scale. Says where not. */
gboolean kt_is_close (const float *a, const double *b, const double *scale, gsize n, double tolerance);
