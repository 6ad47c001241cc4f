/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-sweep-panel.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "assay-field-choices.h"

struct _AssaySweepPanel
{
  GtkWidget parent_instance;
  AssaySession *session; /* owned */
  AssaySweep *sweep;     /* owned: what the values make; NULL: nothing */

  /* template children */
  GtkLabel *heading, *hint, *told;
  GtkEditable *values;
  GtkFlowBox *offered;
  GtkWidget *add_button;
};

G_DEFINE_FINAL_TYPE (AssaySweepPanel, assay_sweep_panel, GTK_TYPE_WIDGET)

static AssayFieldId
panel_get_field (AssaySweepPanel *self)
{
  AssayDraft *draft = assay_session_get_draft (self->session);
  return assay_draft_get_parent (draft) != NULL ? assay_draft_get_open_field (draft) : ASSAY_FIELD_INVALID;
}

static char *
sweep_dup_words (AssaySweep *sweep)
{
  g_autofree char *count
    = g_strdup_printf (ngettext ("This makes %u trial.", "This makes %u trials.", sweep->planned->len), sweep->planned->len);
  GString *words = g_string_new (count);
  for (guint i = 0; i < sweep->told->len; i++)
    g_string_append_printf (words, "\n%s", (const char *) sweep->told->pdata[i]);
  return g_string_free (words, FALSE);
}

static void
on_changed (AssaySweepPanel *self)
{
  const char *text = gtk_editable_get_text (self->values);
  g_autoptr(GError) error = NULL;
  g_autofree char *words = NULL;
  g_clear_pointer (&self->sweep, assay_sweep_free);
  if (*text != '\0')
    self->sweep = assay_session_read_sweep (self->session, text, &error);
  if (self->sweep != NULL)
    words = sweep_dup_words (self->sweep);
  gtk_label_set_text (self->told, words != NULL ? words : error != NULL ? error->message : "");
  gtk_widget_set_visible (GTK_WIDGET (self->told), *text != '\0');
  gtk_widget_set_sensitive (self->add_button, self->sweep != NULL);
}

static void
on_add (AssaySweepPanel *self)
{
  g_autoptr(AssaySweep) sweep = g_steal_pointer (&self->sweep);
  if (sweep == NULL)
    return;
  assay_sweep_panel_close (self);
  assay_session_add_sweep (self->session, sweep);
}

/* Adds a value that is offered, or takes it away again. */
static void
on_offered (GtkToggleButton *button, AssaySweepPanel *self)
{
  const char *value = g_object_get_data (G_OBJECT (button), "value");
  g_auto(GStrv) parts = g_strsplit (gtk_editable_get_text (self->values), ",", -1);
  g_autoptr(GString) text = g_string_new (NULL);
  for (char **part = parts; *part != NULL; part++)
    if (*g_strstrip (*part) != '\0' && !g_str_equal (*part, value))
      g_string_append_printf (text, "%s%s", text->len > 0 ? ", " : "", *part);
  if (gtk_toggle_button_get_active (button))
    g_string_append_printf (text, "%s%s", text->len > 0 ? ", " : "", value);
  gtk_editable_set_text (self->values, text->str);
}

static void
panel_offer (AssaySweepPanel *self, AssayFieldId field, const char *value)
{
  g_autofree char *label = assay_field_choices_dup_label (field, value);
  GtkWidget *button = gtk_toggle_button_new_with_label (label), *child = gtk_flow_box_child_new ();
  g_object_set_data_full (G_OBJECT (button), "value", g_strdup (value), g_free);
  g_signal_connect_object (button, "toggled", G_CALLBACK (on_offered), self, 0);
  gtk_widget_set_focusable (child, FALSE);
  gtk_flow_box_child_set_child (GTK_FLOW_BOX_CHILD (child), button);
  gtk_flow_box_append (self->offered, child);
}

static void
panel_offer_all (AssaySweepPanel *self, AssayFieldId field)
{
  GtkFlowBoxChild *child;
  while ((child = gtk_flow_box_get_child_at_index (self->offered, 0)) != NULL)
    gtk_flow_box_remove (self->offered, GTK_WIDGET (child));
  const char *const *choices = field < ASSAY_N_FIELDS && assay_sweep_can (field) ? assay_field_choices_get (field) : NULL;
  AssayDraft *draft = assay_session_get_draft (self->session);
  for (; choices != NULL && *choices != NULL; choices++)
    {
      g_autofree char *problem = assay_draft_dup_choice_problem (draft, field, *choices);
      if (problem == NULL)
        panel_offer (self, field, *choices);
    }
  gtk_widget_set_visible (GTK_WIDGET (self->offered), gtk_flow_box_get_child_at_index (self->offered, 0) != NULL);
}

