/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-recent.h: the ledgers opened last, as the desktop remembers them for every program. Main thread. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define ASSAY_LEDGER_MIME_TYPE "application/x-assay-ledger+xml"

void assay_recent_add (const char *path, const char *title);
void assay_recent_remove (const char *path);

typedef struct
{
  char *path, *title;
} AssayRecentLedger;

void assay_recent_ledger_free (AssayRecentLedger *self);
/* (element-type AssayRecentLedger) (transfer full): at most `max`, newest first */
GPtrArray *assay_recent_list (guint max);

/* Calls back at once and whenever the list becomes another; `owner` is passed on, and ends it. */
void assay_recent_watch (GObject *owner, void (*changed) (gpointer owner));

/* Entries for a menu, each win.open-ledger with its path. (transfer full) */
GMenuModel *assay_recent_dup_menu (guint max);

G_END_DECLS
