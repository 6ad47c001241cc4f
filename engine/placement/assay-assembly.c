/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/placement/assay-assembly.c: a small state machine over the calls that place a model.
 *
 * It walks the list once. Each call looks at what was done before it and either changes the state or names
 * the rule that it breaks; nothing is touched on any device meanwhile. */
#include "assay-assembly.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "../assay-engine-error.h"

#define LAST_LAYER G_MAXUINT16

typedef struct
{
  const AssayValues *conditions;
  AssayAssembly *out;
  AssayFieldId field;
  const char *enabled; /* the call that did, or NULL */
  gboolean attached, mapped, moved;
} Assembling;

typedef struct
{
  const char *name;
  gboolean (*make) (Assembling *a, const char *call, GError **error);
  AssayOffloadMode mode; /* of an enabling call */
} AssemblyCall;

const char *
assay_offload_mode_get_name (AssayOffloadMode mode)
{
  static const char *const names[] = { "none", "model", "group", "sequential" };
  g_return_val_if_fail (mode < G_N_ELEMENTS (names), NULL);
  return names[mode];
}

/* --- the rules --- */

static gboolean assembly_break (
    Assembling *a, AssayFieldId field, const char *reason, GError **error, const char *format, ...)
    G_GNUC_PRINTF (5, 6);

/* Returns: FALSE. */
static gboolean
assembly_break (
    Assembling *a, AssayFieldId field, const char *reason, GError **error, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *message = g_strdup_vprintf (_(format), args);
  va_end (args);
  a->field = field;
  assay_engine_error_set (error, ASSAY_ENGINE_ERROR_RULE, reason, NULL, NULL, -1, "%s", message);
  if (error != NULL)
    assay_engine_error_set_field (*error, assay_field_get_info (field)->name);
  return FALSE;
}

static gboolean
call_attach (Assembling *a, const char *call, GError **error)
{
  if (a->enabled != NULL || a->moved)
    return assembly_break (
        a, ASSAY_FIELD_ATTACHED_COMPONENTS, "attached-after-offload", error,
        _("a component is attached after %s: every extra component is attached before the model is "
           "placed, or it would stay where it was made. Put attach first"),
        a->enabled != NULL ? a->enabled : "to_device");
  a->attached = TRUE;
  return TRUE;
}

static gboolean
call_device_map (Assembling *a, const char *call, GError **error)
{
  if (a->enabled != NULL)
    return assembly_break (
        a, ASSAY_FIELD_DEVICE_MAP, "mapped-after-offload", error,
        _("a device map is set after %s: a model has one placement, a map or an offload mode. Choose "
           "one of them"),
        a->enabled);
  a->mapped = TRUE;
  return TRUE;
}

static gboolean
call_reset_device_map (Assembling *a, const char *call, GError **error)
{
  a->mapped = FALSE;
  return TRUE;
}

static gboolean
assembly_check_map_reset (Assembling *a, const char *call, GError **error)
{
  if (!a->mapped)
    return TRUE;
  return assembly_break (
      a, ASSAY_FIELD_DEVICE_MAP, "device-map-not-reset", error,
      _("%s is called on a model that is placed with a device map: the map must be reset first. Call "
         "reset_device_map before it, or set device_map to 'none'"),
      call);
}

static gboolean
call_enable (Assembling *a, const char *call, GError **error)
{
  if (a->enabled != NULL)
    return assembly_break (a, ASSAY_FIELD_OFFLOAD_API, "offload-enabled-twice", error,
                           _("%s is called after %s: one offload mode is enabled, once. Leave one call out"),
                           call, a->enabled);
  if (a->moved)
    return assembly_break (
        a, ASSAY_FIELD_PIPELINE_MOVED_TO_CUDA, "moved-before-offload", error,
        _("the whole model was moved to the device before %s: then every weight lies there first, and "
           "the peak is that of no offload. It must not be moved; leave to_device out and set "
           "pipeline_moved_to_cuda to false"),
        call);
  if (!assembly_check_map_reset (a, call, error))
    return FALSE;
  a->enabled = call;
  return TRUE;
}

