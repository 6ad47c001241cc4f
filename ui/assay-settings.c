/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-settings.c: see the header. One property a key of the schema, bound both ways; all are kept alike,
 * so that a new key is one line in class_init and one in the schema. */
#include "assay-settings.h"

#include "assay-library.h"

enum
{
  PROP_0,
  PROP_LIBRARY_FOLDER,
  PROP_MORE_LIBRARY_FOLDERS,
  PROP_MODEL_FOLDERS,
  PROP_SAMPLE_INTERVAL_MS,
  PROP_DECIMAL_SIZES,
  PROP_LANGUAGE,
  PROP_DEFAULT_DEVICE,
  PROP_DEFAULT_THREADS,
  PROP_DEFAULT_MAX_TOKENS,
  PROP_NOTIFY_AFTER_SECONDS,
  PROP_QUEUE_STOPS_AT_FAILURE,
  PROP_WINDOW_WIDTH,
  PROP_WINDOW_HEIGHT,
  PROP_WINDOW_MAXIMIZED,
  PROP_SHOW_SIDEBAR,
  PROP_LAST_VIEW,
  PROP_LAST_LEDGER,
  PROP_REVIEWER,
  PROP_REVIEWERS,
  PROP_COMPARE_COLUMNS,
  N_PROPS
};
static GParamSpec *properties[N_PROPS];

struct _AssaySettings
{
  GObject parent_instance;
  GSettings *store; /* owned; NULL where the schema is not installed */
  GValue values[N_PROPS];
};

G_DEFINE_FINAL_TYPE (AssaySettings, assay_settings, G_TYPE_OBJECT)

static void
assay_settings_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  g_value_copy (&ASSAY_SETTINGS (object)->values[id], value);
}

static void
assay_settings_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  g_value_copy (value, &ASSAY_SETTINGS (object)->values[id]);
}

