/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-forecast-bar.h"

#include <glib/gi18n-lib.h>

#include "assay-accessible.h"
#include "assay-forecast-lane.h"
#include "assay-forecast-legend.h"
#include "assay-forecaster.h"
#include "assay-prediction.h"

struct _AssayForecastBar
{
  GtkWidget parent_instance;
  AssaySession *session;       /* owned */
  AssayForecaster *forecaster; /* owned */
  GSignalGroup *ledger_signals; /* owned */
  char *past_of;               /* owned: model and mode that the line on earlier forecasts is about; NULL: made anew */
  GtkWidget *icon, *headline, *vram, *ram, *legend, *detail, *past; /* within children */
};

G_DEFINE_FINAL_TYPE (AssayForecastBar, assay_forecast_bar, GTK_TYPE_WIDGET)

enum { PROP_0, PROP_PROBLEM, N_PROPS };
static GParamSpec *properties[N_PROPS];

static void
label_show (GtkWidget *label, const char *words)
{
  gtk_label_set_text (GTK_LABEL (label), words != NULL ? words : "");
  gtk_widget_set_visible (label, words != NULL && *words != '\0');
}

static void
bar_show_headline (AssayForecastBar *self, const char *icon, const char *icon_words, const char *words)
{
  gtk_image_set_from_icon_name (GTK_IMAGE (self->icon), icon);
  assay_accessible_name (self->icon, icon_words);
  gtk_label_set_text (GTK_LABEL (self->headline), words);
}

static gboolean
bar_has_budget (AssayForecastBar *self, AssayFieldId field)
{
  gint64 bytes = 0;
  const AssayValues *values = assay_draft_get_values (assay_session_get_draft (self->session));
  return assay_values_get_integer (values, field, &bytes) && bytes > 0;
}

static void
bar_show_lanes (AssayForecastBar *self, const AssayForecast *forecast)
{
  const AssayFieldId host = forecast->on_cpu ? ASSAY_FIELD_VRAM_BUDGET : ASSAY_FIELD_RAM_BUDGET;
  gtk_widget_set_visible (self->vram, !forecast->on_cpu);
  gtk_widget_set_visible (self->ram, TRUE);
  gtk_widget_set_visible (self->legend, TRUE);
  assay_forecast_legend_show (ASSAY_FORECAST_LEGEND (self->legend), forecast);
  assay_forecast_lane_show (ASSAY_FORECAST_LANE (self->vram), forecast->device, forecast->peak_device, 0,
                            forecast->budget, bar_has_budget (self, ASSAY_FIELD_VRAM_BUDGET));
  assay_forecast_lane_show (ASSAY_FORECAST_LANE (self->ram), forecast->host, forecast->peak_host,
                            forecast->mapped_bytes, forecast->host_budget, bar_has_budget (self, host));
}

static void
detail_add (GString *text, char *sentence)
{
  g_string_append_printf (text, "%s%s", text->len > 0 ? " · " : "", sentence);
  g_free (sentence);
}

static void
detail_add_link (GString *text, const AssayForecast *forecast)
{
  g_autofree char *load = assay_format_bytes (forecast->load_bytes), *all = assay_format_bytes (forecast->link_bytes);
  g_autofree char *least = assay_format_seconds (forecast->seconds);
  g_autofree char *most = assay_format_seconds (forecast->longest_seconds);
  if (forecast->link_bytes == 0)
    return;
  if (forecast->load_bytes > 0)
    detail_add (text, g_strdup_printf (_("%s over the link while loading, at most %s in all"), load, all));
  else
    detail_add (text, g_strdup_printf (_("at most %s over the link in all"), all));
  if (forecast->seconds > 0)
    detail_add (text, g_strdup_printf (_("the link alone takes at least %s, and %s with answers as long as allowed"),
                                       least, most));
  else
    detail_add (text, g_strdup (_("how long that takes is not known: the link’s speed is not")));
}

/* link: the planner's sentence on each pass, or NULL. */
static char *
bar_dup_detail (const AssayForecast *forecast, const char *link)
{
  GString *text = g_string_new (link != NULL ? link : "");
  detail_add_link (text, forecast);
  if (forecast->mapped_bytes > 0)
    {
      g_autofree char *mapped = assay_format_bytes (forecast->mapped_bytes);
      detail_add (text, g_strdup_printf (_("%s of the model file are mapped: the system gives them RAM where it can, and "
                                           "reads them from the disk again where it cannot"), mapped));
    }
  return g_string_free (text, FALSE);
}

