/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/engine/engine-fixture.h: fixtures, the default model, and a backend that fails on demand. */
#pragma once

#include <json-glib/json-glib.h>

#include "assay-device.h"

G_BEGIN_DECLS

#if defined(__SANITIZE_ADDRESS__)
#define ENGINE_SANITIZED TRUE
#else
#define ENGINE_SANITIZED FALSE
#endif

/* Notes the user's data folder before GLib's test isolation hides it. */
void engine_fixture_init (int *argc, char ***argv);
char *engine_fixture_dup_path (const char *area, const char *name);
JsonNode *engine_fixture_load_json (const char *area, const char *name);
/* L2 of the difference over that of the expected. subset: which of ours each expected one is; NULL: all of
 * them. */
double engine_fixture_relative_error (const float *ours, JsonArray *theirs, JsonArray *subset);
GArray *engine_fixture_dup_ids (JsonArray *ids);      /* gint32 */
char *engine_fixture_dup_default_model (void);        /* NULL, and the test skipped, when it is not there */

/* A CPU backend whose n-th call of those that can fail fails, from 1; 0: none does. Counts calls and bytes
 * held. */
typedef struct
{
  guint fail_at, n_calls;
  AssayStatus failure;
  gint64 bytes_held;
  guint n_blocks;
  gboolean failed;
  gboolean poison_logits; /* `sample` sees a NaN */
  gint32 forced_token;    /* what `sample` draws; 0: what it would */
  guint n_forced;         /* only this often; 0: always */
  guint hook_at;          /* `hook` is called before this call */
  void (*hook) (gpointer data);
  gpointer hook_data;
  guint n_samples;        /* calls of `sample` */
  gint upload_fail_at, n_uploads; /* the n-th upload is a device fault */
} FaultPlan;
AssayBackend *engine_fixture_backend_new (FaultPlan *plan, gboolean exact); /* borrows plan */

G_END_DECLS
