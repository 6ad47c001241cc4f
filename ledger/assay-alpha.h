/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-alpha.h: Krippendorff's alpha of a table of judgments.
 *
 * After K. Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011): 1 − observed / expected
 * disagreement, from the coincidences of the values within units; values alone in their unit pair with
 * nothing and are left out.
 *
 * The interval is a percentile bootstrap: units are drawn anew, as many as there are and with repetition,
 * alpha is computed of each drawn table, and 2.5 % of the results lie below `low` and above `high`. Drawn
 * tables without any variation have no alpha and count as 1, since nobody disagrees in them. The seed is part
 * of the result, so that the interval can be had again. Pure arithmetic, any thread. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  ASSAY_ALPHA_NOMINAL,
  ASSAY_ALPHA_ORDINAL,
  ASSAY_ALPHA_INTERVAL,
  ASSAY_ALPHA_RATIO
} AssayAlphaMetric;

typedef enum
{
  ASSAY_ALPHA_DEFINED,
  ASSAY_ALPHA_TOO_FEW_OBSERVERS, /* fewer than two of them */
  ASSAY_ALPHA_NOTHING_PAIRED,    /* no unit was judged by two */
  ASSAY_ALPHA_NO_VARIATION,      /* all paired values are the same: agreement cannot be told from chance */
} AssayAlphaState;

typedef struct
{
  AssayAlphaState state;
  double alpha;      /* NaN unless defined */
  double low, high;  /* 95 %; NaN unless defined and there are two paired units or more */
  guint n_observers; /* with at least one value */
  guint n_units;     /* with two values or more */
  guint n_values;    /* in those units: the pairable ones */
  guint n_resamples;
  guint64 seed; /* of the resampling */
} AssayAlpha;

#define ASSAY_ALPHA_SEED 20110125u
#define ASSAY_ALPHA_RESAMPLES 1000u
#define ASSAY_ALPHA_MOST_VALUES 256u /* different ones in a table */

/* values: [n_observers, n_units], NaN where an observer said nothing; at most ASSAY_ALPHA_MOST_VALUES
 * different ones. For RATIO all values are 0 or more. n_resamples 0: no interval. */
void assay_alpha_compute (const double *values,
                          guint n_observers,
                          guint n_units,
                          AssayAlphaMetric metric,
                          guint64 seed,
                          guint n_resamples,
                          AssayAlpha *out);

/* The same of what was said alone: unit u holds values [ends[u − 1], ends[u]), and nobody's twice. What a table of
 * everybody and everything would hold in gaps takes no memory. */
void assay_alpha_compute_units (const double *values,
                                const gsize *ends,
                                guint n_units,
                                guint n_observers,
                                AssayAlphaMetric metric,
                                guint64 seed,
                                guint n_resamples,
                                AssayAlpha *out);

G_END_DECLS
