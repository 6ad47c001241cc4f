/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-review-draft.h"

AssayReviewDraft *
assay_review_draft_new (const AssayReview *base)
{
  AssayReviewDraft *self = g_new0 (AssayReviewDraft, 1);

  self->review = base != NULL ? assay_review_copy (base) : assay_review_new ("");
  self->base = base != NULL ? g_strdup (base->id) : NULL;
  self->base_reviewer = base != NULL ? g_strdup (base->reviewer) : NULL;
  return self;
}

void
assay_review_draft_rebase (AssayReviewDraft *self, const AssayReview *own)
{
  if (own == NULL || g_strcmp0 (self->base, own->id) == 0)
    return;
  g_free (self->base);
  g_free (self->base_reviewer);
  self->base = g_strdup (own->id);
  self->base_reviewer = g_strdup (own->reviewer);
}

void
assay_review_draft_free (AssayReviewDraft *self)
{
  if (self == NULL)
    return;
  assay_review_free (self->review);
  g_free (self->base);
  g_free (self->base_reviewer);
  g_free (self);
}

gboolean
assay_review_draft_is_empty (const AssayReviewDraft *self)
{
  const char *note = self->review->quality_note;

  return self->review->scores->len == 0 && self->review->verdict == ASSAY_VERDICT_NOT_JUDGED
         && (note == NULL || *note == '\0');
}

int
assay_review_draft_get_score (const AssayReviewDraft *self, const char *criterion, const char *question)
{
  const AssayScore *score = assay_review_find_score (self->review, criterion, question);

  return score != NULL ? score->value : -1;
}

void
assay_review_draft_set_score (AssayReviewDraft *self, const char *criterion, const char *question, int value)
{
  const AssayScore *score = assay_review_find_score (self->review, criterion, question);

  if (value >= 0)
    assay_review_set_score (self->review, criterion, question, value);
  else if (score != NULL)
    g_ptr_array_remove (self->review->scores, (gpointer) score);
  self->dirty = TRUE;
}

const char *
assay_review_draft_get_words (const AssayReviewDraft *self, const char *criterion, const char *question)
{
  const AssayScore *score = assay_review_find_score (self->review, criterion, question);

  return score != NULL && score->words != NULL ? score->words : "";
}

void
assay_review_draft_set_words (AssayReviewDraft *self, const char *criterion, const char *question, const char *words)
{
  if (*words == '\0')
    assay_review_draft_set_score (self, criterion, question, -1);
  else
    assay_review_set_words (self->review, criterion, question, words);
  self->dirty = TRUE;
}

const char *
assay_output_get_scored_question (const AssayOutput *output)
{
  return *output->question != '\0' ? output->question : NULL;
}

guint
assay_review_draft_count_questions (const AssayReviewDraft *self)
{
  g_autoptr(GHashTable) questions = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < self->review->scores->len; i++)
    {
      const AssayScore *score = g_ptr_array_index (self->review->scores, i);
      if (score->question != NULL)
        g_hash_table_add (questions, score->question);
    }
  return g_hash_table_size (questions);
}

static gboolean
score_is_asked_for (const AssayScore *score, const AssayCriteria *criteria)
{
  const AssayCriterion *criterion = assay_criteria_find (criteria, score->criterion);

  return criterion != NULL && (criterion->kind == ASSAY_CRITERION_FREE) == (score->words != NULL);
}

AssayReview *
assay_review_draft_finish (const AssayReviewDraft *self, const char *reviewer, const AssayCriteria *criteria)
{
  AssayReview *review = assay_review_new (reviewer);

  for (guint i = 0; i < self->review->scores->len; i++)
    {
      const AssayScore *score = g_ptr_array_index (self->review->scores, i);
      if (!score_is_asked_for (score, criteria))
        continue;
      if (score->words != NULL)
        assay_review_set_words (review, score->criterion, score->question, score->words);
      else
        assay_review_set_score (review, score->criterion, score->question, score->value);
    }
  review->verdict = self->review->verdict;
  review->blind = self->blind;
  if (self->review->quality_note != NULL && *self->review->quality_note != '\0')
    review->quality_note = g_strdup (self->review->quality_note);
  if (g_strcmp0 (self->base_reviewer, reviewer) == 0)
    review->supersedes = g_strdup (self->base);
  return review;
}
