/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The chart of a device with memory of its own: the link's strip, limits, what was foretold, trims. */
#include <string.h>

#include "assay-chart-draw-private.h"
#include "assay-chart-export.h"
#include "chart-drawing.h"
#include "views-fixture.h"

#define MIB G_GINT64_CONSTANT (1048576)
#define MS G_GINT64_CONSTANT (1000000)

/* 4 KiB in every 20 ms over the link, and 20 MiB in one of them: 1000 MiB/s. */
static AssaySeries *
burst_series_new (guint n_samples, guint burst)
{
  AssaySeries *series = assay_series_new (20 * MS);
  gint64 moved = 0;

  for (guint i = 0; i < n_samples; i++)
    {
      AssaySample sample = { .t_ns = i * 20 * MS,
                             .reserved = 12 * MIB,
                             .mapped_weights = -1,
                             .ram_anonymous = 30 * MIB,
                             .ram_mapped = -1,
                             .ram_pinned = -1,
                             .ram_system = -1,
                             .vram_device = 12 * MIB };

      moved += i == burst ? 20 * MIB : 4096;
      sample.allocated[ASSAY_MEMORY_WEIGHTS] = 10 * MIB;
      sample.link_bytes = moved;
      assay_series_append (series, &sample);
    }
  return series;
}

static double
rates_max (AssayChartData *data)
{
  double max = -1.0;

  for (guint i = 0; i < data->rates->len; i++)
    max = MAX (max, g_array_index (data->rates, double, i));
  return max;
}

#define BURST (20.0 * MIB / 0.02) /* bytes a second */

static void
test_burst_survives_any_width (void)
{
  g_autoptr(AssaySeries) series = burst_series_new (5000, 3217);
  const gint64 end_ns = assay_series_get_end_ns (series) + 1;

  for (guint width = 1; width < 6000; width += 97)
    {
      g_autoptr(AssayChartData) data = assay_chart_data_new (series);

      g_assert_true (assay_chart_data_update (data, 0, end_ns, width));
      g_assert_cmpfloat_with_epsilon (rates_max (data), BURST, 1.0);
      g_assert_cmpfloat_with_epsilon (data->rate_max, BURST, 1.0);
      g_assert_cmpint (data->link_bytes, ==, 20 * MIB + 4999 * 4096);
    }
}

/* Down to a picture that lies wholly between the two samples of the burst. */
static void
test_burst_survives_zooming (void)
{
  g_autoptr(AssaySeries) series = burst_series_new (5000, 3217);
  g_autoptr(AssayChartData) data = assay_chart_data_new (series);
  const gint64 at_ns = 3216 * 20 * MS + 9 * MS;

  for (gint64 span_ns = assay_series_get_end_ns (series); span_ns > MS; span_ns = span_ns * 3 / 4)
    {
      const gint64 from_ns = MAX (at_ns - span_ns / 3, 0);

      assay_chart_data_update (data, from_ns, from_ns + span_ns, 613);
      g_assert_cmpfloat_with_epsilon (rates_max (data), BURST, 1.0);
      if (span_ns < 10 * MS)
        for (guint i = 0; i < 613; i++)
          g_assert_cmpfloat_with_epsilon (g_array_index (data->rates, double, i), BURST, 1.0);
    }
  g_assert_cmpfloat_with_epsilon (assay_chart_data_get_rate_at (data, at_ns), BURST, 1.0);
  g_assert_cmpfloat (assay_chart_data_get_rate_at (data, at_ns + 20 * MS), <, BURST / 100);
}

/* Painted columns claim, over the width of the picture, the bytes that really moved. */
static void
test_rates_sum_to_what_moved (void)
{
  g_autoptr(AssaySeries) series = burst_series_new (500, 77);
  g_autoptr(AssayChartData) data = assay_chart_data_new (series);
  double sum = 0.0;

  assay_chart_data_update (data, 0, 500 * 20 * MS, 5000); /* ten columns a sample */
  for (guint i = 0; i < 5000; i++)
    sum += MAX (g_array_index (data->rates, double, i), 0.0) * 0.002;
  g_assert_cmpfloat_with_epsilon (sum, 20.0 * MIB + 499 * 4096, 4096.0);
}

