/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/assay-trial.c: the trial as the window sees it.
 *
 * The worker leaves its news under one lock and asks for a wake-up of the home context unless one is on its
 * way; at most some thirty come in a second, however fast the tokens are. A wake-up tells what changed since
 * the last one, then the text, and at the very end `finished`. It holds a reference, as the worker does, so a
 * trial whose window is gone ends in peace; a home context that is never run again drops its sources and with
 * them the references. */
#include "assay-trial-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#define WAKE_INTERVAL_US 33000

typedef struct
{
  char *question;
  GString *text;
} TrialText;

enum
{
  PROP_0,
  PROP_RUNNING,
  PROP_PHASE,
  PROP_FRACTION,
  PROP_REMAINING_SECONDS,
  PROP_TOKENS_PER_SECOND,
  PROP_QUESTION,
  PROP_N_QUESTIONS,
  PROP_RESIDENT_UNIT,
  PROP_RESIDENT_BLOCK,
  PROP_FORETOLD_BYTES,
  PROP_STATUS_TEXT,
  N_PROPS
};
enum
{
  SIGNAL_TEXT,
  SIGNAL_FINISHED,
  N_SIGNALS
};
static GParamSpec *properties[N_PROPS];
static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (AssayTrial, assay_trial, G_TYPE_OBJECT)

static void
trial_text_free (TrialText *text)
{
  g_free (text->question);
  g_string_free (text->text, TRUE);
  g_free (text);
}

/* --- news to the home context --- */

static void
trial_notify_changes (AssayTrial *self, const AssayTrialNews *was, const AssayTrialNews *is)
{
  const gboolean changed[N_PROPS] = {
    [PROP_RUNNING] = was->running != is->running,
    [PROP_PHASE] = g_strcmp0 (was->phase, is->phase) != 0,
    [PROP_FRACTION] = was->fraction != is->fraction,
    [PROP_REMAINING_SECONDS] = was->remaining_seconds != is->remaining_seconds,
    [PROP_TOKENS_PER_SECOND] = was->tokens_per_second != is->tokens_per_second,
    [PROP_QUESTION] = was->question != is->question,
    [PROP_RESIDENT_UNIT] = was->module != is->module || was->group != is->group,
    [PROP_RESIDENT_BLOCK] = !g_str_equal (was->block, is->block),
    [PROP_FORETOLD_BYTES] = was->foretold_bytes != is->foretold_bytes,
    [PROP_STATUS_TEXT] = g_strcmp0 (was->phase, is->phase) != 0 || was->question != is->question
                         || ceil (was->remaining_seconds) != ceil (is->remaining_seconds),
  };
  for (guint i = 1; i < N_PROPS; i++)
    if (changed[i])
      g_object_notify_by_pspec (G_OBJECT (self), properties[i]);
}

static gboolean
trial_wake (gpointer data)
{
  AssayTrial *self = data;
  GQueue texts = G_QUEUE_INIT;
  g_mutex_lock (&self->lock);
  self->wake_queued = FALSE;
  self->last_wake_us = g_get_monotonic_time ();
  const AssayTrialNews was = self->told, is = self->news;
  self->told = is;
  texts = self->texts;
  g_queue_init (&self->texts);
  const gboolean finished = self->finished != NULL && !self->told_finished;
  self->told_finished |= finished;
  g_mutex_unlock (&self->lock);

  trial_notify_changes (self, &was, &is);
  for (TrialText *text; (text = g_queue_pop_head (&texts)) != NULL; trial_text_free (text))
    g_signal_emit (self, signals[SIGNAL_TEXT], 0, text->question, text->text->str);
  if (finished)
    g_signal_emit (self, signals[SIGNAL_FINISHED], 0, self->finished);
  return G_SOURCE_REMOVE;
}

/* With the lock held; gives it up. The end is told without delay. */
static void
trial_unlock_and_wake (AssayTrial *self)
{
  const gboolean wake = !self->wake_queued;
  const gint64 since_us = g_get_monotonic_time () - self->last_wake_us;
  const gboolean now = self->finished != NULL || since_us >= WAKE_INTERVAL_US;
  self->wake_queued = TRUE;
  g_mutex_unlock (&self->lock);
  if (!wake)
    return;
  g_autoptr (GSource) source = now
                                 ? g_idle_source_new ()
                                 : g_timeout_source_new ((guint) ((WAKE_INTERVAL_US - since_us) / 1000 + 1));
  g_source_set_priority (source, G_PRIORITY_DEFAULT);
  g_source_set_callback (source, trial_wake, g_object_ref (self), g_object_unref);
  g_source_attach (source, self->home);
}

