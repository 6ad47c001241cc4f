/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-draft.h: the trial that is being set up: its conditions, what they continue, and which of them may change.
 *
 * A baseline has every field open. A child has its parent's values and exactly one open field; moving the lock gives
 * the field that closes its parent's value back, so that there is never more than one difference by accident. Knows no
 * widget and no file. Main thread. */
#pragma once

#include "assay-inspect.h"
#include "assay-ledger.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_DRAFT (assay_draft_get_type ())
G_DECLARE_FINAL_TYPE (AssayDraft, assay_draft, ASSAY, DRAFT, GObject)

/* Properties, read-only, notified: "problem" (string: why this cannot run, a line for each reason; NULL when it can),
 * "parent" (AssayRecord, NULL for a baseline), "open-field" (uint AssayFieldId; ASSAY_FIELD_INVALID while all are open).
 * Signal: "changed" (): a value, an error or a lock is another one. */
AssayDraft *assay_draft_new (AssayTask task);
AssayTask assay_draft_get_task (AssayDraft *self);
void assay_draft_set_task (AssayDraft *self, AssayTask task);

/* from: values to start with, or NULL for the defaults. */
void assay_draft_start_baseline (AssayDraft *self, const AssayValues *from);
/* Continues a run with one field open. to: file form of the new value, or NULL: the parent's. */
void assay_draft_continue (AssayDraft *self, AssayRecord *parent, AssayFieldId open, const char *to);
void assay_draft_move_lock (AssayDraft *self, AssayFieldId open);
AssayRecord *assay_draft_get_parent (AssayDraft *self);        /* (transfer none) or NULL */
AssayFieldId assay_draft_get_open_field (AssayDraft *self);

/* Whether a person may change this field now. */
gboolean assay_draft_is_open (AssayDraft *self, AssayFieldId field);
/* Whether the field is asked for in this form at all, and whether a change of it is a trial of its own. */
gboolean assay_draft_shows (AssayDraft *self, AssayFieldId field);
gboolean assay_draft_can_unlock (AssayDraft *self, AssayFieldId field);
/* The same for any run of a task; and why a field would do nothing beside the others, or NULL. */
gboolean assay_draft_asks (AssayTask task, AssayFieldId field);
gboolean assay_draft_can_change (AssayTask task, AssayFieldId field);
const char *assay_draft_get_idle_reason (AssayDraft *self, AssayFieldId field);
/* Facts of a model file: changed by choosing another file, never typed. */
gboolean assay_draft_is_from_file (AssayFieldId field);
/* Whether it is entered now: a fact of the file is only where a child process finds the model by its name. */
gboolean assay_draft_is_typed (AssayDraft *self, AssayFieldId field);
/* Another program does the work, and what it needs and can do is its own affair. */
gboolean assay_draft_is_process (AssayDraft *self);
/* Shown, and never entered: it follows from other fields. */
gboolean assay_draft_is_derived (AssayFieldId field);
char *assay_draft_dup_calls (AssayDraft *self);                /* the calls that will place the model, in order */

const AssayValues *assay_draft_get_values (AssayDraft *self);  /* (transfer none) changes with the draft */
/* What a person typed; empty text unsets. Text that is no value is kept as the field's error. */
void assay_draft_set_typed (AssayDraft *self, AssayFieldId field, const char *text);
/* For a widget that reads a field's text itself: what is wrong with it. The value stays, and cannot be run. */
void assay_draft_set_wrong_text (AssayDraft *self, AssayFieldId field, const char *error);
/* Whether a field holds text that is no value; ASSAY_FIELD_INVALID: whether any does. */
gboolean assay_draft_has_wrong_text (AssayDraft *self, AssayFieldId field);
const char *assay_draft_get_error (AssayDraft *self, AssayFieldId field); /* to be shown beside the field; or NULL */
const char *assay_draft_get_note (AssayDraft *self, AssayFieldId field); /* what a new model changed in it; or NULL */
char *assay_draft_dup_was (AssayDraft *self, AssayFieldId field); /* the parent's value for people; NULL for a baseline */
/* What the planner found against these conditions, which only the model's file could tell; it stands beside the field
 * until it says otherwise. refused: it is a rule, and this cannot run. field ASSAY_FIELD_INVALID, problem NULL:
 * nothing. */
void assay_draft_set_foretold_problem (AssayDraft *self, AssayFieldId field, const char *problem, gboolean refused);
/* Which rule a choice would break together with the other values; NULL when it can be taken. choice NULL: to leave
 * the field unset. (transfer full) */
char *assay_draft_dup_choice_problem (AssayDraft *self, AssayFieldId field, const char *choice);

/* The chosen model. A baseline takes all its facts; a child keeps its parent's number formats, to which the weights are
 * then converted. describe_only: the values stay, the figures become known. */
void assay_draft_take_inspection (AssayDraft *self, AssayInspection *inspection, gboolean describe_only);

/* The questions that are asked while no prompt is written; NULL: none. */
void assay_draft_set_question_set (AssayDraft *self, const char *question_set);
gboolean assay_draft_has_prompt (AssayDraft *self);
const char *assay_draft_get_problem (AssayDraft *self);
AssayValues *assay_draft_dup_conditions (AssayDraft *self);    /* (transfer full) with defaults filled in */
/* The one field that differs from the parent, for the record's `changed`; NULL for a baseline. */
const char *assay_draft_get_changed (AssayDraft *self);

G_END_DECLS
