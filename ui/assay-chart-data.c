/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-chart-data-private.h"

#include <glib/gi18n-lib.h>


AssayChartData *
assay_chart_data_new (AssaySeries *series)
{
  AssayChartData *self = g_new0 (AssayChartData, 1);

  self->series = series != NULL ? assay_series_ref (series) : NULL;
  self->columns = g_array_new (FALSE, TRUE, sizeof (AssayChartColumn));
  self->rates = g_array_new (FALSE, TRUE, sizeof (double));
  self->phases = g_ptr_array_new ();
  self->marks = g_ptr_array_new ();
  assay_chart_data_invalidate (self);
  return self;
}

void
assay_chart_data_free (AssayChartData *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->series, assay_series_unref);
  g_array_unref (self->columns);
  g_array_unref (self->rates);
  g_ptr_array_unref (self->phases);
  g_ptr_array_unref (self->marks);
  g_free (self);
}

void
assay_chart_data_invalidate (AssayChartData *self)
{
  self->from_ns = self->to_ns = 0;
  self->peak_ns = self->peak_total = self->peak_allocated = -1;
  self->anonymous_max = self->mapped_max = self->system_max = self->driver_max = self->reserved_max = -1;
  self->driver_apart = FALSE;
  memset (self->layer_max, 0, sizeof self->layer_max);
  self->seen_ns = -1;
  self->seen_measured = 0;
  assay_chart_link_reset (self);
}

void
assay_chart_column_from_sample (const AssaySample *sample, gboolean own_memory, AssayChartColumn *out)
{
  const gint64 pinned = MAX (sample->ram_pinned, 0);

  *out = (AssayChartColumn) { .t_ns = sample->t_ns };
  for (guint i = 0; i < ASSAY_N_MEMORY; i++)
    {
      out->layers[i] = MAX (sample->allocated[i], 0);
      out->allocated += out->layers[i];
    }
  out->ram_anonymous = sample->ram_anonymous < 0 ? -1 : sample->ram_anonymous + pinned;
  out->ram_mapped = sample->ram_mapped;
  out->ram_system = sample->ram_system;
  out->reserved = sample->reserved;
  out->vram_device = sample->vram_device;
  if (!own_memory)
    {
      out->layers[ASSAY_LAYER_MAPPED_WEIGHTS] = MAX (sample->mapped_weights, 0);
      out->layers[ASSAY_LAYER_OTHER] = MAX (out->ram_anonymous - out->allocated, 0);
    }
  for (guint i = 0; i < ASSAY_N_LAYERS; i++)
    out->total += out->layers[i];
}

static void
data_note_sample (AssayChartData *self, const AssaySample *sample)
{
  AssayChartColumn column;

  assay_chart_column_from_sample (sample, self->own_memory, &column);
  if (column.total > self->peak_total)
    {
      self->peak_total = column.total;
      self->peak_ns = sample->t_ns;
    }
  self->peak_allocated = MAX (self->peak_allocated, column.allocated);
  for (guint i = 0; i < ASSAY_N_LAYERS; i++)
    self->layer_max[i] = MAX (self->layer_max[i], column.layers[i]);
  self->anonymous_max = MAX (self->anonymous_max, column.ram_anonymous);
  self->mapped_max = MAX (self->mapped_max, column.ram_mapped);
  self->system_max = MAX (self->system_max, column.ram_system);
  self->driver_max = MAX (self->driver_max, column.vram_device);
  self->reserved_max = MAX (self->reserved_max, column.reserved);
  self->driver_apart |= column.vram_device >= 0 && column.vram_device != column.reserved;
}

static gboolean
samples_know_vram (const GArray *samples)
{
  for (guint i = 0; i < samples->len; i++)
    if (g_array_index (samples, AssaySample, i).vram_device >= 0)
      return TRUE;
  return FALSE;
}

