/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-distribution.h: one figure measured several times. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Percentiles are by nearest rank: the smallest measured value that at least so many percent do not exceed.
 * So each is a value that was really measured, and of few values the 95th is the greatest. The median is what it is
 * elsewhere too: of an even number the middle of the two in the middle. */
typedef struct
{
  guint n;
  double mean;
  double spread; /* standard deviation (n − 1); NaN below two */
  double low, high;
  double p5, median, p95;
} AssayDistribution; /* NaN while n is 0 */

/* Sorts the values. */
void assay_distribution_compute (double *values, guint n, AssayDistribution *out);

G_END_DECLS
