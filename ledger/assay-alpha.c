/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-alpha.c: see assay-alpha.h.
 *
 * Values are told by their rank among the different ones. A unit is how often each value was given in it, a
 * row of counts; coincidences are sums over rows. With few observers and a scale of five, thousands of units
 * have a few dozen different rows: each is kept once, and a resampled table is how often each was drawn. */
#include "assay-alpha.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "assay-random.h"

typedef struct
{
  double *values; /* [n_values] the different ones, ascending */
  guint n_values;
  double *rows;    /* [n_rows, n_values] the different rows of paired units */
  guint *row_of;   /* [n_units] of each paired unit */
  double *weights; /* [n_rows] how many units have that row */
  guint n_units, n_rows;
  double *distances;    /* [n_values, n_values] squared differences */
  double *coincidences; /* [n_values, n_values] */
  double *totals;       /* [n_values] its row sums */
  AssayAlphaMetric metric;
} Alpha;

static int
compare_doubles (gconstpointer a, gconstpointer b)
{
  const double x = *(const double *) a, y = *(const double *) b;
  return x < y ? -1 : x > y;
}

static void
alpha_list_values (Alpha *self, const double *values, gsize n)
{
  guint kept = 0;
  self->values = g_new (double, n + 1);
  for (gsize i = 0; i < n; i++)
    self->values[i] = values[i];
  qsort (self->values, n, sizeof *self->values, compare_doubles);
  for (gsize i = 0; i < n; i++)
    if (kept == 0 || self->values[i] > self->values[kept - 1])
      self->values[kept++] = self->values[i];
  self->n_values = kept;
}

static guint
alpha_rank (const Alpha *self, double value)
{
  const double *found = bsearch (&value, self->values, self->n_values, sizeof value, compare_doubles);
  return (guint) (found - self->values);
}

/* The row with these counts, which is made where it is not there yet. */
static guint
alpha_intern_row (Alpha *self, GHashTable *known, const double *row)
{
  g_autoptr(GBytes) key = g_bytes_new (row, self->n_values * sizeof *row);
  gpointer found;
  if (g_hash_table_lookup_extended (known, key, NULL, &found))
    return GPOINTER_TO_UINT (found);
  memcpy (self->rows + (gsize) self->n_rows * self->n_values, row, self->n_values * sizeof *row);
  g_hash_table_insert (known, g_steal_pointer (&key), GUINT_TO_POINTER (self->n_rows));
  return self->n_rows++;
}

/* Units with two values or more, as rows of counts. */
static void
alpha_fill_rows (Alpha *self, const double *values, const gsize *ends, guint n_units, AssayAlpha *out)
{
  g_autoptr(GHashTable) known
      = g_hash_table_new_full (g_bytes_hash, g_bytes_equal, (GDestroyNotify) g_bytes_unref, NULL);
  g_autofree double *row = g_new (double, self->n_values + 1);
  self->rows = g_new (double, (gsize) n_units * self->n_values + 1);
  self->row_of = g_new (guint, n_units + 1);
  self->weights = g_new0 (double, n_units + 1);
  for (guint u = 0; u < n_units; u++)
    {
      const gsize from = u > 0 ? ends[u - 1] : 0;
      if (ends[u] - from < 2)
        continue;
      memset (row, 0, self->n_values * sizeof *row);
      for (gsize i = from; i < ends[u]; i++)
        row[alpha_rank (self, values[i])]++;
      self->row_of[self->n_units] = alpha_intern_row (self, known, row);
      self->weights[self->row_of[self->n_units++]]++;
      out->n_values += (guint) (ends[u] - from);
    }
  out->n_units = self->n_units;
}

/* Each pair within a unit, weighed so that a unit counts as often as it was judged. */
static void
alpha_add_row (Alpha *self, guint index)
{
  const double *row = self->rows + (gsize) index * self->n_values;
  double n = 0;
  for (guint c = 0; c < self->n_values; c++)
    n += row[c];
  for (guint c = 0; c < self->n_values; c++)
    for (guint k = 0; row[c] > 0 && k < self->n_values; k++)
      self->coincidences[c * self->n_values + k]
          += self->weights[index] * row[c] * (row[k] - (c == k)) / (n - 1);
}

static void
alpha_sum_rows (Alpha *self)
{
  memset (self->coincidences, 0, (gsize) self->n_values * self->n_values * sizeof (double));
  for (guint i = 0; i < self->n_rows; i++)
    if (self->weights[i] > 0)
      alpha_add_row (self, i);
}

static void
alpha_sum_totals (Alpha *self)
{
  for (guint c = 0; c < self->n_values; c++)
    {
      self->totals[c] = 0;
      for (guint k = 0; k < self->n_values; k++)
        self->totals[c] += self->coincidences[c * self->n_values + k];
    }
}

/* How many values lie from c to k, half of either end: ranks are as far apart as they are used. */
static double
alpha_ordinal_steps (const Alpha *self, guint c, guint k)
{
  double steps = -(self->totals[c] + self->totals[k]) / 2;
  for (guint g = c; g <= k; g++)
    steps += self->totals[g];
  return steps;
}

static double
alpha_difference (const Alpha *self, guint c, guint k)
{
  const double low = self->values[c], high = self->values[k];
  switch (self->metric)
    {
    case ASSAY_ALPHA_ORDINAL:
      return alpha_ordinal_steps (self, c, k);
    case ASSAY_ALPHA_INTERVAL:
      return high - low;
    case ASSAY_ALPHA_RATIO:
      return high + low > 0 ? (high - low) / (high + low) : 0;
    case ASSAY_ALPHA_NOMINAL:
    default:
      return 1;
    }
}

