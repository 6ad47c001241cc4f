/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-chain-view.h"

#include <glib/gi18n-lib.h>

#include "assay-accessible.h"
#include "assay-chain-export.h"
#include "assay-chain-row.h"

struct _AssayChainView
{
  AdwBin parent_instance;

  /* owned */
  AssayChain *chain;            /* NULL: nothing is shown */
  AssayLedger *ledger;
  char *run_id;
  GSignalGroup *ledger_signals;
  GCancellable *cancellable;

  /* template children */
  GtkLabel *title, *problem;
  GtkListView *list;
  GtkStringList *steps;
};

enum { RUN_ACTIVATED, CLOSED, PROBLEM, N_SIGNALS };

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (AssayChainView, assay_chain_view, ADW_TYPE_BIN)

static guint
chain_count_steps (AssayChain *chain)
{
  return chain != NULL ? assay_chain_get_length (chain) + (assay_chain_has_plan (chain) ? 1 : 0) : 0;
}

/* Rows */

static void
on_setup (GtkSignalListItemFactory *factory, GtkListItem *item, gpointer data)
{
  gtk_list_item_set_child (item, assay_chain_row_new ());
}

static void
on_bind (GtkSignalListItemFactory *factory, GtkListItem *item, AssayChainView *self)
{
  const guint position = gtk_list_item_get_position (item);
  if (self->chain == NULL || position >= chain_count_steps (self->chain))
    return;
  AssayChainStep *step = assay_chain_dup_step (self->chain, position);
  g_autofree char *words = assay_chain_step_dup_text (step);
  gtk_list_item_set_activatable (item, step->record != NULL);
  assay_chain_row_take_step (ASSAY_CHAIN_ROW (gtk_list_item_get_child (item)), step,
                             position + 1 < chain_count_steps (self->chain));
  assay_accessible_name_item (item, words);
}

static void
on_unbind (GtkSignalListItemFactory *factory, GtkListItem *item, gpointer data)
{
  assay_chain_row_take_step (ASSAY_CHAIN_ROW (gtk_list_item_get_child (item)), NULL, FALSE);
}

static void
on_activate (AssayChainView *self, guint position)
{
  if (self->chain != NULL && position < assay_chain_get_length (self->chain))
    g_signal_emit (self, signals[RUN_ACTIVATED], 0, assay_chain_get_run (self->chain, position));
}

/* What is shown */

static void
view_show_words (AssayChainView *self)
{
  g_autofree char *heading = self->chain != NULL ? assay_chain_dup_heading (self->chain) : g_strdup ("");
  const char *problem = self->chain != NULL ? assay_chain_get_problem (self->chain) : NULL;
  gtk_label_set_text (self->title, heading);
  gtk_label_set_text (self->problem, problem != NULL ? problem : "");
  gtk_widget_set_visible (GTK_WIDGET (self->problem), problem != NULL);
}

/* A row a step; what it tells is asked for when it is bound. */
static void
view_fill (AssayChainView *self)
{
  const guint n = chain_count_steps (self->chain);
  g_autoptr(GStrvBuilder) names = g_strv_builder_new ();
  for (guint i = 0; i < n; i++)
    g_strv_builder_add (names, "");
  g_auto(GStrv) all = g_strv_builder_end (names);
  gtk_string_list_splice (self->steps, 0, g_list_model_get_n_items (G_LIST_MODEL (self->steps)),
                          (const char *const *) all);
}

static void
view_update (AssayChainView *self)
{
  g_clear_pointer (&self->chain, assay_chain_free);
  if (self->ledger != NULL && self->run_id != NULL)
    self->chain = assay_chain_new (self->ledger, self->run_id);
  view_show_words (self);
  view_fill (self);
}

static void
on_ledger_changed (AssayChainView *self)
{
  view_update (self);
  if (self->chain == NULL)
    g_signal_emit (self, signals[CLOSED], 0);
}

void
assay_chain_view_show (AssayChainView *self, AssayLedger *ledger, const char *run_id)
{
  g_return_if_fail (ASSAY_IS_CHAIN_VIEW (self));
  char *kept = g_strdup (ledger != NULL ? run_id : NULL);
  g_free (self->run_id);
  self->run_id = kept;
  g_set_object (&self->ledger, ledger);
  g_signal_group_set_target (self->ledger_signals, ledger);
  view_update (self);
}

const char *
assay_chain_view_get_run_id (AssayChainView *self)
{
  g_return_val_if_fail (ASSAY_IS_CHAIN_VIEW (self), NULL);
  return self->run_id;
}

/* Copies and files */

static void
on_close (GtkWidget *widget, const char *action, GVariant *parameter)
{
  g_signal_emit (widget, signals[CLOSED], 0);
}

static void
on_copy (GtkWidget *widget, const char *action, GVariant *parameter)
{
  AssayChainView *self = ASSAY_CHAIN_VIEW (widget);
  g_autofree char *text = self->chain != NULL ? assay_chain_dup_text (self->chain) : NULL;
  if (text != NULL)
    gdk_clipboard_set_text (gtk_widget_get_clipboard (widget), text);
}

