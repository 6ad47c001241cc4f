/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/engine/test-plan.c: a plan is what then happens, byte by byte.
 *
 * The same calls are made over devices that count, with a file that is not mapped, and over the devices
 * themselves. All figures of both are compared as wholes, after placing, after a prompt, and after
 * decoding. */
#include "placed-fixture.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

static guint32 base_seed;

typedef struct
{
  PlacedSetup setup;
  char *path, *adapter, *words;
} Combination;

#ifndef PLAN_COMBINATIONS
#define PLAN_COMBINATIONS 300
#endif
#define PICK(rand, list) (list)[g_rand_int_range (rand, 0, G_N_ELEMENTS (list))]

static void
pick_placement (GRand *rand, PlacedSetup *setup)
{
  static const char *const maps[] = {
    NULL,
    NULL,
    "embedding=device, decoder=device, head=cpu",
    "embedding=cpu, decoder=device, decoder.1-2=cpu, head=device",
  };
  setup->separate = g_rand_int_range (rand, 0, 6) > 0;
  if (!setup->separate)
    return;
  setup->assembly = (AssayAssembly){ .mode = g_rand_int_range (rand, 0, 4),
                                     .granularity = g_rand_int_range (rand, 0, 4),
                                     .prefetch = g_rand_boolean (rand) };
  if (setup->assembly.mode == ASSAY_OFFLOAD_NONE)
    setup->assembly.device_map = (char *) PICK (rand, maps);
}

static void
pick_format (GRand *rand, AssayModelOptions *options)
{
  static const AssayDtype floats[]
      = { ASSAY_DTYPE_AS_STORED, ASSAY_DTYPE_F32, ASSAY_DTYPE_F16, ASSAY_DTYPE_BF16 },
      quantized[] = { ASSAY_DTYPE_AS_STORED,  ASSAY_DTYPE_AS_STORED, ASSAY_DTYPE_F32, ASSAY_DTYPE_Q8_0,
                      ASSAY_DTYPE_Q4_0,       ASSAY_DTYPE_Q5_1,      ASSAY_DTYPE_NF4, ASSAY_DTYPE_FP4,
                      ASSAY_DTYPE_NF4_DOUBLE, ASSAY_DTYPE_INT8 },
      caches[] = { ASSAY_DTYPE_F32, ASSAY_DTYPE_F16, ASSAY_DTYPE_Q8_0 };
  static const char *const modules[] = { NULL, "default", "attn_q, blk.?.ffn_*", "ffn_down" };
  options->format = (AssayWeightFormat) { .float_dtype = PICK (rand, floats),
                                         .quantized = PICK (rand, quantized),
                                         .modules = PICK (rand, modules),
                                         .fp32_on_host = g_rand_boolean (rand) };
  options->read_weights = g_rand_boolean (rand);
  options->k_dtype = PICK (rand, caches);
  options->v_dtype = PICK (rand, caches);
  options->context_length = 40 + (guint) g_rand_int_range (rand, 0, 60);
  options->chunk = 1 + (guint) g_rand_int_range (rand, 0, 30);
  options->n_sequences = (guint) g_rand_int_range (rand, 0, 5);
}

