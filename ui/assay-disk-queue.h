/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-disk-queue.h: small writes of the window's own state, worked off by one thread in the order they were asked
 * for, so that a removal never overtakes the write it undoes. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Runs func (task, source, task data, cancellable) on the queue's thread; takes the task. Main thread. */
void assay_disk_queue_push (GTask *task, GTaskThreadFunc func);
void assay_disk_queue_drain (void);              /* blocks until the queue is empty: before the program ends */

G_END_DECLS
