/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-comparison-plot.c: what is shown, and when it is drawn again. The picture is kept: moving the readout
 * draws only the readout. */
#include "assay-comparison-plot-private.h"

#include <adwaita.h>

#include "assay-compare-row.h"

G_DEFINE_FINAL_TYPE (AssayComparisonPlot, assay_comparison_plot, GTK_TYPE_WIDGET)

void
comparison_plot_redraw (AssayComparisonPlot *self)
{
  g_clear_object (&self->picture);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
assay_comparison_plot_get_picture (AssayComparisonPlot *self, AssayPlotPicture *picture)
{
  g_return_if_fail (ASSAY_IS_COMPARISON_PLOT (self));

  *picture = (AssayPlotPicture){ .data = self->data,
                                 .style = self->style,
                                 .width = gtk_widget_get_width (GTK_WIDGET (self)),
                                 .height = gtk_widget_get_height (GTK_WIDGET (self)),
                                 .selected = self->selected,
                                 .focused = gtk_widget_has_visible_focus (GTK_WIDGET (self)) ? self->focused : -1 };
}

static void
surface_unref (gpointer data)
{
  cairo_surface_destroy (data);
}

/* As pixels: a recording of thousands of signs would be drawn again for every move of the pointer. */
static GdkTexture *
plot_render (AssayComparisonPlot *self, const AssayPlotPicture *picture)
{
  const int scale = gtk_widget_get_scale_factor (GTK_WIDGET (self));
  const int width = (int) picture->width * scale, height = (int) picture->height * scale;
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, width, height);
  cairo_t *cr = cairo_create (surface);

  cairo_scale (cr, scale, scale);
  assay_plot_layout_init (&self->layout, picture);
  assay_plot_draw (cr, picture, &self->layout);
  cairo_destroy (cr);
  cairo_surface_flush (surface);
  const gsize stride = (gsize) cairo_image_surface_get_stride (surface);
  g_autoptr(GBytes) bytes = g_bytes_new_with_free_func (cairo_image_surface_get_data (surface), stride * (gsize) height,
                                                        surface_unref, surface);
  return gdk_memory_texture_new (width, height, GDK_MEMORY_DEFAULT, bytes, stride);
}

/* The pointer's mark, or else that of the keys. */
static int
plot_get_readout (AssayComparisonPlot *self)
{
  if (self->hovered >= 0)
    return self->hovered;
  return gtk_widget_has_visible_focus (GTK_WIDGET (self)) ? self->focused : -1;
}

static void
assay_comparison_plot_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  AssayComparisonPlot *self = ASSAY_COMPARISON_PLOT (widget);
  AssayPlotPicture picture;

  assay_comparison_plot_get_picture (self, &picture);
  const graphene_rect_t area = GRAPHENE_RECT_INIT (0, 0, (float) picture.width, (float) picture.height);
  if (self->data == NULL || picture.width < 1.0 || picture.height < 1.0)
    return;
  if (self->picture == NULL)
    self->picture = plot_render (self, &picture);
  gtk_snapshot_append_texture (snapshot, self->picture, &area);
  const int readout = plot_get_readout (self);
  if (readout < 0)
    return;
  cairo_t *cr = gtk_snapshot_append_cairo (snapshot, &area);
  assay_plot_draw_readout (cr, &picture, &self->layout, (guint) readout);
  cairo_destroy (cr);
}

char *
assay_comparison_plot_dup_readout (AssayComparisonPlot *self)
{
  g_return_val_if_fail (ASSAY_IS_COMPARISON_PLOT (self), NULL);
  const int readout = plot_get_readout (self);

  return self->data != NULL && readout >= 0 ? assay_plot_data_dup_readout (self->data, (guint) readout) : NULL;
}

/* Rows and marks */

int
comparison_plot_find_row (AssayComparisonPlot *self, gpointer row)
{
  const char *id = assay_record_get_id (assay_compare_row_get_record (row));

  return GPOINTER_TO_INT (g_hash_table_lookup (self->marks, id)) - 1;
}

static void
plot_update_selected (AssayComparisonPlot *self)
{
  g_autoptr(GtkBitset) chosen = self->rows != NULL ? gtk_selection_model_get_selection (self->rows) : NULL;
  GtkBitsetIter iter;
  guint position;

  if (self->data == NULL)
    return;
  memset (self->selected, 0, self->data->marks->len);
  for (gboolean more = chosen != NULL && gtk_bitset_iter_init_first (&iter, chosen, &position); more;
       more = gtk_bitset_iter_next (&iter, &position))
    {
      g_autoptr(AssayCompareRow) row = g_list_model_get_item (G_LIST_MODEL (self->rows), position);
      const int mark = comparison_plot_find_row (self, row);
      if (mark >= 0)
        self->selected[mark] = 1;
    }
  comparison_plot_redraw (self);
}

void
assay_comparison_plot_set_selection (AssayComparisonPlot *self, GtkSelectionModel *rows)
{
  g_return_if_fail (ASSAY_IS_COMPARISON_PLOT (self));

  if (!g_set_object (&self->rows, rows))
    return;
  g_signal_connect_object (rows, "selection-changed", G_CALLBACK (plot_update_selected), self, G_CONNECT_SWAPPED);
  plot_update_selected (self);
}

