/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/engine/test-quantize.c: models written in another format.
 *
 * What is lost is judged by llama.cpp's own quantizer: tests/reference/quantize-model.py holds the error of
 * each matrix of the default model. What a folder of Hugging Face's becomes is judged by the GGUF files of
 * tests/reference/families.py, tensor by tensor. */
#include "engine-fixture.h"
#include "tiny-model.h"

#include "convert/assay-quantize.h"
#include "models/assay-config.h"
#include "text/assay-tokenizer.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static char *scratch;

static char *
dup_scratch (const char *name)
{
  return g_build_filename (scratch, name, NULL);
}

static char *
dup_tiny (const TinyModel *options, const char *name)
{
  char *path = dup_scratch (name);
  tiny_model_save (options, path);
  return path;
}

static AssayModelFile *
open_model (const char *path)
{
  g_autoptr (GError) error = NULL;
  AssayModelFile *file = assay_model_file_open (path, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (assay_model_file_map (file, NULL));
  return file;
}

static AssayQuantizeReport *
quantize (AssayModelFile *file, const char *path, AssayDtype dtype, const char *modules, GError **error)
{
  const AssayQuantizeOptions options = { .dtype = dtype, .modules = modules, .threads = 2 };
  return assay_quantize (file, path, &options, NULL, NULL, NULL, error);
}

static gint
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* Nothing is in the scratch folder but these. */
static void
assert_left (const char *names)
{
  g_autoptr (GDir) dir = g_dir_open (scratch, 0, NULL);
  g_autoptr (GPtrArray) seen = g_ptr_array_new_with_free_func (g_free);
  for (const char *name; (name = g_dir_read_name (dir)) != NULL;)
    g_ptr_array_add (seen, g_strdup (name));
  g_ptr_array_sort (seen, compare_names);
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint i = 0; i < seen->len; i++)
    {
      char *name = g_ptr_array_index (seen, i);
      g_string_append_printf (text, "%s%s", i > 0 ? " " : "", name);
    }
  g_assert_cmpstr (text->str, ==, names);
}

static void
clear_scratch (void)
{
  g_autoptr (GDir) dir = g_dir_open (scratch, 0, NULL);
  for (const char *name; (name = g_dir_read_name (dir)) != NULL;)
    {
      g_autofree char *path = dup_scratch (name);
      g_unlink (path);
    }
}

/* --- what is written --- */

static float *
dequantize (AssayModelFile *file, const AssayTensorInfo *tensor)
{
  const AssayCpuOptions options = { .n_threads = 2, .isa = ASSAY_CPU_BEST };
  AssayBackend *backend = assay_cpu_backend_new (&options);
  const gint64 n_rows = tensor->shape[1] * tensor->shape[2] * tensor->shape[3];
  float *out = g_new (float, tensor->shape[0] * n_rows);
  const AssayTensor w = { .dtype = tensor->dtype,
                          .shape = { tensor->shape[0], n_rows, 1, 1 },
                          .row_bytes = tensor->row_bytes,
                          .data = assay_model_file_get_data (file, tensor) };
  g_assert_cmpint (backend->ops->dequantize (backend, out, &w, 0, (size_t) n_rows), ==, ASSAY_OK);
  backend->ops->destroy (backend);
  return out;
}

/* The sum of squared differences, and in *norm that of the values. */
static double
squared_error (AssayModelFile *source, AssayModelFile *made, const char *name, double *norm)
{
  const AssayTensorInfo *a = assay_model_file_find_tensor (source, name),
                        *b = assay_model_file_find_tensor (made, name);
  double error = 0;
  g_assert_nonnull (b);
  g_assert_cmpmem (a->shape, sizeof a->shape, b->shape, sizeof b->shape);
  g_autofree float *x = dequantize (source, a), *y = dequantize (made, b);
  *norm = 0;
  for (gint64 i = 0; i < a->shape[0] * a->shape[1] * a->shape[2] * a->shape[3]; i++)
    {
      error += (double) (x[i] - y[i]) * (x[i] - y[i]);
      *norm += (double) x[i] * x[i];
    }
  return error;
}

