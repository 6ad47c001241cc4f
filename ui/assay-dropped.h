/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-dropped.h: what files are that somebody drags in or opens: found out on another thread. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* (element-type char*): paths, each in one list, in the order given */
typedef struct
{
  GPtrArray *ledgers, *models, *records; /* records: plain ones, .kv */
  GPtrArray *folders;                    /* of ledgers */
  GPtrArray *refused;
} AssayDropped;

void assay_dropped_free (AssayDropped *self);
void assay_dropped_sort_async (GPtrArray *paths, GAsyncReadyCallback callback, gpointer data);
AssayDropped *assay_dropped_sort_finish (GAsyncResult *result); /* never NULL */

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayDropped, assay_dropped_free)

G_END_DECLS
