/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-review-lobby.h"

#include <glib/gi18n-lib.h>

#include "assay-display-text.h"
#include "assay-reviewer-entry.h"

struct _AssayReviewLobby
{
  AdwBin parent_instance;

  /* template children */
  AdwStatusPage *page;
  AssayReviewerEntry *reviewer;
  GtkLabel *message, *begin_label;
  GtkWidget *begin, *pairs, *agreement, *no_agreement;
};

static guint name_changed_signal;

G_DEFINE_FINAL_TYPE (AssayReviewLobby, assay_review_lobby, ADW_TYPE_BIN)

void
assay_review_lobby_say (AssayReviewLobby *self, const char *words)
{
  g_return_if_fail (ASSAY_IS_REVIEW_LOBBY (self));
  gtk_label_set_text (self->message, words);
  gtk_widget_set_visible (GTK_WIDGET (self->message), *words != '\0');
}

void
assay_review_lobby_ask_name (AssayReviewLobby *self)
{
  g_return_if_fail (ASSAY_IS_REVIEW_LOBBY (self));
  assay_review_lobby_say (self, _("Enter your name first: the order of the outputs is yours, and the judgment too."));
  gtk_widget_grab_focus (GTK_WIDGET (self->reviewer));
}

static char *
lobby_dup_description (const AssayReviewProgress *progress, const char *reviewer)
{
  g_autofree char *name = assay_display_line (reviewer, 60);

  if (progress->n_judged == 0)
    return g_strdup_printf (ngettext ("%u run with outputs waits. You see them in an order of your own, without a name, a "
                                      "setting or a figure; which run made them appears after saving.",
                                      "%u runs with outputs wait. You see them in an order of your own, without a name, a "
                                      "setting or a figure; which run made them appears after saving.", progress->n_runs),
                            progress->n_runs);
  if (progress->n_judged < progress->n_runs)
    /* Translators: a person's name, and two numbers. */
    return g_strdup_printf (_("%s has reviewed %u of %u runs. The others come in an order of their own, without a name, a "
                              "setting or a figure; which run made them appears after saving."),
                            name, progress->n_judged, progress->n_runs);
  return g_strdup_printf (_("%s has reviewed all %u runs with outputs. A review is corrected by name; the earlier one stays."),
                          name, progress->n_runs);
}

void
assay_review_lobby_show (AssayReviewLobby *self, const AssayReviewProgress *progress, const char *reviewer, gboolean writable)
{
  g_return_if_fail (ASSAY_IS_REVIEW_LOBBY (self));
  g_autofree char *words = lobby_dup_description (progress, reviewer);
  g_autofree char *escaped = g_markup_escape_text (words, -1);
  const char *begin = progress->n_judged > 0 ? _("_Continue the Blind Review") : _("_Begin the Blind Review");

  adw_status_page_set_description (self->page, escaped);
  gtk_label_set_text_with_mnemonic (self->begin_label, begin);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->begin), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  gtk_label_get_text (self->begin_label), -1);
  gtk_widget_set_visible (self->begin, progress->n_judged < progress->n_runs);
  gtk_widget_set_sensitive (self->begin, writable);
  gtk_widget_set_sensitive (self->pairs, writable);
  gtk_widget_set_sensitive (self->agreement, progress->n_reviews > 0);
  gtk_widget_set_visible (self->no_agreement, progress->n_reviews == 0);
  gtk_widget_set_tooltip_text (self->agreement, progress->n_reviews > 0
                                                    ? _("How far the reviewers agree, and what was preferred")
                                                    : gtk_label_get_text (GTK_LABEL (self->no_agreement)));
  assay_review_lobby_say (self, writable ? "" : _("This ledger is open for reading only: reviews can be read, not written."));
}

void
assay_review_lobby_set_name (AssayReviewLobby *self, const char *name)
{
  g_return_if_fail (ASSAY_IS_REVIEW_LOBBY (self));
  assay_reviewer_entry_set_name (self->reviewer, name);
}

void
assay_review_lobby_set_known (AssayReviewLobby *self, const char *const *names)
{
  g_return_if_fail (ASSAY_IS_REVIEW_LOBBY (self));
  assay_reviewer_entry_set_known (self->reviewer, names);
}

void
assay_review_lobby_focus (AssayReviewLobby *self)
{
  g_return_if_fail (ASSAY_IS_REVIEW_LOBBY (self));
  const gboolean named = *assay_reviewer_entry_get_name (self->reviewer) != '\0';

  if (!named)
    gtk_widget_grab_focus (GTK_WIDGET (self->reviewer));
  else
    gtk_widget_grab_focus (gtk_widget_get_visible (self->begin) ? self->begin : self->pairs);
}

static void
on_name_changed (AssayReviewLobby *self)
{
  g_signal_emit (self, name_changed_signal, 0, self->reviewer);
}

static void
assay_review_lobby_dispose (GObject *object)
{
  adw_bin_set_child (ADW_BIN (object), NULL);
  G_OBJECT_CLASS (assay_review_lobby_parent_class)->dispose (object);
}

static void
assay_review_lobby_class_init (AssayReviewLobbyClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = assay_review_lobby_dispose;
  g_type_ensure (ASSAY_TYPE_REVIEWER_ENTRY);
  name_changed_signal = g_signal_new ("name-changed", ASSAY_TYPE_REVIEW_LOBBY, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                      G_TYPE_NONE, 1, ASSAY_TYPE_REVIEWER_ENTRY);
  gtk_widget_class_set_template_from_resource (widget_class, "/io/github/assay/Assay/ui/assay-review-lobby.ui");
  gtk_widget_class_bind_template_child (widget_class, AssayReviewLobby, page);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewLobby, reviewer);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewLobby, message);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewLobby, begin);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewLobby, begin_label);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewLobby, pairs);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewLobby, agreement);
  gtk_widget_class_bind_template_child (widget_class, AssayReviewLobby, no_agreement);
  gtk_widget_class_bind_template_callback (widget_class, on_name_changed);
}

static void
assay_review_lobby_init (AssayReviewLobby *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
