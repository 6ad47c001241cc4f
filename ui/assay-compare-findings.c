/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-compare-findings.c: which axes moved between the runs that are selected, and what that shows. */
#include "assay-compare-view-private.h"

#include <glib/gi18n-lib.h>

#include "assay-display-text.h"
#include "assay-field-labels.h"
#include "assay-run-row.h"

#define MOST_FINDINGS 4u /* pairs told; a table of a thousand selected runs is not a sentence */

static char *
row_dup_id (AssayCompareRow *row)
{
  return assay_display_line (assay_run_get_short_id (assay_record_get_id (assay_compare_row_get_record (row))), 24);
}

/* What is said of two rows */

static char *
pair_dup_key (AssayCompareRow *from, AssayCompareRow *to)
{
  return g_strconcat (assay_record_get_id (assay_compare_row_get_record (from)), " ",
                      assay_record_get_id (assay_compare_row_get_record (to)), NULL);
}

static AssayEffect *
pair_find_effect (AssayCompareView *self, AssayCompareRow *from, AssayCompareRow *to)
{
  g_autofree char *key = pair_dup_key (from, to);

  return assay_effect_new (self->ledger, assay_compare_row_get_family (from), assay_compare_row_get_family (to),
                           g_hash_table_contains (self->read_anyway, key));
}

/* Of repeats the effect is told with their spread; of single runs in one sentence. */
static char *
pair_dup_sentence (AssayCompareRow *from, AssayCompareRow *to, const AssayEffect *effect)
{
  const gboolean repeats
    = assay_compare_row_get_family (from)->len > 1 || assay_compare_row_get_family (to)->len > 1;
  g_autofree char *words
    = repeats ? assay_effect_dup_words (effect) : g_strdup (effect->comparison->sentence);

  return assay_display_line (words, 900);
}

static void
findings_add_label (AssayCompareView *self, const char *words, const char *exact)
{
  GtkWidget *label = gtk_label_new (words);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_selectable (GTK_LABEL (label), TRUE);
  gtk_widget_set_can_focus (label, FALSE);
  gtk_widget_set_tooltip_text (label, exact);
  gtk_box_append (self->findings, label);
}

static void
findings_say (AssayCompareView *self, const char *words)
{
  g_autofree char *before = self->said;

  self->said = before != NULL ? g_strconcat (before, "\n", words, NULL) : g_strdup (words);
}

/* Something moved that nobody chose: only for this look, since there is nothing in the runs to put right. */
static void
on_read_anyway (GtkWidget *button, AssayCompareView *self)
{
  g_hash_table_add (self->read_anyway, g_strdup (g_object_get_data (G_OBJECT (button), "pair")));
  compare_findings_update (self);
}

/* Written into each run of the two rows that did not run as asked; it can be undone like any edit. */
static void
view_accept (AssayCompareView *self, GPtrArray *runs)
{
  for (guint i = 0; i < runs->len; i++)
    {
      AssayRecord *record = g_ptr_array_index (runs, i);
      g_autoptr(GError) error = NULL;
      if (!assay_compare_is_as_asked (record)
          && !assay_ledger_set_accepted (self->ledger, assay_record_get_id (record), TRUE, &error))
        g_signal_emit_by_name (self, "problem", error->message);
    }
}

static void
on_accept (GtkWidget *button, AssayCompareView *self)
{
  g_autoptr(GPtrArray) from = g_ptr_array_ref (g_object_get_data (G_OBJECT (button), "from"));
  g_autoptr(GPtrArray) to = g_ptr_array_ref (g_object_get_data (G_OBJECT (button), "to"));

  view_accept (self, from);
  view_accept (self, to);
}

static void
button_keep_runs (GtkWidget *button, const char *name, AssayCompareRow *row)
{
  g_object_set_data_full (G_OBJECT (button), name, g_ptr_array_ref (assay_compare_row_get_family (row)),
                          (GDestroyNotify) g_ptr_array_unref);
}

