/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-hint-words.h: what a program noticed about the answers of a run, in words, found on another thread. */
#pragma once

#include "assay-ledger.h"

G_BEGIN_DECLS

typedef struct
{
  char *question; /* id; "": a free prompt */
  char *about;    /* the question, on one line */
  char *said;     /* a hint a line; "": none */
} AssayHintWords;

void assay_hint_words_free (AssayHintWords *self);

/* with_others: also what other repeats and runs of the ledger answered. The callback comes in any case, with no source object: that could be let go of on the other thread. */
void assay_hint_words_find_async (AssayLedger *ledger, const char *run_id, gboolean with_others,
                                  GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data);
/* (transfer full) (element-type AssayHintWords), those of the answers about which there is something to say; NULL:
 * cancelled */
GPtrArray *assay_hint_words_find_finish (GAsyncResult *result, GError **error);

G_END_DECLS
