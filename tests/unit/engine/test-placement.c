/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/engine/test-placement.c: wherever the weights wait, the same comes out, and every byte is
 * foreseen.
 *
 * The device is `virtual`: memory of its own with a budget, and a link. What an offload mode moves and holds
 * is computed here from the units alone, and compared to the byte. */
#include "placed-fixture.h"

#include "placement/assay-placement-private.h"

#include <string.h>

#define PROMPT 21u
#define ANSWER 6u
#define CHUNK 8u  /* so that a prompt is three passes, two of them without the head */

typedef struct { AssayOffloadMode mode; guint granularity; gboolean prefetch; const char *map; } Way;

static const Way ways[] = {
  { ASSAY_OFFLOAD_NONE, 0, FALSE, NULL },       { ASSAY_OFFLOAD_MODEL, 0, FALSE, NULL },
  { ASSAY_OFFLOAD_MODEL, 0, TRUE, NULL },       { ASSAY_OFFLOAD_GROUP, 1, FALSE, NULL },
  { ASSAY_OFFLOAD_GROUP, 1, TRUE, NULL },       { ASSAY_OFFLOAD_GROUP, 2, TRUE, NULL },
  { ASSAY_OFFLOAD_GROUP, 3, FALSE, NULL },      { ASSAY_OFFLOAD_GROUP, 9, TRUE, NULL },
  { ASSAY_OFFLOAD_GROUP, 0, TRUE, NULL },       { ASSAY_OFFLOAD_SEQUENTIAL, 0, FALSE, NULL },
  { ASSAY_OFFLOAD_SEQUENTIAL, 0, TRUE, NULL },
  { ASSAY_OFFLOAD_NONE, 0, FALSE, "embedding=device, decoder=device, head=cpu" },
  { ASSAY_OFFLOAD_NONE, 0, TRUE, "embedding=cpu, decoder=device, decoder.1-2=cpu, head=device" },
  { ASSAY_OFFLOAD_NONE, 0, TRUE, "embedding=cpu, decoder=cpu, head=cpu" },
};

static void
setup_way (PlacedSetup *setup, const Way *way)
{
  setup->separate = TRUE;
  setup->options.chunk = CHUNK;
  setup->assembly = (AssayAssembly){ .mode = way->mode,
                                     .granularity = way->granularity,
                                     .prefetch = way->prefetch,
                                     .device_map = (char *) way->map };
}

static char *
tiny_path (TinyFamily family, gboolean own_output)
{
  const TinyModel options = { .family = family,
                              .n_layers = 5,
                              .own_output = own_output,
                              .qkv_bias = family == 0,
                              .rope_freqs = family == 0,
                              .seed = 5 + family };
  g_autofree char *name = g_strdup_printf ("family-%u-%d.gguf", family, own_output);
  return placed_dup_tiny (&options, name);
}

static void
assert_same_tokens (GArray *a, GArray *b)
{
  g_assert_cmpmem (a->data, a->len * sizeof (gint32), b->data, b->len * sizeof (gint32));
}

/* --- what comes out --- */

static void
check_family (TinyFamily family, gboolean own_output)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = tiny_path (family, own_output);
  PlacedSetup setup;
  Placed reference, placed;
  placed_setup_init (&setup, path);
  setup.options.chunk = CHUNK;
  setup.options.n_sequences = 3;
  placed_open (&reference, &setup, &error);
  g_assert_no_error (error);
  g_autoptr (GArray) expected = placed_generate (&reference, PROMPT, ANSWER, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (ways); i++)
    {
      setup_way (&setup, &ways[i]);
      placed_open (&placed, &setup, &error);
      g_assert_no_error (error);
      for (guint round = 0; round < 2; round++)
        {
          g_autoptr (GArray) tokens = placed_generate (&placed, PROMPT, ANSWER, &error);
          g_assert_no_error (error);
          assert_same_tokens (tokens, expected);
          for (guint row = 0; row < 3; row++) /* not only the greatest of them */
            g_assert_cmpmem (
                assay_model_get_logits (placed.model, row), placed.config.n_vocab * sizeof (float),
                assay_model_get_logits (reference.model, row), placed.config.n_vocab * sizeof (float));
        }
      placed_close (&placed);
    }
  placed_close (&reference);
}

