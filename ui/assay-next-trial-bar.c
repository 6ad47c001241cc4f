/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-next-trial-bar.h"

#include <glib/gi18n-lib.h>

#include "assay-advice.h"
#include "assay-candidate-row.h"
#include "assay-display-text.h"
#include "assay-field-labels.h"
#include "assay-draft.h"
#include "assay-focus.h"
#include "assay-fold-layout.h"
#include "assay-foretell.h"
#include "assay-other-change-row.h"

struct _AssayNextTrialBar
{
  AdwBin parent_instance;

  /* owned */
  AssayLedger *ledger;
  AssayRecord *record;
  AssayAdvice *advice;          /* about the record; NULL without one */
  GPtrArray *rows;              /* AssayCandidateRow, as their candidates were before they were foretold */
  GCancellable *predicting;     /* NULL: nothing is being foretold */
  GSignalGroup *ledger_signals;
  GHashTable *notes;            /* run id → note that was typed and belongs to no choice yet */

  /* template children */
  GtkLabel *signal_words, *evidence, *planned, *problem, *held;
  GtkScrolledWindow *scroll;
  GtkListBox *candidates;
  GtkWidget *content, *note_box, *review_box;
  GtkEntry *note;
};

enum { PROP_0, PROP_LEDGER, PROP_RECORD, N_PROPS };

static GParamSpec *properties[N_PROPS];
static guint planned_signal, review_signal;

G_DEFINE_FINAL_TYPE (AssayNextTrialBar, assay_next_trial_bar, ADW_TYPE_BIN)

static void
bar_set_label (GtkLabel *label, const char *words)
{
  g_autofree char *labelled = words != NULL ? assay_display_labels (words) : NULL;

  gtk_label_set_text (label, labelled != NULL ? labelled : "");
  gtk_widget_set_visible (GTK_WIDGET (label), words != NULL && *words != '\0');
}

static gboolean
bar_may_edit (AssayNextTrialBar *self)
{
  return self->ledger != NULL && self->record != NULL && !assay_ledger_is_read_only (self->ledger)
         && !assay_record_is_damaged (self->record);
}

/* The label of a field, or of the first one on an axis; one of the ledger's has none. (transfer full) */
static char *
name_dup_label (const char *name)
{
  const char *label = assay_field_labels_get (name);
  if (label != NULL)
    return g_strdup (label);
  const AssayAxis axis = assay_axis_from_name (name);
  AssayFieldId field = assay_field_from_name (name);
  for (AssayFieldId f = 0; field >= ASSAY_N_FIELDS && axis != ASSAY_AXIS_NONE && f < ASSAY_N_FIELDS; f++)
    if (assay_field_get_info (f)->axis == axis)
      field = f;
  return field < ASSAY_N_FIELDS ? g_strdup (g_dgettext (GETTEXT_PACKAGE, assay_field_get_info (field)->label))
                                : assay_display_line (name, 60);
}

static char *
names_dup_labels (char *const *names)
{
  g_autoptr(GStrvBuilder) labels = g_strv_builder_new ();
  for (; *names != NULL; names++)
    {
      g_autofree char *label = name_dup_label (*names);
      g_strv_builder_add (labels, label);
    }
  g_auto(GStrv) all = g_strv_builder_end (labels);
  return g_strjoinv (", ", all);
}

static void
bar_show_planned (AssayNextTrialBar *self)
{
  const AssayNextTrial *next = self->record != NULL ? assay_record_get_next_trial (self->record) : NULL;

  if (next == NULL)
    {
      bar_set_label (self->planned, NULL);
      return;
    }
  const AssayFieldId field = assay_field_from_name (next->axis != NULL ? next->axis : "");
  g_autofree char *axis = name_dup_label (next->axis != NULL ? next->axis : "");
  g_autofree char *from = assay_display_value (field, next->from, 80);
  g_autofree char *to = assay_display_value (field, next->to, 80);
  g_autofree char *invalid = next->invalid != NULL ? assay_display_line (next->invalid, 300) : NULL;
  g_autofree char *words = invalid != NULL
                             ? g_strdup_printf (_("✕ The plan in the record cannot be followed: %s"), invalid)
                             : g_strdup_printf (_("✓ Planned: %s: %s → %s"), axis, from, to);
  bar_set_label (self->planned, words);
}

