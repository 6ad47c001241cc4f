/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/weights/test-container.c: rows M01 to M28 of the catalogue: header, key-values, tensor infos,
 * data. */
#include "hostile.h"

#include <string.h>

#define FORMAT ASSAY_ENGINE_ERROR_FORMAT

/* A header with these counts, and `filler` zero bytes after it. */
static GByteArray *
header_new (guint32 version, guint64 n_tensors, guint64 n_values, guint filler)
{
  GByteArray *out = g_byte_array_new ();
  gguf_put_u32 (out, 0x46554747);
  gguf_put_u32 (out, version);
  gguf_put_u64 (out, n_tensors);
  gguf_put_u64 (out, n_values);
  const guint at = out->len;
  g_byte_array_set_size (out, at + filler);
  memset (out->data + at, 0, filler);
  return out;
}

static void
refuse_and_free (GByteArray *bytes, const char *reason, const char *text)
{
  hostile_assert_refused (bytes->data, bytes->len, FORMAT, reason, text);
  g_byte_array_unref (bytes);
}

/* A file with one key of this type and value, and no tensor. */
static void
refuse_value (const char *key, gsize key_length, guint32 type, GByteArray *value, const char *reason,
              const char *text)
{
  g_autoptr (GgufWriter) w = gguf_writer_new ();
  gguf_writer_append (w, key, key_length, type, value->data, value->len);
  hostile_assert_writer_refused (w, FORMAT, reason, text);
  g_byte_array_unref (value);
}

static GByteArray *
array_head (guint32 type, guint64 count)
{
  GByteArray *out = g_byte_array_new ();
  gguf_put_u32 (out, type);
  gguf_put_u64 (out, count);
  return out;
}

