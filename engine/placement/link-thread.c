/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/placement/link-thread.c: a queue of copies and the thread that makes them.
 *
 * Time on the link is kept as a line of deadlines: a copy that was waiting already begins where the one
 * before it had to end, not where a late wake-up noticed it, so that overslept microseconds do not add up. */
#include "assay-link-private.h"

#include <time.h>

#define POLL_US 20000 /* how often a wait asks whether it should go on */
#define MOST_NS 4e18  /* of one copy: more than a century */

typedef struct
{
  void *device;
  const void *host;
  gsize bytes;
  gint64 asked_ns;
} Copy;

typedef struct
{
  AssayLink base;
  AssayDevice *device;      /* borrowed */
  guint64 bytes_per_s;
  gint64 latency_ns;
  GThread *thread;          /* NULL over a plan */

  GMutex lock;              /* over all below */
  GCond asked, done, hurry;
  GQueue queue;             /* Copy */
  gboolean closing, hurried;
  AssayLinkStopFunc stop;
  gpointer stop_data;
  guint64 n_asked, n_done;  /* tickets */
  AssayStatus status;       /* of the first copy that failed since it was reported */
  AssayLinkFigures figures;
  guint64 under_way;        /* bytes of the copy that keeps to the link's speed; 0: none */
  gint64 under_way_from_ns; /* when its first byte passed */
} ThreadLink;

static gint64
link_now_ns (void)
{
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return t.tv_sec * G_GINT64_CONSTANT (1000000000) + t.tv_nsec;
}

/* Unless there is no reason to keep to the link's speed any more. Returns: ns, or when that reason went. */
static gint64
link_sleep_until (ThreadLink *self, gint64 ns)
{
  g_mutex_lock (&self->lock);
  while (!self->hurried && link_now_ns () < ns)
    g_cond_wait_until (&self->hurry, &self->lock, ns / 1000 + 1);
  g_mutex_unlock (&self->lock);
  return MIN (ns, link_now_ns ());
}

/* What the link itself needs for it; no more than can be counted with, on the slowest of links. */
static gint64
link_time_ns (const ThreadLink *self, guint64 bytes)
{
  const double copy_ns = self->bytes_per_s > 0 ? MIN (bytes * 1e9 / self->bytes_per_s, MOST_NS) : 0;
  return self->latency_ns + (gint64) copy_ns + (copy_ns > (gint64) copy_ns);
}

static void
link_note_under_way (ThreadLink *self, guint64 bytes, gint64 begin_ns)
{
  g_mutex_lock (&self->lock);
  self->under_way = self->bytes_per_s > 0 ? bytes : 0;
  self->under_way_from_ns = begin_ns + self->latency_ns;
  g_mutex_unlock (&self->lock);
}

/* Of the copy under way, as the link's speed has it. Locked. */
static guint64
link_get_passed (const ThreadLink *self)
{
  const gint64 ns = MAX (link_now_ns () - self->under_way_from_ns, 0);

  return self->under_way > 0 ? (guint64) MIN (ns / 1e9 * self->bytes_per_s, self->under_way) : 0;
}

/* begin_ns: when the link was free for it. Returns: when it is free again; before its time where the run is
 * to end. */
static gint64
link_do (ThreadLink *self, const Copy *copy, gint64 begin_ns, AssayStatus *status)
{
  AssayBackend *b = assay_device_get_backend (self->device);
  const gint64 until_ns = begin_ns + link_time_ns (self, copy->bytes);
  link_note_under_way (self, copy->bytes, begin_ns);
  *status = b->ops->upload (b, copy->device, copy->host, copy->bytes);
  const gint64 copied_ns = link_now_ns ();
  return copied_ns < until_ns ? MAX (copied_ns, link_sleep_until (self, until_ns)) : copied_ns;
}

/* A copy that was not given its time counts for the part that passed over the link until then. */
static void
link_note (ThreadLink *self, guint64 bytes, AssayStatus status, gint64 busy_ns)
{
  const gboolean whole = busy_ns >= link_time_ns (self, bytes);
  const double copying_s = MAX (busy_ns - self->latency_ns, 0) / 1e9;
  g_mutex_lock (&self->lock);
  self->under_way = 0;
  self->figures.busy_ns += busy_ns;
  if (status == ASSAY_OK)
    {
      self->figures.bytes += whole ? bytes : (guint64) (copying_s * self->bytes_per_s);
      self->figures.n_copies += whole;
    }
  if (self->status == ASSAY_OK)
    self->status = status;
  self->n_done++;
  g_cond_broadcast (&self->done);
  g_mutex_unlock (&self->lock);
}

/* NULL: the link is being closed, and nothing is left to do. (transfer full) */
static Copy *
link_take (ThreadLink *self)
{
  g_mutex_lock (&self->lock);
  while (g_queue_is_empty (&self->queue) && !self->closing)
    g_cond_wait (&self->asked, &self->lock);
  Copy *copy = g_queue_pop_head (&self->queue);
  g_mutex_unlock (&self->lock);
  return copy;
}