static void
bar_show_held (AssayNextTrialBar *self)
{
  if (self->advice == NULL || self->advice->held == NULL || self->advice->held[0] == NULL)
    {
      bar_set_label (self->held, NULL);
      return;
    }
  g_autofree char *names = names_dup_labels (self->advice->held);
  g_autofree char *words
      = g_strdup_printf (_("Stays fixed, and is checked: %s. Everything else is held as it was."), names);
  bar_set_label (self->held, words);
}

static const char *
bar_get_saved_note (AssayNextTrialBar *self)
{
  const AssayNextTrial *next = self->record != NULL ? assay_record_get_next_trial (self->record) : NULL;

  return next != NULL && next->note != NULL ? next->note : "";
}

/* A note that no choice has taken up yet is kept while other runs are looked at. */
static void
bar_stash_note (AssayNextTrialBar *self)
{
  const char *note = gtk_editable_get_text (GTK_EDITABLE (self->note));

  if (self->record == NULL)
    return;
  if (*note != '\0' && g_strcmp0 (note, bar_get_saved_note (self)) != 0)
    g_hash_table_insert (self->notes, g_strdup (assay_record_get_id (self->record)), g_strdup (note));
  else
    g_hash_table_remove (self->notes, assay_record_get_id (self->record));
}

static void
bar_show_note (AssayNextTrialBar *self)
{
  const char *typed
      = self->record != NULL ? g_hash_table_lookup (self->notes, assay_record_get_id (self->record)) : NULL;
  g_autofree char *saved = assay_display_line (bar_get_saved_note (self), 4000);

  gtk_editable_set_text (GTK_EDITABLE (self->note), typed != NULL ? typed : saved);
}

/* Puts `next` into the ledger; on_ledger_changed() takes up the record that comes of it. */
static gboolean
bar_write (AssayNextTrialBar *self, const AssayNextTrial *next)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *id = g_strdup (assay_record_get_id (self->record));

  if (!assay_ledger_set_next_trial (self->ledger, id, (AssayNextTrial *) next, &error))
    {
      bar_set_label (self->problem, error->message);
      return FALSE;
    }
  return TRUE;
}

static void
bar_take_choice (AssayNextTrialBar *self, const AssayNextTrial *next, const GError *error)
{
  if (next == NULL)
    bar_set_label (self->problem, error->message);
  else if (bar_write (self, next))
    g_signal_emit (self, planned_signal, 0, assay_record_get_id (self->record), next->axis, next->to);
}

/* Which model is known once its file is chosen, in the form: the note waits here until then. */
static gboolean
bar_leaves_to_form (AssayNextTrialBar *self, AssayFieldId field, const char *to)
{
  if (to != NULL || field >= ASSAY_N_FIELDS || !assay_draft_is_from_file (field))
    return FALSE;
  g_signal_emit (self, planned_signal, 0, assay_record_get_id (self->record), assay_field_get_info (field)->name, NULL);
  return TRUE;
}

static void
on_chosen (AssayCandidateRow *row, const char *to, AssayNextTrialBar *self)
{
  g_autoptr(GError) error = NULL;
  const guint k = assay_candidate_row_get_position (row);
  const AssayCandidate *candidate = g_ptr_array_index (self->advice->candidates, k);
  if (bar_leaves_to_form (self, candidate->field, to != NULL ? to : candidate->to))
    return;
  const char *note = gtk_editable_get_text (GTK_EDITABLE (self->note));
  g_autoptr(AssayNextTrial) next
    = assay_advice_choose (self->advice, k, to, *note != '\0' ? note : NULL, &error);

  bar_take_choice (self, next, error);
}

static void
on_other_chosen (AssayOtherChangeRow *row, guint field, const char *to, AssayNextTrialBar *self)
{
  g_autoptr(GError) error = NULL;
  if (bar_leaves_to_form (self, field, to))
    return;
  const char *note = gtk_editable_get_text (GTK_EDITABLE (self->note));
  g_autoptr(AssayNextTrial) next = assay_advice_choose_field (self->advice, self->record, field, to,
                                                              *note != '\0' ? note : NULL, &error);

  bar_take_choice (self, next, error);
}

static void
on_review (AssayNextTrialBar *self)
{
  g_signal_emit (self, review_signal, 0);
}

