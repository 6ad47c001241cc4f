/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-model-chooser.h"

#include <glib/gi18n-lib.h>

#include "assay-accessible.h"
#include "assay-discovery.h"
#include "assay-values.h"

struct _AssayModelChooser
{
  GtkWidget parent_instance;
  GListStore *found;           /* owned: AssayFoundModel */
  GtkCustomFilter *filter;     /* owned */
  GtkSingleSelection *selection; /* owned */
  GCancellable *scanning;      /* owned; NULL when not scanning */
  char *query;                 /* owned, case-folded */
  GtkWidget *search, *list, *status, *spinner; /* template children */
};

G_DEFINE_FINAL_TYPE (AssayModelChooser, assay_model_chooser, GTK_TYPE_WIDGET)

enum { SIGNAL_CHOSEN, SIGNAL_FILE_WANTED, N_SIGNALS };
static guint signals[N_SIGNALS];

static gboolean
chooser_matches (gpointer item, gpointer data)
{
  AssayModelChooser *self = data;
  AssayFoundModel *model = item;
  g_autofree char *all = g_strdup_printf ("%s %s %s", assay_found_model_get_name (model),
                                          assay_found_model_get_path (model), assay_found_model_get_store (model));
  g_autofree char *folded = g_utf8_casefold (all, -1);
  return strstr (folded, self->query) != NULL;
}

static void
on_search_changed (AssayModelChooser *self)
{
  g_free (self->query);
  self->query = g_utf8_casefold (gtk_editable_get_text (GTK_EDITABLE (self->search)), -1);
  gtk_filter_changed (GTK_FILTER (self->filter), GTK_FILTER_CHANGE_DIFFERENT);
}

static void
chooser_choose (AssayModelChooser *self, guint position)
{
  g_autoptr(AssayFoundModel) model = g_list_model_get_item (G_LIST_MODEL (self->selection), position);
  if (model != NULL && assay_found_model_get_problem (model) == NULL)
    g_signal_emit (self, signals[SIGNAL_CHOSEN], 0, assay_found_model_get_path (model));
}

static void
on_activated (AssayModelChooser *self, guint position)
{
  chooser_choose (self, position);
}

static void
on_search_activated (AssayModelChooser *self)
{
  const guint selected = gtk_single_selection_get_selected (self->selection);
  if (selected != GTK_INVALID_LIST_POSITION)
    chooser_choose (self, selected);
}

static void
on_file_clicked (AssayModelChooser *self)
{
  g_signal_emit (self, signals[SIGNAL_FILE_WANTED], 0);
}

static void
chooser_say (AssayModelChooser *self, const char *words)
{
  gtk_label_set_text (GTK_LABEL (self->status), words);
  gtk_widget_set_visible (self->status, *words != '\0');
  gtk_spinner_set_spinning (GTK_SPINNER (self->spinner), self->scanning != NULL);
  gtk_widget_set_visible (self->spinner, self->scanning != NULL);
}

static void
chooser_fill (AssayModelChooser *self, GPtrArray *models)
{
  g_list_store_splice (self->found, 0, g_list_model_get_n_items (G_LIST_MODEL (self->found)), models->pdata,
                       models->len);
  guint usable = 0;
  for (guint i = 0; i < models->len; i++)
    usable += assay_found_model_get_problem (g_ptr_array_index (models, i)) == NULL;
  const guint skipped = models->len - usable;
  if (models->len == 0)
    chooser_say (self, _("No model was found in the usual places. Choose a file, or name a folder in the preferences."));
  else if (usable == 0)
    chooser_say (self, _("None of the models found can be used; each says why."));
  else if (skipped > 0)
    {
      g_autofree char *words = g_strdup_printf (
        ngettext ("%u file cannot be used; it is listed last, and says why",
                  "%u files cannot be used; they are listed last, and say why", skipped), skipped);
      chooser_say (self, words);
    }
  else
    chooser_say (self, "");
}

static void
scan_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(AssayModelChooser) self = data;
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) models = assay_discovery_scan_finish (result, &error);
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED) || self->found == NULL)
    return;
  g_clear_object (&self->scanning);
  if (models != NULL)
    chooser_fill (self, models);
  else
    chooser_say (self, error->message);
}

void
assay_model_chooser_scan (AssayModelChooser *self, const char *const *extra_folders)
{
  g_return_if_fail (ASSAY_IS_MODEL_CHOOSER (self));
  if (self->scanning != NULL)
    g_cancellable_cancel (self->scanning);
  g_clear_object (&self->scanning);
  self->scanning = g_cancellable_new ();
  chooser_say (self, _("Looking for models on this machine…"));
  assay_discovery_scan_async (extra_folders, TRUE, self->scanning, scan_cb, g_object_ref (self));
}

static void
on_row_setup (GtkListItemFactory *factory, GtkListItem *item)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 1);
  for (guint i = 0; i < 2; i++)
    {
      GtkWidget *label = g_object_new (GTK_TYPE_LABEL, "xalign", 0.0f, "ellipsize",
                                       i == 0 ? PANGO_ELLIPSIZE_MIDDLE : PANGO_ELLIPSIZE_END, NULL);
      if (i == 1)
        {
          g_object_set (label, "wrap", TRUE, "wrap-mode", PANGO_WRAP_WORD_CHAR, "lines", 4, NULL);
          gtk_widget_add_css_class (label, "caption");
          gtk_widget_add_css_class (label, "dim-label");
        }
      gtk_box_append (GTK_BOX (box), label);
    }
  gtk_widget_set_margin_top (box, 3);
  gtk_widget_set_margin_bottom (box, 3);
  gtk_list_item_set_child (item, box);
}

