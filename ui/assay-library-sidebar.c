/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-library-sidebar.c: see the header. Ledgers are tens and live in a list box with headings; runs may be
 * thousands and live in a list view, whose rows are made as they scroll into sight. */
#include "assay-library-sidebar-private.h"

#include <glib/gi18n-lib.h>

#include "assay-accessible.h"
#include "assay-display-text.h"
#include "assay-ledger-row.h"
#include "assay-run-row.h"

#define LEDGERS_BESIDE_RUNS_HEIGHT 240

G_DEFINE_FINAL_TYPE (AssayLibrarySidebar, assay_library_sidebar, GTK_TYPE_WIDGET)

enum { SIGNAL_RUN_ACTIVATED, SIGNAL_CHOSEN, N_SIGNALS };
static guint signals[N_SIGNALS];

static gboolean
sidebar_text_matches (AssayLibrarySidebar *self, const char *text)
{
  if (text == NULL)
    return FALSE;
  g_autofree char *folded = g_utf8_casefold (text, -1);
  return strstr (folded, self->query) != NULL;
}

static gboolean
sidebar_ledger_matches (gpointer item, gpointer data)
{
  AssayLibrarySidebar *self = data;
  g_autofree char *title = NULL;
  g_autofree char *group = NULL;
  g_object_get (item, "title", &title, "group", &group, NULL);
  return *self->query == '\0' || sidebar_text_matches (self, title) || sidebar_text_matches (self, group);
}

static gboolean
sidebar_run_matches (gpointer item, gpointer data)
{
  AssayLibrarySidebar *self = data;
  AssayRecord *record = item;
  if (*self->query == '\0')
    return TRUE;
  const AssayValues *conditions = assay_record_get_conditions (record);
  return sidebar_text_matches (self, assay_record_get_id (record)) ||
         sidebar_text_matches (self, assay_record_get_changed (record)) ||
         sidebar_text_matches (self, assay_run_status_get_name (assay_record_get_status (record))) ||
         sidebar_text_matches (self, assay_values_get_text (conditions, ASSAY_FIELD_MODEL_ID)) ||
         sidebar_text_matches (self, assay_values_get_text (conditions, ASSAY_FIELD_QUANTIZATION));
}

static void sidebar_sync_ledger (AssayLibrarySidebar *self);

static void
on_search_changed (AssayLibrarySidebar *self)
{
  g_free (self->query);
  self->query = g_utf8_casefold (gtk_editable_get_text (GTK_EDITABLE (self->search)), -1);
  self->syncing = TRUE;
  gtk_filter_changed (GTK_FILTER (self->ledger_filter), GTK_FILTER_CHANGE_DIFFERENT);
  gtk_filter_changed (GTK_FILTER (self->run_filter), GTK_FILTER_CHANGE_DIFFERENT);
  self->syncing = FALSE;
  sidebar_sync_ledger (self);
}

static const char *
task_heading (const char *task)
{
  if (g_strcmp0 (task, "image") == 0)
    return _("Image models");
  if (g_strcmp0 (task, "mask") == 0)
    return _("Mask models");
  return _("Language models");
}

/* "Language models", or "Language models · week 3" where the ledgers lie in a folder of their own; those that cannot be
 * read have no task. (transfer full) */
static char *
row_dup_heading (GtkListBoxRow *row)
{
  g_autofree char *task = assay_ledger_row_dup_task (ASSAY_LEDGER_ROW (row));
  g_autofree char *group = assay_ledger_row_dup_group (ASSAY_LEDGER_ROW (row));
  const char *heading = task == NULL || *task == '\0' ? _("Cannot be opened") : task_heading (task);
  if (group == NULL || *group == '\0')
    return g_strdup (heading);
  /* Translators: a heading of the library: kind of task, folder */
  return g_strdup_printf (C_("library heading", "%s · %s"), heading, group);
}

static void
sidebar_set_header (GtkListBoxRow *row, GtkListBoxRow *before, gpointer data)
{
  g_autofree char *title = row_dup_heading (row);
  g_autofree char *previous = before != NULL ? row_dup_heading (before) : NULL;
  if (g_strcmp0 (title, previous) == 0)
    {
      gtk_list_box_row_set_header (row, NULL);
      return;
    }
  GtkWidget *heading = gtk_label_new (title);
  gtk_label_set_xalign (GTK_LABEL (heading), 0);
  gtk_label_set_ellipsize (GTK_LABEL (heading), PANGO_ELLIPSIZE_MIDDLE);
  gtk_widget_set_tooltip_text (heading, title);
  gtk_widget_set_margin_start (heading, 8);
  gtk_widget_set_margin_top (heading, 4);
  gtk_widget_set_margin_bottom (heading, 2);
  gtk_widget_add_css_class (heading, "sidebar-heading");
  gtk_list_box_row_set_header (row, heading);
}

