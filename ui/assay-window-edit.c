/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-window-edit.c: undo and deletions, what was done told in passing, and the parts of the menu that change: the
 * next step to undo, the ledgers opened last, the folders shown. */
#include "assay-window-private.h"

#include <glib/gi18n-lib.h>

#include "assay-recent.h"
#include "assay-rubric-editor.h"

#define RECENT_IN_MENU 10
#define RECENT_ON_START 5
#define TOAST_SECONDS 30 /* time to read it, and to find the way back, by keyboard too */

/* ---- told in passing ---- */

static void
window_on_happened (AssayWindow *self, const char *message, const char *action, const char *label, GVariant *argument)
{
  g_autofree char *escaped = g_markup_escape_text (message, -1);
  AdwToast *toast = adw_toast_new (escaped);
  adw_toast_set_timeout (toast, TOAST_SECONDS);
  if (action != NULL)
    {
      adw_toast_set_button_label (toast, label);
      adw_toast_set_action_name (toast, action);
      adw_toast_set_action_target_value (toast, argument);
    }
  if (self->toast != NULL)
    adw_toast_dismiss (self->toast);
  g_set_weak_pointer (&self->toast, toast);
  adw_toast_overlay_add_toast (self->toasts, toast);
}

/* ---- undo ---- */

static char *
editable_dup_text (GtkWidget *widget)
{
  if (GTK_IS_EDITABLE (widget))
    return g_strdup (gtk_editable_get_text (GTK_EDITABLE (widget)));
  GtkTextIter start, end;
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (widget));
  gtk_text_buffer_get_bounds (buffer, &start, &end);
  return gtk_text_buffer_get_text (buffer, &start, &end, TRUE);
}

/* Where a person is typing, the keys mean the typing, as long as there is some to take back. */
static gboolean
window_undo_typing (AssayWindow *self, const char *action)
{
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (self));
  if (focus == NULL || !(GTK_IS_EDITABLE (focus) || GTK_IS_TEXT_VIEW (focus)))
    return FALSE;
  g_autofree char *before = editable_dup_text (focus);
  gtk_widget_activate_action (focus, action, NULL);
  g_autofree char *after = editable_dup_text (focus);
  return g_strcmp0 (before, after) != 0;
}

static void
on_undo (GtkWidget *widget, const char *name, GVariant *argument)
{
  AssayWindow *self = ASSAY_WINDOW (widget);
  if (!window_undo_typing (self, "text.undo"))
    assay_session_undo (self->session);
}

static void
on_redo (GtkWidget *widget, const char *name, GVariant *argument)
{
  AssayWindow *self = ASSAY_WINDOW (widget);
  if (!window_undo_typing (self, "text.redo"))
    assay_session_redo (self->session);
}

/* A toast offers to undo the step that was the newest when it came. */
static void
window_refresh_undo (AssayWindow *self)
{
  const char *undo = self->undo != NULL ? assay_undo_get_undo_label (self->undo) : NULL;
  const char *redo = self->undo != NULL ? assay_undo_get_redo_label (self->undo) : NULL;
  g_menu_remove_all (self->edit_section);
  if (undo != NULL)
    g_menu_append (self->edit_section, undo, "win.undo");
  if (redo != NULL)
    g_menu_append (self->edit_section, redo, "win.redo");
  if (self->toast != NULL && g_strcmp0 (adw_toast_get_action_name (self->toast), "win.undo") == 0)
    adw_toast_dismiss (self->toast);
}

static void
window_on_undo (AssayWindow *self)
{
  AssayUndo *undo = assay_session_get_undo (self->session);
  if (self->undo != NULL)
    g_signal_handlers_disconnect_by_func (self->undo, window_refresh_undo, self);
  g_set_object (&self->undo, undo);
  if (undo != NULL)
    g_signal_connect_object (undo, "notify::redo-label", G_CALLBACK (window_refresh_undo), self, G_CONNECT_SWAPPED);
  window_refresh_undo (self);
}

/* ---- deletions and copies ---- */

static void
on_delete_run (GtkWidget *widget, const char *name, GVariant *argument)
{
  assay_session_delete_run (ASSAY_WINDOW (widget)->session, g_variant_get_bytestring (argument));
}

