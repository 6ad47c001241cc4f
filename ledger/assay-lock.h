/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-lock.h: one writer at a time, among programs and machines.
 *
 * The lock is the file .NAME.lock, made with O_EXCL, which works where advisory locks do not; it names its
 * owner. The owner also holds flock() on it, so that on one machine a lock left by a dead process is known at
 * once. A lock is held for the length of a save, never while a person thinks. */
#pragma once

#include "assay-ledger-error.h"

G_BEGIN_DECLS

typedef struct _AssayLock AssayLock;

/* Waits up to wait_ms for a living owner. Errors: BUSY, naming owner and lock file; READ_ONLY; SAVE. */
AssayLock *assay_lock_take (const char *path, guint wait_ms, GError **error);
/* Of the ledger's queue, for as long as it runs: two at one would run each trial twice, and measure each other. */
AssayLock *assay_lock_take_queue (const char *path, GError **error);
void assay_lock_release (AssayLock *self);  /* NULL is fine */

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayLock, assay_lock_release)

G_END_DECLS
