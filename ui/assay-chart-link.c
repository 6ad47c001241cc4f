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

static void
link_paint (AssayChartData *self, gint64 after_ns, gint64 to_ns, double rate)
{
  if (to_ns < self->from_ns || after_ns >= self->to_ns)
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

static void
link_step (AssayChartData *self, const AssaySample *sample, AssayLinkPoint *last)
{
  const AssayLinkPoint point = point_at (sample, last);

  if (sample->link_bytes >= 0)
    link_paint (self, last->t_ns, point.t_ns, link_rate (self, last, &point));
  *last = point;
}

static gint64
link_find_stretch (AssayChartData *self, const GArray *news)
{
  const guint length = assay_series_get_length (self->series);

  if (length < 2 || news->len == 0 || assay_series_get_n_measured (self->series) <= length)
    return 0;
  return g_array_index (news, AssaySample, news->len - 1).t_ns / (length - 1);
}

void
assay_chart_link_note (AssayChartData *self, const GArray *news, gboolean paint)
{
  AssayLinkPoint last = self->link_before;

  self->stretch_ns = link_find_stretch (self, news);
  for (guint i = 0; i < news->len; i++)
    {
      const AssaySample *sample = &g_array_index (news, AssaySample, i);
      const AssayLinkPoint before = last;

      self->link_before = before;
      last = point_at (sample, &before);
      if (sample->link_bytes < 0)
        continue;
      const double rate = link_rate (self, &before, &last);
      self->link_bytes = MAX (self->link_bytes, sample->link_bytes);
      self->rate_max = MAX (self->rate_max, rate);
      if (paint)
        link_paint (self, before.t_ns, last.t_ns, rate);
    }
}

void
assay_chart_link_fill (AssayChartData *self, const GArray *samples)
{
  AssayLinkPoint last = point_before_all (self);
  AssaySample edge;

  g_array_set_size (self->rates, self->columns->len);
  for (guint i = 0; i < self->rates->len; i++)
    g_array_index (self->rates, double, i) = -1.0;
  if (assay_series_get_at (self->series, self->from_ns - 1, &edge))
    last = point_at (&edge, &last);
  for (guint i = 0; i < samples->len; i++)
    link_step (self, &g_array_index (samples, AssaySample, i), &last);
  if (assay_series_get_after (self->series, self->to_ns - 1, &edge))
    link_step (self, &edge, &last);
}

double
assay_chart_data_get_rate_at (AssayChartData *self, gint64 t_ns)
{
  AssayLinkPoint before = point_before_all (self);
  AssaySample edge;

  if (self->series == NULL || self->link_bytes < 0)
    return -1.0;
  if (assay_series_get_at (self->series, t_ns - 1, &edge))
    before = point_at (&edge, &before);
  if (!assay_series_get_after (self->series, t_ns - 1, &edge) || edge.link_bytes < 0)
    return -1.0;
  const AssayLinkPoint after = point_at (&edge, &before);
  return link_rate (self, &before, &after);
}

char *
assay_chart_dup_rate (double bytes_per_s)
{
  g_autofree char *bytes = assay_format_bytes ((guint64)MAX (bytes_per_s, 0.0));

  /* Translators: a size, and what of it goes over the link in a second: "2.10 GiB/s" */
  return g_strdup_printf (_("%s/s"), bytes);
}
