/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/assay-queue.c: the state machine.
 *
 *            start                 ready: "run"
 *     IDLE ---------> CHECKING ------------------> RUNNING
 *      ^ \______________| |  ^ \ not ready            | finished: the next one
 *      |  nothing left    |  |  \---> PAUSED          |
 *      |                  |  +------- retry, skip ----+
 *      +--- stop ---------+
 *
 * What is left is asked of the ledger each time, so that trials which are added, moved or removed meanwhile, here or by
 * another program, count at once. */
#include "assay-queue.h"

struct _AssayQueue
{
  GObject parent_instance;
  AssayLedger *ledger;       /* owned */
  GHashTable *only;          /* owned: ids; NULL: all */
  GHashTable *skipped;       /* owned: ids passed over since start() */
  AssayRecord *current;      /* owned */
  AssayReadiness *readiness; /* owned */
  AssayQueueState state;
  guint check;               /* counts checks: an answer to an older one is dropped */
  guint n_finished;
  gboolean stops_at_failure, runs_anyway, stopping;
};

G_DEFINE_FINAL_TYPE (AssayQueue, assay_queue, G_TYPE_OBJECT)

enum { PROP_0, PROP_STATE, N_PROPS };
static GParamSpec *properties[N_PROPS];
enum { SIGNAL_RUN, SIGNAL_ENDED, N_SIGNALS };
static guint signals[N_SIGNALS];

static void
queue_set_state (AssayQueue *self, AssayQueueState state)
{
  self->state = state;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_STATE]);
}

GPtrArray *
assay_queue_get_questions (AssayLedger *ledger, AssayRecord *planned)
{
  const char *prompt = assay_values_get_text (assay_record_get_conditions (planned), ASSAY_FIELD_PROMPT);
  GPtrArray *questions = assay_ledger_get_questions (ledger);
  return (prompt == NULL || *prompt == '\0') && questions->len > 0 ? questions : NULL;
}

/* (transfer full) or NULL */
static AssayRecord *
queue_dup_next (AssayQueue *self)
{
  g_autoptr (GPtrArray) left = assay_ledger_dup_left (self->ledger);
  for (guint i = 0; i < left->len; i++)
    {
      AssayRecord *planned = g_ptr_array_index (left, i);
      const char *id = assay_record_get_id (planned);
      if (!g_hash_table_contains (self->skipped, id) && (self->only == NULL || g_hash_table_contains (self->only, id)))
        return g_object_ref (planned);
    }
  return NULL;
}

static void
queue_end (AssayQueue *self)
{
  self->check++;
  g_clear_object (&self->current);
  g_clear_pointer (&self->readiness, assay_readiness_free);
  queue_set_state (self, ASSAY_QUEUE_IDLE);
  g_signal_emit (self, signals[SIGNAL_ENDED], 0);
}

static void
queue_run (AssayQueue *self)
{
  g_autoptr (AssayRecord) planned = g_object_ref (self->current);
  queue_set_state (self, ASSAY_QUEUE_RUNNING);
  g_signal_emit (self, signals[SIGNAL_RUN], 0, planned);
}

typedef struct
{
  AssayValues *conditions;
  GPtrArray *questions;
  guint check;
} QueueCheck;

static void
queue_check_free (gpointer data)
{
  QueueCheck *check = data;
  assay_values_unref (check->conditions);
  g_clear_pointer (&check->questions, g_ptr_array_unref);
  g_free (check);
}

static void
queue_check_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const QueueCheck *check = data;
  g_task_return_pointer (task, assay_readiness_new (check->conditions, check->questions),
                         (GDestroyNotify) assay_readiness_free);
}

static void queue_next (AssayQueue *self);

/* It may have been removed, or run by another program, while it was looked at. */
static gboolean
queue_current_is_left (AssayQueue *self)
{
  g_autoptr (GPtrArray) left = assay_ledger_dup_left (self->ledger);
  return g_ptr_array_find (left, self->current, NULL);
}

static void
queue_checked_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  AssayQueue *self = ASSAY_QUEUE (source);
  const QueueCheck *check = g_task_get_task_data (G_TASK (result));
  g_autoptr (AssayReadiness) readiness = g_task_propagate_pointer (G_TASK (result), NULL);
  if (check->check != self->check || self->state != ASSAY_QUEUE_CHECKING)
    return;
  if (!queue_current_is_left (self))
    {
      queue_next (self);
      return;
    }
  self->readiness = g_steal_pointer (&readiness);
  if (self->readiness->state == ASSAY_READY || self->runs_anyway)
    queue_run (self);
  else
    queue_set_state (self, ASSAY_QUEUE_PAUSED);
}

static void
queue_check (AssayQueue *self)
{
  QueueCheck *check = g_new0 (QueueCheck, 1);
  GPtrArray *questions = assay_queue_get_questions (self->ledger, self->current);
  check->conditions = assay_values_ref (assay_record_get_conditions (self->current));
  check->questions = questions != NULL ? g_ptr_array_ref (questions) : NULL;
  check->check = ++self->check;
  g_clear_pointer (&self->readiness, assay_readiness_free);
  g_autoptr (GTask) task = g_task_new (self, NULL, queue_checked_cb, NULL);
  g_task_set_task_data (task, check, queue_check_free);
  queue_set_state (self, ASSAY_QUEUE_CHECKING);
  g_task_run_in_thread (task, queue_check_thread);
}

