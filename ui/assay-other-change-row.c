/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-other-change-row.h"

#include <glib/gi18n-lib.h>

#include "assay-accessible.h"
#include "assay-change.h"
#include "assay-choice.h"
#include "assay-display-text.h"
#include "assay-draft.h"
#include "assay-field-choices.h"
#include "assay-focus.h"
#include "assay-fold-layout.h"
#include "assay-idle-field.h"

struct _AssayOtherChangeRow
{
  GtkListBoxRow parent_instance;
  AssayRecord *record; /* owned */

  /* template children */
  GtkWidget *expander;
  GtkLabel *present;
  GtkDropDown *fields, *choices;
  GtkEntry *entry;
  GtkButton *choose;
};

static guint chosen_signal;

G_DEFINE_FINAL_TYPE (AssayOtherChangeRow, assay_other_change_row, GTK_TYPE_LIST_BOX_ROW)

static AssayFieldId
row_get_field (AssayOtherChangeRow *self)
{
  AssayChoice *choice = gtk_drop_down_get_selected_item (self->fields);
  return choice != NULL ? assay_field_from_name (assay_choice_get_value (choice)) : ASSAY_FIELD_INVALID;
}

static char *
row_dup_present (AssayOtherChangeRow *self, AssayFieldId field)
{
  return assay_values_dup_text (assay_record_get_values_for (self->record, field), field);
}

static void
row_refresh (AssayOtherChangeRow *self)
{
  const AssayFieldId field = row_get_field (self);
  if (field >= ASSAY_N_FIELDS)
    return;
  const gboolean typed = *gtk_editable_get_text (GTK_EDITABLE (self->entry)) != '\0';
  g_autofree char *present = row_dup_present (self, field);
  const gboolean asks = gtk_widget_get_visible (GTK_WIDGET (self->entry));
  gtk_widget_set_sensitive (GTK_WIDGET (self->choose), !asks || typed || present != NULL);
}

static void
row_show_choices (AssayOtherChangeRow *self, AssayFieldId field, const char *present)
{
  const gboolean listed = assay_field_choices_get (field) != NULL, of_file = assay_draft_is_from_file (field);
  g_autoptr(GListModel) model = assay_field_choices_new_others (field, present);
  gtk_drop_down_set_model (self->choices, model);
  gtk_widget_set_visible (GTK_WIDGET (self->choices), listed && !of_file);
  gtk_widget_set_visible (GTK_WIDGET (self->entry), !listed && !of_file);
  gtk_button_set_label (self->choose, of_file ? _("Choose a Model…") : _("Choose"));
  assay_accessible_name (GTK_WIDGET (self->choose), _("Choose this change")); /* a new label takes its place */
}

static void
on_field (AssayOtherChangeRow *self)
{
  const AssayFieldId field = row_get_field (self);
  if (field >= ASSAY_N_FIELDS)
    return;
  const AssayFieldInfo *info = assay_field_get_info (field);
  g_autofree char *present = row_dup_present (self, field);
  g_autofree char *shown = assay_display_value (field, present, 80);
  const char *label = g_dgettext (GETTEXT_PACKAGE, info->label), *help = g_dgettext (GETTEXT_PACKAGE, info->help);
  g_autofree char *words
    = assay_draft_is_from_file (field)
        ? g_strdup_printf (_("%s: %s → …\n%s. Another one comes with another model file, which is chosen in Set "
                             "Up."), label, shown, help)
        : g_strdup_printf (_("%s: %s → …\n%s"), label, shown, help);
  gtk_label_set_text (self->present, words);
  gtk_editable_set_text (GTK_EDITABLE (self->entry), "");
  row_show_choices (self, field, present);
  row_refresh (self);
}

/* (transfer none) NULL: only the person's choice of a file will tell, or the field is to be unset. */
static const char *
row_get_value (AssayOtherChangeRow *self)
{
  const char *typed = gtk_editable_get_text (GTK_EDITABLE (self->entry));
  if (gtk_widget_get_visible (GTK_WIDGET (self->choices)))
    return assay_choice_get_value (gtk_drop_down_get_selected_item (self->choices));
  return gtk_widget_get_visible (GTK_WIDGET (self->entry)) && *typed != '\0' ? typed : NULL;
}

