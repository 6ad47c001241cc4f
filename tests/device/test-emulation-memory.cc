/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/test-emulation-memory.cc: the emulated device's memory, budget and guards, the failures it can
 * be told to have, and cuBLAS. */
#include "test-emulation.h"

#include <cublas_v2.h>
#include <math.h>

#include "shared/half.h"

__global__ static void
write_kernel (unsigned char *y, ptrdiff_t at)
{
  y[at] = 1;
}

/* --- memory --- */

static void
test_memory_comes_from_the_budget (void)
{
  const Machine machine (1, EXPECTS_NONE, ASSAY_EMULATION_LAZY, 1 << 20);
  void *a, *b;
  size_t free_bytes, total_bytes;
  g_assert_cmpint (cudaMalloc (&a, 600000), ==, cudaSuccess);
  g_assert_cmpint (cudaMalloc (&b, 600000), ==, cudaErrorMemoryAllocation);
  g_assert_null (b);
  g_assert_cmpint (cudaGetLastError (), ==, cudaErrorMemoryAllocation);
  g_assert_cmpint (cudaGetLastError (), ==, cudaSuccess);
  g_assert_cmpint (cudaMemGetInfo (&free_bytes, &total_bytes), ==, cudaSuccess);
  g_assert_cmpuint (total_bytes, ==, 1 << 20);
  g_assert_cmpuint (free_bytes, <=, (1 << 20) - 600000);
  g_assert_cmpint (cudaFree (a), ==, cudaSuccess);
  g_assert_cmpint (cudaMalloc (&b, 600000), ==, cudaSuccess);
  g_assert_cmpint (cudaFree (b), ==, cudaSuccess);
}

static void
test_fresh_memory_is_poison (void)
{
  const Machine machine (1);
  for (int i = 0; i < 3; i++)
    {
      float y[100];
      Device<float> device (100);
      device.get (y);
      for (float each : y)
        g_assert_true (isnan (each));
      memset (y, 0, sizeof y);
      device.put (y);
    }
}

static void
test_broken_guards_are_told (void)
{
#ifdef __SANITIZE_ADDRESS__
  g_test_skip ("AddressSanitizer ends the process at such an access");
#else
  for (ptrdiff_t at : { -1, 99 })
    for (bool by_free : { false, true })
      {
        const Machine machine (1, EXPECTS_FAULT);
        void *memory;
        cudaMalloc (&memory, 99);
        ASSAY_LAUNCH (write_kernel, 1, 1, 0, stream, (unsigned char *) memory, at);
        if (by_free)
          cudaFree (memory);
        else
          cudaStreamSynchronize (stream);
        g_assert_nonnull (strstr (assay_emulation_get_fault (), at < 0 ? "before" : "behind"));
      }
#endif
}

static void
test_freed_memory_cannot_be_used (void)
{
  const Machine machine (1, EXPECTS_FAULT);
  unsigned char *memory;
  cudaMalloc (&memory, 99);
  g_assert_cmpint (cudaFree (memory), ==, cudaSuccess);
  g_assert_null (assay_emulation_get_fault ());
  g_assert_cmpint (cudaFree (memory), ==, cudaErrorInvalidValue);
  g_assert_nonnull (strstr (assay_emulation_get_fault (), "taken back"));
  assay_emulation_clear_fault ();
  g_assert_cmpint (cudaMemsetAsync (memory, 0, 99, stream), ==, cudaErrorInvalidValue);
  assay_emulation_clear_fault ();
  ASSAY_LAUNCH (write_kernel, 1, 1, 0, stream, memory, (ptrdiff_t) 0);
  expect_broken (cudaErrorIllegalAddress, "argument 1");
}

