/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-criterion-editor.h"

#include <glib/gi18n-lib.h>

#include "assay-accessible.h"
#include "assay-criterion-row.h"

struct _AssayCriterionEditor
{
  AdwExpanderRow parent_instance;

  char *id;         /* owned; "" for a new one */
  char *label;      /* owned: the name that a criterion without one is shown by; NULL where it has one */
  char *problem;    /* owned, or NULL */
  gboolean loading;

  /* template children */
  GtkWidget *up, *down, *gone, *low_row, *high_row, *pass_row;
  GtkEntry *name, *low, *high;
  GtkDropDown *kind, *pass, *scope;
  GtkSwitch *required;
};

enum { CHANGED, MOVE, REMOVE, N_SIGNALS };

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (AssayCriterionEditor, assay_criterion_editor, ADW_TYPE_EXPANDER_ROW)

static AssayCriterionKind
editor_get_kind (AssayCriterionEditor *self)
{
  return (AssayCriterionKind) gtk_drop_down_get_selected (self->kind);
}

/* NULL where nothing was entered. (transfer full) */
static char *
entry_dup (GtkEntry *entry)
{
  g_autofree char *text = g_strdup (gtk_editable_get_text (GTK_EDITABLE (entry)));

  return *g_strstrip (text) != '\0' ? g_steal_pointer (&text) : NULL;
}

static gboolean
entry_has_text (GtkEntry *entry)
{
  g_autofree char *text = entry_dup (entry);

  return text != NULL;
}

gboolean
assay_criterion_editor_has_name (AssayCriterionEditor *self)
{
  g_return_val_if_fail (ASSAY_IS_CRITERION_EDITOR (self), FALSE);
  return entry_has_text (self->name);
}

AssayCriterion *
assay_criterion_editor_dup (AssayCriterionEditor *self)
{
  g_return_val_if_fail (ASSAY_IS_CRITERION_EDITOR (self), NULL);

  AssayCriterion *criterion = assay_criterion_new (self->id, editor_get_kind (self));
  criterion->label = entry_dup (self->name);
  if (self->label != NULL && g_strcmp0 (criterion->label, self->label) == 0)
    g_clear_pointer (&criterion->label, g_free); /* what was only shown was not entered */
  if (criterion->kind == ASSAY_CRITERION_SCALE)
    {
      criterion->low = entry_dup (self->low);
      criterion->high = entry_dup (self->high);
    }
  if (criterion->kind != ASSAY_CRITERION_FREE)
    criterion->pass = (int) gtk_drop_down_get_selected (self->pass);
  criterion->per_question = gtk_drop_down_get_selected (self->scope) == 1;
  criterion->required = gtk_switch_get_active (self->required);
  return criterion;
}

/* The place in the list is the threshold: none, then 1 to 5; or none, then yes. */
static void
editor_fill_pass (AssayCriterionEditor *self, guint pass)
{
  const gboolean scale = editor_get_kind (self) == ASSAY_CRITERION_SCALE;
  const char *const scores[] = { C_ ("threshold", "No threshold"), "1", "2", "3", "4", "5", NULL };
  const char *const answers[] = { C_ ("threshold", "No threshold"), _("Yes"), NULL };
  g_autoptr(GtkStringList) list = gtk_string_list_new (scale ? scores : answers);

  gtk_drop_down_set_model (self->pass, G_LIST_MODEL (list));
  gtk_drop_down_set_selected (self->pass, MIN (pass, scale ? 5 : 1));
}

static char *
editor_dup_summary (AssayCriterionEditor *self, const AssayCriterion *criterion)
{
  GtkStringObject *kind = GTK_STRING_OBJECT (gtk_drop_down_get_selected_item (self->kind));
  GtkStringObject *scope = GTK_STRING_OBJECT (gtk_drop_down_get_selected_item (self->scope));
  const char *of = gtk_string_object_get_string (kind), *asked = gtk_string_object_get_string (scope);

  /* Translators: the kind of a criterion, what it is asked of, and that it is required: “Yes or no · Each answer”. */
  return criterion->required ? g_strdup_printf (_("%s · %s · required"), of, asked)
                             : g_strdup_printf (C_ ("criterion", "%s · %s"), of, asked);
}

static void
button_name (GtkWidget *button, char *name_taken)
{
  g_autofree char *name = name_taken;

  gtk_widget_set_tooltip_text (button, name);
  assay_accessible_name (button, name);
}

static void
editor_name_buttons (AssayCriterionEditor *self, const char *label)
{
  button_name (self->up, g_strdup_printf (_("Move “%s” up"), label));
  button_name (self->down, g_strdup_printf (_("Move “%s” down"), label));
  button_name (self->gone, g_strdup_printf (_("Remove “%s”"), label));
}

static void
editor_update (AssayCriterionEditor *self)
{
  g_autoptr(AssayCriterion) criterion = assay_criterion_editor_dup (self);
  g_autofree char *summary = editor_dup_summary (self, criterion);
  const char *label = criterion->label != NULL ? criterion->label
                      : entry_has_text (self->name) ? self->label
                                                    : C_ ("criterion", "Without a name");
  const gboolean scale = criterion->kind == ASSAY_CRITERION_SCALE;

  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self), label);
  adw_expander_row_set_subtitle (ADW_EXPANDER_ROW (self), self->problem != NULL ? self->problem : summary);
  editor_name_buttons (self, label);
  gtk_widget_set_visible (self->low_row, scale);
  gtk_widget_set_visible (self->high_row, scale);
  gtk_widget_set_visible (self->pass_row, criterion->kind != ASSAY_CRITERION_FREE);
}

