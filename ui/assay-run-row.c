/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-run-row.h"

#include <glib/gi18n-lib.h>

#include "assay-axes.h"
#include "assay-change.h"
#include "assay-compare.h"
#include "assay-display-text.h"
#include "assay-gate-marks.h"
#include "assay-record-words.h"
#include "assay-tooltip.h"

struct _AssayRunRow
{
  GtkWidget parent_instance;
  GtkLabel *title, *detail; /* template children */
  AssayGateMarks *marks;
  AssayRecord *record;      /* owned: the one shown, or NULL */
};

G_DEFINE_FINAL_TYPE (AssayRunRow, assay_run_row, GTK_TYPE_WIDGET)

const char *
assay_run_get_short_id (const char *run_id)
{
  const char *dash = strrchr (run_id, '-');
  return dash != NULL && dash[1] != '\0' ? dash + 1 : run_id;
}

static char *
run_dup_baseline_title (AssayRecord *record)
{
  const AssayValues *values = assay_record_get_conditions (record);
  const char *model = assay_values_get_text (values, ASSAY_FIELD_MODEL_ID);
  const char *quantization = assay_values_get_text (values, ASSAY_FIELD_QUANTIZATION);
  const char *slash = model != NULL ? strrchr (model, '/') : NULL;
  const char *name = slash != NULL ? slash + 1 : model;
  if (name == NULL)
    return g_strdup (_("baseline"));
  if (quantization == NULL)
    return g_strdup_printf (_("baseline, %s"), name);
  return g_strdup_printf (_("baseline, %s %s"), name, quantization);
}

/* The chain goes on where a link is missing: it is no baseline, and nobody knows any more what it was compared with. */
static char *
run_dup_orphan_title (AssayLedger *ledger, AssayRecord *record)
{
  const char *changed = assay_record_get_changed (record);
  const gboolean deleted = assay_ledger_has_removed_run (ledger, assay_record_get_parent (record));
  if (changed == NULL)
    return g_strdup (deleted ? _("continues a deleted run") : _("continues a run that is not in this ledger"));
  return deleted ? g_strdup_printf (_("%s changed since a deleted run"), changed)
                 : g_strdup_printf (_("%s changed since a run that is not in this ledger"), changed);
}

