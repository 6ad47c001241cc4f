/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-blind.c: the order of a blind review.
 *
 * Not a shuffled list: each run gets a number from its id and the seed, and they are sorted by it. That is as
 * even as a shuffle, and a run that comes later takes its own place without moving the others. */
#include "assay-blind.h"

#include <string.h>

#include "assay-random.h"

#define SEED_BITS 53 /* what JSON's numbers carry exactly */

guint64
assay_blind_new_seed (void)
{
  guint64 seed;
  do
    seed = (((guint64) g_random_int () << 32) | g_random_int ()) >> (64 - SEED_BITS);
  while (seed == 0);
  return seed;
}

typedef struct
{
  const char *reviewer, *at;
  guint64 seed; /* found, or asked for */
  guint position;
} SeedSearch;

/* Times are of one form and one zone where this program wrote them; others compare as well as they can. */
static void
search_take (SeedSearch *self, const char *reviewer, const char *at, guint64 seed)
{
  if (seed == 0 || g_strcmp0 (reviewer, self->reviewer) != 0
      || (self->seed != 0 && g_strcmp0 (at, self->at) < 0))
    return;
  self->seed = seed;
  self->at = at;
}

guint64
assay_blind_find_seed (AssayLedger *ledger, const char *reviewer)
{
  g_return_val_if_fail (ASSAY_IS_LEDGER (ledger) && reviewer != NULL, 0);
  SeedSearch search = { .reviewer = reviewer };
  GPtrArray *preferences = assay_ledger_get_preferences (ledger);

  for (guint i = 0; i < assay_ledger_get_n_runs (ledger); i++)
    {
      GPtrArray *reviews = assay_record_get_reviews (assay_ledger_get_run (ledger, i));
      for (guint k = 0; k < reviews->len; k++)
        {
          const AssayReview *review = g_ptr_array_index (reviews, k);
          search_take (&search, review->reviewer, review->at, review->order_seed);
        }
    }
  for (guint i = 0; i < preferences->len; i++)
    {
      const AssayPreference *made = g_ptr_array_index (preferences, i);
      search_take (&search, made->reviewer, made->at, made->order_seed);
    }
  return search.seed;
}

gboolean
assay_blind_is_reviewable (AssayRecord *record)
{
  return !assay_record_is_damaged (record) && assay_record_get_status (record) == ASSAY_STATUS_COMPLETED
         && assay_record_get_outputs (record)->len > 0;
}

typedef struct
{
  guint64 key;
  AssayRecord *run;
} OrderEntry;

static int
order_compare (gconstpointer a, gconstpointer b)
{
  const OrderEntry *x = a, *y = b;
  if (x->key != y->key)
    return x->key < y->key ? -1 : 1;
  return strcmp (assay_record_get_id (x->run), assay_record_get_id (y->run));
}

GPtrArray *
assay_blind_order (AssayLedger *ledger, guint64 seed)
{
  g_return_val_if_fail (ASSAY_IS_LEDGER (ledger), NULL);
  g_autoptr(GArray) entries = g_array_new (FALSE, FALSE, sizeof (OrderEntry));
  GPtrArray *order = g_ptr_array_new ();

  for (guint i = 0; i < assay_ledger_get_n_runs (ledger); i++)
    {
      AssayRecord *run = assay_ledger_get_run (ledger, i);
      const OrderEntry entry = { assay_random_hash (seed, assay_record_get_id (run)), run };
      if (assay_blind_is_reviewable (run))
        g_array_append_val (entries, entry);
    }
  g_array_sort (entries, order_compare);
  for (guint i = 0; i < entries->len; i++)
    g_ptr_array_add (order, g_array_index (entries, OrderEntry, i).run);
  return order;
}

static void
search_take_position (SeedSearch *self, const char *reviewer, guint64 seed, guint position)
{
  if (seed == self->seed && g_strcmp0 (reviewer, self->reviewer) == 0)
    self->position = MAX (self->position, position);
}

guint
assay_blind_next_position (AssayLedger *ledger, const char *reviewer, guint64 seed)
{
  g_return_val_if_fail (ASSAY_IS_LEDGER (ledger) && reviewer != NULL, 1);
  SeedSearch search = { .reviewer = reviewer, .seed = seed };
  GPtrArray *preferences = assay_ledger_get_preferences (ledger);

  for (guint i = 0; i < assay_ledger_get_n_runs (ledger); i++)
    {
      GPtrArray *reviews = assay_record_get_reviews (assay_ledger_get_run (ledger, i));
      for (guint k = 0; k < reviews->len; k++)
        {
          const AssayReview *review = g_ptr_array_index (reviews, k);
          search_take_position (&search, review->reviewer, review->order_seed, review->position);
        }
    }
  for (guint i = 0; i < preferences->len; i++)
    {
      const AssayPreference *made = g_ptr_array_index (preferences, i);
      search_take_position (&search, made->reviewer, made->order_seed, made->position);
    }
  return search.position < G_MAXUINT ? search.position + 1 : G_MAXUINT;
}

void
assay_blind_stamp_review (AssayLedger *ledger, AssayReview *review, guint64 seed)
{
  g_return_if_fail (review != NULL && seed != 0);
  review->position = assay_blind_next_position (ledger, review->reviewer, seed);
  review->order_seed = seed;
}

void
assay_blind_stamp_preference (AssayLedger *ledger, AssayPreference *preference, guint64 seed)
{
  g_return_if_fail (preference != NULL && seed != 0);
  preference->position = assay_blind_next_position (ledger, preference->reviewer, seed);
  preference->order_seed = seed;
}
