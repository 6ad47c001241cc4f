/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-report-comparison.c: what runs show against one another: the plot in words, each axis by itself, and
 * each run beside the one it continues. */
#include "assay-report-private.h"

#include <glib/gi18n-lib.h>

#include "assay-effects.h"
#include "assay-pareto.h"

#define MOST_SENTENCES 200u

AssayRecord *
report_get_parent (AssayReport *self, AssayRecord *run)
{
  const char *parent = assay_record_get_parent (run);
  return parent != NULL ? assay_ledger_find_run (self->ledger, parent) : NULL;
}

/* Each run beside its parent */

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
      AssayRecord *run = self->runs->pdata[i], *parent = report_get_parent (self, run);
      if (parent == NULL || assay_record_is_damaged (parent) || assay_record_is_damaged (run)
          || n++ >= MOST_SENTENCES)
        continue;
      report_section_begin (section);
      if (n == 1)
        report_add (self, ASSAY_REPORT_PARAGRAPH, _("Each run beside the one that it continues:"));
      report_add_comparison (self, parent, run);
    }
  if (n <= MOST_SENTENCES)
    return;
  g_autofree char *more = g_strdup_printf (
      g_dngettext (GETTEXT_PACKAGE, "%u more run is compared in the window.",
                   "%u more runs are compared in the window.", n - MOST_SENTENCES),
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
      if (!point->on_ran_frontier && !point->on_quality_frontier)
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

/* What each axis does by itself, over the repeats */

static void
report_add_families (AssayReport *self, ReportSection *section)
{
  g_autoptr(AssayEffects) effects = assay_effects_find (self->ledger, FALSE);
  guint n = 0;
  for (guint i = 0; i < effects->families->len; i++)
    {
      const AssayEffectFamily *family = effects->families->pdata[i];
      for (guint k = 0; k < family->effects->len && n < MOST_SENTENCES; k++, n++)
        {
          g_autofree char *words = assay_effect_dup_words (family->effects->pdata[k]);
          report_section_begin (section);
          if (n == 0)
            report_add (self, ASSAY_REPORT_PARAGRAPH, _("What one axis does, over the repeats of each setting:"));
          report_add_item (self, NULL, NULL, words);
        }
    }
  for (guint i = 0; i < MIN (effects->kept_out->len, MOST_SENTENCES); i++)
    {
      const AssayKeptOut *kept_out = effects->kept_out->pdata[i];
      report_section_begin (section);
      if (i == 0)
        report_add (self, ASSAY_REPORT_PARAGRAPH, _("Kept out of these effects:"));
      report_add_item (self, NULL, NULL, kept_out->words);
    }
}

void
report_tell_comparison (AssayReport *self)
{
  ReportSection section = { self, C_ ("report", "Comparison"), FALSE };
  if (self->runs->len > 1)
    report_add_plots (self, &section);
  if (self->runs->len > 1)
    report_add_families (self, &section);
  report_add_sentences (self, &section);
}
