/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-record-parts.c: outputs, reviews, next trials and statuses; the plain data inside a record. */
#include <string.h>

#include "assay-record-private.h"

#include "assay-assets.h"

static const char *const status_names[ASSAY_N_STATUSES + 1] = {
  "completed", "oom_device", "oom_host", "time_limit", "cancelled", "load_failed", "failed",
  "killed", "interrupted", "invalid", "invalid_output", "unknown",
};

const char *
assay_run_status_get_name (AssayRunStatus status)
{
  g_return_val_if_fail (status <= ASSAY_STATUS_UNKNOWN, NULL);
  return status_names[status];
}

AssayRunStatus
assay_run_status_from_name (const char *name)
{
  for (guint i = 0; i < ASSAY_N_STATUSES; i++)
    if (g_strcmp0 (name, status_names[i]) == 0)
      return (AssayRunStatus) i;
  return ASSAY_STATUS_UNKNOWN;
}

const char *
assay_verdict_get_name (AssayVerdict verdict)
{
  static const char *const names[] = { "not judged", "pass", "fail" };
  g_return_val_if_fail (verdict < G_N_ELEMENTS (names), NULL);
  return names[verdict];
}

char *
assay_dup_now (void)
{
  g_autoptr(GDateTime) now = g_date_time_new_now_utc ();
  return g_date_time_format (now, "%Y-%m-%dT%H:%M:%SZ");
}

/* Six digits that this process gives once in 2^24 times: a walk with an odd step from a random start, since a script
 * can make thousands of records in one second, where six digits drawn each time would soon meet. */
static guint32
parts_next_digits (void)
{
  static guint32 next;
  static gsize begun;

  if (g_once_init_enter (&begun))
    {
      g_autofree char *uuid = g_uuid_string_random (); /* seeded by the system, unlike g_random_int in a fork */
      g_atomic_int_set (&next, (guint32) g_ascii_strtoull (uuid, NULL, 16));
      g_once_init_leave (&begun, 1);
    }
  return (guint32) g_atomic_int_add (&next, 0x9e3779b1) & 0xffffff;
}

char *
assay_dup_random_id (const char *prefix)
{
  g_autoptr(GDateTime) now = g_date_time_new_now_utc ();
  g_autofree char *time = g_date_time_format (now, "%Y%m%dT%H%M%SZ");

  return g_strdup_printf ("%s%s-%06x", prefix, time, parts_next_digits ());
}

AssayOutput *
assay_output_new (const char *question)
{
  AssayOutput *self = g_new0 (AssayOutput, 1);
  self->question = g_strdup (question == NULL ? "" : question);
  self->input_tokens = self->output_tokens = self->prompt_ns = self->generate_ns = -1;
  return self;
}

AssayOutput *
assay_output_copy (const AssayOutput *self)
{
  AssayOutput *copy = g_new (AssayOutput, 1);
  *copy = *self;
  copy->question = g_strdup (self->question);
  copy->text = self->text == NULL ? NULL : g_memdup2 (self->text, self->text_length + 1);
  copy->finish = g_strdup (self->finish);
  copy->asset = g_strdup (self->asset);
  copy->attachment = self->attachment != NULL ? g_bytes_ref (self->attachment) : NULL;
  return copy;
}

static gboolean
output_equal (const AssayOutput *a, const AssayOutput *b)
{
  return g_strcmp0 (a->question, b->question) == 0 && a->text_length == b->text_length
         && (a->text == NULL) == (b->text == NULL)
         && (a->text == NULL || memcmp (a->text, b->text, a->text_length) == 0)
         && a->input_tokens == b->input_tokens && a->output_tokens == b->output_tokens
         && a->prompt_ns == b->prompt_ns && a->generate_ns == b->generate_ns
         && g_strcmp0 (a->finish, b->finish) == 0 && a->partial == b->partial
         && (a->text != NULL || g_strcmp0 (a->asset, b->asset) == 0);
}

