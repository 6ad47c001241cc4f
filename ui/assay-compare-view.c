/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-compare-view-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "assay-accessible.h"
#include "assay-column-chooser.h"
#include "assay-repeats.h"

enum { PROP_0, PROP_LEDGER, PROP_CHOSEN_COLUMNS, N_PROPS };
enum { RUN_ACTIVATED, PROBLEM, SAVED, N_SIGNALS };

static GParamSpec *properties[N_PROPS];
static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (AssayCompareView, assay_compare_view, ADW_TYPE_BIN)

/* What is selected */

static GHashTable *
view_dup_selected_set (AssayCompareView *self)
{
  GHashTable *chosen = g_hash_table_new_full (NULL, NULL, g_object_unref, NULL);
  g_autoptr(GtkBitset) places = gtk_selection_model_get_selection (GTK_SELECTION_MODEL (self->selection));
  GtkBitsetIter iter;
  guint place;

  for (gboolean more = gtk_bitset_iter_init_first (&iter, places, &place); more; more = gtk_bitset_iter_next (&iter, &place))
    g_hash_table_add (chosen, g_list_model_get_item (G_LIST_MODEL (self->selection), place));
  return chosen;
}

GPtrArray *
compare_view_dup_selected (AssayCompareView *self)
{
  g_autoptr(GHashTable) chosen = view_dup_selected_set (self);
  GPtrArray *rows = g_ptr_array_new_with_free_func (g_object_unref);
  const guint n = g_list_model_get_n_items (G_LIST_MODEL (self->rows));

  for (guint i = 0; i < n && rows->len < g_hash_table_size (chosen); i++)
    {
      AssayCompareRow *row = g_list_model_get_item (G_LIST_MODEL (self->rows), i);
      if (g_hash_table_contains (chosen, row))
        g_ptr_array_add (rows, row);
      else
        g_object_unref (row);
    }
  return rows;
}

static gboolean
row_holds_any (AssayCompareRow *row, const char *const *run_ids)
{
  for (guint i = 0; run_ids[i] != NULL; i++)
    if (assay_compare_row_holds (row, run_ids[i]))
      return TRUE;
  return FALSE;
}

void
assay_compare_view_select (AssayCompareView *self, const char *const *run_ids)
{
  g_return_if_fail (ASSAY_IS_COMPARE_VIEW (self));

  GtkSelectionModel *selection = GTK_SELECTION_MODEL (self->selection);
  gtk_selection_model_unselect_all (selection);
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (selection)); i++)
    {
      g_autoptr(AssayCompareRow) row = g_list_model_get_item (G_LIST_MODEL (selection), i);
      if (row_holds_any (row, run_ids))
        gtk_selection_model_select_item (selection, i, FALSE);
    }
  compare_findings_update (self);
}

static char **
view_dup_selected_ids (AssayCompareView *self)
{
  g_autoptr(GPtrArray) selected = compare_view_dup_selected (self);
  g_autoptr(GStrvBuilder) ids = g_strv_builder_new ();

  for (guint i = 0; i < selected->len; i++)
    g_strv_builder_add (ids, assay_record_get_id (assay_compare_row_get_record (g_ptr_array_index (selected, i))));
  return g_strv_builder_end (ids);
}

const char *
assay_compare_view_get_findings (AssayCompareView *self)
{
  g_return_val_if_fail (ASSAY_IS_COMPARE_VIEW (self), NULL);
  return self->said;
}

/* Rows */

