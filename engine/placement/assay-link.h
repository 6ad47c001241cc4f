/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/placement/assay-link.h: the way between host memory and a device's own.
 *
 * Copies are made one after another by a thread, so that they overlap with computing. A bandwidth and a
 * latency, where given, are kept to by waiting: copy k takes latency + bytes / bandwidth from the moment it
 * begins. A card copies by itself, as fast as it can. Over a plan device there is no thread: copies are counted, and busy_ns says what they would take at
 * least. One engine thread asks; figures from any thread. The thread calls `upload` of the device's backend
 * while others of its operations run. */
#pragma once

#include "assay-device.h"

G_BEGIN_DECLS

typedef struct _AssayLink AssayLink;

typedef struct
{
  guint64 bytes, n_copies; /* of copies that are done; of one under way at the link's speed, or cut short, the bytes that
                            * have passed */
  gint64 busy_ns;         /* copies at work */
  gint64 stall_ns;        /* wait() stood still: link time that no computing hid */
} AssayLinkFigures;

/* bytes_per_s 0: as fast as the machine copies. NULL with OOM_HOST when no thread can be had. */
AssayLink *assay_link_new (AssayDevice *device, guint64 bytes_per_s, gint64 latency_ns, GError **error);
void assay_link_free (AssayLink *self);            /* what is under way is done as fast as can be */
/* Asked by wait(), on its thread, while a copy is under way: TRUE when the run is to end. Then no copy keeps to the link's
 * speed any longer, so that a slow link holds nothing up. NULL: never. */
typedef gboolean (*AssayLinkStopFunc) (gpointer data);
void assay_link_set_stop_func (AssayLink *self, AssayLinkStopFunc stop, gpointer data);
/* Memory at both ends must stay as it is until the copy was waited for. Returns a ticket for wait(). */
guint64 assay_link_copy (AssayLink *self, void *device, const void *host, gsize bytes);
/* Before memory is written anew: what was computed with it so far is done, or the link itself waits for that. */
gboolean assay_link_settle (AssayLink *self, GError **error);
/* What is computed from now on finds the copy done, and all before it. Where the device sees to that, nobody waits. */
gboolean assay_link_order (AssayLink *self, guint64 ticket, GError **error);
gboolean assay_link_wait (AssayLink *self, guint64 ticket,
                          GError **error); /* also for all copies before it */
void assay_link_get_figures (AssayLink *self, AssayLinkFigures *out);       /* any thread */

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayLink, assay_link_free)

G_END_DECLS
