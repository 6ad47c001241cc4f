/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/engine/trial-fixture.h: a trial of a tiny model, run to its end. */
#pragma once

#include "assay-trial-private.h"
#include "engine-fixture.h"

G_BEGIN_DECLS

#define TRIAL_EOS 2 /* of the tiny models */

typedef struct
{
  AssayTrial *trial;
  AssayRecord *record;   /* once finished */
  GString *text;         /* all that came by the signal */
  guint n_finished, n_texts, n_wakes;
  char *phases;          /* "load prompt generate " as notified */
} TrialWatch;

/* `model`: a file of tests/data/logits, or a path. Greedy, float32, 12 tokens. (transfer full) */
AssayValues *trial_fixture_conditions (const char *model);
/* The same with one value changed. */
AssayValues *trial_fixture_conditions_with (const char *model, AssayFieldId field, const char *value);

/* Takes the conditions. plan: NULL for the real device. */
TrialWatch *trial_watch_new (AssayValues *conditions, GPtrArray *questions, FaultPlan *plan);
void trial_watch_run (TrialWatch *self);          /* start, and iterate until finished */
void trial_watch_wait (TrialWatch *self);
void trial_watch_free (TrialWatch *self);

/* Runs conditions to the end. (transfer full) */
AssayRecord *trial_fixture_run (AssayValues *conditions, FaultPlan *plan);

const AssayOutput *trial_fixture_output (AssayRecord *record, guint i);
gint64 trial_fixture_burden (AssayRecord *record, AssayFieldId field); /* -1: unknown */
const char *trial_fixture_outcome (AssayRecord *record, AssayFieldId field);
void trial_fixture_assert_status (AssayRecord *record, AssayRunStatus status);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TrialWatch, trial_watch_free)

G_END_DECLS
