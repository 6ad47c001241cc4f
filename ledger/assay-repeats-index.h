/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-repeats-index.h: which runs of a ledger repeat one another, kept while runs come and go.
 *
 * The gates of one run look at its repeats, and a list shows thousands of runs: comparing each with each would take
 * minutes. Each run is compared once, with one that stands for its setting. Damaged runs are left out. */
#pragma once

#include "assay-record.h"

G_BEGIN_DECLS

typedef struct _AssayRepeatsIndex AssayRepeatsIndex;

/* runs: (element-type AssayRecord), sealed, in the ledger's order; borrowed, also later on. */
AssayRepeatsIndex *assay_repeats_index_new (GPtrArray *runs);
void assay_repeats_index_free (AssayRepeatsIndex *self);   /* NULL is fine */

void assay_repeats_index_append (AssayRepeatsIndex *self, AssayRecord *record);
void assay_repeats_index_remove (AssayRepeatsIndex *self, AssayRecord *record);
/* FALSE: the new one has other conditions, so that its place among others is unknown: make a new index. */
gboolean assay_repeats_index_replace (AssayRepeatsIndex *self, AssayRecord *before, AssayRecord *after);

typedef struct
{
  GPtrArray *runs;        /* (element-type AssayRecord), in the ledger's order, never empty */
  gpointer sums;          /* the caller's, of g_malloc: what it made of the runs; NULL again when one comes or goes */
} AssayRepeatsSetting;

/* Runs that repeat a record, which need not be in the ledger. *mixed: they come of several settings, and are in the
 * ledger's order only within each. (transfer container) */
GPtrArray *assay_repeats_index_find (AssayRepeatsIndex *self, AssayRecord *record, gboolean *mixed);
/* The setting that holds all of them, as is mostly so; else NULL. (transfer none) */
AssayRepeatsSetting *assay_repeats_index_get_setting (AssayRepeatsIndex *self, AssayRecord *record);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayRepeatsIndex, assay_repeats_index_free)

G_END_DECLS