/* Every format, by the bound that its bits set; vectors stay to the bit. */
static void
test_formats (void)
{
  static const struct
  {
    AssayDtype dtype;
    guint32 file_type;
    double bound;
  } formats[] = {
    { ASSAY_DTYPE_F32, 0, 0 },       { ASSAY_DTYPE_F16, 1, 3e-4 },   { ASSAY_DTYPE_BF16, 32, 3e-3 },
    { ASSAY_DTYPE_Q8_0, 7, 8e-3 },   { ASSAY_DTYPE_Q4_0, 2, 0.12 },  { ASSAY_DTYPE_Q4_1, 3, 0.11 },
    { ASSAY_DTYPE_Q5_0, 8, 0.06 },   { ASSAY_DTYPE_Q5_1, 9, 0.055 }, { ASSAY_DTYPE_Q4_K, 14, 0.11 },
    { ASSAY_DTYPE_Q5_K, 16, 0.055 }, { ASSAY_DTYPE_Q6_K, 18, 0.03 },
  };
  const TinyModel options = { .n_embd = 256, .n_ff = 256, .own_output = TRUE, .seed = 5 };
  g_autofree char *source_path = dup_tiny (&options, "source.gguf"), *path = dup_scratch ("made.gguf");
  g_autoptr (AssayModelFile) source = open_model (source_path);
  for (guint f = 0; f < G_N_ELEMENTS (formats); f++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (AssayQuantizeReport) report = quantize (source, path, formats[f].dtype, NULL, &error);
      g_assert_no_error (error);
      g_autoptr (AssayModelFile) made = open_model (path);
      AssayModelConfig config;
      guint64 file_type = 99, version = 99;
      g_autoptr (AssayTokenizer) tokenizer = assay_tokenizer_new (made, FALSE, NULL);
      g_assert_true (tokenizer != NULL && assay_config_read (&config, made, NULL));
      g_assert_true (assay_model_file_get_uint (made, "general.file_type", &file_type));
      g_assert_true (assay_model_file_get_uint (made, "general.quantization_version", &version));
      g_assert_cmpuint (file_type, ==, formats[f].file_type);
      g_assert_cmpuint (version, ==, 2);
      g_assert_cmpuint (report->file_bytes, ==, assay_model_file_get_bytes (made));
      g_assert_cmpuint (assay_model_file_get_n_tensors (made), ==, assay_model_file_get_n_tensors (source));
      for (guint i = 0; i < assay_model_file_get_n_tensors (source); i++)
        {
          const AssayTensorInfo *a = assay_model_file_get_tensor (source, i),
                                *b = assay_model_file_get_tensor (made, i);
          g_autofree char *name = g_strndup (a->name.data, a->name.length);
          double norm;
          g_assert_cmpint (b->dtype, ==, a->n_dims == 2 ? formats[f].dtype : ASSAY_DTYPE_F32);
          const double off = sqrt (squared_error (source, made, name, &norm) / norm);
          g_assert_cmpfloat (off, <=, a->n_dims == 2 ? formats[f].bound : 0);
        }
      g_unlink (path);
    }
  clear_scratch ();
}

/* Keys go over byte for byte and in order; what is set anew is the only difference. */
static void
test_metadata (void)
{
  g_autoptr (GgufWriter) w = tiny_model_new (&(TinyModel) { .alignment = 64 });
  gguf_writer_set_string_n (w, "general.description", "a\0b\xff", 4);
  gguf_writer_set_u32 (w, "general.file_type", 77);
  gguf_writer_set_u64 (w, "tail.key", G_GUINT64_CONSTANT (1) << 40);
  g_autofree char *source_path = dup_scratch ("source.gguf"), *path = dup_scratch ("made.gguf"),
                  *bytes = NULL;
  gsize length;
  gguf_writer_save (w, source_path);
  g_autoptr (AssayModelFile) source = open_model (source_path);
  g_autoptr (AssayQuantizeReport) report = quantize (source, path, ASSAY_DTYPE_F32, NULL, NULL);
  g_assert_nonnull (report);
  gguf_writer_set_u32 (w, "general.file_type", 0);
  g_autoptr (GByteArray) expected = gguf_writer_bytes (w);
  g_assert_true (g_file_get_contents (path, &bytes, &length, NULL));
  g_assert_cmpmem (bytes, length, expected->data, expected->len);
  clear_scratch ();
}