static void
on_delete_review (GtkWidget *widget, const char *name, GVariant *argument)
{
  const char *run, *review;
  g_variant_get (argument, "(^&ay^&ay)", &run, &review);
  assay_session_delete_review (ASSAY_WINDOW (widget)->session, run, review);
}

static void
on_edit_thresholds (GtkWidget *widget, const char *name, GVariant *argument)
{
  AssayWindow *self = ASSAY_WINDOW (widget);
  AssayLedger *ledger = assay_session_get_ledger (self->session);
  const char *gate = g_variant_get_string (argument, NULL);
  if (ledger == NULL || assay_ledger_is_read_only (ledger))
    {
      window_tell (self, "file", FALSE, _("This ledger is open for reading only: its thresholds stay."));
      return;
    }
  GtkWindow *editor = assay_rubric_editor_new (ledger, assay_session_get_record (self->session));
  gtk_window_set_transient_for (editor, GTK_WINDOW (self));
  gtk_window_present (editor);
  assay_rubric_editor_focus_gate (ASSAY_RUBRIC_EDITOR (editor),
                                  g_str_equal (gate, assay_gate_get_name (ASSAY_GATE_OPERATION))
                                    ? ASSAY_GATE_OPERATION : ASSAY_GATE_FEASIBILITY);
}

static void
on_rename_ledger (GtkWidget *widget, const char *name, GVariant *argument)
{
  AssayWindow *self = ASSAY_WINDOW (widget);
  if (assay_session_get_ledger (self->session) == NULL)
    {
      window_tell (self, "file", FALSE, _("Open a ledger to rename it."));
      return;
    }
  adw_flap_set_reveal_flap (self->flap, TRUE);
  assay_library_sidebar_rename (self->sidebar);
}

/* The argument's path; empty: the open ledger's. */
static const char *
window_pick_path (AssayWindow *self, GVariant *argument)
{
  const char *path = g_variant_get_bytestring (argument);
  AssayLedger *ledger = assay_session_get_ledger (self->session);
  if (*path != '\0')
    return path;
  path = ledger != NULL ? assay_ledger_get_path (ledger) : NULL;
  if (path == NULL)
    window_tell (self, "file", FALSE, _("Open a ledger first."));
  return path;
}

static void
on_duplicate_ledger (GtkWidget *widget, const char *name, GVariant *argument)
{
  AssayWindow *self = ASSAY_WINDOW (widget);
  const char *path = window_pick_path (self, argument);
  if (path != NULL)
    assay_session_duplicate (self->session, path);
}

static void
on_trash_ledger (GtkWidget *widget, const char *name, GVariant *argument)
{
  AssayWindow *self = ASSAY_WINDOW (widget);
  const char *path = window_pick_path (self, argument);
  if (path == NULL)
    return;
  assay_recent_remove (path);
  assay_session_trash (self->session, path);
}

static void
on_restore_ledger (GtkWidget *widget, const char *name, GVariant *argument)
{
  assay_session_restore (ASSAY_WINDOW (widget)->session, g_variant_get_bytestring (argument));
}

/* ---- ledgers opened last ---- */

static GtkWidget *
recent_create_row (const AssayRecentLedger *ledger)
{
  g_autofree char *folder = g_path_get_dirname (ledger->path);
  g_autofree char *shown = g_filename_display_name (folder);
  g_autofree char *title = g_markup_escape_text (ledger->title, -1);
  g_autofree char *subtitle = g_markup_escape_text (shown, -1);
  GtkWidget *row = g_object_new (ADW_TYPE_ACTION_ROW, "title", title, "subtitle", subtitle, "title-lines", 1,
                                 "subtitle-lines", 1, "activatable", TRUE, "tooltip-text", shown, NULL);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (row), "win.open-ledger");
  gtk_actionable_set_action_target_value (GTK_ACTIONABLE (row), g_variant_new_bytestring (ledger->path));
  return row;
}

