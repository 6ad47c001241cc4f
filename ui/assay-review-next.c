/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-review-next.h"

const AssayReview *
assay_review_find_own (AssayRecord *record, const char *reviewer)
{
  g_autoptr(GPtrArray) current = assay_record_get_current_reviews (record);

  for (guint i = current->len; i-- > 0;)
    {
      const AssayReview *review = g_ptr_array_index (current, i);
      if (g_strcmp0 (review->reviewer, reviewer) == 0)
        return review; /* the record keeps it */
    }
  return NULL;
}

gboolean
assay_review_is_awaited (AssayRecord *record, const char *reviewer)
{
  return !assay_record_is_damaged (record) && assay_record_get_outputs (record)->len > 0
         && assay_review_find_own (record, reviewer) == NULL;
}

static guint
ledger_find_position (AssayLedger *ledger, AssayRecord *record)
{
  const guint n = assay_ledger_get_n_runs (ledger);

  for (guint i = 0; record != NULL && i < n; i++)
    if (g_strcmp0 (assay_record_get_id (assay_ledger_get_run (ledger, i)), assay_record_get_id (record)) == 0)
      return i;
  return n - 1; /* so that the search begins at the first */
}

AssayRecord *
assay_review_find_next (AssayLedger *ledger, AssayRecord *record, const char *reviewer)
{
  const guint n = assay_ledger_get_n_runs (ledger);
  const guint from = n > 0 ? ledger_find_position (ledger, record) : 0;

  for (guint step = 1; step <= n; step++)
    {
      AssayRecord *run = assay_ledger_get_run (ledger, (from + step) % n);
      if (assay_review_is_awaited (run, reviewer))
        return run;
    }
  return NULL;
}
