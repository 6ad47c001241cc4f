/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-criterion-row.h"

#include <glib/gi18n-lib.h>

#include "assay-display-text.h"

#define MOST_BUTTONS 5

struct _AssayCriterionRow
{
  GtkWidget parent_instance;

  char *id;                       /* owned */
  AssayCriterionKind kind;
  gboolean per_question;
  int value;
  gboolean setting;               /* the buttons follow the value, not the other way round */
  GtkToggleButton *choices[MOST_BUTTONS]; /* borrowed; lowest value first, NULL where there are fewer */
  GtkWidget *entry;                       /* borrowed; of free words, else NULL */

  /* template children */
  GtkBox *top, *buttons, *ends;
  GtkLabel *label, *low, *high;
};

enum { PROP_0, PROP_VALUE, PROP_WORDS, N_PROPS };

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AssayCriterionRow, assay_criterion_row, GTK_TYPE_WIDGET)

static int
row_lowest (AssayCriterionRow *self)
{
  return self->kind == ASSAY_CRITERION_YES_NO ? 0 : 1;
}

static int
row_highest (AssayCriterionRow *self)
{
  return self->kind == ASSAY_CRITERION_YES_NO ? 1 : 5;
}

static char *
row_dup_value_words (AssayCriterionRow *self)
{
  if (self->value == ASSAY_CRITERION_UNSET)
    return g_strdup (_("not rated"));
  if (self->kind == ASSAY_CRITERION_YES_NO)
    return g_strdup (self->value == 1 ? _("yes") : _("no"));
  return g_strdup_printf (_("%d of 5, where 1 is ‘%s’ and 5 is ‘%s’"), self->value,
                          gtk_label_get_text (self->low), gtk_label_get_text (self->high));
}

void
assay_criterion_row_set_value (AssayCriterionRow *self, int value)
{
  g_return_if_fail (ASSAY_IS_CRITERION_ROW (self));

  if (value != ASSAY_CRITERION_UNSET && (value < row_lowest (self) || value > row_highest (self)))
    value = ASSAY_CRITERION_UNSET;
  self->setting = TRUE;
  for (int i = 0; i < MOST_BUTTONS; i++)
    if (self->choices[i] != NULL)
      gtk_toggle_button_set_active (self->choices[i], value == i + row_lowest (self));
  self->setting = FALSE;
  if (value == self->value)
    return;
  self->value = value;
  g_autofree char *words = row_dup_value_words (self);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, words, -1);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_VALUE]);
}

const char *
assay_criterion_row_get_words (AssayCriterionRow *self)
{
  g_return_val_if_fail (ASSAY_IS_CRITERION_ROW (self), NULL);
  return self->entry != NULL ? gtk_editable_get_text (GTK_EDITABLE (self->entry)) : "";
}

void
assay_criterion_row_set_words (AssayCriterionRow *self, const char *words)
{
  g_return_if_fail (ASSAY_IS_CRITERION_ROW (self));
  if (self->entry != NULL && g_strcmp0 (assay_criterion_row_get_words (self), words) != 0)
    gtk_editable_set_text (GTK_EDITABLE (self->entry), words != NULL ? words : "");
}

static void
on_words_changed (AssayCriterionRow *self)
{
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_WORDS]);
}

static void
on_toggled (GtkToggleButton *button, AssayCriterionRow *self)
{
  int value = ASSAY_CRITERION_UNSET;

  if (self->setting)
    return;
  for (int i = 0; i < MOST_BUTTONS; i++)
    if (self->choices[i] == button && gtk_toggle_button_get_active (button))
      value = i + row_lowest (self);
  gtk_widget_grab_focus (GTK_WIDGET (self));
  assay_criterion_row_set_value (self, value);
}

