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
void advice_add_input_scale (AssayAdvice *self, AssayTask task, AssayRecord *record, const char *why);
void advice_add_quantization (AssayAdvice *self, AssayRecord *record, guint n_most, const char *why); /* at most n_most */
void advice_add_smaller_model (AssayAdvice *self, AssayRecord *record);
gboolean advice_can_offload (AssayRecord *record);
gboolean advice_is_grouped (AssayRecord *record);
gboolean advice_is_offloaded (AssayRecord *record); /* in any mode but none */
gboolean advice_is_prefetch (AssayRecord *record, gboolean on); /* known to be on, or off */
AssayFieldId advice_get_prompt_field (AssayTask task, AssayRecord *record);

/* Memory did not suffice. */
void advice_for_oom_device (AssayAdvice *self, AssayTask task, AssayRecord *record);
void advice_for_oom_host (AssayAdvice *self, AssayRecord *record);

/* Fills in what to hold, once the candidates are there. */
void advice_hold (AssayAdvice *self, AssayRecord *record);
void advice_hold_again (AssayAdvice *self); /* some candidates are gone: nothing moves their axes */

/* A completed run that nothing is wrong with: steps from which one would learn. */
void advice_for_repetition (AssayAdvice *self, AssayTask task, AssayRecord *record); /* its output is suspicious */
void advice_explore (AssayAdvice *self, AssayTask task, AssayRecord *record);
gboolean advice_awaits_review (AssayRecord *record);

/* Types with fewer bits than that in effect, NULL-terminated: the next one that is worth a run, and the one that halves
 * what there is. Empty at the smallest there is (*at_floor), or where the type is not known. (transfer full) */
char **advice_dup_smaller_quantizations (AssayRecord *record, gboolean *at_floor);
double advice_get_bits (const char *type);                 /* a weight, scales included; 0 for a type that is not known */
const char *advice_get_small_blocks (const char *type);    /* about as many bits in blocks of 32; NULL where there is none */
gboolean advice_has_stored_format (AssayRecord *record);
/* The modes with smaller units (direction 1) or larger ones (-1), nearest first, NULL-terminated. (transfer full) */
char **advice_dup_offload_modes (const char *mode, int direction);

/* The field of the input scale to reduce, and by how much. */
AssayFieldId advice_smaller_input (AssayTask task, AssayRecord *record, char **to);

/* One more step along a candidate's axis, beyond `to`; NULL at its end, or where the axis has no such steps. */
char *advice_dup_further (AssayRecord *record, AssayFieldId field, const char *to);

char *advice_dup_value (AssayRecord *record, AssayFieldId field); /* in effect, file form; NULL unless set */
const char *advice_get_text (AssayRecord *record, AssayFieldId field);
gboolean advice_get_integer (AssayRecord *record, AssayFieldId field, gint64 *out);

G_END_DECLS
