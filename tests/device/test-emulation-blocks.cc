/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/test-emulation-blocks.cc: what the emulated device promises about the threads of a block: they
 * wait where they must, go in any order elsewhere, and broken rules are told. */
#include "test-emulation.h"

#include <math.h>

/* --- barriers --- */

#define N 256

/* Each thread reads what its mirror wrote: right only where all have written. */
template <bool waits>
__global__ static void
mirror_kernel (int *y, const int *x)
{
  __shared__ int kept[N];
  kept[threadIdx.x] = x[threadIdx.x];
  if (waits)
    __syncthreads ();
  y[threadIdx.x] = kept[N - 1 - threadIdx.x];
}

/* The second round must not begin before everyone has read the first one's. */
template <bool waits>
__global__ static void
rounds_kernel (int *y, const int *x)
{
  __shared__ int kept[N];
  int sum = 0;
  for (int round = 0; round < 3; round++)
    {
      kept[threadIdx.x] = x[threadIdx.x] * (round + 1);
      __syncthreads ();
      sum += kept[N - 1 - threadIdx.x];
      if (waits)
        __syncthreads ();
    }
  y[threadIdx.x] = sum;
}

static int
count_wrong (void (*kernel) (int *, const int *), int factor)
{
  int x[N], n_wrong = 0;
  Device<int> from (N), to (N);
  for (int i = 0; i < N; i++)
    x[i] = 7 * i + 1;
  from.put (x);
  ASSAY_LAUNCH (kernel, 1, N, 0, stream, to.at, from.at);
  to.get (x);
  for (int i = 0; i < N; i++)
    n_wrong += x[i] != factor * (7 * (N - 1 - i) + 1);
  return n_wrong;
}

static void
test_barrier_waits (void)
{
  for (guint64 seed = 0; seed < 30; seed++)
    {
      const Machine machine (seed);
      g_assert_cmpint (count_wrong (mirror_kernel<true>, 1), ==, 0);
      g_assert_cmpint (count_wrong (rounds_kernel<true>, 6), ==, 0);
    }
}

static void
test_removed_barrier_shows (void)
{
  for (guint64 seed = 0; seed < 30; seed++)
    {
      const Machine machine (seed);
      g_assert_cmpint (count_wrong (mirror_kernel<false>, 1), >, 0);
    }
}

/* A reader that comes late shows in the orders where others run ahead. */
static void
test_removed_second_barrier_shows (void)
{
  int n_shown = 0;
  for (guint64 seed = 0; seed < 30; seed++)
    {
      const Machine machine (seed);
      n_shown += count_wrong (rounds_kernel<false>, 6) > 0;
    }
  g_assert_cmpint (n_shown, >, 10);
}

__global__ static void
count_kernel (int *y)
{
  const int odd = __syncthreads_count (threadIdx.x % 2), any = __syncthreads_or (threadIdx.x == 5),
            all = __syncthreads_and (threadIdx.x < 5);
  y[threadIdx.x] = odd * 100 + any * 10 + all;
}

static void
test_barriers_count (void)
{
  const Machine machine (1);
  int y[64];
  Device<int> to (64);
  ASSAY_LAUNCH (count_kernel, 1, 64, 0, stream, to.at);
  to.get (y);
  for (int each : y)
    g_assert_cmpint (each, ==, 3210);
}

/* --- faults --- */

__global__ static void
leave_early_kernel (void)
{
  if (threadIdx.x < 40)
    __syncthreads ();
}

__global__ static void
two_barriers_kernel (void)
{
  if (threadIdx.x < 32)
    __syncthreads ();
  else
    __syncthreads ();
}

__global__ static void
trap_kernel (void)
{
  __trap ();
}

__global__ static void
outside_kernel (float *y, size_t at)
{
  y[at] = 1;
}

__global__ static void
shared_outside_kernel (float *y, int at)
{
  ASSAY_DYNAMIC_SHARED (float, kept);
  kept[at] = 1;
  y[0] = kept[0];
}

static void
test_diverging_barriers_are_told (void)
{
  for (guint64 seed = 0; seed < 10; seed++)
    {
      const Machine machine (seed, EXPECTS_FAULT);
      ASSAY_LAUNCH (leave_early_kernel, 1, 64, 0, stream);
      expect_broken (cudaErrorLaunchFailure, "barrier");
    }
  const Machine machine (1, EXPECTS_FAULT);
  ASSAY_LAUNCH (two_barriers_kernel, 1, 64, 0, stream);
  expect_broken (cudaErrorLaunchFailure, "while others wait at");
}

