/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-memory-chart.c: the widget around the drawing: what it shows, when it redraws, what pointer and
 * keys do.
 *
 * The picture is kept as a render node. Moving the readout draws only the readout; new samples make a new
 * picture. */
#include "assay-memory-chart-private.h"

#include <adwaita.h>

enum { PROP_0, PROP_SERIES, PROP_BUDGET, PROP_LIVE, N_PROPS };

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AssayMemoryChart, assay_memory_chart, GTK_TYPE_WIDGET)

void
assay_memory_chart_redraw (AssayMemoryChart *self)
{
  g_clear_pointer (&self->picture, gsk_render_node_unref);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
chart_update_style (AssayMemoryChart *self)
{
  g_clear_pointer (&self->style, assay_chart_style_free);
  self->style = assay_chart_style_new_for (GTK_WIDGET (self));
}

/* Bytes over the link grow with every frame of a streamed model: told again when an eighth more have moved.
 */
static gboolean
chart_is_described (AssayMemoryChart *self)
{
  const AssayChartData *data = self->data;

  return self->described_peak == data->peak_total && self->described_trims == data->n_marks[ASSAY_MARK_TRIM]
         && data->link_bytes - self->described_link <= MAX (self->described_link, 0) / 8;
}

static void
chart_update_description (AssayMemoryChart *self)
{
  if (chart_is_described (self))
    return;
  g_autofree char *words = assay_chart_data_describe (self->data, self->budget_bytes);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, words, -1);
  self->described_peak = self->data->peak_total;
  self->described_link = self->data->link_bytes;
  self->described_trims = self->data->n_marks[ASSAY_MARK_TRIM];
}

static AssayChartPicture
chart_get_picture (AssayMemoryChart *self)
{
  return (AssayChartPicture){ .data = self->data,
                              .style = self->style,
                              .budget_bytes = self->budget_bytes,
                              .foretold_bytes = self->foretold_bytes,
                              .ram_budget_bytes = self->ram_budget_bytes,
                              .width = gtk_widget_get_width (GTK_WIDGET (self)),
                              .height = gtk_widget_get_height (GTK_WIDGET (self)) };
}

/* A link that shows itself needs a lane of its own. */
static void
chart_update_room (AssayMemoryChart *self)
{
  const gboolean roomy = self->data->rate_max > 0.0;

  if (roomy == self->roomy)
    return;
  self->roomy = roomy;
  gtk_widget_queue_resize (GTK_WIDGET (self));
}

static GskRenderNode *
chart_render (AssayMemoryChart *self)
{
  const AssayChartPicture picture = chart_get_picture (self);
  gint64 from_ns, to_ns;

  assay_memory_chart_get_view (self, &from_ns, &to_ns);
  assay_chart_layout_update (&self->layout, &picture, from_ns, to_ns);
  GskRenderNode *node
    = gsk_cairo_node_new (&GRAPHENE_RECT_INIT (0, 0, (float) picture.width, (float) picture.height));
  cairo_t *cr = gsk_cairo_node_get_draw_context (node);
  assay_chart_draw (cr, &picture, &self->layout);
  cairo_destroy (cr);
  chart_update_description (self);
  chart_update_room (self);
  return node;
}

/* Of a run that ended before there was anything to draw, what is known stands in its place. */
static void
chart_snapshot_note (AssayMemoryChart *self, GtkSnapshot *snapshot)
{
  const AssayChartRect *lane = &self->layout.stack;
  GdkRGBA ink;
  int width, height;

  if (self->note == NULL || self->data->peak_total > 0)
    return;
  g_autoptr(PangoLayout) text = gtk_widget_create_pango_layout (GTK_WIDGET (self), self->note);
  pango_layout_set_width (text, (int) (lane->width * 0.8) * PANGO_SCALE);
  pango_layout_set_alignment (text, PANGO_ALIGN_CENTER);
  pango_layout_get_pixel_size (text, &width, &height);
  assay_chart_style_get_ink (self->style, ASSAY_INK_TEXT, &ink);
  gtk_snapshot_save (snapshot);
  gtk_snapshot_translate (snapshot, &GRAPHENE_POINT_INIT ((float) (lane->x + lane->width * 0.1),
                                                          (float) (lane->y + lane->height / 2.0)));
  gtk_snapshot_append_layout (snapshot, text, &ink);
  gtk_snapshot_restore (snapshot);
}

static void
assay_memory_chart_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  AssayMemoryChart *self = ASSAY_MEMORY_CHART (widget);
  const AssayChartPicture picture = chart_get_picture (self);
  const graphene_rect_t area = GRAPHENE_RECT_INIT (0, 0, (float) picture.width, (float) picture.height);

  if (picture.width < 1.0 || picture.height < 1.0)
    return;
  if (self->picture == NULL)
    self->picture = chart_render (self);
  gtk_snapshot_append_node (snapshot, self->picture);
  chart_snapshot_note (self, snapshot);
  if (self->readout_ns < 0)
    return;
  cairo_t *cr = gtk_snapshot_append_cairo (snapshot, &area);
  assay_chart_draw_readout (cr, &picture, &self->layout, self->readout_ns);
  cairo_destroy (cr);
}

