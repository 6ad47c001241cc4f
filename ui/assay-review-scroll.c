/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-review-scroll.c: what is in sight where the panel is higher than its place: in a low window, and where the form
 * is stacked in a narrow one. */
#include "assay-review-view-private.h"

/* part: NULL is the top. */
static void
scroller_show (GtkScrolledWindow *scroller, GtkWidget *part)
{
  GtkAdjustment *scroll = gtk_scrolled_window_get_vadjustment (scroller);
  graphene_rect_t place;

  if (part == NULL)
    gtk_adjustment_set_value (scroll, 0);
  else if (gtk_widget_compute_bounds (part, GTK_WIDGET (scroller), &place))
    {
      const double at = gtk_adjustment_get_value (scroll) + place.origin.y;
      gtk_adjustment_clamp_page (scroll, at, at + place.size.height);
    }
}

/* The second frame from now: what has just been shown has a place by then. The window's views scroll too. */
static gboolean
scroll_cb (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  AssayReviewView *self = ASSAY_REVIEW_VIEW (widget);
  GtkWidget *within = self->scroll_to != NULL ? self->scroll_to : GTK_WIDGET (self->panes);

  if (self->scroll_frames++ < 1)
    return G_SOURCE_CONTINUE;
  self->scroll_id = 0;
  while ((within = gtk_widget_get_ancestor (within, GTK_TYPE_SCROLLED_WINDOW)) != NULL)
    {
      scroller_show (GTK_SCROLLED_WINDOW (within), self->scroll_to);
      within = gtk_widget_get_parent (within);
    }
  return G_SOURCE_REMOVE;
}

static void
view_scroll_to (AssayReviewView *self, GtkWidget *to)
{
  g_set_weak_pointer (&self->scroll_to, to);
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
