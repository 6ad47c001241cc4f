/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-compare-table.c: cells, titles, order, and the same as text. */
#include "assay-compare-view-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "assay-accessible.h"
#include "assay-column-chooser.h"
#include "assay-compare.h"
#include "assay-display-text.h"
#include "assay-gate-mark.h"
#include "assay-tooltip.h"

#define SHOW_BUDGET_US 4000 /* of a frame */

/* Cells */

static AssayCompareColumn
object_get_column (gpointer object)
{
  return GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (object), "column"));
}

/* GTK 4.8 names a list's own widgets by their type: the cell is named by its text, the row by its run. */
static void
on_cell_mapped (GtkWidget *child)
{
  GtkWidget *cell = gtk_widget_get_parent (child);
  GtkWidget *row = cell != NULL ? gtk_widget_get_parent (cell) : NULL;
  const char *text = GTK_IS_LABEL (child) ? gtk_label_get_text (GTK_LABEL (child))
                                          : g_object_get_data (G_OBJECT (child), "text");

  assay_accessible_name (cell, text != NULL ? text : "");
  if (row != NULL && object_get_column (child) == ASSAY_COMPARE_RUN)
    assay_accessible_name (row, text);
}

/* Bold, tinted and marked: three ways to see that it is not the baseline's. Attributes that are set anew make the whole
 * list measure anew, so only what changes is touched. */
static void
label_show_difference (GtkLabel *label, gboolean differs)
{
  if (differs == gtk_widget_has_css_class (GTK_WIDGET (label), "differs"))
    return;
  g_autoptr(PangoAttrList) attributes = differs ? pango_attr_list_new () : NULL;
  if (differs)
    pango_attr_list_insert (attributes, pango_attr_weight_new (PANGO_WEIGHT_BOLD));
  gtk_label_set_attributes (label, attributes);
  if (differs)
    gtk_widget_add_css_class (GTK_WIDGET (label), "differs");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (label), "differs");
}

/* A text that is cut can be read whole in the tooltip, before the exact figure. */
static void
label_show (AssayCompareView *self, GtkLabel *label, AssayCompareRow *row, AssayCompareColumn column)
{
  const gboolean differs = assay_compare_row_differs (row, self->baseline, column);
  g_autofree char *text = assay_compare_row_dup_text (row, column, &self->units[column]);
  g_autofree char *marked = differs ? g_strconcat ("≠ ", text, NULL) : NULL;
  g_autofree char *exact = assay_compare_row_dup_tooltip (row, column);
  g_autofree char *both = !assay_compare_column_is_numeric (column) && exact != NULL
                            ? g_strdup_printf ("%s\n%s", text, exact) : NULL;

  label_show_difference (label, differs);
  gtk_label_set_text (label, differs ? marked : text);
  assay_tooltip_set (GTK_WIDGET (label), both != NULL ? both : exact != NULL ? exact : text);
}

static void
mark_show (AssayCompareView *self, GtkWidget *mark, AssayCompareRow *row, AssayCompareColumn column)
{
  AssayVerdict verdict;
  const char *evidence = assay_compare_row_get_evidence (row, column, &verdict);
  g_autofree char *text = assay_compare_row_dup_text (row, column, &self->units[column]);

  assay_gate_mark_set (ASSAY_GATE_MARK (mark), (AssayGate) (column - ASSAY_COMPARE_RAN), verdict, text, evidence);
  g_object_set_data_full (G_OBJECT (mark), "text", g_steal_pointer (&text), g_free);
}

static void
cell_show (AssayCompareView *self, GtkListItem *item)
{
  AssayCompareRow *row = gtk_list_item_get_item (item);
  GtkWidget *child = gtk_list_item_get_child (item);
  const AssayCompareColumn column = object_get_column (child);

  if (GTK_IS_LABEL (child))
    label_show (self, GTK_LABEL (child), row, column);
  else
    mark_show (self, child, row, column);
  if (gtk_widget_get_mapped (child))
    on_cell_mapped (child);
}