/* GPT-2's modules are named otherwise. */
static void
pick_model (GRand *rand, Combination *c)
{
  static const AssayDtype stored[] = { ASSAY_DTYPE_F32, ASSAY_DTYPE_F16, ASSAY_DTYPE_BF16, ASSAY_DTYPE_Q8_0 };
  static const TinyFamily families[]
      = { TINY_FAMILY_LLAMA, TINY_FAMILY_LLAMA, TINY_FAMILY_GEMMA2, TINY_FAMILY_GPT2 };
  TinyModel model = { .family = PICK (rand, families), .n_layers = 2 + (guint) g_rand_int_range (rand, 0, 4),
                      .n_embd = 64, .matrices = PICK (rand, stored), .embedding = PICK (rand, stored),
                      .own_output = g_rand_boolean (rand), .seed = g_rand_int (rand) };
  model.rope_freqs = model.family == TINY_FAMILY_LLAMA && g_rand_boolean (rand);
  model.alignment = g_rand_boolean (rand) ? 32 : 1; /* of tensors in the file: some cannot be used in place */
  c->path = placed_dup_tiny (&model, "plan.gguf");
  if (model.family == TINY_FAMILY_GPT2)
    c->setup.options.format.modules = NULL;
  if (model.family == TINY_FAMILY_LLAMA && g_rand_boolean (rand))
    {
      static const char *const modules[] = { "blk.0.attn_q", "blk.1.ffn_down", "blk.1.attn_v", NULL };
      g_autoptr (GgufWriter) writer = tiny_model_new (&model);
      c->adapter
          = placed_dup_saved (placed_new_adapter (writer, "llama", modules, 3, 1), "plan-adapter.gguf");
    }
  c->words
      = g_strdup_printf ("family %u, %u layers, stored %s and %s%s", model.family, model.n_layers,
                         assay_dtype_info (model.matrices)->name, assay_dtype_info (model.embedding)->name,
                         c->adapter != NULL ? ", an adapter" : "");
}

static const char *
dtype_word (AssayDtype dtype)
{
  return dtype == ASSAY_DTYPE_AS_STORED ? "as stored" : assay_dtype_info (dtype)->name;
}

static void
combination_init (Combination *self, guint32 seed)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  *self = (Combination) { 0 };
  placed_setup_init (&self->setup, NULL);
  pick_placement (rand, &self->setup);
  pick_format (rand, &self->setup.options);
  pick_model (rand, self);
  self->setup.path = self->path;
  self->setup.adapter = self->adapter;
  const AssayWeightFormat *format = &self->setup.options.format;
  g_test_message ("seed %u: %s; %s, %s%s of %s; mode %u by %u%s, map %s, %s", seed, self->words,
                  dtype_word (format->float_dtype), dtype_word (format->quantized),
                  format->fp32_on_host ? "*" : "", format->modules != NULL ? format->modules : "all",
                  self->setup.assembly.mode, self->setup.assembly.granularity,
                  self->setup.assembly.prefetch ? " with prefetch" : "",
                  self->setup.assembly.device_map != NULL ? self->setup.assembly.device_map : "none",
                  self->setup.separate ? "virtual" : "cpu");
}

static void
combination_clear (Combination *self)
{
  g_free (self->path);
  g_free (self->adapter);
  g_free (self->words);
}

static void
assert_same_device (AssayDevice *plan, AssayDevice *real, const char *when)
{
  AssayDeviceFigures a, b;
  assay_device_get_figures (plan, &a);
  assay_device_get_figures (real, &b);
  for (guint i = 0; i < ASSAY_N_MEMORY; i++)
    if (a.peak[i] != b.peak[i])
      g_error ("%s, %s on %s: planned %" G_GUINT64_FORMAT ", was %" G_GUINT64_FORMAT, when,
               assay_memory_get_name (i), assay_device_get_name (real), a.peak[i], b.peak[i]);
  g_assert_cmpmem (&a, sizeof a, &b, sizeof b);
}

static void
assert_same (Placed *plan, Placed *real, const char *when)
{
  AssayPlacementFigures a, b;
  AssayLinkFigures x = { 0 }, y = { 0 };
  assert_same_device (plan->device, real->device, when);
  assert_same_device (plan->host, real->host, when);
  assay_placement_get_figures (assay_model_get_placement (plan->model), &a);
  assay_placement_get_figures (assay_model_get_placement (real->model), &b);
  g_assert_cmpmem (&a, sizeof a, &b, sizeof b);
  g_assert_cmpuint (assay_model_get_mapped_bytes (plan->model), ==,
                    assay_model_get_mapped_bytes (real->model));
  if (real->link == NULL)
    return;
  assay_link_get_figures (plan->link, &x);
  assay_link_get_figures (real->link, &y);
  g_assert_cmpuint (x.bytes, ==, y.bytes);
  g_assert_cmpuint (x.n_copies, ==, y.n_copies);
}

