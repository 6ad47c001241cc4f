/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-export.c: which runs, in which form. */
#include "assay-export-private.h"

#include <glib/gi18n-lib.h>

gboolean
assay_export_format_from_name (const char *name, AssayExportFormat *format)
{
  static const char *const names[] = { "kv", "csv", "json", "md" };
  static const AssayExportFormat formats[] = { ASSAY_EXPORT_KEY_VALUE, ASSAY_EXPORT_CSV, ASSAY_EXPORT_JSON,
                                               ASSAY_EXPORT_MARKDOWN };
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_strcmp0 (name, names[i]) == 0)
      {
        *format = formats[i];
        return TRUE;
      }
  return FALSE;
}

const char *
export_get_gate (const AssayGates *gates, AssayGate gate)
{
  return assay_verdict_get_name (gates->verdict[gate]);
}

static gboolean
is_in_effect (AssayRecord *record, AssayFieldId field)
{
  return assay_field_get_info (field)->group == ASSAY_GROUP_CONDITIONS
         && assay_values_get_state (assay_record_get_effective (record), field) != ASSAY_VALUE_UNSET;
}

gboolean
export_is_left_to_engine (AssayRecord *record, AssayFieldId field)
{
  return is_in_effect (record, field)
         && assay_values_get_state (assay_record_get_conditions (record), field) == ASSAY_VALUE_UNSET;
}

gboolean
export_is_deviation (AssayRecord *record, AssayFieldId field)
{
  return is_in_effect (record, field)
         && assay_values_get_state (assay_record_get_conditions (record), field) != ASSAY_VALUE_UNSET;
}

static GPtrArray *
export_choose (AssayLedger *ledger, const char *run_id, GError **error)
{
  g_autoptr(GPtrArray) runs = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < assay_ledger_get_n_runs (ledger); i++)
    {
      AssayRecord *run = assay_ledger_get_run (ledger, i);
      if (run_id == NULL || g_strcmp0 (assay_record_get_id (run), run_id) == 0)
        g_ptr_array_add (runs, g_object_ref (run));
    }
  if (run_id != NULL && runs->len == 0)
    {
      g_set_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_NO_SUCH,
                   _("there is no run %s in this ledger"), run_id);
      return NULL;
    }
  return g_steal_pointer (&runs);
}

char *
assay_export_ledger (AssayLedger *ledger, const char *run_id, AssayExportFormat format, GError **error)
{
  g_return_val_if_fail (ASSAY_IS_LEDGER (ledger), NULL);
  g_autoptr(GPtrArray) runs = export_choose (ledger, run_id, error);
  if (runs == NULL)
    return NULL;
  switch (format)
    {
    case ASSAY_EXPORT_KEY_VALUE:
      return export_key_value (ledger, runs);
    case ASSAY_EXPORT_CSV:
      return export_csv (ledger, runs);
    case ASSAY_EXPORT_JSON:
      return export_json (ledger, runs);
    case ASSAY_EXPORT_MARKDOWN:
      return export_markdown (ledger, run_id, error);
    default:
      g_return_val_if_reached (NULL);
    }
}
