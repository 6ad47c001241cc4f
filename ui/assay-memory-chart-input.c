/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-memory-chart-input.c: the stretch of time shown, the readout, and the pointer and keys that move
 * them. */
#include "assay-memory-chart-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "assay-chart-axis.h"
#include "assay-values.h"

#define SHORTEST_VIEW_NS G_GINT64_CONSTANT (1000000)
#define ZOOM_STEP 1.25

static gint64
chart_whole_ns (AssayMemoryChart *self)
{
  const gint64 end_ns = MAX (assay_chart_data_get_end_ns (self->data), SHORTEST_VIEW_NS);

  return self->live ? assay_time_axis_live_span (end_ns) : end_ns + 1; /* the last sample belongs to it */
}

void
assay_memory_chart_get_view (AssayMemoryChart *self, gint64 *from_ns, gint64 *to_ns)
{
  g_return_if_fail (ASSAY_IS_MEMORY_CHART (self));
  *from_ns = self->zoomed ? self->view_from_ns : 0;
  *to_ns = self->zoomed ? self->view_to_ns : chart_whole_ns (self);
}

/* To a person who does not see the picture: the moment read out, else what part of the run is shown. */
static void
chart_tell (AssayMemoryChart *self)
{
  g_autofree char *readout = assay_memory_chart_dup_readout (self);
  g_autofree char *from = assay_format_seconds (self->view_from_ns / 1e9);
  g_autofree char *to = assay_format_seconds (self->view_to_ns / 1e9);
  /* Translators: the part of the run that is drawn, as two times since its start */
  g_autofree char *part = g_strdup_printf (_("Shown: from %s to %s"), from, to);
  const char *words = readout != NULL ? readout : self->zoomed ? part : _("Shown: the whole run");

  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, words, -1);
}

/* Shows [from, from + span), kept inside the run. */
static void
chart_set_view (AssayMemoryChart *self, gint64 from_ns, gint64 span_ns)
{
  const gint64 whole_ns = chart_whole_ns (self);

  self->zoomed = span_ns < whole_ns;
  span_ns = CLAMP (span_ns, MIN (SHORTEST_VIEW_NS, whole_ns), whole_ns);
  self->view_from_ns = CLAMP (from_ns, 0, whole_ns - span_ns);
  self->view_to_ns = self->view_from_ns + span_ns;
  chart_tell (self);
  assay_memory_chart_redraw (self);
}

static void
chart_zoom (AssayMemoryChart *self, double factor, gint64 around_ns)
{
  gint64 from_ns, to_ns;

  assay_memory_chart_get_view (self, &from_ns, &to_ns);
  const double span = to_ns - from_ns;
  const double at = (around_ns - from_ns) / span;
  chart_set_view (self, around_ns - (gint64) (at * span * factor), (gint64) (span * factor));
}

static gint64
chart_zoom_center (AssayMemoryChart *self)
{
  gint64 from_ns, to_ns;

  assay_memory_chart_get_view (self, &from_ns, &to_ns);
  if (self->readout_ns >= from_ns && self->readout_ns <= to_ns)
    return self->readout_ns;
  return from_ns + (to_ns - from_ns) / 2;
}

