/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/weights/test-config.c: rows M29 to M32 and M40: a sound container with numbers or tensors that
 * do not fit. */
#include "hostile.h"

#include "models/assay-config.h"

#include <math.h>
#include <string.h>

#define FORMAT ASSAY_ENGINE_ERROR_FORMAT
#define UNSUPPORTED ASSAY_ENGINE_ERROR_UNSUPPORTED

static void
refuse_u32 (const char *key, guint32 value, AssayEngineError code, const char *reason, const char *text)
{
  g_autoptr (GgufWriter) w = tiny_model_new (NULL);
  gguf_writer_set_u32 (w, key, value);
  hostile_assert_writer_refused (w, code, reason, text);
}

static void
refuse_f32 (const char *key, float value)
{
  g_autoptr (GgufWriter) w = tiny_model_new (NULL);
  gguf_writer_set_f32 (w, key, value);
  hostile_assert_writer_refused (w, FORMAT, "config-range", key);
}

static void
test_reads_the_numbers (void)
{
  g_autoptr (GgufWriter) w = tiny_model_new (&(TinyModel) { .n_layers = 3,
                                                           .n_heads = 4,
                                                           .n_kv_heads = 2,
                                                           .qkv_bias = TRUE,
                                                           .own_output = TRUE,
                                                           .rope_freqs = TRUE,
                                                           .context_length = 77 });
  g_autoptr (AssayModelFile) file = hostile_open (w);
  g_autoptr (GError) error = NULL;
  AssayModelConfig c;
  g_assert_true (assay_config_read (&c, file, &error));
  g_assert_cmpstr (c.architecture, ==, "llama");
  g_assert_cmpuint (c.n_layers, ==, 3);
  g_assert_cmpuint (c.n_embd, ==, 32);
  g_assert_cmpuint (c.n_ff, ==, 64);
  g_assert_cmpuint (c.n_heads, ==, 4);
  g_assert_cmpuint (c.n_kv_heads, ==, 2);
  g_assert_cmpuint (c.head_dim, ==, 8);
  g_assert_cmpuint (c.head_dim_v, ==, 8);
  g_assert_cmpuint (c.n_vocab, ==, 48);
  g_assert_cmpuint (c.context_length, ==, 77);
  g_assert_cmpuint (c.rope.n_dims, ==, 8);
  g_assert_true (c.rope.adjacent && c.qkv_bias && c.has_rope_divisor && !c.tied_output);
  g_assert_cmpuint (c.window, ==, 0);
  g_assert_cmpfloat (c.rope.scale, ==, 1);
  g_assert_cmpfloat (c.rope.base, ==, 10000);
  g_assert_cmpuint (assay_config_get_kv_bytes (&c, 100, ASSAY_DTYPE_F16), ==, 2 * 3 * 100 * 2 * 8 * 2);
}

static void
test_rope_scaling (void)
{
  g_autoptr (GgufWriter) w = tiny_model_new (NULL);
  gguf_writer_set_string (w, "llama.rope.scaling.type", "linear");
  gguf_writer_set_f32 (w, "llama.rope.scaling.factor", 4);
  g_autoptr (AssayModelFile) file = hostile_open (w);
  AssayModelConfig c;
  g_assert_true (assay_config_read (&c, file, NULL));
  g_assert_cmpfloat (c.rope.scale, ==, 0.25f);
  gguf_writer_set_string (w, "llama.rope.scaling.type", "dynamic");
  hostile_assert_writer_refused (w, UNSUPPORTED, "rope-scaling", "'dynamic'");
  gguf_writer_set_string (w, "llama.rope.scaling.type", "longrope");
  hostile_assert_writer_refused (w, FORMAT, "config-missing", "assay.rope.long_factor");
  gguf_writer_set_string (w, "llama.rope.scaling.type", "llama3");
  hostile_assert_writer_refused (w, FORMAT, "config-missing", "assay.rope.low_freq_factor");
  gguf_writer_set_string (w, "llama.rope.scaling.type", "yarn");
  hostile_assert_loads (w);
  gguf_writer_set_f32 (w, "llama.rope.freq_base", 1);
  hostile_assert_writer_refused (w, FORMAT, "config-range", "no usable rotation");
  gguf_writer_set_f32 (w, "llama.rope.freq_base", 10000);
  gguf_writer_set_string (w, "llama.rope.scaling.type", "linear");
  gguf_writer_set_f32 (w, "llama.rope.scaling.factor", 0);
  hostile_assert_writer_refused (w, FORMAT, "config-range", "scaling.factor");
}

