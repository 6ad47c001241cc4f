/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/engine/test-rope.c: stretched rotations against transformers' ROPE_INIT_FUNCTIONS.
 *
 * The fixture, of tests/reference/families.py, was computed in float32; ours is double. */
#include "engine-fixture.h"

#include "models/rope-scaling.h"

#include <math.h>

#define TOLERANCE 2e-5 /* relative; transformers raises the base to its powers in float32 */

static double
member_or (JsonObject *o, const char *name, double fallback)
{
  return json_object_has_member (o, name) ? json_object_get_double_member (o, name) : fallback;
}

/* transformers' defaults */
static AssayRopeScaling
read_scaling (JsonObject *o)
{
  /* as AssayRopeKind */
  static const char *const kinds[] = { "default", "linear", "llama3", "yarn", "longrope" };
  const char *name = json_object_get_string_member (o, "rope_type");
  guint kind = 0;
  while (!g_str_equal (kinds[kind], name))
    kind++;
  return (AssayRopeScaling) {
    .kind = (AssayRopeKind) kind,
    .factor = json_object_get_double_member (o, "factor"),
    .original_context = json_object_get_double_member (o, "original_max_position_embeddings"),
    .low_freq = member_or (o, "low_freq_factor", 1),
    .high_freq = member_or (o, "high_freq_factor", 4),
    .beta_fast = member_or (o, "beta_fast", 32),
    .beta_slow = member_or (o, "beta_slow", 1),
    .extrapolation = 1,
    .truncate = !json_object_has_member (o, "truncate") || json_object_get_boolean_member (o, "truncate"),
    .attention_factor = member_or (o, "attention_factor", 0),
  };
}

static double
worst_divisor (const AssayRopeScaling *scaling, JsonObject *c)
{
  JsonArray *expected = json_object_get_array_member (c, "divisors");
  const guint n_pairs = json_array_get_length (expected);
  g_autofree float *divisor = g_new (float, n_pairs);
  double worst = 0;
  assay_rope_scaling_fill (scaling, json_object_get_double_member (c, "base"), 2 * n_pairs, divisor);
  for (guint i = 0; i < n_pairs; i++)
    worst = MAX (worst, fabs (divisor[i] / json_array_get_double_element (expected, i) - 1));
  return worst;
}

static void
test_equals_transformers (void)
{
  g_autoptr (JsonNode) root = engine_fixture_load_json ("families", "rope.json");
  JsonArray *cases = json_object_get_array_member (json_node_get_object (root), "cases");
  g_assert_cmpuint (json_array_get_length (cases), >=, 10);
  for (guint i = 0; i < json_array_get_length (cases); i++)
    {
      JsonObject *c = json_array_get_object_element (cases, i);
      const AssayRopeScaling scaling = read_scaling (json_object_get_object_member (c, "scaling"));
      const double worst = worst_divisor (&scaling, c);
      const double magnitude = assay_rope_scaling_get_magnitude (&scaling);
      g_test_message ("%s: %.1e", json_object_get_string_member (c, "name"), worst);
      g_assert_cmpfloat (worst, <, TOLERANCE);
      g_assert_cmpfloat (fabs (magnitude - json_object_get_double_member (c, "magnitude")), <, 1e-6);
    }
}

/* The comparison must be able to fail: another beta is seen. */
static void
test_planted_fault_is_seen (void)
{
  g_autoptr (JsonNode) root = engine_fixture_load_json ("families", "rope.json");
  JsonArray *cases = json_object_get_array_member (json_node_get_object (root), "cases");
  JsonObject *c = json_array_get_object_element (cases, 2);
  AssayRopeScaling scaling = read_scaling (json_object_get_object_member (c, "scaling"));
  g_assert_cmpint (scaling.kind, ==, ASSAY_ROPE_YARN);
  scaling.beta_fast *= 2;
  g_assert_cmpfloat (worst_divisor (&scaling, c), >, 100 * TOLERANCE);
}

static void
test_others_have_no_divisors (void)
{
  static const AssayRopeKind kinds[] = { ASSAY_ROPE_PLAIN, ASSAY_ROPE_LINEAR, ASSAY_ROPE_LONG };
  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
    {
      const AssayRopeScaling scaling = { .kind = kinds[k], .factor = 1, .original_context = 64 };
      float divisor[4];
      assay_rope_scaling_fill (&scaling, 10000, 8, divisor);
      for (guint i = 0; i < 4; i++)
        g_assert_cmpfloat (divisor[i], ==, 1);
      g_assert_cmpfloat (assay_rope_scaling_get_magnitude (&scaling), ==, 1);
    }
}

int
main (int argc, char *argv[])
{
  engine_fixture_init (&argc, &argv);
  g_test_add_func ("/engine/rope/stretched-rotations-equal-transformers", test_equals_transformers);
  g_test_add_func ("/engine/rope/a-planted-fault-is-seen", test_planted_fault_is_seen);
  g_test_add_func ("/engine/rope/plain-linear-and-long-have-no-divisors-of-their-own",
                   test_others_have_no_divisors);
  return g_test_run ();
}
