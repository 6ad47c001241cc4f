/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-chart-pyramid.h"

#define FAN 8u     /* stretches of a level in one of the next */
#define N_LEVELS 6 /* half a million samples under one stretch: more than a series holds */

typedef struct
{
  GArray *stretches; /* (element-type AssayChartStretch) */
  guint n_in_last;   /* samples */
  guint n_full;      /* that make one whole */
} Level;

struct _AssayChartPyramid
{
  Level levels[N_LEVELS];
};

AssayChartPyramid *
assay_chart_pyramid_new (void)
{
  AssayChartPyramid *self = g_new0 (AssayChartPyramid, 1);
  guint n_full = ASSAY_PYRAMID_LEAF;

  for (guint i = 0; i < N_LEVELS; i++, n_full *= FAN)
    self->levels[i] = (Level){ g_array_new (FALSE, FALSE, sizeof (AssayChartStretch)), 0, n_full };
  return self;
}

void
assay_chart_pyramid_free (AssayChartPyramid *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < N_LEVELS; i++)
    g_array_unref (self->levels[i].stretches);
  g_free (self);
}

void
assay_chart_pyramid_clear (AssayChartPyramid *self)
{
  for (guint i = 0; i < N_LEVELS; i++)
    {
      g_array_set_size (self->levels[i].stretches, 0);
      self->levels[i].n_in_last = 0;
    }
}

gsize
assay_chart_pyramid_get_bytes (const AssayChartPyramid *self)
{
  gsize bytes = 0;

  for (guint i = 0; i < N_LEVELS; i++)
    bytes += self->levels[i].stretches->len * sizeof (AssayChartStretch);
  return bytes;
}

void
assay_chart_column_join (AssayChartColumn *self, const AssayChartColumn *other)
{
  const AssayChartColumn before = *self;

  if (self->t_ns < 0 || other->total > self->total)
    *self = *other;
  if (before.t_ns < 0)
    return;
  self->ram_anonymous = MAX (before.ram_anonymous, other->ram_anonymous);
  self->ram_mapped = MAX (before.ram_mapped, other->ram_mapped);
  self->ram_system = MAX (before.ram_system, other->ram_system);
  self->reserved = MAX (before.reserved, other->reserved);
  self->vram_device = MAX (before.vram_device, other->vram_device);
}

void
assay_chart_stretch_join (AssayChartStretch *self, const AssayChartStretch *later)
{
  self->last_ns = MAX (self->last_ns, later->last_ns);
  self->allocated_max = MAX (self->allocated_max, later->allocated_max);
  self->rate_max = MAX (self->rate_max, later->rate_max);
  assay_chart_column_join (&self->column, &later->column);
}

static AssayChartStretch *
level_get_last (Level *level)
{
  return level->stretches->len > 0
             ? &g_array_index (level->stretches, AssayChartStretch, level->stretches->len - 1)
             : NULL;
}

static void
level_append (Level *level, const AssayChartStretch *sample, gboolean again)
{
  if (level->n_in_last == 0 || (level->n_in_last == level->n_full && !again))
    {
      g_array_append_val (level->stretches, *sample);
      level->n_in_last = 1;
      return;
    }
  AssayChartStretch *last = level_get_last (level);
  if (again && last->first_ns == sample->first_ns)
    last->first_rate = MAX (last->first_rate, sample->first_rate);
  assay_chart_stretch_join (last, sample);
  level->n_in_last += !again;
}

void
assay_chart_pyramid_append (AssayChartPyramid *self, const AssayChartStretch *sample)
{
  const AssayChartStretch *last = level_get_last (&self->levels[0]);
  const gboolean again = last != NULL && last->last_ns == sample->first_ns;

  for (guint i = 0; i < N_LEVELS; i++)
    level_append (&self->levels[i], sample, again);
}

static gboolean
pyramid_walk (AssayChartPyramid *self,
              guint level,
              guint first,
              guint n,
              AssayStretchFunc whole,
              AssayStretchFunc leaf,
              gpointer data)
{
  const GArray *stretches = self->levels[level].stretches;
  const guint end = MIN (first + n, stretches->len);

  for (guint i = first; i < end; i++)
    {
      const AssayChartStretch *stretch = &g_array_index (stretches, AssayChartStretch, i);

      if (whole (stretch, data))
        continue;
      if (level == 0 ? leaf (stretch, data)
                     : pyramid_walk (self, level - 1, i * FAN, FAN, whole, leaf, data))
        return TRUE;
    }
  return FALSE;
}

gboolean
assay_chart_pyramid_walk (AssayChartPyramid *self,
                          AssayStretchFunc whole,
                          AssayStretchFunc leaf,
                          gpointer data)
{
  return pyramid_walk (self, N_LEVELS - 1, 0, G_MAXUINT / 2, whole, leaf, data);
}
