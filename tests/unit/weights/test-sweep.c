/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/weights/test-sweep.c: row M05 and its neighbours: every length, and every byte, of a valid file.
 *
 * Run plainly these find hangs and aborts; under the sanitizers they find the rest. Also the ceiling on
 * memory: a small file must not make the reader ask for much, whatever numbers stand in it. */
#include "hostile.h"

#include "models/assay-config.h"
#include "text/assay-chat.h"

#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static GByteArray *
sweep_file (TinyTokenizer tokenizer)
{
  const TinyModel options
      = { .tokenizer = tokenizer, .matrices = ASSAY_DTYPE_Q4_0, .embedding = ASSAY_DTYPE_Q4_0, .n_ff = 32 };
  g_autoptr (GgufWriter) w = tiny_model_new (&options);
  gguf_writer_set_string (w, "tokenizer.chat_template",
                          "{% for m in messages %}<|im_start|>{{ m['role'] }}{% endfor %}");
  return gguf_writer_bytes (w);
}

/* The whole way that a file goes before it is run. Returns: whether it loads. */
static gboolean
sweep_load (const guint8 *data, gsize length)
{
  g_autoptr (GError) error = NULL, chat_error = NULL;
  g_autoptr (AssayModelFile) file = assay_model_file_open_bytes (data, length, "swept.gguf", &error);
  g_autoptr (AssayTokenizer) tokenizer = NULL;
  AssayModelConfig config;
  AssayChatFormat format;
  if (file != NULL && assay_config_read (&config, file, &error))
    tokenizer = assay_tokenizer_new (file, TRUE, &error);
  if (tokenizer != NULL)
    assay_chat_format_recognise (file, tokenizer, &format, &chat_error);
  if (tokenizer == NULL
      && (error == NULL || error->message[0] == '\0' || assay_engine_error_get_reason (error)[0] == '\0'))
    g_error ("refused without a reason");
  return tokenizer != NULL;
}

static void
test_every_length (gconstpointer data)
{
  g_autoptr (GByteArray) whole = sweep_file (GPOINTER_TO_INT (data));
  g_assert_true (sweep_load (whole->data, whole->len));
  for (guint length = 0; length < whole->len; length++)
    {
      g_autofree guint8 *cut = g_memdup2 (whole->data, MAX (length, 1)); /* reads beyond its end are seen */
      if (sweep_load (cut, length))
        g_error ("%u of %u bytes load", length, whole->len);
    }
}

static void
test_every_byte (gconstpointer data)
{
  static const guint8 values[] = { 0x00, 0x01, 0x7f, 0x80, 0xff };
  g_autoptr (GByteArray) whole = sweep_file (GPOINTER_TO_INT (data));
  const guint step = whole->len > 12000 ? 2 : 1;
  guint n_refused = 0;
  for (guint at = 0; at < whole->len; at += step)
    for (guint i = 0; i < G_N_ELEMENTS (values); i++)
      {
        const guint8 was = whole->data[at];
        whole->data[at] = values[i];
        n_refused += sweep_load (whole->data, whole->len) ? 0 : 1;
        whole->data[at] = was;
      }
  g_test_message ("%u bytes, %u refused", whole->len, n_refused);
  g_assert_cmpuint (n_refused, >, 100);
}

/* Random runs of bytes at random places, several at once. */
static void
test_random_damage (void)
{
  g_autoptr (GByteArray) whole = sweep_file (TINY_LLAMA);
  for (guint round = 0; round < 4000; round++)
    {
      g_autofree guint8 *copy = g_memdup2 (whole->data, whole->len);
      const gint n = g_test_rand_int_range (1, 6);
      for (gint i = 0; i < n; i++)
        {
          const gint at = g_test_rand_int_range (0, MIN ((gint) whole->len, 3200));
          const gint run = MIN (g_test_rand_int_range (1, 9), (gint) whole->len - at);
          for (gint k = 0; k < run; k++)
            copy[at + k] = (guint8) g_test_rand_int_range (0, 256);
        }
      sweep_load (copy, whole->len);
    }
}

static void
put_key (GByteArray *out, const char *key, guint32 type)
{
  gguf_put_string (out, key, strlen (key));
  gguf_put_u32 (out, type);
}

/* A header with these counts, then a key with a promise of much more than follows. */
static GByteArray *
promise (guint64 n_tensors, guint64 n_values, guint32 type, guint32 element_type, guint64 count)
{
  GByteArray *out = g_byte_array_new ();
  gguf_put_u32 (out, 0x46554747);
  gguf_put_u32 (out, 3);
  gguf_put_u64 (out, n_tensors);
  gguf_put_u64 (out, n_values);
  put_key (out, "tokenizer.ggml.tokens", type);
  if (type == GGUF_TYPE_ARRAY)
    gguf_put_u32 (out, element_type);
  gguf_put_u64 (out, count);
  g_byte_array_set_size (out, out->len + 4096);
  return out;
}

