/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-chart-describe.c: the picture for a person who does not see it. */
#include "assay-chart-data.h"

#include <glib/gi18n-lib.h>

#include "assay-values.h"
#include "assay-record-words.h"

static char *
data_describe_peak (AssayChartData *self)
{
  const AssayPhase *phase = assay_chart_data_find_phase (self, assay_chart_data_get_peak_ns (self));
  g_autofree char *bytes = assay_format_bytes (assay_chart_data_get_peak (self));
  g_autofree char *at = assay_format_seconds (assay_chart_data_get_peak_ns (self) / 1e9);
  const char *memory = self->own_memory ? _("device memory") : _("RAM");

  if (phase != NULL)
    return g_strdup_printf (_("Peak %s of %s in the phase %s, %s after the start."), bytes, memory,
                            assay_record_words_phase (phase->name), at);
  return g_strdup_printf (_("Peak %s of %s, %s after the start."), bytes, memory, at);
}

static void
data_describe_budget (AssayChartData *self, gint64 budget_bytes, GString *words)
{
  g_autofree char *budget = assay_format_bytes (budget_bytes);

  g_string_append_c (words, ' ');
  if ((self->own_memory ? assay_chart_data_get_peak (self) : self->peak_allocated) <= budget_bytes)
    g_string_append_printf (words, _("Within the budget of %s."), budget);
  else
    g_string_append_printf (words, _("Over the budget of %s."), budget);
}

static void
data_describe_link (AssayChartData *self, GString *words)
{
  g_autofree char *bytes = assay_format_bytes (self->link_bytes);
  g_autofree char *rate = assay_chart_dup_rate (self->rate_max);

  g_string_append_c (words, ' ');
  g_string_append_printf (words, _("%s moved over the link, at most %s."), bytes, rate);
}

char *
assay_chart_data_describe (AssayChartData *self, gint64 budget_bytes)
{
  GString *words = g_string_new (_("Memory over time."));
  g_autofree char *peak = NULL;

  if (self->peak_total < 0)
    {
      g_string_append_printf (words, " %s", _("Nothing has been measured yet."));
      return g_string_free (words, FALSE);
    }
  peak = data_describe_peak (self);
  g_string_append_printf (words, " %s", peak);
  if (budget_bytes > 0)
    data_describe_budget (self, budget_bytes, words);
  if (self->link_bytes >= 0)
    data_describe_link (self, words);
  const guint n_trims = self->n_marks[ASSAY_MARK_TRIM];
  if (n_trims > 0)
    {
      g_string_append_c (words, ' ');
      g_string_append_printf (
          words, g_dngettext (GETTEXT_PACKAGE, "%u cache trim.", "%u cache trims.", n_trims), n_trims);
    }
  return g_string_free (words, FALSE);
}
