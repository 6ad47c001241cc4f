/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/kernels/test-plan.c: the backend that counts. */
#include <string.h>

#include "kernels-test.h"
#include "plan/plan.h"

static void
test_counts_every_byte (void)
{
  AssayBackend *b = assay_plan_backend_new (NULL, 0);
  void *x, *y;
  g_assert_cmpint (b->ops->alloc (b, 1000, &x), ==, ASSAY_OK);
  g_assert_cmpint (b->ops->alloc (b, G_GUINT64_CONSTANT (1) << 40, &y), ==,
                   ASSAY_OK); /* a terabyte costs nothing */
  g_assert_cmpuint (assay_plan_get_bytes (b), ==, 1000 + (G_GUINT64_CONSTANT (1) << 40));
  b->ops->free (b, y, G_GUINT64_CONSTANT (1) << 40);
  g_assert_cmpuint (assay_plan_get_bytes (b), ==, 1000);
  g_assert_cmpuint (assay_plan_get_peak_bytes (b), ==, 1000 + (G_GUINT64_CONSTANT (1) << 40));
  assay_plan_reset_peak (b);
  g_assert_cmpuint (assay_plan_get_peak_bytes (b), ==, 1000);
  g_assert_cmpuint (GPOINTER_TO_SIZE (x) % 64, ==, 0);
  b->ops->free (b, x, 1000);
  b->ops->free (b, NULL, 7);
  g_assert_cmpuint (assay_plan_get_bytes (b), ==, 0);
  b->ops->destroy (b);
}

static void
test_refuses_beyond_its_limit (void)
{
  AssayBackend *b = assay_plan_backend_new (NULL, 1000);
  void *x, *y;
  g_assert_cmpint (b->ops->alloc (b, 600, &x), ==, ASSAY_OK);
  g_assert_cmpint (b->ops->alloc (b, 401, &y), ==, ASSAY_NO_MEMORY);
  g_assert_null (y);
  g_assert_nonnull (strstr (b->fault, "401"));
  g_assert_cmpint (b->ops->alloc (b, SIZE_MAX, &y), ==, ASSAY_NO_MEMORY);
  g_assert_cmpint (b->ops->alloc (b, 400, &y), ==, ASSAY_OK);
  g_assert_cmpuint (assay_plan_get_peak_bytes (b), ==, 1000);
  b->ops->free (b, x, 600);
  b->ops->free (b, y, 400);
  b->ops->destroy (b);
}

/* Every operation over memory that cannot be touched. */
static void
test_computes_nothing (void)
{
  AssayBackend *b = assay_plan_backend_new (NULL, 0);
  const AssayKernels *ops = b->ops;
  void *memory;
  int32_t token = -1;
  float host[4] = { 1, 2, 3, 4 };
  g_assert_cmpint (ops->alloc (b, 4096, &memory), ==, ASSAY_OK);
  float *x = memory;
  const AssayTensor w = { ASSAY_DTYPE_Q4_0, { 32, 8, 1, 1 }, 18, memory };
  const AssayRope rope = { 4, TRUE, 1e4f, 1, 1, NULL };
  const AssayAttention a = { &w, &w, 1, 1, 32, 32, 1, 0, 0, 1, 0 };
  const AssaySampling s = { 1, 1, 0, 1, 2, 3 };
  g_assert_cmpint (ops->upload (b, x, host, sizeof host), ==, ASSAY_OK);
  g_assert_cmpint (ops->download (b, host, x, sizeof host), ==, ASSAY_OK);
  g_assert_cmpfloat (host[3], ==, 0);
  g_assert_cmpint (ops->embed (b, x, &w, memory, 1, 1), ==, ASSAY_OK);
  g_assert_cmpint (ops->rmsnorm (b, x, x, x, 1, 32, 1), ==, ASSAY_OK);
  g_assert_cmpint (ops->layernorm (b, x, x, x, x, 1, 32, 1), ==, ASSAY_OK);
  g_assert_cmpint (ops->rope (b, x, &rope, 1, 1, 4, 0), ==, ASSAY_OK);
  g_assert_cmpint (ops->matmul (b, x, &w, x, 1, NULL, NULL), ==, ASSAY_OK);
  g_assert_cmpint (ops->kv_store (b, &w, x, 1, 0), ==, ASSAY_OK);
  g_assert_cmpint (ops->attention (b, x, x, &a, NULL), ==, ASSAY_OK);
  g_assert_cmpint (ops->gated (b, x, x, x, 32, ASSAY_ACTIVATION_SILU), ==, ASSAY_OK);
  g_assert_cmpint (ops->activate (b, x, x, 32, ASSAY_ACTIVATION_GELU), ==, ASSAY_OK);
  g_assert_cmpint (ops->add (b, x, x, 32, 1.0f), ==, ASSAY_OK);
  g_assert_cmpint (ops->softmax (b, x, 1, 32), ==, ASSAY_OK);
  g_assert_cmpint (ops->soft_cap (b, x, 32, 30), ==, ASSAY_OK);
  g_assert_cmpint (ops->sample (b, &token, x, 32, &s, NULL), ==, ASSAY_OK);
  g_assert_cmpint (ops->dequantize (b, x, &w, 0, 1), ==, ASSAY_OK);
  g_assert_cmpint (ops->quantize (b, &w, x, 0, 1, NULL), ==, ASSAY_OK);
  g_assert_cmpint (ops->quantize_finish (b, &w, NULL), ==, ASSAY_OK);
  g_assert_cmpint (ops->sync (b), ==, ASSAY_OK);
  g_assert_cmpint (token, ==, 0);
  g_assert_cmpuint (assay_plan_get_n_calls (b), ==, 18);
  ops->free (b, memory, 4096);
  ops->destroy (b);
}

