/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows are made once and then only renewed: twenty times a second is too often to build widgets. */
#include "assay-run-figures.h"

#include <glib/gi18n-lib.h>

#include "assay-chart-data.h"
#include "assay-compare.h"
#include "assay-display-text.h"
#include "assay-run-measures.h"

#define RATE_SPAN_NS G_GINT64_CONSTANT (1000000000)

struct _AssayRunFigures
{
  GtkWidget parent_instance;
  GtkWidget *peak_name, *peak, *peak_kind, *grid, *others, *measures; /* within children */
};

G_DEFINE_FINAL_TYPE (AssayRunFigures, assay_run_figures, GTK_TYPE_WIDGET)

static void
figures_set_peak (AssayRunFigures *self, const char *name, const char *figure, const char *tooltip, const char *kind)
{
  gtk_label_set_text (GTK_LABEL (self->peak_name), name);
  gtk_label_set_text (GTK_LABEL (self->peak), figure);
  gtk_widget_set_tooltip_text (self->peak, tooltip);
  gtk_label_set_text (GTK_LABEL (self->peak_kind), kind != NULL ? kind : "");
  gtk_widget_set_tooltip_text (self->peak_kind, kind);
  gtk_widget_set_visible (self->peak_kind, kind != NULL);
  gtk_accessible_update_relation (GTK_ACCESSIBLE (self->peak), GTK_ACCESSIBLE_RELATION_LABELLED_BY, self->peak_name,
                                  NULL, -1);
}

static GtkWidget *
cell (GtkGrid *grid, int row, int column)
{
  GtkWidget *label = gtk_grid_get_child_at (grid, column, row);

  if (label != NULL)
    return label;
  label = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (label), 0.0f);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_label_set_width_chars (GTK_LABEL (label),
                             column == 0 ? -1 : 21); /* steady while the unit's name changes */
  gtk_label_set_max_width_chars (GTK_LABEL (label), column == 0 ? 24 : 21);
  gtk_widget_add_css_class (label, column == 0 ? "dim-label" : "numeric");
  gtk_grid_attach (grid, label, column, row, 1, 1);
  return label;
}

static void
set_row (GtkGrid *grid, int row, const char *label, const char *value, const char *tooltip)
{
  GtkWidget *name = cell (grid, row, 0), *figure = cell (grid, row, 1);

  gtk_label_set_text (GTK_LABEL (name), label);
  gtk_label_set_text (GTK_LABEL (figure), value);
  gtk_widget_set_tooltip_text (name, label);
  gtk_widget_set_tooltip_text (figure, tooltip != NULL ? tooltip : value);
  gtk_accessible_update_relation (GTK_ACCESSIBLE (figure), GTK_ACCESSIBLE_RELATION_LABELLED_BY, name, NULL,
                                  -1);
}

static void
trim_rows (GtkGrid *grid, int n_rows)
{
  while (gtk_grid_get_child_at (grid, 0, n_rows) != NULL)
    gtk_grid_remove_row (grid, n_rows);
}

static void
figures_set_peak_bytes (AssayRunFigures *self, const char *name, gint64 bytes, const char *kind)
{
  if (bytes < 0)
    {
      figures_set_peak (self, name, _("not measured yet"), NULL, kind);
      return;
    }
  g_autofree char *figure = assay_format_bytes ((guint64) bytes);
  g_autofree char *exact = g_strdup_printf ("%'" G_GINT64_FORMAT, bytes);
  g_autofree char *tooltip = g_strdup_printf (_("%s bytes"), exact);
  figures_set_peak (self, name, figure, tooltip, kind);
}

/* Both lie in memory: what the engine allocated, and the pages of the file that it computes from. */
static void
figures_set_peak_and_mapped (AssayRunFigures *self, const char *name, gint64 bytes, gint64 mapped, const char *kind)
{
  g_autofree char *allocated = assay_format_bytes ((guint64) bytes), *beside = assay_format_bytes ((guint64) mapped);
  /* Translators: “12.9 MiB + 93.8 MiB mapped weights” */
  g_autofree char *figure = g_strdup_printf (_("%s + %s mapped weights"), allocated, beside);
  figures_set_peak (self, name, figure, figure, kind);
}

/* Over the last second; -1 where there is no link. */
static double
find_link_rate (AssaySeries *series)
{
  AssaySample now, before = { 0 };

  if (series == NULL || !assay_series_get_at (series, G_MAXINT64, &now) || now.link_bytes < 0)
    return -1.0;
  if (!assay_series_get_at (series, now.t_ns - RATE_SPAN_NS, &before) || before.link_bytes < 0)
    before.link_bytes = 0;
  return (double)MAX (now.link_bytes - before.link_bytes, 0) * 1e9 / (double)MAX (now.t_ns - before.t_ns, 1);
}