static gboolean
call_to_device (Assembling *a, const char *call, GError **error)
{
  if (a->enabled != NULL)
    return assembly_break (
        a, ASSAY_FIELD_PIPELINE_MOVED_TO_CUDA, "moved-after-offload", error,
        _("the whole model is moved to the device after %s: that undoes the offload. It must not be "
           "moved; leave to_device out and set pipeline_moved_to_cuda to false"),
        a->enabled);
  a->moved = TRUE;
  return assembly_check_map_reset (a, call, error);
}

static const AssemblyCall calls[] = {
  { "attach", call_attach, ASSAY_OFFLOAD_NONE },
  { "device_map", call_device_map, ASSAY_OFFLOAD_NONE },
  { "reset_device_map", call_reset_device_map, ASSAY_OFFLOAD_NONE },
  { "enable_model_cpu_offload", call_enable, ASSAY_OFFLOAD_MODEL },
  { "enable_group_offload", call_enable, ASSAY_OFFLOAD_GROUP },
  { "enable_sequential_cpu_offload", call_enable, ASSAY_OFFLOAD_SEQUENTIAL },
  { "to_device", call_to_device, ASSAY_OFFLOAD_NONE },
};

static const AssemblyCall *
assembly_find_call (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (calls); i++)
    if (g_str_equal (calls[i].name, name))
      return &calls[i];
  return NULL;
}

/* --- the list --- */

static const char *
named (const AssayValues *conditions, AssayFieldId field)
{
  const char *text = assay_values_get_text (conditions, field);
  return text == NULL || *text == '\0' || g_str_equal (text, "none") ? NULL : text;
}

static AssayOffloadMode
conditions_get_mode (const AssayValues *conditions)
{
  const char *text = named (conditions, ASSAY_FIELD_OFFLOAD_MODE);
  for (AssayOffloadMode mode = ASSAY_OFFLOAD_MODEL; text != NULL && mode <= ASSAY_OFFLOAD_SEQUENTIAL; mode++)
    if (g_str_equal (text, assay_offload_mode_get_name (mode)))
      return mode;
  return ASSAY_OFFLOAD_NONE;
}

static gboolean
conditions_are_moved (const AssayValues *conditions)
{
  gboolean moved = FALSE;
  return assay_values_get_boolean (conditions, ASSAY_FIELD_PIPELINE_MOVED_TO_CUDA, &moved) && moved;
}

static void
list_add (GString *list, const char *call)
{
  g_string_append_printf (list, "%s%s", list->len > 0 ? ", " : "", call);
}

static void
list_add_enabling (GString *list, AssayOffloadMode mode)
{
  for (guint i = 0; i < G_N_ELEMENTS (calls); i++)
    if (calls[i].make == call_enable && calls[i].mode == mode)
      list_add (list, calls[i].name);
}

char *
assay_assembly_dup_calls (const AssayValues *conditions)
{
  const char *given = named (conditions, ASSAY_FIELD_OFFLOAD_API);
  GString *list = g_string_new (NULL);
  if (given == NULL && named (conditions, ASSAY_FIELD_ATTACHED_COMPONENTS) != NULL)
    list_add (list, "attach");
  if (given == NULL && named (conditions, ASSAY_FIELD_DEVICE_MAP) != NULL)
    list_add (list, "device_map");
  if (conditions_are_moved (conditions) && (given == NULL || strstr (given, "to_device") == NULL))
    list_add (list, "to_device");
  if (given != NULL)
    list_add (list, given);
  else
    list_add_enabling (list, conditions_get_mode (conditions));
  return g_string_free (list, FALSE);
}

static gboolean
assembly_make_calls (Assembling *a, GError **error)
{
  g_autofree char *list = assay_assembly_dup_calls (a->conditions);
  g_auto (GStrv) names = g_strsplit (list, ",", 64);
  for (guint i = 0; *list != '\0' && names[i] != NULL; i++)
    {
      const AssemblyCall *call = assembly_find_call (g_strstrip (names[i]));
      if (call == NULL)
        return assembly_break (
            a, ASSAY_FIELD_OFFLOAD_API, "offload-call-unknown", error,
            _("offload_api holds '%s', which is no call of this engine: attach, device_map, "
               "reset_device_map, enable_model_cpu_offload, enable_group_offload, "
               "enable_sequential_cpu_offload, to_device are"),
            names[i]);
      if (!call->make (a, call->name, error))
        return FALSE;
      a->out->mode = call->mode != ASSAY_OFFLOAD_NONE ? call->mode : a->out->mode;
    }
  return TRUE;
}