static void
plot_index_runs (AssayComparisonPlot *self)
{
  g_hash_table_remove_all (self->marks);
  for (guint i = 0; i < self->data->marks->len; i++)
    {
      GPtrArray *runs = assay_plot_data_get_mark (self->data, i)->runs;
      for (guint k = 0; k < runs->len; k++)
        g_hash_table_insert (self->marks, (gpointer) assay_record_get_id (g_ptr_array_index (runs, k)),
                             GINT_TO_POINTER ((int) i + 1));
    }
}

void
assay_comparison_plot_take_data (AssayComparisonPlot *self, AssayPlotData *data)
{
  g_return_if_fail (ASSAY_IS_COMPARISON_PLOT (self) && data != NULL);
  g_autoptr(AssayPlotData) before = self->data;
  g_autofree char *words = assay_plot_data_describe (data);

  self->data = data;
  self->hovered = self->focused = -1;
  g_free (self->selected);
  self->selected = g_new0 (guint8, MAX (data->marks->len, 1));
  plot_index_runs (self);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, words, -1);
  plot_update_selected (self);
}

/* The widget */

static void
plot_style_changed (AssayComparisonPlot *self)
{
  g_clear_pointer (&self->style, assay_chart_style_free);
  self->style = assay_chart_style_new_for (GTK_WIDGET (self));
  comparison_plot_redraw (self);
  gtk_widget_queue_resize (GTK_WIDGET (self)); /* its least height is lines of text */
}

static void
assay_comparison_plot_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                               int *minimum_baseline, int *natural_baseline)
{
  const int height = (int) assay_plot_get_least_height (ASSAY_COMPARISON_PLOT (widget)->style);

  *minimum = orientation == GTK_ORIENTATION_HORIZONTAL ? 260 : height;
  *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? 560 : MAX (height, 250);
}

static void
assay_comparison_plot_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  g_clear_object (&ASSAY_COMPARISON_PLOT (widget)->picture);
}

static void
assay_comparison_plot_css_changed (GtkWidget *widget, GtkCssStyleChange *change)
{
  GTK_WIDGET_CLASS (assay_comparison_plot_parent_class)->css_changed (widget, change);
  plot_style_changed (ASSAY_COMPARISON_PLOT (widget));
}

/* A ring shows where the keys are, once they are what a person uses. */
static void
assay_comparison_plot_state_flags_changed (GtkWidget *widget, GtkStateFlags before)
{
  comparison_plot_redraw (ASSAY_COMPARISON_PLOT (widget));
  comparison_plot_tell (ASSAY_COMPARISON_PLOT (widget));
}

static void
assay_comparison_plot_dispose (GObject *object)
{
  AssayComparisonPlot *self = ASSAY_COMPARISON_PLOT (object);

  if (self->rows != NULL)
    g_signal_handlers_disconnect_by_data (self->rows, self);
  g_clear_object (&self->rows);
  G_OBJECT_CLASS (assay_comparison_plot_parent_class)->dispose (object);
}

static void
assay_comparison_plot_finalize (GObject *object)
{
  AssayComparisonPlot *self = ASSAY_COMPARISON_PLOT (object);

  g_clear_object (&self->picture);
  g_hash_table_unref (self->marks);
  assay_plot_data_free (self->data);
  assay_chart_style_free (self->style);
  g_free (self->selected);
  G_OBJECT_CLASS (assay_comparison_plot_parent_class)->finalize (object);
}

static void
class_install_signals (void)
{
  g_signal_new ("chosen", ASSAY_TYPE_COMPARISON_PLOT, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
                G_TYPE_UINT);
  g_signal_new ("mark-activated", ASSAY_TYPE_COMPARISON_PLOT, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
                ASSAY_TYPE_RECORD);
}

static void
assay_comparison_plot_class_init (AssayComparisonPlotClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = assay_comparison_plot_dispose;
  object_class->finalize = assay_comparison_plot_finalize;
  widget_class->snapshot = assay_comparison_plot_snapshot;
  widget_class->measure = assay_comparison_plot_measure;
  widget_class->size_allocate = assay_comparison_plot_size_allocate;
  widget_class->css_changed = assay_comparison_plot_css_changed;
  widget_class->state_flags_changed = assay_comparison_plot_state_flags_changed;
  class_install_signals ();
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
  gtk_widget_class_set_css_name (widget_class, "comparisonplot");
}

static void
assay_comparison_plot_init (AssayComparisonPlot *self)
{
  AdwStyleManager *manager = adw_style_manager_get_default ();

  self->hovered = self->focused = -1;
  self->marks = g_hash_table_new (g_str_hash, g_str_equal);
  self->style = assay_chart_style_new_for (GTK_WIDGET (self));
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  comparison_plot_add_input (self);
  g_signal_connect_object (manager, "notify::dark", G_CALLBACK (plot_style_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (manager, "notify::high-contrast", G_CALLBACK (plot_style_changed), self,
                           G_CONNECT_SWAPPED);
}

GtkWidget *
assay_comparison_plot_new (void)
{
  return g_object_new (ASSAY_TYPE_COMPARISON_PLOT, NULL);
}