/* A note written after choosing belongs to what was chosen. */
static void
on_note_done (AssayNextTrialBar *self)
{
  const AssayNextTrial *next = self->record != NULL ? assay_record_get_next_trial (self->record) : NULL;
  const char *note = gtk_editable_get_text (GTK_EDITABLE (self->note));

  if (next == NULL || !bar_may_edit (self) || g_strcmp0 (note, bar_get_saved_note (self)) == 0)
    return;
  g_autoptr(AssayNextTrial) changed = assay_next_trial_copy (next);
  g_free (changed->note);
  changed->note = *note != '\0' ? g_strdup (note) : NULL;
  bar_write (self, changed);
}

/* What the table recommends stands out only where something is wrong, and not where it would fail again. */
static void
bar_show_candidate (AssayNextTrialBar *self, AssayCandidateRow *row, guint k)
{
  const AssayCandidate *candidate = g_ptr_array_index (self->advice->candidates, k);

  assay_candidate_row_show (row, candidate, k, k == 0 && candidate->fits && self->advice->signal != ASSAY_SIGNAL_NONE,
                            self->predicting != NULL);
}

static void
bar_add_rows (AssayNextTrialBar *self)
{
  GtkWidget *row;

  for (guint k = 0; k < self->advice->candidates->len; k++)
    {
      row = assay_candidate_row_new (g_ptr_array_index (self->advice->candidates, k));
      bar_show_candidate (self, ASSAY_CANDIDATE_ROW (row), k);
      g_signal_connect_object (row, "chosen", G_CALLBACK (on_chosen), self, 0);
      g_ptr_array_add (self->rows, row);
      gtk_list_box_append (self->candidates, row);
    }
  row = assay_other_change_row_new (assay_ledger_get_task (self->ledger), self->record);
  g_signal_connect_object (row, "chosen", G_CALLBACK (on_other_chosen), self, 0);
  gtk_list_box_append (self->candidates, row);
}

static void
bar_fill_candidates (AssayNextTrialBar *self)
{
  GtkWidget *row;

  g_ptr_array_set_size (self->rows, 0);
  while ((row = GTK_WIDGET (gtk_list_box_get_row_at_index (self->candidates, 0))) != NULL)
    gtk_list_box_remove (self->candidates, row);
  if (self->advice != NULL)
    bar_add_rows (self);
  gtk_widget_set_visible (GTK_WIDGET (self->candidates), self->advice != NULL);
  gtk_widget_set_visible (self->note_box, self->advice != NULL);
  gtk_widget_set_visible (self->review_box, self->advice != NULL && self->advice->review_wanted);
  gtk_widget_set_sensitive (GTK_WIDGET (self->candidates), bar_may_edit (self));
  gtk_widget_set_sensitive (self->note_box, bar_may_edit (self));
}

/* The person's own idea is the last. */
static guint
row_get_position (GtkListBoxRow *row)
{
  return ASSAY_IS_CANDIDATE_ROW (row) ? assay_candidate_row_get_position (ASSAY_CANDIDATE_ROW (row)) : G_MAXUINT;
}

static int
compare_rows (GtkListBoxRow *left, GtkListBoxRow *right, gpointer data)
{
  const guint a = row_get_position (left), b = row_get_position (right);

  return a < b ? -1 : a > b;
}

/* Foretelling */

static gboolean
prediction_keeps (const AssayForetold *self, guint was)
{
  for (guint k = 0; k < self->advice->candidates->len; k++)
    if (self->was[k] == was)
      return TRUE;
  return FALSE;
}

/* The same candidates but those that cannot be run or cannot help, in the order that fits: rows move and keep what is
 * being entered in them. */
static void
bar_take_prediction (AssayNextTrialBar *self, AssayForetold *prediction)
{
  for (guint i = 0; i < self->rows->len; i++)
    gtk_widget_set_visible (g_ptr_array_index (self->rows, i), prediction_keeps (prediction, i));
  assay_advice_free (self->advice);
  self->advice = g_steal_pointer (&prediction->advice);
  for (guint k = 0; k < self->advice->candidates->len; k++)
    bar_show_candidate (self, g_ptr_array_index (self->rows, prediction->was[k]), k);
  gtk_list_box_invalidate_sort (self->candidates);
  bar_show_held (self);
}

static void
predict_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  AssayNextTrialBar *self = ASSAY_NEXT_TRIAL_BAR (source);

  if (g_task_get_cancellable (G_TASK (result)) != self->predicting)
    return;
  g_clear_object (&self->predicting);
  g_autoptr(AssayForetold) foretold = assay_foretell_finish (result, NULL);
  if (foretold != NULL)
    bar_take_prediction (self, foretold);
}

