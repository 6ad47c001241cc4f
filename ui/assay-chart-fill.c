/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-chart-fill.c: the columns of any part of a run, from stretches where one lies wholly in a column, and
 * from samples at the borders. */
#include "assay-chart-data-private.h"

GArray *
assay_chart_data_dup_samples (AssayChartData *self, gint64 from_ns, gint64 to_ns)
{
  return assay_series_dup_downsampled (self->series, from_ns, to_ns, G_MAXUINT);
}

guint
assay_chart_data_find_column (AssayChartData *self, gint64 t_ns)
{
  const guint n = self->columns->len;
  const double at = (double)(t_ns - self->from_ns) / (self->to_ns - self->from_ns) * n;

  return (guint)CLAMP (at, 0.0, n - 1.0);
}

void
assay_chart_data_read_sample (AssayChartData *self,
                              const AssaySample *sample,
                              AssayLinkPoint *last,
                              AssayChartStretch *out)
{
  out->before_ns = last->t_ns;
  out->first_ns = out->last_ns = sample->t_ns;
  out->first_rate = out->rate_max = assay_chart_link_read (self, sample, last);
  assay_chart_column_from_sample (sample, self->own_memory, &out->column);
  out->allocated_max = out->column.allocated;
}

void
assay_chart_data_paint (AssayChartData *self, const AssayChartStretch *stretch)
{
  assay_chart_link_paint (self, stretch);
  if (stretch->first_ns < self->from_ns || stretch->last_ns >= self->to_ns)
    return;
  const guint column = assay_chart_data_find_column (self, stretch->first_ns);
  assay_chart_column_join (&g_array_index (self->columns, AssayChartColumn, column), &stretch->column);
}

/* Done with when it lies outside, the way to its first sample included, or in one column. */
static gboolean
fill_whole (const AssayChartStretch *stretch, gpointer data)
{
  AssayChartData *self = data;

  if (stretch->last_ns < self->from_ns || stretch->before_ns >= self->to_ns)
    return TRUE;
  if (stretch->first_ns < self->from_ns || stretch->last_ns >= self->to_ns
      || assay_chart_data_find_column (self, stretch->first_ns)
             != assay_chart_data_find_column (self, stretch->last_ns))
    return FALSE;
  assay_chart_data_paint (self, stretch);
  return TRUE;
}

static gboolean
fill_samples (const AssayChartStretch *leaf, gpointer data)
{
  AssayChartData *self = data;
  g_autoptr(GArray) samples = assay_chart_data_dup_samples (self, leaf->first_ns, leaf->last_ns + 1);
  AssayLinkPoint last = assay_chart_link_get_point_before (self, leaf->first_ns);

  for (guint i = 0; i < samples->len; i++)
    {
      AssayChartStretch stretch;

      assay_chart_data_read_sample (self, &g_array_index (samples, AssaySample, i), &last, &stretch);
      assay_chart_data_paint (self, &stretch);
    }
  return FALSE;
}

void
assay_chart_data_fill (AssayChartData *self, gint64 from_ns, gint64 to_ns, guint n_columns)
{
  self->from_ns = from_ns;
  self->to_ns = to_ns;
  g_array_set_size (self->columns, n_columns);
  g_array_set_size (self->rates, n_columns);
  for (guint i = 0; i < n_columns; i++)
    {
      g_array_index (self->columns, AssayChartColumn, i).t_ns = -1;
      g_array_index (self->rates, double, i) = -1.0;
    }
  assay_chart_pyramid_walk (self->pyramid, fill_whole, fill_samples, self);
}

typedef struct
{
  AssayChartData *data;
  gint64 budget, t_ns;
} Crossing;

static gboolean
crossing_is_elsewhere (const AssayChartStretch *stretch, gpointer data)
{
  const Crossing *crossing = data;

  return stretch->allocated_max <= crossing->budget;
}

static gboolean
crossing_find (const AssayChartStretch *leaf, gpointer data)
{
  Crossing *crossing = data;
  g_autoptr(GArray) samples
      = assay_chart_data_dup_samples (crossing->data, leaf->first_ns, leaf->last_ns + 1);

  for (guint i = 0; i < samples->len && crossing->t_ns < 0; i++)
    {
      const AssaySample *sample = &g_array_index (samples, AssaySample, i);

      if (assay_sample_get_allocated (sample) > crossing->budget)
        crossing->t_ns = sample->t_ns;
    }
  return crossing->t_ns >= 0;
}

gint64
assay_chart_data_find_crossing (AssayChartData *self, gint64 budget_bytes)
{
  Crossing crossing = { self, budget_bytes, -1 };

  if (budget_bytes >= 0 && self->series != NULL)
    assay_chart_pyramid_walk (self->pyramid, crossing_is_elsewhere, crossing_find, &crossing);
  return crossing.t_ns;
}