static void
check_combination (guint32 seed, guint *n_run)
{
  g_autoptr (GError) error = NULL, planned = NULL;
  Combination c;
  Placed plan, real;
  combination_init (&c, seed);
  const gboolean fits = placed_open (&real, &c.setup, &error),
                 foreseen = placed_open_plan (&plan, &c.setup, &planned);
  g_assert_cmpint (fits, ==, foreseen);
  if (fits)
    {
      assert_same (&plan, &real, "placed");
      for (guint i = 0; i < 2; i++)
        {
          g_autoptr (GArray) a = placed_generate (&plan, 10 + 12 * i, 4, &planned);
          g_assert_no_error (planned);
          g_autoptr (GArray) b = placed_generate (&real, 10 + 12 * i, 4, &error);
          g_assert_no_error (error);
          assert_same (&plan, &real, i == 0 ? "after a short prompt" : "after a long prompt");
        }
      (*n_run)++;
    }
  else
    g_assert_cmpstr (error->message, ==, planned->message); /* a rule */
  placed_close (&plan);
  placed_close (&real);
  combination_clear (&c);
}

static void
test_plan_is_what_happens (void)
{
  const guint n = ENGINE_SANITIZED ? 40 : PLAN_COMBINATIONS;
  guint n_run = 0;
  for (guint i = 0; i < n; i++)
    check_combination (base_seed + i, &n_run);
  g_test_message ("%u of %u combinations ran, the others break a rule", n_run, n);
  g_assert_cmpuint (n_run, >, n / 2);
}

/* --- a large model, by its metadata alone --- */

static void
big_add (GgufWriter *w, const char *name, guint64 fast, guint64 slow, AssayDtype dtype, guint64 *offset)
{
  GgufWriterTensor *tensor = gguf_writer_add_tensor (w, name, 2, (guint64[]) { 0, 0 }, dtype, NULL);
  tensor->n_dims = slow > 1 ? 2 : 1;
  tensor->dims[0] = fast;
  tensor->dims[1] = slow;
  tensor->offset = *offset;
  *offset = (*offset + assay_dtype_matrix_bytes (dtype, (gint64) fast, (gint64) slow) + 31) / 32 * 32;
}

/* The shape of an 8B model: 4.7 GB of which no byte is on the disk. */
static char *
big_dup_path (guint64 *bytes)
{
  static const struct { const char *name; guint64 fast, slow; AssayDtype dtype; } layer[] = {
    { "attn_norm", 4096, 1, ASSAY_DTYPE_F32 },     { "attn_q", 4096, 4096, ASSAY_DTYPE_Q4_0 },
    { "attn_k", 4096, 1024, ASSAY_DTYPE_Q4_0 },    { "attn_v", 4096, 1024, ASSAY_DTYPE_Q4_0 },
    { "attn_output", 4096, 4096, ASSAY_DTYPE_Q4_0 }, { "ffn_norm", 4096, 1, ASSAY_DTYPE_F32 },
    { "ffn_gate", 4096, 14336, ASSAY_DTYPE_Q4_0 }, { "ffn_up", 4096, 14336, ASSAY_DTYPE_Q4_0 },
    { "ffn_down", 14336, 4096, ASSAY_DTYPE_Q4_0 },
  };
  static const struct { const char *key; guint32 value; } numbers[] = {
    { "llama.block_count", 32 },          { "llama.embedding_length", 4096 },
    { "llama.feed_forward_length", 14336 }, { "llama.attention.head_count", 32 },
    { "llama.attention.head_count_kv", 8 }, { "llama.rope.dimension_count", 128 },
    { "llama.context_length", 131072 },   { "llama.vocab_size", 128256 },
  };
  g_autoptr (GgufWriter) tiny = tiny_model_new (NULL);
  g_ptr_array_set_size (tiny->tensors, 0);
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    gguf_writer_set_u32 (tiny, numbers[i].key, numbers[i].value);
  guint64 offset = 0;
  big_add (tiny, "token_embd.weight", 4096, 128256, ASSAY_DTYPE_Q4_0, &offset);
  for (guint i = 0; i < 32 * G_N_ELEMENTS (layer); i++)
    {
      const guint k = i % G_N_ELEMENTS (layer);
      g_autofree char *name
          = g_strdup_printf ("blk.%u.%s.weight", i / (guint) G_N_ELEMENTS (layer), layer[k].name);
      big_add (tiny, name, layer[k].fast, layer[k].slow, layer[k].dtype, &offset);
    }
  big_add (tiny, "output_norm.weight", 4096, 1, ASSAY_DTYPE_F32, &offset);
  big_add (tiny, "output.weight", 4096, 128256, ASSAY_DTYPE_Q6_K, &offset);
  g_autoptr (GByteArray) head = gguf_writer_bytes (tiny);
  char *path = placed_dup_saved (g_steal_pointer (&tiny), "big.gguf");
  g_assert_cmpint (truncate (path, (off_t) ((head->len + 31) / 32 * 32 + offset)), ==, 0);
  *bytes = offset;
  return path;
}

