/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/kernels/test-backend.c: what a CPU backend is made with: names, memory, a full table. */
#include <string.h>

#include "kernels-test.h"
#include "plan/plan.h"

static void
test_names_say_how_products_are_made (void)
{
  static const char *const names[]
    = { "scalar float32", "scalar float16", "scalar bfloat16", "scalar int8x2" };
  for (int compute = ASSAY_COMPUTE_F32; compute <= ASSAY_COMPUTE_INT8; compute++)
    {
      AssayBackend *b = kt_backend_with (ASSAY_CPU_SCALAR, 1, (AssayCompute) compute);
      g_assert_cmpstr (assay_cpu_get_kernel_name (b), ==, names[compute]);
      b->ops->destroy (b);
    }
}

static void
check_table (const AssayKernels *ops)
{
  gconstpointer slots[sizeof *ops / sizeof (gpointer)];
  memcpy (slots, ops, sizeof slots);
  for (gsize i = 0; i < G_N_ELEMENTS (slots); i++)
    if (slots[i] == NULL)
      g_error ("%s: slot %zu of the table is empty", ops->name, i);
}

static void
test_every_slot_is_filled (void)
{
  AssayBackend *cpu = kt_backend (ASSAY_CPU_SCALAR, 1, TRUE), *plan = assay_plan_backend_new (cpu, 0);
  check_table (cpu->ops);
  check_table (plan->ops);
  plan->ops->destroy (plan);
  cpu->ops->destroy (cpu);
}

/* Kilobytes of a key in this process's status; 0 where there is none. */
static guint64
status_kb (const char *key)
{
  g_autofree char *text = NULL;
  if (!g_file_get_contents ("/proc/self/status", &text, NULL, NULL))
    return 0;
  const char *at = strstr (text, key);
  return at != NULL ? g_ascii_strtoull (at + strlen (key), NULL, 10) : 0;
}

static void
test_shared_memory_counts_apart (void)
{
  const AssayCpuOptions options = { .n_threads = 1, .isa = ASSAY_CPU_SCALAR, .shared_memory = true };
  AssayBackend *b = assay_cpu_backend_new (&options);
  const gsize bytes = 32 << 20;
  void *memory, *nothing;
  const guint64 own = status_kb ("RssAnon:"), shared = status_kb ("RssShmem:");
  g_assert_cmpint (b->ops->alloc (b, bytes, &memory), ==, ASSAY_OK);
  g_assert_cmpuint (GPOINTER_TO_SIZE (memory) % 64, ==, 0);
  memset (memory, 1, bytes);
  if (shared == 0 && status_kb ("RssShmem:") == 0)
    g_test_message ("this system does not tell kinds of memory apart");
  else
    {
      g_assert_cmpuint (status_kb ("RssShmem:"), >=, shared + bytes / 1024);
      g_assert_cmpuint (status_kb ("RssAnon:"), <, own + bytes / 2048);
    }
  b->ops->free (b, memory, bytes);
  g_assert_cmpuint (status_kb ("RssShmem:"), <, shared + bytes / 2048);
  g_assert_cmpint (b->ops->alloc (b, 0, &nothing), ==, ASSAY_OK);
  b->ops->free (b, nothing, 0);
  b->ops->free (b, NULL, 7);
  b->ops->destroy (b);
}

/* More than any processor addresses is asked of the system only as a mapping: sanitizers end a process that asks
 * it of malloc. */
static void
test_memory_that_is_not_there (void)
{
  static const struct { gsize bytes; bool shared; } cases[]
    = { { SIZE_MAX, false }, { SIZE_MAX, true }, { (gsize) 1 << 60, true } };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const AssayCpuOptions options
        = { .n_threads = 1, .isa = ASSAY_CPU_SCALAR, .shared_memory = cases[i].shared };
      AssayBackend *b = assay_cpu_backend_new (&options);
      void *memory = b;
      g_assert_cmpint (b->ops->alloc (b, cases[i].bytes, &memory), ==, ASSAY_NO_MEMORY);
      g_assert_null (memory);
      g_assert_nonnull (strstr (b->fault, "bytes"));
      b->ops->destroy (b);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kernels/backend/names-say-how-products-are-made", test_names_say_how_products_are_made);
  g_test_add_func ("/kernels/backend/every-slot-is-filled", test_every_slot_is_filled);
  g_test_add_func ("/kernels/backend/shared-memory-counts-apart", test_shared_memory_counts_apart);
  g_test_add_func ("/kernels/backend/memory-that-is-not-there-is-refused", test_memory_that_is_not_there);
  return g_test_run ();
}
