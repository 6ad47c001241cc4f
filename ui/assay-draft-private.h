/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-draft-private.h: what the files of the draft share: its parts, the rules it breaks, what a model brings. */
#pragma once

#include "assay-draft.h"
#include "assay-trial.h"

G_BEGIN_DECLS

struct _AssayDraft
{
  GObject parent_instance;
  AssayTask task;
  AssayValues *values;           /* owned, never shared */
  AssayValues *base;             /* owned: the parent's values; NULL for a baseline */
  AssayRecord *parent;           /* owned */
  AssayFieldId open;
  AssayInspection *inspection;   /* owned */
  char *question_set;            /* owned */
  char *typed_error[ASSAY_N_FIELDS]; /* owned: text that is no value */
  char *note[ASSAY_N_FIELDS];    /* owned: what was changed for the person, and why */
  gboolean typed[ASSAY_N_FIELDS]; /* a person entered it: it stays */
  GPtrArray *rules;              /* owned: AssayBrokenRule; what the conditions break */
  char *foretold;                /* owned: what the planner found against them */
  AssayFieldId foretold_field;
  gboolean refused;              /* and it is a rule */
  char *problem;                 /* owned */
};

/* --- assay-draft.c --- */
void draft_update (AssayDraft *self); /* after every edit */

/* --- assay-draft-rules.c --- */
void draft_find_rules (AssayDraft *self);
const char *draft_get_rule (AssayDraft *self, AssayFieldId field); /* what is broken there, or NULL */
char *draft_dup_problem (AssayDraft *self); /* a line for each thing to mend; NULL: none */

/* --- assay-draft-model.c --- */
/* In a baseline, what was filled in for the old format of the weights follows the new one. from: that format, or NULL. */
void draft_follow_quantization (AssayValues *values, const char *from);

G_END_DECLS
