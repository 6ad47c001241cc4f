/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/weights/test-bitsandbytes.c: matrices in parts, sound and not. Each file is judged twice, from memory
 * and in a folder, with the same verdict. */
#include "st-writer.h"

#include "whole-format.h"

#include <math.h>
#include <string.h>

#define FORMAT ASSAY_ENGINE_ERROR_FORMAT
#define UNSUPPORTED ASSAY_ENGINE_ERROR_UNSUPPORTED
#define ROWS 1030 /* of 32: 515 blocks, three nested ones */
#define STATE "a.weight.quant_state.bitsandbytes__nf4"
#define HEAD "{\"quant_type\": \"nf4\", \"blocksize\": 64, \"dtype\": \"bfloat16\", \"shape\": "
#define TAIL ", \"nested_blocksize\": 256, \"nested_dtype\": \"float32\", \"nested_offset\": 0.25}"

/* --- a sound file --- */

static StTensor *
add (StWriter *w, const char *name, const char *dtype, guint64 n)
{
  st_writer_add (w, name, dtype, 1, &n);
  return g_ptr_array_index (w->tensors, w->tensors->len - 1);
}

static void
add_floats (StWriter *w, const char *name, const float *values, guint n)
{
  memcpy (add (w, name, "F32", n)->data->data, values, n * sizeof *values);
}

static void
add_text (StWriter *w, const char *name, const char *text)
{
  memcpy (add (w, name, "U8", strlen (text))->data->data, text, strlen (text));
}

/* a.weight: nf4-double; b.weight: int8; c.weight: fp4 of an odd number of elements. */
static StWriter *
new_sound (void)
{
  StWriter *w = st_writer_new ();
  add (w, "a.weight.absmax", "U8", 515);
  add (w, "a.weight", "U8", ROWS * 16);
  add_floats (w, "a.weight.quant_map", assay_whole_values (ASSAY_DTYPE_NF4), 16);
  add (w, "a.weight.nested_absmax", "F32", 3);
  add_floats (w, "a.weight.nested_quant_map", assay_dynamic_values, 256);
  add_text (w, STATE, HEAD "[1030, 32]" TAIL "  ");
  st_writer_add (w, "b.weight", "I8", 2, (const guint64[]) { 3, 5 });
  add (w, "b.SCB", "F32", 3);
  memset (add (w, "b.weight_format", "U8", 1)->data->data, 0, 1);
  st_writer_add (w, "c.weight", "U8", 2, (const guint64[]) { 68, 1 });
  add (w, "c.weight.absmax", "F32", 3);
  add_floats (w, "c.weight.quant_map", assay_whole_values (ASSAY_DTYPE_FP4), 16);
  add_text (w, "c.weight.quant_state.bitsandbytes__fp4",
            "{\"shape\": [15, 9], \"blocksize\": 64, \"quant_type\": \"fp4\", \"dtype\": \"float16\"}");
  st_writer_add (w, "plain.weight", "F16", 2, (const guint64[]) { 2, 2 });
  return w;
}

static guint
find (StWriter *w, const char *name)
{
  for (guint i = 0; i < w->tensors->len; i++)
    if (g_str_equal (((StTensor *) g_ptr_array_index (w->tensors, i))->name, name))
      return i;
  g_error ("no tensor %s", name);
}

static StTensor *
get (StWriter *w, const char *name)
{
  return g_ptr_array_index (w->tensors, find (w, name));
}

static void
put_text (StWriter *w, const char *name, const char *text)
{
  StTensor *tensor = get (w, name);
  g_byte_array_set_size (tensor->data, 0);
  g_byte_array_append (tensor->data, (const guint8 *) text, (guint) strlen (text));
  tensor->shape[0] = tensor->data->len;
}

static void
set_size (StWriter *w, const char *name, const char *dtype, guint64 n, guint bytes)
{
  StTensor *tensor = get (w, name);
  tensor->dtype = dtype;
  tensor->n_dims = 1;
  tensor->shape[0] = n;
  g_byte_array_set_size (tensor->data, bytes);
}

/* --- verdicts --- */

