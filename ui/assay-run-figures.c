/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows are made once and then only renewed: twenty times a second is too often to build widgets. */
#include "assay-run-figures.h"

#include <glib/gi18n-lib.h>

#include "assay-chart-data.h"
#include "assay-display-text.h"

#define RATE_SPAN_NS G_GINT64_CONSTANT (1000000000)

static GtkWidget *
cell (GtkGrid *grid, int row, int column)
{
  GtkWidget *label = gtk_grid_get_child_at (grid, column, row);

  if (label != NULL)
    return label;
  label = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (label), 0.0f);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_label_set_width_chars (GTK_LABEL (label),
                             column == 0 ? -1 : 21); /* steady while the unit's name changes */
  gtk_label_set_max_width_chars (GTK_LABEL (label), column == 0 ? 24 : 21);
  gtk_widget_add_css_class (label, column == 0 ? "dim-label" : "numeric");
  gtk_grid_attach (grid, label, column, row, 1, 1);
  return label;
}

static void
set_row (GtkGrid *grid, int row, const char *label, const char *value, const char *tooltip)
{
  GtkWidget *name = cell (grid, row, 0), *figure = cell (grid, row, 1);

  gtk_label_set_text (GTK_LABEL (name), label);
  gtk_label_set_text (GTK_LABEL (figure), value);
  gtk_widget_set_tooltip_text (figure, tooltip);
  gtk_accessible_update_relation (GTK_ACCESSIBLE (figure), GTK_ACCESSIBLE_RELATION_LABELLED_BY, name, NULL,
                                  -1);
}

static void
trim_rows (GtkGrid *grid, int n_rows)
{
  while (gtk_grid_get_child_at (grid, 0, n_rows) != NULL)
    gtk_grid_remove_row (grid, n_rows);
}

static void
set_bytes (GtkGrid *grid, int row, const char *label, gint64 bytes)
{
  if (bytes < 0)
    {
      set_row (grid, row, label, _("not measured yet"), NULL);
      return;
    }
  g_autofree char *figure = assay_format_bytes (bytes);
  g_autofree char *exact = g_strdup_printf ("%'" G_GINT64_FORMAT, bytes);
  g_autofree char *tooltip = g_strdup_printf (_("%s bytes"), exact);
  set_row (grid, row, label, figure, tooltip);
}

/* Over the last second; -1 where there is no link. */
static double
find_link_rate (AssaySeries *series)
{
  AssaySample now, before = { 0 };

  if (series == NULL || !assay_series_get_at (series, G_MAXINT64, &now) || now.link_bytes < 0)
    return -1.0;
  if (!assay_series_get_at (series, now.t_ns - RATE_SPAN_NS, &before) || before.link_bytes < 0)
    before.link_bytes = 0;
  return (double)MAX (now.link_bytes - before.link_bytes, 0) * 1e9 / (double)MAX (now.t_ns - before.t_ns, 1);
}

static gboolean
is_streamed (AssayTrial *trial)
{
  g_autoptr(AssayRecord) started = assay_trial_dup_started_record (trial);
  const AssayValues *conditions = assay_record_get_conditions (started);
  const char *mode = assay_values_get_text (conditions, ASSAY_FIELD_OFFLOAD_MODE);
  const char *map = assay_values_get_text (conditions, ASSAY_FIELD_DEVICE_MAP);

  return (mode != NULL && !g_str_equal (mode, "none")) || (map != NULL && *map != '\0');
}

static int
show_residents (GtkGrid *grid, int row, AssayTrial *trial)
{
  g_autofree char *unit = NULL, *block = NULL, *resident = NULL;

  g_object_get (trial, "resident-unit", &unit, "resident-block", &block, NULL);
  resident = unit != NULL && *unit != '\0' ? assay_display_line (unit, 60) : g_strdup (_("nothing yet"));
  set_row (grid, row++, _("resident now"), resident, resident);
  if (!is_streamed (trial))
    return row;
  /* A row that came and went with every pass would make the others jump. */
  set_row (grid, row, _("in the window"), *block != '\0' ? block : "–", *block != '\0' ? block : NULL);
  return row + 1;
}