/* What the other conditions say must be what the calls did. */
static gboolean
assembly_check_agreement (Assembling *a, GError **error)
{
  const AssayOffloadMode asked = conditions_get_mode (a->conditions);
  const char *map = named (a->conditions, ASSAY_FIELD_DEVICE_MAP);
  const gboolean components = named (a->conditions, ASSAY_FIELD_ATTACHED_COMPONENTS) != NULL;
  if (a->out->mode != asked)
    return assembly_break (
        a, ASSAY_FIELD_OFFLOAD_API, "offload-call-mismatch", error,
        _("offload_mode is '%s', but the calls of offload_api enable '%s': leave offload_api empty, or "
           "make both say the same"),
        assay_offload_mode_get_name (asked), assay_offload_mode_get_name (a->out->mode));
  if (components != a->attached)
    return assembly_break (
        a, ASSAY_FIELD_ATTACHED_COMPONENTS, "offload-call-mismatch", error, "%s",
        components ? _("attached_components names some, but offload_api never attaches them: put attach "
                        "first, or leave offload_api empty")
                   : _("offload_api attaches components, but attached_components names none"));
  if (a->mapped && map == NULL)
    return assembly_break (a, ASSAY_FIELD_DEVICE_MAP, "offload-call-mismatch", error, "%s",
                           _("offload_api sets a device map, but device_map names none"));
  return TRUE;
}

/* --- the device map --- */

typedef struct
{
  char *component;
  guint first, last;
  gboolean whole, on_device;
} MapEntry;

static gboolean
map_parse_layers (const char *text, MapEntry *entry)
{
  guint64 first, last;
  g_auto (GStrv) ends = g_strsplit (text, "-", 2);
  if (ends[0] == NULL || !g_ascii_string_to_unsigned (ends[0], 10, 0, LAST_LAYER, &first, NULL))
    return FALSE;
  last = first;
  if (ends[1] != NULL && !g_ascii_string_to_unsigned (ends[1], 10, first, LAST_LAYER, &last, NULL))
    return FALSE;
  entry->first = (guint) first;
  entry->last = (guint) last;
  return TRUE;
}

static gboolean
map_parse_entry (const char *text, MapEntry *out)
{
  g_auto (GStrv) sides = g_strsplit (text, "=", 2);
  if (sides[0] == NULL || sides[1] == NULL)
    return FALSE;
  g_auto (GStrv) key = g_strsplit (g_strstrip (sides[0]), ".", 2);
  const char *place = g_strstrip (sides[1]);
  const gboolean is_component = key[0] != NULL
                                && (g_str_equal (key[0], "embedding") || g_str_equal (key[0], "decoder")
                                    || g_str_equal (key[0], "head"));
  *out = (MapEntry){ .whole = key[0] != NULL && key[1] == NULL, .on_device = g_str_equal (place, "device") };
  if (!is_component || (!out->on_device && !g_str_equal (place, "cpu")))
    return FALSE;
  if (!out->whole && (!g_str_equal (key[0], "decoder") || !map_parse_layers (key[1], out)))
    return FALSE;
  out->component = g_strdup (key[0]);
  return TRUE;
}

static gboolean
entry_names (const MapEntry *entry, const char *component, gint group)
{
  return g_str_equal (entry->component, component)
         && (entry->whole || (group >= (gint) entry->first && group <= (gint) entry->last));
}

/* -1: no entry names it, or the map cannot be read; else whether it is on the device. component NULL: only
 * reads. */
static gint
map_look_up (const char *map, const char *component, gint group, char **bad)
{
  gint found = -1;
  g_auto (GStrv) entries = g_strsplit_set (map, ",\n", 0);
  for (guint i = 0; entries[i] != NULL; i++)
    {
      MapEntry entry;
      if (*g_strstrip (entries[i]) == '\0')
        continue;
      if (!map_parse_entry (entries[i], &entry))
        {
          if (bad != NULL)
            *bad = g_strdup (entries[i]);
          return -1;
        }
      if (component != NULL && entry_names (&entry, component, group))
        found = entry.on_device;
      g_free (entry.component);
    }
  return found;
}

