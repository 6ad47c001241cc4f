/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-ledger-row.h"

#include <glib/gi18n-lib.h>

#include "assay-gate-marks.h"
#include "assay-tooltip.h"

#define REASON_WIDTH 28

struct _AssayLedgerRow
{
  GtkListBoxRow parent_instance;
  AssayLibraryItem *item; /* owned */
  GtkLabel *title, *file, *detail; /* template children */
  GtkImage *warning;
  AssayGateMarks *marks;
  gboolean marks_hidden;
};

G_DEFINE_FINAL_TYPE (AssayLedgerRow, assay_ledger_row, GTK_TYPE_LIST_BOX_ROW)

/* The reason alone: the path that comes first would take all the room, and is in the tooltip. It is the ledger's, or
 * where a link leads. */
static const char *
ledger_row_find_reason (AssayLedgerRow *self, const char *problem)
{
  const char *path = assay_library_item_get_path (self->item);
  const char *rest = g_str_has_prefix (problem, path) ? problem + strlen (path)
                     : g_path_is_absolute (problem)  ? strstr (problem, ": ")
                                                     : NULL;
  return rest != NULL && g_str_has_prefix (rest, ": ") ? rest + 2 : problem;
}

static char *
ledger_row_dup_counts (AssayLedgerRow *self)
{
  g_autofree char *ran = assay_gate_marks_dup_count (self->item, ASSAY_GATE_FEASIBILITY);
  g_autofree char *good = assay_gate_marks_dup_count (self->item, ASSAY_GATE_QUALITY);
  g_autofree char *bearable = assay_gate_marks_dup_count (self->item, ASSAY_GATE_OPERATION);
  return g_strjoin ("; ", ran, good, bearable, NULL);
}

static char *
ledger_row_dup_detail (AssayLedgerRow *self)
{
  const char *problem = assay_library_item_get_problem (self->item);
  const guint n_runs = assay_library_item_get_n_runs (self->item);
  if (problem != NULL)
    return g_strdup (ledger_row_find_reason (self, problem));
  return g_strdup_printf (ngettext ("%u run", "%u runs", n_runs), n_runs);
}

static void
ledger_row_refresh (AssayLedgerRow *self)
{
  const char *title = assay_library_item_get_title (self->item);
  const char *problem = assay_library_item_get_problem (self->item);
  const gboolean marked = problem == NULL && !self->marks_hidden && assay_library_item_get_n_runs (self->item) > 0;
  g_autofree char *detail = ledger_row_dup_detail (self);
  g_autofree char *counts = marked ? ledger_row_dup_counts (self) : NULL;
  g_autofree char *described = counts != NULL ? g_strjoin ("; ", detail, counts, NULL) : g_strdup (detail);
  gtk_label_set_text (self->title, title != NULL ? title : "");
  gtk_label_set_text (self->detail, detail);
  /* Why, and what to do, is to be read whole; the list asks for the height that this width needs. */
  gtk_label_set_wrap (self->detail, problem != NULL);
  gtk_label_set_lines (self->detail, problem != NULL ? 5 : 1);
  gtk_label_set_max_width_chars (self->detail, problem != NULL ? REASON_WIDTH : -1);
  if (marked)
    assay_gate_marks_set_item (self->marks, self->item);
  gtk_widget_set_visible (GTK_WIDGET (self->marks), marked);
  gtk_widget_set_visible (GTK_WIDGET (self->warning), problem != NULL);
  assay_tooltip_set (GTK_WIDGET (self), problem != NULL ? problem : title);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, title,
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, described, -1);
}

void
assay_ledger_row_show_file (AssayLedgerRow *self, gboolean shown)
{
  g_return_if_fail (ASSAY_IS_LEDGER_ROW (self));
  if (shown)
    {
      g_autofree char *name = g_path_get_basename (assay_library_item_get_path (self->item));
      g_autofree char *file = g_filename_display_name (name);
      gtk_label_set_text (self->file, file);
    }
  gtk_widget_set_visible (GTK_WIDGET (self->file), shown);
}

void
assay_ledger_row_set_marks_hidden (AssayLedgerRow *self, gboolean hidden)
{
  g_return_if_fail (ASSAY_IS_LEDGER_ROW (self));
  self->marks_hidden = hidden;
  ledger_row_refresh (self);
}

const char *
assay_ledger_row_get_title (AssayLedgerRow *self)
{
  g_return_val_if_fail (ASSAY_IS_LEDGER_ROW (self), NULL);
  return assay_library_item_get_title (self->item);
}

char *
assay_ledger_row_dup_path (AssayLedgerRow *self)
{
  char *path = NULL;
  g_object_get (self->item, "path", &path, NULL);
  return path;
}

char *
assay_ledger_row_dup_task (AssayLedgerRow *self)
{
  char *task = NULL;
  g_object_get (self->item, "task", &task, NULL);
  return task;
}

char *
assay_ledger_row_dup_group (AssayLedgerRow *self)
{
  char *group = NULL;
  g_object_get (self->item, "group", &group, NULL);
  return group;
}

static void
assay_ledger_row_dispose (GObject *object)
{
  g_clear_object (&ASSAY_LEDGER_ROW (object)->item);
  gtk_widget_dispose_template (GTK_WIDGET (object), ASSAY_TYPE_LEDGER_ROW);
  G_OBJECT_CLASS (assay_ledger_row_parent_class)->dispose (object);
}

static void
assay_ledger_row_class_init (AssayLedgerRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = assay_ledger_row_dispose;
  g_type_ensure (ASSAY_TYPE_GATE_MARKS);
  gtk_widget_class_set_template_from_resource (widget_class, "/io/github/assay/Assay/ui/assay-ledger-row.ui");
  gtk_widget_class_bind_template_child (widget_class, AssayLedgerRow, title);
  gtk_widget_class_bind_template_child (widget_class, AssayLedgerRow, file);
  gtk_widget_class_bind_template_child (widget_class, AssayLedgerRow, detail);
  gtk_widget_class_bind_template_child (widget_class, AssayLedgerRow, warning);
  gtk_widget_class_bind_template_child (widget_class, AssayLedgerRow, marks);
}

static void
assay_ledger_row_init (AssayLedgerRow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

GtkWidget *
assay_ledger_row_new (AssayLibraryItem *item)
{
  AssayLedgerRow *self = g_object_new (ASSAY_TYPE_LEDGER_ROW, NULL);
  self->item = g_object_ref (item);
  g_signal_connect_object (item, "notify", G_CALLBACK (ledger_row_refresh), self, G_CONNECT_SWAPPED);
  ledger_row_refresh (self);
  return GTK_WIDGET (self);
}
