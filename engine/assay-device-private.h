/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/assay-device-private.h: the part of the device that only the engine asks for. */
#pragma once

#include "assay-device.h"

G_BEGIN_DECLS

/* A device whose memory is its own: only a link fills it. Takes the backend. budget 0: no limit but the
 * machine's. */
AssayDevice *assay_device_new_separate (const char *name, AssayBackend *backend, guint64 budget_bytes);

/* The kernels' name for the record: "avx512-vnni int8x2"; else the plain name of a backend. */
const char *assay_device_get_kernel_name (AssayDevice *self);
guint assay_device_get_n_threads (AssayDevice *self); /* 0: the device does not say */

G_END_DECLS