static GtkWidget *
cell_label_new (AssayCompareColumn column)
{
  GtkWidget *label = gtk_label_new (NULL);
  const gboolean to_left = gtk_widget_get_default_direction () == GTK_TEXT_DIR_RTL;

  gtk_label_set_xalign (GTK_LABEL (label), assay_compare_column_is_numeric (column) && !to_left ? 1.0f : 0.0f);
  if (!assay_compare_column_is_numeric (column) && column != ASSAY_COMPARE_STATUS) /* a figure is never cut */
    gtk_label_set_ellipsize (GTK_LABEL (label),
                             column == ASSAY_COMPARE_MODEL ? PANGO_ELLIPSIZE_MIDDLE : PANGO_ELLIPSIZE_END);
  gtk_label_set_single_line_mode (GTK_LABEL (label), TRUE);
  gtk_label_set_width_chars (GTK_LABEL (label), assay_compare_column_get_width (column));
  if (assay_compare_column_is_numeric (column))
    {
      gtk_widget_add_css_class (label, "numeric");
      gtk_widget_set_direction (label, GTK_TEXT_DIR_LTR); /* a mean stands before its range in any language */
    }
  return label;
}

static void
on_setup (GtkListItemFactory *factory, GtkListItem *item, AssayCompareView *self)
{
  const AssayCompareColumn column = object_get_column (factory);
  GtkWidget *child = assay_compare_column_is_gate (column) ? assay_gate_mark_new () : cell_label_new (column);

  g_object_set_data (G_OBJECT (child), "column", GUINT_TO_POINTER (column));
  g_signal_connect (child, "map", G_CALLBACK (on_cell_mapped), NULL);
  gtk_list_item_set_child (item, child);
}

static void
on_bind (GtkListItemFactory *factory, GtkListItem *item, AssayCompareView *self)
{
  g_object_set_data (G_OBJECT (gtk_list_item_get_child (item)), "item", item);
  g_hash_table_add (self->cells, item);
  cell_show (self, item);
}

static void
on_unbind (GtkListItemFactory *factory, GtkListItem *item, AssayCompareView *self)
{
  g_hash_table_remove (self->cells, item);
  g_hash_table_remove (self->stale, item);
  g_object_set_data (G_OBJECT (gtk_list_item_get_child (item)), "item", NULL);
}

/* FALSE: all are shown. */
static gboolean
table_show_stale (AssayCompareView *self)
{
  const gint64 end = g_get_monotonic_time () + SHOW_BUDGET_US;
  GHashTableIter iter;
  gpointer item;

  g_hash_table_iter_init (&iter, self->stale);
  while (g_get_monotonic_time () < end && g_hash_table_iter_next (&iter, &item, NULL))
    {
      g_hash_table_iter_remove (&iter);
      cell_show (self, item);
    }
  return g_hash_table_size (self->stale) > 0;
}

static gboolean
table_show_stale_cb (gpointer data)
{
  AssayCompareView *self = data;

  if (table_show_stale (self))
    return G_SOURCE_CONTINUE;
  self->stale_source = 0;
  return G_SOURCE_REMOVE;
}

/* GTK keeps the cells of two hundred rows. A few at a time, so that who scrolls meanwhile is not held up. */
void
compare_table_refresh (AssayCompareView *self)
{
  GHashTableIter iter;
  gpointer item;

  g_hash_table_iter_init (&iter, self->cells);
  while (g_hash_table_iter_next (&iter, &item, NULL))
    g_hash_table_add (self->stale, item);
  if (table_show_stale (self) && self->stale_source == 0)
    self->stale_source = g_idle_add (table_show_stale_cb, self);
}

/* Clicks with Ctrl held */

/* Of a cell's child, a cell or a row, or what lies within one. */
static GtkListItem *
widget_find_item (GtkWidget *widget, GtkWidget *table)
{
  for (; widget != NULL && widget != table; widget = gtk_widget_get_parent (widget))
    for (GtkWidget *inner = widget; inner != NULL; inner = gtk_widget_get_first_child (inner))
      {
        GtkListItem *item = g_object_get_data (G_OBJECT (inner), "item");
        if (item != NULL)
          return item;
      }
  return NULL;
}