static void
test_m29_missing_tensors (void)
{
  g_autoptr (GgufWriter) one = tiny_model_new (NULL);
  gguf_writer_remove_tensor (one, "output_norm.weight");
  hostile_assert_writer_refused (one, FORMAT, "tensors-missing", "output_norm.weight");

  g_autoptr (GgufWriter) many = tiny_model_new (NULL);
  static const char *const gone[]
      = { "attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down" };
  for (guint i = 0; i < G_N_ELEMENTS (gone); i++)
    {
      g_autofree char *name = g_strdup_printf ("blk.0.%s.weight", gone[i]);
      gguf_writer_remove_tensor (many, name);
    }
  gguf_writer_add_tensor (many, "v.extra", 1, (guint64[]) { 4 }, ASSAY_DTYPE_F32, NULL);
  g_autoptr (GError) error = hostile_check_writer (many);
  g_assert_cmpstr (assay_engine_error_get_reason (error), ==, "tensors-missing");
  g_assert_nonnull (strstr (error->message, "7 tensors"));
  g_assert_nonnull (strstr (error->message, "blk.0.ffn_gate.weight"));
  g_assert_null (strstr (error->message, "ffn_up")); /* the first five only */
  g_assert_nonnull (strstr (error->message, "1 tensor of the file is unused"));
}

/* C47: a vision tower beside the language model. */
static void
test_m29_unused_tensors (void)
{
  g_autoptr (GgufWriter) w = tiny_model_new (NULL);
  for (guint i = 0; i < 12; i++)
    {
      g_autofree char *name = g_strdup_printf ("v.blk.%u.attn_q.weight", i);
      gguf_writer_add_tensor (w, name, 1, (guint64[]) { 4 }, ASSAY_DTYPE_F32, NULL);
    }
  gguf_writer_add_tensor (w, "mm.0.bias", 1, (guint64[]) { 4 }, ASSAY_DTYPE_F32, NULL);
  hostile_assert_writer_refused (w, UNSUPPORTED, "tensors-unused",
                                 "12 of v.blk.N.attn_q.weight, 1 of mm.N.bias");
}

static void
test_m30_block_count (void)
{
  refuse_u32 ("llama.block_count", 0, FORMAT, "config-range", "is 0");
  refuse_u32 ("llama.block_count", 33, FORMAT, "tensors-missing", "blk.1.");
  refuse_u32 ("llama.block_count", 513, FORMAT, "tensors-missing", NULL);
  refuse_u32 ("llama.block_count", G_MAXUINT32, FORMAT, "config-range", "4294967295");
  g_autoptr (GgufWriter) text = tiny_model_new (NULL);
  gguf_writer_set_string (text, "llama.block_count", "1");
  hostile_assert_writer_refused (text, FORMAT, "config-type", "llama.block_count");
  g_autoptr (GgufWriter) array = tiny_model_new (NULL);
  gguf_writer_set_array (array, "llama.block_count", GGUF_TYPE_U32, 1, "\1\0\0\0", 4);
  hostile_assert_writer_refused (array, FORMAT, "config-type", "[1 u32]");
  g_autoptr (GgufWriter) none = tiny_model_new (NULL);
  gguf_writer_remove (none, "llama.block_count");
  hostile_assert_writer_refused (none, FORMAT, "config-missing", "llama.block_count");
}

