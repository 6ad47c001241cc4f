/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-planned.c: see the header. A queue holds tens of trials and a ledger thousands of runs: the runs are gone
 * through once for each question, and each edit makes a list of its own. */
#include "assay-planned-private.h"

#include <glib/gi18n-lib.h>

#include "assay-edit.h"
#include "assay-removed.h"
#include "assay-xml-write.h"

GPtrArray *
assay_planned_list_new (void)
{
  return g_ptr_array_new_with_free_func (g_object_unref);
}

static AssayRecord *
planned_seal (AssayRecord *record)
{
  record->is_planned = TRUE;
  assay_record_seal (record);
  return record;
}

AssayRecord *
assay_planned_new (AssayValues *conditions, const char *parent, const char *changed)
{
  g_return_val_if_fail (conditions != NULL, NULL);
  AssayRecord *record = assay_record_new ();
  assay_record_set_parent (record, parent, changed);
  assay_record_take_conditions (record, assay_values_ref (conditions));
  return planned_seal (record);
}

gboolean
assay_planned_equal (AssayRecord *a, AssayRecord *b)
{
  return g_strcmp0 (a->parent, b->parent) == 0 && g_strcmp0 (a->changed, b->changed) == 0
         && assay_values_equal (a->conditions, b->conditions);
}

char *
assay_planned_dup_change (AssayLedger *ledger, AssayRecord *planned)
{
  const AssayFieldId field = planned->changed != NULL ? assay_field_from_name (planned->changed) : ASSAY_FIELD_INVALID;
  AssayRecord *parent = planned->parent != NULL ? assay_ledger_find_run (ledger, planned->parent) : NULL;
  if (planned->parent == NULL)
    return g_strdup (C_ ("planned trial", "new baseline"));
  if (field == ASSAY_FIELD_INVALID)
    return planned->changed != NULL ? g_strdup (planned->changed) : g_strdup (C_ ("planned trial", "repeat"));
  g_autofree char *to = assay_values_dup_display (planned->conditions, field);
  g_autofree char *from
      = parent != NULL ? assay_values_dup_display (assay_record_get_values_for (parent, field), field) : g_strdup ("");
  const char *unset = C_ ("value", "not set");
  /* Translators: a field's name, its value in the run that is continued, and its new value */
  return g_strdup_printf (_("%s: %s → %s"), planned->changed, *from != '\0' ? from : unset, *to != '\0' ? to : unset);
}

static AssayRecord *
list_find (GPtrArray *list, const char *id)
{
  for (guint i = 0; i < list->len; i++)
    if (g_strcmp0 (((AssayRecord *) g_ptr_array_index (list, i))->id, id) == 0)
      return g_ptr_array_index (list, i);
  return NULL;
}

static void
list_add (GPtrArray *list, AssayRecord *record)
{
  if (list_find (list, record->id) == NULL)
    g_ptr_array_add (list, g_object_ref (record));
}

static GPtrArray *
list_copy (GPtrArray *list)
{
  GPtrArray *copy = assay_planned_list_new ();
  for (guint i = 0; i < list->len; i++)
    g_ptr_array_add (copy, g_object_ref (g_ptr_array_index (list, i)));
  return copy;
}

/* ---- what is done ---- */

typedef struct
{
  guint n_runs;
  gboolean failed; /* one of them did not complete */
} PlannedRuns;

/* planned id (borrowed) → PlannedRuns; (transfer full) */
static GHashTable *
planned_index_runs (AssayLedger *self)
{
  GHashTable *index = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
  for (guint i = 0; i < self->runs->len; i++)
    {
      AssayRecord *run = g_ptr_array_index (self->runs, i);
      if (run->planned == NULL)
        continue;
      PlannedRuns *runs = g_hash_table_lookup (index, run->planned);
      if (runs == NULL)
        {
          runs = g_new0 (PlannedRuns, 1);
          g_hash_table_insert (index, run->planned, runs);
        }
      runs->n_runs++;
      runs->failed |= assay_record_get_status (run) != ASSAY_STATUS_COMPLETED;
    }
  return index;
}

static gboolean
planned_is_left (AssayLedger *self, GHashTable *index, AssayRecord *planned)
{
  const PlannedRuns *runs = g_hash_table_lookup (index, planned->id);
  gint64 repeats = 1;
  if (assay_removed_has_planned (self->removed, planned->id))
    return FALSE;
  assay_values_get_integer (planned->conditions, ASSAY_FIELD_REPEATS, &repeats);
  return runs == NULL || (!runs->failed && runs->n_runs < MAX (repeats, 1));
}

