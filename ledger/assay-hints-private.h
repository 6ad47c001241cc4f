/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-hints-private.h: one hint each. */
#pragma once

#include "assay-hints.h"

G_BEGIN_DECLS

#define HINT_MOST_BYTES (1u << 20)

AssayHint *hint_new (AssayHintKind kind, AssayHintLeaning leaning, char *text_taken);

/* question may be NULL; NULL when there is nothing to compare with. */
AssayHint *hint_of_language (const AssayQuestion *question, const AssayOutput *output);

/* "the 3rd character differs" with its surroundings. (transfer full) */
char *hint_dup_difference (const AssayOutput *here, const AssayOutput *there);

G_END_DECLS
