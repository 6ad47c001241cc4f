/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-review-scroll.c: what is in sight of the form where it is higher than its place: in a low window, and stacked
 * in a narrow one. */
#include "assay-review-view-private.h"

/* The second frame from now: what has just been shown has a place by then. */
static gboolean
scroll_cb (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  AssayReviewView *self = ASSAY_REVIEW_VIEW (widget);
  GtkAdjustment *scroll = gtk_scrolled_window_get_vadjustment (self->form);
  graphene_rect_t place;

  if (self->scroll_frames++ < 1)
    return G_SOURCE_CONTINUE;
  self->scroll_id = 0;
  if (self->scroll_to == NULL)
    gtk_adjustment_set_value (scroll, 0);
  else if (gtk_widget_compute_bounds (self->scroll_to, GTK_WIDGET (self->panes), &place))
    {
      graphene_point_t top;
      if (gtk_widget_compute_point (GTK_WIDGET (self->panes), gtk_scrolled_window_get_child (self->form), &place.origin,
                                    &top))
        {
          const double at = gtk_adjustment_get_value (scroll) + top.y;
          gtk_adjustment_clamp_page (scroll, at, at + place.size.height);
        }
    }
  return G_SOURCE_REMOVE;
}

static void
view_scroll_to (AssayReviewView *self, GtkWidget *to)
{
  self->scroll_to = to;
  self->scroll_frames = 0;
  if (self->scroll_id == 0)
    self->scroll_id = gtk_widget_add_tick_callback (GTK_WIDGET (self), scroll_cb, NULL, NULL);
}

void
review_view_show_part (AssayReviewView *self, GtkWidget *part)
{
  view_scroll_to (self, part);
}

void
review_view_show_answer (AssayReviewView *self)
{
  if (assay_fold_panes_is_stacked (self->panes))
    view_scroll_to (self, NULL);
}

void
review_view_begin_answer (AssayReviewView *self)
{
  assay_rubric_focus (self->rubric, NULL);
  review_view_show_answer (self);
}
