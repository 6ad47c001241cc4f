/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-merge.c: three states of a run: as both knew it (its origin), as we have it, as the disk has
 * it.
 *
 * States are told apart by their checksums, which a record carries from its bytes; so nothing is compared
 * field by field unless both sides changed. */
#include "assay-merge.h"

#include <glib/gi18n-lib.h>

#include "assay-planned-private.h"
#include "assay-preference-private.h"
#include "assay-removed.h"
#include "assay-xml-read.h"

static gboolean
merge_is_unedited (AssayRecord *record)
{
  AssayScope *scope = NULL;
  g_autoptr(GBytes) source = assay_record_dup_source (record, &scope);
  assay_scope_unref (scope);
  return source != NULL;
}

/* What both sides started from; NULL when it is not known. (transfer full) */
static AssayRecord *
merge_dup_base (AssayRecord *ours)
{
  AssayScope *scope = NULL;
  g_autoptr(GBytes) origin = assay_record_dup_origin (ours, &scope);
  AssayRecord *base = origin == NULL ? NULL : assay_xml_read_run (origin, scope, NULL, NULL);

  assay_scope_unref (scope);
  return base;
}

static gboolean
merge_has_review (AssayRecord *record, const AssayReview *review)
{
  for (guint i = 0; i < record->reviews->len; i++)
    if (assay_review_equal (g_ptr_array_index (record->reviews, i), review))
      return TRUE;
  return FALSE;
}

static gboolean
merge_has_review_id (AssayRecord *record, const char *id)
{
  for (guint i = 0; i < record->reviews->len; i++)
    if (g_strcmp0 (((AssayReview *) g_ptr_array_index (record->reviews, i))->id, id) == 0)
      return TRUE;
  return FALSE;
}

static AssayRecord *
merge_both_edited (AssayRecord *ours, AssayRecord *theirs)
{
  AssayRecord *merged = assay_record_copy (theirs);
  g_autoptr(AssayRecord) base = merge_dup_base (ours);

  for (guint i = 0; i < ours->reviews->len; i++)
    {
      AssayReview *review = g_ptr_array_index (ours->reviews, i);
      if (merge_has_review (merged, review))
        continue;
      AssayReview *copy = assay_review_copy (review);
      if (merge_has_review_id (merged, review->id)) /* one id, two reviews: both stay */
        {
          g_free (copy->id);
          copy->id = assay_dup_random_id ("r");
        }
      g_ptr_array_add (merged->reviews, copy);
    }
  if (g_strcmp0 (ours->accepted, base != NULL ? base->accepted : NULL) != 0)
    assay_record_set_accepted (merged, ours->accepted);
  if (!assay_next_trial_equal (ours->next_trial, base != NULL ? base->next_trial : NULL))
    assay_record_take_next_trial (merged,
                                  ours->next_trial == NULL ? NULL : assay_next_trial_copy (ours->next_trial));
  assay_record_seal (merged);
  return merged;
}

/* Ours under an id of its own, so that theirs can stay as well. */
static AssayRecord *
merge_rename (AssayRecord *ours)
{
  AssayRecord *renamed = assay_record_copy (ours);
  g_autofree char *uuid = g_uuid_string_random ();
  g_autofree char *id = g_strdup_printf ("%s-dup-%.8s", ours->id, uuid);

  renamed->duplicate_of = g_strdup (ours->id);
  assay_record_set_id (renamed, id);
  assay_record_add_notice (
      renamed, _("Another writer saved a different run “%s”; this one was kept beside it"), ours->id);
  assay_record_seal (renamed);
  return renamed;
}

/* What stays of one run that both sides have. *extra: a second record to keep, or NULL. */
static AssayRecord *
merge_run (AssayRecord *ours, AssayRecord *theirs, gboolean known, AssayRecord **extra)
{
  const gboolean unedited = merge_is_unedited (ours);

  *extra = NULL;
  if (theirs->damage != NULL && ours->damage == NULL)
    return g_object_ref (ours); /* ours heals what rotted */
  if (ours->checksum == theirs->checksum && ours->checksum != 0) /* they did not touch it */
    return g_object_ref (ours);
  if (ours->damage != NULL || (unedited && known))
    return g_object_ref (theirs);
  if (assay_record_same_run (ours, theirs))
    return merge_both_edited (ours, theirs);
  *extra = merge_rename (ours);
  return g_object_ref (theirs);
}

static void
merge_take_header (AssayLedger *ours, AssayLedger *disk)
{
  if (ours->header_edits == ours->saved_header_edits)
    assay_ledger_load_header (ours, disk->id, disk->title, disk->task, assay_criteria_copy (disk->criteria),
                              g_ptr_array_ref (disk->questions), disk->question_set);
  else
    {
      g_free (ours->id); /* one ledger has one id: that of the file */
      ours->id = g_strdup (disk->id);
    }
  AssayFrame *frame = assay_frame_ref (disk->frame);
  assay_frame_unref (ours->frame);
  ours->frame = frame;
}