/* Of weights that nobody has read yet. */
static void
test_foretells_products_of_every_kind (void)
{
  static const AssayDtype dtypes[] = { ASSAY_DTYPE_F16, ASSAY_DTYPE_Q4_K, ASSAY_DTYPE_NF4, ASSAY_DTYPE_INT8 };
  for (int compute = ASSAY_COMPUTE_F32; compute <= ASSAY_COMPUTE_INT8; compute++)
    {
      AssayBackend *cpu = kt_backend_with (ASSAY_CPU_BEST, 2, (AssayCompute) compute);
      AssayBackend *b = assay_plan_backend_new (cpu, 0);
      for (gsize i = 0; i < G_N_ELEMENTS (dtypes); i++)
        {
          const AssayTensor w = { dtypes[i], { 512, 8, 1, 1 }, 0, NULL };
          for (gsize n = 1; n < 20; n += 9)
            g_assert_cmpuint (b->ops->matmul_workspace (b, &w, n), ==,
                              cpu->ops->matmul_workspace (cpu, &w, n));
          g_assert_cmpuint (b->ops->quantize_scratch (b, &w), ==, cpu->ops->quantize_scratch (cpu, &w));
        }
      b->ops->destroy (b);
      cpu->ops->destroy (cpu);
    }
}

static void
test_foretells_the_other_backends_workspaces (void)
{
  AssayBackend *cpu = kt_backend (ASSAY_CPU_BEST, 2, FALSE);
  AssayBackend *b = assay_plan_backend_new (cpu, 0), *none = assay_plan_backend_new (NULL, 0);
  const AssayTensor w = { ASSAY_DTYPE_Q4_0, { 64, 8, 1, 1 }, 36, NULL };
  const AssayTensor cache = { ASSAY_DTYPE_F16, { 64, 100, 1, 1 }, 128, NULL };
  const AssayAttention a = { &cache, &cache, 2, 1, 64, 64, 50, 0, 0, 1, 0 };
  g_assert_cmpuint (b->ops->matmul_workspace (b, &w, 9), ==, cpu->ops->matmul_workspace (cpu, &w, 9));
  g_assert_cmpuint (b->ops->matmul_workspace (b, &w, 9), >, 0);
  g_assert_cmpuint (b->ops->attention_workspace (b, &a), ==, cpu->ops->attention_workspace (cpu, &a));
  g_assert_cmpuint (b->ops->sample_workspace (b, 100), ==, cpu->ops->sample_workspace (cpu, 100));
  g_assert_cmpuint (none->ops->matmul_workspace (none, &w, 9), ==, 0);
  b->ops->destroy (b);
  none->ops->destroy (none);
  cpu->ops->destroy (cpu);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kernels/plan/counts-every-byte", test_counts_every_byte);
  g_test_add_func ("/kernels/plan/refuses-beyond-its-limit", test_refuses_beyond_its_limit);
  g_test_add_func ("/kernels/plan/computes-nothing", test_computes_nothing);
  g_test_add_func ("/kernels/plan/foretells-the-other-backends-workspaces",
                   test_foretells_the_other_backends_workspaces);
  g_test_add_func ("/kernels/plan/foretells-products-of-every-kind", test_foretells_products_of_every_kind);
  return g_test_run ();
}