static void
test_growing_rates_equal_reading_at_once (void)
{
  g_autoptr(AssaySeries) whole = burst_series_new (400, 123), growing = assay_series_new (20 * MS);
  g_autoptr(GArray) samples = assay_series_dup_samples (whole);
  g_autoptr(AssayChartData) at_once = assay_chart_data_new (whole), live = assay_chart_data_new (growing);

  for (guint i = 0; i < samples->len; i++)
    {
      assay_series_append (growing, &g_array_index (samples, AssaySample, i));
      if (i % 7 == 0 || i + 1 == samples->len)
        assay_chart_data_update (live, 0, 9000 * MS, 331);
    }
  assay_chart_data_update (at_once, 0, 9000 * MS, 331);
  g_assert_cmpfloat_with_epsilon (live->rate_max, at_once->rate_max, 1.0);
  g_assert_cmpint (live->link_bytes, ==, at_once->link_bytes);
  for (guint i = 0; i < 331; i++)
    g_assert_cmpfloat_with_epsilon (g_array_index (live->rates, double, i),
                                    g_array_index (at_once->rates, double, i), 1.0);
}

/* A ledger keeps some hundred samples, each at the time of its peak and with the bytes of all that it stands
 * for. */
static void
test_joined_samples_make_up_no_rate (void)
{
  g_autoptr(AssaySeries) series = assay_series_new (20 * MS);
  const guint n = ASSAY_SERIES_LIMIT + 2000;
  g_autoptr(AssayChartData) data = assay_chart_data_new (series);

  for (guint i = 0; i < n; i++)
    {
      AssaySample sample = { .t_ns = i * 20 * MS, .vram_device = 1, .link_bytes = i * MIB };
      sample.allocated[ASSAY_MEMORY_WEIGHTS] = (i * 7919u) % 64 * MIB; /* peaks fall anywhere in a pair */
      assay_series_append (series, &sample);
    }
  assay_chart_data_update (data, 0, n * 20 * MS, 700);
  g_assert_cmpfloat (data->rate_max, >, 45.0 * MIB);
  g_assert_cmpfloat (data->rate_max, <, 55.0 * MIB);
}

static void
test_device_without_a_link_has_no_strip (void)
{
  g_autoptr(AssaySeries) series = views_fixture_series_new (FALSE, 2);
  g_autoptr(AssayChartData) data = assay_chart_data_new (series);
  g_autofree char *readout = NULL;

  assay_chart_data_update (data, 0, assay_series_get_end_ns (series), 100);
  g_assert_cmpint (data->link_bytes, ==, -1);
  g_assert_cmpfloat (data->rate_max, <, 0.0);
  g_assert_cmpfloat (rates_max (data), <, 0.0);
  readout = assay_chart_dup_readout (data, 500 * MS);
  g_assert_null (strstr (readout, "link"));
}

static void
test_readout_and_summary_tell_of_the_link (void)
{
  g_autoptr(AssaySeries) series = burst_series_new (100, 50);
  g_autoptr(AssayChartData) data = assay_chart_data_new (series);

  assay_series_add_mark (series, 300 * MS, "trim", "2.00 MiB");
  assay_chart_data_update (data, 0, 2000 * MS, 100);
  g_autofree char *burst = assay_chart_dup_readout (data, 50 * 20 * MS);
  g_assert_nonnull (strstr (burst, "Over the link: 0.977 GiB/s"));
  g_assert_nonnull (strstr (burst, "Moved over the link: 20.2 MiB"));
  g_assert_nonnull (strstr (burst, "Reserved, cached blocks included: 12.0 MiB"));
  g_autofree char *trim = assay_chart_dup_readout (data, 301 * MS);
  g_assert_nonnull (strstr (trim, "trim: 2.00 MiB"));
  g_autofree char *words = assay_chart_data_describe (data, -1);
  g_assert_nonnull (strstr (words, "20.4 MiB moved over the link, at most 0.977 GiB/s"));
  g_assert_nonnull (strstr (words, "1 cache trim."));
}

