/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-recent.h"

#include "assay-display-text.h"

/* A path need not be text, and the desktop's list holds addresses. (transfer full) */
static char *
recent_dup_uri (const char *path)
{
  return g_filename_to_uri (path, NULL, NULL);
}

void
assay_recent_add (const char *path, const char *title)
{
  g_autofree char *uri = recent_dup_uri (path);
  g_autofree char *shown = g_utf8_make_valid (title, -1);
  char *groups[] = { (char *) "Assay", NULL };
  GtkRecentData data = { .display_name = shown, .mime_type = (char *) ASSAY_LEDGER_MIME_TYPE,
                         .app_name = (char *) g_get_application_name (), .app_exec = (char *) "assay %u",
                         .groups = groups };
  if (uri != NULL)
    gtk_recent_manager_add_full (gtk_recent_manager_get_default (), uri, &data);
}

void
assay_recent_remove (const char *path)
{
  g_autofree char *uri = recent_dup_uri (path);
  if (uri != NULL)
    gtk_recent_manager_remove_item (gtk_recent_manager_get_default (), uri, NULL);
}

void
assay_recent_ledger_free (AssayRecentLedger *self)
{
  g_free (self->path);
  g_free (self->title);
  g_free (self);
}

static int
recent_compare (gconstpointer a, gconstpointer b)
{
  GtkRecentInfo *x = *(GtkRecentInfo *const *) a, *y = *(GtkRecentInfo *const *) b;
  return g_date_time_compare (gtk_recent_info_get_modified (y), gtk_recent_info_get_modified (x));
}

static GPtrArray *
recent_sort (void)
{
  GPtrArray *sorted = g_ptr_array_new_with_free_func ((GDestroyNotify) gtk_recent_info_unref);
  GList *all = gtk_recent_manager_get_items (gtk_recent_manager_get_default ());
  for (GList *l = all; l != NULL; l = l->next)
    if (g_strcmp0 (gtk_recent_info_get_mime_type (l->data), ASSAY_LEDGER_MIME_TYPE) == 0)
      g_ptr_array_add (sorted, l->data);
    else
      gtk_recent_info_unref (l->data);
  g_list_free (all);
  g_ptr_array_sort (sorted, recent_compare);
  return sorted;
}

GPtrArray *
assay_recent_list (guint max)
{
  g_autoptr(GPtrArray) sorted = recent_sort ();
  GPtrArray *list = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_recent_ledger_free);
  for (guint i = 0; i < sorted->len && list->len < max; i++)
    {
      GtkRecentInfo *info = g_ptr_array_index (sorted, i);
      g_autofree char *path = g_filename_from_uri (gtk_recent_info_get_uri (info), NULL, NULL);
      if (path == NULL)
        continue;
      AssayRecentLedger *ledger = g_new0 (AssayRecentLedger, 1);
      ledger->path = g_steal_pointer (&path);
      ledger->title = assay_display_line (gtk_recent_info_get_display_name (info), 80);
      g_ptr_array_add (list, ledger);
    }
  return list;
}

void
assay_recent_watch (GObject *owner, void (*changed) (gpointer owner))
{
  g_signal_connect_object (gtk_recent_manager_get_default (), "changed", G_CALLBACK (changed), owner, G_CONNECT_SWAPPED);
  changed (owner);
}

GMenuModel *
assay_recent_dup_menu (guint max)
{
  g_autoptr(GPtrArray) list = assay_recent_list (max);
  GMenu *menu = g_menu_new ();
  for (guint i = 0; i < list->len; i++)
    {
      const AssayRecentLedger *ledger = g_ptr_array_index (list, i);
      g_auto(GStrv) parts = g_strsplit (ledger->title, "_", -1); /* in a menu a low line would mark a key */
      g_autofree char *label = g_strjoinv ("__", parts);
      g_autoptr(GMenuItem) item = g_menu_item_new (label, NULL);
      g_menu_item_set_action_and_target_value (item, "win.open-ledger", g_variant_new_bytestring (ledger->path));
      g_menu_append_item (menu, item);
    }
  return G_MENU_MODEL (menu);
}
