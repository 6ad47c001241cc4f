/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The memory chart without a window: its columns, its picture, its files. */
#include <cairo.h>
#include <math.h>
#include <string.h>

#include "assay-chart-axis.h"
#include "chart-drawing.h"
#include "views-fixture.h"

#define MIB G_GINT64_CONSTANT (1048576)
#define MS G_GINT64_CONSTANT (1000000)

/* 10 MiB throughout, and one sample of 90 MiB. */
static AssaySeries *
spiked_series_new (guint n_samples, guint spike)
{
  AssaySeries *series = assay_series_new (20 * MS);

  for (guint i = 0; i < n_samples; i++)
    views_fixture_append (series, i * 20 * MS, 10 * MIB, i == spike ? 80 * MIB : 0, 0);
  return series;
}

static gint64
columns_max (AssayChartData *data)
{
  gint64 max = -1;

  for (guint i = 0; i < data->columns->len; i++)
    {
      const AssayChartColumn *column = &g_array_index (data->columns, AssayChartColumn, i);
      if (column->t_ns >= 0)
        max = MAX (max, column->total);
    }
  return max;
}

static void
test_spike_survives_any_width (void)
{
  g_autoptr(AssaySeries) series = spiked_series_new (5000, 3217);
  const gint64 end_ns = assay_series_get_end_ns (series) + 1;

  for (guint width = 1; width < 6000; width += 97)
    {
      g_autoptr(AssayChartData) data = assay_chart_data_new (series);

      g_assert_true (assay_chart_data_update (data, 0, end_ns, width));
      g_assert_cmpint (columns_max (data), ==, 90 * MIB);
      g_assert_cmpint (data->peak_total, ==, 90 * MIB);
      g_assert_cmpint (data->peak_ns, ==, 3217 * 20 * MS);
    }
}

static void
test_spike_survives_zooming (void)
{
  g_autoptr(AssaySeries) series = spiked_series_new (5000, 3217);
  g_autoptr(AssayChartData) data = assay_chart_data_new (series);
  const gint64 at_ns = 3217 * 20 * MS;

  for (gint64 span_ns = assay_series_get_end_ns (series); span_ns > MS; span_ns = span_ns * 3 / 4)
    {
      const gint64 from_ns = MAX (at_ns - span_ns / 3, 0);

      assay_chart_data_update (data, from_ns, from_ns + span_ns, 613);
      g_assert_cmpint (columns_max (data), ==, 90 * MIB);
    }
}

/* Any part that holds the spike, at any width: also where its sample lies at the very edge, and among stretches of many
 * samples. The seed is printed by the test program. */
static void
test_spike_survives_any_part (void)
{
  const guint n = 40000, spike = (guint)g_test_rand_int_range (0, 40000);
  g_autoptr(AssaySeries) series = spiked_series_new (n, spike);
  g_autoptr(AssayChartData) data = assay_chart_data_new (series);
  const gint64 at_ns = spike * 20 * MS;

  for (guint i = 0; i < 2000; i++)
    {
      const gint64 span_ns = (gint64)(n * 20.0 * MS / exp (g_test_rand_double_range (0.0, 12.0)));
      const gint64 from_ns = at_ns - (i % 8 == 0 ? 0 : (gint64)(g_test_rand_double () * (span_ns - 1)));
      const guint width = (guint)g_test_rand_int_range (1, 2000);

      assay_chart_data_update (data, from_ns, from_ns + span_ns, width);
      g_assert_cmpint (columns_max (data), ==, 90 * MIB);
      const guint column = (guint)((double)(at_ns - from_ns) / span_ns * width);
      g_assert_cmpint (g_array_index (data->columns, AssayChartColumn, column).t_ns, ==, at_ns);
      g_assert_cmpint (data->peak_ns, ==, at_ns);
    }
}

