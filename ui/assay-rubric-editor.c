/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-rubric-editor.h"

#include <glib/gi18n-lib.h>

#include "assay-accessible.h"
#include "assay-criterion-editor.h"
#include "assay-rubric-build.h"
#include "assay-thresholds-editor.h"

#define MOST_CRITERIA 30 /* a rubric that nobody would fill in */

struct _AssayRubricEditor
{
  AdwWindow parent_instance;

  /* owned */
  AssayLedger *ledger;
  AssayRecord *record; /* or NULL */
  GPtrArray *rows;     /* (element-type AssayCriterionEditor), borrowed from the group */
  gboolean checked;    /* a save was tried: problems are told as they come and go */

  /* template children */
  AdwPreferencesGroup *quality;
  AssayThresholdsEditor *thresholds;
  GtkLabel *message;
  GtkWidget *template_button;
};

G_DEFINE_FINAL_TYPE (AssayRubricEditor, assay_rubric_editor, ADW_TYPE_WINDOW)

static void
editor_say (AssayRubricEditor *self, const char *words)
{
  gtk_label_set_text (self->message, words != NULL ? words : "");
  gtk_widget_set_visible (GTK_WIDGET (self->message), words != NULL);
}

/* What the change does to what was judged already. */
static void
editor_explain (AssayRubricEditor *self)
{
  const guint n = assay_rubric_count_reviews (self->ledger);

  if (n == 0)
    {
      adw_preferences_group_set_description (self->quality, _("What a person judges an output by"));
      return;
    }
  g_autofree char *words = g_strdup_printf (
    g_dngettext (GETTEXT_PACKAGE,
                 "%u review stands under these criteria. If you change them, it stays with its verdict; its scores leave "
                 "the means, and quality is not compared across the change (evaluation_criterion).",
                 "%u reviews stand under these criteria. If you change them, they stay with their verdicts; their scores "
                 "leave the means, and quality is not compared across the change (evaluation_criterion).",
                 n),
    n);
  adw_preferences_group_set_description (self->quality, words);
}

/* Rows */

static void
editor_place_rows (AssayRubricEditor *self)
{
  for (guint i = 0; i < self->rows->len; i++)
    assay_criterion_editor_set_place (g_ptr_array_index (self->rows, i), i == 0, i + 1 == self->rows->len);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "rubric.add", self->rows->len < MOST_CRITERIA);
}

/* A borrowed array of names, each owned. */
static GPtrArray *
editor_dup_names (AssayRubricEditor *self)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < self->rows->len; i++)
    {
      AssayCriterionEditor *row = g_ptr_array_index (self->rows, i);
      g_ptr_array_add (names, assay_criterion_editor_has_name (row)
                                ? g_strdup (adw_preferences_row_get_title (ADW_PREFERENCES_ROW (row))) : NULL);
    }
  return names;
}

/* Each row says what is wrong with it. Returns: the first such row, or NULL. */
static AssayCriterionEditor *
editor_check_rows (AssayRubricEditor *self)
{
  g_autoptr(GPtrArray) names = editor_dup_names (self);
  AssayCriterionEditor *first = NULL;

  for (guint i = 0; i < self->rows->len; i++)
    {
      AssayCriterionEditor *row = g_ptr_array_index (self->rows, i);
      g_autofree char *problem
        = assay_rubric_dup_problem ((const char *const *) names->pdata, names->len, i);
      assay_criterion_editor_set_problem (row, problem);
      if (problem != NULL && first == NULL)
        first = row;
    }
  return first;
}

static void
on_changed (AssayRubricEditor *self)
{
  if (!self->checked)
    return;
  g_autoptr(AssayCriteria) unused = assay_criteria_copy (assay_ledger_get_criteria (self->ledger));
  const gboolean rows_fine = editor_check_rows (self) == NULL;
  const gboolean thresholds_fine = assay_thresholds_editor_store (self->thresholds, unused) == NULL;
  if (rows_fine && thresholds_fine)
    editor_say (self, NULL);
}

static void editor_append (AssayRubricEditor *self, GtkWidget *row);