static void
assay_settings_finalize (GObject *object)
{
  AssaySettings *self = ASSAY_SETTINGS (object);
  g_clear_object (&self->store);
  for (guint i = 1; i < N_PROPS; i++)
    g_value_unset (&self->values[i]);
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
#define TEXT(ID, name) properties[PROP_##ID] = g_param_spec_string (name, NULL, NULL, "", flags)
#define COUNT(ID, name, min, max, given)                                                                     \
  properties[PROP_##ID] = g_param_spec_uint (name, NULL, NULL, min, max, given, flags)
#define SIZE(ID, name, given)                                                                                \
  properties[PROP_##ID] = g_param_spec_int (name, NULL, NULL, 1, G_MAXINT, given, flags)
#define SWITCH(ID, name, given) properties[PROP_##ID] = g_param_spec_boolean (name, NULL, NULL, given, flags)
  TEXT (LIBRARY_FOLDER, "library-folder");
  properties[PROP_MORE_LIBRARY_FOLDERS] = g_param_spec_boxed ("more-library-folders", NULL, NULL, G_TYPE_STRV, flags);
  properties[PROP_MODEL_FOLDERS] = g_param_spec_boxed ("model-folders", NULL, NULL, G_TYPE_STRV, flags);
  COUNT (SAMPLE_INTERVAL_MS, "sample-interval-ms", 1, 60000, 20);
  SWITCH (DECIMAL_SIZES, "decimal-sizes", FALSE);
  TEXT (LANGUAGE, "language");
  TEXT (DEFAULT_DEVICE, "default-device");
  COUNT (DEFAULT_THREADS, "default-threads", 0, 1024, 0);
  COUNT (DEFAULT_MAX_TOKENS, "default-max-tokens", 1, 1048576, 256);
  COUNT (NOTIFY_AFTER_SECONDS, "notify-after-seconds", 0, 86400, 30);
  SWITCH (QUEUE_STOPS_AT_FAILURE, "queue-stops-at-failure", FALSE);
  SIZE (WINDOW_WIDTH, "window-width", 1280);
  SIZE (WINDOW_HEIGHT, "window-height", 800);
  SWITCH (WINDOW_MAXIMIZED, "window-maximized", FALSE);
  SWITCH (SHOW_SIDEBAR, "show-sidebar", TRUE);
  TEXT (LAST_VIEW, "last-view");
  TEXT (LAST_LEDGER, "last-ledger");
  TEXT (REVIEWER, "reviewer");
  properties[PROP_REVIEWERS] = g_param_spec_boxed ("reviewers", NULL, NULL, G_TYPE_STRV, flags);
  properties[PROP_COMPARE_COLUMNS] = g_param_spec_boxed ("compare-columns", NULL, NULL, G_TYPE_STRV, flags);
#undef TEXT
#undef COUNT
#undef SIZE
#undef SWITCH
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
settings_bind_store (AssaySettings *self)
{
  GSettingsSchemaSource *source = g_settings_schema_source_get_default ();
  g_autoptr(GSettingsSchema) schema
      = source != NULL ? g_settings_schema_source_lookup (source, ASSAY_APPLICATION_ID, TRUE) : NULL;
  if (schema == NULL)
    return;
  self->store = g_settings_new_full (schema, NULL, NULL);
  for (guint i = 1; i < N_PROPS; i++)
    {
      const char *name = g_param_spec_get_name (properties[i]);
      if (g_settings_schema_has_key (schema, name)) /* an older schema may be installed */
        g_settings_bind (self->store, name, self, name, G_SETTINGS_BIND_DEFAULT);
    }
}

static void
settings_use_sizes (AssaySettings *self)
{
  assay_format_use_decimal (g_value_get_boolean (&self->values[PROP_DECIMAL_SIZES]));
}

static void
assay_settings_init (AssaySettings *self)
{
  for (guint i = 1; i < N_PROPS; i++)
    {
      g_value_init (&self->values[i], properties[i]->value_type);
      g_param_value_set_default (properties[i], &self->values[i]);
    }
  g_value_take_boxed (&self->values[PROP_MORE_LIBRARY_FOLDERS], g_new0 (char *, 1));
  g_value_take_boxed (&self->values[PROP_MODEL_FOLDERS], g_new0 (char *, 1));
  g_value_take_boxed (&self->values[PROP_REVIEWERS], g_new0 (char *, 1));
  g_value_take_boxed (&self->values[PROP_COMPARE_COLUMNS], g_new0 (char *, 1));
  g_signal_connect (self, "notify::decimal-sizes", G_CALLBACK (settings_use_sizes), NULL);
  settings_bind_store (self);
}

AssaySettings *
assay_settings_get_default (void)
{
  static AssaySettings *settings;
  if (settings == NULL)
    settings = g_object_new (ASSAY_TYPE_SETTINGS, NULL);
  return settings;
}

static const char *
settings_get_text (AssaySettings *self, guint id)
{
  const char *text = g_value_get_string (&self->values[id]);
  return text != NULL ? text : "";
}

char *
assay_settings_dup_library_folder (AssaySettings *self)
{
  g_return_val_if_fail (ASSAY_IS_SETTINGS (self), NULL);
  const char *folder = settings_get_text (self, PROP_LIBRARY_FOLDER);
  return *folder == '\0' ? assay_library_dup_default_folder () : g_strdup (folder);
}

const char *const *
assay_settings_get_more_library_folders (AssaySettings *self)
{
  g_return_val_if_fail (ASSAY_IS_SETTINGS (self), NULL);
  return g_value_get_boxed (&self->values[PROP_MORE_LIBRARY_FOLDERS]);
}

char **
assay_settings_dup_library_folders (AssaySettings *self)
{
  g_autoptr(GStrvBuilder) folders = g_strv_builder_new ();
  g_autofree char *first = assay_settings_dup_library_folder (self);
  const char *const *more = assay_settings_get_more_library_folders (self);
  g_strv_builder_add (folders, first);
  for (guint i = 0; more[i] != NULL; i++)
    if (g_strcmp0 (more[i], first) != 0) /* it may have been made the first since */
      g_strv_builder_add (folders, more[i]);
  return g_strv_builder_end (folders);
}

void
assay_settings_show_library_folder (AssaySettings *self, const char *folder, gboolean show)
{
  const char *const *now = assay_settings_get_more_library_folders (self);
  g_autoptr(GStrvBuilder) folders = g_strv_builder_new ();
  g_autofree char *first = assay_settings_dup_library_folder (self);
  for (guint i = 0; now[i] != NULL; i++)
    if (g_strcmp0 (now[i], folder) != 0)
      g_strv_builder_add (folders, now[i]);
  if (show && g_strcmp0 (folder, first) != 0)
    g_strv_builder_add (folders, folder);
  g_auto(GStrv) changed = g_strv_builder_end (folders);
  g_object_set (self, "more-library-folders", changed, NULL);
}

const char *const *
assay_settings_get_model_folders (AssaySettings *self)
{
  g_return_val_if_fail (ASSAY_IS_SETTINGS (self), NULL);
  return g_value_get_boxed (&self->values[PROP_MODEL_FOLDERS]);
}

guint
assay_settings_get_sample_interval_ms (AssaySettings *self)
{
  g_return_val_if_fail (ASSAY_IS_SETTINGS (self), 20);
  return g_value_get_uint (&self->values[PROP_SAMPLE_INTERVAL_MS]);
}

gboolean
assay_settings_get_queue_stops_at_failure (AssaySettings *self)
{
  return g_value_get_boolean (&self->values[PROP_QUEUE_STOPS_AT_FAILURE]);
}

guint
assay_settings_get_notify_after_seconds (AssaySettings *self)
{
  g_return_val_if_fail (ASSAY_IS_SETTINGS (self), 0);
  return g_value_get_uint (&self->values[PROP_NOTIFY_AFTER_SECONDS]);
}

const char *
assay_settings_get_language (AssaySettings *self)
{
  g_return_val_if_fail (ASSAY_IS_SETTINGS (self), "");
  return settings_get_text (self, PROP_LANGUAGE);
}

const char *
assay_settings_get_last_view (AssaySettings *self)
{
  g_return_val_if_fail (ASSAY_IS_SETTINGS (self), "");
  return settings_get_text (self, PROP_LAST_VIEW);
}

const char *
assay_settings_get_last_ledger (AssaySettings *self)
{
  g_return_val_if_fail (ASSAY_IS_SETTINGS (self), "");
  return settings_get_text (self, PROP_LAST_LEDGER);
}

static gboolean
values_lack (const AssayValues *values, AssayFieldId field)
{
  return assay_values_get_state (values, field) == ASSAY_VALUE_UNSET;
}

void
assay_settings_fill_trial (AssaySettings *self, AssayValues *values)
{
  g_return_if_fail (ASSAY_IS_SETTINGS (self) && values != NULL);
  const char *device = settings_get_text (self, PROP_DEFAULT_DEVICE);
  const guint threads = g_value_get_uint (&self->values[PROP_DEFAULT_THREADS]);
  if (values_lack (values, ASSAY_FIELD_SAMPLE_INTERVAL_MS))
    assay_values_set_integer (values, ASSAY_FIELD_SAMPLE_INTERVAL_MS,
                              assay_settings_get_sample_interval_ms (self));
  if (*device != '\0' && values_lack (values, ASSAY_FIELD_DEVICE))
    assay_values_set_text (values, ASSAY_FIELD_DEVICE, device);
  if (threads > 0 && values_lack (values, ASSAY_FIELD_THREADS))
    assay_values_set_integer (values, ASSAY_FIELD_THREADS, threads);
  if (values_lack (values, ASSAY_FIELD_MAX_TOKENS))
    assay_values_set_integer (values, ASSAY_FIELD_MAX_TOKENS,
                              g_value_get_uint (&self->values[PROP_DEFAULT_MAX_TOKENS]));
}
