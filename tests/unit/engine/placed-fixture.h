/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/engine/placed-fixture.h: a tiny model placed somehow on some device, and what comes out of
 * it. */
#pragma once

#include "engine-fixture.h"
#include "models/assay-model.h"
#include "tiny-model.h"

G_BEGIN_DECLS

typedef struct
{
  const char *path;
  const char *adapter;      /* or NULL */
  AssayModelOptions options; /* placed_setup_init() */
  AssayAssembly assembly;
  gboolean separate;        /* the device `virtual`, else `cpu` */
  guint64 budget, ram_limit;
  guint64 bytes_per_s;      /* of the link */
  FaultPlan *device_plan, *host_plan; /* NULL: the real backends */
} PlacedSetup;

typedef struct
{
  AssayModelFile *file;
  AssayModelConfig config;
  AssayDevice *real_device, *real_host; /* under a plan */
  AssayDevice *device, *host; /* one and the same on `cpu` */
  AssayLink *link;
  AssayModel *model;
  guint n_sequences;
} Placed;

/* Where TRUE, a separate device is the card cuda:0 instead of `virtual`. */
extern gboolean placed_separate_is_card;

/* Weights as stored, float32 cache, context of 64, one sequence; resident on `cpu`. */
void placed_setup_init (PlacedSetup *self, const char *path);
/* FALSE with the error of new(), attach() or place(); close in either case. */
gboolean placed_open (Placed *self, const PlacedSetup *setup, GError **error);
/* The same over devices that count; the file is not mapped. */
gboolean placed_open_plan (Placed *self, const PlacedSetup *setup, GError **error);
void placed_close (Placed *self);

/* A prompt of n tokens, then n_out greedy ones of each sequence: (element-type gint32), NULL with error. */
GArray *placed_generate (Placed *self, guint n, guint n_out, GError **error);
/* Allocated on the device, or on the host. */
guint64 placed_allocated (AssayDevice *device);

char *placed_dup_tiny (const TinyModel *options,
                       const char *name); /* saved in a temporary folder; its path */
char *placed_dup_saved (GgufWriter *writer, const char *name);          /* takes the writer */
/* Low-rank parts of random float32 for some modules of a tiny model: "blk.0.attn_q" …, NULL-terminated. */
GgufWriter *placed_new_adapter (GgufWriter *model, const char *architecture, const char *const *modules,
                                guint rank, guint32 seed);
GgufWriterTensor *placed_find_tensor (GgufWriter *writer, const char *name, const char *suffix);

G_END_DECLS