/* The group adds at its end only: from the lower of the two places on, rows leave and come back in the new order. */
static void
on_move (AssayCriterionEditor *row, int by, AssayRubricEditor *self)
{
  guint from = 0;

  if (!g_ptr_array_find (self->rows, row, &from) || (by < 0 && from == 0) || (by > 0 && from + 1 >= self->rows->len))
    return;
  const guint low = by < 0 ? from - 1 : from;
  g_autoptr(GPtrArray) after = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = low; i < self->rows->len; i++)
    g_ptr_array_add (after, g_object_ref (g_ptr_array_index (self->rows, i)));
  for (guint i = 0; i < after->len; i++)
    adw_preferences_group_remove (self->quality, g_ptr_array_index (after, i));
  g_ptr_array_set_size (self->rows, (int) low);
  editor_append (self, g_ptr_array_index (after, 1));
  editor_append (self, g_ptr_array_index (after, 0));
  for (guint i = 2; i < after->len; i++)
    editor_append (self, g_ptr_array_index (after, i));
  editor_place_rows (self);
  gtk_widget_grab_focus (GTK_WIDGET (row));
}

static void
on_remove (AssayCriterionEditor *row, AssayRubricEditor *self)
{
  guint at = 0;

  if (!g_ptr_array_find (self->rows, row, &at))
    return;
  g_ptr_array_remove_index (self->rows, at);
  adw_preferences_group_remove (self->quality, GTK_WIDGET (row));
  editor_place_rows (self);
  on_changed (self);
  if (self->rows->len > 0)
    gtk_widget_grab_focus (g_ptr_array_index (self->rows, MIN (at, self->rows->len - 1)));
}

static void
editor_append (AssayRubricEditor *self, GtkWidget *row)
{
  adw_preferences_group_add (self->quality, row);
  g_ptr_array_add (self->rows, row);
}

