/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-rubric-build.h: from edited criteria to those of a ledger: names checked, ids kept or made. No widgets. */
#pragma once

#include "assay-ledger.h"

G_BEGIN_DECLS

/* Why the criterion at `index` cannot stay as it is (no name, or that of an earlier one), or NULL. names: shown ones,
 * NULL where there is none. (transfer full) */
char *assay_rubric_dup_problem (const char *const *names, guint n_names, guint index);

/* Gives each criterion an id. One that had an id keeps it, since scores name it, unless its kind changed while scores of
 * the old kind stand: then it is a new criterion. criteria: (element-type AssayCriterion), edited in place. */
void assay_rubric_settle_ids (AssayLedger *ledger, GPtrArray *criteria);

guint assay_rubric_count_reviews (AssayLedger *ledger);        /* under the present quality criteria */

/* The criteria become the ledger's. Where that moves the axis evaluation_criterion, `record` (or NULL) notes it as its
 * next trial, if its signal asks for one and it has none. Takes the criteria. */
void assay_rubric_apply (AssayLedger *ledger, AssayRecord *record, AssayCriteria *criteria);

G_END_DECLS
