/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-preference-xml.c: preferences read, written and joined.
 *
 * One that was read is written back as its own bytes, so that what a newer version put into it survives; it
 * never changes, so the bytes stay true. */
#include "assay-preference-private.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "assay-removed.h"
#include "assay-timestamp.h"
#include "assay-xml-write.h"

#define MOST_NOTICES 10u /* of a kind: a file with thousands of bad ones is told once */

static gboolean
read_count (const AssayXmlStart *element, const char *name, gint64 most, gint64 *value)
{
  const char *text = assay_xml_get_attribute (element, name);
  *value = 0;
  return text == NULL
         || (g_ascii_isdigit (*text) && g_ascii_string_to_signed (text, 10, 0, most, value, NULL));
}

static char *
read_needed (const AssayXmlStart *element, const char *name, char **problem)
{
  char *text = assay_xml_dup_attribute (element, name);
  if (*problem == NULL && (text == NULL || *text == '\0'))
    *problem = g_strdup_printf (_("it has no %s"), name);
  return text;
}

static void
read_check (const AssayXmlStart *element, AssayPreference *made, char **problem)
{
  const char *choice = assay_xml_get_attribute (element, "choice"),
             *blind = assay_xml_get_attribute (element, "blind");
  gint64 seed, position, time;

  if (*problem != NULL)
    return;
  if (!assay_choice_from_name (choice, &made->choice))
    *problem = g_strdup_printf (_("choice=“%s” is none of left, right, tie and both_bad"),
                                choice != NULL ? choice : "");
  else if (strcmp (made->left, made->right) == 0)
    *problem = g_strdup_printf (_("the run “%s” stands on both sides"), made->left);
  else if (assay_timestamp_parse (made->at, &time) != ASSAY_TIMESTAMP_VALID)
    *problem = g_strdup_printf (_("at=“%s” is no time"), made->at);
  else if (!read_count (element, "order_seed", G_MAXINT64, &seed)
           || !read_count (element, "position", G_MAXUINT, &position))
    *problem = g_strdup (_("its order_seed or position is no whole number from 0"));
  else if (blind != NULL && strcmp (blind, "true") != 0 && strcmp (blind, "false") != 0)
    *problem = g_strdup_printf (_("blind=“%s” is neither true nor false"), blind);
  else
    {
      made->order_seed = (guint64) seed;
      made->position = (guint) position;
      made->blind = g_strcmp0 (blind, "true") == 0;
    }
}

AssayPreference *
assay_preference_read (const AssayXmlStart *element, char **problem)
{
  g_autoptr(AssayPreference) made = g_atomic_rc_box_new0 (AssayPreference);
  *problem = NULL;
  made->id = read_needed (element, "id", problem);
  made->reviewer = read_needed (element, "reviewer", problem);
  made->at = read_needed (element, "at", problem);
  made->left = read_needed (element, "left", problem);
  made->right = read_needed (element, "right", problem);
  made->question = assay_xml_dup_attribute (element, "question");
  made->supersedes = assay_xml_dup_attribute (element, "supersedes");
  if (made->question == NULL)
    made->question = g_strdup ("");
  read_check (element, made, problem);
  return *problem == NULL ? g_steal_pointer (&made) : NULL;
}

void
assay_ledger_tell_bad_preference (AssayLedger *self, guint n_before, const char *id, const char *problem)
{
  if (n_before < MOST_NOTICES)
    assay_ledger_add_notice (self, _("The preference “%s” is left aside: %s"), id != NULL ? id : "",
                             problem);
  else if (n_before == MOST_NOTICES)
    assay_ledger_add_notice (self, _("More preferences are left aside; the file keeps them all"));
}

/* Without the bytes: they say the old id, or belong to another file. */
static AssayPreference *
preference_copy_as (const AssayPreference *self, const char *id)
{
  AssayPreference *copy
      = assay_preference_new (self->reviewer, self->question, self->left, self->right, self->choice);
  g_free (copy->id);
  g_free (copy->at);
  copy->id = g_strdup (id);
  copy->at = g_strdup (self->at);
  copy->supersedes = g_strdup (self->supersedes);
  copy->order_seed = self->order_seed;
  copy->position = self->position;
  copy->blind = self->blind;
  return copy;
}

static gboolean
is_taken (GHashTable *by_id, const char *id, guint number)
{
  g_autofree char *made = g_strdup_printf ("%s-dup-%u", id, number);
  return g_hash_table_contains (by_id, made);
}

/* A number that is free, the least one where they were given in turn: without counting up to it, since a file may have
 * an id a hundred thousand times. */
