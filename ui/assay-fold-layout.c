/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-fold-layout.h"

#define LEAST_EXPANDED 260 /* px of a child that expands, unless it likes to be narrower */

struct _AssayFoldLayout
{
  GtkLayoutManager parent_instance;
  guint spacing;
};

G_DEFINE_FINAL_TYPE (AssayFoldLayout, assay_fold_layout, GTK_TYPE_LAYOUT_MANAGER)

enum { PROP_0, PROP_SPACING, N_PROPS };
static GParamSpec *properties[N_PROPS];

/* What the children come to, side by side. */
typedef struct
{
  int fixed;     /* px of those that do not expand, and of all gaps */
  int needed;    /* px of the others that keep them readable */
  int natural;   /* px of the others */
  int widest;    /* least px of any one */
  guint n, n_expand;
} Row;

static GtkWidget *
next_shown (GtkWidget *child)
{
  while (child != NULL && !gtk_widget_should_layout (child))
    child = gtk_widget_get_next_sibling (child);
  return child;
}

#define FOREACH_CHILD(child, widget)                                                                                    \
  for (GtkWidget *child = next_shown (gtk_widget_get_first_child (widget)); child != NULL;                              \
       child = next_shown (gtk_widget_get_next_sibling (child)))

static Row
row_measure (AssayFoldLayout *self, GtkWidget *widget)
{
  Row row = { 0 };
  FOREACH_CHILD (child, widget)
    {
      int least, natural;
      gtk_widget_measure (child, GTK_ORIENTATION_HORIZONTAL, -1, &least, &natural, NULL, NULL);
      row.widest = MAX (row.widest, least);
      row.n++;
      if (!gtk_widget_compute_expand (child, GTK_ORIENTATION_HORIZONTAL))
        {
          row.fixed += natural;
          continue;
        }
      row.n_expand++;
      row.needed += MIN (natural, MAX (least, LEAST_EXPANDED));
      row.natural += natural;
    }
  if (row.n > 1)
    row.fixed += (int) (self->spacing * (row.n - 1));
  return row;
}

static gboolean
row_folds (const Row *row, int width)
{
  return width >= 0 && width < row->fixed + row->needed;
}

/* Of the next child; the last one that expands takes what division leaves over. */
static int
row_take_width (const Row *row, GtkWidget *child, int width, guint *n_expanded)
{
  int natural;
  gtk_widget_measure (child, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &natural, NULL, NULL);
  if (!gtk_widget_compute_expand (child, GTK_ORIENTATION_HORIZONTAL))
    return natural;
  const int shared = MAX (width - row->fixed, 0), each = shared / (int) row->n_expand;
  return ++*n_expanded < row->n_expand ? each : shared - each * (int) (row->n_expand - 1);
}

static void
measure_height (AssayFoldLayout *self, GtkWidget *widget, int width, int *least, int *natural)
{
  const Row row = row_measure (self, widget);
  const gboolean folds = row_folds (&row, width);
  guint n_expanded = 0, n = 0;
  *least = *natural = 0;
  FOREACH_CHILD (child, widget)
    {
      const int own = width < 0 ? -1 : folds ? width : row_take_width (&row, child, width, &n_expanded);
      int child_least, child_natural;
      gtk_widget_measure (child, GTK_ORIENTATION_VERTICAL, own, &child_least, &child_natural, NULL, NULL);
      const int gap = folds && n++ > 0 ? (int) self->spacing : 0;
      *least = folds ? *least + child_natural + gap : MAX (*least, child_least);
      *natural = folds ? *natural + child_natural + gap : MAX (*natural, child_natural);
    }
}

static void
assay_fold_layout_measure (GtkLayoutManager *manager, GtkWidget *widget, GtkOrientation orientation, int for_size,
                           int *minimum, int *natural, int *minimum_baseline, int *natural_baseline)
{
  AssayFoldLayout *self = ASSAY_FOLD_LAYOUT (manager);
  if (orientation == GTK_ORIENTATION_VERTICAL)
    {
      measure_height (self, widget, for_size, minimum, natural);
      return;
    }
  const Row row = row_measure (self, widget);
  *minimum = row.widest;
  *natural = MAX (row.fixed + row.natural, row.widest);
}

/* px that are over, stacked, for each child that takes more height than it asks for. */
static int
stack_share_rest (AssayFoldLayout *self, GtkWidget *widget, int width, int height)
{
  int rest = height, n = 0, n_expand = 0;
  FOREACH_CHILD (child, widget)
    {
      int natural;
      gtk_widget_measure (child, GTK_ORIENTATION_VERTICAL, width, NULL, &natural, NULL, NULL);
      rest -= natural + (n++ > 0 ? (int) self->spacing : 0);
      n_expand += gtk_widget_compute_expand (child, GTK_ORIENTATION_VERTICAL);
    }
  return n_expand > 0 ? MAX (rest, 0) / n_expand : 0;
}

static void
assay_fold_layout_allocate (GtkLayoutManager *manager, GtkWidget *widget, int width, int height, int baseline)
{
  AssayFoldLayout *self = ASSAY_FOLD_LAYOUT (manager);
  const Row row = row_measure (self, widget);
  const gboolean folds = row_folds (&row, width);
  const gboolean mirrored = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL;
  const int more = folds ? stack_share_rest (self, widget, width, height) : 0;
  guint n_expanded = 0;
  int x = 0, y = 0;
  FOREACH_CHILD (child, widget)
    {
      const int own = folds ? width : row_take_width (&row, child, width, &n_expanded);
      int tall = height, natural;
      gtk_widget_measure (child, GTK_ORIENTATION_VERTICAL, own, NULL, &natural, NULL, NULL);
      if (folds)
        tall = natural + (gtk_widget_compute_expand (child, GTK_ORIENTATION_VERTICAL) ? more : 0);
      gtk_widget_size_allocate (child, &(GtkAllocation) { mirrored && !folds ? width - x - own : x, y, own, tall }, -1);
      if (folds)
        y += tall + (int) self->spacing;
      else
        x += own + (int) self->spacing;
    }
}

static GtkSizeRequestMode
assay_fold_layout_get_request_mode (GtkLayoutManager *manager, GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void
assay_fold_layout_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_SPACING)
    g_value_set_uint (value, ASSAY_FOLD_LAYOUT (object)->spacing);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
assay_fold_layout_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  AssayFoldLayout *self = ASSAY_FOLD_LAYOUT (object);
  if (id != PROP_SPACING)
    {
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      return;
    }
  self->spacing = g_value_get_uint (value);
  gtk_layout_manager_layout_changed (GTK_LAYOUT_MANAGER (self));
}

static void
assay_fold_layout_class_init (AssayFoldLayoutClass *klass)
{
  GtkLayoutManagerClass *manager_class = GTK_LAYOUT_MANAGER_CLASS (klass);
  G_OBJECT_CLASS (klass)->get_property = assay_fold_layout_get_property;
  G_OBJECT_CLASS (klass)->set_property = assay_fold_layout_set_property;
  manager_class->get_request_mode = assay_fold_layout_get_request_mode;
  manager_class->measure = assay_fold_layout_measure;
  manager_class->allocate = assay_fold_layout_allocate;
  properties[PROP_SPACING] = g_param_spec_uint ("spacing", NULL, NULL, 0, 100, 0,
                                                G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (G_OBJECT_CLASS (klass), N_PROPS, properties);
}

static void
assay_fold_layout_init (AssayFoldLayout *self)
{
}
