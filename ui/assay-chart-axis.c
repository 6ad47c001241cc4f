/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-chart-axis.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "assay-values.h"

#define SECOND_NS G_GINT64_CONSTANT (1000000000)
#define MINUTE_NS (60 * SECOND_NS)
#define HOUR_NS (60 * MINUTE_NS)

double
assay_axis_nice_step (double span, guint max_ticks)
{
  const double rough = MAX (span, 1e-12) / MAX (max_ticks, 1);
  const double decade = pow (10.0, floor (log10 (rough)));
  const double steps[] = { 1.0, 2.0, 5.0, 10.0 };

  for (guint i = 0; i < G_N_ELEMENTS (steps); i++)
    if (steps[i] * decade >= rough * (1.0 - 1e-9))
      return steps[i] * decade;
  return 10.0 * decade;
}

static int
decimals_for (double step)
{
  return CLAMP ((int) ceil (-log10 (step) - 1e-9), 0, 6);
}

void
assay_bytes_axis_init (AssayBytesAxis *self, gint64 max_bytes, guint max_ticks)
{
  static const char *const units[2][3] = { { N_("KiB"), N_("MiB"), N_("GiB") }, { N_("kB"), N_("MB"), N_("GB") } };
  const gboolean decimal = assay_format_is_decimal ();
  const double kilo = decimal ? 1000.0 : 1024.0, max = MAX (max_bytes, 1024);
  const guint power = max >= kilo * kilo * kilo ? 3 : max >= kilo * kilo ? 2 : 1;

  self->unit = _(units[decimal][power - 1]);
  self->unit_bytes = pow (kilo, power);
  const double step = assay_axis_nice_step (max / self->unit_bytes, max_ticks);
  self->decimals = decimals_for (step);
  self->step_bytes = step * self->unit_bytes;
  /* Room above the highest value for the peak's words. */
  self->top_bytes = ceil (max * 1.12 / self->step_bytes) * self->step_bytes;
  self->per_second = FALSE;
}

void
assay_bytes_axis_init_rate (AssayBytesAxis *self, double max_bytes_per_s, guint max_ticks)
{
  assay_bytes_axis_init (self, (gint64)CLAMP (max_bytes_per_s, 0.0, (double)(G_MAXINT64 / 2)), max_ticks);
  self->top_bytes = MAX (ceil (max_bytes_per_s / self->step_bytes), 1.0) * self->step_bytes;
  self->per_second = TRUE;
}

char *
assay_bytes_axis_dup_label (const AssayBytesAxis *self, double bytes)
{
  /* Translators: a number and a unit of bytes, of what moves in a second: "2.0 GiB/s" */
  return g_strdup_printf (self->per_second ? _("%.*f %s/s") : "%.*f %s", self->decimals,
                          bytes / self->unit_bytes, self->unit);
}

static gint64
nice_long_step (gint64 rough_ns)
{
  static const gint64 seconds[]
      = { 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400 };

  for (guint i = 0; i < G_N_ELEMENTS (seconds); i++)
    if (seconds[i] * SECOND_NS >= rough_ns)
      return seconds[i] * SECOND_NS;
  const gint64 days = (rough_ns + 24 * HOUR_NS - 1) / (24 * HOUR_NS);
  return days * 24 * HOUR_NS;
}

void
assay_time_axis_init (AssayTimeAxis *self, gint64 span_ns, guint max_ticks)
{
  const double step_s = assay_axis_nice_step (span_ns / 1e9, max_ticks);

  self->form = span_ns <= 2 * MINUTE_NS ? ASSAY_TIME_SECONDS : span_ns <= 2 * HOUR_NS ? ASSAY_TIME_MINUTES
                                                                                        : ASSAY_TIME_HOURS;
  self->decimals = decimals_for (step_s);
  if (self->form == ASSAY_TIME_SECONDS)
    self->step_ns = MAX ((gint64) llround (step_s * 1e9), 1);
  else
    self->step_ns = nice_long_step (span_ns / MAX (max_ticks, 1));
}

char *
assay_time_axis_dup_label (const AssayTimeAxis *self, gint64 t_ns)
{
  const gint64 seconds = t_ns / SECOND_NS;

  switch (self->form)
    {
    case ASSAY_TIME_SECONDS:
      return g_strdup_printf (_("%.*f s"), self->decimals, t_ns / 1e9);
    case ASSAY_TIME_MINUTES:
      return g_strdup_printf ("%" G_GINT64_FORMAT ":%02d", seconds / 60, (int) (seconds % 60));
    case ASSAY_TIME_HOURS:
    default:
      return g_strdup_printf ("%" G_GINT64_FORMAT ":%02d", seconds / 3600, (int) (seconds / 60 % 60));
    }
}

const char *
assay_time_axis_get_caption (const AssayTimeAxis *self)
{
  switch (self->form)
    {
    case ASSAY_TIME_SECONDS:
      return _("time since the start, seconds");
    case ASSAY_TIME_MINUTES:
      return _("time since the start, min:s");
    case ASSAY_TIME_HOURS:
    default:
      return _("time since the start, h:min");
    }
}

gint64
assay_time_axis_live_span (gint64 end_ns)
{
  gint64 span_ns = 2 * SECOND_NS;

  /* A fifth of the width, at most, is still to be filled. */
  while (span_ns < end_ns && span_ns < G_MAXINT64 / 2)
    span_ns += span_ns / 4;
  return span_ns;
}