static gboolean
row_value_for_key (AssayCriterionRow *self, guint keyval, int *value)
{
  const gunichar c = gdk_keyval_to_unicode (keyval);

  if (self->kind == ASSAY_CRITERION_FREE)
    return FALSE;
  if (keyval == GDK_KEY_BackSpace || keyval == GDK_KEY_Delete)
    *value = ASSAY_CRITERION_UNSET;
  else if (keyval == GDK_KEY_Left || keyval == GDK_KEY_Right)
    *value = self->value == ASSAY_CRITERION_UNSET
                 ? (keyval == GDK_KEY_Left ? row_lowest (self) : row_highest (self))
                 : CLAMP (self->value + (keyval == GDK_KEY_Left ? -1 : 1), row_lowest (self),
                          row_highest (self));
  else if (self->kind == ASSAY_CRITERION_YES_NO && (c == 'y' || c == 'Y'))
    *value = 1;
  else if (self->kind == ASSAY_CRITERION_YES_NO && (c == 'n' || c == 'N'))
    *value = 0;
  else if (c >= '0' && c <= '9' && (int)(c - '0') >= row_lowest (self)
           && (int)(c - '0') <= row_highest (self))
    *value = c - '0';
  else
    return FALSE;
  return TRUE;
}

static gboolean
on_key_pressed (
    GtkEventControllerKey *keys, guint keyval, guint code, GdkModifierType state, AssayCriterionRow *self)
{
  int value;

  if ((state & (GDK_CONTROL_MASK | GDK_ALT_MASK)) != 0 || !row_value_for_key (self, keyval, &value))
    return GDK_EVENT_PROPAGATE;
  assay_criterion_row_set_value (self, value);
  return GDK_EVENT_STOP;
}

char *
assay_criterion_dup_label (const AssayCriterion *criterion)
{
  if (criterion->label != NULL && *criterion->label != '\0')
    return assay_display_line (criterion->label, 120);
  g_autofree char *words = assay_display_line (criterion->id, 120);
  g_strdelimit (words, "_", ' ');
  if (g_ascii_islower (words[0]))
    words[0] = g_ascii_toupper (words[0]);
  return g_steal_pointer (&words);
}

/* The row is the stop of the Tab key; a button that took the focus too would make five stops of one. */
static void
row_add_choice (AssayCriterionRow *self, int index, const char *words)
{
  GtkWidget *button = gtk_toggle_button_new_with_label (words);
  g_autofree char *label = g_strdup_printf ("%s: %s", gtk_label_get_text (self->label), words);

  gtk_widget_set_focusable (button, FALSE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
  g_signal_connect_object (button, "toggled", G_CALLBACK (on_toggled), self, 0);
  gtk_box_append (self->buttons, button);
  self->choices[index] = GTK_TOGGLE_BUTTON (button);
}

/* The entry takes the row's place as the stop of Tab. */
static void
row_add_entry (AssayCriterionRow *self)
{
  const char *label = gtk_label_get_text (self->label);

  self->entry = gtk_entry_new ();
  gtk_entry_set_max_length (GTK_ENTRY (self->entry), ASSAY_CRITERION_MOST_WORDS);
  gtk_widget_set_hexpand (self->entry, TRUE);
  gtk_widget_set_focusable (GTK_WIDGET (self), FALSE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->entry), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
  g_signal_connect_object (self->entry, "changed", G_CALLBACK (on_words_changed), self, G_CONNECT_SWAPPED);
  gtk_box_append (self->buttons, self->entry);
}

static void
row_add_choices (AssayCriterionRow *self)
{
  if (self->kind == ASSAY_CRITERION_FREE)
    {
      row_add_entry (self);
      return;
    }
  if (self->kind == ASSAY_CRITERION_YES_NO)
    {
      row_add_choice (self, 1, _("Yes"));
      row_add_choice (self, 0, _("No"));
      g_object_ref (self->buttons);
      gtk_widget_unparent (GTK_WIDGET (self->buttons));
      gtk_box_append (self->top, GTK_WIDGET (self->buttons));
      g_object_unref (self->buttons);
      return;
    }
  for (int i = 0; i < MOST_BUTTONS; i++)
    {
      g_autofree char *digit = g_strdup_printf ("%d", i + 1);
      row_add_choice (self, i, digit);
    }
}

const char *
assay_criterion_row_get_id (AssayCriterionRow *self)
{
  g_return_val_if_fail (ASSAY_IS_CRITERION_ROW (self), NULL);
  return self->id;
}

gboolean
assay_criterion_row_is_per_question (AssayCriterionRow *self)
{
  g_return_val_if_fail (ASSAY_IS_CRITERION_ROW (self), FALSE);
  return self->per_question;
}

int
assay_criterion_row_get_value (AssayCriterionRow *self)
{
  g_return_val_if_fail (ASSAY_IS_CRITERION_ROW (self), ASSAY_CRITERION_UNSET);
  return self->value;
}

static void
assay_criterion_row_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_VALUE)
    g_value_set_int (value, ASSAY_CRITERION_ROW (object)->value);
  else if (id == PROP_WORDS)
    g_value_set_string (value, assay_criterion_row_get_words (ASSAY_CRITERION_ROW (object)));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
