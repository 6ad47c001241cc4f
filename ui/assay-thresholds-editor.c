/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-thresholds-editor.c: see the header. A field left empty sets no threshold: its gate then judges without it. */
#include "assay-thresholds-editor.h"

#include <glib/gi18n-lib.h>
#include <stddef.h>

typedef struct
{
  AssayGate gate;
  AssayFieldId like;   /* whose form, unit and limits it has */
  gsize offset;        /* in AssayCriteria */
  gboolean is_share;   /* of 1, typed as a percentage */
  const char *title, *example;
} Threshold;

#define AT(member) offsetof (AssayCriteria, member)

static const Threshold thresholds[] = {
  { ASSAY_GATE_FEASIBILITY, ASSAY_FIELD_VRAM_BUDGET, AT (vram_budget), FALSE, N_("Peak memory, at most"), N_("4 GiB") },
  { ASSAY_GATE_FEASIBILITY, ASSAY_FIELD_TIME_LIMIT_SECONDS, AT (time_limit_seconds), FALSE,
    N_("Time of a run, at most"), N_("2 min") },
  { ASSAY_GATE_OPERATION, ASSAY_FIELD_ELAPSED_SECONDS, AT (mean_latency_seconds), FALSE,
    N_("Mean time of an answer, at most"), N_("20 s") },
  { ASSAY_GATE_OPERATION, ASSAY_FIELD_GENERATE_TOKENS_PER_SECOND, AT (min_tokens_per_second), FALSE,
    N_("Tokens per second, at least"), N_("5") },
  { ASSAY_GATE_OPERATION, ASSAY_FIELD_PEAK_RAM, AT (max_ram), FALSE, N_("Peak RAM, at most"), N_("8 GiB") },
  { ASSAY_GATE_OPERATION, ASSAY_FIELD_TOP_P, AT (max_retry_rate), TRUE, N_("Runs that may fail, at most"), N_("10 %") },
};

struct _AssayThresholdsEditor
{
  GtkWidget parent_instance;
  GtkWidget *groups[ASSAY_N_GATES];              /* children; NULL of the gate that persons judge */
  GtkWidget *rows[G_N_ELEMENTS (thresholds)];    /* borrowed */
  GtkWidget *entries[G_N_ELEMENTS (thresholds)]; /* borrowed */
  gboolean loading;
};

static guint changed_signal;

G_DEFINE_FINAL_TYPE (AssayThresholdsEditor, assay_thresholds_editor, GTK_TYPE_WIDGET)

void
assay_thresholds_editor_focus (AssayThresholdsEditor *self, AssayGate gate)
{
  g_return_if_fail (ASSAY_IS_THRESHOLDS_EDITOR (self));
  for (guint i = 0; i < G_N_ELEMENTS (thresholds); i++)
    if (thresholds[i].gate == gate)
      {
        gtk_widget_grab_focus (self->entries[i]);
        return;
      }
}

static gboolean
threshold_is_integer (const Threshold *threshold)
{
  return assay_field_get_info (threshold->like)->type == ASSAY_VALUE_TYPE_INTEGER;
}

static double
threshold_get (const Threshold *threshold, const AssayCriteria *criteria)
{
  const char *at = (const char *) criteria + threshold->offset;

  return threshold_is_integer (threshold) ? (double) *(const gint64 *) at : *(const double *) at;
}

static void
threshold_set (const Threshold *threshold, AssayCriteria *criteria, const AssayValues *values)
{
  char *at = (char *) criteria + threshold->offset;

  if (threshold_is_integer (threshold))
    {
      *(gint64 *) at = -1;
      assay_values_get_integer (values, threshold->like, (gint64 *) at);
    }
  else
    {
      *(double *) at = -1;
      assay_values_get_real (values, threshold->like, (double *) at);
    }
}

/* "10 %" and "10" are 0.1; what is no such thing is read as it stands, so that the message names it. */
static char *
share_dup_text (const char *typed)
{
  g_autofree char *text = g_strstrip (g_strdup (typed));
  char *end = NULL;
  const double percent = g_ascii_strtod (text, &end);

  if (end == text || (*g_strchug (end) != '\0' && g_strcmp0 (end, "%") != 0))
    return g_strdup (typed);
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];
  return g_strdup (g_ascii_dtostr (buffer, sizeof buffer, percent / 100));
}

static gboolean
threshold_parse (const Threshold *threshold, AssayValues *values, const char *typed, GError **error)
{
  g_autofree char *text = threshold->is_share ? share_dup_text (typed) : g_strdup (typed);

  return assay_values_parse_user (values, threshold->like, g_strstrip (text), error);
}

/* For people where nothing is lost by it: "4 GiB"; else the exact number. */
static char *
threshold_dup_text (const Threshold *threshold, const AssayCriteria *criteria)
{
  const double value = threshold_get (threshold, criteria);
  g_autoptr(AssayValues) values = assay_values_new ();
  AssayCriteria again = *criteria;

  if (value < 0)
    return g_strdup ("");
  if (threshold->is_share)
    return g_strdup_printf ("%.4g %%", value * 100);
  if (threshold_is_integer (threshold))
    assay_values_set_integer (values, threshold->like, *(const gint64 *) ((const char *) criteria + threshold->offset));
  else
    assay_values_set_real (values, threshold->like, value);
  g_autofree char *shown = assay_values_dup_display (values, threshold->like);
  g_autofree char *exact = assay_values_dup_text (values, threshold->like);
  if (!assay_values_parse_user (values, threshold->like, shown, NULL))
    return g_steal_pointer (&exact);
  threshold_set (threshold, &again, values);
  return threshold_get (threshold, &again) == value ? g_steal_pointer (&shown) : g_steal_pointer (&exact);
}

