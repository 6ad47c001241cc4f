/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/runtimes/assay-spawn-scope.h: a control group of a child's own, so that a memory limit, and the system when memory runs
 * out, end the child and nothing else.
 *
 * Two ways, tried in this order: a scope of the user's systemd, and a folder of the control group file system beside or
 * below this process's own. Where neither is allowed the child runs without, and the record says why. One thread. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _AssaySpawnScope AssaySpawnScope;

/* limit_bytes: 0 is no limit. Never NULL. */
AssaySpawnScope *assay_spawn_scope_new (const char *run_id, guint64 limit_bytes);
void assay_spawn_scope_free (AssaySpawnScope *self);              /* removes the group, which must be empty */

/* "control group /…/assay-…", "systemd scope assay-….scope"; NULL where there is none. */
const char *assay_spawn_scope_get_name (AssaySpawnScope *self);
const char *assay_spawn_scope_get_problem (AssaySpawnScope *self); /* why there is none, or no limit; NULL where all is well */

/* The command as it must be started: itself, or behind the words that open the scope. (transfer full) */
char **assay_spawn_scope_dup_command (AssaySpawnScope *self, const char *const *argv);
/* A file into which the child writes "0" to enter the group; -1 where the command enters by itself. */
gint assay_spawn_scope_get_file (AssaySpawnScope *self);
/* Once the child is there, for a scope that it entered by itself. */
void assay_spawn_scope_note_child (AssaySpawnScope *self, gint pid);
/* How often something was killed in it for its memory; -1 unknown. */
gint64 assay_spawn_scope_count_kills (AssaySpawnScope *self);

G_END_DECLS