static gboolean
chart_tick_cb (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  AssayMemoryChart *self = ASSAY_MEMORY_CHART (widget);
  const AssaySeries *series = self->data->series;

  if (series != NULL && assay_series_get_n_measured (self->data->series) != self->data->seen_measured)
    assay_memory_chart_redraw (self);
  return G_SOURCE_CONTINUE;
}

static void
chart_style_changed (AssayMemoryChart *self)
{
  chart_update_style (self);
  assay_memory_chart_redraw (self);
  gtk_widget_queue_resize (GTK_WIDGET (self)); /* its least height is lines of text */
}

void
assay_memory_chart_set_series (AssayMemoryChart *self, AssaySeries *series)
{
  g_return_if_fail (ASSAY_IS_MEMORY_CHART (self));

  if (series == self->data->series)
    return;
  assay_chart_data_free (self->data);
  self->data = assay_chart_data_new (series);
  self->zoomed = FALSE;
  self->described_peak = -2;
  assay_memory_chart_move_readout (self, -1);
  assay_memory_chart_redraw (self);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SERIES]);
}

void
assay_memory_chart_set_budget (AssayMemoryChart *self, gint64 budget_bytes)
{
  g_return_if_fail (ASSAY_IS_MEMORY_CHART (self));

  if (budget_bytes == self->budget_bytes)
    return;
  self->budget_bytes = budget_bytes;
  self->described_peak = -2;
  assay_memory_chart_redraw (self);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_BUDGET]);
}

void
assay_memory_chart_set_foretold (AssayMemoryChart *self, gint64 foretold_bytes)
{
  g_return_if_fail (ASSAY_IS_MEMORY_CHART (self));

  if (foretold_bytes == self->foretold_bytes)
    return;
  self->foretold_bytes = foretold_bytes;
  assay_memory_chart_redraw (self);
}

void
assay_memory_chart_set_ram_budget (AssayMemoryChart *self, gint64 ram_budget_bytes)
{
  g_return_if_fail (ASSAY_IS_MEMORY_CHART (self));

  if (ram_budget_bytes == self->ram_budget_bytes)
    return;
  self->ram_budget_bytes = ram_budget_bytes;
  assay_memory_chart_redraw (self);
}

void
assay_memory_chart_set_stated_peak (AssayMemoryChart *self, gint64 stated_peak)
{
  g_return_if_fail (ASSAY_IS_MEMORY_CHART (self));

  if (stated_peak == self->data->stated_peak)
    return;
  self->data->stated_peak = stated_peak;
  self->described_peak = -2;
  assay_memory_chart_redraw (self);
}

void
assay_memory_chart_set_live (AssayMemoryChart *self, gboolean live)
{
  g_return_if_fail (ASSAY_IS_MEMORY_CHART (self));

  if (live == self->live)
    return;
  self->live = live;
  if (live)
    self->tick = gtk_widget_add_tick_callback (GTK_WIDGET (self), chart_tick_cb, NULL, NULL);
  else
    {
      gtk_widget_remove_tick_callback (GTK_WIDGET (self), self->tick);
      self->tick = 0;
      assay_chart_data_invalidate (self->data); /* phases may have ended after the last sample */
      self->described_peak = -2;
    }
  assay_memory_chart_redraw (self);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_LIVE]);
}

