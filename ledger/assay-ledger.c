/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-ledger.c: header and runs as a list model.
 *
 * Positions are looked up by run id on every edit and every merge, so they are indexed; removal, which is
 * rare, builds the index anew. Checks over the whole ledger are in assay-ledger-check.c, edits of a run in
 * assay-edit.c. */
#include "assay-ledger-private.h"

#include "assay-edit.h"
#include "assay-planned-private.h"
#include "assay-preference-private.h"
#include "assay-removed.h"

enum { PROP_0, PROP_TITLE, PROP_PATH, PROP_UNSAVED, PROP_READ_ONLY, PROP_N_RUNS, N_PROPERTIES };
static GParamSpec *properties[N_PROPERTIES];

enum { SIGNAL_EDITED, SIGNAL_RECEIVED, N_SIGNALS };
static guint signals[N_SIGNALS];
static guint criteria_changed_signal;

static GType
ledger_get_item_type (GListModel *model)
{
  return ASSAY_TYPE_RECORD;
}

static guint
ledger_get_n_items (GListModel *model)
{
  return ASSAY_LEDGER (model)->runs->len;
}

static gpointer
ledger_get_item (GListModel *model, guint position)
{
  AssayLedger *self = ASSAY_LEDGER (model);
  return position < self->runs->len ? g_object_ref (g_ptr_array_index (self->runs, position)) : NULL;
}

static void
ledger_list_model_init (GListModelInterface *iface)
{
  iface->get_item_type = ledger_get_item_type;
  iface->get_n_items = ledger_get_n_items;
  iface->get_item = ledger_get_item;
}

G_DEFINE_FINAL_TYPE_WITH_CODE (AssayLedger, assay_ledger, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, ledger_list_model_init))

static void
chunk_free (gpointer data)
{
  AssayChunk *chunk = data;
  g_bytes_unref (chunk->bytes);
  g_free (chunk);
}

AssayFrame *
assay_frame_new (void)
{
  AssayFrame *self = g_new0 (AssayFrame, 1);
  g_atomic_ref_count_init (&self->refs);
  self->header = g_ptr_array_new_with_free_func (chunk_free);
  self->leads = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_bytes_unref);
  return self;
}

void
assay_frame_add_chunk (AssayFrame *self, AssayChunkKind kind, GBytes *bytes)
{
  AssayChunk *chunk = g_new (AssayChunk, 1);
  chunk->kind = kind;
  chunk->bytes = bytes;
  g_ptr_array_add (self->header, chunk);
}

AssayFrame *
assay_frame_ref (AssayFrame *self)
{
  g_atomic_ref_count_inc (&self->refs);
  return self;
}

void
assay_frame_unref (AssayFrame *self)
{
  if (self == NULL || !g_atomic_ref_count_dec (&self->refs))
    return;
  assay_scope_unref (self->scope);
  g_clear_pointer (&self->prolog, g_bytes_unref);
  g_clear_pointer (&self->tail, g_bytes_unref);
  g_clear_pointer (&self->epilog, g_bytes_unref);
  g_free (self->version);
  g_free (self->foreign_attributes);
  g_ptr_array_unref (self->header);
  g_hash_table_unref (self->leads);
  g_free (self);
}

static void
assay_ledger_finalize (GObject *object)
{
  AssayLedger *self = ASSAY_LEDGER (object);

  g_free (self->id);
  g_free (self->title);
  g_free (self->path);
  g_free (self->read_only_reason);
  g_free (self->question_set);
  assay_criteria_free (self->criteria);
  g_ptr_array_unref (self->questions);
  assay_repeats_index_free (self->repeats);
  g_hash_table_unref (self->positions);
  g_hash_table_unref (self->known_ids);
  g_hash_table_unref (self->removed);
  g_ptr_array_unref (self->planned);
  g_ptr_array_unref (self->preferences);
  g_hash_table_unref (self->known_removed);
  g_ptr_array_unref (self->runs);
  g_ptr_array_unref (self->notices);
  assay_frame_unref (self->frame);
  g_queue_clear_full (&self->saves, g_object_unref);
  G_OBJECT_CLASS (assay_ledger_parent_class)->finalize (object);
}

