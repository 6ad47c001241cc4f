/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/weights/test-safetensors.c: rows M51 to M63 (C46): the header of one file. Each file is
 * judged twice, from memory and in a folder, with the same verdict. */
#include "st-writer.h"

#include <string.h>

#define FORMAT ASSAY_ENGINE_ERROR_FORMAT

enum { SECONDS_MAX = 2 };

static GError *
open_from_memory (const guint8 *data, gsize length)
{
  GError *error = NULL;
  g_autoptr (GBytes) config = g_bytes_new_static ("{}", 2);
  const AssayHfFolder texts = { .path = "memory", .config = config };
  g_autofree guint8 *copy = g_memdup2 (data, MAX (length, 1)); /* reads beyond its end are seen */
  g_autoptr (AssayModelFile) file
      = assay_safetensors_open_bytes (&texts, copy, length, "hostile.safetensors", st_translate, &error);
  g_assert_true ((file != NULL) != (error != NULL));
  return error;
}

static GError *
open_from_folder (const guint8 *data, gsize length)
{
  GError *error = NULL;
  g_auto (StFolder) folder;
  st_folder_init (&folder);
  const GByteArray bytes = { (guint8 *) data, (guint) length };
  st_folder_put_bytes (&folder, "model.safetensors", &bytes);
  g_autoptr (AssayModelFile) file = st_folder_open (&folder, NULL, &error);
  g_assert_true ((file != NULL) != (error != NULL));
  return error;
}

/* NULL: loads. (transfer full) */
static GError *
judge (const guint8 *data, gsize length)
{
  const gint64 start = g_get_monotonic_time ();
  GError *error = open_from_memory (data, length);
  g_autoptr (GError) again = open_from_folder (data, length);
  g_assert_cmpint (g_get_monotonic_time () - start, <, 2 * SECONDS_MAX * G_USEC_PER_SEC);
  g_assert_cmpint (error == NULL, ==, again == NULL);
  if (error != NULL)
    g_assert_cmpstr (assay_engine_error_get_reason (error), ==, assay_engine_error_get_reason (again));
  return error;
}

static void
refuse_bytes (const guint8 *data, gsize length, const char *reason, const char *text)
{
  g_autoptr (GError) error = judge (data, length);
  if (error == NULL)
    g_error ("loads, but must be refused as %s (%s)", reason, text);
  g_assert_error (error, ASSAY_ENGINE_ERROR, FORMAT);
  if (strcmp (assay_engine_error_get_reason (error), reason) != 0)
    g_error ("refused as %s (%s), but must be %s", assay_engine_error_get_reason (error), error->message,
             reason);
  if (strstr (error->message, text) == NULL)
    g_error ("'%s' does not tell '%s'", error->message, text);
  g_assert_true (g_utf8_validate (error->message, -1, NULL));
  g_assert_nonnull (strstr (error->message, "hostile.safetensors: "));
}

static void
refuse_n (const char *header, gssize length, gsize data_bytes, const char *reason, const char *text)
{
  g_autoptr (GByteArray) bytes = st_file_of (header, length, data_bytes);
  refuse_bytes (bytes->data, bytes->len, reason, text);
}

static void
refuse (const char *header, gsize data_bytes, const char *reason, const char *text)
{
  refuse_n (header, -1, data_bytes, reason, text);
}

static void
load (const char *header, gsize data_bytes)
{
  g_autoptr (GByteArray) bytes = st_file_of (header, -1, data_bytes);
  g_autoptr (GError) error = judge (bytes->data, bytes->len);
  g_assert_no_error (error);
}

/* One tensor "a" with these fields. (transfer full) */
static char *
one (const char *fields)
{
  return g_strdup_printf ("{\"a\":{%s}}", fields);
}

static void
refuse_one (const char *fields, gsize data_bytes, const char *reason, const char *text)
{
  g_autofree char *header = one (fields);
  refuse (header, data_bytes, reason, text);
}

static void
load_one (const char *fields, gsize data_bytes)
{
  g_autofree char *header = one (fields);
  load (header, data_bytes);
}

