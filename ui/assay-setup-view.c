/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-setup-view.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "assay-attachments-editor.h"
#include "assay-field-row.h"
#include "assay-fold-layout.h"
#include "assay-forecast-bar.h"
#include "assay-model-chooser.h"
#include "assay-question-chooser.h"
#include "assay-run-row.h"
#include "assay-runtime-editor.h"

struct _AssaySetupView
{
  GtkWidget parent_instance;
  AssaySession *session;   /* owned */
  GtkWidget *model_button; /* in the model section's heading */
  GtkWidget *model_reason; /* below it: why no model can be chosen */
  guint focusing;          /* source id */
  AssayTask built_for;     /* task of the rows there are; 0 none */

  /* template children */
  AssayForecastBar *forecast;
  GtkWidget *scroller, *left, *right, *lock_bar, *lock_label, *lock_button, *lock_list, *problem, *work;
};

G_DEFINE_FINAL_TYPE (AssaySetupView, assay_setup_view, GTK_TYPE_WIDGET)

/* The record's own order, down the left column and on in the right one. */
static const AssaySection left_sections[] = { ASSAY_SECTION_MODEL, ASSAY_SECTION_NUMBERS, ASSAY_SECTION_QUANTIZATION,
                                              ASSAY_SECTION_PLACEMENT };
static const AssaySection right_sections[] = { ASSAY_SECTION_INPUT_SCALE, ASSAY_SECTION_TASK, ASSAY_SECTION_LIMITS };

static const char *
field_get_label (AssayFieldId field)
{
  return g_dgettext (GETTEXT_PACKAGE, assay_field_get_info (field)->label);
}

static AssayDraft *
setup_get_draft (AssaySetupView *self)
{
  return assay_session_get_draft (self->session);
}

static void
setup_on_model_chosen (AssaySetupView *self, const char *path)
{
  gtk_menu_button_popdown (GTK_MENU_BUTTON (self->model_button));
  assay_session_choose_model (self->session, path);
}

static void
setup_on_file_wanted (AssaySetupView *self)
{
  gtk_menu_button_popdown (GTK_MENU_BUTTON (self->model_button));
  gtk_widget_activate_action (GTK_WIDGET (self), "win.choose-model-file", NULL);
}

static void
setup_on_chooser_shown (GtkWidget *chooser, AssaySetupView *self)
{
  AssaySettings *settings = assay_session_get_settings (self->session);
  assay_model_chooser_scan (ASSAY_MODEL_CHOOSER (chooser), assay_settings_get_model_folders (settings));
}

