/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/weights/test-st-sweep.c: every length, and every byte, of a valid safetensors file and of an
 * index; and the ceiling on memory, whatever numbers stand in a file. Run plainly these find hangs and
 * aborts; under the sanitizers they find the rest. */
#include "st-writer.h"

#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static GByteArray *
sweep_file (void)
{
  static const guint64 matrix[] = { 2, 3 }, vector[] = { 5 }, empty[] = { 0 };
  g_autoptr (StWriter) w = st_writer_new ();
  st_writer_add (w, "model.embed_tokens.weight", "F32", 2, matrix);
  st_writer_add (w, "turn.a", "BF16", 2, matrix);
  st_writer_add (w, "norm.\\u00e9\\ud83d\\ude00", "F16", 1, vector);
  st_writer_add (w, "e", "I64", 1, empty);
  st_writer_add (w, "skip.s", "F8_E4M3", 0, NULL);
  w->padding = 3;
  return st_writer_bytes (w);
}

/* The whole way that a file goes before it is run. Returns: whether it loads. */
static gboolean
sweep_load (const guint8 *data, gsize length)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) config = g_bytes_new_static ("{}", 2);
  const AssayHfFolder texts = { .path = "swept", .config = config };
  g_autoptr (AssayModelFile) file
      = assay_safetensors_open_bytes (&texts, data, length, "swept.safetensors", st_translate, &error);
  if (file == NULL
      && (error == NULL || error->message[0] == '\0' || assay_engine_error_get_reason (error)[0] == '\0'
          || !g_utf8_validate (error->message, -1, NULL)))
    g_error ("refused without a reason");
  if (file == NULL)
    return FALSE;
  g_autofree char *hash = assay_model_file_hash_content (file, FALSE, NULL, NULL, NULL, NULL);
  g_assert_nonnull (hash);
  g_assert_cmpuint (strlen (assay_model_file_get_metadata_sha256 (file)), ==, 64);
  return TRUE;
}

static gboolean
sweep_index (const guint8 *data, gsize length)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) text = g_bytes_new_static (data, length);
  g_autoptr (SafetensorsIndex) index = assay_safetensors_index_new (text, "swept.index.json", &error);
  g_assert_true ((index != NULL) != (error != NULL));
  for (guint i = 0; index != NULL && i < index->file_of->len; i++)
    g_assert_cmpuint (g_array_index (index->file_of, guint32, i), <, index->files->len);
  return index != NULL;
}

typedef gboolean (*SweepFunc) (const guint8 *data, gsize length);

static void
sweep_lengths (const guint8 *whole, gsize n, SweepFunc load)
{
  g_assert_true (load (whole, n));
  for (gsize length = 0; length < n; length++)
    {
      g_autofree guint8 *cut = g_memdup2 (whole, MAX (length, 1)); /* reads beyond its end are seen */
      if (load (cut, length))
        g_error ("%zu of %zu bytes load", length, n);
    }
}

static void
sweep_bytes (guint8 *whole, gsize n, SweepFunc load)
{
  static const guint8 values[]
      = { 0x00, 0x01, 0x7f, 0x80, 0xff, '"', '\\', '{', '}', '[', ']', ',', '0', '9', '-' };
  guint n_refused = 0;
  for (gsize at = 0; at < n; at++)
    for (guint i = 0; i < G_N_ELEMENTS (values); i++)
      {
        const guint8 was = whole[at];
        whole[at] = values[i];
        n_refused += load (whole, n) ? 0 : 1;
        whole[at] = was;
      }
  g_test_message ("%zu bytes, %u refused", n, n_refused);
  g_assert_cmpuint (n_refused, >, 100);
}

static void
sweep_random (const guint8 *whole, gsize n, SweepFunc load)
{
  for (guint round = 0; round < 4000; round++)
    {
      g_autofree guint8 *copy = g_memdup2 (whole, n);
      for (gint i = g_test_rand_int_range (1, 6); i > 0; i--)
        {
          const gint at = g_test_rand_int_range (0, (gint) n);
          const gint run = g_test_rand_int_range (1, 9);
          for (gint k = 0; k < run && at + k < (gint) n; k++)
            copy[at + k] = (guint8) g_test_rand_int_range (0, 256);
        }
      load (copy, n);
    }
}

