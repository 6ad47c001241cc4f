/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-preferences.h"

#include <glib/gi18n-lib.h>

#include "assay-accessible.h"
#include "assay-device-names.h"

struct _AssayPreferences
{
  AdwPreferencesWindow parent_instance;
  AssaySettings *settings;   /* owned */
  GPtrArray *library_rows;   /* owned array of borrowed rows, as the next */
  GPtrArray *model_rows;
  GCancellable *asking;      /* owned: which devices there are */
  AdwActionRow *library_row; /* template children */
  AdwPreferencesGroup *library, *models;
  GtkSpinButton *interval, *threads, *max_tokens, *notify_after;
  AdwComboRow *device, *sizes, *language;
  GtkWidget *use_default;
};

G_DEFINE_FINAL_TYPE (AssayPreferences, assay_preferences, ADW_TYPE_PREFERENCES_WINDOW)

static void
preferences_show_library (AssayPreferences *self)
{
  g_autofree char *folder = assay_settings_dup_library_folder (self->settings);
  g_autofree char *shown = g_filename_display_name (folder);
  g_autofree char *chosen = NULL;
  g_object_get (self->settings, "library-folder", &chosen, NULL);
  adw_action_row_set_subtitle (self->library_row, shown);
  gtk_widget_set_visible (self->use_default, chosen != NULL && *chosen != '\0');
}

/* ---- lists of folders ---- */

static const char *
button_get_folder (GtkButton *button)
{
  return g_object_get_data (G_OBJECT (button), "folder");
}

static void
on_remove_library (GtkButton *button, AssayPreferences *self)
{
  assay_settings_show_library_folder (self->settings, button_get_folder (button), FALSE);
}

static void
on_remove_models (GtkButton *button, AssayPreferences *self)
{
  const char *gone = button_get_folder (button);
  g_autoptr(GStrvBuilder) builder = g_strv_builder_new ();
  const char *const *folders = assay_settings_get_model_folders (self->settings);
  for (guint i = 0; folders[i] != NULL; i++)
    if (g_strcmp0 (folders[i], gone) != 0)
      g_strv_builder_add (builder, folders[i]);
  g_auto(GStrv) left = g_strv_builder_end (builder);
  g_object_set (self->settings, "model-folders", left, NULL);
}

/* remove: the words for its button */
static GtkWidget *
preferences_make_folder_row (AssayPreferences *self, const char *folder, const char *remove, GCallback on_remove)
{
  g_autofree char *shown = g_filename_display_name (folder);
  GtkWidget *row = g_object_new (ADW_TYPE_ACTION_ROW, "use-markup", FALSE, "title", shown, NULL);
  GtkWidget *button = gtk_button_new_from_icon_name ("list-remove-symbolic");
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_set_tooltip_text (button, remove);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, remove, -1);
  g_object_set_data_full (G_OBJECT (button), "folder", g_strdup (folder), g_free);
  g_signal_connect_object (button, "clicked", on_remove, self, 0);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), button);
  return row;
}

static void
group_clear (AdwPreferencesGroup *group, GPtrArray *rows)
{
  for (guint i = 0; i < rows->len; i++)
    adw_preferences_group_remove (group, g_ptr_array_index (rows, i));
  g_ptr_array_set_size (rows, 0);
}

static void
group_add (AdwPreferencesGroup *group, GPtrArray *rows, GtkWidget *row)
{
  adw_preferences_group_add (group, row);
  g_ptr_array_add (rows, row);
}

static void
preferences_show_more (AssayPreferences *self)
{
  const char *const *folders = assay_settings_get_more_library_folders (self->settings);
  group_clear (self->library, self->library_rows);
  for (guint i = 0; folders[i] != NULL; i++)
    {
      g_autofree char *name = g_filename_display_basename (folders[i]);
      g_autofree char *remove = g_strdup_printf (_("Stop Showing the Folder “%s”"), name);
      group_add (self->library, self->library_rows,
                 preferences_make_folder_row (self, folders[i], remove, G_CALLBACK (on_remove_library)));
    }
}

static void
preferences_show_models (AssayPreferences *self)
{
  const char *const *folders = assay_settings_get_model_folders (self->settings);
  group_clear (self->models, self->model_rows);
  for (guint i = 0; folders[i] != NULL; i++)
    {
      g_autofree char *shown = g_filename_display_name (folders[i]);
      g_autofree char *remove = g_strdup_printf (_("Stop searching %s"), shown);
      group_add (self->models, self->model_rows,
                 preferences_make_folder_row (self, folders[i], remove, G_CALLBACK (on_remove_models)));
    }
}

static char *
response_dup_path (GtkNativeDialog *dialog, int response)
{
  g_autoptr(GFile) file = NULL;
  if (response == GTK_RESPONSE_ACCEPT)
    file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
  return file != NULL ? g_file_get_path (file) : NULL;
}