static void
test_copies_stay_inside (void)
{
  const Machine machine (1, EXPECTS_FAULT);
  Device<char> y (99);
  char host[200] = { 0 };
  g_assert_cmpint (cudaMemcpyAsync (y.at, host, 100, cudaMemcpyHostToDevice, stream), ==,
                   cudaErrorInvalidValue);
  g_assert_cmpint (cudaMemcpyAsync (host, y.at + 1, 99, cudaMemcpyDeviceToHost, stream), ==,
                   cudaErrorInvalidValue);
  g_assert_cmpint (cudaMemcpyAsync (y.at, host, 9, cudaMemcpyDeviceToHost, stream), ==,
                   cudaErrorInvalidValue);
  g_assert_cmpint (cudaMemcpyAsync (y.at, host, 99, cudaMemcpyHostToDevice, stream), ==, cudaSuccess);
}

static void
test_the_host_cannot_touch_device_memory (void)
{
  if (g_test_subprocess ())
    {
      const Machine machine (1);
      Device<int> y (1);
      g_test_message ("%d", *(volatile int *) y.at);
      return;
    }
  g_test_trap_subprocess (nullptr, (GTimeSpan) 0, (GTestSubprocessFlags) 0);
  g_test_trap_assert_failed ();
#ifndef __SANITIZE_ADDRESS__
  g_test_trap_assert_stderr ("*the host touched device memory*");
#endif
}

static void
test_the_balance_counts (void)
{
  const Machine machine (1);
  void *memory, *pinned;
  cudaEvent_t event;
  cublasHandle_t handle;
  char page[16];
  cudaMalloc (&memory, 10);
  cudaMallocHost (&pinned, 20);
  cudaEventCreate (&event);
  cublasCreate (&handle);
  cudaHostRegister (page, sizeof page, 0);
  const AssayEmulationBalance now = assay_emulation_get_balance ();
  g_assert_cmpuint (now.n_device, ==, 1);
  g_assert_cmpuint (now.device_bytes, ==, 10);
  g_assert_cmpuint (now.n_pinned, ==, 1);
  g_assert_cmpuint (now.pinned_bytes, ==, 36);
  g_assert_cmpuint (now.n_registered, ==, 1);
  g_assert_cmpuint (now.n_streams, ==, 1);
  g_assert_cmpuint (now.n_events, ==, 1);
  g_assert_cmpuint (now.n_blas_handles, ==, 1);
  g_assert_false (assay_emulation_is_balanced ());
  cudaFree (memory);
  cudaFreeHost (pinned);
  cudaEventDestroy (event);
  cublasDestroy (handle);
  cudaHostUnregister (page);
}

/* --- failures --- */

static void
test_the_nth_call_fails (void)
{
  const Machine machine (1);
  void *memory;
  assay_emulation_fail_call ("cudaMalloc", 2, cudaErrorMemoryAllocation, false);
  Device<int> first (1);
  g_assert_false (assay_emulation_has_failed ());
  g_assert_cmpint (cudaMalloc (&memory, 4), ==, cudaErrorMemoryAllocation);
  g_assert_true (assay_emulation_has_failed ());
  Device<int> third (1);
  assay_emulation_fail_call (nullptr, 1, cudaErrorECCUncorrectable, false);
  ASSAY_LAUNCH (write_kernel, 1, 1, 0, stream, (unsigned char *) first.at, (ptrdiff_t) 0);
  g_assert_cmpint (cudaGetLastError (), ==, cudaErrorECCUncorrectable);
  g_assert_cmpint (cudaGetLastError (), ==, cudaSuccess);
  g_assert_cmpuint (assay_emulation_get_n_calls ("cudaMalloc"), ==, 3);
  g_assert_cmpuint (assay_emulation_get_n_calls ("cudaLaunchKernel"), ==, 1);
}

static void
test_a_sticky_error_stays (void)
{
  void *memory;
  int n;
  {
    const Machine machine (1, EXPECTS_FAULT);
    Device<int> y (1);
    assay_emulation_fail_call (nullptr, 1, cudaErrorIllegalAddress, true);
    g_assert_cmpint (cudaStreamSynchronize (stream), ==, cudaErrorIllegalAddress);
    g_assert_cmpint (cudaMalloc (&memory, 4), ==, cudaErrorIllegalAddress);
    g_assert_cmpint (cudaGetLastError (), ==, cudaErrorIllegalAddress);
    g_assert_cmpint (cudaGetLastError (), ==, cudaErrorIllegalAddress);
    g_assert_cmpint (cudaStreamDestroy (stream), ==, cudaErrorIllegalAddress);
    g_assert_cmpint (cudaFree (y.at), ==, cudaErrorIllegalAddress);
    g_assert_true (assay_emulation_is_balanced ());
    y.at = nullptr;
  }
  assay_emulation_start (nullptr);
  g_assert_cmpint (cudaGetDeviceCount (&n), ==, cudaSuccess);
  g_assert_cmpint (n, ==, 1);
}

