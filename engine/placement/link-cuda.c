/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/placement/link-cuda.c: a card's copy stream, which the card itself keeps in order with computing.
 *
 * The engine thread only queues. It stays a few copies ahead of the card and no more, so that a run that is to end
 * does so within some units. The card's figures can be asked for on the engine thread only; others read the last
 * ones. */
#include "assay-link-private.h"

#include "assay-device-private.h"

#define MOST_AHEAD 4u           /* copies; fewer would leave the card without work */
#define REFRESH_US 10000

typedef struct
{
  AssayLink base;
  AssayDevice *device;          /* borrowed, both */
  const AssayCudaModule *cuda;
  AssayStatus status;           /* of the first copy that could not be queued since it was reported */
  gint64 refreshed_us;
  GMutex lock;                  /* over the figures */
  AssayLinkFigures figures;
} CudaLink;

static AssayBackend *
link_backend (CudaLink *self)
{
  return assay_device_get_backend (self->device);
}

static AssayStatus
link_refresh (CudaLink *self)
{
  AssayCudaCopyFigures card;
  const AssayStatus status = self->cuda->copy_get_figures (link_backend (self), &card);
  self->refreshed_us = g_get_monotonic_time ();
  if (status != ASSAY_OK)
    return status;
  g_mutex_lock (&self->lock);
  self->figures = (AssayLinkFigures) { .bytes = card.bytes, .n_copies = card.n_copies, .busy_ns = card.busy_ns,
                                       .stall_ns = card.stall_ns };
  g_mutex_unlock (&self->lock);
  return ASSAY_OK;
}

static AssayStatus
link_take_status (CudaLink *self)
{
  const AssayStatus status = self->status;
  self->status = ASSAY_OK;
  return status;
}

static guint64
link_cuda_copy (AssayLink *link, void *device, const void *host, gsize bytes)
{
  CudaLink *self = (CudaLink *) link;
  uint64_t ticket = 0;
  const AssayStatus status = self->cuda->copy (link_backend (self), device, host, bytes, &ticket);
  if (self->status == ASSAY_OK)
    self->status = status;
  return ticket;
}

/* The card does. */
static gboolean
link_cuda_settle (AssayLink *link G_GNUC_UNUSED, GError **error G_GNUC_UNUSED)
{
  return TRUE;
}

static gboolean
link_cuda_order (AssayLink *link, guint64 ticket, GError **error)
{
  CudaLink *self = (CudaLink *) link;
  AssayBackend *b = link_backend (self);
  AssayStatus status = link_take_status (self);
  if (status == ASSAY_OK)
    status = self->cuda->copy_order (b, ticket);
  if (status == ASSAY_OK && ticket > MOST_AHEAD)
    status = self->cuda->copy_wait (b, ticket - MOST_AHEAD);
  if (status == ASSAY_OK && g_get_monotonic_time () - self->refreshed_us >= REFRESH_US)
    status = link_refresh (self);
  return assay_device_check (self->device, status, "copy", error);
}

static gboolean
link_cuda_wait (AssayLink *link, guint64 ticket, GError **error)
{
  CudaLink *self = (CudaLink *) link;
  AssayStatus status = link_take_status (self);
  if (status == ASSAY_OK)
    status = self->cuda->copy_wait (link_backend (self), ticket);
  if (status == ASSAY_OK)
    status = link_refresh (self);
  return assay_device_check (self->device, status, "copy", error);
}

static void
link_cuda_get_figures (AssayLink *link, AssayLinkFigures *out)
{
  CudaLink *self = (CudaLink *) link;
  g_mutex_lock (&self->lock);
  *out = self->figures;
  g_mutex_unlock (&self->lock);
}

/* A card's link is never slower than it is: nothing needs to be hurried. */
static void
link_cuda_set_stop_func (AssayLink *link G_GNUC_UNUSED, AssayLinkStopFunc stop G_GNUC_UNUSED,
                         gpointer data G_GNUC_UNUSED)
{
}

static void
link_cuda_free (AssayLink *link)
{
  CudaLink *self = (CudaLink *) link;
  AssayBackend *b = link_backend (self);
  b->ops->sync (b);
  g_mutex_clear (&self->lock);
  g_free (self);
}

AssayLink *
assay_link_new_cuda (AssayDevice *device)
{
  static const AssayLinkOps ops = { link_cuda_free, link_cuda_copy, link_cuda_settle, link_cuda_order, link_cuda_wait,
                                    link_cuda_get_figures, link_cuda_set_stop_func };
  CudaLink *self = g_new0 (CudaLink, 1);
  self->base.ops = &ops;
  self->device = device;
  self->cuda = assay_device_get_cuda (device);
  g_mutex_init (&self->lock);
  return &self->base;
}
