/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-run-view.h"

#include <glib/gi18n-lib.h>

#include "assay-chart-run.h"
#include "assay-display-text.h"
#include "assay-focus.h"
#include "assay-fold-layout.h"
#include "assay-memory-chart.h"
#include "assay-run-ending.h"
#include "assay-run-figures.h"
#include "assay-run-row.h"
#include "assay-transcript.h"

#define FIGURES_INTERVAL_MS 200

struct _AssayRunView
{
  AdwBin parent_instance;

  /* owned */
  AssayTrial *trial;
  AssayRecord *record;
  AssayLedger *ledger;
  GSignalGroup *trial_signals;
  GSignalGroup *buffer_signals;
  guint figures_source;
  guint scroll_source;
  gboolean follow;              /* the answers' end stays in sight */
  gboolean planning;

  /* template children */
  GtkStack *stack;
  GtkLabel *title, *status;
  GtkProgressBar *progress;
  AssayRunEnding *ending;
  AssayMemoryChart *chart;
  GtkScrolledWindow *scroll;
  GtkTextView *answers;
  AssayRunFigures *figures;
};

enum { PROP_0, PROP_TRIAL, PROP_RECORD, PROP_LEDGER, PROP_PLANNING, N_PROPS };
enum { PLAN_NEXT, PROBLEM, N_SIGNALS };

static GParamSpec *properties[N_PROPS];
static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (AssayRunView, assay_run_view, ADW_TYPE_BIN)

static void
view_set_title (AssayRunView *self, AssayRecord *record)
{
  g_autofree char *change = assay_run_dup_title (self->ledger, record);
  g_autofree char *id = assay_display_line (assay_run_get_short_id (assay_record_get_id (record)), 40);
  g_autofree char *line = assay_display_line (change, 120);
  g_autofree char *title = g_strdup_printf (_("Run %s · %s"), id, line);

  gtk_label_set_text (self->title, title);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->title), title);
}

static void
view_show_ending (AssayRunView *self, AssayRecord *record)
{
  gtk_widget_set_visible (GTK_WIDGET (self->ending), record != NULL);
  gtk_widget_set_visible (GTK_WIDGET (self->progress), record == NULL);
  gtk_widget_set_visible (GTK_WIDGET (self->status), record == NULL); /* the ending says how it ended */
  if (record != NULL)
    assay_run_ending_show (self->ending, self->ledger, record);
}

/* Limits and the forecast, as the report and saved charts have them. */
static void
view_show_limits (AssayRunView *self, AssayRecord *record)
{
  AssayChartExport limits = { 0 };

  assay_chart_run_set_limits (&limits, self->ledger, record);
  assay_memory_chart_set_budget (self->chart, limits.budget_bytes);
  assay_memory_chart_set_ram_budget (self->chart, limits.ram_budget_bytes);
  assay_memory_chart_set_foretold (self->chart, limits.foretold_bytes);
  assay_memory_chart_set_stated_peak (self->chart, limits.stated_peak);
}

/* What was asked for and what there was, where the run ended before its memory could be drawn. */
static void
view_show_note (AssayRunView *self, AssayRecord *record)
{
  const AssayValues *outcome = assay_record_get_outcome (record);
  const char *error = assay_values_get_text (outcome, ASSAY_FIELD_ERROR);
  g_autofree char *labelled = error != NULL ? assay_display_labels (error) : NULL;
  g_autofree char *line = labelled != NULL ? assay_display_line (labelled, 400) : NULL;

  assay_memory_chart_set_note (self->chart, line);
}

static void
view_take_buffer (AssayRunView *self, GtkTextBuffer *buffer, gboolean follow)
{
  gtk_text_view_set_buffer (self->answers, buffer);
  self->follow = follow;
  g_signal_group_set_target (self->buffer_signals, follow ? buffer : NULL);
}

