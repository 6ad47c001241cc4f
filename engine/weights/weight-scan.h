/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/weight-scan.h: looks for numbers in weights that no sound file has. */
#pragma once

#include "kernels.h"

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  guint64 n_bad;       /* blocks with a NaN or infinite scale; plain floats are blocks of one */
  guint64 first_bad;   /* counted from the tensor's first block */
  gboolean any;        /* a scale or value that is not zero was seen */
} WeightScan;

/* The blocks [first, first + n) of a tensor. Formats without a scale to look at count as sound. */
void assay_weight_scan (AssayDtype dtype, const guint8 *blocks, guint64 first, guint64 n, WeightScan *scan);

G_END_DECLS
