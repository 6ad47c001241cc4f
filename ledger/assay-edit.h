/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-edit.h: one edit of a ledger, as it can be taken back.
 *
 * Told by the ledger's signal "edited" (const AssayEdit *) after each edit of this program; what a save or a refresh
 * brings in from the disk is no edit. Records are shared, so that an edit costs a few words. */
#pragma once

#include "assay-preference.h"

G_BEGIN_DECLS

typedef enum
{
  ASSAY_EDIT_ADD_RUN,
  ASSAY_EDIT_REMOVE_RUN,
  ASSAY_EDIT_ADD_REVIEW,
  ASSAY_EDIT_REMOVE_REVIEW,
  ASSAY_EDIT_PLAN,
  ASSAY_EDIT_RUN,           /* anything else about a run */
  ASSAY_EDIT_TITLE,
  ASSAY_EDIT_CRITERIA,
  ASSAY_EDIT_ADD_PREFERENCE,
  ASSAY_EDIT_REMOVE_PREFERENCE,
  ASSAY_EDIT_QUEUE,         /* planned trials: added, removed, in another order */
} AssayEditKind;

typedef struct _AssayEdit
{
  AssayRecord *before, *after;            /* a run's edit: NULL where it was not, or is not, in the ledger */
  guint position;                         /* of the run */
  char *title_before, *title_after;       /* both or none */
  AssayCriteria *criteria_before, *criteria_after; /* both or none */
  AssayPreference *preference_before, *preference_after; /* one of them: removed, or added */
  GPtrArray *planned_before, *planned_after; /* both or none; see assay-planned.h */
} AssayEdit;

AssayEdit *assay_edit_copy (const AssayEdit *self);
void assay_edit_free (AssayEdit *self);
AssayEditKind assay_edit_get_kind (const AssayEdit *self);

/* Takes the edit back, which is an edit as well. What others changed since stays. Errors: NO_SUCH when the run is not
 * there any more; RULE when what was edited has been changed again by somebody else. */
gboolean assay_ledger_revert (AssayLedger *self, const AssayEdit *edit, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayEdit, assay_edit_free)

G_END_DECLS
