/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/runtimes/assay-spawn.h: a child process, its lines, and its end.
 *
 * No shell: the command is a list of words and the program an absolute path. What the child is told comes by standard
 * input, which then ends. Standard output and standard error are read at once, however much comes, in lines of a bounded
 * length; they are drained to the end and never mistaken for the end of the child. Nothing it started outlives it, nor
 * this process. One thread, which must live as long as the child. */
#pragma once

#include <gio/gio.h>

#include "assay-spawn-scope.h"

G_BEGIN_DECLS

#define ASSAY_SPAWN_LINE_MAX 1048576u /* bytes; what a line has beyond is dropped */

typedef struct _AssaySpawn AssaySpawn;

typedef enum { ASSAY_SPAWN_OUTPUT, ASSAY_SPAWN_ERRORS } AssaySpawnStream;

/* A line without its end; bytes as they came, NULs too, a NUL behind them. */
typedef void (*AssaySpawnLineFunc) (AssaySpawnStream stream, const char *line, gsize length, gpointer data);

/* grace_ms: between asking it to end and killing it. Borrows the scope. NULL with DEVICE, the reason says what is wrong
 * with the program. */
AssaySpawn *assay_spawn_new (const char *const *argv, const char *folder, GBytes *input, AssaySpawnScope *scope,
                             guint grace_ms, GError **error);
void assay_spawn_free (AssaySpawn *self);           /* ends it, and waits until all is gone */

/* Waits at most that long for something to do, and does it. FALSE once the child is gone and its lines are read. */
gboolean assay_spawn_turn (AssaySpawn *self, guint timeout_ms, AssaySpawnLineFunc func, gpointer data);
void assay_spawn_stop (AssaySpawn *self);           /* TERM to all of it now, KILL after the grace */

gint assay_spawn_get_family (AssaySpawn *self);     /* the process whose descendants are the child and all of its own */
/* Once turn() said FALSE: the exit status, or -1 and the signal. */
gint assay_spawn_get_exit (AssaySpawn *self, gint *signal);
guint assay_spawn_get_n_stragglers (AssaySpawn *self);
guint64 assay_spawn_get_dropped (AssaySpawn *self); /* bytes of lines that were too long */

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssaySpawn, assay_spawn_free)

G_END_DECLS
