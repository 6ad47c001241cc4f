/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-compare-export.c: what is shown, as it is shown: the columns in sight in their order, the rows in theirs. As
 * text for other programs a figure stands alone in its cell; as a picture the plot stands above the table. */
#include "assay-compare-view-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "assay-compare-cell.h"
#include "assay-compare-picture.h"
#include "assay-export.h"
#include "assay-save-dialog.h"

/* Text */

static void
text_add (GString *out, gboolean csv, gboolean first, const char *text, gboolean is_number)
{
  if (csv)
    {
      assay_export_add_csv_text (out, is_number ? NULL : text);
      g_string_append (out, is_number && text != NULL ? text : "");
      return;
    }
  g_autofree char *cell = g_strdup (text != NULL ? text : "");
  g_string_append_printf (out, "%s%s", first ? "" : "\t", g_strdelimit (cell, "\t\r\n", ' '));
}

static void
text_add_titles (GString *out, AssayCompareView *self, GArray *cells, gboolean csv)
{
  for (guint i = 0; i < cells->len; i++)
    {
      const AssayCompareCell *cell = &g_array_index (cells, AssayCompareCell, i);
      g_autofree char *title = assay_compare_cell_dup_title (cell, &self->units[cell->column]);
      text_add (out, csv, i == 0, title, FALSE);
    }
}

static void
text_add_row (GString *out, AssayCompareView *self, GArray *cells, AssayCompareRow *row, gboolean csv)
{
  for (guint i = 0; i < cells->len; i++)
    {
      const AssayCompareCell *cell = &g_array_index (cells, AssayCompareCell, i);
      gboolean is_number;
      g_autofree char *text = assay_compare_cell_dup_text (cell, row, &self->units[cell->column], &is_number);
      text_add (out, csv, i == 0, text, is_number);
    }
}

/* csv: else cells apart by tabs, as spreadsheets take them from the clipboard. */
static char *
view_dup_text (AssayCompareView *self, gboolean selected, gboolean csv)
{
  g_autoptr(GArray) columns = compare_table_dup_visible (self);
  g_autoptr(GPtrArray) rows = compare_table_dup_rows (self, selected);
  g_autoptr(GArray) cells = assay_compare_cells_new (columns, rows);
  GString *out = g_string_new (NULL);

  text_add_titles (out, self, cells, csv);
  g_string_append (out, csv ? "\r\n" : "\n");
  for (guint i = 0; i < rows->len; i++)
    {
      text_add_row (out, self, cells, g_ptr_array_index (rows, i), csv);
      g_string_append (out, csv ? "\r\n" : "\n");
    }
  return g_string_free (out, FALSE);
}

static void
on_copy (GtkWidget *widget, const char *action, GVariant *parameter)
{
  g_autofree char *text = view_dup_text (ASSAY_COMPARE_VIEW (widget), TRUE, FALSE);

  gdk_clipboard_set_text (gtk_widget_get_clipboard (widget), text);
}

static GBytes *
view_dup_csv (AssayCompareView *self)
{
  char *text = view_dup_text (self, FALSE, TRUE);

  return g_bytes_new_take (text, strlen (text));
}

/* A picture */

static char **
picture_dup_titles (AssayCompareView *self, GArray *columns)
{
  g_autoptr(GStrvBuilder) line = g_strv_builder_new ();

  for (guint i = 0; i < columns->len; i++)
    {
      const guint column = g_array_index (columns, guint, i);
      g_autofree char *title = assay_compare_column_dup_title (column, &self->units[column]);
      g_strv_builder_add (line, title);
    }
  return g_strv_builder_end (line);
}

static char **
picture_dup_row (AssayCompareView *self, GArray *columns, AssayCompareRow *row)
{
  g_autoptr(GStrvBuilder) line = g_strv_builder_new ();

  for (guint i = 0; i < columns->len; i++)
    {
      const guint column = g_array_index (columns, guint, i);
      g_autofree char *text = assay_compare_row_dup_text (row, column, &self->units[column]);
      g_autofree char *marked
        = assay_compare_row_differs (row, self->baseline, column) ? g_strconcat ("≠ ", text, NULL) : NULL;
      g_strv_builder_add (line, marked != NULL ? marked : text);
    }
  return g_strv_builder_end (line);
}

static void
picture_add_rows (AssayCompareView *self, AssayComparePicture *picture, GArray *columns)
{
  g_autoptr(GPtrArray) rows = compare_table_dup_rows (self, FALSE);
  const gboolean never = FALSE;

  g_ptr_array_add (picture->lines, picture_dup_titles (self, columns));
  g_array_append_val (picture->is_chosen, never);
  for (guint i = 0; i < rows->len; i++)
    {
      const gboolean chosen = gtk_selection_model_is_selected (GTK_SELECTION_MODEL (self->selection), i);
      g_ptr_array_add (picture->lines, picture_dup_row (self, columns, g_ptr_array_index (rows, i)));
      g_array_append_val (picture->is_chosen, chosen);
    }
}

static GBytes *
view_dup_picture (AssayCompareView *self, AssayChartFormat format, GError **error)
{
  g_autoptr(GArray) columns = compare_table_dup_visible (self);
  g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func ((GDestroyNotify) g_strfreev);
  g_autoptr(GArray) numbers = g_array_new (FALSE, FALSE, sizeof (gboolean));
  g_autoptr(GArray) chosen = g_array_new (FALSE, FALSE, sizeof (gboolean));
  AssayPlotPicture plot;

  assay_comparison_plot_get_picture (self->plot, &plot);
  AssayComparePicture picture = { .data = gtk_widget_get_visible (GTK_WIDGET (self->upper)) ? plot.data : NULL,
                                  .selected = plot.selected,
                                  .lines = lines,
                                  .is_number = numbers,
                                  .is_chosen = chosen };
  for (guint i = 0; i < columns->len; i++)
    {
      const gboolean number = assay_compare_column_is_numeric (g_array_index (columns, guint, i));
      g_array_append_val (numbers, number);
    }
  picture_add_rows (self, &picture, columns);
  return assay_compare_picture_render (&picture, format, error);
}

static void
on_export (GtkWidget *widget, const char *action, GVariant *parameter)
{
  AssayCompareView *self = ASSAY_COMPARE_VIEW (widget);
  const char *suffix = g_variant_get_string (parameter, NULL);
  g_autoptr(GError) error = NULL;
  AssayChartFormat format;
  g_autoptr(GBytes) bytes = !assay_chart_format_from_suffix (suffix, &format) ? view_dup_csv (self)
                                                                               : view_dup_picture (self, format, &error);
  /* Translators: the file name that is offered for a saved comparison; the suffix follows */
  g_autofree char *name = g_strdup_printf ("%s.%s", _("comparison"), suffix);

  if (bytes != NULL)
    assay_save_dialog_run (widget, _("Export the Comparison"), name, bytes);
  else
    g_signal_emit_by_name (self, "problem", error->message);
}

void
compare_export_install (GtkWidgetClass *widget_class)
{
  gtk_widget_class_install_action (widget_class, "compare.copy", NULL, on_copy);
  gtk_widget_class_install_action (widget_class, "compare.export", "s", on_export);
}