static void
test_m31_cross_checks (void)
{
  refuse_u32 ("llama.attention.head_count", 0, FORMAT, "config-range", "head_count");
  refuse_u32 ("llama.attention.head_count", 3, FORMAT, "config-mismatch", "32 elements, heads: 3");
  refuse_u32 ("llama.attention.head_count_kv", 0, FORMAT, "config-range", "head_count_kv");
  refuse_u32 ("llama.attention.head_count_kv", 4, FORMAT, "config-mismatch", "2 heads, 4");
  refuse_u32 ("llama.rope.dimension_count", 18, FORMAT, "config-mismatch", "18 of 16");
  refuse_u32 ("llama.rope.dimension_count", 7, FORMAT, "config-mismatch", "7 of 16");
  refuse_u32 ("llama.attention.key_length", 5, FORMAT, "config-mismatch", "even");
  refuse_u32 ("llama.attention.key_length", 0, FORMAT, "config-range", "key_length");
  refuse_u32 ("llama.embedding_length", 0, FORMAT, "config-range", "embedding_length");
  refuse_u32 ("llama.embedding_length", 64, FORMAT, "tensor-shape",
              "32 × 48; the model's numbers ask for 64 × 48");
  refuse_u32 ("llama.feed_forward_length", 0, FORMAT, "config-range", "feed_forward_length");
  refuse_u32 ("llama.feed_forward_length", 65, FORMAT, "tensor-shape", "32 × 65");
  refuse_u32 ("llama.context_length", 0, FORMAT, "config-range", "context_length");
  refuse_u32 ("llama.context_length", G_MAXUINT32, FORMAT, "config-range", "4294967295");
  refuse_u32 ("llama.vocab_size", 49, FORMAT, "config-mismatch", "49");
  refuse_u32 ("llama.expert_used_count", 2, FORMAT, "config-mismatch", "2 of 0");
  refuse_u32 ("llama.expert_count", 8, UNSUPPORTED, "mixture-of-experts", "8 experts");
}

static void
test_m31_reals (void)
{
  static const char *const keys[] = { "llama.attention.layer_norm_rms_epsilon", "llama.rope.freq_base",
                                      "llama.rope.scaling.factor", "llama.rope.scaling.attn_factor" };
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      refuse_f32 (keys[i], NAN);
      refuse_f32 (keys[i], INFINITY);
      refuse_f32 (keys[i], 0);
      refuse_f32 (keys[i], -1);
    }
  refuse_f32 ("llama.attention.layer_norm_rms_epsilon", 2);
}

static void
test_m31_more_tokens_than_rows (void)
{
  g_autoptr (GgufWriter) w = tiny_model_new (NULL);
  gguf_writer_remove (w, "llama.vocab_size");
  GgufWriterTensor *table = gguf_writer_get_tensor (w, "token_embd.weight");
  table->dims[1] = 47;
  g_byte_array_set_size (table->data, 47 * 32 * 4);
  hostile_assert_writer_refused (w, FORMAT, "config-mismatch", "48 tokens");
}

static void
test_m31_numbers_per_layer (void)
{
  g_autoptr (GgufWriter) w = tiny_model_new (&(TinyModel) { .n_layers = 2 });
  gguf_writer_set_array (w, "llama.feed_forward_length", GGUF_TYPE_U32, 2, "\100\0\0\0\100\0\0\0", 8);
  hostile_assert_loads (w);
  gguf_writer_set_array (w, "llama.feed_forward_length", GGUF_TYPE_I32, 2, "\100\0\0\0\101\0\0\0", 8);
  hostile_assert_writer_refused (w, UNSUPPORTED, "per-layer-sizes", "64 and 65");
  gguf_writer_set_array (w, "llama.feed_forward_length", GGUF_TYPE_U32, 1, "\100\0\0\0", 4);
  hostile_assert_writer_refused (w, FORMAT, "config-mismatch", "1 numbers for 2 layers");
  gguf_writer_set_array (w, "llama.feed_forward_length", GGUF_TYPE_F32, 2, "\0\0\0\0\0\0\0\0", 8);
  hostile_assert_writer_refused (w, FORMAT, "config-type", "feed_forward_length");
}

