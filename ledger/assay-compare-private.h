/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-compare-private.h: the figures of two runs, apart from what may be claimed of them. */
#pragma once

#include "assay-compare.h"

G_BEGIN_DECLS

/* One more part of a list with ', ' between. */
void compare_add (GString *text, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* The peak that both runs state and at least one needed: peak_vram, else another kind of device memory, each with its
 * own; where neither used any, peak_ram_engine of two runs of this engine, else peak_ram. Kinds are never mixed. */
AssayFieldId compare_get_peak_field (AssayRecord *a, AssayRecord *b);
const char *compare_get_kind (AssayRecord *record, AssayFieldId peak); /* as measured, or NULL */
double compare_get_peak_ratio (AssayRecord *a, AssayRecord *b);        /* b over a; NaN when not both known */
double compare_get_ratio (AssayRecord *a, AssayRecord *b, AssayFieldId field);

/* Memory, time, quality, answers; what went over the link where `moved` decides on it. */
void compare_add_figures (GString *text, const AssayComparison *self, AssayLedger *ledger, AssayRecord *a,
                          AssayRecord *b, AssayAxis moved);

G_END_DECLS
