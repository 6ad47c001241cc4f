/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-chain-row.h"

#include <adwaita.h>

#include "assay-accessible.h"
#include "assay-chain-draw.h"

#define LEAST_WIDTH 260
#define TEXT_SCALE 1.15 /* it is read, where a chart's small words are looked at */

struct _AssayChainRow
{
  GtkWidget parent_instance;

  /* owned */
  AssayChainStep *step;
  AssayChartStyle *style; /* NULL: to be made anew */
  gboolean has_next;
};

G_DEFINE_FINAL_TYPE (AssayChainRow, assay_chain_row, GTK_TYPE_WIDGET)

static void
row_set_picture (AssayChainRow *self, AssayChainPicture *picture, double width)
{
  if (self->style == NULL)
    {
      self->style = assay_chart_style_new_for (GTK_WIDGET (self));
      self->style->font_px *= TEXT_SCALE;
    }
  *picture = (AssayChainPicture){ self->step, self->style, width, self->has_next };
}

static void
row_forget_style (AssayChainRow *self)
{
  g_clear_pointer (&self->style, assay_chart_style_free);
  gtk_widget_queue_resize (GTK_WIDGET (self));
}

static double
row_measure_height (AssayChainRow *self, double width)
{
  AssayChainPicture picture;
  cairo_surface_t *surface = cairo_recording_surface_create (CAIRO_CONTENT_COLOR_ALPHA, NULL);
  cairo_t *cr = cairo_create (surface);
  row_set_picture (self, &picture, width);
  const double height = assay_chain_draw_measure (cr, &picture);
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
  return height;
}

static GtkSizeRequestMode
assay_chain_row_get_request_mode (GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void
assay_chain_row_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                         int *minimum_baseline, int *natural_baseline)
{
  AssayChainRow *self = ASSAY_CHAIN_ROW (widget);
  int size = LEAST_WIDTH;
  if (orientation == GTK_ORIENTATION_VERTICAL)
    size = self->step != NULL ? (int) row_measure_height (self, MAX (for_size, LEAST_WIDTH)) + 1 : 0;
  *minimum = *natural = size;
}

static void
assay_chain_row_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  AssayChainRow *self = ASSAY_CHAIN_ROW (widget);
  const int width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget);
  AssayChainPicture picture;
  if (self->step == NULL)
    return;
  row_set_picture (self, &picture, width);
  cairo_t *cr = gtk_snapshot_append_cairo (snapshot, &GRAPHENE_RECT_INIT (0, 0, width, height));
  assay_chain_draw_step (cr, &picture);
  cairo_destroy (cr);
}

static void
assay_chain_row_css_changed (GtkWidget *widget, GtkCssStyleChange *change)
{
  GTK_WIDGET_CLASS (assay_chain_row_parent_class)->css_changed (widget, change);
  row_forget_style (ASSAY_CHAIN_ROW (widget));
}

void
assay_chain_row_take_step (AssayChainRow *self, AssayChainStep *step, gboolean has_next)
{
  g_return_if_fail (ASSAY_IS_CHAIN_ROW (self));
  g_autofree char *words = step != NULL ? assay_chain_step_dup_text (step) : g_strdup ("");
  g_clear_pointer (&self->step, assay_chain_step_free);
  self->step = step;
  self->has_next = has_next;
  assay_accessible_name (GTK_WIDGET (self), words);
  gtk_widget_queue_resize (GTK_WIDGET (self));
}

static void
assay_chain_row_finalize (GObject *object)
{
  AssayChainRow *self = ASSAY_CHAIN_ROW (object);
  g_clear_pointer (&self->step, assay_chain_step_free);
  g_clear_pointer (&self->style, assay_chart_style_free);
  G_OBJECT_CLASS (assay_chain_row_parent_class)->finalize (object);
}

static void
assay_chain_row_class_init (AssayChainRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->finalize = assay_chain_row_finalize;
  widget_class->get_request_mode = assay_chain_row_get_request_mode;
  widget_class->measure = assay_chain_row_measure;
  widget_class->snapshot = assay_chain_row_snapshot;
  widget_class->css_changed = assay_chain_row_css_changed;
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
  gtk_widget_class_set_css_name (widget_class, "chainrow");
}

static void
assay_chain_row_init (AssayChainRow *self)
{
  AdwStyleManager *manager = adw_style_manager_get_default ();
  gtk_widget_set_hexpand (GTK_WIDGET (self), TRUE);
  g_signal_connect_object (manager, "notify::dark", G_CALLBACK (row_forget_style), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (manager, "notify::high-contrast", G_CALLBACK (row_forget_style), self, G_CONNECT_SWAPPED);
}

GtkWidget *
assay_chain_row_new (void)
{
  return g_object_new (ASSAY_TYPE_CHAIN_ROW, NULL);
}
