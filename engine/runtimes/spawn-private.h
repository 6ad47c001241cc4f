/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/runtimes/spawn-private.h: what Assay and the keeper of a child say to each other. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  SPAWN_NEWS_STARTED, /* value: the child's process id */
  SPAWN_NEWS_REFUSED, /* value: errno of the call that could not start it */
  SPAWN_NEWS_ENDED,   /* value: as of wait(); stragglers: processes that the child had left behind */
} SpawnNewsKind;

typedef struct
{
  gint32 kind, value, stragglers;
} SpawnNews;

typedef struct
{
  char *const *argv;
  const char *folder;         /* the child's working folder */
  gint input, output, errors; /* the child's ends of the pipes */
  gint news;                  /* the keeper's end */
  gint group;                 /* file that moves its writer into a control group, or -1 */
  gint parent;                /* process id of Assay */
  gint grace_ms;              /* between TERM and KILL */
} SpawnKeeper;

/* In a freshly forked process: starts the child, stays until nothing of it is left, ends. Nothing but calls that are safe
 * behind a fork of a program with threads. */
G_NORETURN void spawn_keeper_main (const SpawnKeeper *self);

G_END_DECLS
