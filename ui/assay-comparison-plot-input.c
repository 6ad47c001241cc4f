/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-comparison-plot-input.c: what the pointer and keys do: left and right walk the marks by their time, up and
 * down by their memory, Enter selects, and with Ctrl held adds or takes away. */
#include "assay-comparison-plot-private.h"

#include <string.h>

void
comparison_plot_tell (AssayComparisonPlot *self)
{
  g_autofree char *words = assay_comparison_plot_dup_readout (self);

  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                  words != NULL ? words : "", -1);
}

/* Selecting */

/* (transfer full) the rows of a mark: one, or as many as it has repeats where these stand apart. */
static GtkBitset *
plot_dup_positions (AssayComparisonPlot *self, int mark)
{
  GtkBitset *positions = gtk_bitset_new_empty ();
  const guint n = g_list_model_get_n_items (G_LIST_MODEL (self->rows));

  for (guint i = 0; i < n; i++)
    {
      g_autoptr(GObject) row = g_list_model_get_item (G_LIST_MODEL (self->rows), i);
      if (comparison_plot_find_row (self, row) == mark)
        gtk_bitset_add (positions, i);
    }
  return positions;
}

/* add: to what is selected, or away from it when all of it is. */
static void
plot_select (AssayComparisonPlot *self, int mark, gboolean add)
{
  g_autoptr(GtkBitset) mask = gtk_bitset_new_empty ();

  if (self->rows == NULL || mark < 0)
    return;
  g_autoptr(GtkBitset) positions = plot_dup_positions (self, mark);
  if (gtk_bitset_is_empty (positions))
    return;
  if (add)
    gtk_bitset_union (mask, positions);
  else
    gtk_bitset_add_range (mask, 0, g_list_model_get_n_items (G_LIST_MODEL (self->rows)));
  const guint first = gtk_bitset_get_minimum (positions);
  if (add && self->selected[mark] != 0)
    gtk_bitset_subtract (positions, mask);
  gtk_selection_model_set_selection (self->rows, positions, mask);
  g_signal_emit_by_name (self, "chosen", first);
}

static gboolean
state_adds (GdkModifierType state)
{
  return (state & (GDK_CONTROL_MASK | GDK_SHIFT_MASK)) != 0;
}

/* The pointer */

static void
plot_hover (AssayComparisonPlot *self, int mark)
{
  if (mark == self->hovered)
    return;
  self->hovered = mark;
  comparison_plot_tell (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
on_motion (GtkEventControllerMotion *motion, double x, double y, AssayComparisonPlot *self)
{
  plot_hover (self, self->data != NULL ? assay_plot_layout_find (&self->layout, self->data, x, y) : -1);
}

static void
on_leave (GtkEventControllerMotion *motion, AssayComparisonPlot *self)
{
  plot_hover (self, -1);
}

static void
on_pressed (GtkGestureClick *click, int n_press, double x, double y, AssayComparisonPlot *self)
{
  const GdkModifierType state = gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (click));
  const int mark = self->data != NULL ? assay_plot_layout_find (&self->layout, self->data, x, y) : -1;

  gtk_widget_grab_focus (GTK_WIDGET (self));
  if (mark < 0)
    return;
  self->focused = mark;
  if (n_press == 2)
    g_signal_emit_by_name (self, "mark-activated", assay_plot_data_get_mark (self->data, (guint) mark)->record);
  else
    plot_select (self, mark, state_adds (state));
  comparison_plot_tell (self);
}

/* Keys */

static void
plot_focus (AssayComparisonPlot *self, int mark)
{
  const int last = (int) self->data->marks->len - 1;

  self->focused = CLAMP (mark, 0, last);
  self->hovered = -1; /* a pointer that lies still says nothing any more */
  comparison_plot_redraw (self);
  comparison_plot_tell (self);
}

/* The next one up or down; of those as high, the next in time. */
static int
plot_find_beside (AssayComparisonPlot *self, gboolean up)
{
  const AssayPlotData *data = self->data;
  const double from = assay_plot_data_get_mark (data, (guint) self->focused)->peak.at;
  int found = -1;

  for (int i = 0; i < (int) data->marks->len; i++)
    {
      const double at = assay_plot_data_get_mark (data, (guint) i)->peak.at;
      const gboolean beyond = at == from ? (up ? i > self->focused : i < self->focused) : (at > from) == up;
      if (!beyond)
        continue;
      const double best = found >= 0 ? assay_plot_data_get_mark (data, (guint) found)->peak.at : 0.0;
      if (found < 0 || (up ? at < best : at >= best))
        found = i;
    }
  return found >= 0 ? found : self->focused;
}

static gboolean
plot_walk (AssayComparisonPlot *self, guint keyval)
{
  const gboolean begins = self->focused < 0;

  switch (keyval)
    {
    case GDK_KEY_Left:
    case GDK_KEY_Right:
      plot_focus (self, begins ? 0 : self->focused + (keyval == GDK_KEY_Left ? -1 : 1));
      return TRUE;
    case GDK_KEY_Up:
    case GDK_KEY_Down:
      plot_focus (self, begins ? 0 : plot_find_beside (self, keyval == GDK_KEY_Up));
      return TRUE;
    case GDK_KEY_Home:
      plot_focus (self, 0);
      return TRUE;
    case GDK_KEY_End:
      plot_focus (self, G_MAXINT);
      return TRUE;
    default:
      return FALSE;
    }
}

static gboolean
on_key_pressed (GtkEventControllerKey *keys, guint keyval, guint code, GdkModifierType state, AssayComparisonPlot *self)
{
  if (self->data == NULL || self->data->marks->len == 0)
    return GDK_EVENT_PROPAGATE;
  if (plot_walk (self, keyval))
    return GDK_EVENT_STOP;
  if (self->focused < 0
      || (keyval != GDK_KEY_Return && keyval != GDK_KEY_KP_Enter && keyval != GDK_KEY_space && keyval != GDK_KEY_ISO_Enter))
    return GDK_EVENT_PROPAGATE;
  plot_select (self, self->focused, state_adds (state));
  return GDK_EVENT_STOP;
}

/* Keys that arrive begin at what is selected, or at the first in time. */
static void
on_focus_changed (AssayComparisonPlot *self)
{
  const guint n = self->data != NULL ? self->data->marks->len : 0;

  if (self->focused < 0 && n > 0)
    {
      const guint8 *chosen = memchr (self->selected, 1, n);
      self->focused = chosen != NULL ? (int) (chosen - self->selected) : 0;
    }
  comparison_plot_redraw (self);
  comparison_plot_tell (self);
}

static void
plot_add (AssayComparisonPlot *self, GtkEventController *controller)
{
  gtk_widget_add_controller (GTK_WIDGET (self), controller);
}

void
comparison_plot_add_input (AssayComparisonPlot *self)
{
  GtkEventController *motion = gtk_event_controller_motion_new ();
  GtkEventController *keys = gtk_event_controller_key_new ();
  GtkGesture *click = gtk_gesture_click_new ();

  g_signal_connect_object (motion, "motion", G_CALLBACK (on_motion), self, 0);
  g_signal_connect_object (motion, "leave", G_CALLBACK (on_leave), self, 0);
  g_signal_connect_object (keys, "key-pressed", G_CALLBACK (on_key_pressed), self, 0);
  g_signal_connect (self, "notify::has-focus", G_CALLBACK (on_focus_changed), NULL);
  g_signal_connect_object (click, "pressed", G_CALLBACK (on_pressed), self, 0);
  plot_add (self, motion);
  plot_add (self, keys);
  plot_add (self, GTK_EVENT_CONTROLLER (click));
}