static void
assay_ledger_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  AssayLedger *self = ASSAY_LEDGER (object);

  switch (id)
    {
    case PROP_TITLE: g_value_set_string (value, self->title); break;
    case PROP_PATH: g_value_set_string (value, self->path); break;
    case PROP_UNSAVED: g_value_set_boolean (value, assay_ledger_is_unsaved (self)); break;
    case PROP_READ_ONLY: g_value_set_boolean (value, assay_ledger_is_read_only (self)); break;
    case PROP_N_RUNS: g_value_set_uint (value, self->runs->len); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
assay_ledger_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  if (id == PROP_TITLE)
    assay_ledger_set_title (ASSAY_LEDGER (object), g_value_get_string (value));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
assay_ledger_class_init (AssayLedgerClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags read = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;

  object_class->finalize = assay_ledger_finalize;
  object_class->get_property = assay_ledger_get_property;
  object_class->set_property = assay_ledger_set_property;
  properties[PROP_TITLE] = g_param_spec_string ("title", NULL, NULL, NULL, read | G_PARAM_WRITABLE);
  properties[PROP_PATH] = g_param_spec_string ("path", NULL, NULL, NULL, read);
  properties[PROP_UNSAVED] = g_param_spec_boolean ("unsaved", NULL, NULL, FALSE, read);
  properties[PROP_READ_ONLY] = g_param_spec_boolean ("read-only", NULL, NULL, FALSE, read);
  properties[PROP_N_RUNS] = g_param_spec_uint ("n-runs", NULL, NULL, 0, G_MAXUINT, 0, read);
  g_object_class_install_properties (object_class, N_PROPERTIES, properties);
  signals[SIGNAL_EDITED] = g_signal_new ("edited", ASSAY_TYPE_LEDGER, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                         G_TYPE_NONE, 1, G_TYPE_POINTER);
  signals[SIGNAL_RECEIVED] = g_signal_new ("received", ASSAY_TYPE_LEDGER, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                           G_TYPE_NONE, 1, G_TYPE_UINT);
  criteria_changed_signal = g_signal_new ("criteria-changed", ASSAY_TYPE_LEDGER, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                          G_TYPE_NONE, 0);
  g_signal_new ("preferences-changed", ASSAY_TYPE_LEDGER, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  g_signal_new ("planned-changed", ASSAY_TYPE_LEDGER, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
assay_ledger_init (AssayLedger *self)
{
  self->id = g_uuid_string_random ();
  self->task = ASSAY_TASK_LANGUAGE;
  self->criteria = assay_criteria_new ();
  self->questions = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_question_free);
  self->runs = g_ptr_array_new_with_free_func (g_object_unref);
  self->positions = g_hash_table_new (g_str_hash, g_str_equal);
  self->known_ids = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->removed = assay_removed_new ();
  self->planned = assay_planned_list_new ();
  self->preferences = assay_preference_list_new ();
  self->known_removed = g_hash_table_ref (self->removed);
  self->notices = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (self->notices, NULL);
  g_queue_init (&self->saves);
}

AssayLedger *
assay_ledger_new (AssayTask task, const char *title)
{
  AssayLedger *self = g_object_new (ASSAY_TYPE_LEDGER, NULL);
  self->task = task;
  self->title = g_strdup (title == NULL ? "" : title);
  return self;
}

AssayLedger *
assay_ledger_snapshot (AssayLedger *self)
{
  AssayLedger *copy = g_object_new (ASSAY_TYPE_LEDGER, NULL);

  assay_ledger_load_header (copy, self->id, self->title, self->task, assay_criteria_copy (self->criteria),
                            g_ptr_array_ref (self->questions), self->question_set);
  copy->path = g_strdup (self->path);
  copy->read_only_reason = g_strdup (self->read_only_reason);
  copy->frame = self->frame == NULL ? NULL : assay_frame_ref (self->frame);
  copy->mark = self->mark;
  copy->edits = self->edits;
  copy->saved_edits = self->saved_edits;
  copy->header_edits = self->header_edits;
  copy->saved_header_edits = self->saved_header_edits;
  g_hash_table_unref (copy->known_ids);
  copy->known_ids = g_hash_table_ref (self->known_ids); /* swapped, never changed */
  assay_ledger_take_removed (copy, g_hash_table_ref (self->removed));
  copy->order_edits = self->order_edits;
  copy->saved_order_edits = self->saved_order_edits;
  g_ptr_array_unref (copy->preferences);
  copy->preferences = g_ptr_array_ref (self->preferences);
  g_ptr_array_unref (copy->planned);
  copy->planned = g_ptr_array_ref (self->planned);
  g_hash_table_unref (copy->known_removed);
  copy->known_removed = g_hash_table_ref (self->known_removed);
  for (guint i = 0; i < self->runs->len; i++)
    assay_ledger_load_run (copy, g_object_ref (g_ptr_array_index (self->runs, i)));
  return copy;
}

void
assay_ledger_load_header (AssayLedger *self, const char *id, const char *title, AssayTask task,
                          AssayCriteria *criteria, GPtrArray *questions, const char *question_set)
{
  g_free (self->id);
  g_free (self->title);
  g_free (self->question_set);
  assay_criteria_free (self->criteria);
  g_ptr_array_unref (self->questions);
  self->id = g_strdup (id);
  self->title = g_strdup (title);
  self->task = task;
  self->criteria = criteria;
  self->questions = questions;
  self->question_set = g_strdup (question_set);
}

void
assay_ledger_load_run (AssayLedger *self, AssayRecord *record)
{
  g_ptr_array_add (self->runs, record);
  g_hash_table_insert (self->positions, record->id, GUINT_TO_POINTER (self->runs->len));
  if (self->repeats != NULL)
    assay_repeats_index_append (self->repeats, record);
}

void
assay_ledger_note_known (AssayLedger *self)
{
  g_hash_table_unref (self->known_ids);
  self->known_ids = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < self->runs->len; i++)
    g_hash_table_add (self->known_ids, g_strdup (((AssayRecord *) g_ptr_array_index (self->runs, i))->id));
  g_hash_table_unref (self->known_removed);
  self->known_removed = g_hash_table_ref (self->removed);
}

guint
assay_ledger_get_position (AssayLedger *self, const char *id)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (self->positions, id)) - 1; /* absent: 0 − 1 */
}