static gboolean
view_scroll_cb (gpointer data)
{
  AssayRunView *self = data;
  GtkAdjustment *adjustment = gtk_scrolled_window_get_vadjustment (self->scroll);

  self->scroll_source = 0;
  gtk_adjustment_set_value (adjustment, gtk_adjustment_get_upper (adjustment));
  return G_SOURCE_REMOVE;
}

/* Follows the answer while its end is in sight; a person who scrolled back is left in peace. */
static void
on_buffer_changed (AssayRunView *self)
{
  GtkAdjustment *adjustment = gtk_scrolled_window_get_vadjustment (self->scroll);
  const double below = gtk_adjustment_get_upper (adjustment) - gtk_adjustment_get_page_size (adjustment)
                       - gtk_adjustment_get_value (adjustment);

  if (self->follow && below < 40.0 && self->scroll_source == 0)
    self->scroll_source = g_timeout_add (40, view_scroll_cb, self);
}

static void
on_trial_progress (AssayRunView *self)
{
  g_autofree char *words = NULL;
  double fraction = 0.0;

  g_object_get (self->trial, "status-text", &words, "fraction", &fraction, NULL);
  gtk_label_set_text (self->status, words != NULL && *words != '\0' ? words : _("starting"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->progress), GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT,
                                  gtk_label_get_text (self->status), -1);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->status), words);
  gtk_progress_bar_set_fraction (self->progress, CLAMP (fraction, 0.0, 1.0));
}

static void
on_trial_foretold (AssayRunView *self)
{
  gint64 bytes;

  g_object_get (self->trial, "foretold-bytes", &bytes, NULL);
  assay_memory_chart_set_foretold (self->chart, bytes);
}

static gboolean
view_figures_cb (gpointer data)
{
  AssayRunView *self = data;

  assay_run_figures_show_trial (self->figures, self->trial, self->chart);
  return G_SOURCE_CONTINUE;
}

static void
view_show_record (AssayRunView *self, AssayRecord *record)
{
  g_autoptr(GtkTextBuffer) buffer = assay_transcript_new_for_record (record, self->ledger);

  view_set_title (self, record);
  assay_memory_chart_set_live (self->chart, FALSE);
  assay_memory_chart_set_series (self->chart, assay_record_get_series (record));
  view_show_limits (self, record);
  view_show_note (self, record);
  view_take_buffer (self, buffer, FALSE);
  assay_run_figures_show_record (self->figures, record);
  view_show_ending (self, record);
}

/* A trial that has ended keeps its series at full rate and its transcript until another run is looked at. */
static void
view_show_ended_trial (AssayRunView *self, AssayRecord *record)
{
  assay_memory_chart_set_live (self->chart, FALSE);
  view_show_limits (self, record);
  view_show_note (self, record);
  view_set_title (self, record);
  assay_run_figures_show_record (self->figures, record);
  view_show_ending (self, record);
}

static void
view_show_running_trial (AssayRunView *self)
{
  view_show_ending (self, NULL);
  assay_memory_chart_set_note (self->chart, NULL);
  assay_memory_chart_set_live (self->chart, TRUE);
  on_trial_foretold (self);
  on_trial_progress (self);
  view_figures_cb (self);
  self->figures_source = g_timeout_add (FIGURES_INTERVAL_MS, view_figures_cb, self);
}

static void
view_show_trial (AssayRunView *self)
{
  g_autoptr(AssayRecord) started = assay_trial_dup_started_record (self->trial);
  AssayRecord *ended = assay_trial_get_record (self->trial);

  view_set_title (self, started);
  assay_memory_chart_set_series (self->chart, assay_trial_get_series (self->trial));
  view_show_limits (self, started);
  view_take_buffer (self, assay_transcript_get_for_trial (self->trial, self->ledger), TRUE);
  if (ended != NULL)
    view_show_ended_trial (self, ended);
  else
    view_show_running_trial (self);
}

