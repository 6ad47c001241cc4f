/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/placement/assay-link.c: which kind of link a device has. */
#include "assay-link-private.h"

#include "assay-device-private.h"

AssayLink *
assay_link_new (AssayDevice *device, guint64 bytes_per_s, gint64 latency_ns, GError **error)
{
  g_return_val_if_fail (latency_ns >= 0, NULL);
  if (assay_device_get_cuda (device) != NULL && !assay_device_is_plan (device))
    return assay_link_new_cuda (device);
  return assay_link_new_thread (device, bytes_per_s, latency_ns, error);
}

void
assay_link_free (AssayLink *self)
{
  if (self != NULL)
    self->ops->free (self);
}

guint64
assay_link_copy (AssayLink *self, void *device, const void *host, gsize bytes)
{
  return self->ops->copy (self, device, host, bytes);
}

gboolean
assay_link_settle (AssayLink *self, GError **error)
{
  return self->ops->settle (self, error);
}

gboolean
assay_link_order (AssayLink *self, guint64 ticket, GError **error)
{
  return self->ops->order (self, ticket, error);
}

gboolean
assay_link_wait (AssayLink *self, guint64 ticket, GError **error)
{
  return self->ops->wait (self, ticket, error);
}

void
assay_link_get_figures (AssayLink *self, AssayLinkFigures *out)
{
  self->ops->get_figures (self, out);
}

void
assay_link_set_stop_func (AssayLink *self, AssayLinkStopFunc stop, gpointer data)
{
  self->ops->set_stop_func (self, stop, data);
}
