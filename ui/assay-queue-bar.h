/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-queue-bar.h: the open ledger's planned trials above its views: how many are left, what the queue waits for, and
 * the list of them, which opens below.
 *
 * Not to be seen while nothing is planned, or while answers are judged blind. The buttons are the window's actions
 * (win.queue-run, win.queue-pause …). */
#pragma once

#include <gtk/gtk.h>

#include "assay-session.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_QUEUE_BAR (assay_queue_bar_get_type ())
G_DECLARE_FINAL_TYPE (AssayQueueBar, assay_queue_bar, ASSAY, QUEUE_BAR, GtkWidget)

void assay_queue_bar_set_session (AssayQueueBar *self, AssaySession *session); /* once */
void assay_queue_bar_set_blind (AssayQueueBar *self, gboolean blind);

G_END_DECLS
