/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/kernels/test-threads.c: every chunk runs once, none twice, and the pool can be closed at any
 * time. */
#include <sched.h>
#include <stdatomic.h>

#include "cpu/threads.h"
#include "kernels-test.h"

typedef struct
{
  _Atomic guint runs[3000];
  _Atomic guint busy[8];      /* by worker: may never be 2 */
  _Atomic guint overlaps, stray;
  guint32 n_threads, n_chunks;
} Job;

static void
job_chunk (void *data, uint32_t chunk, uint32_t worker)
{
  Job *job = data;
  if (worker >= job->n_threads || chunk >= job->n_chunks)
    {
      atomic_fetch_add (&job->stray, 1);
      return;
    }
  if (atomic_fetch_add (&job->busy[worker], 1) != 0)
    atomic_fetch_add (&job->overlaps, 1);
  atomic_fetch_add (&job->runs[chunk], 1);
  if (chunk % 7 == 3)
    sched_yield ();
  atomic_fetch_sub (&job->busy[worker], 1);
}

static void
run_once (CpuPool *pool, guint32 n_threads, guint32 n_chunks)
{
  static Job job;
  job = (Job) { .n_threads = n_threads, .n_chunks = n_chunks };
  cpu_pool_run (pool, job_chunk, &job, n_chunks);
  g_assert_cmpuint (atomic_load (&job.stray), ==, 0);
  g_assert_cmpuint (atomic_load (&job.overlaps), ==, 0);
  for (guint i = 0; i < n_chunks; i++)
    g_assert_cmpuint (atomic_load (&job.runs[i]), ==, 1);
}

static void
test_every_chunk_runs_once (void)
{
  for (guint32 n_threads = 1; n_threads <= 5; n_threads++)
    {
      CpuPool *pool = cpu_pool_new (n_threads);
      g_assert_cmpuint (cpu_pool_get_n_threads (pool), ==, n_threads);
      for (guint round = 0; round < 300; round++)
        run_once (pool, n_threads, round % 19 == 0 ? 3000 : round % 11);
      cpu_pool_free (pool);
    }
}

/* Long enough between jobs for the workers to fall asleep. */
static void
test_sleepers_wake_up (void)
{
  CpuPool *pool = cpu_pool_new (3);
  for (guint round = 0; round < 20; round++)
    {
      g_usleep (2000);
      run_once (pool, 3, 50);
    }
  cpu_pool_free (pool);
}

static void
test_closes_at_once_and_when_idle (void)
{
  for (guint i = 0; i < 50; i++)
    cpu_pool_free (cpu_pool_new (1 + i % 5));
  CpuPool *pool = cpu_pool_new (4);
  g_usleep (5000);
  cpu_pool_free (pool);
  cpu_pool_free (NULL);
}

static void
test_default_is_the_cores_we_may_use (void)
{
  AssayBackend *b = kt_backend (ASSAY_CPU_BEST, 0, FALSE);
  cpu_set_t set;
  g_assert_cmpint (sched_getaffinity (0, sizeof set, &set), ==, 0);
  g_assert_cmpuint (assay_cpu_get_n_threads (b), ==, CPU_COUNT (&set));
  b->ops->destroy (b);
}

static void
test_versions_are_what_was_asked_for (void)
{
  for (int isa = ASSAY_CPU_SCALAR; isa < ASSAY_CPU_BEST; isa++)
    {
      AssayBackend *b = kt_backend ((AssayCpuIsa) isa, 1, FALSE);
      g_assert_cmpint (b != NULL, ==, assay_cpu_has_isa ((AssayCpuIsa) isa));
      if (b == NULL)
        continue;
      g_assert_cmpint (assay_cpu_get_isa (b), ==, isa);
      b->ops->destroy (b);
    }
  AssayBackend *best = kt_backend (ASSAY_CPU_BEST, 1, TRUE);
  g_assert_cmpint (assay_cpu_get_isa (best), !=, ASSAY_CPU_BEST);
  g_assert_true (g_str_has_suffix (assay_cpu_get_kernel_name (best), " float32"));
  best->ops->destroy (best);
  g_assert_null (kt_backend ((AssayCpuIsa) 77, 1, TRUE));
}

static void
test_memory_is_aligned_and_refused_in_time (void)
{
  AssayBackend *b = kt_backend (ASSAY_CPU_BEST, 1, FALSE);
  void *memory = NULL;
  for (gsize bytes = 0; bytes < 200; bytes += 33)
    {
      g_assert_cmpint (b->ops->alloc (b, bytes, &memory), ==, ASSAY_OK);
      g_assert_cmpuint (GPOINTER_TO_SIZE (memory) % 64, ==, 0);
      b->ops->free (b, memory, bytes);
    }
  b->ops->free (b, NULL, 0);
  g_assert_cmpint (b->ops->alloc (b, SIZE_MAX - 70, &memory), ==, ASSAY_NO_MEMORY);
  g_assert_cmpint (b->ops->alloc (b, SIZE_MAX, &memory), ==, ASSAY_NO_MEMORY);
  g_assert_null (memory);
  b->ops->destroy (b);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kernels/threads/every-chunk-runs-once", test_every_chunk_runs_once);
  g_test_add_func ("/kernels/threads/sleepers-wake-up", test_sleepers_wake_up);
  g_test_add_func ("/kernels/threads/closes-at-once-and-when-idle", test_closes_at_once_and_when_idle);
  g_test_add_func ("/kernels/threads/default-is-the-cores-we-may-use", test_default_is_the_cores_we_may_use);
  g_test_add_func ("/kernels/backend/versions-are-what-was-asked-for", test_versions_are_what_was_asked_for);
  g_test_add_func ("/kernels/backend/memory-is-aligned-and-refused-in-time",
                   test_memory_is_aligned_and_refused_in_time);
  return g_test_run ();
}
