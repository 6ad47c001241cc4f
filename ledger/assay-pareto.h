/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-pareto.h: which settings are not beaten on memory and time at once.
 *
 * A point is a setting: its repeats are folded. Memory is the run's own peak (assay_compare_get_own_peak()); peaks of
 * different kinds lie on different axes, so each kind is a group with frontiers of its own. One setting beats another
 * when it needs no more of both and less of one; equal ones beat neither. O(n log n). */
#pragma once

#include "assay-gates.h"

G_BEGIN_DECLS

/* Why a run has no point, or its point is on no frontier. */
typedef enum
{
  ASSAY_PARETO_DAMAGED,    /* no point: the entry cannot be read */
  ASSAY_PARETO_NO_PEAK,    /* no point: its own peak is unknown */
  ASSAY_PARETO_NO_TIME,    /* no point: its time is unknown */
  ASSAY_PARETO_NOT_RUN,    /* did not complete. It is a point where nothing of its setting completed, else none */
  ASSAY_PARETO_DEVIATES,   /* what was in effect is not what was asked for, and nobody accepted that: a point */
} AssayParetoReason;

const char *assay_pareto_reason_get_name (AssayParetoReason reason); /* "not_run", for scripts */

typedef struct
{
  AssayRecord *representative;  /* owned; the run that speaks for its setting, as in the table */
  GPtrArray *runs;              /* owned; (element-type AssayRecord) all of the setting, oldest first */
  guint64 peak_bytes;           /* means over the completed runs that state both */
  double seconds;
  guint n;                      /* how many those are; 0: nothing completed, and the figures are the representative's
                                 * up to where it ended */
  AssayVerdict feasibility;     /* the representative's */
  AssayVerdict quality;         /* of all reviews of the setting: any fail fails */
  gboolean deviates;            /* see ASSAY_PARETO_DEVIATES */
  gboolean on_quality_frontier; /* not beaten among those whose quality passed */
  gboolean on_ran_frontier;     /* not beaten among all that completed */
} AssayParetoPoint;

/* Peaks of one kind. */
typedef struct
{
  AssayFieldId peak;            /* PEAK_VRAM, PEAK_RAM_ENGINE or PEAK_RAM */
  char *kind;                   /* as measured: "allocated"; NULL where no run of the group states it */
  char *label;                  /* translated: "Peak VRAM (allocated)" */
  GPtrArray *points;            /* (element-type AssayParetoPoint), least peak first, then least time */
} AssayParetoGroup;

typedef struct
{
  AssayRecord *record;          /* owned */
  AssayParetoReason reason;
  char *words;                  /* translated: "run 20261130T…: its time is unknown" */
} AssayParetoLeftOut;

typedef struct
{
  GPtrArray *groups;            /* (element-type AssayParetoGroup), the one with most points first */
  GPtrArray *left_out;          /* (element-type AssayParetoLeftOut), in the ledger's order */
} AssayPareto;

AssayPareto *assay_pareto_new (AssayLedger *ledger);
void assay_pareto_free (AssayPareto *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayPareto, assay_pareto_free)

G_END_DECLS
