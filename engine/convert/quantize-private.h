/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/convert/quantize-private.h
 *
 *   quantize-plan.c    which tensor becomes what
 *   quantize-rows.c    a tensor's rows as float32, in GGUF's order
 *   quantize-work.c    what both kinds of result share; the report
 *   quantize-foreign.c  what GGUF says otherwise than a Hugging Face folder
 *   assay-quantize.c   a GGUF file
 *   quantize-folder.c  a folder in bitsandbytes' form
 *   folder-config.c    its config.json */
#pragma once

#include "assay-quantize.h"
#include "models/assay-config.h"
#include "weights/assay-gguf-write.h"

G_BEGIN_DECLS

typedef struct
{
  const AssayTensorInfo *tensor;
  AssayDtype to;
  gboolean fell_back;
  guint interleave; /* rows are two halves a head that GGUF wants as neighbours: this many heads; 0: no */
} QuantizeStep;

/* Returns: (transfer full) (element-type QuantizeStep), a step a tensor, in file order; NULL with RULE. */
GArray *assay_quantize_plan (AssayModelFile *file, const AssayModelConfig *config,
                             const AssayQuantizeOptions *options, GError **error);
/* The same for a folder in bitsandbytes' form: options->dtype is a whole-matrix format. */
GArray *assay_quantize_plan_folder (AssayModelFile *file, const AssayQuantizeOptions *options,
                                    GError **error);
/* Writes config.json and copies the texts of the model's folder into `folder`. */
gboolean assay_quantize_put_config (AssayModelFile *file, const char *folder, AssayDtype dtype,
                                    const GArray *steps, GError **error);
/* general.file_type's number for the format that holds most bytes of the matrices; FALSE: it has none. */
gboolean assay_quantize_get_file_type (const GArray *steps, guint32 *out);
gboolean assay_quantize_is_matrix (const AssayTensorInfo *tensor);

/* Sets and drops keys, and adds the tensors of what a GGUF file has as such: call it after the model's own
 * were added. Returns: (transfer full) (element-type float*) their values, rope.n_dims / 2 each, in that
 * order; none for a GGUF. */
GPtrArray *assay_quantize_put_foreign (AssayGgufWrite *out, AssayModelFile *file,
                                       const AssayModelConfig *config, GError **error);

/* What both kinds of result share: where it comes from, how far it is. */
typedef struct
{
  AssayModelFile *file;
  AssayBackend *backend;
  void (*progress) (guint64 done, guint64 total, gpointer data);
  gpointer data;
  GCancellable *cancellable;
  guint64 done, total; /* bytes of the source */
} QuantizeWork;

/* Reads what is needed of the model, and makes the backend. cancellable and progress are the caller's. */
gboolean assay_quantize_work_init (QuantizeWork *self, AssayModelFile *file, guint threads, GError **error);
/* FALSE with RULE when `path` lies inside the folder that the model is. */
gboolean assay_quantize_check_place (AssayModelFile *file, const char *path, GError **error);
void assay_quantize_work_clear (QuantizeWork *self);
/* A complaint about a tensor. Always FALSE. */
gboolean assay_quantize_fail (const QuantizeWork *self, const AssayTensorInfo *tensor, AssayEngineError code,
                              const char *reason, const char *what, GError **error);
/* Tells how far it is; FALSE when it was cancelled. */
gboolean assay_quantize_advance (QuantizeWork *self, guint64 bytes, GError **error);
/* FALSE with CHANGED when the model is no longer what was opened. */
gboolean assay_quantize_check_source (QuantizeWork *self, GError **error);
/* Rows that are worked on at once: a multiple of 64, but for the last. */
gint64 assay_quantize_get_rows (gint64 n, gint64 n_rows);
/* Rows of x become rows [first, first + n_rows) of `to`; numbers that are none are refused. */
gboolean assay_quantize_rows (QuantizeWork *self, const AssayTensorInfo *tensor, const AssayTensor *to,
                              const float *x, gint64 first, gint64 n_rows, void *scratch, GError **error);

AssayQuantizeReport *assay_quantize_report_new (const GArray *steps, guint64 file_bytes);

/* One tensor on its way. A tensor that is stored transposed is unfolded whole; others come row by row. */
typedef struct
{
  AssayBackend *backend;
  const QuantizeStep *step;
  AssayTensor stored; /* as it lies in the file */
  gint64 n, n_rows;   /* of the result: rows of n elements */
  float *whole;       /* [n_rows, n], or NULL */
} QuantizeSource;

/* data: the tensor's bytes. FALSE with OOM_HOST or DEVICE. */
gboolean assay_quantize_source_open (QuantizeSource *self, AssayBackend *backend, AssayModelFile *file,
                                     const QuantizeStep *step, GError **error);
void assay_quantize_source_close (QuantizeSource *self);
gboolean assay_quantize_source_read (QuantizeSource *self, float *y, gint64 first, gint64 n_rows,
                                     GError **error);

G_END_DECLS