static void
test_same_tokens (void)
{
  for (TinyFamily family = TINY_FAMILY_LLAMA; family <= TINY_FAMILY_GPT2; family++)
    {
      check_family (family, FALSE);
      check_family (family, TRUE);
    }
}

/* Low-rank parts move with their linear; a tied output matrix may have some too. */
static void
test_adapters_move_along (void)
{
  static const char *const modules[]
      = { "blk.0.attn_q", "blk.2.ffn_down", "blk.4.attn_v", "token_embd", NULL };
  const TinyModel options = { .n_layers = 5, .seed = 9 };
  g_autoptr (GError) error = NULL;
  g_autoptr (GgufWriter) model = tiny_model_new (&options);
  GgufWriter *writer = placed_new_adapter (model, "llama", modules, 5, 3);
  for (guint i = 0; i < 2; i++) /* an adapter of the output matrix names it so */
    {
      GgufWriterTensor *tensor
          = placed_find_tensor (writer, "token_embd.weight", i == 0 ? ".lora_a" : ".lora_b");
      g_byte_array_set_size (tensor->name, 0);
      const char *name = i == 0 ? "output.weight.lora_a" : "output.weight.lora_b";
      g_byte_array_append (tensor->name, (const guint8 *) name, (guint) strlen (name));
    }
  g_autofree char *path = placed_dup_tiny (&options, "adapted.gguf");
  g_autofree char *adapter = placed_dup_saved (writer, "adapter.gguf");
  PlacedSetup setup;
  Placed reference, placed;
  placed_setup_init (&setup, path);
  placed_open (&reference, &setup, &error);
  g_autoptr (GArray) plain = placed_generate (&reference, PROMPT, ANSWER, &error);
  placed_close (&reference);
  setup.adapter = adapter;
  placed_open (&reference, &setup, &error);
  g_assert_no_error (error);
  g_autoptr (GArray) expected = placed_generate (&reference, PROMPT, ANSWER, &error);
  g_assert_cmpint (memcmp (plain->data, expected->data, plain->len * sizeof (gint32)), !=, 0);
  placed_close (&reference);
  for (guint i = 0; i < G_N_ELEMENTS (ways); i++)
    {
      setup_way (&setup, &ways[i]);
      placed_open (&placed, &setup, &error);
      g_assert_no_error (error);
      g_assert_cmpstr (assay_model_get_step (placed.model), ==, "cache");
      g_autoptr (GArray) tokens = placed_generate (&placed, PROMPT, ANSWER, &error);
      assert_same_tokens (tokens, expected);
      placed_close (&placed);
    }
}

/* The model fits and its adapter does not: the step says which. */
static void
test_shortage_of_an_adapter (void)
{
  static const char *const modules[] = { "blk.0.ffn_down", NULL };
  const TinyModel options = { .n_layers = 2 };
  g_autoptr (GError) error = NULL;
  g_autoptr (GgufWriter) model = tiny_model_new (&options);
  g_autofree char *path = placed_dup_tiny (&options, "adapted.gguf");
  g_autofree char *adapter
      = placed_dup_saved (placed_new_adapter (model, "llama", modules, 32, 3), "adapter.gguf");
  PlacedSetup setup;
  Placed placed;
  AssayPlacementFigures figures;
  placed_setup_init (&setup, path);
  setup.separate = TRUE;
  g_assert_true (placed_open (&placed, &setup, NULL));
  assay_placement_get_figures (assay_model_get_placement (placed.model), &figures);
  placed_close (&placed);
  setup.adapter = adapter;
  setup.budget = figures.resident_bytes + 100;
  g_assert_false (placed_open (&placed, &setup, &error));
  g_assert_error (error, ASSAY_ENGINE_ERROR, ASSAY_ENGINE_ERROR_OOM_DEVICE);
  g_assert_cmpstr (assay_model_get_step (placed.model), ==, "attach");
  g_assert_cmpuint (placed_allocated (placed.device), ==, 0);
  placed_close (&placed);
}

/* --- bytes --- */

