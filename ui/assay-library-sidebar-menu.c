/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-library-sidebar-menu.c: what a row of the library offers by the second button and by keys, and renaming. */
#include <glib/gi18n-lib.h>

#include "assay-ledger-row.h"
#include "assay-library-sidebar-private.h"
#include "assay-run-row.h"

static gboolean
popover_drop (gpointer popover)
{
  gtk_widget_unparent (popover);
  return G_SOURCE_REMOVE;
}

static void
on_popover_closed (GtkWidget *popover)
{
  /* The entry that was chosen is still to be done. */
  g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, popover_drop, g_object_ref (popover), g_object_unref);
}

/* At `at` in the row, or at the whole of it. The sidebar holds it, since rows come and go, also by what is chosen here. */
static void
sidebar_pop_up (AssayLibrarySidebar *self, GtkWidget *popover, GtkWidget *row, const GdkRectangle *at)
{
  graphene_rect_t bounds;
  gtk_widget_set_parent (popover, GTK_WIDGET (self));
  if (gtk_widget_compute_bounds (row, GTK_WIDGET (self), &bounds))
    {
      const int x = bounds.origin.x, y = bounds.origin.y;
      const GdkRectangle whole = { x, y, bounds.size.width, bounds.size.height };
      gtk_popover_set_pointing_to (GTK_POPOVER (popover),
                                   at != NULL ? &(GdkRectangle){ x + at->x, y + at->y, 1, 1 } : &whole);
    }
  g_signal_connect (popover, "closed", G_CALLBACK (on_popover_closed), NULL);
  gtk_popover_popup (GTK_POPOVER (popover));
}

static void
sidebar_pop_up_menu (AssayLibrarySidebar *self, GtkWidget *row, GMenuModel *model, const GdkRectangle *at)
{
  GtkWidget *popover = gtk_popover_menu_new_from_model (model);
  gtk_popover_set_has_arrow (GTK_POPOVER (popover), FALSE);
  gtk_widget_set_halign (popover, GTK_ALIGN_START);
  sidebar_pop_up (self, popover, row, at);
}

static void
menu_append_path (GMenu *menu, const char *label, const char *action, const char *path)
{
  g_autoptr(GMenuItem) item = g_menu_item_new (label, NULL);
  g_menu_item_set_action_and_target_value (item, action, g_variant_new_bytestring (path));
  g_menu_append_item (menu, item);
}

static void
sidebar_pop_up_ledger_menu (AssayLibrarySidebar *self, GtkListBoxRow *row, const GdkRectangle *at)
{
  g_autofree char *path = assay_ledger_row_dup_path (ASSAY_LEDGER_ROW (row));
  g_autoptr(GMenu) menu = g_menu_new ();
  if (assay_session_has_open (self->session, path))
    g_menu_append (menu, _("_Rename…"), "win.rename-ledger");
  else
    menu_append_path (menu, _("_Open"), "win.open-ledger", path);
  menu_append_path (menu, _("_Duplicate"), "win.duplicate-ledger", path);
  menu_append_path (menu, _("Move to _Trash"), "win.trash-ledger", path);
  sidebar_pop_up_menu (self, GTK_WIDGET (row), G_MENU_MODEL (menu), at);
}

static void
on_ledgers_pressed (AssayLibrarySidebar *self, int n, double x, double y, GtkGestureClick *gesture)
{
  GtkListBoxRow *row = gtk_list_box_get_row_at_y (GTK_LIST_BOX (self->ledgers), (int) y);
  double row_x, row_y;
  if (row == NULL || !gtk_widget_translate_coordinates (self->ledgers, GTK_WIDGET (row), x, y, &row_x, &row_y))
    return;
  gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_CLAIMED);
  sidebar_pop_up_ledger_menu (self, row, &(GdkRectangle){ (int) row_x, (int) row_y, 1, 1 });
}

static gboolean
on_ledgers_menu_key (GtkWidget *widget, GVariant *argument, gpointer data)
{
  AssayLibrarySidebar *self = data;
  GtkWidget *row = gtk_widget_get_focus_child (widget);
  if (!ASSAY_IS_LEDGER_ROW (row))
    return FALSE;
  sidebar_pop_up_ledger_menu (self, GTK_LIST_BOX_ROW (row), NULL);
  return TRUE;
}

static void
sidebar_pop_up_run_menu (AssayLibrarySidebar *self, const GdkRectangle *at)
{
  AssayRecord *record = gtk_single_selection_get_selected_item (self->selection);
  g_autoptr(GMenu) menu = g_menu_new ();
  if (record == NULL)
    return;
  g_menu_append (menu, _("New _Trial From This Run"), "win.new-trial");
  menu_append_path (menu, _("Show the _Chain"), "win.show-chain", assay_record_get_id (record));
  menu_append_path (menu, _("_Delete Run"), "win.delete-run", assay_record_get_id (record));
  sidebar_pop_up_menu (self, self->run_list, G_MENU_MODEL (menu), at);
}