/* After the models have settled: a change comes once per layer of them. */
static gboolean
view_refresh_cb (gpointer data)
{
  AssayCompareView *self = data;

  self->refresh_source = 0;
  if (self->units_stale)
    compare_table_update_units (self);
  compare_findings_update (self);
  compare_table_refresh (self);
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
view_rebuild (AssayCompareView *self)
{
  g_auto(GStrv) ids = view_dup_selected_ids (self);
  g_autoptr(GPtrArray) families = self->ledger != NULL ? assay_repeats_fold (self->ledger, self->fold) : NULL;
  g_autoptr(GPtrArray) rows = g_ptr_array_new_with_free_func (g_object_unref);

  g_clear_handle_id (&self->rebuild_source, g_source_remove);
  for (guint i = 0; families != NULL && i < families->len; i++)
    g_ptr_array_add (rows, assay_compare_row_new (self->ledger, g_ptr_array_index (families, i)));
  g_list_store_splice (self->rows, 0, g_list_model_get_n_items (G_LIST_MODEL (self->rows)), rows->pdata, rows->len);
  compare_table_arrange (self);
  compare_table_update_units (self);
  assay_compare_view_select (self, (const char *const *) ids);
  view_queue_refresh (self);
  compare_plot_renew (self);
}

static gboolean
view_rebuild_cb (gpointer data)
{
  AssayCompareView *self = data;

  self->rebuild_source = 0;
  view_rebuild (self);
  return G_SOURCE_REMOVE;
}

static void
view_queue_rebuild (AssayCompareView *self)
{
  if (self->rebuild_source == 0)
    self->rebuild_source = g_idle_add (view_rebuild_cb, self);
}

/* Every gate may have changed: the one of daily use is judged over repeats. */
static void
view_forget_gates (AssayCompareView *self, AssayRecord *renewed)
{
  const guint n = g_list_model_get_n_items (G_LIST_MODEL (self->rows));

  for (guint i = 0; i < n; i++)
    {
      g_autoptr(AssayCompareRow) row = g_list_model_get_item (G_LIST_MODEL (self->rows), i);
      assay_compare_row_forget (row);
      if (renewed != NULL && assay_compare_row_holds (row, assay_record_get_id (renewed)))
        assay_compare_row_renew (row, renewed);
    }
}

/* A review or a plan leaves every run where it is; other changes may join or part repeats. */
static void
on_ledger_changed (AssayCompareView *self, guint position, guint n_removed, guint n_added)
{
  AssayRecord *renewed = n_removed == 1 && n_added == 1 ? assay_ledger_get_run (self->ledger, position) : NULL;

  view_forget_gates (self, renewed);
  self->units_stale = TRUE;
  if (renewed == NULL)
    {
      view_queue_rebuild (self);
      return;
    }
  view_queue_refresh (self);
  compare_plot_renew (self);
}

static void
on_criteria_changed (AssayCompareView *self)
{
  view_forget_gates (self, NULL);
  self->units_stale = TRUE;
  compare_table_arrange (self);
  view_queue_refresh (self);
  compare_plot_renew (self);
}

static void
on_activate (GtkColumnView *table, guint position, AssayCompareView *self)
{
  g_autoptr(AssayCompareRow) row = g_list_model_get_item (G_LIST_MODEL (self->selection), position);

  if (row != NULL)
    g_signal_emit (self, signals[RUN_ACTIVATED], 0, assay_compare_row_get_record (row));
}

/* A mark of the plot: its row comes into sight. */
static void
on_mark_chosen (AssayCompareView *self, guint position)
{
  compare_table_scroll_to (self, position);
}

static void
on_mark_activated (AssayCompareView *self, AssayRecord *record)
{
  g_signal_emit (self, signals[RUN_ACTIVATED], 0, record);
}

void
assay_compare_view_set_ledger (AssayCompareView *self, AssayLedger *ledger)
{
  g_return_if_fail (ASSAY_IS_COMPARE_VIEW (self));

  if (!g_set_object (&self->ledger, ledger))
    return;
  g_clear_pointer (&self->pinned, g_free);
  g_hash_table_remove_all (self->read_anyway);
  g_signal_group_set_target (self->ledger_signals, ledger);
  view_rebuild (self);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_LEDGER]);
}

/* The baseline */

/* The pinned run stays at the top, whatever the table is sorted by. */
static int
sort_pinned_first (gconstpointer a, gconstpointer b, gpointer data)
{
  AssayCompareView *self = data;

  if (self->pinned == NULL)
    return 0;
  return assay_compare_row_holds ((AssayCompareRow *) b, self->pinned)
         - assay_compare_row_holds ((AssayCompareRow *) a, self->pinned);
}

static void
on_pin (GtkWidget *widget, const char *action, GVariant *parameter)
{
  AssayCompareView *self = ASSAY_COMPARE_VIEW (widget);
  g_autoptr(GPtrArray) selected = compare_view_dup_selected (self);

  if (self->pinned != NULL)
    g_clear_pointer (&self->pinned, g_free);
  else if (selected->len > 0)
    self->pinned = g_strdup (assay_record_get_id (assay_compare_row_get_record (g_ptr_array_index (selected, 0))));
  gtk_sorter_changed (self->pinned_first, GTK_SORTER_CHANGE_DIFFERENT);
  view_queue_refresh (self);
}

