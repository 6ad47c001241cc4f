/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-preference.c: see assay-preference.h. A ledger's list is swapped as a whole: a choice takes a
 * person seconds, and copying a hundred thousand pointers takes none. */
#include "assay-preference-private.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "assay-edit.h"
#include "assay-removed.h"
#include "assay-timestamp.h"

static const char *const choice_names[ASSAY_N_CHOICES] = { "left", "right", "tie", "both_bad" };

const char *
assay_choice_get_name (AssayChoice choice)
{
  g_return_val_if_fail (choice < ASSAY_N_CHOICES, NULL);
  return choice_names[choice];
}

gboolean
assay_choice_from_name (const char *name, AssayChoice *choice)
{
  for (guint i = 0; i < ASSAY_N_CHOICES; i++)
    if (g_strcmp0 (choice_names[i], name) == 0)
      {
        *choice = (AssayChoice) i;
        return TRUE;
      }
  return FALSE;
}

AssayPreference *
assay_preference_new (
    const char *reviewer, const char *question, const char *left, const char *right, AssayChoice choice)
{
  AssayPreference *self = g_atomic_rc_box_new0 (AssayPreference);
  self->id = assay_dup_random_id ("p");
  self->reviewer = g_strdup (reviewer != NULL ? reviewer : "");
  self->at = assay_dup_now ();
  self->question = g_strdup (question != NULL ? question : "");
  self->left = g_strdup (left);
  self->right = g_strdup (right);
  self->choice = choice;
  return self;
}

AssayPreference *
assay_preference_ref (AssayPreference *self)
{
  return g_atomic_rc_box_acquire (self);
}

static void
preference_clear (AssayPreference *self)
{
  g_free (self->id);
  g_free (self->reviewer);
  g_free (self->at);
  g_free (self->question);
  g_free (self->left);
  g_free (self->right);
  g_free (self->supersedes);
  g_clear_pointer (&self->source, g_bytes_unref);
}

void
assay_preference_unref (AssayPreference *self)
{
  if (self != NULL)
    g_atomic_rc_box_release_full (self, (GDestroyNotify) preference_clear);
}

gboolean
assay_preference_equal (const AssayPreference *a, const AssayPreference *b)
{
  return g_strcmp0 (a->id, b->id) == 0 && g_strcmp0 (a->reviewer, b->reviewer) == 0
         && g_strcmp0 (a->at, b->at) == 0 && g_strcmp0 (a->question, b->question) == 0
         && g_strcmp0 (a->left, b->left) == 0 && g_strcmp0 (a->right, b->right) == 0
         && g_strcmp0 (a->supersedes, b->supersedes) == 0 && a->order_seed == b->order_seed
         && a->position == b->position && a->choice == b->choice && a->blind == b->blind;
}

/* ---- in a ledger ---- */

GPtrArray *
assay_preference_list_new (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) assay_preference_unref);
}

GPtrArray *
assay_ledger_get_preferences (AssayLedger *self)
{
  g_return_val_if_fail (ASSAY_IS_LEDGER (self), NULL);
  return self->preferences;
}

static guint
preferences_find (GPtrArray *list, const char *id)
{
  for (guint i = 0; i < list->len; i++)
    if (g_strcmp0 (((const AssayPreference *) g_ptr_array_index (list, i))->id, id) == 0)
      return i;
  return G_MAXUINT;
}

const AssayPreference *
assay_ledger_find_preference (AssayLedger *self, const char *id)
{
  const guint at = preferences_find (self->preferences, id);
  return at == G_MAXUINT ? NULL : g_ptr_array_index (self->preferences, at);
}

GPtrArray *
assay_ledger_dup_current_preferences (AssayLedger *self)
{
  g_return_val_if_fail (ASSAY_IS_LEDGER (self), NULL);
  g_autoptr(GHashTable) standing = g_hash_table_new (g_str_hash, g_str_equal);
  GPtrArray *current = g_ptr_array_new ();

  for (guint i = 0; i < self->preferences->len; i++)
    {
      AssayPreference *made = g_ptr_array_index (self->preferences, i);
      const AssayPreference *earlier
          = made->supersedes != NULL ? g_hash_table_lookup (standing, made->supersedes) : NULL;
      if (earlier != NULL && strcmp (earlier->reviewer, made->reviewer) == 0)
        g_hash_table_remove (standing, earlier->id);
      g_hash_table_insert (standing, made->id, made);
    }
  for (guint i = 0; i < self->preferences->len; i++)
    {
      AssayPreference *made = g_ptr_array_index (self->preferences, i);
      if (g_hash_table_lookup (standing, made->id) == made)
        g_ptr_array_add (current, made);
    }
  return current;
}