static void
test_m01_magic (void)
{
  static const struct { const char *bytes; gsize length; const char *reason, *text; } rows[] = {
    { "", 0, "gguf-truncated", "0 bytes" },
    { "GGU", 3, "gguf-truncated", "3 bytes" },
    { "FUGG\3\0\0\0", 8, "gguf-byte-order", "reverse" },
    { "ggml\1\0\0\0", 8, "gguf-old-format", "converted" },
    { "ggmf\1\0\0\0", 8, "gguf-old-format", "converted" },
    { "tjgg\1\0\0\0\0\0\0\0\0\0\0\0", 16, "gguf-old-format", "converted" },
    { "\1\033[2J<b>", 8, "gguf-bad-magic", "\\x01\\x1B[2" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    hostile_assert_refused ((const guint8 *) rows[i].bytes, rows[i].length, FORMAT, rows[i].reason,
                            rows[i].text);
}

static void
test_m02_versions (void)
{
  refuse_and_free (header_new (0, 0, 0, 40), "gguf-version", "0 is too old");
  refuse_and_free (header_new (1, 0, 0, 40), "gguf-version", "1 is too old");
  refuse_and_free (header_new (4, 0, 0, 40), "gguf-version", "4 is newer");
  refuse_and_free (header_new (0x03000000, 0, 0, 40), "gguf-byte-order", "byte order");
  g_autoptr (GgufWriter) w = tiny_model_new (NULL);
  w->version = 2;
  hostile_assert_loads (w);
}

static void
test_m03_tensor_counts (void)
{
  refuse_and_free (header_new (3, G_MAXUINT64, 0, 16), "gguf-too-many-tensors", NULL);
  refuse_and_free (header_new (3, G_GUINT64_CONSTANT (1) << 61, 0, 16), "gguf-too-many-tensors", NULL);
  refuse_and_free (header_new (3, 1000000000, 0, 16), "gguf-too-many-tensors", "1000000000");
}

static void
test_m04_key_counts (void)
{
  refuse_and_free (header_new (3, 0, G_MAXUINT64, 16), "gguf-too-many-keys", NULL);
  refuse_and_free (header_new (3, 0, 1000000000, 16), "gguf-too-many-keys", "1000000000");
}

static void
test_m06_string_lengths (void)
{
  static const guint64 lengths[]
      = { G_MAXUINT64, G_GUINT64_CONSTANT (1) << 63, G_MAXUINT64 - 7, G_MAXUINT64 - 23 };
  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++)
    {
      GByteArray *bytes = header_new (3, 0, 1, 0);
      gguf_put_u64 (bytes, lengths[i]);
      gguf_put_u64 (bytes, 0);
      refuse_and_free (bytes, "gguf-string-length", "key 0");
      GByteArray *value = g_byte_array_new ();
      gguf_put_u64 (value, lengths[i]);
      refuse_value ("general.name", 12, GGUF_TYPE_STRING, value, "gguf-string-length", "general.name");
    }
}

static void
test_m07_long_strings (void)
{
  GByteArray *value = g_byte_array_new ();
  gguf_put_u64 (value, (1u << 30) - 1);
  refuse_value ("general.name", 12, GGUF_TYPE_STRING, value, "gguf-string-length", "1073741823");
  g_autofree char *text = g_strnfill ((64 << 20) + 1, 'x'); /* all there, but above the limit */
  value = g_byte_array_new ();
  gguf_put_string (value, text, (64 << 20) + 1);
  refuse_value ("general.name", 12, GGUF_TYPE_STRING, value, "gguf-string-length", "67108864");
}

static void
test_m08_array_lengths (void)
{
  refuse_value ("a.b", 3, GGUF_TYPE_ARRAY, array_head (GGUF_TYPE_U8, G_GUINT64_CONSTANT (1) << 62),
                "gguf-array-length", NULL);
  refuse_value ("a.b", 3, GGUF_TYPE_ARRAY, array_head (GGUF_TYPE_U64, (G_GUINT64_CONSTANT (1) << 61) + 1),
                "gguf-array-length", NULL);
  refuse_value ("a.b", 3, GGUF_TYPE_ARRAY, array_head (GGUF_TYPE_STRING, 100000000), "gguf-array-length",
                "100000000 string");
}

static GByteArray *
nested_array (guint depth)
{
  GByteArray *out = g_byte_array_new ();
  for (guint i = 1; i < depth; i++)
    {
      gguf_put_u32 (out, GGUF_TYPE_ARRAY);
      gguf_put_u64 (out, 1);
    }
  gguf_put_u32 (out, GGUF_TYPE_U8);
  gguf_put_u64 (out, 1);
  g_byte_array_append (out, (const guint8 *) "x", 1);
  return out;
}

static void
test_m09_nested_arrays (void)
{
  for (guint depth = 2; depth <= 4; depth++)
    {
      g_autoptr (GgufWriter) w = tiny_model_new (NULL);
      g_autoptr (GByteArray) value = nested_array (depth);
      gguf_writer_set (w, "general.odd", GGUF_TYPE_ARRAY, value->data, value->len);
      hostile_assert_loads (w);
      g_autoptr (AssayModelFile) file = hostile_open (w);
      g_assert_true (hostile_has_notice (file, "array of arrays"));
    }
  refuse_value ("a.b", 3, GGUF_TYPE_ARRAY, nested_array (5), "gguf-array-depth", NULL);
  refuse_value ("a.b", 3, GGUF_TYPE_ARRAY, nested_array (100000), "gguf-array-depth", NULL);
}

static void
test_m09_types_and_bools (void)
{
  refuse_value ("a.b", 3, 13, g_byte_array_new_take (g_memdup2 ("\0\0\0\0", 4), 4), "gguf-value-type", "13");
  refuse_value ("a.b", 3, GGUF_TYPE_ARRAY, array_head (13, 0), "gguf-value-type", "13");
  refuse_value ("a.b", 3, GGUF_TYPE_ARRAY, array_head (G_MAXUINT32, 1), "gguf-value-type", NULL);
  refuse_value ("a.b", 3, GGUF_TYPE_BOOL, g_byte_array_new_take (g_memdup2 ("\2", 1), 1), "gguf-bool", "2");
  GByteArray *bools = array_head (GGUF_TYPE_BOOL, 2);
  g_byte_array_append (bools, (const guint8 *) "\1\377", 2);
  refuse_value ("a.b", 3, GGUF_TYPE_ARRAY, bools, "gguf-bool", "255");
}

static void
test_m10_keys (void)
{
  g_autofree char *longest = g_strnfill (65536, 'k');
  const guint8 zero = 0;
  refuse_value ("", 0, GGUF_TYPE_U8, g_byte_array_new_take (g_memdup2 (&zero, 1), 1), "gguf-key-name",
                "empty");
  refuse_value ("a\0b", 3, GGUF_TYPE_U8, g_byte_array_new_take (g_memdup2 (&zero, 1), 1), "gguf-key-name",
                "zero");
  refuse_value (longest, 65536, GGUF_TYPE_U8, g_byte_array_new_take (g_memdup2 (&zero, 1), 1),
                "gguf-string-length", "65535");
  g_autoptr (GgufWriter) w = tiny_model_new (NULL);
  gguf_writer_set_u32 (w, "General Ключ", 1);
  hostile_assert_loads (w);
  g_autoptr (AssayModelFile) file = hostile_open (w);
  g_assert_true (hostile_has_notice (file, "General Ключ"));
}

static void
test_m11_duplicate_keys (void)
{
  g_autoptr (GgufWriter) w = tiny_model_new (NULL);
  const guint8 other[] = { 4, 0, 0, 0, 0, 0, 0, 0, 'g', 'p', 't', '2' };
  gguf_writer_append (w, "general.architecture", 20, GGUF_TYPE_STRING, other, sizeof other);
  hostile_assert_writer_refused (w, FORMAT, "gguf-duplicate-key", "general.architecture");
}

static void
refuse_alignment (guint32 alignment)
{
  g_autoptr (GgufWriter) w = tiny_model_new (NULL);
  gguf_writer_set_u32 (w, "general.alignment", alignment);
  g_autofree char *text = g_strdup_printf ("alignment of %u", alignment);
  hostile_assert_writer_refused (w, FORMAT, "gguf-alignment", text);
}

static void
test_m12_alignment_zero (void)
{
  refuse_alignment (0);
}

/* Each tensor's bytes, not only that it loads: a wrong alignment shifts them all. */
static void
assert_same_bytes (GgufWriter *w)
{
  g_autoptr (AssayModelFile) file = hostile_open (w);
  for (guint i = 0; i < w->tensors->len; i++)
    {
      const GgufWriterTensor *written = g_ptr_array_index (w->tensors, i);
      const AssayTensorInfo *read = assay_model_file_get_tensor (file, i);
      g_assert_cmpmem (read->name.data, read->name.length, written->name->data, written->name->len);
      g_assert_cmpmem (assay_model_file_get_data (file, read), read->bytes, written->data->data,
                       written->data->len);
    }
}

static void
test_m13_odd_alignments (void)
{
  refuse_alignment (13);
  refuse_alignment (24);
  static const guint32 small[] = { 1, 2, 4 };
  for (guint i = 0; i < G_N_ELEMENTS (small); i++)
    {
      const TinyModel model
          = { .alignment = small[i], .matrices = ASSAY_DTYPE_Q8_0, .embedding = ASSAY_DTYPE_Q4_0 };
      g_autoptr (GgufWriter) w = tiny_model_new (&model);
      hostile_assert_loads (w);
      assert_same_bytes (w);
      g_autoptr (AssayModelFile) file = hostile_open (w);
      g_assert_true (hostile_has_notice (file, "alignment"));
    }
}

static void
test_m14_huge_alignment (void)
{
  refuse_alignment (1u << 31);
  refuse_alignment (2u << 20);
  g_autoptr (GgufWriter) w = tiny_model_new (&(TinyModel) { .alignment = 1u << 20 });
  hostile_assert_loads (w);
}

static void
test_m15_alignment_types (void)
{
  static const guint8 thirty_two[8] = { 32 };
  static const guint32 types[] = { GGUF_TYPE_I32, GGUF_TYPE_U64, GGUF_TYPE_U16, GGUF_TYPE_F32 };
  static const gsize bytes[] = { 4, 8, 2, 4 };
  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    {
      g_autoptr (GgufWriter) w = tiny_model_new (NULL);
      gguf_writer_set (w, "general.alignment", types[i], thirty_two, bytes[i]);
      hostile_assert_writer_refused (w, FORMAT, "gguf-alignment", "must be u32");
    }
  g_autoptr (GgufWriter) text = tiny_model_new (NULL);
  gguf_writer_set_string (text, "general.alignment", "32");
  hostile_assert_writer_refused (text, FORMAT, "gguf-alignment", "string");
  for (guint32 alignment = 8; alignment <= 4096; alignment *= 2)
    {
      g_autoptr (GgufWriter) w
          = tiny_model_new (&(TinyModel) { .alignment = alignment, .matrices = ASSAY_DTYPE_Q8_0 });
      hostile_assert_loads (w);
      assert_same_bytes (w);
    }
}

/* A tensor of the tiny model with other dimensions; its data stay. */
static void
refuse_dims (const char *name, guint32 n_dims, guint64 d0, guint64 d1, const char *reason, const char *text)
{
  g_autoptr (GgufWriter) w = tiny_model_new (NULL);
  GgufWriterTensor *tensor = gguf_writer_get_tensor (w, name);
  tensor->n_dims = n_dims;
  tensor->dims[0] = d0;
  tensor->dims[1] = d1;
  for (guint i = 2; i < G_N_ELEMENTS (tensor->dims); i++)
    tensor->dims[i] = 1;
  hostile_assert_writer_refused (w, FORMAT, reason, text);
}

static void
test_m16_dimension_counts (void)
{
  refuse_dims ("token_embd.weight", 5, 32, 48, "gguf-tensor-dims", "5 dimensions");
  refuse_dims ("token_embd.weight", G_MAXUINT32, 32, 48, "gguf-tensor-dims", "token_embd.weight");
  g_autoptr (GgufWriter) w = tiny_model_new (NULL);
  gguf_writer_get_tensor (w, "output_norm.weight")->n_dims = 0;
  hostile_assert_writer_refused (w, FORMAT, "tensor-shape", "none at all");
}

static void
test_m17_product_wraps (void)
{
  refuse_dims ("token_embd.weight", 2, 32, (G_GUINT64_CONSTANT (1) << 42) + 1, "gguf-tensor-dims", NULL);
  refuse_dims ("token_embd.weight", 2, G_GUINT64_CONSTANT (1) << 31, (G_GUINT64_CONSTANT (1) << 31) + 1,
               "gguf-tensor-size", NULL);
}

static void
test_m18_product_wraps_to_zero (void)
{
  refuse_dims ("token_embd.weight", 2, G_GUINT64_CONSTANT (1) << 32, G_GUINT64_CONSTANT (1) << 32,
               "gguf-tensor-size", NULL);
}

static void
test_m19_padding_wraps (void)
{
  refuse_dims ("output_norm.weight", 1, (G_GUINT64_CONSTANT (1) << 62) - 1, 1, "gguf-tensor-dims", NULL);
  refuse_dims ("output_norm.weight", 2, (G_GUINT64_CONSTANT (1) << 40) - 1, 1u << 22, "gguf-tensor-size",
               NULL);
}

static void
test_m20_zero_dimension (void)
{
  g_autoptr (GgufWriter) used = tiny_model_new (NULL);
  GgufWriterTensor *tensor = gguf_writer_get_tensor (used, "token_embd.weight");
  tensor->dims[1] = 0;
  g_byte_array_set_size (tensor->data, 0);
  hostile_assert_writer_refused (used, FORMAT, "tensor-shape", "token_embd.weight");
  g_autoptr (GgufWriter) unused = tiny_model_new (NULL);
  gguf_writer_add_tensor (unused, "nothing", 2, (guint64[]) { 0, 5 }, ASSAY_DTYPE_F32, NULL);
  g_autoptr (AssayModelFile) file = hostile_open (unused);
  g_assert_cmpuint (assay_model_file_find_tensor (file, "nothing")->bytes, ==, 0);
}

static void
test_m21_negative_dimension (void)
{
  refuse_dims ("token_embd.weight", 2, 32, G_GUINT64_CONSTANT (1) << 63, "gguf-tensor-dims",
               "9223372036854775808");
  refuse_dims ("token_embd.weight", 2, G_MAXUINT64, 48, "gguf-tensor-dims", NULL);
}

static void
test_m22_rows_of_partial_blocks (void)
{
  g_autoptr (GgufWriter) w = gguf_writer_new ();
  gguf_writer_set_string (w, "general.architecture", "llama");
  GgufWriterTensor *tensor
      = gguf_writer_add_tensor (w, "t", 2, (guint64[]) { 256, 2 }, ASSAY_DTYPE_Q6_K, NULL);
  tensor->dims[0] = 8;
  tensor->dims[1] = 64;
  hostile_assert_writer_refused (w, FORMAT, "gguf-tensor-dims", "blocks of 256");
}

static void
test_m23_types (void)
{
  static const guint32 absent[]
    = { 4, 5, 31, 32, 33, 36, 37, 38, 43, ASSAY_DTYPE_NF4, ASSAY_DTYPE_INT8, G_MAXUINT32, G_MAXINT32 };
  for (guint i = 0; i < G_N_ELEMENTS (absent); i++)
    {
      g_autoptr (GgufWriter) w = tiny_model_new (NULL);
      gguf_writer_get_tensor (w, "blk.0.attn_q.weight")->type = absent[i];
      g_autofree char *text = g_strdup_printf ("type %u", absent[i]);
      hostile_assert_writer_refused (w, FORMAT, "gguf-tensor-type", text);
    }
  g_autoptr (GgufWriter) removed = tiny_model_new (NULL);
  gguf_writer_get_tensor (removed, "blk.0.attn_q.weight")->type = 4;
  hostile_assert_writer_refused (removed, FORMAT, "gguf-tensor-type", "Q4_2) was removed");
}

static void
refuse_offset (guint64 offset, const char *reason)
{
  g_autoptr (GgufWriter) w = tiny_model_new (NULL);
  gguf_writer_get_tensor (w, "blk.0.attn_k.weight")->offset = offset;
  hostile_assert_writer_refused (w, FORMAT, reason, "blk.0.attn_k.weight");
}

static void
test_m24_offsets (void)
{
  refuse_offset (G_MAXUINT64 - 31, "gguf-tensor-offset");
  refuse_offset (17, "gguf-tensor-offset");
  refuse_offset (1u << 30, "gguf-tensor-offset");
  g_autoptr (GgufWriter) shared = tiny_model_new (NULL);
  gguf_writer_get_tensor (shared, "blk.0.attn_k.weight")->offset = 0;
  hostile_assert_writer_refused (shared, FORMAT, "gguf-tensor-overlap", NULL);
}

/* The embedding's data first, then a hole, then two norms in swapped order. */
static void
test_m24_gaps_and_order (void)
{
  g_autoptr (GgufWriter) w = gguf_writer_new ();
  g_autofree guint8 *hole = g_malloc0 (64);
  gguf_writer_set_string (w, "general.architecture", "llama");
  gguf_writer_add_tensor (w, "a", 1, (guint64[]) { 8 }, ASSAY_DTYPE_F32, "aaaaaaaabbbbbbbbccccccccdddddddd");
  gguf_writer_add_tensor (w, "b", 1, (guint64[]) { 8 }, ASSAY_DTYPE_F32, "eeeeeeeeffffffffgggggggghhhhhhhh");
  gguf_writer_add_tensor (w, "c", 1, (guint64[]) { 8 }, ASSAY_DTYPE_F32, "iiiiiiiijjjjjjjjkkkkkkkkllllllll");
  gguf_writer_get_tensor (w, "b")->offset = 96;
  gguf_writer_get_tensor (w, "c")->offset = 32;
  g_byte_array_append (w->trailing, hole, 32);
  g_autoptr (AssayModelFile) file = hostile_open (w);
  g_assert_true (hostile_has_notice (file, "32 bytes between tensors"));
  g_assert_cmpmem (assay_model_file_get_data (file, assay_model_file_find_tensor (file, "c")), 8, "eeeeeeee",
                   8);
}

static void
test_m25_region_too_small (void)
{
  g_autoptr (GgufWriter) w = tiny_model_new (&(TinyModel) { .matrices = ASSAY_DTYPE_Q8_0 });
  gguf_writer_get_tensor (w, "blk.0.attn_k.weight")->type = ASSAY_DTYPE_F16; /* needs more than is there */
  hostile_assert_writer_refused (w, FORMAT, "gguf-tensor-overlap", "begins at offset");
}

static void
test_m26_data_short (void)
{
  g_autoptr (GgufWriter) w = tiny_model_new (NULL);
  g_autoptr (GByteArray) bytes = gguf_writer_bytes (w);
  hostile_assert_refused (bytes->data, bytes->len - 1, FORMAT, "gguf-data-short", "output_norm.weight");
}

static void
test_m27_trailing_bytes (void)
{
  g_autoptr (GgufWriter) w = tiny_model_new (NULL);
  g_byte_array_append (w->trailing, (const guint8 *) "0123456789", 10);
  g_autoptr (AssayModelFile) few = hostile_open (w);
  g_assert_null (assay_model_file_get_notices (few)[0]);

  g_autoptr (GgufWriter) other = tiny_model_new (NULL);
  g_autoptr (GByteArray) glued = gguf_writer_bytes (other);
  g_byte_array_set_size (w->trailing, 0);
  g_byte_array_append (w->trailing, glued->data, glued->len);
  hostile_assert_loads (w);
  g_autoptr (AssayModelFile) file = hostile_open (w);
  g_autofree char *count = g_strdup_printf ("%u bytes follow", glued->len);
  g_assert_true (hostile_has_notice (file, count));

  g_autoptr (GByteArray) inside = g_byte_array_new ();
  g_byte_array_append (inside, (const guint8 *) "#!/bin/sh\n", 10);
  g_byte_array_append (inside, glued->data, glued->len);
  hostile_assert_refused (inside->data, inside->len, FORMAT, "gguf-bad-magic", NULL);
}

static void
refuse_name (const char *name, gsize length, const char *reason)
{
  g_autoptr (GgufWriter) w = tiny_model_new (NULL);
  gguf_writer_rename_tensor (gguf_writer_get_tensor (w, "blk.0.attn_q.weight"), name, length);
  hostile_assert_writer_refused (w, FORMAT, reason, NULL);
}

static void
test_m28_names (void)
{
  g_autofree char *million = g_strnfill (1000000, 'n');
  refuse_name ("token_embd.weight", 17, "gguf-duplicate-tensor");
  refuse_name (million, 65, "gguf-string-length");
  refuse_name (million, 1000000, "gguf-string-length");
  refuse_name ("", 0, "gguf-tensor-name");
  refuse_name ("a\nb", 3, "gguf-tensor-name");
  refuse_name ("a\0b", 3, "gguf-tensor-name");
  g_autoptr (GgufWriter) w = tiny_model_new (NULL);
  gguf_writer_rename_tensor (gguf_writer_get_tensor (w, "blk.0.attn_q.weight"), million, 64);
  g_autoptr (AssayModelFile) file = hostile_open (w);
  g_autofree char *longest = g_strnfill (64, 'n');
  g_assert_nonnull (assay_model_file_find_tensor (file, longest));
}

/* n tensors of no bytes; `duplicate`: the last has the first one's name. */
static GByteArray *
many_tensors (guint n, gboolean duplicate)
{
  GByteArray *out = header_new (3, n, 0, 0);
  for (guint i = 0; i < n; i++)
    {
      char name[16];
      g_snprintf (name, sizeof name, "t%u", duplicate && i == n - 1 ? 0 : i);
      gguf_put_string (out, name, strlen (name));
      gguf_put_u32 (out, 1);
      gguf_put_u64 (out, 0);
      gguf_put_u32 (out, 0);
      gguf_put_u64 (out, 0);
    }
  return out;
}

static void
test_m28_million_tensors (void)
{
  for (guint duplicate = 0; duplicate < 2; duplicate++)
    {
      g_autoptr (GByteArray) bytes = many_tensors (1000000, duplicate);
      g_autoptr (GError) error = NULL;
      g_autoptr (AssayModelFile) file
          = assay_model_file_open_bytes (bytes->data, bytes->len, "hostile.gguf", &error);
      g_assert_true ((file != NULL) == !duplicate);
    }
}

static void
test_m36_strings_are_shown_as_text (void)
{
  g_autofree char *huge = g_strnfill (10 << 20, 'x');
  const char *texts[] = { "\033[31mred\033[0m", "\xe2\x80\xaegnp.exe", "<b>bold</b> %n%s", huge, "\xff\xfe" };
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GgufWriter) w = tiny_model_new (NULL);
      gguf_writer_set_string (w, "general.name", texts[i]);
      hostile_assert_loads (w);
      g_autoptr (AssayModelFile) file = hostile_open (w);
      g_autofree char *shown = assay_model_file_dup_value (file, "general.name");
      g_assert_true (g_utf8_validate (shown, -1, NULL));
      g_assert_null (strchr (shown, '\033'));
      g_assert_null (strstr (shown, "\xe2\x80\xae"));
      g_assert_cmpuint (g_utf8_strlen (shown, -1), <=, 210);
    }
}

