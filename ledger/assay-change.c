/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-change.c: the conditions of a next trial: those of a run, with one thing changed.
 *
 * What was in effect holds more than anybody asked for. Some of it says no more than what another field says
 * already (the calls of an offload mode, the method of a quantization): kept, it would contradict the new
 * value. */
#include "assay-change.h"

AssayValues *
assay_change_dup_base (AssayRecord *record)
{
  g_return_val_if_fail (ASSAY_IS_RECORD (record), NULL);
  AssayValues *base = assay_values_new ();
  for (AssayFieldId field = 0; field < ASSAY_N_FIELDS; field++)
    {
      const AssayFieldInfo *info = assay_field_get_info (field);
      const AssayValues *values
          = info->group == ASSAY_GROUP_CONDITIONS ? assay_record_get_values_for (record, field) : NULL;
      const gboolean unverified = field == ASSAY_FIELD_TOKENIZER_NOTE && values != NULL
                                  && g_strcmp0 (assay_values_get_text (values, field), "unverified") == 0;
      if (values != NULL && assay_values_get_state (values, field) == ASSAY_VALUE_SET
          && (info->section != ASSAY_SECTION_ENVIRONMENT || unverified))
        assay_values_copy_field (base, values, field);
    }
  return base;
}

static gboolean
is_text (const AssayValues *values, AssayFieldId field, const char *text)
{
  return g_strcmp0 (assay_values_get_text (values, field), text) == 0;
}

/* bitsandbytes' types are no block formats of GGUF: a step from one to the other is another method. */
static gboolean
method_makes (const char *method, const char *type)
{
  static const char *const of_bitsandbytes[] = { "int8", "nf4", "fp4", "nf4_double", "fp4_double", NULL };
  g_autofree char *lower = g_ascii_strdown (type, -1);
  return g_str_has_prefix (method, "bitsandbytes") == g_strv_contains (of_bitsandbytes, lower)
         && !g_str_equal (method, "none") && !g_str_equal (lower, "none");
}

static void
change_free_method (AssayValues *conditions, const char *from, const char *to)
{
  const char *method = assay_values_get_text (conditions, ASSAY_FIELD_QUANTIZATION_METHOD);
  if (method != NULL && (to == NULL || !method_makes (method, to)))
    assay_values_unset (conditions, ASSAY_FIELD_QUANTIZATION_METHOD);
  if (from == NULL || g_str_equal (from, "none")) /* then no module was quantized, whatever the list says */
    assay_values_unset (conditions, ASSAY_FIELD_QUANTIZED_MODULES);
}

static void
change_free_link (AssayValues *conditions, const char *device)
{
  if (g_strcmp0 (device, "virtual") == 0)
    return;
  assay_values_unset (conditions, ASSAY_FIELD_LINK_BANDWIDTH);
  assay_values_unset (conditions, ASSAY_FIELD_LINK_LATENCY_SECONDS);
}

static void
change_free_followers (AssayValues *conditions, AssayFieldId field, const char *from, const char *to)
{
  switch (field)
    {
    case ASSAY_FIELD_DEVICE:
      change_free_link (conditions, to);
      G_GNUC_FALLTHROUGH;
    case ASSAY_FIELD_OFFLOAD_MODE:
    case ASSAY_FIELD_DEVICE_MAP:
    case ASSAY_FIELD_ATTACHED_COMPONENTS:
      assay_values_unset (conditions, ASSAY_FIELD_OFFLOAD_API);
      break;
    case ASSAY_FIELD_QUANTIZATION:
      change_free_method (conditions, from, to);
      break;
    case ASSAY_FIELD_KV_CACHE_TYPE:
      if (is_text (conditions, ASSAY_FIELD_V_CACHE_TYPE, from))
        assay_values_unset (conditions, ASSAY_FIELD_V_CACHE_TYPE);
      break;
    case ASSAY_FIELD_PROMPT:
      assay_values_unset (conditions, ASSAY_FIELD_QUESTION_SET);
      break;
    case ASSAY_FIELD_QUESTION_SET:
      assay_values_unset (conditions, ASSAY_FIELD_PROMPT);
      break;
    default:
      break;
    }
}

gboolean
assay_change_apply (AssayValues *conditions, AssayFieldId field, const char *to, GError **error)
{
  g_return_val_if_fail (conditions != NULL && field < ASSAY_N_FIELDS, FALSE);
  g_autofree char *from = assay_values_dup_text (conditions, field);
  if (to == NULL)
    assay_values_unset (conditions, field);
  else if (!assay_values_parse (conditions, field, to, error))
    return FALSE;
  if (g_strcmp0 (from, to) != 0)
    change_free_followers (conditions, field, from, to);
  return TRUE;
}