static int
show_link (GtkGrid *grid, int row, AssaySeries *series)
{
  const double rate = find_link_rate (series);

  if (rate < 0.0)
    return row;
  g_autofree char *words = assay_chart_dup_rate (rate);
  g_autofree char *tooltip = g_strdup_printf (_("%s over the link, in the last second"), words);
  set_row (grid, row, _("over the link"), words, tooltip);
  return row + 1;
}

static gboolean
has_own_memory (AssaySeries *series)
{
  AssaySample now;

  return series != NULL && assay_series_get_at (series, G_MAXINT64, &now) && now.vram_device >= 0;
}

void
assay_run_figures_show_trial (GtkGrid *grid, AssayTrial *trial, AssayMemoryChart *chart)
{
  AssaySeries *series = assay_trial_get_series (trial);
  const gboolean own = has_own_memory (series);
  gint64 total, allocated, anonymous;
  double speed = 0.0;
  int row = 0;

  g_object_get (trial, "tokens-per-second", &speed, NULL);
  assay_memory_chart_get_peaks (chart, &total, &allocated, &anonymous);
  g_autofree char *speed_words
      = speed > 0.0 ? g_strdup_printf (_("%.1f tokens/s"), speed) : g_strdup (_("no token yet"));
  set_row (grid, row++, _("generate speed"), speed_words, NULL);
  row = show_link (grid, row, series);
  row = show_residents (grid, row, trial);
  set_bytes (grid, row++, own ? _("peak VRAM so far") : _("peak of the engine so far"), allocated);
  set_bytes (grid, row++, _("peak RAM so far"), anonymous);
  if (!own)
    set_bytes (grid, row++, _("peak with mapped weights"), total);
  trim_rows (grid, row);
}

static void
set_field (GtkGrid *grid, int row, const AssayValues *values, AssayFieldId field)
{
  const AssayFieldInfo *info = assay_field_get_info (field);
  g_autofree char *display = assay_values_dup_display (values, field);
  g_autofree char *exact = assay_values_dup_text (values, field);
  g_autofree char *full
      = exact != NULL ? g_strdup_printf ("%s: %s %s", info->name, exact, assay_unit_get_name (info->unit))
                      : g_strdup_printf ("%s: %s", info->name, display);
  g_autofree char *tooltip = assay_display_line (full, 400);
  g_autofree char *shown = exact != NULL ? assay_display_line (display, 80) : g_strdup (_("unknown"));

  set_row (grid, row, _(info->label), shown, tooltip);
}

/* Of a device with memory of its own, what went to it is told rather than what lies in mapped files. */
void
assay_run_figures_show_record (GtkGrid *grid, AssayRecord *record)
{
  static const AssayFieldId on_cpu[] = { ASSAY_FIELD_PEAK_VRAM,
                                         ASSAY_FIELD_PEAK_RAM,
                                         ASSAY_FIELD_PEAK_RAM_MAPPED,
                                         ASSAY_FIELD_ELAPSED_SECONDS,
                                         ASSAY_FIELD_GENERATE_TOKENS_PER_SECOND,
                                         ASSAY_FIELD_OUTPUT_TOKENS };
  static const AssayFieldId over_link[] = {
    ASSAY_FIELD_PEAK_VRAM,          ASSAY_FIELD_PEAK_RAM,        ASSAY_FIELD_LINK_BYTES,
    ASSAY_FIELD_LINK_STALL_SECONDS, ASSAY_FIELD_ELAPSED_SECONDS, ASSAY_FIELD_GENERATE_TOKENS_PER_SECOND
  };
  G_STATIC_ASSERT (G_N_ELEMENTS (on_cpu) == G_N_ELEMENTS (over_link));
  const AssayValues *burden = assay_record_get_burden (record);
  const gboolean has_link = assay_values_get_state (burden, ASSAY_FIELD_LINK_BYTES) == ASSAY_VALUE_SET;
  const AssayFieldId *fields = has_link ? over_link : on_cpu;
  int row = 0;

  for (guint i = 0; i < G_N_ELEMENTS (on_cpu); i++)
    if (assay_values_get_state (burden, fields[i]) != ASSAY_VALUE_UNSET)
      set_field (grid, row++, burden, fields[i]);
  trim_rows (grid, row);
}
