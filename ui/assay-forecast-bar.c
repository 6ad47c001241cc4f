/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-forecast-bar.h"

#include <glib/gi18n-lib.h>

struct _AssayForecastBar
{
  GtkWidget parent_instance;
  AssayDraft *draft;  /* owned */
  GtkWidget *headline, *detail, *bar; /* children */
  guint64 weights_bytes, kv_bytes, budget_bytes; /* budget 0: none */
};

G_DEFINE_FINAL_TYPE (AssayForecastBar, assay_forecast_bar, GTK_TYPE_WIDGET)

static AssayDtype
forecast_get_kv_dtype (const AssayValues *values)
{
  const char *name = assay_values_get_text (values, ASSAY_FIELD_KV_CACHE_TYPE);
  return g_strcmp0 (name, "float32") == 0 ? ASSAY_DTYPE_F32 : ASSAY_DTYPE_F16;
}

static gboolean
forecast_compute (AssayForecastBar *self, guint *context_length)
{
  const AssayInspection *inspection = assay_draft_get_inspection (self->draft);
  g_autoptr(AssayValues) values = assay_draft_dup_conditions (self->draft);
  gint64 context, budget;
  if (inspection == NULL || !assay_values_get_integer (values, ASSAY_FIELD_CONTEXT_LENGTH, &context))
    return FALSE;
  *context_length = (guint) context;
  self->weights_bytes = assay_model_file_get_bytes (inspection->file);
  self->kv_bytes = assay_config_get_kv_bytes (&inspection->config, (guint) context, forecast_get_kv_dtype (values));
  self->budget_bytes = 0;
  if (assay_values_get_integer (values, ASSAY_FIELD_VRAM_BUDGET, &budget) && budget > 0)
    self->budget_bytes = (guint64) budget;
  return TRUE;
}

static void
forecast_refresh (AssayForecastBar *self)
{
  guint context_length = 0;
  const gboolean known = forecast_compute (self, &context_length);
  gtk_widget_set_visible (GTK_WIDGET (self), known);
  if (!known)
    return;
  const guint64 sum = self->weights_bytes + self->kv_bytes;
  g_autofree char *sum_text = assay_format_bytes (sum);
  g_autofree char *weights_text = assay_format_bytes (self->weights_bytes);
  g_autofree char *kv_text = assay_format_bytes (self->kv_bytes);
  g_autofree char *headline = g_strdup_printf (_("Needs at least %s"), sum_text);
  g_autofree char *detail = g_strdup_printf (
    ngettext ("planned: model file %s, KV cache %s for %u token; activations and workspace are not counted",
              "planned: model file %s, KV cache %s for %u tokens; activations and workspace are not counted",
              context_length), weights_text, kv_text, context_length);
  g_autofree char *exact = g_strdup_printf (_("%" G_GUINT64_FORMAT " bytes"), sum);
  gtk_label_set_text (GTK_LABEL (self->headline), headline);
  gtk_label_set_text (GTK_LABEL (self->detail), detail);
  gtk_widget_set_tooltip_text (self->headline, exact);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->bar), GTK_ACCESSIBLE_PROPERTY_LABEL, detail, -1);
  gtk_widget_queue_draw (self->bar);
}

/* Weights, then KV cache, on a scale that ends at the budget where there is one; the budget is a line. */
static void
forecast_draw (GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer data)
{
  AssayForecastBar *self = data;
  const double total = (double) self->weights_bytes + (double) self->kv_bytes;
  const double scale = MAX (total, (double) self->budget_bytes);
  if (scale <= 0)
    return;
  const double weights_px = width * (double) self->weights_bytes / scale;
  const double kv_px = width * (double) self->kv_bytes / scale;
  GdkRGBA text;
  gtk_style_context_get_color (gtk_widget_get_style_context (GTK_WIDGET (area)), &text);
  cairo_set_source_rgba (cr, text.red, text.green, text.blue, 0.12);
  cairo_rectangle (cr, 0, 0, width, height);
  cairo_fill (cr);
  cairo_set_source_rgb (cr, 0.21, 0.52, 0.89);
  cairo_rectangle (cr, 0, 0, weights_px, height);
  cairo_fill (cr);
  cairo_set_source_rgb (cr, 0.22, 0.70, 0.53);
  cairo_rectangle (cr, weights_px + 1, 0, MAX (kv_px - 1, 1), height);
  cairo_fill (cr);
  if (self->budget_bytes == 0)
    return;
  cairo_set_source_rgb (cr, 0.88, 0.11, 0.14);
  cairo_rectangle (cr, MIN (width * (double) self->budget_bytes / scale, width - 2.0), 0, 2, height);
  cairo_fill (cr);
}

void
assay_forecast_bar_set_draft (AssayForecastBar *self, AssayDraft *draft)
{
  g_return_if_fail (ASSAY_IS_FORECAST_BAR (self) && self->draft == NULL);
  self->draft = g_object_ref (draft);
  g_signal_connect_object (draft, "changed", G_CALLBACK (forecast_refresh), self, G_CONNECT_SWAPPED);
  forecast_refresh (self);
}

static void
assay_forecast_bar_dispose (GObject *object)
{
  AssayForecastBar *self = ASSAY_FORECAST_BAR (object);
  GtkWidget *child;
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (object))) != NULL)
    gtk_widget_unparent (child);
  g_clear_object (&self->draft);
  G_OBJECT_CLASS (assay_forecast_bar_parent_class)->dispose (object);
}

static void
assay_forecast_bar_class_init (AssayForecastBarClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = assay_forecast_bar_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BOX_LAYOUT);
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (klass), "forecast");
}

static void
assay_forecast_bar_init (AssayForecastBar *self)
{
  GtkLayoutManager *layout = gtk_widget_get_layout_manager (GTK_WIDGET (self));
  gtk_orientable_set_orientation (GTK_ORIENTABLE (layout), GTK_ORIENTATION_VERTICAL);
  gtk_box_layout_set_spacing (GTK_BOX_LAYOUT (layout), 6);
  gtk_widget_add_css_class (GTK_WIDGET (self), "card");
  self->headline = g_object_new (GTK_TYPE_LABEL, "xalign", 0.0f, "ellipsize", PANGO_ELLIPSIZE_END, NULL);
  gtk_widget_add_css_class (self->headline, "heading");
  self->detail = g_object_new (GTK_TYPE_LABEL, "xalign", 0.0f, "wrap", TRUE, NULL);
  gtk_widget_add_css_class (self->detail, "caption");
  self->bar = g_object_new (GTK_TYPE_DRAWING_AREA, "accessible-role", GTK_ACCESSIBLE_ROLE_IMG, NULL);
  gtk_drawing_area_set_content_height (GTK_DRAWING_AREA (self->bar), 12);
  gtk_drawing_area_set_draw_func (GTK_DRAWING_AREA (self->bar), forecast_draw, self, NULL);
  gtk_widget_set_parent (self->headline, GTK_WIDGET (self));
  gtk_widget_set_parent (self->bar, GTK_WIDGET (self));
  gtk_widget_set_parent (self->detail, GTK_WIDGET (self));
}

GtkWidget *
assay_forecast_bar_new (void)
{
  return g_object_new (ASSAY_TYPE_FORECAST_BAR, NULL);
}