static void
test_m32_architectures (void)
{
  g_autoptr (GgufWriter) w = tiny_model_new (NULL);
  gguf_writer_set_string (w, "general.architecture", "mamba\033[1m");
  hostile_assert_writer_refused (w, UNSUPPORTED, "architecture-unknown",
                                 "'mamba\\x1B[1m'; this engine computes: llama");
  g_autofree char *megabyte = g_strnfill (1 << 20, 'a');
  gguf_writer_set_string (w, "general.architecture", megabyte);
  g_autoptr (GError) error = hostile_check_writer (w);
  g_assert_cmpstr (assay_engine_error_get_reason (error), ==, "architecture-unknown");
  g_assert_cmpuint (strlen (error->message), <, 500);
  gguf_writer_set_u32 (w, "general.architecture", 7);
  hostile_assert_writer_refused (w, FORMAT, "config-type", "general.architecture");
  gguf_writer_remove (w, "general.architecture");
  hostile_assert_writer_refused (w, FORMAT, "config-missing", "general.architecture");
}

static void
test_m32_unknown_variants (void)
{
  g_autoptr (GgufWriter) w = tiny_model_new (NULL);
  gguf_writer_set_f32 (w, "llama.logit_scale", 0.5f);
  hostile_assert_writer_refused (w, UNSUPPORTED, "variant-unknown", "llama.logit_scale");
  gguf_writer_remove (w, "llama.logit_scale");
  gguf_writer_set_bool (w, "llama.use_parallel_residual", 1);
  hostile_assert_writer_refused (w, UNSUPPORTED, "variant-unknown", "use_parallel_residual");
  gguf_writer_set_bool (w, "llama.use_parallel_residual", 0);
  hostile_assert_loads (w);
  gguf_writer_set_u32 (w, "general.quantization_version", 1);
  hostile_assert_writer_refused (w, UNSUPPORTED, "quantization-version", "is 1");
}

static void
test_m40_adapters_and_control_vectors (void)
{
  g_autoptr (GgufWriter) vector = gguf_writer_new ();
  gguf_writer_set_string (vector, "general.architecture", "controlvector");
  gguf_writer_add_tensor (vector, "direction.536870912", 1, (guint64[]) { 32 }, ASSAY_DTYPE_F32, NULL);
  hostile_assert_writer_refused (vector, UNSUPPORTED, "architecture-unknown", "controlvector");
  g_autoptr (GgufWriter) adapter = tiny_model_new (NULL);
  gguf_writer_set_string (adapter, "general.type", "adapter");
  hostile_assert_writer_refused (adapter, UNSUPPORTED, "not-a-model", "'adapter'");
}

/* C37, C38: a real format that no kernel computes. */
static void
test_m23_formats_without_a_kernel (void)
{
  const AssayDtypeInfo *info = NULL;
  for (guint32 type = 0; type < 64 && info == NULL; type++)
    if (assay_dtype_info (type) != NULL && !assay_dtype_can_compute (type))
      info = assay_dtype_info (type);
  g_assert_nonnull (info);
  g_autoptr (GgufWriter) w = tiny_model_new (&(TinyModel) { .n_embd = 256, .n_layers = 2 });
  for (guint layer = 0; layer < 2; layer++)
    {
      g_autofree char *name = g_strdup_printf ("blk.%u.ffn_down.weight", layer);
      GgufWriterTensor *tensor = gguf_writer_get_tensor (w, name);
      tensor->type = info->dtype;
      g_byte_array_set_size (tensor->data, 512 * 256 / info->block_elements * info->block_bytes);
    }
  g_autofree char *text
      = g_strdup_printf ("type %u %s is not computed by this engine (2 tensors", info->dtype, info->name);
  hostile_assert_writer_refused (w, UNSUPPORTED, "tensor-type-unsupported", text);
  g_autoptr (GError) error = hostile_check_writer (w);
  g_assert_nonnull (strstr (error->message, "blk.0.ffn_down.weight"));
}

static void
test_vectors_are_floats (void)
{
  g_autoptr (GgufWriter) w = tiny_model_new (NULL);
  GgufWriterTensor *norm = gguf_writer_get_tensor (w, "output_norm.weight");
  norm->type = ASSAY_DTYPE_Q8_0;
  g_byte_array_set_size (norm->data, 34);
  hostile_assert_writer_refused (w, FORMAT, "tensor-type", "Q8_0");
}

