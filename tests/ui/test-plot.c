/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plot of a comparison without a window: its scales, its signs, its lines, its words. */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "assay-plot-draw-private.h"

#define MIB 1048576.0
#define WIDTH 640
#define HEIGHT 320

/* Settings made by hand */

static AssayParetoPoint *
point_new (guint number, double mib, double seconds, AssayVerdict ran, AssayVerdict good)
{
  AssayParetoPoint *point = g_new0 (AssayParetoPoint, 1);
  g_autofree char *id = g_strdup_printf ("20261130T%06uZ-%06x", number % 240000, number);

  point->representative = assay_record_new ();
  assay_record_set_id (point->representative, id);
  point->runs = g_ptr_array_new_with_free_func (g_object_unref);
  g_ptr_array_add (point->runs, g_object_ref (point->representative));
  point->peak_bytes = (guint64) (mib * MIB);
  point->seconds = seconds;
  point->n = 1;
  point->feasibility = ran;
  point->quality = good;
  return point;
}

static void
point_free (gpointer data)
{
  AssayParetoPoint *point = data;

  g_object_unref (point->representative);
  g_ptr_array_unref (point->runs);
  g_free (point);
}

static AssayParetoGroup *
group_new (void)
{
  AssayParetoGroup *group = g_new0 (AssayParetoGroup, 1);

  group->peak = ASSAY_FIELD_PEAK_VRAM;
  group->label = g_strdup ("Peak VRAM (allocated)");
  group->points = g_ptr_array_new_with_free_func (point_free);
  return group;
}

static AssayPlotData *
group_take_data (AssayParetoGroup *group)
{
  g_autoptr(AssayLedger) ledger = assay_ledger_new (ASSAY_TASK_LANGUAGE, "plot");
  AssayPlotData *data = assay_plot_data_new (ledger, group);

  g_ptr_array_unref (group->points);
  g_free (group->label);
  g_free (group);
  return data;
}

/* Five settings: three that passed, of which 1 and 3 are beaten by none, one that failed, one that is not judged. */
static AssayPlotData *
small_data_new (void)
{
  static const struct { double mib, seconds; AssayVerdict ran, good; gboolean passed, all; } points[] = {
    { 900, 10, ASSAY_VERDICT_PASS, ASSAY_VERDICT_PASS, TRUE, TRUE },
    { 800, 40, ASSAY_VERDICT_PASS, ASSAY_VERDICT_PASS, FALSE, FALSE },
    { 300, 60, ASSAY_VERDICT_PASS, ASSAY_VERDICT_PASS, TRUE, FALSE },
    { 200, 50, ASSAY_VERDICT_PASS, ASSAY_VERDICT_FAIL, FALSE, TRUE },
    { 700, 90, ASSAY_VERDICT_FAIL, ASSAY_VERDICT_NOT_JUDGED, FALSE, FALSE },
  };
  AssayParetoGroup *group = group_new ();

  for (guint i = 0; i < G_N_ELEMENTS (points); i++)
    {
      AssayParetoPoint *point = point_new (i + 1, points[i].mib, points[i].seconds, points[i].ran, points[i].good);
      point->on_quality_frontier = points[i].passed;
      point->on_ran_frontier = points[i].all;
      g_ptr_array_add (group->points, point);
    }
  return group_take_data (group);
}

/* Pictures */

static cairo_surface_t *
picture_draw (const AssayPlotPicture *picture, AssayPlotLayout *layout)
{
  cairo_surface_t *surface
    = cairo_image_surface_create (CAIRO_FORMAT_RGB24, (int) picture->width, (int) picture->height);
  cairo_t *cr = cairo_create (surface);

  assay_plot_layout_init (layout, picture);
  assay_plot_draw (cr, picture, layout);
  if (picture->focused >= 0)
    assay_plot_draw_readout (cr, picture, layout, (guint) picture->focused);
  g_assert_cmpint (cairo_status (cr), ==, CAIRO_STATUS_SUCCESS);
  cairo_destroy (cr);
  cairo_surface_flush (surface);
  return surface;
}

