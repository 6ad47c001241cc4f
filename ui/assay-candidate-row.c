/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-candidate-row.h"

#include <glib/gi18n-lib.h>

#include "assay-accessible.h"
#include "assay-choice.h"
#include "assay-display-text.h"
#include "assay-draft.h"
#include "assay-field-choices.h"
#include "assay-focus.h"
#include "assay-fold-layout.h"

struct _AssayCandidateRow
{
  GtkListBoxRow parent_instance;
  guint position;

  /* template children */
  GtkLabel *change, *name, *why, *predicted;
  GtkEntry *entry;
  GtkDropDown *choices;
  GtkButton *choose;
};

static guint chosen_signal;

G_DEFINE_FINAL_TYPE (AssayCandidateRow, assay_candidate_row, GTK_TYPE_LIST_BOX_ROW)

static void
on_choose (AssayCandidateRow *self)
{
  const char *to = NULL;

  if (gtk_widget_get_visible (GTK_WIDGET (self->entry)))
    to = gtk_editable_get_text (GTK_EDITABLE (self->entry));
  else if (gtk_widget_get_visible (GTK_WIDGET (self->choices)))
    to = assay_choice_get_value (gtk_drop_down_get_selected_item (self->choices));
  if (to == NULL || *to != '\0')
    g_signal_emit (self, chosen_signal, 0, to);
}

static void
on_entry_changed (AssayCandidateRow *self)
{
  gtk_widget_set_sensitive (GTK_WIDGET (self->choose),
                            *gtk_editable_get_text (GTK_EDITABLE (self->entry)) != '\0');
}

static const char *
candidate_get_label (const AssayCandidate *candidate)
{
  if (candidate->field == ASSAY_FIELD_INVALID)
    return assay_axis_get_name (candidate->axis);
  return g_dgettext (GETTEXT_PACKAGE, assay_field_get_info (candidate->field)->label);
}

/* As the form does: in the record's own word, small, beneath its label. */
static void
row_show_name (AssayCandidateRow *self, const AssayCandidate *candidate)
{
  const gboolean is_field = candidate->field != ASSAY_FIELD_INVALID;

  gtk_label_set_text (self->name, is_field ? assay_field_get_info (candidate->field)->name : "");
  gtk_widget_set_visible (GTK_WIDGET (self->name), is_field);
}

static void
row_show_change (AssayCandidateRow *self, const AssayCandidate *candidate)
{
  const char *axis = candidate_get_label (candidate);
  g_autofree char *from = assay_display_value (candidate->field, candidate->from, 80);
  g_autofree char *to
      = candidate->to != NULL ? assay_display_value (candidate->field, candidate->to, 80) : g_strdup ("…");
  /* Translators: an axis, its old and its new value; an axis of the ledger has no old one here */
  g_autofree char *change = candidate->field != ASSAY_FIELD_INVALID || candidate->from != NULL
                              ? g_strdup_printf (_("%s: %s → %s"), axis, from, to)
                              : g_strdup_printf (_("%s: %s"), axis, to);
  g_autofree char *label = g_strdup_printf (_("Choose %s"), change);
  g_autofree char *entry_label = g_strdup_printf (_("New value of %s"), axis);

  gtk_label_set_text (self->change, change);
  g_autofree char *why = assay_display_labels (candidate->why);
  gtk_label_set_text (self->why, why);
  row_show_name (self, candidate);
  assay_accessible_name (GTK_WIDGET (self), change);
  assay_accessible_name (GTK_WIDGET (self->choose), label);
  assay_accessible_name (GTK_WIDGET (self->entry), entry_label);
  assay_accessible_name (GTK_WIDGET (self->choices), entry_label);
  assay_accessible_name (gtk_widget_get_first_child (GTK_WIDGET (self->choices)), entry_label);
  gtk_entry_set_placeholder_text (self->entry, _("new value"));
}

/* Another model is no word to type: its file is chosen in the form. */
static void
row_show_input (AssayCandidateRow *self, const AssayCandidate *candidate)
{
  const gboolean is_field = candidate->field != ASSAY_FIELD_INVALID;
  const gboolean of_file = is_field && assay_draft_is_from_file (candidate->field);
  const gboolean asks = candidate->to == NULL && !of_file;
  const gboolean listed = is_field && assay_field_choices_get (candidate->field) != NULL;

  gtk_widget_set_visible (GTK_WIDGET (self->entry), asks && !listed);
  gtk_widget_set_visible (GTK_WIDGET (self->choices), asks && listed);
  gtk_widget_set_sensitive (GTK_WIDGET (self->choose), !asks || listed);
  gtk_button_set_label (self->choose, of_file ? _("Choose a Model…") : _("Choose"));
  if (!asks || !listed)
    return;
  g_autoptr(GListModel) model = assay_field_choices_new_others (candidate->field, candidate->from);
  gtk_drop_down_set_model (self->choices, model);
}

