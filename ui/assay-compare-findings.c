/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-compare-findings.c: which axes moved between the runs that are selected, and what that shows. */
#include "assay-compare-view-private.h"

#include <glib/gi18n-lib.h>

#include "assay-compare.h"
#include "assay-display-text.h"
#include "assay-run-row.h"

#define MOST_FINDINGS 4u /* pairs told; a table of a thousand selected runs is not a sentence */

static char *
row_dup_id (AssayCompareRow *row)
{
  return assay_display_line (assay_run_get_short_id (assay_record_get_id (assay_compare_row_get_record (row))), 24);
}

/* Of repeats one run speaks; the sentence says so. */
static void
append_repeats (GString *words, AssayCompareRow *a, AssayCompareRow *b)
{
  const guint n_a = assay_compare_row_get_family (a)->len, n_b = assay_compare_row_get_family (b)->len;

  if (n_a > 1 || n_b > 1)
    g_string_append_printf (words, _(" (typical runs: one of %u, one of %u)"), n_a, n_b);
}

static void
append_finding (GString *words, AssayLedger *ledger, AssayCompareRow *a, AssayCompareRow *b)
{
  g_autoptr(AssayComparison) comparison
    = assay_compare_runs (ledger, assay_compare_row_get_record (a), assay_compare_row_get_record (b));
  g_autofree char *from = row_dup_id (a), *to = row_dup_id (b);
  g_autofree char *sentence = assay_display_line (comparison->sentence, 600);

  if (words->len > 0)
    g_string_append_c (words, '\n');
  g_string_append_printf (words, "%s → %s: %s", from, to, sentence);
  append_repeats (words, a, b);
}

static const char *
findings_get_hint (AssayCompareView *self)
{
  return g_list_model_get_n_items (G_LIST_MODEL (self->rows)) > 1
           ? _("Select two or more runs to read what differs and what that shows.")
           : _("One trial so far. Change one thing, run it again, and the effect of that thing can be read here.");
}

/* from: what the others are compared with */
static void
findings_show (AssayCompareView *self, AssayCompareRow *from, GPtrArray *selected)
{
  GString *words = g_string_new (NULL);
  guint n = 0;

  for (guint i = 0; i < selected->len; i++)
    {
      AssayCompareRow *row = g_ptr_array_index (selected, i);
      if (row == from)
        continue;
      if (n++ < MOST_FINDINGS)
        append_finding (words, self->ledger, from, row);
    }
  if (n > MOST_FINDINGS)
    g_string_append_printf (words, _("\nand %u more; select fewer to read them"), n - MOST_FINDINGS);
  gtk_label_set_text (self->findings, words->len > 0 ? words->str : findings_get_hint (self));
  g_string_free (words, TRUE);
}

/* A reference, or NULL */
static AssayCompareRow *
view_dup_pinned (AssayCompareView *self)
{
  const guint n = g_list_model_get_n_items (G_LIST_MODEL (self->rows));

  for (guint i = 0; self->pinned != NULL && i < n; i++)
    {
      g_autoptr(AssayCompareRow) row = g_list_model_get_item (G_LIST_MODEL (self->rows), i);
      if (assay_compare_row_holds (row, self->pinned))
        return g_steal_pointer (&row);
    }
  return NULL;
}

static void
findings_show_baseline (AssayCompareView *self, gboolean pinned, gboolean chosen)
{
  if (self->baseline == NULL)
    return;
  g_autofree char *id
    = assay_display_line (assay_run_get_short_id (assay_record_get_id (self->baseline)), 24);
  g_autofree char *words = g_strdup_printf (
    pinned   ? _("Conditions that differ from run %s, the pinned baseline, are bold and marked ≠.")
    : chosen ? _("Conditions that differ from run %s, the first selected, are bold and marked ≠.")
             : _("Conditions that differ from run %s, the oldest, are bold and marked ≠."),
    id);
  gtk_label_set_text (self->baseline_words, words);
}

static void
findings_show_pin (AssayCompareView *self, gboolean pinned, guint n_selected)
{
  gtk_button_set_label (self->pin, pinned ? _("Unpin the Baseline") : _("Pin as Baseline"));
  gtk_widget_set_sensitive (GTK_WIDGET (self->pin), pinned || n_selected > 0);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->pin),
                               pinned ? _("Compare with the first selected run again")
                                      : _("Compare every run with the first selected one"));
}

void
compare_findings_update (AssayCompareView *self)
{
  g_autoptr(GPtrArray) selected = compare_view_dup_selected (self);
  g_autoptr(AssayCompareRow) pinned = view_dup_pinned (self);
  g_autoptr(AssayCompareRow) oldest = g_list_model_get_item (G_LIST_MODEL (self->rows), 0);
  AssayCompareRow *first = selected->len > 0 ? g_ptr_array_index (selected, 0) : oldest;
  AssayCompareRow *from = pinned != NULL ? pinned : first;

  AssayRecord *baseline = from != NULL ? assay_compare_row_get_record (from) : NULL;

  findings_show (self, from, selected);
  g_set_object (&self->baseline, baseline);
  findings_show_baseline (self, pinned != NULL, selected->len > 0);
  findings_show_pin (self, pinned != NULL, selected->len);
  gtk_stack_set_visible_child_name (self->stack, oldest != NULL ? "table" : "empty");
}
