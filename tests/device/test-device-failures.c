/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/test-device-failures.c: what becomes of the backend when CUDA fails: every call of a short
 * run, once and for good, and memory that does not suffice. Always a status with words, never a crash,
 * nothing left behind. */
#include <string.h>

#include "device-test.h"

#define CUDA_MEMORY_ALLOCATION 2
#define CUDA_ILLEGAL_ADDRESS 700
#define CUDA_UNKNOWN 999

static const AssayCudaModule *module = &assay_cuda_module;

#define N 64

/* What a run has taken. */
typedef struct
{
  AssayBackend *b;
  gpointer memory[8];
  gpointer pinned;
  guint n_memory;
  AssayTensor w;
} Run;

#define TRY(call)                                                                                            \
  do                                                                                                         \
    {                                                                                                        \
      const AssayStatus status_ = (call);                                                                    \
      if (status_ != ASSAY_OK)                                                                               \
        return status_;                                                                                      \
    }                                                                                                        \
  while (0)

static AssayStatus
run_alloc (Run *self, gsize bytes, gpointer *out)
{
  const AssayStatus status = self->b->ops->alloc (self->b, bytes, out);
  if (status == ASSAY_OK)
    self->memory[self->n_memory++] = *out;
  else
    g_assert_null (*out);
  return status;
}

/* One of each kind of call: memory, copies both ways and beside, kernels, a product of many tokens, a draw.
 */
static AssayStatus
run_work (Run *self, float *result)
{
  AssayBackend *b = self->b;
  const gsize n_tokens = 12, bytes = dt_tensor_bytes (&self->w);
  const AssaySampling sampling = { .temperature = 1, .top_p = 1 };
  gpointer x, y, w, workspace, candidates;
  uint64_t ticket;
  gint32 token;
  float host[12 * N];
  for (gsize i = 0; i < G_N_ELEMENTS (host); i++)
    host[i] = (float) (i % 17) / 17;
  TRY (run_alloc (self, sizeof host, &x));
  TRY (run_alloc (self, sizeof host, &y));
  TRY (run_alloc (self, bytes, &w));
  TRY (run_alloc (self, b->ops->matmul_workspace (b, &self->w, n_tokens), &workspace));
  TRY (run_alloc (self, b->ops->sample_workspace (b, N), &candidates));
  TRY (module->pinned_alloc (b, bytes, &self->pinned));
  memcpy (self->pinned, self->w.data, bytes);
  TRY (b->ops->upload (b, x, host, sizeof host));
  TRY (module->copy (b, w, self->pinned, bytes, &ticket));
  TRY (module->copy_order (b, ticket));
  AssayTensor there = self->w;
  there.data = w;
  TRY (b->ops->matmul (b, y, &there, x, n_tokens, NULL, workspace));
  TRY (b->ops->softmax (b, y, n_tokens, N));
  TRY (b->ops->sample (b, &token, y, N, &sampling, candidates));
  TRY (b->ops->download (b, host, y, sizeof host));
  TRY (module->copy_wait (b, ticket));
  TRY (b->ops->sync (b));
  *result = host[5];
  return ASSAY_OK;
}

/* Gives everything back, whatever came before. *closed: an error spoilt the context. */
static void
run_end (Run *self, bool *closed)
{
  AssayBackend *b = self->b;
  *closed = module->is_closed (b);
  for (guint i = 0; i < self->n_memory; i++)
    b->ops->free (b, self->memory[i], 0);
  module->pinned_free (b, self->pinned);
  b->ops->destroy (b);
}

/* ASSAY_OK and the right result, or a status with words; afterwards nothing is left. */
static AssayStatus
run_once (const AssayTensor *w, float *result)
{
  const AssayCudaOptions options = { .compute = ASSAY_COMPUTE_F32 };
  char fault[240] = "";
  Run self = { .b = module->backend_new (&options, fault, sizeof fault), .w = *w };
  if (self.b == NULL)
    {
      g_assert_cmpstr (fault, !=, "");
      g_assert_true (assay_emulation_is_balanced ());
      return ASSAY_DEVICE_FAULT;
    }
  bool closed;
  const AssayStatus status = run_work (&self, result);
  if (status != ASSAY_OK)
    g_assert_cmpstr (self.b->fault, !=, "");
  run_end (&self, &closed);
  /* What a spoilt context held goes with it, that of alloc() alone. */
  const AssayEmulationBalance left = assay_emulation_get_balance ();
  if (closed)
    g_assert_cmpuint (left.n_pinned + left.n_streams + left.n_events + left.n_blas_handles, ==, 0);
  else if (!assay_emulation_is_balanced ())
    g_error ("left behind: %zu of device memory, %zu pinned, %zu streams, %zu events", left.n_device,
             left.n_pinned, left.n_streams, left.n_events);
  return status;
}

/* Fails each call of the run in turn. Returns how many there are. */
static guint
fail_each_call (const AssayTensor *w, float expected, int error, gboolean sticky, AssayEmulationOrder order)
{
  guint n = 0, n_failed = 0;
  bool came;
  do
    {
      const AssayEmulationOptions machine = { .order = order, .seed = ++n };
      float result = -1;
      assay_emulation_start (&machine);
      assay_emulation_fail_call (NULL, n, error, sticky);
      const AssayStatus status = run_once (w, &result);
      came = assay_emulation_has_failed ();
      g_assert_cmpstr (assay_emulation_get_fault (), ==, NULL);
      n_failed += status != ASSAY_OK;
      if (status == ASSAY_OK)
        g_assert_cmpfloat (result, ==, expected);
    }
  while (came);
  g_test_message ("error %d: %u calls, %u of them end the run", error, n - 1, n_failed);
  return n - 1;
}

