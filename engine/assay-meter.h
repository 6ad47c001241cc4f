/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/assay-meter.h: reads memory on a thread of its own, at a chosen rate, into a series.
 *
 * RAM is the process tree's: anonymous (with swapped), file-backed and pinned apart, from /proc/PID/smaps_rollup,
 * falling back to statm and status with the reason kept. A sample carries the time at which it was taken. */
#pragma once

#include "assay-device.h"
#include "assay-nvml.h"
#include "placement/assay-link.h"

G_BEGIN_DECLS

typedef struct _AssayMeter AssayMeter;

/* device may be NULL and may be set later; it is borrowed. Times count from start_ns (g_get_monotonic_time() * 1000). */
AssayMeter *assay_meter_new (AssaySeries *series, gint64 interval_ns, gint64 start_ns);
void assay_meter_set_device (AssayMeter *self, AssayDevice *device, AssayLink *link); /* link NULL: there is none */
/* Of a card: its driver's view (borrowed), and the host memory that is pinned for it. */
void assay_meter_set_card (AssayMeter *self, AssayNvml *nvml, AssayDevice *host);
void assay_meter_set_mapped_weights (AssayMeter *self, guint64 bytes);
/* RAM is that of the process's descendants, without itself, and no more this process's; -1: there are none yet. The
 * categories of the engine are then unknown. */
void assay_meter_set_family (AssayMeter *self, gint pid);
/* Device memory as a child tells it; -1 unknown. */
void assay_meter_set_told (AssayMeter *self, gint64 allocated, gint64 reserved);
void assay_meter_start (AssayMeter *self);
void assay_meter_stop (AssayMeter *self);                 /* takes a last sample; joins */
void assay_meter_free (AssayMeter *self);
const char *assay_meter_get_ram_source (AssayMeter *self);   /* "/proc/PID/smaps_rollup" … */
const char *assay_meter_get_ram_problem (AssayMeter *self);  /* why RAM is unknown, or NULL */

/* One reading, for baselines. -1 in what cannot be had. */
void assay_meter_read_ram (gint64 *anonymous, gint64 *mapped, gint64 *pinned, gint64 *system);

G_END_DECLS