AssayRepeatsIndex *
assay_ledger_get_repeats (AssayLedger *self)
{
  if (self->repeats == NULL)
    self->repeats = assay_repeats_index_new (self->runs);
  return self->repeats;
}

static void
ledger_index_positions (AssayLedger *self)
{
  g_hash_table_remove_all (self->positions);
  for (guint i = 0; i < self->runs->len; i++)
    g_hash_table_insert (self->positions, ((AssayRecord *) g_ptr_array_index (self->runs, i))->id,
                         GUINT_TO_POINTER (i + 1));
}

static void
ledger_count_edit (AssayLedger *self)
{
  const gboolean was = assay_ledger_is_unsaved (self);
  self->edits++;
  if (!was)
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_UNSAVED]);
}

static void
ledger_count_header_edit (AssayLedger *self)
{
  self->header_edits++;
  ledger_count_edit (self);
}

static void
ledger_tell_edit (AssayLedger *self, const AssayEdit *edit)
{
  g_signal_emit (self, signals[SIGNAL_EDITED], 0, edit);
}

void
assay_ledger_note_edit (AssayLedger *self, const AssayEdit *edit)
{
  ledger_count_edit (self);
  ledger_tell_edit (self, edit);
}

void
assay_ledger_mark_saved (AssayLedger *self, const AssayLedger *snapshot)
{
  const gboolean was = assay_ledger_is_unsaved (self);

  self->saved_edits = snapshot->edits;
  self->saved_header_edits = snapshot->header_edits;
  self->saved_order_edits = snapshot->order_edits;
  self->mark = snapshot->mark;
  g_hash_table_ref (snapshot->known_ids);
  g_hash_table_unref (self->known_ids);
  self->known_ids = snapshot->known_ids;
  g_hash_table_unref (self->known_removed);
  self->known_removed = g_hash_table_ref (snapshot->known_removed);
  AssayFrame *frame = assay_frame_ref (snapshot->frame);
  assay_frame_unref (self->frame);
  self->frame = frame;
  if (was != assay_ledger_is_unsaved (self))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_UNSAVED]);
}

