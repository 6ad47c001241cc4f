/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/models/model-convert.h: one weight from the file into the format that it is computed with.
 *
 * Rows go through float32, some at a time, with the operations of the host's backend. What is the same in
 * both formats is copied bit by bit. Nothing is read over a plan. One engine thread. */
#pragma once

#include "assay-model-private.h"

G_BEGIN_DECLS

typedef struct
{
  AssayModel *model;        /* borrowed, as all here */
  GCancellable *cancellable;
  void (*progress) (guint64 done, guint64 total, gpointer data);
  gpointer data;
  guint64 done, total;      /* bytes of weights as computed with */
  AssayBuffer *rows, *turned, *scratch; /* on the host */
  AssayBuffer *stored;      /* likewise: a matrix put together, before it is changed */
  const AssayWeight *stored_weight; /* whose it is at the moment */
} AssayConverter;

/* Host memory for the model's weights, or for its adapters' parts; none where nothing is changed. */
gboolean assay_converter_init (AssayConverter *self, gboolean low_rank, GError **error);
void assay_converter_clear (AssayConverter *self);
/* So many bytes of weights more are done. FALSE when cancelled. */
gboolean assay_converter_advance (AssayConverter *self, guint64 bytes, GError **error);
/* Where the file has the weight's bytes, which must be in one piece. Over a plan an address that only says
 * what lies beside what. */
const void *assay_weight_get_source (AssayModel *model, const AssayWeight *weight);
/* How many rows can be made at once and apart from others in at most so many bytes; all of a whole format. */
guint64 assay_weight_get_piece_rows (const AssayWeight *weight, guint64 bytes);
/* Rows [first, first + n) to `target`, which holds just them. first: a multiple of 64. */
gboolean assay_converter_make (AssayConverter *self, const AssayWeight *weight, void *target, guint64 first,
                               guint64 n, GError **error);

G_END_DECLS
