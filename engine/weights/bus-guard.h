/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/bus-guard.h: a mapped file that is cut short must not kill the app.
 *
 * Touching a page beyond the file's end raises SIGBUS. For addresses inside a registered region the
 * handler puts a page of zeros there and marks the region; for any other address the handler that was
 * there before is called. Any thread. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _BusRegion BusRegion;

/* The region stays registered until removed; remove it before unmapping, when nobody reads it any more. */
BusRegion *assay_bus_guard_add (const void *start, gsize length);
void assay_bus_guard_remove (BusRegion *region);
gboolean assay_bus_guard_was_hit (const BusRegion *region);

G_END_DECLS
