/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/engine/test-convert.c: weights in another format, made where they are needed.
 *
 * What lies in memory is compared, bit by bit, with the same matrix changed at once by the backend; that
 * those bytes are right is the kernels' own tests' matter. Matrices are larger than what is worked on at
 * once, and than a piece on its way over the link. */
#include "placed-fixture.h"

#include "models/assay-model-private.h"

#include <string.h>

#define ROWS 9216u /* of ffn_gate: 18 MiB as float32 */
#define WIDTH 512u

static const AssayDtype targets[] = { ASSAY_DTYPE_F32, ASSAY_DTYPE_F16,  ASSAY_DTYPE_BF16, ASSAY_DTYPE_Q8_0,
                                      ASSAY_DTYPE_Q4_0, ASSAY_DTYPE_Q4_K, ASSAY_DTYPE_NF4, ASSAY_DTYPE_FP4,
                                      ASSAY_DTYPE_NF4_DOUBLE, ASSAY_DTYPE_INT8 };

/* As the backend makes it of all rows at once. */
static void *
dup_expected (Placed *placed, const char *name, AssayDtype dtype, gsize *bytes)
{
  AssayBackend *b = assay_device_get_backend (placed->host);
  const AssayTensorInfo *info = assay_model_file_find_tensor (placed->file, name);
  const gsize n = (gsize) info->shape[0], n_rows = (gsize) info->shape[1];
  const AssayTensor source = { .dtype = info->dtype,
                               .shape = { info->shape[0], info->shape[1], 1, 1 },
                               .row_bytes = info->row_bytes,
                               .data = assay_model_file_get_data (placed->file, info) };
  *bytes = assay_dtype_matrix_bytes (dtype, info->shape[0], info->shape[1]);
  if (dtype == ASSAY_DTYPE_NF4_DOUBLE)
    *bytes -= 64 - sizeof (float); /* nobody fills what is behind the offset */
  void *out = g_malloc0 (*bytes + 64);
  g_autofree float *rows = g_new (float, n * n_rows);
  g_assert_cmpint (b->ops->dequantize (b, rows, &source, 0, n_rows), ==, ASSAY_OK);
  if (dtype == ASSAY_DTYPE_F32)
    {
      memcpy (out, rows, *bytes);
      return out;
    }
  AssayTensor target = source;
  target.dtype = dtype;
  target.row_bytes
      = assay_dtype_info (dtype)->whole ? 0 : assay_dtype_matrix_bytes (dtype, info->shape[0], 1);
  target.data = out;
  g_autofree void *scratch = g_malloc0 (b->ops->quantize_scratch (b, &target) + 1);
  g_assert_cmpint (b->ops->quantize (b, &target, rows, 0, n_rows, scratch), ==, ASSAY_OK);
  g_assert_cmpint (b->ops->quantize_finish (b, &target, scratch), ==, ASSAY_OK);
  return out;
}

static void
set_format (PlacedSetup *setup, AssayDtype dtype)
{
  const gboolean quantized = assay_dtype_info (dtype)->quantized;
  setup->options.format = (AssayWeightFormat) { .float_dtype = quantized ? ASSAY_DTYPE_AS_STORED : dtype,
                                                .quantized = quantized ? dtype : ASSAY_DTYPE_AS_STORED,
                                                .modules = quantized ? "ffn_gate" : NULL };
}

static char *
dup_large (void)
{
  return placed_dup_tiny (
      &(TinyModel) { .n_embd = WIDTH, .n_ff = ROWS, .matrices = ASSAY_DTYPE_F16, .seed = 3 }, "large.gguf");
}

static void
check_place (PlacedSetup *setup, AssayDtype dtype, const void *expected, gsize bytes)
{
  g_autoptr (GError) error = NULL;
  Placed placed;
  set_format (setup, dtype);
  placed_open (&placed, setup, &error);
  g_assert_no_error (error);
  const gint32 token = 3; /* streamed weights are where the last pass had them */
  g_assert_true (assay_model_prompt (placed.model, 0, &token, 1, NULL, NULL, &error));
  const AssayTensor *gate = &placed.model->layers[0].gate.w;
  g_assert_cmpint (gate->dtype, ==, dtype);
  if (setup->assembly.mode != ASSAY_OFFLOAD_SEQUENTIAL)
    g_assert_cmpmem (gate->data, bytes, expected, bytes);
  else /* it was overwritten by now: where it waits */
    for (guint i = 0; i < placed.model->weights->len; i++)
      {
        const AssayWeight *weight = assay_model_get_weight (placed.model, i);
        if (weight->tensor == gate && weight->memory != NULL)
          g_assert_cmpmem (weight->memory, bytes, expected, bytes);
      }
  placed_close (&placed);
}