static void
window_refresh_recent (gpointer data)
{
  AssayWindow *self = ASSAY_WINDOW (data);
  g_autoptr(GPtrArray) list = assay_recent_list (RECENT_ON_START);
  g_autoptr(GMenuModel) menu = assay_recent_dup_menu (RECENT_IN_MENU);
  if (self->session == NULL)
    return;
  g_menu_remove_all (self->recent_menu);
  g_menu_append_section (self->recent_menu, NULL, menu);
  GtkListBoxRow *row;
  while ((row = gtk_list_box_get_row_at_index (GTK_LIST_BOX (self->recent_list), 0)) != NULL)
    gtk_list_box_remove (GTK_LIST_BOX (self->recent_list), GTK_WIDGET (row));
  for (guint i = 0; i < list->len; i++)
    gtk_list_box_append (GTK_LIST_BOX (self->recent_list), recent_create_row (g_ptr_array_index (list, i)));
  gtk_widget_set_visible (self->recent_box, list->len > 0);
  if (list->len > 0) /* who has been here before looks for these, also in a low window */
    gtk_widget_add_css_class (gtk_widget_get_ancestor (self->recent_box, ADW_TYPE_STATUS_PAGE), "compact");
}

/* Once it is a file: a new ledger is one only after its first run. */
static void
window_remember_recent (AssayWindow *self)
{
  AssayLedger *ledger = assay_session_get_ledger (self->session);
  const char *path = ledger != NULL ? assay_ledger_get_path (ledger) : NULL;
  if (path != NULL && assay_session_is_idle (self->session) && !assay_ledger_is_unsaved (ledger)
      && assay_ledger_get_n_runs (ledger) > 0)
    assay_recent_add (path, assay_ledger_get_title (ledger));
}

/* ---- folders of the library ---- */

static void
window_refresh_folders (AssayWindow *self)
{
  AssaySettings *settings = assay_session_get_settings (self->session);
  const char *const *folders = assay_settings_get_more_library_folders (settings);
  g_menu_remove_all (self->folder_section);
  for (guint i = 0; folders[i] != NULL; i++)
    {
      g_autofree char *name = g_filename_display_basename (folders[i]);
      g_auto(GStrv) parts = g_strsplit (name, "_", -1);
      g_autofree char *plain = g_strjoinv ("__", parts);
      g_autofree char *label = g_strdup_printf (_("Stop Showing the Folder “%s”"), plain);
      g_autoptr(GMenuItem) item = g_menu_item_new (label, NULL);
      g_menu_item_set_action_and_target_value (item, "win.remove-folder", g_variant_new_bytestring (folders[i]));
      g_menu_append_item (self->folder_section, item);
    }
}

void
window_install_edit_actions (GtkWidgetClass *widget_class)
{
  gtk_widget_class_install_action (widget_class, "win.undo", NULL, on_undo);
  gtk_widget_class_install_action (widget_class, "win.redo", NULL, on_redo);
  gtk_widget_class_install_action (widget_class, "win.delete-run", "ay", on_delete_run);
  gtk_widget_class_install_action (widget_class, "win.delete-review", "(ayay)", on_delete_review);
  gtk_widget_class_install_action (widget_class, "win.edit-thresholds", "s", on_edit_thresholds);
  gtk_widget_class_install_action (widget_class, "win.rename-ledger", NULL, on_rename_ledger);
  gtk_widget_class_install_action (widget_class, "win.duplicate-ledger", "ay", on_duplicate_ledger);
  gtk_widget_class_install_action (widget_class, "win.trash-ledger", "ay", on_trash_ledger);
  gtk_widget_class_install_action (widget_class, "win.restore-ledger", "ay", on_restore_ledger);
}

void
window_watch_edits (AssayWindow *self)
{
  AssaySession *session = self->session;
  g_signal_connect_object (session, "happened", G_CALLBACK (window_on_happened), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::undo", G_CALLBACK (window_on_undo), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::ledger", G_CALLBACK (window_remember_recent), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::idle", G_CALLBACK (window_remember_recent), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (assay_session_get_settings (session), "notify::more-library-folders",
                           G_CALLBACK (window_refresh_folders), self, G_CONNECT_SWAPPED);
  window_on_undo (self);
  window_refresh_folders (self);
  assay_recent_watch (G_OBJECT (self), window_refresh_recent);
}
