/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-plot-scale.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "assay-values.h"

#define LOG_SPAN 50.0    /* beyond it the small ones would lie in one heap at the foot */
#define ROOM 1.06        /* the outermost mark is not on the frame */
#define MOST_SECONDS 1e9 /* in whole nanoseconds a GINT64 holds nine times as many; a file may state any */

static void
scale_add_tick (AssayPlotScale *self, double value)
{
  if (self->n_ticks < ASSAY_PLOT_MOST_TICKS && value >= self->from * (1.0 - 1e-9) && value <= self->to * (1.0 + 1e-9))
    self->ticks[self->n_ticks++] = value;
}

static void
scale_add_steps (AssayPlotScale *self, double step)
{
  for (guint i = 0; i < ASSAY_PLOT_MOST_TICKS && i * step <= self->to * (1.0 + 1e-9); i++)
    scale_add_tick (self, i * step);
}

/* base: of the factors; from and to become its powers. */
static void
scale_init_log (AssayPlotScale *self, double low, double high, double unit, double base, guint max_ticks)
{
  const double first = floor (log (low / unit) / log (base) + 1e-9), last = ceil (log (high / unit) / log (base) - 1e-9);
  const guint n = (guint) MAX (last - first, 1.0);
  const guint stride = (n + MAX (max_ticks, 1) - 1) / MAX (max_ticks, 1);

  self->log = TRUE;
  self->from = unit * pow (base, first);
  self->to = unit * pow (base, MAX (last, first + 1.0));
  for (guint i = 0; i <= n; i += MAX (stride, 1))
    scale_add_tick (self, self->from * pow (base, i));
}

static gboolean
scale_wants_log (double low, double high)
{
  return low > 0.0 && high / low > LOG_SPAN;
}

void
assay_plot_scale_init_bytes (AssayPlotScale *self, double low, double high, guint max_ticks)
{
  const gint64 most = (gint64) CLAMP (high, 1.0, (double) (G_MAXINT64 / 4));

  *self = (AssayPlotScale){ 0 };
  assay_bytes_axis_init (&self->bytes, most, max_ticks);
  if (low <= high && scale_wants_log (low, high))
    {
      /* Between powers of 1024 lie four steps of 4: 1, 4, 16, 64, 256 MiB. */
      scale_init_log (self, low, high, 1.0, assay_format_is_decimal () ? 10.0 : 4.0, max_ticks);
      return;
    }
  self->to = self->bytes.top_bytes;
  scale_add_steps (self, self->bytes.step_bytes);
}

void
assay_plot_scale_init_seconds (AssayPlotScale *self, double low, double high, guint max_ticks)
{
  const double most = low <= high ? CLAMP (high, 1e-9, MOST_SECONDS) : 1.0;

  *self = (AssayPlotScale){ .is_time = TRUE };
  assay_time_axis_init (&self->time, (gint64) (most * 1e9), max_ticks);
  if (low <= high && scale_wants_log (low, high))
    {
      scale_init_log (self, low, high, 1.0, 10.0, max_ticks);
      return;
    }
  self->to = most * ROOM;
  scale_add_steps (self, self->time.step_ns / 1e9);
}

double
assay_plot_scale_get_share (const AssayPlotScale *self, double value)
{
  if (!self->log)
    return CLAMP (value / self->to, 0.0, 1.0);
  return CLAMP (log (MAX (value, self->from) / self->from) / log (self->to / self->from), 0.0, 1.0);
}

static char *
scale_dup_seconds (const AssayPlotScale *self, double value)
{
  if (!self->log)
    return assay_time_axis_dup_label (&self->time, (gint64) llround (value * 1e9));
  /* Translators: a time on an axis, in seconds: "0.1 s" */
  return g_strdup_printf (C_ ("plot axis", "%g s"), value);
}

/* Powers of 4 or of 10, which are whole numbers of some unit. */
static char *
scale_dup_power (double bytes)
{
  const gboolean decimal = assay_format_is_decimal ();
  static const char *const units[2][5] = { { N_("B"), N_("KiB"), N_("MiB"), N_("GiB"), N_("TiB") },
                                           { N_("B"), N_("kB"), N_("MB"), N_("GB"), N_("TB") } };
  const double kilo = decimal ? 1000.0 : 1024.0;
  guint power = 0;

  while (power + 1 < G_N_ELEMENTS (units[0]) && bytes >= kilo * (1.0 - 1e-9))
    {
      bytes /= kilo;
      power++;
    }
  return g_strdup_printf ("%g %s", bytes, _(units[decimal][power]));
}

char *
assay_plot_scale_dup_label (const AssayPlotScale *self, double value)
{
  if (self->is_time)
    return scale_dup_seconds (self, value);
  return self->log ? scale_dup_power (value) : assay_bytes_axis_dup_label (&self->bytes, value);
}