static GtkWidget *
setup_make_model_button (AssaySetupView *self)
{
  GtkWidget *chooser = assay_model_chooser_new ();
  GtkWidget *popover = gtk_popover_new ();
  gtk_popover_set_child (GTK_POPOVER (popover), chooser);
  g_signal_connect_object (chooser, "chosen", G_CALLBACK (setup_on_model_chosen), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (chooser, "file-wanted", G_CALLBACK (setup_on_file_wanted), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (chooser, "map", G_CALLBACK (setup_on_chooser_shown), self, 0);
  self->model_button = gtk_menu_button_new ();
  gtk_menu_button_set_label (GTK_MENU_BUTTON (self->model_button), _("Choose a Model…"));
  gtk_menu_button_set_popover (GTK_MENU_BUTTON (self->model_button), popover);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->model_button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _("Choose a model"), -1);
  return self->model_button;
}

static GtkWidget *
setup_make_model_reason (AssaySetupView *self)
{
  self->model_reason = g_object_new (GTK_TYPE_LABEL, "xalign", 0.0f, "wrap", TRUE, "natural-wrap-mode",
                                     GTK_NATURAL_WRAP_NONE, "max-width-chars", 46, "visible", FALSE, NULL);
  gtk_widget_add_css_class (self->model_reason, "caption");
  gtk_widget_add_css_class (self->model_reason, "dim-label");
  return self->model_reason;
}

/* What cannot be pressed says why, beside it and under the pointer. */
static void
setup_refresh_model (AssaySetupView *self)
{
  AssayDraft *draft = setup_get_draft (self);
  const AssayFieldId open = assay_draft_get_open_field (draft);
  const gboolean held = assay_draft_get_parent (draft) != NULL && !assay_draft_is_from_file (open);
  g_autofree char *reason
    = held ? g_strdup_printf (_("The model is held fixed, since this trial changes another thing: %s. To choose one, "
                                "change the model instead, or start a new baseline."), field_get_label (open)) : NULL;
  gtk_widget_set_sensitive (self->model_button, !held);
  gtk_widget_set_tooltip_text (self->model_button, reason);
  gtk_label_set_text (GTK_LABEL (self->model_reason), reason != NULL ? reason : "");
  gtk_widget_set_visible (self->model_reason, held);
}

void
assay_setup_view_choose_model (AssaySetupView *self)
{
  g_return_if_fail (ASSAY_IS_SETUP_VIEW (self));
  if (self->model_button != NULL && gtk_widget_get_sensitive (self->model_button))
    gtk_menu_button_popup (GTK_MENU_BUTTON (self->model_button));
}

/* The control of a field that is neither typed nor chosen from a list; NULL: the field's own. */
static GtkWidget *
setup_make_editor (AssaySetupView *self, AssayFieldId field)
{
  if (field == ASSAY_FIELD_QUESTION_SET)
    return assay_question_chooser_new (self->session);
  if (field == ASSAY_FIELD_ATTACHED_COMPONENTS)
    return assay_attachments_editor_new (setup_get_draft (self));
  if (field == ASSAY_FIELD_PROGRAM || field == ASSAY_FIELD_RECIPE)
    return assay_runtime_editor_new (setup_get_draft (self), field);
  return NULL;
}

static void
setup_add_section (AssaySetupView *self, GtkWidget *column, AssaySection section)
{
  GtkWidget *list = gtk_list_box_new ();
  AssayDraft *draft = setup_get_draft (self);
  guint n = 0;
  for (guint f = 0; f < ASSAY_N_FIELDS; f++)
    {
      if (assay_field_get_info (f)->section != section || !assay_draft_shows (draft, f))
        continue;
      GtkWidget *editor = setup_make_editor (self, f);
      gtk_list_box_append (GTK_LIST_BOX (list), assay_field_row_new (draft, f, editor));
      n++;
    }
  gtk_list_box_set_selection_mode (GTK_LIST_BOX (list), GTK_SELECTION_NONE);
  gtk_widget_add_css_class (list, "boxed-list");
  GtkWidget *heading = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *title = gtk_label_new (assay_section_get_title (section));
  gtk_widget_set_size_request (heading, -1, 34); /* as high with a button as without: the columns stay level */
  gtk_label_set_xalign (GTK_LABEL (title), 0);
  gtk_widget_set_hexpand (title, TRUE);
  gtk_widget_add_css_class (title, "heading");
  gtk_box_append (GTK_BOX (heading), title);
  if (section == ASSAY_SECTION_MODEL)
    gtk_box_append (GTK_BOX (heading), setup_make_model_button (self));
  gtk_accessible_update_property (GTK_ACCESSIBLE (list), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  assay_section_get_title (section), -1);
  gtk_widget_set_visible (list, n > 0);
  gtk_widget_set_visible (heading, n > 0);
  gtk_box_append (GTK_BOX (column), heading);
  if (section == ASSAY_SECTION_MODEL)
    gtk_box_append (GTK_BOX (column), setup_make_model_reason (self));
  gtk_box_append (GTK_BOX (column), list);
}

static void
setup_clear (GtkWidget *column)
{
  GtkWidget *child;
  while ((child = gtk_widget_get_first_child (column)) != NULL)
    gtk_box_remove (GTK_BOX (column), child);
}

static void
setup_build (AssaySetupView *self)
{
  const AssayTask task = assay_draft_get_task (setup_get_draft (self));
  if (task == self->built_for)
    return;
  self->built_for = task;
  setup_clear (self->left);
  setup_clear (self->right);
  for (guint i = 0; i < G_N_ELEMENTS (left_sections); i++)
    setup_add_section (self, self->left, left_sections[i]);
  for (guint i = 0; i < G_N_ELEMENTS (right_sections); i++)
    setup_add_section (self, self->right, right_sections[i]);
}

static GtkWidget *
column_find_row (GtkWidget *column, AssayFieldId field)
{
  for (GtkWidget *list = gtk_widget_get_first_child (column); list != NULL; list = gtk_widget_get_next_sibling (list))
    for (GtkWidget *row = gtk_widget_get_first_child (list); row != NULL; row = gtk_widget_get_next_sibling (row))
      if (ASSAY_IS_FIELD_ROW (row) && assay_field_row_get_field (ASSAY_FIELD_ROW (row)) == field)
        return row;
  return NULL;
}

/* Where `widget` lies in what `scroller` scrolls, wherever that is scrolled to; `scroller` shows it whole, from its top
 * if it is higher. Returns: its top as it then lies in the scroller. */
static double
scroller_show (GtkWidget *scroller, GtkWidget *widget, double top, double height)
{
  GtkWidget *content = gtk_scrolled_window_get_child (GTK_SCROLLED_WINDOW (scroller));
  GtkAdjustment *scroll = gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (scroller));
  graphene_rect_t bounds;
  if (GTK_IS_VIEWPORT (content))
    content = gtk_viewport_get_child (GTK_VIEWPORT (content));
  if (!gtk_widget_compute_bounds (widget, content, &bounds))
    return top;
  const double y = bounds.origin.y + top, page = gtk_adjustment_get_page_size (scroll);
  const double value = gtk_adjustment_get_value (scroll);
  gtk_adjustment_set_value (scroll, MIN (y, MAX (value, y + height - page)));
  return y - gtk_adjustment_get_value (scroll);
}

