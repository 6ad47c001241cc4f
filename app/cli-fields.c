/* SPDX-License-Identifier: GPL-3.0-or-later */
/* app/cli-fields.c: what this program and this machine are: fields, devices, version. */
#include "cli.h"

#include <glib/gi18n.h>

#include "assay-device.h"

static JsonNode *
fields_to_json (void)
{
  g_autoptr (JsonBuilder) b = json_builder_new ();
  json_builder_begin_array (b);
  for (guint i = 0; i < ASSAY_N_FIELDS; i++)
    {
      const AssayFieldInfo *info = assay_field_get_info (i);
      json_builder_begin_object (b);
      cli_json_text (b, "name", info->name);
      cli_json_text (b, "group", assay_group_get_name (info->group));
      cli_json_text (b, "unit", assay_unit_get_name (info->unit));
      cli_json_text (b, "axis", info->axis == ASSAY_AXIS_NONE ? "" : assay_axis_get_name (info->axis));
      cli_json_text (b, "domain", info->domain);
      cli_json_text (b, "label", _(info->label));
      cli_json_text (b, "help", _(info->help));
      json_builder_end_object (b);
    }
  json_builder_end_array (b);
  return json_builder_get_root (b);
}

int
cli_fields (int argc, char **argv)
{
  gboolean json = FALSE;
  if (!cli_parse ("fields", NULL, 0, 0, &argc, &argv, &json))
    return CLI_USAGE;
  if (json)
    {
      cli_print_json (fields_to_json ());
      return CLI_OK;
    }
  for (guint i = 0; i < ASSAY_N_FIELDS; i++)
    {
      const AssayFieldInfo *info = assay_field_get_info (i);
      g_print ("%-28s %-11s %-18s %-24s %s\n", info->name, assay_group_get_name (info->group),
               assay_unit_get_name (info->unit), info->axis == ASSAY_AXIS_NONE ? "-" : assay_axis_get_name (info->axis),
               _(info->help));
      if (info->domain[0] != '\0')
        g_print ("%-28s %s\n", "", info->domain);
    }
  return CLI_OK;
}

int
cli_devices (int argc, char **argv)
{
  gboolean json = FALSE;
  if (!cli_parse ("devices", NULL, 0, 0, &argc, &argv, &json))
    return CLI_USAGE;
  g_autoptr (GPtrArray) devices = assay_device_list ();
  g_autoptr (JsonBuilder) b = json_builder_new ();
  json_builder_begin_array (b);
  for (guint i = 0; i < devices->len; i++)
    {
      const AssayDeviceInfo *info = g_ptr_array_index (devices, i);
      json_builder_begin_object (b);
      cli_json_text (b, "name", info->name);
      cli_json_text (b, "description", info->description != NULL ? info->description : "");
      if (info->memory_bytes > 0)
        cli_json_integer (b, "memory_bytes", (gint64) info->memory_bytes);
      else
        cli_json_text (b, "memory_bytes", NULL);
      cli_json_text (b, "problem", info->problem);
      json_builder_end_object (b);
      if (json)
        continue;
      g_autofree char *memory = info->memory_bytes > 0 ? assay_format_bytes (info->memory_bytes) : g_strdup ("-");
      if (info->problem != NULL)
        g_print ("%-8s %s: %s\n", info->name, _("not available"), info->problem);
      else
        g_print ("%-8s %s, %s\n", info->name, info->description, memory);
    }
  json_builder_end_array (b);
  if (json)
    cli_print_json (json_builder_get_root (b));
  return CLI_OK;
}

int
cli_version (int argc, char **argv)
{
  gboolean json = FALSE;
  if (!cli_parse ("version", NULL, 0, 0, &argc, &argv, &json))
    return CLI_USAGE;
  if (json)
    g_print ("{\"name\": \"assay\", \"version\": \"%s\", \"ledger_version\": \"1.0\"}\n", ASSAY_VERSION);
  else
    g_print ("assay %s\n", ASSAY_VERSION);
  return CLI_OK;
}
