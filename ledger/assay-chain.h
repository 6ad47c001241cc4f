/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-chain.h: the way from the first run to one that came of it, a step a run, and why each was taken.
 *
 * A chain is a list of runs and costs little, however long; what is told of a step is made when it is asked for. Every
 * form of it (text, Markdown, drawing, report) tells the same lines. One thread, the ledger's. */
#pragma once

#include "assay-gates.h"

G_BEGIN_DECLS

typedef struct
{
  gboolean on_way;        /* of the change that led to this run, not of the run */
  const char *label;      /* translated: "measured" */
  char *text;             /* translated, one line of valid UTF-8, bounded */
} AssayChainLine;

typedef struct
{
  guint number;           /* from 1 */
  AssayRecord *record;    /* owned; NULL in the step that is planned and has not run */
  char *title;            /* the run's id, or that it has not run yet */
  /* of the change that led here; NULL in a first run */
  char *signal;           /* the signal's name, "oom_device"; of the run before, where no plan was kept */
  gboolean planned;       /* the run before says so in its next trial */
  char *axis;             /* what changed: field or axis; NULL for a repeat */
  char *from, *to;        /* for people, with units; NULL where several axes moved */
  char *change;           /* "offload_mode: none → model" */
  char *predicted;        /* figures with their units; NULL: nothing was foretold */
  char *note;             /* or NULL */
  /* of the run */
  char *measured;         /* figures with their units and kinds; NULL in a step that has not run */
  AssayGates *gates;      /* NULL for a damaged run, and for a step that has not run */
  char **branches;        /* ids of runs that continue this one and are not on the way */
  GPtrArray *lines;       /* (element-type AssayChainLine): all of it in the order of telling */
} AssayChainStep;

typedef struct _AssayChain AssayChain;

/* The chain that ends with a run of the ledger; NULL when there is no such run. Keeps the ledger. A parent that is not
 * there, two parents, or parents in a circle end it, which assay_chain_get_problem() tells. */
AssayChain *assay_chain_new (AssayLedger *ledger, const char *run_id);
/* One for every run that nothing continues and that continues another: all chains of a ledger, the longest first.
 * Runs that an earlier one of these has told are counted by assay_chain_get_n_told(). (transfer full) */
GPtrArray *assay_chain_list (AssayLedger *ledger);
void assay_chain_free (AssayChain *self);

guint assay_chain_get_length (AssayChain *self);          /* runs, the first of all first */
AssayRecord *assay_chain_get_run (AssayChain *self, guint position);
guint assay_chain_get_n_told (AssayChain *self);          /* 0 of a chain by itself */
const char *assay_chain_get_problem (AssayChain *self);   /* translated; NULL where it begins with a first run */
gboolean assay_chain_has_plan (AssayChain *self);         /* the last run plans a next trial */
char *assay_chain_dup_heading (AssayChain *self);         /* translated: "The chain to run 3f2a9c: 6 runs" */

/* position: of a run; the length itself for the step that is planned after the last one. (transfer full) */
AssayChainStep *assay_chain_dup_step (AssayChain *self, guint position);
void assay_chain_step_free (AssayChainStep *self);
/* "measured: 401 MiB …", each line led by what it is. (transfer full) */
char *assay_chain_step_dup_text (const AssayChainStep *self);

/* The whole chain as plain text. (transfer full) */
char *assay_chain_dup_text (AssayChain *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayChain, assay_chain_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayChainStep, assay_chain_step_free)

G_END_DECLS