/* Columns that a person chose */

static void
on_column_visible (GtkColumnViewColumn *column, GParamSpec *pspec, AssayCompareView *self)
{
  g_autoptr(GStrvBuilder) chosen = g_strv_builder_new ();

  if (!assay_column_chooser_is_chosen (column))
    return;
  for (guint i = 0; i < ASSAY_N_COMPARE_COLUMNS; i++)
    if (assay_column_chooser_is_chosen (self->columns[i]))
      {
        const gboolean visible = gtk_column_view_column_get_visible (self->columns[i]);
        g_autofree char *entry = g_strconcat (visible ? "+" : "-", assay_compare_column_get_id (i), NULL);
        g_strv_builder_add (chosen, entry);
      }
  g_strfreev (self->chosen);
  self->chosen = g_strv_builder_end (chosen);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_CHOSEN_COLUMNS]);
}

static gboolean
strv_equal (const char *const *a, const char *const *b)
{
  static const char *const none[] = { NULL };

  return g_strv_equal (a != NULL ? a : none, b != NULL ? b : none);
}

static void
view_choose_columns (AssayCompareView *self, const char *const *chosen)
{
  if (strv_equal (chosen, (const char *const *) self->chosen))
    return;
  g_auto(GStrv) wanted = g_strdupv ((char **) chosen);
  for (guint i = 0; i < ASSAY_N_COMPARE_COLUMNS; i++)
    for (guint k = 0; wanted != NULL && wanted[k] != NULL; k++)
      if (g_strcmp0 (wanted[k] + (*wanted[k] != '\0'), assay_compare_column_get_id (i)) == 0
          && i != ASSAY_COMPARE_RUN)
        assay_column_chooser_choose (self->columns[i], wanted[k][0] == '+');
  g_strfreev (self->chosen);
  self->chosen = g_steal_pointer (&wanted);
}

/* Actions */

static void
on_sort (GtkWidget *widget, const char *action, GVariant *parameter)
{
  const guint column = g_variant_get_uint32 (parameter);

  if (column < ASSAY_N_COMPARE_COLUMNS)
    compare_table_sort (ASSAY_COMPARE_VIEW (widget), column);
}

static void
on_plot_changed (GSimpleAction *action, GVariant *state, AssayCompareView *self)
{
  g_simple_action_set_state (action, state);
  gtk_widget_set_visible (GTK_WIDGET (self->upper), g_variant_get_boolean (state));
}

static void
on_fold_changed (GSimpleAction *action, GVariant *state, AssayCompareView *self)
{
  g_simple_action_set_state (action, state);
  self->fold = g_variant_get_boolean (state);
  view_queue_rebuild (self);
}

/* Columns in sight, each with its unit, as the header has them. */
static void
on_sort_popup (GtkMenuButton *button, gpointer data)
{
  AssayCompareView *self = data;
  g_autoptr(GMenu) menu = g_menu_new ();

  for (guint column = 0; column < ASSAY_N_COMPARE_COLUMNS; column++)
    if (gtk_column_view_column_get_visible (self->columns[column]))
      {
        g_autoptr(GMenuItem) item
          = g_menu_item_new (gtk_column_view_column_get_title (self->columns[column]), NULL);
        g_menu_item_set_action_and_target (item, "compare.sort", "u", column);
        g_menu_append_item (menu, item);
      }
  gtk_menu_button_set_menu_model (button, G_MENU_MODEL (menu));
}

static void
assay_compare_view_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_LEDGER)
    g_value_set_object (value, ASSAY_COMPARE_VIEW (object)->ledger);
  else if (id == PROP_CHOSEN_COLUMNS)
    g_value_set_boxed (value, ASSAY_COMPARE_VIEW (object)->chosen);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
assay_compare_view_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  if (id == PROP_LEDGER)
    assay_compare_view_set_ledger (ASSAY_COMPARE_VIEW (object), g_value_get_object (value));
  else if (id == PROP_CHOSEN_COLUMNS)
    view_choose_columns (ASSAY_COMPARE_VIEW (object), g_value_get_boxed (value));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
