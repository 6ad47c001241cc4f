/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-device-names.h: the devices of this machine, asked for once and off the UI thread: a driver may take its
 * time to answer. Main thread. */
#pragma once

#include <gio/gio.h>

#include "assay-device.h"

G_BEGIN_DECLS

/* Calls back with the same list each time; at once, from the main loop, after the first. */
void assay_device_names_async (GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data);
GPtrArray *assay_device_names_finish (GAsyncResult *result, GError **error); /* (element-type AssayDeviceInfo) (transfer full) */

G_END_DECLS
