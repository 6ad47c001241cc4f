/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-plot-describe.c: the plot in words: the whole for a person who does not see it, a mark with exact figures. */
#include "assay-plot-data.h"

#include <glib/gi18n-lib.h>

#include "assay-record-words.h"

#define MOST_NAMES 8u /* of a frontier; a list of hundreds is no summary */

static guint
data_count (const AssayPlotData *self, AssayVerdict quality)
{
  guint n = 0;

  for (guint i = 0; i < self->marks->len; i++)
    n += assay_plot_data_get_mark (self, i)->quality == quality;
  return n;
}

static char *
frontier_dup_names (const AssayPlotData *self, GArray *marks)
{
  g_autoptr(GStrvBuilder) names = g_strv_builder_new ();

  for (guint i = 0; i < marks->len && i < MOST_NAMES; i++)
    g_strv_builder_add (names, assay_plot_data_get_mark (self, g_array_index (marks, guint, i))->name);
  if (marks->len > MOST_NAMES)
    g_strv_builder_add (names, "…");
  g_auto(GStrv) list = g_strv_builder_end (names);
  /* Translators: between the names of runs in a list */
  return g_strjoinv (C_ ("list", ", "), list);
}

static void
describe_frontiers (const AssayPlotData *self, GString *words)
{
  if (self->passed->len > 0)
    {
      g_autofree char *names = frontier_dup_names (self, self->passed);
      g_string_append_c (words, ' ');
      g_string_append_printf (words, _("Not beaten among those judged good: %s."), names);
    }
  if (self->ran->len > 0)
    {
      g_autofree char *names = frontier_dup_names (self, self->ran);
      g_string_append_c (words, ' ');
      g_string_append_printf (words, _("Not beaten among all that ran: %s."), names);
    }
}

char *
assay_plot_data_describe (AssayPlotData *self)
{
  const guint n = self->marks->len;

  if (n == 0)
    return g_strdup (_("No run here states both its peak memory and its time."));
  GString *words = g_string_new (NULL);
  /* Translators: what the plot's upward axis shows: “Peak VRAM (allocated) against time.” */
  g_string_append_printf (words, _("%s against time."), self->label);
  g_string_append_c (words, ' ');
  g_string_append_printf (words,
                          g_dngettext (GETTEXT_PACKAGE, "%u setting: judged good %u, not good %u, not judged %u.",
                                       "%u settings: judged good %u, not good %u, not judged %u.", n),
                          n, data_count (self, ASSAY_VERDICT_PASS), data_count (self, ASSAY_VERDICT_FAIL),
                          data_count (self, ASSAY_VERDICT_NOT_JUDGED));
  describe_frontiers (self, words);
  return g_string_free (words, FALSE);
}

/* One mark */

static void
add_line (GString *words, char *line)
{
  g_string_append_c (words, '\n');
  g_string_append (words, line);
  g_free (line);
}

static void
readout_add_peak (GString *words, const AssayPlotData *self, const AssayPlotMark *mark)
{
  const guint64 bytes = (guint64) mark->peak.at;
  g_autofree char *shown = assay_format_bytes (bytes);
  g_autofree char *exact = g_strdup_printf ("%'" G_GUINT64_FORMAT, bytes);

  /* Translators: what memory, its size, and the size in exact bytes */
  add_line (words, g_strdup_printf (_("%s: %s (%s bytes)"), self->label, shown, exact));
  if (mark->peak.low >= mark->peak.high)
    return;
  g_autofree char *low = assay_format_bytes ((guint64) mark->peak.low);
  g_autofree char *high = assay_format_bytes ((guint64) mark->peak.high);
  add_line (words, g_strdup_printf (_("from %s to %s"), low, high));
}

static void
readout_add_time (GString *words, const AssayPlotMark *mark)
{
  g_autofree char *shown = assay_format_seconds (mark->seconds.at);

  add_line (words, g_strdup_printf (_("Time: %s (%.9g seconds)"), shown, mark->seconds.at));
  if (mark->seconds.low >= mark->seconds.high)
    return;
  g_autofree char *low = assay_format_seconds (mark->seconds.low);
  g_autofree char *high = assay_format_seconds (mark->seconds.high);
  add_line (words, g_strdup_printf (_("from %s to %s"), low, high));
}

static char *
verdict_dup_line (AssayGate gate, AssayVerdict verdict)
{
  /* Translators: a gate and its verdict: “good: not judged”. */
  return g_strdup_printf (C_ ("gate", "%s: %s"), assay_gate_get_word (gate), assay_verdict_get_word (verdict));
}

static void
readout_add_standing (GString *words, const AssayPlotMark *mark)
{
  if (mark->n > 1)
    add_line (words, g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "mean of %u repeat", "mean of %u repeats", mark->n),
                                      mark->n));
  if (mark->n == 0)
    add_line (words, g_strdup_printf (_("ended early (%s): figures up to there"),
                                      assay_record_words_status (assay_record_get_status (mark->record))));
  if (mark->deviates)
    add_line (words, g_strdup (_("what was in effect is not what was asked for: on no line")));
  if (mark->on_quality_frontier)
    add_line (words, g_strdup (_("not beaten among those judged good")));
  if (mark->on_ran_frontier)
    add_line (words, g_strdup (_("not beaten among all that ran")));
}

char *
assay_plot_data_dup_readout (AssayPlotData *self, guint index)
{
  const AssayPlotMark *mark = assay_plot_data_get_mark (self, index);
  GString *words = g_string_new (NULL);

  g_string_append_printf (words, "%s · %s", mark->name, assay_plot_data_get_title (self, index));
  readout_add_peak (words, self, mark);
  readout_add_time (words, mark);
  add_line (words, verdict_dup_line (ASSAY_GATE_FEASIBILITY, mark->feasibility));
  add_line (words, verdict_dup_line (ASSAY_GATE_QUALITY, mark->quality));
  readout_add_standing (words, mark);
  return g_string_free (words, FALSE);
}
