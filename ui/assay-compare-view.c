/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-compare-view.h"

#include <glib/gi18n-lib.h>

#include "assay-accessible.h"
#include "assay-column-chooser.h"
#include "assay-compare-row.h"
#include "assay-compare.h"
#include "assay-display-text.h"
#include "assay-run-row.h"

#define MOST_FINDINGS 4u /* pairs told; a table of a thousand selected runs is not a sentence */

struct _AssayCompareView
{
  AdwBin parent_instance;

  /* owned */
  AssayLedger *ledger;
  GSignalGroup *ledger_signals;
  GListStore *rows;             /* of AssayCompareRow, as the ledger has its runs */
  GtkMultiSelection *selection;
  AssayRecord *baseline;
  guint refresh_source;

  /* borrowed: the table's */
  GtkColumnViewColumn *columns[ASSAY_N_COMPARE_COLUMNS];

  /* template children */
  GtkStack *stack;
  GtkColumnView *table;
  GtkMenuButton *chooser;
  GtkLabel *findings, *baseline_words;
};

enum { PROP_0, PROP_LEDGER, N_PROPS };
enum { RUN_ACTIVATED, REFRESH, N_SIGNALS };

static GParamSpec *properties[N_PROPS];
static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (AssayCompareView, assay_compare_view, ADW_TYPE_BIN)

/* Cells */

static AssayCompareColumn
factory_get_column (GtkListItemFactory *factory)
{
  return GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (factory), "column"));
}

/* GTK 4.8 names a list's own widgets by their type: the cell is named by its text, the row by its run. */
static void
cell_name (GtkWidget *label, AssayCompareColumn column)
{
  GtkWidget *cell = gtk_widget_get_parent (label);
  GtkWidget *row = cell != NULL ? gtk_widget_get_parent (cell) : NULL;
  const char *text = gtk_label_get_text (GTK_LABEL (label));

  assay_accessible_name (cell, text);
  if (row != NULL && column == ASSAY_COMPARE_RUN)
    assay_accessible_name (row, text);
}

static void
on_cell_mapped (GtkWidget *label)
{
  cell_name (label, GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (label), "column")));
}

static void
cell_show (AssayCompareView *self, GtkListItem *item)
{
  AssayCompareRow *row = gtk_list_item_get_item (item);
  GtkWidget *label = gtk_list_item_get_child (item);
  const AssayCompareColumn column = GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (label), "column"));
  const gboolean differs = assay_compare_row_differs (row, self->baseline, column);
  g_autofree char *text = assay_compare_row_dup_text (row, column);
  g_autofree char *marked = differs ? g_strconcat ("≠ ", text, NULL) : NULL;
  g_autofree char *tooltip = assay_compare_row_dup_tooltip (row, column);
  g_autoptr(PangoAttrList) attributes = pango_attr_list_new ();

  if (differs)
    pango_attr_list_insert (attributes, pango_attr_weight_new (PANGO_WEIGHT_BOLD));
  gtk_label_set_attributes (GTK_LABEL (label), attributes);
  gtk_label_set_text (GTK_LABEL (label), differs ? marked : text);
  gtk_widget_set_tooltip_text (label, tooltip);
  if (gtk_widget_get_mapped (label))
    on_cell_mapped (label);
}

static const int width_chars[ASSAY_N_COMPARE_COLUMNS] = {
  [ASSAY_COMPARE_RUN] = 36,          [ASSAY_COMPARE_STATUS] = 12,         [ASSAY_COMPARE_RAN] = 12,
  [ASSAY_COMPARE_GOOD] = 12,         [ASSAY_COMPARE_BEARABLE] = 12,       [ASSAY_COMPARE_MODEL] = 24,
  [ASSAY_COMPARE_QUANTIZATION] = 12, [ASSAY_COMPARE_CONTEXT_LENGTH] = 15, [ASSAY_COMPARE_COMPUTE_DTYPE] = 12,
  [ASSAY_COMPARE_PEAK] = 13,         [ASSAY_COMPARE_TIME] = 11,           [ASSAY_COMPARE_SPEED] = 13,
  [ASSAY_COMPARE_FORETOLD] = 12,     [ASSAY_COMPARE_ERROR] = 23,          [ASSAY_COMPARE_LINK] = 11,
  [ASSAY_COMPARE_STALL] = 9,         [ASSAY_COMPARE_PLAN] = 16,           [ASSAY_COMPARE_OFFLOAD] = 12,
};