static AssayCriterionEditor *
editor_add (AssayRubricEditor *self, const AssayCriterion *criterion)
{
  GtkWidget *row = assay_criterion_editor_new (criterion);

  g_signal_connect_object (row, "changed", G_CALLBACK (on_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (row, "move", G_CALLBACK (on_move), self, 0);
  g_signal_connect_object (row, "remove", G_CALLBACK (on_remove), self, 0);
  editor_append (self, row);
  return ASSAY_CRITERION_EDITOR (row);
}

static void
editor_load_rows (AssayRubricEditor *self, const AssayCriteria *criteria)
{
  for (guint i = 0; i < self->rows->len; i++)
    adw_preferences_group_remove (self->quality, g_ptr_array_index (self->rows, i));
  g_ptr_array_set_size (self->rows, 0);
  for (guint i = 0; i < criteria->criteria->len; i++)
    editor_add (self, g_ptr_array_index (criteria->criteria, i));
  editor_place_rows (self);
}

/* Actions */

static void
on_add (GtkWidget *widget, const char *action, GVariant *parameter)
{
  AssayRubricEditor *self = ASSAY_RUBRIC_EDITOR (widget);
  g_autoptr(AssayCriterion) fresh = assay_criterion_new ("", ASSAY_CRITERION_SCALE);

  fresh->pass = 4;
  AssayCriterionEditor *row = editor_add (self, fresh);
  editor_place_rows (self);
  assay_criterion_editor_focus_name (row);
}

static void
on_template (GtkWidget *widget, const char *action, GVariant *parameter)
{
  AssayRubricEditor *self = ASSAY_RUBRIC_EDITOR (widget);
  const char *name = g_variant_get_string (parameter, NULL);
  const AssayTask task = g_str_equal (name, "image")  ? ASSAY_TASK_IMAGE
                         : g_str_equal (name, "mask") ? ASSAY_TASK_MASK
                                                      : ASSAY_TASK_LANGUAGE;
  g_autoptr(AssayCriteria) criteria = assay_criteria_new_default (task);

  editor_load_rows (self, criteria);
  on_changed (self);
}

/* (transfer full): NULL, and what is wrong is told and has the focus */
static AssayCriteria *
editor_dup_criteria (AssayRubricEditor *self)
{
  g_autoptr(AssayCriteria) criteria = assay_criteria_copy (assay_ledger_get_criteria (self->ledger));
  AssayCriterionEditor *row = editor_check_rows (self);
  GtkWidget *entry = assay_thresholds_editor_store (self->thresholds, criteria);

  self->checked = TRUE;
  if (row != NULL)
    assay_criterion_editor_focus_name (row);
  else if (entry != NULL)
    gtk_widget_grab_focus (entry);
  if (row != NULL || entry != NULL)
    {
      editor_say (self, _("Not saved: mend what is marked."));
      return NULL;
    }
  g_ptr_array_set_size (criteria->criteria, 0);
  for (guint i = 0; i < self->rows->len; i++)
    g_ptr_array_add (criteria->criteria, assay_criterion_editor_dup (g_ptr_array_index (self->rows, i)));
  assay_rubric_settle_ids (self->ledger, criteria->criteria);
  return g_steal_pointer (&criteria);
}

static void
on_save (GtkWidget *widget, const char *action, GVariant *parameter)
{
  AssayRubricEditor *self = ASSAY_RUBRIC_EDITOR (widget);

  if (assay_ledger_is_read_only (self->ledger)) /* since it was opened */
    {
      editor_say (self, assay_ledger_get_read_only_reason (self->ledger));
      return;
    }
  AssayCriteria *criteria = editor_dup_criteria (self);
  if (criteria == NULL)
    return;
  assay_rubric_apply (self->ledger, self->record, criteria);
  gtk_window_close (GTK_WINDOW (self));
}

static void
assay_rubric_editor_dispose (GObject *object)
{
  AssayRubricEditor *self = ASSAY_RUBRIC_EDITOR (object);

  g_ptr_array_set_size (self->rows, 0);
  g_clear_object (&self->ledger);
  g_clear_object (&self->record);
  G_OBJECT_CLASS (assay_rubric_editor_parent_class)->dispose (object);
}

static void
assay_rubric_editor_finalize (GObject *object)
{
  g_ptr_array_unref (ASSAY_RUBRIC_EDITOR (object)->rows);
  G_OBJECT_CLASS (assay_rubric_editor_parent_class)->finalize (object);
}

static void
assay_rubric_editor_class_init (AssayRubricEditorClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = assay_rubric_editor_dispose;
  G_OBJECT_CLASS (klass)->finalize = assay_rubric_editor_finalize;
  g_type_ensure (ASSAY_TYPE_THRESHOLDS_EDITOR);
  gtk_widget_class_set_template_from_resource (widget_class, "/io/github/assay/Assay/ui/assay-rubric-editor.ui");
  gtk_widget_class_bind_template_child (widget_class, AssayRubricEditor, quality);
  gtk_widget_class_bind_template_child (widget_class, AssayRubricEditor, thresholds);
  gtk_widget_class_bind_template_child (widget_class, AssayRubricEditor, message);
  gtk_widget_class_bind_template_child (widget_class, AssayRubricEditor, template_button);
  gtk_widget_class_bind_template_callback (widget_class, on_changed);
  gtk_widget_class_install_action (widget_class, "rubric.save", NULL, on_save);
  gtk_widget_class_install_action (widget_class, "rubric.add", NULL, on_add);
  gtk_widget_class_install_action (widget_class, "rubric.template", "s", on_template);
}

static void
assay_rubric_editor_init (AssayRubricEditor *self)
{
  self->rows = g_ptr_array_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
  assay_accessible_name (self->template_button, _("Template"));
}

GtkWindow *
assay_rubric_editor_new (AssayLedger *ledger, AssayRecord *record)
{
  g_return_val_if_fail (ASSAY_IS_LEDGER (ledger), NULL);
  AssayRubricEditor *self = g_object_new (ASSAY_TYPE_RUBRIC_EDITOR, NULL);

  self->ledger = g_object_ref (ledger);
  self->record = record != NULL ? g_object_ref (record) : NULL;
  editor_load_rows (self, assay_ledger_get_criteria (ledger));
  assay_thresholds_editor_load (self->thresholds, assay_ledger_get_criteria (ledger));
  editor_explain (self);
  return GTK_WINDOW (self);
}

void
assay_rubric_editor_focus_gate (AssayRubricEditor *self, AssayGate gate)
{
  g_return_if_fail (ASSAY_IS_RUBRIC_EDITOR (self));
  assay_thresholds_editor_focus (self->thresholds, gate);
}