/* What is read from stretches is what is read sample by sample. */
static void
test_stretches_equal_samples (void)
{
  g_autoptr(AssaySeries) series = assay_series_new (20 * MS);
  g_autoptr(AssayChartData) data = assay_chart_data_new (series);
  const guint n = 5000;

  for (guint i = 0; i < n; i++)
    views_fixture_append (series, i * 20 * MS, g_test_rand_int_range (0, 64) * MIB,
                          g_test_rand_int_range (0, 64) * MIB, g_test_rand_int_range (0, 64) * MIB);
  g_autoptr(GArray) samples = assay_series_dup_samples (series);
  for (guint round = 0; round < 50; round++)
    {
      const gint64 from_ns = g_test_rand_int_range (0, 90) * 1000 * MS;
      const gint64 to_ns = from_ns + g_test_rand_int_range (20, 9000) * MS;
      const guint width = (guint)g_test_rand_int_range (1, 700);
      g_autofree gint64 *totals = g_new0 (gint64, width), *mapped = g_new0 (gint64, width);

      assay_chart_data_update (data, from_ns, to_ns, width);
      for (guint i = 0; i < n; i++)
        {
          const AssaySample *sample = &g_array_index (samples, AssaySample, i);
          const guint at = (guint)((double)(sample->t_ns - from_ns) / (to_ns - from_ns) * width);

          if (sample->t_ns < from_ns || sample->t_ns >= to_ns)
            continue;
          totals[at] = MAX (totals[at], assay_sample_get_allocated (sample) + sample->mapped_weights);
          mapped[at] = MAX (mapped[at], sample->ram_mapped);
        }
      for (guint i = 0; i < width; i++)
        {
          const AssayChartColumn *column = &g_array_index (data->columns, AssayChartColumn, i);

          if (column->t_ns < from_ns) /* none, or what held before */
            continue;
          g_assert_cmpint (column->total, ==, totals[i]);
          g_assert_cmpint (column->ram_mapped, ==, mapped[i]);
        }
    }
}

/* In every column of pixels: what is painted of layers from the foot up is as high as the total. */
static void
test_stack_is_painted_as_high_as_its_total (void)
{
  g_autoptr(AssaySeries) series = assay_series_new (20 * MS);
  g_autoptr(AssayChartStyle) style = assay_chart_style_new_paper ();
  GdkRGBA layers[2];

  for (guint i = 0; i < 3000; i++)
    views_fixture_append (series, i * 20 * MS, g_test_rand_int_range (10, 60) * MIB,
                          g_test_rand_int_range (10, 60) * MIB, -1);
  assay_chart_style_get_layer (style, ASSAY_MEMORY_WEIGHTS, &layers[0]);
  assay_chart_style_get_layer (style, ASSAY_MEMORY_ACTIVATIONS, &layers[1]);
  for (int width = 400; width < 1300; width += 211)
    {
      ChartDrawing drawing = chart_drawing_new (series, -1, style, width, 420, FALSE);
      g_autoptr(AssayChartData) data = assay_chart_data_new (series);
      const AssayChartRect *rect = &drawing.layout.stack;
      AssayBytesAxis axis;

      assay_chart_data_update (data, 0, assay_series_get_end_ns (series) + 1, drawing.layout.n_columns);
      assay_bytes_axis_init (&axis, data->peak_total, MAX ((guint)(rect->height / (drawing.layout.line_height * 2.6)), 2));
      for (guint i = 0; i < data->columns->len; i++)
        {
          const AssayChartColumn *column = &g_array_index (data->columns, AssayChartColumn, i);
          const AssayChartRect strip = { rect->x + i, rect->y, 1.0, rect->height };
          const double expected = rect->height * column->total / axis.top_bytes;
          const double painted
              = chart_drawing_count_in (&drawing, &strip, chart_drawing_rgb (&layers[0]), 0.0, 1.0)
                + chart_drawing_count_in (&drawing, &strip, chart_drawing_rgb (&layers[1]), 0.0, 1.0);

          /* edges are mixed of two colours; the peak's words and its dot lie over some columns */
          g_assert_cmpint (column->layers[ASSAY_MEMORY_WEIGHTS] + column->layers[ASSAY_MEMORY_ACTIVATIONS], ==,
                           column->total);
          g_assert_cmpfloat (painted, <=, expected + 1.0);
          g_assert_cmpfloat (painted, >=, expected - 3.0 - 2.0 * drawing.layout.line_height);
        }
      cairo_surface_destroy (drawing.surface);
    }
}

