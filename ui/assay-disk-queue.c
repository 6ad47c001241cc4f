/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-disk-queue.h"

typedef struct
{
  GTask *task; /* owned */
  GTaskThreadFunc func;
} Job;

static GMutex lock;
static GCond emptied;
static guint n_pending;

static void
queue_run (gpointer data, gpointer unused)
{
  Job *job = data;
  job->func (job->task, g_task_get_source_object (job->task), g_task_get_task_data (job->task),
             g_task_get_cancellable (job->task));
  g_object_unref (job->task);
  g_free (job);
  g_mutex_lock (&lock);
  if (--n_pending == 0)
    g_cond_broadcast (&emptied);
  g_mutex_unlock (&lock);
}

void
assay_disk_queue_push (GTask *task, GTaskThreadFunc func)
{
  static GThreadPool *pool;
  Job *job = g_new (Job, 1);
  if (pool == NULL)
    pool = g_thread_pool_new (queue_run, NULL, 1, FALSE, NULL);
  *job = (Job) { task, func };
  g_mutex_lock (&lock);
  n_pending++;
  g_mutex_unlock (&lock);
  g_thread_pool_push (pool, job, NULL);
}

void
assay_disk_queue_drain (void)
{
  g_mutex_lock (&lock);
  while (n_pending > 0)
    g_cond_wait (&emptied, &lock);
  g_mutex_unlock (&lock);
}