void
assay_output_free (AssayOutput *self)
{
  if (self == NULL)
    return;
  g_free (self->question);
  g_free (self->text);
  g_free (self->finish);
  g_free (self->asset);
  g_clear_pointer (&self->attachment, g_bytes_unref);
  g_free (self);
}

void
assay_output_take_attachment (AssayOutput *self, GBytes *bytes, const char *suffix)
{
  gsize length;
  const char *data = g_bytes_get_data (bytes, &length);
  g_free (self->asset);
  self->asset = assay_asset_dup_name (data, length, suffix);
  g_clear_pointer (&self->attachment, g_bytes_unref);
  self->attachment = bytes;
}

static void
score_free (gpointer data)
{
  AssayScore *score = data;
  g_free (score->criterion);
  g_free (score->question);
  g_free (score->words);
  g_free (score);
}

static AssayScore *
score_new (const char *criterion, const char *question, gint value)
{
  AssayScore *score = g_new0 (AssayScore, 1);
  score->criterion = g_strdup (criterion);
  score->question = g_strdup (question);
  score->value = value;
  return score;
}

AssayReview *
assay_review_new_empty (void)
{
  AssayReview *self = g_new0 (AssayReview, 1);
  self->scores = g_ptr_array_new_with_free_func (score_free);
  return self;
}

AssayReview *
assay_review_new (const char *reviewer)
{
  AssayReview *self = assay_review_new_empty ();
  self->id = assay_dup_random_id ("r");
  self->reviewer = g_strdup (reviewer == NULL ? "" : reviewer);
  self->at = assay_dup_now ();
  return self;
}

AssayReview *
assay_review_copy (const AssayReview *self)
{
  AssayReview *copy = g_new (AssayReview, 1);
  *copy = *self;
  copy->id = g_strdup (self->id);
  copy->reviewer = g_strdup (self->reviewer);
  copy->at = g_strdup (self->at);
  copy->supersedes = g_strdup (self->supersedes);
  copy->quality_note = g_strdup (self->quality_note);
  copy->scores = g_ptr_array_new_with_free_func (score_free);
  for (guint i = 0; i < self->scores->len; i++)
    {
      const AssayScore *score = g_ptr_array_index (self->scores, i);
      AssayScore *twin = score_new (score->criterion, score->question, score->value);
      twin->words = g_strdup (score->words);
      g_ptr_array_add (copy->scores, twin);
    }
  return copy;
}

gboolean
assay_review_equal (const AssayReview *a, const AssayReview *b)
{
  if (g_strcmp0 (a->id, b->id) != 0 || g_strcmp0 (a->reviewer, b->reviewer) != 0
      || g_strcmp0 (a->at, b->at) != 0 || a->blind != b->blind
      || g_strcmp0 (a->supersedes, b->supersedes) != 0 || a->verdict != b->verdict
      || a->order_seed != b->order_seed || a->position != b->position
      || g_strcmp0 (a->quality_note, b->quality_note) != 0 || a->scores->len != b->scores->len)
    return FALSE;
  for (guint i = 0; i < a->scores->len; i++)
    {
      const AssayScore *x = g_ptr_array_index (a->scores, i), *y = g_ptr_array_index (b->scores, i);
      if (g_strcmp0 (x->criterion, y->criterion) != 0 || g_strcmp0 (x->question, y->question) != 0
          || x->value != y->value || g_strcmp0 (x->words, y->words) != 0)
        return FALSE;
    }
  return TRUE;
}

void
assay_review_free (AssayReview *self)
{
  if (self == NULL)
    return;
  g_free (self->id);
  g_free (self->reviewer);
  g_free (self->at);
  g_free (self->supersedes);
  g_free (self->quality_note);
  g_ptr_array_unref (self->scores);
  g_free (self);
}

void
assay_review_set_score (AssayReview *self, const char *criterion, const char *question, gint value)
{
  AssayScore *score = (AssayScore *) assay_review_find_score (self, criterion, question);

  if (score != NULL)
    score->value = value;
  else
    g_ptr_array_add (self->scores, score_new (criterion, question, value));
}

