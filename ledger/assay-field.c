/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-field.c: the list of fields as a table.
 *
 * The table is written by the compiler from fields.def; only the index by name and the split choices are made
 * at run time, once, and never freed: they live as long as the table. */
#include "assay-field.h"

#include <glib/gi18n-lib.h>

#define ASSAY_FIELD(ID, NAME, TYPE, UNIT, GROUP, SECTION, TASKS, AXIS, DOMAIN, LABEL, HELP)                  \
  { ASSAY_FIELD_##ID,                                                                                        \
    #NAME,                                                                                                   \
    ASSAY_VALUE_TYPE_##TYPE,                                                                                 \
    ASSAY_UNIT_##UNIT,                                                                                       \
    ASSAY_GROUP_##GROUP,                                                                                     \
    ASSAY_SECTION_##SECTION,                                                                                 \
    ASSAY_TASK_##TASKS,                                                                                      \
    ASSAY_AXIS_##AXIS,                                                                                       \
    DOMAIN,                                                                                                  \
    LABEL,                                                                                                   \
    HELP },
static const AssayFieldInfo fields[ASSAY_N_FIELDS] = {
#include "fields.def"
};
#undef ASSAY_FIELD

static const char *const axis_names[ASSAY_N_AXES] = {
  [ASSAY_AXIS_NONE] = "none",
  [ASSAY_AXIS_MODEL] = "model",
  [ASSAY_AXIS_WEIGHT_FORMAT] = "weight_format",
  [ASSAY_AXIS_DTYPE] = "dtype",
  [ASSAY_AXIS_QUANTIZATION] = "quantization",
  [ASSAY_AXIS_RUNTIME] = "runtime",
  [ASSAY_AXIS_DEVICE] = "device",
  [ASSAY_AXIS_BUDGET] = "budget",
  [ASSAY_AXIS_OFFLOAD_MODE] = "offload_mode",
  [ASSAY_AXIS_OFFLOAD_GRANULARITY] = "offload_granularity",
  [ASSAY_AXIS_PREFETCH] = "prefetch",
  [ASSAY_AXIS_DEVICE_MAP] = "device_map",
  [ASSAY_AXIS_ATTACHED_COMPONENTS] = "attached_components",
  [ASSAY_AXIS_WEIGHT_ACCESS] = "weight_access",
  [ASSAY_AXIS_THREADS] = "threads",
  [ASSAY_AXIS_INPUT_SCALE] = "input_scale",
  [ASSAY_AXIS_KV_CACHE_TYPE] = "kv_cache_type",
  [ASSAY_AXIS_V_CACHE_TYPE] = "v_cache_type",
  [ASSAY_AXIS_STEPS] = "steps",
  [ASSAY_AXIS_PROMPT] = "prompt",
  [ASSAY_AXIS_REFERENCE_INPUT] = "reference_input",
  [ASSAY_AXIS_GUIDANCE] = "guidance",
  [ASSAY_AXIS_SCHEDULER] = "scheduler",
  [ASSAY_AXIS_SAMPLING] = "sampling",
  [ASSAY_AXIS_SEED] = "seed",
  [ASSAY_AXIS_TIME_LIMIT] = "time_limit",
  [ASSAY_AXIS_EVALUATION_CRITERION] = "evaluation_criterion",
  [ASSAY_AXIS_MODEL_CONTENT] = "model_content",
  [ASSAY_AXIS_ATTACHED_CONTENT] = "attached_content",
  [ASSAY_AXIS_RUNTIME_BUILD] = "runtime_build",
  [ASSAY_AXIS_DRIVER] = "driver",
  [ASSAY_AXIS_DEVICE_NAME] = "device_name",
  [ASSAY_AXIS_KERNEL] = "kernel",
  [ASSAY_AXIS_GENERATOR_DEVICE] = "generator_device",
};

const AssayFieldInfo *
assay_field_get_info (AssayFieldId field)
{
  g_return_val_if_fail (field < ASSAY_N_FIELDS, NULL);
  return &fields[field];
}

static GHashTable *
field_index (void)
{
  static GHashTable *index = NULL;

  if (g_once_init_enter (&index))
    {
      GHashTable *built = g_hash_table_new (g_str_hash, g_str_equal);
      for (guint i = 0; i < ASSAY_N_FIELDS; i++)
        g_hash_table_insert (built, (gpointer) fields[i].name, GUINT_TO_POINTER (i + 1));
      g_once_init_leave (&index, built);
    }
  return index;
}