static gboolean
is_streamed (AssayTrial *trial)
{
  g_autoptr(AssayRecord) started = assay_trial_dup_started_record (trial);
  const AssayValues *conditions = assay_record_get_conditions (started);
  const char *mode = assay_values_get_text (conditions, ASSAY_FIELD_OFFLOAD_MODE);
  const char *map = assay_values_get_text (conditions, ASSAY_FIELD_DEVICE_MAP);

  return (mode != NULL && !g_str_equal (mode, "none")) || (map != NULL && *map != '\0');
}

static int
show_residents (GtkGrid *grid, int row, AssayTrial *trial)
{
  g_autofree char *unit = NULL, *block = NULL, *resident = NULL;

  g_object_get (trial, "resident-unit", &unit, "resident-block", &block, NULL);
  resident = unit != NULL && *unit != '\0' ? assay_display_line (unit, 60) : g_strdup (_("nothing yet"));
  set_row (grid, row++, _("resident now"), resident, resident);
  if (!is_streamed (trial))
    return row;
  /* A row that came and went with every pass would make the others jump. */
  set_row (grid, row, _("in the window"), *block != '\0' ? block : "–", *block != '\0' ? block : NULL);
  return row + 1;
}

static int
show_link (GtkGrid *grid, int row, AssaySeries *series)
{
  const double rate = find_link_rate (series);

  if (rate < 0.0)
    return row;
  g_autofree char *words = assay_chart_dup_rate (rate);
  g_autofree char *tooltip = g_strdup_printf (_("%s over the link, in the last second"), words);
  set_row (grid, row, _("over the link"), words, tooltip);
  return row + 1;
}

static gboolean
has_own_memory (AssaySeries *series)
{
  AssaySample now;

  return series != NULL && assay_series_get_at (series, G_MAXINT64, &now) && now.vram_device >= 0;
}

void
assay_run_figures_show_trial (AssayRunFigures *self, AssayTrial *trial, AssayMemoryChart *chart)
{
  GtkGrid *grid = GTK_GRID (self->grid);
  AssaySeries *series = assay_trial_get_series (trial);
  const gboolean own = has_own_memory (series);
  gint64 total, allocated, anonymous;
  double speed = 0.0;
  int row = 0;

  g_object_get (trial, "tokens-per-second", &speed, NULL);
  assay_memory_chart_get_peaks (chart, &total, &allocated, &anonymous);
  g_autofree char *speed_words
      = speed > 0.0 ? g_strdup_printf (_("%.1f tokens/s"), speed) : g_strdup (_("no token yet"));
  set_row (grid, row++, _("generate speed"), speed_words, NULL);
  row = show_link (grid, row, series);
  row = show_residents (grid, row, trial);
  figures_set_peak_bytes (self, own ? _("Peak VRAM so far") : _("Peak RAM of the engine so far"), allocated, NULL);
  gtk_widget_set_visible (self->others, FALSE); /* until the run is over: then all of them are known */
  trim_rows (grid, row);
}

static void
set_field (GtkGrid *grid, int row, const AssayValues *values, AssayFieldId field)
{
  const AssayFieldInfo *info = assay_field_get_info (field);
  g_autofree char *display = assay_values_dup_display (values, field);
  g_autofree char *exact = assay_values_dup_text (values, field);
  g_autofree char *full
      = exact != NULL ? g_strdup_printf ("%s: %s %s", info->name, exact, assay_unit_get_name (info->unit))
                      : g_strdup_printf ("%s: %s", info->name, display);
  g_autofree char *tooltip = assay_display_line (full, 400);
  g_autofree char *shown = exact != NULL ? assay_display_line (display, 80) : g_strdup (_("unknown"));

  set_row (grid, row, _(info->label), shown, tooltip);
}

static void
figures_show_own_peak (AssayRunFigures *self, AssayRecord *record, AssayFieldId own)
{
  const char *name = g_dgettext (GETTEXT_PACKAGE, assay_field_get_info (own)->label);
  g_autofree char *kind = assay_run_measures_dup_kind (record, own);
  const gint64 mapped = own != ASSAY_FIELD_PEAK_VRAM ? assay_compare_get_mapped_weights (record) : 0;
  gint64 bytes;
  if (!assay_values_get_integer (assay_record_get_burden (record), own, &bytes))
    figures_set_peak (self, name, _("unknown"), NULL,
                      assay_values_get_reason (assay_record_get_burden (record), own));
  else if (mapped == 0)
    figures_set_peak_bytes (self, name, bytes, kind);
  else
    figures_set_peak_and_mapped (self, name, bytes, mapped, kind);
}

