/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-review-drafts.h"

#include "assay-review-shelf.h"

#define WAIT_MS 250 /* of typing, between two writes */

struct _AssayReviewDrafts
{
  GObject parent_instance;

  /* owned */
  char *ledger_id;
  GHashTable *aside;          /* key → AssayReviewDraft */
  char *waiting_key, *waiting_text; /* to be written when the timer rings */
  char *problem;
  guint timer;
};

enum { LOADED, KEPT, N_SIGNALS };

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (AssayReviewDrafts, assay_review_drafts, G_TYPE_OBJECT)

static void
written_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(AssayReviewDrafts) self = data;
  g_autoptr(GError) error = NULL;

  assay_review_shelf_write_finish (result, &error);
  g_free (self->problem);
  self->problem = error != NULL ? g_strdup (error->message) : NULL;
  g_signal_emit (self, signals[KEPT], 0);
}

void
assay_review_drafts_flush (AssayReviewDrafts *self)
{
  g_return_if_fail (ASSAY_IS_REVIEW_DRAFTS (self));
  g_clear_handle_id (&self->timer, g_source_remove);
  if (self->waiting_key != NULL)
    assay_review_shelf_write_async (self->ledger_id, self->waiting_key, self->waiting_text, written_cb,
                                    g_object_ref (self));
  g_clear_pointer (&self->waiting_key, g_free);
  g_clear_pointer (&self->waiting_text, g_free);
}

static gboolean
drafts_on_timer (gpointer data)
{
  AssayReviewDrafts *self = data;

  self->timer = 0;
  assay_review_drafts_flush (self);
  return G_SOURCE_REMOVE;
}

void
assay_review_drafts_edited (AssayReviewDrafts *self, const char *run_id, const AssayReviewDraft *draft)
{
  g_return_if_fail (ASSAY_IS_REVIEW_DRAFTS (self) && run_id != NULL && draft != NULL);

  if (self->ledger_id == NULL)
    return;
  g_autofree char *key = assay_review_shelf_dup_key (run_id, draft->blind);
  if (self->waiting_key != NULL && g_strcmp0 (self->waiting_key, key) != 0)
    assay_review_drafts_flush (self);
  g_free (self->waiting_key);
  g_free (self->waiting_text);
  self->waiting_key = g_steal_pointer (&key);
  self->waiting_text = assay_review_shelf_dup_text (run_id, draft);
  if (self->timer == 0)
    self->timer = g_timeout_add (WAIT_MS, drafts_on_timer, self);
}

void
assay_review_drafts_put_aside (AssayReviewDrafts *self, const char *run_id, AssayReviewDraft *draft)
{
  g_return_if_fail (ASSAY_IS_REVIEW_DRAFTS (self) && run_id != NULL && draft != NULL);
  g_hash_table_insert (self->aside, assay_review_shelf_dup_key (run_id, draft->blind), draft);
}

AssayReviewDraft *
assay_review_drafts_take_up (AssayReviewDrafts *self, const char *run_id, gboolean blind)
{
  g_return_val_if_fail (ASSAY_IS_REVIEW_DRAFTS (self) && run_id != NULL, NULL);
  g_autofree char *key = assay_review_shelf_dup_key (run_id, blind);
  g_autofree char *kept = NULL;
  AssayReviewDraft *draft = NULL;

  g_hash_table_steal_extended (self->aside, key, (gpointer *) &kept, (gpointer *) &draft);
  return draft;
}

void
assay_review_drafts_drop (AssayReviewDrafts *self, const char *run_id, gboolean blind)
{
  g_return_if_fail (ASSAY_IS_REVIEW_DRAFTS (self) && run_id != NULL);

  g_autofree char *key = assay_review_shelf_dup_key (run_id, blind);
  if (g_strcmp0 (self->waiting_key, key) == 0)
    {
      g_clear_handle_id (&self->timer, g_source_remove);
      g_clear_pointer (&self->waiting_key, g_free);
      g_clear_pointer (&self->waiting_text, g_free);
    }
  g_hash_table_remove (self->aside, key);
  if (self->ledger_id != NULL)
    assay_review_shelf_remove (self->ledger_id, key);
}

typedef struct
{
  AssayReviewDrafts *drafts; /* owned */
  char *ledger_id;           /* owned: another may be open by then */
} Reading;

static void
read_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  Reading *reading = data;
  g_autoptr(AssayReviewDrafts) self = reading->drafts;
  g_autofree char *ledger_id = reading->ledger_id;
  g_autoptr(GHashTable) kept = assay_review_shelf_read_finish (result, NULL);
  GHashTableIter iter;
  gpointer key, draft;

  g_free (reading);
  if (kept == NULL || g_strcmp0 (ledger_id, self->ledger_id) != 0)
    return;
  g_hash_table_iter_init (&iter, kept);
  while (g_hash_table_iter_next (&iter, &key, &draft))
    {
      g_hash_table_iter_steal (&iter);
      if (g_hash_table_contains (self->aside, key)) /* written since: newer */
        assay_review_draft_free (draft);
      else
        g_hash_table_insert (self->aside, g_strdup (key), draft);
      g_free (key);
    }
  g_signal_emit (self, signals[LOADED], 0);
}

void
assay_review_drafts_set_ledger (AssayReviewDrafts *self, AssayLedger *ledger)
{
  g_return_if_fail (ASSAY_IS_REVIEW_DRAFTS (self));

  assay_review_drafts_flush (self);
  g_hash_table_remove_all (self->aside);
  g_clear_pointer (&self->problem, g_free);
  g_free (self->ledger_id);
  self->ledger_id = ledger != NULL ? g_strdup (assay_ledger_get_id (ledger)) : NULL;
  if (ledger == NULL)
    return;
  Reading *reading = g_new (Reading, 1);
  *reading = (Reading) { g_object_ref (self), g_strdup (self->ledger_id) };
  assay_review_shelf_read_async (self->ledger_id, read_cb, reading);
}

GHashTable *
assay_review_drafts_get_aside (AssayReviewDrafts *self)
{
  g_return_val_if_fail (ASSAY_IS_REVIEW_DRAFTS (self), NULL);
  return self->aside;
}

const char *
assay_review_drafts_get_problem (AssayReviewDrafts *self)
{
  g_return_val_if_fail (ASSAY_IS_REVIEW_DRAFTS (self), NULL);
  return self->problem;
}

static void
assay_review_drafts_finalize (GObject *object)
{
  AssayReviewDrafts *self = ASSAY_REVIEW_DRAFTS (object);

  g_clear_handle_id (&self->timer, g_source_remove);
  g_free (self->waiting_key);
  g_free (self->waiting_text);
  g_free (self->ledger_id);
  g_free (self->problem);
  g_hash_table_unref (self->aside);
  G_OBJECT_CLASS (assay_review_drafts_parent_class)->finalize (object);
}

static void
assay_review_drafts_class_init (AssayReviewDraftsClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = assay_review_drafts_finalize;
  signals[LOADED] = g_signal_new ("loaded", ASSAY_TYPE_REVIEW_DRAFTS, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                  G_TYPE_NONE, 0);
  signals[KEPT] = g_signal_new ("kept", ASSAY_TYPE_REVIEW_DRAFTS, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
assay_review_drafts_init (AssayReviewDrafts *self)
{
  self->aside
    = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) assay_review_draft_free);
}

AssayReviewDrafts *
assay_review_drafts_new (void)
{
  return g_object_new (ASSAY_TYPE_REVIEW_DRAFTS, NULL);
}
