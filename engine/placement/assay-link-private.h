/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/placement/assay-link-private.h: the two kinds of link: a thread that copies, and a card's copy stream. */
#pragma once

#include "assay-link.h"

G_BEGIN_DECLS

/* See assay-link.h. */
typedef struct
{
  void (*free) (AssayLink *self);
  guint64 (*copy) (AssayLink *self, void *device, const void *host, gsize bytes);
  gboolean (*settle) (AssayLink *self, GError **error);
  gboolean (*order) (AssayLink *self, guint64 ticket, GError **error);
  gboolean (*wait) (AssayLink *self, guint64 ticket, GError **error);
  void (*get_figures) (AssayLink *self, AssayLinkFigures *out);
  void (*set_stop_func) (AssayLink *self, AssayLinkStopFunc stop, gpointer data);
} AssayLinkOps;

/* First member of either kind. */
struct _AssayLink
{
  const AssayLinkOps *ops;
};

AssayLink *assay_link_new_thread (AssayDevice *device, guint64 bytes_per_s, gint64 latency_ns, GError **error);
/* device: a card's */
AssayLink *assay_link_new_cuda (AssayDevice *device);

G_END_DECLS