/* Either all three biases in every layer, or none. */
static void
test_biases_in_some_layers (void)
{
  g_autoptr (GgufWriter) w = tiny_model_new (&(TinyModel) { .n_layers = 2, .qkv_bias = TRUE });
  hostile_assert_loads (w);
  gguf_writer_remove_tensor (w, "blk.1.attn_v.bias");
  hostile_assert_writer_refused (w, FORMAT, "tensors-missing", "blk.1.attn_v.bias");
  g_autoptr (GgufWriter) late = tiny_model_new (&(TinyModel) { .n_layers = 2, .qkv_bias = TRUE });
  gguf_writer_remove_tensor (late, "blk.0.attn_q.bias");
  hostile_assert_writer_refused (late, FORMAT, "tensors-missing", "blk.0.attn_q.bias");
}

static void
test_every_format_loads (void)
{
  for (guint32 type = 0; type < 64; type++)
    {
      if (assay_dtype_info (type) == NULL || !assay_dtype_can_compute (type))
        continue;
      g_autoptr (GgufWriter) w
          = tiny_model_new (&(TinyModel) { .n_embd = 256, .matrices = type, .embedding = type });
      hostile_assert_loads (w);
    }
}

/* --- families --- */

static AssayModelConfig
read_family (TinyFamily family, guint n_layers)
{
  g_autoptr (GgufWriter) w = tiny_model_new (&(TinyModel) { .family = family, .n_layers = n_layers });
  g_autoptr (AssayModelFile) file = hostile_open (w);
  g_autoptr (GError) error = NULL;
  AssayModelConfig c;
  g_assert_true (assay_config_read (&c, file, &error));
  g_assert_no_error (error);
  return c;
}

static void
test_families (void)
{
  AssayModelConfig c = read_family (TINY_FAMILY_LLAMA, 1);
  g_assert_true (c.rope.adjacent && c.gated && !c.qk_norm && !c.post_norms && !c.fused_qkv && !c.layer_norm);
  g_assert_cmpint (c.activation, ==, ASSAY_ACTIVATION_SILU);
  c = read_family (TINY_FAMILY_QWEN3, 1);
  g_assert_true (c.qk_norm && !c.rope.adjacent && !c.post_norms && c.gated);
  c = read_family (TINY_FAMILY_GEMMA2, 3);
  g_assert_true (c.post_norms && !c.qk_norm && !c.rope.adjacent && !c.has_rope_local);
  g_assert_cmpint (c.activation, ==, ASSAY_ACTIVATION_GELU_TANH);
  g_assert_cmpfloat (c.embedding_scale, ==, sqrtf (32));
  g_assert_cmpfloat (c.attention_soft_cap, ==, 50);
  g_assert_cmpfloat (c.output_soft_cap, ==, 30);
  g_assert_cmpuint (assay_config_get_window (&c, 0), ==, 16);
  g_assert_cmpuint (assay_config_get_window (&c, 1), ==, 0);
  g_assert_cmpuint (assay_config_get_window (&c, 2), ==, 16);
  c = read_family (TINY_FAMILY_GPT2, 1);
  g_assert_true (c.layer_norm && c.learned_positions && c.fused_qkv && !c.gated && c.qkv_bias);
  g_assert_cmpuint (c.rope.n_dims, ==, 0);
}

