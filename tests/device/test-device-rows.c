/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/test-device-rows.c: norms, rotation and what goes element by element, on the emulated device.
 */
#include <math.h>

#include "device-test.h"

#define ROUNDS 12
#define NEAR 4e-6

/* --- norms --- */

typedef struct
{
  gsize n_rows, n;
  float *x, *w, *bias;
  const float *on_w, *on_bias;
  float *y, *on_x, *on_y; /* on_y may be on_x */
} Norm;

static Norm
norm_new (DtPair *pair, gboolean in_place)
{
  Norm self = { .n_rows = dt_size (7), .n = dt_size (1100) };
  const gsize n = self.n_rows * self.n;
  self.x = dt_random (n, -3, 4);
  self.w = dt_random (self.n, -1, 2);
  self.bias = g_test_rand_bit () ? dt_random (self.n, -1, 1) : NULL;
  self.y = g_new (float, n + 1);
  self.on_x = dt_put (pair, self.x, n * 4);
  self.on_w = dt_put (pair, self.w, self.n * 4);
  self.on_bias = self.bias != NULL ? dt_put (pair, self.bias, self.n * 4) : NULL;
  self.on_y = in_place ? self.on_x : dt_put (pair, NULL, n * 4);
  return self;
}

static void
norm_check (DtPair *pair, Norm *self, const char *label)
{
  dt_check (pair, self->on_y, self->y, NULL, self->n_rows * self->n, NEAR, label);
  if (self->on_y != self->on_x)
    dt_check_bytes (pair, self->on_x, self->x, self->n_rows * self->n * 4, label);
  dt_release (pair);
  g_free (self->x);
  g_free (self->w);
  g_free (self->bias);
  g_free (self->y);
}

static void
test_norms (void)
{
  DtPair pair;
  dt_open (&pair, ASSAY_COMPUTE_F32, 0);
  AssayBackend *cpu = pair.cpu, *b = pair.device;
  for (int i = 0; i < ROUNDS; i++)
    {
      Norm c = norm_new (&pair, i % 2);
      dt_both (&pair, cpu->ops->rmsnorm (cpu, c.y, c.x, c.w, c.n_rows, c.n, 1e-5f),
               b->ops->rmsnorm (b, c.on_y, c.on_x, c.on_w, c.n_rows, c.n, 1e-5f));
      norm_check (&pair, &c, "rmsnorm");
      c = norm_new (&pair, i % 2);
      dt_both (&pair, cpu->ops->layernorm (cpu, c.y, c.x, c.w, c.bias, c.n_rows, c.n, 1e-5f),
               b->ops->layernorm (b, c.on_y, c.on_x, c.on_w, c.on_bias, c.n_rows, c.n, 1e-5f));
      norm_check (&pair, &c, "layernorm");
    }
  dt_close (&pair);
}

static void
test_softmax (void)
{
  DtPair pair;
  dt_open (&pair, ASSAY_COMPUTE_F32, 0);
  AssayBackend *cpu = pair.cpu, *b = pair.device;
  for (int i = 0; i < ROUNDS; i++)
    {
      const gsize n_rows = dt_size (6), n = dt_size (1100);
      g_autofree float *x = dt_random (n_rows * n, -30, 30);
      if (i % 3 == 0 && n_rows > 0 && n > 1)
        x[0] = -INFINITY;
      float *on_x = dt_put (&pair, x, n_rows * n * 4);
      dt_both (&pair, cpu->ops->softmax (cpu, x, n_rows, n), b->ops->softmax (b, on_x, n_rows, n));
      dt_check (&pair, on_x, x, NULL, n_rows * n, NEAR, "softmax");
      dt_release (&pair);
    }
  dt_close (&pair);
}

/* --- element by element --- */

static void
test_gated (void)
{
  DtPair pair;
  dt_open (&pair, ASSAY_COMPUTE_F32, 0);
  AssayBackend *cpu = pair.cpu, *b = pair.device;
  for (int i = 0; i < ROUNDS; i++)
    for (int activation = ASSAY_ACTIVATION_SILU; activation <= ASSAY_ACTIVATION_GELU; activation++)
      {
        const gsize n = dt_size (5000);
        g_autofree float *gate = dt_random (n, -9, 9), *up = dt_random (n, -3, 3), *y = g_new (float, n + 1);
        float *on_gate = dt_put (&pair, gate, n * 4), *on_up = dt_put (&pair, up, n * 4);
        float *places[] = { dt_put (&pair, NULL, n * 4), on_gate, on_up };
        float *on_y = places[i % 3];
        dt_both (&pair, cpu->ops->gated (cpu, y, gate, up, n, (AssayActivation) activation),
                 b->ops->gated (b, on_y, on_gate, on_up, n, (AssayActivation) activation));
        dt_check (&pair, on_y, y, NULL, n, NEAR, "gated");
        on_gate = dt_put (&pair, gate, n * 4);
        on_y = i % 2 ? on_gate : dt_put (&pair, NULL, n * 4);
        dt_both (&pair, cpu->ops->activate (cpu, y, gate, n, (AssayActivation) activation),
                 b->ops->activate (b, on_y, on_gate, n, (AssayActivation) activation));
        dt_check (&pair, on_y, y, NULL, n, NEAR, "activate");
        dt_release (&pair);
      }
  dt_close (&pair);
}

