/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-review-reveal.c: see the header. Hints look at every answer of the ledger: they are found on another thread, in
 * a snapshot, and come a moment later. */
#include "assay-review-reveal.h"

#include <glib/gi18n-lib.h>

#include "assay-display-text.h"
#include "assay-hint-words.h"
#include "assay-review-words.h"
#include "assay-run-row.h"

struct _AssayReviewReveal
{
  AdwBin parent_instance;

  /* owned */
  AssayLedger *ledger;
  AssayReview *review;
  GCancellable *looking;

  /* template children */
  GtkLabel *run, *changed, *before, *outcome, *next_label;
  GtkWidget *next, *hints_part;
  GtkListBox *hints;
};

G_DEFINE_FINAL_TYPE (AssayReviewReveal, assay_review_reveal, ADW_TYPE_BIN)

static void
reveal_clear_hints (AssayReviewReveal *self)
{
  GtkWidget *row;

  while ((row = GTK_WIDGET (gtk_list_box_get_row_at_index (self->hints, 0))) != NULL)
    gtk_list_box_remove (self->hints, row);
  gtk_widget_set_visible (self->hints_part, FALSE);
}

/* A row of libadwaita gives lines that wrap too little height. */
static GtkWidget *
wrapped_label_new (const char *words, const char *css_class)
{
  GtkWidget *label = gtk_label_new (words);

  gtk_label_set_xalign (GTK_LABEL (label), 0.0f);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_widget_add_css_class (label, css_class);
  return label;
}

static void
reveal_add_hints (AssayReviewReveal *self, const AssayHintWords *words)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 3);

  gtk_widget_add_css_class (box, "hint");
  gtk_box_append (GTK_BOX (box), wrapped_label_new (words->about, "heading"));
  gtk_box_append (GTK_BOX (box), wrapped_label_new (words->said, "dim-label"));
  gtk_list_box_append (self->hints, box);
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (gtk_widget_get_parent (box)), FALSE);
}

static void
found_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(AssayReviewReveal) self = data;
  g_autoptr(GPtrArray) words = assay_hint_words_find_finish (result, NULL);

  if (words == NULL) /* something else is told by now */
    return;
  for (guint i = 0; i < words->len; i++)
    reveal_add_hints (self, g_ptr_array_index (words, i));
  gtk_widget_set_visible (self->hints_part, words->len > 0);
}

static void
reveal_look (AssayReviewReveal *self, AssayRecord *record, gboolean with_others)
{
  self->looking = g_cancellable_new ();
  assay_hint_words_find_async (self->ledger, assay_record_get_id (record), with_others, self->looking, found_cb,
                               g_object_ref (self));
}

static void
reveal_show_outcome (AssayReviewReveal *self)
{
  g_autofree char *outcome
      = self->review != NULL ? assay_review_words_dup_outcome (self->ledger, self->review, NULL) : g_strdup ("");

  gtk_label_set_text (self->outcome, outcome);
}

static void
reveal_forget (AssayReviewReveal *self)
{
  if (self->looking != NULL)
    g_cancellable_cancel (self->looking);
  g_clear_object (&self->looking);
  if (self->ledger != NULL)
    g_signal_handlers_disconnect_by_func (self->ledger, reveal_show_outcome, self);
  g_clear_object (&self->ledger);
  g_clear_pointer (&self->review, assay_review_free);
}

static void
label_show (GtkLabel *label, const char *words)
{
  gtk_label_set_text (label, words != NULL ? words : "");
  gtk_widget_set_visible (GTK_WIDGET (label), words != NULL);
}

static char *
run_dup_name (AssayRecord *record)
{
  return assay_display_line (assay_run_get_short_id (assay_record_get_id (record)), 24);
}

static char *
run_dup_changed (AssayLedger *ledger, AssayRecord *record)
{
  g_autofree char *title = assay_run_dup_title (ledger, record);
  return assay_display_line (title, 400);
}

static void
reveal_tell (AssayReviewReveal *self, AssayLedger *ledger, AssayRecord *record)
{
  g_autofree char *name = run_dup_name (record);
  g_autofree char *changed = run_dup_changed (ledger, record);
  /* Translators: a run's short name: “It was run 3f2a9c”. */
  g_autofree char *run = g_strdup_printf (_("It was run %s"), name);

  label_show (self->run, run);
  label_show (self->changed, changed);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->run), assay_record_get_id (record));
}

static void
reveal_tell_before (AssayReviewReveal *self, AssayLedger *ledger, AssayRecord *record)
{
  g_autofree char *name = run_dup_name (record);
  g_autofree char *changed = run_dup_changed (ledger, record);
  /* Translators: a run's short name, and what was changed in it: “The one before it was run 3f2a9c: the baseline”. */
  g_autofree char *before = g_strdup_printf (_("The one before it was run %s: %s"), name, changed);

  label_show (self->before, before);
}

static void
reveal_set_last (AssayReviewReveal *self, gboolean last)
{
  gtk_label_set_text_with_mnemonic (self->next_label, last ? _("_Finish") : _("_Next Run"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->next), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  gtk_label_get_text (self->next_label), -1);
  gtk_widget_grab_focus (self->next);
}

void
assay_review_reveal_clear (AssayReviewReveal *self)
{
  g_return_if_fail (ASSAY_IS_REVIEW_REVEAL (self));

  reveal_forget (self);
  reveal_clear_hints (self);
  label_show (self->run, NULL);
  label_show (self->changed, NULL);
  label_show (self->before, NULL);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->run), NULL);
  reveal_show_outcome (self);
}

gboolean
assay_review_reveal_is_told (guint n_left)
{
  return n_left != 1;
}

void
assay_review_reveal_show (AssayReviewReveal *self, AssayLedger *ledger, AssayRecord *record, const AssayReview *review,
                          guint n_left, AssayRecord *before)
{
  g_return_if_fail (ASSAY_IS_REVIEW_REVEAL (self) && record != NULL);

  assay_review_reveal_clear (self);
  self->ledger = g_object_ref (ledger);
  self->review = assay_review_copy (review);
  g_signal_connect_object (ledger, "notify::unsaved", G_CALLBACK (reveal_show_outcome), self, G_CONNECT_SWAPPED);
  reveal_show_outcome (self);
  if (assay_review_reveal_is_told (n_left))
    reveal_tell (self, ledger, record);
  else
    label_show (self->changed, _("Which run it was is told after the last one."));
  if (before != NULL)
    reveal_tell_before (self, ledger, before);
  reveal_look (self, record, n_left == 0);
  reveal_set_last (self, n_left == 0);
}

static void
assay_review_reveal_dispose (GObject *object)
{
  reveal_forget (ASSAY_REVIEW_REVEAL (object));
  adw_bin_set_child (ADW_BIN (object), NULL);
  G_OBJECT_CLASS (assay_review_reveal_parent_class)->dispose (object);
}

static void
assay_review_reveal_class_init (AssayReviewRevealClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = assay_review_reveal_dispose;
  gtk_widget_class_set_template_from_resource (widget_class, "/io/github/assay/Assay/ui/assay-review-reveal.ui");
  gtk_widget_class_bind_template_child (widget_class, AssayReviewReveal, run);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewReveal, changed);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewReveal, before);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewReveal, outcome);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewReveal, next);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewReveal, next_label);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewReveal, hints_part);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewReveal, hints);
}

static void
assay_review_reveal_init (AssayReviewReveal *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
