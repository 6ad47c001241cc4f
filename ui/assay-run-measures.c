/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-run-measures.h"

#include <glib/gi18n-lib.h>

#include "assay-display-text.h"
#include "assay-record-words.h"

static const AssayFieldId measures[] = {
  ASSAY_FIELD_PEAK_VRAM,        ASSAY_FIELD_PEAK_VRAM_RESERVED, ASSAY_FIELD_PEAK_VRAM_PROCESS,
  ASSAY_FIELD_PEAK_VRAM_DEVICE, ASSAY_FIELD_PEAK_RAM_ENGINE,    ASSAY_FIELD_PEAK_RAM,
  ASSAY_FIELD_PEAK_RAM_MAPPED,  ASSAY_FIELD_PEAK_RAM_PINNED,    ASSAY_FIELD_PEAK_RAM_SYSTEM,
};

static gboolean
is_of_device (AssayFieldId field)
{
  return field == ASSAY_FIELD_PEAK_VRAM || field == ASSAY_FIELD_PEAK_VRAM_RESERVED
         || field == ASSAY_FIELD_PEAK_VRAM_PROCESS || field == ASSAY_FIELD_PEAK_VRAM_DEVICE;
}

static gboolean
record_is_on_cpu (AssayRecord *record)
{
  const AssayValues *values = assay_record_get_values_for (record, ASSAY_FIELD_DEVICE);
  return g_strcmp0 (assay_values_get_text (values, ASSAY_FIELD_DEVICE), "cpu") == 0;
}

char *
assay_run_measures_dup_kind (AssayRecord *record, AssayFieldId field)
{
  const AssayMeasure *measure = assay_values_get_measure (assay_record_get_burden (record), field);
  if (measure == NULL || measure->kind == NULL)
    return NULL;
  g_autofree char *kind = assay_display_line (assay_record_words_measure (measure->kind), 120);
  if (measure->source == NULL)
    return g_steal_pointer (&kind);
  g_autofree char *source = assay_display_line (assay_record_words_measure (measure->source), 120);
  /* Translators: what a figure counts, and who counted it: "allocated, counted by: allocator" */
  return g_strdup_printf (_("%s, counted by: %s"), kind, source);
}

static void
grid_put (GtkGrid *grid, int row, int column, const char *words, const char *css_class)
{
  GtkWidget *label = g_object_new (GTK_TYPE_LABEL, "label", words, "xalign", 0.0f, "wrap", TRUE, "max-width-chars", 32,
                                   "natural-wrap-mode", GTK_NATURAL_WRAP_NONE, NULL);
  if (css_class != NULL)
    gtk_widget_add_css_class (label, css_class);
  gtk_grid_attach (grid, label, column, row, 1, 1);
}

static char *
record_dup_figure (AssayRecord *record, AssayFieldId field, char **exact)
{
  const AssayValues *burden = assay_record_get_burden (record);
  gint64 bytes;
  if (!assay_values_get_integer (burden, field, &bytes))
    return g_strdup (_("unknown"));
  g_autofree char *digits = g_strdup_printf ("%'" G_GINT64_FORMAT, bytes);
  *exact = g_strdup_printf (_("%s bytes"), digits);
  return assay_format_bytes ((guint64) MAX (bytes, 0));
}

static void
grid_put_measure (GtkGrid *grid, int row, AssayRecord *record, AssayFieldId field)
{
  g_autofree char *exact = NULL;
  g_autofree char *figure = record_dup_figure (record, field, &exact);
  g_autofree char *kind = assay_run_measures_dup_kind (record, field);
  const char *reason = assay_values_get_reason (assay_record_get_burden (record), field);
  g_autofree char *why = reason != NULL ? assay_display_line (reason, 200) : NULL;
  grid_put (grid, row, 0, g_dgettext (GETTEXT_PACKAGE, assay_field_get_info (field)->label), NULL);
  grid_put (grid, row, 1, figure, "numeric");
  grid_put (grid, row, 2, why != NULL ? why : kind != NULL ? kind : "", "dim-label");
  gtk_widget_set_tooltip_text (gtk_grid_get_child_at (grid, 1, row), exact);
}

guint
assay_run_measures_fill (GtkGrid *grid, AssayRecord *record, AssayFieldId own)
{
  const AssayValues *burden = assay_record_get_burden (record);
  const gboolean on_cpu = record_is_on_cpu (record);
  int row = 0;
  while (gtk_widget_get_first_child (GTK_WIDGET (grid)) != NULL)
    gtk_grid_remove (grid, gtk_widget_get_first_child (GTK_WIDGET (grid)));
  for (guint i = 0; i < G_N_ELEMENTS (measures); i++)
    if (measures[i] != own && assay_values_get_state (burden, measures[i]) != ASSAY_VALUE_UNSET
        && !(on_cpu && is_of_device (measures[i])))
      grid_put_measure (grid, row++, record, measures[i]);
  if (on_cpu)
    {
      grid_put (grid, row, 0, g_dgettext (GETTEXT_PACKAGE, assay_field_get_info (ASSAY_FIELD_PEAK_VRAM)->label), NULL);
      grid_put (grid, row, 1, "–", NULL);
      grid_put (grid, row++, 2, _("no device memory: runs on the CPU"), "dim-label");
    }
  return (guint) row;
}
