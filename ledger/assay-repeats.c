/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-repeats.c: the same trial run several times.
 *
 * The median and not the mean stands first: one run beside a busy neighbour should not move the figure. */
#include "assay-repeats.h"

#include <glib/gi18n-lib.h>

#include "assay-axes-private.h"
#include "assay-ledger-private.h"

#define WARM_UP_SHARE 0.1

static int
compare_positions (gconstpointer a, gconstpointer b, gpointer ledger)
{
  const guint x = assay_ledger_get_position (ledger, assay_record_get_id (*(AssayRecord *const *) a));
  const guint y = assay_ledger_get_position (ledger, assay_record_get_id (*(AssayRecord *const *) b));
  return (x > y) - (x < y);
}

GPtrArray *
assay_repeats_find (AssayLedger *ledger, AssayRecord *record)
{
  g_return_val_if_fail (ASSAY_IS_LEDGER (ledger) && ASSAY_IS_RECORD (record), NULL);
  gboolean mixed;
  GPtrArray *runs = assay_repeats_index_find (assay_ledger_get_repeats (ledger), record, &mixed);
  if (mixed)
    g_ptr_array_sort_with_data (runs, compare_positions, ledger);
  return runs;
}

/* Folding */

static GPtrArray *
setting_new (GPtrArray *settings, AssayRecord *record)
{
  GPtrArray *runs = g_ptr_array_new_with_free_func (g_object_unref);
  g_ptr_array_add (runs, g_object_ref (record));
  g_ptr_array_add (settings, runs);
  return runs;
}

/* alike: settings of one key, which are repeats but for rare chance. NULL when the run repeats none of them */
static GPtrArray *
settings_find (GPtrArray *alike, AssayRecord *record)
{
  for (guint i = 0; i < alike->len; i++)
    {
      GPtrArray *runs = g_ptr_array_index (alike, i);
      if (assay_axes_is_repeat (g_ptr_array_index (runs, 0), record))
        return runs;
    }
  return NULL;
}

static void
settings_add (GPtrArray *settings, GHashTable *by_key, AssayRecord *record)
{
  const guint64 key = axes_get_key (record);
  GPtrArray *alike = g_hash_table_lookup (by_key, &key);
  if (alike == NULL)
    {
      alike = g_ptr_array_new ();
      g_hash_table_insert (by_key, g_memdup2 (&key, sizeof key), alike);
    }
  GPtrArray *runs = settings_find (alike, record);
  if (runs != NULL)
    g_ptr_array_add (runs, g_object_ref (record));
  else
    g_ptr_array_add (alike, setting_new (settings, record));
}

GPtrArray *
assay_repeats_fold (AssayLedger *ledger, gboolean fold)
{
  g_return_val_if_fail (ASSAY_IS_LEDGER (ledger), NULL);
  GPtrArray *settings = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  g_autoptr(GHashTable) by_key
    = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, (GDestroyNotify) g_ptr_array_unref);
  for (guint i = 0; i < assay_ledger_get_n_runs (ledger); i++)
    {
      AssayRecord *record = assay_ledger_get_run (ledger, i);
      if (fold && !assay_record_is_damaged (record))
        settings_add (settings, by_key, record);
      else
        setting_new (settings, record);
    }
  return settings;
}

typedef struct
{
  AssayRecord *record;
  double seconds;
} Timed;

static int
order_timed (gconstpointer a, gconstpointer b)
{
  const double x = ((const Timed *) a)->seconds, y = ((const Timed *) b)->seconds;
  return (x > y) - (x < y);
}

static GArray *
runs_dup_timed (GPtrArray *runs, gboolean judged)
{
  GArray *timed = g_array_new (FALSE, FALSE, sizeof (Timed));
  for (guint i = 0; i < runs->len; i++)
    {
      Timed one = { g_ptr_array_index (runs, i), G_MAXDOUBLE };
      assay_values_get_real (assay_record_get_burden (one.record), ASSAY_FIELD_ELAPSED_SECONDS, &one.seconds);
      if (assay_record_get_status (one.record) == ASSAY_STATUS_COMPLETED
          && (!judged || assay_record_get_reviews (one.record)->len > 0))
        g_array_append_val (timed, one);
    }
  g_array_sort (timed, order_timed);
  return timed;
}

AssayRecord *
assay_repeats_get_typical (GPtrArray *runs)
{
  g_return_val_if_fail (runs != NULL && runs->len > 0, NULL);
  for (int judged = 1; judged >= 0; judged--)
    {
      g_autoptr(GArray) timed = runs_dup_timed (runs, judged);
      if (timed->len > 0)
        return g_array_index (timed, Timed, (timed->len - 1) / 2).record;
    }
  return g_ptr_array_index (runs, runs->len - 1);
}

/* Figures */

static int
compare_doubles (gconstpointer a, gconstpointer b)
{
  const double x = *(const double *) a, y = *(const double *) b;
  return x < y ? -1 : x > y;
}

static void
repeats_fill (AssayRepeats *self, const double *values, guint n)
{
  g_autofree double *sorted = g_memdup2 (values, n * sizeof *values);
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
  const double margin = others->median * WARM_UP_SHARE;
  switch (assay_field_get_info (field)->unit)
    {
    case ASSAY_UNIT_SECONDS:
      return first > others->high && first > others->median + margin;
    case ASSAY_UNIT_TOKENS_PER_SECOND:
    case ASSAY_UNIT_BYTES_PER_SECOND:
      return first < others->low && first < others->median - margin;
    default:
      return FALSE;
    }
}

void
assay_repeats_summarize_values (const double *values, guint n, AssayFieldId field, AssayRepeats *out)
{
  g_return_if_fail (values != NULL && n > 0);
  *out = (AssayRepeats){ .n = n, .first = values[0] };
  if (n >= 3)
    {
      repeats_fill (out, values + 1, n - 1);
      out->warm_up = first_is_warm_up (out, out->first, field);
    }
  if (!out->warm_up)
    repeats_fill (out, values, n);
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
  assay_repeats_summarize_values ((const double *) values->data, values->len, field, out);
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
