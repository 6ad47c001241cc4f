/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-chain-private.h: what the files of the chain share. */
#pragma once

#include "assay-chain.h"

G_BEGIN_DECLS

struct _AssayChain
{
  AssayLedger *ledger;  /* owned, as all below */
  GPtrArray *runs;      /* (element-type AssayRecord) */
  GHashTable *on_way;   /* the same as a set */
  GHashTable *children; /* parent id → GPtrArray of AssayRecord, all of the ledger's */
  char *problem;
  guint n_told;
};

/* One line of text that may be shown: valid UTF-8 without control characters, bounded. "" for NULL. (transfer full) */
char *chain_dup_line (const char *text);
/* Runs that continue `run` beside the one on the way. (transfer full) */
char **chain_dup_branches (AssayChain *self, AssayRecord *run);

/* The change that led from one run to the next, into the step; and what the run itself shows. */
void chain_step_take_change (AssayChainStep *step, AssayLedger *ledger, AssayRecord *parent, AssayRecord *child);
void chain_step_take_plan (AssayChainStep *step, AssayRecord *parent);
void chain_step_take_run (AssayChainStep *step, AssayChain *self, AssayRecord *run);
void chain_step_add_line (AssayChainStep *step, gboolean on_way, const char *label, const char *text);

G_END_DECLS