static void
test_add_and_soft_cap (void)
{
  DtPair pair;
  dt_open (&pair, ASSAY_COMPUTE_F32, 0);
  AssayBackend *cpu = pair.cpu, *b = pair.device;
  for (int i = 0; i < ROUNDS; i++)
    {
      const gsize n = dt_size (5000);
      g_autofree float *x = dt_random (n, -50, 50), *y = dt_random (n, -3, 3);
      float *on_x = dt_put (&pair, x, n * 4), *on_y = dt_put (&pair, y, n * 4);
      dt_both (&pair, cpu->ops->add (cpu, y, x, n, -0.3f), b->ops->add (b, on_y, on_x, n, -0.3f));
      dt_check (&pair, on_y, y, NULL, n, NEAR, "add");
      dt_both (&pair, cpu->ops->soft_cap (cpu, x, n, 30), b->ops->soft_cap (b, on_x, n, 30));
      dt_check (&pair, on_x, x, NULL, n, NEAR, "soft_cap");
      dt_release (&pair);
    }
  dt_close (&pair);
}

/* --- rotation --- */

static void
check_rope (DtPair *pair, const AssayRope *rope, gsize n_tokens, gsize n_heads, gsize head_dim, guint32 first)
{
  AssayBackend *cpu = pair->cpu, *b = pair->device;
  const gsize n = n_tokens * n_heads * head_dim;
  g_autofree float *x = dt_random (n, -2, 2);
  float *on_x = dt_put (pair, x, n * 4);
  AssayRope there = *rope;
  if (rope->divisor != NULL)
    there.divisor = dt_put (pair, rope->divisor, rope->n_dims / 2 * 4);
  dt_both (pair, cpu->ops->rope (cpu, x, rope, n_tokens, n_heads, head_dim, first),
           b->ops->rope (b, on_x, &there, n_tokens, n_heads, head_dim, first));
  dt_check (pair, on_x, x, NULL, n, NEAR, "rope");
  dt_release (pair);
}

static void
test_rope (void)
{
  DtPair pair;
  dt_open (&pair, ASSAY_COMPUTE_F32, 0);
  for (int i = 0; i < 2 * ROUNDS; i++)
    {
      const gsize head_dim = 2 + (gsize) g_test_rand_int_range (0, 65) * 2;
      const guint32 n_dims = (guint32) g_test_rand_int_range (0, (gint) head_dim / 2 + 1) * 2;
      g_autofree float *divisor = dt_random (n_dims / 2, 1, 8);
      const AssayRope rope = { n_dims,
                               i % 2,
                               i % 3 ? 10000.0f : 500000.0f,
                               0.5f + (float) (i % 4) / 2,
                               i % 5 ? 1.0f : 1.2f,
                               i % 4 < 2 ? divisor : NULL };
      check_rope (&pair, &rope, dt_size (9), dt_size (12), head_dim, i % 7 ? (guint32) i * 1000 : 0);
    }
  dt_close (&pair);
}

static void
test_rope_refuses_odd_dimensions (void)
{
  DtPair pair;
  dt_open (&pair, ASSAY_COMPUTE_F32, 0);
  AssayBackend *b = pair.device;
  float *x = dt_put (&pair, NULL, 64);
  const AssayRope odd = { 3, false, 10000, 1, 1, NULL }, wide = { 16, false, 10000, 1, 1, NULL };
  g_assert_cmpint (b->ops->rope (b, x, &odd, 1, 1, 8, 0), ==, ASSAY_UNSUPPORTED);
  g_assert_cmpint (b->ops->rope (b, x, &wide, 1, 1, 8, 0), ==, ASSAY_UNSUPPORTED);
  g_assert_cmpstr (b->fault, !=, "");
  dt_close (&pair);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/device/rows/norms-are-the-cpus", test_norms);
  g_test_add_func ("/device/rows/softmax-is-the-cpus", test_softmax);
  g_test_add_func ("/device/rows/activations-are-the-cpus", test_gated);
  g_test_add_func ("/device/rows/add-and-soft-cap-are-the-cpus", test_add_and_soft_cap);
  g_test_add_func ("/device/rows/rope-is-the-cpus", test_rope);
  g_test_add_func ("/device/rows/rope-refuses-odd-dimensions", test_rope_refuses_odd_dimensions);
  return g_test_run ();
}