static gboolean
way_streams (const Way *way, const AssayModelUnit *unit)
{
  const AssayAssembly assembly = { .mode = way->mode, .device_map = (char *) way->map };
  return way->mode != ASSAY_OFFLOAD_NONE
         || (way->map != NULL && !assay_assembly_is_on_device (&assembly, unit->component, unit->group));
}

/* Streamed bytes of a pass; the head's apart. */
static guint64
sum_streamed (Placed *placed, const Way *way, guint64 *head)
{
  guint64 sum = 0;
  *head = 0;
  for (guint i = 0; i < assay_model_get_n_units (placed->model); i++)
    {
      const AssayModelUnit *unit = assay_model_get_unit (placed->model, i);
      if (!way_streams (way, unit))
        continue;
      sum += unit->weight_bytes;
      *head += g_str_equal (unit->component, "head") ? unit->weight_bytes : 0;
    }
  return sum;
}

static void
check_bytes (const char *path, const Way *way)
{
  g_autoptr (GError) error = NULL;
  PlacedSetup setup;
  Placed placed;
  AssayLinkFigures link;
  AssayPlacementFigures figures;
  placed_setup_init (&setup, path);
  setup_way (&setup, way);
  placed_open (&placed, &setup, &error);
  g_assert_no_error (error);
  guint64 head;
  const guint64 pass = sum_streamed (&placed, way, &head);
  assay_placement_get_figures (assay_model_get_placement (placed.model), &figures);
  assay_link_get_figures (placed.link, &link);
  g_assert_cmpuint (figures.pass_bytes, ==, pass);
  g_assert_cmpuint (figures.load_bytes, ==, link.bytes);
  g_assert_cmpuint (figures.n_streamed > 0, ==, pass > 0);
  g_autoptr (GArray) tokens = placed_generate (&placed, PROMPT, ANSWER, &error);
  g_assert_no_error (error);
  assay_link_get_figures (placed.link, &link);
  const guint64 n_chunks = (PROMPT + CHUNK - 1) / CHUNK, n_passes = n_chunks + ANSWER - 1;
  g_assert_cmpuint (link.bytes, ==, figures.load_bytes + n_passes * pass - (n_chunks - 1) * head);
  placed_close (&placed);
}

static void
test_bytes (void)
{
  for (guint own = 0; own < 2; own++)
    {
      g_autofree char *path = tiny_path (TINY_FAMILY_LLAMA, own == 1);
      for (guint i = 0; i < G_N_ELEMENTS (ways); i++)
        check_bytes (path, &ways[i]);
    }
}

/* Loaded once is what stays: all of it with no offload, a tied matrix once. */
static void
test_loaded_bytes (void)
{
  for (guint own = 0; own < 2; own++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *path = tiny_path (TINY_FAMILY_LLAMA, own == 1);
      PlacedSetup setup;
      Placed placed;
      AssayPlacementFigures figures;
      guint64 stored = 0;
      placed_setup_init (&setup, path);
      setup_way (&setup, &ways[0]);
      placed_open (&placed, &setup, &error);
      g_assert_no_error (error);
      for (guint i = 0; i < assay_model_file_get_n_tensors (placed.file); i++)
        stored += assay_model_file_get_tensor (placed.file, i)->bytes;
      assay_placement_get_figures (assay_model_get_placement (placed.model), &figures);
      g_assert_cmpuint (figures.load_bytes, ==, stored);
      g_assert_cmpuint (figures.pass_bytes, ==, 0);
      g_assert_cmpuint (figures.window_bytes, ==, 0);
      g_assert_cmpuint (figures.resident_bytes, >=, stored);
      g_assert_cmpuint (placed_allocated (placed.host), ==, 0);
      placed_close (&placed);
    }
}

static guint64
peak_of (const char *path, const Way *way)
{
  g_autoptr (GError) error = NULL;
  PlacedSetup setup;
  Placed placed;
  AssayDeviceFigures figures;
  placed_setup_init (&setup, path);
  setup_way (&setup, way);
  placed_open (&placed, &setup, &error);
  g_assert_no_error (error);
  g_autoptr (GArray) tokens = placed_generate (&placed, PROMPT, ANSWER, &error);
  g_assert_no_error (error);
  assay_device_get_figures (placed.device, &figures);
  placed_close (&placed);
  return figures.peak_allocated;
}