/* Of a device with memory of its own, what went over the link is told. */
void
assay_run_figures_show_record (AssayRunFigures *self, AssayRecord *record)
{
  static const AssayFieldId on_cpu[] = { ASSAY_FIELD_ELAPSED_SECONDS, ASSAY_FIELD_GENERATE_TOKENS_PER_SECOND,
                                         ASSAY_FIELD_OUTPUT_TOKENS };
  static const AssayFieldId over_link[] = { ASSAY_FIELD_ELAPSED_SECONDS, ASSAY_FIELD_GENERATE_TOKENS_PER_SECOND,
                                            ASSAY_FIELD_LINK_BYTES, ASSAY_FIELD_LINK_STALL_SECONDS };
  const AssayValues *burden = assay_record_get_burden (record);
  const AssayFieldId own = assay_compare_get_own_peak (record);
  const gboolean has_link = assay_values_get_state (burden, ASSAY_FIELD_LINK_BYTES) == ASSAY_VALUE_SET;
  const AssayFieldId *fields = has_link ? over_link : on_cpu;
  const guint n_fields = has_link ? G_N_ELEMENTS (over_link) : G_N_ELEMENTS (on_cpu);
  int row = 0;

  figures_show_own_peak (self, record, own);
  for (guint i = 0; i < n_fields; i++)
    if (assay_values_get_state (burden, fields[i]) != ASSAY_VALUE_UNSET)
      set_field (GTK_GRID (self->grid), row++, burden, fields[i]);
  trim_rows (GTK_GRID (self->grid), row);
  gtk_widget_set_visible (self->others, assay_run_measures_fill (GTK_GRID (self->measures), record, own) > 0);
}

static void
assay_run_figures_dispose (GObject *object)
{
  GtkWidget *child;
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (object))) != NULL)
    gtk_widget_unparent (child);
  G_OBJECT_CLASS (assay_run_figures_parent_class)->dispose (object);
}

static void
assay_run_figures_class_init (AssayRunFiguresClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = assay_run_figures_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BOX_LAYOUT);
}

static GtkWidget *
figures_add_label (AssayRunFigures *self, const char *first_class, const char *second_class)
{
  GtkWidget *label = g_object_new (GTK_TYPE_LABEL, "xalign", 0.0f, "ellipsize", PANGO_ELLIPSIZE_END, "max-width-chars",
                                   34, NULL);
  gtk_widget_add_css_class (label, first_class);
  gtk_widget_add_css_class (label, second_class);
  gtk_widget_set_parent (label, GTK_WIDGET (self));
  return label;
}

static void
figures_add_others (AssayRunFigures *self)
{
  GtkWidget *popover = gtk_popover_new ();
  self->measures = g_object_new (GTK_TYPE_GRID, "column-spacing", 18, "row-spacing", 3, "margin-top", 6, "margin-bottom",
                                 6, "margin-start", 6, "margin-end", 6, NULL);
  gtk_popover_set_child (GTK_POPOVER (popover), self->measures);
  self->others = gtk_menu_button_new ();
  gtk_menu_button_set_label (GTK_MENU_BUTTON (self->others), _("Other Measures"));
  gtk_menu_button_set_popover (GTK_MENU_BUTTON (self->others), popover);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->others), GTK_ACCESSIBLE_PROPERTY_LABEL, _("Other Measures"), -1);
  gtk_widget_add_css_class (self->others, "flat");
  gtk_widget_set_halign (self->others, GTK_ALIGN_START);
  gtk_widget_set_parent (self->others, GTK_WIDGET (self));
}

static void
assay_run_figures_init (AssayRunFigures *self)
{
  GtkLayoutManager *layout = gtk_widget_get_layout_manager (GTK_WIDGET (self));
  gtk_orientable_set_orientation (GTK_ORIENTABLE (layout), GTK_ORIENTATION_VERTICAL);
  self->peak_name = figures_add_label (self, "caption-heading", "dim-label");
  self->peak = figures_add_label (self, "title-2", "numeric");
  self->peak_kind = figures_add_label (self, "caption", "dim-label");
  self->grid = g_object_new (GTK_TYPE_GRID, "column-spacing", 12, "row-spacing", 3, "margin-top", 6, NULL);
  gtk_widget_set_parent (self->grid, GTK_WIDGET (self));
  figures_add_others (self);
}
