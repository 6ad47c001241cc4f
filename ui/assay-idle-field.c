/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-idle-field.h"

#include <glib/gi18n-lib.h>

static gboolean
idle_is (const AssayValues *conditions, AssayFieldId field, const char *value)
{
  g_autofree char *text = assay_values_dup_text (conditions, field);
  return g_strcmp0 (text, value) == 0;
}

static gboolean
idle_is_named (const AssayValues *conditions, AssayFieldId field)
{
  const char *text = assay_values_get_text (conditions, field);
  return text != NULL && *text != '\0' && !g_str_equal (text, "none");
}

/* What stands in the field asks for nothing, so that making it insensitive locks nobody in. */
static gboolean
idle_is_at_rest (const AssayValues *conditions, AssayFieldId field)
{
  static const char *const at_rest[] = { "", "none", "false", "0" };
  static const AssayFieldId harmless[] = { ASSAY_FIELD_OFFLOAD_GRANULARITY, ASSAY_FIELD_PREFETCH, ASSAY_FIELD_OFFLOAD_API,
                                           ASSAY_FIELD_QUANTIZED_MODULES };
  g_autofree char *text = assay_values_dup_text (conditions, field);
  for (guint i = 0; i < G_N_ELEMENTS (harmless); i++)
    if (field == harmless[i])
      return TRUE;
  for (guint i = 0; text != NULL && i < G_N_ELEMENTS (at_rest); i++)
    if (g_str_equal (text, at_rest[i]))
      return TRUE;
  return text == NULL
         || (field == ASSAY_FIELD_QUANTIZATION_METHOD && !g_str_equal (text, "bitsandbytes-fp32-cpu"));
}

static const char *
idle_find_reason_on_cpu (AssayFieldId field)
{
  switch (field)
    {
    case ASSAY_FIELD_LINK_BANDWIDTH:
    case ASSAY_FIELD_LINK_LATENCY_SECONDS:
      return _("The cpu device has no copy link");
    case ASSAY_FIELD_RAM_BUDGET:
      return _("On the cpu device the budget above bounds all memory");
    case ASSAY_FIELD_OFFLOAD_MODE:
    case ASSAY_FIELD_OFFLOAD_GRANULARITY:
    case ASSAY_FIELD_PREFETCH:
      return _("On the cpu device there is nowhere to offload to");
    case ASSAY_FIELD_PIPELINE_MOVED_TO_CUDA:
      return _("On the cpu device nothing is moved to a GPU");
    case ASSAY_FIELD_DEVICE_MAP:
      return _("Everything lies on the cpu device");
    default:
      return NULL;
    }
}

/* The subject's rules: what one placement takes from the others. */
static const char *
idle_find_broken_rule (const AssayValues *conditions, AssayFieldId field)
{
  const gboolean offloads = idle_is_named (conditions, ASSAY_FIELD_OFFLOAD_MODE);
  if (field == ASSAY_FIELD_OFFLOAD_MODE && idle_is_named (conditions, ASSAY_FIELD_DEVICE_MAP))
    return _("The model is placed with a device map, which must be reset before an offload mode is enabled: set device_map "
             "to none");
  if (field == ASSAY_FIELD_DEVICE_MAP && offloads)
    return _("A model has one placement, a device map or an offload mode: set offload_mode to none first");
  if (field == ASSAY_FIELD_PIPELINE_MOVED_TO_CUDA && offloads)
    return _("With an offload mode the whole model must never be moved to the device, neither before nor after it");
  return NULL;
}

static const char *
idle_find_reason_of_placement (const AssayValues *conditions, AssayFieldId field)
{
  const gboolean streams = idle_is (conditions, ASSAY_FIELD_OFFLOAD_MODE, "group")
                           || idle_is (conditions, ASSAY_FIELD_OFFLOAD_MODE, "sequential")
                           || idle_is_named (conditions, ASSAY_FIELD_DEVICE_MAP);
  const gboolean of_link = field == ASSAY_FIELD_LINK_BANDWIDTH || field == ASSAY_FIELD_LINK_LATENCY_SECONDS;
  if (of_link && !idle_is (conditions, ASSAY_FIELD_DEVICE, "virtual"))
    return _("Only the virtual device has a link whose speed is set");
  if (field == ASSAY_FIELD_OFFLOAD_GRANULARITY && !idle_is (conditions, ASSAY_FIELD_OFFLOAD_MODE, "group"))
    return _("Counts only while offload_mode is group");
  if (field == ASSAY_FIELD_PREFETCH && !streams)
    return _("Counts only while units are moved in every pass: group, sequential, or a device map");
  if (field == ASSAY_FIELD_OFFLOAD_API)
    return _("Follows from the fields above, in the one order that is allowed: every component is attached first, then "
             "one offload mode is enabled, once");
  return idle_find_broken_rule (conditions, field);
}

/* What a process may be asked is its own affair. */
static const char *
idle_find_reason_for_process (AssayFieldId field)
{
  switch (field)
    {
    case ASSAY_FIELD_LINK_BANDWIDTH:
    case ASSAY_FIELD_LINK_LATENCY_SECONDS:
    case ASSAY_FIELD_WEIGHT_ACCESS:
      return _("Belongs to Assay’s own engine, not to a process");
    case ASSAY_FIELD_OFFLOAD_API:
      return _("The process tells the calls as it makes them");
    default:
      return NULL;
    }
}

static const char *
idle_find_reason (const AssayValues *conditions, AssayFieldId field)
{
  if (idle_is (conditions, ASSAY_FIELD_RUNTIME, "process"))
    return idle_find_reason_for_process (field);
  if (field == ASSAY_FIELD_PROGRAM || field == ASSAY_FIELD_RECIPE)
    return _("Counts only while the runtime is process");
  const gboolean on_cpu
    = idle_is (conditions, ASSAY_FIELD_DEVICE, "cpu") || idle_is (conditions, ASSAY_FIELD_DEVICE, NULL);
  const char *reason = on_cpu ? idle_find_reason_on_cpu (field) : NULL;
  if (reason != NULL)
    return reason;
  if (field == ASSAY_FIELD_QUANTIZATION_METHOD && !idle_is (conditions, ASSAY_FIELD_QUANTIZATION, "int8"))
    return _("Follows from the quantization; only int8 is made in two ways");
  if (field == ASSAY_FIELD_QUANTIZED_MODULES && !idle_is_named (conditions, ASSAY_FIELD_QUANTIZATION))
    return _("Counts only while weights are quantized");
  return idle_find_reason_of_placement (conditions, field);
}

const char *
assay_idle_field_get_reason (const AssayValues *conditions, AssayFieldId field)
{
  return idle_is_at_rest (conditions, field) ? idle_find_reason (conditions, field) : NULL;
}