/* (transfer none), or NULL where there is no row */
static AssayRecord *
sidebar_pick_run (AssayLibrarySidebar *self, double x, double y)
{
  GtkWidget *hit = gtk_widget_pick (self->run_list, x, y, GTK_PICK_DEFAULT);
  GtkWidget *row = hit != NULL ? gtk_widget_get_ancestor (hit, ASSAY_TYPE_RUN_ROW) : NULL;
  if (row == NULL && hit != NULL)
    row = gtk_widget_get_first_child (hit);
  return ASSAY_IS_RUN_ROW (row) ? assay_run_row_get_record (ASSAY_RUN_ROW (row)) : NULL;
}

/* The row under the pointer is taken first: the menu is about what is seen to be chosen. */
static void
on_runs_pressed (AssayLibrarySidebar *self, int n, double x, double y, GtkGestureClick *gesture)
{
  AssayRecord *record = sidebar_pick_run (self, x, y);
  if (record == NULL)
    return;
  gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_CLAIMED);
  assay_session_select (self->session, record);
  sidebar_sync_record (self);
  sidebar_pop_up_run_menu (self, &(GdkRectangle){ (int) x, (int) y, 1, 1 });
}

/* The row has taken the click for itself, and is selected. */
static void
on_runs_released (AssayLibrarySidebar *self, int n, double x, double y)
{
  if (sidebar_pick_run (self, x, y) != NULL)
    sidebar_choose_run (self);
}

static gboolean
on_runs_menu_key (GtkWidget *widget, GVariant *argument, gpointer data)
{
  sidebar_pop_up_run_menu (data, NULL);
  return TRUE;
}

static gboolean
on_runs_delete_key (GtkWidget *widget, GVariant *argument, gpointer data)
{
  AssayLibrarySidebar *self = data;
  AssayRecord *record = gtk_single_selection_get_selected_item (self->selection);
  if (record == NULL)
    return FALSE;
  return gtk_widget_activate_action (widget, "win.delete-run", "^ay", assay_record_get_id (record));
}

static void
widget_add_key (AssayLibrarySidebar *self, GtkWidget *widget, const char *keys, GtkShortcutFunc func)
{
  GtkEventController *controller = gtk_shortcut_controller_new ();
  gtk_shortcut_controller_add_shortcut (GTK_SHORTCUT_CONTROLLER (controller),
                                        gtk_shortcut_new (gtk_shortcut_trigger_parse_string (keys),
                                                          gtk_callback_action_new (func, self, NULL)));
  gtk_widget_add_controller (widget, controller);
}

static void
widget_add_click (AssayLibrarySidebar *self, GtkWidget *widget, guint button, const char *signal, GCallback func)
{
  GtkGesture *gesture = gtk_gesture_click_new ();
  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (gesture), button);
  g_signal_connect_object (gesture, signal, func, self, G_CONNECT_SWAPPED);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (gesture));
}

void
sidebar_make_menus (AssayLibrarySidebar *self)
{
  widget_add_click (self, self->ledgers, GDK_BUTTON_SECONDARY, "pressed", G_CALLBACK (on_ledgers_pressed));
  widget_add_click (self, self->run_list, GDK_BUTTON_SECONDARY, "pressed", G_CALLBACK (on_runs_pressed));
  widget_add_click (self, self->run_list, GDK_BUTTON_PRIMARY, "released", G_CALLBACK (on_runs_released));
  widget_add_key (self, self->ledgers, "Menu|<Shift>F10", on_ledgers_menu_key);
  widget_add_key (self, self->run_list, "Menu|<Shift>F10", on_runs_menu_key);
  widget_add_key (self, self->run_list, "Delete", on_runs_delete_key);
}

static void
on_rename_applied (AssayLibrarySidebar *self, GtkEntry *entry)
{
  g_autofree char *title = g_strstrip (g_strdup (gtk_editable_get_text (GTK_EDITABLE (entry))));
  if (*title == '\0')
    return; /* a ledger has a name: the field stays open */
  GtkWidget *popover = gtk_widget_get_ancestor (GTK_WIDGET (entry), GTK_TYPE_POPOVER);
  gtk_popover_popdown (GTK_POPOVER (popover));
  assay_session_rename (self->session, title);
}

void
assay_library_sidebar_rename (AssayLibrarySidebar *self)
{
  g_return_if_fail (ASSAY_IS_LIBRARY_SIDEBAR (self));
  AssayLedger *ledger = assay_session_get_ledger (self->session);
  GtkListBoxRow *listed = gtk_list_box_get_selected_row (GTK_LIST_BOX (self->ledgers));
  GtkWidget *row = listed != NULL ? GTK_WIDGET (listed) : self->unsaved_row;
  if (ledger == NULL)
    return;
  GtkWidget *popover = gtk_popover_new ();
  GtkWidget *entry = gtk_entry_new ();
  gtk_editable_set_text (GTK_EDITABLE (entry), assay_ledger_get_title (ledger));
  gtk_editable_set_width_chars (GTK_EDITABLE (entry), 28);
  gtk_accessible_update_property (GTK_ACCESSIBLE (entry), GTK_ACCESSIBLE_PROPERTY_LABEL, _("Title of the ledger"), -1);
  g_signal_connect_object (entry, "activate", G_CALLBACK (on_rename_applied), self, G_CONNECT_SWAPPED);
  gtk_popover_set_child (GTK_POPOVER (popover), entry);
  sidebar_pop_up (self, popover, row, NULL);
  gtk_widget_grab_focus (entry);
}
