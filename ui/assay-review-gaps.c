/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-review-gaps.h"

#include <glib/gi18n-lib.h>

#include "assay-criterion-row.h"

#define MOST_NAMED 6 /* criteria, in words */

static gboolean
criterion_is_asked (const AssayCriterion *criterion)
{
  return criterion->kind != ASSAY_CRITERION_FREE || criterion->required;
}

static void
gaps_add (AssayReviewGaps *self, const AssayCriterion *criterion, const char *question)
{
  if (self->first == NULL)
    {
      self->first = criterion;
      self->first_question = question;
    }
  if (!g_ptr_array_find (self->criteria, criterion, NULL))
    g_ptr_array_add (self->criteria, (gpointer) criterion);
}

static gboolean
gaps_look (AssayReviewGaps *self, const AssayReviewDraft *draft, const AssayCriteria *criteria, gboolean per_question,
           const char *question)
{
  gboolean any = FALSE;

  for (guint i = 0; i < criteria->criteria->len; i++)
    {
      const AssayCriterion *criterion = g_ptr_array_index (criteria->criteria, i);
      if (criterion->per_question != per_question || !criterion_is_asked (criterion)
          || assay_review_find_score (draft->review, criterion->id, question) != NULL)
        continue;
      gaps_add (self, criterion, question);
      any = TRUE;
    }
  return any;
}

AssayReviewGaps *
assay_review_gaps_new (const AssayReviewDraft *draft, const AssayCriteria *criteria, GPtrArray *outputs)
{
  AssayReviewGaps *self = g_new0 (AssayReviewGaps, 1);

  self->criteria = g_ptr_array_new ();
  self->n_answers = outputs->len;
  for (guint i = 0; i < outputs->len; i++)
    self->n_unrated
      += gaps_look (self, draft, criteria, TRUE, assay_output_get_scored_question (g_ptr_array_index (outputs, i)));
  gaps_look (self, draft, criteria, FALSE, NULL);
  return self;
}

void
assay_review_gaps_free (AssayReviewGaps *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->criteria);
  g_free (self);
}

char *
assay_review_gaps_dup_count (const AssayReviewGaps *self)
{
  if (self->n_unrated == 0)
    return g_strdup (_("The answers are rated; something about the run as a whole is not."));
  return g_strdup_printf (ngettext ("%u of %u answer is not fully rated.", "%u of %u answers are not fully rated.",
                                    self->n_answers),
                          self->n_unrated, self->n_answers);
}

char *
assay_review_gaps_dup_missing (const AssayReviewGaps *self)
{
  g_autoptr(GString) names = g_string_new (NULL);

  for (guint i = 0; i < self->criteria->len && i < MOST_NAMED; i++)
    {
      const AssayCriterion *criterion = g_ptr_array_index (self->criteria, i);
      g_autofree char *label = assay_criterion_dup_label (criterion);
      g_autofree char *required = criterion->required ? g_strdup_printf (_("%s (required)"), label) : NULL;
      g_string_append_printf (names, "%s%s", i > 0 ? ", " : "", required != NULL ? required : label);
    }
  if (self->criteria->len > MOST_NAMED)
    g_string_append (names, ", …");
  /* Translators: names of criteria: "Missing: Groundedness, Tone (required)." */
  return g_strdup_printf (_("Missing: %s."), names->str);
}
