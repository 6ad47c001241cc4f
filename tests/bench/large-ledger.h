/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/bench/large-ledger.h: ledgers as years of use would leave them, made through the real API, for the benches. */
#pragma once

#include "assay-ledger.h"

G_BEGIN_DECLS

/* Runs of twelve questions, each with its conditions, burden, phases, memory over time and answers, of the length that
 * real ones have. Chains of five: a run, its repeat, and three that each change one axis of the one before. Every third
 * run is reviewed; one in forty failed. The same seed gives the same ledger, but for its ids.
 * n_samples: of memory, in each run. Returns: (transfer full) */
AssayLedger *bench_make_ledger (const char *title, guint n_runs, guint n_samples, guint32 seed);

/* Ledgers in twenty folders below root. Returns: (transfer full) (element-type char*) their paths */
GPtrArray *bench_make_library (const char *root, guint n_ledgers, guint n_runs, guint n_samples);
void bench_remove_library (const char *root, GPtrArray *paths);

/* Ends the program with the message when `fine` is FALSE. */
void bench_check (gboolean fine, GError *error);

double bench_now_ms (void);      /* monotonic clock */
double bench_thread_ms (void);   /* what this thread has worked so far */

/* Sorts; prints median, 99th percentile and most. */
void bench_report_times (const char *what, double *ms, guint n);

G_END_DECLS