static void
test_every_call_may_fail (void)
{
  AssayTensor w = dt_weight (ASSAY_DTYPE_Q4_0, N, N);
  float expected = -1;
  assay_emulation_start (NULL);
  g_assert_cmpint (run_once (&w, &expected), ==, ASSAY_OK);
  const guint n = fail_each_call (&w, expected, CUDA_MEMORY_ALLOCATION, FALSE, ASSAY_EMULATION_LAZY);
  g_assert_cmpuint (n, >, 50);
  fail_each_call (&w, expected, CUDA_UNKNOWN, FALSE, ASSAY_EMULATION_LAZY);
  fail_each_call (&w, expected, CUDA_ILLEGAL_ADDRESS, TRUE, ASSAY_EMULATION_RANDOM);
  kt_weight_clear (&w);
}

static void
test_memory_may_not_suffice (void)
{
  AssayTensor w = dt_weight (ASSAY_DTYPE_Q4_0, N, N);
  guint n_refused = 0;
  float result, expected = -1;
  assay_emulation_start (NULL);
  g_assert_cmpint (run_once (&w, &expected), ==, ASSAY_OK);
  for (gsize kib = 8 << 10; kib < (8 << 10) + 80; kib += 3)
    {
      const AssayEmulationOptions machine = { .budget_bytes = kib * 1024 };
      assay_emulation_start (&machine);
      const AssayStatus status = run_once (&w, &result);
      g_assert_true (status == ASSAY_OK || status == ASSAY_NO_MEMORY || status == ASSAY_DEVICE_FAULT);
      n_refused += status != ASSAY_OK;
      if (status == ASSAY_OK)
        g_assert_cmpfloat (result, ==, expected);
    }
  g_assert_cmpuint (n_refused, >, 0);
  g_assert_cmpuint (n_refused, <, 27);
  kt_weight_clear (&w);
}

/* From then on CUDA is not asked, and the first words stay. */
static void
test_a_spoilt_context_closes_the_backend (void)
{
  const AssayCudaOptions options = { .compute = ASSAY_COMPUTE_F32 };
  char fault[240], words[240];
  gpointer memory;
  assay_emulation_start (NULL);
  AssayBackend *b = module->backend_new (&options, fault, sizeof fault);
  g_assert_cmpint (b->ops->alloc (b, 64, &memory), ==, ASSAY_OK);
  assay_emulation_fail_call ("cudaStreamSynchronize", 1, CUDA_ILLEGAL_ADDRESS, true);
  g_assert_cmpint (b->ops->sync (b), ==, ASSAY_DEVICE_FAULT);
  g_assert_true (module->is_closed (b));
  g_assert_nonnull (strstr (b->fault, "illegal memory access"));
  g_strlcpy (words, b->fault, sizeof words);
  const guint64 n_calls = assay_emulation_get_n_calls (NULL);
  b->fault[0] = '\0';
  g_assert_cmpint (b->ops->softmax (b, memory, 1, 4), ==, ASSAY_DEVICE_FAULT);
  g_assert_cmpstr (b->fault, ==, words);
  g_assert_cmpuint (assay_emulation_get_n_calls (NULL), ==, n_calls);
  b->ops->free (b, memory, 64);
  b->ops->destroy (b);
}

static void
test_devices_are_told_in_words (void)
{
  char text[500];
  AssayEmulationOptions machine = { .n_devices = 2, .compute_major = 9 };
  AssayCudaInfo info;
  assay_emulation_start (&machine);
  g_assert_cmpint (module->probe (text, sizeof text), ==, 2);
  g_assert_nonnull (strstr (text, "cuda:1: Emulated device 1, 1.0 GiB, compute 9.0"));
  g_assert_true (module->get_info (1, &info, text, sizeof text));
  g_assert_cmpint (info.compute_major, ==, 9);
  g_assert_cmpuint (info.memory_bytes, ==, 1 << 30);
  g_assert_false (module->get_info (2, &info, text, sizeof text));
  g_assert_cmpstr (text, !=, "");
  machine.no_driver = true;
  assay_emulation_start (&machine);
  g_assert_cmpint (module->probe (text, sizeof text), ==, 0);
  g_assert_cmpstr (text, ==, "no driver");
  g_assert_false (module->get_info (0, &info, text, sizeof text));
  g_assert_cmpstr (text, ==, "no driver");
}

static void
test_old_devices_are_refused (void)
{
  const AssayEmulationOptions machine = { .compute_major = 6, .compute_minor = 1 };
  const AssayCudaOptions options = { .compute = ASSAY_COMPUTE_F32 };
  char fault[240] = "";
  assay_emulation_start (&machine);
  g_assert_null (module->backend_new (&options, fault, sizeof fault));
  g_assert_nonnull (strstr (fault, "6.1"));
  g_assert_true (assay_emulation_is_balanced ());
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/device/failures/every-call-may-fail", test_every_call_may_fail);
  g_test_add_func ("/device/failures/memory-may-not-suffice", test_memory_may_not_suffice);
  g_test_add_func ("/device/failures/a-spoilt-context-closes-the-backend",
                   test_a_spoilt_context_closes_the_backend);
  g_test_add_func ("/device/failures/devices-are-told-in-words", test_devices_are_told_in_words);
  g_test_add_func ("/device/failures/old-devices-are-refused", test_old_devices_are_refused);
  return g_test_run ();
}