const char *
assay_ledger_get_id (AssayLedger *self)
{
  return self->id;
}

const char *
assay_ledger_get_title (AssayLedger *self)
{
  return self->title;
}

void
assay_ledger_set_title (AssayLedger *self, const char *title)
{
  if (g_strcmp0 (self->title, title) == 0)
    return;
  g_autofree char *before = self->title;
  self->title = g_strdup (title == NULL ? "" : title);
  ledger_count_header_edit (self);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_TITLE]);
  ledger_tell_edit (self, &(AssayEdit){ .title_before = before, .title_after = self->title });
}

AssayTask
assay_ledger_get_task (AssayLedger *self)
{
  return self->task;
}

const char *
assay_ledger_get_path (AssayLedger *self)
{
  return self->path;
}

void
assay_ledger_set_path (AssayLedger *self, const char *path)
{
  if (g_strcmp0 (self->path, path) == 0)
    return;
  char *kept = g_strdup (path);
  g_free (self->path);
  self->path = kept;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PATH]);
}

gboolean
assay_ledger_is_read_only (AssayLedger *self)
{
  return self->read_only_reason != NULL;
}

const char *
assay_ledger_get_read_only_reason (AssayLedger *self)
{
  return self->read_only_reason;
}

void
assay_ledger_set_read_only (AssayLedger *self, const char *reason)
{
  char *kept = g_strdup (reason);
  g_free (self->read_only_reason);
  self->read_only_reason = kept;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_READ_ONLY]);
}

gboolean
assay_ledger_is_unsaved (AssayLedger *self)
{
  return self->edits != self->saved_edits;
}

const AssayCriteria *
assay_ledger_get_criteria (AssayLedger *self)
{
  return self->criteria;
}

void
assay_ledger_take_criteria (AssayLedger *self, AssayCriteria *criteria)
{
  g_return_if_fail (criteria != NULL);
  g_autoptr(AssayCriteria) before = self->criteria;
  self->criteria = criteria;
  ledger_count_header_edit (self);
  g_signal_emit (self, criteria_changed_signal, 0);
  ledger_tell_edit (self, &(AssayEdit){ .criteria_before = before, .criteria_after = criteria });
}

static gboolean
ledger_has_present_review (AssayLedger *self)
{
  for (guint i = 0; i < self->runs->len; i++)
    {
      const GPtrArray *reviews = assay_record_get_reviews (g_ptr_array_index (self->runs, i));
      for (guint k = 0; k < reviews->len; k++)
        if (!assay_criteria_is_earlier (self->criteria, g_ptr_array_index (reviews, k)))
          return TRUE;
    }
  return FALSE;
}

void
assay_ledger_change_criteria (AssayLedger *self, AssayCriteria *criteria)
{
  g_return_if_fail (ASSAY_IS_LEDGER (self) && criteria != NULL);
  g_autoptr(AssayCriteria) taken = criteria;

  g_free (taken->changed_at);
  g_free (taken->changed_from);
  const gboolean moved
    = !assay_criteria_same_quality (self->criteria, taken) && ledger_has_present_review (self);
  taken->changed_at = moved ? assay_dup_now () : g_strdup (self->criteria->changed_at);
  taken->changed_from = moved ? assay_criteria_dup_ids (self->criteria) : g_strdup (self->criteria->changed_from);
  if (!assay_criteria_equal (self->criteria, taken))
    assay_ledger_take_criteria (self, g_steal_pointer (&taken));
}

