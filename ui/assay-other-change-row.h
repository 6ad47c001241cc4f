/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-other-change-row.h: the person's own idea of what to change next: any condition, one at a time. */
#pragma once

#include <gtk/gtk.h>

#include "assay-record.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_OTHER_CHANGE_ROW (assay_other_change_row_get_type ())
G_DECLARE_FINAL_TYPE (AssayOtherChangeRow, assay_other_change_row, ASSAY, OTHER_CHANGE_ROW, GtkListBoxRow)

/* Signal: "chosen" (uint AssayFieldId, const char *to); to is NULL to unset the field. */
GtkWidget *assay_other_change_row_new (AssayTask task, AssayRecord *record);

G_END_DECLS
