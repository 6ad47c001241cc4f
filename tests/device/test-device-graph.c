/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/test-device-graph.c: passes that are recorded and handed over at once give what the same
 * operations give one by one, pass after pass, in any order of the streams. */
#include <string.h>

#include "card-skip.h"
#include "device-test.h"

#define WIDTH 64
#define CAPACITY 40

static const AssayCudaModule *module = &assay_cuda_module;

/* What a pass of one token works on, on the device. */
typedef struct
{
  AssayTensor w, cache;
  float *x, *y;
  gpointer matmul_workspace, attention_workspace;
} Pass;

static AssayAttention
pass_attention (const Pass *self, guint position)
{
  return (AssayAttention) { &self->cache, &self->cache, 2, 1, WIDTH, WIDTH, 1, position, 0, 0.125f, 0 };
}

static Pass
pass_new (DtPair *pair, const AssayTensor *w, const float *x)
{
  AssayBackend *b = pair->device;
  Pass self = { .w = dt_put_tensor (pair, w, dt_tensor_bytes (w)) };
  self.cache = (AssayTensor) { ASSAY_DTYPE_F16, { WIDTH, CAPACITY, 1, 1 }, 2 * WIDTH, NULL };
  self.cache.data = dt_put (pair, NULL, 2 * WIDTH * CAPACITY);
  self.x = dt_put (pair, x, 2 * WIDTH * sizeof *x);
  self.y = dt_put (pair, NULL, 2 * WIDTH * sizeof *x);
  const AssayAttention a = pass_attention (&self, CAPACITY - 1);
  self.matmul_workspace = dt_put (pair, NULL, b->ops->matmul_workspace (b, &self.w, 2));
  self.attention_workspace = dt_put (pair, NULL, b->ops->attention_workspace (b, &a));
  return self;
}

/* Rows of two heads; one of them is cached at the position and seen by both. */
static void
pass_queue (AssayBackend *b, const Pass *self, guint position)
{
  const AssayRope rope = { WIDTH, false, 10000, 1, 1, NULL };
  const AssayAttention a = pass_attention (self, position);
  g_assert_cmpint (b->ops->matmul (b, self->y, &self->w, self->x, 2, NULL, self->matmul_workspace), ==,
                   ASSAY_OK);
  g_assert_cmpint (b->ops->rope (b, self->y, &rope, 1, 2, WIDTH, position), ==, ASSAY_OK);
  g_assert_cmpint (b->ops->softmax (b, self->y, 2, WIDTH), ==, ASSAY_OK);
  g_assert_cmpint (b->ops->kv_store (b, &self->cache, self->y, 1, position), ==, ASSAY_OK);
  g_assert_cmpint (b->ops->attention (b, self->x, self->y, &a, self->attention_workspace), ==, ASSAY_OK);
}

/* x after so many passes; every third one is not recorded. */
static void
run_passes (guint64 seed, gboolean records, const AssayTensor *w, const float *x, float *result)
{
  DtPair pair;
  dt_open (&pair, ASSAY_COMPUTE_F32, seed);
  AssayBackend *b = pair.device;
  const Pass pass = pass_new (&pair, w, x);
  for (guint position = 0; position < 12; position++)
    {
      const gboolean recorded = records && position % 3 != 1;
      if (recorded)
        g_assert_cmpint (module->graph_begin (b), ==, ASSAY_OK);
      pass_queue (b, &pass, position);
      if (recorded)
        g_assert_cmpint (module->graph_end (b, true), ==, ASSAY_OK);
    }
  dt_get (&pair, result, pass.x, 2 * WIDTH * sizeof *result);
  dt_close (&pair);
}

static void
test_recorded_passes_are_the_same (void)
{
  AssayTensor w = dt_weight (ASSAY_DTYPE_Q8_0, WIDTH, WIDTH);
  g_autofree float *x = dt_random (2 * WIDTH, -2, 2);
  float expected[2 * WIDTH], got[2 * WIDTH];
  run_passes (0, FALSE, &w, x, expected);
  for (guint64 seed = 0; seed < 20; seed++)
    {
      run_passes (seed, TRUE, &w, x, got);
      g_assert_cmpmem (got, sizeof got, expected, sizeof expected);
    }
  kt_weight_clear (&w);
}

