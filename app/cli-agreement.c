/* SPDX-License-Identifier: GPL-3.0-or-later */
/* app/cli-agreement.c: what several people's judgments add up to: means, agreement, preferences. */
#include "cli.h"

#include <glib/gi18n.h>

#include "assay-agreement.h"
#include "assay-preference-figures.h"
#include "assay-quality-mean.h"
#include "assay-repeats.h"

typedef struct
{
  AssayAgreementTable *agreement;
  AssayPreferenceFigures *preferences;
  AssayQualityMeans *all;      /* for what is left out of all the means */
  GPtrArray *settings;         /* (element-type GPtrArray of AssayRecord) */
} Judgments;

static void
judgments_clear (Judgments *self)
{
  assay_agreement_free (self->agreement);
  assay_preference_figures_free (self->preferences);
  assay_quality_means_free (self->all);
  g_clear_pointer (&self->settings, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Judgments, judgments_clear)

/* --- for people --- */

static void
print_criteria (const Judgments *self)
{
  for (guint i = 0; i < self->agreement->criteria->len; i++)
    {
      const AssayAgreement *agreement = self->agreement->criteria->pdata[i];
      g_autofree char *alpha = assay_alpha_dup_words (&agreement->alpha);
      g_print ("%s: %s\n", agreement->criterion->id, alpha);
    }
}

/* A line a setting: what was judged under other conditions is not thrown together. */
static void
print_means (AssayLedger *ledger, const Judgments *self)
{
  g_print ("\n%s:\n", _("means by setting"));
  for (guint i = 0; i < self->settings->len; i++)
    {
      GPtrArray *runs = self->settings->pdata[i];
      g_autoptr (AssayQualityMeans) means = assay_quality_means_new (ledger, runs);
      g_print (ngettext ("  %s (%u run):", "  %s (%u runs):", runs->len),
               assay_record_get_id (assay_repeats_get_typical (runs)), runs->len);
      for (guint k = 0; k < means->means->len; k++)
        {
          const AssayQualityMean *mean = means->means->pdata[k];
          g_autofree char *words = assay_quality_mean_dup_words (mean);
          g_print ("%s %s %s", k > 0 ? ";" : "", mean->criterion->id, words);
        }
      g_print ("\n");
    }
}

static void
print_disagreements (const AssayAgreementTable *table)
{
  if (table->disagreements->len > 0)
    g_print ("\n%s:\n", _("where they disagree, the most first"));
  for (guint i = 0; i < table->disagreements->len; i++)
    {
      const AssayDisagreement *one = table->disagreements->pdata[i];
      g_print ("  %s %s%s%s:", assay_record_get_id (one->run), one->criterion,
               one->question != NULL ? " @" : "", one->question != NULL ? one->question : "");
      for (guint k = 0; k < one->judgments->len; k++)
        {
          const AssayJudgment *judgment = &g_array_index (one->judgments, AssayJudgment, k);
          g_print ("%s %s %d", k > 0 ? "," : "", judgment->reviewer, judgment->value);
        }
      g_print ("\n");
    }
}

static void
print_preferences (const AssayPreferenceFigures *figures)
{
  if (figures->n_counted + figures->uncounted->len == 0)
    return;
  g_autofree char *bias = assay_position_bias_dup_words (&figures->bias);
  g_print ("\n%s: %s\n", _("side by side"), bias);
  for (guint i = 0; i < figures->pairings->len; i++)
    {
      const AssayPairing *pairing = figures->pairings->pdata[i];
      g_print (_("  %s against %s: %u to %u, %u ties, %u both bad\n"), assay_record_get_id (pairing->first),
               assay_record_get_id (pairing->second), pairing->first_wins, pairing->second_wins,
               pairing->ties, pairing->both_bad);
    }
  for (guint i = 0; i < figures->uncounted->len; i++)
    {
      const AssayUncounted *uncounted = figures->uncounted->pdata[i];
      g_print (_("  %s is kept and not counted: %s\n"), uncounted->preference->id, uncounted->reason);
    }
}

static void
print_excluded (const AssayQualityMeans *means)
{
  if (means->excluded->len > 0)
    g_print ("\n%s:\n", _("left out of the means"));
  for (guint i = 0; i < means->excluded->len; i++)
    {
      const AssayExcludedRun *excluded = means->excluded->pdata[i];
      g_print ("  %s: %s\n", assay_record_get_id (excluded->run), excluded->reason);
    }
}

/* --- for programs --- */

static void
json_add_mean (JsonBuilder *b, const AssayQualityMean *mean)
{
  json_builder_begin_object (b);
  cli_json_text (b, "criterion", mean->criterion->id);
  cli_json_real (b, "mean", mean->mean);
  cli_json_real (b, "standard_deviation", mean->spread);
  cli_json_integer (b, "runs", mean->n_runs);
  cli_json_integer (b, "scores", mean->n_scores);
  json_builder_end_object (b);
}

static void
json_add_settings (JsonBuilder *b, AssayLedger *ledger, const Judgments *self)
{
  cli_json_array (b, "settings");
  for (guint i = 0; i < self->settings->len; i++)
    {
      GPtrArray *runs = self->settings->pdata[i];
      g_autoptr (AssayQualityMeans) means = assay_quality_means_new (ledger, runs);
      json_builder_begin_object (b);
      cli_json_array (b, "runs");
      for (guint k = 0; k < runs->len; k++)
        json_builder_add_string_value (b, assay_record_get_id (runs->pdata[k]));
      json_builder_end_array (b);
      cli_json_array (b, "means");
      for (guint k = 0; k < means->means->len; k++)
        json_add_mean (b, means->means->pdata[k]);
      json_builder_end_array (b);
      json_builder_end_object (b);
    }
  json_builder_end_array (b);
}

static const char *
alpha_get_reason (const AssayAlpha *alpha)
{
  static const char *const reasons[] = { NULL, "too_few_reviewers", "nothing_judged_by_two", "no_variation" };
  return reasons[alpha->state];
}

static void
json_add_alpha (JsonBuilder *b, const AssayAlpha *alpha)
{
  cli_json_real (b, "alpha", alpha->alpha);
  cli_json_real (b, "alpha_low", alpha->low);
  cli_json_real (b, "alpha_high", alpha->high);
  cli_json_text (b, "alpha_undefined", alpha_get_reason (alpha));
  cli_json_integer (b, "reviewers", alpha->n_observers);
  cli_json_integer (b, "units", alpha->n_units);
  cli_json_integer (b, "pairable_values", alpha->n_values);
  cli_json_integer (b, "resamples", alpha->n_resamples);
  cli_json_integer (b, "resampling_seed", (gint64) alpha->seed);
}

static void
json_add_criteria (JsonBuilder *b, const Judgments *self)
{
  cli_json_array (b, "criteria");
  for (guint i = 0; i < self->agreement->criteria->len; i++)
    {
      const AssayAgreement *agreement = self->agreement->criteria->pdata[i];
      json_builder_begin_object (b);
      cli_json_text (b, "criterion", agreement->criterion->id);
      cli_json_text (b, "kind", assay_criterion_kind_get_name (agreement->criterion->kind));
      json_add_alpha (b, &agreement->alpha);
      json_builder_end_object (b);
    }
  json_builder_end_array (b);
}

static void
json_add_disagreements (JsonBuilder *b, const AssayAgreementTable *table)
{
  cli_json_array (b, "disagreements");
  for (guint i = 0; i < table->disagreements->len; i++)
    {
      const AssayDisagreement *one = table->disagreements->pdata[i];
      json_builder_begin_object (b);
      cli_json_text (b, "run_id", assay_record_get_id (one->run));
      cli_json_text (b, "question", one->question);
      cli_json_text (b, "criterion", one->criterion);
      cli_json_integer (b, "spread", one->spread);
      cli_json_array (b, "judgments");
      for (guint k = 0; k < one->judgments->len; k++)
        {
          json_builder_begin_object (b);
          cli_json_text (b, "reviewer", g_array_index (one->judgments, AssayJudgment, k).reviewer);
          cli_json_integer (b, "value", g_array_index (one->judgments, AssayJudgment, k).value);
          json_builder_end_object (b);
        }
      json_builder_end_array (b);
      json_builder_end_object (b);
    }
  json_builder_end_array (b);
}

static void
json_add_pairings (JsonBuilder *b, const AssayPreferenceFigures *figures)
{
  cli_json_array (b, "pairs");
  for (guint i = 0; i < figures->pairings->len; i++)
    {
      const AssayPairing *pairing = figures->pairings->pdata[i];
      json_builder_begin_object (b);
      cli_json_text (b, "first", assay_record_get_id (pairing->first));
      cli_json_text (b, "second", assay_record_get_id (pairing->second));
      cli_json_integer (b, "first_wins", pairing->first_wins);
      cli_json_integer (b, "second_wins", pairing->second_wins);
      cli_json_integer (b, "ties", pairing->ties);
      cli_json_integer (b, "both_bad", pairing->both_bad);
      json_builder_end_object (b);
    }
  json_builder_end_array (b);
}

static void
json_add_preferences (JsonBuilder *b, const AssayPreferenceFigures *figures)
{
  json_builder_set_member_name (b, "preferences");
  json_builder_begin_object (b);
  cli_json_integer (b, "counted", figures->n_counted);
  cli_json_integer (b, "superseded", figures->n_superseded);
  cli_json_integer (b, "decided", figures->bias.n);
  cli_json_integer (b, "left_chosen", figures->bias.n_left);
  cli_json_real (b, "left_share", figures->bias.share);
  cli_json_real (b, "left_share_low", figures->bias.low);
  cli_json_real (b, "left_share_high", figures->bias.high);
  cli_json_real (b, "p", figures->bias.p);
  json_add_pairings (b, figures);
  cli_json_array (b, "not_counted");
  for (guint i = 0; i < figures->uncounted->len; i++)
    {
      const AssayUncounted *uncounted = figures->uncounted->pdata[i];
      json_builder_begin_object (b);
      cli_json_text (b, "preference", uncounted->preference->id);
      cli_json_text (b, "reason", uncounted->reason);
      json_builder_end_object (b);
    }
  json_builder_end_array (b);
  json_builder_end_object (b);
}

static void
json_add_excluded (JsonBuilder *b, const AssayQualityMeans *means)
{
  cli_json_array (b, "excluded");
  for (guint i = 0; i < means->excluded->len; i++)
    {
      const AssayExcludedRun *excluded = means->excluded->pdata[i];
      json_builder_begin_object (b);
      cli_json_text (b, "run_id", assay_record_get_id (excluded->run));
      cli_json_text (b, "code", assay_exclusion_get_name (excluded->exclusion));
      cli_json_text (b, "reason", excluded->reason);
      json_builder_end_object (b);
    }
  json_builder_end_array (b);
}

static void
print_json (AssayLedger *ledger, const Judgments *self)
{
  g_autoptr (JsonBuilder) b = json_builder_new ();
  json_builder_begin_object (b);
  cli_json_integer (b, "reviewers", self->agreement->n_reviewers);
  json_add_criteria (b, self);
  json_add_disagreements (b, self->agreement);
  json_add_preferences (b, self->preferences);
  json_add_settings (b, ledger, self);
  json_add_excluded (b, self->all);
  json_builder_end_object (b);
  cli_print_json (json_builder_get_root (b));
}

int
cli_agreement (int argc, char **argv)
{
  gboolean json = FALSE;
  if (!cli_parse ("agreement", NULL, 1, 1, &argc, &argv, &json))
    return CLI_USAGE;
  g_autoptr (AssayLedger) ledger = cli_load_ledger (argv[1]);
  if (ledger == NULL)
    return CLI_BAD_FILE;
  g_auto (Judgments) judgments = { assay_agreement_new (ledger), assay_preference_figures_new (ledger),
                                   assay_quality_means_new (ledger, NULL),
                                   assay_repeats_fold (ledger, TRUE) };
  if (json)
    print_json (ledger, &judgments);
  else
    {
      print_criteria (&judgments);
      print_disagreements (judgments.agreement);
      print_preferences (judgments.preferences);
      print_means (ledger, &judgments);
      print_excluded (judgments.all);
    }
  return CLI_OK;
}