static void
test_m51_lengths (void)
{
  static const guint64 wrong[]
      = { G_MAXUINT64, G_MAXUINT64 - 7, G_MAXUINT64 - 4, G_GUINT64_CONSTANT (1) << 63 };
  guint8 bytes[16] = { 0 };
  for (gsize length = 0; length < 8; length++)
    refuse_bytes (bytes, length, "safetensors-truncated", "too few");
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      const guint64 le = GUINT64_TO_LE (wrong[i]);
      memcpy (bytes, &le, sizeof le);
      refuse_bytes (bytes, sizeof bytes, "safetensors-header-too-large", "limit 100000000");
    }
  memcpy (bytes, "\11\0\0\0\0\0\0\0{       ", 16);
  refuse_bytes (bytes, 16, "safetensors-truncated", "header of 9 bytes, but the file has 8 left");
  refuse_bytes ((const guint8 *) "\0\0\0\0\0\0\0\0", 8, "safetensors-json", "header of 0 bytes");
  refuse_bytes ((const guint8 *) "\1\0\0\0\0\0\0\0{", 9, "safetensors-json", "header of 1 bytes");
}

static void
test_m52_c46_header_above_the_limit (void)
{
  const guint64 le = GUINT64_TO_LE (G_GUINT64_CONSTANT (132095296));
  guint8 bytes[32] = { 0 };
  memcpy (bytes, &le, sizeof le);
  bytes[8] = '{';
  const gint64 start = g_get_monotonic_time ();
  refuse_bytes (bytes, sizeof bytes, "safetensors-header-too-large",
                "header of 132095296 bytes, limit 100000000");
  g_assert_cmpint (g_get_monotonic_time () - start, <, G_USEC_PER_SEC / 10);
}

static void
test_m53_no_json_object (void)
{
  refuse ("{\"a\xff\":1}", 0, "safetensors-unicode", "UTF-8");
  refuse ("\xef\xbb\xbf{}", 0, "safetensors-json", "byte-order mark");
  refuse ("[]", 0, "safetensors-json", "does not begin with '{'");
  refuse ("\"a\":{}}", 0, "safetensors-json", "does not begin");
  refuse ("hello there", 0, "safetensors-json", "is no JSON");
  refuse ("{} x", 0, "safetensors-json", "goes on after its end");
  refuse ("{}{}", 0, "safetensors-json", "goes on");
  refuse_n ("{}\0\0", 4, 0, "safetensors-json", "zero byte");
  refuse ("{\"a\":", 0, "safetensors-json", "ends in the middle");
  refuse ("{\"a\" 1}", 0, "safetensors-json", "colon");
  refuse ("{,}", 0, "safetensors-json", "without a name");
  refuse ("{\"a", 0, "safetensors-json", "does not end");
  refuse ("{\"__metadata__\":{\"a\":\"b\" \"c\":\"d\"}}", 0, "safetensors-json", "comma");
  refuse ("{\"__metadata__\":{\"a\":\"\\x\"}}", 0, "safetensors-json", "escape");
  refuse ("{\"__metadata__\":{\"a\":NaN}}", 0, "safetensors-json", "is no JSON");
  load ("{}", 0);
  load (" \t\n{}", 0);
  load ("{}      \r\n", 0);
  load ("          {\"__metadata__\":{}}", 0);
}

static void
test_m54_twice_the_same_name (void)
{
#define A "{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}"
  refuse ("{\"a\":" A ",\"a\":" A "}", 0, "safetensors-duplicate", "'a'");
  refuse ("{\"a\":" A ",\"\\u0061\":" A "}", 0, "safetensors-duplicate", "'a'");
  refuse ("{\"__metadata__\":{},\"a\":" A ",\"__metadata__\":{}}", 0, "safetensors-duplicate",
          "__metadata__");
  refuse ("{\"__metadata__\":{\"x\":\"1\",\"x\":\"1\"}}", 0, "safetensors-duplicate", "'x'");
  refuse_one ("\"dtype\":\"U8\",\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]", 0,
              "safetensors-duplicate", "dtype");
  refuse_one ("\"dtype\":\"U8\",\"shape\":[0],\"shape\":[0],\"data_offsets\":[0,0]", 0,
              "safetensors-duplicate", "shape");
}

