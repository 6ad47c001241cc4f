/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/assay-forecast.h: what a trial will need, before anything of it is loaded.
 *
 * The model's own code is run over devices that count and compute nothing; so what is foretold is what the
 * same code will ask for, byte by byte. Only metadata is read. Any thread; a 32-layer model takes some
 * milliseconds. */
#pragma once

#include "assay-advice.h"
#include "assay-inspect.h"

G_BEGIN_DECLS

typedef struct
{
  const char *name; /* load, convert, attach, prompt, generate */
  guint64 peak_device, peak_host;
} AssayForecastPhase;

typedef struct
{
  guint64 peak_device, peak_host; /* of the sums; on `cpu` all is host memory and peak_device is 0 */
  guint64 device[ASSAY_N_MEMORY]; /* each category's own peak */
  guint64 host[ASSAY_N_MEMORY];
  guint64 mapped_bytes; /* weights used in place: pages of the file, which the system can take back */
  GArray *phases;       /* AssayForecastPhase, in the order of the run */

  guint64 load_bytes, pass_bytes; /* over the link: while loading, and in every forward pass */
  guint64 prompt_bytes;           /* in all passes of the prompts */
  guint64 n_passes;       /* at most: chunks of the prompts, and every token of answers as long as allowed */
  guint64 link_bytes;     /* of weights: at most, since answers may be shorter than allowed */
  double pass_seconds;    /* at least, for the link alone; 0 where neither its speed nor its latency is known */
  double seconds;         /* at least, for the link: loading and the passes of the prompts */
  double longest_seconds; /* the same with answers as long as allowed */

  guint64 budget, host_budget;    /* what was set, else what the machine has available */
  guint64 over_device, over_host; /* bytes that do not fit; 0: it fits */
  AssayRunStatus status;             /* how the run would end for its memory: completed, oom_device or oom_host */
  const char *first_refused;      /* the phase in which it will not fit, or NULL */
  gboolean by_part;               /* offload by whole parts: the largest and its work are what must fit */
  gboolean on_cpu;                /* host memory is all there is, and vram_budget bounds it */
} AssayForecast;

/* questions: (element-type AssayQuestion) or NULL, when the condition `prompt` is asked. NULL with RULE where
 * the conditions break a rule: the same error that the run would end with. */
AssayForecast *assay_forecast_new (const AssayValues *conditions,
                                   const AssayInspection *inspection,
                                   GPtrArray *questions,
                                   GError **error);
/* The same of the file that the conditions name; the model that was inspected last is kept. */
AssayForecast *assay_forecast_new_kept (const AssayValues *conditions,
                                        GPtrArray *questions,
                                        GCancellable *cancellable,
                                        GError **error);
void assay_forecast_free (AssayForecast *self);
/* "fits: 1.21 of 4 GiB", "does not fit by 1.2 GiB: …", "moves 14.0 GiB over the link each pass: at least 0.56
 * s". (transfer full), translated, one sentence a line. */
char *assay_forecast_dup_words (const AssayForecast *self);
char *assay_forecast_dup_report (const AssayForecast *self, gboolean json); /* for `assay plan` */
/* Into the record's predicted_… fields. */
void assay_forecast_write (const AssayForecast *self, AssayValues *burden);

/* An AssayPredictFunc for advice; data: a GPtrArray of questions, or NULL. Keeps the last model, as below. */
gboolean assay_forecast_predict (const AssayValues *conditions,
                                 AssayPrediction *out,
                                 gpointer questions,
                                 GError **error);

/* For the window: inspects (the last model is kept) and foretells in a thread; a newer call cancels nothing,
 * the caller drops what is old. */
void assay_forecast_async (AssayValues *conditions,
                           GPtrArray *questions,
                           GCancellable *cancellable,
                           GAsyncReadyCallback callback,
                           gpointer data);
AssayForecast *assay_forecast_finish (GAsyncResult *result, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayForecast, assay_forecast_free)

G_END_DECLS