assay_compare_view_dispose (GObject *object)
{
  AssayCompareView *self = ASSAY_COMPARE_VIEW (object);

  g_clear_handle_id (&self->refresh_source, g_source_remove);
  g_clear_handle_id (&self->rebuild_source, g_source_remove);
  g_clear_handle_id (&self->stale_source, g_source_remove);
  g_clear_object (&self->ledger_signals);
  compare_plot_clear (self);
  if (self->table != NULL)
    gtk_column_view_set_model (self->table, NULL); /* unbinds the cells while the view still lives */
  adw_bin_set_child (ADW_BIN (self), NULL);
  self->table = NULL;
  self->plot = NULL; /* what is found later has nowhere to go */
  g_clear_object (&self->selection);
  g_clear_object (&self->pinned_first);
  g_clear_object (&self->rows);
  g_clear_object (&self->baseline);
  g_clear_object (&self->ledger);
  G_OBJECT_CLASS (assay_compare_view_parent_class)->dispose (object);
}

static void
assay_compare_view_finalize (GObject *object)
{
  AssayCompareView *self = ASSAY_COMPARE_VIEW (object);

  g_free (self->pinned);
  g_free (self->said);
  g_strfreev (self->chosen);
  g_hash_table_unref (self->read_anyway);
  g_hash_table_unref (self->cells);
  g_hash_table_unref (self->stale);
  g_object_unref (self->finding);
  G_OBJECT_CLASS (assay_compare_view_parent_class)->finalize (object);
}

static void
class_install_members (GObjectClass *object_class)
{
  properties[PROP_LEDGER]
    = g_param_spec_object ("ledger", NULL, NULL, ASSAY_TYPE_LEDGER,
                           G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY);
  properties[PROP_CHOSEN_COLUMNS]
    = g_param_spec_boxed ("chosen-columns", NULL, NULL, G_TYPE_STRV,
                          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY);
  g_object_class_install_properties (object_class, N_PROPS, properties);
  signals[RUN_ACTIVATED] = g_signal_new ("run-activated", ASSAY_TYPE_COMPARE_VIEW, G_SIGNAL_RUN_LAST, 0, NULL,
                                         NULL, NULL, G_TYPE_NONE, 1, ASSAY_TYPE_RECORD);
  signals[PROBLEM] = g_signal_new ("problem", ASSAY_TYPE_COMPARE_VIEW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                   G_TYPE_NONE, 1, G_TYPE_STRING);
  signals[SAVED] = g_signal_new ("saved", ASSAY_TYPE_COMPARE_VIEW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE,
                                 1, G_TYPE_STRING);
}

static void
assay_compare_view_class_init (AssayCompareViewClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = assay_compare_view_dispose;
  object_class->finalize = assay_compare_view_finalize;
  object_class->get_property = assay_compare_view_get_property;
  object_class->set_property = assay_compare_view_set_property;
  class_install_members (object_class);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/io/github/assay/Assay/ui/assay-compare-view.ui");
  g_type_ensure (ASSAY_TYPE_COMPARISON_PLOT);
  gtk_widget_class_bind_template_child (widget_class, AssayCompareView, stack);
  gtk_widget_class_bind_template_child (widget_class, AssayCompareView, memory);
  gtk_widget_class_bind_template_child (widget_class, AssayCompareView, halves);
  gtk_widget_class_bind_template_child (widget_class, AssayCompareView, upper);
  gtk_widget_class_bind_template_child (widget_class, AssayCompareView, plot);
  gtk_widget_class_bind_template_child (widget_class, AssayCompareView, effects);
  gtk_widget_class_bind_template_child (widget_class, AssayCompareView, effects_list);
  gtk_widget_class_bind_template_child (widget_class, AssayCompareView, left_out);
  gtk_widget_class_bind_template_child (widget_class, AssayCompareView, left_out_words);
  gtk_widget_class_bind_template_child (widget_class, AssayCompareView, elsewhere);
  gtk_widget_class_bind_template_child (widget_class, AssayCompareView, table);
  gtk_widget_class_bind_template_child (widget_class, AssayCompareView, chooser);
  gtk_widget_class_bind_template_child (widget_class, AssayCompareView, findings);
  gtk_widget_class_bind_template_child (widget_class, AssayCompareView, baseline_words);
  gtk_widget_class_bind_template_child (widget_class, AssayCompareView, sort_button);
  gtk_widget_class_bind_template_child (widget_class, AssayCompareView, more_button);
  gtk_widget_class_bind_template_child (widget_class, AssayCompareView, pin);
  gtk_widget_class_bind_template_callback (widget_class, on_activate);
  gtk_widget_class_bind_template_callback (widget_class, on_mark_chosen);
  gtk_widget_class_bind_template_callback (widget_class, on_mark_activated);
  gtk_widget_class_install_action (widget_class, "compare.pin", NULL, on_pin);
  compare_export_install (widget_class);
  gtk_widget_class_install_action (widget_class, "compare.sort", "u", on_sort);
}

