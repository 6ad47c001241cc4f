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
  ASSAY_COMPARISON_REFUSED,     /* nothing is compared; reason and sentence say why */
  ASSAY_COMPARISON_NO_EFFECT,   /* exactly one axis moved, and nothing that was recorded shows it, the clock aside */
} AssayComparisonKind;

/* Why no effect is claimed. */
typedef enum
{
  ASSAY_REASON_NONE,            /* an effect is claimed, or these are repeats */
  ASSAY_REASON_SAME_RUN,        /* both are one run */
  ASSAY_REASON_DAMAGED,
  ASSAY_REASON_NOT_COMPLETED,
  ASSAY_REASON_NOT_AS_ASKED,    /* effective differs from requested, and nobody accepted it */
  ASSAY_REASON_MIXED_MEMORY,    /* the peaks are of different kinds */
  ASSAY_REASON_SEVERAL_AXES,    /* two or more that a person chooses */
  /* A hidden axis moved, alone or along with one that a person chose: */
  ASSAY_REASON_DRIVER,
  ASSAY_REASON_MODEL_REPLACED,  /* other content under the same choice of model */
  ASSAY_REASON_HIDDEN_AXIS,     /* build, device, kernel, generator … */
  ASSAY_REASON_NO_EFFECT,       /* nothing that was recorded shows one */
} AssayComparisonReason;

const char *assay_comparison_kind_get_name (AssayComparisonKind kind);       /* "no_effect", for scripts */
const char *assay_comparison_reason_get_name (AssayComparisonReason reason); /* "driver_changed", for scripts */

typedef struct
{
  AssayComparisonKind kind;
  AssayComparisonReason reason;
  GPtrArray *differences;       /* (element-type AssayDifference) */
  double peak_ratio, time_ratio;/* b over a; NaN when not both known. The peak is peak_vram, of runs that
                                 * state none peak_vram_process or peak_vram_reserved, like beside like; where neither run
                                 * used memory of a device, peak_ram_engine where this engine ran both, else
                                 * peak_ram above ram_baseline, or as it is where neither states its baseline */
  char *sentence;               /* translated: "the effect of offload_mode: −61 % VRAM, ×3.4 time, quality unchanged (2 reviews)" */
} AssayComparison;

/* ledger lends the criteria and the repeats. */
AssayComparison *assay_compare_runs (AssayLedger *ledger, AssayRecord *a, AssayRecord *b);

/* As above, after a person has accepted what was in effect: that it is not what was asked for, or that an axis moved which
 * nobody chose, such as the driver. */
AssayComparison *assay_compare_runs_in_effect (AssayLedger *ledger, AssayRecord *a, AssayRecord *b);

/* The peak that says what this run itself needed: device memory where it used a device of its own; on `cpu` what the
 * engine's allocator held, since the process is Assay's window or command too; of a child process all of it. */
AssayFieldId assay_compare_get_own_peak (AssayRecord *record);

/* Bytes of weights that lie in memory as pages of the model's file, beside what the engine allocated; 0: none. */
gint64 assay_compare_get_mapped_weights (AssayRecord *record);

/* A value that the request left to the engine, so that what was in effect is no other than what was asked for. */
gboolean assay_compare_left_choice (AssayRecord *record, AssayFieldId field);

/* Whether nothing was in effect but what was asked for, or a person accepted what was. */
gboolean assay_compare_is_as_asked (AssayRecord *record);

/* What was in effect and not what was asked for: "context_length: 4096 instead of 8192", several with ', ';
 * NULL when nothing was. A value that the request left to the engine (unset, seed −1, chat format auto) is no
 * such difference. (transfer full) */
char *assay_compare_dup_deviation (AssayRecord *record);

void assay_comparison_free (AssayComparison *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayComparison, assay_comparison_free)

G_END_DECLS
