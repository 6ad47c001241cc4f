/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-removed.c: see the header. Tables hold a few entries, so that copying one for each change is nothing; a whole queue is
 * taken off in one. */
#include "assay-removed.h"

#include <string.h>

#include "assay-xml-write.h"

static void
removal_free (gpointer data)
{
  AssayRemoval *removal = data;
  g_free (removal->run);
  g_free (removal->review);
  g_free (removal->planned);
  g_free (removal->preference);
  g_free (removal->at);
  g_free (removal);
}

/* An id holds no NUL, but may hold anything else: the length keeps "a" + "b/c" and "a/b" + "c" apart. */
static char *
removed_dup_key (const char *run, const char *review)
{
  return g_strdup_printf ("%" G_GSIZE_FORMAT "/%s/%s", strlen (run), run, review != NULL ? review : "");
}

/* Keys of runs begin with a digit. */
static char *
removed_dup_planned_key (const char *planned)
{
  return g_strconcat ("planned/", planned, NULL);
}

GHashTable *
assay_removed_new (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free, removal_free);
}

void
assay_removed_add (GHashTable *table, const char *run, const char *review, const char *at, guint64 checksum)
{
  AssayRemoval *removal = g_new0 (AssayRemoval, 1);
  removal->run = g_strdup (run);
  removal->review = g_strdup (review);
  removal->at = g_strdup (at);
  removal->checksum = checksum;
  g_hash_table_replace (table, removed_dup_key (run, review), removal);
}

void
assay_removed_add_planned (GHashTable *table, const char *planned, const char *at)
{
  AssayRemoval *removal = g_new0 (AssayRemoval, 1);
  removal->planned = g_strdup (planned);
  removal->at = g_strdup (at);
  g_hash_table_replace (table, removed_dup_planned_key (planned), removal);
}

gboolean
assay_removed_has_planned (GHashTable *table, const char *planned)
{
  g_autofree char *key = removed_dup_planned_key (planned);
  return g_hash_table_contains (table, key);
}

static char *
removed_dup_preference_key (const char *preference)
{
  return g_strconcat ("preference/", preference, NULL);
}

void
assay_removed_add_preference (GHashTable *table, const char *preference, const char *at)
{
  AssayRemoval *removal = g_new0 (AssayRemoval, 1);
  removal->preference = g_strdup (preference);
  removal->at = g_strdup (at);
  g_hash_table_replace (table, removed_dup_preference_key (preference), removal);
}

void
assay_removed_forget_preference (GHashTable *table, const char *preference)
{
  g_autofree char *key = removed_dup_preference_key (preference);
  g_hash_table_remove (table, key);
}

gboolean
assay_removed_has_preference (GHashTable *table, const char *preference)
{
  g_autofree char *key = removed_dup_preference_key (preference);
  return g_hash_table_contains (table, key);
}

const AssayRemoval *
assay_removed_find (GHashTable *table, const char *run, const char *review)
{
  g_autofree char *key = removed_dup_key (run, review);
  return g_hash_table_lookup (table, key);
}

/* Adds to `to` what of `from` passes: in `other` too, or not known to `base`. */
static void
removed_take (GHashTable *to, GHashTable *from, GHashTable *other, GHashTable *base)
{
  GHashTableIter iter;
  gpointer key, value;

  g_hash_table_iter_init (&iter, from);
  while (g_hash_table_iter_next (&iter, &key, &value))
    {
      const AssayRemoval *removal = value;
      if (g_hash_table_contains (to, key)
          || (!g_hash_table_contains (other, key) && g_hash_table_contains (base, key)))
        continue;
      if (removal->planned != NULL)
        assay_removed_add_planned (to, removal->planned, removal->at);
      else if (removal->preference != NULL)
        assay_removed_add_preference (to, removal->preference, removal->at);
      else
        assay_removed_add (to, removal->run, removal->review, removal->at, removal->checksum);
    }
}

