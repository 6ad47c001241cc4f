/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/assay-trial.h: one trial, run on a worker thread that owns the device.
 *
 * The only place that writes burden and outcome. Signals and notifications arrive on the main context that was the
 * thread's default when the trial was made; text is coalesced to at most some thirty updates a second. Cancellation is
 * honoured within one unit in every phase (load, convert, prompt, generate). Whatever happens, `finished` comes exactly
 * once, with a sealed record that has a status. The worker holds a reference: dropping the trial mid-run is safe. */
#pragma once

#include <gio/gio.h>

#include "assay-inspect.h"
#include "assay-ledger.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_TRIAL (assay_trial_get_type ())
G_DECLARE_FINAL_TYPE (AssayTrial, assay_trial, ASSAY, TRIAL, GObject)

/* Properties, read-only, notified:
 *  "running" (boolean), "phase" (string: "" before the start), "fraction" (double 0..1), "remaining-seconds" (double,
 *  -1 unknown), "tokens-per-second" (double, 0 before the first), "question" (uint, from 1; 0 none), "n-questions"
 *  (uint), "resident-unit" (string: the unit being computed), "resident-block" (string: "decoder 3 … 4", the block in
 *  the window of a streamed model; "" where nothing is streamed), "foretold-bytes" (int64: the planner's peak of what the
 *  budget counts, -1 unknown), "status-text" (string, translated: "generate · question 8 of 12 · 9 s left").
 * Signals:
 *  "text" (const char *question_id, const char *utf8): new text of an answer;
 *  "finished" (AssayRecord *record). */

/* conditions: referenced, must not change; unset ones get defaults that the record shows as effective. questions:
 * (element-type AssayQuestion) referenced, or NULL: the condition `prompt` is asked. parent, changed: may be NULL. */
AssayTrial *assay_trial_new (AssayValues *conditions, GPtrArray *questions, const char *parent, const char *changed);

/* Fills what a person need not choose: device, runtime, kv_cache_type, max_tokens, temperature, seed, threads, repeats,
 * sample_interval_ms, offload_mode …, and compute_dtype once quantization is known. Only unset fields. What depends on
 * the model is left to assay_trial_fill_model_defaults(), which the trial calls itself. */
void assay_trial_fill_defaults (AssayValues *conditions);

/* context_length (the model's own, at most 4096) and compute_dtype. Only unset fields. */
void assay_trial_fill_model_defaults (AssayValues *conditions, const AssayInspection *inspection);

typedef struct
{
  AssayFieldId field; /* the one to show it beside */
  char *words;        /* the rule and what to choose, translated */
} AssayBrokenRule;
void assay_broken_rule_free (AssayBrokenRule *self);

/* Every reason why these conditions cannot be run here. (transfer full) (element-type AssayBrokenRule), maybe empty. */
GPtrArray *assay_trial_list_broken (const AssayValues *conditions);
/* The rules that need the model: number formats of the file, context against training. RULE, with the field. */
gboolean assay_trial_check_model (const AssayValues *conditions, const AssayInspection *inspection, GError **error);
/* The first that needs no model; NULL when there is none. *field is the one to show it beside. (transfer full) */
char *assay_trial_check_conditions (const AssayValues *conditions, AssayFieldId *field);

/* The run that this one continues, before start(): what the child holds fixed is then verified once the model was read,
 * and it is refused when anything else moved. Referenced. */
void assay_trial_set_parent (AssayTrial *self, AssayRecord *parent);
/* The planned trial that it carries out, which its record names; before start(). */
void assay_trial_set_planned (AssayTrial *self, const char *planned);
void assay_trial_start (AssayTrial *self);                /* once */
void assay_trial_cancel (AssayTrial *self);               /* any thread, any time, any number of times */
gboolean assay_trial_is_running (AssayTrial *self);
AssayRecord *assay_trial_get_record (AssayTrial *self);   /* (transfer none); the sealed record, NULL before finished */
const char *assay_trial_get_run_id (AssayTrial *self);    /* known from the start */
AssayRecord *assay_trial_dup_started_record (AssayTrial *self); /* (transfer full) id, parent, conditions; sealed, no status: for the journal */
AssaySeries *assay_trial_get_series (AssayTrial *self);   /* (transfer none): live */
const char *assay_trial_get_phase (AssayTrial *self);

G_END_DECLS