/* A record's peak is exact; samples may have missed it. Less than a sample saw, it is not believed. */
static void
test_stated_peak_is_told (void)
{
  g_autoptr(AssaySeries) series = burst_series_new (100, 50);
  g_autoptr(AssayChartData) data = assay_chart_data_new (series);

  data->stated_peak = 96 * MIB;
  assay_chart_data_update (data, 0, 2000 * MS, 100);
  g_assert_cmpint (assay_chart_data_get_peak (data), ==, 96 * MIB);
  g_autofree char *words = assay_chart_data_describe (data, 64 * MIB);
  g_assert_nonnull (strstr (words, "Peak 96.0 MiB of device memory"));
  g_assert_nonnull (strstr (words, "Over the budget"));
  const AssayChartPicture picture = { .data = data };
  g_assert_cmpint (assay_chart_stack_max (&picture), >=, 96 * MIB);
  assay_chart_data_invalidate (data);
  assay_chart_data_update (data, 0, 2000 * MS, 100);
  g_assert_cmpint (assay_chart_data_get_peak (data), ==, 96 * MIB);
  data->stated_peak = 5 * MIB;
  g_assert_cmpint (assay_chart_data_get_peak (data), ==, 10 * MIB);
}

static void
test_burst_is_painted_at_any_width (void)
{
  g_autoptr(AssaySeries) with = burst_series_new (5000, 1201), without = burst_series_new (5000, 9999);
  g_autoptr(AssayChartStyle) style = assay_chart_style_new_paper ();
  GdkRGBA color;

  assay_chart_style_get_line (style, ASSAY_LINE_LINK, &color);
  for (int width = 300; width <= 1500; width += 171)
    {
      ChartDrawing burst = chart_drawing_new (with, -1, style, width, 420, FALSE),
                   even = chart_drawing_new (without, -1, style, width, 420, FALSE);
      const AssayChartRect *strip = &burst.layout.strip;

      g_assert_cmpfloat (strip->height, >, 10.0);
      /* One pixel wide from the foot to the top, and elsewhere no more than the line at the foot. */
      g_assert_cmpuint (chart_drawing_count_in (&burst, strip, chart_drawing_rgb (&color), 0.3, 0.9), >=,
                        (guint)(strip->height * 0.5));
      g_assert_cmpuint (chart_drawing_count_in (&burst, strip, chart_drawing_rgb (&color), 0.3, 0.9), <,
                        (guint)(strip->height * 2.5));
      g_assert_cmpuint (
          chart_drawing_count_in (&even, &even.layout.strip, chart_drawing_rgb (&color), 0.3, 0.9), >, 200);
      cairo_surface_destroy (burst.surface);
      cairo_surface_destroy (even.surface);
    }
}

/* A run's end makes the chart read everything again; before the first bytes over the link there is no strip.
 */
static void
test_strip_outlives_reading_again (void)
{
  g_autoptr(AssaySeries) series = burst_series_new (100, 50), growing = assay_series_new (20 * MS);
  g_autoptr(AssayChartData) data = assay_chart_data_new (series), live = assay_chart_data_new (growing);
  g_autoptr(AssayChartStyle) style = assay_chart_style_new_paper ();
  g_autoptr(GArray) samples = assay_series_dup_samples (series);
  AssayChartPicture picture = { .data = data, .style = style, .width = 700, .height = 600 };
  AssayChartLayout layout;

  assay_chart_layout_update (&layout, &picture, 0, 2000 * MS);
  const double height = layout.strip.height;
  g_assert_cmpfloat (height, >, 10.0);
  assay_chart_data_invalidate (data);
  assay_chart_layout_update (&layout, &picture, 0, 2000 * MS);
  g_assert_cmpfloat (layout.strip.height, ==, height);

  picture.data = live;
  assay_chart_layout_update (&layout, &picture, 0, 2000 * MS);
  g_assert_cmpfloat (layout.strip.height, ==, 0.0);
  assay_series_append (growing, &g_array_index (samples, AssaySample, 0));
  assay_chart_layout_update (&layout, &picture, 0, 2000 * MS);
  g_assert_cmpfloat (layout.strip.height, >, 10.0);
}