/* Exactly where the engine's memory first goes over it, whatever part is shown and however coarsely. */
static void
test_crossing_is_exact_in_any_part (void)
{
  const guint n = 30000, cross = (guint)g_test_rand_int_range (1000, 29000);
  g_autoptr(AssaySeries) series = assay_series_new (20 * MS);
  g_autoptr(AssayChartData) data = assay_chart_data_new (series);

  for (guint i = 0; i < n; i++)
    views_fixture_append (series, i * 20 * MS, 10 * MIB, i < cross ? 5 * MIB : (i - cross + 50) * MIB / 50,
                          g_test_rand_int_range (0, 900) * MIB); /* mapped weights: no part of the budget */
  for (guint round = 0; round < 300; round++)
    {
      const gint64 from_ns = g_test_rand_int_range (0, 500) * 1000 * MS;
      const guint budget = (guint)g_test_rand_int_range (16, 300);

      assay_chart_data_update (data, from_ns, from_ns + g_test_rand_int_range (1, 90000) * MS,
                               (guint)g_test_rand_int_range (1, 900));
      const guint first = cross + (budget - 10) * 50 - 49;
      const gint64 t_ns = assay_chart_data_find_crossing (data, budget * MIB);
      g_assert_cmpint (t_ns, ==, first < n ? first * 20 * MS : -1);
    }
}

static void
test_stack_sums_to_total (void)
{
  for (guint own_memory = 0; own_memory < 2; own_memory++)
    {
      g_autoptr(AssaySeries) series = views_fixture_series_new (own_memory == 1, 5);
      g_autoptr(AssayChartData) data = assay_chart_data_new (series);
      g_autoptr(GArray) samples = assay_series_dup_samples (series);
      gint64 greatest = 0;

      assay_chart_data_update (data, 0, assay_series_get_end_ns (series), 40);
      g_assert_cmpint (data->own_memory, ==, own_memory);
      for (guint i = 0; i < samples->len; i++)
        {
          const AssaySample *sample = &g_array_index (samples, AssaySample, i);
          AssayChartColumn column;
          gint64 sum = 0;

          assay_chart_column_from_sample (sample, data->own_memory, &column);
          for (guint layer = 0; layer < ASSAY_N_LAYERS; layer++)
            sum += column.layers[layer];
          g_assert_cmpint (sum, ==, column.total);
          g_assert_cmpint (column.allocated, ==, assay_sample_get_allocated (sample));
          if (!data->own_memory)
            g_assert_cmpint (column.total, ==, sample->ram_anonymous + sample->mapped_weights);
          greatest = MAX (greatest, column.total);
        }
      g_assert_cmpint (data->peak_total, ==, greatest);
      g_assert_cmpint (columns_max (data), ==, greatest); /* and no column claims more than ever was */
    }
}

static void
test_growing_equals_reading_at_once (void)
{
  g_autoptr(AssaySeries) series = assay_series_new (20 * MS);
  g_autoptr(AssayChartData) growing = assay_chart_data_new (series);
  g_autoptr(AssayChartData) whole = assay_chart_data_new (series);
  const gint64 to_ns = 2000 * 20 * MS;

  for (guint i = 0; i < 2000; i++)
    {
      views_fixture_append (series, i * 20 * MS, 10 * MIB, (i * 7919u) % 64 * MIB, 5 * MIB);
      if (i % 17 == 0)
        assay_chart_data_update (growing, 0, to_ns, 331);
    }
  assay_chart_data_update (growing, 0, to_ns, 331);
  assay_chart_data_update (whole, 0, to_ns, 331);
  g_assert_cmpint (growing->peak_total, ==, whole->peak_total);
  g_assert_cmpint (growing->peak_ns, ==, whole->peak_ns);
  for (guint i = 0; i < 331; i++)
    {
      const AssayChartColumn *a = &g_array_index (growing->columns, AssayChartColumn, i);
      const AssayChartColumn *b = &g_array_index (whole->columns, AssayChartColumn, i);

      g_assert_cmpint (a->t_ns < 0, ==, b->t_ns < 0);
      g_assert_cmpint (a->total, ==, b->total);
    }
}

static void
test_same_data_is_not_read_twice (void)
{
  g_autoptr(AssaySeries) series = spiked_series_new (100, 50);
  g_autoptr(AssayChartData) data = assay_chart_data_new (series);

  g_assert_true (assay_chart_data_update (data, 0, 3000 * MS, 200));
  g_assert_false (assay_chart_data_update (data, 0, 3000 * MS, 200));
  views_fixture_append (series, 2500 * MS, MIB, 0, 0);
  g_assert_true (assay_chart_data_update (data, 0, 3000 * MS, 200));
}

