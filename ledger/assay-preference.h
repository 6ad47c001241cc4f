/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-preference.h: which of two outputs to the same question a person preferred.
 *
 * One choice is one element of the ledger, before its first run:
 *   <preference id="…" reviewer="…" at="…" question="q1" left="run" right="run"
 * choice="left|right|tie|both_bad" blind="true" order_seed="…" position="…" supersedes="…"/> A preference
 * never changes once made, so that snapshots and threads share it. A correction supersedes the earlier one,
 * which stays; what is removed (the undo of a choice) leaves a <removed preference="…"/>, as a review does.
 * One about a run that is not there, or did not complete, is kept and not counted: see
 * assay-preference-figures.h. */
#pragma once

#include "assay-ledger.h"

G_BEGIN_DECLS

typedef enum
{
  ASSAY_CHOICE_LEFT,
  ASSAY_CHOICE_RIGHT,
  ASSAY_CHOICE_TIE,
  ASSAY_CHOICE_BOTH_BAD,
  ASSAY_N_CHOICES,
} AssayChoice;

const char *assay_choice_get_name (AssayChoice choice);                  /* "both_bad" */
gboolean assay_choice_from_name (const char *name, AssayChoice *choice); /* FALSE: none of them */

typedef struct
{
  char *id;
  char *reviewer;
  char *at;           /* RFC 3339 with offset */
  char *question;     /* question id; "" for a free prompt */
  char *left, *right; /* run ids, never the same */
  char *supersedes;   /* id of the preference this corrects, or NULL */
  guint64 order_seed; /* what the order of the comparisons was drawn from; 0 not recorded */
  guint position;     /* the how-manieth the reviewer saw in that order, from 1; 0 not recorded */
  AssayChoice choice;
  gboolean blind;
  GBytes *source; /* the bytes of the file that it was read from; private to reader and writer */
} AssayPreference;

/* id and `at` filled in; the other fields may be set until it is added to a ledger. */
AssayPreference *assay_preference_new (
    const char *reviewer, const char *question, const char *left, const char *right, AssayChoice choice);
AssayPreference *assay_preference_ref (AssayPreference *self);
void assay_preference_unref (AssayPreference *self);
gboolean assay_preference_equal (const AssayPreference *a, const AssayPreference *b);

/* In the order they were made. (transfer none), of the moment: it is swapped by the next change. */
GPtrArray *assay_ledger_get_preferences (AssayLedger *self); /* (element-type AssayPreference) */
const AssayPreference *assay_ledger_find_preference (AssayLedger *self,
                                                     const char *id); /* NULL when absent */

/* Those that stand: not superseded by a later one of the same reviewer. (transfer container) */
GPtrArray *assay_ledger_dup_current_preferences (AssayLedger *self);

/* Edits, each one step, told by "edited" and taken back by assay_ledger_revert(). add takes a reference.
 * Errors: NO_SUCH for a run, question or superseded preference that is not there; VALUE for one run on both
 * sides, an id that is there, or no reviewer; RULE for the correction of somebody else's. The window hears of
 * a change by the signal "preferences-changed" (). */
gboolean assay_ledger_add_preference (AssayLedger *self, AssayPreference *preference, GError **error);
gboolean assay_ledger_remove_preference (AssayLedger *self, const char *id, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayPreference, assay_preference_unref)

G_END_DECLS