static void
test_foretold_peak_is_a_line_with_its_words (void)
{
  g_autoptr(AssaySeries) series = views_fixture_series_new (TRUE, 3);
  g_autoptr(AssayChartStyle) style = assay_chart_style_new_paper ();
  const ChartLimits foretold = { .foretold = 100 * MIB }, none = { .foretold = -1 },
                    far = { .foretold = 9000 * MIB };
  GdkRGBA color;

  assay_chart_style_get_ink (style, ASSAY_INK_FORETOLD, &color);
  ChartDrawing with = chart_drawing_new_with (series, &foretold, style, 700, 420, FALSE);
  ChartDrawing without = chart_drawing_new_with (series, &none, style, 700, 420, FALSE);
  ChartDrawing above = chart_drawing_new_with (series, &far, style, 700, 420, FALSE);
  g_assert_cmpuint (chart_drawing_count (&with, chart_drawing_rgb (&color), 0.0, 1.0), >, 80);
  g_assert_cmpuint (chart_drawing_count (&without, chart_drawing_rgb (&color), 0.0, 1.0), ==, 0);
  g_assert_cmpuint (chart_drawing_count (&above, chart_drawing_rgb (&color), 0.0, 1.0), ==,
                    0); /* told in words, above the plot */
  cairo_surface_destroy (with.surface);
  cairo_surface_destroy (without.surface);
  cairo_surface_destroy (above.surface);
}

static void
test_ram_budget_is_a_line_in_its_own_lane (void)
{
  g_autoptr(AssaySeries) series = views_fixture_series_new (TRUE, 3);
  g_autoptr(AssayChartStyle) style = assay_chart_style_new_paper ();
  const ChartLimits limits = { .ram_budget = 200 * MIB };
  GdkRGBA color;

  assay_chart_style_get_ink (style, ASSAY_INK_BUDGET, &color);
  ChartDrawing drawing = chart_drawing_new_with (series, &limits, style, 700, 600, FALSE);
  g_assert_cmpuint (
      chart_drawing_count_in (&drawing, &drawing.layout.lines, chart_drawing_rgb (&color), 0.0, 1.0), >, 200);
  g_assert_cmpuint (chart_drawing_count (&drawing, chart_drawing_rgb (&color), 0.0, 1.0), ==, 0);
  cairo_surface_destroy (drawing.surface);
}

/* A question's mark at the same time is a stroke of one pixel; the trim's triangle is drawn beside it. */
static void
test_trim_is_drawn_where_another_mark_is (void)
{
  g_autoptr(AssayChartStyle) style = assay_chart_style_new_paper ();
  guint n[2];
  GdkRGBA color;

  assay_chart_style_get_ink (style, ASSAY_INK_TEXT, &color);
  for (guint trims = 0; trims < 2; trims++)
    {
      g_autoptr(AssaySeries) series = burst_series_new (500, 9999);

      assay_series_add_mark (series, 5000 * MS, "question", "q1");
      if (trims == 1)
        assay_series_add_mark (series, 5001 * MS, "trim", "14.0 MiB");
      ChartDrawing drawing = chart_drawing_new (series, -1, style, 700, 420, FALSE);
      n[trims] = chart_drawing_count (&drawing, chart_drawing_rgb (&color), 0.9, 1.0);
      cairo_surface_destroy (drawing.surface);
    }
  g_assert_cmpuint (n[1], >, n[0] + 15);
}

/* A saved picture is the drawing on the screen, with all that it was asked to show. */
static void
test_saved_picture_shows_link_and_limits (void)
{
  g_autoptr(AssaySeries) series = views_fixture_series_new (TRUE, 3);
  g_autoptr(AssayChartStyle) style = assay_chart_style_new_paper ();
  const AssayChartExport what = { .format = ASSAY_CHART_PNG,
                                  .width = 700,
                                  .height = 600,
                                  .to_ns = 5000 * MS,
                                  .budget_bytes = 160 * MIB,
                                  .foretold_bytes = 100 * MIB,
                                  .ram_budget_bytes = 200 * MIB };
  g_autoptr(GError) error = NULL;
  g_autoptr(GBytes) bytes = assay_chart_export_render (series, &what, &error);
  g_assert_no_error (error);
  ChartDrawing saved = { .surface = chart_drawing_read_png (bytes) };
  const AssayChartRect whole = { 0, 0, 1400, 1200 };
  GdkRGBA foretold, budget, link;

  assay_chart_style_get_ink (style, ASSAY_INK_FORETOLD, &foretold);
  assay_chart_style_get_ink (style, ASSAY_INK_BUDGET, &budget);
  assay_chart_style_get_line (style, ASSAY_LINE_LINK, &link);
  g_assert_cmpuint (chart_drawing_count_in (&saved, &whole, chart_drawing_rgb (&foretold), 0, 1), >, 300);
  g_assert_cmpuint (chart_drawing_count_in (&saved, &whole, chart_drawing_rgb (&budget), 0, 0.5), >, 500);
  g_assert_cmpuint (chart_drawing_count_in (&saved, &whole, chart_drawing_rgb (&budget), 0.5, 1), >, 500);
  g_assert_cmpuint (chart_drawing_count_in (&saved, &whole, chart_drawing_rgb (&link), 0, 1), >, 5000);
  cairo_surface_destroy (saved.surface);
}