/* The form scrolls, and in a low window so does the view around it. GTK brings the focus into sight in each by where it
 * lay before the other scrolled. */
static void
setup_scroll_to (GtkWidget *row)
{
  const double height = gtk_widget_get_height (row);
  GtkWidget *inner = row, *scroller;
  double top = 0;
  while ((scroller = gtk_widget_get_ancestor (gtk_widget_get_parent (inner), GTK_TYPE_SCROLLED_WINDOW)) != NULL)
    {
      top = scroller_show (scroller, inner, top, height);
      inner = scroller;
    }
}

static gboolean
setup_focus_open_field (gpointer data)
{
  AssaySetupView *self = data;
  const AssayFieldId open = assay_draft_get_open_field (setup_get_draft (self));
  GtkWidget *row = open < ASSAY_N_FIELDS ? column_find_row (self->left, open) : NULL;
  if (row == NULL && open < ASSAY_N_FIELDS)
    row = column_find_row (self->right, open);
  if (row != NULL && gtk_widget_get_mapped (row) && gtk_widget_get_height (row) == 0)
    return G_SOURCE_CONTINUE; /* on a busy machine: not laid out yet */
  self->focusing = 0;
  if (open >= ASSAY_N_FIELDS || !gtk_widget_get_mapped (GTK_WIDGET (self)))
    return G_SOURCE_REMOVE;
  GtkWidget *focus = gtk_root_get_focus (gtk_widget_get_root (GTK_WIDGET (self)));
  if (row != NULL && (focus == NULL || !gtk_widget_is_ancestor (focus, row)))
    gtk_widget_child_focus (row, GTK_DIR_TAB_FORWARD);
  if (row != NULL)
    setup_scroll_to (row);
  return G_SOURCE_REMOVE;
}

/* In a low window the view around the form scrolls first, since the form keeps every turn of the wheel for itself: what
 * lies above it could not be reached again. */
