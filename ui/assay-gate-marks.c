/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-gate-marks.h"

#include "assay-gate-mark.h"

struct _AssayGateMarks
{
  GtkWidget parent_instance;
  GtkWidget *marks[ASSAY_N_GATES]; /* children */
};

G_DEFINE_FINAL_TYPE (AssayGateMarks, assay_gate_marks, GTK_TYPE_WIDGET)

void
assay_gate_marks_set_verdicts (AssayGateMarks *self, const AssayVerdict *verdicts)
{
  g_return_if_fail (ASSAY_IS_GATE_MARKS (self));
  for (guint gate = 0; gate < ASSAY_N_GATES; gate++)
    assay_gate_mark_set (ASSAY_GATE_MARK (self->marks[gate]), gate, verdicts[gate], NULL, NULL);
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
