/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/assay-discovery-private.h: an entry's fields, the stores, and the walk over them. */
#pragma once

#include "assay-discovery.h"

G_BEGIN_DECLS

struct _AssayFoundModel
{
  GObject parent_instance;
  /* owned; path, name and store are always set */
  char *path, *name, *model_id, *revision, *store, *architecture, *quantization, *dtype;
  char *problem;
  guint64 bytes;
  guint context_length;
};

typedef struct
{
  char *folder;        /* owned */
  const char *name;    /* for people; static */
  gboolean is_ollama;  /* holds manifests/ and blobs/ */
} DiscoveryStore;

/* Every store of this machine, whether it is there or not. (element-type DiscoveryStore) (transfer full) */
GPtrArray *assay_discovery_list_stores (void);

/* What the walk found, before any file was opened. */
typedef struct
{
  char *path;          /* owned */
  char *name;          /* owned; NULL: from the path */
  const char *store;
  const char *problem; /* why it is not worth opening, translated; or NULL */
  guint64 device, inode, bytes;
} DiscoveryFile;

typedef struct _DiscoveryWalk DiscoveryWalk;
DiscoveryWalk *assay_discovery_walk_new (GCancellable *cancellable);
void assay_discovery_walk_free (DiscoveryWalk *self);
void assay_discovery_walk_store (DiscoveryWalk *self, const DiscoveryStore *store);
/* DiscoveryFile, each file of the disk once; lent */
GPtrArray *assay_discovery_walk_get_files (DiscoveryWalk *self);
/* what was not looked at any more, or NULL */
const char *assay_discovery_walk_get_limit (DiscoveryWalk *self);

/* A refusal in a person's words, before the engine's own. (transfer full) */
char *assay_discovery_dup_skipped_words (const char *path, const GError *error, const char *problem);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (DiscoveryWalk, assay_discovery_walk_free)

G_END_DECLS