static void
view_update (AssayRunView *self)
{
  g_clear_handle_id (&self->figures_source, g_source_remove);
  g_signal_group_set_target (self->trial_signals, self->trial);
  gtk_stack_set_visible_child_name (self->stack,
                                    self->trial != NULL || self->record != NULL ? "run" : "empty");
  if (self->trial != NULL)
    view_show_trial (self);
  else if (self->record != NULL)
    view_show_record (self, self->record);
  else
    {
      assay_memory_chart_set_live (self->chart, FALSE);
      assay_memory_chart_set_series (self->chart, NULL);
    }
}

/* A person who was here, or who just pressed Stop, goes on at the ending. */
static void
on_trial_finished (AssayRunView *self, AssayRecord *record)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;
  const gboolean here = focus != NULL && gtk_widget_is_ancestor (focus, GTK_WIDGET (self));

  g_clear_handle_id (&self->figures_source, g_source_remove);
  view_show_ended_trial (self, record);
  if (here)
    gtk_widget_grab_focus (GTK_WIDGET (self->ending));
}

static gboolean
assay_run_view_grab_focus (GtkWidget *widget)
{
  AssayRunView *self = ASSAY_RUN_VIEW (widget);

  return gtk_widget_grab_focus (gtk_widget_get_visible (GTK_WIDGET (self->ending)) ? GTK_WIDGET (self->ending)
                                                                                   : GTK_WIDGET (self->chart));
}

static void
view_set_planning (AssayRunView *self, gboolean planning)
{
  if (planning == self->planning)
    return;
  self->planning = planning;
  assay_run_ending_set_planning (self->ending, planning);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PLANNING]);
}

static void
on_plan_next (AssayRunEnding *ending, AssayRunView *self)
{
  g_signal_emit (self, signals[PLAN_NEXT], 0);
}

static void
on_export_failed (AssayMemoryChart *chart, const char *message, AssayRunView *self)
{
  g_signal_emit (self, signals[PROBLEM], 0, message);
}

void
assay_run_view_set_trial (AssayRunView *self, AssayTrial *trial)
{
  g_return_if_fail (ASSAY_IS_RUN_VIEW (self));

  if (!g_set_object (&self->trial, trial))
    return;
  view_update (self);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_TRIAL]);
}

void
assay_run_view_set_record (AssayRunView *self, AssayRecord *record)
{
  g_return_if_fail (ASSAY_IS_RUN_VIEW (self));

  if (!g_set_object (&self->record, record))
    return;
  if (self->trial == NULL)
    view_update (self);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_RECORD]);
}

void
assay_run_view_set_ledger (AssayRunView *self, AssayLedger *ledger)
{
  g_return_if_fail (ASSAY_IS_RUN_VIEW (self));

  if (!g_set_object (&self->ledger, ledger))
    return;
  view_update (self);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_LEDGER]);
}

