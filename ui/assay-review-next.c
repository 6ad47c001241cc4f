/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-review-next.h"

#include "assay-blind.h"

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

guint
assay_review_count_reviewable (AssayLedger *ledger, guint enough)
{
  guint n = 0;

  for (guint i = 0; i < assay_ledger_get_n_runs (ledger) && n < enough; i++)
    n += assay_blind_is_reviewable (assay_ledger_get_run (ledger, i));
  return n;
}

AssayReviewProgress
assay_review_count_progress (AssayLedger *ledger, const char *reviewer)
{
  AssayReviewProgress progress = { .n_reviews = assay_ledger_get_preferences (ledger)->len };

  for (guint i = 0; i < assay_ledger_get_n_runs (ledger); i++)
    {
      AssayRecord *run = assay_ledger_get_run (ledger, i);
      progress.n_reviews += assay_record_get_reviews (run)->len;
      if (!assay_blind_is_reviewable (run))
        continue;
      progress.n_runs++;
      progress.n_outputs += assay_record_get_outputs (run)->len;
      progress.n_judged += !assay_review_is_awaited (run, reviewer);
    }
  return progress;
}

AssayRecord *
assay_review_find_next_blind (AssayLedger *ledger, const char *reviewer, guint64 seed)
{
  g_autoptr(GPtrArray) order = assay_blind_order (ledger, seed);

  for (guint i = 0; i < order->len; i++)
    if (assay_review_is_awaited (g_ptr_array_index (order, i), reviewer))
      return g_ptr_array_index (order, i); /* the ledger keeps it */
  return NULL;
}

/* What was judged came before: a run that was added later may lie anywhere in the order. */
void
assay_review_count_outputs (AssayLedger *ledger, const char *reviewer, guint64 seed, AssayRecord *record, guint index,
                            guint *at, guint *n)
{
  g_autoptr(GPtrArray) order = assay_blind_order (ledger, seed);

  *at = index + 1;
  *n = 0;
  for (guint i = 0; i < order->len; i++)
    {
      AssayRecord *run = g_ptr_array_index (order, i);
      const guint n_outputs = assay_record_get_outputs (run)->len;
      *n += n_outputs;
      if (!assay_review_is_awaited (run, reviewer)
          && g_strcmp0 (assay_record_get_id (run), assay_record_get_id (record)) != 0)
        *at += n_outputs;
    }
}
