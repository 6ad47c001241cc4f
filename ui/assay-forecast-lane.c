/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-forecast-lane.h"

#include <adwaita.h>
#include <glib/gi18n-lib.h>
#include <inttypes.h>

#include "assay-chart-draw-private.h"

#define BAR_HEIGHT 12
#define LEAST_WIDTH 48.0 /* px of what is needed, in a bar that is the machine's memory */

struct _AssayForecastLane
{
  GtkWidget parent_instance;
  char *name;                     /* owned */
  GtkWidget *title, *bar, *figure; /* children */
  guint64 categories[ASSAY_N_MEMORY], peak;
  guint64 mapped;                 /* pages of the model file, beside the peak */
  guint64 budget;                 /* 0: none is set */
  guint64 available;              /* by then: of the machine; 0: unknown */
};

G_DEFINE_FINAL_TYPE (AssayForecastLane, assay_forecast_lane, GTK_TYPE_WIDGET)

static guint64
lane_get_needed (AssayForecastLane *self)
{
  return self->peak + self->mapped;
}

/* Bytes at the right end. With a budget room is left behind a line that is passed. Without one the bar is the machine's
 * memory: only what does not fit fills it. */
static double
lane_get_scale (AssayForecastLane *self)
{
  const double needed = (double) lane_get_needed (self);
  if (self->budget > 0)
    return MAX (needed, (double) self->budget) * 1.04;
  return self->available > 0 ? MAX (needed, (double) self->available) : needed * 2;
}

static double
lane_draw_layer (AssayChartPen *pen, guint layer, double x, double width, int height)
{
  if (width <= 0)
    return x;
  cairo_rectangle (pen->cr, x, 2, MAX (width - 1, 0.5), height - 4);
  assay_chart_fill_layer (pen, layer);
  cairo_new_path (pen->cr);
  return x + width;
}

static void
lane_draw_layers (AssayForecastLane *self, AssayChartPen *pen, double px_per_byte, int height)
{
  double sum = 0, x = 0;
  for (guint i = 0; i < ASSAY_N_MEMORY; i++)
    sum += (double) self->categories[i];
  for (guint i = 0; i < ASSAY_N_MEMORY; i++)
    if (sum > 0)
      x = lane_draw_layer (pen, i, x, (double) self->categories[i] / sum * (double) self->peak * px_per_byte, height);
  lane_draw_layer (pen, ASSAY_LAYER_MAPPED_WEIGHTS, x, (double) self->mapped * px_per_byte, height);
}

/* In a large memory a small model would be a sliver that hides what it is made of: it keeps as much as shows that. */
static double
lane_get_px_per_byte (AssayForecastLane *self, int width)
{
  const double needed = (double) lane_get_needed (self), scale = lane_get_scale (self);
  const double least = self->budget > 0 ? 0 : MIN (LEAST_WIDTH, width / 6.0);
  return MAX (needed / scale * width, least) / needed;
}

static void
lane_draw (GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer data)
{
  AssayForecastLane *self = data;
  AdwStyleManager *manager = adw_style_manager_get_default ();
  g_autoptr(AssayChartStyle) style = assay_chart_style_new (
    adw_style_manager_get_dark (manager), adw_style_manager_get_high_contrast (manager), "Sans", 11.0);
  AssayChartPen pen = { .cr = cr, .style = style };
  GdkRGBA ground;
  assay_chart_style_get_ink (style, ASSAY_INK_TEXT, &ground);
  cairo_set_source_rgba (cr, ground.red, ground.green, ground.blue, 0.12);
  cairo_rectangle (cr, 0, 2, width, height - 4);
  cairo_fill (cr);
  if (lane_get_needed (self) > 0)
    lane_draw_layers (self, &pen, lane_get_px_per_byte (self, width), height);
  if (self->budget == 0)
    return;
  assay_chart_pen_ink (&pen, ASSAY_INK_BUDGET);
  cairo_rectangle (cr, MIN (width * (double) self->budget / lane_get_scale (self), width - 2.0), 0, 2, height);
  cairo_fill (cr);
}

static void
words_add_line (GString *words, const char *label, guint64 bytes)
{
  g_autofree char *size = assay_format_bytes (bytes);
  g_string_append_printf (words, _("\n%s: %s (%" PRIu64 " bytes)"), label, size, bytes);
}

/* Every figure, exactly. */
static char *
lane_dup_words (AssayForecastLane *self, guint64 limit, gboolean limited)
{
  GString *words = g_string_new (NULL);
  g_string_append_printf (words, _("%s foretold, each at its own peak:"), self->name);
  for (guint i = 0; i < ASSAY_N_MEMORY; i++)
    if (self->categories[i] > 0)
      words_add_line (words, assay_memory_get_label (i), self->categories[i]);
  words_add_line (words, _("together at most"), self->peak);
  if (self->mapped > 0)
    words_add_line (words, _("mapped from the model file"), self->mapped);
  if (limit > 0)
    words_add_line (words, limited ? _("budget") : _("available on this machine"), limit);
  return g_string_free (words, FALSE);
}

