/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/engine/test-card-placement.c: a model on the emulated card answers as on the processor, wherever its
 * weights wait, in whatever legal order streams run, and fails cleanly whichever call fails. */
#include "card-fixture.h"
#include "card-skip.h"
#include "placed-fixture.h"

#include <string.h>

#define PROMPT 21u
#define ANSWER 5u
#define CHUNK 8u /* so that a prompt is three passes */
#define CUDA_MEMORY_ALLOCATION 2
#define CUDA_ILLEGAL_ADDRESS 700

typedef struct { AssayOffloadMode mode; guint granularity; gboolean prefetch; const char *map; } Way;

static const Way ways[] = {
  { ASSAY_OFFLOAD_NONE, 0, FALSE, NULL },      { ASSAY_OFFLOAD_MODEL, 0, TRUE, NULL },
  { ASSAY_OFFLOAD_GROUP, 1, FALSE, NULL },     { ASSAY_OFFLOAD_GROUP, 2, TRUE, NULL },
  { ASSAY_OFFLOAD_SEQUENTIAL, 0, FALSE, NULL }, { ASSAY_OFFLOAD_SEQUENTIAL, 0, TRUE, NULL },
  { ASSAY_OFFLOAD_NONE, 0, TRUE, "embedding=cpu, decoder=device, decoder.1-2=cpu, head=device" },
};
static const char *const way_names[] = { "none", "model", "group of 1", "group of 2, ahead", "sequential",
                                         "sequential, ahead", "a device map" };

static void
setup_way (PlacedSetup *setup, const Way *way)
{
  setup->separate = TRUE;
  setup->assembly = (AssayAssembly){ .mode = way->mode, .granularity = way->granularity, .prefetch = way->prefetch,
                                     .device_map = (char *) way->map };
}

static char *
family_path (TinyFamily family, AssayDtype matrices)
{
  const TinyModel options = { .family = family, .n_layers = 4, .n_embd = 64, .matrices = matrices,
                              .embedding = matrices, .own_output = family == TINY_FAMILY_QWEN3, .seed = 31 + family };
  g_autofree char *name = g_strdup_printf ("card-%u-%u.gguf", family, matrices);
  return placed_dup_tiny (&options, name);
}

static GArray *
generate_some (PlacedSetup *setup, guint n_prompt, guint n_answer, GError **error)
{
  Placed placed;
  GArray *tokens = placed_open (&placed, setup, error) ? placed_generate (&placed, n_prompt, n_answer, error) : NULL;
  placed_close (&placed);
  return tokens;
}

static GArray *
generate (PlacedSetup *setup, GError **error)
{
  return generate_some (setup, PROMPT, ANSWER, error);
}

static GArray *
generate_on_cpu (PlacedSetup *setup)
{
  g_autoptr (GError) error = NULL;
  setup->separate = FALSE;
  setup->assembly = (AssayAssembly){ 0 };
  GArray *tokens = generate (setup, &error);
  g_assert_no_error (error);
  return tokens;
}

static void
assert_same (GArray *a, GArray *b, const char *label)
{
  if (a->len != b->len || memcmp (a->data, b->data, a->len * sizeof (gint32)) != 0)
    g_error ("other tokens than on the processor: %s", label);
}

/* --- the same tokens --- */

static void
check_family (TinyFamily family, AssayDtype matrices, guint n_ways)
{
  g_autofree char *path = family_path (family, matrices);
  PlacedSetup setup;
  placed_setup_init (&setup, path);
  setup.options.chunk = CHUNK;
  setup.options.n_sequences = 2;
  g_autoptr (GArray) expected = generate_on_cpu (&setup);
  for (guint i = 0; i < n_ways; i++)
    {
      g_autoptr (GError) error = NULL;
      card_fixture_start (NULL);
      setup_way (&setup, &ways[i]);
      g_autoptr (GArray) tokens = generate (&setup, &error);
      g_assert_no_error (error);
      assert_same (tokens, expected, way_names[i]);
      card_fixture_assert_clean ();
    }
}

static void
test_families (void)
{
  for (TinyFamily family = TINY_FAMILY_LLAMA; family <= TINY_FAMILY_GPT2; family++)
    check_family (family, ASSAY_DTYPE_F32, G_N_ELEMENTS (ways));
}

static void
test_formats (void)
{
  static const AssayDtype formats[] = { ASSAY_DTYPE_F16, ASSAY_DTYPE_BF16, ASSAY_DTYPE_Q8_0, ASSAY_DTYPE_Q4_0,
                                        ASSAY_DTYPE_Q5_1 };
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    check_family (TINY_FAMILY_LLAMA, formats[i], 2);
}

/* --- any legal order --- */