GPtrArray *
assay_ledger_dup_left (AssayLedger *self)
{
  GPtrArray *left = assay_planned_list_new ();
  if (self->planned->len == 0)
    return left;
  g_autoptr(GHashTable) index = planned_index_runs (self);
  for (guint i = 0; i < self->planned->len; i++)
    if (planned_is_left (self, index, g_ptr_array_index (self->planned, i)))
      g_ptr_array_add (left, g_object_ref (g_ptr_array_index (self->planned, i)));
  return left;
}

guint
assay_ledger_count_left (AssayLedger *self)
{
  g_autoptr(GPtrArray) left = assay_ledger_dup_left (self);
  return left->len;
}

GPtrArray *
assay_ledger_get_planned (AssayLedger *self)
{
  return self->planned;
}

AssayRecord *
assay_ledger_find_planned (AssayLedger *self, const char *id)
{
  return list_find (self->planned, id);
}

guint
assay_ledger_count_planned_runs (AssayLedger *self, const char *id)
{
  guint n = 0;
  for (guint i = 0; i < self->runs->len; i++)
    n += g_strcmp0 (((AssayRecord *) g_ptr_array_index (self->runs, i))->planned, id) == 0;
  return n;
}

AssayRecord *
assay_ledger_find_planned_run (AssayLedger *self, const char *id)
{
  for (guint i = self->runs->len; i-- > 0;)
    if (g_strcmp0 (((AssayRecord *) g_ptr_array_index (self->runs, i))->planned, id) == 0)
      return g_ptr_array_index (self->runs, i);
  return NULL;
}

/* ---- edits ---- */

void
assay_ledger_receive_planned (AssayLedger *self, GPtrArray *planned)
{
  gboolean same = planned->len == self->planned->len;
  for (guint i = 0; same && i < planned->len; i++)
    same = g_ptr_array_index (planned, i) == g_ptr_array_index (self->planned, i);
  g_ptr_array_unref (self->planned);
  self->planned = planned;
  if (!same)
    g_signal_emit_by_name (self, "planned-changed");
}

/* One step that can be taken back. Takes the list. */
static void
planned_swap (AssayLedger *self, GPtrArray *planned, gboolean reordered)
{
  g_autoptr(GPtrArray) before = g_ptr_array_ref (self->planned);
  self->order_edits += reordered;
  assay_ledger_receive_planned (self, planned);
  assay_ledger_note_edit (self, &(AssayEdit){ .planned_before = before, .planned_after = planned });
}

gboolean
assay_ledger_add_planned (AssayLedger *self, GPtrArray *planned, GError **error)
{
  g_return_val_if_fail (ASSAY_IS_LEDGER (self) && planned != NULL, FALSE);
  if (self->planned->len + planned->len > ASSAY_PLANNED_MAX)
    {
      g_set_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_RULE,
                   _("A queue holds at most %u planned trials, and this one would hold %u"), ASSAY_PLANNED_MAX,
                   self->planned->len + planned->len);
      return FALSE;
    }
  GPtrArray *changed = list_copy (self->planned);
  for (guint i = 0; i < planned->len; i++)
    list_add (changed, g_ptr_array_index (planned, i));
  planned_swap (self, changed, FALSE);
  return TRUE;
}

guint
assay_ledger_remove_planned (AssayLedger *self, const char *const *ids)
{
  GPtrArray *changed = assay_planned_list_new ();
  g_autoptr(GPtrArray) gone = g_ptr_array_new ();
  g_autoptr(GHashTable) named = g_hash_table_new (g_str_hash, g_str_equal);
  for (; *ids != NULL; ids++)
    g_hash_table_add (named, (gpointer) *ids);
  for (guint i = 0; i < self->planned->len; i++)
    {
      AssayRecord *planned = g_ptr_array_index (self->planned, i);
      if (g_hash_table_contains (named, planned->id))
        g_ptr_array_add (gone, planned->id);
      else
        g_ptr_array_add (changed, g_object_ref (planned));
    }
  const guint n = gone->len;
  if (n == 0)
    {
      g_ptr_array_unref (changed);
      return 0;
    }
  assay_ledger_note_removed_planned (self, (const char *const *) gone->pdata, gone->len);
  planned_swap (self, changed, FALSE);
  return n;
}