static void
test_unknown_is_not_zero (void)
{
  g_autoptr(AssaySeries) series = spiked_series_new (10, 5);
  g_autoptr(AssayChartData) data = assay_chart_data_new (series);
  g_autofree char *readout = NULL;

  assay_chart_data_update (data, 0, 200 * MS, 10);
  g_assert_cmpint (g_array_index (data->columns, AssayChartColumn, 3).ram_system, ==, -1);
  g_assert_cmpint (data->system_max, ==, -1);
  readout = assay_chart_dup_readout (data, 100 * MS);
  g_assert_nonnull (strstr (readout, "90.0 MiB"));
  g_assert_null (strstr (readout, "Whole machine"));
}

static void
test_axes_have_round_steps (void)
{
  AssayBytesAxis bytes;
  AssayTimeAxis time;

  g_assert_cmpfloat_with_epsilon (assay_axis_nice_step (205.0, 5), 50.0, 1e-9);
  g_assert_cmpfloat_with_epsilon (assay_axis_nice_step (1.0, 5), 0.2, 1e-9);
  assay_bytes_axis_init (&bytes, 205 * MIB, 5);
  g_autofree char *label = assay_bytes_axis_dup_label (&bytes, bytes.step_bytes * 2);
  g_assert_cmpstr (label, ==, "100 MiB");
  g_assert_cmpfloat (bytes.top_bytes, >, 205.0 * MIB);
  assay_time_axis_init (&time, 300 * 1000 * MS, 6);
  g_autofree char *minutes = assay_time_axis_dup_label (&time, 2 * time.step_ns + 30000 * MS);
  g_assert_cmpstr (minutes, ==, "2:30");
  assay_time_axis_init (&time, 2 * 1000 * MS, 5);
  g_autofree char *seconds = assay_time_axis_dup_label (&time, time.step_ns);
  g_assert_cmpstr (seconds, ==, "0.5 s");
}

static void
test_live_span_stands_still_between_steps (void)
{
  gint64 last = 0;
  guint n_changes = 0;

  for (gint64 end_ns = 0; end_ns < 3600 * 1000 * MS; end_ns += 500 * MS)
    {
      const gint64 span_ns = assay_time_axis_live_span (end_ns);

      g_assert_cmpint (span_ns, >=, end_ns);
      if (end_ns > 2000 * MS)
        g_assert_cmpfloat ((double) end_ns / span_ns, >, 0.79);
      n_changes += span_ns != last;
      last = span_ns;
    }
  g_assert_cmpuint (n_changes, <, 50);
}

static void
test_spike_is_painted_at_any_width (void)
{
  g_autoptr(AssaySeries) with = spiked_series_new (5000, 1201), without = spiked_series_new (5000, 9999);
  g_autoptr(AssayChartStyle) style = assay_chart_style_new_paper ();
  GdkRGBA color;

  assay_chart_style_get_layer (style, ASSAY_MEMORY_ACTIVATIONS, &color);
  for (int width = 300; width <= 1500; width += 171)
    {
      ChartDrawing spiked = chart_drawing_new (with, -1, style, width, 420, FALSE),
                   flat = chart_drawing_new (without, -1, style, width, 420, FALSE);

      /* A column of one pixel, from the tenth part up to nine tenths of the height. */
      g_assert_cmpuint (chart_drawing_count (&spiked, chart_drawing_rgb (&color), 0.2, 0.8), >=,
                        (guint)(spiked.layout.stack.height * 0.5));
      g_assert_cmpuint (chart_drawing_count (&flat, chart_drawing_rgb (&color), 0.0, 1.0), ==, 0);
      cairo_surface_destroy (spiked.surface);
      cairo_surface_destroy (flat.surface);
    }
}

