/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/convert/assay-quantize.h: a model with its matrices in another format, as a GGUF file or as a
 * folder.
 *
 * Matrices are changed, and only those: norms, biases, position and rope tables and routers stay, as float32.
 * Rows that are no whole blocks of the format take the nearest that fits, as llama.cpp does: Q4_K → Q5_0,
 * Q5_K → Q5_1, Q6_K → Q8_0, else F16; the report says which. Works tensor by tensor, so that memory holds one
 * piece of one tensor. */
#pragma once

#include "weights/assay-model-file.h"

G_BEGIN_DECLS

typedef struct
{
  AssayDtype dtype;    /* F32, F16, BF16, or a format that the kernels make; no whole-matrix format */
  const char *modules; /* borrowed; NULL, "" or "default": every matrix; else as in assay-module-list.h.
                          Others stay as they are */
  guint threads;       /* 0: as many as there are cores */
  gboolean overwrite;
} AssayQuantizeOptions;

/* What became of the tensors, one line for each pair of formats. */
typedef struct
{
  AssayDtype from, to;
  gboolean fell_back; /* because of its rows: not what was asked for */
  guint n_tensors;
  guint64 bytes_from, bytes_to;
  char *example; /* the first of them */
} AssayQuantizeChange;

typedef struct
{
  GArray *changes;        /* AssayQuantizeChange */
  gboolean was_quantized; /* some matrices came from a format that had lost already */
  guint64 file_bytes;     /* of the result */
} AssayQuantizeReport;

/* Reads `file` (a model that the engine knows) and writes `path`. progress may be NULL: bytes of the source.
 * Errors: those of assay_config_read(); RULE "quantize-method", "quantize-source" (bitsandbytes' form already)
 * or "quantize-modules" (an entry that names no matrix), "output-in-model"; FORMAT "weights-not-finite"; CHANGED; those of
 * assay_output_file_new(). On any, nothing is left.
 * Returns: (transfer full). */
AssayQuantizeReport *assay_quantize (AssayModelFile *file, const char *path,
                                     const AssayQuantizeOptions *options,
                                     void (*progress) (guint64 done, guint64 total, gpointer data),
                                     gpointer data, GCancellable *cancellable, GError **error);
/* The same into a folder as Transformers saves one, its linear modules in a format of bitsandbytes (NF4 …,
 * INT8), the output but when it is named, and all else as it was; the model must be such a folder itself, not
 * a GGUF. `path` must not be there, whatever `overwrite` says. */
AssayQuantizeReport *assay_quantize_folder (AssayModelFile *file, const char *path,
                                            const AssayQuantizeOptions *options,
                                            void (*progress) (guint64 done, guint64 total, gpointer data),
                                            gpointer data, GCancellable *cancellable, GError **error);
void assay_quantize_report_free (AssayQuantizeReport *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayQuantizeReport, assay_quantize_report_free)

G_END_DECLS
