/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-chart-export.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>

#include "assay-chart-draw.h"

#define PNG_SCALE 2.0 /* sharp on any screen */

typedef struct
{
  AssaySeries *series;
  AssayChartExport what;
  GFile *file;
} Job;

static void
job_free (gpointer data)
{
  Job *job = data;

  assay_series_unref (job->series);
  g_object_unref (job->file);
  g_free (job);
}

const char *
assay_chart_format_get_suffix (AssayChartFormat format)
{
  static const char *const suffixes[] = { "png", "svg", "pdf" };

  return suffixes[format];
}

gboolean
assay_chart_format_from_suffix (const char *suffix, AssayChartFormat *format)
{
  for (guint i = 0; i < ASSAY_N_CHART_FORMATS; i++)
    if (g_strcmp0 (suffix, assay_chart_format_get_suffix (i)) == 0)
      {
        *format = i;
        return TRUE;
      }
  return FALSE;
}

static cairo_status_t
append_cb (void *closure, const unsigned char *bytes, unsigned int length)
{
  g_byte_array_append (closure, bytes, length);
  return CAIRO_STATUS_SUCCESS;
}

static cairo_surface_t *
surface_new (AssayChartFormat format, double width, double height, GByteArray *bytes)
{
  switch (format)
    {
    case ASSAY_CHART_SVG:
      return cairo_svg_surface_create_for_stream (append_cb, bytes, width, height);
    case ASSAY_CHART_PDF:
      return cairo_pdf_surface_create_for_stream (append_cb, bytes, width, height);
    case ASSAY_CHART_PNG:
    default:
      return cairo_image_surface_create (CAIRO_FORMAT_RGB24, (int) (width * PNG_SCALE), (int) (height * PNG_SCALE));
    }
}

typedef struct
{
  AssaySeries *series;
  const AssayChartExport *what;
} Drawing;

static void
draw_cb (cairo_t *cr, gpointer user_data)
{
  const Drawing *drawing = user_data;

  assay_chart_export_draw (cr, drawing->series, drawing->what);
}

void
assay_chart_export_draw (cairo_t *cr, AssaySeries *series, const AssayChartExport *what)
{
  g_autoptr(AssayChartData) data = assay_chart_data_new (series);
  g_autoptr(AssayChartStyle) style = assay_chart_style_new_paper ();
  const AssayChartPicture picture = { .data = data,
                                      .style = style,
                                      .budget_bytes = what->budget_bytes,
                                      .foretold_bytes = what->foretold_bytes,
                                      .ram_budget_bytes = what->ram_budget_bytes,
                                      .width = what->width,
                                      .height = what->height,
                                      .paper = TRUE };
  AssayChartLayout layout;

  data->stated_peak = what->stated_peak;
  assay_chart_layout_update (&layout, &picture, what->from_ns, what->to_ns);
  assay_chart_draw (cr, &picture, &layout);
}

GBytes *
assay_chart_render (AssayChartFormat format, double width, double height, AssayChartDrawFunc draw, gpointer data,
                    GError **error)
{
  g_autoptr(GByteArray) bytes = g_byte_array_new ();
  cairo_surface_t *surface = surface_new (format, width, height, bytes);
  cairo_t *cr = cairo_create (surface);

  if (format == ASSAY_CHART_PNG)
    cairo_scale (cr, PNG_SCALE, PNG_SCALE);
  draw (cr, data);
  cairo_status_t status = cairo_status (cr);
  cairo_destroy (cr);
  if (status == CAIRO_STATUS_SUCCESS && format == ASSAY_CHART_PNG)
    status = cairo_surface_write_to_png_stream (surface, append_cb, bytes);
  cairo_surface_finish (surface);
  if (status == CAIRO_STATUS_SUCCESS)
    status = cairo_surface_status (surface);
  cairo_surface_destroy (surface);
  if (status == CAIRO_STATUS_SUCCESS)
    return g_byte_array_free_to_bytes (g_steal_pointer (&bytes));
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "drawing %.0f × %.0f: %s", width, height,
               cairo_status_to_string (status));
  return NULL;
}

GBytes *
assay_chart_export_render (AssaySeries *series, const AssayChartExport *what, GError **error)
{
  Drawing drawing = { series, what };

  return assay_chart_render (what->format, what->width, what->height, draw_cb, &drawing, error);
}

static void
export_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Job *job = data;
  GError *error = NULL;
  g_autoptr(GBytes) bytes = assay_chart_export_render (job->series, &job->what, &error);

  if (bytes != NULL
      && g_file_replace_contents (job->file, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), NULL,
                                  FALSE, G_FILE_CREATE_NONE, NULL, cancellable, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

void
assay_chart_export_async (AssaySeries *series,
                          const AssayChartExport *what,
                          GFile *file,
                          GCancellable *cancellable,
                          GAsyncReadyCallback callback,
                          gpointer data)
{
  g_autoptr(GTask) task = g_task_new (NULL, cancellable, callback, data);
  Job *job = g_new (Job, 1);

  *job = (Job) { assay_series_ref (series), *what, g_object_ref (file) };
  g_task_set_source_tag (task, assay_chart_export_async);
  g_task_set_task_data (task, job, job_free);
  g_task_run_in_thread (task, export_thread);
}

gboolean
assay_chart_export_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}
