/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/test-device-link.c: copies beside compute, in fifty legal orders of the streams: what comes
 * out is the same in each, or a wait is missing. */
#include <math.h>
#include <string.h>

#include "card-skip.h"
#include "device-test.h"

#define N_LAYERS 6
#define N 64 /* rows and columns of a layer */
#define N_TOKENS 3
#define ORDERS 50

static const AssayCudaModule *module = &assay_cuda_module;

/* --- plain copies --- */

static void
test_up_and_down (void)
{
  static const gsize sizes[] = { 0, 1, 4096, (4 << 20) - 1, (4 << 20) + 1, (13 << 20) + 5 };
  DtPair pair;
  for (guint64 seed = 0; seed < 3; seed++)
    {
      dt_open (&pair, ASSAY_COMPUTE_F32, seed);
      for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
        {
          g_autofree guint8 *host = g_malloc (sizes[i] + 1);
          for (gsize k = 0; k < sizes[i]; k++)
            host[k] = (guint8) (k * 7 + k / 4096);
          g_autofree guint8 *kept = g_memdup2 (host, sizes[i] + 1);
          gpointer there = dt_put (&pair, host, sizes[i]);
          memset (host, 0, sizes[i]); /* it was the caller's again */
          dt_check_bytes (&pair, there, kept, sizes[i], "up and down");
        }
      dt_close (&pair);
    }
}

/* --- a model that is larger than its place on the device --- */

typedef struct
{
  DtPair pair;
  AssayTensor layers[N_LAYERS]; /* on the host, pinned */
  gpointer slots[2];
  float *x, *y, *workspace; /* on the device */
  uint64_t tickets[N_LAYERS];
} Stream;

static void
stream_open (Stream *self, guint64 seed, const float *x, const AssayTensor *layers, gsize bytes)
{
  AssayBackend *b;
  dt_open (&self->pair, ASSAY_COMPUTE_F32, seed);
  b = self->pair.device;
  for (guint i = 0; i < N_LAYERS; i++)
    {
      gpointer pinned;
      g_assert_cmpint (module->pinned_alloc (b, bytes, &pinned), ==, ASSAY_OK);
      memcpy (pinned, layers[i].data, bytes);
      self->layers[i] = layers[i];
      self->layers[i].data = pinned;
    }
  for (guint i = 0; i < 2; i++)
    self->slots[i] = dt_put (&self->pair, NULL, bytes);
  self->x = dt_put (&self->pair, x, N_TOKENS * N * 4);
  self->y = dt_put (&self->pair, NULL, N_TOKENS * N * 4);
  self->workspace = dt_put (&self->pair, NULL, b->ops->matmul_workspace (b, layers, N_TOKENS));
}

static void
stream_close (Stream *self)
{
  for (guint i = 0; i < N_LAYERS; i++)
    module->pinned_free (self->pair.device, (gpointer) self->layers[i].data);
  dt_close (&self->pair);
}

/* Layer i + 1 is copied into the other slot while layer i is computed with. */
static void
stream_run (Stream *self, gsize bytes)
{
  AssayBackend *b = self->pair.device;
  g_assert_cmpint (module->copy (b, self->slots[0], self->layers[0].data, bytes, &self->tickets[0]), ==,
                   ASSAY_OK);
  for (guint i = 0; i < N_LAYERS; i++)
    {
      AssayTensor w = self->layers[i];
      w.data = self->slots[i % 2];
      if (i + 1 < N_LAYERS)
        g_assert_cmpint (module->copy (b, self->slots[(i + 1) % 2], self->layers[i + 1].data, bytes,
                                       &self->tickets[i + 1]),
                         ==, ASSAY_OK);
      g_assert_cmpint (module->copy_order (b, self->tickets[i]), ==, ASSAY_OK);
      g_assert_cmpint (b->ops->matmul (b, self->y, &w, self->x, N_TOKENS, NULL, self->workspace), ==,
                       ASSAY_OK);
      g_assert_cmpint (b->ops->activate (b, self->x, self->y, N_TOKENS * N, ASSAY_ACTIVATION_SILU), ==,
                       ASSAY_OK);
    }
}

/* Where there is room for all of it. */
static void
expect_stream (const AssayTensor *layers, const float *x, float *result)
{
  AssayBackend *cpu = kt_backend_with (ASSAY_CPU_SCALAR, 1, ASSAY_COMPUTE_F32);
  g_autofree guint8 *workspace = g_malloc (cpu->ops->matmul_workspace (cpu, layers, N_TOKENS) + 1);
  float y[N_TOKENS * N];
  memcpy (result, x, sizeof y);
  for (guint i = 0; i < N_LAYERS; i++)
    {
      cpu->ops->matmul (cpu, y, &layers[i], result, N_TOKENS, NULL, workspace);
      cpu->ops->activate (cpu, result, y, N_TOKENS * N, ASSAY_ACTIVATION_SILU);
    }
  cpu->ops->destroy (cpu);
}

