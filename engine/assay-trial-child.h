/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/assay-trial-child.h: a run whose child process computes, between assay-trial-process.c and assay-trial-told.c. */
#pragma once

#include "assay-trial-private.h"
#include "runtimes/assay-spawn.h"

G_BEGIN_DECLS

#define CHILD_ANSWER_MAX (16u << 20) /* bytes of one answer; what comes beyond is dropped */
#define CHILD_TAIL_LINES 50u
#define CHILD_WARNINGS 20u
#define CHILD_LOG_LINE 1000u         /* bytes of a line in the log */

typedef struct
{
  const char *id;
  GString *text;
  char *image;             /* file name, or NULL */
  gint64 input_tokens, output_tokens; /* -1 unknown */
  gint64 prompt_ns, generate_ns;      /* -1 unknown */
  char *finish;            /* or NULL */
  gboolean begun;
} ChildAnswer;

typedef struct
{
  TrialRun *run;
  char *folder;            /* where it works and leaves images */
  GPtrArray *answers;      /* (element-type ChildAnswer), in the order of the questions */
  ChildAnswer *answer;     /* what is told belongs to it */
  GPtrArray *phases;       /* names that came, interned: a bounded number of them */
  GQueue tail, warnings;   /* char *, oldest first */
  guint64 n_odd, n_lost;   /* lines that say nothing, bytes of answers that were too long */
  char *version, *source;  /* as it told, or NULL */
  char *status, *error;    /* why it ends, as it told, or NULL */
  gint64 request;          /* of an allocation that failed; 0 unknown */
  gboolean calls_told;     /* offload_api holds what it told, and no more what was asked */
  gboolean out_of_device, out_of_host; /* its library said so in its own words */
  gint64 peak_allocated, peak_reserved; /* of what it told; -1 unknown */
} TrialChild;

/* --- assay-trial-told.c --- */
void trial_child_read_line (AssaySpawnStream stream, const char *line, gsize length, gpointer child);
void trial_child_begin_phase (TrialChild *self, const char *name);
void trial_child_warn (TrialChild *self, const char *text);
/* Warnings, then, of a run that failed, the last lines; secrets of the environment left out. (transfer full) or NULL */
char *trial_child_dup_log (TrialChild *self, gboolean failed);

G_END_DECLS
