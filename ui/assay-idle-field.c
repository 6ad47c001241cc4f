/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-idle-field.h"

#include <glib/gi18n-lib.h>

static gboolean
idle_is (const AssayValues *conditions, AssayFieldId field, const char *value)
{
  g_autofree char *text = assay_values_dup_text (conditions, field);
  return g_strcmp0 (text, value) == 0;
}

/* What stands in the field asks for nothing, so that making it insensitive locks nobody in. */
static gboolean
idle_is_at_rest (const AssayValues *conditions, AssayFieldId field)
{
  static const char *const at_rest[] = { "", "none", "false", "cpu", "1" };
  g_autofree char *text = assay_values_dup_text (conditions, field);
  if (text == NULL || field == ASSAY_FIELD_OFFLOAD_GRANULARITY)
    return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (at_rest); i++)
    if (g_str_equal (text, at_rest[i]))
      return TRUE;
  return FALSE;
}

static const char *
idle_find_reason_on_cpu (AssayFieldId field)
{
  switch (field)
    {
    case ASSAY_FIELD_LINK_BANDWIDTH:
      return _("The cpu device has no copy link");
    case ASSAY_FIELD_OFFLOAD_MODE:
    case ASSAY_FIELD_OFFLOAD_GRANULARITY:
    case ASSAY_FIELD_OFFLOAD_API:
      return _("On the cpu device there is nowhere to offload to");
    case ASSAY_FIELD_PIPELINE_MOVED_TO_CUDA:
      return _("On the cpu device nothing is moved to a GPU");
    case ASSAY_FIELD_DEVICE_MAP:
      return _("Everything lies on the cpu device");
    default:
      return NULL;
    }
}

static const char *
idle_find_reason (const AssayValues *conditions, AssayFieldId field)
{
  const gboolean on_cpu = idle_is (conditions, ASSAY_FIELD_DEVICE, "cpu");
  const char *reason = on_cpu ? idle_find_reason_on_cpu (field) : NULL;
  if (reason != NULL)
    return reason;
  if (field == ASSAY_FIELD_LINK_BANDWIDTH && !idle_is (conditions, ASSAY_FIELD_DEVICE, "virtual"))
    return _("Only the virtual device has a link whose speed is set");
  if (field == ASSAY_FIELD_OFFLOAD_GRANULARITY && !idle_is (conditions, ASSAY_FIELD_OFFLOAD_MODE, "group"))
    return _("Counts only while offload_mode is group");
  if (field == ASSAY_FIELD_OFFLOAD_API && idle_is (conditions, ASSAY_FIELD_OFFLOAD_MODE, "none"))
    return _("Counts only while offload is enabled");
  if (idle_is (conditions, ASSAY_FIELD_RUNTIME, "native") && field == ASSAY_FIELD_BATCH_SIZE)
    return _("This engine answers one question at a time");
  if (idle_is (conditions, ASSAY_FIELD_RUNTIME, "native") && field == ASSAY_FIELD_ATTACHED_COMPONENTS)
    return _("This engine attaches no components");
  return NULL;
}

const char *
assay_idle_field_get_reason (const AssayValues *conditions, AssayFieldId field)
{
  return idle_is_at_rest (conditions, field) ? idle_find_reason (conditions, field) : NULL;
}
