/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-past-review.h"

#include <glib/gi18n-lib.h>

#include "assay-criterion-row.h"
#include "assay-display-text.h"
#include "assay-gates.h"

#define MOST_SCORES 40 /* in words; a file may hold any number */

static char *
score_words (const AssayCriterion *criterion, int value)
{
  if (criterion != NULL && criterion->kind == ASSAY_CRITERION_YES_NO)
    return g_strdup (value == 1 ? _("yes") : _("no"));
  return g_strdup_printf (_("%d of 5"), value);
}

static void
append_score (GString *words, const AssayCriteria *criteria, const AssayScore *score)
{
  const AssayCriterion *criterion = assay_criteria_find (criteria, score->criterion);
  g_autofree char *label
      = criterion != NULL ? assay_criterion_dup_label (criterion) : assay_display_line (score->criterion, 60);
  g_autofree char *value
    = score->words != NULL ? assay_display_line (score->words, 200) : score_words (criterion, score->value);
  g_autofree char *question = score->question != NULL ? assay_display_line (score->question, 30) : NULL;

  if (words->len > 0)
    g_string_append (words, " · ");
  if (question != NULL)
    g_string_append_printf (words, "%s (%s): %s", label, question, value);
  else
    g_string_append_printf (words, "%s: %s", label, value);
}

static char *
review_dup_scores (const AssayCriteria *criteria, const AssayReview *review)
{
  GString *words = g_string_new (NULL);

  for (guint i = 0; i < review->scores->len && i < MOST_SCORES; i++)
    append_score (words, criteria, g_ptr_array_index (review->scores, i));
  if (review->scores->len > MOST_SCORES)
    g_string_append_printf (words, _(" · and %u more"), review->scores->len - MOST_SCORES);
  return g_string_free (words, FALSE);
}

/* In the person's own time zone; what cannot be read as a time is shown as it stands. */
static char *
review_dup_time (const AssayReview *review)
{
  g_autoptr(GTimeZone) utc = g_time_zone_new_utc ();
  g_autoptr(GDateTime) at = review->at != NULL ? g_date_time_new_from_iso8601 (review->at, utc) : NULL;
  g_autoptr(GDateTime) local = at != NULL ? g_date_time_to_local (at) : NULL;

  return local != NULL ? g_date_time_format (local, "%x %H:%M")
                       : assay_display_line (review->at != NULL ? review->at : "", 40);
}

static char *
review_dup_heading (const AssayReview *review, gboolean current)
{
  g_autofree char *reviewer = assay_display_line (review->reviewer, 60);
  g_autofree char *at = review_dup_time (review);
  const char *verdict = review->verdict == ASSAY_VERDICT_PASS   ? _("pass")
                        : review->verdict == ASSAY_VERDICT_FAIL ? _("fail")
                                                                : _("no verdict");

  return g_strdup_printf ("%s %s · %s · %s%s%s%s%s", assay_verdict_get_mark (review->verdict), verdict, reviewer, at,
                          review->blind ? " · " : "", review->blind ? C_ ("a review", "blind") : "",
                          current ? "" : " · ", current ? "" : _("superseded"));
}

static void
append_label (GtkWidget *box, const char *words, const char *css_class)
{
  GtkWidget *label = gtk_label_new (words);

  gtk_label_set_xalign (GTK_LABEL (label), 0.0f);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  if (css_class != NULL)
    gtk_widget_add_css_class (label, css_class);
  gtk_box_append (GTK_BOX (box), label);
}

/* Why no mean and no gate takes it in, though it stands; NULL: they do. */
static char *
review_dup_uncounted (const AssayCriteria *criteria, AssayRecord *record, const AssayReview *review)
{
  const AssayRunStatus status = assay_record_get_status (record);

  if (status != ASSAY_STATUS_COMPLETED && status != ASSAY_STATUS_UNKNOWN)
    return g_strdup_printf (_("not counted: the run ended as %s"), assay_run_status_get_name (status));
  if (assay_criteria_is_earlier (criteria, review))
    return g_strdup (_("its scores are not counted: the criteria were changed since"));
  return NULL;
}

