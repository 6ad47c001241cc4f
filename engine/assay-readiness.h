/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/assay-readiness.h: whether a trial can be run now: what it will need against what is free, and who holds the
 * rest.
 *
 * Asked before each trial of a queue, so that a night's trials are not spent on memory that a browser holds. Blocks for
 * as long as the forecast and the driver take: for worker threads. */
#pragma once

#include "assay-forecast.h"

G_BEGIN_DECLS

typedef enum
{
  ASSAY_READY,
  ASSAY_READY_NEVER, /* it does not fit the budget, or this machine: waiting changes nothing */
  ASSAY_READY_HELD,  /* it would, if other programs gave back what they hold */
} AssayReadyState;

typedef struct
{
  AssayReadyState state;
  AssayRunStatus status; /* how it would end if it were run: completed, oom_device, oom_host */
  char *words;           /* translated, why; of a ready one what was foretold, NULL where nothing can be */
} AssayReadiness;

/* questions: as of assay_trial_new(). What breaks a rule or cannot be foretold is ready: the trial's record will tell. */
AssayReadiness *assay_readiness_new (const AssayValues *conditions, GPtrArray *questions);
void assay_readiness_free (AssayReadiness *self);

/* One memory, bytes; -1 unknown. */
typedef struct
{
  gint64 need, free, total;
  gboolean on_card;
} AssayReadyMemory;

/* The decision alone. holders: who holds the memory, or "". (transfer full); NULL where it fits or nothing is known */
char *assay_readiness_judge (const AssayReadyMemory *memory, const char *holders, AssayReadyState *state);

/* The programs that hold most of the RAM, this one left out: "firefox (812): 2.10 GiB, …"; "" where none can be read.
 * (transfer full) */
char *assay_ram_dup_holders (void);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayReadiness, assay_readiness_free)

G_END_DECLS
