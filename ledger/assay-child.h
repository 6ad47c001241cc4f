/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-child.h: whether a run that continues another one changed what was planned, and only that. */
#pragma once

#include "assay-axes.h"

G_BEGIN_DECLS

typedef struct
{
  AssayAxis planned;
  char *name;                  /* the field, or the axis, that was to change */
  gboolean moved_as_planned;   /* to the value that was asked for */
  GPtrArray *also;             /* (element-type AssayDifference) moved without a plan, hidden axes too; those
                                * that follow from the planned change are left out */
  char **unknown;              /* hidden axes that one of the two runs does not tell: they can neither be
                                * cleared nor blamed */
  gboolean satisfied;          /* as planned, and nothing else moved */
  char *words;                 /* translated: "offload_mode moved as planned (none → model); also moved:
                                * generator_device: cuda → cpu" */
} AssayChildVerdict;

/* parent, and a run that continues it, after that has ended. The plan is the child's `changed`, else the parent's
 * next_trial. NULL where nothing was planned, or one of them is damaged. (transfer full) */
AssayChildVerdict *assay_child_verdict (AssayRecord *parent, AssayRecord *child);
void assay_child_verdict_free (AssayChildVerdict *self);

/* Before a child is run, as soon as its conditions in effect are known, and again when the hashes of the files are:
 * which conditions, or what of the model, differ from the parent beside the planned axis. What the child leaves
 * to the engine and is not in effect yet is passed over; so is the environment (driver, runtime's build,
 * device's name, kernels), which nobody chooses: the verdict names it. A planned other model that is the same by its
 * content is refused. child need not be sealed; without `changed` only the content of its files is checked, which
 * a repeat holds fixed.
 * Returns: (transfer full) a translated message that names the planned change and every other, or NULL. */
char *assay_child_check (AssayRecord *parent, AssayRecord *child);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayChildVerdict, assay_child_verdict_free)

G_END_DECLS