static void
test_split_is_joined (void)
{
  g_autoptr (GgufWriter) w = tiny_model_new (&(TinyModel) { .n_layers = 2 });
  g_autofree char *prefix = dup_scratch ("split"), *first = dup_scratch ("split-00001-of-00003.gguf");
  g_autofree char *path = dup_scratch ("made.gguf"), *joined = dup_scratch ("joined.gguf"),
                  *again = dup_scratch ("again.gguf");
  gguf_writer_save_split (w, prefix, 3);
  gguf_writer_save (w, joined);
  g_autoptr (AssayModelFile) split = open_model (first);
  g_autoptr (AssayModelFile) whole = open_model (joined);
  g_autoptr (AssayQuantizeReport) a = quantize (split, path, ASSAY_DTYPE_Q8_0, NULL, NULL);
  g_autoptr (AssayQuantizeReport) b = quantize (whole, again, ASSAY_DTYPE_Q8_0, NULL, NULL);
  g_autofree char *left = NULL, *right = NULL;
  gsize n_left, n_right;
  g_assert_true (g_file_get_contents (path, &left, &n_left, NULL)
                 && g_file_get_contents (again, &right, &n_right, NULL));
  g_assert_cmpmem (left, n_left, right, n_right);
  clear_scratch ();
}

/* --- which tensors --- */

static const AssayQuantizeChange *
find_change (const AssayQuantizeReport *report, AssayDtype to, gboolean fell_back)
{
  for (guint i = 0; i < report->changes->len; i++)
    {
      const AssayQuantizeChange *change = &g_array_index (report->changes, AssayQuantizeChange, i);
      if (change->to == to && change->fell_back == fell_back && (change->from != to || fell_back))
        return change;
    }
  return NULL;
}

static void
check_fall_back (guint n_embd, AssayDtype wanted, AssayDtype taken)
{
  g_autofree char *source_path = dup_tiny (&(TinyModel) { .n_embd = n_embd, .n_ff = 256 }, "source.gguf");
  g_autofree char *path = dup_scratch ("made.gguf");
  g_autoptr (AssayModelFile) source = open_model (source_path);
  g_autoptr (AssayQuantizeReport) report = quantize (source, path, wanted, NULL, NULL);
  const AssayQuantizeChange *other = find_change (report, taken, TRUE),
                            *same = find_change (report, wanted, FALSE);
  g_assert_nonnull (other);
  g_assert_nonnull (same);
  g_assert_cmpuint (same->n_tensors, ==, 1); /* ffn_down has rows of 256 */
  g_assert_cmpstr (same->example, ==, "blk.0.ffn_down.weight");
  g_assert_cmpuint (other->n_tensors, ==, 7);
  g_unlink (path);
}

static void
test_fall_back (void)
{
  check_fall_back (64, ASSAY_DTYPE_Q4_K, ASSAY_DTYPE_Q5_0);
  check_fall_back (64, ASSAY_DTYPE_Q5_K, ASSAY_DTYPE_Q5_1);
  check_fall_back (64, ASSAY_DTYPE_Q6_K, ASSAY_DTYPE_Q8_0);
  check_fall_back (40, ASSAY_DTYPE_Q4_K, ASSAY_DTYPE_F16);
  check_fall_back (40, ASSAY_DTYPE_Q4_0, ASSAY_DTYPE_F16);
  clear_scratch ();
}

