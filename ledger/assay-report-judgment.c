/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-report-judgment.c: the three gates apart, and what persons said of the outputs. */
#include "assay-report-private.h"

#include <glib/gi18n-lib.h>

void
report_tell_gates (AssayReport *self)
{
  report_add (self, ASSAY_REPORT_HEADING, _("The three gates"));
  AssayReportBlock *table = report_add_table (
      self, assay_field_get_info (ASSAY_FIELD_RUN_ID)->name, assay_gate_get_word (ASSAY_GATE_FEASIBILITY),
      assay_gate_get_word (ASSAY_GATE_QUALITY), assay_gate_get_word (ASSAY_GATE_OPERATION), NULL);
  for (guint i = 0; i < self->runs->len; i++)
    {
      g_autoptr(AssayGates) gates = assay_gates_judge (self->ledger, self->runs->pdata[i]);
      g_autoptr(GStrvBuilder) cells = g_strv_builder_new ();
      g_strv_builder_add (cells, assay_record_get_id (self->runs->pdata[i]));
      for (AssayGate gate = 0; gate < ASSAY_N_GATES; gate++)
        {
          const AssayVerdict verdict = gates->verdict[gate];
          g_autofree char *line = g_strdup_printf ("%s %s: %s", assay_verdict_get_mark (verdict),
                                                   assay_verdict_get_word (verdict), gates->evidence[gate]);
          g_strv_builder_add (cells, line);
        }
      report_take_row (table, cells);
    }
}

/* Reviews */

static char *
review_dup_lead (AssayRecord *run, const AssayReview *review, gboolean counts)
{
  return g_strdup_printf ("%s, %s%s%s:", assay_record_get_id (run), review->reviewer != NULL ? review->reviewer : "",
                          review->blind ? _(" (blind)") : "", counts ? "" : _(" (superseded, not counted)"));
}

static char *
review_dup_text (const AssayReview *review)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < review->scores->len; i++)
    {
      const AssayScore *score = review->scores->pdata[i];
      if (score->question == NULL && score->words != NULL)
        g_string_append_printf (text, ", %s: %s", score->criterion, score->words);
      else if (score->question == NULL)
        g_string_append_printf (text, ", %s %d", score->criterion, score->value);
    }
  if (review->quality_note != NULL && *review->quality_note != '\0')
    g_string_append_printf (text, ". %s", review->quality_note);
  return g_string_free (text, FALSE);
}

static guint
run_tell_reviews (AssayReport *self, AssayRecord *run)
{
  g_autoptr(GPtrArray) current = assay_record_get_current_reviews (run);
  GPtrArray *reviews = assay_record_get_reviews (run);
  for (guint i = 0; i < reviews->len; i++)
    {
      const AssayReview *review = reviews->pdata[i];
      g_autofree char *lead = review_dup_lead (run, review, g_ptr_array_find (current, review, NULL));
      g_autofree char *text = review_dup_text (review);
      report_add_item (self, lead, assay_verdict_get_word (review->verdict), text);
    }
  return reviews->len;
}

void
report_tell_reviews (AssayReport *self)
{
  guint n = 0;
  report_add (self, ASSAY_REPORT_HEADING, _("Reviews"));
  for (guint i = 0; i < self->runs->len; i++)
    n += run_tell_reviews (self, self->runs->pdata[i]);
  if (n == 0)
    report_add (self, ASSAY_REPORT_PARAGRAPH, _("None: no run is judged on quality."));
}
