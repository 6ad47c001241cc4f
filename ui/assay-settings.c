/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-settings.c: see the header. One property a key of the schema, bound both ways. */
#include "assay-settings.h"

#include "assay-library.h"

struct _AssaySettings
{
  GObject parent_instance;
  GSettings *store; /* owned; NULL where the schema is not installed */
  char *library_folder, *reviewer;
  char **model_folders;
  guint sample_interval_ms;
  int window_width, window_height;
  gboolean window_maximized, show_sidebar;
};

G_DEFINE_FINAL_TYPE (AssaySettings, assay_settings, G_TYPE_OBJECT)

enum
{
  PROP_0,
  PROP_LIBRARY_FOLDER,
  PROP_MODEL_FOLDERS,
  PROP_SAMPLE_INTERVAL_MS,
  PROP_WINDOW_WIDTH,
  PROP_WINDOW_HEIGHT,
  PROP_WINDOW_MAXIMIZED,
  PROP_SHOW_SIDEBAR,
  PROP_REVIEWER,
  N_PROPS
};
static GParamSpec *properties[N_PROPS];

static void
assay_settings_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  AssaySettings *self = ASSAY_SETTINGS (object);
  switch (id)
    {
    case PROP_LIBRARY_FOLDER: g_value_set_string (value, self->library_folder); break;
    case PROP_MODEL_FOLDERS: g_value_set_boxed (value, self->model_folders); break;
    case PROP_SAMPLE_INTERVAL_MS: g_value_set_uint (value, self->sample_interval_ms); break;
    case PROP_WINDOW_WIDTH: g_value_set_int (value, self->window_width); break;
    case PROP_WINDOW_HEIGHT: g_value_set_int (value, self->window_height); break;
    case PROP_WINDOW_MAXIMIZED: g_value_set_boolean (value, self->window_maximized); break;
    case PROP_SHOW_SIDEBAR: g_value_set_boolean (value, self->show_sidebar); break;
    case PROP_REVIEWER: g_value_set_string (value, self->reviewer); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
assay_settings_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  AssaySettings *self = ASSAY_SETTINGS (object);
  switch (id)
    {
    case PROP_LIBRARY_FOLDER:
      g_free (self->library_folder);
      self->library_folder = g_value_dup_string (value);
      break;
    case PROP_MODEL_FOLDERS:
      g_strfreev (self->model_folders);
      self->model_folders = g_value_dup_boxed (value);
      break;
    case PROP_SAMPLE_INTERVAL_MS: self->sample_interval_ms = g_value_get_uint (value); break;
    case PROP_WINDOW_WIDTH: self->window_width = g_value_get_int (value); break;
    case PROP_WINDOW_HEIGHT: self->window_height = g_value_get_int (value); break;
    case PROP_WINDOW_MAXIMIZED: self->window_maximized = g_value_get_boolean (value); break;
    case PROP_SHOW_SIDEBAR: self->show_sidebar = g_value_get_boolean (value); break;
    case PROP_REVIEWER:
      g_free (self->reviewer);
      self->reviewer = g_value_dup_string (value);
      break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
assay_settings_finalize (GObject *object)
{
  AssaySettings *self = ASSAY_SETTINGS (object);
  g_clear_object (&self->store);
  g_free (self->library_folder);
  g_free (self->reviewer);
  g_strfreev (self->model_folders);
  G_OBJECT_CLASS (assay_settings_parent_class)->finalize (object);
}

static void
assay_settings_class_init (AssaySettingsClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  object_class->get_property = assay_settings_get_property;
  object_class->set_property = assay_settings_set_property;
  object_class->finalize = assay_settings_finalize;

  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS;
  properties[PROP_LIBRARY_FOLDER] = g_param_spec_string ("library-folder", NULL, NULL, "", flags);
  properties[PROP_MODEL_FOLDERS] = g_param_spec_boxed ("model-folders", NULL, NULL, G_TYPE_STRV, flags);
  properties[PROP_SAMPLE_INTERVAL_MS] = g_param_spec_uint ("sample-interval-ms", NULL, NULL, 1, 60000, 20, flags);
  properties[PROP_WINDOW_WIDTH] = g_param_spec_int ("window-width", NULL, NULL, 1, G_MAXINT, 1280, flags);
  properties[PROP_WINDOW_HEIGHT] = g_param_spec_int ("window-height", NULL, NULL, 1, G_MAXINT, 800, flags);
  properties[PROP_WINDOW_MAXIMIZED] = g_param_spec_boolean ("window-maximized", NULL, NULL, FALSE, flags);
  properties[PROP_SHOW_SIDEBAR] = g_param_spec_boolean ("show-sidebar", NULL, NULL, TRUE, flags);
  properties[PROP_REVIEWER] = g_param_spec_string ("reviewer", NULL, NULL, "", flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
assay_settings_init (AssaySettings *self)
{
  self->library_folder = g_strdup ("");
  self->reviewer = g_strdup ("");
  self->model_folders = g_new0 (char *, 1);
  self->sample_interval_ms = 20;
  self->window_width = 1280;
  self->window_height = 800;
  self->show_sidebar = TRUE;

  GSettingsSchemaSource *source = g_settings_schema_source_get_default ();
  g_autoptr(GSettingsSchema) schema =
    source != NULL ? g_settings_schema_source_lookup (source, ASSAY_APPLICATION_ID, TRUE) : NULL;
  if (schema == NULL)
    return;
  self->store = g_settings_new_full (schema, NULL, NULL);
  for (guint i = 1; i < N_PROPS; i++)
    {
      const char *name = g_param_spec_get_name (properties[i]);
      if (g_settings_schema_has_key (schema, name))
        g_settings_bind (self->store, name, self, name, G_SETTINGS_BIND_DEFAULT);
    }
}

AssaySettings *
assay_settings_get_default (void)
{
  static AssaySettings *settings;
  if (settings == NULL)
    settings = g_object_new (ASSAY_TYPE_SETTINGS, NULL);
  return settings;
}

char *
assay_settings_dup_library_folder (AssaySettings *self)
{
  g_return_val_if_fail (ASSAY_IS_SETTINGS (self), NULL);
  if (self->library_folder == NULL || *self->library_folder == '\0')
    return assay_library_dup_default_folder ();
  return g_strdup (self->library_folder);
}

const char *const *
assay_settings_get_model_folders (AssaySettings *self)
{
  g_return_val_if_fail (ASSAY_IS_SETTINGS (self), NULL);
  return (const char *const *) self->model_folders;
}

guint
assay_settings_get_sample_interval_ms (AssaySettings *self)
{
  g_return_val_if_fail (ASSAY_IS_SETTINGS (self), 20);
  return self->sample_interval_ms;
}