static void
bar_show_forecast (AssayForecastBar *self, const AssayForecast *forecast)
{
  const gboolean fits = forecast->over_device == 0 && forecast->over_host == 0;
  g_autofree char *words = assay_forecast_dup_words (forecast);
  g_auto(GStrv) sentences = g_strsplit (words, "\n", 2);
  g_autofree char *detail = bar_dup_detail (forecast, sentences[1]);
  bar_show_headline (self, fits ? "emblem-ok-symbolic" : "dialog-warning-symbolic",
                     fits ? _("It fits") : _("It does not fit"), sentences[0]);
  bar_show_lanes (self, forecast);
  label_show (self->detail, detail);
}

/* Words alone, where there is nothing to draw. */
static void
bar_show_words (AssayForecastBar *self, const char *icon, const char *icon_words, const char *words)
{
  bar_show_headline (self, icon, icon_words, words);
  gtk_widget_set_visible (self->vram, FALSE);
  gtk_widget_set_visible (self->ram, FALSE);
  gtk_widget_set_visible (self->legend, FALSE);
  label_show (self->detail, NULL);
}

/* That a process is not foretold keeps nobody from running it. */
static gboolean
bar_is_unforeseen (AssayForecastBar *self)
{
  return assay_draft_is_process (assay_session_get_draft (self->session));
}

static gboolean
bar_waits (AssayForecastBar *self)
{
  return assay_draft_has_wrong_text (assay_session_get_draft (self->session), ASSAY_FIELD_INVALID);
}

static void
bar_on_forecast (AssayForecastBar *self)
{
  const AssayForecast *forecast = assay_forecaster_get_forecast (self->forecaster);
  const char *problem = assay_forecaster_get_problem (self->forecaster);
  const gboolean waits = bar_waits (self), pending = !waits && assay_forecaster_is_pending (self->forecaster);
  gtk_widget_set_visible (GTK_WIDGET (self), forecast != NULL || problem != NULL);
  if (pending)
    gtk_widget_add_css_class (GTK_WIDGET (self), "pending");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (self), "pending");
  if (waits)
    bar_show_words (self, "dialog-question-symbolic", _("Not known yet"), _("The forecast waits for a valid value"));
  else if (problem != NULL && bar_is_unforeseen (self))
    bar_show_words (self, "dialog-information-symbolic", _("Not known before"),
                    _("What another program needs is not foretold: it is measured while it runs"));
  else if (problem != NULL)
    bar_show_words (self, "dialog-error-symbolic", _("It cannot be run"), problem);
  else if (forecast != NULL && !pending)
    bar_show_forecast (self, forecast);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PROBLEM]);
}

const char *
assay_forecast_bar_get_problem (AssayForecastBar *self)
{
  g_return_val_if_fail (ASSAY_IS_FORECAST_BAR (self), NULL);
  return self->forecaster != NULL && !bar_waits (self) && !bar_is_unforeseen (self) ? assay_forecaster_get_problem (self->forecaster) : NULL;
}

/* Walks the ledger only when the model, the mode or the ledger is another one. */
static void
bar_show_past (AssayForecastBar *self)
{
  AssayLedger *ledger = assay_session_get_ledger (self->session);
  const AssayValues *values = assay_draft_get_values (assay_session_get_draft (self->session));
  const char *model = assay_values_get_text (values, ASSAY_FIELD_MODEL_ID);
  const char *mode = assay_values_get_text (values, ASSAY_FIELD_OFFLOAD_MODE);
  g_autofree char *key = g_strdup_printf ("%s\n%s", model != NULL ? model : "", mode != NULL ? mode : "none");
  if (g_strcmp0 (key, self->past_of) == 0)
    return;
  g_free (self->past_of);
  self->past_of = g_steal_pointer (&key);
  g_autoptr(GPtrArray) errors = ledger != NULL && model != NULL ? assay_prediction_errors (ledger, model, mode) : NULL;
  g_autofree char *words = assay_prediction_dup_words (errors);
  g_autofree char *line = words != NULL ? g_strdup_printf (_("This model in this offload mode: %s"), words) : NULL;
  label_show (self->past, line);
}

static void
bar_on_runs (AssayForecastBar *self)
{
  g_clear_pointer (&self->past_of, g_free);
  bar_show_past (self);
}

static void
bar_on_ledger (AssayForecastBar *self)
{
  g_signal_group_set_target (self->ledger_signals, assay_session_get_ledger (self->session));
  bar_on_runs (self);
}

static void
bar_on_questions (AssayForecastBar *self)
{
  assay_forecaster_set_questions (self->forecaster, assay_session_get_questions (self->session));
}