static char *
lane_dup_needed (AssayForecastLane *self)
{
  g_autofree char *size = assay_format_bytes (self->peak), *mapped = assay_format_bytes (self->mapped);
  /* Translators: two sizes: what is allocated, and what lies in memory as pages of a file */
  return self->mapped > 0 ? g_strdup_printf (_("%s + %s mapped"), size, mapped) : g_strdup (size);
}

static char *
lane_dup_figure (AssayForecastLane *self)
{
  g_autofree char *needed = lane_dup_needed (self);
  g_autofree char *of = assay_format_bytes (self->budget > 0 ? self->budget : self->available);
  if (self->budget > 0)
    return g_strdup_printf (_("%s of %s"), needed, of);
  /* Translators: what is needed, and what the machine has left */
  return self->available > 0 ? g_strdup_printf (_("%s, no budget set, %s available"), needed, of)
                             : g_strdup_printf (_("%s, no budget set"), needed);
}

void
assay_forecast_lane_show (AssayForecastLane *self, const guint64 *categories, guint64 peak, guint64 mapped,
                          guint64 limit, gboolean limited)
{
  g_return_if_fail (ASSAY_IS_FORECAST_LANE (self));
  memcpy (self->categories, categories, sizeof self->categories);
  self->peak = peak;
  self->mapped = mapped;
  self->budget = limited ? limit : 0;
  self->available = limited ? 0 : limit;
  g_autofree char *figure = lane_dup_figure (self), *words = lane_dup_words (self, limit, limited);
  gtk_label_set_text (GTK_LABEL (self->figure), figure);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self), words);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->bar), GTK_ACCESSIBLE_PROPERTY_LABEL, words, -1);
  gtk_widget_queue_draw (self->bar);
}

static void
assay_forecast_lane_dispose (GObject *object)
{
  GtkWidget *child;
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (object))) != NULL)
    gtk_widget_unparent (child);
  G_OBJECT_CLASS (assay_forecast_lane_parent_class)->dispose (object);
}

static void
assay_forecast_lane_finalize (GObject *object)
{
  g_free (ASSAY_FORECAST_LANE (object)->name);
  G_OBJECT_CLASS (assay_forecast_lane_parent_class)->finalize (object);
}

static void
assay_forecast_lane_class_init (AssayForecastLaneClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = assay_forecast_lane_dispose;
  G_OBJECT_CLASS (klass)->finalize = assay_forecast_lane_finalize;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BOX_LAYOUT);
}

static void
assay_forecast_lane_init (AssayForecastLane *self)
{
  AdwStyleManager *manager = adw_style_manager_get_default ();
  gtk_box_layout_set_spacing (GTK_BOX_LAYOUT (gtk_widget_get_layout_manager (GTK_WIDGET (self))), 8);
  self->title = g_object_new (GTK_TYPE_LABEL, "xalign", 0.0f, "width-chars", 5, NULL);
  self->bar = g_object_new (GTK_TYPE_DRAWING_AREA, "accessible-role", GTK_ACCESSIBLE_ROLE_IMG, "hexpand", TRUE, "valign",
                            GTK_ALIGN_CENTER, "content-height", BAR_HEIGHT, NULL);
  self->figure = g_object_new (GTK_TYPE_LABEL, "xalign", 1.0f, "wrap", TRUE, "justify", GTK_JUSTIFY_RIGHT, NULL);
  gtk_widget_add_css_class (self->title, "caption");
  gtk_widget_add_css_class (self->figure, "caption");
  gtk_widget_add_css_class (self->figure, "numeric");
  gtk_drawing_area_set_draw_func (GTK_DRAWING_AREA (self->bar), lane_draw, self, NULL);
  gtk_widget_set_parent (self->title, GTK_WIDGET (self));
  gtk_widget_set_parent (self->bar, GTK_WIDGET (self));
  gtk_widget_set_parent (self->figure, GTK_WIDGET (self));
  g_signal_connect_object (manager, "notify::dark", G_CALLBACK (gtk_widget_queue_draw), self->bar, G_CONNECT_SWAPPED);
  g_signal_connect_object (manager, "notify::high-contrast", G_CALLBACK (gtk_widget_queue_draw), self->bar,
                           G_CONNECT_SWAPPED);
}

void
assay_forecast_lane_join (AssayForecastLane *self, GtkSizeGroup *figures)
{
  g_return_if_fail (ASSAY_IS_FORECAST_LANE (self));
  gtk_size_group_add_widget (figures, self->figure);
}

GtkWidget *
assay_forecast_lane_new (const char *name)
{
  AssayForecastLane *self = g_object_new (ASSAY_TYPE_FORECAST_LANE, NULL);
  self->name = g_strdup (name);
  gtk_label_set_text (GTK_LABEL (self->title), name);
  return GTK_WIDGET (self);
}
