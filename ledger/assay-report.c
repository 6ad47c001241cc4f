/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-report.c: the blocks of a report, and in which order its sections come. */
#include "assay-report-private.h"

#include <glib/gi18n-lib.h>

static void
block_free (gpointer data)
{
  AssayReportBlock *block = data;
  g_free (block->lead);
  g_free (block->strong);
  g_free (block->text);
  g_clear_pointer (&block->rows, g_ptr_array_unref);
  g_clear_object (&block->record);
  g_clear_pointer (&block->step, assay_chain_step_free);
  g_free (block);
}

static char *
dup_valid (const char *text)
{
  return text != NULL ? g_utf8_make_valid (text, -1) : NULL;
}

AssayReportBlock *
report_add (AssayReport *self, AssayReportKind kind, const char *text)
{
  AssayReportBlock *block = g_new0 (AssayReportBlock, 1);
  block->kind = kind;
  block->text = dup_valid (text);
  g_ptr_array_add (self->blocks, block);
  return block;
}

void
report_add_item (AssayReport *self, const char *lead, const char *strong, const char *text)
{
  AssayReportBlock *block = report_add (self, ASSAY_REPORT_ITEM, text);
  block->lead = dup_valid (lead);
  block->strong = dup_valid (strong);
}

AssayReportBlock *
report_add_table (AssayReport *self, const char *first, ...)
{
  AssayReportBlock *block = report_add (self, ASSAY_REPORT_TABLE, NULL);
  g_autoptr(GStrvBuilder) names = g_strv_builder_new ();
  va_list args;
  block->rows = g_ptr_array_new_with_free_func ((GDestroyNotify) g_strfreev);
  va_start (args, first);
  for (const char *name = first; name != NULL; name = va_arg (args, const char *))
    g_strv_builder_add (names, name);
  va_end (args);
  report_take_row (block, names);
  return block;
}

void
report_take_row (AssayReportBlock *table, GStrvBuilder *cells)
{
  GStrv row = g_strv_builder_end (cells);
  for (char **cell = row; *cell != NULL; cell++)
    {
      char *valid = g_utf8_make_valid (*cell, -1);
      g_free (*cell);
      *cell = valid;
    }
  g_ptr_array_add (table->rows, row);
}

void
report_section_begin (ReportSection *self)
{
  if (!self->begun)
    report_add (self->report, ASSAY_REPORT_HEADING, self->title);
  self->begun = TRUE;
}

gboolean
assay_report_is_name (const char *text)
{
  return assay_field_from_name (text) != ASSAY_FIELD_INVALID;
}

/* The whole */

static GPtrArray *
report_choose (AssayLedger *ledger, const char *run_id, GError **error)
{
  g_autoptr(GPtrArray) runs = g_ptr_array_new_with_free_func (g_object_unref);
  AssayRecord *only = run_id != NULL ? assay_ledger_find_run (ledger, run_id) : NULL;
  if (run_id != NULL && only == NULL)
    {
      g_set_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_NO_SUCH, _("there is no run %s in this ledger"),
                   run_id);
      return NULL;
    }
  if (only != NULL)
    g_ptr_array_add (runs, g_object_ref (only));
  for (guint i = 0; only == NULL && i < assay_ledger_get_n_runs (ledger); i++)
    g_ptr_array_add (runs, g_object_ref (assay_ledger_get_run (ledger, i)));
  return g_steal_pointer (&runs);
}

static void
report_tell_head (AssayReport *self)
{
  guint n_completed = 0;
  for (guint i = 0; i < self->runs->len; i++)
    n_completed += assay_record_get_status (self->runs->pdata[i]) == ASSAY_STATUS_COMPLETED;
  g_autofree char *counts = g_strdup_printf (
      g_dngettext (GETTEXT_PACKAGE, "%u of %u run completed.", "%u of %u runs completed.", self->runs->len),
      n_completed, self->runs->len);
  g_autofree char *writer = g_strdup_printf (_("Written by Assay %s from the ledger %s."), ASSAY_VERSION,
                                             assay_ledger_get_id (self->ledger));
  report_add (self, ASSAY_REPORT_TITLE, self->title);
  report_add (self, ASSAY_REPORT_PARAGRAPH, counts);
  report_add (self, ASSAY_REPORT_PARAGRAPH, writer);
}

static void
report_tell_runs (AssayReport *self, const char *run_id)
{
  report_tell_questions (self);
  report_tell_conditions (self);
  report_tell_burden (self);
  report_tell_repeats (self);
  report_tell_charts (self);
  report_tell_gates (self);
  report_tell_comparison (self);
  report_tell_reviews (self);
  if (run_id == NULL)
    report_tell_agreement (self);
  report_tell_means (self);
  report_tell_chains (self, run_id);
  report_tell_plans (self);
}

AssayReport *
assay_report_new (AssayLedger *ledger, const char *run_id, GError **error)
{
  g_return_val_if_fail (ASSAY_IS_LEDGER (ledger), NULL);
  g_autoptr(GPtrArray) runs = report_choose (ledger, run_id, error);
  if (runs == NULL)
    return NULL;
  AssayReport *self = g_new0 (AssayReport, 1);
  const char *title = assay_ledger_get_title (ledger);
  self->ledger = g_object_ref (ledger);
  self->title = g_utf8_make_valid (title != NULL ? title : "", -1);
  self->runs = g_steal_pointer (&runs);
  self->blocks = g_ptr_array_new_with_free_func (block_free);
  report_tell_head (self);
  if (self->runs->len > 0)
    report_tell_runs (self, run_id);
  return self;
}

void
assay_report_free (AssayReport *self)
{
  if (self == NULL)
    return;
  g_free (self->title);
  g_ptr_array_unref (self->blocks);
  g_ptr_array_unref (self->runs);
  g_object_unref (self->ledger);
  g_free (self);
}