GPtrArray *
assay_ledger_get_questions (AssayLedger *self)
{
  return self->questions;
}

const char *
assay_ledger_get_question_set (AssayLedger *self)
{
  return self->question_set;
}

void
assay_ledger_take_questions (AssayLedger *self, GPtrArray *questions, const char *question_set)
{
  g_return_if_fail (questions != NULL);
  char *kept = g_strdup (question_set);
  g_ptr_array_unref (self->questions);
  g_free (self->question_set);
  self->questions = questions;
  self->question_set = kept;
  ledger_count_header_edit (self);
}

const AssayQuestion *
assay_ledger_find_question (AssayLedger *self, const char *id)
{
  for (guint i = 0; i < self->questions->len; i++)
    {
      const AssayQuestion *question = g_ptr_array_index (self->questions, i);
      if (g_strcmp0 (question->id, id) == 0)
        return question;
    }
  return NULL;
}

guint
assay_ledger_get_n_runs (AssayLedger *self)
{
  return self->runs->len;
}

AssayRecord *
assay_ledger_get_run (AssayLedger *self, guint position)
{
  g_return_val_if_fail (position < self->runs->len, NULL);
  return g_ptr_array_index (self->runs, position);
}

AssayRecord *
assay_ledger_find_run (AssayLedger *self, const char *id)
{
  const guint position = id == NULL ? G_MAXUINT : assay_ledger_get_position (self, id);
  return position == G_MAXUINT ? NULL : g_ptr_array_index (self->runs, position);
}

static void
ledger_append (AssayLedger *self, AssayRecord *record)
{
  assay_ledger_load_run (self, g_object_ref (record));
  g_list_model_items_changed (G_LIST_MODEL (self), self->runs->len - 1, 0, 1);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_N_RUNS]);
}

static void
ledger_swap (AssayLedger *self, guint position, AssayRecord *record)
{
  g_hash_table_remove (self->positions, record->id); /* its key belongs to the old record */
  g_object_ref (record);
  if (self->repeats != NULL && !assay_repeats_index_replace (self->repeats, g_ptr_array_index (self->runs, position), record))
    g_clear_pointer (&self->repeats, assay_repeats_index_free);
  g_object_unref (g_ptr_array_index (self->runs, position));
  g_ptr_array_index (self->runs, position) = record;
  g_hash_table_insert (self->positions, record->id, GUINT_TO_POINTER (position + 1));
  g_list_model_items_changed (G_LIST_MODEL (self), position, 1, 1);
}

void
assay_ledger_insert_run (AssayLedger *self, guint position, AssayRecord *record)
{
  g_return_if_fail (ASSAY_IS_RECORD (record) && record->sealed);
  g_return_if_fail (assay_ledger_find_run (self, record->id) == NULL);
  position = MIN (position, self->runs->len);
  assay_ledger_forget_removed (self, record->id, NULL);
  if (record->planned != NULL)
    assay_ledger_forget_removed_planned (self, (const char *const *) &record->planned, 1);
  ledger_count_edit (self);
  if (position == self->runs->len)
    assay_ledger_load_run (self, g_object_ref (record));
  else
    {
      g_ptr_array_insert (self->runs, (gint) position, g_object_ref (record));
      ledger_index_positions (self);
      g_clear_pointer (&self->repeats, assay_repeats_index_free); /* it knows only how to put one last */
    }
  g_list_model_items_changed (G_LIST_MODEL (self), position, 0, 1);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_N_RUNS]);
  ledger_tell_edit (self, &(AssayEdit){ .after = record, .position = position });
}

void
assay_ledger_add_run (AssayLedger *self, AssayRecord *record)
{
  assay_ledger_insert_run (self, G_MAXUINT, record);
}