static void
on_library_response (GtkNativeDialog *dialog, int response, AssayPreferences *self)
{
  g_autofree char *path = response_dup_path (dialog, response);
  if (path != NULL)
    g_object_set (self->settings, "library-folder", path, NULL);
  g_object_unref (dialog);
}

static void
on_more_response (GtkNativeDialog *dialog, int response, AssayPreferences *self)
{
  g_autofree char *path = response_dup_path (dialog, response);
  if (path != NULL)
    assay_settings_show_library_folder (self->settings, path, TRUE);
  g_object_unref (dialog);
}

static void
on_models_response (GtkNativeDialog *dialog, int response, AssayPreferences *self)
{
  g_autofree char *path = response_dup_path (dialog, response);
  const char *const *folders = assay_settings_get_model_folders (self->settings);
  if (path != NULL && !g_strv_contains (folders, path))
    {
      g_autoptr(GStrvBuilder) builder = g_strv_builder_new ();
      g_strv_builder_addv (builder, (const char **) folders);
      g_strv_builder_add (builder, path);
      g_auto(GStrv) all = g_strv_builder_end (builder);
      g_object_set (self->settings, "model-folders", all, NULL);
    }
  g_object_unref (dialog);
}

static void
preferences_ask_folder (AssayPreferences *self, const char *title, GCallback on_response)
{
  GtkFileChooserNative *dialog = gtk_file_chooser_native_new (
      title, GTK_WINDOW (self), GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER, _("_Select"), NULL);
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  g_signal_connect_object (dialog, "response", on_response, self, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

static void
on_library_clicked (AssayPreferences *self)
{
  preferences_ask_folder (self, _("Choose the Folder of New Ledgers"), G_CALLBACK (on_library_response));
}

static void
on_default_clicked (AssayPreferences *self)
{
  g_object_set (self->settings, "library-folder", "", NULL);
}

static void
on_add_library_clicked (AssayPreferences *self)
{
  preferences_ask_folder (self, _("Show Another Folder of Ledgers"), G_CALLBACK (on_more_response));
}

static void
on_add_clicked (AssayPreferences *self)
{
  preferences_ask_folder (self, _("Choose a Folder with Models"), G_CALLBACK (on_models_response));
}

/* A setting that is one of a few words, and the row of the list that stands for it. */
static const char *const languages[] = { "", "en", "ko", "zh_CN", NULL };

static gboolean
language_to_row (GBinding *binding, const GValue *from, GValue *to, gpointer unused)
{
  const char *language = g_value_get_string (from);
  guint row = 0;
  for (guint i = 0; languages[i] != NULL; i++)
    if (g_strcmp0 (languages[i], language) == 0)
      row = i;
  g_value_set_uint (to, row);
  return TRUE;
}

static gboolean
language_from_row (GBinding *binding, const GValue *from, GValue *to, gpointer unused)
{
  const guint row = g_value_get_uint (from);
  if (row >= g_strv_length ((char **) languages))
    return FALSE;
  g_value_set_string (to, languages[row]);
  return TRUE;
}

static gboolean
decimal_to_row (GBinding *binding, const GValue *from, GValue *to, gpointer unused)
{
  g_value_set_uint (to, g_value_get_boolean (from) ? 1 : 0);
  return TRUE;
}

static gboolean
decimal_from_row (GBinding *binding, const GValue *from, GValue *to, gpointer unused)
{
  g_value_set_boolean (to, g_value_get_uint (from) == 1);
  return TRUE;
}

static void
on_device_chosen (AssayPreferences *self)
{
  GtkStringObject *chosen = adw_combo_row_get_selected_item (self->device);
  if (chosen != NULL)
    g_object_set (self->settings, "default-device", gtk_string_object_get_string (chosen), NULL);
}

/* The device that was chosen before stays in the list, though its driver may be missing today. */
static void
preferences_show_devices (AssayPreferences *self, GPtrArray *devices)
{
  g_autoptr(GtkStringList) names = gtk_string_list_new (NULL);
  g_autofree char *chosen = NULL;
  g_object_get (self->settings, "default-device", &chosen, NULL);
  const char *wanted = chosen != NULL && *chosen != '\0' ? chosen : "cpu";
  guint row = GTK_INVALID_LIST_POSITION;
  for (guint i = 0; i < devices->len; i++)
    {
      const AssayDeviceInfo *device = g_ptr_array_index (devices, i);
      if (device->problem != NULL)
        continue;
      if (g_str_equal (device->name, wanted))
        row = g_list_model_get_n_items (G_LIST_MODEL (names));
      gtk_string_list_append (names, device->name);
    }
  if (row == GTK_INVALID_LIST_POSITION)
    {
      row = g_list_model_get_n_items (G_LIST_MODEL (names));
      gtk_string_list_append (names, wanted);
    }
  adw_combo_row_set_model (self->device, G_LIST_MODEL (names));
  adw_combo_row_set_selected (self->device, row);
  g_signal_connect_object (self->device, "notify::selected-item", G_CALLBACK (on_device_chosen), self,
                           G_CONNECT_SWAPPED);
}

static void
devices_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(GPtrArray) devices = assay_device_names_finish (result, NULL);
  if (devices != NULL) /* else the window is gone */
    preferences_show_devices (data, devices);
}

static void
preferences_bind (AssayPreferences *self)
{
  const GBindingFlags both = G_BINDING_SYNC_CREATE | G_BINDING_BIDIRECTIONAL;
  g_object_bind_property (self->settings, "sample-interval-ms", self->interval, "value", both);
  g_object_bind_property (self->settings, "default-threads", self->threads, "value", both);
  g_object_bind_property (self->settings, "default-max-tokens", self->max_tokens, "value", both);
  g_object_bind_property (self->settings, "notify-after-seconds", self->notify_after, "value", both);
  g_object_bind_property_full (self->settings, "language", self->language, "selected", both, language_to_row,
                               language_from_row, NULL, NULL);
  g_object_bind_property_full (self->settings, "decimal-sizes", self->sizes, "selected", both, decimal_to_row,
                               decimal_from_row, NULL, NULL);
}

static void
assay_preferences_dispose (GObject *object)
{
  AssayPreferences *self = ASSAY_PREFERENCES (object);
  g_cancellable_cancel (self->asking);
  g_clear_object (&self->asking);
  g_clear_object (&self->settings);
  g_clear_pointer (&self->library_rows, g_ptr_array_unref);
  g_clear_pointer (&self->model_rows, g_ptr_array_unref);
  gtk_widget_dispose_template (GTK_WIDGET (object), ASSAY_TYPE_PREFERENCES);
  G_OBJECT_CLASS (assay_preferences_parent_class)->dispose (object);
}

static void
assay_preferences_class_init (AssayPreferencesClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = assay_preferences_dispose;
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/io/github/assay/Assay/ui/assay-preferences.ui");
#define CHILD(name) gtk_widget_class_bind_template_child (widget_class, AssayPreferences, name)
  CHILD (library_row);
  CHILD (library);
  CHILD (models);
  CHILD (interval);
  CHILD (threads);
  CHILD (max_tokens);
  CHILD (notify_after);
  CHILD (device);
  CHILD (sizes);
  CHILD (language);
  CHILD (use_default);
#undef CHILD
  gtk_widget_class_bind_template_callback (widget_class, on_library_clicked);
  gtk_widget_class_bind_template_callback (widget_class, on_default_clicked);
  gtk_widget_class_bind_template_callback (widget_class, on_add_library_clicked);
  gtk_widget_class_bind_template_callback (widget_class, on_add_clicked);
}

static void
on_value_bound (GtkListItemFactory *factory, GtkListItem *item)
{
  assay_accessible_name_item (item, gtk_string_object_get_string (gtk_list_item_get_item (item)));
}

/* A row that holds a list is labelled by itself, and would say its name twice; its values would say none. */
static void
preferences_name_rows (AssayPreferences *self)
{
  AdwComboRow *rows[] = { self->device, self->sizes, self->language };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr(GtkListItemFactory) factory = g_object_ref (adw_combo_row_get_factory (rows[i]));
      gtk_accessible_reset_relation (GTK_ACCESSIBLE (rows[i]), GTK_ACCESSIBLE_RELATION_LABELLED_BY);
      g_signal_connect (factory, "bind", G_CALLBACK (on_value_bound), NULL);
      adw_combo_row_set_factory (rows[i], NULL); /* what the template has bound already is bound again */
      adw_combo_row_set_factory (rows[i], factory);
    }
}

static void
assay_preferences_init (AssayPreferences *self)
{
  self->library_rows = g_ptr_array_new ();
  self->model_rows = g_ptr_array_new ();
  self->asking = g_cancellable_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
  preferences_name_rows (self);
}

GtkWidget *
assay_preferences_new (AssaySettings *settings)
{
  AssayPreferences *self = g_object_new (ASSAY_TYPE_PREFERENCES, NULL);
  self->settings = g_object_ref (settings);
  preferences_bind (self);
  g_signal_connect_object (settings, "notify::library-folder", G_CALLBACK (preferences_show_library), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (settings, "notify::more-library-folders", G_CALLBACK (preferences_show_more), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (settings, "notify::model-folders", G_CALLBACK (preferences_show_models), self,
                           G_CONNECT_SWAPPED);
  preferences_show_library (self);
  preferences_show_more (self);
  preferences_show_models (self);
  assay_device_names_async (self->asking, devices_cb, self);
  return GTK_WIDGET (self);
}