void
assay_ledger_receive_preferences (AssayLedger *self, GPtrArray *list)
{
  g_autoptr(GPtrArray) before = self->preferences;
  self->preferences = list;
  if (before != list)
    g_signal_emit_by_name (self, "preferences-changed");
}

static gboolean preference_refuse (GError **error, AssayLedgerError code, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

static gboolean
preference_refuse (GError **error, AssayLedgerError code, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *message = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error_literal (error, ASSAY_LEDGER_ERROR, code, message);
  return FALSE;
}

static gboolean
preference_check_side (AssayLedger *self, const char *run, const char *question, GError **error)
{
  AssayRecord *record = assay_ledger_find_run (self, run);
  if (record == NULL)
    return preference_refuse (error, ASSAY_LEDGER_ERROR_NO_SUCH, _("There is no run “%s” in this ledger"),
                              run);
  GPtrArray *outputs = assay_record_get_outputs (record);
  for (guint i = 0; i < outputs->len; i++)
    if (g_strcmp0 (((const AssayOutput *) g_ptr_array_index (outputs, i))->question, question) == 0)
      return TRUE;
  return preference_refuse (error, ASSAY_LEDGER_ERROR_NO_SUCH,
                            _("Run “%s” has no output to the question “%s”"), run, question);
}

static gboolean
preference_check (AssayLedger *self, const AssayPreference *made, GError **error)
{
  if (*made->reviewer == '\0')
    return preference_refuse (error, ASSAY_LEDGER_ERROR_VALUE, _("A preference needs its reviewer's name"));
  if (made->left == NULL || made->right == NULL || strcmp (made->left, made->right) == 0)
    return preference_refuse (error, ASSAY_LEDGER_ERROR_VALUE,
                              _("A preference is between two different runs"));
  if (assay_ledger_find_preference (self, made->id) != NULL)
    return preference_refuse (error, ASSAY_LEDGER_ERROR_VALUE, _("Preference “%s” is there already"),
                              made->id);
  const AssayPreference *earlier
      = made->supersedes != NULL ? assay_ledger_find_preference (self, made->supersedes) : NULL;
  if (made->supersedes != NULL && earlier == NULL)
    return preference_refuse (error, ASSAY_LEDGER_ERROR_NO_SUCH,
                              _("There is no preference “%s” in this ledger"), made->supersedes);
  if (earlier != NULL && strcmp (earlier->reviewer, made->reviewer) != 0)
    return preference_refuse (error, ASSAY_LEDGER_ERROR_RULE,
                              _("Preference “%s” is by %s; only its own reviewer corrects it"), earlier->id,
                              earlier->reviewer);
  return preference_check_side (self, made->left, made->question, error)
         && preference_check_side (self, made->right, made->question, error);
}

static GPtrArray *
preferences_copy (GPtrArray *list)
{
  GPtrArray *copy = assay_preference_list_new ();
  g_ptr_array_extend (copy, list, (GCopyFunc) (gpointer) assay_preference_ref, NULL);
  return copy;
}

gboolean
assay_ledger_add_preference (AssayLedger *self, AssayPreference *preference, GError **error)
{
  g_return_val_if_fail (ASSAY_IS_LEDGER (self) && preference != NULL, FALSE);
  if (!preference_check (self, preference, error))
    return FALSE;
  GPtrArray *changed = preferences_copy (self->preferences);
  g_ptr_array_add (changed, assay_preference_ref (preference));
  assay_ledger_forget_removed_preference (self, preference->id);
  assay_ledger_receive_preferences (self, changed);
  assay_ledger_note_edit (self, &(AssayEdit){ .preference_after = preference });
  return TRUE;
}

gboolean
assay_ledger_remove_preference (AssayLedger *self, const char *id, GError **error)
{
  g_return_val_if_fail (ASSAY_IS_LEDGER (self) && id != NULL, FALSE);
  const guint at = preferences_find (self->preferences, id);
  if (at == G_MAXUINT)
    return preference_refuse (error, ASSAY_LEDGER_ERROR_NO_SUCH,
                              _("There is no preference “%s” in this ledger"), id);
  g_autoptr(AssayPreference) gone = assay_preference_ref (g_ptr_array_index (self->preferences, at));
  GPtrArray *changed = preferences_copy (self->preferences);
  g_ptr_array_remove_index (changed, at);
  assay_ledger_note_removed_preference (self, gone->id);
  assay_ledger_receive_preferences (self, changed);
  assay_ledger_note_edit (self, &(AssayEdit){ .preference_before = gone });
  return TRUE;
}