void
assay_memory_chart_set_note (AssayMemoryChart *self, const char *note)
{
  g_return_if_fail (ASSAY_IS_MEMORY_CHART (self));

  if (g_strcmp0 (note, self->note) == 0)
    return;
  g_free (self->note);
  self->note = g_strdup (note);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

char *
assay_memory_chart_dup_readout (AssayMemoryChart *self)
{
  g_return_val_if_fail (ASSAY_IS_MEMORY_CHART (self), NULL);
  return self->readout_ns >= 0 ? assay_chart_dup_readout (self->data, self->readout_ns) : NULL;
}

void
assay_memory_chart_get_peaks (AssayMemoryChart *self, gint64 *total, gint64 *allocated, gint64 *anonymous)
{
  g_return_if_fail (ASSAY_IS_MEMORY_CHART (self));
  *total = self->data->peak_total;
  *allocated = self->data->peak_allocated;
  *anonymous = self->data->anonymous_max;
}

static void
assay_memory_chart_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  AssayMemoryChart *self = ASSAY_MEMORY_CHART (object);

  switch (id)
    {
    case PROP_SERIES:
      g_value_set_pointer (value, self->data->series);
      break;
    case PROP_BUDGET:
      g_value_set_int64 (value, self->budget_bytes);
      break;
    case PROP_LIVE:
      g_value_set_boolean (value, self->live);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
assay_memory_chart_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  AssayMemoryChart *self = ASSAY_MEMORY_CHART (object);

  switch (id)
    {
    case PROP_SERIES:
      assay_memory_chart_set_series (self, g_value_get_pointer (value));
      break;
    case PROP_BUDGET:
      assay_memory_chart_set_budget (self, g_value_get_int64 (value));
      break;
    case PROP_LIVE:
      assay_memory_chart_set_live (self, g_value_get_boolean (value));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
assay_memory_chart_measure (GtkWidget *widget,
                            GtkOrientation orientation,
                            int for_size,
                            int *minimum,
                            int *natural,
                            int *minimum_baseline,
                            int *natural_baseline)
{
  const AssayMemoryChart *self = ASSAY_MEMORY_CHART (widget);
  const AssayChartPicture picture = { .data = self->data, .style = self->style };
  const int height = (int)assay_chart_get_least_height (&picture);

  *minimum = orientation == GTK_ORIENTATION_HORIZONTAL ? 280 : height;
  *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? 720 : MAX (height, 420);
}

static void
assay_memory_chart_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  AssayMemoryChart *self = ASSAY_MEMORY_CHART (widget);

  g_clear_pointer (&self->picture, gsk_render_node_unref);
  gtk_popover_present (GTK_POPOVER (self->menu));
}

/* Whoever turns to another view leaves the readout too, wherever the pointer is. */
static void
assay_memory_chart_unmap (GtkWidget *widget)
{
  assay_memory_chart_move_readout (ASSAY_MEMORY_CHART (widget), -1);
  GTK_WIDGET_CLASS (assay_memory_chart_parent_class)->unmap (widget);
}

static void
assay_memory_chart_css_changed (GtkWidget *widget, GtkCssStyleChange *change)
{
  GTK_WIDGET_CLASS (assay_memory_chart_parent_class)->css_changed (widget, change);
  chart_style_changed (ASSAY_MEMORY_CHART (widget));
}

static void
assay_memory_chart_dispose (GObject *object)
{
  AssayMemoryChart *self = ASSAY_MEMORY_CHART (object);

  g_cancellable_cancel (self->cancellable);
  gtk_widget_dispose_template (GTK_WIDGET (self), ASSAY_TYPE_MEMORY_CHART);
  G_OBJECT_CLASS (assay_memory_chart_parent_class)->dispose (object);
}

static void
assay_memory_chart_finalize (GObject *object)
{
  AssayMemoryChart *self = ASSAY_MEMORY_CHART (object);

  g_clear_pointer (&self->picture, gsk_render_node_unref);
  assay_chart_data_free (self->data);
  assay_chart_style_free (self->style);
  g_object_unref (self->cancellable);
  g_free (self->note);
  G_OBJECT_CLASS (assay_memory_chart_parent_class)->finalize (object);
}

static void
class_init_properties (GObjectClass *object_class)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;

  properties[PROP_SERIES] = g_param_spec_pointer ("series", NULL, NULL, flags);
  properties[PROP_BUDGET] = g_param_spec_int64 ("budget", NULL, NULL, -1, G_MAXINT64, -1, flags);
  properties[PROP_LIVE] = g_param_spec_boolean ("live", NULL, NULL, FALSE, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
class_bind_template (GtkWidgetClass *widget_class)
{
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/io/github/assay/Assay/ui/assay-memory-chart.ui");
  gtk_widget_class_bind_template_child (widget_class, AssayMemoryChart, menu);
  assay_memory_chart_class_bind_input (widget_class);
  gtk_widget_class_install_action (widget_class, "chart.save", "s", assay_memory_chart_save);
}

static void
assay_memory_chart_class_init (AssayMemoryChartClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = assay_memory_chart_dispose;
  object_class->finalize = assay_memory_chart_finalize;
  object_class->get_property = assay_memory_chart_get_property;
  object_class->set_property = assay_memory_chart_set_property;
  widget_class->snapshot = assay_memory_chart_snapshot;
  widget_class->measure = assay_memory_chart_measure;
  widget_class->size_allocate = assay_memory_chart_size_allocate;
  widget_class->unmap = assay_memory_chart_unmap;
  widget_class->css_changed = assay_memory_chart_css_changed;
  class_init_properties (object_class);
  g_signal_new ("export-failed", ASSAY_TYPE_MEMORY_CHART, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE,
                1, G_TYPE_STRING);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
  gtk_widget_class_set_css_name (widget_class, "memorychart");
  class_bind_template (widget_class);
}

static void
assay_memory_chart_init (AssayMemoryChart *self)
{
  AdwStyleManager *manager = adw_style_manager_get_default ();

  self->data = assay_chart_data_new (NULL);
  self->cancellable = g_cancellable_new ();
  self->budget_bytes = self->foretold_bytes = self->ram_budget_bytes = -1;
  self->readout_ns = -1;
  self->described_peak = -2;
  gtk_widget_init_template (GTK_WIDGET (self));
  chart_update_style (self);
  g_signal_connect_object (manager, "notify::dark", G_CALLBACK (chart_style_changed), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (manager, "notify::high-contrast", G_CALLBACK (chart_style_changed), self,
                           G_CONNECT_SWAPPED);
}

GtkWidget *
assay_memory_chart_new (void)
{
  return g_object_new (ASSAY_TYPE_MEMORY_CHART, NULL);
}
