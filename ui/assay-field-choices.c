/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-field-choices.h"

#include <glib/gi18n-lib.h>

#include "assay-choice.h"

const char *const *
assay_field_choices_get (AssayFieldId field)
{
  static const char *const booleans[] = { "false", "true", NULL };
  static const char *const devices[] = { "cpu", "virtual", NULL };
  static const char *const methods[] = { "bitsandbytes", "bitsandbytes-fp32-cpu", NULL }; /* the rest follow */
  static const char *const quantizations[] = { "none", "Q8_0", "Q6_K", "Q5_K", "Q5_1", "Q5_0", "Q4_K", "Q4_1", "Q4_0",
                                               "nf4", "nf4-double", "fp4", "fp4-double", "int8", NULL };
  if (field == ASSAY_FIELD_DEVICE)
    return devices;
  if (field == ASSAY_FIELD_QUANTIZATION)
    return quantizations;
  if (field == ASSAY_FIELD_QUANTIZATION_METHOD)
    return methods;
  return assay_field_get_info (field)->type == ASSAY_VALUE_TYPE_BOOLEAN ? booleans : assay_field_get_choices (field);
}

/* It has a word of its own for what is not chosen. */
gboolean
assay_field_choices_names_automatic (AssayFieldId field)
{
  const char *const *choices = assay_field_choices_get (field);
  return choices != NULL && g_strv_contains (choices, "auto");
}

const char *
assay_field_choices_get_unset_label (AssayFieldId field)
{
  if (field == ASSAY_FIELD_QUANTIZATION || field == ASSAY_FIELD_DTYPE)
    return _("as stored");
  return field == ASSAY_FIELD_PIPELINE_MOVED_TO_CUDA ? _("not set") : _("automatic");
}

char *
assay_field_choices_dup_label (AssayFieldId field, const char *value)
{
  if (assay_field_choices_names_automatic (field) && g_str_equal (value, "auto"))
    return g_strdup (_("automatic"));
  if (assay_field_get_info (field)->type != ASSAY_VALUE_TYPE_BOOLEAN)
    return g_strdup (value);
  return g_strdup (g_str_equal (value, "true") ? _("yes") : _("no"));
}

GListModel *
assay_field_choices_new_others (AssayFieldId field, const char *present)
{
  const char *const *choices = assay_field_choices_get (field);
  GListStore *others = g_list_store_new (ASSAY_TYPE_CHOICE);
  for (; choices != NULL && *choices != NULL; choices++)
    {
      if (g_strcmp0 (*choices, present) == 0)
        continue;
      g_autofree char *label = assay_field_choices_dup_label (field, *choices);
      g_autoptr(AssayChoice) choice = assay_choice_new (*choices, label);
      g_list_store_append (others, choice);
    }
  return G_LIST_MODEL (others);
}