static void
alpha_fill_distances (Alpha *self)
{
  for (guint c = 0; c < self->n_values; c++)
    for (guint k = c; k < self->n_values; k++)
      {
        const double difference = c == k ? 0 : alpha_difference (self, c, k);
        self->distances[c * self->n_values + k] = self->distances[k * self->n_values + c]
            = difference * difference;
      }
}

/* From the coincidences; NaN when all values are the same. */
static double
alpha_conclude (Alpha *self)
{
  double observed = 0, expected = 0, n = 0;
  alpha_sum_totals (self);
  alpha_fill_distances (self);
  for (guint c = 0; c < self->n_values; c++)
    {
      n += self->totals[c];
      for (guint k = 0; k < self->n_values; k++)
        {
          observed += self->coincidences[c * self->n_values + k] * self->distances[c * self->n_values + k];
          expected += self->totals[c] * self->totals[k] * self->distances[c * self->n_values + k];
        }
    }
  return expected > 0 ? 1 - (n - 1) * observed / expected : NAN;
}

static double
alpha_resample (Alpha *self, AssayRandom *random)
{
  memset (self->weights, 0, self->n_rows * sizeof *self->weights);
  for (guint u = 0; u < self->n_units; u++)
    self->weights[self->row_of[assay_random_below (random, self->n_units)]]++;
  alpha_sum_rows (self);
  const double alpha = alpha_conclude (self);
  return isnan (alpha) ? 1 : alpha;
}

/* The value below which the share lies, between the two nearest in proportion. */
static double
sorted_quantile (const double *sorted, guint n, double share)
{
  const double at = share * (n - 1);
  const guint below = (guint) at;
  return below + 1 < n ? sorted[below] + (at - below) * (sorted[below + 1] - sorted[below]) : sorted[n - 1];
}

static void
alpha_find_interval (Alpha *self, AssayAlpha *out)
{
  if (out->n_resamples == 0 || self->n_units < 2)
    return;
  g_autofree double *drawn = g_new (double, out->n_resamples);
  AssayRandom random = { out->seed };
  for (guint i = 0; i < out->n_resamples; i++)
    drawn[i] = alpha_resample (self, &random);
  qsort (drawn, out->n_resamples, sizeof *drawn, compare_doubles);
  out->low = sorted_quantile (drawn, out->n_resamples, 0.025);
  out->high = sorted_quantile (drawn, out->n_resamples, 0.975);
}

static void
alpha_clear (Alpha *self)
{
  g_free (self->values);
  g_free (self->rows);
  g_free (self->row_of);
  g_free (self->weights);
  g_free (self->distances);
  g_free (self->coincidences);
  g_free (self->totals);
}

void
assay_alpha_compute_units (const double *values,
                           const gsize *ends,
                           guint n_units,
                           guint n_observers,
                           AssayAlphaMetric metric,
                           guint64 seed,
                           guint n_resamples,
                           AssayAlpha *out)
{
  Alpha self = { .metric = metric };
  *out = (AssayAlpha){ .alpha = NAN, .low = NAN, .high = NAN, .n_observers = n_observers,
                       .n_resamples = n_resamples, .seed = seed };
  alpha_list_values (&self, values, n_units > 0 ? ends[n_units - 1] : 0);
  g_return_if_fail (self.n_values <= ASSAY_ALPHA_MOST_VALUES);
  alpha_fill_rows (&self, values, ends, n_units, out);
  self.distances = g_new0 (double, (gsize) self.n_values *self.n_values + 1);
  self.coincidences = g_new0 (double, (gsize) self.n_values *self.n_values + 1);
  self.totals = g_new0 (double, self.n_values + 1);
  alpha_sum_rows (&self);
  out->alpha = alpha_conclude (&self);
  out->state = out->n_observers < 2 ? ASSAY_ALPHA_TOO_FEW_OBSERVERS
               : self.n_units == 0  ? ASSAY_ALPHA_NOTHING_PAIRED
               : isnan (out->alpha) ? ASSAY_ALPHA_NO_VARIATION
                                    : ASSAY_ALPHA_DEFINED;
  if (out->state == ASSAY_ALPHA_DEFINED)
    alpha_find_interval (&self, out);
  alpha_clear (&self);
}

static guint
table_count_observers (const double *values, guint n_observers, guint n_units)
{
  guint n = 0;
  for (guint o = 0; o < n_observers; o++)
    for (guint u = 0; u < n_units; u++)
      if (!isnan (values[(gsize) o * n_units + u]))
        {
          n++;
          break;
        }
  return n;
}

void
assay_alpha_compute (const double *values,
                     guint n_observers,
                     guint n_units,
                     AssayAlphaMetric metric,
                     guint64 seed,
                     guint n_resamples,
                     AssayAlpha *out)
{
  g_autofree double *said = g_new (double, (gsize) n_observers *n_units + 1);
  g_autofree gsize *ends = g_new (gsize, (gsize) n_units + 1);
  gsize n = 0;
  for (guint u = 0; u < n_units; u++)
    {
      for (guint o = 0; o < n_observers; o++)
        if (!isnan (values[(gsize) o * n_units + u]))
          said[n++] = values[(gsize) o * n_units + u];
      ends[u] = n;
    }
  assay_alpha_compute_units (said, ends, n_units, table_count_observers (values, n_observers, n_units), metric,
                             seed, n_resamples, out);
}