static void
test_orders (void)
{
  g_autofree char *path = family_path (TINY_FAMILY_LLAMA, ASSAY_DTYPE_F32);
  const guint64 first = (guint64) g_test_rand_int () & 0xffffffff;
  PlacedSetup setup;
  placed_setup_init (&setup, path);
  setup.options.chunk = CHUNK;
  g_test_message ("seeds from %" G_GUINT64_FORMAT, first);
  g_autoptr (GArray) expected = generate_on_cpu (&setup);
  for (guint i = 0; i < 50; i++)
    {
      g_autoptr (GError) error = NULL;
      card_fixture_start (&(AssayEmulationOptions) { .order = ASSAY_EMULATION_RANDOM, .seed = first + i });
      setup_way (&setup, &ways[2 + i % 4]);
      g_autoptr (GArray) tokens = generate (&setup, &error);
      g_assert_no_error (error);
      assert_same (tokens, expected, way_names[2 + i % 4]);
      card_fixture_assert_clean ();
    }
}

/* --- any call failing --- */

/* TRUE: the run had so many calls. */
static gboolean
fail_call (PlacedSetup *setup, guint64 n, int code, gboolean sticky, GArray *expected)
{
  g_autoptr (GError) error = NULL;
  card_fixture_start (NULL);
  assay_emulation_fail_call (NULL, n, code, sticky);
  g_autoptr (GArray) tokens = generate_some (setup, 3, 2, &error);
  if (tokens != NULL)
    assert_same (tokens, expected, "a call failed and nobody told");
  else if (error == NULL || *error->message == '\0')
    g_error ("call %" G_GUINT64_FORMAT " failed without a word", n);
  card_fixture_assert_clean ();
  return assay_emulation_has_failed ();
}

/* Under the sanitizers, where each run takes its time, some of them. */
static void
fail_every_call (PlacedSetup *setup, int code, gboolean sticky, GArray *expected)
{
  guint64 n = 1;
  while (fail_call (setup, n, code, sticky, expected))
    n += ENGINE_SANITIZED ? 1 + n / 20 : 1;
  g_test_message ("calls failed one by one, up to %" G_GUINT64_FORMAT, n);
}

static void
test_failures (void)
{
  const TinyModel options = { .n_layers = 2, .seed = 7 };
  g_autofree char *path = placed_dup_tiny (&options, "card-failures.gguf");
  g_autoptr (GError) error = NULL;
  PlacedSetup setup;
  placed_setup_init (&setup, path);
  g_autoptr (GArray) expected = generate_some (&setup, 3, 2, &error); /* on the processor */
  g_assert_no_error (error);
  setup_way (&setup, &ways[3]);
  fail_every_call (&setup, CUDA_MEMORY_ALLOCATION, FALSE, expected);
  fail_every_call (&setup, CUDA_ILLEGAL_ADDRESS, TRUE, expected);
}

/* --- memory --- */

static void
test_budget (void)
{
  g_autofree char *path = family_path (TINY_FAMILY_LLAMA, ASSAY_DTYPE_F32);
  PlacedSetup setup;
  placed_setup_init (&setup, path);
  setup_way (&setup, &ways[0]);
  setup.options.context_length = 8192;
  for (guint budget_mib = 40; budget_mib <= 48; budget_mib += 4) /* cuBLAS's own comes first */
    {
      g_autoptr (GError) error = NULL;
      card_fixture_start (&(AssayEmulationOptions) { .budget_bytes = (gsize) budget_mib << 20 });
      setup.budget = 0;
      g_autoptr (GArray) tokens = generate (&setup, &error);
      if (tokens == NULL)
        g_assert_error (error, ASSAY_ENGINE_ERROR, ASSAY_ENGINE_ERROR_OOM_DEVICE);
      card_fixture_assert_clean ();
    }
  g_autoptr (GError) error = NULL;
  card_fixture_start (NULL);
  setup.budget = 1 << 20;
  g_assert_null (generate (&setup, &error));
  g_assert_error (error, ASSAY_ENGINE_ERROR, ASSAY_ENGINE_ERROR_OOM_DEVICE);
  g_assert_nonnull (strstr (error->message, "vram_budget"));
  card_fixture_assert_clean ();
}

/* What waits for a card is pinned, and that can be short too; 8 MiB are the backend's own. */
static void
test_pinned (void)
{
  if (card_skip (CARD_NO_SIZES))
    return;
  g_autofree char *path = family_path (TINY_FAMILY_LLAMA, ASSAY_DTYPE_F32);
  g_autoptr (GError) error = NULL;
  PlacedSetup setup;
  placed_setup_init (&setup, path);
  setup_way (&setup, &ways[5]);
  card_fixture_start (&(AssayEmulationOptions) { .pinned_bytes = (8u << 20) + 4096 });
  g_assert_null (generate (&setup, &error));
  g_assert_error (error, ASSAY_ENGINE_ERROR, ASSAY_ENGINE_ERROR_OOM_HOST);
  g_assert_nonnull (strstr (error->message, "cannot be paged out"));
  card_fixture_assert_clean ();
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  placed_separate_is_card = TRUE;
  g_test_add_func ("/device/placement/families-answer-as-on-the-processor", test_families);
  g_test_add_func ("/device/placement/formats-answer-as-on-the-processor", test_formats);
  g_test_add_func ("/device/placement/any-legal-order-of-streams", test_orders);
  g_test_add_func ("/device/placement/whichever-call-fails", test_failures);
  g_test_add_func ("/device/placement/too-little-device-memory", test_budget);
  g_test_add_func ("/device/placement/too-little-pinned-memory", test_pinned);
  return g_test_run ();
}
