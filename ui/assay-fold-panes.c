/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-fold-panes.c: see the header. GtkPaned cannot be derived from: it is the only child, turned as it is given its
 * size. What the whole needs is reckoned here, since the paned can only tell it of the way it lies. */
#include "assay-fold-panes.h"

#include "assay-focus.h"

struct _AssayFoldPanes
{
  GtkWidget parent_instance;

  GtkPaned *paned;      /* child */
  gboolean allocating;  /* the divider follows the size, not a person */
  int side_place;       /* px of the start part beside the other, in `side_width`; -1: nobody chose it */
  int side_width;
  int stacked_place;    /* px of the start part above the other; -1: nobody chose it */
};

enum { PROP_0, PROP_START_CHILD, PROP_END_CHILD, N_PROPS };

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AssayFoldPanes, assay_fold_panes, GTK_TYPE_WIDGET)

/* px in one direction: the start part, the divider and the end part. */
typedef struct
{
  int start_least, start_natural;
  int end_least, end_natural;
  int divider;
} Needs;

static int
measure_divider (GtkWidget *start)
{
  GtkWidget *divider = gtk_widget_get_next_sibling (start);
  int across, along;

  gtk_widget_measure (divider, GTK_ORIENTATION_HORIZONTAL, -1, &across, NULL, NULL, NULL);
  gtk_widget_measure (divider, GTK_ORIENTATION_VERTICAL, -1, &along, NULL, NULL, NULL);
  return MAX (across, along); /* whichever way it lies */
}

static Needs
panes_measure (AssayFoldPanes *self, GtkOrientation orientation, int start_size, int end_size)
{
  GtkWidget *start = gtk_paned_get_start_child (self->paned);
  GtkWidget *end = gtk_paned_get_end_child (self->paned);
  Needs needs;

  gtk_widget_measure (start, orientation, start_size, &needs.start_least, &needs.start_natural, NULL, NULL);
  gtk_widget_measure (end, orientation, end_size, &needs.end_least, &needs.end_natural, NULL, NULL);
  needs.divider = measure_divider (start);
  return needs;
}

static gboolean
needs_stack (const Needs *across, int width)
{
  return width >= 0 && width < across->start_least + across->divider + across->end_least;
}

/* px of the start part beside the other: where a person put the divider, in proportion; else as the parts need it. */
static int
panes_get_side_place (AssayFoldPanes *self, const Needs *across, int width)
{
  const int shared = width - across->divider;
  const int both = MAX (across->start_least + across->end_least, 1);
  const double place = self->side_place >= 0 ? (double) self->side_place * width / self->side_width
                                             : (double) shared * across->start_least / both;

  return CLAMP ((int) (place + 0.5), across->start_least, MAX (shared - across->end_least, across->start_least));
}

static void
panes_measure_height (AssayFoldPanes *self, int width, int *least, int *natural)
{
  const Needs across = panes_measure (self, GTK_ORIENTATION_HORIZONTAL, -1, -1);

  if (needs_stack (&across, width))
    {
      const Needs down = panes_measure (self, GTK_ORIENTATION_VERTICAL, width, width);
      *least = *natural = down.start_natural + down.divider + down.end_natural;
      return;
    }
  const int place = width < 0 ? -1 : panes_get_side_place (self, &across, width);
  const Needs down
      = panes_measure (self, GTK_ORIENTATION_VERTICAL, place, place < 0 ? -1 : width - across.divider - place);
  *least = MAX (down.start_least, down.end_least);
  *natural = MAX (down.start_natural, down.end_natural);
}

static void
assay_fold_panes_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                          int *minimum_baseline, int *natural_baseline)
{
  AssayFoldPanes *self = ASSAY_FOLD_PANES (widget);

  if (orientation == GTK_ORIENTATION_VERTICAL)
    {
      panes_measure_height (self, for_size, minimum, natural);
      return;
    }
  const Needs across = panes_measure (self, GTK_ORIENTATION_HORIZONTAL, -1, -1);
  *minimum = MAX (across.start_least, across.end_least);
  *natural = across.start_natural + across.divider + across.end_natural;
}

/* The paned moves its divider in proportion to the size that it had before, lying another way perhaps: what is wanted is
 * told it once it has the new one. */
static void
panes_allocate (AssayFoldPanes *self, int width, int height, int place)
{
  GtkWidget *paned = GTK_WIDGET (self->paned);

  gtk_widget_allocate (paned, width, height, -1, NULL);
  if (gtk_paned_get_position (self->paned) == place)
    return;
  gtk_paned_set_position (self->paned, place);
  gtk_widget_allocate (paned, width, height, -1, NULL);
}