static void
queue_next (AssayQueue *self)
{
  g_clear_object (&self->current);
  self->current = self->stopping ? NULL : queue_dup_next (self);
  if (self->current != NULL)
    queue_check (self);
  else
    queue_end (self);
}

void
assay_queue_start (AssayQueue *self)
{
  g_return_if_fail (ASSAY_IS_QUEUE (self) && self->state == ASSAY_QUEUE_IDLE);
  self->stopping = FALSE;
  self->n_finished = 0;
  g_hash_table_remove_all (self->skipped);
  queue_next (self);
}

void
assay_queue_retry (AssayQueue *self)
{
  g_return_if_fail (ASSAY_IS_QUEUE (self));
  if (self->state == ASSAY_QUEUE_PAUSED)
    queue_next (self); /* what comes first may be another one by now */
}

void
assay_queue_skip (AssayQueue *self)
{
  g_return_if_fail (ASSAY_IS_QUEUE (self));
  if (self->state != ASSAY_QUEUE_PAUSED)
    return;
  g_hash_table_add (self->skipped, g_strdup (assay_record_get_id (self->current)));
  queue_next (self);
}

void
assay_queue_run_anyway (AssayQueue *self)
{
  g_return_if_fail (ASSAY_IS_QUEUE (self));
  if (self->state != ASSAY_QUEUE_PAUSED)
    return;
  if (queue_current_is_left (self))
    queue_run (self);
  else
    queue_next (self);
}

void
assay_queue_stop (AssayQueue *self)
{
  g_return_if_fail (ASSAY_IS_QUEUE (self));
  if (self->state == ASSAY_QUEUE_IDLE)
    return;
  self->stopping = TRUE;
  if (self->state != ASSAY_QUEUE_RUNNING)
    queue_end (self);
}

void
assay_queue_finished (AssayQueue *self, AssayRecord *record)
{
  g_return_if_fail (ASSAY_IS_QUEUE (self) && self->state == ASSAY_QUEUE_RUNNING);
  const AssayRunStatus status = assay_record_get_status (record);
  self->n_finished++;
  if (status == ASSAY_STATUS_CANCELLED || (self->stops_at_failure && status != ASSAY_STATUS_COMPLETED))
    self->stopping = TRUE;
  queue_next (self);
}

void
assay_queue_set_only (AssayQueue *self, GPtrArray *planned)
{
  g_clear_pointer (&self->only, g_hash_table_unref);
  if (planned == NULL)
    return;
  self->only = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < planned->len; i++)
    g_hash_table_add (self->only, g_strdup (assay_record_get_id (planned->pdata[i])));
}

void
assay_queue_set_stops_at_failure (AssayQueue *self, gboolean stops)
{
  self->stops_at_failure = stops;
}

void
assay_queue_set_runs_anyway (AssayQueue *self, gboolean runs)
{
  self->runs_anyway = runs;
}

AssayLedger *
assay_queue_get_ledger (AssayQueue *self)
{
  return self->ledger;
}

AssayQueueState
assay_queue_get_state (AssayQueue *self)
{
  return self->state;
}

AssayRecord *
assay_queue_get_current (AssayQueue *self)
{
  return self->current;
}

const AssayReadiness *
assay_queue_get_readiness (AssayQueue *self)
{
  return self->readiness;
}

guint
assay_queue_get_n_finished (AssayQueue *self)
{
  return self->n_finished;
}

gboolean
assay_queue_is_active (AssayQueue *self)
{
  return self->state != ASSAY_QUEUE_IDLE;
}

gboolean
assay_queue_is_stopping (AssayQueue *self)
{
  return self->stopping && assay_queue_is_active (self);
}

static void
assay_queue_finalize (GObject *object)
{
  AssayQueue *self = ASSAY_QUEUE (object);
  g_object_unref (self->ledger);
  g_clear_pointer (&self->only, g_hash_table_unref);
  g_hash_table_unref (self->skipped);
  g_clear_object (&self->current);
  g_clear_pointer (&self->readiness, assay_readiness_free);
  G_OBJECT_CLASS (assay_queue_parent_class)->finalize (object);
}

static void
assay_queue_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_STATE)
    g_value_set_uint (value, ASSAY_QUEUE (object)->state);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
assay_queue_class_init (AssayQueueClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  object_class->finalize = assay_queue_finalize;
  object_class->get_property = assay_queue_get_property;
  properties[PROP_STATE] = g_param_spec_uint ("state", NULL, NULL, ASSAY_QUEUE_IDLE, ASSAY_QUEUE_PAUSED, ASSAY_QUEUE_IDLE,
                                              G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY);
  g_object_class_install_properties (object_class, N_PROPS, properties);
  signals[SIGNAL_RUN] = g_signal_new ("run", ASSAY_TYPE_QUEUE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
                                      ASSAY_TYPE_RECORD);
  signals[SIGNAL_ENDED]
      = g_signal_new ("ended", ASSAY_TYPE_QUEUE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
assay_queue_init (AssayQueue *self)
{
  self->skipped = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
}

AssayQueue *
assay_queue_new (AssayLedger *ledger)
{
  g_return_val_if_fail (ASSAY_IS_LEDGER (ledger), NULL);
  AssayQueue *self = g_object_new (ASSAY_TYPE_QUEUE, NULL);
  self->ledger = g_object_ref (ledger);
  return self;
}
