/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-forecast-legend.h"

#include <adwaita.h>

#include "assay-chart-draw-private.h"

enum { SWATCH_SIZE = 10, N_ENTRIES = ASSAY_LAYER_MAPPED_WEIGHTS + 1 };

struct _AssayForecastLegend
{
  GtkWidget parent_instance;
  GtkWidget *flow;                     /* child */
  GtkWidget *entries[N_ENTRIES];  /* of the flow */
};

G_DEFINE_FINAL_TYPE (AssayForecastLegend, assay_forecast_legend, GTK_TYPE_WIDGET)

static void
swatch_draw (GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer category)
{
  AdwStyleManager *manager = adw_style_manager_get_default ();
  g_autoptr(AssayChartStyle) style = assay_chart_style_new (
    adw_style_manager_get_dark (manager), adw_style_manager_get_high_contrast (manager), "Sans", 11.0);
  AssayChartPen pen = { .cr = cr, .style = style };
  cairo_rectangle (cr, 0, 0, width, height);
  assay_chart_fill_layer (&pen, GPOINTER_TO_UINT (category));
  cairo_new_path (cr);
}

static GtkWidget *
legend_make_entry (guint category)
{
  AdwStyleManager *manager = adw_style_manager_get_default ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 5);
  GtkWidget *swatch = gtk_drawing_area_new ();
  GtkWidget *label = gtk_label_new (assay_layer_get_label (category));
  gtk_drawing_area_set_content_width (GTK_DRAWING_AREA (swatch), SWATCH_SIZE);
  gtk_drawing_area_set_content_height (GTK_DRAWING_AREA (swatch), SWATCH_SIZE);
  gtk_drawing_area_set_draw_func (GTK_DRAWING_AREA (swatch), swatch_draw, GUINT_TO_POINTER (category), NULL);
  gtk_widget_set_valign (swatch, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (label, "caption");
  gtk_box_append (GTK_BOX (box), swatch);
  gtk_box_append (GTK_BOX (box), label);
  g_signal_connect_object (manager, "notify::dark", G_CALLBACK (gtk_widget_queue_draw), swatch, G_CONNECT_SWAPPED);
  g_signal_connect_object (manager, "notify::high-contrast", G_CALLBACK (gtk_widget_queue_draw), swatch,
                           G_CONNECT_SWAPPED);
  return box;
}

void
assay_forecast_legend_show (AssayForecastLegend *self, const AssayForecast *forecast)
{
  g_return_if_fail (ASSAY_IS_FORECAST_LEGEND (self) && forecast != NULL);
  for (guint i = 0; i < ASSAY_N_MEMORY; i++)
    gtk_widget_set_visible (self->entries[i], forecast->host[i] > 0 || (!forecast->on_cpu && forecast->device[i] > 0));
  gtk_widget_set_visible (self->entries[ASSAY_LAYER_MAPPED_WEIGHTS], forecast->mapped_bytes > 0);
}

static void
assay_forecast_legend_dispose (GObject *object)
{
  g_clear_pointer (&ASSAY_FORECAST_LEGEND (object)->flow, gtk_widget_unparent);
  G_OBJECT_CLASS (assay_forecast_legend_parent_class)->dispose (object);
}

static void
assay_forecast_legend_class_init (AssayForecastLegendClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = assay_forecast_legend_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
}

static void
assay_forecast_legend_init (AssayForecastLegend *self)
{
  self->flow = g_object_new (GTK_TYPE_FLOW_BOX, "selection-mode", GTK_SELECTION_NONE, "max-children-per-line",
                             N_ENTRIES, "column-spacing", 12, "can-focus", FALSE, NULL);
  for (guint i = 0; i < N_ENTRIES; i++)
    {
      self->entries[i] = gtk_flow_box_child_new ();
      gtk_widget_set_focusable (self->entries[i], FALSE);
      gtk_flow_box_child_set_child (GTK_FLOW_BOX_CHILD (self->entries[i]), legend_make_entry (i));
      gtk_flow_box_append (GTK_FLOW_BOX (self->flow), self->entries[i]);
    }
  gtk_widget_add_css_class (self->flow, "legend");
  gtk_widget_set_parent (self->flow, GTK_WIDGET (self));
}

GtkWidget *
assay_forecast_legend_new (void)
{
  return g_object_new (ASSAY_TYPE_FORECAST_LEGEND, NULL);
}
