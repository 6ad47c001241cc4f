/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-chart-link.c: how fast bytes went over the link, from a counter that samples carry.
 *
 * Two samples and the time between them make a rate, and every column that this time touches gets it unless
 * it holds a greater one: a burst of one sample shows at any zoom, also where the picture lies wholly between
 * two samples. Where the series has joined neighbours, a sample's time is that of its peak, somewhere in the
 * stretch that it stands for; its bytes are those of the whole stretch, and so is the time they are divided
 * by. */
#include "assay-chart-data-private.h"

#include <glib/gi18n-lib.h>

#include "assay-values.h"

#define SHORTEST_NS G_GINT64_CONSTANT (1000000) /* nobody is asked more often than once a millisecond */

/* The first sample ends a time too, and nobody knows how long it was: as long as every other. */
static AssayLinkPoint
point_before_all (const AssayChartData *self)
{
  return (AssayLinkPoint){ self->series != NULL ? -assay_series_get_interval_ns (self->series) : 0, 0 };
}

void
assay_chart_link_reset (AssayChartData *self)
{
  self->link_before = point_before_all (self);
  self->link_bytes = -1;
  self->rate_max = -1.0;
  self->stretch_ns = 0;
}

/* Before there is a link, and after it was closed, nothing moves. */
static AssayLinkPoint
point_at (const AssaySample *sample, const AssayLinkPoint *before)
{
  return (AssayLinkPoint){ sample->t_ns, sample->link_bytes >= 0 ? sample->link_bytes : before->bytes };
}

static double
link_rate (const AssayChartData *self, const AssayLinkPoint *from, const AssayLinkPoint *to)
{
  const gint64 ns = self->stretch_ns > 0 ? self->stretch_ns : to->t_ns - from->t_ns;

  return (double)MAX (to->bytes - from->bytes, 0) * 1e9 / (double)MAX (ns, SHORTEST_NS);
}

double
assay_chart_link_read (AssayChartData *self, const AssaySample *sample, AssayLinkPoint *last)
{
  const AssayLinkPoint point = point_at (sample, last);
  const double rate = sample->link_bytes >= 0 ? link_rate (self, last, &point) : -1.0;

  *last = point;
  return rate;
}

static void
link_paint (AssayChartData *self, gint64 after_ns, gint64 to_ns, double rate)
{
  if (rate < 0.0 || to_ns < self->from_ns || after_ns >= self->to_ns)
    return;
  const guint last = assay_chart_data_find_column (self, to_ns);
  const guint next = assay_chart_data_find_column (self, after_ns) + 1;
  const guint first = after_ns < self->from_ns ? 0 : MIN (next, last);

  for (guint i = first; i <= last; i++)
    {
      double *kept = &g_array_index (self->rates, double, i);
      *kept = MAX (*kept, rate);
    }
}

void
assay_chart_link_paint (AssayChartData *self, const AssayChartStretch *stretch)
{
  link_paint (self, stretch->before_ns, stretch->first_ns, stretch->first_rate);
  if (stretch->last_ns > stretch->first_ns) /* the rest begins and ends in the same column */
    link_paint (self, stretch->first_ns, stretch->last_ns, stretch->rate_max);
}

/* Before the samples up to end_ns are read. */
void
assay_chart_link_note_stretch (AssayChartData *self, gint64 end_ns)
{
  const guint length = assay_series_get_length (self->series);
  const gboolean joined = length > 1 && assay_series_get_n_measured (self->series) > length;

  self->stretch_ns = joined ? end_ns / (length - 1) : 0;
}

AssayLinkPoint
assay_chart_link_get_point_before (AssayChartData *self, gint64 t_ns)
{
  const AssayLinkPoint before = point_before_all (self);
  AssaySample sample;

  return assay_series_get_at (self->series, t_ns - 1, &sample) ? point_at (&sample, &before) : before;
}

double
assay_chart_data_get_rate_at (AssayChartData *self, gint64 t_ns)
{
  AssaySample after;

  if (self->series == NULL || self->link_bytes < 0 || !assay_series_get_after (self->series, t_ns - 1, &after))
    return -1.0;
  AssayLinkPoint last = assay_chart_link_get_point_before (self, t_ns);
  return assay_chart_link_read (self, &after, &last);
}

char *
assay_chart_dup_rate (double bytes_per_s)
{
  g_autofree char *bytes = assay_format_bytes ((guint64)MAX (bytes_per_s, 0.0));

  /* Translators: a size, and what of it goes over the link in a second: "2.10 GiB/s" */
  return g_strdup_printf (_("%s/s"), bytes);
}