static void
on_setup (GtkListItemFactory *factory, GtkListItem *item, AssayCompareView *self)
{
  const AssayCompareColumn column = factory_get_column (factory);
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), assay_compare_column_is_numeric (column) ? 1.0f : 0.0f);
  gtk_label_set_ellipsize (GTK_LABEL (label),
                           column == ASSAY_COMPARE_MODEL ? PANGO_ELLIPSIZE_MIDDLE : PANGO_ELLIPSIZE_END);
  gtk_label_set_width_chars (GTK_LABEL (label), width_chars[column]);
  if (assay_compare_column_is_numeric (column))
    gtk_widget_add_css_class (label, "numeric");
  g_object_set_data (G_OBJECT (label), "column", GUINT_TO_POINTER (column));
  g_signal_connect (label, "map", G_CALLBACK (on_cell_mapped), NULL);
  gtk_list_item_set_child (item, label);
}

static void
on_bind (GtkListItemFactory *factory, GtkListItem *item, AssayCompareView *self)
{
  const gulong handler = g_signal_connect (self, "refresh", G_CALLBACK (cell_show), item);

  g_object_set_data (G_OBJECT (item), "handler", GSIZE_TO_POINTER (handler));
  cell_show (self, item);
}

static void
on_unbind (GtkListItemFactory *factory, GtkListItem *item, AssayCompareView *self)
{
  const gulong handler = GPOINTER_TO_SIZE (g_object_steal_data (G_OBJECT (item), "handler"));

  if (handler != 0)
    g_signal_handler_disconnect (self, handler);
}

static int
sort_rows (gconstpointer a, gconstpointer b, gpointer column)
{
  return assay_compare_row_order ((AssayCompareRow *) a, (AssayCompareRow *) b, GPOINTER_TO_UINT (column));
}

static void
view_add_column (AssayCompareView *self, AssayCompareColumn column)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  GtkColumnViewColumn *view_column;
  GtkCustomSorter *sorter = gtk_custom_sorter_new (sort_rows, GUINT_TO_POINTER (column), NULL);

  g_object_set_data (G_OBJECT (factory), "column", GUINT_TO_POINTER (column));
  g_signal_connect_object (factory, "setup", G_CALLBACK (on_setup), self, 0);
  g_signal_connect_object (factory, "bind", G_CALLBACK (on_bind), self, 0);
  g_signal_connect_object (factory, "unbind", G_CALLBACK (on_unbind), self, 0);
  view_column = gtk_column_view_column_new (assay_compare_column_get_title (column), factory);
  gtk_column_view_column_set_sorter (view_column, GTK_SORTER (sorter));
  gtk_column_view_column_set_resizable (view_column, TRUE);
  gtk_column_view_column_set_expand (view_column, column == ASSAY_COMPARE_RUN);
  gtk_column_view_append_column (self->table, view_column);
  self->columns[column] = view_column;
  g_object_unref (view_column);
  g_object_unref (sorter);
}

/* What is selected, in the ledger's order */

static GPtrArray *
view_dup_selected (AssayCompareView *self)
{
  g_autoptr(GHashTable) chosen = g_hash_table_new (NULL, NULL);
  GPtrArray *records = g_ptr_array_new ();
  const guint n_shown = g_list_model_get_n_items (G_LIST_MODEL (self->selection));

  for (guint i = 0; i < n_shown; i++)
    if (gtk_selection_model_is_selected (GTK_SELECTION_MODEL (self->selection), i))
      {
        g_autoptr(AssayCompareRow) row = g_list_model_get_item (G_LIST_MODEL (self->selection), i);
        g_hash_table_add (chosen, assay_compare_row_get_record (row));
      }
  const guint n_runs = self->ledger != NULL ? assay_ledger_get_n_runs (self->ledger) : 0;
  for (guint i = 0; i < n_runs && records->len < g_hash_table_size (chosen); i++)
    if (g_hash_table_contains (chosen, assay_ledger_get_run (self->ledger, i)))
      g_ptr_array_add (records, assay_ledger_get_run (self->ledger, i));
  return records;
}

static void
append_finding (GString *words, AssayLedger *ledger, AssayRecord *a, AssayRecord *b)
{
  g_autoptr(AssayComparison) comparison = assay_compare_runs (ledger, a, b);
  g_autofree char *from = assay_display_line (assay_run_get_short_id (assay_record_get_id (a)), 24);
  g_autofree char *to = assay_display_line (assay_run_get_short_id (assay_record_get_id (b)), 24);
  g_autofree char *sentence = assay_display_line (comparison->sentence, 600);

  if (words->len > 0)
    g_string_append_c (words, '\n');
  g_string_append_printf (words, "%s → %s: %s", from, to, sentence);
}

static void
view_show_findings (AssayCompareView *self, GPtrArray *selected)
{
  GString *words = g_string_new (NULL);

  for (guint i = 1; i < selected->len && i <= MOST_FINDINGS; i++)
    append_finding (words, self->ledger, g_ptr_array_index (selected, 0), g_ptr_array_index (selected, i));
  if (selected->len > MOST_FINDINGS + 1)
    g_string_append_printf (words, _("\nand %u more; select fewer to read them"),
                            selected->len - MOST_FINDINGS - 1);
  gtk_label_set_text (
      self->findings,
      words->len > 0 ? words->str : _("Select two or more runs to read what differs and what that shows."));
  g_string_free (words, TRUE);
}