static void
saved_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(AssayChainView) self = data;
  g_autoptr(GError) error = NULL;
  if (assay_chain_export_finish (result, &error) || g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  g_autofree char *message = g_strdup_printf (_("The chain was not saved: %s"), error->message);
  g_signal_emit (self, signals[PROBLEM], 0, message);
}

static AssayChartFormat
format_from_suffix (const char *suffix)
{
  AssayChartFormat format = ASSAY_CHART_PNG;
  for (guint i = 0; i < ASSAY_N_CHART_FORMATS; i++)
    if (g_str_equal (suffix, assay_chart_format_get_suffix (i)))
      format = i;
  return format;
}

static void
on_save_response (GtkNativeDialog *dialog, int response, AssayChainView *self)
{
  g_autoptr(GFile) file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
  const char *suffix = g_object_get_data (G_OBJECT (dialog), "suffix");
  if (response == GTK_RESPONSE_ACCEPT && file != NULL && self->chain != NULL)
    assay_chain_export_async (self->ledger, self->run_id, format_from_suffix (suffix), file, self->cancellable,
                              saved_cb, g_object_ref (self));
  g_object_unref (dialog);
}

static void
on_save (GtkWidget *widget, const char *action, GVariant *parameter)
{
  GtkRoot *root = gtk_widget_get_root (widget);
  GtkFileChooserNative *dialog
      = gtk_file_chooser_native_new (_("Save the Chain"), GTK_IS_WINDOW (root) ? GTK_WINDOW (root) : NULL,
                                     GTK_FILE_CHOOSER_ACTION_SAVE, _("_Save"), _("_Cancel"));
  const char *suffix = g_variant_get_string (parameter, NULL);
  /* Translators: the file name that is offered for a saved chain; the suffix follows */
  g_autofree char *name = g_strdup_printf ("%s.%s", C_ ("file name", "chain"), suffix);
  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (dialog), name);
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  g_object_set_data_full (G_OBJECT (dialog), "suffix", g_strdup (suffix), g_free);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_save_response), widget, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

/* The widget */

static gboolean
assay_chain_view_grab_focus (GtkWidget *widget)
{
  return gtk_widget_grab_focus (GTK_WIDGET (ASSAY_CHAIN_VIEW (widget)->list));
}

static void
assay_chain_view_dispose (GObject *object)
{
  AssayChainView *self = ASSAY_CHAIN_VIEW (object);
  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->ledger_signals);
  adw_bin_set_child (ADW_BIN (self), NULL);
  g_clear_pointer (&self->chain, assay_chain_free);
  g_clear_object (&self->ledger);
  G_OBJECT_CLASS (assay_chain_view_parent_class)->dispose (object);
}

static void
assay_chain_view_finalize (GObject *object)
{
  AssayChainView *self = ASSAY_CHAIN_VIEW (object);
  g_object_unref (self->cancellable);
  g_free (self->run_id);
  G_OBJECT_CLASS (assay_chain_view_parent_class)->finalize (object);
}

static guint
class_add_signal (const char *name, guint n, GType type)
{
  return g_signal_new (name, ASSAY_TYPE_CHAIN_VIEW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, n, type);
}

static void
class_bind_template (GtkWidgetClass *widget_class)
{
  gtk_widget_class_set_template_from_resource (widget_class, "/io/github/assay/Assay/ui/assay-chain-view.ui");
  gtk_widget_class_bind_template_child (widget_class, AssayChainView, title);
  gtk_widget_class_bind_template_child (widget_class, AssayChainView, problem);
  gtk_widget_class_bind_template_child (widget_class, AssayChainView, list);
  gtk_widget_class_bind_template_child (widget_class, AssayChainView, steps);
  gtk_widget_class_bind_template_callback (widget_class, on_setup);
  gtk_widget_class_bind_template_callback (widget_class, on_bind);
  gtk_widget_class_bind_template_callback (widget_class, on_unbind);
  gtk_widget_class_bind_template_callback (widget_class, on_activate);
  gtk_widget_class_install_action (widget_class, "chain.close", NULL, on_close);
  gtk_widget_class_install_action (widget_class, "chain.copy", NULL, on_copy);
  gtk_widget_class_install_action (widget_class, "chain.save", "s", on_save);
}

static void
assay_chain_view_class_init (AssayChainViewClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = assay_chain_view_dispose;
  G_OBJECT_CLASS (klass)->finalize = assay_chain_view_finalize;
  widget_class->grab_focus = assay_chain_view_grab_focus;
  signals[RUN_ACTIVATED] = class_add_signal ("run-activated", 1, ASSAY_TYPE_RECORD);
  signals[CLOSED] = class_add_signal ("closed", 0, G_TYPE_NONE);
  signals[PROBLEM] = class_add_signal ("problem", 1, G_TYPE_STRING);
  class_bind_template (widget_class);
}

static void
assay_chain_view_init (AssayChainView *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->cancellable = g_cancellable_new ();
  self->ledger_signals = g_signal_group_new (ASSAY_TYPE_LEDGER);
  g_signal_group_connect_swapped (self->ledger_signals, "items-changed", G_CALLBACK (on_ledger_changed), self);
}
