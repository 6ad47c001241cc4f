/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-axes-private.h: two trials side by side, and which of their differences follow from another. */
#pragma once

#include "assay-axes.h"

G_BEGIN_DECLS

typedef struct
{
  AssayRecord *record;         /* or NULL: only requested conditions are known */
  const AssayValues *values;
} AssayAxesSide;

typedef struct
{
  guint64 axes;                       /* those that moved: bits by AssayAxis */
  AssayFieldId first[ASSAY_N_AXES];   /* the first field of each that differs */
} AssayAxesMoves;

#define ASSAY_AXES_BIT(axis) (G_GUINT64_CONSTANT (1) << (axis))

/* In effect where it is known, else as requested. *field: in, the one wanted; out, the one that holds its value
 * (that of v_cache_type, where it is empty, is kv_cache_type's). */
const AssayValues *axes_side_get_values (const AssayAxesSide *side, AssayFieldId *field);
const char *axes_side_get_text (const AssayAxesSide *side, AssayFieldId field);
char *axes_side_dup_text (const AssayAxesSide *side, AssayFieldId field); /* file form; NULL unless set */
gboolean axes_side_is_greedy (const AssayAxesSide *side);
/* No weight waits anywhere, so none is copied ahead of its use. */
gboolean axes_side_streams_nothing (const AssayAxesSide *side);

void axes_find_moves (AssayAxesMoves *moves, const AssayAxesSide *a, const AssayAxesSide *b);
gboolean axes_are_same (const AssayAxesSide *a, const AssayAxesSide *b, AssayFieldId field);

/* Whether another difference brings this one with it, or it cannot have had an effect. */
gboolean axes_is_implied (AssayAxis axis, const AssayAxesMoves *moves, const AssayAxesSide *a, const AssayAxesSide *b);

/* One word for the conditions of a record that may tell it from others; equal for repeats. */
guint64 axes_get_key (AssayRecord *record);
/* The same, axis by axis: their sum is that key. */
void axes_fill_keys (AssayRecord *record, guint64 keys[ASSAY_N_AXES]);
/* The axis itself, and those whose keys may differ along with it where it alone moved: bits by AssayAxis. */
guint64 axes_get_followers (AssayAxis axis);

/* A value that the request leaves to the engine: unset, a seed of −1, the model's own chat format. */
gboolean axes_leaves_choice (const AssayValues *conditions, AssayFieldId field);

/* What a person reads of a change: with units, cut where long, "not set" for NULL; exact where units would hide the
 * difference. */
void axes_dup_shown (AssayFieldId field, const char *from, const char *to, char **shown_from, char **shown_to);

G_END_DECLS