/* none > model >= group > sequential, whatever is greatest: layers or embedding. */
static void
test_peak_order (void)
{
  static const TinyModel models[] = {
    { .n_layers = 2,
      .own_output = TRUE,
      .tokenizer = TINY_LLAMA_BYTES }, /* the embedding outweighs the layers */
    { .n_layers = 6, .n_ff = 256, .tokenizer = TINY_LLAMA },
    { .n_layers = 6, .n_embd = 64, .tokenizer = TINY_LLAMA_BYTES, .matrices = ASSAY_DTYPE_Q8_0 },
  };
  for (guint m = 0; m < G_N_ELEMENTS (models); m++)
    for (gboolean prefetch = FALSE; prefetch <= TRUE; prefetch++)
      {
        g_autofree char *path = placed_dup_tiny (&models[m], "order.gguf");
        const guint64 none = peak_of (path, &(Way) { ASSAY_OFFLOAD_NONE, 0, prefetch, NULL }),
                      model = peak_of (path, &(Way) { ASSAY_OFFLOAD_MODEL, 0, prefetch, NULL }),
                      sequential = peak_of (path, &(Way) { ASSAY_OFFLOAD_SEQUENTIAL, 0, prefetch, NULL });
        g_assert_cmpuint (none, >, model);
        for (guint n = 1; n <= models[m].n_layers; n++)
          {
            const guint64 group = peak_of (path, &(Way) { ASSAY_OFFLOAD_GROUP, n, prefetch, NULL });
            g_assert_cmpuint (model, >=, group);
            g_assert_cmpuint (group, >, sequential);
          }
      }
}

/* --- the window --- */

static const AssayModelUnit units[] = {
  { "embedding", -1, "token_embd", 0 }, { "decoder", 0, "attn_q", 0 }, { "decoder", 0, "ffn_up", 0 },
  { "decoder", 1, "attn_q", 0 },        { "decoder", 1, "ffn_up", 0 }, { "decoder", 2, "attn_q", 0 },
  { "decoder", 2, "ffn_up", 0 },        { "head", -1, "output_norm", 0 }, { "head", -1, "output", 0 },
};
static const guint64 unit_bytes[] = { 1024, 64, 256, 64, 512, 128, 256, 64, 1024 };

static void
check_window_of (const guint64 *bytes, const Way *way, guint64 window, guint n_blocks, guint n_streamed)
{
  const AssayAssembly assembly = { .mode = way->mode,
                                   .granularity = way->granularity,
                                   .prefetch = way->prefetch,
                                   .device_map = (char *) way->map };
  AssayPlacementFigures figures;
  g_autoptr (AssayPlacement) placement
      = assay_placement_new (units, bytes, G_N_ELEMENTS (units), &assembly, TRUE);
  assay_placement_get_figures (placement, &figures);
  g_assert_cmpuint (figures.window_bytes, ==, window);
  g_assert_cmpuint (figures.n_blocks, ==, n_blocks);
  g_assert_cmpuint (figures.n_streamed, ==, n_streamed);
}

static void
check_window (const Way *way, guint64 window, guint n_blocks, guint n_streamed)
{
  check_window_of (unit_bytes, way, window, n_blocks, n_streamed);
}

/* Leaves take turns in a ring: three of the largest, unless two whole layers are less. */
static void
test_ring (void)
{
  static const guint64 even[] = { 8, 64, 48, 64, 64, 48, 64, 8, 8 }, one_large[] = { 8, 16, 96, 16, 96, 16, 96, 8, 8 };
  check_window_of (even, &(Way) { ASSAY_OFFLOAD_SEQUENTIAL, 0, TRUE, NULL }, 192, 9, 9);
  check_window_of (even, &(Way) { ASSAY_OFFLOAD_SEQUENTIAL, 0, FALSE, NULL }, 64, 9, 9);
  check_window_of (one_large, &(Way) { ASSAY_OFFLOAD_SEQUENTIAL, 0, TRUE, NULL }, 224, 9, 9);
  check_window_of (one_large, &(Way) { ASSAY_OFFLOAD_GROUP, 1, TRUE, NULL }, 224, 5, 5);
}

