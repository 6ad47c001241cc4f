/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-report-agreement.c: how far reviewers agree, what the scores come to, and which runs are in none of
 * it. */
#include "assay-report-private.h"

#include <glib/gi18n-lib.h>

#include "assay-agreement.h"
#include "assay-preference-figures.h"
#include "assay-quality-mean.h"

#define MOST_DISAGREEMENTS 50u

static const char *
criterion_get_words (const AssayCriterion *criterion)
{
  return criterion->label != NULL && *criterion->label != '\0' ? criterion->label : criterion->id;
}

/* Agreement */

static void
report_add_disagreement (AssayReport *self, const AssayDisagreement *disagreement)
{
  GString *text = g_string_new (disagreement->criterion);
  g_autofree char *lead = g_strdup_printf ("%s:", assay_record_get_id (disagreement->run));
  if (disagreement->question != NULL)
    g_string_append_printf (text, ", %s", disagreement->question);
  for (guint i = 0; i < disagreement->judgments->len; i++)
    {
      const AssayJudgment *judgment = &g_array_index (disagreement->judgments, AssayJudgment, i);
      g_string_append_printf (text, "%s%s %d", i == 0 ? ": " : ", ", judgment->reviewer, judgment->value);
    }
  report_add_item (self, lead, NULL, text->str);
  g_string_free (text, TRUE);
}

static void
report_add_disagreements (AssayReport *self, GPtrArray *disagreements)
{
  const guint n = MIN (disagreements->len, MOST_DISAGREEMENTS);
  if (n > 0)
    report_add (self, ASSAY_REPORT_SUBHEADING, C_ ("report", "Where reviewers disagree, the furthest apart first"));
  for (guint i = 0; i < n; i++)
    report_add_disagreement (self, disagreements->pdata[i]);
  if (disagreements->len == n)
    return;
  g_autofree char *more = g_strdup_printf (
      g_dngettext (GETTEXT_PACKAGE, "And in %u more place.", "And in %u more places.", disagreements->len - n),
      disagreements->len - n);
  report_add (self, ASSAY_REPORT_PARAGRAPH, more);
}

static void
report_tell_criteria (AssayReport *self)
{
  g_autoptr(AssayAgreementTable) table = assay_agreement_new (self->ledger);
  if (table->n_reviewers < 2)
    {
      report_add (self, ASSAY_REPORT_PARAGRAPH,
                  _("Fewer than two reviewers gave scores: there is nothing to agree on."));
      return;
    }
  for (guint i = 0; i < table->criteria->len; i++)
    {
      const AssayAgreement *agreement = table->criteria->pdata[i];
      g_autofree char *words = assay_alpha_dup_words (&agreement->alpha);
      report_add_item (self, criterion_get_words (agreement->criterion), NULL, words);
    }
  report_add_disagreements (self, table->disagreements);
}

/* Pairs judged side by side */

static void
report_add_pairing (AssayReport *self, const AssayPairing *pairing)
{
  g_autofree char *lead
      = g_strdup_printf ("%s / %s:", assay_record_get_id (pairing->first), assay_record_get_id (pairing->second));
  g_autofree char *text = g_strdup_printf (_("first preferred %u, second preferred %u, ties %u, both bad %u"),
                                           pairing->first_wins, pairing->second_wins, pairing->ties,
                                           pairing->both_bad);
  report_add_item (self, lead, NULL, text);
}

static void
report_tell_preferences (AssayReport *self)
{
  g_autoptr(AssayPreferenceFigures) figures = assay_preference_figures_new (self->ledger);
  if (figures->pairings->len == 0 && figures->uncounted->len == 0)
    return;
  report_add (self, ASSAY_REPORT_SUBHEADING, C_ ("report", "Outputs side by side"));
  for (guint i = 0; i < figures->pairings->len; i++)
    report_add_pairing (self, figures->pairings->pdata[i]);
  g_autofree char *bias = assay_position_bias_dup_words (&figures->bias);
  report_add (self, ASSAY_REPORT_PARAGRAPH, bias);
  for (guint i = 0; i < figures->uncounted->len; i++)
    {
      const AssayUncounted *uncounted = figures->uncounted->pdata[i];
      report_add_item (self, _("not counted:"), NULL, uncounted->reason);
    }
}

void
report_tell_agreement (AssayReport *self)
{
  report_add (self, ASSAY_REPORT_HEADING, C_ ("report", "Agreement of the reviewers"));
  report_tell_criteria (self);
  report_tell_preferences (self);
}

/* Means */

void
report_tell_means (AssayReport *self)
{
  g_autoptr(AssayQualityMeans) means = assay_quality_means_new (self->ledger, self->runs);
  report_add (self, ASSAY_REPORT_HEADING, C_ ("report", "Quality means"));
  for (guint i = 0; i < means->means->len; i++)
    {
      const AssayQualityMean *mean = means->means->pdata[i];
      g_autofree char *words = assay_quality_mean_dup_words (mean);
      report_add_item (self, criterion_get_words (mean->criterion), NULL, words);
    }
  if (means->excluded->len > 0)
    report_add (self, ASSAY_REPORT_PARAGRAPH, _("Not in any mean:"));
  for (guint i = 0; i < means->excluded->len; i++)
    {
      const AssayExcludedRun *excluded = means->excluded->pdata[i];
      g_autofree char *lead = g_strdup_printf ("%s:", assay_record_get_id (excluded->run));
      report_add_item (self, lead, NULL, excluded->reason);
    }
}