static void
row_set_problem (GtkWidget *row, GtkWidget *entry, const char *problem)
{
  adw_action_row_set_subtitle (ADW_ACTION_ROW (row), problem != NULL ? problem : "");
  if (problem != NULL)
    gtk_widget_add_css_class (row, "criterion-problem");
  else
    gtk_widget_remove_css_class (row, "criterion-problem");
  gtk_accessible_update_state (GTK_ACCESSIBLE (entry), GTK_ACCESSIBLE_STATE_INVALID,
                               problem != NULL ? GTK_ACCESSIBLE_INVALID_TRUE : GTK_ACCESSIBLE_INVALID_FALSE, -1);
}

void
assay_thresholds_editor_load (AssayThresholdsEditor *self, const AssayCriteria *criteria)
{
  g_return_if_fail (ASSAY_IS_THRESHOLDS_EDITOR (self));

  self->loading = TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (thresholds); i++)
    {
      g_autofree char *text = threshold_dup_text (&thresholds[i], criteria);
      gtk_editable_set_text (GTK_EDITABLE (self->entries[i]), text);
    }
  self->loading = FALSE;
}

/* FALSE: the field says why */
static gboolean
editor_store_one (AssayThresholdsEditor *self, guint i, AssayCriteria *criteria)
{
  const char *typed = gtk_editable_get_text (GTK_EDITABLE (self->entries[i]));
  g_autofree char *text = g_strstrip (g_strdup (typed));
  g_autoptr(AssayValues) values = assay_values_new ();
  g_autoptr(GError) error = NULL;

  if (*text != '\0' && !threshold_parse (&thresholds[i], values, text, &error))
    {
      row_set_problem (self->rows[i], self->entries[i],
                       thresholds[i].is_share ? _("Type a percentage from 0 to 100.") : error->message);
      return FALSE;
    }
  row_set_problem (self->rows[i], self->entries[i], NULL);
  threshold_set (&thresholds[i], criteria, values);
  return TRUE;
}

GtkWidget *
assay_thresholds_editor_store (AssayThresholdsEditor *self, AssayCriteria *criteria)
{
  g_return_val_if_fail (ASSAY_IS_THRESHOLDS_EDITOR (self), NULL);
  GtkWidget *first = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (thresholds); i++)
    if (!editor_store_one (self, i, criteria) && first == NULL)
      first = self->entries[i];
  return first;
}

static void
on_changed (AssayThresholdsEditor *self)
{
  if (!self->loading)
    g_signal_emit (self, changed_signal, 0);
}

static void
editor_add_row (AssayThresholdsEditor *self, guint i)
{
  GtkWidget *row = g_object_new (ADW_TYPE_ACTION_ROW, "use-markup", FALSE, "title", _(thresholds[i].title), NULL);
  GtkWidget *entry = gtk_entry_new ();
  /* Translators: what is typed into a threshold's field, such as “4 GiB”. */
  g_autofree char *hint = g_strdup_printf (_("none, or %s"), _(thresholds[i].example));

  gtk_entry_set_placeholder_text (GTK_ENTRY (entry), hint);
  gtk_entry_set_max_length (GTK_ENTRY (entry), 40);
  gtk_editable_set_width_chars (GTK_EDITABLE (entry), 16);
  gtk_widget_set_valign (entry, GTK_ALIGN_CENTER);
  g_signal_connect_object (entry, "changed", G_CALLBACK (on_changed), self, G_CONNECT_SWAPPED);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), entry);
  adw_action_row_set_activatable_widget (ADW_ACTION_ROW (row), entry); /* names it too */
  adw_preferences_group_add (ADW_PREFERENCES_GROUP (self->groups[thresholds[i].gate]), row);
  self->rows[i] = row;
  self->entries[i] = entry;
}

static void
editor_add_group (AssayThresholdsEditor *self, AssayGate gate, const char *title, const char *description)
{
  self->groups[gate] = adw_preferences_group_new ();
  adw_preferences_group_set_title (ADW_PREFERENCES_GROUP (self->groups[gate]), title);
  adw_preferences_group_set_description (ADW_PREFERENCES_GROUP (self->groups[gate]), description);
  gtk_widget_set_parent (self->groups[gate], GTK_WIDGET (self));
}

static void
assay_thresholds_editor_dispose (GObject *object)
{
  AssayThresholdsEditor *self = ASSAY_THRESHOLDS_EDITOR (object);

  for (guint gate = 0; gate < ASSAY_N_GATES; gate++)
    g_clear_pointer (&self->groups[gate], gtk_widget_unparent);
  G_OBJECT_CLASS (assay_thresholds_editor_parent_class)->dispose (object);
}

static void
assay_thresholds_editor_class_init (AssayThresholdsEditorClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = assay_thresholds_editor_dispose;
  changed_signal = g_signal_new ("changed", ASSAY_TYPE_THRESHOLDS_EDITOR, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                 G_TYPE_NONE, 0);
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BOX_LAYOUT);
}

static void
assay_thresholds_editor_init (AssayThresholdsEditor *self)
{
  GtkLayoutManager *layout = gtk_widget_get_layout_manager (GTK_WIDGET (self));

  gtk_orientable_set_orientation (GTK_ORIENTABLE (layout), GTK_ORIENTATION_VERTICAL);
  gtk_box_layout_set_spacing (GTK_BOX_LAYOUT (layout), 24);
  editor_add_group (self, ASSAY_GATE_FEASIBILITY, _("Ran"), _("Whether a run fits the memory and the time there is"));
  editor_add_group (self, ASSAY_GATE_OPERATION, _("Bearable"), _("Whether it can be used day by day, over its repeats"));
  for (guint i = 0; i < G_N_ELEMENTS (thresholds); i++)
    editor_add_row (self, i);
}