static void
view_show_baseline (AssayCompareView *self, gboolean chosen)
{
  if (self->baseline == NULL)
    return;
  g_autofree char *id
      = assay_display_line (assay_run_get_short_id (assay_record_get_id (self->baseline)), 24);
  g_autofree char *words = g_strdup_printf (
      chosen ? _("Conditions that differ from run %s, the first selected, are bold and marked ≠.")
             : _("Conditions that differ from run %s, the oldest, are bold and marked ≠."),
      id);
  gtk_label_set_text (self->baseline_words, words);
}

static void
view_update_findings (AssayCompareView *self)
{
  g_autoptr(GPtrArray) selected = view_dup_selected (self);
  const guint n_runs = self->ledger != NULL ? assay_ledger_get_n_runs (self->ledger) : 0;
  AssayRecord *baseline = selected->len > 0 ? g_ptr_array_index (selected, 0)
                          : n_runs > 0      ? assay_ledger_get_run (self->ledger, 0)
                                            : NULL;

  view_show_findings (self, selected);
  g_set_object (&self->baseline, baseline);
  view_show_baseline (self, selected->len > 0);
  gtk_stack_set_visible_child_name (self->stack, n_runs > 0 ? "table" : "empty");
}

static gboolean
view_has (AssayCompareView *self, AssayCompareColumn column)
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

/* A ledger of runs in RAM has no use for columns about a link. */
static void
view_suggest_columns (AssayCompareView *self)
{
  for (guint column = 0; column < ASSAY_N_COMPARE_COLUMNS; column++)
    if (assay_compare_column_is_optional (column))
      assay_column_chooser_suggest (self->columns[column], view_has (self, column));
}

/* After the models have settled: a change comes once per layer of them. */
static gboolean
view_refresh_cb (gpointer data)
{
  AssayCompareView *self = data;

  self->refresh_source = 0;
  view_update_findings (self);
  g_signal_emit (self, signals[REFRESH], 0);
  return G_SOURCE_REMOVE;
}

static void
view_queue_refresh (AssayCompareView *self)
{
  if (self->refresh_source == 0)
    self->refresh_source = g_idle_add (view_refresh_cb, self);
}

/* A store of our own: GTK 4.8's GtkMapListModel mixes items up when one is replaced. */
static void
view_splice_rows (AssayCompareView *self, guint position, guint n_removed, guint n_added)
{
  g_autoptr(GPtrArray) added = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < n_added; i++)
    g_ptr_array_add (added,
                     assay_compare_row_new (self->ledger, assay_ledger_get_run (self->ledger, position + i)));
  g_list_store_splice (self->rows, position, n_removed, added->pdata, n_added);
}

static void
on_ledger_changed (AssayCompareView *self, guint position, guint n_removed, guint n_added)
{
  const guint n = g_list_model_get_n_items (G_LIST_MODEL (self->rows));

  for (guint i = 0; i < n; i++)
    {
      g_autoptr(AssayCompareRow) row = g_list_model_get_item (G_LIST_MODEL (self->rows), i);
      assay_compare_row_forget (row);
    }
  view_splice_rows (self, position, n_removed, n_added);
  view_suggest_columns (self);
  view_queue_refresh (self);
}

static void
on_activate (GtkColumnView *table, guint position, AssayCompareView *self)
{
  g_autoptr(AssayCompareRow) row = g_list_model_get_item (G_LIST_MODEL (self->selection), position);

  if (row != NULL)
    g_signal_emit (self, signals[RUN_ACTIVATED], 0, assay_compare_row_get_record (row));
}

void
assay_compare_view_set_ledger (AssayCompareView *self, AssayLedger *ledger)
{
  g_return_if_fail (ASSAY_IS_COMPARE_VIEW (self));

  if (!g_set_object (&self->ledger, ledger))
    return;
  view_splice_rows (self, 0, g_list_model_get_n_items (G_LIST_MODEL (self->rows)),
                    ledger != NULL ? assay_ledger_get_n_runs (ledger) : 0);
  view_suggest_columns (self);
  g_signal_group_set_target (self->ledger_signals, ledger);
  view_update_findings (self);
  view_queue_refresh (self);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_LEDGER]);
}