/* In GTK 4.8 both the cell and its row take the click, and turn the row's state over twice. */
static void
on_table_pressed (GtkGestureClick *click, int n_press, double x, double y, AssayCompareView *self)
{
  const GdkModifierType state = gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (click));
  GtkWidget *table = GTK_WIDGET (self->table);
  const gboolean adds = (state & (GDK_CONTROL_MASK | GDK_SHIFT_MASK)) == GDK_CONTROL_MASK;
  GtkListItem *item
    = adds ? widget_find_item (gtk_widget_pick (table, x, y, GTK_PICK_DEFAULT), table) : NULL;

  if (item == NULL)
    {
      gtk_gesture_set_state (GTK_GESTURE (click), GTK_EVENT_SEQUENCE_DENIED);
      return;
    }
  const guint position = gtk_list_item_get_position (item);
  GtkSelectionModel *selection = GTK_SELECTION_MODEL (self->selection);
  if (gtk_selection_model_is_selected (selection, position))
    gtk_selection_model_unselect_item (selection, position);
  else
    gtk_selection_model_select_item (selection, position, FALSE);
  gtk_gesture_set_state (GTK_GESTURE (click), GTK_EVENT_SEQUENCE_CLAIMED);
}

static void
table_watch_clicks (AssayCompareView *self)
{
  GtkGesture *click = gtk_gesture_click_new ();

  gtk_event_controller_set_propagation_phase (GTK_EVENT_CONTROLLER (click), GTK_PHASE_CAPTURE);
  g_signal_connect_object (click, "pressed", G_CALLBACK (on_table_pressed), self, 0);
  gtk_widget_add_controller (GTK_WIDGET (self->table), GTK_EVENT_CONTROLLER (click));
}

/* Columns */

static int
sort_rows (gconstpointer a, gconstpointer b, gpointer column)
{
  return assay_compare_row_order ((AssayCompareRow *) a, (AssayCompareRow *) b, GPOINTER_TO_UINT (column));
}

static void
table_add_column (AssayCompareView *self, AssayCompareColumn column)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  g_autoptr(GtkCustomSorter) sorter = gtk_custom_sorter_new (sort_rows, GUINT_TO_POINTER (column), NULL);

  g_object_set_data (G_OBJECT (factory), "column", GUINT_TO_POINTER (column));
  g_signal_connect_object (factory, "setup", G_CALLBACK (on_setup), self, 0);
  g_signal_connect_object (factory, "bind", G_CALLBACK (on_bind), self, 0);
  g_signal_connect_object (factory, "unbind", G_CALLBACK (on_unbind), self, 0);
  g_autoptr(GtkColumnViewColumn) view_column
    = gtk_column_view_column_new (assay_compare_column_get_name (column), factory);
  gtk_column_view_column_set_sorter (view_column, GTK_SORTER (sorter));
  gtk_column_view_column_set_resizable (view_column, TRUE);
  gtk_column_view_column_set_expand (view_column, column == ASSAY_COMPARE_RUN);
  gtk_column_view_append_column (self->table, view_column);
  self->columns[column] = view_column;
}

/* From right to left the first column stands at the right, and GTK counts from the left all the same. */
static double
table_get_end (AssayCompareView *self, GtkAdjustment *across)
{
  return gtk_widget_get_direction (GTK_WIDGET (self->table)) == GTK_TEXT_DIR_RTL
             ? gtk_adjustment_get_upper (across) - gtk_adjustment_get_page_size (across)
             : 0;
}

static void
on_scrolled_across (AssayCompareView *self, GtkAdjustment *across)
{
  self->from_start = fabs (table_get_end (self, across) - gtk_adjustment_get_value (across));
}

static gboolean
table_scroll_back_cb (gpointer data)
{
  g_autoptr(AssayCompareView) self = data;
  GtkAdjustment *across = self->table != NULL ? gtk_scrollable_get_hadjustment (GTK_SCROLLABLE (self->table)) : NULL;

  if (across != NULL)
    gtk_adjustment_set_value (across, table_get_end (self, across) - self->from_start);
  return G_SOURCE_REMOVE;
}

/* While it is laid out: what is scrolled then would not be seen. */
static void
on_width_changed (AssayCompareView *self)
{
  if (gtk_widget_get_direction (GTK_WIDGET (self->table)) == GTK_TEXT_DIR_RTL)
    g_idle_add (table_scroll_back_cb, g_object_ref (self));
}