static void
test_modules (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *source_path = dup_tiny (&(TinyModel) { .n_layers = 2 }, "source.gguf"),
                  *path = dup_scratch ("made.gguf");
  g_autoptr (AssayModelFile) source = open_model (source_path);
  g_autoptr (AssayQuantizeReport) report
      = quantize (source, path, ASSAY_DTYPE_Q8_0, "attn_q, blk.1.ffn_*", &error);
  g_assert_no_error (error);
  g_autoptr (AssayModelFile) made = open_model (path);
  static const struct
  {
    const char *name;
    AssayDtype dtype;
  } expected[] = {
    { "blk.0.attn_q.weight", ASSAY_DTYPE_Q8_0 }, { "blk.1.attn_q.weight", ASSAY_DTYPE_Q8_0 },
    { "blk.0.attn_k.weight", ASSAY_DTYPE_F32 },  { "blk.0.ffn_up.weight", ASSAY_DTYPE_F32 },
    { "blk.1.ffn_up.weight", ASSAY_DTYPE_Q8_0 }, { "blk.1.ffn_norm.weight", ASSAY_DTYPE_F32 },
    { "token_embd.weight", ASSAY_DTYPE_F32 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    g_assert_cmpint (assay_model_file_find_tensor (made, expected[i].name)->dtype, ==, expected[i].dtype);
  g_unlink (path);
  g_assert_null (quantize (source, path, ASSAY_DTYPE_Q8_0, "attn_q,atn_k", &error));
  g_assert_error (error, ASSAY_ENGINE_ERROR, ASSAY_ENGINE_ERROR_RULE);
  g_assert_nonnull (strstr (error->message, "'atn_k' names no matrix"));
  assert_left ("source.gguf");
  clear_scratch ();
}

/* A folder's own names will do, too. */
static void
test_own_names (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = engine_fixture_dup_path ("families", "llama"), *path = dup_scratch ("made.gguf");
  g_autoptr (AssayModelFile) source = open_model (folder);
  g_autoptr (AssayQuantizeReport) report
      = quantize (source, path, ASSAY_DTYPE_Q8_0, "q_proj,model.layers.1.mlp.up*", &error);
  g_assert_no_error (error);
  g_autoptr (AssayModelFile) made = open_model (path);
  static const struct
  {
    const char *name;
    AssayDtype dtype;
  } expected[] = {
    { "blk.0.attn_q.weight", ASSAY_DTYPE_Q8_0 },
    { "blk.0.attn_k.weight", ASSAY_DTYPE_F16 },
    { "blk.0.ffn_up.weight", ASSAY_DTYPE_F16 },
    { "blk.1.ffn_up.weight", ASSAY_DTYPE_Q8_0 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    g_assert_cmpint (assay_model_file_find_tensor (made, expected[i].name)->dtype, ==, expected[i].dtype);
  clear_scratch ();
}

/* Where q and k turn by halves, their rows and biases become neighbours, and the file says nothing of halves
 * any more. */
static void
test_halves_become_neighbours (void)
{
  enum
  {
    HEADS = 4,
    HEAD = 8
  };
  const TinyModel options = { .n_heads = HEADS, .n_kv_heads = 2, .qkv_bias = TRUE };
  g_autoptr (GgufWriter) w = tiny_model_new (&options);
  g_autofree char *source_path = dup_scratch ("source.gguf"), *path = dup_scratch ("made.gguf");
  gguf_writer_set_bool (w, "assay.rope.half_split", TRUE);
  gguf_writer_save (w, source_path);
  g_autoptr (AssayModelFile) source = open_model (source_path);
  g_autoptr (AssayQuantizeReport) report = quantize (source, path, ASSAY_DTYPE_F32, NULL, NULL);
  g_assert_nonnull (report);
  g_autoptr (AssayModelFile) made = open_model (path);
  const AssayTensorInfo *w_from = assay_model_file_find_tensor (source, "blk.0.attn_q.weight");
  const AssayTensorInfo *w_to = assay_model_file_find_tensor (made, "blk.0.attn_q.weight");
  const float *b_from
      = assay_model_file_get_data (source, assay_model_file_find_tensor (source, "blk.0.attn_q.bias"));
  const float *b_to
      = assay_model_file_get_data (made, assay_model_file_find_tensor (made, "blk.0.attn_q.bias"));
  const char *rows_from = assay_model_file_get_data (source, w_from),
             *rows_to = assay_model_file_get_data (made, w_to);
  g_assert_false (assay_model_file_has (made, "assay.rope.half_split"));
  for (guint i = 0; i < HEADS * HEAD; i++)
    {
      const guint head = i / HEAD * HEAD, from = head + i % HEAD / 2 + i % 2 * (HEAD / 2);
      g_assert_cmpfloat (b_to[i], ==, b_from[from]);
      g_assert_cmpmem (rows_to + i * w_to->row_bytes, w_to->row_bytes, rows_from + from * w_from->row_bytes,
                       w_from->row_bytes);
    }
  clear_scratch ();
}

/* --- what must not happen --- */

static void
assert_refused (AssayModelFile *source, const char *path, gboolean overwrite, const char *reason)
{
  g_autoptr (GError) error = NULL;
  const AssayQuantizeOptions options = { .dtype = ASSAY_DTYPE_Q8_0, .overwrite = overwrite };
  g_assert_null (assay_quantize (source, path, &options, NULL, NULL, NULL, &error));
  g_assert_error (error, ASSAY_ENGINE_ERROR, ASSAY_ENGINE_ERROR_RULE);
  g_assert_cmpstr (assay_engine_error_get_reason (error), ==, reason);
}

static void
test_nothing_is_replaced (void)
{
  g_autofree char *source_path = dup_tiny (NULL, "source.gguf"), *path = dup_scratch ("made.gguf");
  g_autofree char *link_path = dup_scratch ("link.gguf"), *hard = dup_scratch ("hard.gguf"), *text = NULL;
  g_autoptr (AssayModelFile) source = open_model (source_path);
  g_assert_true (g_file_set_contents (path, "precious", -1, NULL));
  g_assert_cmpint (symlink ("source.gguf", link_path), ==, 0);
  g_assert_cmpint (link (source_path, hard), ==, 0);
  assert_refused (source, path, FALSE, "output-exists");
  assert_refused (source, source_path, TRUE, "output-is-input");
  assert_refused (source, link_path, TRUE, "output-is-input");
  assert_refused (source, hard, TRUE, "output-is-input");
  assert_refused (source, scratch, TRUE, "output-no-file");
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, "precious");
  assert_left ("hard.gguf link.gguf made.gguf source.gguf");
  const AssayQuantizeOptions options = { .dtype = ASSAY_DTYPE_Q8_0, .overwrite = TRUE };
  g_autoptr (AssayQuantizeReport) report = assay_quantize (source, path, &options, NULL, NULL, NULL, NULL);
  g_autoptr (AssayModelFile) made = open_model (path);
  g_assert_nonnull (report);
  clear_scratch ();
}

static void
cancel_at_half (guint64 done, guint64 total, gpointer data)
{
  if (done >= total / 2)
    g_cancellable_cancel (data);
}

static void
test_cancel_leaves_nothing (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autofree char *source_path = dup_tiny (NULL, "source.gguf"), *path = dup_scratch ("made.gguf");
  g_autoptr (AssayModelFile) source = open_model (source_path);
  const AssayQuantizeOptions options = { .dtype = ASSAY_DTYPE_Q8_0 };
  g_assert_null (assay_quantize (source, path, &options, cancel_at_half, cancellable, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  assert_left ("source.gguf");
  clear_scratch ();
}

/* A limit on the size of files ends writing as a full disk does, in reserving and, where that cannot be,
 * later. */
static void
test_full_disk_leaves_nothing (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *source_path = dup_tiny (NULL, "source.gguf"), *path = dup_scratch ("made.gguf");
  g_autoptr (AssayModelFile) source = open_model (source_path);
  struct rlimit old, small;
  signal (SIGXFSZ, SIG_IGN);
  g_assert_cmpint (getrlimit (RLIMIT_FSIZE, &old), ==, 0);
  small = (struct rlimit){ 6000, old.rlim_max };
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &small), ==, 0);
  g_assert_null (quantize (source, path, ASSAY_DTYPE_Q8_0, NULL, &error));
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &old), ==, 0);
  g_assert_nonnull (error);
  g_assert_nonnull (strstr (error->message, "needed there: "));
  assert_left ("source.gguf");
  g_clear_error (&error);
  g_autofree char *nowhere = g_build_filename (scratch, "no-such-folder", "made.gguf", NULL);
  g_assert_null (quantize (source, nowhere, ASSAY_DTYPE_Q8_0, NULL, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND);
  clear_scratch ();
}

/* The other of two at once: its file is there before ours has its name. */
static void
put_another (guint64 done, guint64 total, gpointer data)
{
  if (done >= total / 2)
    g_assert_true (g_file_set_contents (data, "precious", -1, NULL));
}

static void
test_the_second_of_two_is_told (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *source_path = dup_tiny (NULL, "source.gguf"), *path = dup_scratch ("made.gguf");
  g_autoptr (AssayModelFile) source = open_model (source_path);
  const AssayQuantizeOptions options = { .dtype = ASSAY_DTYPE_Q8_0 };
  g_assert_null (assay_quantize (source, path, &options, put_another, path, NULL, &error));
  g_assert_cmpstr (assay_engine_error_get_reason (error), ==, "output-exists");
  assert_left ("made.gguf source.gguf");
  clear_scratch ();
}

/* --- what was left --- */

static int
make_ended_process (void)
{
  const pid_t child = fork ();
  if (child == 0)
    _exit (0);
  g_assert_cmpint (waitpid (child, NULL, 0), ==, child);
  return child;
}

static char *
put_hidden (const char *name, int process, const char *tail)
{
  g_autofree char *whole = g_strdup_printf (".%s.tmp-%d-%s", name, process, tail), *path = dup_scratch (whole);
  g_assert_true (g_file_set_contents (path, "half", -1, NULL));
  return g_steal_pointer (&path);
}

static void
test_leftovers_go (void)
{
  const int gone = make_ended_process ();
  GPid other;
  g_assert_true (g_spawn_async (NULL, (char *[]) { "sleep", "60", NULL }, NULL,
                                G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, &other, NULL));
  g_autofree char *source_path = dup_tiny (NULL, "source.gguf"), *path = dup_scratch ("made.gguf");
  g_autofree char *left = put_hidden ("made.gguf", gone, "0badcafe");
  g_autofree char *foreign = put_hidden ("a", (int) other, "00000000");
  g_autofree char *own = put_hidden ("own", (int) getpid (), "0badcafe");
  g_autofree char *held = put_hidden ("held", gone, "0badcafe");
  g_autofree char *longer = put_hidden ("notes", gone, "0badcafe.txt");
  g_autofree char *folder = put_hidden ("folder", gone, "12345678");
  g_autofree char *inside = g_build_filename (folder, "model.safetensors", NULL);
  g_assert_cmpint (g_unlink (folder), ==, 0);
  g_assert_cmpint (g_mkdir (folder, 0777), ==, 0);
  g_assert_true (g_file_set_contents (inside, "half", -1, NULL));
  const int fd = g_open (held, O_RDONLY, 0);
  g_assert_cmpint (flock (fd, LOCK_EX), ==, 0);
  g_autoptr (AssayModelFile) source = open_model (source_path);
  g_autoptr (AssayQuantizeReport) report = quantize (source, path, ASSAY_DTYPE_Q8_0, NULL, NULL);
  g_assert_nonnull (report);
  g_assert_false (g_file_test (left, G_FILE_TEST_EXISTS));
  g_assert_false (g_file_test (foreign, G_FILE_TEST_EXISTS)); /* the number is another program's now */
  g_assert_false (g_file_test (folder, G_FILE_TEST_EXISTS));
  g_assert_true (g_file_test (own, G_FILE_TEST_EXISTS));
  g_assert_true (g_file_test (held, G_FILE_TEST_EXISTS)); /* at work on another machine */
  g_assert_true (g_file_test (longer, G_FILE_TEST_EXISTS));
  close (fd);
  g_assert_cmpint (kill (other, SIGKILL), ==, 0);
  g_assert_cmpint (waitpid (other, NULL, 0), ==, other);
  clear_scratch ();
}

static void
test_bad_numbers_are_refused (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GgufWriter) w = tiny_model_new (NULL);
  g_autofree char *source_path = dup_scratch ("source.gguf"), *path = dup_scratch ("made.gguf");
  GgufWriterTensor *tensor = gguf_writer_get_tensor (w, "blk.0.ffn_up.weight");
  memcpy (tensor->data->data + 400, (const float[]) { NAN }, sizeof (float));
  gguf_writer_save (w, source_path);
  g_autoptr (AssayModelFile) source = open_model (source_path);
  g_assert_null (quantize (source, path, ASSAY_DTYPE_Q8_0, NULL, &error));
  g_assert_error (error, ASSAY_ENGINE_ERROR, ASSAY_ENGINE_ERROR_FORMAT);
  g_assert_cmpstr (assay_engine_error_get_reason (error), ==, "weights-not-finite");
  g_assert_nonnull (strstr (error->message, "blk.0.ffn_up.weight"));
  assert_left ("source.gguf");
  g_clear_error (&error);
  g_assert_null (quantize (source, path, ASSAY_DTYPE_NF4, NULL, &error));
  g_assert_cmpstr (assay_engine_error_get_reason (error), ==, "quantize-method");
  g_assert_nonnull (strstr (error->message, "GGUF has no form for nf4"));
  clear_scratch ();
}

/* --- against other implementations --- */

static JsonArray *
get_array (JsonObject *o, const char *name)
{
  return json_object_get_array_member (o, name);
}

static void
check_losses (AssayModelFile *source, JsonObject *root, const char *method)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = dup_scratch ("made.gguf");
  JsonObject *theirs
      = json_object_get_object_member (json_object_get_object_member (root, "methods"), method);
  JsonArray *names = get_array (root, "names");
  AssayDtype dtype;
  double ours_all = 0, theirs_all = 0, worst = 0;
  g_assert_true (assay_dtype_from_name (method, &dtype));
  g_autoptr (AssayQuantizeReport) report = quantize (source, path, dtype, NULL, &error);
  g_assert_no_error (error);
  g_autoptr (AssayModelFile) made = open_model (path);
  for (guint i = 0; i < json_array_get_length (names); i++)
    {
      const char *name = json_array_get_string_element (names, i);
      double norm;
      const double expected = json_array_get_double_element (get_array (theirs, "errors"), i);
      const double ours = squared_error (source, made, name, &norm);
      g_assert_cmpstr (assay_dtype_info (assay_model_file_find_tensor (made, name)->dtype)->name, ==,
                       json_array_get_string_element (get_array (theirs, "formats"), i));
      g_assert_cmpfloat (sqrt (ours / norm), <=, 1.02 * sqrt (expected / norm) + 1e-6);
      worst = MAX (worst, expected > 0 ? sqrt (ours / expected) : 0);
      ours_all += ours;
      theirs_all += expected;
    }
  g_test_message ("%s: error %.5f of llama.cpp's, at most %.5f of a matrix's", method,
                  theirs_all > 0 ? sqrt (ours_all / theirs_all) : 0, worst);
  g_unlink (path);
}

