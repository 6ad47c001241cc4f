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
  self->pyramid = assay_chart_pyramid_new ();
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
  assay_chart_pyramid_free (self->pyramid);
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
  self->seen_length = 0;
  assay_chart_pyramid_clear (self->pyramid);
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
data_note_column (AssayChartData *self, const AssayChartColumn *column)
{
  if (column->total > self->peak_total)
    {
      self->peak_total = column->total;
      self->peak_ns = column->t_ns;
    }
  self->peak_allocated = MAX (self->peak_allocated, column->allocated);
  for (guint i = 0; i < ASSAY_N_LAYERS; i++)
    self->layer_max[i] = MAX (self->layer_max[i], column->layers[i]);
  self->anonymous_max = MAX (self->anonymous_max, column->ram_anonymous);
  self->mapped_max = MAX (self->mapped_max, column->ram_mapped);
  self->system_max = MAX (self->system_max, column->ram_system);
  self->driver_max = MAX (self->driver_max, column->vram_device);
  self->reserved_max = MAX (self->reserved_max, column->reserved);
  self->driver_apart |= column->vram_device >= 0 && column->vram_device != column->reserved;
}

static gboolean
samples_know_vram (const GArray *samples)
{
  for (guint i = 0; i < samples->len; i++)
    if (g_array_index (samples, AssaySample, i).vram_device >= 0)
      return TRUE;
  return FALSE;
}

/* What came since the last time. The last one again: past the series' limit, samples are still joined into
 * it. */
static GArray *
data_dup_news (AssayChartData *self)
{
  GArray *news = assay_chart_data_dup_samples (self, self->seen_ns, G_MAXINT64);

  if (self->own_memory || !samples_know_vram (news))
    return news;
  g_array_unref (news);
  assay_chart_data_invalidate (self);
  self->own_memory = TRUE;
  return assay_chart_data_dup_samples (self, self->seen_ns, G_MAXINT64);
}

/* Whatever is known of the run so far. paint: into the columns too. */
static void
data_note_samples (AssayChartData *self, const GArray *samples, gboolean paint)
{
  AssayLinkPoint last = self->link_before;

  for (guint i = 0; i < samples->len; i++)
    {
      const AssaySample *sample = &g_array_index (samples, AssaySample, i);
      AssayChartStretch stretch;

      self->link_before = last;
      assay_chart_data_read_sample (self, sample, &last, &stretch);
      data_note_column (self, &stretch.column);
      self->link_bytes = MAX (self->link_bytes, sample->link_bytes);
      self->rate_max = MAX (self->rate_max, stretch.rate_max);
      assay_chart_pyramid_append (self->pyramid, &stretch);
      if (paint)
        assay_chart_data_paint (self, &stretch);
      self->seen_ns = MAX (self->seen_ns, sample->t_ns);
    }
}

/* Once in an hour and a half the series joins neighbours: the stretches are then made of what is left. */
static void
data_note_joined (AssayChartData *self)
{
  const guint length = assay_series_get_length (self->series);
  const gboolean joined = length < self->seen_length;

  self->seen_length = length;
  if (!joined)
    return;
  g_autoptr(GArray) samples = assay_chart_data_dup_samples (self, 0, G_MAXINT64);
  AssayLinkPoint last = assay_chart_link_get_point_before (self, 0);
  assay_chart_pyramid_clear (self->pyramid);
  for (guint i = 0; i < samples->len; i++)
    {
      AssayChartStretch stretch;

      assay_chart_data_read_sample (self, &g_array_index (samples, AssaySample, i), &last, &stretch);
      assay_chart_pyramid_append (self->pyramid, &stretch);
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
  self->end_ns = assay_series_get_end_ns (self->series);
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
  const gboolean fills_in = same_view && self->from_ns < self->to_ns;
  if (news->len > 0)
    assay_chart_link_note_stretch (self, g_array_index (news, AssaySample, news->len - 1).t_ns);
  data_note_samples (self, news, fills_in);
  data_note_joined (self);
  if (!fills_in)
    assay_chart_data_fill (self, from_ns, to_ns, n_columns);
  data_fill_left_edge (self);
  data_read_events (self);
  return TRUE;
}

gint64
assay_chart_data_get_peak (const AssayChartData *self)
{
  return self->own_memory ? MAX (self->peak_total, self->stated_peak) : self->peak_total;
}

gint64
assay_chart_data_get_peak_ns (const AssayChartData *self)
{
  const gint64 peak = assay_chart_data_get_peak (self);

  if (self->peak_total >= peak - peak / 10) /* near enough: it is what the picture shows */
    return self->peak_ns;
  for (guint i = 0; i < self->phases->len; i++)
    {
      const AssayPhase *phase = g_ptr_array_index (self->phases, i);

      if (phase->peak_allocated == peak && phase->duration_ns > 0)
        return phase->start_ns + phase->duration_ns - 1;
    }
  return self->peak_ns;
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
