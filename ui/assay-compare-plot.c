/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-compare-plot.c: what is found in the ledger by itself, shown in the comparison: the plot, the runs that are not
 * in it, and what single axes do. Found anew on a worker when the ledger changed, and only while somebody looks. */
#include "assay-compare-view-private.h"

#include <glib/gi18n-lib.h>

#include "assay-accessible.h"
#include "assay-display-text.h"
#include "assay-field-labels.h"

#define MOST_LEFT_OUT 40u /* told one by one */
#define UPPER_SHARE 0.46  /* of the height, until a person moves the handle */

/* The plot */

static const AssayParetoGroup *
plot_get_group (AssayCompareView *self)
{
  GPtrArray *groups = self->found != NULL ? self->found->pareto->groups : NULL;
  const guint chosen = gtk_drop_down_get_selected (self->memory);

  if (groups == NULL || groups->len == 0)
    return NULL;
  return g_ptr_array_index (groups, chosen < groups->len ? chosen : 0);
}

/* Settings whose memory is of another kind lie on another plot: that there is one is said where they would be missed. */
static void
plot_tell_elsewhere (AssayCompareView *self, const AssayParetoGroup *shown)
{
  GPtrArray *groups = self->found != NULL ? self->found->pareto->groups : NULL;
  g_autoptr(GString) names = g_string_new (NULL);
  guint n = 0;

  for (guint i = 0; groups != NULL && i < groups->len; i++)
    {
      const AssayParetoGroup *group = g_ptr_array_index (groups, i);
      if (group == shown)
        continue;
      n += group->points->len;
      g_string_append_printf (names, "%s“%s”", names->len > 0 ? C_ ("list", ", ") : "", group->label);
    }
  g_autofree char *words = g_strdup_printf (
    g_dngettext (GETTEXT_PACKAGE, "%u setting is not in this plot, since it measured other memory: choose %s above",
                 "%u settings are not in this plot, since they measured other memory: choose %s above", n),
    n, names->str);
  gtk_label_set_text (self->elsewhere, words);
  gtk_widget_set_visible (GTK_WIDGET (self->elsewhere), n > 0);
}

static void
plot_show (AssayCompareView *self)
{
  plot_tell_elsewhere (self, plot_get_group (self));
  if (self->ledger != NULL)
    assay_comparison_plot_take_data (self->plot, assay_plot_data_new (self->ledger, plot_get_group (self)));
}

/* One kind of memory needs no choice. The one that was shown stays, while it is there. */
static void
plot_offer_groups (AssayCompareView *self)
{
  GPtrArray *groups = self->found->pareto->groups;
  GtkStringObject *item = gtk_drop_down_get_selected_item (self->memory);
  g_autofree char *before = item != NULL ? g_strdup (gtk_string_object_get_string (item)) : NULL;
  g_autoptr(GtkStringList) labels = gtk_string_list_new (NULL);
  guint chosen = 0;

  for (guint i = 0; i < groups->len; i++)
    {
      const AssayParetoGroup *group = g_ptr_array_index (groups, i);
      gtk_string_list_append (labels, group->label);
      if (g_strcmp0 (group->label, before) == 0)
        chosen = i;
    }
  g_signal_handlers_block_by_func (self->memory, plot_show, self); /* it is shown once, after this */
  gtk_drop_down_set_model (self->memory, G_LIST_MODEL (labels));
  gtk_drop_down_set_selected (self->memory, chosen);
  g_signal_handlers_unblock_by_func (self->memory, plot_show, self);
  gtk_widget_set_visible (GTK_WIDGET (self->memory), groups->len > 1);
}

/* What is not in it */

static void
left_out_show (AssayCompareView *self)
{
  GPtrArray *left_out = self->found->pareto->left_out;
  g_autoptr(GString) words = g_string_new (NULL);
  g_autofree char *title
    = g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "%u run not shown, or on no line", "%u runs not shown, or on no line", left_out->len),
                       left_out->len);

  for (guint i = 0; i < left_out->len && i < MOST_LEFT_OUT; i++)
    {
      g_autofree char *line = assay_display_line (((AssayParetoLeftOut *) g_ptr_array_index (left_out, i))->words, 300);
      g_string_append_printf (words, "%s%s", i > 0 ? "\n" : "", line);
    }
  if (left_out->len > MOST_LEFT_OUT)
    {
      const guint n = left_out->len - MOST_LEFT_OUT;
      g_string_append_c (words, '\n');
      g_string_append_printf (words, g_dngettext (GETTEXT_PACKAGE, "and %u more", "and %u more", n), n);
    }
  gtk_expander_set_label (self->left_out, title);
  assay_accessible_name (GTK_WIDGET (self->left_out), title);
  gtk_label_set_text (self->left_out_words, words->str);
  gtk_widget_set_visible (GTK_WIDGET (self->left_out), left_out->len > 0);
}

/* What single axes do */

static void
ids_add (GStrvBuilder *ids, GPtrArray *runs)
{
  for (guint i = 0; i < runs->len; i++)
    g_strv_builder_add (ids, assay_record_get_id (g_ptr_array_index (runs, i)));
}