/* At full rate: the series joins neighbours by count, and a column is a stretch of time. */
static GArray *
data_dup_samples (AssayChartData *self, gint64 from_ns, gint64 to_ns)
{
  return assay_series_dup_downsampled (self->series, from_ns, to_ns, G_MAXUINT);
}

/* What came since the last time. The last one again: past the series' limit, samples are still joined into
 * it. */
static GArray *
data_dup_news (AssayChartData *self)
{
  GArray *news = data_dup_samples (self, self->seen_ns, G_MAXINT64);

  if (self->own_memory || !samples_know_vram (news))
    return news;
  g_array_unref (news);
  assay_chart_data_invalidate (self);
  self->own_memory = TRUE;
  return data_dup_samples (self, self->seen_ns, G_MAXINT64);
}

guint
assay_chart_data_find_column (AssayChartData *self, gint64 t_ns)
{
  const guint n = self->columns->len;
  const double at = (double) (t_ns - self->from_ns) / (self->to_ns - self->from_ns) * n;

  return (guint) CLAMP (at, 0.0, n - 1.0);
}

/* The stack of the greater total stays whole, so that its layers were there at one time; every other figure
 * keeps its own greatest. */
static void
column_join (AssayChartColumn *into, const AssayChartColumn *other)
{
  const AssayChartColumn before = *into;

  if (into->t_ns < 0 || other->total > into->total)
    *into = *other;
  if (before.t_ns < 0)
    return;
  into->ram_anonymous = MAX (before.ram_anonymous, other->ram_anonymous);
  into->ram_mapped = MAX (before.ram_mapped, other->ram_mapped);
  into->ram_system = MAX (before.ram_system, other->ram_system);
  into->reserved = MAX (before.reserved, other->reserved);
  into->vram_device = MAX (before.vram_device, other->vram_device);
}

static void
data_fill_columns (AssayChartData *self, const GArray *samples)
{
  for (guint i = 0; i < samples->len; i++)
    {
      const AssaySample *sample = &g_array_index (samples, AssaySample, i);
      AssayChartColumn column;

      if (sample->t_ns < self->from_ns || sample->t_ns >= self->to_ns)
        continue;
      assay_chart_column_from_sample (sample, self->own_memory, &column);
      column_join (
          &g_array_index (self->columns, AssayChartColumn, assay_chart_data_find_column (self, sample->t_ns)),
          &column);
    }
}

static void
data_fill_again (AssayChartData *self, gint64 from_ns, gint64 to_ns, guint n_columns)
{
  g_autoptr(GArray) samples = data_dup_samples (self, from_ns, to_ns);

  self->from_ns = from_ns;
  self->to_ns = to_ns;
  g_array_set_size (self->columns, n_columns);
  for (guint i = 0; i < n_columns; i++)
    g_array_index (self->columns, AssayChartColumn, i).t_ns = -1;
  data_fill_columns (self, samples);
  assay_chart_link_fill (self, samples);
}

static void
data_note_samples (AssayChartData *self, const GArray *samples)
{
  for (guint i = 0; i < samples->len; i++)
    {
      const AssaySample *sample = &g_array_index (samples, AssaySample, i);

      data_note_sample (self, sample);
      self->seen_ns = MAX (self->seen_ns, sample->t_ns);
    }
}

/* What was going on when the stretch that is shown began: memory holds its value between samples. */
static void
data_fill_left_edge (AssayChartData *self)
{
  AssayChartColumn *first = &g_array_index (self->columns, AssayChartColumn, 0);
  AssaySample before;

  if (first->t_ns < 0 && assay_series_get_at (self->series, self->from_ns, &before))
    assay_chart_column_from_sample (&before, self->own_memory, first);
}

static void
data_read_events (AssayChartData *self)
{
  g_ptr_array_unref (self->phases);
  g_ptr_array_unref (self->marks);
  self->phases = assay_series_dup_phases (self->series);
  self->marks = assay_series_dup_marks (self->series);
  memset (self->n_marks, 0, sizeof self->n_marks);
  for (guint i = 0; i < self->marks->len; i++)
    self->n_marks[assay_chart_mark_get_kind (g_ptr_array_index (self->marks, i))]++;
}