static GtkWidget *
findings_add_button (AssayCompareView *self, const char *words, GCallback clicked)
{
  GtkWidget *button = gtk_button_new_with_label (words);
  GtkWidget *label = gtk_button_get_child (GTK_BUTTON (button));

  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_widget_set_halign (button, GTK_ALIGN_START);
  g_signal_connect_object (button, "clicked", clicked, self, 0);
  gtk_box_append (self->findings, button);
  return button;
}

static void
findings_offer (AssayCompareView *self, AssayCompareRow *from, AssayCompareRow *to, const AssayComparison *comparison)
{
  GtkWidget *button;

  if (comparison->kind != ASSAY_COMPARISON_REFUSED)
    return;
  if (comparison->reason == ASSAY_REASON_NOT_AS_ASKED)
    {
      button = findings_add_button (self, _("Accept What Was in Effect"), G_CALLBACK (on_accept));
      button_keep_runs (button, "from", from);
      button_keep_runs (button, "to", to);
    }
  else if (comparison->reason >= ASSAY_REASON_DRIVER)
    {
      button = findings_add_button (self, _("Read Its Effect Anyway"), G_CALLBACK (on_read_anyway));
      g_object_set_data_full (G_OBJECT (button), "pair", pair_dup_key (from, to), g_free);
    }
}

static void
findings_add (AssayCompareView *self, AssayCompareRow *from, AssayCompareRow *to)
{
  g_autoptr(AssayEffect) effect = pair_find_effect (self, from, to);
  g_autofree char *sentence = pair_dup_sentence (from, to, effect);
  g_autofree char *labelled = assay_field_labels_put (sentence);
  g_autofree char *id_from = row_dup_id (from), *id_to = row_dup_id (to);
  g_autofree char *words = g_strdup_printf ("%s → %s: %s", id_from, id_to, labelled);

  findings_say (self, words);
  findings_add_label (self, words, sentence);
  findings_offer (self, from, to, effect->comparison);
}

static const char *
findings_get_hint (AssayCompareView *self)
{
  return g_list_model_get_n_items (G_LIST_MODEL (self->rows)) > 1
           ? _("Select two or more runs to read what differs and what that shows: with Ctrl held a click adds a run.")
           : _("One trial so far. Change one thing, run it again, and the effect of that thing can be read here.");
}

static void
findings_clear (AssayCompareView *self)
{
  GtkWidget *child;

  g_clear_pointer (&self->said, g_free);
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->findings))) != NULL)
    gtk_box_remove (self->findings, child);
}

static void
findings_add_plain (AssayCompareView *self, const char *words)
{
  findings_say (self, words);
  findings_add_label (self, words, NULL);
}

static void
findings_show_answers (AssayCompareView *self, AssayCompareRow *from, GPtrArray *selected)
{
  g_autoptr(GPtrArray) lines = compare_answers_dup_lines (from, selected);

  for (guint i = 0; i < lines->len; i++)
    findings_add_plain (self, g_ptr_array_index (lines, i));
}

/* from: what the others are compared with */
static void
findings_show (AssayCompareView *self, AssayCompareRow *from, GPtrArray *selected)
{
  guint n = 0;

  findings_clear (self);
  for (guint i = 0; i < selected->len; i++)
    {
      AssayCompareRow *row = g_ptr_array_index (selected, i);
      if (row != from && n++ < MOST_FINDINGS)
        findings_add (self, from, row);
    }
  if (n > MOST_FINDINGS)
    {
      g_autofree char *more = g_strdup_printf (
        g_dngettext (GETTEXT_PACKAGE, "and %u more; select fewer to read them", "and %u more; select fewer to read them",
                     n - MOST_FINDINGS),
        n - MOST_FINDINGS);
      findings_add_plain (self, more);
    }
  if (n == 0)
    findings_add_plain (self, findings_get_hint (self));
  else
    findings_show_answers (self, from, selected);
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
