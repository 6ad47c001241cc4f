/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-ledger-check.c: what can only be judged with the whole ledger at hand.
 *
 * Runs once after reading, on records that are not sealed yet. Nothing is repaired: what cannot be is set
 * aside with a notice, and its bytes stay in the record's source. */
#include <glib/gi18n-lib.h>

#include "assay-ledger-private.h"
#include "assay-timestamp.h"

char *
assay_criteria_check_score (const AssayCriteria *criteria, const AssayScore *score)
{
  const AssayCriterion *criterion = assay_criteria_find (criteria, score->criterion);
  if (criterion != NULL && (criterion->kind == ASSAY_CRITERION_FREE) != (score->words != NULL))
    return g_strdup_printf (score->words != NULL ? _("%s: words where a score is asked for")
                                                 : _("%s: a score where words are asked for"),
                            score->criterion);
  if (score->words != NULL)
    return NULL;
  const gboolean scale = criterion == NULL ? score->value > 1 : criterion->kind == ASSAY_CRITERION_SCALE;
  const gint low = scale ? 1 : 0, high = scale ? 5 : 1;

  if (score->value >= low && score->value <= high)
    return NULL;
  return g_strdup_printf (_("%s: a score of %d is not between %d and %d"), score->criterion, score->value,
                          low, high);
}

static char *
check_review (AssayLedger *self, const AssayReview *review)
{
  gint64 instant;

  if (review->reviewer == NULL || *review->reviewer == '\0')
    return g_strdup (_("it does not say who reviewed"));
  if (review->at == NULL || assay_timestamp_parse (review->at, &instant) == ASSAY_TIMESTAMP_INVALID)
    return g_strdup (_("it does not say when"));
  for (guint i = 0; i < review->scores->len; i++)
    {
      char *problem = assay_criteria_check_score (self->criteria, g_ptr_array_index (review->scores, i));
      if (problem != NULL)
        return problem;
    }
  return NULL;
}

static void
check_reviews (AssayLedger *self, AssayRecord *record)
{
  const AssayRunStatus status = assay_record_get_status (record);

  for (guint i = 0; i < record->reviews->len;)
    {
      const AssayReview *review = g_ptr_array_index (record->reviews, i);
      g_autofree char *problem = check_review (self, review);
      if (problem == NULL)
        {
          i++;
          continue;
        }
      assay_record_add_notice (record, _("Review “%s” is left aside: %s"),
                               review->id == NULL ? "" : review->id, problem);
      g_ptr_array_remove_index (record->reviews, i);
    }
  if (record->reviews->len > 0 && record->outputs->len == 0 && status != ASSAY_STATUS_COMPLETED
      && status != ASSAY_STATUS_UNKNOWN)
    assay_record_add_notice (record, _("This run left no output: its reviews are kept and do not count"));
}

static void
check_clock (AssayRecord *record, AssayFieldId field, gint64 *instant, gboolean *known)
{
  const char *text = assay_values_get_text (record->burden, field);
  *known = FALSE;
  if (text == NULL)
    return;
  switch (assay_timestamp_parse (text, instant))
    {
    case ASSAY_TIMESTAMP_VALID: *known = TRUE; break;
    case ASSAY_TIMESTAMP_LOCAL:
      assay_record_add_notice (record, _("%s has no offset: local time unknown"),
                               assay_field_get_info (field)->name);
      break;
    case ASSAY_TIMESTAMP_INVALID:
    default: break; /* the reader has set the run aside */
    }
}

static void
check_clocks (AssayRecord *record)
{
  gint64 started = 0, finished = 0;
  gboolean has_start, has_finish;

  check_clock (record, ASSAY_FIELD_STARTED_AT, &started, &has_start);
  check_clock (record, ASSAY_FIELD_FINISHED_AT, &finished, &has_finish);
  if (has_start && has_finish && finished < started)
    assay_record_add_notice (record,
                             _("The wall clock was set back during the run; durations are not affected"));
}

static void
check_accepted (AssayRecord *record)
{
  if (record->accepted != NULL && assay_record_get_accepted (record) == NULL)
    assay_record_add_notice (record, _("“%s” is no time at which somebody accepted this run: it counts as not accepted"),
                             record->accepted);
}

static void
check_next_trial (AssayRecord *record)
{
  AssayNextTrial *next = record->next_trial;

  if (next == NULL || next->invalid != NULL)
    return;
  next->invalid = assay_record_check_next_trial (record, next);
  if (next->invalid != NULL)
    assay_record_add_notice (record, _("The next trial cannot be followed: %s"), next->invalid);
}

void
assay_ledger_check_runs (AssayLedger *self)
{
  for (guint i = 0; i < self->runs->len; i++)
    {
      AssayRecord *record = g_ptr_array_index (self->runs, i);
      if (record->sealed || record->damage != NULL)
        continue;
      check_reviews (self, record);
      check_clocks (record);
      check_accepted (record);
      check_next_trial (record);
      if (record->parent != NULL && assay_ledger_find_run (self, record->parent) == NULL)
        assay_record_add_notice (record, _("It continues run “%s”, which is not in this ledger"),
                                 record->parent);
    }
}