static void
test_a_forgotten_record_does_nothing (void)
{
  DtPair pair;
  AssayTensor w = dt_weight (ASSAY_DTYPE_F32, WIDTH, WIDTH);
  g_autofree float *x = dt_random (2 * WIDTH, -2, 2);
  dt_open (&pair, ASSAY_COMPUTE_F32, 0);
  AssayBackend *b = pair.device;
  const Pass pass = pass_new (&pair, &w, x);
  g_assert_cmpint (module->graph_begin (b), ==, ASSAY_OK);
  pass_queue (b, &pass, 0);
  g_assert_cmpint (module->graph_end (b, false), ==, ASSAY_OK);
  dt_check_bytes (&pair, pass.x, x, 2 * WIDTH * sizeof *x, "not run");
  pass_queue (b, &pass, 0);
  g_assert_cmpint (b->ops->sync (b), ==, ASSAY_OK);
  g_assert_cmpint (module->graph_end (b, true), ==, ASSAY_DEVICE_FAULT);
  g_assert_cmpstr (b->fault, !=, "");
  kt_weight_clear (&w);
  dt_close (&pair);
}

/* What would wait refuses, and the record is none the worse for it. */
static void
test_waiting_is_refused_while_recording (void)
{
  DtPair pair;
  AssayTensor w = dt_weight (ASSAY_DTYPE_F32, WIDTH, WIDTH);
  g_autofree float *x = dt_random (2 * WIDTH, -2, 2);
  float host[4];
  gint32 token;
  uint64_t ticket;
  dt_open (&pair, ASSAY_COMPUTE_F32, 0);
  AssayBackend *b = pair.device;
  const AssaySampling greedy = { .top_p = 1 };
  const Pass pass = pass_new (&pair, &w, x);
  g_assert_cmpint (module->graph_begin (b), ==, ASSAY_OK);
  pass_queue (b, &pass, 0);
  g_assert_cmpint (b->ops->upload (b, pass.x, host, sizeof host), ==, ASSAY_UNSUPPORTED);
  g_assert_cmpint (b->ops->download (b, host, pass.x, sizeof host), ==, ASSAY_UNSUPPORTED);
  g_assert_cmpint (b->ops->sync (b), ==, ASSAY_UNSUPPORTED);
  g_assert_cmpint (b->ops->sample (b, &token, pass.x, 4, &greedy, pass.matmul_workspace), ==,
                   ASSAY_UNSUPPORTED);
  g_assert_cmpint (module->copy (b, pass.x, host, sizeof host, &ticket), ==, ASSAY_UNSUPPORTED);
  g_assert_cmpint (module->graph_end (b, true), ==, ASSAY_OK);
  g_assert_cmpint (b->ops->sync (b), ==, ASSAY_OK);
  kt_weight_clear (&w);
  dt_close (&pair);
}

/* Every call of a recorded pass may fail: a status with words, and nothing left behind. */
static gboolean
fail_call_of_a_record (const AssayTensor *w, guint64 n, gboolean sticky)
{
  DtPair pair;
  const float x[2 * WIDTH] = { 1 };
  dt_open (&pair, ASSAY_COMPUTE_F32, 0);
  AssayBackend *b = pair.device;
  const Pass pass = pass_new (&pair, w, x);
  assay_emulation_fail_call (NULL, n, 999, sticky);
  AssayStatus status = module->graph_begin (b);
  if (status == ASSAY_OK)
    {
      const AssayStatus queued = b->ops->softmax (b, pass.x, 2, WIDTH);
      status = module->graph_end (b, queued == ASSAY_OK);
      status = queued != ASSAY_OK ? queued : status;
    }
  if (status == ASSAY_OK)
    status = b->ops->sync (b);
  const gboolean came = assay_emulation_has_failed ();
  g_assert_true (status == ASSAY_OK ? !sticky || !came : b->fault[0] != '\0');
  g_ptr_array_free (pair.memory, TRUE);
  b->ops->destroy (b);
  pair.cpu->ops->destroy (pair.cpu);
  const AssayEmulationBalance left = assay_emulation_get_balance ();
  g_assert_cmpuint (left.n_graphs + left.n_graph_execs + left.n_streams + left.n_events + left.n_pinned, ==, 0);
  g_assert_cmpstr (assay_emulation_get_fault (), ==, NULL);
  return came;
}

static void
test_every_call_of_a_record_may_fail (void)
{
  if (card_skip (CARD_NO_FAILURES))
    return;
  AssayTensor w = dt_weight (ASSAY_DTYPE_F32, WIDTH, WIDTH);
  for (int sticky = 0; sticky < 2; sticky++)
    {
      guint64 n = 1;
      while (fail_call_of_a_record (&w, n, sticky))
        n++;
      g_assert_cmpuint (n, >, 6);
    }
  kt_weight_clear (&w);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/device/graph/recorded-passes-are-the-same", test_recorded_passes_are_the_same);
  g_test_add_func ("/device/graph/a-forgotten-record-does-nothing", test_a_forgotten_record_does_nothing);
  g_test_add_func ("/device/graph/waiting-is-refused-while-recording",
                   test_waiting_is_refused_while_recording);
  g_test_add_func ("/device/graph/every-call-of-a-record-may-fail", test_every_call_of_a_record_may_fail);
  return g_test_run ();
}