/* One tensor of each kind that only some families have. */
static void
test_families_need_their_own_tensors (void)
{
  static const struct { TinyFamily family; const char *name; } needed[] = {
    { TINY_FAMILY_QWEN3, "blk.0.attn_k_norm.weight" },
    { TINY_FAMILY_GEMMA2, "blk.0.post_attention_norm.weight" },
    { TINY_FAMILY_GEMMA2, "blk.0.post_ffw_norm.weight" },
    { TINY_FAMILY_GPT2, "position_embd.weight" },
    { TINY_FAMILY_GPT2, "blk.0.attn_qkv.bias" },
    { TINY_FAMILY_GPT2, "output_norm.bias" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (needed); i++)
    {
      g_autoptr (GgufWriter) w = tiny_model_new (&(TinyModel) { .family = needed[i].family });
      gguf_writer_remove_tensor (w, needed[i].name);
      hostile_assert_writer_refused (w, FORMAT, "tensors-missing", needed[i].name);
    }
}

static void
test_families_know_their_own_keys (void)
{
  g_autoptr (GgufWriter) qwen = tiny_model_new (&(TinyModel) { .family = TINY_FAMILY_QWEN3 });
  gguf_writer_set_f32 (qwen, "qwen3.attn_logit_softcapping", 50);
  hostile_assert_writer_refused (qwen, UNSUPPORTED, "variant-unknown", "qwen3.attn_logit_softcapping");
  g_autoptr (GgufWriter) gpt2 = tiny_model_new (&(TinyModel) { .family = TINY_FAMILY_GPT2 });
  gguf_writer_set_u32 (gpt2, "gpt2.attention.sliding_window", 8);
  hostile_assert_writer_refused (gpt2, UNSUPPORTED, "variant-unknown", "gpt2.attention.sliding_window");
  g_autoptr (GgufWriter) gemma = tiny_model_new (&(TinyModel) { .family = TINY_FAMILY_GEMMA2 });
  gguf_writer_set_f32 (gemma, "gemma2.final_logit_softcapping", -1);
  hostile_assert_writer_refused (gemma, FORMAT, "config-range", "final_logit_softcapping");
  gguf_writer_set_f32 (gemma, "gemma2.final_logit_softcapping", 0); /* none */
  hostile_assert_loads (gemma);
}

static void
test_learned_positions_are_as_many_as_the_context (void)
{
  g_autoptr (GgufWriter) w = tiny_model_new (&(TinyModel) { .family = TINY_FAMILY_GPT2 });
  gguf_writer_set_u32 (w, "gpt2.context_length", 129);
  hostile_assert_writer_refused (w, FORMAT, "tensor-shape", "32 × 129");
}

static guint
window_bits (GgufWriter *w)
{
  g_autoptr (AssayModelFile) file = hostile_open (w);
  g_autoptr (GError) error = NULL;
  AssayModelConfig c;
  guint bits = 0;
  g_assert_true (assay_config_read (&c, file, &error));
  g_assert_no_error (error);
  for (guint i = 0; i < c.n_layers; i++)
    bits |= (assay_config_get_window (&c, i) > 0 ? 1u : 0u) << i;
  return bits;
}

static void
test_window_patterns (void)
{
  static const char key[] = "qwen3.attention.sliding_window_pattern";
  g_autoptr (GgufWriter) w = tiny_model_new (&(TinyModel) { .family = TINY_FAMILY_QWEN3, .n_layers = 4 });
  gguf_writer_set_u32 (w, "qwen3.attention.sliding_window", 8);
  g_assert_cmphex (window_bits (w), ==, 0); /* no pattern: it is off */
  gguf_writer_set_u32 (w, key, 0);
  g_assert_cmphex (window_bits (w), ==, 0xf);
  gguf_writer_set_u32 (w, key, 1);
  g_assert_cmphex (window_bits (w), ==, 0);
  gguf_writer_set_u32 (w, key, 3);
  g_assert_cmphex (window_bits (w), ==, 0xb);
  gguf_writer_set_array (w, key, GGUF_TYPE_BOOL, 4, "\1\0\0\1", 4);
  g_assert_cmphex (window_bits (w), ==, 0x9);
  gguf_writer_set_array (w, key, GGUF_TYPE_U32, 4, "\0\0\0\0\1\0\0\0\1\0\0\0\0\0\0\0", 16);
  g_assert_cmphex (window_bits (w), ==, 0x6);
  gguf_writer_set_array (w, key, GGUF_TYPE_BOOL, 3, "\1\0\0", 3);
  hostile_assert_writer_refused (w, FORMAT, "config-mismatch", "3 flags for 4 layers");
  gguf_writer_set_array (w, key, GGUF_TYPE_I32, 4, "\2\0\0\0\1\0\0\0\1\0\0\0\0\0\0\0", 16);
  hostile_assert_writer_refused (w, FORMAT, "config-type", "for each layer");
  gguf_writer_set_string (w, key, "6");
  hostile_assert_writer_refused (w, FORMAT, "config-type", "sliding_window_pattern");
}

/* --- divisors --- */

static void
refuse_divisors (const char *name, AssayDtype dtype, const void *data, const char *reason, const char *text)
{
  g_autoptr (GgufWriter) w = tiny_model_new (NULL);
  gguf_writer_add_tensor (w, name, 1, (guint64[]) { 8 }, dtype, data);
  hostile_assert_writer_refused (w, FORMAT, reason, text);
}

static void
test_divisors_are_checked (void)
{
  float values[8] = { 1, 1, 1, 1, 1, NAN, 1, 1 }, divisor[8];
  refuse_divisors ("rope_freqs.weight", ASSAY_DTYPE_F16, values, "tensor-type", "F32 is allowed");
  refuse_divisors ("rope_factors_long.weight", ASSAY_DTYPE_F32, values, "tensors-missing",
                   "rope_factors_long.weight is there without rope_factors_short.weight");
  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (GgufWriter) w = tiny_model_new (NULL);
      g_autoptr (GError) error = NULL;
      AssayModelConfig c;
      values[5] = i == 0 ? NAN : i == 1 ? 0 : -2;
      gguf_writer_add_tensor (w, "rope_freqs.weight", 1, (guint64[]) { 8 }, ASSAY_DTYPE_F32, values);
      g_autoptr (AssayModelFile) file = hostile_open (w);
      g_assert_true (assay_config_read (&c, file, &error));
      g_assert_true (assay_config_fill_rope_divisor (&c, file, 64, divisor, &error)); /* not mapped: ones */
      g_assert_cmpfloat (divisor[5], ==, 1);
      g_assert_true (assay_model_file_map (file, &error));
      g_assert_false (assay_config_fill_rope_divisor (&c, file, 64, divisor, &error));
      g_assert_cmpstr (assay_engine_error_get_reason (error), ==, "config-range");
      g_assert_nonnull (strstr (error->message, "divisor 5"));
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
#define ROW(name, function) g_test_add_func ("/weights/config/" name, function)
  ROW ("reads-the-numbers", test_reads_the_numbers);
  ROW ("rope-scaling", test_rope_scaling);
  ROW ("M23-formats-without-a-kernel-are-named", test_m23_formats_without_a_kernel);
  ROW ("M29-missing-tensors-are-listed", test_m29_missing_tensors);
  ROW ("M29-unused-tensors-are-counted-by-group", test_m29_unused_tensors);
  ROW ("M30-block-count", test_m30_block_count);
  ROW ("M31-numbers-against-each-other", test_m31_cross_checks);
  ROW ("M31-reals", test_m31_reals);
  ROW ("M31-more-tokens-than-rows", test_m31_more_tokens_than_rows);
  ROW ("M31-one-number-a-layer", test_m31_numbers_per_layer);
  ROW ("M32-architectures", test_m32_architectures);
  ROW ("M32-unknown-variants", test_m32_unknown_variants);
  ROW ("M40-adapters-and-control-vectors", test_m40_adapters_and_control_vectors);
  ROW ("vectors-are-floats", test_vectors_are_floats);
  ROW ("biases-in-some-layers-only", test_biases_in_some_layers);
  ROW ("families-have-their-features", test_families);
  ROW ("families-need-their-own-tensors", test_families_need_their_own_tensors);
  ROW ("families-know-their-own-keys", test_families_know_their_own_keys);
  ROW ("learned-positions-are-as-many-as-the-context", test_learned_positions_are_as_many_as_the_context);
  ROW ("window-patterns", test_window_patterns);
  ROW ("divisors-of-the-rotation-are-checked", test_divisors_are_checked);
  ROW ("every-format-with-a-kernel-loads", test_every_format_loads);
  return g_test_run ();
}