static gboolean
on_wheel (GtkEventControllerScroll *wheel, double dx, double dy, AssaySetupView *self)
{
  GtkWidget *around = gtk_widget_get_ancestor (GTK_WIDGET (self), GTK_TYPE_SCROLLED_WINDOW);
  if (around == NULL)
    return GDK_EVENT_PROPAGATE;
  GtkAdjustment *scroll = gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (around));
  const double before = gtk_adjustment_get_value (scroll), page = gtk_adjustment_get_page_size (scroll);
  const gboolean turns = gtk_event_controller_scroll_get_unit (wheel) == GDK_SCROLL_UNIT_WHEEL;
  gtk_adjustment_set_value (scroll, before + dy * (turns ? pow (page, 2.0 / 3.0) : 1.0)); /* GTK's own step */
  return gtk_adjustment_get_value (scroll) != before;
}

/* Later, when the rows have been laid out: the focus scrolls to where they are then. */
void
assay_setup_view_show_open_field (AssaySetupView *self)
{
  g_return_if_fail (ASSAY_IS_SETUP_VIEW (self));
  if (self->focusing == 0)
    self->focusing = g_timeout_add (100, setup_focus_open_field, self);
}

static GtkWidget *
setup_make_lock_row (AssayFieldId field)
{
  const AssayFieldInfo *info = assay_field_get_info (field);
  GtkWidget *row = gtk_list_box_row_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *label = g_object_new (GTK_TYPE_LABEL, "label", field_get_label (field), "xalign", 0.0f, "hexpand", TRUE, NULL);
  GtkWidget *name = gtk_label_new (info->name);
  gtk_widget_add_css_class (name, "record-name");
  gtk_widget_add_css_class (name, "dim-label");
  gtk_box_append (GTK_BOX (box), label);
  gtk_box_append (GTK_BOX (box), name);
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), box);
  g_object_set_data (G_OBJECT (row), "field", GUINT_TO_POINTER (field));
  gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_LABEL, field_get_label (field), -1);
  return row;
}

static void
setup_fill_lock_list (AssaySetupView *self)
{
  GtkWidget *child;
  AssayDraft *draft = setup_get_draft (self);
  while ((child = gtk_widget_get_first_child (self->lock_list)) != NULL)
    gtk_list_box_remove (GTK_LIST_BOX (self->lock_list), child);
  for (guint f = 0; f < ASSAY_N_FIELDS; f++)
    if (assay_draft_can_unlock (draft, f) && f != assay_draft_get_open_field (draft) &&
        assay_draft_get_idle_reason (draft, f) == NULL)
      gtk_list_box_append (GTK_LIST_BOX (self->lock_list), setup_make_lock_row (f));
}

static void
on_lock_chosen (AssaySetupView *self, GtkListBoxRow *row)
{
  const AssayFieldId field = GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (row), "field"));
  gtk_menu_button_popdown (GTK_MENU_BUTTON (self->lock_button));
  assay_draft_move_lock (setup_get_draft (self), field);
}

static void
on_baseline_clicked (AssaySetupView *self)
{
  assay_session_new_baseline (self->session);
}

static void
setup_refresh_lock (AssaySetupView *self)
{
  AssayDraft *draft = setup_get_draft (self);
  AssayRecord *parent = assay_draft_get_parent (draft);
  const AssayFieldId open = assay_draft_get_open_field (draft);
  gtk_widget_set_visible (self->lock_bar, parent != NULL);
  setup_refresh_model (self);
  if (parent == NULL)
    {
      GtkAdjustment *scroll = gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (self->scroller));
      gtk_adjustment_set_value (scroll, 0); /* a fresh form begins at its top */
      return;
    }
  const char *id = assay_run_get_short_id (assay_record_get_id (parent));
  const char *name = field_get_label (open);
  g_autofree char *text =
    assay_draft_is_from_file (open)
      ? g_strdup_printf (_("Continues %s. One thing changes: %s, by choosing another model file. Everything else is held fixed."), id, name)
      : g_strdup_printf (_("Continues %s. One thing changes: %s. Everything else is held fixed."), id, name);
  gtk_label_set_text (GTK_LABEL (self->lock_label), text);
  setup_fill_lock_list (self);
  assay_setup_view_show_open_field (self);
}