static void
test_there_may_be_no_driver_and_no_device (void)
{
  AssayEmulationOptions options = {};
  int n = 7;
  options.no_driver = true;
  assay_emulation_start (&options);
  g_assert_cmpint (cudaGetDeviceCount (&n), ==, cudaErrorInsufficientDriver);
  g_assert_cmpint (cudaDriverGetVersion (&n), ==, cudaSuccess);
  g_assert_cmpint (n, ==, 0);
  options.no_driver = false;
  options.no_device = true;
  assay_emulation_start (&options);
  g_assert_cmpint (cudaGetDeviceCount (&n), ==, cudaErrorNoDevice);
}

/* --- cuBLAS --- */

struct Blas
{
  cublasHandle_t handle;
  Device<char> workspace;

  Blas () : workspace (4096)
  {
    g_assert_cmpint (cublasCreate (&handle), ==, CUBLAS_STATUS_SUCCESS);
    g_assert_cmpint (cublasSetStream (handle, stream), ==, CUBLAS_STATUS_SUCCESS);
    g_assert_cmpint (cublasSetWorkspace (handle, workspace.at, workspace.n), ==, CUBLAS_STATUS_SUCCESS);
  }
  ~Blas () { cublasDestroy (handle); }
};

#define M 5
#define K 7
#define COLUMNS 3

/* c = 2 * a * b - c by columns, a [M, K] lying turned, with a and b of the type, both wider than they need
 * be. */
template <class T>
static void
check_product (const Blas &blas, cudaDataType type, T (*from_float) (float), float (*to_float) (T))
{
  const int lda = K + 2, ldb = K + 1, ldc = M + 3;
  const float alpha = 2, beta = -1;
  T a[M * lda], b[COLUMNS * ldb];
  float c[COLUMNS * ldc], y[COLUMNS * ldc];
  for (size_t i = 0; i < G_N_ELEMENTS (a); i++)
    a[i] = from_float ((float) g_test_rand_double_range (-1, 1));
  for (size_t i = 0; i < G_N_ELEMENTS (b); i++)
    b[i] = from_float ((float) g_test_rand_double_range (-1, 1));
  for (size_t i = 0; i < G_N_ELEMENTS (c); i++)
    c[i] = (float) g_test_rand_double_range (-1, 1);
  Device<T> on_a (G_N_ELEMENTS (a)), on_b (G_N_ELEMENTS (b));
  Device<float> on_c (G_N_ELEMENTS (c));
  on_a.put (a);
  on_b.put (b);
  on_c.put (c);
  g_assert_cmpint (cublasGemmEx (blas.handle, CUBLAS_OP_T, CUBLAS_OP_N, M, COLUMNS, K, &alpha, on_a.at, type,
                                 lda, on_b.at, type, ldb, &beta, on_c.at, CUDA_R_32F, ldc, CUBLAS_COMPUTE_32F,
                                 CUBLAS_GEMM_DEFAULT),
                   ==, CUBLAS_STATUS_SUCCESS);
  on_c.get (y);
  for (int j = 0; j < COLUMNS; j++)
    for (int i = 0; i < ldc; i++)
      {
        double sum = 0;
        for (int l = 0; l < K; l++)
          sum += (double) to_float (a[i * lda + l < M * lda ? i * lda + l : 0]) * to_float (b[j * ldb + l]);
        const float before = c[j * ldc + i];
        g_assert_cmpfloat_with_epsilon (y[j * ldc + i], i < M ? 2 * sum - before : before, 1e-5);
      }
}

static float
same (float value)
{
  return value;
}

