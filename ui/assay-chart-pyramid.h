/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-chart-pyramid.h: a run in ever longer stretches, each with the greatest of what lies in it, so that a
 * picture of any part of an hour is made from about as many stretches as it has columns.
 *
 * Stretches are of so many samples, not of so much time; what lies between two borders of columns is read from the
 * series itself. A sixteenth of the series in memory. One thread. */
#pragma once

#include "assay-chart-data.h"

G_BEGIN_DECLS

#define ASSAY_PYRAMID_LEAF 16u /* samples of a stretch on the lowest level */

/* Of one sample, or of several that follow each other. */
typedef struct
{
  gint64 before_ns;             /* of the sample before the first one */
  gint64 first_ns, last_ns;
  gint64 allocated_max;
  double first_rate, rate_max;  /* bytes a second over the link until the first, and the greatest; -1 unknown */
  AssayChartColumn column;      /* the true moment of the greatest total; else the greatest of each */
} AssayChartStretch;

AssayChartPyramid *assay_chart_pyramid_new (void);
void assay_chart_pyramid_free (AssayChartPyramid *self);
void assay_chart_pyramid_clear (AssayChartPyramid *self);
/* In the order of time. The last sample may come again, with greater values. */
void assay_chart_pyramid_append (AssayChartPyramid *self, const AssayChartStretch *sample);
gsize assay_chart_pyramid_get_bytes (const AssayChartPyramid *self);

/* Asked of a stretch: TRUE to be done with it, as it was used whole or is of no use; FALSE to be asked of its parts,
 * or, where it has none (`leaf`), to read the samples in it. Returns what ended the walk: the first leaf for which
 * `leaf` said TRUE. */
typedef gboolean (*AssayStretchFunc) (const AssayChartStretch *stretch, gpointer data);
gboolean assay_chart_pyramid_walk (AssayChartPyramid *self, AssayStretchFunc whole, AssayStretchFunc leaf,
                                   gpointer data);

/* Joins what comes later. */
void assay_chart_stretch_join (AssayChartStretch *self, const AssayChartStretch *later);
/* The stack of the greater total stays whole, so that its layers were there at one time; every other figure keeps its
 * own greatest. */
void assay_chart_column_join (AssayChartColumn *self, const AssayChartColumn *other);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayChartPyramid, assay_chart_pyramid_free)

G_END_DECLS
