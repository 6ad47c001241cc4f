/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-review-next.h: which run a reviewer judges next. No widgets. */
#pragma once

#include "assay-ledger.h"

G_BEGIN_DECLS

/* Whether there is something to judge and this reviewer has not. */
gboolean assay_review_is_awaited (AssayRecord *record, const char *reviewer);
/* The next such run after `record` in the ledger's order, then from its beginning; NULL: all are judged. */
AssayRecord *assay_review_find_next (AssayLedger *ledger, AssayRecord *record, const char *reviewer);

/* What this reviewer says of the run at present, or NULL. */
const AssayReview *assay_review_find_own (AssayRecord *record, const char *reviewer);

G_END_DECLS
