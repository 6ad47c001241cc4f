/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-compare-column.h: the columns of the comparison: what each is called, and in which unit it stands. */
#pragma once

#include "assay-values.h"

G_BEGIN_DECLS

typedef enum
{
  ASSAY_COMPARE_RUN,
  ASSAY_COMPARE_PEAK,     /* what it took first: it is why a person looks here */
  ASSAY_COMPARE_MAPPED,   /* where weights are used from the file: they are in no peak of the engine's */
  ASSAY_COMPARE_TIME,
  ASSAY_COMPARE_SPEED,
  ASSAY_COMPARE_RAN,      /* the three gates, in their order */
  ASSAY_COMPARE_GOOD,
  ASSAY_COMPARE_BEARABLE,
  ASSAY_COMPARE_SCORE,    /* the mean of the ledger's first criterion */
  ASSAY_COMPARE_STATUS,
  ASSAY_COMPARE_FORETOLD, /* the planner's peak */
  ASSAY_COMPARE_ERROR,    /* how far it was off, and whether the run contradicts it */
  ASSAY_COMPARE_LINK,     /* bytes over the link */
  ASSAY_COMPARE_STALL,
  ASSAY_COMPARE_PLAN,     /* whether a child changed what was planned */
  ASSAY_COMPARE_OFFLOAD,  /* conditions from here on: those that differ between runs come by themselves, beside the run */
  ASSAY_COMPARE_QUANTIZATION,
  ASSAY_COMPARE_CONTEXT_LENGTH,
  ASSAY_COMPARE_COMPUTE_DTYPE,
  ASSAY_COMPARE_MODEL,
  ASSAY_COMPARE_DTYPE,
  ASSAY_COMPARE_DEVICE,
  ASSAY_COMPARE_GROUP_SIZE,
  ASSAY_COMPARE_BUDGET,
  ASSAY_COMPARE_PREFETCH,
  ASSAY_COMPARE_WEIGHT_ACCESS,
  ASSAY_COMPARE_THREADS,
  ASSAY_COMPARE_KV_CACHE,
  ASSAY_COMPARE_V_CACHE,
  ASSAY_COMPARE_WIDTH,
  ASSAY_COMPARE_HEIGHT,
  ASSAY_COMPARE_STEPS,
  ASSAY_COMPARE_MAX_TOKENS,
  ASSAY_COMPARE_TEMPERATURE,
  ASSAY_COMPARE_SEED,
  ASSAY_COMPARE_CHAT_FORMAT,
  ASSAY_COMPARE_SYSTEM_PROMPT,
  ASSAY_COMPARE_RUNTIME,
  ASSAY_COMPARE_RUNTIME_BUILD,
  ASSAY_N_COMPARE_COLUMNS
} AssayCompareColumn;

/* Figures of one column stand in one unit, which its title names. */
typedef struct
{
  double divisor;
  char name[128];     /* "MiB"; "": none */
  const char *memory; /* of the peak's column: "VRAM" where all rows tell of that; NULL: each cell says of which */
} AssayCompareUnit;

const char *assay_compare_column_get_id (AssayCompareColumn column);  /* as settings keep it: "peak" */
const char *assay_compare_column_get_name (AssayCompareColumn column); /* translated: "Peak memory" */
char *assay_compare_column_dup_title (AssayCompareColumn column, const AssayCompareUnit *unit); /* "Peak memory (MiB)" */
AssayFieldId assay_compare_column_get_field (AssayCompareColumn column); /* INVALID: not one field's */
gboolean assay_compare_column_is_condition (AssayCompareColumn column);
gboolean assay_compare_column_is_gate (AssayCompareColumn column);
gboolean assay_compare_column_is_numeric (AssayCompareColumn column);
gboolean assay_compare_column_is_optional (AssayCompareColumn column); /* shown where a run has something to say in it */
gboolean assay_compare_column_is_spread (AssayCompareColumn column);   /* of repeats, from the least to the greatest */
int assay_compare_column_get_width (AssayCompareColumn column);       /* characters */

/* The unit in which the greatest figure of a column has few digits. */
AssayCompareUnit assay_compare_unit_for (AssayCompareColumn column, double greatest);
char *assay_compare_unit_dup_number (const AssayCompareUnit *self, double value); /* three digits: "131", "8.01" */
char *assay_compare_unit_dup_plain (const AssayCompareUnit *self, double value);  /* the same with '.', for programs */

G_END_DECLS