static void
assay_fold_panes_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  AssayFoldPanes *self = ASSAY_FOLD_PANES (widget);
  const Needs across = panes_measure (self, GTK_ORIENTATION_HORIZONTAL, -1, -1);
  const gboolean stacked = needs_stack (&across, width);
  int place;

  if (stacked)
    {
      const Needs down = panes_measure (self, GTK_ORIENTATION_VERTICAL, width, width);
      const int most = MAX (height - down.divider - down.end_least, down.start_least);
      place = self->stacked_place >= 0 ? CLAMP (self->stacked_place, down.start_least, most)
                                       : MAX (height - down.divider - down.end_natural, down.start_least);
    }
  else
    place = panes_get_side_place (self, &across, width);
  self->allocating = TRUE;
  gtk_orientable_set_orientation (GTK_ORIENTABLE (self->paned),
                                  stacked ? GTK_ORIENTATION_VERTICAL : GTK_ORIENTATION_HORIZONTAL);
  panes_allocate (self, width, height, place);
  self->allocating = FALSE;
}

static GtkSizeRequestMode
assay_fold_panes_get_request_mode (GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

gboolean
assay_fold_panes_is_stacked (AssayFoldPanes *self)
{
  g_return_val_if_fail (ASSAY_IS_FOLD_PANES (self), FALSE);
  return gtk_orientable_get_orientation (GTK_ORIENTABLE (self->paned)) == GTK_ORIENTATION_VERTICAL;
}

static void
on_moved (GtkPaned *paned, GParamSpec *pspec, AssayFoldPanes *self)
{
  if (self->allocating || gtk_widget_get_width (GTK_WIDGET (self)) == 0)
    return;
  if (assay_fold_panes_is_stacked (self))
    {
      self->stacked_place = gtk_paned_get_position (paned);
      return;
    }
  self->side_place = gtk_paned_get_position (paned);
  self->side_width = gtk_widget_get_width (GTK_WIDGET (self));
}

static void
assay_fold_panes_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  AssayFoldPanes *self = ASSAY_FOLD_PANES (object);

  if (id == PROP_START_CHILD)
    g_value_set_object (value, gtk_paned_get_start_child (self->paned));
  else if (id == PROP_END_CHILD)
    g_value_set_object (value, gtk_paned_get_end_child (self->paned));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
assay_fold_panes_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  AssayFoldPanes *self = ASSAY_FOLD_PANES (object);

  if (id == PROP_START_CHILD)
    gtk_paned_set_start_child (self->paned, g_value_get_object (value));
  else if (id == PROP_END_CHILD)
    gtk_paned_set_end_child (self->paned, g_value_get_object (value));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
assay_fold_panes_dispose (GObject *object)
{
  AssayFoldPanes *self = ASSAY_FOLD_PANES (object);

  if (self->paned != NULL)
    gtk_widget_unparent (GTK_WIDGET (self->paned));
  self->paned = NULL;
  G_OBJECT_CLASS (assay_fold_panes_parent_class)->dispose (object);
}

static void
assay_fold_panes_class_init (AssayFoldPanesClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS;

  object_class->dispose = assay_fold_panes_dispose;
  object_class->get_property = assay_fold_panes_get_property;
  object_class->set_property = assay_fold_panes_set_property;
  widget_class->focus = assay_focus_through;
  widget_class->measure = assay_fold_panes_measure;
  widget_class->size_allocate = assay_fold_panes_size_allocate;
  widget_class->get_request_mode = assay_fold_panes_get_request_mode;
  properties[PROP_START_CHILD] = g_param_spec_object ("start-child", NULL, NULL, GTK_TYPE_WIDGET, flags);
  properties[PROP_END_CHILD] = g_param_spec_object ("end-child", NULL, NULL, GTK_TYPE_WIDGET, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
assay_fold_panes_init (AssayFoldPanes *self)
{
  self->side_place = self->stacked_place = -1;
  self->paned = GTK_PANED (gtk_paned_new (GTK_ORIENTATION_HORIZONTAL));
  gtk_paned_set_shrink_start_child (self->paned, FALSE);
  gtk_paned_set_shrink_end_child (self->paned, FALSE);
  gtk_widget_set_parent (GTK_WIDGET (self->paned), GTK_WIDGET (self));
  g_signal_connect (self->paned, "notify::position", G_CALLBACK (on_moved), self);
}
