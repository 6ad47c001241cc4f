/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/assay-device.h: a backend with accounts: every byte has a category, and there is a budget.
 *
 * Allocated and reserved are different figures: freed blocks may stay cached until trim(). High-water marks
 * are exact, kept overall, per category, and since the last phase mark. One engine thread allocates; any
 * thread may read the figures (the meter does).
 *
 * Kinds: `cpu` computes in host memory, so there is one pool. `virtual` computes on the processor too, but
 * has a pool of its own that only the link fills, as a card has; `host` is then the pool of everything that
 * waits; host memory beside a card is pinned. Over any of them a plan device can be made, which counts and
 * computes nothing. */
#pragma once

#include <gio/gio.h>

#include "assay-engine-error.h"
#include "assay-series.h"
#include "kernels.h"

G_BEGIN_DECLS

typedef struct _AssayDevice AssayDevice;
typedef struct _AssayBuffer AssayBuffer; /* an allocation that knows its device, size and category */

typedef struct
{
  guint64 allocated[ASSAY_N_MEMORY];
  guint64 peak[ASSAY_N_MEMORY];      /* each category's own */
  guint64 peak_allocated;            /* of the sum */
  guint64 phase_peak_allocated;      /* of the sum since mark_phase() */
  guint64 reserved, peak_reserved;   /* cached blocks included */
  guint n_trims;                     /* asked for or forced; only those that gave something back */
} AssayDeviceFigures;

/* A trim that gave bytes back, on the engine thread. */
typedef void (*AssayTrimFunc) (guint64 bytes, gpointer data);

/* Takes the backend (destroyed with the device), which computes in host memory. budget 0: no limit but the
 * machine's. name: "cpu". */
AssayDevice *assay_device_new (const char *name, AssayBackend *backend, guint64 budget_bytes);
/* From conditions: threads, compute_dtype, vram_budget. n_threads 0: all cores. OOM_HOST when there are no
 * threads. */
AssayDevice *assay_device_new_cpu (guint n_threads, AssayCompute compute, guint64 budget_bytes,
                                   GError **error);
/* budget 0: what the machine has available now. */
AssayDevice *assay_device_new_virtual (guint n_threads, AssayCompute compute, guint64 budget_bytes,
                                       GError **error);
/* Host memory beside a device with its own; converts weights with n_threads. Beyond the limit OOM_HOST that names
 * ram_budget; 0: none. */
AssayDevice *assay_device_new_host (guint n_threads, guint64 limit_bytes, GError **error);
/* "cuda:N". budget 0: what is free on the card now. UNSUPPORTED where there is no such card, or why it cannot be
 * used. */
AssayDevice *assay_device_new_cuda (const char *name, AssayCompute compute, guint64 budget_bytes, GError **error);
/* The same card for plans only: touches neither its memory nor its driver's contexts. */
AssayDevice *assay_device_new_cuda_sizes (const char *name, AssayCompute compute, GError **error);
/* Counts what `like` would be asked for, without any limit. like: borrowed, lives longer. */
AssayDevice *assay_device_new_plan (AssayDevice *like, GError **error);
void assay_device_set_trim_func (AssayDevice *self, AssayTrimFunc func, gpointer data); /* NULL: none */
void assay_device_free (AssayDevice *self);
const char *assay_device_get_name (AssayDevice *self);
AssayBackend *assay_device_get_backend (AssayDevice *self);
guint64 assay_device_get_budget (AssayDevice *self);
gboolean assay_device_is_separate (AssayDevice *self);   /* its memory is not the host's */
gboolean assay_device_is_plan (AssayDevice *self);
/* All it has: the budget of `virtual`, the machine's memory, the card's. */
guint64 assay_device_get_memory (AssayDevice *self);
/* What it could have when it was made; -1 unknown. */
gint64 assay_device_get_available (AssayDevice *self);

/* NULL with OOM_DEVICE (over the budget) or OOM_HOST (over the RAM limit, or more than the machine has),
 * naming category, request and what is in use; the request is in the error. The message stays the same
 * whatever the phase: the trial adds it. */
AssayBuffer *assay_device_alloc (AssayDevice *self, AssayMemory category, guint64 bytes, GError **error);
void assay_buffer_free (AssayBuffer *self);       /* NULL is fine */
void *assay_buffer_get_data (AssayBuffer *self);
guint64 assay_buffer_get_bytes (AssayBuffer *self);
void assay_device_trim (AssayDevice *self);       /* returns cached blocks */
void assay_device_get_figures (AssayDevice *self, AssayDeviceFigures *out); /* any thread */
void assay_device_mark_phase (AssayDevice *self); /* phase_peak starts again at what is allocated now */

/* Turns a kernel's status into a GError (OOM_HOST, UNSUPPORTED, DEVICE) with the backend's own words. TRUE
 * for OK. */
gboolean assay_device_check (AssayDevice *self, AssayStatus status, const char *operation, GError **error);

/* What this machine offers, and why not more: for `assay devices` and the form. */
typedef struct
{
  char *name;        /* "cpu", "virtual", "cuda:0" */
  char *description; /* processor, instruction sets, compute types; or card */
  guint64 memory_bytes;
  char *problem;     /* why it cannot be used, or NULL */
} AssayDeviceInfo;
void assay_device_info_free (AssayDeviceInfo *self);
GPtrArray *assay_device_list (void);              /* (element-type AssayDeviceInfo) (transfer full) */

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayDevice, assay_device_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayBuffer, assay_buffer_free)

G_END_DECLS