static GtkWidget *
sidebar_create_row (gpointer item, gpointer data)
{
  AssayLibrarySidebar *self = data;
  GtkWidget *row = assay_ledger_row_new (item);
  assay_ledger_row_set_marks_hidden (ASSAY_LEDGER_ROW (row), self->marks_hidden);
  return row;
}

/* A search that finds nothing says so, and how to get the list back. */
static void
sidebar_show_found (AssayLibrarySidebar *self)
{
  const gboolean found = gtk_list_box_get_row_at_index (GTK_LIST_BOX (self->ledgers), 0) != NULL ||
                         g_list_model_get_n_items (G_LIST_MODEL (self->selection)) > 0;
  const gboolean none = *self->query != '\0' && !found;
  gtk_widget_set_visible (self->nothing_found, none);
  if (!none)
    return;
  g_autofree char *asked = assay_display_line (gtk_editable_get_text (GTK_EDITABLE (self->search)), 40);
  g_autofree char *text = g_strdup_printf (_("No ledger and no run has “%s” in it. Escape shows all again."), asked);
  gtk_label_set_text (GTK_LABEL (self->nothing_found), text);
}

/* The open ledger is always in sight, also while its first run goes on and nothing of it is on disk. */
static void
sidebar_show_unsaved (AssayLibrarySidebar *self, gboolean listed)
{
  AssayLedger *ledger = assay_session_get_ledger (self->session);
  const gboolean unsaved = ledger != NULL && !listed;
  const gboolean none = g_list_model_get_n_items (G_LIST_MODEL (assay_session_get_library (self->session))) == 0;
  gtk_widget_set_visible (self->unsaved, unsaved);
  gtk_widget_set_visible (self->ledgers_scroller, gtk_list_box_get_row_at_index (GTK_LIST_BOX (self->ledgers), 0) != NULL);
  gtk_widget_set_visible (self->no_ledgers, none && ledger == NULL && *self->query == '\0');
  sidebar_show_found (self);
  if (!unsaved)
    return;
  const char *title = assay_ledger_get_title (ledger);
  const gboolean saved = assay_ledger_get_n_runs (ledger) > 0 && !assay_ledger_is_unsaved (ledger);
  g_autofree char *line = assay_display_line (title != NULL ? title : "", 120);
  gtk_label_set_text (GTK_LABEL (self->unsaved_title), line);
  gtk_widget_set_tooltip_text (self->unsaved_title, line);
  gtk_label_set_text (GTK_LABEL (self->unsaved_detail),
                      saved ? _("open") : _("open, not saved yet"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->unsaved_row), GTK_ACCESSIBLE_PROPERTY_LABEL, line, -1);
  gtk_list_box_select_row (GTK_LIST_BOX (self->unsaved), GTK_LIST_BOX_ROW (self->unsaved_row));
}

/* The open ledger's row is the selected one, also when it enters the list only now. */
static void
sidebar_sync_ledger (AssayLibrarySidebar *self)
{
  AssayLedger *ledger = assay_session_get_ledger (self->session);
  const char *path = ledger != NULL ? assay_ledger_get_path (ledger) : NULL;
  GtkListBoxRow *found = NULL;
  GtkListBoxRow *row;
  for (int i = 0; (row = gtk_list_box_get_row_at_index (GTK_LIST_BOX (self->ledgers), i)) != NULL; i++)
    {
      g_autofree char *row_path = assay_ledger_row_dup_path (ASSAY_LEDGER_ROW (row));
      if (path != NULL && g_strcmp0 (path, row_path) == 0)
        found = row;
    }
  gtk_list_box_select_row (GTK_LIST_BOX (self->ledgers), found);
  sidebar_show_unsaved (self, found != NULL);
}

