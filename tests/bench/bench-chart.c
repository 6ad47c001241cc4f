/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/bench/bench-chart.c: the memory chart of an hour at 50 Hz: opening it, drawing it while samples arrive, zooming.
 *
 *   bench-chart [SAMPLES [WIDTH HEIGHT]]     180000 samples on 1200 × 760 pixels unless given
 *
 * A frame is what the window does for one: bring the columns up to date, lay out, draw. Times are of the thread's work,
 * so that what else the machine does is left out; p99 is the 99th percentile. */
#include <cairo.h>
#include <stdlib.h>
#include <time.h>

#include "assay-chart-axis.h"
#include "assay-chart-draw.h"
#include "assay-chart-pyramid.h"

#define MIB G_GINT64_CONSTANT (1048576)
#define INTERVAL_NS G_GINT64_CONSTANT (20000000)
#define PER_QUESTION 250u /* samples: five seconds */
#define N_LIVE 3000u      /* frames: a minute of samples */
#define N_ZOOM 500u

typedef struct
{
  AssaySeries *series;
  GRand *rand;
  guint n;
  gint64 moved;
} Run;

/* A model streamed to a device of 4 GiB: a prompt's activations rise and fall, each pass moves its blocks. */
static void
run_append (Run *run)
{
  const guint in_question = run->n % PER_QUESTION;
  const gint64 t_ns = run->n * INTERVAL_NS;
  AssaySample sample = { .t_ns = t_ns, .reserved = 3900 * MIB, .mapped_weights = -1, .ram_anonymous = g_rand_int_range (run->rand, 880, 900) * MIB,
                         .ram_mapped = g_rand_int_range (run->rand, 4900, 5000) * MIB, .ram_pinned = 512 * MIB, .ram_system = 9000 * MIB,
                         .vram_device = g_rand_int_range (run->rand, 3920, 3960) * MIB };

  if (in_question == 0 || in_question == 50)
    assay_series_begin_phase (run->series, in_question == 0 ? "prompt" : "generate", t_ns);
  if (in_question == 0)
    assay_series_add_mark (run->series, t_ns, "question", "q");
  sample.allocated[ASSAY_MEMORY_WEIGHTS] = 2600 * MIB;
  sample.allocated[ASSAY_MEMORY_KV_CACHE] = 700 * MIB;
  sample.allocated[ASSAY_MEMORY_ACTIVATIONS] = in_question < 50 ? g_rand_int_range (run->rand, 0, 400) * MIB : 30 * MIB;
  sample.allocated[ASSAY_MEMORY_WORKSPACE] = g_rand_int_range (run->rand, 20, 90) * MIB;
  sample.allocated[ASSAY_MEMORY_STAGING] = 48 * MIB;
  sample.allocated[ASSAY_MEMORY_OUTPUT] = MIB;
  run->moved += g_rand_int_range (run->rand, 0, 240) * MIB;
  sample.link_bytes = run->moved;
  assay_series_append (run->series, &sample);
  run->n++;
}

typedef struct
{
  AssayChartPicture picture;
  AssayChartLayout layout;
  cairo_surface_t *surface;
} Sheet;

static double
thread_ms (void)
{
  struct timespec t;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

/* Returns: ms. */
static double
sheet_draw (Sheet *sheet, gint64 from_ns, gint64 to_ns)
{
  const double start_ms = thread_ms ();
  cairo_t *cr = cairo_create (sheet->surface);

  assay_chart_layout_update (&sheet->layout, &sheet->picture, from_ns, to_ns);
  assay_chart_draw (cr, &sheet->picture, &sheet->layout);
  cairo_destroy (cr);
  cairo_surface_flush (sheet->surface);
  return thread_ms () - start_ms;
}

static int
compare_times (const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void
report (const char *what, double *ms, guint n)
{
  qsort (ms, n, sizeof *ms, compare_times);
  g_print ("%-34s median %6.2f ms   p99 %6.2f ms   most %6.2f ms\n", what, ms[n / 2], ms[n * 99 / 100], ms[n - 1]);
}

static void
bench_live (Sheet *sheet, Run *run)
{
  double ms[N_LIVE];

  for (guint i = 0; i < N_LIVE; i++)
    {
      run_append (run);
      ms[i] = sheet_draw (sheet, 0, assay_time_axis_live_span (run->n * INTERVAL_NS));
    }
  report ("a frame while samples arrive", ms, N_LIVE);
}

/* Wheel and drag at random, from the whole hour to a second. */
static void
bench_zoom (Sheet *sheet, Run *run)
{
  double ms[N_ZOOM];

  for (guint i = 0; i < N_ZOOM; i++)
    {
      const gint64 end_ns = run->n * INTERVAL_NS;
      const gint64 span_ns = MAX (end_ns >> g_rand_int_range (run->rand, 0, 12), INTERVAL_NS);
      const gint64 from_ns = (gint64)(g_rand_double (run->rand) * (end_ns - span_ns));

      ms[i] = sheet_draw (sheet, from_ns, from_ns + span_ns);
    }
  report ("a frame of any other part", ms, N_ZOOM);
}

int
main (int argc, char **argv)
{
  const guint n_samples = argc > 1 ? (guint)strtoul (argv[1], NULL, 10) : 180000;
  const int width = argc > 3 ? atoi (argv[2]) : 1200, height = argc > 3 ? atoi (argv[3]) : 760;
  Run run = { .series = assay_series_new (INTERVAL_NS), .rand = g_rand_new_with_seed (1) };
  g_autoptr(AssayChartStyle) style = assay_chart_style_new (FALSE, FALSE, "Sans", 11.0);

  while (run.n < n_samples)
    run_append (&run);
  g_autoptr(AssayChartData) data = assay_chart_data_new (run.series);
  Sheet sheet = { .surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, width, height) };
  sheet.picture = (AssayChartPicture){ .data = data, .style = style, .budget_bytes = 4096 * MIB,
                                       .foretold_bytes = 3800 * MIB, .width = width, .height = height };
  g_print ("chart of %u samples, %.0f min at 50 Hz, %u questions, on %d × %d\n", n_samples,
           n_samples * (INTERVAL_NS / 6e10), n_samples / PER_QUESTION, width, height);
  g_print ("%-34s        %6.1f ms\n", "open: read all, first picture",
           sheet_draw (&sheet, 0, run.n * INTERVAL_NS));
  bench_live (&sheet, &run);
  bench_zoom (&sheet, &run);
  g_print ("%-34s        %6.1f MiB of samples (never more than %.1f), %.2f MiB of the chart's\n", "memory",
           (double)assay_series_get_length (run.series) * sizeof (AssaySample) / MIB,
           (double)ASSAY_SERIES_LIMIT * sizeof (AssaySample) / MIB,
           (double)assay_chart_pyramid_get_bytes (data->pyramid) / MIB);
  cairo_surface_destroy (sheet.surface);
  g_rand_free (run.rand);
  assay_series_unref (run.series);
  return 0;
}
