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
  ASSAY_COMPARISON_REFUSED,     /* both are one run, a run did not complete, effective differs from requested and nobody accepted it, or
                                 * the peaks are of different kinds; the sentence says which */
} AssayComparisonKind;

typedef struct
{
  AssayComparisonKind kind;
  GPtrArray *differences;       /* (element-type AssayDifference) */
  double peak_ratio, time_ratio;/* b over a; NaN when not both known. The peak is peak_vram, of runs that
                                 * state none peak_vram_process or peak_vram_reserved, like beside like; where neither run
                                 * used memory of a device, peak_ram_engine where this engine ran both, else
                                 * peak_ram above ram_baseline, or as it is where neither states its baseline */
  char *sentence;               /* translated: "the effect of offload_mode: −61 % VRAM, ×3.4 time, quality unchanged (2 reviews)" */
} AssayComparison;

/* ledger lends the criteria. */
AssayComparison *assay_compare_runs (AssayLedger *ledger, AssayRecord *a, AssayRecord *b);

/* As above, after a person has accepted that what was in effect is not what was asked for. */
AssayComparison *assay_compare_runs_in_effect (AssayLedger *ledger, AssayRecord *a, AssayRecord *b);

/* The peak that says what this run itself needed: device memory where it used a device of its own; on `cpu` what the
 * engine's allocator held, since the process is Assay's window or command too; of a child process all of it. */
AssayFieldId assay_compare_get_own_peak (AssayRecord *record);

/* Whether nothing was in effect but what was asked for, or a person accepted what was. */
gboolean assay_compare_is_as_asked (AssayRecord *record);

/* What was in effect and not what was asked for: "context_length: 4096 instead of 8192", several with ', ';
 * NULL when nothing was. A value that the request left to the engine (unset, seed −1, chat format auto) is no
 * such difference. (transfer full) */
char *assay_compare_dup_deviation (AssayRecord *record);

void assay_comparison_free (AssayComparison *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayComparison, assay_comparison_free)

G_END_DECLS