static void
test_budget_crossing_is_marked (void)
{
  g_autoptr(AssaySeries) series = spiked_series_new (500, 250);
  g_autoptr(AssayChartStyle) style = assay_chart_style_new_paper ();
  g_autoptr(AssayChartData) data = assay_chart_data_new (series);
  GdkRGBA color;

  assay_chart_data_update (data, 0, 10000 * MS, 400);
  g_assert_cmpint (assay_chart_data_find_crossing (data, 50 * MIB), ==, 250 * 20 * MS);
  g_assert_cmpint (assay_chart_data_find_crossing (data, 90 * MIB), ==, -1);
  g_assert_cmpint (assay_chart_data_find_crossing (data, -1), ==, -1);
  assay_chart_style_get_ink (style, ASSAY_INK_BUDGET, &color);
  ChartDrawing over = chart_drawing_new (series, 50 * MIB, style, 700, 420, FALSE),
               within = chart_drawing_new (series, 95 * MIB, style, 700, 420, FALSE);
  ChartDrawing none = chart_drawing_new (series, -1, style, 700, 420, FALSE),
               far = chart_drawing_new (series, 4096 * MIB, style, 700, 420, FALSE);
  const guint n_over = chart_drawing_count (&over, chart_drawing_rgb (&color), 0.0, 1.0);
  const guint n_within = chart_drawing_count (&within, chart_drawing_rgb (&color), 0.0, 1.0);
  g_assert_cmpuint (n_within, >, 300);          /* the dashed line and its label */
  g_assert_cmpuint (n_over, >, n_within + 20);  /* and the triangle */
  g_assert_cmpuint (chart_drawing_count (&none, chart_drawing_rgb (&color), 0.0, 1.0), ==, 0);
  g_assert_cmpuint (chart_drawing_count (&far, chart_drawing_rgb (&color), 0.0, 1.0), ==,
                    0); /* told in words, above the plot */
  cairo_surface_destroy (over.surface);
  cairo_surface_destroy (within.surface);
  cairo_surface_destroy (none.surface);
  cairo_surface_destroy (far.surface);
}

static void
test_styles_differ_and_draw (void)
{
  g_autoptr(AssaySeries) series = views_fixture_series_new (FALSE, 3);
  GBytes *pictures[4];

  for (guint i = 0; i < 4; i++)
    {
      g_autoptr(AssayChartStyle) style = assay_chart_style_new (i & 1, i & 2, "Sans", 11.0);
      ChartDrawing drawing = chart_drawing_new (series, 64 * MIB, style, 640, 400, FALSE);
      const gsize size = (gsize) cairo_image_surface_get_stride (drawing.surface) * 400;

      pictures[i] = g_bytes_new (cairo_image_surface_get_data (drawing.surface), size);
      cairo_surface_destroy (drawing.surface);
    }
  for (guint i = 0; i < 4; i++)
    for (guint j = i + 1; j < 4; j++)
      g_assert_false (g_bytes_equal (pictures[i], pictures[j]));
  for (guint i = 0; i < 4; i++)
    g_bytes_unref (pictures[i]);
}

static void
test_layers_are_told_apart_without_colour (void)
{
  g_autoptr(AssayChartStyle) style = assay_chart_style_new (FALSE, TRUE, "Sans", 11.0);

  for (guint i = 0; i < ASSAY_N_LAYERS; i++)
    for (guint j = i + 1; j < ASSAY_N_LAYERS; j++)
      {
        double angle_i = 0, angle_j = 0, spacing_i = 0, spacing_j = 0;
        const gboolean hatched_i = assay_chart_style_get_hatch (style, i, &angle_i, &spacing_i);
        const gboolean hatched_j = assay_chart_style_get_hatch (style, j, &angle_j, &spacing_j);

        g_assert_true (hatched_i != hatched_j || angle_i != angle_j || spacing_i != spacing_j);
      }
}

static void
test_any_size_and_any_names (void)
{
  g_autoptr(AssaySeries) series = assay_series_new (0);
  g_autoptr(AssayChartStyle) style = assay_chart_style_new_paper ();
  g_autofree char *endless = g_strnfill (1 << 20, 'x');
  const int sizes[][2] = { { 1, 1 }, { 40, 30 }, { 280, 170 }, { 3000, 90 }, { 90, 2000 } };

  assay_series_begin_phase (series, "<span size=\"100000\">load</span>", 0);
  assay_series_begin_phase (series, "\xff\xfe broken", 100 * MS);
  assay_series_begin_phase (series, endless, 200 * MS);
  assay_series_add_mark (series, 150 * MS, "transfer", "\xc3(");
  assay_series_add_mark (series, 150 * MS, endless, endless);
  for (guint i = 0; i < 20; i++)
    views_fixture_append (series, i * 20 * MS, i % 3 == 0 ? G_MAXINT64 / 16 : 0, 0, 0);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      ChartDrawing drawing = chart_drawing_new (series, MIB, style, sizes[i][0], sizes[i][1], TRUE);
      cairo_surface_destroy (drawing.surface);
    }
  g_autoptr(AssaySeries) empty = assay_series_new (0);
  ChartDrawing drawing = chart_drawing_new (empty, MIB, style, 300, 200, TRUE);
  cairo_surface_destroy (drawing.surface);
}