static void
bar_stop_predicting (AssayNextTrialBar *self)
{
  if (self->predicting != NULL)
    g_cancellable_cancel (self->predicting);
  g_clear_object (&self->predicting);
}

static void
bar_predict (AssayNextTrialBar *self)
{
  self->predicting = g_cancellable_new ();
  assay_foretell_async (self, self->ledger, self->record, self->predicting, predict_cb, NULL);
}

static const char *
bar_reason_without_advice (AssayNextTrialBar *self)
{
  if (self->record == NULL)
    return _("Choose a run to plan the next trial from.");
  return _("This run is damaged: nothing can be planned from it.");
}

static void
bar_update (AssayNextTrialBar *self)
{
  const gboolean usable
      = self->ledger != NULL && self->record != NULL && !assay_record_is_damaged (self->record);

  bar_stop_predicting (self);
  g_clear_pointer (&self->advice, assay_advice_free);
  if (usable)
    self->advice = assay_advice_for (self->ledger, self->record);
  if (usable)
    bar_predict (self);
  bar_set_label (self->signal_words, self->advice != NULL ? self->advice->words : bar_reason_without_advice (self));
  bar_set_label (self->evidence, self->advice != NULL ? self->advice->evidence : NULL);
  bar_set_label (self->problem, usable && assay_ledger_is_read_only (self->ledger)
                                  ? assay_ledger_get_read_only_reason (self->ledger) : NULL);
  bar_fill_candidates (self);
  bar_show_planned (self);
  bar_show_held (self);
  bar_show_note (self);
}

/* An edit of the run, here or elsewhere: a review may have changed the signal. */
static void
on_ledger_changed (AssayNextTrialBar *self)
{
  AssayRecord *now = self->record != NULL
                         ? assay_ledger_find_run (self->ledger, assay_record_get_id (self->record))
                         : NULL;

  if (now != NULL)
    assay_next_trial_bar_set_record (self, now);
}

void
assay_next_trial_bar_set_ledger (AssayNextTrialBar *self, AssayLedger *ledger)
{
  g_return_if_fail (ASSAY_IS_NEXT_TRIAL_BAR (self));

  if (!g_set_object (&self->ledger, ledger))
    return;
  g_signal_group_set_target (self->ledger_signals, ledger);
  bar_update (self);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_LEDGER]);
}

/* Whether `record` is the run that is shown, edited so that it holds the note that stands here. */
static gboolean
bar_takes_up_note (AssayNextTrialBar *self, AssayRecord *record)
{
  const AssayNextTrial *next = record != NULL ? assay_record_get_next_trial (record) : NULL;

  return next != NULL && self->record != NULL
         && g_str_equal (assay_record_get_id (record), assay_record_get_id (self->record))
         && g_strcmp0 (next->note, gtk_editable_get_text (GTK_EDITABLE (self->note))) == 0;
}

void
assay_next_trial_bar_set_record (AssayNextTrialBar *self, AssayRecord *record)
{
  g_return_if_fail (ASSAY_IS_NEXT_TRIAL_BAR (self));

  if (record == self->record)
    return;
  if (bar_takes_up_note (self, record))
    g_hash_table_remove (self->notes, assay_record_get_id (record));
  else
    bar_stash_note (self);
  g_set_object (&self->record, record);
  bar_update (self);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_RECORD]);
}

void
assay_next_trial_bar_show_top (AssayNextTrialBar *self)
{
  g_return_if_fail (ASSAY_IS_NEXT_TRIAL_BAR (self));

  gtk_adjustment_set_value (gtk_scrolled_window_get_vadjustment (self->scroll), 0);
}

/* To the first control: a review that is wanted, or the first candidate. */
static gboolean
assay_next_trial_bar_grab_focus (GtkWidget *widget)
{
  AssayNextTrialBar *self = ASSAY_NEXT_TRIAL_BAR (widget);
  GtkWidget *first = gtk_widget_get_visible (self->review_box) ? self->review_box : GTK_WIDGET (self->candidates);

  return gtk_widget_child_focus (first, GTK_DIR_TAB_FORWARD)
         || gtk_widget_child_focus (self->content, GTK_DIR_TAB_FORWARD);
}

static void
assay_next_trial_bar_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  AssayNextTrialBar *self = ASSAY_NEXT_TRIAL_BAR (object);

  if (id == PROP_LEDGER)
    g_value_set_object (value, self->ledger);
  else if (id == PROP_RECORD)
    g_value_set_object (value, self->record);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
