/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-distribution.c: see assay-distribution.h. */
#include "assay-distribution.h"

#include <math.h>
#include <stdlib.h>

static int
compare_doubles (gconstpointer a, gconstpointer b)
{
  const double x = *(const double *) a, y = *(const double *) b;
  return x < y ? -1 : x > y;
}

static double
nearest_rank (const double *sorted, guint n, guint percent)
{
  const guint64 rank = ((guint64) n * percent + 99) / 100;
  return sorted[MAX (rank, 1) - 1];
}

void
assay_distribution_compute (double *values, guint n, AssayDistribution *out)
{
  double mean = 0, squares = 0;
  *out = (AssayDistribution){ n, NAN, NAN, NAN, NAN, NAN, NAN, NAN };
  if (n == 0)
    return;
  qsort (values, n, sizeof *values, compare_doubles);
  for (guint i = 0; i < n; i++) /* Welford's way, which does not lose digits */
    {
      const double off = values[i] - mean;
      mean += off / (i + 1);
      squares += off * (values[i] - mean);
    }
  out->mean = mean;
  out->spread = n > 1 ? sqrt (squares / (n - 1)) : NAN;
  out->low = values[0];
  out->high = values[n - 1];
  out->p5 = nearest_rank (values, n, 5);
  out->median = n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
  out->p95 = nearest_rank (values, n, 95);
}
