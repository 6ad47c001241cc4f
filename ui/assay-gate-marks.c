/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-gate-marks.h"

#include <glib/gi18n-lib.h>

#include "assay-display-text.h"
#include "assay-gate-mark.h"

struct _AssayGateMarks
{
  GtkWidget parent_instance;
  GtkWidget *marks[ASSAY_N_GATES]; /* children */
};

G_DEFINE_FINAL_TYPE (AssayGateMarks, assay_gate_marks, GTK_TYPE_WIDGET)

char *
assay_gate_marks_dup_count (AssayLibraryItem *item, AssayGate gate)
{
  const guint n_runs = assay_library_item_get_n_runs (item);
  const char *word = assay_gate_get_word (gate);
  guint n_passed, n_judged;

  assay_library_item_count (item, gate, &n_passed, &n_judged);
  if (n_judged == 0)
    return g_strdup_printf (C_ ("gate", "%s: %s"), word, assay_verdict_get_word (ASSAY_VERDICT_NOT_JUDGED));
  if (n_judged == n_runs)
    /* Translators: a gate, and how many of a ledger's runs pass it: “ran: 2 of 5 runs” */
    return g_strdup_printf (ngettext ("%s: %u of %u run", "%s: %u of %u runs", n_runs), word, n_passed, n_runs);
  /* Translators: the same; the last number is of those runs that nobody judged: “good: 2 of 5 runs, not judged: 1” */
  return g_strdup_printf (ngettext ("%s: %u of %u run, not judged: %u", "%s: %u of %u runs, not judged: %u", n_runs),
                          word, n_passed, n_runs, n_runs - n_judged);
}

void
assay_gate_marks_set_item (AssayGateMarks *self, AssayLibraryItem *item)
{
  g_return_if_fail (ASSAY_IS_GATE_MARKS (self) && ASSAY_IS_LIBRARY_ITEM (item));
  for (guint gate = 0; gate < ASSAY_N_GATES; gate++)
    {
      AssayGateMark *mark = ASSAY_GATE_MARK (self->marks[gate]);
      g_autofree char *words = assay_gate_marks_dup_count (item, gate);
      assay_gate_mark_set (mark, gate, assay_library_item_get_verdict (item, gate), NULL, NULL);
      assay_gate_mark_describe (mark, words);
    }
}

void
assay_gate_marks_set_gates (AssayGateMarks *self, const AssayGates *gates)
{
  g_return_if_fail (ASSAY_IS_GATE_MARKS (self) && gates != NULL);
  for (guint gate = 0; gate < ASSAY_N_GATES; gate++)
    assay_gate_mark_set (ASSAY_GATE_MARK (self->marks[gate]), gate, gates->verdict[gate], NULL, gates->evidence[gate]);
}

static void
assay_gate_marks_dispose (GObject *object)
{
  AssayGateMarks *self = ASSAY_GATE_MARKS (object);
  for (guint gate = 0; gate < ASSAY_N_GATES; gate++)
    g_clear_pointer (&self->marks[gate], gtk_widget_unparent);
  G_OBJECT_CLASS (assay_gate_marks_parent_class)->dispose (object);
}

static void
assay_gate_marks_class_init (AssayGateMarksClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = assay_gate_marks_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BOX_LAYOUT);
}

static void
assay_gate_marks_init (AssayGateMarks *self)
{
  gtk_box_layout_set_spacing (GTK_BOX_LAYOUT (gtk_widget_get_layout_manager (GTK_WIDGET (self))), 8);
  for (guint gate = 0; gate < ASSAY_N_GATES; gate++)
    {
      self->marks[gate] = assay_gate_mark_new ();
      gtk_widget_set_parent (self->marks[gate], GTK_WIDGET (self));
      assay_gate_mark_set (ASSAY_GATE_MARK (self->marks[gate]), gate, ASSAY_VERDICT_NOT_JUDGED, NULL, NULL);
    }
}