static gboolean
field_is_number (AssayFieldId field)
{
  const AssayFieldType type = assay_field_get_info (field)->type;
  return type == ASSAY_VALUE_TYPE_INTEGER || type == ASSAY_VALUE_TYPE_REAL;
}

static void
panel_show_field (AssaySweepPanel *self, AssayFieldId field)
{
  const gboolean can = field < ASSAY_N_FIELDS && assay_sweep_can (field);
  g_autofree char *heading
    = can ? g_strdup_printf (_("Run it with %s at each of these values"), _(assay_field_get_info (field)->label))
      : field < ASSAY_N_FIELDS
        ? g_strdup_printf (_("%s comes with the model's file: add each file to the queue as a trial of its own."),
                           _(assay_field_get_info (field)->label))
        : g_strdup (_("A sweep continues a run with one field at several values: continue a run first."));
  gtk_label_set_text (self->heading, heading);
  gtk_widget_set_visible (GTK_WIDGET (self->values), can);
  gtk_widget_set_visible (self->add_button, can);
  gtk_widget_set_visible (GTK_WIDGET (self->hint), can && field_is_number (field));
  /* Translators: the signs are typed as they stand; the numbers are examples */
  gtk_label_set_text (self->hint, _("512, 1024, 2048, or 512..4096x2 for a factor, 0..1+0.25 for a step"));
}

static void
panel_refresh (AssaySweepPanel *self)
{
  const AssayFieldId field = panel_get_field (self);
  gtk_editable_set_text (self->values, "");
  panel_show_field (self, field);
  panel_offer_all (self, field);
  on_changed (self);
}

/* Another lock was opened, or another run is continued. */
static void
panel_follow (AssaySweepPanel *self)
{
  if (gtk_widget_get_visible (GTK_WIDGET (self)))
    panel_refresh (self);
}

void
assay_sweep_panel_open (AssaySweepPanel *self)
{
  g_return_if_fail (ASSAY_IS_SWEEP_PANEL (self));
  panel_refresh (self);
  gtk_widget_set_visible (GTK_WIDGET (self), TRUE);
  if (gtk_widget_get_visible (GTK_WIDGET (self->values)))
    gtk_widget_grab_focus (GTK_WIDGET (self->values));
}

void
assay_sweep_panel_close (AssaySweepPanel *self)
{
  g_return_if_fail (ASSAY_IS_SWEEP_PANEL (self));
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
}

static gboolean
on_key (AssaySweepPanel *self, guint keyval, guint keycode, GdkModifierType state)
{
  if (keyval != GDK_KEY_Escape)
    return GDK_EVENT_PROPAGATE;
  assay_sweep_panel_close (self);
  return GDK_EVENT_STOP;
}

void
assay_sweep_panel_set_session (AssaySweepPanel *self, AssaySession *session)
{
  g_return_if_fail (ASSAY_IS_SWEEP_PANEL (self) && self->session == NULL);
  AssayDraft *draft = assay_session_get_draft (session);
  self->session = g_object_ref (session);
  g_signal_connect_object (draft, "notify::open-field", G_CALLBACK (panel_follow), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (draft, "notify::parent", G_CALLBACK (panel_follow), self, G_CONNECT_SWAPPED);
}

static void
assay_sweep_panel_dispose (GObject *object)
{
  AssaySweepPanel *self = ASSAY_SWEEP_PANEL (object);
  g_clear_object (&self->session);
  g_clear_pointer (&self->sweep, assay_sweep_free);
  GtkWidget *child;
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (object))) != NULL) /* the template drops those it binds only */
    gtk_widget_unparent (child);
  gtk_widget_dispose_template (GTK_WIDGET (object), ASSAY_TYPE_SWEEP_PANEL);
  G_OBJECT_CLASS (assay_sweep_panel_parent_class)->dispose (object);
}

static void
assay_sweep_panel_class_init (AssaySweepPanelClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = assay_sweep_panel_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class, "/io/github/assay/Assay/ui/assay-sweep-panel.ui");
#define CHILD(name) gtk_widget_class_bind_template_child (widget_class, AssaySweepPanel, name)
  CHILD (heading);
  CHILD (hint);
  CHILD (told);
  CHILD (values);
  CHILD (offered);
  CHILD (add_button);
#undef CHILD
  gtk_widget_class_bind_template_callback (widget_class, on_changed);
  gtk_widget_class_bind_template_callback (widget_class, on_add);
  gtk_widget_class_bind_template_callback (widget_class, on_key);
  gtk_widget_class_bind_template_callback (widget_class, assay_sweep_panel_close);
}

static void
assay_sweep_panel_init (AssaySweepPanel *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
