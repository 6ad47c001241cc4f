/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/placement/assay-placement-private.h: what the model tells its placement, and asks of it. One engine
 * thread. */
#pragma once

#include "assay-placement.h"

G_BEGIN_DECLS

/* Whether the unit is copied in every pass. Resident everywhere but on a device with its own memory. */
gboolean assay_placement_is_streamed (const AssayAssembly *assembly, gboolean separate,
                                      const AssayModelUnit *unit);

/* units: borrowed, in the order of a pass. bytes: [n_units] that each takes of a block, parts padded. */
AssayPlacement *assay_placement_new (const AssayModelUnit *units, const guint64 *bytes, guint n_units,
                                     const AssayAssembly *assembly, gboolean separate);
void assay_placement_free (AssayPlacement *self);
guint64 assay_placement_get_window_bytes (AssayPlacement *self);
guint assay_placement_get_n_blocks (AssayPlacement *self);
guint64 assay_placement_get_block (AssayPlacement *self, guint block, guint *first, guint *n,
                                   gboolean *streamed);

/* A part of a streamed unit: where it waits, and the tensor that follows it into the window. In order of
 * units. */
void assay_placement_add_part (AssayPlacement *self, guint unit, AssayTensor *tensor, guint64 offset,
                               const void *host, guint64 bytes);
/* Bytes that went over the link to parts that stay, and what they take. */
void assay_placement_count_load (AssayPlacement *self, guint64 resident_bytes, guint64 load_bytes);

/* device, link, window: borrowed; link NULL and window NULL where nothing is streamed. */
void assay_placement_start (AssayPlacement *self, AssayDevice *device, AssayLink *link, void *window);
/* n_units: those that this pass will enter, from the first. followed: another pass begins when it is done. */
void assay_placement_begin (AssayPlacement *self, guint n_units, gboolean followed);
gboolean assay_placement_enter (AssayPlacement *self, guint unit, GError **error);
/* Drops what is in the window. whole: the pass did not break off; unless another follows, waits for copies
 * under way. */
gboolean assay_placement_end (AssayPlacement *self, gboolean whole, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayPlacement, assay_placement_free)

G_END_DECLS