static void
assay_run_view_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  AssayRunView *self = ASSAY_RUN_VIEW (object);

  switch (id)
    {
    case PROP_TRIAL:
      g_value_set_object (value, self->trial);
      break;
    case PROP_RECORD:
      g_value_set_object (value, self->record);
      break;
    case PROP_LEDGER:
      g_value_set_object (value, self->ledger);
      break;
    case PROP_PLANNING:
      g_value_set_boolean (value, self->planning);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
assay_run_view_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  AssayRunView *self = ASSAY_RUN_VIEW (object);

  switch (id)
    {
    case PROP_TRIAL:
      assay_run_view_set_trial (self, g_value_get_object (value));
      break;
    case PROP_RECORD:
      assay_run_view_set_record (self, g_value_get_object (value));
      break;
    case PROP_LEDGER:
      assay_run_view_set_ledger (self, g_value_get_object (value));
      break;
    case PROP_PLANNING:
      view_set_planning (self, g_value_get_boolean (value));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
assay_run_view_dispose (GObject *object)
{
  AssayRunView *self = ASSAY_RUN_VIEW (object);

  g_clear_handle_id (&self->figures_source, g_source_remove);
  g_clear_handle_id (&self->scroll_source, g_source_remove);
  g_clear_object (&self->trial_signals);
  g_clear_object (&self->buffer_signals);
  adw_bin_set_child (ADW_BIN (self), NULL);
  g_clear_object (&self->trial);
  g_clear_object (&self->record);
  g_clear_object (&self->ledger);
  G_OBJECT_CLASS (assay_run_view_parent_class)->dispose (object);
}

static void
class_install_members (GObjectClass *object_class)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;

  properties[PROP_TRIAL] = g_param_spec_object ("trial", NULL, NULL, ASSAY_TYPE_TRIAL, flags);
  properties[PROP_RECORD] = g_param_spec_object ("record", NULL, NULL, ASSAY_TYPE_RECORD, flags);
  properties[PROP_LEDGER] = g_param_spec_object ("ledger", NULL, NULL, ASSAY_TYPE_LEDGER, flags);
  properties[PROP_PLANNING] = g_param_spec_boolean ("planning", NULL, NULL, FALSE, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);
  signals[PLAN_NEXT] = g_signal_new ("plan-next", ASSAY_TYPE_RUN_VIEW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                     G_TYPE_NONE, 0);
  signals[PROBLEM] = g_signal_new ("problem", ASSAY_TYPE_RUN_VIEW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                   G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
assay_run_view_class_init (AssayRunViewClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = assay_run_view_dispose;
  object_class->get_property = assay_run_view_get_property;
  object_class->set_property = assay_run_view_set_property;
  widget_class->focus = assay_focus_through;
  widget_class->grab_focus = assay_run_view_grab_focus;
  class_install_members (object_class);
  g_type_ensure (ASSAY_TYPE_MEMORY_CHART);
  g_type_ensure (ASSAY_TYPE_RUN_ENDING);
  g_type_ensure (ASSAY_TYPE_RUN_FIGURES);
  g_type_ensure (ASSAY_TYPE_FOLD_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class, "/io/github/assay/Assay/ui/assay-run-view.ui");
  gtk_widget_class_bind_template_child (widget_class, AssayRunView, stack);
  gtk_widget_class_bind_template_child (widget_class, AssayRunView, title);
  gtk_widget_class_bind_template_child (widget_class, AssayRunView, status);
  gtk_widget_class_bind_template_child (widget_class, AssayRunView, progress);
  gtk_widget_class_bind_template_child (widget_class, AssayRunView, ending);
  gtk_widget_class_bind_template_child (widget_class, AssayRunView, chart);
  gtk_widget_class_bind_template_child (widget_class, AssayRunView, scroll);
  gtk_widget_class_bind_template_child (widget_class, AssayRunView, answers);
  gtk_widget_class_bind_template_child (widget_class, AssayRunView, figures);
  gtk_widget_class_bind_template_callback (widget_class, on_plan_next);
  gtk_widget_class_bind_template_callback (widget_class, on_export_failed);
}

static void
assay_run_view_init (AssayRunView *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->trial_signals = g_signal_group_new (ASSAY_TYPE_TRIAL);
  g_signal_group_connect_swapped (self->trial_signals, "notify::status-text", G_CALLBACK (on_trial_progress),
                                  self);
  g_signal_group_connect_swapped (self->trial_signals, "notify::fraction", G_CALLBACK (on_trial_progress),
                                  self);
  g_signal_group_connect_swapped (self->trial_signals, "notify::foretold-bytes",
                                  G_CALLBACK (on_trial_foretold), self);
  g_signal_group_connect_data (self->trial_signals, "finished", G_CALLBACK (on_trial_finished), self, NULL,
                               G_CONNECT_SWAPPED);
  self->buffer_signals = g_signal_group_new (GTK_TYPE_TEXT_BUFFER);
  g_signal_group_connect_swapped (self->buffer_signals, "changed", G_CALLBACK (on_buffer_changed), self);
}

GtkWidget *
assay_run_view_new (void)
{
  return g_object_new (ASSAY_TYPE_RUN_VIEW, NULL);
}
