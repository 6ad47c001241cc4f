/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/assay-sweep.h: one field of a run at several values, as planned trials.
 *
 * Each differs from the run in that axis only; what follows from the field moves with it, as it does for one child. */
#pragma once

#include "assay-planned.h"

G_BEGIN_DECLS

#define ASSAY_SWEEP_MAX 100u /* values */

typedef struct
{
  AssayFieldId field;
  GPtrArray *planned; /* (element-type AssayRecord) */
  GPtrArray *told;    /* (element-type char*) translated: values that make no trial, and why; one sentence each */
} AssaySweep;

/* values: "512, 1024, 2048"; "512..4096x2" or "0..1+0.25", by a factor or a step; "*", all choices of a field that has
 * some. A comma that belongs to a value has a backslash before it. Values that repeat another, or the run's own, are
 * told and make no trial, and so are choices of "*" that break a rule.
 * Returns: (transfer full); NULL with RULE or VALUE: a value that is none or breaks a rule (the message names both), a
 * field that cannot be changed alone, or nothing left. */
AssaySweep *assay_sweep_new (AssayRecord *parent, AssayFieldId field, const char *values, GError **error);
void assay_sweep_set_repeats (AssaySweep *self, gint64 repeats); /* of each trial, as its `repeats` */
void assay_sweep_free (AssaySweep *self);

/* Whether the field's value is one that a sweep may choose, and not a fact of a file or of the machine. */
gboolean assay_sweep_can (AssayFieldId field);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssaySweep, assay_sweep_free)

G_END_DECLS