void
assay_forecast_bar_set_session (AssayForecastBar *self, AssaySession *session)
{
  g_return_if_fail (ASSAY_IS_FORECAST_BAR (self) && self->session == NULL);
  AssayDraft *draft = assay_session_get_draft (session);
  self->session = g_object_ref (session);
  self->forecaster = assay_forecaster_new (draft);
  g_signal_connect_object (self->forecaster, "changed", G_CALLBACK (bar_on_forecast), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (draft, "changed", G_CALLBACK (bar_show_past), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (draft, "changed", G_CALLBACK (bar_on_forecast), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::ledger", G_CALLBACK (bar_on_ledger), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::question-set", G_CALLBACK (bar_on_questions), self, G_CONNECT_SWAPPED);
  bar_on_questions (self);
  bar_on_ledger (self);
  bar_on_forecast (self);
}

static void
assay_forecast_bar_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_PROBLEM)
    g_value_set_string (value, assay_forecast_bar_get_problem (ASSAY_FORECAST_BAR (object)));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
assay_forecast_bar_dispose (GObject *object)
{
  AssayForecastBar *self = ASSAY_FORECAST_BAR (object);
  GtkWidget *child;
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (object))) != NULL)
    gtk_widget_unparent (child);
  if (self->forecaster != NULL)
    g_object_run_dispose (G_OBJECT (self->forecaster)); /* an answer on its way is nobody's */
  g_clear_object (&self->forecaster);
  g_clear_object (&self->ledger_signals);
  g_clear_object (&self->session);
  g_clear_pointer (&self->past_of, g_free);
  G_OBJECT_CLASS (assay_forecast_bar_parent_class)->dispose (object);
}

static void
assay_forecast_bar_class_init (AssayForecastBarClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = assay_forecast_bar_dispose;
  G_OBJECT_CLASS (klass)->get_property = assay_forecast_bar_get_property;
  properties[PROP_PROBLEM] =
    g_param_spec_string ("problem", NULL, NULL, NULL, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (G_OBJECT_CLASS (klass), N_PROPS, properties);
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BOX_LAYOUT);
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (klass), "forecast");
}

static GtkWidget *
bar_add_caption (AssayForecastBar *self)
{
  GtkWidget *label = g_object_new (GTK_TYPE_LABEL, "xalign", 0.0f, "wrap", TRUE, "visible", FALSE, NULL);
  gtk_widget_add_css_class (label, "caption");
  gtk_widget_set_parent (label, GTK_WIDGET (self));
  return label;
}

static void
assay_forecast_bar_init (AssayForecastBar *self)
{
  GtkLayoutManager *layout = gtk_widget_get_layout_manager (GTK_WIDGET (self));
  GtkWidget *top = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  gtk_orientable_set_orientation (GTK_ORIENTABLE (layout), GTK_ORIENTATION_VERTICAL);
  gtk_box_layout_set_spacing (GTK_BOX_LAYOUT (layout), 3);
  gtk_widget_add_css_class (GTK_WIDGET (self), "card");
  self->icon = g_object_new (GTK_TYPE_IMAGE, "accessible-role", GTK_ACCESSIBLE_ROLE_IMG, NULL);
  self->headline = g_object_new (GTK_TYPE_LABEL, "xalign", 0.0f, "wrap", TRUE, "wrap-mode", PANGO_WRAP_WORD_CHAR,
                                 "hexpand", TRUE, NULL);
  gtk_widget_add_css_class (self->headline, "heading");
  gtk_box_append (GTK_BOX (top), self->icon);
  gtk_box_append (GTK_BOX (top), self->headline);
  gtk_widget_set_parent (top, GTK_WIDGET (self));
  self->vram = assay_forecast_lane_new (_("VRAM"));
  self->ram = assay_forecast_lane_new (_("RAM"));
  g_autoptr(GtkSizeGroup) figures = gtk_size_group_new (GTK_SIZE_GROUP_HORIZONTAL);
  assay_forecast_lane_join (ASSAY_FORECAST_LANE (self->vram), figures);
  assay_forecast_lane_join (ASSAY_FORECAST_LANE (self->ram), figures);
  gtk_widget_set_parent (self->vram, GTK_WIDGET (self));
  gtk_widget_set_parent (self->ram, GTK_WIDGET (self));
  self->legend = assay_forecast_legend_new ();
  gtk_widget_set_parent (self->legend, GTK_WIDGET (self));
  self->detail = bar_add_caption (self);
  self->past = bar_add_caption (self);
  gtk_widget_add_css_class (self->past, "dim-label");
  self->ledger_signals = g_signal_group_new (ASSAY_TYPE_LEDGER);
  g_signal_group_connect_swapped (self->ledger_signals, "items-changed", G_CALLBACK (bar_on_runs), self);
}