static void
test_large_model_in_no_time (void)
{
  g_autoptr (GError) error = NULL;
  guint64 stored;
  g_autofree char *path = big_dup_path (&stored);
  PlacedSetup setup;
  Placed plan;
  AssayDeviceFigures figures;
  AssayPlacementFigures placed;
  placed_setup_init (&setup, path);
  setup.separate = TRUE;
  setup.options.context_length = 8192;
  setup.options.k_dtype = setup.options.v_dtype = ASSAY_DTYPE_F16;
  setup.assembly = (AssayAssembly) { .mode = ASSAY_OFFLOAD_GROUP, .granularity = 1, .prefetch = TRUE };
  gint64 best_us = G_MAXINT64;
  for (guint round = 0; round < 3; round++)
    {
      const gint64 start_us = g_get_monotonic_time ();
      placed_open_plan (&plan, &setup, &error);
      g_assert_no_error (error);
      g_autoptr (GArray) tokens = placed_generate (&plan, 60, 2, &error);
      g_assert_no_error (error);
      best_us = MIN (best_us, g_get_monotonic_time () - start_us);
      assay_device_get_figures (plan.device, &figures);
      assay_placement_get_figures (assay_model_get_placement (plan.model), &placed);
      placed_close (&plan);
    }
  g_test_message ("opened, placed and run in %.2f ms", best_us / 1e3);
  const guint64 layer
      = (G_GUINT64_CONSTANT (4096) * (2 * 4096 + 2 * 1024 + 3 * 14336)) / 32 * 18 + 2 * 4096 * 4;
  const guint64 head = G_GUINT64_CONSTANT (4096) * 128256 / 256 * 210 + 4096 * 4;
  g_assert_cmpuint (placed.window_bytes, ==, MAX (head, 2 * layer));
  g_assert_cmpuint (placed.pass_bytes, ==, stored);
  g_assert_cmpuint (figures.peak[ASSAY_MEMORY_KV_CACHE], ==, G_GUINT64_CONSTANT (8192) * 131072);
  g_assert_cmpuint (best_us, <, ENGINE_SANITIZED ? 1000000 : 50000);
  g_remove (path);
}

int
main (int argc, char *argv[])
{
  engine_fixture_init (&argc, &argv);
  const char *chosen = g_getenv ("ASSAY_TEST_SEED");
  base_seed = chosen != NULL ? (guint32) g_ascii_strtoull (chosen, NULL, 10) : 20261130;
  g_test_message ("ASSAY_TEST_SEED=%u", base_seed);
  g_test_add_func ("/engine/plan/is-what-happens-to-the-byte", test_plan_is_what_happens);
  g_test_add_func ("/engine/plan/a-large-model-takes-no-time", test_large_model_in_no_time);
  return g_test_run ();
}