/* Sparse: it has the bytes it promises, so that only the limits stand between the reader and their size. */
static void
open_sparse (GByteArray *head, guint64 size)
{
  g_autofree char *path = g_build_filename (hostile_get_folder (), "sparse.gguf", NULL);
  g_autoptr (GError) error = NULL;
  g_assert_true (g_file_set_contents (path, (char *) head->data, head->len, NULL));
  if (truncate (path, (off_t) size) != 0)
    g_error ("no sparse files here");
  const gint64 start = g_get_monotonic_time ();
  g_autoptr (AssayModelFile) file = assay_model_file_open (path, NULL, &error);
  g_assert_null (file);
  g_assert_error (error, ASSAY_ENGINE_ERROR, ASSAY_ENGINE_ERROR_FORMAT);
  g_assert_cmpint (g_get_monotonic_time () - start, <, 2 * G_USEC_PER_SEC);
  g_byte_array_unref (head);
  unlink (path);
}

#if !defined (__SANITIZE_ADDRESS__) && !defined (__SANITIZE_THREAD__)
/* In a child under a limit on its address space: what it has now, and 96 MiB. */
static void
memory_child (void)
{
  long pages = 0;
  g_autofree char *statm = NULL;
  g_assert_true (g_file_get_contents ("/proc/self/statm", &statm, NULL, NULL));
  pages = strtol (statm, NULL, 10);
  const rlim_t limit = (rlim_t) pages * (rlim_t) sysconf (_SC_PAGESIZE) + (96u << 20);
  g_assert_cmpint (setrlimit (RLIMIT_AS, &(struct rlimit) { limit, limit }), ==, 0);
  static const guint64 large[] = { 100000000, (1u << 30) - 1, G_GUINT64_CONSTANT (1) << 40,
                                   G_GUINT64_CONSTANT (1) << 62, G_MAXUINT64 };
  for (guint i = 0; i < G_N_ELEMENTS (large); i++)
    {
      g_autoptr (GByteArray) tensors = promise (large[i], 0, GGUF_TYPE_STRING, 0, 1);
      g_autoptr (GByteArray) keys = promise (0, large[i], GGUF_TYPE_STRING, 0, 1);
      g_autoptr (GByteArray) text = promise (0, 1, GGUF_TYPE_STRING, 0, large[i]);
      g_autoptr (GByteArray) strings = promise (0, 1, GGUF_TYPE_ARRAY, GGUF_TYPE_STRING, large[i]);
      g_autoptr (GByteArray) numbers = promise (0, 1, GGUF_TYPE_ARRAY, GGUF_TYPE_U64, large[i]);
      GByteArray *const all[] = { tensors, keys, text, strings, numbers };
      for (guint k = 0; k < G_N_ELEMENTS (all); k++)
        g_assert_false (sweep_load (all[k]->data, all[k]->len));
    }
  open_sparse (promise (0, 1, GGUF_TYPE_STRING, 0, (1u << 30) - 1), G_GUINT64_CONSTANT (3) << 30);
  open_sparse (promise (1000000000, 0, GGUF_TYPE_STRING, 0, 1), G_GUINT64_CONSTANT (100) << 30);
  open_sparse (promise (0, 1, GGUF_TYPE_ARRAY, GGUF_TYPE_U8, G_GUINT64_CONSTANT (1) << 32),
               G_GUINT64_CONSTANT (8) << 30);
  /* M44: one token of more than 2^31 bytes */
  GByteArray *token = promise (0, 1, GGUF_TYPE_ARRAY, GGUF_TYPE_STRING, 1);
  g_byte_array_set_size (token, token->len - 4096);
  gguf_put_u64 (token, (G_GUINT64_CONSTANT (1) << 31) + 10);
  open_sparse (token, G_GUINT64_CONSTANT (3) << 30);
}

static void
test_small_files_take_little_memory (void)
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
test_small_files_take_little_memory (void)
{
  g_test_skip ("a sanitizer's own memory does not fit under the limit");
}
#endif

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/weights/sweep/M05-every-length-score-tokenizer", GINT_TO_POINTER (TINY_LLAMA),
                        test_every_length);
  g_test_add_data_func ("/weights/sweep/M05-every-length-byte-tokenizer", GINT_TO_POINTER (TINY_GPT2),
                        test_every_length);
  g_test_add_data_func ("/weights/sweep/every-byte-score-tokenizer", GINT_TO_POINTER (TINY_LLAMA),
                        test_every_byte);
  g_test_add_data_func ("/weights/sweep/every-byte-byte-tokenizer", GINT_TO_POINTER (TINY_GPT2),
                        test_every_byte);
  g_test_add_func ("/weights/sweep/random-damage", test_random_damage);
  g_test_add_func ("/weights/sweep/small-files-take-little-memory", test_small_files_take_little_memory);
  return g_test_run ();
}