void
assay_ledger_replace_run (AssayLedger *self, AssayRecord *record)
{
  g_return_if_fail (ASSAY_IS_RECORD (record) && record->sealed);
  const guint position = assay_ledger_get_position (self, record->id);
  g_return_if_fail (position != G_MAXUINT);
  g_autoptr(AssayRecord) before = g_object_ref (g_ptr_array_index (self->runs, position));
  ledger_count_edit (self);
  ledger_swap (self, position, record);
  ledger_tell_edit (self, &(AssayEdit){ .before = before, .after = record, .position = position });
}

void
assay_ledger_receive_run (AssayLedger *self, AssayRecord *record)
{
  const guint position = assay_ledger_get_position (self, record->id);

  if (position == G_MAXUINT)
    ledger_append (self, record);
  else
    ledger_swap (self, position, record);
}

void
assay_ledger_receive_header (AssayLedger *self, AssayLedger *from)
{
  const gboolean renamed = g_strcmp0 (self->title, from->title) != 0;
  const gboolean rejudged = !assay_criteria_equal (self->criteria, from->criteria);
  /* What is made from criteria points to them: they go only where they changed, and after that was told. */
  g_autoptr(AssayCriteria) before = g_steal_pointer (&self->criteria);
  AssayCriteria *now = rejudged ? assay_criteria_copy (from->criteria) : g_steal_pointer (&before);

  assay_ledger_load_header (self, from->id, from->title, from->task, now, g_ptr_array_ref (from->questions),
                            from->question_set);
  if (renamed)
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_TITLE]);
  if (rejudged)
    g_signal_emit (self, criteria_changed_signal, 0);
}

/* (transfer full): the run that was there */
static AssayRecord *
ledger_take_out (AssayLedger *self, guint position)
{
  AssayRecord *record = g_object_ref (g_ptr_array_index (self->runs, position));

  g_ptr_array_remove_index (self->runs, position);
  ledger_index_positions (self);
  if (self->repeats != NULL)
    assay_repeats_index_remove (self->repeats, record);
  return record;
}

static void
ledger_announce_removal (AssayLedger *self, guint position)
{
  g_list_model_items_changed (G_LIST_MODEL (self), position, 1, 0);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_N_RUNS]);
}

gboolean
assay_ledger_remove_run (AssayLedger *self, const char *id)
{
  const guint position = assay_ledger_get_position (self, id);

  if (position == G_MAXUINT)
    return FALSE;
  g_autoptr(AssayRecord) record = ledger_take_out (self, position);
  assay_ledger_note_removed (self, record->id, NULL, record->checksum);
  if (record->planned != NULL) /* its result was not wanted, which asks for no other one */
    assay_ledger_note_removed_planned (self, (const char *const *) &record->planned, 1);
  ledger_count_edit (self);
  ledger_announce_removal (self, position);
  ledger_tell_edit (self, &(AssayEdit){ .before = record, .position = position });
  return TRUE;
}

void
assay_ledger_receive_removal (AssayLedger *self, const char *id)
{
  const guint position = assay_ledger_get_position (self, id);

  if (position == G_MAXUINT)
    return;
  g_autoptr(AssayRecord) record = ledger_take_out (self, position);
  ledger_announce_removal (self, position);
}

void
assay_ledger_tell_received (AssayLedger *self, guint n_runs)
{
  if (n_runs > 0)
    g_signal_emit (self, signals[SIGNAL_RECEIVED], 0, n_runs);
}

gboolean
assay_ledger_has_removed_run (AssayLedger *self, const char *run_id)
{
  return assay_removed_find (self->removed, run_id, NULL) != NULL;
}

const char *const *
assay_ledger_get_notices (AssayLedger *self)
{
  return (const char *const *) self->notices->pdata;
}

void
assay_ledger_add_notice (AssayLedger *self, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  g_ptr_array_insert (self->notices, (gint) self->notices->len - 1, g_strdup_vprintf (format, args));
  va_end (args);
}