void
compare_table_add_columns (AssayCompareView *self)
{
  GtkAdjustment *across = gtk_scrollable_get_hadjustment (GTK_SCROLLABLE (self->table));

  for (guint column = 0; column < ASSAY_N_COMPARE_COLUMNS; column++)
    table_add_column (self, column);
  table_watch_clicks (self);
  g_signal_connect_object (across, "changed", G_CALLBACK (on_width_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (across, "value-changed", G_CALLBACK (on_scrolled_across), self, G_CONNECT_SWAPPED);
}

static double
table_find_greatest (AssayCompareView *self, AssayCompareColumn column)
{
  const guint n = g_list_model_get_n_items (G_LIST_MODEL (self->rows));
  double greatest = 0, figure;

  for (guint i = 0; i < n; i++)
    {
      g_autoptr(AssayCompareRow) row = g_list_model_get_item (G_LIST_MODEL (self->rows), i);
      if (assay_compare_row_get_greatest (row, column, &figure))
        greatest = MAX (greatest, figure);
    }
  return greatest;
}

/* NULL: rows tell of different memory. */
static const char *
table_get_memory (AssayCompareView *self)
{
  const guint n = g_list_model_get_n_items (G_LIST_MODEL (self->rows));
  gboolean vram = FALSE, ram = FALSE;

  for (guint i = 0; i < n; i++)
    {
      g_autoptr(AssayCompareRow) row = g_list_model_get_item (G_LIST_MODEL (self->rows), i);
      AssayRecord *record = assay_compare_row_get_record (row);
      const AssayFieldId peak = assay_compare_get_own_peak (record);
      if (assay_values_get_state (assay_record_get_burden (record), peak) != ASSAY_VALUE_SET)
        continue;
      vram |= peak == ASSAY_FIELD_PEAK_VRAM;
      ram |= peak != ASSAY_FIELD_PEAK_VRAM;
    }
  return vram == ram ? NULL : vram ? _("VRAM") : _("RAM");
}

/* What the score's column names: the criterion and its range. */
static AssayCompareUnit
table_get_score_unit (AssayCompareView *self)
{
  const AssayCriterion *criterion = self->ledger != NULL ? assay_compare_row_get_criterion (self->ledger) : NULL;
  AssayCompareUnit unit = { 1, "", NULL };

  if (criterion == NULL)
    return unit;
  const gboolean yes_no = criterion->kind == ASSAY_CRITERION_YES_NO;
  g_autofree char *label = assay_display_line (criterion->label != NULL ? criterion->label : criterion->id, 18);
  /* Translators: a criterion and what its mean counts: “groundedness, of 5”, “expected answer seen, % yes” */
  g_autofree char *name
    = g_strdup_printf (yes_no ? C_ ("unit", "%s, %% yes") : C_ ("unit", "%s, of 5"), label);
  unit.divisor = yes_no ? 0.01 : 1;
  g_strlcpy (unit.name, name, sizeof unit.name);
  return unit;
}

void
compare_table_update_units (AssayCompareView *self)
{
  self->units_stale = FALSE;
  for (guint column = 0; column < ASSAY_N_COMPARE_COLUMNS; column++)
    {
      const gboolean numeric = assay_compare_column_is_numeric (column);
      self->units[column] = column == ASSAY_COMPARE_SCORE
                              ? table_get_score_unit (self)
                              : assay_compare_unit_for (column, numeric ? table_find_greatest (self, column) : 0);
      if (column == ASSAY_COMPARE_PEAK)
        self->units[column].memory = table_get_memory (self);
      g_autofree char *title = assay_compare_column_dup_title (column, &self->units[column]);
      gtk_column_view_column_set_title (self->columns[column], title);
    }
}

void
compare_table_sort (AssayCompareView *self, AssayCompareColumn column)
{
  const gboolean again = self->sorted_by == (int) column && self->direction == GTK_SORT_ASCENDING;

  self->sorted_by = (int) column;
  self->direction = again ? GTK_SORT_DESCENDING : GTK_SORT_ASCENDING;
  gtk_column_view_sort_by_column (self->table, self->columns[column], self->direction);
}

/* Which columns are there */

static gboolean
row_deviates (AssayCompareRow *row, AssayCompareColumn column)
{
  g_autofree char *asked = assay_compare_row_dup_asked (row, column);

  return asked != NULL;
}

/* Two runs that differ in a condition, or one that did not run under the one it was to. */
static gboolean
table_varies (AssayCompareView *self, AssayCompareColumn column)
{
  const guint n = g_list_model_get_n_items (G_LIST_MODEL (self->rows));
  g_autoptr(AssayCompareRow) first = g_list_model_get_item (G_LIST_MODEL (self->rows), 0);

  for (guint i = 0; i < n; i++)
    {
      g_autoptr(AssayCompareRow) row = g_list_model_get_item (G_LIST_MODEL (self->rows), i);
      if (assay_compare_row_differs (row, assay_compare_row_get_record (first), column) || row_deviates (row, column))
        return TRUE;
    }
  return FALSE;
}

static gboolean
table_has (AssayCompareView *self, AssayCompareColumn column)
{
  const guint n = g_list_model_get_n_items (G_LIST_MODEL (self->rows));

  for (guint i = 0; i < n; i++)
    {
      g_autoptr(AssayCompareRow) row = g_list_model_get_item (G_LIST_MODEL (self->rows), i);
      if (assay_compare_row_has (row, column))
        return TRUE;
    }
  return FALSE;
}

/* Beside the run, where they are seen before anything else. A person may put them elsewhere: they are moved once only. */
static void
table_move_to_front (AssayCompareView *self, AssayCompareColumn column, guint position)
{
  if (self->moved[column])
    return;
  self->moved[column] = TRUE;
  gtk_column_view_insert_column (self->table, position, self->columns[column]);
}

void
compare_table_arrange (AssayCompareView *self)
{
  guint front = 1;

  for (guint column = 0; column < ASSAY_N_COMPARE_COLUMNS; column++)
    {
      if (!assay_compare_column_is_optional (column))
        continue;
      const gboolean condition = assay_compare_column_is_condition (column);
      const gboolean wanted = condition ? table_varies (self, column) : table_has (self, column);
      if (condition && wanted)
        table_move_to_front (self, column, front++);
      assay_column_chooser_suggest (self->columns[column], wanted);
    }
}

/* In sight, as the person put them */

static AssayCompareColumn
table_find_column (AssayCompareView *self, GtkColumnViewColumn *view_column)
{
  guint column = 0;

  while (column < ASSAY_N_COMPARE_COLUMNS && self->columns[column] != view_column)
    column++;
  return column;
}

GArray *
compare_table_dup_visible (AssayCompareView *self)
{
  GArray *visible = g_array_new (FALSE, FALSE, sizeof (guint));
  GListModel *columns = gtk_column_view_get_columns (self->table);

  for (guint i = 0; i < g_list_model_get_n_items (columns); i++)
    {
      g_autoptr(GtkColumnViewColumn) view_column = g_list_model_get_item (columns, i);
      const guint column = table_find_column (self, view_column);
      if (gtk_column_view_column_get_visible (view_column) && column < ASSAY_N_COMPARE_COLUMNS)
        g_array_append_val (visible, column);
    }
  return visible;
}

GPtrArray *
compare_table_dup_rows (AssayCompareView *self, gboolean selected)
{
  GPtrArray *rows = g_ptr_array_new_with_free_func (g_object_unref);
  GListModel *shown = G_LIST_MODEL (self->selection);
  g_autoptr(GtkBitset) chosen = gtk_selection_model_get_selection (GTK_SELECTION_MODEL (self->selection));
  const gboolean some = selected && !gtk_bitset_is_empty (chosen);

  for (guint i = 0; i < g_list_model_get_n_items (shown); i++)
    if (!some || gtk_bitset_contains (chosen, i))
      g_ptr_array_add (rows, g_list_model_get_item (shown, i));
  return rows;
}

/* To a row that was selected elsewhere; GTK 4.8 has this for its list alone, as an action of it. */
void
compare_table_scroll_to (AssayCompareView *self, guint position)
{
  for (GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (self->table)); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (GTK_IS_LIST_VIEW (child))
      gtk_widget_activate_action (child, "list.scroll-to-item", "u", position);
}
