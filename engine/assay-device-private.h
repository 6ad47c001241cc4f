/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/assay-device-private.h: the part of the device that only the engine asks for. */
#pragma once

#include "assay-device.h"
#include "cuda/assay-cuda.h"

G_BEGIN_DECLS

/* A device whose memory is its own: only a link fills it. Takes the backend. budget 0: no limit but the
 * machine's. */
AssayDevice *assay_device_new_separate (const char *name, AssayBackend *backend, guint64 budget_bytes);

/* Counts what a backend took when it was made, until the device goes. */
void assay_device_count_fixed (AssayDevice *self, AssayMemory category, guint64 bytes);
/* A card: what is free on it now bounds its memory. module: lives for good. */
void assay_device_set_cuda (AssayDevice *self, const AssayCudaModule *module, guint64 memory, guint64 free_bytes);
/* Of a card's device, or a plan of one; NULL: it is no card. */
const AssayCudaModule *assay_device_get_cuda (AssayDevice *self);
/* Host memory from here on is what `card` (borrowed, lives longer) can copy from while it computes; what its backend
 * took of it counts. */
void assay_device_set_pinned (AssayDevice *host, AssayDevice *card);
gboolean assay_device_is_pinned (AssayDevice *self);

/* The kernels' name for the record: "avx512-vnni int8x2"; else the plain name of a backend. */
const char *assay_device_get_kernel_name (AssayDevice *self);
guint assay_device_get_n_threads (AssayDevice *self); /* 0: the device does not say */

G_END_DECLS
