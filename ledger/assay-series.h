/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-series.h: memory over time, with the phases and marks of a run.
 *
 * Written by the meter's thread (samples) and the trial's worker (phases, marks), drawn by the window at the
 * same time: every call takes the series' own lock. Samples are kept at full rate up to ASSAY_SERIES_LIMIT;
 * beyond it neighbours are joined pairwise, each field keeping its greater value, so memory is bounded and no
 * peak is lost. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define ASSAY_SERIES_LIMIT 262144u /* samples in memory: 87 min at 50 Hz before the first join */
#define ASSAY_SERIES_KEPT 600u     /* samples in a ledger */

/* The categories every allocation carries; also the chart's layers. */
typedef enum
{
  ASSAY_MEMORY_WEIGHTS,
  ASSAY_MEMORY_KV_CACHE,
  ASSAY_MEMORY_ACTIVATIONS,
  ASSAY_MEMORY_WORKSPACE,
  ASSAY_MEMORY_STAGING,
  ASSAY_MEMORY_OUTPUT,
  ASSAY_N_MEMORY
} AssayMemory;
const char *assay_memory_get_name (AssayMemory category);  /* "kv_cache" */
const char *assay_memory_get_label (AssayMemory category); /* translated: "KV cache" */

/* A moment of the run, in bytes; -1 is unknown. On the device `cpu` the categories are the engine's own
 * allocations in RAM; weights used in place from a mapped file count under `mapped_weights` and ram_mapped,
 * not under a category. */
typedef struct
{
  gint64 t_ns;                    /* since the run began, monotonic */
  gint64 allocated[ASSAY_N_MEMORY]; /* by the engine's allocator */
  gint64 reserved;                /* taken from the device, cached blocks included */
  gint64 mapped_weights;          /* weights used in place */
  gint64 ram_anonymous, ram_mapped, ram_pinned; /* process tree */
  gint64 ram_system;              /* in use on the whole machine */
  gint64 vram_device;             /* driver: in use on the whole device */
  gint64 link_bytes;              /* copied between host and device since the run began */
} AssaySample;

typedef struct
{
  char *name;                     /* load, convert, prompt, generate, … */
  gint64 start_ns, duration_ns;   /* duration -1 while it goes on */
  gint64 peak_allocated;          /* exact high-water mark of the allocator in this phase; -1 unknown */
  gint64 peak_ram;                /* sampled; -1 unknown */
} AssayPhase;

typedef struct
{
  gint64 t_ns;
  char *kind;                     /* "trim", "transfer", "resident", "question" */
  char *text;
} AssayMark;

typedef struct _AssaySeries AssaySeries;

AssaySeries *assay_series_new (gint64 interval_ns);
AssaySeries *assay_series_ref (AssaySeries *self);
void assay_series_unref (AssaySeries *self);
gint64 assay_series_get_interval_ns (AssaySeries *self);   /* as asked for; 0 unknown */
guint64 assay_series_get_n_measured (AssaySeries *self);   /* samples ever appended */
void assay_series_append (AssaySeries *self, const AssaySample *sample); /* t_ns ascending */

/* Phases of one name may come several times (one prompt phase a question). end closes the open one. */
void assay_series_begin_phase (AssaySeries *self, const char *name, gint64 t_ns);
void assay_series_end_phase (AssaySeries *self, gint64 t_ns, gint64 peak_allocated);
void assay_series_add_phase (AssaySeries *self, const AssayPhase *phase); /* copied; for readers */
void assay_series_add_mark (AssaySeries *self, gint64 t_ns, const char *kind, const char *text);

guint assay_series_get_length (AssaySeries *self);
gint64 assay_series_get_end_ns (AssaySeries *self);        /* last sample or phase end; 0 when empty */
GArray *assay_series_dup_samples (AssaySeries *self);      /* (element-type AssaySample) (transfer full) */
GPtrArray *assay_series_dup_phases (AssaySeries *self);    /* (element-type AssayPhase) (transfer full) */
GPtrArray *assay_series_dup_marks (AssaySeries *self);     /* (element-type AssayMark) (transfer full) */

/* At most `n` samples over [from, to): each stands for a stretch of time and holds, field by field, the
 * greatest value in it; t_ns is that of the stretch's greatest total. (element-type AssaySample) (transfer
 * full) */
GArray *assay_series_dup_downsampled (AssaySeries *self, gint64 from_ns, gint64 to_ns, guint n);
gboolean assay_series_get_at (AssaySeries *self, gint64 t_ns,
                              AssaySample *out); /* the sample last taken at or before t */
gboolean assay_series_get_after (AssaySeries *self, gint64 t_ns, AssaySample *out); /* the first one after t */

/* Overall maxima, field by field; FALSE when empty. t_ns is that of the greatest allocated total. */
gboolean assay_series_get_peak (AssaySeries *self, AssaySample *out);

gint64 assay_sample_get_allocated (const AssaySample *sample); /* sum over categories; unknown ones count 0 */
AssayPhase *assay_phase_copy (const AssayPhase *self);
void assay_phase_free (AssayPhase *self);
void assay_mark_free (AssayMark *self);

/* Every sample as CSV with a header, for `assay run --samples`. (transfer full) */
char *assay_series_dup_csv (AssaySeries *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssaySeries, assay_series_unref)

G_END_DECLS
