/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "judgment.h"

#include <string.h>

#include <glib/gstdio.h>

static AssayValues *
values_of (AssayRecord *record, AssayFieldId field)
{
  switch (assay_field_get_info (field)->group)
    {
    case ASSAY_GROUP_BURDEN:
      return assay_record_get_burden (record);
    case ASSAY_GROUP_OUTCOME:
      return assay_record_get_outcome (record);
    case ASSAY_GROUP_CONDITIONS:
      return assay_record_get_conditions (record);
    case ASSAY_GROUP_IDENTITY:
    case ASSAY_GROUP_QUALITY:
    case ASSAY_GROUP_PLAN:
    default:
      g_assert_not_reached ();
    }
}

static void
set_pair (AssayRecord *record, const char *name, const char *text)
{
  const gboolean effective = g_str_has_prefix (name, "effective.");
  const AssayFieldId field = assay_field_from_name (effective ? name + strlen ("effective.") : name);
  g_autoptr(GError) error = NULL;
  g_assert_cmpint (field, !=, ASSAY_FIELD_INVALID);
  AssayValues *values = effective ? assay_record_get_effective (record) : values_of (record, field);
  if (text[0] == '?')
    assay_values_set_unknown (values, field, text + 1);
  else
    assay_values_parse (values, field, text, &error);
  g_assert_no_error (error);
}

AssayRecord *
judgment_run (const char *id, AssayRunStatus status, ...)
{
  AssayRecord *record = assay_record_new ();
  va_list args;
  assay_record_set_id (record, id);
  if (status != ASSAY_STATUS_UNKNOWN)
    assay_record_set_status (record, status);
  va_start (args, status);
  for (const char *name; (name = va_arg (args, const char *)) != NULL;)
    set_pair (record, name, va_arg (args, const char *));
  va_end (args);
  return record;
}

AssayRecord *
judgment_add (AssayLedger *ledger, AssayRecord *record_taken)
{
  g_autoptr(AssayRecord) record = record_taken;
  assay_record_seal (record);
  assay_ledger_add_run (ledger, record);
  return assay_ledger_find_run (ledger, assay_record_get_id (record));
}

AssayReview *
judgment_review (AssayRecord *record, const char *reviewer, AssayVerdict verdict)
{
  AssayReview *review = assay_review_new (reviewer);
  review->verdict = verdict;
  g_ptr_array_add (assay_record_get_reviews (record), review);
  return review;
}

AssayOutput *
judgment_output (AssayRecord *record, const char *question, const char *text)
{
  AssayOutput *output = assay_output_new (question);
  g_free (output->text);
  output->text = g_strdup (text);
  output->text_length = strlen (text);
  g_ptr_array_add (assay_record_get_outputs (record), output);
  return output;
}

AssayLedger *
judgment_ledger (void)
{
  AssayLedger *ledger = assay_ledger_new (ASSAY_TASK_LANGUAGE, "Judgment");
  assay_ledger_take_criteria (ledger, assay_criteria_new ());
  return ledger;
}

AssayCriteria *
judgment_criteria (AssayLedger *ledger)
{
  return (AssayCriteria *) assay_ledger_get_criteria (ledger);
}

void
judgment_remove_folder (const char *path)
{
  g_autoptr(GDir) folder = g_dir_open (path, 0, NULL);
  for (const char *name; folder != NULL && (name = g_dir_read_name (folder)) != NULL;)
    {
      g_autofree char *file = g_build_filename (path, name, NULL);
      g_assert_cmpint (g_unlink (file), ==, 0);
    }
  g_assert_cmpint (g_rmdir (path), ==, 0);
}
