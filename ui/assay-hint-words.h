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

/* owner: the result's source object, kept until then. A cancelled search tells nothing. */
void assay_hint_words_find_async (GObject *owner, AssayLedger *ledger, const char *run_id, GCancellable *cancellable,
                                  GAsyncReadyCallback callback);
/* (transfer full) (element-type AssayHintWords), those of the answers about which there is something to say; NULL:
 * cancelled */
GPtrArray *assay_hint_words_find_finish (GAsyncResult *result, GError **error);

G_END_DECLS