static guint32
pixel (cairo_surface_t *surface, int x, int y)
{
  const guchar *bytes = cairo_image_surface_get_data (surface) + y * cairo_image_surface_get_stride (surface);

  return ((const guint32 *) bytes)[x] & 0xffffff;
}

static int
grey (guint32 rgb)
{
  return (int) (0.299 * (rgb >> 16 & 0xff) + 0.587 * (rgb >> 8 & 0xff) + 0.114 * (rgb & 0xff));
}

/* Signs */

#define SIGN 28

static cairo_surface_t *
sign_draw (const AssayChartStyle *style, guint sign)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, SIGN, SIGN);
  cairo_t *cr = cairo_create (surface);
  AssayChartPen pen;

  assay_chart_pen_init_plain (&pen, cr, style);
  assay_chart_pen_ink (&pen, ASSAY_INK_PLOT);
  cairo_paint (cr);
  assay_plot_draw_sign (&pen, sign / 3, sign % 3, SIGN / 2.0, SIGN / 2.0, style->font_px * 0.46);
  assay_chart_pen_clear (&pen);
  cairo_destroy (cr);
  cairo_surface_flush (surface);
  return surface;
}

static guint
surfaces_count_differences (cairo_surface_t *a, cairo_surface_t *b)
{
  guint n = 0;

  for (int y = 0; y < SIGN; y++)
    for (int x = 0; x < SIGN; x++)
      n += abs (grey (pixel (a, x, y)) - grey (pixel (b, x, y))) > 60;
  return n;
}

/* Nine signs, three shapes by three fills, as a person sees them who tells no colours apart. */
static void
test_every_sign_differs_in_grey (void)
{
  for (guint look = 0; look < 4; look++)
    {
      g_autoptr(AssayChartStyle) style = assay_chart_style_new (look % 2 == 1, look / 2 == 1, "Sans", 11.0);
      cairo_surface_t *signs[9];

      for (guint i = 0; i < 9; i++)
        signs[i] = sign_draw (style, i);
      for (guint i = 0; i < 9; i++)
        for (guint k = 0; k < i; k++)
          g_assert_cmpuint (surfaces_count_differences (signs[i], signs[k]), >=, 6);
      for (guint i = 0; i < 9; i++)
        cairo_surface_destroy (signs[i]);
    }
}

/* Lines */

static gboolean
is_near (cairo_surface_t *surface, double x, double y, guint32 rgb)
{
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++)
      if (pixel (surface, (int) x + dx, (int) y + dy) == rgb)
        return TRUE;
  return FALSE;
}

static guint32
style_get_rgb (const AssayChartStyle *style, AssayInk ink)
{
  GdkRGBA color;

  assay_chart_style_get_ink (style, ink, &color);
  return (guint32) lround (color.red * 255) << 16 | (guint32) lround (color.green * 255) << 8
         | (guint32) lround (color.blue * 255);
}

/* Between two marks: the share of the way at which that ink is found. */
static double
line_get_share (cairo_surface_t *surface, const AssayPlotLayout *layout, const AssayPlotData *data, guint from, guint to,
                guint32 rgb)
{
  double x0, y0, x1, y1;
  guint n = 0, n_found = 0;

  assay_plot_layout_get_place (layout, assay_plot_data_get_mark (data, from), &x0, &y0);
  assay_plot_layout_get_place (layout, assay_plot_data_get_mark (data, to), &x1, &y1);
  for (double at = 0.2; at < 0.8; at += 0.01, n++)
    n_found += is_near (surface, x0 + (x1 - x0) * at, y0 + (y1 - y0) * at, rgb);
  return (double) n_found / n;
}

