/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cpu/threads.h: the pool that runs one job at a time, cut into numbered chunks.
 *
 * The caller's thread works too. Who runs a chunk is left to chance, so a chunk may not depend on it:
 * `worker` only picks a scratch area. A decode step runs about 200 jobs of some microseconds each, hence no
 * lock on the way. */
#pragma once

#include <stdint.h>

typedef struct CpuPool CpuPool;

/* chunk: 0 .. n_chunks - 1. worker: 0 .. n_threads - 1, one chunk at a time each. */
typedef void (*CpuJob) (void *data, uint32_t chunk, uint32_t worker);

/* n_threads: 1 or more, the caller counted. NULL when no thread could be started. */
CpuPool *cpu_pool_new (uint32_t n_threads);
void cpu_pool_free (CpuPool *pool);   /* NULL is fine */
uint32_t cpu_pool_get_n_threads (const CpuPool *pool);

/* Returns when every chunk is done. */
void cpu_pool_run (CpuPool *pool, CpuJob job, void *data, uint32_t n_chunks);

/* Cores this process may use, at least 1. */
uint32_t cpu_pool_count_cores (void);
