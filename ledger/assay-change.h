/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-change.h: the conditions of a next trial: those of a run, with one thing changed. */
#pragma once

#include "assay-record.h"

G_BEGIN_DECLS

/* What was in effect in a run, as a request for another one: the drawn seed, the context that was given. What
 * the machine found out by itself is left out; that a person let tokens pass which may be wrong is kept.
 * (transfer full) */
AssayValues *assay_change_dup_base (AssayRecord *record);

/* Sets a condition (to NULL unsets it), and sets free what only described its old value, so that it follows
 * anew: the list of calls with the offload mode, the method with the quantization, the values' cache type with
 * that of the keys, the question set with a prompt. Errors as assay_values_parse(), and then nothing is
 * changed. */
gboolean assay_change_apply (AssayValues *conditions, AssayFieldId field, const char *to, GError **error);

G_END_DECLS