assay_next_trial_bar_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  AssayNextTrialBar *self = ASSAY_NEXT_TRIAL_BAR (object);

  if (id == PROP_LEDGER)
    assay_next_trial_bar_set_ledger (self, g_value_get_object (value));
  else if (id == PROP_RECORD)
    assay_next_trial_bar_set_record (self, g_value_get_object (value));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
assay_next_trial_bar_dispose (GObject *object)
{
  AssayNextTrialBar *self = ASSAY_NEXT_TRIAL_BAR (object);

  g_clear_object (&self->ledger_signals);
  bar_stop_predicting (self);
  adw_bin_set_child (ADW_BIN (self), NULL);
  g_clear_pointer (&self->advice, assay_advice_free);
  g_clear_object (&self->ledger);
  g_clear_object (&self->record);
  G_OBJECT_CLASS (assay_next_trial_bar_parent_class)->dispose (object);
}

static void
assay_next_trial_bar_finalize (GObject *object)
{
  AssayNextTrialBar *self = ASSAY_NEXT_TRIAL_BAR (object);

  g_hash_table_unref (self->notes);
  g_ptr_array_unref (self->rows);
  G_OBJECT_CLASS (assay_next_trial_bar_parent_class)->finalize (object);
}

static void
class_install_members (GObjectClass *object_class)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;

  properties[PROP_LEDGER] = g_param_spec_object ("ledger", NULL, NULL, ASSAY_TYPE_LEDGER, flags);
  properties[PROP_RECORD] = g_param_spec_object ("record", NULL, NULL, ASSAY_TYPE_RECORD, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);
  planned_signal = g_signal_new ("trial-planned", ASSAY_TYPE_NEXT_TRIAL_BAR, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                 NULL, G_TYPE_NONE, 3, G_TYPE_STRING, G_TYPE_STRING, G_TYPE_STRING);
  review_signal = g_signal_new ("review-wanted", ASSAY_TYPE_NEXT_TRIAL_BAR, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                G_TYPE_NONE, 0);
}

static void
assay_next_trial_bar_class_init (AssayNextTrialBarClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = assay_next_trial_bar_dispose;
  object_class->finalize = assay_next_trial_bar_finalize;
  object_class->get_property = assay_next_trial_bar_get_property;
  object_class->set_property = assay_next_trial_bar_set_property;
  widget_class->focus = assay_focus_through;
  widget_class->grab_focus = assay_next_trial_bar_grab_focus;
  class_install_members (object_class);
  g_type_ensure (ASSAY_TYPE_FOLD_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/io/github/assay/Assay/ui/assay-next-trial-bar.ui");
  gtk_widget_class_bind_template_child (widget_class, AssayNextTrialBar, signal_words);
  gtk_widget_class_bind_template_child (widget_class, AssayNextTrialBar, evidence);
  gtk_widget_class_bind_template_child (widget_class, AssayNextTrialBar, planned);
  gtk_widget_class_bind_template_child (widget_class, AssayNextTrialBar, problem);
  gtk_widget_class_bind_template_child (widget_class, AssayNextTrialBar, held);
  gtk_widget_class_bind_template_child (widget_class, AssayNextTrialBar, scroll);
  gtk_widget_class_bind_template_child (widget_class, AssayNextTrialBar, content);
  gtk_widget_class_bind_template_child (widget_class, AssayNextTrialBar, candidates);
  gtk_widget_class_bind_template_child (widget_class, AssayNextTrialBar, note_box);
  gtk_widget_class_bind_template_child (widget_class, AssayNextTrialBar, review_box);
  gtk_widget_class_bind_template_child (widget_class, AssayNextTrialBar, note);
  gtk_widget_class_bind_template_callback (widget_class, on_note_done);
  gtk_widget_class_bind_template_callback (widget_class, on_review);
}

static void
assay_next_trial_bar_init (AssayNextTrialBar *self)
{
  self->notes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self->rows = g_ptr_array_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_list_box_set_sort_func (self->candidates, compare_rows, NULL, NULL);
  self->ledger_signals = g_signal_group_new (ASSAY_TYPE_LEDGER);
  g_signal_group_connect_swapped (self->ledger_signals, "items-changed", G_CALLBACK (on_ledger_changed),
                                  self);
  bar_update (self);
}

GtkWidget *
assay_next_trial_bar_new (void)
{
  return g_object_new (ASSAY_TYPE_NEXT_TRIAL_BAR, NULL);
}
