/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-repeats.c: the same trial run several times.
 *
 * The median and not the mean stands first: one run beside a busy neighbour should not move the figure. */
#include "assay-repeats.h"

#include <glib/gi18n-lib.h>

#include "assay-axes.h"

#define WARM_UP_SHARE 0.1

GPtrArray *
assay_repeats_find (AssayLedger *ledger, AssayRecord *record)
{
  g_return_val_if_fail (ASSAY_IS_LEDGER (ledger) && ASSAY_IS_RECORD (record), NULL);
  GPtrArray *runs = g_ptr_array_new ();
  for (guint i = 0; i < assay_ledger_get_n_runs (ledger); i++)
    {
      AssayRecord *run = assay_ledger_get_run (ledger, i);
      if (!assay_record_is_damaged (run) && assay_axes_is_repeat (record, run))
        g_ptr_array_add (runs, run);
    }
  return runs;
}

static int
compare_doubles (gconstpointer a, gconstpointer b)
{
  const double x = *(const double *) a, y = *(const double *) b;
  return x < y ? -1 : x > y;
}

/* Over the values from `from` on, which are sorted in place. */
static void
repeats_fill (AssayRepeats *self, GArray *values, guint from)
{
  double *sorted = &g_array_index (values, double, from);
  const guint n = values->len - from;
  double sum = 0;
  qsort (sorted, n, sizeof *sorted, compare_doubles);
  for (guint i = 0; i < n; i++)
    sum += sorted[i];
  self->mean = sum / n;
  self->low = sorted[0];
  self->high = sorted[n - 1];
  self->median = n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

static gboolean
first_is_warm_up (const AssayRepeats *others, double first, AssayFieldId field)
{
  const gboolean is_time = assay_field_get_info (field)->unit == ASSAY_UNIT_SECONDS;
  const double margin = others->median * WARM_UP_SHARE;
  return is_time ? first > others->high && first > others->median + margin
                 : first < others->low && first < others->median - margin;
}

gboolean
assay_repeats_summarize (GPtrArray *runs, AssayFieldId field, AssayRepeats *out)
{
  g_return_val_if_fail (assay_field_get_info (field)->group == ASSAY_GROUP_BURDEN, FALSE);
  g_autoptr(GArray) values = g_array_new (FALSE, FALSE, sizeof (double));
  double value;
  for (guint i = 0; i < runs->len; i++)
    if (assay_record_get_status (runs->pdata[i]) == ASSAY_STATUS_COMPLETED
        && assay_values_get_real (assay_record_get_burden (runs->pdata[i]), field, &value))
      g_array_append_val (values, value);
  if (values->len == 0)
    return FALSE;
  *out = (AssayRepeats){ .n = values->len, .first = g_array_index (values, double, 0) };
  if (values->len >= 3)
    {
      repeats_fill (out, values, 1);
      out->warm_up = first_is_warm_up (out, out->first, field);
    }
  if (!out->warm_up)
    repeats_fill (out, values, 0);
  return TRUE;
}

char *
assay_repeats_dup_words (const AssayRepeats *self, AssayFieldId field)
{
  const char *unit = assay_field_get_info (field)->unit == ASSAY_UNIT_SECONDS ? "s" : "tokens/s";
  g_autofree char *text
    = g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "median %.4g %s, %.4g to %.4g, of %u repeat",
                                    "median %.4g %s, %.4g to %.4g, of %u repeats", self->n),
                       self->median, unit, self->low, self->high, self->n);
  if (!self->warm_up)
    return g_steal_pointer (&text);
  g_autofree char *left_out = g_strdup_printf (_("the first (%.4g) left out as warm-up"), self->first);
  return g_strconcat (text, "; ", left_out, NULL);
}