/* The budget, a right forecast and the peak lie at one height: each of their words has a place of its own. */
static void
test_words_of_limits_and_peak_do_not_overlap (void)
{
  g_autoptr(AssaySeries) series = views_fixture_series_new (TRUE, 3);
  g_autoptr(AssayChartStyle) style = assay_chart_style_new_paper ();
  AssaySample peak;

  g_assert_true (assay_series_get_peak (series, &peak));
  const gint64 bytes = assay_sample_get_allocated (&peak);
  for (int width = 500; width < 1400; width += 130)
    for (gint64 off = -4; off <= 4; off += 2)
      {
        g_autoptr(AssayChartData) data = assay_chart_data_new (series);
        const AssayChartPicture picture = { .data = data,
                                            .style = style,
                                            .budget_bytes = bytes + off * MIB,
                                            .foretold_bytes = bytes,
                                            .width = width,
                                            .height = 420 };
        cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, width, 420);
        cairo_t *cr = cairo_create (surface);
        AssayChartLayout layout;
        AssayChartPen pen;

        assay_chart_data_update (data, 0, assay_series_get_end_ns (series), 1);
        assay_chart_layout_init (&layout, &picture);
        assay_chart_data_update (data, 0, assay_series_get_end_ns (series), layout.n_columns);
        assay_chart_pen_init (&pen, cr, &picture, &layout);
        assay_chart_draw_stack (&pen);
        g_assert_cmpuint (pen.n_plates, ==, 3);
        for (guint i = 0; i < pen.n_plates; i++)
          {
            AssayChartRect plate = pen.plates[i];
            const guint n_plates = pen.n_plates;

            g_assert_cmpfloat (plate.x, >=, layout.stack.x);
            g_assert_cmpfloat (plate.x + plate.width, <=, layout.stack.x + layout.stack.width);
            pen.n_plates = i; /* those before it */
            g_assert_false (assay_chart_is_on_plate (&pen, &plate));
            pen.n_plates = n_plates;
          }
        assay_chart_pen_clear (&pen);
        cairo_destroy (cr);
        cairo_surface_destroy (surface);
      }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ui/chart/one-sample-burst-survives-any-width", test_burst_survives_any_width);
  g_test_add_func ("/ui/chart/one-sample-burst-survives-zooming", test_burst_survives_zooming);
  g_test_add_func ("/ui/chart/one-sample-burst-is-painted-at-any-width", test_burst_is_painted_at_any_width);
  g_test_add_func ("/ui/chart/rates-sum-to-what-moved", test_rates_sum_to_what_moved);
  g_test_add_func ("/ui/chart/growing-rates-equal-reading-at-once", test_growing_rates_equal_reading_at_once);
  g_test_add_func ("/ui/chart/joined-samples-make-up-no-rate", test_joined_samples_make_up_no_rate);
  g_test_add_func ("/ui/chart/device-without-a-link-has-no-strip", test_device_without_a_link_has_no_strip);
  g_test_add_func ("/ui/chart/stated-peak-is-told", test_stated_peak_is_told);
  g_test_add_func ("/ui/chart/strip-outlives-reading-again", test_strip_outlives_reading_again);
  g_test_add_func ("/ui/chart/readout-and-summary-tell-of-the-link",
                   test_readout_and_summary_tell_of_the_link);
  g_test_add_func ("/ui/chart/foretold-peak-is-a-line-with-its-words",
                   test_foretold_peak_is_a_line_with_its_words);
  g_test_add_func ("/ui/chart/ram-budget-is-a-line-in-its-own-lane",
                   test_ram_budget_is_a_line_in_its_own_lane);
  g_test_add_func ("/ui/chart/trim-is-drawn-where-another-mark-is", test_trim_is_drawn_where_another_mark_is);
  g_test_add_func ("/ui/chart/words-of-limits-and-peak-do-not-overlap",
                   test_words_of_limits_and_peak_do_not_overlap);
  g_test_add_func ("/ui/chart/saved-picture-shows-link-and-limits", test_saved_picture_shows_link_and_limits);
  return g_test_run ();
}