static void
test_file (gconstpointer sweep)
{
  g_autoptr (GByteArray) whole = sweep_file ();
  ((void (*) (const guint8 *, gsize, SweepFunc)) sweep) (whole->data, whole->len, sweep_load);
}

static void
test_index (gconstpointer sweep)
{
  g_autofree char *text
      = g_strdup ("{\"metadata\":{\"total_size\":12.5e1,\"x\":[true,null,{}]},\"weight_map\":"
                  "{\"a\":\"m-1.safetensors\",\"\\ud83d\\ude00\":\"m-0.safetensors\",\"c\":"
                  "\"m-1.safetensors\"}}");
  ((void (*) (const guint8 *, gsize, SweepFunc)) sweep) ((guint8 *) text, strlen (text), sweep_index);
}

#if !defined (__SANITIZE_ADDRESS__) && !defined (__SANITIZE_THREAD__)
/* length: what the file says of its header; 0: the truth. */
static void
refuse_large (const char *header, guint64 length, const char *reason)
{
  g_autoptr (GByteArray) bytes = st_file_of (header, -1, 4096);
  const guint64 le = GUINT64_TO_LE (length);
  if (length > 0)
    memcpy (bytes->data, &le, sizeof le);
  g_autoptr (GBytes) config = g_bytes_new_static ("{}", 2);
  const AssayHfFolder texts = { .path = "large", .config = config };
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayModelFile) file
      = assay_safetensors_open_bytes (&texts, bytes->data, bytes->len, "large", st_translate, &error);
  g_assert_null (file);
  g_assert_cmpstr (assay_engine_error_get_reason (error), ==, reason);
}

/* In a child under a limit on its address space: what it has now, and 64 MiB and four times a file's
 * metadata. */
static void
memory_child (void)
{
  enum { TENSORS = 100000 };
  g_autofree char *statm = NULL;
  g_autoptr (GString) header = g_string_new ("{");
  for (guint i = 0; i < TENSORS; i++)
    g_string_append_printf (header,
                            "%s\"t%u\":{\"dtype\":\"F32\",\"shape\":[1000],\"data_offsets\":[0,4000]}",
                            i > 0 ? "," : "", i);
  g_string_append_c (header, '}');
  g_assert_true (g_file_get_contents ("/proc/self/statm", &statm, NULL, NULL));
  const rlim_t limit = (rlim_t) strtol (statm, NULL, 10) * (rlim_t) sysconf (_SC_PAGESIZE)
                       + (64u << 20) + 4 * (rlim_t) header->len;
  g_assert_cmpint (setrlimit (RLIMIT_AS, &(struct rlimit) { limit, limit }), ==, 0);
  refuse_large ("{}", G_MAXUINT64, "safetensors-header-too-large");
  refuse_large ("{}", 132095296, "safetensors-header-too-large");
  refuse_large ("{}", SAFETENSORS_HEADER_MAX, "safetensors-truncated");
  refuse_large ("{\"a\":{\"dtype\":\"F32\",\"shape\":[1099511627776],\"data_offsets\":[0,4398046511104]}}", 0,
                "safetensors-data-short");
  refuse_large (header->str, 0, "safetensors-overlap"); /* M56 */
}

static void
test_memory (void)
{
  if (g_test_subprocess ())
    {
      memory_child ();
      return;
    }
  g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
  g_test_trap_assert_passed ();
}
#else
static void
test_memory (void)
{
  g_test_skip ("a sanitizer's own memory does not fit under the limit");
}
#endif

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/weights/st-sweep/M64-every-length", sweep_lengths, test_file);
  g_test_add_data_func ("/weights/st-sweep/every-byte", sweep_bytes, test_file);
  g_test_add_data_func ("/weights/st-sweep/random-damage", sweep_random, test_file);
  g_test_add_data_func ("/weights/st-sweep/every-length-of-an-index", sweep_lengths, test_index);
  g_test_add_data_func ("/weights/st-sweep/every-byte-of-an-index", sweep_bytes, test_index);
  g_test_add_data_func ("/weights/st-sweep/random-damage-of-an-index", sweep_random, test_index);
  g_test_add_func ("/weights/st-sweep/M56-small-files-take-little-memory", test_memory);
  return g_test_run ();
}