void
assay_memory_chart_move_readout (AssayMemoryChart *self, gint64 t_ns)
{
  self->readout_ns = t_ns;
  chart_tell (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
chart_move_readout_inside (AssayMemoryChart *self, gint64 t_ns)
{
  gint64 from_ns, to_ns;

  assay_memory_chart_get_view (self, &from_ns, &to_ns);
  assay_memory_chart_move_readout (
      self, CLAMP (t_ns, from_ns, MIN (to_ns, MAX (assay_chart_data_get_end_ns (self->data), from_ns))));
}

/* By keys: four pixels a step, from the peak when nothing is shown yet. */
static void
chart_step_readout (AssayMemoryChart *self, int direction)
{
  gint64 from_ns, to_ns;

  assay_memory_chart_get_view (self, &from_ns, &to_ns);
  const gint64 step_ns = MAX ((to_ns - from_ns) * 4 / MAX ((gint64) self->layout.n_columns, 1), 1);
  chart_move_readout_inside (self, self->readout_ns < 0 ? assay_chart_data_get_peak_ns (self->data)
                                                        : self->readout_ns + direction * step_ns);
}

/* A tenth of what is shown. */
static void
chart_pan (AssayMemoryChart *self, int direction)
{
  gint64 from_ns, to_ns;

  assay_memory_chart_get_view (self, &from_ns, &to_ns);
  if (self->zoomed)
    chart_set_view (self, from_ns + direction * ((to_ns - from_ns) / 10), to_ns - from_ns);
}

static void
on_motion (GtkEventControllerMotion *motion, double x, double y, AssayMemoryChart *self)
{
  const AssayChartRect *rect = &self->layout.stack;

  if (x < rect->x || x > rect->x + rect->width)
    assay_memory_chart_move_readout (self, -1);
  else
    assay_memory_chart_move_readout (self, assay_chart_layout_t (&self->layout, self->data, x));
}

static void
on_leave (GtkEventControllerMotion *motion, AssayMemoryChart *self)
{
  assay_memory_chart_move_readout (self, -1);
}

static gboolean
on_scroll (GtkEventControllerScroll *scroll, double dx, double dy, AssayMemoryChart *self)
{
  gint64 from_ns, to_ns;

  if (self->data->peak_total < 0 || (!self->zoomed && dx == 0.0 && dy > 0.0)) /* then the page may scroll */
    return GDK_EVENT_PROPAGATE;
  assay_memory_chart_get_view (self, &from_ns, &to_ns);
  if (dx != 0.0)
    chart_set_view (self, from_ns + (gint64) (dx * (to_ns - from_ns) / 20.0), to_ns - from_ns);
  if (dy != 0.0)
    chart_zoom (self, pow (ZOOM_STEP, dy), chart_zoom_center (self));
  return GDK_EVENT_STOP;
}

static void
on_drag_begin (GtkGestureDrag *drag, double x, double y, AssayMemoryChart *self)
{
  assay_memory_chart_get_view (self, &self->drag_from_ns, &self->drag_to_ns);
}

static void
on_drag_update (GtkGestureDrag *drag, double dx, double dy, AssayMemoryChart *self)
{
  const gint64 span_ns = self->drag_to_ns - self->drag_from_ns;

  if (self->zoomed)
    chart_set_view (self, self->drag_from_ns - (gint64)(dx / MAX (self->layout.stack.width, 1.0) * span_ns),
                    span_ns);
}

static void
chart_popup_menu (AssayMemoryChart *self, double x, double y)
{
  gtk_popover_set_pointing_to (GTK_POPOVER (self->menu), &(GdkRectangle){ (int) x, (int) y, 1, 1 });
  gtk_popover_popup (GTK_POPOVER (self->menu));
}

static void
on_pressed (GtkGestureClick *click, int n_press, double x, double y, AssayMemoryChart *self)
{
  GdkEvent *event = gtk_event_controller_get_current_event (GTK_EVENT_CONTROLLER (click));

  gtk_widget_grab_focus (GTK_WIDGET (self));
  if (event != NULL && gdk_event_triggers_context_menu (event))
    chart_popup_menu (self, x, y);
  else if (n_press == 2)
    gtk_widget_activate_action (GTK_WIDGET (self), "chart.reset", NULL);
}

static gboolean
on_key_pressed (
    GtkEventControllerKey *keys, guint keyval, guint code, GdkModifierType state, AssayMemoryChart *self)
{
  switch (keyval)
    {
    case GDK_KEY_Left:
    case GDK_KEY_Right:
      if (state & GDK_SHIFT_MASK)
        chart_pan (self, keyval == GDK_KEY_Left ? -1 : 1);
      else
        chart_step_readout (self, keyval == GDK_KEY_Left ? -1 : 1);
      return GDK_EVENT_STOP;
    case GDK_KEY_Home:
    case GDK_KEY_End:
      chart_move_readout_inside (self, keyval == GDK_KEY_Home ? 0 : G_MAXINT64);
      return GDK_EVENT_STOP;
    case GDK_KEY_plus:
    case GDK_KEY_equal:
    case GDK_KEY_KP_Add:
      chart_zoom (self, 1.0 / ZOOM_STEP, chart_zoom_center (self));
      return GDK_EVENT_STOP;
    case GDK_KEY_minus:
    case GDK_KEY_KP_Subtract:
      chart_zoom (self, ZOOM_STEP, chart_zoom_center (self));
      return GDK_EVENT_STOP;
    case GDK_KEY_0:
    case GDK_KEY_KP_0:
      gtk_widget_activate_action (GTK_WIDGET (self), "chart.reset", NULL);
      return GDK_EVENT_STOP;
    case GDK_KEY_Menu:
      chart_popup_menu (self, self->layout.stack.x, self->layout.stack.y);
      return GDK_EVENT_STOP;
    case GDK_KEY_F10:
      if (!(state & GDK_SHIFT_MASK))
        return GDK_EVENT_PROPAGATE;
      chart_popup_menu (self, self->layout.stack.x, self->layout.stack.y);
      return GDK_EVENT_STOP;
    default:
      return GDK_EVENT_PROPAGATE;
    }
}

static void
on_zoom_in (GtkWidget *widget, const char *action, GVariant *parameter)
{
  chart_zoom (ASSAY_MEMORY_CHART (widget), 1.0 / ZOOM_STEP, chart_zoom_center (ASSAY_MEMORY_CHART (widget)));
}

static void
on_zoom_out (GtkWidget *widget, const char *action, GVariant *parameter)
{
  chart_zoom (ASSAY_MEMORY_CHART (widget), ZOOM_STEP, chart_zoom_center (ASSAY_MEMORY_CHART (widget)));
}

static void
on_reset (GtkWidget *widget, const char *action, GVariant *parameter)
{
  AssayMemoryChart *self = ASSAY_MEMORY_CHART (widget);

  self->zoomed = FALSE;
  chart_tell (self);
  assay_memory_chart_redraw (self);
}

void
assay_memory_chart_class_bind_input (GtkWidgetClass *widget_class)
{
  gtk_widget_class_bind_template_callback (widget_class, on_motion);
  gtk_widget_class_bind_template_callback (widget_class, on_leave);
  gtk_widget_class_bind_template_callback (widget_class, on_scroll);
  gtk_widget_class_bind_template_callback (widget_class, on_key_pressed);
  gtk_widget_class_bind_template_callback (widget_class, on_drag_begin);
  gtk_widget_class_bind_template_callback (widget_class, on_drag_update);
  gtk_widget_class_bind_template_callback (widget_class, on_pressed);
  gtk_widget_class_install_action (widget_class, "chart.zoom-in", NULL, on_zoom_in);
  gtk_widget_class_install_action (widget_class, "chart.zoom-out", NULL, on_zoom_out);
  gtk_widget_class_install_action (widget_class, "chart.reset", NULL, on_reset);
}