static void
test_trap_breaks_the_device (void)
{
  const Machine machine (1, EXPECTS_FAULT);
  ASSAY_LAUNCH (trap_kernel, 1, 1, 0, stream);
  expect_broken (cudaErrorLaunchFailure, "trap");
}

static void
test_illegal_addresses_break_the_device (void)
{
#ifdef __SANITIZE_ADDRESS__
  g_test_skip ("AddressSanitizer ends the process at such an access");
#else
  {
    const Machine machine (1, EXPECTS_FAULT);
    ASSAY_LAUNCH (outside_kernel, 1, 1, 0, stream, (float *) nullptr, (size_t) 3);
    expect_broken (cudaErrorIllegalAddress, "touched");
  }
  const Machine machine (1, EXPECTS_FAULT);
  Device<float> y (4);
  ASSAY_LAUNCH (outside_kernel, 1, 1, 0, stream, y.at, (size_t) 1 << 32);
  expect_broken (cudaErrorIllegalAddress, "touched");
#endif
}

static void
test_host_pointers_are_told (void)
{
  const Machine machine (1, EXPECTS_FAULT);
  float y = 0;
  ASSAY_LAUNCH (outside_kernel, 1, 1, 0, stream, &y, (size_t) 0);
  expect_broken (cudaErrorIllegalAddress, "argument 1");
}

/* --- shared memory --- */

__global__ static void
leftovers_kernel (float *y)
{
  __shared__ float fixed;
  ASSAY_DYNAMIC_SHARED (float, sized);
  y[blockIdx.x] = fixed + sized[0] + sized[9];
  fixed = sized[0] = sized[9] = 1;
}

static void
test_shared_memory_is_poisoned_for_every_block (void)
{
  const Machine machine (1);
  float y[20];
  Device<float> to (20);
  ASSAY_LAUNCH (leftovers_kernel, 20, 1, 10 * sizeof (float), stream, to.at);
  to.get (y);
  for (float each : y)
    g_assert_true (isnan (each));
}

static void
test_dynamic_shared_memory_is_guarded (void)
{
#ifdef __SANITIZE_ADDRESS__
  g_test_skip ("AddressSanitizer ends the process at such an access");
#else
  for (int at : { -1, 8 })
    {
      const Machine machine (1, EXPECTS_FAULT);
      Device<float> y (1);
      ASSAY_LAUNCH (shared_outside_kernel, 1, 1, 8 * sizeof (float), stream, y.at, at);
      expect_broken (cudaErrorLaunchFailure, "shared memory");
    }
#endif
}

static void
test_shared_memory_has_cudas_limits (void)
{
  const Machine machine (1);
  Device<float> y (1);
  ASSAY_LAUNCH (shared_outside_kernel, 1, 1, 48 * 1024, stream, y.at, 0);
  g_assert_cmpint (cudaGetLastError (), ==, cudaSuccess);
  ASSAY_LAUNCH (shared_outside_kernel, 1, 1, 48 * 1024 + 4, stream, y.at, 0);
  g_assert_cmpint (cudaGetLastError (), ==, cudaErrorInvalidValue);
  const cudaFuncAttribute attribute = cudaFuncAttributeMaxDynamicSharedMemorySize;
  g_assert_cmpint (cudaFuncSetAttribute (shared_outside_kernel, attribute, 100 * 1024), ==,
                   cudaErrorInvalidValue);
  g_assert_cmpint (cudaFuncSetAttribute (shared_outside_kernel, attribute, 99 * 1024), ==, cudaSuccess);
  cudaGetLastError ();
  ASSAY_LAUNCH (shared_outside_kernel, 1, 1, 99 * 1024, stream, y.at, 0);
  g_assert_cmpint (cudaGetLastError (), ==, cudaSuccess);
}

static void
test_launches_have_cudas_limits (void)
{
  const Machine machine (1);
  Device<float> y (1);
  const dim3 wrong[][2] = { { 0, 1 }, { 1, 0 }, { 1, 1025 }, { 1, dim3 (32, 64) }, { dim3 (1, 65536), 1 } };
  for (const auto &shape : wrong)
    {
      ASSAY_LAUNCH (outside_kernel, shape[0], shape[1], 0, stream, y.at, (size_t) 0);
      g_assert_cmpint (cudaGetLastError (), ==, cudaErrorInvalidConfiguration);
    }
}