gboolean
assay_ledger_move_planned (AssayLedger *self, const char *id, guint position)
{
  AssayRecord *moved = list_find (self->planned, id);
  if (moved == NULL)
    return FALSE;
  g_autoptr(GPtrArray) left = assay_ledger_dup_left (self);
  AssayRecord *before = position < left->len ? g_ptr_array_index (left, position) : NULL;
  if (before == moved)
    return FALSE;
  GPtrArray *changed = assay_planned_list_new ();
  for (guint i = 0; i < self->planned->len; i++)
    {
      AssayRecord *planned = g_ptr_array_index (self->planned, i);
      if (planned == before)
        g_ptr_array_add (changed, g_object_ref (moved));
      if (planned != moved)
        g_ptr_array_add (changed, g_object_ref (planned));
    }
  if (before == NULL)
    g_ptr_array_add (changed, g_object_ref (moved));
  planned_swap (self, changed, TRUE);
  return TRUE;
}

/* What came meanwhile stays behind what the edit knew. */
void
assay_ledger_revert_planned (AssayLedger *self, GPtrArray *before, GPtrArray *after)
{
  GPtrArray *changed = assay_planned_list_new ();
  g_autoptr(GPtrArray) back = g_ptr_array_new (), gone = g_ptr_array_new ();
  for (guint i = 0; i < before->len; i++)
    {
      AssayRecord *planned = g_ptr_array_index (before, i);
      const gboolean was_removed = list_find (after, planned->id) == NULL;
      if (was_removed)
        g_ptr_array_add (back, planned->id);
      if (was_removed || list_find (self->planned, planned->id) != NULL)
        list_add (changed, planned);
    }
  for (guint i = 0; i < self->planned->len; i++)
    {
      AssayRecord *planned = g_ptr_array_index (self->planned, i);
      if (list_find (before, planned->id) == NULL && list_find (after, planned->id) != NULL)
        g_ptr_array_add (gone, planned->id);
      else
        list_add (changed, planned);
    }
  if (back->len > 0)
    assay_ledger_forget_removed_planned (self, (const char *const *) back->pdata, back->len);
  if (gone->len > 0)
    assay_ledger_note_removed_planned (self, (const char *const *) gone->pdata, gone->len);
  planned_swap (self, changed, TRUE);
}

/* ---- the file ---- */

char *
assay_ledger_load_planned (AssayLedger *self, AssayRecord *record)
{
  const char *changed = record->changed;
  if (record->damage != NULL)
    return g_strdup (record->damage);
  if (self->planned->len >= ASSAY_PLANNED_MAX)
    return g_strdup_printf (_("a queue holds at most %u"), ASSAY_PLANNED_MAX);
  if (list_find (self->planned, record->id) != NULL)
    return g_strdup_printf (_("“%s” stands in the file twice"), record->id);
  if (changed != NULL && assay_axis_from_name (changed) == ASSAY_AXIS_NONE)
    return g_strdup_printf (_("“%s” is no axis that could be changed"), changed);
  g_clear_pointer (&record->planned, g_free);
  g_ptr_array_add (self->planned, g_object_ref (planned_seal (record)));
  return NULL;
}

static void
merge_add (GPtrArray *merged, GPtrArray *from, AssayLedger *ours)
{
  for (guint i = 0; i < from->len; i++)
    {
      AssayRecord *planned = g_ptr_array_index (from, i);
      AssayRecord *own = list_find (ours->planned, planned->id);
      if (!assay_removed_has_planned (ours->removed, planned->id))
        list_add (merged, own != NULL ? own : planned);
    }
}

void
assay_ledger_merge_planned (AssayLedger *ours, AssayLedger *disk)
{
  const gboolean own_order = ours->order_edits != ours->saved_order_edits;
  GPtrArray *merged = assay_planned_list_new ();
  merge_add (merged, own_order ? ours->planned : disk->planned, ours);
  merge_add (merged, own_order ? disk->planned : ours->planned, ours);
  assay_ledger_receive_planned (ours, merged);
}

void
assay_xml_write_planned (GString *out, AssayLedger *ledger, AssayScope *scope)
{
  g_autoptr(GPtrArray) left = assay_ledger_dup_left (ledger);
  for (guint i = 0; i < left->len; i++)
    {
      GBytes *made = NULL;
      guint64 hash = 0;
      g_string_append (out, "  ");
      assay_xml_write_run (out, g_ptr_array_index (left, i), scope, &made, &hash);
      g_string_append_c (out, '\n');
      g_clear_pointer (&made, g_bytes_unref);
    }
}