assay_criterion_row_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  if (id == PROP_VALUE)
    assay_criterion_row_set_value (ASSAY_CRITERION_ROW (object), g_value_get_int (value));
  else if (id == PROP_WORDS)
    assay_criterion_row_set_words (ASSAY_CRITERION_ROW (object), g_value_get_string (value));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
assay_criterion_row_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), ASSAY_TYPE_CRITERION_ROW);
  G_OBJECT_CLASS (assay_criterion_row_parent_class)->dispose (object);
}

static void
assay_criterion_row_finalize (GObject *object)
{
  g_free (ASSAY_CRITERION_ROW (object)->id);
  G_OBJECT_CLASS (assay_criterion_row_parent_class)->finalize (object);
}

static void
assay_criterion_row_class_init (AssayCriterionRowClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = assay_criterion_row_dispose;
  object_class->finalize = assay_criterion_row_finalize;
  object_class->get_property = assay_criterion_row_get_property;
  object_class->set_property = assay_criterion_row_set_property;
  properties[PROP_VALUE]
      = g_param_spec_int ("value", NULL, NULL, ASSAY_CRITERION_UNSET, 5, ASSAY_CRITERION_UNSET,
                          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY);
  properties[PROP_WORDS] = g_param_spec_string ("words", NULL, NULL, "",
                                                G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY);
  g_object_class_install_properties (object_class, N_PROPS, properties);
  gtk_widget_class_set_css_name (widget_class, "row"); /* for the theme's focus ring */
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_RADIO_GROUP);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/io/github/assay/Assay/ui/assay-criterion-row.ui");
  gtk_widget_class_bind_template_child (widget_class, AssayCriterionRow, top);
  gtk_widget_class_bind_template_child (widget_class, AssayCriterionRow, buttons);
  gtk_widget_class_bind_template_child (widget_class, AssayCriterionRow, ends);
  gtk_widget_class_bind_template_child (widget_class, AssayCriterionRow, label);
  gtk_widget_class_bind_template_child (widget_class, AssayCriterionRow, low);
  gtk_widget_class_bind_template_child (widget_class, AssayCriterionRow, high);
  gtk_widget_class_bind_template_callback (widget_class, on_key_pressed);
}

static void
assay_criterion_row_init (AssayCriterionRow *self)
{
  self->value = ASSAY_CRITERION_UNSET;
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_widget_add_css_class (GTK_WIDGET (self), "criterion");
}

GtkWidget *
assay_criterion_row_new (const AssayCriterion *criterion)
{
  AssayCriterionRow *self = g_object_new (ASSAY_TYPE_CRITERION_ROW, NULL);
  g_autofree char *label = assay_criterion_dup_label (criterion);
  g_autofree char *low = criterion->low != NULL ? assay_display_line (criterion->low, 80) : g_strdup ("");
  g_autofree char *high = criterion->high != NULL ? assay_display_line (criterion->high, 80) : g_strdup ("");

  self->id = g_strdup (criterion->id);
  self->kind = criterion->kind;
  self->per_question = criterion->per_question;
  g_autofree char *shown = criterion->required ? g_strdup_printf (_("%s (required)"), label) : NULL;
  gtk_label_set_text (self->label, shown != NULL ? shown : label);
  gtk_label_set_text (self->low, low);
  gtk_label_set_text (self->high, high);
  gtk_widget_set_visible (GTK_WIDGET (self->ends), self->kind == ASSAY_CRITERION_SCALE);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->label), criterion->id);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, label,
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, _("not rated"), -1);
  row_add_choices (self);
  return GTK_WIDGET (self);
}