void
assay_trial_post_phase (AssayTrial *self, const char *phase)
{
  g_mutex_lock (&self->lock);
  self->news.phase = phase;
  trial_unlock_and_wake (self);
}

void
assay_trial_post_fraction (AssayTrial *self, double fraction, double remaining_seconds)
{
  g_mutex_lock (&self->lock);
  self->news.fraction = CLAMP (fraction, 0, 1);
  self->news.remaining_seconds = remaining_seconds;
  trial_unlock_and_wake (self);
}

void
assay_trial_post_question (AssayTrial *self, guint question)
{
  g_mutex_lock (&self->lock);
  self->news.question = question;
  trial_unlock_and_wake (self);
}

void
assay_trial_post_speed (AssayTrial *self, double tokens_per_second)
{
  g_mutex_lock (&self->lock);
  self->news.tokens_per_second = tokens_per_second;
  trial_unlock_and_wake (self);
}

/* Hundreds a token: only a note for the next wake-up, which something else asks for. */
void
assay_trial_post_unit (AssayTrial *self, const AssayModelUnit *unit, const char *block)
{
  g_mutex_lock (&self->lock);
  self->news.component = unit->component;
  self->news.module = unit->module;
  self->news.group = unit->group;
  g_strlcpy (self->news.block, block, sizeof self->news.block);
  g_mutex_unlock (&self->lock);
}

void
assay_trial_post_foretold (AssayTrial *self, guint64 bytes)
{
  g_mutex_lock (&self->lock);
  self->news.foretold_bytes = (gint64) MIN (bytes, (guint64) G_MAXINT64);
  trial_unlock_and_wake (self);
}

void
assay_trial_post_text (AssayTrial *self, const char *question_id, const char *utf8)
{
  if (*utf8 == '\0')
    return;
  g_mutex_lock (&self->lock);
  TrialText *last = g_queue_peek_tail (&self->texts);
  if (last == NULL || !g_str_equal (last->question, question_id))
    {
      last = g_new (TrialText, 1);
      *last = (TrialText) { g_strdup (question_id), g_string_new (NULL) };
      g_queue_push_tail (&self->texts, last);
    }
  g_string_append (last->text, utf8);
  trial_unlock_and_wake (self);
}

void
assay_trial_post_finished (AssayTrial *self, AssayRecord *record)
{
  g_mutex_lock (&self->lock);
  self->finished = record;
  self->news.running = FALSE;
  self->news.component = self->news.module = NULL;
  self->news.block[0] = '\0';
  self->news.remaining_seconds = -1;
  self->wake_queued = FALSE; /* one that waits its turn would come late; it will find nothing left to tell */
  trial_unlock_and_wake (self);
}

/* --- for both sides --- */

guint
assay_trial_get_n_questions (AssayTrial *self)
{
  return self->questions != NULL ? self->questions->len : 1;
}

void
assay_trial_stop (AssayTrial *self, AssayStop reason)
{
  if (g_atomic_int_compare_and_exchange (&self->stop_reason, ASSAY_STOP_NONE, (gint) reason))
    g_cancellable_cancel (self->stop);
}

void
assay_trial_cancel (AssayTrial *self)
{
  g_return_if_fail (ASSAY_IS_TRIAL (self));
  assay_trial_stop (self, ASSAY_STOP_CANCELLED);
}

void
assay_trial_set_rig_func (AssayTrial *self, AssayRigFunc func, gpointer data)
{
  g_return_if_fail (!self->was_started);
  self->rig_func = func;
  self->rig_data = data;
}

void
assay_trial_set_parent (AssayTrial *self, AssayRecord *parent)
{
  g_return_if_fail (ASSAY_IS_TRIAL (self) && !self->was_started);
  g_set_object (&self->parent, parent);
}

/* --- the home side --- */