static guint
find_free_number (GHashTable *by_id, const char *id)
{
  guint taken = 1, number = 2;
  while (is_taken (by_id, id, number))
    {
      taken = number;
      number *= 2;
    }
  while (number - taken > 1)
    {
      const guint middle = taken + (number - taken) / 2;
      if (is_taken (by_id, id, middle))
        taken = middle;
      else
        number = middle;
    }
  return number;
}

void
assay_ledger_load_preference (AssayLedger *self, GHashTable *by_id, AssayPreference *made)
{
  const AssayPreference *present = g_hash_table_lookup (by_id, made->id);
  if (present != NULL && assay_preference_equal (present, made))
    {
      assay_ledger_add_notice (self, _("Preference “%s” stands in the file twice, alike; read once"),
                               made->id);
      assay_preference_unref (made);
      return;
    }
  if (present != NULL)
    {
      g_autofree char *fresh = g_strdup_printf ("%s-dup-%u", made->id, find_free_number (by_id, made->id));
      assay_ledger_add_notice (
          self, _("Preference “%s” stands in the file with different contents; the other is kept as “%s”"),
          made->id, fresh);
      AssayPreference *renamed = preference_copy_as (made, fresh);
      assay_preference_unref (made);
      made = renamed;
    }
  g_hash_table_insert (by_id, made->id, made);
  g_ptr_array_add (self->preferences, made);
}

void
assay_ledger_keep_preferences (AssayLedger *self)
{
  for (guint i = 0; i < self->preferences->len; i++)
    assay_removed_forget_preference (self->removed, ((const AssayPreference *) g_ptr_array_index (self->preferences, i))->id);
}

static void
write_one (GString *out, const AssayPreference *made)
{
  AssayXmlTag tag;

  assay_xml_open (&tag, out, 2, "preference");
  assay_xml_attribute (&tag, "id", made->id);
  assay_xml_attribute (&tag, "reviewer", made->reviewer);
  assay_xml_attribute (&tag, "at", made->at);
  assay_xml_attribute (&tag, "question", made->question);
  assay_xml_attribute (&tag, "left", made->left);
  assay_xml_attribute (&tag, "right", made->right);
  assay_xml_attribute (&tag, "choice", assay_choice_get_name (made->choice));
  assay_xml_attribute (&tag, "blind", made->blind ? "true" : "false");
  assay_xml_attribute (&tag, "supersedes", made->supersedes);
  assay_xml_attribute_count (&tag, "order_seed", made->order_seed > 0 ? (gint64) made->order_seed : -1);
  assay_xml_attribute_count (&tag, "position", made->position > 0 ? (gint64) made->position : -1);
  assay_xml_close_empty (&tag);
}

void
assay_xml_write_preferences (GString *out, GPtrArray *list, const char *default_uri)
{
  for (guint i = 0; i < list->len; i++)
    {
      const AssayPreference *made = g_ptr_array_index (list, i);
      if (made->source == NULL)
        {
          write_one (out, made);
          continue;
        }
      g_string_append (out, "  ");
      assay_xml_append_moved (out, g_bytes_get_data (made->source, NULL), g_bytes_get_size (made->source),
                              default_uri);
      g_string_append_c (out, '\n');
    }
}

/* Ours beside theirs of the same id: NULL when they are one; else under an id of its own. */
static AssayPreference *
merge_one (AssayPreference *ours, const AssayPreference *theirs)
{
  if (theirs != NULL && assay_preference_equal (ours, theirs))
    return NULL;
  if (theirs == NULL && ours->source == NULL)
    return assay_preference_ref (ours);
  g_autofree char *fresh = theirs != NULL ? assay_dup_random_id ("p") : NULL;
  return preference_copy_as (ours, fresh != NULL ? fresh : ours->id);
}

GPtrArray *
assay_preferences_merge (GPtrArray *ours, GPtrArray *theirs, GHashTable *removed)
{
  g_autoptr(GHashTable) by_id = g_hash_table_new (g_str_hash, g_str_equal);
  GPtrArray *merged = assay_preference_list_new ();

  for (guint i = 0; i < theirs->len; i++)
    {
      AssayPreference *made = g_ptr_array_index (theirs, i);
      g_hash_table_insert (by_id, made->id, made);
      if (!assay_removed_has_preference (removed, made->id))
        g_ptr_array_add (merged, assay_preference_ref (made));
    }
  for (guint i = 0; i < ours->len; i++)
    {
      AssayPreference *made = g_ptr_array_index (ours, i);
      AssayPreference *kept = assay_removed_has_preference (removed, made->id)
                                  ? NULL
                                  : merge_one (made, g_hash_table_lookup (by_id, made->id));
      if (kept != NULL)
        g_ptr_array_add (merged, kept);
    }
  return merged;
}
