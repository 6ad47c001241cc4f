/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-axes.h: what differs between two trials, as axes. */
#pragma once

#include "assay-record.h"

G_BEGIN_DECLS

typedef struct
{
  AssayAxis axis;
  AssayFieldId field;    /* the first field of the axis that differs */
  char *from, *to;       /* file form; NULL is unset or unknown */
  gboolean implied;      /* no axis of its own: it follows from another difference (content hash from quantization),
                          * or cannot have had an effect (a seed where nothing is drawn) */
} AssayDifference;

void assay_difference_free (AssayDifference *self);

/* Over the values in effect, hidden axes included. A field unknown or unset on one side only is a difference.
 * Returns: (transfer full) (element-type AssayDifference), one per axis, visible axes first. */
GPtrArray *assay_axes_diff (AssayRecord *a, AssayRecord *b);

/* The same over two sets of requested conditions: visible axes only, for the form. */
GPtrArray *assay_axes_diff_conditions (const AssayValues *a, const AssayValues *b);

/* Whether two trials are repeats of one another: no axis moved. As counting the differences, without making
 * them. */
gboolean assay_axes_is_repeat (AssayRecord *a, AssayRecord *b);

guint assay_axes_count (GPtrArray *differences);   /* those that are not implied */

/* "offload_mode: none → sequential"; several with ', '. Implied ones are left out; long values are cut. */
char *assay_axes_describe (GPtrArray *differences);

G_END_DECLS
