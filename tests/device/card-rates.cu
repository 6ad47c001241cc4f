/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/card-rates.cu: what this card can do at best, measured: the yardsticks of gpu-check.sh.
 *
 * Prints "key: value" lines: the card's name, GB/s read from its memory by a plain kernel, TFLOP/s of cuBLAS's bfloat16
 * product of large random matrices, GB/s of copies from pinned host memory. Each is the median of its rounds. Ends with 3,
 * in words, where there is no card. */
#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#define ROUNDS 9
#define WARM_UPS 3
#define SIDE 8192

static void
check (cudaError_t error, const char *what)
{
  if (error == cudaSuccess)
    return;
  fprintf (stderr, "card-rates: %s: %s\n", what, cudaGetErrorString (error));
  exit (1);
}

static void
check_blas (cublasStatus_t status, const char *what)
{
  if (status == CUBLAS_STATUS_SUCCESS)
    return;
  fprintf (stderr, "card-rates: %s: %s\n", what, cublasGetStatusString (status));
  exit (1);
}

static uint64_t __device__
mix (uint64_t x)
{
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  return x ^ x >> 31;
}

/* Random numbers: zeros would cost a card less power, and make it faster than it is. */
static void __global__
fill_random (__nv_bfloat16 *x, size_t n)
{
  const size_t stride = (size_t) gridDim.x * blockDim.x;
  for (size_t i = (size_t) blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    x[i] = __float2bfloat16 ((float) (mix (i) >> 40) / (1 << 24) - 0.5f);
}

/* The sum is kept only where it is one number that never comes, so that nothing is left out. */
static void __global__
read_all (const uint4 *x, size_t n, unsigned *sink)
{
  const size_t stride = (size_t) gridDim.x * blockDim.x;
  unsigned sum = 0;
#pragma unroll 4
  for (size_t i = (size_t) blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    sum += x[i].x ^ x[i].y ^ x[i].z ^ x[i].w;
  if (sum == 0x9e3779b9u)
    *sink = sum;
}

/* Median seconds of one call of work. */
template <typename Work>
static double
median_seconds (Work work)
{
  float ms[ROUNDS];
  cudaEvent_t begin, end;
  check (cudaEventCreate (&begin), "event");
  check (cudaEventCreate (&end), "event");
  for (int i = 0; i < WARM_UPS; i++)
    work ();
  for (int i = 0; i < ROUNDS; i++)
    {
      check (cudaEventRecord (begin), "event");
      work ();
      check (cudaEventRecord (end), "event");
      check (cudaEventSynchronize (end), "work");
      check (cudaEventElapsedTime (&ms[i], begin, end), "event");
    }
  check (cudaGetLastError (), "launch");
  check (cudaEventDestroy (begin), "event");
  check (cudaEventDestroy (end), "event");
  std::sort (ms, ms + ROUNDS);
  return ms[ROUNDS / 2] / 1e3;
}

static void
measure_memory (size_t bytes, int n_blocks)
{
  uint4 *memory;
  unsigned *sink;
  check (cudaMalloc (&memory, bytes), "memory");
  check (cudaMalloc (&sink, sizeof *sink), "memory");
  check (cudaMemset (memory, 0x5a, bytes), "memory");
  const double seconds
    = median_seconds ([&] { read_all<<<n_blocks, 512>>> (memory, bytes / sizeof *memory, sink); });
  printf ("memory_gb_s: %.1f\n", (double) bytes / seconds / 1e9);
  check (cudaFree (memory), "memory");
  check (cudaFree (sink), "memory");
}

static void
measure_product (int n_blocks)
{
  const size_t n = (size_t) SIDE * SIDE;
  const float one = 1, zero = 0;
  __nv_bfloat16 *memory;
  cublasHandle_t blas;
  check (cudaMalloc (&memory, 3 * n * sizeof *memory), "matrices");
  check_blas (cublasCreate (&blas), "cuBLAS");
  fill_random<<<n_blocks, 512>>> (memory, 2 * n);
  const double seconds = median_seconds ([&] {
    check_blas (cublasGemmEx (blas, CUBLAS_OP_T, CUBLAS_OP_N, SIDE, SIDE, SIDE, &one, memory, CUDA_R_16BF, SIDE,
                              memory + n, CUDA_R_16BF, SIDE, &zero, memory + 2 * n, CUDA_R_16BF, SIDE,
                              CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
                "product");
  });
  printf ("bf16_tflop_s: %.1f\n", 2.0 * SIDE * SIDE * SIDE / seconds / 1e12);
  check_blas (cublasDestroy (blas), "cuBLAS");
  check (cudaFree (memory), "matrices");
}

static void
measure_link (size_t bytes)
{
  void *pinned, *memory;
  check (cudaMallocHost (&pinned, bytes), "pinned memory");
  check (cudaMalloc (&memory, bytes), "memory");
  const double seconds
    = median_seconds ([&] { check (cudaMemcpyAsync (memory, pinned, bytes, cudaMemcpyHostToDevice), "copy"); });
  printf ("link_gb_s: %.2f\n", (double) bytes / seconds / 1e9);
  check (cudaFree (memory), "memory");
  check (cudaFreeHost (pinned), "pinned memory");
}

int
main ()
{
  cudaDeviceProp card;
  int n_devices = 0, driver = 0;
  size_t free_bytes, total;
  const cudaError_t error = cudaGetDeviceCount (&n_devices);
  if (error != cudaSuccess || n_devices == 0)
    {
      fprintf (stderr, "card-rates: no card: %s\n", cudaGetErrorString (error != cudaSuccess ? error : cudaErrorNoDevice));
      return 3;
    }
  check (cudaGetDeviceProperties (&card, 0), "properties");
  check (cudaDriverGetVersion (&driver), "driver");
  check (cudaMemGetInfo (&free_bytes, &total), "memory");
  printf ("card: %s\ncompute: %d.%d\ndriver: CUDA %d.%d\nmemory_bytes: %zu\n", card.name, card.major, card.minor,
          driver / 1000, driver % 1000 / 10, total);
  const int n_blocks = card.multiProcessorCount * 8;
  measure_memory (std::min<size_t> ((size_t) 4 << 30, free_bytes / 2) / 4096 * 4096, n_blocks);
  measure_product (n_blocks);
  measure_link ((size_t) 1 << 30);
  return 0;
}
