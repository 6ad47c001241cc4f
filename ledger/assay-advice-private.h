/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-advice-private.h: the parts of an advice: the signal, and new values one step in the direction
 * that helps. */
#pragma once

#include "assay-advice.h"

G_BEGIN_DECLS

AssaySignal advice_find_signal (AssayLedger *ledger, AssayRecord *record);
const char *advice_get_words (AssaySignal signal, AssayRecord *record);
char *advice_dup_evidence (AssaySignal signal, AssayLedger *ledger, AssayRecord *record);

/* Takes `to`. */
void advice_add (AssayAdvice *self, AssayRecord *record, AssayFieldId field, char *to_taken, const char *why);
void advice_add_quantization (AssayAdvice *self, AssayRecord *record, const char *why);
gboolean advice_can_offload (AssayRecord *record);
AssayFieldId advice_get_prompt_field (AssayTask task, AssayRecord *record);

/* A completed run that nothing is wrong with: steps from which one would learn. */
void advice_explore (AssayAdvice *self, AssayTask task, AssayRecord *record);
gboolean advice_awaits_review (AssayRecord *record);

/* Each takes the values in effect and returns the file form, or NULL when there is no such step, or no way to
 * know it from here (transfer full). */
char *advice_smaller_quantization (AssayRecord *record, gboolean *at_floor);
gboolean advice_has_stored_format (AssayRecord *record);
char *advice_stronger_offload (const char *mode);
char *advice_weaker_offload (const char *mode);

/* The field of the input scale to reduce, and by how much. */
AssayFieldId advice_smaller_input (AssayTask task, AssayRecord *record, char **to);

char *advice_dup_value (AssayRecord *record, AssayFieldId field); /* in effect, file form; NULL unless set */
const char *advice_get_text (AssayRecord *record, AssayFieldId field);
gboolean advice_get_integer (AssayRecord *record, AssayFieldId field, gint64 *out);

G_END_DECLS