static void
test_m55_offsets (void)
{
  static const struct { const char *offsets, *reason;
  } rows[] = {
    { "[16,0]", "safetensors-offsets" },   { "[-1,4]", "safetensors-number" },
    { "[0.0,4.0]", "safetensors-number" }, { "[\"0\",4]", "safetensors-number" },
    { "[0]", "safetensors-offsets" },      { "[0,4,8]", "safetensors-offsets" },
    { "[0,1e400]", "safetensors-number" }, { "[0,18446744073709551616]", "safetensors-number" },
    { "[0,4e0]", "safetensors-number" },   { "[-0,4]", "safetensors-number" },
    { "[0,04]", "safetensors-json" },      { "[]", "safetensors-offsets" },
    { "{}", "safetensors-offsets" },       { "7", "safetensors-offsets" },
    { "[[0],4]", "safetensors-number" },   { "[null,4]", "safetensors-number" },
    { "[0,+4]", "safetensors-json" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *fields
          = g_strdup_printf ("\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":%s", rows[i].offsets);
      refuse_one (fields, 4, rows[i].reason, "");
    }
  load_one ("\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]", 4);
}

static void
test_m56_many_tensors_on_the_same_bytes (void)
{
  g_autoptr (GString) header = g_string_new ("{");
  for (guint i = 0; i < 100000; i++)
    g_string_append_printf (header,
                            "%s\"t%u\":{\"dtype\":\"F32\",\"shape\":[1000],\"data_offsets\":[0,4000]}",
                            i > 0 ? "," : "", i);
  g_string_append_c (header, '}');
  refuse (header->str, 4000, "safetensors-overlap", "needs the bytes up to 4000");
}

static void
test_m57_holes_and_what_follows (void)
{
#define T(name, begin, end)                                                                                  \
  "\"" name "\":{\"dtype\":\"I8\",\"shape\":[4],\"data_offsets\":[" #begin "," #end "]}"
  refuse ("{" T ("a", 0, 4) "," T ("b", 8, 12) "}", 12, "safetensors-hole", "begins at offset 8");
  refuse ("{" T ("a", 4, 8) "}", 8, "safetensors-hole", "begins at offset 4");
  refuse ("{" T ("a", 0, 4) "," T ("b", 2, 6) "}", 6, "safetensors-overlap", "'b'");
  refuse ("{" T ("a", 0, 4) "}", 5, "safetensors-trailing", "1 bytes follow");
  refuse ("{" T ("a", 0, 4) "}", 3, "safetensors-data-short", "need 4 bytes, the file has 3");
  refuse ("{}", 1, "safetensors-trailing", "1 bytes");
  load ("{" T ("b", 4, 8) "," T ("a", 0, 4) "}", 8); /* any order */
}

static void
test_m58_sizes_that_wrap (void)
{
  refuse_one ("\"dtype\":\"F32\",\"shape\":[2,18446744073709551614],\"data_offsets\":[0,4]", 4,
              "safetensors-shape", "18446744073709551614");
  refuse_one ("\"dtype\":\"F32\",\"shape\":[2,9223372036854775807],\"data_offsets\":[0,4]", 4,
              "safetensors-shape", "9223372036854775807");
  refuse_one ("\"dtype\":\"F32\",\"shape\":[4294967296,4294967296],\"data_offsets\":[0,0]", 0,
              "safetensors-size", "2^64");
  refuse_one ("\"dtype\":\"F32\",\"shape\":[1099511627776,1099511627776],\"data_offsets\":[0,0]", 0,
              "safetensors-size", "2^64");
}

static void
test_m59_shape_and_place_disagree (void)
{
  refuse_one ("\"dtype\":\"F32\",\"shape\":[3,2],\"data_offsets\":[0,20]", 20, "safetensors-size",
              "needs 24 bytes, its data_offsets span 20");
  refuse_one ("\"dtype\":\"F16\",\"shape\":[3,2],\"data_offsets\":[0,24]", 24, "safetensors-size",
              "needs 12 bytes, its data_offsets span 24");
}

static void
test_m60_formats (void)
{
  refuse_one ("\"dtype\":\"F128\",\"shape\":[1],\"data_offsets\":[0,16]", 16, "safetensors-dtype",
              "'F128'; there are");
  refuse_one ("\"dtype\":\"F128\",\"shape\":[1],\"data_offsets\":[0,16]", 16, "safetensors-dtype", "BF16");
  refuse_one ("\"dtype\":\"f32\",\"shape\":[1],\"data_offsets\":[0,4]", 4, "safetensors-dtype", "'f32'");
  refuse_one ("\"dtype\":7,\"shape\":[1],\"data_offsets\":[0,4]", 4, "safetensors-dtype", "'7'");
  refuse_one ("\"shape\":[1],\"data_offsets\":[0,4]", 4, "safetensors-field", "no dtype");
  refuse_one ("\"dtype\":\"F32\",\"data_offsets\":[0,4]", 4, "safetensors-field", "no shape");
  refuse_one ("\"dtype\":\"F32\",\"shape\":[1]", 4, "safetensors-field", "no data_offsets");
  refuse ("{\"a\":7}", 0, "safetensors-field", "no dtype");
  refuse ("{\"skip.a\":{\"dtype\":\"F4\",\"shape\":[3],\"data_offsets\":[0,2]}}", 2, "safetensors-size",
          "12 bits");
  refuse ("{\"skip.a\":{\"dtype\":\"F6_E2M3\",\"shape\":[1],\"data_offsets\":[0,1]}}", 1, "safetensors-size",
          "6 bits");
  load ("{\"skip.a\":{\"dtype\":\"F4\",\"shape\":[4],\"data_offsets\":[0,2]}}", 2);
  load ("{\"skip.a\":{\"dtype\":\"F8_E4M3\",\"shape\":[4],\"data_offsets\":[0,4]}}", 4);
  load_one ("\"more\":[{\"x\":1}],\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]", 4);
}

static void
test_m61_ranks (void)
{
  g_autoptr (GString) shape = g_string_new ("\"dtype\":\"F32\",\"data_offsets\":[0,4],\"shape\":[1");
  for (guint i = 1; i < 100000; i++)
    g_string_append (shape, ",1");
  g_string_append (shape, "]");
  refuse_one (shape->str, 4, "safetensors-shape", "more than 8 dimensions");
  load_one ("\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]", 4);
  load_one ("\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]", 0);
  load_one ("\"dtype\":\"F32\",\"shape\":[2,0],\"data_offsets\":[0,0]", 0);
  load ("{\"skip.a\":{\"dtype\":\"F32\",\"shape\":[1,1,1,1,1,1,1,2],\"data_offsets\":[0,8]}}", 8);
  refuse_one ("\"dtype\":\"F32\",\"shape\":[1,1,1,1,2],\"data_offsets\":[0,8]", 8, "safetensors-shape",
              "5 dimensions");
}

static char *
nest (guint n, const char *before, const char *after)
{
  GString *text = g_string_new (before);
  for (guint i = 0; i < n; i++)
    g_string_append_c (text, '[');
  for (guint i = 0; i < n; i++)
    g_string_append_c (text, ']');
  g_string_append (text, after);
  return g_string_free (text, FALSE);
}

static void
test_m62_metadata_and_depth (void)
{
  refuse ("{\"__metadata__\":{\"a\":1}}", 0, "safetensors-metadata", "__metadata__");
  refuse ("{\"__metadata__\":{\"a\":{\"b\":\"c\"}}}", 0, "safetensors-metadata", "__metadata__");
  refuse ("{\"__metadata__\":[]}", 0, "safetensors-metadata", "__metadata__");
  refuse ("{\"__metadata__\":null}", 0, "safetensors-metadata", "__metadata__");
  g_autofree char *deep = nest (1000000, "{\"a\":{\"x\":", "}}");
  refuse (deep, 0, "safetensors-depth", "too deep");
  g_autofree char *bare = nest (1000000, "", "");
  refuse (bare, 0, "safetensors-json", "does not begin");
  g_autofree char *allowed
      = nest (14, "{\"a\":{\"x\":", ",\"dtype\":\"I8\",\"shape\":[1],\"data_offsets\":[0,1]}}");
  load (allowed, 1);
  g_autofree char *above
      = nest (15, "{\"a\":{\"x\":", ",\"dtype\":\"I8\",\"shape\":[1],\"data_offsets\":[0,1]}}");
  refuse (above, 1, "safetensors-depth", "too deep");
}

static void
refuse_name (const char *name, const char *reason, const char *text)
{
  g_autofree char *header = g_strdup_printf (
      "{\"%s\":{\"dtype\":\"I8\",\"shape\":[1],\"data_offsets\":[0,1]}}", name);
  refuse (header, 1, reason, text);
}

static void
load_name (const char *name)
{
  g_autofree char *header = g_strdup_printf (
      "{\"%s\":{\"dtype\":\"I8\",\"shape\":[1],\"data_offsets\":[0,1]}}", name);
  load (header, 1);
}

static void
test_m63_names (void)
{
  g_autofree char *longest = g_strnfill (SAFETENSORS_NAME_MAX, 'x');
  g_autofree char *longer = g_strnfill (SAFETENSORS_NAME_MAX + 1, 'x');
  g_autofree char *huge = g_strnfill (1 << 20, 'x');
  refuse_name ("", "safetensors-name", "no name");
  refuse_name (longer, "safetensors-name", "4097 bytes");
  refuse_name (huge, "safetensors-name", "1048576 bytes");
  refuse_name ("a\\u0000b", "safetensors-name", "zero byte");
  refuse_name ("a\\ud800", "safetensors-unicode", "surrogate");
  refuse_name ("a\\udc00\\ud800", "safetensors-unicode", "surrogate");
  refuse_name ("a\\ud800\\u0041", "safetensors-unicode", "surrogate");
  refuse_name ("a\\u12g4", "safetensors-json", "hex");
  refuse_name ("a\tb", "safetensors-json", "does not end"); /* control characters must be escaped */
  load_name (longest);
  load_name ("../x");
  load_name ("\\ud83d\\ude00 \\u001b[31m");
  g_autofree char *header = one ("\"dtype\":\"I8\"");
  refuse ("{\"\\u001b[31m<b>\":{}}", 0, "safetensors-field", "'\\x1B[31m<b>'"); /* shown escaped */
}

static void
test_tensors_are_found_by_canonical_name (void)
{
  static const guint64 matrix[] = { 2, 3 }, vector[] = { 5 };
  g_autoptr (StWriter) w = st_writer_new ();
  g_auto (StFolder) folder;
  g_autoptr (GError) error = NULL;
  st_folder_init (&folder);
  st_writer_add (w, "b", "I8", 1, vector);
  st_writer_add (w, "a", "F32", 2, matrix);
  st_writer_add (w, "turn.c", "BF16", 2, matrix);
  st_writer_add (w, "norm.\\u0064", "F64", 1, vector);
  st_writer_add (w, "skip.e", "U8", 1, vector);
  g_autoptr (GByteArray) bytes = st_writer_bytes (w);
  st_folder_put_bytes (&folder, "model.safetensors", bytes);
  g_autoptr (AssayModelFile) file = st_folder_open (&folder, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (assay_model_file_get_format (file), ==, "safetensors");
  g_assert_cmpstr (assay_model_file_get_path (file), ==, folder.path);
  g_assert_cmpuint (assay_model_file_get_n_tensors (file), ==, 4);
  g_assert_null (assay_model_file_find_tensor (file, "a"));
  g_assert_true (assay_model_file_map (file, &error));

  const AssayTensorInfo *a = assay_model_file_find_tensor (file, "c.a");
  g_assert_cmpmem (a->name.data, a->name.length, "a", 1);
  g_assert_cmpint (a->dtype, ==, ASSAY_DTYPE_F32);
  g_assert_true (a->n_dims == 2 && a->shape[0] == 3 && a->shape[1] == 2 && a->shape[2] == 1);
  g_assert_true (a->bytes == 24 && a->row_bytes == 12 && a->change == ASSAY_CHANGE_NONE);
  g_assert_cmpmem (assay_model_file_get_data (file, a), 24, ((StTensor *)w->tensors->pdata[1])->data->data,
                   24);

  const AssayTensorInfo *c = assay_model_file_find_tensor (file, "c.turn.c");
  g_assert_true (c->change == ASSAY_CHANGE_TRANSPOSE && c->shape[0] == 2 && c->shape[1] == 3);
  g_assert_true (c->bytes == 12 && c->row_bytes == 4);
  const AssayTensorInfo *d = assay_model_file_find_tensor (file, "c.norm.d");
  g_assert_true (d->change == ASSAY_CHANGE_ADD_ONE && d->dtype == ASSAY_DTYPE_F64 && d->bytes == 40);
  g_assert_cmpmem (assay_model_file_get_data (file, d), 40, ((StTensor *)w->tensors->pdata[3])->data->data,
                   40);

  const char *const *notices = assay_model_file_get_notices (file);
  g_assert_nonnull (strstr (notices[0], "1 tensors of the files are no part of the model"));
  g_assert_nonnull (strstr (notices[0], "skip.e"));
  guint64 blocks;
  g_assert_true (assay_model_file_get_uint (file, "test.block_count", &blocks) && blocks == 7);
  g_assert_cmpint (assay_model_file_get_value_offset (file, "test.block_count"), ==, -1);
}

static void
test_unaligned_data_is_read_where_it_lies (void)
{
  static const guint64 shape[] = { 3 };
  for (guint padding = 0; padding < 8; padding++)
    {
      g_autoptr (StWriter) w = st_writer_new ();
      g_autoptr (GError) error = NULL;
      g_autoptr (GBytes) config = g_bytes_new_static ("{}", 2);
      const AssayHfFolder texts = { .path = "memory", .config = config };
      w->padding = padding;
      st_writer_add (w, "a", "I8", 1, shape);
      st_writer_add (w, "b", "F32", 1, shape);
      g_autoptr (GByteArray) bytes = st_writer_bytes (w);
      g_autoptr (AssayModelFile) file
          = assay_safetensors_open_bytes (&texts, bytes->data, bytes->len, "x", st_translate, &error);
      g_assert_no_error (error);
      g_autofree char *hash = assay_model_file_hash_content (file, TRUE, NULL, NULL, NULL, &error);
      g_assert_no_error (error);
      const AssayTensorInfo *b = assay_model_file_find_tensor (file, "c.b");
      g_assert_cmpmem (assay_model_file_get_data (file, b), 12,
                       ((StTensor *)w->tensors->pdata[1])->data->data, 12);
    }
}

static void
test_formats_that_are_needed_and_not_read_are_refused_by_name (void)
{
  static const char *const names[] = { "F8_E4M3", "U8", "F4" };
  static const guint64 shape[] = { 4 };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (StWriter) w = st_writer_new ();
      st_writer_add (w, "model.weight", names[i], 1, shape);
      g_autoptr (GByteArray) bytes = st_writer_bytes (w);
      g_autoptr (GError) error = judge (bytes->data, bytes->len);
      g_assert_error (error, ASSAY_ENGINE_ERROR, ASSAY_ENGINE_ERROR_UNSUPPORTED);
      g_assert_cmpstr (assay_engine_error_get_reason (error), ==, "safetensors-dtype");
      g_assert_nonnull (strstr (error->message, names[i]));
      g_assert_nonnull (strstr (error->message, "model.weight"));
    }
}

/* A header's length may have the bytes that a pickle, an archive or a gzip file begins with. */
static void
test_lengths_that_look_like_other_files (void)
{
  static const gsize lengths[] = { 0x0280, 0x0380, 0x0480, 0x0580, 0x8b1f };
  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++)
    {
      g_autofree char *header = g_strnfill (lengths[i], ' ');
      memcpy (header, "{}", 2);
      load (header, 0);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
#define ROW(name, function) g_test_add_func ("/weights/safetensors/" name, function)
  ROW ("M51-lengths", test_m51_lengths);
  ROW ("M52-C46-header-above-the-limit", test_m52_c46_header_above_the_limit);
  ROW ("M53-no-json-object", test_m53_no_json_object);
  ROW ("M54-twice-the-same-name", test_m54_twice_the_same_name);
  ROW ("M55-offsets", test_m55_offsets);
  ROW ("M56-many-tensors-on-the-same-bytes", test_m56_many_tensors_on_the_same_bytes);
  ROW ("M57-holes-and-what-follows", test_m57_holes_and_what_follows);
  ROW ("M58-sizes-that-wrap", test_m58_sizes_that_wrap);
  ROW ("M59-shape-and-place-disagree", test_m59_shape_and_place_disagree);
  ROW ("M60-formats", test_m60_formats);
  ROW ("M61-ranks", test_m61_ranks);
  ROW ("M62-metadata-and-depth", test_m62_metadata_and_depth);
  ROW ("M63-names", test_m63_names);
  ROW ("tensors-are-found-by-canonical-name", test_tensors_are_found_by_canonical_name);
  ROW ("unaligned-data-is-read-where-it-lies", test_unaligned_data_is_read_where_it_lies);
  ROW ("formats-that-are-needed-and-not-read-are-refused-by-name",
       test_formats_that_are_needed_and_not_read_are_refused_by_name);
  ROW ("lengths-that-look-like-other-files", test_lengths_that_look_like_other_files);
  return g_test_run ();
}