static void
on_changed (AssayCriterionEditor *self)
{
  if (self->loading)
    return;
  editor_update (self);
  g_signal_emit (self, signals[CHANGED], 0);
}

static void
on_kind_changed (AssayCriterionEditor *self)
{
  if (self->loading)
    return;
  self->loading = TRUE;
  editor_fill_pass (self, editor_get_kind (self) == ASSAY_CRITERION_SCALE ? 4 : 1);
  self->loading = FALSE;
  on_changed (self);
}

void
assay_criterion_editor_set_problem (AssayCriterionEditor *self, const char *problem)
{
  g_return_if_fail (ASSAY_IS_CRITERION_EDITOR (self));

  if (g_strcmp0 (problem, self->problem) == 0)
    return;
  g_free (self->problem);
  self->problem = g_strdup (problem);
  if (problem != NULL)
    gtk_widget_add_css_class (GTK_WIDGET (self), "criterion-problem");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (self), "criterion-problem");
  gtk_accessible_update_state (GTK_ACCESSIBLE (self->name), GTK_ACCESSIBLE_STATE_INVALID,
                               problem != NULL ? GTK_ACCESSIBLE_INVALID_TRUE : GTK_ACCESSIBLE_INVALID_FALSE, -1);
  editor_update (self);
}

void
assay_criterion_editor_set_place (AssayCriterionEditor *self, gboolean first, gboolean last)
{
  g_return_if_fail (ASSAY_IS_CRITERION_EDITOR (self));
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "criterion.up", !first);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "criterion.down", !last);
}

void
assay_criterion_editor_focus_name (AssayCriterionEditor *self)
{
  g_return_if_fail (ASSAY_IS_CRITERION_EDITOR (self));
  adw_expander_row_set_expanded (ADW_EXPANDER_ROW (self), TRUE);
  gtk_widget_grab_focus (GTK_WIDGET (self->name));
}

static void
on_move (GtkWidget *widget, const char *action, GVariant *parameter)
{
  g_signal_emit (widget, signals[MOVE], 0, g_str_equal (action, "criterion.up") ? -1 : 1);
}

static void
on_remove (GtkWidget *widget, const char *action, GVariant *parameter)
{
  g_signal_emit (widget, signals[REMOVE], 0);
}

static void
assay_criterion_editor_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), ASSAY_TYPE_CRITERION_EDITOR);
  G_OBJECT_CLASS (assay_criterion_editor_parent_class)->dispose (object);
}

static void
assay_criterion_editor_finalize (GObject *object)
{
  g_free (ASSAY_CRITERION_EDITOR (object)->id);
  g_free (ASSAY_CRITERION_EDITOR (object)->label);
  g_free (ASSAY_CRITERION_EDITOR (object)->problem);
  G_OBJECT_CLASS (assay_criterion_editor_parent_class)->finalize (object);
}

static void
class_install_signals (void)
{
  const GType type = ASSAY_TYPE_CRITERION_EDITOR;

  signals[CHANGED] = g_signal_new ("changed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[MOVE] = g_signal_new ("move", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_INT);
  signals[REMOVE] = g_signal_new ("remove", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
assay_criterion_editor_class_init (AssayCriterionEditorClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = assay_criterion_editor_dispose;
  G_OBJECT_CLASS (klass)->finalize = assay_criterion_editor_finalize;
  class_install_signals ();
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/io/github/assay/Assay/ui/assay-criterion-editor.ui");
#define CHILD(child) gtk_widget_class_bind_template_child (widget_class, AssayCriterionEditor, child)
  CHILD (up);
  CHILD (down);
  CHILD (gone);
  CHILD (low_row);
  CHILD (high_row);
  CHILD (pass_row);
  CHILD (name);
  CHILD (low);
  CHILD (high);
  CHILD (kind);
  CHILD (pass);
  CHILD (scope);
  CHILD (required);
#undef CHILD
  gtk_widget_class_bind_template_callback (widget_class, on_changed);
  gtk_widget_class_bind_template_callback (widget_class, on_kind_changed);
  gtk_widget_class_install_action (widget_class, "criterion.up", NULL, on_move);
  gtk_widget_class_install_action (widget_class, "criterion.down", NULL, on_move);
  gtk_widget_class_install_action (widget_class, "criterion.remove", NULL, on_remove);
}

static void
assay_criterion_editor_init (AssayCriterionEditor *self)
{
  self->loading = TRUE; /* the template's own selections are nobody's edit */
  gtk_widget_init_template (GTK_WIDGET (self));
}

static void
entry_set (GtkEntry *entry, const char *text)
{
  gtk_editable_set_text (GTK_EDITABLE (entry), text != NULL ? text : "");
}

GtkWidget *
assay_criterion_editor_new (const AssayCriterion *criterion)
{
  AssayCriterionEditor *self = g_object_new (ASSAY_TYPE_CRITERION_EDITOR, NULL);
  g_autofree char *label = *criterion->id != '\0' ? assay_criterion_dup_label (criterion) : NULL;

  self->id = g_strdup (criterion->id);
  self->label = criterion->label == NULL ? g_strdup (label) : NULL;
  entry_set (self->name, label);
  gtk_drop_down_set_selected (self->kind, criterion->kind);
  entry_set (self->low, criterion->low);
  entry_set (self->high, criterion->high);
  editor_fill_pass (self, (guint) MAX (criterion->pass, 0));
  gtk_drop_down_set_selected (self->scope, criterion->per_question ? 1 : 0);
  gtk_switch_set_active (self->required, criterion->required);
  self->loading = FALSE;
  editor_update (self);
  return GTK_WIDGET (self);
}
