/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/placement/assay-placement.h: which unit of a model lies in device memory when.
 *
 * Units come in the order in which a pass uses them. Neighbours that move together are a block: a component
 * under model offload, N layers under group offload, a single unit under sequential offload or where a device
 * map says cpu. A block is resident, copied once, or streamed: copied on entry of its first unit in every
 * pass, from host memory that always holds it, and dropped, never copied back.
 *
 * All streamed blocks share one window of device memory, allocated once, so that a pass allocates nothing and
 * its peak is known before. With prefetch, what comes next is copied while one computes. The window is as
 * large as the largest block, and, where prefetch is on, as the largest pair of neighbouring layer blocks; or,
 * where single units move, as three of the largest of the layers, but no more than two neighbouring layers.
 * Of a next block that finds no room, the bytes that lie beside the current one are copied early, and the rest
 * in turn. Where a pass follows at once, as between the chunks of a prompt, its first block comes after the
 * last one's. So sequential never needs more than group offload does, and group no more than model offload.
 * Bytes over the link: at loading, the resident blocks; in every pass, the streamed ones. */
#pragma once

#include "assay-assembly.h"
#include "assay-link.h"

G_BEGIN_DECLS

typedef struct _AssayPlacement AssayPlacement;

typedef struct
{
  const char *component;  /* embedding, decoder, head */
  gint group;             /* layer number; -1 outside the layers */
  const char *module;     /* "attn_q", "ffn_down" … */
  guint64 weight_bytes;   /* as computed with; a tied output matrix counts in both of its units */
} AssayModelUnit;

typedef struct
{
  guint64 resident_bytes;   /* device memory of blocks that stay; where they are used in place, none */
  guint64 window_bytes;     /* device memory of blocks that take turns */
  guint64 load_bytes;       /* over the link while loading */
  guint64 pass_bytes;       /* over the link in every pass */
  guint n_blocks, n_streamed;
} AssayPlacementFigures;

/* Called when a streamed block is there and its first unit is about to compute, on the engine thread. NULL: none. */
typedef void (*AssayBlockFunc) (AssayPlacement *placement, guint64 bytes, gpointer data);
void assay_placement_set_block_func (AssayPlacement *self, AssayBlockFunc func, gpointer data);

void assay_placement_get_figures (AssayPlacement *self, AssayPlacementFigures *out);
/* The block now in the window: "decoder 3 … 4"; "" when nothing is streamed. Any thread; (transfer full) */
char *assay_placement_dup_resident (AssayPlacement *self);

G_END_DECLS