/* Two ledgers of one title are told apart by their files. */
static void
sidebar_tell_apart (AssayLibrarySidebar *self)
{
  GListModel *library = G_LIST_MODEL (assay_session_get_library (self->session));
  g_autoptr(GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  GtkListBoxRow *row;
  for (guint i = 0; i < g_list_model_get_n_items (library); i++)
    {
      g_autoptr(AssayLibraryItem) item = g_list_model_get_item (library, i);
      const char *title = assay_library_item_get_title (item); /* the library's, which keeps the item */
      g_hash_table_insert (seen, (char *) title, GUINT_TO_POINTER (1 + g_hash_table_contains (seen, title)));
    }
  for (int i = 0; (row = gtk_list_box_get_row_at_index (GTK_LIST_BOX (self->ledgers), i)) != NULL; i++)
    {
      const char *title = assay_ledger_row_get_title (ASSAY_LEDGER_ROW (row));
      assay_ledger_row_show_file (ASSAY_LEDGER_ROW (row), GPOINTER_TO_UINT (g_hash_table_lookup (seen, title)) > 1);
    }
}

static void
sidebar_on_library_changed (AssayLibrarySidebar *self)
{
  sidebar_tell_apart (self);
  sidebar_sync_ledger (self);
}

static void
on_ledger_activated (AssayLibrarySidebar *self, GtkListBoxRow *row)
{
  g_autofree char *path = assay_ledger_row_dup_path (ASSAY_LEDGER_ROW (row));
  assay_session_open (self->session, path);
  g_signal_emit (self, signals[SIGNAL_CHOSEN], 0);
}

void
sidebar_sync_record (AssayLibrarySidebar *self)
{
  AssayRecord *record = assay_session_get_record (self->session);
  GListModel *shown = G_LIST_MODEL (self->selection);
  guint found = GTK_INVALID_LIST_POSITION;
  for (guint i = 0; record != NULL && i < g_list_model_get_n_items (shown); i++)
    {
      g_autoptr(AssayRecord) item = g_list_model_get_item (shown, i);
      if (item == record)
        {
          found = i;
          break;
        }
    }
  self->syncing = TRUE;
  gtk_single_selection_set_selected (self->selection, found);
  self->syncing = FALSE;
}

static void
on_run_selected (AssayLibrarySidebar *self)
{
  AssayRecord *record = gtk_single_selection_get_selected_item (self->selection);
  if (self->syncing || record == NULL || record == assay_session_get_record (self->session))
    return;
  assay_session_select (self->session, record);
  g_signal_emit (self, signals[SIGNAL_RUN_ACTIVATED], 0);
}

static int
sidebar_compare_runs (gconstpointer a, gconstpointer b, gpointer data)
{
  return g_strcmp0 (assay_record_get_id ((AssayRecord *) b), assay_record_get_id ((AssayRecord *) a));
}

static void
sidebar_on_ledger (AssayLibrarySidebar *self)
{
  AssayLedger *ledger = assay_session_get_ledger (self->session);
  self->syncing = TRUE;
  gtk_filter_list_model_set_model (self->runs, self->runs_hidden ? NULL : G_LIST_MODEL (ledger));
  self->syncing = FALSE;
  gtk_widget_set_visible (self->run_heading, ledger != NULL && !self->runs_hidden);
  gtk_widget_set_visible (self->runs_scroller, ledger != NULL && !self->runs_hidden);
  gtk_widget_set_visible (self->hidden, self->runs_hidden);
  /* The whole height while no runs are to be shown below. */
  gtk_scrolled_window_set_max_content_height (GTK_SCROLLED_WINDOW (self->ledgers_scroller),
                                              ledger != NULL ? LEDGERS_BESIDE_RUNS_HEIGHT : -1);
  sidebar_sync_ledger (self);
}

void
assay_library_sidebar_renew (AssayLibrarySidebar *self)
{
  g_return_if_fail (ASSAY_IS_LIBRARY_SIDEBAR (self));
  self->syncing = TRUE;
  gtk_filter_list_model_set_model (self->runs, NULL);
  self->syncing = FALSE;
  sidebar_on_ledger (self);
}

static void
sidebar_on_running (AssayLibrarySidebar *self)
{
  gtk_widget_set_visible (self->live, assay_session_is_running (self->session) && !self->runs_hidden);
}

void
assay_library_sidebar_set_marks_hidden (AssayLibrarySidebar *self, gboolean hidden)
{
  g_return_if_fail (ASSAY_IS_LIBRARY_SIDEBAR (self));
  if (hidden == self->marks_hidden)
    return;
  GtkListBoxRow *row;
  self->marks_hidden = hidden;
  for (int i = 0; (row = gtk_list_box_get_row_at_index (GTK_LIST_BOX (self->ledgers), i)) != NULL; i++)
    assay_ledger_row_set_marks_hidden (ASSAY_LEDGER_ROW (row), hidden);
}

void
assay_library_sidebar_set_runs_hidden (AssayLibrarySidebar *self, gboolean hidden)
{
  g_return_if_fail (ASSAY_IS_LIBRARY_SIDEBAR (self));
  self->runs_hidden = hidden;
  sidebar_on_ledger (self);
  sidebar_on_running (self);
  sidebar_sync_record (self);
}

/* Also of the run that is shown already, by which nothing else changes. */
void
sidebar_choose_run (AssayLibrarySidebar *self)
{
  g_signal_emit (self, signals[SIGNAL_RUN_ACTIVATED], 0);
  g_signal_emit (self, signals[SIGNAL_CHOSEN], 0);
}

static void
on_live_clicked (AssayLibrarySidebar *self)
{
  assay_session_select (self->session, NULL);
  sidebar_choose_run (self);
}

static void
on_setup_run (GtkListItemFactory *factory, GtkListItem *item)
{
  gtk_list_item_set_child (item, assay_run_row_new ());
}

static void
on_bind_run (AssayLibrarySidebar *self, GtkListItem *item)
{
  AssayLedger *ledger = assay_session_get_ledger (self->session);
  AssayRecord *record = gtk_list_item_get_item (item);
  g_autofree char *title = ledger != NULL ? assay_run_dup_title (ledger, record) : NULL;
  assay_run_row_show (ASSAY_RUN_ROW (gtk_list_item_get_child (item)), ledger, record);
  assay_accessible_name_item (item, title != NULL ? title : assay_record_get_id (record));
}

static void
on_search_stopped (AssayLibrarySidebar *self)
{
  gtk_editable_set_text (GTK_EDITABLE (self->search), "");
  gtk_widget_child_focus (self->ledgers, GTK_DIR_TAB_FORWARD);
}

void
assay_library_sidebar_focus_search (AssayLibrarySidebar *self)
{
  gtk_widget_grab_focus (self->search);
}

static void
sidebar_on_notice (AssayLibrarySidebar *self)
{
  const char *notice = assay_library_get_notice (assay_session_get_library (self->session));
  gtk_label_set_text (GTK_LABEL (self->notice), notice != NULL ? notice : "");
  gtk_widget_set_tooltip_text (self->notice, notice);
  gtk_widget_set_visible (self->notice, notice != NULL);
}

static void
sidebar_bind_live (AssayLibrarySidebar *self)
{
  GtkExpression *trial = gtk_property_expression_new (ASSAY_TYPE_SESSION, NULL, "trial");
  GtkExpression *text = gtk_property_expression_new (ASSAY_TYPE_TRIAL, trial, "status-text");
  gtk_expression_bind (text, self->live_label, "label", self->session);
}

void
assay_library_sidebar_set_session (AssayLibrarySidebar *self, AssaySession *session)
{
  g_return_if_fail (ASSAY_IS_LIBRARY_SIDEBAR (self) && self->session == NULL);
  self->session = g_object_ref (session);
  GListModel *library = G_LIST_MODEL (assay_session_get_library (session));
  GtkFilterListModel *ledgers =
    gtk_filter_list_model_new (g_object_ref (library), GTK_FILTER (g_object_ref (self->ledger_filter)));
  gtk_list_box_set_header_func (GTK_LIST_BOX (self->ledgers), sidebar_set_header, NULL, NULL);
  gtk_list_box_bind_model (GTK_LIST_BOX (self->ledgers), G_LIST_MODEL (ledgers), sidebar_create_row, self, NULL);
  g_signal_connect_object (ledgers, "items-changed", G_CALLBACK (sidebar_on_library_changed), self,
                           G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  g_object_unref (ledgers);
  g_signal_connect_object (session, "notify::ledger", G_CALLBACK (sidebar_on_ledger), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::record", G_CALLBACK (sidebar_sync_record), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::running", G_CALLBACK (sidebar_on_running), self, G_CONNECT_SWAPPED);
  /* After the lists themselves have taken up an edit. */
  g_signal_connect_object (self->selection, "items-changed", G_CALLBACK (sidebar_sync_record), self,
                           G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  g_signal_connect_object (library, "notify::notice", G_CALLBACK (sidebar_on_notice), self, G_CONNECT_SWAPPED);
  sidebar_on_notice (self);
  sidebar_bind_live (self);
  sidebar_on_library_changed (self);
  sidebar_on_ledger (self);
  sidebar_on_running (self);
}

static void
sidebar_make_runs (AssayLibrarySidebar *self)
{
  self->runs = gtk_filter_list_model_new (NULL, GTK_FILTER (g_object_ref (self->run_filter)));
  GtkSortListModel *sorted =
    gtk_sort_list_model_new (G_LIST_MODEL (g_object_ref (self->runs)),
                             GTK_SORTER (gtk_custom_sorter_new (sidebar_compare_runs, NULL, NULL)));
  self->selection = gtk_single_selection_new (G_LIST_MODEL (sorted));
  gtk_single_selection_set_autoselect (self->selection, FALSE);
  gtk_single_selection_set_can_unselect (self->selection, TRUE);
  g_signal_connect_object (self->selection, "notify::selected-item", G_CALLBACK (on_run_selected), self,
                           G_CONNECT_SWAPPED);
  gtk_list_view_set_model (GTK_LIST_VIEW (self->run_list), GTK_SELECTION_MODEL (self->selection));

  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  g_signal_connect (factory, "setup", G_CALLBACK (on_setup_run), NULL);
  g_signal_connect_object (factory, "bind", G_CALLBACK (on_bind_run), self, G_CONNECT_SWAPPED);
  gtk_list_view_set_factory (GTK_LIST_VIEW (self->run_list), factory);
  g_object_unref (factory);
}

static void
assay_library_sidebar_dispose (GObject *object)
{
  AssayLibrarySidebar *self = ASSAY_LIBRARY_SIDEBAR (object);
  GtkWidget *child;
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (object))) != NULL)
    gtk_widget_unparent (child);
  g_clear_object (&self->selection);
  g_clear_object (&self->runs);
  g_clear_object (&self->ledger_filter);
  g_clear_object (&self->run_filter);
  g_clear_object (&self->session);
  g_clear_pointer (&self->query, g_free);
  gtk_widget_dispose_template (GTK_WIDGET (object), ASSAY_TYPE_LIBRARY_SIDEBAR);
  G_OBJECT_CLASS (assay_library_sidebar_parent_class)->dispose (object);
}

