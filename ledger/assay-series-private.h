/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-series-private.h: a series as text columns, for reader and writer.
 *
 * A column is the values of one field, each as the difference to the one before (the first to 0), blanks
 * between; "D*N" says D N times, "-" an unknown value. Memory stands still most of the time, so a column is
 * short. */
#pragma once

#include "assay-series.h"

G_BEGIN_DECLS

#define ASSAY_SAMPLE_N_COLUMNS (ASSAY_N_MEMORY + 9u)   /* the members of AssaySample, in order */

const char *assay_sample_get_column_name (guint column); /* "t_ns", "weights", … */
guint assay_sample_find_column (const char *name);       /* G_MAXUINT when there is none */

/* Lines are broken at blanks. */
void assay_samples_append_column (GString *out, const GArray *samples, guint column);

/* Reads exactly n values. samples may be NULL: then the text is only checked. t_ns must ascend and be known.
 */
gboolean assay_samples_parse_column (const char *text, guint column, guint n, GArray *samples);

/* For readers, before anybody else knows the series. */
void assay_series_set_interval_ns (AssaySeries *self, gint64 interval_ns);
/* For readers: how many were measured before they were thinned out. */
void assay_series_set_n_measured (AssaySeries *self, guint64 n);

G_END_DECLS