static void
test_losses_are_llama_cpps (void)
{
  static const char *const methods[] = { "q4_k", "q5_0", "q8_0", "q4_0", "q4_1", "q5_1", "q5_k", "q6_k" };
  g_autofree char *path = engine_fixture_dup_default_model ();
  if (path == NULL)
    return;
  g_autoptr (JsonNode) root = engine_fixture_load_json ("quantize-model", "errors.json");
  g_autoptr (AssayModelFile) source = open_model (path);
  for (guint i = 0; i < (ENGINE_SANITIZED ? 2 : G_N_ELEMENTS (methods)); i++)
    check_losses (source, json_node_get_object (root), methods[i]);
}

static void
check_folder (const char *name, AssayDtype dtype)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = engine_fixture_dup_path ("families", name);
  g_autofree char *file = g_strconcat (name, ".gguf", NULL), *path = dup_scratch (file);
  g_autofree char *reference_path = engine_fixture_dup_path ("families", file);
  g_autoptr (AssayModelFile) source = open_model (folder);
  g_autoptr (AssayModelFile) reference = open_model (reference_path);
  g_autoptr (AssayQuantizeReport) report = quantize (source, path, dtype, NULL, &error);
  g_assert_no_error (error);
  g_autoptr (AssayModelFile) made = open_model (path);
  AssayModelConfig a, b;
  g_assert_true (assay_config_read (&a, made, &error) && assay_config_read (&b, reference, &error));
  g_assert_cmpint (a.rope.adjacent, ==, b.rope.adjacent);
  g_assert_cmpint (a.rope_tensors, ==, b.rope_tensors);
  g_assert_cmpfloat_with_epsilon (a.rope.magnitude, b.rope.magnitude, 1e-6);
  g_assert_cmpfloat (a.rope.scale, ==, b.rope.scale);
  for (guint i = 0; i < assay_model_file_get_n_tensors (reference); i++)
    {
      const AssayTensorInfo *t = assay_model_file_get_tensor (reference, i);
      g_autofree char *tensor = g_strndup (t->name.data, t->name.length);
      double norm;
      if (assay_model_file_find_tensor (made, tensor) == NULL)
        g_error ("%s: %s is missing", name, tensor);
      const double off = sqrt (squared_error (reference, made, tensor, &norm));
      if (off > 1e-6 * sqrt (norm)) /* divisors are computed in another order */
        g_error ("%s: %s is off by %g", name, tensor, off / sqrt (norm));
    }
  g_assert_cmpuint (assay_model_file_get_n_tensors (made), ==, assay_model_file_get_n_tensors (reference));
  g_unlink (path);
}