AssayFieldId
assay_field_from_name (const char *name)
{
  const guint found = name == NULL ? 0 : GPOINTER_TO_UINT (g_hash_table_lookup (field_index (), name));
  return found == 0 ? ASSAY_FIELD_INVALID : (AssayFieldId) (found - 1);
}

const char *const *
assay_field_get_choices (AssayFieldId field)
{
  static gpointer table = NULL;

  g_return_val_if_fail (field < ASSAY_N_FIELDS, NULL);
  if (g_once_init_enter (&table))
    {
      char ***built = g_new0 (char **, ASSAY_N_FIELDS);
      for (guint i = 0; i < ASSAY_N_FIELDS; i++)
        if (fields[i].type == ASSAY_VALUE_TYPE_CHOICE)
          built[i] = g_strsplit (fields[i].domain, "|", -1);
      g_once_init_leave (&table, built);
    }
  return (const char *const *) ((char ***) table)[field];
}

const char *
assay_axis_get_name (AssayAxis axis)
{
  g_return_val_if_fail (axis < ASSAY_N_AXES, NULL);
  return axis_names[axis];
}

AssayAxis
assay_axis_from_name (const char *name)
{
  for (guint i = ASSAY_AXIS_NONE + 1; i < ASSAY_N_AXES; i++)
    if (g_strcmp0 (name, axis_names[i]) == 0)
      return (AssayAxis) i;

  const AssayFieldId field = assay_field_from_name (name);
  return field == ASSAY_FIELD_INVALID ? ASSAY_AXIS_NONE : fields[field].axis;
}

gboolean
assay_axis_is_hidden (AssayAxis axis)
{
  return axis >= ASSAY_AXIS_MODEL_CONTENT && axis < ASSAY_N_AXES;
}

const char *
assay_group_get_name (AssayGroup group)
{
  static const char *const names[] = { "identity", "conditions", "burden", "outcome", "quality", "plan" };
  g_return_val_if_fail (group < G_N_ELEMENTS (names), NULL);
  return names[group];
}

const char *
assay_section_get_title (AssaySection section)
{
  static const char *const titles[ASSAY_N_SECTIONS] = {
    [ASSAY_SECTION_NONE] = "",
    [ASSAY_SECTION_MODEL] = N_("Model"),
    [ASSAY_SECTION_NUMBERS] = N_("Numbers"),
    [ASSAY_SECTION_QUANTIZATION] = N_("Quantization"),
    [ASSAY_SECTION_PLACEMENT] = N_("Placement"),
    [ASSAY_SECTION_INPUT_SCALE] = N_("Input scale"),
    [ASSAY_SECTION_TASK] = N_("Task"),
    [ASSAY_SECTION_LIMITS] = N_("Repeats and limits"),
    [ASSAY_SECTION_ENVIRONMENT] = N_("Environment"),
  };
  g_return_val_if_fail (section < ASSAY_N_SECTIONS, NULL);
  return section == ASSAY_SECTION_NONE ? "" : _(titles[section]);
}

const char *
assay_unit_get_name (AssayUnit unit)
{
  static const char *const names[] = {
    [ASSAY_UNIT_NONE] = "",
    [ASSAY_UNIT_BYTES] = "bytes",
    [ASSAY_UNIT_BYTES_PER_SECOND] = "bytes_per_second",
    [ASSAY_UNIT_SECONDS] = "seconds",
    [ASSAY_UNIT_MILLISECONDS] = "milliseconds",
    [ASSAY_UNIT_TOKENS] = "tokens",
    [ASSAY_UNIT_TOKENS_PER_SECOND] = "tokens_per_second",
    [ASSAY_UNIT_PIXELS] = "pixels",
  };
  g_return_val_if_fail (unit < G_N_ELEMENTS (names), NULL);
  return names[unit];
}

const char *
assay_task_get_name (AssayTask task)
{
  switch (task)
    {
    case ASSAY_TASK_LANGUAGE: return "language";
    case ASSAY_TASK_IMAGE: return "image";
    case ASSAY_TASK_MASK: return "mask";
    case ASSAY_TASK_ANY:
    default: return "any";
    }
}

gboolean
assay_task_from_name (const char *name, AssayTask *task)
{
  static const AssayTask tasks[] = { ASSAY_TASK_LANGUAGE, ASSAY_TASK_IMAGE, ASSAY_TASK_MASK };

  for (guint i = 0; i < G_N_ELEMENTS (tasks); i++)
    if (g_strcmp0 (name, assay_task_get_name (tasks[i])) == 0)
      {
        *task = tasks[i];
        return TRUE;
      }
  return FALSE;
}
