/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-compare-picture.h: the comparison as one picture: the plot, and the table beneath it. */
#pragma once

#include "assay-chart-export.h"
#include "assay-plot-draw.h"

G_BEGIN_DECLS

typedef struct
{
  AssayPlotData *data;      /* borrowed, as all of it; NULL: no plot */
  const guint8 *selected;   /* of the marks */
  GPtrArray *lines;         /* (element-type GStrv) the titles first */
  GArray *is_number;        /* (element-type gboolean) of the columns */
  GArray *is_chosen;        /* (element-type gboolean) of the lines, the titles' too */
} AssayComparePicture;

/* As wide and as high as it needs to be; of very many rows the first are drawn and the rest counted. */
GBytes *assay_compare_picture_render (const AssayComparePicture *self, AssayChartFormat format, GError **error);

G_END_DECLS
