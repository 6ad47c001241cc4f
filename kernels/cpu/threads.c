/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cpu/threads.c: chunks are claimed by compare-and-swap on one word, not dealt out.
 *
 * Cores may be shared with other processes, so a worker can be off its core at any moment. The caller
 * therefore waits only for chunks that someone has claimed, never for a thread to arrive: a worker that
 * sleeps through a job costs nothing but its help. Workers spin for some tens of microseconds after a job,
 * then sleep on a futex. */
#include "threads.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The claim word: | generation 24 | chunks 20 | next chunk 20 |. Chunk count and next travel together with
 * the generation: a worker that looks late cannot mix one job's number with another's. */
#define CHUNK_BITS 20
#define CHUNK_MASK ((UINT64_C (1) << CHUNK_BITS) - 1)
#define WORD_NEXT(word) ((uint32_t) ((word) & CHUNK_MASK))
#define WORD_CHUNKS(word) ((uint32_t) ((word) >> CHUNK_BITS & CHUNK_MASK))

typedef struct
{
  CpuPool *pool;
  pthread_t thread;
  uint32_t index;
} CpuWorker;

struct CpuPool
{
  _Alignas (64) _Atomic uint64_t word;
  _Alignas (64) _Atomic uint32_t done;        /* chunks of this job that are finished */
  _Atomic uint32_t caller_sleeps;
  _Alignas (64) _Atomic uint32_t bell;        /* futex: changes with every job */
  _Atomic uint32_t n_sleeping;
  _Atomic bool stop;
  CpuJob job;                                 /* both valid while a chunk of the word is unfinished */
  void *data;
  uint64_t generation;
  uint32_t n_threads, n_spins;
  CpuWorker *workers;                         /* [n_threads - 1] */
};

static void
pool_pause (void)
{
#if defined __x86_64__ || defined __i386__
  __builtin_ia32_pause ();
#endif
}