static void
test_windows (void)
{
  check_window (&(Way) { ASSAY_OFFLOAD_NONE, 0, TRUE, NULL }, 0, 5, 0);
  check_window (&(Way) { ASSAY_OFFLOAD_MODEL, 0, FALSE, NULL }, 1280, 3, 3);
  check_window (&(Way) { ASSAY_OFFLOAD_MODEL, 0, TRUE, NULL }, 1280, 3, 3);
  check_window (&(Way) { ASSAY_OFFLOAD_GROUP, 1, FALSE, NULL }, 1088, 5, 5);
  check_window (&(Way) { ASSAY_OFFLOAD_GROUP, 2, FALSE, NULL }, 1088, 4, 4);
  check_window (&(Way) { ASSAY_OFFLOAD_GROUP, 2, TRUE, NULL }, 1280, 4, 4); /* 896 + 384 */
  check_window (&(Way) { ASSAY_OFFLOAD_GROUP, 0, TRUE, NULL }, 1024, 9, 9);
  check_window (&(Way) { ASSAY_OFFLOAD_SEQUENTIAL, 7, TRUE, NULL }, 1024, 9, 9);
  const char *middle = "embedding=device, decoder=device, decoder.1=cpu, head=device";
  check_window (&(Way) { ASSAY_OFFLOAD_NONE, 0, FALSE, middle }, 512, 6, 2);
  check_window (&(Way) { ASSAY_OFFLOAD_NONE, 0, TRUE, middle }, 576, 6, 2); /* one layer: less than 3 × 512 */
}

static void
test_host_memory_is_not_offloaded (void)
{
  const AssayAssembly assembly = { .mode = ASSAY_OFFLOAD_SEQUENTIAL };
  AssayPlacementFigures figures;
  g_autoptr (AssayPlacement) placement
      = assay_placement_new (units, unit_bytes, G_N_ELEMENTS (units), &assembly, FALSE);
  assay_placement_get_figures (placement, &figures);
  g_assert_cmpuint (figures.n_streamed, ==, 0);
}

typedef struct { Placed *placed; GHashTable *seen; } Watch;

static gboolean
note_resident (const AssayModelUnit *unit, gpointer data, GError **error)
{
  Watch *watch = data;
  g_hash_table_add (watch->seen,
                    assay_placement_dup_resident (assay_model_get_placement (watch->placed->model)));
  return TRUE;
}

static void
test_resident_has_a_name (void)
{
  g_autofree char *path = tiny_path (TINY_FAMILY_LLAMA, TRUE);
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  PlacedSetup setup;
  Placed placed;
  Watch watch = { &placed, seen };
  const gint32 token = 3;
  placed_setup_init (&setup, path);
  setup_way (&setup, &(Way) { ASSAY_OFFLOAD_GROUP, 2, TRUE, NULL });
  g_assert_true (placed_open (&placed, &setup, NULL));
  g_assert_true (assay_model_prompt (placed.model, 0, &token, 1, note_resident, &watch, NULL));
  for (const char *const *name = (const char *const[]) { "", "token_embd", "decoder 0 … 1", "decoder 2 … 3",
                                                         "decoder 4", "head", NULL }; *name != NULL; name++)
    g_assert_true (g_hash_table_contains (seen, *name));
  g_autofree char *after = assay_placement_dup_resident (assay_model_get_placement (placed.model));
  g_assert_cmpstr (after, ==, "");
  placed_close (&placed);
}

/* --- shortages --- */