static void
test_products_are_right_in_every_type (void)
{
  const Machine machine (1);
  const Blas blas;
  check_product<float> (blas, CUDA_R_32F, same, same);
  check_product<uint16_t> (blas, CUDA_R_16F, f16_from_float, f16_to_float);
  check_product<uint16_t> (blas, CUDA_R_16BF, bf16_from_float, bf16_to_float);
}

static float
product_of_one (const Blas &blas, float factor)
{
  const float one = 1, none = 0;
  float y;
  Device<float> a (1), c (1);
  a.put (&factor);
  g_assert_cmpint (
      cublasSgemm (blas.handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, a.at, 1, a.at, 1, &none, c.at, 1),
      ==, CUBLAS_STATUS_SUCCESS);
  c.get (&y);
  return y;
}

static void
test_tf32_rounds_where_it_is_asked_for (void)
{
  const Machine machine (1);
  const Blas blas;
  const float fine = 1 + 0x1p-13f;
  g_assert_cmpfloat (product_of_one (blas, fine), ==, fine * fine);
  cublasSetMathMode (blas.handle, CUBLAS_TF32_TENSOR_OP_MATH);
  g_assert_cmpfloat (product_of_one (blas, fine), ==, 1);
  g_assert_cmpfloat (product_of_one (blas, 1 + 0x1p-10f), ==, (1 + 0x1p-10f) * (1 + 0x1p-10f));
}

static cublasStatus_t
small_product (const Blas &blas, float *at, int ld)
{
  const float one = 1, none = 0;
  return cublasSgemm (blas.handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, at, ld, at, ld, &none, at, ld);
}

static void
test_products_keep_cublas_rules (void)
{
  const Machine machine (1, EXPECTS_FAULT);
  const Blas blas;
  Device<float> all (5);
  g_assert_cmpint (small_product (blas, all.at, 1), ==, CUBLAS_STATUS_INVALID_VALUE);
  g_assert_cmpint (small_product (blas, all.at, 2), ==, CUBLAS_STATUS_SUCCESS);
  cublasSetStream (blas.handle, stream);
  g_assert_null (assay_emulation_get_fault ());
  g_assert_cmpint (small_product (blas, all.at, 2), !=, CUBLAS_STATUS_SUCCESS);
  g_assert_nonnull (strstr (assay_emulation_get_fault (), "workspace"));
  assay_emulation_clear_fault ();
  cublasSetWorkspace (blas.handle, blas.workspace.at, 4096);
  g_assert_cmpint (small_product (blas, all.at, 4), ==, CUBLAS_STATUS_SUCCESS);
  expect_broken (cudaErrorIllegalAddress, "matrix c");
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, nullptr);
  g_test_add_func ("/device/emulation/memory-comes-from-the-budget", test_memory_comes_from_the_budget);
  g_test_add_func ("/device/emulation/fresh-memory-is-poison", test_fresh_memory_is_poison);
  g_test_add_func ("/device/emulation/broken-guards-are-told", test_broken_guards_are_told);
  g_test_add_func ("/device/emulation/freed-memory-cannot-be-used", test_freed_memory_cannot_be_used);
  g_test_add_func ("/device/emulation/copies-stay-inside", test_copies_stay_inside);
  g_test_add_func ("/device/emulation/the-host-cannot-touch-device-memory",
                   test_the_host_cannot_touch_device_memory);
  g_test_add_func ("/device/emulation/the-balance-counts", test_the_balance_counts);
  g_test_add_func ("/device/emulation/the-nth-call-fails", test_the_nth_call_fails);
  g_test_add_func ("/device/emulation/a-sticky-error-stays", test_a_sticky_error_stays);
  g_test_add_func ("/device/emulation/no-driver-and-no-device", test_there_may_be_no_driver_and_no_device);
  g_test_add_func ("/device/emulation/products-are-right-in-every-type",
                   test_products_are_right_in_every_type);
  g_test_add_func ("/device/emulation/tf32-rounds-where-asked", test_tf32_rounds_where_it_is_asked_for);
  g_test_add_func ("/device/emulation/products-keep-cublas-rules", test_products_keep_cublas_rules);
  return g_test_run ();
}