void
assay_compare_view_select (AssayCompareView *self, const char *const *run_ids)
{
  g_return_if_fail (ASSAY_IS_COMPARE_VIEW (self));

  const guint n = g_list_model_get_n_items (G_LIST_MODEL (self->selection));
  gtk_selection_model_unselect_all (GTK_SELECTION_MODEL (self->selection));
  for (guint i = 0; i < n; i++)
    {
      g_autoptr(AssayCompareRow) row = g_list_model_get_item (G_LIST_MODEL (self->selection), i);
      if (g_strv_contains (run_ids, assay_record_get_id (assay_compare_row_get_record (row))))
        gtk_selection_model_select_item (GTK_SELECTION_MODEL (self->selection), i, FALSE);
    }
  view_update_findings (self);
}

const char *
assay_compare_view_get_findings (AssayCompareView *self)
{
  g_return_val_if_fail (ASSAY_IS_COMPARE_VIEW (self), NULL);
  return gtk_label_get_text (self->findings);
}

static void
assay_compare_view_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_LEDGER)
    g_value_set_object (value, ASSAY_COMPARE_VIEW (object)->ledger);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
assay_compare_view_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  if (id == PROP_LEDGER)
    assay_compare_view_set_ledger (ASSAY_COMPARE_VIEW (object), g_value_get_object (value));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
assay_compare_view_dispose (GObject *object)
{
  AssayCompareView *self = ASSAY_COMPARE_VIEW (object);

  g_clear_handle_id (&self->refresh_source, g_source_remove);
  g_clear_object (&self->ledger_signals);
  if (self->table != NULL)
    gtk_column_view_set_model (self->table, NULL); /* unbinds the cells while the view still lives */
  adw_bin_set_child (ADW_BIN (self), NULL);
  g_clear_object (&self->selection);
  g_clear_object (&self->rows);
  g_clear_object (&self->baseline);
  g_clear_object (&self->ledger);
  G_OBJECT_CLASS (assay_compare_view_parent_class)->dispose (object);
}

static void
class_install_members (GObjectClass *object_class)
{
  properties[PROP_LEDGER]
    = g_param_spec_object ("ledger", NULL, NULL, ASSAY_TYPE_LEDGER,
                           G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY);
  g_object_class_install_properties (object_class, N_PROPS, properties);
  signals[RUN_ACTIVATED] = g_signal_new ("run-activated", ASSAY_TYPE_COMPARE_VIEW, G_SIGNAL_RUN_LAST, 0, NULL,
                                         NULL, NULL, G_TYPE_NONE, 1, ASSAY_TYPE_RECORD);
  signals[REFRESH] = g_signal_new ("refresh", ASSAY_TYPE_COMPARE_VIEW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                   G_TYPE_NONE, 0);
}

static void
assay_compare_view_class_init (AssayCompareViewClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = assay_compare_view_dispose;
  object_class->get_property = assay_compare_view_get_property;
  object_class->set_property = assay_compare_view_set_property;
  class_install_members (object_class);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/io/github/assay/Assay/ui/assay-compare-view.ui");
  gtk_widget_class_bind_template_child (widget_class, AssayCompareView, stack);
  gtk_widget_class_bind_template_child (widget_class, AssayCompareView, table);
  gtk_widget_class_bind_template_child (widget_class, AssayCompareView, chooser);
  gtk_widget_class_bind_template_child (widget_class, AssayCompareView, findings);
  gtk_widget_class_bind_template_child (widget_class, AssayCompareView, baseline_words);
  gtk_widget_class_bind_template_callback (widget_class, on_activate);
}

static void
view_make_models (AssayCompareView *self)
{
  self->rows = g_list_store_new (ASSAY_TYPE_COMPARE_ROW);
  GtkSortListModel *sorted = gtk_sort_list_model_new (
      g_object_ref (G_LIST_MODEL (self->rows)), g_object_ref (gtk_column_view_get_sorter (self->table)));
  self->selection = gtk_multi_selection_new (G_LIST_MODEL (sorted));
  gtk_column_view_set_model (self->table, GTK_SELECTION_MODEL (self->selection));
  g_signal_connect_object (self->selection, "selection-changed", G_CALLBACK (view_queue_refresh), self,
                           G_CONNECT_SWAPPED);
}

static void
assay_compare_view_init (AssayCompareView *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  assay_accessible_name (gtk_widget_get_first_child (GTK_WIDGET (self->table)), _("Columns"));
  for (guint column = 0; column < ASSAY_N_COMPARE_COLUMNS; column++)
    view_add_column (self, column);
  assay_column_chooser_fill (self->chooser, self->table);
  view_make_models (self);
  view_suggest_columns (self);
  self->ledger_signals = g_signal_group_new (ASSAY_TYPE_LEDGER);
  g_signal_group_connect_swapped (self->ledger_signals, "items-changed", G_CALLBACK (on_ledger_changed),
                                  self);
  view_update_findings (self);
}

GtkWidget *
assay_compare_view_new (void)
{
  return g_object_new (ASSAY_TYPE_COMPARE_VIEW, NULL);
}