GHashTable *
assay_removed_merge (GHashTable *ours, GHashTable *theirs, GHashTable *base)
{
  GHashTable *merged = assay_removed_new ();
  removed_take (merged, ours, theirs, base);
  removed_take (merged, theirs, ours, base);
  return merged;
}

void
assay_ledger_take_removed (AssayLedger *self, GHashTable *table)
{
  g_hash_table_unref (self->removed);
  self->removed = table;
}

static GHashTable *
removed_copy (GHashTable *table)
{
  GHashTable *copy = assay_removed_new ();
  removed_take (copy, table, table, table);
  return copy;
}

void
assay_ledger_note_removed (AssayLedger *self, const char *run, const char *review, guint64 checksum)
{
  g_autofree char *now = assay_dup_now ();
  GHashTable *changed = removed_copy (self->removed);
  assay_removed_add (changed, run, review, now, checksum);
  assay_ledger_take_removed (self, changed);
}

void
assay_ledger_note_removed_planned (AssayLedger *self, const char *const *ids, guint n)
{
  g_autofree char *now = assay_dup_now ();
  GHashTable *changed = removed_copy (self->removed);
  for (guint i = 0; i < n; i++)
    assay_removed_add_planned (changed, ids[i], now);
  assay_ledger_take_removed (self, changed);
}

void
assay_ledger_note_removed_preference (AssayLedger *self, const char *preference)
{
  g_autofree char *now = assay_dup_now ();
  GHashTable *changed = removed_copy (self->removed);
  assay_removed_add_preference (changed, preference, now);
  assay_ledger_take_removed (self, changed);
}

static void
removed_forget (AssayLedger *self, const char *key)
{
  if (!g_hash_table_contains (self->removed, key))
    return;
  GHashTable *changed = removed_copy (self->removed);
  g_hash_table_remove (changed, key);
  assay_ledger_take_removed (self, changed);
}

void
assay_ledger_forget_removed (AssayLedger *self, const char *run, const char *review)
{
  g_autofree char *key = removed_dup_key (run, review);
  removed_forget (self, key);
}

void
assay_ledger_forget_removed_planned (AssayLedger *self, const char *const *ids, guint n)
{
  GHashTable *changed = removed_copy (self->removed);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *key = removed_dup_planned_key (ids[i]);
      g_hash_table_remove (changed, key);
    }
  assay_ledger_take_removed (self, changed);
}

void
assay_ledger_forget_removed_preference (AssayLedger *self, const char *preference)
{
  g_autofree char *key = removed_dup_preference_key (preference);
  removed_forget (self, key);
}

static int
removal_compare (gconstpointer a, gconstpointer b)
{
  const AssayRemoval *x = *(AssayRemoval *const *) a, *y = *(AssayRemoval *const *) b;
  const int by_run = g_strcmp0 (x->run, y->run), by_review = g_strcmp0 (x->review, y->review);
  const int by_planned = g_strcmp0 (x->planned, y->planned);
  return by_run != 0       ? by_run
         : by_review != 0  ? by_review
         : by_planned != 0 ? by_planned
                           : g_strcmp0 (x->preference, y->preference);
}

/* Sorted, so that the same ledger is the same bytes. */
void
assay_xml_write_removed (GString *out, GHashTable *table)
{
  g_autoptr(GPtrArray) sorted = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, table);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    g_ptr_array_add (sorted, value);
  g_ptr_array_sort (sorted, removal_compare);
  for (guint i = 0; i < sorted->len; i++)
    {
      const AssayRemoval *removal = g_ptr_array_index (sorted, i);
      AssayXmlTag tag;
      assay_xml_open (&tag, out, 2, "removed");
      assay_xml_attribute (&tag, "run", removal->run);
      assay_xml_attribute (&tag, "review", removal->review);
      assay_xml_attribute (&tag, "planned", removal->planned);
      assay_xml_attribute (&tag, "preference", removal->preference);
      assay_xml_attribute (&tag, "at", removal->at);
      assay_xml_close_empty (&tag);
    }
}