static void
view_make_models (AssayCompareView *self)
{
  GtkMultiSorter *both = gtk_multi_sorter_new ();

  self->rows = g_list_store_new (ASSAY_TYPE_COMPARE_ROW);
  self->pinned_first = GTK_SORTER (gtk_custom_sorter_new (sort_pinned_first, self, NULL));
  gtk_multi_sorter_append (both, g_object_ref (self->pinned_first));
  gtk_multi_sorter_append (both, g_object_ref (gtk_column_view_get_sorter (self->table)));
  GtkSortListModel *sorted = gtk_sort_list_model_new (g_object_ref (G_LIST_MODEL (self->rows)), GTK_SORTER (both));
  self->selection = gtk_multi_selection_new (G_LIST_MODEL (sorted));
  gtk_column_view_set_model (self->table, GTK_SELECTION_MODEL (self->selection));
  g_signal_connect_object (self->selection, "selection-changed", G_CALLBACK (view_queue_refresh), self,
                           G_CONNECT_SWAPPED);
}

static void
view_add_toggle (AssayCompareView *self, GActionMap *map, const char *name, GCallback changed)
{
  g_autoptr(GSimpleAction) toggle = g_simple_action_new_stateful (name, NULL, g_variant_new_boolean (TRUE));

  g_signal_connect_object (toggle, "change-state", changed, self, 0);
  g_action_map_add_action (map, G_ACTION (toggle));
}

static void
view_add_toggles (AssayCompareView *self)
{
  g_autoptr(GSimpleActionGroup) group = g_simple_action_group_new ();

  self->fold = TRUE;
  view_add_toggle (self, G_ACTION_MAP (group), "repeats", G_CALLBACK (on_fold_changed));
  view_add_toggle (self, G_ACTION_MAP (group), "plot", G_CALLBACK (on_plot_changed));
  gtk_widget_insert_action_group (GTK_WIDGET (self), "fold", G_ACTION_GROUP (group));
}

static void
view_name_buttons (AssayCompareView *self)
{
  assay_accessible_name (gtk_widget_get_first_child (GTK_WIDGET (self->table)), _("Columns"));
  assay_accessible_name (GTK_WIDGET (self->sort_button), _("Sort by"));
  assay_accessible_name (GTK_WIDGET (self->more_button), _("More about the comparison"));
}

static void
assay_compare_view_init (AssayCompareView *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->sorted_by = -1;
  self->cells = g_hash_table_new (NULL, NULL);
  self->stale = g_hash_table_new (NULL, NULL);
  self->read_anyway = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  view_name_buttons (self);
  view_add_toggles (self);
  compare_table_add_columns (self);
  for (guint column = 0; column < ASSAY_N_COMPARE_COLUMNS; column++)
    g_signal_connect_object (self->columns[column], "notify::visible", G_CALLBACK (on_column_visible), self, 0);
  assay_column_chooser_fill (self->chooser, self->table);
  gtk_menu_button_set_create_popup_func (self->sort_button, on_sort_popup, self, NULL);
  view_make_models (self);
  compare_plot_init (self);
  self->ledger_signals = g_signal_group_new (ASSAY_TYPE_LEDGER);
  g_signal_group_connect_swapped (self->ledger_signals, "items-changed", G_CALLBACK (on_ledger_changed),
                                  self);
  g_signal_group_connect_swapped (self->ledger_signals, "criteria-changed", G_CALLBACK (on_criteria_changed),
                                  self);
  view_rebuild (self);
}

GtkWidget *
assay_compare_view_new (void)
{
  return g_object_new (ASSAY_TYPE_COMPARE_VIEW, NULL);
}
