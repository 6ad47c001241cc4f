/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-foretell.h: asks the planner about everything that could be changed next, off the window's thread. */
#pragma once

#include <gio/gio.h>

#include "assay-advice.h"

G_BEGIN_DECLS

typedef struct
{
  AssayAdvice *advice;          /* owned: those that can be run, in the order that fits; NULL once taken */
  guint *was;                   /* owned: for each candidate, where it stood before */
  AssayRecord *record;          /* owned: sealed, so that any thread may read it */
  GPtrArray *questions;         /* owned; NULL: its prompt was asked */
} AssayForetold;

void assay_foretold_free (AssayForetold *self);

/* source: of the callback; held until then. */
void assay_foretell_async (gpointer source, AssayLedger *ledger, AssayRecord *record, GCancellable *cancellable,
                           GAsyncReadyCallback callback, gpointer data);
AssayForetold *assay_foretell_finish (GAsyncResult *result, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayForetold, assay_foretold_free)

G_END_DECLS
