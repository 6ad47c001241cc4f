/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/assay-forecast-report.c: a forecast in words, as a table, as JSON and in the record. */
#include "assay-forecast.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <json-glib/json-glib.h>

/* --- words --- */

static void
words_add (GString *text, char *sentence)
{
  g_string_append_printf (text, "%s%s", text->len > 0 ? "\n" : "", sentence);
  g_free (sentence);
}

static void
words_add_fit (GString *text, const AssayForecast *self)
{
  g_autofree char *device = assay_format_bytes (self->peak_device),
                  *host = assay_format_bytes (self->peak_host);
  g_autofree char *budget = assay_format_bytes (self->budget),
                  *host_budget = assay_format_bytes (self->host_budget);
  g_autofree char *mapped = assay_format_bytes (self->mapped_bytes);
  if (self->over_device > 0 || self->over_host > 0)
    {
      g_autofree char *over
          = assay_format_bytes (self->over_device > 0 ? self->over_device : self->over_host);
      const gboolean vram = self->over_device > 0;
      words_add (text,
                 g_strdup_printf (
                     vram ? _("Does not fit by %s: %s of device memory, where %s may be used; it would fail "
                               "in the phase %s")
                          : _("Does not fit by %s: %s of memory, where %s may be used; it would fail in the "
                               "phase %s"),
                     over, vram ? device : host, vram ? budget : host_budget, self->first_refused));
    }
  else if (self->on_cpu)
    words_add (text, self->mapped_bytes > 0
                         ? g_strdup_printf (_("Fits: %s of memory, where %s may be used, and %s mapped"),
                                            host, host_budget, mapped)
                         : g_strdup_printf (_("Fits: %s of memory, where %s may be used"), host, host_budget));
  else
    words_add (text, self->mapped_bytes > 0
                         ? g_strdup_printf (_("Fits: %s of device memory, where %s may be used; RAM: %s and %s mapped"),
                                            device, budget, host, mapped)
                         : g_strdup_printf (_("Fits: %s of device memory, where %s may be used, and %s of RAM"),
                                            device, budget, host));
}

/* The largest part stays whole while it works: smaller units are what helps, not another order of the parts. */
static void
words_add_part (GString *text, const AssayForecast *self)
{
  const guint64 part = self->device[ASSAY_MEMORY_WEIGHTS];
  g_autofree char *size = assay_format_bytes (part), *budget = assay_format_bytes (self->budget);
  g_autofree char *work = assay_format_bytes (self->peak_device - MIN (part, self->peak_device));
  if (self->by_part && self->over_device > 0)
    words_add (text, g_strdup_printf (_("The largest part, %s, and its working memory, %s, are more than %s: offload by "
                                        "group or sequential, which moves single layers, is needed"),
                                      size, work, budget));
}

static void
words_add_link (GString *text, const AssayForecast *self)
{
  g_autofree char *pass = assay_format_bytes (self->pass_bytes),
                  *seconds = assay_format_seconds (self->pass_seconds);
  if (self->pass_bytes == 0)
    return;
  if (self->pass_seconds > 0)
    words_add (text, g_strdup_printf (_("Moves %s over the link in each pass: at least %s"), pass, seconds));
  else
    words_add (text, g_strdup_printf (_("Moves %s over the link in each pass"), pass));
}

char *
assay_forecast_dup_words (const AssayForecast *self)
{
  GString *text = g_string_new (NULL);
  words_add_fit (text, self);
  words_add_part (text, self);
  words_add_link (text, self);
  return g_string_free (text, FALSE);
}

/* --- `assay plan` --- */

static void
json_bytes (JsonBuilder *b, const char *name, guint64 bytes)
{
  json_builder_set_member_name (b, name);
  json_builder_add_int_value (b, (gint64) bytes);
}

static void
json_seconds (JsonBuilder *b, const char *name, double seconds)
{
  json_builder_set_member_name (b, name);
  if (seconds > 0)
    json_builder_add_double_value (b, seconds);
  else
    json_builder_add_null_value (b);
}

static void
json_categories (JsonBuilder *b, const char *name, const guint64 *bytes)
{
  json_builder_set_member_name (b, name);
  json_builder_begin_object (b);
  for (guint i = 0; i < ASSAY_N_MEMORY; i++)
    json_bytes (b, assay_memory_get_name (i), bytes[i]);
  json_builder_end_object (b);
}

static void
json_phases (JsonBuilder *b, const AssayForecast *self)
{
  json_builder_set_member_name (b, "phases");
  json_builder_begin_array (b);
  for (guint i = 0; i < self->phases->len; i++)
    {
      const AssayForecastPhase *phase = &g_array_index (self->phases, AssayForecastPhase, i);
      json_builder_begin_object (b);
      json_builder_set_member_name (b, "name");
      json_builder_add_string_value (b, phase->name);
      json_bytes (b, "peak_device", phase->peak_device);
      json_bytes (b, "peak_host", phase->peak_host);
      json_builder_end_object (b);
    }
  json_builder_end_array (b);
}