static char **
family_dup_ids (const AssayEffectFamily *family)
{
  g_autoptr(GStrvBuilder) ids = g_strv_builder_new ();

  for (guint i = 0; i < family->effects->len; i++)
    {
      const AssayEffect *effect = g_ptr_array_index (family->effects, i);
      if (i == 0)
        ids_add (ids, effect->from);
      ids_add (ids, effect->to);
    }
  return g_strv_builder_end (ids);
}

static void
on_family_clicked (GtkWidget *button, AssayCompareView *self)
{
  assay_compare_view_select (self, g_object_get_data (G_OBJECT (button), "ids"));
}

/* Of repeats with their spread, of single runs in one sentence. */
static char *
effect_dup_line (const AssayEffect *effect)
{
  g_autofree char *words = effect->from->len > 1 || effect->to->len > 1 ? assay_effect_dup_words (effect)
                                                                         : g_strdup (effect->comparison->sentence);

  return assay_display_line (words, 400);
}

/* The first effect, and how many more there are: all of them are read when the runs are selected. */
static char *
family_dup_words (const AssayEffectFamily *family)
{
  g_autofree char *line = effect_dup_line (g_ptr_array_index (family->effects, 0));
  const guint n = family->effects->len - 1;

  if (n == 0)
    return g_steal_pointer (&line);
  /* Translators: what one axis does, and of how many other values of it this ledger tells too */
  return g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "%s (and %u more)", "%s (and %u more)", n), line, n);
}

static GtkWidget *
family_button_new (AssayCompareView *self, const AssayEffectFamily *family)
{
  g_autofree char *exact = family_dup_words (family), *words = assay_field_labels_put (exact);
  GtkWidget *label = gtk_label_new (words), *button = gtk_button_new ();

  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_button_set_child (GTK_BUTTON (button), label);
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_add_css_class (button, "found-effect");
  gtk_widget_set_tooltip_text (button, exact);
  assay_accessible_name (button, words);
  g_object_set_data_full (G_OBJECT (button), "ids", family_dup_ids (family), (GDestroyNotify) g_strfreev);
  g_signal_connect_object (button, "clicked", G_CALLBACK (on_family_clicked), self, 0);
  return button;
}

static void
effects_show (AssayCompareView *self)
{
  GPtrArray *families = self->found->effects->families;
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->effects_list))) != NULL)
    gtk_box_remove (self->effects_list, child);
  for (guint i = 0; i < families->len; i++)
    gtk_box_append (self->effects_list, family_button_new (self, g_ptr_array_index (families, i)));
  gtk_widget_set_visible (GTK_WIDGET (self->effects), families->len > 0);
}

/* Finding */

static void
found_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(AssayCompareView) self = data;
  AssayCompareFound *found = assay_compare_find_finish (result);

  if (found == NULL || self->plot == NULL) /* cancelled for a newer one, or closed meanwhile */
    {
      assay_compare_found_free (found);
      return;
    }
  g_clear_pointer (&self->found, assay_compare_found_free);
  self->found = found;
  plot_offer_groups (self);
  plot_show (self);
  left_out_show (self);
  effects_show (self);
}

static void
compare_plot_find (AssayCompareView *self)
{
  if (self->ledger == NULL || self->is_found || !gtk_widget_get_mapped (GTK_WIDGET (self)))
    return;
  self->is_found = TRUE;
  g_cancellable_cancel (self->finding);
  g_object_unref (self->finding);
  self->finding = g_cancellable_new ();
  assay_compare_find_async (self->ledger, self->finding, found_cb, g_object_ref (self));
}

void
compare_plot_renew (AssayCompareView *self)
{
  self->is_found = FALSE;
  compare_plot_find (self);
}

/* Where the halves meet */

static void
on_room_changed (GtkPaned *halves, GParamSpec *pspec, AssayCompareView *self)
{
  int least, most;

  if (gtk_paned_get_position (halves) != self->halves_at && self->halves_at > 0)
    return; /* moved by a person */
  g_object_get (halves, "min-position", &least, "max-position", &most, NULL);
  self->halves_at = CLAMP ((int) (most * UPPER_SHARE), least, MAX (most, least));
  gtk_paned_set_position (halves, self->halves_at);
}

void
compare_plot_init (AssayCompareView *self)
{
  self->finding = g_cancellable_new ();
  assay_accessible_name (GTK_WIDGET (self->effects), gtk_expander_get_label (self->effects));
  assay_comparison_plot_set_selection (self->plot, GTK_SELECTION_MODEL (self->selection));
  g_signal_connect_object (self, "map", G_CALLBACK (compare_plot_find), self, 0);
  g_signal_connect_object (self->memory, "notify::selected", G_CALLBACK (plot_show), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->halves, "notify::max-position", G_CALLBACK (on_room_changed), self, 0);
}

void
compare_plot_clear (AssayCompareView *self)
{
  g_cancellable_cancel (self->finding);
  g_clear_pointer (&self->found, assay_compare_found_free);
}