static void
test_bytes_are_the_backends (void)
{
  g_autofree char *path = dup_large ();
  for (guint i = 0; i < G_N_ELEMENTS (targets); i += ENGINE_SANITIZED ? 3 : 1)
    {
      const gint64 start_us = g_get_monotonic_time ();
      PlacedSetup setup;
      Placed stored;
      gsize bytes;
      placed_setup_init (&setup, path);
      g_assert_true (placed_open (&stored, &setup, NULL));
      g_autofree void *expected = dup_expected (&stored, "blk.0.ffn_gate.weight", targets[i], &bytes);
      check_place (&setup, targets[i], expected, bytes);
      setup.separate = TRUE;
      check_place (&setup, targets[i], expected, bytes);
      setup.assembly.mode = ASSAY_OFFLOAD_SEQUENTIAL;
      check_place (&setup, targets[i], expected, bytes);
      placed_close (&stored);
      g_test_message ("%s: %.2f s", assay_dtype_info (targets[i])->name,
                      (g_get_monotonic_time () - start_us) / 1e6);
    }
}

/* What is not changed keeps its bits, whether used in place, read, or copied. */
static void
test_stored_bits_are_kept (void)
{
  g_autofree char *path = placed_dup_tiny (
      &(TinyModel) { .matrices = ASSAY_DTYPE_Q5_1, .alignment = 1, .seed = 2 }, "bits.gguf");
  for (guint way = 0; way < 3; way++)
    {
      g_autoptr (GError) error = NULL;
      PlacedSetup setup;
      Placed placed;
      placed_setup_init (&setup, path);
      setup.options.read_weights = way == 1;
      setup.separate = way == 2;
      placed_open (&placed, &setup, &error);
      g_assert_no_error (error);
      const AssayTensorInfo *info = assay_model_file_find_tensor (placed.file, "blk.0.ffn_down.weight");
      const void *stored = assay_model_file_get_data (placed.file, info),
                 *used = placed.model->layers[0].down.w.data;
      g_assert_cmpmem (used, info->bytes, stored, info->bytes);
      g_assert_cmpint (used == stored, ==, way == 0 && (gsize) stored % 2 == 0);
      placed_close (&placed);
    }
}

/* --- which --- */

typedef struct { AssayDtype embedding, q, down, norm; } Formats;

static void
check_formats (const char *path, const AssayWeightFormat *format, const Formats *expected)
{
  g_autoptr (GError) error = NULL;
  PlacedSetup setup;
  Placed placed;
  placed_setup_init (&setup, path);
  setup.options.format = *format;
  placed_open (&placed, &setup, &error);
  g_assert_no_error (error);
  const AssayModel *m = placed.model;
  g_assert_cmpint (m->embedding.w.dtype, ==, expected->embedding);
  g_assert_cmpint (m->head.w.dtype, ==, expected->embedding);
  g_assert_cmpint (m->layers[1].q.w.dtype, ==, expected->q);
  g_assert_cmpint (m->layers[1].down.w.dtype, ==, expected->down);
  g_assert_cmpint (m->layers[1].attn_norm.w.dtype, ==, expected->norm);
  placed_close (&placed);
}