/* What a run took is a budget it fits; a byte less is refused, and the machine is as it was. */
static void
test_budgets_are_exact (void)
{
  g_autofree char *path = tiny_path (TINY_FAMILY_LLAMA, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (ways); i++)
    {
      g_autoptr (GError) error = NULL;
      const guint64 peak = peak_of (path, &ways[i]);
      PlacedSetup setup;
      Placed placed;
      placed_setup_init (&setup, path);
      setup_way (&setup, &ways[i]);
      setup.budget = peak;
      placed_open (&placed, &setup, &error);
      g_assert_no_error (error);
      g_autoptr (GArray) tokens = placed_generate (&placed, PROMPT, ANSWER, &error);
      g_assert_no_error (error);
      placed_close (&placed);

      setup.budget = peak - 1;
      if (placed_open (&placed, &setup, &error))
        g_assert_null (placed_generate (&placed, PROMPT, ANSWER, &error));
      g_assert_error (error, ASSAY_ENGINE_ERROR, ASSAY_ENGINE_ERROR_OOM_DEVICE);
      g_assert_nonnull (strstr (error->message, "vram_budget"));
      g_clear_pointer (&placed.model, assay_model_free);
      g_assert_cmpuint (placed_allocated (placed.device), ==, 0);
      g_assert_cmpuint (placed_allocated (placed.host), ==, 0);
      placed_close (&placed);
    }
}

/* A model that did not fit can be placed another way. */
static void
test_placed_again_after_a_shortage (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = tiny_path (TINY_FAMILY_LLAMA, TRUE);
  PlacedSetup setup;
  Placed placed;
  placed_setup_init (&setup, path);
  setup_way (&setup, &ways[0]);
  setup.budget = peak_of (path, &(Way) { ASSAY_OFFLOAD_GROUP, 1, FALSE, NULL });
  g_assert_false (placed_open (&placed, &setup, &error));
  g_assert_error (error, ASSAY_ENGINE_ERROR, ASSAY_ENGINE_ERROR_OOM_DEVICE);
  g_clear_error (&error);
  g_assert_cmpuint (placed_allocated (placed.device), ==, 0);
  const AssayAssembly group = { .mode = ASSAY_OFFLOAD_GROUP, .granularity = 1 };
  assay_model_place (placed.model, &group, placed.link, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  g_autoptr (GArray) tokens = placed_generate (&placed, PROMPT, ANSWER, &error);
  g_assert_no_error (error);
  placed_close (&placed);
}

static void
test_ram_limit (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = tiny_path (TINY_FAMILY_LLAMA, TRUE);
  PlacedSetup setup;
  Placed placed;
  placed_setup_init (&setup, path);
  setup_way (&setup, &ways[3]);
  setup.options.read_weights = TRUE;
  setup.ram_limit = 20000;
  g_assert_false (placed_open (&placed, &setup, &error));
  g_assert_error (error, ASSAY_ENGINE_ERROR, ASSAY_ENGINE_ERROR_OOM_HOST);
  g_assert_nonnull (strstr (error->message, "ram_budget"));
  g_assert_cmpuint (assay_engine_error_get_request (error), >, 0);
  placed_close (&placed);
}

/* --- faults --- */

static gboolean
run_with_faults (const char *path, const Way *way, FaultPlan *device, FaultPlan *host)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) tokens = NULL;
  PlacedSetup setup;
  Placed placed;
  placed_setup_init (&setup, path);
  setup_way (&setup, way);
  setup.options.format.float_dtype = ASSAY_DTYPE_F16;
  setup.device_plan = device;
  setup.host_plan = host;
  if (placed_open (&placed, &setup, &error))
    tokens = placed_generate (&placed, PROMPT, 2, &error);
  g_assert_cmpint (tokens == NULL, ==, error != NULL);
  if (tokens == NULL) /* still to be used */
    {
      if (assay_model_get_placement (placed.model) == NULL)
        g_assert_true (
            assay_model_place (placed.model, &setup.assembly, placed.link, NULL, NULL, NULL, NULL));
      g_autoptr (GArray) again = placed_generate (&placed, PROMPT, 2, NULL);
      g_assert_nonnull (again);
    }
  placed_close (&placed);
  g_assert_cmpint (device->bytes_held, ==, 0);
  g_assert_cmpint (host->bytes_held, ==, 0);
  return error == NULL;
}