static void
setup_on_ledger (AssaySetupView *self)
{
  setup_build (self);
  setup_refresh_lock (self);
}

/* The lines of what keeps it from running, but for the one that the forecast tells, just above. (transfer full) */
static char *
setup_dup_problem (AssaySetupView *self)
{
  const char *problem = assay_draft_get_problem (setup_get_draft (self));
  const char *told = assay_forecast_bar_get_problem (self->forecast);
  g_auto(GStrv) lines = g_strsplit (problem != NULL ? problem : "", "\n", -1);
  GString *rest = g_string_new (NULL);
  for (char **line = lines; *line != NULL; line++)
    if (g_strcmp0 (*line, told) != 0)
      g_string_append_printf (rest, "%s%s", rest->len > 0 ? "\n" : "", *line);
  return g_string_free (rest, FALSE);
}

static void
setup_refresh_problem (AssaySetupView *self)
{
  const char *work = assay_session_get_work (self->session);
  g_autofree char *problem = setup_dup_problem (self);
  gtk_label_set_text (GTK_LABEL (self->work), work != NULL ? work : "");
  gtk_widget_set_visible (self->work, work != NULL);
  gtk_label_set_text (GTK_LABEL (self->problem), problem);
  gtk_widget_set_visible (self->problem, *problem != '\0' && work == NULL);
}

void
assay_setup_view_set_session (AssaySetupView *self, AssaySession *session)
{
  g_return_if_fail (ASSAY_IS_SETUP_VIEW (self) && self->session == NULL);
  self->session = g_object_ref (session);
  AssayDraft *draft = assay_session_get_draft (session);
  assay_forecast_bar_set_session (self->forecast, session);
  setup_build (self);
  g_signal_connect_object (draft, "notify::open-field", G_CALLBACK (setup_refresh_lock), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (draft, "notify::parent", G_CALLBACK (setup_refresh_lock), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (draft, "notify::problem", G_CALLBACK (setup_refresh_problem), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->forecast, "notify::problem", G_CALLBACK (setup_refresh_problem), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::work", G_CALLBACK (setup_refresh_problem), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::ledger", G_CALLBACK (setup_on_ledger), self, G_CONNECT_SWAPPED);
  setup_refresh_lock (self);
  setup_refresh_problem (self);
}

static void
assay_setup_view_dispose (GObject *object)
{
  AssaySetupView *self = ASSAY_SETUP_VIEW (object);
  GtkWidget *child;
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (object))) != NULL)
    gtk_widget_unparent (child);
  self->model_button = self->model_reason = NULL;
  g_clear_handle_id (&self->focusing, g_source_remove);
  g_clear_object (&self->session);
  gtk_widget_dispose_template (GTK_WIDGET (object), ASSAY_TYPE_SETUP_VIEW);
  G_OBJECT_CLASS (assay_setup_view_parent_class)->dispose (object);
}

static void
assay_setup_view_class_init (AssaySetupViewClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = assay_setup_view_dispose;
  g_type_ensure (ASSAY_TYPE_FORECAST_BAR);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  g_type_ensure (ASSAY_TYPE_FOLD_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class, "/io/github/assay/Assay/ui/assay-setup-view.ui");
#define CHILD(name) gtk_widget_class_bind_template_child (widget_class, AssaySetupView, name)
  CHILD (forecast);
  CHILD (scroller);
  CHILD (left);
  CHILD (right);
  CHILD (lock_bar);
  CHILD (lock_label);
  CHILD (lock_button);
  CHILD (lock_list);
  CHILD (problem);
  CHILD (work);
#undef CHILD
  gtk_widget_class_bind_template_callback (widget_class, on_wheel);
  gtk_widget_class_bind_template_callback (widget_class, on_lock_chosen);
  gtk_widget_class_bind_template_callback (widget_class, on_baseline_clicked);
}

static void
assay_setup_view_init (AssaySetupView *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
