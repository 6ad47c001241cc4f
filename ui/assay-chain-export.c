/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-chain-export.h"

#include <glib/gi18n-lib.h>

#include "assay-chain-draw.h"
#include "assay-report-picture.h"

#define SHEET_WIDTH 720.0
#define MOST_PNG_HEIGHT 16000.0 /* a PNG is drawn twice as large, and cairo's images end at 32767 */

static GPtrArray *
chain_dup_steps (AssayChain *chain)
{
  const guint n = assay_chain_get_length (chain) + (assay_chain_has_plan (chain) ? 1 : 0);
  GPtrArray *steps = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_chain_step_free);
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (steps, assay_chain_dup_step (chain, i));
  return steps;
}

static void
sheet_draw_cb (cairo_t *cr, gpointer data)
{
  assay_chain_sheet_draw (cr, data);
}

static GBytes *
chain_render_sheet (AssayChain *chain, AssayChartFormat format, GError **error)
{
  g_autoptr(AssayChartStyle) style = assay_chart_style_new_paper ();
  g_autoptr(GPtrArray) steps = chain_dup_steps (chain);
  g_autofree char *heading = assay_chain_dup_heading (chain);
  AssayChainSheet sheet = { heading, assay_chain_get_problem (chain), steps, style, SHEET_WIDTH };
  const double height = assay_chain_sheet_measure (&sheet);
  if (format != ASSAY_CHART_PNG || height <= MOST_PNG_HEIGHT)
    return assay_chart_render (format, SHEET_WIDTH, height, sheet_draw_cb, &sheet, error);
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
               g_dngettext (GETTEXT_PACKAGE, "a chain of %u step is too long for a PNG; save it as SVG or PDF",
                            "a chain of %u steps is too long for a PNG; save it as SVG or PDF", steps->len),
               steps->len);
  return NULL;
}

static GBytes *
chain_render_pages (AssayChain *chain, GError **error)
{
  static const ReportLettering lettering = { .points = 13, .n_bold = G_MAXUINT, .ink = ASSAY_INK_TEXT, .tag = "H1" };
  static const ReportLettering problem = { .points = 9, .ink = ASSAY_INK_TEXT, .tag = "P" };
  g_autoptr(GPtrArray) steps = chain_dup_steps (chain);
  g_autofree char *heading = assay_chain_dup_heading (chain);
  ReportPage page;
  report_page_init (&page, heading);
  report_page_write (&page, REPORT_MARGIN, heading, &lettering);
  if (assay_chain_get_problem (chain) != NULL)
    report_page_write (&page, REPORT_MARGIN, assay_chain_get_problem (chain), &problem);
  for (guint i = 0; i < steps->len; i++)
    report_picture_draw_step (&page, steps->pdata[i], i + 1 < steps->len);
  return report_page_finish (&page, error);
}

GBytes *
assay_chain_export_render (AssayLedger *ledger, const char *run_id, AssayChartFormat format, GError **error)
{
  g_autoptr(AssayChain) chain = assay_chain_new (ledger, run_id);
  if (chain != NULL)
    return format == ASSAY_CHART_PDF ? chain_render_pages (chain, error) : chain_render_sheet (chain, format, error);
  g_set_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_NO_SUCH, _("there is no run %s in this ledger"), run_id);
  return NULL;
}

/* On a thread */

typedef struct
{
  AssayLedger *ledger;  /* a snapshot */
  char *run_id;
  AssayChartFormat format;
  GFile *file;
} Job;

static void
job_free (gpointer data)
{
  Job *job = data;
  g_object_unref (job->ledger);
  g_free (job->run_id);
  g_object_unref (job->file);
  g_free (job);
}

static void
export_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Job *job = data;
  GError *error = NULL;
  g_autoptr(GBytes) bytes = assay_chain_export_render (job->ledger, job->run_id, job->format, &error);
  if (bytes != NULL
      && g_file_replace_contents (job->file, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), NULL, FALSE,
                                  G_FILE_CREATE_NONE, NULL, cancellable, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

void
assay_chain_export_async (AssayLedger *ledger, const char *run_id, AssayChartFormat format, GFile *file,
                          GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data)
{
  g_autoptr(GTask) task = g_task_new (NULL, cancellable, callback, data);
  Job *job = g_new (Job, 1);
  *job = (Job){ assay_ledger_snapshot (ledger), g_strdup (run_id), format, g_object_ref (file) };
  g_task_set_source_tag (task, assay_chain_export_async);
  g_task_set_task_data (task, job, job_free);
  g_task_run_in_thread (task, export_thread);
}

gboolean
assay_chain_export_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}