static GError *
open_from_memory (const GByteArray *bytes)
{
  GError *error = NULL;
  g_autoptr (GBytes) config = g_bytes_new_static ("{}", 2);
  const AssayHfFolder texts = { .path = "memory", .config = config };
  g_autofree guint8 *copy = g_memdup2 (bytes->data, bytes->len); /* reads beyond its end are seen */
  g_autoptr (AssayModelFile) file
      = assay_safetensors_open_bytes (&texts, copy, bytes->len, "hostile.safetensors", st_translate, &error);
  g_assert_true ((file != NULL) != (error != NULL));
  return error;
}

static GError *
judge (StWriter *w)
{
  GError *again = NULL;
  g_auto (StFolder) folder;
  g_autoptr (GByteArray) bytes = st_writer_bytes (w);
  GError *error = open_from_memory (bytes);
  st_folder_init (&folder);
  st_folder_put_bytes (&folder, "model.safetensors", bytes);
  g_autoptr (AssayModelFile) file = st_folder_open (&folder, NULL, &again);
  g_assert_cmpint (file != NULL, ==, error == NULL);
  if (error != NULL)
    g_assert_cmpstr (assay_engine_error_get_reason (error), ==, assay_engine_error_get_reason (again));
  g_clear_error (&again);
  return error;
}

/* Takes the writer. */
static void
refuse (StWriter *w, AssayEngineError code, const char *reason, const char *text)
{
  g_autoptr (GError) error = judge (w);
  st_writer_free (w);
  if (error == NULL)
    g_error ("loads, but must be refused as %s (%s)", reason, text);
  if (g_strcmp0 (assay_engine_error_get_reason (error), reason) != 0 || strstr (error->message, text) == NULL)
    g_error ("refused as %s (%s), but must be %s (%s)", assay_engine_error_get_reason (error), error->message,
             reason, text);
  g_assert_error (error, ASSAY_ENGINE_ERROR, (gint) code);
}

/* --- states --- */