static GtkWidget *
words_new (const AssayCriteria *criteria, const AssayReview *review, gboolean current, const char *uncounted)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 3);
  g_autofree char *heading = review_dup_heading (review, current);
  g_autofree char *scores = review_dup_scores (criteria, review);
  g_autofree char *note
      = review->quality_note != NULL ? assay_display_line (review->quality_note, 600) : NULL;

  gtk_widget_set_hexpand (box, TRUE);
  append_label (box, heading, current ? "heading" : "dim-label");
  if (uncounted != NULL)
    append_label (box, uncounted, "warning");
  if (*scores != '\0')
    append_label (box, scores, "dim-label");
  if (note != NULL && *note != '\0')
    append_label (box, note, current ? NULL : "dim-label");
  return box;
}

/* The action names run and review itself: by the time it is chosen another run may be shown. */
static GtkWidget *
menu_button_new (AssayRecord *record, const AssayReview *review)
{
  GtkWidget *button = gtk_menu_button_new ();
  g_autoptr(GMenu) menu = g_menu_new ();
  g_autoptr(GMenuItem) item = g_menu_item_new (_("_Delete Review"), NULL);
  g_menu_item_set_action_and_target_value (
      item, "win.delete-review", g_variant_new ("(^ay^ay)", assay_record_get_id (record), review->id));
  g_menu_append_item (menu, item);
  gtk_menu_button_set_icon_name (GTK_MENU_BUTTON (button), "view-more-symbolic");
  gtk_menu_button_set_menu_model (GTK_MENU_BUTTON (button), G_MENU_MODEL (menu));
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_set_tooltip_text (button, _("What can be done with this review"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _("What can be done with this review"), -1);
  return button;
}

static GtkWidget *
past_review_new (const AssayCriteria *criteria,
                 AssayRecord *record,
                 const AssayReview *review,
                 gboolean current,
                 const char *uncounted,
                 GCallback correct,
                 gpointer object)
{
  GtkWidget *row = gtk_list_box_row_new (), *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);

  gtk_widget_set_margin_top (box, 8);
  gtk_widget_set_margin_bottom (box, 8);
  gtk_widget_set_margin_start (box, 12);
  gtk_widget_set_margin_end (box, 12);
  gtk_box_append (GTK_BOX (box), words_new (criteria, review, current, uncounted));
  if (current)
    {
      GtkWidget *button = gtk_button_new_with_label (_("Correct"));
      gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
      gtk_widget_set_tooltip_text (button,
                                   _("Save a new review in this one's place; this one stays in the ledger"));
      g_object_set_data_full (G_OBJECT (button), "review", g_strdup (review->id), g_free);
      g_signal_connect_object (button, "clicked", correct, object, 0);
      gtk_box_append (GTK_BOX (box), button);
    }
  gtk_box_append (GTK_BOX (box), menu_button_new (record, review));
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), box);
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), FALSE);
  return row;
}

void
assay_past_reviews_clear (GtkListBox *list)
{
  GtkWidget *row;

  while ((row = GTK_WIDGET (gtk_list_box_get_row_at_index (list, 0))) != NULL)
    gtk_list_box_remove (list, row);
}

void
assay_past_reviews_fill (
    GtkListBox *list, const AssayCriteria *criteria, AssayRecord *record, GCallback correct, gpointer object)
{
  GPtrArray *reviews = assay_record_get_reviews (record);
  g_autoptr(GPtrArray) current = assay_record_get_current_reviews (record);

  assay_past_reviews_clear (list);
  for (guint i = reviews->len; i-- > 0;)
    {
      AssayReview *review = g_ptr_array_index (reviews, i);
      const gboolean stands = g_ptr_array_find (current, review, NULL);
      g_autofree char *reason = stands ? review_dup_uncounted (criteria, record, review) : NULL;
      GtkWidget *row = past_review_new (criteria, record, review, stands, reason, correct, object);
      gtk_list_box_append (list, row);
    }
}

const char *
assay_past_review_get_id (GtkWidget *button)
{
  return g_object_get_data (G_OBJECT (button), "review");
}
