/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-draft-fields.c: what a person may do with each field of the form, whatever its value. */
#include "assay-draft.h"

gboolean
assay_draft_asks (AssayTask task, AssayFieldId field)
{
  const AssayFieldInfo *info = assay_field_get_info (field);
  return info->group == ASSAY_GROUP_CONDITIONS && info->section != ASSAY_SECTION_NONE
         && info->section != ASSAY_SECTION_ENVIRONMENT && (info->tasks & task) != 0;
}

/* A ledger asks one set of questions, so a trial may turn to a prompt but not to another set. Of the facts that come
 * with a file, those a person would name as the change. */
gboolean
assay_draft_can_change (AssayTask task, AssayFieldId field)
{
  if (!assay_draft_asks (task, field) || assay_field_get_info (field)->axis == ASSAY_AXIS_NONE
      || assay_draft_is_derived (field))
    return FALSE;
  if (assay_draft_is_from_file (field))
    return field == ASSAY_FIELD_MODEL_ID || field == ASSAY_FIELD_WEIGHT_FORMAT;
  return field != ASSAY_FIELD_QUESTION_SET;
}

gboolean
assay_draft_is_from_file (AssayFieldId field)
{
  switch (field)
    {
    case ASSAY_FIELD_MODEL_ID:
    case ASSAY_FIELD_MODEL_REVISION:
    case ASSAY_FIELD_MODEL_PATH:
    case ASSAY_FIELD_WEIGHT_FORMAT:
    case ASSAY_FIELD_ARCHITECTURE:
      return TRUE;
    default:
      return FALSE;
    }
}

gboolean
assay_draft_is_derived (AssayFieldId field)
{
  return field == ASSAY_FIELD_OFFLOAD_API;
}