static void
test_frontiers_pass_through_their_settings (void)
{
  g_autoptr(AssayPlotData) data = small_data_new ();
  g_autoptr(AssayChartStyle) style = assay_chart_style_new_paper ();
  const AssayPlotPicture picture
    = { .data = data, .style = style, .width = WIDTH, .height = HEIGHT, .focused = -1, .paper = TRUE };
  AssayPlotLayout layout;
  g_assert_cmpuint (data->passed->len, ==, 2);
  g_assert_cmpuint (data->ran->len, ==, 2);
  const guint first = g_array_index (data->passed, guint, 0), last = g_array_index (data->passed, guint, 1);
  g_assert_cmpfloat (assay_plot_data_get_mark (data, first)->peak.at, ==, 900 * MIB);
  g_assert_cmpfloat (assay_plot_data_get_mark (data, last)->peak.at, ==, 300 * MIB);

  g_array_set_size (data->ran, 1); /* one line at a time */
  cairo_surface_t *passed = picture_draw (&picture, &layout);
  g_assert_cmpfloat (line_get_share (passed, &layout, data, first, last, style_get_rgb (style, ASSAY_INK_PASS)), >, 0.6);
  g_array_set_size (data->passed, 1);
  cairo_surface_t *none = picture_draw (&picture, &layout);
  g_assert_cmpfloat (line_get_share (none, &layout, data, first, last, style_get_rgb (style, ASSAY_INK_PASS)), <, 0.05);
  cairo_surface_destroy (passed);
  cairo_surface_destroy (none);
}

static void
test_frontier_of_all_that_ran_is_dashed (void)
{
  g_autoptr(AssayPlotData) data = small_data_new ();
  g_autoptr(AssayChartStyle) style = assay_chart_style_new_paper ();
  const AssayPlotPicture picture
    = { .data = data, .style = style, .width = WIDTH, .height = HEIGHT, .focused = -1, .paper = TRUE };
  AssayPlotLayout layout;
  const guint first = g_array_index (data->ran, guint, 0), last = g_array_index (data->ran, guint, 1);

  g_array_set_size (data->passed, 0);
  cairo_surface_t *surface = picture_draw (&picture, &layout);
  double x0, y0, x1, y1;
  guint n_dashes = 0;
  gboolean was = FALSE;
  assay_plot_layout_get_place (&layout, assay_plot_data_get_mark (data, first), &x0, &y0);
  assay_plot_layout_get_place (&layout, assay_plot_data_get_mark (data, last), &x1, &y1);
  for (double at = 0.2; at < 0.8; at += 0.002)
    {
      const gboolean is
        = grey (pixel (surface, (int) (x0 + (x1 - x0) * at), (int) (y0 + (y1 - y0) * at))) < 150;
      n_dashes += is && !was;
      was = is;
    }
  g_assert_cmpuint (n_dashes, >=, 4);
  cairo_surface_destroy (surface);
}

/* Scales */

static void
test_axes_go_by_factors_beyond_fifty (void)
{
  AssayPlotScale scale;

  assay_plot_scale_init_seconds (&scale, 1.0, 50.0, 6);
  g_assert_false (scale.log);
  g_assert_cmpfloat (scale.from, ==, 0.0);
  assay_plot_scale_init_seconds (&scale, 1.0, 51.0, 6);
  g_assert_true (scale.log);
  g_assert_cmpfloat_with_epsilon (assay_plot_scale_get_share (&scale, 10.0), 0.5, 1e-9);
  assay_plot_scale_init_bytes (&scale, 10 * MIB, 400 * MIB, 6);
  g_assert_false (scale.log);
  assay_plot_scale_init_bytes (&scale, 4 * MIB, 1024 * MIB, 6);
  g_assert_true (scale.log);
  g_autofree char *label = assay_plot_scale_dup_label (&scale, scale.ticks[1]);
  g_assert_cmpstr (label, ==, "16 MiB");
}

/* Any range: as many lines as asked for at most, in order, and every value on the axis. */
static void
test_scales_hold_any_range (void)
{
  for (guint round = 0; round < 3000; round++)
    {
      const double low = exp (g_test_rand_double_range (-300.0, 300.0));
      const double high = low * exp (g_test_rand_double_range (0.0, 300.0));
      AssayPlotScale scale;

      if (round % 2 == 0)
        assay_plot_scale_init_bytes (&scale, low, high, 2 + round % 9);
      else
        assay_plot_scale_init_seconds (&scale, low, high, 2 + round % 9);
      g_assert_cmpuint (scale.n_ticks, <=, ASSAY_PLOT_MOST_TICKS);
      for (guint i = 1; i < scale.n_ticks; i++)
        g_assert_cmpfloat (scale.ticks[i - 1], <, scale.ticks[i]);
      g_assert_cmpfloat (assay_plot_scale_get_share (&scale, low), >=, 0.0);
      g_assert_cmpfloat (assay_plot_scale_get_share (&scale, high), <=, 1.0);
      g_assert_cmpfloat (assay_plot_scale_get_share (&scale, low), <=, assay_plot_scale_get_share (&scale, high));
    }
}

