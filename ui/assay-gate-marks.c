/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-gate-marks.h"

#include <glib/gi18n-lib.h>

struct _AssayGateMarks
{
  GtkWidget parent_instance;
  GtkWidget *labels[ASSAY_N_GATES]; /* children */
};

G_DEFINE_FINAL_TYPE (AssayGateMarks, assay_gate_marks, GTK_TYPE_WIDGET)

static void
gate_marks_set (AssayGateMarks *self, guint gate, AssayVerdict verdict)
{
  GtkWidget *label = self->labels[gate];
  g_autofree char *text = g_strdup_printf ("%s %s", assay_gate_get_word (gate), assay_verdict_get_mark (verdict));
  g_autofree char *spoken = g_strdup_printf ("%s: %s", assay_gate_get_word (gate), assay_verdict_get_name (verdict));
  gtk_label_set_text (GTK_LABEL (label), text);
  gtk_accessible_update_property (GTK_ACCESSIBLE (label), GTK_ACCESSIBLE_PROPERTY_LABEL, spoken, -1);
  const char *classes[] = { "gate-mark", "dim-label", NULL };
  if (verdict == ASSAY_VERDICT_PASS)
    classes[1] = "gate-pass";
  else if (verdict == ASSAY_VERDICT_FAIL)
    classes[1] = "gate-fail";
  gtk_widget_set_css_classes (label, classes);
}

void
assay_gate_marks_set_verdicts (AssayGateMarks *self, const AssayVerdict *verdicts)
{
  g_return_if_fail (ASSAY_IS_GATE_MARKS (self));
  for (guint gate = 0; gate < ASSAY_N_GATES; gate++)
    gate_marks_set (self, gate, verdicts[gate]);
}

void
assay_gate_marks_set_gates (AssayGateMarks *self, const AssayGates *gates)
{
  assay_gate_marks_set_verdicts (self, gates->verdict);
  for (guint gate = 0; gate < ASSAY_N_GATES; gate++)
    gtk_widget_set_tooltip_text (self->labels[gate], gates->evidence[gate]);
}

static void
assay_gate_marks_dispose (GObject *object)
{
  AssayGateMarks *self = ASSAY_GATE_MARKS (object);
  for (guint gate = 0; gate < ASSAY_N_GATES; gate++)
    g_clear_pointer (&self->labels[gate], gtk_widget_unparent);
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
      self->labels[gate] = gtk_label_new (NULL);
      gtk_widget_set_parent (self->labels[gate], GTK_WIDGET (self));
      gate_marks_set (self, gate, ASSAY_VERDICT_NOT_JUDGED);
    }
}

GtkWidget *
assay_gate_marks_new (void)
{
  return g_object_new (ASSAY_TYPE_GATE_MARKS, NULL);
}
