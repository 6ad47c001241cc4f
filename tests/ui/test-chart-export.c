/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The memory chart as a file: the picture that is on the screen, whole, in every format. */
#include <cairo.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>

#include "assay-chart-export.h"
#include "chart-drawing.h"
#include "views-fixture.h"

#define MIB G_GINT64_CONSTANT (1048576)
#define MS G_GINT64_CONSTANT (1000000)

static const AssayChartExport whole
    = { .width = 700, .height = 420, .to_ns = 5000 * MS, .budget_bytes = 64 * MIB };

static GBytes *
render (AssayChartFormat format)
{
  g_autoptr(AssaySeries) series = views_fixture_series_new (FALSE, 3);
  g_autoptr(GError) error = NULL;
  AssayChartExport what = whole;

  what.format = format;
  GBytes *bytes = assay_chart_export_render (series, &what, &error);
  g_assert_no_error (error);
  return bytes;
}

static void
test_png_decodes (void)
{
  g_autoptr(GBytes) bytes = render (ASSAY_CHART_PNG);
  cairo_surface_t *surface = chart_drawing_read_png (bytes);

  g_assert_cmpint (cairo_surface_status (surface), ==, CAIRO_STATUS_SUCCESS);
  g_assert_cmpint (cairo_image_surface_get_width (surface), ==, 1400);
  g_assert_cmpint (cairo_image_surface_get_height (surface), ==, 840);
  cairo_surface_destroy (surface);
}

/* The series drawn on the colours of paper, at a scale, as on the screen. */
static cairo_surface_t *
draw_paper (AssaySeries *series, double scale)
{
  g_autoptr(AssayChartData) data = assay_chart_data_new (series);
  g_autoptr(AssayChartStyle) style = assay_chart_style_new_paper ();
  const AssayChartPicture picture = { .data = data, .style = style, .budget_bytes = whole.budget_bytes,
                                      .width = whole.width, .height = whole.height, .paper = TRUE };
  cairo_surface_t *surface = cairo_image_surface_create (
      CAIRO_FORMAT_RGB24, (int)(whole.width * scale), (int)(whole.height * scale));
  cairo_t *cr = cairo_create (surface);
  AssayChartLayout layout;

  cairo_scale (cr, scale, scale);
  assay_chart_layout_update (&layout, &picture, whole.from_ns, whole.to_ns);
  assay_chart_draw (cr, &picture, &layout);
  cairo_destroy (cr);
  cairo_surface_flush (surface);
  return surface;
}

static void
test_png_is_the_drawing (void)
{
  g_autoptr(AssaySeries) series = views_fixture_series_new (FALSE, 3);
  g_autoptr(GBytes) bytes = render (ASSAY_CHART_PNG);
  cairo_surface_t *saved = chart_drawing_read_png (bytes), *drawn = draw_paper (series, 2.0);
  const int stride = cairo_image_surface_get_stride (drawn), width = cairo_image_surface_get_width (drawn);

  g_assert_cmpint (cairo_image_surface_get_width (saved), ==, width);
  for (int y = 0; y < cairo_image_surface_get_height (drawn); y++)
    {
      const guint32 *a = (const guint32 *)(cairo_image_surface_get_data (saved) + y * stride);
      const guint32 *b = (const guint32 *)(cairo_image_surface_get_data (drawn) + y * stride);

      for (int x = 0; x < width; x++)
        g_assert_cmphex (a[x] & 0xffffff, ==, b[x] & 0xffffff);
    }
  cairo_surface_destroy (saved);
  cairo_surface_destroy (drawn);
}

/* As many shapes of each colour as the drawing has: a vector file says its colours in words. */
static void
test_vector_files_hold_every_colour_of_the_drawing (void)
{
  g_autoptr(GBytes) svg = render (ASSAY_CHART_SVG);
  g_autoptr(AssayChartStyle) style = assay_chart_style_new_paper ();
  g_autoptr(AssaySeries) series = views_fixture_series_new (FALSE, 3);
  g_autoptr(AssayChartData) data = assay_chart_data_new (series);
  gsize size;
  const char *text = g_bytes_get_data (svg, &size);

  assay_chart_data_update (data, 0, whole.to_ns, 100);
  for (guint layer = 0; layer < ASSAY_N_LAYERS; layer++)
    {
      GdkRGBA color;

      assay_chart_style_get_layer (style, layer, &color);
      g_autofree char *word = g_strdup_printf ("rgb(%.8g%%, %.8g%%, %.8g%%)", color.red * 100.0, color.green * 100.0,
                                               color.blue * 100.0);
      g_autofree char *old = g_strdup_printf ("rgb(%.8g%%,%.8g%%,%.8g%%)", color.red * 100.0, color.green * 100.0,
                                              color.blue * 100.0);
      const gboolean found = g_strstr_len (text, size, word) != NULL || g_strstr_len (text, size, old) != NULL;
      g_assert_cmpint (found, ==, data->layer_max[layer] > 0);
    }
}