static void
test_spoken_summary_names_peak_phase_and_unit (void)
{
  g_autoptr(AssaySeries) series = views_fixture_series_new (FALSE, 5);
  g_autoptr(AssayChartData) data = assay_chart_data_new (series);

  assay_chart_data_update (data, 0, assay_series_get_end_ns (series), 100);
  g_autofree char *words = assay_chart_data_describe (data, 64 * MIB);
  g_assert_nonnull (strstr (words, "MiB"));
  g_assert_nonnull (strstr (words, "prompt"));
  g_assert_nonnull (strstr (words, "Over the budget"));
}

/* A frame of an hour-long run costs what came since the last one, not the hour. */
static void
test_hour_long_run_is_not_read_again (void)
{
  g_autoptr(AssaySeries) series = assay_series_new (20 * MS);
  g_autoptr(AssayChartData) data = assay_chart_data_new (series);
  const guint n = 180000;
  const gint64 span_ns = assay_time_axis_live_span (n * 20 * MS);

  for (guint i = 0; i < n; i++)
    views_fixture_append (series, i * 20 * MS, 10 * MIB, i % 64 * MIB, MIB);
  const gint64 start = g_get_monotonic_time ();
  assay_chart_data_update (data, 0, span_ns, 900);
  const gint64 read = g_get_monotonic_time ();
  for (guint i = 0; i < 300; i++)
    {
      views_fixture_append (series, (n + i) * 20 * MS, 10 * MIB, 0, MIB);
      g_assert_true (assay_chart_data_update (data, 0, span_ns, 900));
    }
  const double whole_us = read - start, frame_us = (g_get_monotonic_time () - read) / 300.0;
  g_test_message ("the hour: %.0f us, a frame of it: %.2f us", whole_us, frame_us);
  g_assert_cmpfloat (frame_us * 20.0, <, whole_us);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ui/chart/one-sample-spike-survives-any-width", test_spike_survives_any_width);
  g_test_add_func ("/ui/chart/one-sample-spike-survives-zooming", test_spike_survives_zooming);
  g_test_add_func ("/ui/chart/one-sample-spike-is-painted-at-any-width", test_spike_is_painted_at_any_width);
  g_test_add_func ("/ui/chart/one-sample-spike-survives-any-part", test_spike_survives_any_part);
  g_test_add_func ("/ui/chart/stretches-equal-samples", test_stretches_equal_samples);
  g_test_add_func ("/ui/chart/stack-sums-to-total", test_stack_sums_to_total);
  g_test_add_func ("/ui/chart/stack-is-painted-as-high-as-its-total", test_stack_is_painted_as_high_as_its_total);
  g_test_add_func ("/ui/chart/crossing-is-exact-in-any-part", test_crossing_is_exact_in_any_part);
  g_test_add_func ("/ui/chart/growing-equals-reading-at-once", test_growing_equals_reading_at_once);
  g_test_add_func ("/ui/chart/same-data-is-not-read-twice", test_same_data_is_not_read_twice);
  g_test_add_func ("/ui/chart/hour-long-run-is-not-read-again", test_hour_long_run_is_not_read_again);
  g_test_add_func ("/ui/chart/unknown-is-not-zero", test_unknown_is_not_zero);
  g_test_add_func ("/ui/chart/axes-have-round-steps", test_axes_have_round_steps);
  g_test_add_func ("/ui/chart/live-span-stands-still-between-steps",
                   test_live_span_stands_still_between_steps);
  g_test_add_func ("/ui/chart/budget-crossing-is-marked", test_budget_crossing_is_marked);
  g_test_add_func ("/ui/chart/styles-differ-and-draw", test_styles_differ_and_draw);
  g_test_add_func ("/ui/chart/layers-are-told-apart-without-colour",
                   test_layers_are_told_apart_without_colour);
  g_test_add_func ("/ui/chart/any-size-and-any-names", test_any_size_and_any_names);
  g_test_add_func ("/ui/chart/spoken-summary-names-peak-phase-and-unit",
                   test_spoken_summary_names_peak_phase_and_unit);
  return g_test_run ();
}