static void
test_any_figures_are_drawn (void)
{
  static const double values[] = { 0.0, 1e-300, 1.0, 1e18, 1e300 };
  AssayParetoGroup *group = group_new ();

  for (guint i = 0; i < 25; i++)
    {
      AssayParetoPoint *point
        = point_new (i, MIN (values[i / 5], 1e9), values[i % 5], i % 3, i / 3 % 3);
      point->on_ran_frontier = TRUE;
      g_ptr_array_add (group->points, point);
    }
  g_autoptr(AssayPlotData) data = group_take_data (group);
  g_autoptr(AssayChartStyle) style = assay_chart_style_new_paper ();
  for (int size = 1; size < 700; size += 111)
    {
      const AssayPlotPicture picture
        = { .data = data, .style = style, .width = size, .height = size / 2 + 1, .focused = 3, .paper = TRUE };
      AssayPlotLayout layout;
      cairo_surface_destroy (picture_draw (&picture, &layout));
    }
}

/* Many */

static AssayPlotData *
random_data_new (guint n, gboolean one_kind)
{
  AssayParetoGroup *group = group_new ();

  for (guint i = 0; i < n; i++)
    {
      AssayParetoPoint *point
        = point_new (i, g_test_rand_double_range (1, 900), g_test_rand_double_range (1, 40), one_kind ? 1 : i % 3,
                     one_kind ? 1 : i / 3 % 3);
      point->on_ran_frontier = i % 500 == 0;
      g_ptr_array_add (group->points, point);
    }
  return group_take_data (group);
}

/* What is left out lies under one just like it; what stands on a line never is. */
static void
test_ten_thousand_settings_cost_no_more_than_the_picture_holds (void)
{
  g_autoptr(AssayPlotData) data = random_data_new (10000, TRUE);
  g_autoptr(AssayChartStyle) style = assay_chart_style_new_paper ();
  const AssayPlotPicture picture
    = { .data = data, .style = style, .width = WIDTH, .height = HEIGHT, .focused = -1, .paper = TRUE };
  AssayPlotLayout layout;
  guint n_on_line = 0;

  assay_plot_layout_init (&layout, &picture);
  g_autoptr(GArray) kept = assay_plot_thin_out (&layout, data);
  g_assert_cmpuint (kept->len, <, 1800);
  g_assert_cmpuint (kept->len, >, 800);
  for (guint i = 0; i < kept->len; i++)
    n_on_line += assay_plot_data_get_mark (data, g_array_index (kept, guint, i))->on_ran_frontier;
  g_assert_cmpuint (n_on_line, ==, data->ran->len);
  cairo_surface_destroy (picture_draw (&picture, &layout));
}

static void
test_names_lie_over_nothing (void)
{
  for (guint round = 0; round < 12; round++)
    {
      g_autoptr(AssayPlotData) data = random_data_new (3 + round * 2, FALSE);
      g_autoptr(AssayChartStyle) style = assay_chart_style_new_paper ();
      const AssayPlotPicture picture = { .data = data, .style = style, .width = WIDTH, .height = HEIGHT, .focused = -1 };
      cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, WIDTH, HEIGHT);
      cairo_t *cr = cairo_create (surface);
      AssayPlotLayout layout;

      assay_plot_layout_init (&layout, &picture);
      AssayPlotPen pen = { .cr = cr, .picture = &picture, .layout = &layout, .data = data };
      assay_chart_pen_init_plain (&pen.pen, cr, style);
      pen.drawn = assay_plot_thin_out (&layout, data);
      g_autoptr(GArray) names = assay_plot_place_names (&pen);
      g_assert_cmpuint (names->len, >, 0);
      for (guint i = 0; i < names->len; i++)
        {
          const AssayChartRect *place = &g_array_index (names, AssayPlotName, i).place;
          for (guint k = 0; k < i; k++)
            g_assert_false (assay_chart_rects_touch (place, &g_array_index (names, AssayPlotName, k).place));
          for (guint k = 0; k < data->marks->len; k++)
            {
              double x, y;
              assay_plot_layout_get_place (&layout, assay_plot_data_get_mark (data, k), &x, &y);
              const AssayChartRect mark = { x - 1.0, y - 1.0, 2.0, 2.0 };
              g_assert_false (assay_chart_rects_touch (place, &mark));
            }
        }
      g_array_unref (pen.drawn);
      assay_chart_pen_clear (&pen.pen);
      cairo_destroy (cr);
      cairo_surface_destroy (surface);
    }
}