static gpointer
link_thread (gpointer data)
{
  ThreadLink *self = data;
  gint64 end_ns = 0;
  for (Copy *copy; (copy = link_take (self)) != NULL; g_free (copy))
    {
      AssayStatus status;
      const gint64 begin_ns = MAX (copy->asked_ns, end_ns);
      end_ns = link_do (self, copy, begin_ns, &status);
      link_note (self, copy->bytes, status, end_ns - begin_ns);
    }
  return NULL;
}

static void
link_thread_free (AssayLink *link)
{
  ThreadLink *self = (ThreadLink *) link;
  if (self->thread != NULL)
    {
      g_mutex_lock (&self->lock);
      self->closing = self->hurried = TRUE;
      g_cond_signal (&self->asked);
      g_cond_signal (&self->hurry);
      g_mutex_unlock (&self->lock);
      g_thread_join (self->thread);
    }
  g_queue_clear_full (&self->queue, g_free);
  g_cond_clear (&self->hurry);
  g_cond_clear (&self->done);
  g_cond_clear (&self->asked);
  g_mutex_clear (&self->lock);
  g_free (self);
}

static guint64
link_thread_copy (AssayLink *link, void *device, const void *host, gsize bytes)
{
  ThreadLink *self = (ThreadLink *) link;
  g_mutex_lock (&self->lock);
  const guint64 ticket = ++self->n_asked;
  if (self->thread == NULL)
    {
      const gint64 needed_ns = link_time_ns (self, bytes);
      self->figures.bytes += bytes;
      self->figures.n_copies++;
      self->figures.busy_ns += MIN (needed_ns, G_MAXINT64 - self->figures.busy_ns);
      self->n_done++;
    }
  else
    {
      Copy *copy = g_new (Copy, 1);
      *copy = (Copy) { .device = device, .host = host, .bytes = bytes, .asked_ns = link_now_ns () };
      g_queue_push_tail (&self->queue, copy);
      g_cond_signal (&self->asked);
    }
  g_mutex_unlock (&self->lock);
  return ticket;
}

static void
link_thread_set_stop_func (AssayLink *link, AssayLinkStopFunc stop, gpointer data)
{
  ThreadLink *self = (ThreadLink *) link;
  g_mutex_lock (&self->lock);
  self->stop = stop;
  self->stop_data = data;
  g_mutex_unlock (&self->lock);
}

/* Asked without the lock, for it may take others. */
static void
link_ask_stop (ThreadLink *self)
{
  g_mutex_unlock (&self->lock);
  const gboolean stop = self->stop (self->stop_data);
  g_mutex_lock (&self->lock);
  self->hurried = stop;
  if (stop)
    g_cond_signal (&self->hurry);
}

/* Whatever still computes may read what is overwritten next. */
static gboolean
link_thread_settle (AssayLink *link, GError **error)
{
  ThreadLink *self = (ThreadLink *) link;
  AssayBackend *b = assay_device_get_backend (self->device);
  return assay_device_check (self->device, b->ops->sync (b), "sync", error);
}

static gboolean
link_thread_wait (AssayLink *link, guint64 ticket, GError **error)
{
  ThreadLink *self = (ThreadLink *) link;
  const gint64 before_ns = link_now_ns ();
  g_mutex_lock (&self->lock);
  const gboolean stalled = self->n_done < ticket;
  while (self->n_done < ticket)
    {
      g_cond_wait_until (&self->done, &self->lock, g_get_monotonic_time () + POLL_US);
      if (!self->hurried && self->stop != NULL && self->n_done < ticket)
        link_ask_stop (self);
    }
  if (stalled)
    self->figures.stall_ns += link_now_ns () - before_ns;
  const AssayStatus status = self->status;
  self->status = ASSAY_OK;
  g_mutex_unlock (&self->lock);
  return assay_device_check (self->device, status, "upload", error);
}

static void
link_thread_get_figures (AssayLink *link, AssayLinkFigures *out)
{
  ThreadLink *self = (ThreadLink *) link;
  g_mutex_lock (&self->lock);
  *out = self->figures;
  out->bytes += link_get_passed (self);
  g_mutex_unlock (&self->lock);
}

AssayLink *
assay_link_new_thread (AssayDevice *device, guint64 bytes_per_s, gint64 latency_ns, GError **error)
{
  static const AssayLinkOps ops = { link_thread_free, link_thread_copy, link_thread_settle, link_thread_wait,
                                    link_thread_wait, link_thread_get_figures, link_thread_set_stop_func };
  ThreadLink *self = g_new0 (ThreadLink, 1);
  g_autoptr (AssayLink) link = &self->base;
  link->ops = &ops;
  self->device = device;
  self->bytes_per_s = bytes_per_s;
  self->latency_ns = latency_ns;
  g_mutex_init (&self->lock);
  g_cond_init (&self->asked);
  g_cond_init (&self->done);
  g_cond_init (&self->hurry);
  g_queue_init (&self->queue);
  if (assay_device_is_plan (device))
    return g_steal_pointer (&link);
  g_autoptr (GError) local = NULL;
  self->thread = g_thread_try_new ("assay-link", link_thread, self, &local);
  if (self->thread != NULL)
    return g_steal_pointer (&link);
  assay_engine_error_set (error, ASSAY_ENGINE_ERROR_OOM_HOST, "no-threads", NULL, NULL, -1,
                          "no thread for copies to %s: %s", assay_device_get_name (device), local->message);
  return NULL;
}