static void
words_add (GString *words, char *part)
{
  g_string_append_printf (words, " · %s", part);
  g_free (part);
}

static char *
candidate_dup_prediction (const AssayCandidate *candidate)
{
  GString *words = g_string_new (candidate->fits ? _("✓ fits") : _("✕ does not fit"));
  g_autofree char *vram = assay_format_bytes ((guint64) MAX (candidate->predicted_peak_vram, 0));
  g_autofree char *ram = assay_format_bytes ((guint64) MAX (candidate->predicted_peak_ram, 0));
  g_autofree char *moved = assay_format_bytes ((guint64) MAX (candidate->predicted_link_bytes, 0));
  g_autofree char *least = assay_format_seconds (MAX (candidate->predicted_seconds, 0));

  if (candidate->predicted_peak_vram >= 0)
    words_add (words, g_strdup_printf (_("predicted peak VRAM %s"), vram));
  if (candidate->predicted_peak_ram >= 0)
    words_add (words, g_strdup_printf (_("predicted peak RAM %s"), ram));
  if (candidate->predicted_link_bytes > 0)
    words_add (words, g_strdup_printf (_("at most %s over the link"), moved));
  if (candidate->predicted_seconds >= 0)
    words_add (words, g_strdup_printf (_("at least %s for the link alone"), least));
  else if (candidate->predicted_link_bytes > 0)
    words_add (words, g_strdup (_("how long that takes is not known: the link’s speed is not")));
  return g_string_free (words, FALSE);
}

/* What only the person can say is not foretold here: the form does it once the value is known. */
static void
row_show_predicted (AssayCandidateRow *self, const AssayCandidate *candidate, gboolean pending)
{
  const gboolean asked = candidate->to != NULL && candidate->field != ASSAY_FIELD_INVALID;
  const gboolean known = candidate->predicted_peak_vram >= 0 || candidate->predicted_peak_ram >= 0;
  g_autofree char *words = NULL;
  if (asked && pending)
    words = g_strdup (_("being foretold…"));
  else if (candidate->problem != NULL)
    {
      g_autofree char *problem = assay_display_labels (candidate->problem);
      words = g_strdup_printf (_("✕ cannot be foretold: %s"), problem);
    }
  else if (known)
    words = candidate_dup_prediction (candidate);
  gtk_label_set_text (self->predicted, words != NULL ? words : "");
  gtk_widget_set_visible (GTK_WIDGET (self->predicted), words != NULL);
}

guint
assay_candidate_row_get_position (AssayCandidateRow *self)
{
  g_return_val_if_fail (ASSAY_IS_CANDIDATE_ROW (self), 0);
  return self->position;
}

void
assay_candidate_row_show (AssayCandidateRow *self, const AssayCandidate *candidate, guint position, gboolean recommended,
                          gboolean pending)
{
  g_return_if_fail (ASSAY_IS_CANDIDATE_ROW (self));
  self->position = position;
  row_show_change (self, candidate);
  row_show_predicted (self, candidate, pending);
  if (recommended && candidate->to != NULL)
    gtk_widget_add_css_class (GTK_WIDGET (self->choose), "suggested-action");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (self->choose), "suggested-action");
}

static void
assay_candidate_row_dispose (GObject *object)
{
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (object), NULL);
  G_OBJECT_CLASS (assay_candidate_row_parent_class)->dispose (object);
}

static void
assay_candidate_row_class_init (AssayCandidateRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = assay_candidate_row_dispose;
  widget_class->focus = assay_focus_through;
  chosen_signal = g_signal_new ("chosen", ASSAY_TYPE_CANDIDATE_ROW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                G_TYPE_NONE, 1, G_TYPE_STRING);
  g_type_ensure (ASSAY_TYPE_FOLD_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/io/github/assay/Assay/ui/assay-candidate-row.ui");
  gtk_widget_class_bind_template_child (widget_class, AssayCandidateRow, change);
  gtk_widget_class_bind_template_child (widget_class, AssayCandidateRow, name);
  gtk_widget_class_bind_template_child (widget_class, AssayCandidateRow, why);
  gtk_widget_class_bind_template_child (widget_class, AssayCandidateRow, predicted);
  gtk_widget_class_bind_template_child (widget_class, AssayCandidateRow, entry);
  gtk_widget_class_bind_template_child (widget_class, AssayCandidateRow, choices);
  gtk_widget_class_bind_template_child (widget_class, AssayCandidateRow, choose);
  gtk_widget_class_bind_template_callback (widget_class, on_choose);
  gtk_widget_class_bind_template_callback (widget_class, on_entry_changed);
}

static void
assay_candidate_row_init (AssayCandidateRow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  assay_choice_set_up_drop_down (self->choices);
}

GtkWidget *
assay_candidate_row_new (const AssayCandidate *candidate)
{
  AssayCandidateRow *self = g_object_new (ASSAY_TYPE_CANDIDATE_ROW, NULL);

  row_show_input (self, candidate);
  return GTK_WIDGET (self);
}