static void
test_every_call_may_fail (void)
{
  g_autofree char *path = tiny_path (TINY_FAMILY_LLAMA, TRUE);
  static const Way some[] = {
    { ASSAY_OFFLOAD_NONE, 0, FALSE, NULL }, { ASSAY_OFFLOAD_GROUP, 2, TRUE, NULL },
    { ASSAY_OFFLOAD_NONE, 0, TRUE, "embedding=cpu, decoder=device, decoder.1-2=cpu, head=device" },
  };
  const guint step = ENGINE_SANITIZED ? 7 : 1;
  for (guint w = 0; w < G_N_ELEMENTS (some); w++)
    for (guint where = 0; where < 3; where++)
      for (guint n = 1;; n += step)
        {
          FaultPlan device = { .failure = ASSAY_DEVICE_FAULT }, host = { .failure = ASSAY_DEVICE_FAULT };
          *(where == 0 ? &device.fail_at : where == 1 ? &host.fail_at : (guint *) &device.upload_fail_at) = n;
          run_with_faults (path, &some[w], &device, &host);
          if (!device.failed && !host.failed)
            {
              g_test_message ("way %u, place %u: %u calls failed one by one", w, where, n - 1);
              g_assert_cmpuint (n, >, 5);
              break;
            }
        }
}

static gboolean
stop_at (const AssayModelUnit *unit, gpointer data, GError **error)
{
  guint *left = data;
  if ((*left)-- > 0)
    return TRUE;
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "stopped");
  return FALSE;
}

/* A pass that is broken off leaves the sequence where it was, and the next one is right. */
static void
test_stopped_anywhere (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = tiny_path (TINY_FAMILY_LLAMA, TRUE);
  PlacedSetup setup;
  Placed placed;
  placed_setup_init (&setup, path);
  setup_way (&setup, &(Way) { ASSAY_OFFLOAD_SEQUENTIAL, 0, TRUE, NULL });
  g_assert_true (placed_open (&placed, &setup, NULL));
  g_autoptr (GArray) expected = placed_generate (&placed, PROMPT, ANSWER, NULL);
  for (guint n = 0; n < assay_model_get_n_units (placed.model); n++)
    {
      const gint32 tokens[] = { 3, 4, 5 };
      guint left = n;
      assay_model_reset (placed.model, 0);
      g_assert_false (assay_model_prompt (placed.model, 0, tokens, 3, stop_at, &left, &error));
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
      g_clear_error (&error);
      g_assert_cmpuint (assay_model_get_position (placed.model, 0), ==, 0);
    }
  g_autoptr (GArray) tokens = placed_generate (&placed, PROMPT, ANSWER, NULL);
  assert_same_tokens (tokens, expected);
  placed_close (&placed);
}

int
main (int argc, char *argv[])
{
  engine_fixture_init (&argc, &argv);
  g_test_add_func ("/engine/placement/every-mode-gives-the-same-tokens", test_same_tokens);
  g_test_add_func ("/engine/placement/adapters-move-along", test_adapters_move_along);
  g_test_add_func ("/engine/placement/a-shortage-of-an-adapter-is-one-of-attaching",
                   test_shortage_of_an_adapter);
  g_test_add_func ("/engine/placement/bytes-over-the-link-are-the-units", test_bytes);
  g_test_add_func ("/engine/placement/what-stays-is-loaded-once", test_loaded_bytes);
  g_test_add_func ("/engine/placement/peaks-fall-from-none-to-sequential", test_peak_order);
  g_test_add_func ("/engine/placement/the-window-holds-the-largest-block-or-pair", test_windows);
  g_test_add_func ("/engine/placement/leaves-take-turns-in-a-ring", test_ring);
  g_test_add_func ("/engine/placement/host-memory-is-not-offloaded", test_host_memory_is_not_offloaded);
  g_test_add_func ("/engine/placement/the-block-in-the-window-has-a-name", test_resident_has_a_name);
  g_test_add_func ("/engine/placement/budgets-are-exact", test_budgets_are_exact);
  g_test_add_func ("/engine/placement/a-model-that-did-not-fit-is-placed-another-way",
                   test_placed_again_after_a_shortage);
  g_test_add_func ("/engine/placement/the-ram-limit-names-its-condition", test_ram_limit);
  g_test_add_func ("/engine/placement/every-call-may-fail-and-nothing-is-lost", test_every_call_may_fail);
  g_test_add_func ("/engine/placement/a-stopped-pass-harms-nothing", test_stopped_anywhere);
  return g_test_run ();
}