/* "vram_budget: 512 MiB → 256 MiB" */
static char *
run_describe_differences (GPtrArray *differences)
{
  g_autoptr(GString) text = g_string_new (NULL);
  for (guint i = 0; i < differences->len; i++)
    {
      const AssayDifference *difference = g_ptr_array_index (differences, i);
      if (difference->implied)
        continue;
      g_autofree char *from = assay_display_value (difference->field, difference->from, 80);
      g_autofree char *to = assay_display_value (difference->field, difference->to, 200);
      g_string_append_printf (text, "%s%s: %s → %s", text->len > 0 ? ", " : "",
                              assay_field_get_info (difference->field)->name, from, to);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static gboolean
differences_have (GPtrArray *differences, AssayAxis axis)
{
  for (guint i = 0; i < differences->len; i++)
    if (((AssayDifference *) g_ptr_array_index (differences, i))->axis == axis)
      return TRUE;
  return FALSE;
}

/* A child may ask for what was in effect in its parent, or leave open what the parent left open: neither is a change, so
 * that only what differs from both counts. (transfer full) */
static GPtrArray *
run_dup_changes (AssayRecord *parent, AssayRecord *record)
{
  const AssayValues *asked = assay_record_get_conditions (record);
  g_autoptr(AssayValues) base = assay_change_dup_base (parent);
  g_autoptr(GPtrArray) from_asked = assay_axes_diff_conditions (assay_record_get_conditions (parent), asked);
  GPtrArray *changes = assay_axes_diff_conditions (base, asked);
  for (guint i = changes->len; i-- > 0;)
    if (!differences_have (from_asked, ((AssayDifference *) g_ptr_array_index (changes, i))->axis))
      g_ptr_array_remove_index (changes, i);
  return changes;
}

char *
assay_run_dup_title (AssayLedger *ledger, AssayRecord *record)
{
  if (assay_record_is_damaged (record))
    return g_strdup (_("damaged run"));
  const char *parent_id = assay_record_get_parent (record);
  AssayRecord *parent = parent_id != NULL && ledger != NULL ? assay_ledger_find_run (ledger, parent_id) : NULL;
  if (parent == NULL && parent_id != NULL && ledger != NULL)
    return run_dup_orphan_title (ledger, record);
  if (parent == NULL)
    return run_dup_baseline_title (record);
  g_autoptr(GPtrArray) differences = run_dup_changes (parent, record);
  if (assay_axes_count (differences) == 0)
    return g_strdup (_("nothing changed: a repeat"));
  return run_describe_differences (differences);
}

/* "3f2a9c · RAM 412 MiB · 9.40 s"; how it ended comes first when it did not complete. */
static char *
run_dup_detail (AssayRecord *record)
{
  g_autoptr(GString) text = g_string_new (assay_run_get_short_id (assay_record_get_id (record)));
  const AssayRunStatus status = assay_record_get_status (record);
  if (assay_record_is_damaged (record))
    {
      g_string_append_printf (text, " · %s", assay_record_get_damage (record));
      return g_string_free (g_steal_pointer (&text), FALSE);
    }
  if (status != ASSAY_STATUS_COMPLETED)
    g_string_append_printf (text, " · %s", assay_record_words_status (status));
  const AssayValues *burden = assay_record_get_burden (record);
  const AssayFieldId peak = assay_compare_get_own_peak (record);
  if (assay_values_get_state (burden, peak) == ASSAY_VALUE_SET)
    {
      g_autofree char *shown = assay_values_dup_display (burden, peak);
      g_string_append_printf (text, " · %s %s", peak == ASSAY_FIELD_PEAK_VRAM ? _("VRAM") : _("RAM"), shown);
    }
  if (assay_values_get_state (burden, ASSAY_FIELD_ELAPSED_SECONDS) == ASSAY_VALUE_SET)
    {
      g_autofree char *shown = assay_values_dup_display (burden, ASSAY_FIELD_ELAPSED_SECONDS);
      g_string_append_printf (text, " · %s", shown);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* NULL: all that the run needed is in its peak. */
static char *
run_dup_mapped (AssayRecord *record)
{
  const gboolean on_host = assay_compare_get_own_peak (record) != ASSAY_FIELD_PEAK_VRAM;
  const gint64 mapped = on_host ? assay_compare_get_mapped_weights (record) : 0;
  g_autofree char *bytes = assay_format_bytes ((guint64) mapped);
  return mapped > 0 ? g_strdup_printf (_("and %s of weights mapped from the file"), bytes) : NULL;
}

void
assay_run_row_show (AssayRunRow *self, AssayLedger *ledger, AssayRecord *record)
{
  g_return_if_fail (ASSAY_IS_RUN_ROW (self));
  if (ledger == NULL || record == NULL)
    return;
  g_autofree char *title = assay_run_dup_title (ledger, record);
  g_autofree char *detail = run_dup_detail (record);
  g_autoptr(AssayGates) gates = assay_gates_judge (ledger, record);
  g_set_object (&self->record, record);
  g_autofree char *mapped = run_dup_mapped (record);
  g_autofree char *tooltip = g_strjoin ("\n", assay_record_get_id (record), title, detail, mapped, NULL);
  gtk_label_set_text (self->title, title);
  gtk_label_set_text (self->detail, detail);
  assay_gate_marks_set_gates (self->marks, gates);
  assay_tooltip_set (GTK_WIDGET (self), tooltip);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, title, -1);
}

AssayRecord *
assay_run_row_get_record (AssayRunRow *self)
{
  g_return_val_if_fail (ASSAY_IS_RUN_ROW (self), NULL);
  return self->record;
}

static void
assay_run_row_dispose (GObject *object)
{
  g_clear_object (&ASSAY_RUN_ROW (object)->record);
  GtkWidget *child;
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (object))) != NULL)
    gtk_widget_unparent (child);
  gtk_widget_dispose_template (GTK_WIDGET (object), ASSAY_TYPE_RUN_ROW);
  G_OBJECT_CLASS (assay_run_row_parent_class)->dispose (object);
}

static void
assay_run_row_class_init (AssayRunRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = assay_run_row_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class, "/io/github/assay/Assay/ui/assay-run-row.ui");
  g_type_ensure (ASSAY_TYPE_GATE_MARKS);
  gtk_widget_class_bind_template_child (widget_class, AssayRunRow, title);
  gtk_widget_class_bind_template_child (widget_class, AssayRunRow, detail);
  gtk_widget_class_bind_template_child (widget_class, AssayRunRow, marks);
}

static void
assay_run_row_init (AssayRunRow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

GtkWidget *
assay_run_row_new (void)
{
  return g_object_new (ASSAY_TYPE_RUN_ROW, NULL);
}