void
assay_trial_set_planned (AssayTrial *self, const char *planned)
{
  g_return_if_fail (ASSAY_IS_TRIAL (self) && !self->was_started);
  g_autoptr (AssayRecord) unplanned = g_steal_pointer (&self->started);
  self->started = assay_record_copy (unplanned);
  assay_record_set_planned (self->started, planned);
  assay_record_seal (self->started);
}

void
assay_trial_start (AssayTrial *self)
{
  g_return_if_fail (ASSAY_IS_TRIAL (self) && !self->was_started);
  self->was_started = TRUE;
  g_mutex_lock (&self->lock);
  self->news.running = TRUE;
  trial_unlock_and_wake (self);
  g_thread_unref (g_thread_new ("assay-trial", assay_trial_thread, g_object_ref (self)));
}

gboolean
assay_trial_is_running (AssayTrial *self)
{
  g_mutex_lock (&self->lock);
  const gboolean running = self->news.running;
  g_mutex_unlock (&self->lock);
  return running;
}

AssayRecord *
assay_trial_get_record (AssayTrial *self)
{
  g_mutex_lock (&self->lock);
  AssayRecord *record = self->finished;
  g_mutex_unlock (&self->lock);
  return record;
}

const char *
assay_trial_get_run_id (AssayTrial *self)
{
  return assay_record_get_id (self->started);
}

AssayRecord *
assay_trial_dup_started_record (AssayTrial *self)
{
  return g_object_ref (self->started);
}

AssaySeries *
assay_trial_get_series (AssayTrial *self)
{
  return self->series;
}

const char *
assay_trial_get_phase (AssayTrial *self)
{
  g_mutex_lock (&self->lock);
  const char *phase = self->news.phase;
  g_mutex_unlock (&self->lock);
  return phase;
}

static char *
trial_dup_unit (const AssayTrialNews *news)
{
  if (news->module == NULL)
    return g_strdup ("");
  if (news->group < 0)
    return g_strdup_printf ("%s · %s", news->component, news->module);
  return g_strdup_printf ("%s · %d · %s", news->component, news->group, news->module);
}

static char *
trial_dup_status_text (AssayTrial *self, const AssayTrialNews *news)
{
  const guint n = assay_trial_get_n_questions (self);
  GString *text = g_string_new (news->phase); /* names of phases are the record's: not translated */
  if (news->question > 0 && n > 1)
    g_string_append_printf (text, _(" · question %u of %u"), news->question, n);
  if (news->running && news->remaining_seconds >= 0)
    {
      g_autofree char *left = assay_format_seconds (ceil (news->remaining_seconds));
      g_string_append_printf (text, _(" · %s left"), left);
    }
  return g_string_free (text, FALSE);
}