/* The first order is held against the CPU, the others against the first. */
static void
check_stream (Stream *self, guint64 seed, const float *expected, float *first)
{
  double scale[N_TOKENS * N], most = 0;
  for (guint i = 0; i < N_TOKENS * N; i++)
    most = fmax (most, fabs ((double) expected[i]));
  for (guint i = 0; i < N_TOKENS * N; i++)
    scale[i] = most;
  if (seed == 0)
    dt_get (&self->pair, first, self->x, sizeof (float) * N_TOKENS * N);
  dt_check (&self->pair, self->x, expected, scale, N_TOKENS * N, 1e-5, "beside the CPU");
  dt_check_bytes (&self->pair, self->x, first, sizeof (float) * N_TOKENS * N, "another order");
}

static void
test_double_buffering_in_any_order (void)
{
  g_autofree float *x = dt_random (N_TOKENS * N, -2, 2);
  float first[N_TOKENS * N], expected[N_TOKENS * N];
  AssayTensor layers[N_LAYERS];
  for (guint i = 0; i < N_LAYERS; i++)
    layers[i] = dt_weight (ASSAY_DTYPE_Q8_0, N, N);
  const gsize bytes = dt_tensor_bytes (layers);
  expect_stream (layers, x, expected);
  for (guint64 seed = 0; seed <= ORDERS; seed++)
    {
      Stream s;
      AssayCudaCopyFigures figures;
      stream_open (&s, seed, x, layers, bytes);
      stream_run (&s, bytes);
      check_stream (&s, seed, expected, first);
      g_assert_cmpint (module->copy_get_figures (s.pair.device, &figures), ==, ASSAY_OK);
      g_assert_cmpuint (figures.n_copies, ==, N_LAYERS);
      g_assert_cmpuint (figures.bytes, ==, N_LAYERS * bytes);
      stream_close (&s);
    }
  for (guint i = 0; i < N_LAYERS; i++)
    kt_weight_clear (&layers[i]);
}

/* The orders do differ: without copy_order() some of them come out wrong. */
static void
test_a_copy_not_waited_for_shows (void)
{
  if (card_skip (CARD_NO_ORDERS))
    return;
  guint n_wrong = 0;
  const float host[4] = { 1, 2, 3, 4 };
  for (guint64 seed = 0; seed <= ORDERS; seed++)
    {
      DtPair pair;
      gpointer pinned;
      uint64_t ticket;
      float got[4];
      dt_open (&pair, ASSAY_COMPUTE_F32, seed);
      AssayBackend *b = pair.device;
      const float zero[4] = { 0 };
      float *place = dt_put (&pair, zero, sizeof zero), *y = dt_put (&pair, zero, sizeof zero);
      g_assert_cmpint (module->pinned_alloc (b, sizeof host, &pinned), ==, ASSAY_OK);
      memcpy (pinned, host, sizeof host);
      g_assert_cmpint (module->copy (b, place, pinned, sizeof host, &ticket), ==, ASSAY_OK);
      g_assert_cmpint (b->ops->add (b, y, place, 4, 1), ==, ASSAY_OK);
      dt_get (&pair, got, y, sizeof got);
      n_wrong += memcmp (got, host, sizeof got) != 0;
      g_assert_cmpint (module->copy_wait (b, ticket), ==, ASSAY_OK);
      dt_check_bytes (&pair, place, host, sizeof host, "after waiting");
      module->pinned_free (b, pinned);
      dt_close (&pair);
    }
  g_test_message ("%u of %u orders wrong", n_wrong, ORDERS + 1);
  g_assert_cmpuint (n_wrong, >, 5);
}

/* --- tickets --- */

static void
test_tickets (void)
{
  DtPair pair;
  uint64_t ticket = 0;
  bool done = false;
  gpointer pinned;
  dt_open (&pair, ASSAY_COMPUTE_F32, 0);
  AssayBackend *b = pair.device;
  gpointer place = dt_put (&pair, NULL, 64);
  g_assert_cmpint (module->pinned_alloc (b, 64, &pinned), ==, ASSAY_OK);
  for (guint i = 1; i <= 200; i++)
    {
      ((guint8 *) pinned)[0] = (guint8) i;
      g_assert_cmpint (module->copy (b, place, pinned, 64, &ticket), ==, ASSAY_OK);
      g_assert_cmpuint (ticket, ==, i);
      if (i % 2)
        g_assert_cmpint (module->copy_order (b, ticket), ==, ASSAY_OK);
      if (i % 3 == 0)
        g_assert_cmpint (module->copy_wait (b, ticket), ==, ASSAY_OK);
    }
  while (!done)
    g_assert_cmpint (module->copy_is_done (b, ticket, &done), ==, ASSAY_OK);
  dt_check_bytes (&pair, place, pinned, 1, "the last copy");
  g_assert_cmpint (module->copy_order (b, 0), ==, ASSAY_OK);
  g_assert_cmpint (module->copy_wait (b, 1), ==, ASSAY_OK);
  g_assert_cmpint (module->copy_wait (b, 201), ==, ASSAY_DEVICE_FAULT);
  g_assert_cmpint (b->ops->sync (b), ==, ASSAY_OK);
  module->pinned_free (b, pinned);
  dt_close (&pair);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/device/link/up-and-down", test_up_and_down);
  g_test_add_func ("/device/link/double-buffering-in-any-order", test_double_buffering_in_any_order);
  g_test_add_func ("/device/link/a-copy-not-waited-for-shows", test_a_copy_not_waited_for_shows);
  g_test_add_func ("/device/link/tickets-are-counted-and-kept", test_tickets);
  return g_test_run ();
}