/* Ours does not have this run of theirs. */
static gboolean
merge_stays_removed (AssayLedger *ours, AssayRecord *theirs)
{
  const AssayRemoval *removal = assay_removed_find (ours->removed, theirs->id, NULL);
  if (removal == NULL)
    return g_hash_table_contains (ours->known_ids, theirs->id);
  /* Edited by another after we last saw it: an edit outlives a removal. */
  return removal->checksum == 0 || removal->checksum == theirs->checksum;
}

/* Theirs does not have this run of ours. A file without it may be an older state put back, so only a removal that is
 * written there counts. */
static gboolean
merge_was_removed (AssayLedger *ours, AssayRecord *record)
{
  return assay_removed_find (ours->removed, record->id, NULL) != NULL
         && g_hash_table_contains (ours->known_ids, record->id) && merge_is_unedited (record);
}

/* A review that one side removed came back with the other side's run. */
static void
merge_drop_review (AssayLedger *ours, const AssayRemoval *removal)
{
  const guint position = assay_ledger_get_position (ours, removal->run);
  AssayRecord *record = position != G_MAXUINT ? g_ptr_array_index (ours->runs, position) : NULL;

  if (record == NULL || record->damage != NULL || assay_record_find_review (record, removal->review) == G_MAXUINT)
    return;
  AssayRecord *without = assay_record_copy (record);
  assay_record_drop_review (without, removal->review);
  assay_record_seal (without);
  g_clear_pointer (&ours->repeats, assay_repeats_index_free);
  g_hash_table_remove (ours->positions, record->id); /* its key belongs to the old record */
  g_object_unref (record);
  g_ptr_array_index (ours->runs, position) = without;
  g_hash_table_insert (ours->positions, without->id, GUINT_TO_POINTER (position + 1));
}

/* What the removals say now holds; and a run that is there is not removed. */
static void
merge_apply_removals (AssayLedger *ours)
{
  g_autoptr(GHashTable) table = g_hash_table_ref (ours->removed);
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, table);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      const AssayRemoval *removal = value;
      if (removal->review != NULL)
        merge_drop_review (ours, removal);
      else if (assay_ledger_find_run (ours, removal->run) != NULL)
        assay_ledger_forget_removed (ours, removal->run, NULL);
    }
}

void
assay_merge_ledger (AssayLedger *ours, AssayLedger *disk)
{
  g_autoptr(GPtrArray) before = ours->runs;
  g_autoptr(GPtrArray) extras = g_ptr_array_new ();
  g_autoptr(GHashTable) positions = ours->positions;

  g_clear_pointer (&ours->repeats, assay_repeats_index_free);
  ours->runs = g_ptr_array_new_with_free_func (g_object_unref);
  ours->positions = g_hash_table_new (g_str_hash, g_str_equal);
  assay_ledger_take_removed (ours, assay_removed_merge (ours->removed, disk->removed, ours->known_removed));
  for (guint i = 0; i < disk->runs->len; i++)
    {
      AssayRecord *theirs = g_ptr_array_index (disk->runs, i), *extra;
      const guint at = GPOINTER_TO_UINT (g_hash_table_lookup (positions, theirs->id));
      const gboolean known = g_hash_table_contains (ours->known_ids, theirs->id);
      if (at == 0 && merge_stays_removed (ours, theirs))
        continue;
      if (at == 0)
        {
          assay_ledger_load_run (ours, g_object_ref (theirs));
          continue;
        }
      assay_ledger_load_run (ours, merge_run (g_ptr_array_index (before, at - 1), theirs, known, &extra));
      if (extra != NULL)
        g_ptr_array_add (extras, extra);
    }
  for (guint i = 0; i < before->len; i++)
    {
      AssayRecord *record = g_ptr_array_index (before, i);
      if (assay_ledger_find_run (ours, record->id) == NULL && !merge_was_removed (ours, record))
        assay_ledger_load_run (ours, g_object_ref (record));
    }
  for (guint i = 0; i < extras->len; i++)
    assay_ledger_load_run (ours, g_ptr_array_index (extras, i));
  merge_apply_removals (ours);
  assay_ledger_merge_planned (ours, disk);
  assay_ledger_receive_preferences (ours,
                                    assay_preferences_merge (ours->preferences, disk->preferences, ours->removed));
  merge_take_header (ours, disk);
}

AssayLedger *
assay_merge_union (AssayLedger *a, AssayLedger *b)
{
  AssayLedger *both = assay_ledger_snapshot (b);

  g_hash_table_unref (both->known_ids); /* nothing was removed by anybody */
  both->known_ids = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  assay_merge_ledger (both, a);
  return both;
}