static void
test_pointer_finds_the_nearest_setting (void)
{
  g_autoptr(AssayPlotData) data = small_data_new ();
  g_autoptr(AssayChartStyle) style = assay_chart_style_new_paper ();
  const AssayPlotPicture picture = { .data = data, .style = style, .width = WIDTH, .height = HEIGHT, .focused = -1 };
  AssayPlotLayout layout;
  double x, y;

  assay_plot_layout_init (&layout, &picture);
  for (guint i = 0; i < data->marks->len; i++)
    {
      assay_plot_layout_get_place (&layout, assay_plot_data_get_mark (data, i), &x, &y);
      g_assert_cmpint (assay_plot_layout_find (&layout, data, x + 4.0, y - 3.0), ==, (int) i);
    }
  g_assert_cmpint (assay_plot_layout_find (&layout, data, layout.plot.x + layout.plot.width, layout.plot.y), ==, -1);
}

/* Words */

static void
test_words_tell_what_is_drawn (void)
{
  g_autoptr(AssayPlotData) data = small_data_new ();
  g_autofree char *words = assay_plot_data_describe (data);
  g_autofree char *first = assay_plot_data_dup_readout (data, 0);
  g_autoptr(AssayPlotData) empty = group_take_data (group_new ());
  g_autofree char *nothing = assay_plot_data_describe (empty);

  g_assert_cmpstr (words, ==, "Peak VRAM (allocated) against time. 5 settings: judged good 3, not good 1, not judged 1. "
                              "Not beaten among those judged good: 000001, 000003. "
                              "Not beaten among all that ran: 000001, 000004.");
  g_assert_nonnull (strstr (first, "Peak VRAM (allocated): 900 MiB ("));
  g_assert_nonnull (strstr (first, "Time: 10.00 s (10 seconds)"));
  g_assert_nonnull (strstr (first, "good: pass"));
  g_assert_nonnull (strstr (first, "not beaten among all that ran"));
  g_assert_nonnull (strstr (nothing, "No run here"));
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ui/plot/every-sign-differs-in-grey", test_every_sign_differs_in_grey);
  g_test_add_func ("/ui/plot/frontiers-pass-through-their-settings", test_frontiers_pass_through_their_settings);
  g_test_add_func ("/ui/plot/frontier-of-all-that-ran-is-dashed", test_frontier_of_all_that_ran_is_dashed);
  g_test_add_func ("/ui/plot/axes-go-by-factors-beyond-fifty", test_axes_go_by_factors_beyond_fifty);
  g_test_add_func ("/ui/plot/scales-hold-any-range", test_scales_hold_any_range);
  g_test_add_func ("/ui/plot/any-figures-are-drawn", test_any_figures_are_drawn);
  g_test_add_func ("/ui/plot/ten-thousand-settings-cost-no-more-than-the-picture-holds",
                   test_ten_thousand_settings_cost_no_more_than_the_picture_holds);
  g_test_add_func ("/ui/plot/names-lie-over-nothing", test_names_lie_over_nothing);
  g_test_add_func ("/ui/plot/pointer-finds-the-nearest-setting", test_pointer_finds_the_nearest_setting);
  g_test_add_func ("/ui/plot/words-tell-what-is-drawn", test_words_tell_what_is_drawn);
  return g_test_run ();
}
