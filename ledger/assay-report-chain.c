/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-report-chain.c: the way from one run to the next, and what is planned. */
#include "assay-report-private.h"

#include <glib/gi18n-lib.h>

#include "assay-child.h"

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
  AssayRecord *parent = report_get_parent (self, run);
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
