/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-report-chain.c: what runs show against one another, the way from one to the next, and what is planned. */
#include "assay-report-private.h"

#include <glib/gi18n-lib.h>

#include "assay-child.h"
#include "assay-compare.h"
#include "assay-pareto.h"

#define MOST_SENTENCES 200u

static AssayRecord *
run_get_parent (AssayReport *self, AssayRecord *run)
{
  const char *parent = assay_record_get_parent (run);
  return parent != NULL ? assay_ledger_find_run (self->ledger, parent) : NULL;
}

/* Comparison */

static void
report_add_comparison (AssayReport *self, AssayRecord *parent, AssayRecord *run)
{
  g_autoptr(AssayComparison) comparison = assay_compare_runs (self->ledger, parent, run);
  g_autofree char *lead
      = g_strdup_printf ("%s → %s:", assay_record_get_id (parent), assay_record_get_id (run));
  report_add_item (self, lead, NULL, comparison->sentence);
}

static void
report_add_sentences (AssayReport *self, ReportSection *section)
{
  guint n = 0;
  for (guint i = 0; i < self->runs->len; i++)
    {
      AssayRecord *run = self->runs->pdata[i], *parent = run_get_parent (self, run);
      if (parent == NULL || assay_record_is_damaged (parent) || assay_record_is_damaged (run)
          || n++ >= MOST_SENTENCES)
        continue;
      report_section_begin (section);
      report_add_comparison (self, parent, run);
    }
  if (n <= MOST_SENTENCES)
    return;
  g_autofree char *more = g_strdup_printf (
      g_dngettext (GETTEXT_PACKAGE, "%u more run is compared in the window.", "%u more runs are compared in the window.",
                   n - MOST_SENTENCES),
      n - MOST_SENTENCES);
  report_add (self, ASSAY_REPORT_PARAGRAPH, more);
}

/* "run 1a2b3c: 300 MiB, 90 s; …": what no other setting beats, for who cannot see the plot. */
static char *
group_dup_words (const AssayParetoGroup *group)
{
  GString *text = g_string_new (group->label);
  for (guint i = 0; i < group->points->len; i++)
    {
      const AssayParetoPoint *point = group->points->pdata[i];
      g_autofree char *peak = assay_format_bytes (point->peak_bytes), *seconds = assay_format_seconds (point->seconds);
      if (!point->on_ran_frontier)
        continue;
      g_string_append_printf (text, "; %s: %s, %s", assay_record_get_id (point->representative), peak, seconds);
      if (point->on_quality_frontier)
        g_string_append_printf (text, " (%s)", _("not beaten among those judged good"));
      else
        g_string_append_printf (text, " (%s)", _("not beaten among all that ran"));
    }
  return g_string_free (text, FALSE);
}

static void
report_add_plots (AssayReport *self, ReportSection *section)
{
  g_autoptr(AssayPareto) pareto = assay_pareto_new (self->ledger);
  for (guint i = 0; i < pareto->groups->len; i++)
    {
      g_autofree char *words = group_dup_words (pareto->groups->pdata[i]);
      report_section_begin (section);
      report_add (self, ASSAY_REPORT_PLOT, words)->group = i;
    }
  for (guint i = 0; i < MIN (pareto->left_out->len, MOST_SENTENCES); i++)
    {
      const AssayParetoLeftOut *left_out = pareto->left_out->pdata[i];
      if (i == 0)
        report_section_begin (section);
      if (i == 0)
        report_add (self, ASSAY_REPORT_PARAGRAPH, _("Not among these:"));
      report_add_item (self, NULL, NULL, left_out->words);
    }
}

void
report_tell_comparison (AssayReport *self)
{
  ReportSection section = { self, C_ ("report", "Comparison"), FALSE };
  report_add_sentences (self, &section);
  if (self->runs->len > 1)
    report_add_plots (self, &section);
}

/* Chains */

static void
report_add_chain (AssayReport *self, AssayChain *chain)
{
  const guint n_told = assay_chain_get_n_told (chain);
  const guint n = assay_chain_get_length (chain) + (assay_chain_has_plan (chain) ? 1 : 0);
  g_autofree char *heading = assay_chain_dup_heading (chain);
  report_add (self, ASSAY_REPORT_SUBHEADING, heading);
  if (assay_chain_get_problem (chain) != NULL)
    report_add (self, ASSAY_REPORT_PARAGRAPH, assay_chain_get_problem (chain));
  if (n_told > 0)
    {
      g_autofree char *told = g_strdup_printf (_("As above up to run %s."),
                                               assay_record_get_id (assay_chain_get_run (chain, n_told - 1)));
      report_add (self, ASSAY_REPORT_PARAGRAPH, told);
    }
  for (guint i = n_told; i < n; i++)
    report_add (self, ASSAY_REPORT_STEP, NULL)->step = assay_chain_dup_step (chain, i);
}

void
report_tell_chains (AssayReport *self, const char *run_id)
{
  g_autoptr(GPtrArray) chains = NULL;
  if (run_id == NULL)
    chains = assay_chain_list (self->ledger);
  else
    {
      chains = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_chain_free);
      g_ptr_array_add (chains, assay_chain_new (self->ledger, run_id));
    }
  if (chains->len == 0)
    return;
  report_add (self, ASSAY_REPORT_HEADING, C_ ("report", "The chain of trials"));
  for (guint i = 0; i < chains->len; i++)
    report_add_chain (self, chains->pdata[i]);
}

/* Plans */

static char *
plan_dup_words (const AssayNextTrial *next)
{
  return g_strdup_printf ("%s, %s → %s. %s", next->axis != NULL ? next->axis : "",
                          next->from != NULL ? next->from : _("not set"), next->to != NULL ? next->to : _("not set"),
                          next->note != NULL ? next->note : "");
}

static void
report_add_verdict (AssayReport *self, AssayRecord *run, ReportSection *section)
{
  AssayRecord *parent = run_get_parent (self, run);
  g_autoptr(AssayChildVerdict) verdict = parent != NULL ? assay_child_verdict (parent, run) : NULL;
  if (verdict == NULL)
    return;
  g_autofree char *lead = g_strdup_printf ("%s %s:", verdict->satisfied ? "✓" : "✕", assay_record_get_id (run));
  report_section_begin (section);
  report_add_item (self, lead, NULL, verdict->words);
}

/* Each run's plan, and what came of the plans: of every run that continues another one. */
void
report_tell_plans (AssayReport *self)
{
  ReportSection plans = { self, _("Next trials"), FALSE }, verdicts = { self, _("One axis at a time"), FALSE };
  for (guint i = 0; i < self->runs->len; i++)
    {
      const AssayNextTrial *next = assay_record_get_next_trial (self->runs->pdata[i]);
      if (next == NULL)
        continue;
      g_autofree char *lead = g_strdup_printf ("%s:", assay_record_get_id (self->runs->pdata[i]));
      g_autofree char *words = plan_dup_words (next);
      report_section_begin (&plans);
      report_add_item (self, lead, NULL, words);
    }
  for (guint i = 0; i < self->runs->len; i++)
    report_add_verdict (self, self->runs->pdata[i], &verdicts);
}
