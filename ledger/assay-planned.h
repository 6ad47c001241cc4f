/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-planned.h: trials that are still to be run, in their order.
 *
 * A planned trial is a record of nothing but conditions, what it continues and what it changes; the file keeps it as
 * <planned id="…" parent="…" changed="…"><conditions>…</conditions></planned> before the first run. The run that carries
 * it out says so (planned="ID"), and that alone tells what is done: a planned trial with its runs is no longer written.
 * One that was removed leaves <removed planned="ID"/>, as a run does. Lists are immutable, and swapped as a whole. */
#pragma once

#include "assay-ledger.h"

G_BEGIN_DECLS

#define ASSAY_PLANNED_MAX 10000u /* in one ledger */

/* A sealed planned trial under an id of its own. conditions: referenced. parent, changed: may be NULL. */
AssayRecord *assay_planned_new (AssayValues *conditions, const char *parent, const char *changed);

/* Those of the ledger in their order; since it was read, those that are done as well. (transfer none) (element-type
 * AssayRecord) */
GPtrArray *assay_ledger_get_planned (AssayLedger *self);
AssayRecord *assay_ledger_find_planned (AssayLedger *self, const char *id); /* (transfer none) or NULL */

/* What is still to do: neither done nor removed. Done is one that has as many runs as its `repeats` ask for, or one run
 * that did not complete: that is an answer as well. (transfer container) */
GPtrArray *assay_ledger_dup_left (AssayLedger *self);
guint assay_ledger_count_left (AssayLedger *self);
guint assay_ledger_count_planned_runs (AssayLedger *self, const char *id);
AssayRecord *assay_ledger_find_planned_run (AssayLedger *self, const char *id); /* the last of its runs, or NULL */

/* Edits, each one step that can be taken back, told by "planned-changed". add: FALSE with RULE where they would be more
 * than ASSAY_PLANNED_MAX. remove passes over ids that are not there and returns how many went. move: to before the one
 * that is `position`th of those that are left. */
gboolean assay_ledger_add_planned (AssayLedger *self, GPtrArray *planned, GError **error);
guint assay_ledger_remove_planned (AssayLedger *self, const char *const *ids);
gboolean assay_ledger_move_planned (AssayLedger *self, const char *id, guint position);

/* What it changes, for people: "max_tokens: 12 → 24", or that it is a baseline or a repeat. (transfer full) */
char *assay_planned_dup_change (AssayLedger *ledger, AssayRecord *planned);

/* Whether two planned trials ask for the same. */
gboolean assay_planned_equal (AssayRecord *a, AssayRecord *b);

G_END_DECLS