static void
pool_sleep (_Atomic uint32_t *word, uint32_t seen)
{
  syscall (SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
}

static void
pool_wake (_Atomic uint32_t *word, int n)
{
  syscall (SYS_futex, word, FUTEX_WAKE_PRIVATE, n, NULL, NULL, 0);
}

/* Runs chunks until none is left to claim. */
static void
pool_work (CpuPool *pool, uint32_t worker)
{
  uint64_t word = atomic_load_explicit (&pool->word, memory_order_acquire);
  while (WORD_NEXT (word) < WORD_CHUNKS (word))
    {
      if (!atomic_compare_exchange_weak_explicit (&pool->word, &word, word + 1, memory_order_acq_rel,
                                                  memory_order_acquire))
        continue;
      const uint32_t n_chunks = WORD_CHUNKS (word);
      pool->job (pool->data, WORD_NEXT (word), worker);
      if (atomic_fetch_add (&pool->done, 1) + 1 == n_chunks && worker != 0
          && atomic_load (&pool->caller_sleeps))
        pool_wake (&pool->done, 1);
      word = atomic_load_explicit (&pool->word, memory_order_acquire);
    }
}

static bool
pool_has_work (CpuPool *pool)
{
  const uint64_t word = atomic_load_explicit (&pool->word, memory_order_acquire);
  return WORD_NEXT (word) < WORD_CHUNKS (word);
}

/* Counting itself among the sleepers before looking once more closes the gap between looking and sleeping. */
static void
pool_wait_for_work (CpuPool *pool)
{
  for (uint32_t i = 0; i < pool->n_spins; i++)
    {
      if (pool_has_work (pool) || atomic_load_explicit (&pool->stop, memory_order_relaxed))
        return;
      pool_pause ();
    }
  atomic_fetch_add (&pool->n_sleeping, 1);
  const uint32_t bell = atomic_load (&pool->bell);
  if (!pool_has_work (pool) && !atomic_load (&pool->stop))
    pool_sleep (&pool->bell, bell);
  atomic_fetch_sub (&pool->n_sleeping, 1);
}

static void *
pool_thread (void *data)
{
  CpuWorker *self = data;
  while (!atomic_load (&self->pool->stop))
    {
      pool_work (self->pool, self->index);
      pool_wait_for_work (self->pool);
    }
  return NULL;
}

static void
pool_ring (CpuPool *pool)
{
  atomic_fetch_add (&pool->bell, 1);
  if (atomic_load (&pool->n_sleeping) > 0)
    pool_wake (&pool->bell, (int) pool->n_threads);
}

static void
pool_wait_until_done (CpuPool *pool, uint32_t n_chunks)
{
  for (uint32_t i = 0; i < pool->n_spins; i++)
    {
      if (atomic_load_explicit (&pool->done, memory_order_acquire) == n_chunks)
        return;
      pool_pause ();
    }
  atomic_store (&pool->caller_sleeps, 1);
  for (uint32_t done; (done = atomic_load (&pool->done)) != n_chunks;)
    pool_sleep (&pool->done, done);
  atomic_store (&pool->caller_sleeps, 0);
}

static void
pool_run_part (CpuPool *pool, uint32_t n_chunks)
{
  atomic_store_explicit (&pool->done, 0, memory_order_relaxed);
  pool->generation++;
  atomic_store (&pool->word, pool->generation << (2 * CHUNK_BITS) | (uint64_t) n_chunks << CHUNK_BITS);
  pool_ring (pool);
  pool_work (pool, 0);
  pool_wait_until_done (pool, n_chunks);
}

void
cpu_pool_run (CpuPool *pool, CpuJob job, void *data, uint32_t n_chunks)
{
  if (pool->n_threads == 1 || n_chunks <= 1 || n_chunks > CHUNK_MASK)
    {
      for (uint32_t chunk = 0; chunk < n_chunks; chunk++)
        job (data, chunk, 0);
      return;
    }
  pool->job = job;
  pool->data = data;
  pool_run_part (pool, n_chunks);
}

uint32_t
cpu_pool_count_cores (void)
{
  cpu_set_t set;
  if (sched_getaffinity (0, sizeof set, &set) == 0 && CPU_COUNT (&set) > 0)
    return (uint32_t) CPU_COUNT (&set);
  const long online = sysconf (_SC_NPROCESSORS_ONLN);
  return online > 0 ? (uint32_t) online : 1;
}

uint32_t
cpu_pool_get_n_threads (const CpuPool *pool)
{
  return pool->n_threads;
}

CpuPool *
cpu_pool_new (uint32_t n_threads)
{
  CpuPool *pool = aligned_alloc (64, sizeof *pool);
  if (pool == NULL)
    return NULL;
  /* With more threads than cores a spinning one only keeps the core from the one it waits for. */
  *pool = (CpuPool) { .n_threads = 1, .n_spins = n_threads > cpu_pool_count_cores () ? 0 : 2000 };
  pool->workers = calloc (n_threads, sizeof *pool->workers);
  if (pool->workers == NULL)
    goto failed;
  for (; pool->n_threads < n_threads; pool->n_threads++)
    {
      CpuWorker *worker = &pool->workers[pool->n_threads - 1];
      *worker = (CpuWorker) { .pool = pool, .index = pool->n_threads };
      if (pthread_create (&worker->thread, NULL, pool_thread, worker) != 0)
        goto failed;
    }
  return pool;
failed:
  cpu_pool_free (pool);
  return NULL;
}

void
cpu_pool_free (CpuPool *pool)
{
  if (pool == NULL)
    return;
  atomic_store (&pool->stop, true);
  atomic_fetch_add (&pool->bell, 1);
  pool_wake (&pool->bell, INT32_MAX);
  for (uint32_t i = 0; i + 1 < pool->n_threads; i++)
    pthread_join (pool->workers[i].thread, NULL);
  free (pool->workers);
  free (pool);
}