static char *
model_dup_detail (AssayFoundModel *model)
{
  g_autofree char *architecture = NULL;
  g_autofree char *quantization = NULL;
  g_autofree char *dtype = NULL;
  guint64 bytes;
  guint context;
  const char *store = g_dgettext (GETTEXT_PACKAGE, assay_found_model_get_store (model));
  g_object_get (model, "architecture", &architecture, "quantization", &quantization, "dtype", &dtype, "bytes", &bytes,
                "context-length", &context, NULL);
  if (assay_found_model_get_problem (model) != NULL)
    return g_strdup_printf (_("%s · cannot be used: %s"), store, assay_found_model_get_problem (model));
  g_autofree char *size = assay_format_bytes (bytes);
  const gboolean plain = quantization == NULL || g_str_equal (quantization, "none");
  const char *format = !plain ? quantization : dtype;
  /* Translators: size, number format, architecture, context length and store of a model */
  return g_strdup_printf (_("%s · %s · %s · context %u · %s"), size, format != NULL ? format : "?",
                          architecture != NULL ? architecture : "?", context, store);
}

static void
on_row_bind (GtkListItemFactory *factory, GtkListItem *item)
{
  AssayFoundModel *model = gtk_list_item_get_item (item);
  GtkWidget *box = gtk_list_item_get_child (item);
  GtkWidget *name = gtk_widget_get_first_child (box);
  g_autofree char *path = g_filename_display_name (assay_found_model_get_path (model));
  g_autofree char *detail = model_dup_detail (model);
  const gboolean usable = assay_found_model_get_problem (model) == NULL;
  g_autofree char *tooltip = usable ? g_strdup (path) : g_strdup_printf ("%s\n%s", path, detail);
  gtk_label_set_text (GTK_LABEL (name), assay_found_model_get_name (model));
  assay_accessible_name_item (item, assay_found_model_get_name (model));
  gtk_label_set_text (GTK_LABEL (gtk_widget_get_next_sibling (name)), detail);
  gtk_widget_set_tooltip_text (box, tooltip);
  gtk_widget_set_sensitive (name, usable);
  gtk_list_item_set_activatable (item, usable);
  gtk_list_item_set_selectable (item, usable);
}

static void
assay_model_chooser_dispose (GObject *object)
{
  AssayModelChooser *self = ASSAY_MODEL_CHOOSER (object);
  GtkWidget *child;
  if (self->scanning != NULL)
    g_cancellable_cancel (self->scanning);
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (object))) != NULL)
    gtk_widget_unparent (child);
  g_clear_object (&self->scanning);
  g_clear_object (&self->selection);
  g_clear_object (&self->filter);
  g_clear_object (&self->found);
  g_clear_pointer (&self->query, g_free);
  gtk_widget_dispose_template (GTK_WIDGET (object), ASSAY_TYPE_MODEL_CHOOSER);
  G_OBJECT_CLASS (assay_model_chooser_parent_class)->dispose (object);
}

static void
assay_model_chooser_class_init (AssayModelChooserClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = assay_model_chooser_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class, "/io/github/assay/Assay/ui/assay-model-chooser.ui");
  gtk_widget_class_bind_template_child (widget_class, AssayModelChooser, search);
  gtk_widget_class_bind_template_child (widget_class, AssayModelChooser, list);
  gtk_widget_class_bind_template_child (widget_class, AssayModelChooser, status);
  gtk_widget_class_bind_template_child (widget_class, AssayModelChooser, spinner);
  gtk_widget_class_bind_template_callback (widget_class, on_search_changed);
  gtk_widget_class_bind_template_callback (widget_class, on_search_activated);
  gtk_widget_class_bind_template_callback (widget_class, on_activated);
  gtk_widget_class_bind_template_callback (widget_class, on_file_clicked);
  signals[SIGNAL_CHOSEN] = g_signal_new ("chosen", ASSAY_TYPE_MODEL_CHOOSER, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                         G_TYPE_NONE, 1, G_TYPE_STRING);
  signals[SIGNAL_FILE_WANTED] = g_signal_new ("file-wanted", ASSAY_TYPE_MODEL_CHOOSER, G_SIGNAL_RUN_LAST, 0, NULL,
                                              NULL, NULL, G_TYPE_NONE, 0);
}

static void
assay_model_chooser_init (AssayModelChooser *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->query = g_strdup ("");
  self->found = g_list_store_new (assay_found_model_get_type ());
  self->filter = gtk_custom_filter_new (chooser_matches, self, NULL);
  GtkFilterListModel *filtered = gtk_filter_list_model_new (G_LIST_MODEL (g_object_ref (self->found)),
                                                            GTK_FILTER (g_object_ref (self->filter)));
  self->selection = gtk_single_selection_new (G_LIST_MODEL (filtered));
  gtk_list_view_set_model (GTK_LIST_VIEW (self->list), GTK_SELECTION_MODEL (self->selection));
  g_autoptr(GtkListItemFactory) factory = gtk_signal_list_item_factory_new ();
  g_signal_connect (factory, "setup", G_CALLBACK (on_row_setup), NULL);
  g_signal_connect (factory, "bind", G_CALLBACK (on_row_bind), NULL);
  gtk_list_view_set_factory (GTK_LIST_VIEW (self->list), factory);
}

GtkWidget *
assay_model_chooser_new (void)
{
  return g_object_new (ASSAY_TYPE_MODEL_CHOOSER, NULL);
}