static void
on_choose (AssayOtherChangeRow *self)
{
  const AssayFieldId field = row_get_field (self);
  if (field < ASSAY_N_FIELDS && gtk_widget_get_sensitive (GTK_WIDGET (self->choose)))
    g_signal_emit (self, chosen_signal, 0, field, row_get_value (self));
}

static void
row_fill_fields (AssayOtherChangeRow *self, AssayTask task)
{
  g_autoptr(GListStore) store = g_list_store_new (ASSAY_TYPE_CHOICE);
  g_autoptr(AssayValues) base = assay_change_dup_base (self->record);
  for (guint f = 0; f < ASSAY_N_FIELDS; f++)
    {
      if (!assay_draft_can_change (task, f)
          || assay_idle_field_get_reason (base, f) != NULL)
        continue;
      const AssayFieldInfo *info = assay_field_get_info (f);
      g_autoptr(AssayChoice) choice = assay_choice_new (info->name, g_dgettext (GETTEXT_PACKAGE, info->label));
      g_list_store_append (store, choice);
    }
  gtk_drop_down_set_model (self->fields, G_LIST_MODEL (store));
}

/* The buttons inside the drop-downs are what takes the focus. */
static void
row_name_parts (AssayOtherChangeRow *self)
{
  assay_accessible_name (GTK_WIDGET (self), _("Change Something Else…"));
  assay_accessible_name (GTK_WIDGET (self->fields), _("What to change"));
  assay_accessible_name (gtk_widget_get_first_child (GTK_WIDGET (self->fields)), _("What to change"));
  assay_accessible_name (GTK_WIDGET (self->entry), _("Its new value"));
  assay_accessible_name (GTK_WIDGET (self->choices), _("Its new value"));
  assay_accessible_name (gtk_widget_get_first_child (GTK_WIDGET (self->choices)), _("Its new value"));
  assay_accessible_name (GTK_WIDGET (self->choose), _("Choose this change"));
}

static void
assay_other_change_row_dispose (GObject *object)
{
  AssayOtherChangeRow *self = ASSAY_OTHER_CHANGE_ROW (object);
  g_clear_object (&self->record);
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (object), NULL);
  G_OBJECT_CLASS (assay_other_change_row_parent_class)->dispose (object);
}

static void
assay_other_change_row_class_init (AssayOtherChangeRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = assay_other_change_row_dispose;
  widget_class->focus = assay_focus_through;
  chosen_signal = g_signal_new ("chosen", ASSAY_TYPE_OTHER_CHANGE_ROW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                G_TYPE_NONE, 2, G_TYPE_UINT, G_TYPE_STRING);
  g_type_ensure (ASSAY_TYPE_FOLD_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/io/github/assay/Assay/ui/assay-other-change-row.ui");
#define CHILD(name) gtk_widget_class_bind_template_child (widget_class, AssayOtherChangeRow, name)
  CHILD (expander);
  CHILD (present);
  CHILD (fields);
  CHILD (choices);
  CHILD (entry);
  CHILD (choose);
#undef CHILD
  gtk_widget_class_bind_template_callback (widget_class, on_field);
  gtk_widget_class_bind_template_callback (widget_class, on_choose);
  gtk_widget_class_bind_template_callback (widget_class, row_refresh);
}

static void
assay_other_change_row_init (AssayOtherChangeRow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  assay_choice_set_up_drop_down (self->fields);
  assay_choice_set_up_drop_down (self->choices);
  row_name_parts (self);
}

GtkWidget *
assay_other_change_row_new (AssayTask task, AssayRecord *record)
{
  AssayOtherChangeRow *self = g_object_new (ASSAY_TYPE_OTHER_CHANGE_ROW, NULL);
  self->record = g_object_ref (record);
  row_fill_fields (self, task);
  on_field (self);
  return GTK_WIDGET (self);
}