static void
assay_library_sidebar_class_init (AssayLibrarySidebarClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = assay_library_sidebar_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class, "/io/github/assay/Assay/ui/assay-library-sidebar.ui");
#define CHILD(name) gtk_widget_class_bind_template_child (widget_class, AssayLibrarySidebar, name)
  CHILD (search);
  CHILD (ledgers);
  CHILD (no_ledgers);
  CHILD (nothing_found);
  CHILD (notice);
  CHILD (hidden);
  CHILD (ledgers_scroller);
  CHILD (unsaved);
  CHILD (unsaved_row);
  CHILD (unsaved_title);
  CHILD (unsaved_detail);
  CHILD (run_heading);
  CHILD (run_list);
  CHILD (runs_scroller);
  CHILD (live);
  CHILD (live_label);
#undef CHILD
  gtk_widget_class_bind_template_callback (widget_class, on_search_changed);
  gtk_widget_class_bind_template_callback (widget_class, on_search_stopped);
  gtk_widget_class_bind_template_callback (widget_class, on_ledger_activated);
  gtk_widget_class_bind_template_callback (widget_class, on_live_clicked);
  gtk_widget_class_bind_template_callback (widget_class, sidebar_choose_run);
  signals[SIGNAL_RUN_ACTIVATED] = g_signal_new ("run-activated", ASSAY_TYPE_LIBRARY_SIDEBAR, G_SIGNAL_RUN_LAST, 0,
                                                NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[SIGNAL_CHOSEN] = g_signal_new ("chosen", ASSAY_TYPE_LIBRARY_SIDEBAR, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                         G_TYPE_NONE, 0);
}

static void
assay_library_sidebar_init (AssayLibrarySidebar *self)
{
  self->query = g_strdup ("");
  self->ledger_filter = gtk_custom_filter_new (sidebar_ledger_matches, self, NULL);
  self->run_filter = gtk_custom_filter_new (sidebar_run_matches, self, NULL);
  gtk_widget_init_template (GTK_WIDGET (self));
  sidebar_make_runs (self);
  sidebar_make_menus (self);
}
