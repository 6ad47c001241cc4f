/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows are made once and then only renewed: twenty times a second is too often to build widgets. */
#include "assay-run-figures.h"

#include <glib/gi18n-lib.h>

#include "assay-display-text.h"

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
                             column == 0 ? -1 : 18); /* steady while the unit's name changes */
  gtk_label_set_max_width_chars (GTK_LABEL (label), column == 0 ? 24 : 18);
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

void
assay_run_figures_show_trial (GtkGrid *grid, AssayTrial *trial, AssayMemoryChart *chart)
{
  double speed = 0.0;
  g_autofree char *unit = NULL, *speed_words = NULL, *resident = NULL;
  gint64 total, allocated, anonymous;

  g_object_get (trial, "tokens-per-second", &speed, "resident-unit", &unit, NULL);
  assay_memory_chart_get_peaks (chart, &total, &allocated, &anonymous);
  speed_words = speed > 0.0 ? g_strdup_printf (_("%.1f tokens/s"), speed) : g_strdup (_("no token yet"));
  resident = unit != NULL && *unit != '\0' ? assay_display_line (unit, 60) : g_strdup (_("nothing yet"));
  set_row (grid, 0, _("generate speed"), speed_words, NULL);
  set_row (grid, 1, _("resident now"), resident, resident);
  set_bytes (grid, 2, _("peak of the engine so far"), allocated);
  set_bytes (grid, 3, _("peak RAM so far"), anonymous);
  set_bytes (grid, 4, _("peak with mapped weights"), total);
  trim_rows (grid, 5);
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

void
assay_run_figures_show_record (GtkGrid *grid, AssayRecord *record)
{
  static const AssayFieldId fields[] = { ASSAY_FIELD_PEAK_VRAM,       ASSAY_FIELD_PEAK_RAM,
                                         ASSAY_FIELD_PEAK_RAM_MAPPED, ASSAY_FIELD_ELAPSED_SECONDS,
                                         ASSAY_FIELD_GENERATE_TOKENS_PER_SECOND, ASSAY_FIELD_OUTPUT_TOKENS };
  const AssayValues *burden = assay_record_get_burden (record);
  int row = 0;

  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    if (assay_values_get_state (burden, fields[i]) != ASSAY_VALUE_UNSET)
      set_field (grid, row++, burden, fields[i]);
  trim_rows (grid, row);
}