static void
test_customary_choices (void)
{
  g_autofree char *path = placed_dup_tiny (&(TinyModel) { .n_layers = 2,
                                                         .n_embd = 64,
                                                         .matrices = ASSAY_DTYPE_BF16,
                                                         .embedding = ASSAY_DTYPE_F16,
                                                         .own_output = TRUE },
                                           "choices.gguf");
  const AssayDtype stored = ASSAY_DTYPE_AS_STORED, f32 = ASSAY_DTYPE_F32, f16 = ASSAY_DTYPE_F16,
                   bf16 = ASSAY_DTYPE_BF16, q8 = ASSAY_DTYPE_Q8_0, nf4 = ASSAY_DTYPE_NF4;
  check_formats (path, &(AssayWeightFormat) { stored, stored }, &(Formats) { f16, bf16, bf16, f32 });
  check_formats (path, &(AssayWeightFormat) { f32, stored }, &(Formats) { f32, f32, f32, f32 });
  check_formats (path, &(AssayWeightFormat) { stored, q8 }, &(Formats) { q8, q8, q8, f32 });
  check_formats (path, &(AssayWeightFormat) { f16, nf4, "default" }, &(Formats) { f16, nf4, nf4, f32 });
  check_formats (path, &(AssayWeightFormat) { stored, nf4 }, &(Formats) { f16, nf4, nf4, f32 });
  check_formats (path, &(AssayWeightFormat) { stored, q8, "attn_*" }, &(Formats) { f16, q8, bf16, f32 });
  check_formats (path, &(AssayWeightFormat) { bf16, q8, "blk.1.ffn_down" }, &(Formats) { bf16, bf16, q8, f32 });
  check_formats (path, &(AssayWeightFormat) { stored, q8, "blk.0.*" }, &(Formats) { f16, bf16, bf16, f32 });
  g_autofree char *quantized = placed_dup_tiny (
      &(TinyModel) { .n_layers = 2, .n_embd = 64, .own_output = TRUE, .matrices = q8, .embedding = f16 },
      "quantized.gguf");
  check_formats (quantized, &(AssayWeightFormat) { f32, stored }, &(Formats) { f32, q8, q8, f32 });
  check_formats (quantized, &(AssayWeightFormat) { bf16, f32 }, &(Formats) { bf16, bf16, bf16, f32 });
  check_formats (quantized, &(AssayWeightFormat) { stored, f32, "ffn_*" }, &(Formats) { f16, q8, f32, f32 });
  check_formats (quantized, &(AssayWeightFormat) { stored, ASSAY_DTYPE_Q4_0, "attn_q" },
                 &(Formats) { f16, ASSAY_DTYPE_Q4_0, q8, f32 });
}

static void
check_refused (const AssayWeightFormat *format, const char *reason, const char *word)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = placed_dup_tiny (&(TinyModel) { .n_layers = 2, .n_embd = 32 }, "refused.gguf");
  PlacedSetup setup;
  Placed placed;
  placed_setup_init (&setup, path);
  setup.options.format = *format;
  g_assert_false (placed_open (&placed, &setup, &error));
  g_assert_error (error, ASSAY_ENGINE_ERROR, ASSAY_ENGINE_ERROR_RULE);
  g_assert_cmpstr (assay_engine_error_get_reason (error), ==, reason);
  g_assert_nonnull (strstr (error->message, word));
  placed_close (&placed);
}

static void
test_refused_formats_name_the_module (void)
{
  const AssayDtype stored = ASSAY_DTYPE_AS_STORED;
  check_refused (&(AssayWeightFormat) { stored, ASSAY_DTYPE_Q6_K, "blk.1.attn_v" }, "format-rows",
                 "blk.1.attn_v");
  check_refused (&(AssayWeightFormat) { stored, ASSAY_DTYPE_Q8_0, "attn_q, ffn_dwon" }, "module-unknown",
                 "ffn_dwon");
}

/* Rows of 32 are no blocks of 256; those of 512 are. */
static void
test_what_does_not_fit_falls_back (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = placed_dup_tiny (&(TinyModel) { .n_layers = 2, .n_embd = 32, .n_ff = 512 }, "back.gguf");
  PlacedSetup setup;
  Placed placed;
  placed_setup_init (&setup, path);
  setup.options.format = (AssayWeightFormat) { ASSAY_DTYPE_AS_STORED, ASSAY_DTYPE_Q4_K };
  g_assert_true (placed_open (&placed, &setup, &error));
  g_assert_no_error (error);
  g_autofree char *told = assay_model_dup_fallen_back (placed.model);
  g_assert_cmpstr (told, ==,
                   "Q4_K: ffn_down; Q5_0: token_embd attn_q attn_k attn_v attn_output ffn_gate ffn_up");
  placed_close (&placed);
}

/* --- LLM.int8() as Transformers offloads it --- */

static guint64
unit_bytes_of (Placed *placed, const char *module)
{
  for (guint i = 0; i < assay_model_get_n_units (placed->model); i++)
    if (g_str_equal (assay_model_get_unit (placed->model, i)->module, module))
      return assay_model_get_unit (placed->model, i)->weight_bytes;
  g_assert_not_reached ();
}