static void
test_integers_of_any_width (void)
{
  g_autoptr (GgufWriter) w = tiny_model_new (NULL);
  const guint8 two[8] = { 2 }, minus_one[4] = { 255, 255, 255, 255 };
  gguf_writer_set (w, "llama.attention.head_count", GGUF_TYPE_I64, two, 8);
  gguf_writer_set (w, "llama.attention.head_count_kv", GGUF_TYPE_U8, two, 1);
  gguf_writer_set (w, "general.minus", GGUF_TYPE_I32, minus_one, 4);
  g_autoptr (AssayModelFile) file = hostile_open (w);
  guint64 natural = 0;
  gint64 whole = 0;
  double real = 0;
  g_assert_true (assay_model_file_get_uint (file, "llama.attention.head_count", &natural));
  g_assert_cmpuint (natural, ==, 2);
  g_assert_true (assay_model_file_get_uint (file, "llama.attention.head_count_kv", &natural));
  g_assert_false (assay_model_file_get_uint (file, "general.minus", &natural));
  g_assert_true (assay_model_file_get_int (file, "general.minus", &whole));
  g_assert_cmpint (whole, ==, -1);
  g_assert_true (assay_model_file_get_real (file, "general.minus", &real));
  g_assert_cmpfloat (real, ==, -1);
  g_assert_false (assay_model_file_get_uint (file, "general.name", &natural));
  g_assert_true (assay_model_file_has (file, "general.name"));
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
#define ROW(name, function) g_test_add_func ("/weights/container/" name, function)
  ROW ("M01-magic-and-old-magics", test_m01_magic);
  ROW ("M02-versions-and-byte-order", test_m02_versions);
  ROW ("M03-tensor-counts-beyond-the-bytes", test_m03_tensor_counts);
  ROW ("M04-key-counts-beyond-the-bytes", test_m04_key_counts);
  ROW ("M06-string-lengths-that-wrap", test_m06_string_lengths);
  ROW ("M07-strings-longer-than-the-file-or-the-limit", test_m07_long_strings);
  ROW ("M08-array-lengths-that-wrap", test_m08_array_lengths);
  ROW ("M09-nested-arrays", test_m09_nested_arrays);
  ROW ("M09-unknown-types-and-truth-values", test_m09_types_and_bools);
  ROW ("M10-keys", test_m10_keys);
  ROW ("M11-duplicate-keys", test_m11_duplicate_keys);
  ROW ("M12-alignment-zero", test_m12_alignment_zero);
  ROW ("M13-odd-and-small-alignments", test_m13_odd_alignments);
  ROW ("M14-huge-alignment", test_m14_huge_alignment);
  ROW ("M15-alignment-of-another-type-and-honoured", test_m15_alignment_types);
  ROW ("M16-dimension-counts", test_m16_dimension_counts);
  ROW ("M17-size-that-wraps", test_m17_product_wraps);
  ROW ("M18-size-that-wraps-to-zero", test_m18_product_wraps_to_zero);
  ROW ("M19-padding-that-wraps", test_m19_padding_wraps);
  ROW ("M20-dimension-of-zero", test_m20_zero_dimension);
  ROW ("M21-negative-dimension", test_m21_negative_dimension);
  ROW ("M22-rows-of-partial-blocks", test_m22_rows_of_partial_blocks);
  ROW ("M23-removed-and-unknown-types", test_m23_types);
  ROW ("M24-offsets", test_m24_offsets);
  ROW ("M24-gaps-and-any-order-load", test_m24_gaps_and_order);
  ROW ("M25-region-smaller-than-the-tensor", test_m25_region_too_small);
  ROW ("M26-last-byte-missing", test_m26_data_short);
  ROW ("M27-bytes-after-the-data", test_m27_trailing_bytes);
  ROW ("M28-tensor-names", test_m28_names);
  ROW ("M28-a-million-tensors-in-five-seconds", test_m28_million_tensors);
  ROW ("M36-strings-are-shown-as-text", test_m36_strings_are_shown_as_text);
  ROW ("integers-of-any-width", test_integers_of_any_width);
  return g_test_run ();
}