static void
assay_trial_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  AssayTrial *self = ASSAY_TRIAL (object);
  g_mutex_lock (&self->lock);
  const AssayTrialNews news = self->news;
  g_mutex_unlock (&self->lock);
  switch (id)
    {
    case PROP_RUNNING: g_value_set_boolean (value, news.running); break;
    case PROP_PHASE: g_value_set_string (value, news.phase); break;
    case PROP_FRACTION: g_value_set_double (value, news.fraction); break;
    case PROP_REMAINING_SECONDS: g_value_set_double (value, news.remaining_seconds); break;
    case PROP_TOKENS_PER_SECOND: g_value_set_double (value, news.tokens_per_second); break;
    case PROP_QUESTION: g_value_set_uint (value, news.question); break;
    case PROP_N_QUESTIONS: g_value_set_uint (value, assay_trial_get_n_questions (self)); break;
    case PROP_RESIDENT_UNIT: g_value_take_string (value, trial_dup_unit (&news)); break;
    case PROP_RESIDENT_BLOCK: g_value_set_string (value, news.block); break;
    case PROP_FORETOLD_BYTES: g_value_set_int64 (value, news.foretold_bytes); break;
    case PROP_STATUS_TEXT: g_value_take_string (value, trial_dup_status_text (self, &news)); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

/* May run on the worker, which can hold the last reference: joins nothing. */
static void
assay_trial_finalize (GObject *object)
{
  AssayTrial *self = ASSAY_TRIAL (object);
  g_clear_pointer (&self->conditions, assay_values_unref);
  g_clear_pointer (&self->questions, g_ptr_array_unref);
  g_clear_pointer (&self->series, assay_series_unref);
  g_clear_object (&self->parent);
  g_clear_object (&self->started);
  g_clear_object (&self->finished);
  g_clear_object (&self->stop);
  g_clear_pointer (&self->home, g_main_context_unref);
  for (TrialText *text; (text = g_queue_pop_head (&self->texts)) != NULL;)
    trial_text_free (text);
  g_mutex_clear (&self->lock);
  G_OBJECT_CLASS (assay_trial_parent_class)->finalize (object);
}

static void
assay_trial_class_init (AssayTrialClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  object_class->get_property = assay_trial_get_property;
  object_class->finalize = assay_trial_finalize;

  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;
  properties[PROP_RUNNING] = g_param_spec_boolean ("running", NULL, NULL, FALSE, flags);
  properties[PROP_PHASE] = g_param_spec_string ("phase", NULL, NULL, "", flags);
  properties[PROP_FRACTION] = g_param_spec_double ("fraction", NULL, NULL, 0, 1, 0, flags);
  properties[PROP_REMAINING_SECONDS] = g_param_spec_double ("remaining-seconds", NULL, NULL, -1, G_MAXDOUBLE,
                                                            -1, flags);
  properties[PROP_TOKENS_PER_SECOND] = g_param_spec_double ("tokens-per-second", NULL, NULL, 0, G_MAXDOUBLE,
                                                            0, flags);
  properties[PROP_QUESTION] = g_param_spec_uint ("question", NULL, NULL, 0, G_MAXUINT, 0, flags);
  properties[PROP_N_QUESTIONS] = g_param_spec_uint ("n-questions", NULL, NULL, 0, G_MAXUINT, 0, flags);
  properties[PROP_RESIDENT_UNIT] = g_param_spec_string ("resident-unit", NULL, NULL, "", flags);
  properties[PROP_RESIDENT_BLOCK] = g_param_spec_string ("resident-block", NULL, NULL, "", flags);
  properties[PROP_FORETOLD_BYTES] = g_param_spec_int64 ("foretold-bytes", NULL, NULL, -1, G_MAXINT64, -1, flags);
  properties[PROP_STATUS_TEXT] = g_param_spec_string ("status-text", NULL, NULL, "", flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);

  signals[SIGNAL_TEXT] = g_signal_new ("text", ASSAY_TYPE_TRIAL, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                       G_TYPE_NONE, 2, G_TYPE_STRING, G_TYPE_STRING);
  signals[SIGNAL_FINISHED] = g_signal_new ("finished", ASSAY_TYPE_TRIAL, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                           NULL, G_TYPE_NONE, 1, ASSAY_TYPE_RECORD);
}

static void
assay_trial_init (AssayTrial *self)
{
  g_mutex_init (&self->lock);
  g_queue_init (&self->texts);
  self->home = g_main_context_ref_thread_default ();
  self->stop = g_cancellable_new ();
  self->news = (AssayTrialNews) { .phase = "", .remaining_seconds = -1, .group = -1, .foretold_bytes = -1 };
  self->told = self->news;
}

static gint64
trial_interval_ns (const AssayValues *conditions)
{
  gint64 interval_ms = 50;
  assay_values_get_integer (conditions, ASSAY_FIELD_SAMPLE_INTERVAL_MS, &interval_ms);
  return MAX (interval_ms, 1) * G_GINT64_CONSTANT (1000000);
}

AssayTrial *
assay_trial_new (AssayValues *conditions, GPtrArray *questions, const char *parent, const char *changed)
{
  g_return_val_if_fail (conditions != NULL, NULL);
  AssayTrial *self = g_object_new (ASSAY_TYPE_TRIAL, NULL);
  self->conditions = assay_values_ref (conditions);
  self->questions = questions != NULL && questions->len > 0 ? g_ptr_array_ref (questions) : NULL;
  self->series = assay_series_new (trial_interval_ns (conditions));
  self->started = assay_record_new ();
  assay_record_set_parent (self->started, parent, changed);
  assay_record_take_conditions (self->started, assay_values_ref (conditions));
  assay_record_seal (self->started);
  return self;
}