static void
test_svg_is_well_formed (void)
{
  g_autoptr(GBytes) bytes = render (ASSAY_CHART_SVG);
  const GMarkupParser parser = { NULL };
  g_autoptr(GMarkupParseContext) context = g_markup_parse_context_new (&parser, 0, NULL, NULL);
  g_autoptr(GError) error = NULL;
  gsize size;
  const char *text = g_bytes_get_data (bytes, &size);

  g_markup_parse_context_parse (context, text, size, &error);
  g_assert_no_error (error);
  g_markup_parse_context_end_parse (context, &error);
  g_assert_no_error (error);
  g_assert_nonnull (g_strstr_len (text, size, "<svg"));
}

static void
test_pdf_is_whole (void)
{
  g_autoptr(GBytes) bytes = render (ASSAY_CHART_PDF);
  gsize size;
  const char *text = g_bytes_get_data (bytes, &size);

  g_assert_cmpuint (size, >, 1000);
  g_assert_true (strncmp (text, "%PDF-", 5) == 0);
  g_assert_nonnull (g_strstr_len (text + size - 64, 64, "startxref"));
  g_assert_nonnull (g_strstr_len (text + size - 64, 64, "%%EOF"));
}

typedef struct
{
  GMainLoop *loop;
  GError *error;
  gboolean done;
} Wait;

static void
export_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  Wait *wait = data;

  wait->done = assay_chart_export_finish (result, &wait->error);
  g_main_loop_quit (wait->loop);
}

static Wait
export_and_wait (GFile *file)
{
  g_autoptr(AssaySeries) series = views_fixture_series_new (TRUE, 2);
  Wait wait = { .loop = g_main_loop_new (NULL, FALSE) };

  assay_chart_export_async (series, &whole, file, NULL, export_cb, &wait);
  g_main_loop_run (wait.loop);
  g_main_loop_unref (wait.loop);
  return wait;
}

static void
test_export_writes_the_file (void)
{
  g_autofree char *folder = g_dir_make_tmp ("assay-chart-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "memory.png", NULL);
  g_autoptr(GFile) file = g_file_new_for_path (path);
  Wait wait = export_and_wait (file);

  g_assert_no_error (wait.error);
  g_assert_true (wait.done);
  cairo_surface_t *surface = cairo_image_surface_create_from_png (path);
  g_assert_cmpint (cairo_surface_status (surface), ==, CAIRO_STATUS_SUCCESS);
  cairo_surface_destroy (surface);
  g_assert_true (g_file_delete (file, NULL, NULL));
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

static void
test_export_says_why_it_failed (void)
{
  g_autoptr(GFile) file = g_file_new_for_path ("/proc/no-such-folder/memory.png");
  Wait wait = export_and_wait (file);

  g_assert_false (wait.done);
  g_assert_nonnull (wait.error);
  g_assert_cmpuint (strlen (wait.error->message), >, 5);
  g_clear_error (&wait.error);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ui/chart-export/png-decodes", test_png_decodes);
  g_test_add_func ("/ui/chart-export/png-is-the-drawing", test_png_is_the_drawing);
  g_test_add_func ("/ui/chart-export/vector-files-hold-every-colour-of-the-drawing",
                   test_vector_files_hold_every_colour_of_the_drawing);
  g_test_add_func ("/ui/chart-export/svg-is-well-formed", test_svg_is_well_formed);
  g_test_add_func ("/ui/chart-export/pdf-is-whole", test_pdf_is_whole);
  g_test_add_func ("/ui/chart-export/export-writes-the-file", test_export_writes_the_file);
  g_test_add_func ("/ui/chart-export/export-says-why-it-failed", test_export_says_why_it_failed);
  return g_test_run ();
}
