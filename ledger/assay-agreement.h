/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-agreement.h: how far several reviewers agree, criterion by criterion.
 *
 * Krippendorff's alpha: 1 is perfect agreement, 0 what chance would give, below 0 worse than chance. Missing
 * values are allowed. Nominal for yes/no, ordinal for the scale; free words have none. Counted are the
 * current reviews of completed runs by the present criteria. A unit is a run, or a run and a question where
 * the criterion is per question. Any thread, on a ledger of its own. */
#pragma once

#include "assay-alpha.h"
#include "assay-ledger.h"

G_BEGIN_DECLS

typedef struct
{
  const char *reviewer;
  gint value;
} AssayJudgment; /* borrowed from the record */

/* One unit about which not all say the same. */
typedef struct
{
  AssayRecord *run;      /* borrowed from the ledger */
  const char *question;  /* or NULL; borrowed */
  const char *criterion; /* borrowed */
  gint spread;           /* greatest value − least */
  GArray *judgments;     /* (element-type AssayJudgment), by reviewer */
} AssayDisagreement;

typedef struct
{
  const AssayCriterion *criterion; /* borrowed from the ledger */
  AssayAlpha alpha;
} AssayAgreement;

typedef struct
{
  GPtrArray *criteria; /* (element-type AssayAgreement): all but those of free words, in the ledger's order */
  GPtrArray *disagreements; /* (element-type AssayDisagreement), the largest first, then the ledger's order */
  guint n_reviewers;        /* who gave at least one counted score */
} AssayAgreementTable;

AssayAgreementTable *assay_agreement_new (AssayLedger *ledger);
void assay_agreement_free (AssayAgreementTable *self);

/* "alpha 0.74 (0.52 to 0.90), 4 reviewers, 11 units", or why there is none. (transfer full) */
char *assay_alpha_dup_words (const AssayAlpha *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayAgreementTable, assay_agreement_free)

G_END_DECLS
