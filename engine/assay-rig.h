/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/assay-rig.h: what a trial stands on: devices, link, adapters and the model, made from its conditions.
 *
 * The run and the forecast build the same rig, the one over real devices, the other over devices that only count; that
 * they agree is no coincidence. One thread. */
#pragma once

#include "assay-inspect.h"
#include "models/assay-model.h"

G_BEGIN_DECLS

typedef struct
{
  AssayModelOptions options;
  AssayDevice *device, *host;  /* one and the same on `cpu` */
  AssayLink *link;             /* NULL on `cpu` */
  AssayAssembly *assembly;
  AssayModel *model;
  AssayDevice *like, *like_host; /* of a plan: what it foretells */
  char *modules;               /* owns what options.format.modules lends */
} AssayRig;

/* What the conditions ask of this model: number formats, caches, sequences, placement. Touches no device. RULE. */
gboolean assay_rig_read (AssayRig *self, const AssayValues *conditions, const AssayInspection *inspection, GError **error);
/* `cpu`, or a device of its own with its host pool and link. */
gboolean assay_rig_open (AssayRig *self, const AssayValues *conditions, GError **error);
/* The same, counting only. */
gboolean assay_rig_open_plan (AssayRig *self, const AssayValues *conditions, GError **error);
gboolean assay_rig_make_model (AssayRig *self, const AssayInspection *inspection, GError **error);
/* content_hash: NULL, or out: one hash of all that is attached, in order: metadata, tensors and the scales they are added
 * with; NULL where nothing is. Reads the adapters whole. (transfer full) "sha256:" and 64 hex digits */
gboolean assay_rig_attach (AssayRig *self, const AssayValues *conditions, char **content_hash, GCancellable *cancellable,
                           GError **error);
gboolean assay_rig_place (AssayRig *self, void (*progress) (guint64 done, guint64 total, gpointer data), gpointer data,
                          GCancellable *cancellable, GError **error);
void assay_rig_clear (AssayRig *self);

AssayCompute assay_rig_get_compute (const AssayValues *conditions);
/* The method that makes a quantization: "none", "gguf", "bitsandbytes"; NULL where none of this engine's does. */
const char *assay_rig_get_method (const char *quantization);

G_END_DECLS