gboolean
assay_assembly_is_on_device (const AssayAssembly *self, const char *component, gint group)
{
  return self->device_map == NULL || map_look_up (self->device_map, component, group, NULL) != 0;
}

static gboolean
map_check_named (const AssayAssembly *self, const char *component, gint group, GError **error)
{
  if (map_look_up (self->device_map, component, group, NULL) >= 0)
    return TRUE;
  g_autofree char *layer = group >= 0 ? g_strdup_printf (".%d", group) : g_strdup ("");
  Assembling a = { 0 };
  return assembly_break (
      &a, ASSAY_FIELD_DEVICE_MAP, "device-map-incomplete", error,
      _("device_map says nothing of '%s%s': every part needs a place, as in 'embedding=device, "
         "decoder=cpu, head=device'"),
      component, layer);
}

/* An entry that places what is not there is a slip of the pen, or meant for another model. */
static gboolean
map_check_layers (const AssayAssembly *self, guint n_layers, GError **error)
{
  g_auto (GStrv) entries = g_strsplit_set (self->device_map, ",\n", 0);
  for (guint i = 0; entries[i] != NULL; i++)
    {
      MapEntry entry;
      Assembling a = { 0 };
      g_autofree char *text = g_strdup (g_strstrip (entries[i]));
      if (!map_parse_entry (entries[i], &entry))
        continue;
      g_free (entry.component);
      if (!entry.whole && entry.last >= n_layers)
        return assembly_break (&a, ASSAY_FIELD_DEVICE_MAP, "device-map-layer", error,
                               _ ("device_map holds '%s', but this model's layers are 0 to %u: name those, or "
                                  "'decoder' for all of them"),
                               text, n_layers - 1);
    }
  return TRUE;
}

gboolean
assay_assembly_check_map (const AssayAssembly *self, guint n_layers, GError **error)
{
  if (self->device_map == NULL)
    return TRUE;
  if (!map_check_layers (self, n_layers, error) || !map_check_named (self, "embedding", -1, error)
      || !map_check_named (self, "head", -1, error))
    return FALSE;
  for (guint i = 0; i < n_layers; i++)
    if (!map_check_named (self, "decoder", (gint) i, error))
      return FALSE;
  return TRUE;
}

static gboolean
assembly_read_map (Assembling *a, GError **error)
{
  g_autofree char *bad = NULL;
  const char *map = named (a->conditions, ASSAY_FIELD_DEVICE_MAP);
  if (map == NULL)
    return TRUE;
  map_look_up (map, NULL, 0, &bad);
  if (bad != NULL)
    return assembly_break (
        a, ASSAY_FIELD_DEVICE_MAP, "device-map-syntax", error,
        _("device_map holds '%s', which is no PART=PLACE: parts are embedding, decoder, decoder.3, "
           "decoder.0-11 and head, places are device and cpu"),
        bad);
  if (a->mapped)
    a->out->device_map = g_strdup (map);
  return TRUE;
}

/* --- the public door --- */

AssayAssembly *
assay_assembly_new_resident (void)
{
  return g_new0 (AssayAssembly, 1);
}

AssayAssembly *
assay_assembly_new (const AssayValues *conditions, AssayFieldId *field, GError **error)
{
  gint64 granularity = 1;
  g_autoptr (AssayAssembly) self = assay_assembly_new_resident ();
  Assembling a = { .conditions = conditions, .out = self, .field = ASSAY_FIELD_INVALID };
  self->prefetch = TRUE;
  assay_values_get_boolean (conditions, ASSAY_FIELD_PREFETCH, &self->prefetch);
  assay_values_get_integer (conditions, ASSAY_FIELD_OFFLOAD_GRANULARITY, &granularity);
  self->granularity = (guint) granularity;
  const gboolean ok = assembly_make_calls (&a, error) && assembly_check_agreement (&a, error)
                      && assembly_read_map (&a, error);
  if (field != NULL)
    *field = a.field;
  return ok ? g_steal_pointer (&self) : NULL;
}

void
assay_assembly_free (AssayAssembly *self)
{
  if (self == NULL)
    return;
  g_free (self->device_map);
  g_free (self);
}