void
assay_review_set_words (AssayReview *self, const char *criterion, const char *question, const char *words)
{
  assay_review_set_score (self, criterion, question, 0);
  AssayScore *score = (AssayScore *) assay_review_find_score (self, criterion, question);
  g_free (score->words);
  score->words = g_strdup (words);
}

const AssayScore *
assay_review_find_score (const AssayReview *self, const char *criterion, const char *question)
{
  for (guint i = 0; i < self->scores->len; i++)
    {
      const AssayScore *score = g_ptr_array_index (self->scores, i);
      if (g_strcmp0 (score->criterion, criterion) == 0 && g_strcmp0 (score->question, question) == 0)
        return score;
    }
  return NULL;
}

AssayNextTrial *
assay_next_trial_new (void)
{
  AssayNextTrial *self = g_new0 (AssayNextTrial, 1);
  self->held = g_new0 (char *, 1);
  self->predicted_peak_vram = self->predicted_peak_ram = self->predicted_ns = -1;
  return self;
}

AssayNextTrial *
assay_next_trial_copy (const AssayNextTrial *self)
{
  AssayNextTrial *copy = g_memdup2 (self, sizeof *self);
  copy->signal = g_strdup (self->signal);
  copy->axis = g_strdup (self->axis);
  copy->from = g_strdup (self->from);
  copy->to = g_strdup (self->to);
  copy->held = self->held == NULL ? g_new0 (char *, 1) : g_strdupv (self->held);
  copy->note = g_strdup (self->note);
  copy->invalid = g_strdup (self->invalid);
  return copy;
}

gboolean
assay_next_trial_equal (const AssayNextTrial *a, const AssayNextTrial *b)
{
  if (a == NULL || b == NULL)
    return a == b;
  return g_strcmp0 (a->signal, b->signal) == 0 && g_strcmp0 (a->axis, b->axis) == 0
         && g_strcmp0 (a->from, b->from) == 0 && g_strcmp0 (a->to, b->to) == 0
         && g_strcmp0 (a->note, b->note) == 0 && a->predicted_peak_vram == b->predicted_peak_vram
         && a->predicted_peak_ram == b->predicted_peak_ram && a->predicted_ns == b->predicted_ns
         && g_strv_equal ((const char *const *) a->held, (const char *const *) b->held);
}

void
assay_next_trial_free (AssayNextTrial *self)
{
  if (self == NULL)
    return;
  g_free (self->signal);
  g_free (self->axis);
  g_free (self->from);
  g_free (self->to);
  g_strfreev (self->held);
  g_free (self->note);
  g_free (self->invalid);
  g_free (self);
}

gboolean
assay_output_says_same (const AssayOutput *a, const AssayOutput *b)
{
  if (a->asset != NULL || b->asset != NULL)
    return g_strcmp0 (a->asset, b->asset) == 0;
  return a->text_length == b->text_length
         && (a->text_length == 0 || memcmp (a->text, b->text, a->text_length) == 0);
}

gboolean
assay_record_same_outputs (AssayRecord *x, AssayRecord *y)
{
  GPtrArray *a = x->outputs, *b = y->outputs;

  if (a->len != b->len)
    return FALSE;
  for (guint i = 0; i < a->len; i++)
    if (!output_equal (g_ptr_array_index (a, i), g_ptr_array_index (b, i)))
      return FALSE;
  return TRUE;
}

gboolean
assay_record_same_run (AssayRecord *a, AssayRecord *b)
{
  return g_strcmp0 (a->parent, b->parent) == 0 && g_strcmp0 (a->changed, b->changed) == 0
         && g_strcmp0 (a->holders, b->holders) == 0 && g_strcmp0 (a->damage, b->damage) == 0
         && assay_values_equal (a->conditions, b->conditions)
         && assay_values_equal (a->effective, b->effective) && assay_values_equal (a->burden, b->burden)
         && assay_values_equal (a->outcome, b->outcome) && assay_record_same_outputs (a, b);
}