static void
test_folders_become_gguf (void)
{
  static const struct
  {
    const char *name;
    AssayDtype dtype;
  } models[] = {
    { "llama", ASSAY_DTYPE_F16 },          { "llama-linear", ASSAY_DTYPE_F16 },
    { "llama-llama3", ASSAY_DTYPE_F16 },   { "llama-yarn", ASSAY_DTYPE_F16 },
    { "llama-longrope", ASSAY_DTYPE_F16 }, { "mistral", ASSAY_DTYPE_BF16 },
    { "qwen2", ASSAY_DTYPE_BF16 },         { "qwen3", ASSAY_DTYPE_BF16 },
    { "gemma2", ASSAY_DTYPE_BF16 },        { "gemma3", ASSAY_DTYPE_F16 },
    { "gpt2", ASSAY_DTYPE_F16 },           { "phi3", ASSAY_DTYPE_BF16 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (models); i++)
    check_folder (models[i].name, models[i].dtype);
}

int
main (int argc, char **argv)
{
  engine_fixture_init (&argc, &argv);
  scratch = g_dir_make_tmp ("assay-quantize-XXXXXX", NULL);
  g_assert_nonnull (scratch);
  g_test_add_func ("/quantize/every format is made, within what its bits allow", test_formats);
  g_test_add_func ("/quantize/keys go over byte for byte", test_metadata);
  g_test_add_func ("/quantize/a split model is joined", test_split_is_joined);
  g_test_add_func ("/quantize/rows that are no whole blocks fall back, and it is said", test_fall_back);
  g_test_add_func ("/quantize/modules are chosen by name and pattern", test_modules);
  g_test_add_func ("/quantize/modules are chosen by a folder's own names", test_own_names);
  g_test_add_func ("/quantize/halves that turn together become neighbours", test_halves_become_neighbours);
  g_test_add_func ("/quantize/nothing is replaced unasked, and never the source", test_nothing_is_replaced);
  g_test_add_func ("/quantize/cancelled, nothing is left", test_cancel_leaves_nothing);
  g_test_add_func ("/quantize/on a full disk nothing is left", test_full_disk_leaves_nothing);
  g_test_add_func ("/quantize/the second of two at once is told that the first is there",
                   test_the_second_of_two_is_told);
  g_test_add_func ("/quantize/what killed processes left goes, and only that", test_leftovers_go);
  g_test_add_func ("/quantize/bad numbers and methods are refused", test_bad_numbers_are_refused);
  g_test_add_func ("/quantize/a folder becomes the GGUF of the public converter", test_folders_become_gguf);
  g_test_add_func ("/quantize/no more is lost than with llama.cpp", test_losses_are_llama_cpps);
  const int status = g_test_run ();
  g_rmdir (scratch);
  g_free (scratch);
  return status;
}