static void
test_states (void)
{
  static const struct { const char *text; AssayEngineError code; const char *reason, *shown; } rows[] = {
    { "", FORMAT, "bitsandbytes-state", "no sound JSON" },
    { "nonsense", FORMAT, "bitsandbytes-state", "no sound JSON at byte 0" },
    { "[1, 2]", FORMAT, "bitsandbytes-state", "instead of a JSON object" },
    { HEAD "[1030, 32]" TAIL "}", FORMAT, "bitsandbytes-state", "no sound JSON" },
    { "{\"blocksize\": 64}", FORMAT, "bitsandbytes-state", "quant_type is missing" },
    { "{\"quant_type\": \"fp4\"}", FORMAT, "bitsandbytes-state", "quant_type is \"fp4\" instead of nf4" },
    { "{\"quant_type\": \"nf4\", \"blocksize\": 128, \"shape\": [1030, 32]" TAIL, UNSUPPORTED,
      "bitsandbytes-variant", "blocksize is 128; only 64" },
    { "{\"quant_type\": \"nf4\", \"blocksize\": 0, \"shape\": [1030, 32]" TAIL, UNSUPPORTED,
      "bitsandbytes-variant", "blocksize is 0" },
    { "{\"quant_type\": \"nf4\", \"blocksize\": \"64\"}", FORMAT, "bitsandbytes-state", "blocksize is \"64\"" },
    { "{\"quant_type\": \"nf4\", \"blocksize\": 64" TAIL, FORMAT, "bitsandbytes-state", "shape is missing" },
    { HEAD "[32960]" TAIL, FORMAT, "bitsandbytes-state", "list of two numbers" },
    { HEAD "[1030, 32, 1]" TAIL, FORMAT, "bitsandbytes-state", "list of two numbers" },
    { HEAD "[1030, 32.5]" TAIL, FORMAT, "bitsandbytes-state", "whole numbers from 1" },
    { HEAD "[-1030, -32]" TAIL, FORMAT, "bitsandbytes-state", "whole numbers from 1" },
    { HEAD "[0, 32]" TAIL, FORMAT, "bitsandbytes-state", "whole numbers from 1" },
    { HEAD "[1099511627777, 1]" TAIL, FORMAT, "bitsandbytes-state", "to 2^40" },
    { HEAD "[1030, 33]" TAIL, FORMAT, "bitsandbytes-shape", "no matrix of 1030 × 33" },
    { HEAD "[1029, 32]" TAIL, FORMAT, "bitsandbytes-shape", "no matrix of 1029 × 32" },
    { HEAD "[1099511627776, 1099511627776]" TAIL, FORMAT, "bitsandbytes-shape", "16480 bytes of codes" },
    { HEAD "[4294967296, 4294967296]" TAIL, FORMAT, "bitsandbytes-shape", "16480 bytes of codes" },
    { HEAD "[1030, 32], \"nested_blocksize\": 128, \"nested_offset\": 0}", UNSUPPORTED,
      "bitsandbytes-variant", "nested_blocksize is 128; only 256" },
    { HEAD "[1030, 32], \"nested_blocksize\": true, \"nested_offset\": 0}", FORMAT, "bitsandbytes-state",
      "nested_blocksize" },
    { HEAD "[1030, 32], \"nested_blocksize\": 256, \"nested_dtype\": \"bfloat16\", \"nested_offset\": 0}",
      UNSUPPORTED, "bitsandbytes-variant", "nested_dtype is \"bfloat16\"" },
    { HEAD "[1030, 32], \"nested_blocksize\": 256}", FORMAT, "bitsandbytes-state", "nested_offset is missing" },
    { HEAD "[1030, 32], \"nested_blocksize\": 256, \"nested_offset\": NaN}", FORMAT, "bitsandbytes-state",
      "no sound JSON" },
    { HEAD "[1030, 32], \"nested_blocksize\": 256, \"nested_offset\": \"nan\"}", FORMAT, "bitsandbytes-state",
      "nested_offset is \"nan\"" },
    { HEAD "[1030, 32], \"nested_blocksize\": 256, \"nested_offset\": 1e400}", FORMAT, "bitsandbytes-state",
      "finite" },
    { HEAD "[1030, 32], \"nested_blocksize\": 256, \"nested_offset\": -3.5e38}", FORMAT, "bitsandbytes-state",
      "finite" },
    { HEAD "[1030, 32]}", FORMAT, "bitsandbytes-parts", "'.nested_absmax' that is of another form" },
    { HEAD "[1030, 32], \"shape\": [32, 1030]" TAIL, FORMAT, "bitsandbytes-state", "no sound JSON" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      StWriter *w = new_sound ();
      put_text (w, STATE, rows[i].text);
      refuse (w, rows[i].code, rows[i].reason, rows[i].shown);
    }
  StWriter *w = new_sound ();
  g_autofree char *long_text = g_strnfill (65537, ' ');
  put_text (w, STATE, long_text);
  refuse (w, FORMAT, "bitsandbytes-state", "65537 bytes of text");
}

/* --- parts --- */

static void
test_missing (void)
{
  static const char *const names[]
      = { "a.weight",  "a.weight.absmax", "a.weight.quant_map", "a.weight.nested_absmax",
          "a.weight.nested_quant_map", STATE, "b.weight", "b.SCB", "c.weight", "c.weight.absmax",
          "c.weight.quant_map", "c.weight.quant_state.bitsandbytes__fp4" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      StWriter *w = new_sound ();
      g_ptr_array_remove_index (w->tensors, find (w, names[i]));
      refuse (w, FORMAT, "bitsandbytes-parts", g_str_has_suffix (names[i], ".weight") ? "is not there" : "is missing");
    }
}

static void
test_mixed (void)
{
  static const char *const names[]
      = { "a.SCB", "b.weight.absmax", "b.weight.quant_state.bitsandbytes__nf4", "c.weight.nested_absmax",
          "c.weight.quant_state.bitsandbytes__nf4" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      StWriter *w = new_sound ();
      add (w, names[i], "F32", 3);
      refuse (w, FORMAT, i < 4 ? "bitsandbytes-parts" : "bitsandbytes-state", "");
    }
}

/* A part with parts: whichever is looked at first, the sizes of neither could be trusted. */
static void
test_parts_of_parts (void)
{
  static const char *const names[] = { STATE ".SCB", "a.weight.absmax.absmax", "b.weight_format.quant_map" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      StWriter *w = new_sound ();
      add (w, names[i], "F32", 3);
      refuse (w, FORMAT, "bitsandbytes-parts", i == 0 ? "is not there" : "one with parts itself");
    }
  StWriter *w = new_sound ();
  add (w, STATE ".absmax", "F32", 3);
  refuse (w, FORMAT, "bitsandbytes-parts", "one with parts itself");
}

static void
test_sizes (void)
{
  static const struct { const char *name, *dtype; guint64 n; guint bytes; const char *reason; } rows[] = {
    { "a.weight", "U8", ROWS * 16 - 1, ROWS * 16 - 1, "bitsandbytes-shape" },
    { "a.weight", "U8", 0, 0, "bitsandbytes-shape" },
    { "a.weight.absmax", "U8", 514, 514, "bitsandbytes-size" },
    { "a.weight.absmax", "I8", 515, 515, "bitsandbytes-size" },
    { "a.weight.absmax", "F32", 515, 2060, "bitsandbytes-size" },
    { "a.weight.nested_absmax", "F32", 2, 8, "bitsandbytes-size" },
    { "a.weight.nested_absmax", "F16", 6, 12, "bitsandbytes-size" },
    { "a.weight.nested_quant_map", "F32", 255, 1020, "bitsandbytes-size" },
    { "a.weight.quant_map", "F32", 17, 68, "bitsandbytes-size" },
    { "c.weight.absmax", "F32", 4, 16, "bitsandbytes-size" },
    { "c.weight.absmax", "BF16", 3, 6, "bitsandbytes-size" },
    { "b.SCB", "F32", 4, 16, "bitsandbytes-size" },
    { "b.SCB", "F16", 3, 6, "bitsandbytes-size" },
    { "b.weight", "I8", 15, 15, "bitsandbytes-shape" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      StWriter *w = new_sound ();
      set_size (w, rows[i].name, rows[i].dtype, rows[i].n, rows[i].bytes);
      refuse (w, FORMAT, rows[i].reason, rows[i].name);
    }
}

static void
test_int8_forms (void)
{
  StWriter *w = new_sound ();
  get (w, "b.weight_format")->data->data[0] = 1;
  refuse (w, UNSUPPORTED, "bitsandbytes-variant", "order other than 0");
  w = new_sound ();
  set_size (w, "b.weight_format", "U8", 0, 0);
  refuse (w, UNSUPPORTED, "bitsandbytes-variant", "order other than 0");
  w = new_sound ();
  get (w, "b.weight")->dtype = "U8";
  refuse (w, FORMAT, "bitsandbytes-shape", "2 dimensions of U8");
  w = new_sound ();
  g_ptr_array_remove_index (w->tensors, find (w, "b.weight_format"));
  g_autoptr (GError) error = judge (w);
  g_assert_no_error (error);
  st_writer_free (w);
}

static void
test_maps (void)
{
  static const char *const names[] = { "a.weight.quant_map", "a.weight.nested_quant_map", "c.weight.quant_map" };
  static const float wrong[] = { 0.5625f, NAN, INFINITY };
  for (guint i = 0; i < G_N_ELEMENTS (names) * G_N_ELEMENTS (wrong); i++)
    {
      StWriter *w = new_sound ();
      memcpy (get (w, names[i / 3])->data->data + 13 * sizeof (float), &wrong[i % 3], sizeof (float));
      refuse (w, UNSUPPORTED, "bitsandbytes-map", "code 13 stands for");
    }
}

/* --- what is read --- */

static AssayModelFile *
open_sound (const StFolder *folder, guint n_parts)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (StWriter) whole = new_sound ();
  g_autoptr (GByteArray) bytes = st_writer_bytes (whole);
  for (guint i = 0; i < n_parts; i++)
    {
      g_autoptr (StWriter) part = st_writer_new ();
      part->padding = i;
      st_writer_add_every (part, bytes, i, n_parts);
      g_autoptr (GByteArray) made = st_writer_bytes (part);
      g_autofree char *name = g_strdup_printf ("model-%05u-of-%05u.safetensors", i + 1, n_parts);
      st_folder_put_bytes (folder, name, made);
    }
  AssayModelFile *file = st_folder_open (folder, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (assay_model_file_map (file, &error));
  return file;
}

static void
check_double (const guint8 *bytes, gint64 first, gint64 n)
{
  g_autoptr (StWriter) w = new_sound ();
  AssayWholeLayout l;
  float offset;
  g_assert_true (assay_whole_layout (ASSAY_DTYPE_NF4_DOUBLE, 32, n, &l));
  g_assert_cmpmem (bytes, (gsize) n * 16, get (w, "a.weight")->data->data + first * 16, (gsize) n * 16);
  g_assert_cmpmem (bytes + l.absmax, l.n_blocks, get (w, "a.weight.absmax")->data->data + first / 2, l.n_blocks);
  g_assert_cmpmem (bytes + l.nested, l.n_nested * 4,
                   get (w, "a.weight.nested_absmax")->data->data + first / 512 * 4, l.n_nested * 4);
  memcpy (&offset, bytes + l.offset, sizeof offset);
  g_assert_cmpfloat (offset, ==, 0.25f);
  for (gsize i = l.offset + sizeof offset; i < l.bytes; i++)
    g_assert_cmpuint (bytes[i], ==, 0);
}

static void
test_parts_are_put_together (void)
{
  for (guint n_parts = 1; n_parts <= 5; n_parts += 2)
    {
      g_auto (StFolder) folder;
      st_folder_init (&folder);
      g_autoptr (AssayModelFile) file = open_sound (&folder, n_parts);
      const AssayTensorInfo *a = assay_model_file_find_tensor (file, "c.a.weight");
      const AssayTensorInfo *b = assay_model_file_find_tensor (file, "c.b.weight");
      const AssayTensorInfo *c = assay_model_file_find_tensor (file, "c.c.weight");
      g_autofree guint8 *bytes = g_malloc0 (a->bytes);
      g_assert_cmpuint (assay_model_file_get_n_tensors (file), ==, 4);
      g_assert_cmpint (a->dtype, ==, ASSAY_DTYPE_NF4_DOUBLE);
      g_assert_cmpint (b->dtype, ==, ASSAY_DTYPE_INT8);
      g_assert_cmpint (c->dtype, ==, ASSAY_DTYPE_FP4);
      g_assert_cmpint (c->shape[0], ==, 9);
      g_assert_cmpuint (c->bytes, ==, assay_dtype_matrix_bytes (ASSAY_DTYPE_FP4, 9, 15));
      assay_model_file_read_rows (file, a, 0, ROWS, bytes);
      check_double (bytes, 0, ROWS);
      g_assert_true (assay_tensor_info_can_split (a, 512));
      assay_model_file_read_rows (file, a, 512, 77, bytes);
      check_double (bytes, 512, 77);
    }
}

static void
test_splits (void)
{
  g_auto (StFolder) folder;
  st_folder_init (&folder);
  g_autoptr (AssayModelFile) file = open_sound (&folder, 1);
  const AssayTensorInfo *a = assay_model_file_find_tensor (file, "c.a.weight");
  const AssayTensorInfo *b = assay_model_file_find_tensor (file, "c.b.weight");
  const AssayTensorInfo *c = assay_model_file_find_tensor (file, "c.c.weight");
  const AssayTensorInfo *plain = assay_model_file_find_tensor (file, "c.plain.weight");
  guint8 bytes[128];
  g_autoptr (StWriter) w = new_sound ();
  g_assert_false (assay_tensor_info_can_split (a, 2));
  g_assert_false (assay_tensor_info_can_split (c, 7));
  g_assert_true (assay_tensor_info_can_split (plain, 1));
  g_assert_true (assay_tensor_info_can_split (b, 1));
  assay_model_file_read_rows (file, b, 1, 2, bytes);
  g_assert_cmpmem (bytes, 10, get (w, "b.weight")->data->data + 5, 10);
  g_assert_cmpmem (bytes + 64, 8, get (w, "b.SCB")->data->data + 4, 8);
}

/* The hash is of the weights, not of how they lie; verifying looks at the statistics. */
static void
test_hash (void)
{
  g_autoptr (GError) error = NULL;
  g_auto (StFolder) one, five, bad;
  st_folder_init (&one);
  st_folder_init (&five);
  st_folder_init (&bad);
  g_autoptr (AssayModelFile) a = open_sound (&one, 1), b = open_sound (&five, 5);
  g_autofree char *x = assay_model_file_hash_content (a, TRUE, NULL, NULL, NULL, &error);
  g_autofree char *y = assay_model_file_hash_content (b, TRUE, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (x, ==, y);
  g_autoptr (StWriter) w = new_sound ();
  const float infinite = INFINITY;
  memcpy (get (w, "b.SCB")->data->data + 4, &infinite, 4);
  g_autoptr (GByteArray) bytes = st_writer_bytes (w);
  st_folder_put_bytes (&bad, "model.safetensors", bytes);
  g_autoptr (AssayModelFile) c = st_folder_open (&bad, NULL, &error);
  g_assert_no_error (error);
  g_assert_null (assay_model_file_hash_content (c, TRUE, NULL, NULL, NULL, &error));
  g_assert_cmpstr (assay_engine_error_get_reason (error), ==, "weights-not-finite");
  g_assert_nonnull (strstr (error->message, "1 of its 3 block scales"));
}

/* Whatever opens can be read and hashed. */
static void
use_all (AssayModelFile *file)
{
  g_autofree char *hash = assay_model_file_hash_content (file, FALSE, NULL, NULL, NULL, NULL);
  g_assert_nonnull (hash);
  for (guint i = 0; i < assay_model_file_get_n_tensors (file); i++)
    {
      const AssayTensorInfo *tensor = assay_model_file_get_tensor (file, i);
      g_autofree guint8 *out = g_malloc (tensor->bytes + 1);
      if (tensor->assembled != 0)
        assay_model_file_read_rows (file, tensor, 0, (guint64) tensor->shape[1], out);
    }
}

static void
test_damage (void)
{
  g_autoptr (GBytes) config = g_bytes_new_static ("{}", 2);
  const AssayHfFolder texts = { .path = "memory", .config = config };
  g_autoptr (StWriter) w = new_sound ();
  g_autoptr (GByteArray) bytes = st_writer_bytes (w);
  guint n_loaded = 0, n_refused = 0;
  for (guint i = 0; i < 2000; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree guint8 *copy = g_memdup2 (bytes->data, bytes->len);
      /* mostly the header, and the states at both ends of the data */
      const guint32 at = (guint32) g_test_rand_int_range (8, i % 4 == 0 ? (gint32) bytes->len : 1600);
      copy[at] = i % 3 == 0 ? (guint8) g_test_rand_int_range (0, 256) : (guint8) "0129,:[]\"{}"[at % 11];
      g_autoptr (AssayModelFile) file
          = assay_safetensors_open_bytes (&texts, copy, bytes->len, "damaged", st_translate, &error);
      g_assert_true ((file != NULL) != (error != NULL));
      n_loaded += file != NULL;
      n_refused += file == NULL;
      if (file != NULL)
        use_all (file);
    }
  g_test_message ("%u loaded, %u refused", n_loaded, n_refused);
  g_assert_cmpuint (n_loaded, >, 0);
  g_assert_cmpuint (n_refused, >, 0);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/bitsandbytes/states that cannot be are refused", test_states);
  g_test_add_func ("/bitsandbytes/a missing part is named", test_missing);
  g_test_add_func ("/bitsandbytes/parts of two forms are refused", test_mixed);
  g_test_add_func ("/bitsandbytes/parts have no parts", test_parts_of_parts);
  g_test_add_func ("/bitsandbytes/parts of another size are refused", test_sizes);
  g_test_add_func ("/bitsandbytes/int8 is read in the order of rows only", test_int8_forms);
  g_test_add_func ("/bitsandbytes/other values of the codes are refused", test_maps);
  g_test_add_func ("/bitsandbytes/parts are put together, in one file or several", test_parts_are_put_together);
  g_test_add_func ("/bitsandbytes/rows are split where blocks end", test_splits);
  g_test_add_func ("/bitsandbytes/the hash is of the weights", test_hash);
  g_test_add_func ("/bitsandbytes/damaged bytes are refused or harmless", test_damage);
  return g_test_run ();
}
