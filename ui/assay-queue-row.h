/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-queue-row.h: one planned trial: what it changes, whether it fits, and buttons to move it and take it off.
 * Alt+Up and Alt+Down move it as well, Delete takes it off. */
#pragma once

#include <gtk/gtk.h>

#include "assay-session.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_QUEUE_ROW (assay_queue_row_get_type ())
G_DECLARE_FINAL_TYPE (AssayQueueRow, assay_queue_row, ASSAY, QUEUE_ROW, GtkListBoxRow)

/* number: from 1, of n. words: what was foretold, or NULL; current: it is run, or looked at, now. */
GtkWidget *assay_queue_row_new (AssaySession *session, AssayRecord *planned, guint number, guint n);
void assay_queue_row_show (AssayQueueRow *self, const char *words, gboolean current);
AssayRecord *assay_queue_row_get_planned (AssayQueueRow *self);

G_END_DECLS