/* --- indices --- */

__global__ static void
indices_kernel (unsigned *y)
{
  const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x,
                 thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x,
                 size = blockDim.x * blockDim.y * blockDim.z;
  atomicAdd (&y[block * size + thread], block * size + thread + 1);
}

static void
test_every_thread_of_every_block_runs_once (void)
{
  const Machine machine (3);
  unsigned y[3 * 5 * 2 * 4 * 3 * 2] = { 0 };
  Device<unsigned> to (G_N_ELEMENTS (y));
  to.put (y);
  ASSAY_LAUNCH (indices_kernel, dim3 (3, 5, 2), dim3 (4, 3, 2), 0, stream, to.at);
  to.get (y);
  for (unsigned i = 0; i < G_N_ELEMENTS (y); i++)
    g_assert_cmpuint (y[i], ==, i + 1);
}

/* A block of 256 threads a row, shuffles and a barrier: what most kernels look like. Not a limit, a figure.
 */
__global__ static void
rmsnorm_kernel (float *y, const float *x, const float *w, int n, float eps)
{
  __shared__ float partial[32];
  const float *row = x + (size_t) blockIdx.x * n;
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    sum += row[i] * row[i];
  for (int step = 16; step > 0; step /= 2)
    sum += __shfl_xor_sync (0xffffffff, sum, step);
  if (threadIdx.x % 32 == 0)
    partial[threadIdx.x / 32] = sum;
  __syncthreads ();
  sum = threadIdx.x % 32 < blockDim.x / 32 ? partial[threadIdx.x % 32] : 0;
  for (int step = 16; step > 0; step /= 2)
    sum += __shfl_xor_sync (0xffffffff, sum, step);
  const float scale = rsqrtf (sum / n + eps);
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    y[(size_t) blockIdx.x * n + i] = row[i] * scale * w[i];
}

static void
test_large_rmsnorm (void)
{
  const Machine machine (1);
  const int n = 4096, n_rows = 512;
  std::vector<float> x (n * n_rows, 2), w (n, 3);
  Device<float> from (x.size ()), to (x.size ()), weights (w.size ());
  from.put (x.data ());
  weights.put (w.data ());
  const gint64 begin = g_get_monotonic_time ();
  ASSAY_LAUNCH (rmsnorm_kernel, n_rows, 256, 0, stream, to.at, from.at, weights.at, n, 0.0f);
  g_assert_cmpint (cudaStreamSynchronize (stream), ==, cudaSuccess);
  g_test_message ("512 x 4096: %.3f s", (double) (g_get_monotonic_time () - begin) * 1e-6);
  to.get (x.data ());
  for (float each : x)
    g_assert_cmpfloat_with_epsilon (each, 3, 1e-5);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, nullptr);
  g_test_add_func ("/device/emulation/barrier-waits", test_barrier_waits);
  g_test_add_func ("/device/emulation/removed-barrier-shows", test_removed_barrier_shows);
  g_test_add_func ("/device/emulation/removed-second-barrier-shows", test_removed_second_barrier_shows);
  g_test_add_func ("/device/emulation/barriers-count", test_barriers_count);
  g_test_add_func ("/device/emulation/diverging-barriers-are-told", test_diverging_barriers_are_told);
  g_test_add_func ("/device/emulation/trap-breaks-the-device", test_trap_breaks_the_device);
  g_test_add_func ("/device/emulation/illegal-addresses-break-the-device",
                   test_illegal_addresses_break_the_device);
  g_test_add_func ("/device/emulation/host-pointers-are-told", test_host_pointers_are_told);
  g_test_add_func ("/device/emulation/shared-memory-is-poisoned-for-every-block",
                   test_shared_memory_is_poisoned_for_every_block);
  g_test_add_func ("/device/emulation/dynamic-shared-memory-is-guarded",
                   test_dynamic_shared_memory_is_guarded);
  g_test_add_func ("/device/emulation/shared-memory-has-cudas-limits", test_shared_memory_has_cudas_limits);
  g_test_add_func ("/device/emulation/launches-have-cudas-limits", test_launches_have_cudas_limits);
  g_test_add_func ("/device/emulation/every-thread-runs-once", test_every_thread_of_every_block_runs_once);
  g_test_add_func ("/device/emulation/large-rmsnorm", test_large_rmsnorm);
  return g_test_run ();
}