gboolean
assay_chart_data_update (AssayChartData *self, gint64 from_ns, gint64 to_ns, guint n_columns)
{
  g_return_val_if_fail (from_ns < to_ns, FALSE);
  g_return_val_if_fail (n_columns > 0, FALSE);

  if (self->series == NULL)
    return FALSE;
  const guint64 measured = assay_series_get_n_measured (self->series);
  const gboolean same_view
      = from_ns == self->from_ns && to_ns == self->to_ns && n_columns == self->columns->len;
  if (same_view && measured == self->seen_measured)
    return FALSE;

  self->seen_measured = measured;
  g_autoptr(GArray) news = data_dup_news (self);
  data_note_samples (self, news);
  const gboolean fills_in = same_view && self->from_ns < self->to_ns;
  assay_chart_link_note (self, news, fills_in);
  if (fills_in)
    data_fill_columns (self, news);
  else
    data_fill_again (self, from_ns, to_ns, n_columns);
  data_fill_left_edge (self);
  data_read_events (self);
  return TRUE;
}

gint64
assay_chart_data_get_peak (const AssayChartData *self)
{
  return self->own_memory ? MAX (self->peak_total, self->stated_peak) : self->peak_total;
}

const AssayPhase *
assay_chart_data_find_phase (AssayChartData *self, gint64 t_ns)
{
  for (guint i = 0; i < self->phases->len; i++)
    {
      const AssayPhase *phase = g_ptr_array_index (self->phases, i);

      if (t_ns >= phase->start_ns && (phase->duration_ns < 0 || t_ns < phase->start_ns + phase->duration_ns))
        return phase;
    }
  return NULL;
}

const AssayMark *
assay_chart_data_find_mark (AssayChartData *self, gint64 t_ns, gint64 within_ns)
{
  const AssayMark *nearest = NULL;

  for (guint i = 0; i < self->marks->len; i++)
    {
      const AssayMark *mark = g_ptr_array_index (self->marks, i);
      const gint64 distance = ABS (mark->t_ns - t_ns);

      if (distance <= within_ns)
        {
          nearest = mark;
          within_ns = distance;
        }
    }
  return nearest;
}

gint64
assay_chart_data_get_end_ns (AssayChartData *self)
{
  return self->series != NULL ? assay_series_get_end_ns (self->series) : 0;
}

gint64
assay_chart_data_find_crossing (AssayChartData *self, gint64 budget_bytes)
{
  if (budget_bytes < 0)
    return -1;
  for (guint i = 0; i < self->columns->len; i++)
    {
      const AssayChartColumn *column = &g_array_index (self->columns, AssayChartColumn, i);

      if (column->t_ns >= 0 && column->allocated > budget_bytes)
        return column->t_ns;
    }
  return -1;
}

gboolean
assay_chart_data_shows_reserved (const AssayChartData *self)
{
  return self->own_memory && self->reserved_max >= 0;
}

gboolean
assay_chart_data_shows_driver (const AssayChartData *self)
{
  return self->own_memory && self->driver_apart;
}

AssayMarkKind
assay_chart_mark_get_kind (const AssayMark *mark)
{
  return g_str_equal (mark->kind, "trim")       ? ASSAY_MARK_TRIM
         : g_str_equal (mark->kind, "resident") ? ASSAY_MARK_RESIDENT
                                                : ASSAY_MARK_OTHER;
}

const char *
assay_layer_get_label (guint layer)
{
  switch (layer)
    {
    case ASSAY_LAYER_MAPPED_WEIGHTS:
      return _("Weights, mapped");
    case ASSAY_LAYER_OTHER:
      return _("Other anonymous");
    default:
      return assay_memory_get_label (layer);
    }
}