static void
test_int8_is_float32_on_the_host (void)
{
  g_autofree char *path = placed_dup_tiny (&(TinyModel) { .n_layers = 2, .n_embd = 64 }, "int8.gguf");
  guint64 host[2];
  for (gboolean wide = FALSE; wide <= TRUE; wide++)
    {
      PlacedSetup setup;
      Placed placed;
      placed_setup_init (&setup, path);
      setup.separate = TRUE;
      setup.options.format = (AssayWeightFormat) { .float_dtype = ASSAY_DTYPE_F16,
                                                  .quantized = ASSAY_DTYPE_INT8,
                                                  .fp32_on_host = wide };
      setup.assembly.device_map = (char *) "embedding=device, decoder.0=device, decoder.1=cpu, head=device";
      g_assert_true (placed_open (&placed, &setup, NULL));
      g_assert_cmpint (placed.model->layers[0].q.w.dtype, ==, ASSAY_DTYPE_INT8);
      g_assert_cmpint (placed.model->layers[1].q.w.dtype, ==, wide ? ASSAY_DTYPE_F32 : ASSAY_DTYPE_INT8);
      g_assert_cmpuint (unit_bytes_of (&placed, "ffn_up"), ==,
                        assay_dtype_matrix_bytes (ASSAY_DTYPE_INT8, 64, 128));
      host[wide] = placed_allocated (placed.host) + assay_model_get_mapped_bytes (placed.model);
      g_autoptr (GArray) tokens = placed_generate (&placed, 9, 3, NULL);
      g_assert_nonnull (tokens);
      placed_close (&placed);
    }
  g_assert_cmpuint (host[1], >, 3 * host[0]);
}

/* --- stopping --- */

typedef struct { GCancellable *cancellable; guint left, n_calls; guint64 done, total; } Progress;

static void
on_progress (guint64 done, guint64 total, gpointer data)
{
  Progress *self = data;
  g_assert_cmpuint (done, >=, self->done);
  g_assert_cmpuint (done, <=, total);
  self->done = done;
  self->total = total;
  if (++self->n_calls == self->left)
    g_cancellable_cancel (self->cancellable);
}

static void
test_cancelled_within_a_block (void)
{
  g_autofree char *path = dup_large ();
  guint n = 1;
  for (gboolean stopped = TRUE; stopped; n += 40)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      Progress progress = { cancellable, n };
      PlacedSetup setup;
      Placed placed;
      placed_setup_init (&setup, path);
      set_format (&setup, ASSAY_DTYPE_BF16);
      setup.separate = TRUE;
      g_assert_true (placed_open (&placed, &setup, NULL));
      g_clear_pointer (&placed.model, assay_model_free);
      placed.model
          = assay_model_new (placed.file, &placed.config, placed.device, placed.host, &setup.options, NULL);
      stopped = !assay_model_place (placed.model, &setup.assembly, placed.link, on_progress, &progress,
                                    cancellable, &error);
      if (stopped)
        {
          g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
          g_assert_cmpuint (progress.n_calls, ==, n); /* none after it */
          g_assert_cmpuint (placed_allocated (placed.device) + placed_allocated (placed.host), ==, 0);
        }
      else
        g_assert_cmpuint (progress.done, ==, progress.total);
      placed_close (&placed);
    }
  g_assert_cmpuint (n, >, 41);
}

int
main (int argc, char *argv[])
{
  engine_fixture_init (&argc, &argv);
  g_test_add_func ("/engine/convert/bytes-are-the-backend's", test_bytes_are_the_backends);
  g_test_add_func ("/engine/convert/stored-bits-are-kept", test_stored_bits_are_kept);
  g_test_add_func ("/engine/convert/customary-choices", test_customary_choices);
  g_test_add_func ("/engine/convert/refused-formats-name-the-module", test_refused_formats_name_the_module);
  g_test_add_func ("/engine/convert/what-does-not-fit-falls-back", test_what_does_not_fit_falls_back);
  g_test_add_func ("/engine/convert/int8-waits-as-float32-when-asked", test_int8_is_float32_on_the_host);
  g_test_add_func ("/engine/convert/cancelled-within-a-block", test_cancelled_within_a_block);
  return g_test_run ();
}
