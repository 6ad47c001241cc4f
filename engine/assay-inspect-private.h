/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/assay-inspect-private.h: what the inspection and its report share. */
#pragma once

#include "assay-inspect.h"

G_BEGIN_DECLS

typedef struct
{
  const AssayDtypeInfo *info;
  guint n_tensors;
  guint64 bytes;
} InspectFormat;

/* (element-type InspectFormat) (transfer full), most bytes first */
GArray *assay_inspect_count_formats (AssayModelFile *file, gboolean matrices_only);
gint assay_inspect_compare_texts (gconstpointer a, gconstpointer b); /* of two char ** */

G_END_DECLS