static char *
report_dup_json (const AssayForecast *self)
{
  g_autoptr (JsonBuilder) b = json_builder_new ();
  json_builder_begin_object (b);
  json_builder_set_member_name (b, "fits");
  json_builder_add_boolean_value (b, self->over_device == 0 && self->over_host == 0);
  json_bytes (b, "peak_vram", self->peak_device);
  json_bytes (b, "peak_ram", self->peak_host);
  json_categories (b, "vram", self->device);
  json_categories (b, "ram", self->host);
  json_bytes (b, "mapped_bytes", self->mapped_bytes);
  json_phases (b, self);
  json_bytes (b, "vram_budget", self->budget);
  json_bytes (b, "ram_budget", self->host_budget);
  json_bytes (b, "over_vram", self->over_device);
  json_bytes (b, "over_ram", self->over_host);
  json_bytes (b, "link_load_bytes", self->load_bytes);
  json_bytes (b, "link_pass_bytes", self->pass_bytes);
  json_bytes (b, "passes", self->n_passes);
  json_bytes (b, "link_bytes", self->link_bytes);
  json_seconds (b, "pass_seconds", self->pass_seconds);
  json_seconds (b, "seconds", self->seconds);
  json_seconds (b, "longest_seconds", self->longest_seconds);
  json_builder_end_object (b);
  g_autoptr (JsonNode) node = json_builder_get_root (b);
  return json_to_string (node, TRUE);
}

static void
table_add_row (GString *text, const char *name, guint64 device, guint64 host, gboolean on_cpu)
{
  g_autofree char *x = assay_format_bytes (device), *y = assay_format_bytes (host);
  if (device > 0 || host > 0)
    g_string_append_printf (text, "  %-14s %12s %12s\n", name, on_cpu ? "–" : x, y);
}

static char *
report_dup_table (const AssayForecast *self)
{
  g_autofree char *words = assay_forecast_dup_words (self);
  GString *text = g_string_new (words);
  g_string_append_printf (text, "\n\n  %-14s %12s %12s\n", "", _("VRAM"), _("RAM"));
  for (guint i = 0; i < ASSAY_N_MEMORY; i++)
    table_add_row (text, assay_memory_get_name (i), self->device[i], self->host[i], self->on_cpu);
  table_add_row (text, _("peak"), self->peak_device, self->peak_host, self->on_cpu);
  g_string_append_printf (text, "\n  %s\n", _("by phase"));
  for (guint i = 0; i < self->phases->len; i++)
    {
      const AssayForecastPhase *phase = &g_array_index (self->phases, AssayForecastPhase, i);
      table_add_row (text, phase->name, phase->peak_device, phase->peak_host, self->on_cpu);
    }
  if (self->mapped_bytes > 0)
    {
      g_autofree char *mapped = assay_format_bytes (self->mapped_bytes);
      g_string_append_printf (
          text, _("\n  %s of the file are mapped: pages that the system can take back\n"), mapped);
    }
  if (self->link_bytes > 0)
    {
      g_autofree char *all = assay_format_bytes (self->link_bytes),
                      *load = assay_format_bytes (self->load_bytes);
      g_string_append_printf (
          text, _("\n  over the link: %s while loading, at most %s in all (%" PRIu64 " passes)\n"),
          load, all, self->n_passes);
    }
  return g_string_free (text, FALSE);
}

char *
assay_forecast_dup_report (const AssayForecast *self, gboolean json)
{
  return json ? report_dup_json (self) : report_dup_table (self);
}

/* --- the record --- */

void
assay_forecast_write (const AssayForecast *self, AssayValues *burden)
{
  static const AssayMeasure planned = { .kind = "predicted", .source = "planner" };
  const guint64 *categories = self->on_cpu ? self->host : self->device;
  const struct
  {
    AssayFieldId field;
    guint64 bytes;
    gboolean known;
  } rows[] = {
    { ASSAY_FIELD_PREDICTED_PEAK_VRAM, self->peak_device, !self->on_cpu },
    { ASSAY_FIELD_PREDICTED_PEAK_RAM, self->peak_host, TRUE },
    { ASSAY_FIELD_PREDICTED_WEIGHTS, categories[ASSAY_MEMORY_WEIGHTS], TRUE },
    { ASSAY_FIELD_PREDICTED_KV_CACHE, categories[ASSAY_MEMORY_KV_CACHE], TRUE },
    { ASSAY_FIELD_PREDICTED_ACTIVATIONS, categories[ASSAY_MEMORY_ACTIVATIONS], TRUE },
    { ASSAY_FIELD_PREDICTED_WORKSPACE, categories[ASSAY_MEMORY_WORKSPACE], TRUE },
    { ASSAY_FIELD_PREDICTED_STAGING, categories[ASSAY_MEMORY_STAGING], TRUE },
    { ASSAY_FIELD_PREDICTED_OUTPUT, categories[ASSAY_MEMORY_OUTPUT], TRUE },
    { ASSAY_FIELD_PREDICTED_LINK_BYTES, self->link_bytes, !self->on_cpu },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      if (rows[i].known)
        assay_values_set_integer (burden, rows[i].field, (gint64) rows[i].bytes);
      else
        assay_values_set_unknown (burden, rows[i].field, "the cpu device has no memory of its own");
      assay_values_set_measure (burden, rows[i].field, &planned);
    }
  if (self->seconds > 0)
    assay_values_set_real (burden, ASSAY_FIELD_PREDICTED_SECONDS, self->seconds);
  else
    assay_values_set_unknown (burden, ASSAY_FIELD_PREDICTED_SECONDS, "neither bandwidth nor latency of a link is known");
  assay_values_set_measure (burden, ASSAY_FIELD_PREDICTED_SECONDS, &planned);
}
