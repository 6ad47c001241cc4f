/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-compare.h: what a comparison of runs may claim. */
#pragma once

#include "assay-axes.h"
#include "assay-gates.h"

G_BEGIN_DECLS

typedef enum
{
  ASSAY_COMPARISON_SAME,        /* no axis moved: repeats */
  ASSAY_COMPARISON_EFFECT,      /* exactly one axis moved */
  ASSAY_COMPARISON_CONFOUNDED,  /* several moved: nothing is claimed */
  ASSAY_COMPARISON_REFUSED,     /* a run did not complete, or effective differs from requested */
} AssayComparisonKind;

typedef struct
{
  AssayComparisonKind kind;
  GPtrArray *differences;       /* (element-type AssayDifference) */
  double peak_ratio, time_ratio;/* b over a; NaN when not both known */
  char *sentence;               /* translated: "the effect of offload_mode: −61 % VRAM, ×3.4 time, quality unchanged (2 reviews)" */
} AssayComparison;

AssayComparison *assay_compare_runs (AssayLedger *ledger, AssayRecord *a, AssayRecord *b);
void assay_comparison_free (AssayComparison *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayComparison, assay_comparison_free)

G_END_DECLS
