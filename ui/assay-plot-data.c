/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-plot-data.h"

#include "assay-compare.h"
#include "assay-display-text.h"
#include "assay-repeats.h"
#include "assay-run-row.h"

static void
mark_clear (gpointer data)
{
  AssayPlotMark *mark = data;

  g_clear_object (&mark->record);
  g_clear_pointer (&mark->runs, g_ptr_array_unref);
  g_clear_pointer (&mark->name, g_free);
  g_clear_pointer (&mark->title, g_free);
}

/* The mark stands at the mean that the point is ranked by; its whiskers reach from the least to the greatest. */
static AssayPlotFigure
figure_new (GPtrArray *runs, AssayFieldId field, double at)
{
  AssayRepeats repeats;

  if (runs->len < 2 || !assay_repeats_summarize (runs, field, &repeats))
    return (AssayPlotFigure){ at, at, at };
  return (AssayPlotFigure){ at, MIN (repeats.low, at), MAX (repeats.high, at) };
}

static AssayPlotMark
mark_new (const AssayParetoGroup *group, const AssayParetoPoint *point)
{
  const char *id = assay_run_get_short_id (assay_record_get_id (point->representative));

  return (AssayPlotMark){ .peak = figure_new (point->runs, group->peak, (double) point->peak_bytes),
                          .seconds = figure_new (point->runs, ASSAY_FIELD_ELAPSED_SECONDS, point->seconds),
                          .feasibility = point->feasibility,
                          .quality = point->quality,
                          .on_quality_frontier = point->on_quality_frontier,
                          .on_ran_frontier = point->on_ran_frontier,
                          .deviates = point->deviates,
                          .n = point->n,
                          .record = g_object_ref (point->representative),
                          .runs = g_ptr_array_ref (point->runs),
                          .name = assay_display_line (id, 24) };
}

static int
order_marks (gconstpointer a, gconstpointer b)
{
  const AssayPlotMark *x = a, *y = b;

  if (x->seconds.at != y->seconds.at)
    return x->seconds.at < y->seconds.at ? -1 : 1;
  return (x->peak.at > y->peak.at) - (x->peak.at < y->peak.at);
}

static void
data_find_frontiers (AssayPlotData *self)
{
  for (guint i = 0; i < self->marks->len; i++)
    {
      const AssayPlotMark *mark = assay_plot_data_get_mark (self, i);
      if (mark->on_quality_frontier)
        g_array_append_val (self->passed, i);
      if (mark->on_ran_frontier)
        g_array_append_val (self->ran, i);
    }
}

AssayPlotData *
assay_plot_data_new (AssayLedger *ledger, const AssayParetoGroup *group)
{
  g_return_val_if_fail (ASSAY_IS_LEDGER (ledger), NULL);
  AssayPlotData *self = g_new0 (AssayPlotData, 1);

  self->ledger = g_object_ref (ledger);
  self->label = g_strdup (group != NULL ? group->label : "");
  self->marks = g_array_new (FALSE, FALSE, sizeof (AssayPlotMark));
  self->passed = g_array_new (FALSE, FALSE, sizeof (guint));
  self->ran = g_array_new (FALSE, FALSE, sizeof (guint));
  g_array_set_clear_func (self->marks, mark_clear);
  for (guint i = 0; group != NULL && i < group->points->len; i++)
    {
      const AssayPlotMark mark = mark_new (group, g_ptr_array_index (group->points, i));
      g_array_append_val (self->marks, mark);
    }
  g_array_sort (self->marks, order_marks);
  data_find_frontiers (self);
  return self;
}

void
assay_plot_data_free (AssayPlotData *self)
{
  if (self == NULL)
    return;
  g_object_unref (self->ledger);
  g_free (self->label);
  g_array_unref (self->marks);
  g_array_unref (self->passed);
  g_array_unref (self->ran);
  g_free (self);
}

const AssayPlotMark *
assay_plot_data_get_mark (const AssayPlotData *self, guint index)
{
  g_return_val_if_fail (index < self->marks->len, NULL);
  return &g_array_index (self->marks, AssayPlotMark, index);
}

/* What changed costs a look at the parent: thousands of marks are asked only where they are named. */
const char *
assay_plot_data_get_title (AssayPlotData *self, guint index)
{
  g_return_val_if_fail (index < self->marks->len, NULL);
  AssayPlotMark *mark = &g_array_index (self->marks, AssayPlotMark, index);

  if (mark->title == NULL)
    {
      g_autofree char *title = assay_run_dup_title (self->ledger, g_ptr_array_index (mark->runs, 0));
      mark->title = assay_display_line (title, 60);
    }
  return mark->title;
}

int
assay_plot_data_find_run (const AssayPlotData *self, const char *run_id)
{
  for (guint i = 0; i < self->marks->len; i++)
    {
      GPtrArray *runs = assay_plot_data_get_mark (self, i)->runs;
      for (guint k = 0; k < runs->len; k++)
        if (g_strcmp0 (assay_record_get_id (g_ptr_array_index (runs, k)), run_id) == 0)
          return (int) i;
    }
  return -1;
}
