/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/weights/test-map.c: the tensors' data: mapping, files that change, the content hash, bad weights
 * (M26, M37, M68, C77, C78), and files that are no models (M76, M77). */
#include "hostile.h"

#include "models/assay-config.h"
#include "weights/bus-guard.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define FORMAT ASSAY_ENGINE_ERROR_FORMAT

static char *
scratch (const char *name)
{
  return g_build_filename (hostile_get_folder (), name, NULL);
}

static AssayModelFile *
open_saved (GgufWriter *w, const char *path)
{
  g_autoptr (GError) error = NULL;
  gguf_writer_save (w, path);
  AssayModelFile *file = assay_model_file_open (path, NULL, &error);
  g_assert_no_error (error);
  return file;
}

static char *
hash_of (GgufWriter *w)
{
  g_autofree char *path = scratch ("hashed.gguf");
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayModelFile) file = open_saved (w, path);
  char *hash = assay_model_file_hash_content (file, TRUE, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  g_unlink (path);
  return hash;
}

static void
test_maps_the_same_bytes (void)
{
  g_autoptr (GgufWriter) w = tiny_model_new (&(TinyModel) { .matrices = ASSAY_DTYPE_Q4_1 });
  g_autofree char *path = scratch ("mapped.gguf");
  g_autoptr (AssayModelFile) file = open_saved (w, path);
  g_autoptr (GError) error = NULL;
  g_assert_cmpuint (assay_model_file_get_mapped_bytes (file), ==, 0);
  g_assert_true (assay_model_file_map (file, &error));
  g_assert_true (assay_model_file_map (file, &error)); /* twice is once */
  g_assert_cmpuint (assay_model_file_get_mapped_bytes (file), ==, assay_model_file_get_bytes (file));
  for (guint i = 0; i < w->tensors->len; i++)
    {
      const GgufWriterTensor *written = g_ptr_array_index (w->tensors, i);
      const AssayTensorInfo *read = assay_model_file_get_tensor (file, i);
      g_assert_cmpmem (assay_model_file_get_data (file, read), read->bytes, written->data->data,
                       written->data->len);
    }
  g_assert_false (assay_model_file_is_changed (file));
  assay_model_file_unmap (file);
  g_assert_cmpuint (assay_model_file_get_mapped_bytes (file), ==, 0);
  g_unlink (path);
}

/* A file cut short under the mapping: pages that vanished read as zeros, on any thread. */
static gpointer
read_all (gpointer data)
{
  AssayModelFile *file = data;
  guint64 sum = 0;
  for (guint i = 0; i < assay_model_file_get_n_tensors (file); i++)
    {
      const AssayTensorInfo *tensor = assay_model_file_get_tensor (file, i);
      const guint8 *bytes = assay_model_file_get_data (file, tensor);
      for (guint64 k = 0; k < tensor->bytes; k++)
        sum += bytes[k];
    }
  return GSIZE_TO_POINTER (sum);
}

static void
test_m26_file_cut_while_mapped (void)
{
  g_autoptr (GgufWriter) w = tiny_model_new (&(TinyModel) { .n_layers = 8 });
  g_autofree char *path = scratch ("cut.gguf");
  g_autoptr (AssayModelFile) file = open_saved (w, path);
  g_autoptr (GError) error = NULL;
  g_assert_true (assay_model_file_map (file, &error));
  const gsize before = GPOINTER_TO_SIZE (read_all (file));
  g_assert_cmpint (truncate (path, 8192), ==, 0);
  GThread *threads[4];
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("reader", read_all, file);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_assert_cmpuint (GPOINTER_TO_SIZE (g_thread_join (threads[i])), <, before);
  g_assert_true (assay_model_file_is_changed (file));
  g_assert_null (assay_model_file_hash_content (file, TRUE, NULL, NULL, NULL, &error));
  g_assert_error (error, ASSAY_ENGINE_ERROR, ASSAY_ENGINE_ERROR_CHANGED);
  g_unlink (path);
}

/* Grown back to its size, the file looks as before but for the time; the page that was hit gives it away
 * too. */
static void
test_m26_file_cut_and_grown (void)
{
  g_autoptr (GgufWriter) w = tiny_model_new (&(TinyModel) { .n_layers = 8 });
  g_autofree char *path = scratch ("grown.gguf");
  g_autoptr (AssayModelFile) file = open_saved (w, path);
  GStatBuf st;
  g_assert_true (assay_model_file_map (file, NULL));
  g_assert_cmpint (g_stat (path, &st), ==, 0);
  g_assert_cmpint (truncate (path, 8192), ==, 0);
  read_all (file);
  g_assert_cmpint (truncate (path, st.st_size), ==, 0);
  const struct timespec times[2] = { st.st_atim, st.st_mtim };
  g_assert_cmpint (utimensat (AT_FDCWD, path, times, 0), ==, 0);
  g_assert_true (assay_model_file_is_changed (file));
  g_unlink (path);
}

static volatile sig_atomic_t foreign_hits;
static void *foreign_page;

static void
foreign_handler (int number, siginfo_t *info, void *context)
{
  foreign_hits += 1;
  mmap (foreign_page, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

/* In a child: the guard must be installed after the other handler. */
static void
test_foreign_addresses_go_to_the_earlier_handler (void)
{
  if (g_test_subprocess ())
    {
      struct sigaction action = { .sa_sigaction = foreign_handler, .sa_flags = SA_SIGINFO };
      g_autofree char *path = scratch ("foreign");
      sigaction (SIGBUS, &action, NULL);
      const int fd = open (path, O_RDWR | O_CREAT | O_TRUNC, 0600);
      g_assert_cmpint (ftruncate (fd, 4096), ==, 0);
      foreign_page = mmap (NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
      void *ours = mmap (NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
      BusRegion *region = assay_bus_guard_add (ours, 4096);
      g_assert_cmpint (ftruncate (fd, 0), ==, 0);
      g_assert_cmpint (((volatile char *) ours)[5], ==, 0);
      g_assert_true (assay_bus_guard_was_hit (region));
      g_assert_cmpint (foreign_hits, ==, 0);
      g_assert_cmpint (((volatile char *) foreign_page)[5], ==, 0);
      g_assert_cmpint (foreign_hits, ==, 1);
      assay_bus_guard_remove (region);
      g_assert_true (assay_bus_guard_add (ours, 4096) == region); /* its place is used again */
      g_unlink (path);
      return;
    }
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_passed ();
}

static void
assert_map_refused (AssayModelFile *file)
{
  g_autoptr (GError) error = NULL;
  g_assert_true (assay_model_file_is_changed (file));
  g_assert_false (assay_model_file_map (file, &error));
  g_assert_error (error, ASSAY_ENGINE_ERROR, ASSAY_ENGINE_ERROR_CHANGED);
  g_assert_cmpuint (assay_model_file_get_mapped_bytes (file), ==, 0);
}

static void
test_m68_replaced_between_looking_and_loading (void)
{
  g_autoptr (GgufWriter) w = tiny_model_new (NULL);
  g_autofree char *path = scratch ("replaced.gguf");
  g_autofree char *other = scratch ("other.gguf");
  GStatBuf st;
  g_autoptr (AssayModelFile) by_rename = open_saved (w, path);
  g_assert_cmpint (g_stat (path, &st), ==, 0);
  const struct timespec times[2] = { st.st_atim, st.st_mtim };
  gguf_writer_save (w, other);
  g_assert_cmpint (utimensat (AT_FDCWD, other, times, 0), ==, 0);
  g_assert_cmpint (g_rename (other, path), ==, 0); /* same size and time, another inode */
  assert_map_refused (by_rename);

  g_autoptr (AssayModelFile) shortened = open_saved (w, path);
  g_assert_cmpint (truncate (path, 9000), ==, 0);
  assert_map_refused (shortened);
  g_unlink (path);
}

/* The metadata itself is compared, should someone set size and time back. */
static void
test_m68_metadata_changed_in_place (void)
{
  g_autoptr (GgufWriter) w = tiny_model_new (NULL);
  g_autofree char *path = scratch ("in-place.gguf");
  g_autoptr (AssayModelFile) file = open_saved (w, path);
  g_autoptr (GError) error = NULL;
  GStatBuf st;
  g_assert_cmpint (g_stat (path, &st), ==, 0);
  const int fd = open (path, O_RDWR);
  g_assert_cmpint (pwrite (fd, "X", 1, 60), ==, 1);
  const struct timespec times[2] = { st.st_atim, st.st_mtim };
  g_assert_cmpint (futimens (fd, times), ==, 0);
  close (fd);
  g_assert_false (assay_model_file_map (file, &error));
  g_assert_error (error, ASSAY_ENGINE_ERROR, ASSAY_ENGINE_ERROR_CHANGED);
  g_unlink (path);
}

static void
test_c77_last_bytes_count (void)
{
  g_autoptr (GgufWriter) a = tiny_model_new (&(TinyModel) { .own_output = TRUE });
  g_autoptr (GgufWriter) b = tiny_model_new (&(TinyModel) { .own_output = TRUE });
  GByteArray *last = gguf_writer_get_tensor (b, "output.weight")->data;
  for (guint i = last->len - 16; i < last->len; i += 4)
    last->data[i] ^= 1;
  g_autofree char *hash_a = hash_of (a), *again = hash_of (a), *hash_b = hash_of (b);
  g_assert_cmpstr (hash_a, ==, again);
  g_assert_cmpstr (hash_a, !=, hash_b);
  g_autofree char *file_a = scratch ("a.gguf"), *file_b = scratch ("b.gguf");
  g_autoptr (AssayModelFile) opened_a = open_saved (a, file_a), opened_b = open_saved (b, file_b);
  g_assert_cmpstr (assay_model_file_get_metadata_sha256 (opened_a), ==,
                   assay_model_file_get_metadata_sha256 (opened_b));
  g_unlink (file_a);
  g_unlink (file_b);
}

static void
test_c78_metadata_reordered (void)
{
  g_autoptr (GgufWriter) a = tiny_model_new (NULL);
  g_autoptr (GgufWriter) b = tiny_model_new (NULL);
  g_ptr_array_add (b->values, g_ptr_array_steal_index (b->values, 1));
  g_ptr_array_insert (b->tensors, 0, g_ptr_array_steal_index (b->tensors, 3));
  gguf_writer_set_alignment (b, 4096);
  g_autofree char *hash_a = hash_of (a), *hash_b = hash_of (b);
  g_assert_cmpstr (hash_a, ==, hash_b);
  g_autoptr (AssayModelFile) file_a = hostile_open (a), file_b = hostile_open (b);
  g_assert_cmpstr (assay_model_file_get_metadata_sha256 (file_a), !=,
                   assay_model_file_get_metadata_sha256 (file_b));
}

/* Name, type and shape are part of the identity, not only the bytes. */
static void
test_hash_covers_names_and_shapes (void)
{
  g_autoptr (GgufWriter) a = gguf_writer_new (), b = gguf_writer_new (), c = gguf_writer_new ();
  gguf_writer_add_tensor (a, "t", 2, (guint64[]) { 2, 4 }, ASSAY_DTYPE_F32,
                          "abcdefghijklmnopqrstuvwxyzABCDEF");
  gguf_writer_add_tensor (b, "u", 2, (guint64[]) { 2, 4 }, ASSAY_DTYPE_F32,
                          "abcdefghijklmnopqrstuvwxyzABCDEF");
  gguf_writer_add_tensor (c, "t", 2, (guint64[]) { 4, 2 }, ASSAY_DTYPE_F32,
                          "abcdefghijklmnopqrstuvwxyzABCDEF");
  g_autofree char *hash_a = hash_of (a), *hash_b = hash_of (b), *hash_c = hash_of (c);
  g_assert_cmpstr (hash_a, !=, hash_b);
  g_assert_cmpstr (hash_a, !=, hash_c);
  g_assert_true (g_str_has_prefix (hash_a, "xxh3-128:"));
  g_assert_cmpuint (strlen (hash_a), ==, 9 + 32);
}

/* Puts a half-precision infinity at a byte of a tensor and expects the pass to find exactly that block. */
static void
assert_found (AssayDtype dtype, guint at, guint64 block)
{
  g_autoptr (GgufWriter) w = tiny_model_new (&(TinyModel) { .n_embd = 256, .matrices = dtype });
  gguf_writer_get_tensor (w, "blk.0.ffn_up.weight")->data->data[at] = 0x00;
  gguf_writer_get_tensor (w, "blk.0.ffn_up.weight")->data->data[at + 1] = 0x7c;
  g_autoptr (AssayModelFile) file = hostile_open (w);
  g_autoptr (GError) error = NULL;
  g_autofree char *unverified = assay_model_file_hash_content (file, FALSE, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_null (assay_model_file_hash_content (file, TRUE, NULL, NULL, NULL, &error));
  g_autofree char *text = g_strdup_printf ("the first is number %" G_GUINT64_FORMAT, block);
  hostile_judge (g_steal_pointer (&error), FORMAT, "weights-not-finite", text, __FILE__, __LINE__);
}

static void
test_m37_scales_that_are_no_numbers (void)
{
  static const struct { AssayDtype dtype; guint scale_at, min_at; } rows[] = {
    { ASSAY_DTYPE_Q4_0, 0, 0 },     { ASSAY_DTYPE_Q4_1, 0, 2 },   { ASSAY_DTYPE_Q5_0, 0, 0 },
    { ASSAY_DTYPE_Q5_1, 0, 2 },     { ASSAY_DTYPE_Q8_0, 0, 0 },   { ASSAY_DTYPE_Q2_K, 80, 82 },
    { ASSAY_DTYPE_Q3_K, 108, 108 }, { ASSAY_DTYPE_Q4_K, 0, 2 },   { ASSAY_DTYPE_Q5_K, 0, 2 },
    { ASSAY_DTYPE_Q6_K, 208, 208 }, { ASSAY_DTYPE_IQ4_NL, 0, 0 }, { ASSAY_DTYPE_IQ4_XS, 0, 0 },
    { ASSAY_DTYPE_F16, 0, 0 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const guint bytes = assay_dtype_info (rows[i].dtype)->block_bytes;
      assert_found (rows[i].dtype, rows[i].scale_at, 0);
      assert_found (rows[i].dtype, 7 * bytes + rows[i].min_at, 7);
    }
}

static void
test_m37_floats_that_are_no_numbers (void)
{
  static const guint8 nan32[] = { 0, 0, 0xc0, 0x7f };
  g_autoptr (GgufWriter) w = tiny_model_new (NULL);
  memcpy (gguf_writer_get_tensor (w, "blk.0.ffn_up.weight")->data->data + 40, nan32, 4);
  memcpy (gguf_writer_get_tensor (w, "blk.0.ffn_up.weight")->data->data + 80, nan32, 4);
  g_autoptr (AssayModelFile) file = hostile_open (w);
  GError *error = NULL;
  g_assert_null (assay_model_file_hash_content (file, TRUE, NULL, NULL, NULL, &error));
  hostile_judge (
      error, FORMAT, "weights-not-finite",
      "tensor 'blk.0.ffn_up.weight': 2 of its 2048 values are NaN or infinite, the first is number 10",
      __FILE__, __LINE__);
}

static void
test_m37_matrix_of_zeros (void)
{
  g_autoptr (GgufWriter) w = tiny_model_new (&(TinyModel) { .qkv_bias = TRUE });
  GByteArray *bias = gguf_writer_get_tensor (w, "blk.0.attn_q.bias")->data;
  memset (bias->data, 0, bias->len);
  g_autoptr (AssayModelFile) zero_bias = hostile_open (w);
  g_autofree char *hash = assay_model_file_hash_content (zero_bias, TRUE, NULL, NULL, NULL, NULL);
  g_assert_nonnull (hash);
  GByteArray *matrix = gguf_writer_get_tensor (w, "blk.0.attn_q.weight")->data;
  memset (matrix->data, 0, matrix->len);
  g_autoptr (AssayModelFile) file = hostile_open (w);
  GError *error = NULL;
  g_assert_null (assay_model_file_hash_content (file, TRUE, NULL, NULL, NULL, &error));
  hostile_judge (error, FORMAT, "weights-all-zero", "blk.0.attn_q.weight", __FILE__, __LINE__);
}

/* Random weights of every format pass: the look-out has no false alarms. */
static void
test_m37_sound_weights_pass (void)
{
  for (guint32 type = 0; type < 64; type++)
    {
      if (assay_dtype_info (type) == NULL || !assay_dtype_can_compute (type))
        continue;
      g_autoptr (GgufWriter) w
          = tiny_model_new (&(TinyModel) { .n_embd = 256, .matrices = type, .embedding = type });
      g_autoptr (AssayModelFile) file = hostile_open (w);
      g_autoptr (GError) error = NULL;
      g_autofree char *hash = assay_model_file_hash_content (file, TRUE, NULL, NULL, NULL, &error);
      g_assert_no_error (error);
    }
}

static void
count_progress (guint64 done, guint64 total, gpointer data)
{
  guint64 *seen = data;
  g_assert_cmpuint (done, >, *seen);
  g_assert_cmpuint (done, <=, total);
  *seen = done;
}

static void
test_hash_reports_and_is_cancelled (void)
{
  g_autoptr (GgufWriter) w = tiny_model_new (NULL);
  g_autoptr (AssayModelFile) file = hostile_open (w);
  guint64 seen = 0, total = 0;
  for (guint i = 0; i < assay_model_file_get_n_tensors (file); i++)
    total += assay_model_file_get_tensor (file, i)->bytes;
  g_autofree char *hash = assay_model_file_hash_content (file, TRUE, count_progress, &seen, NULL, NULL);
  g_assert_nonnull (hash);
  g_assert_cmpuint (seen, ==, total);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  g_cancellable_cancel (cancellable);
  g_assert_null (assay_model_file_hash_content (file, TRUE, NULL, NULL, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

static void
test_open_is_cancelled (void)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  g_cancellable_cancel (cancellable);
  g_assert_null (assay_model_file_open ("/nonexistent", cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

static void
refuse_path (const char *path, const char *text)
{
  g_autoptr (GError) error = NULL;
  const gint64 start = g_get_monotonic_time ();
  g_assert_null (assay_model_file_open (path, NULL, &error));
  g_assert_cmpint (g_get_monotonic_time () - start, <, G_USEC_PER_SEC);
  g_assert_error (error, ASSAY_ENGINE_ERROR, FORMAT);
  g_assert_cmpstr (assay_engine_error_get_reason (error), ==, "not-a-file");
  g_assert_nonnull (strstr (error->message, text));
}

static void
test_what_is_no_file_is_refused_without_waiting (void)
{
  g_autofree char *pipe_path = scratch ("pipe.gguf");
  g_assert_cmpint (mkfifo (pipe_path, 0600), ==, 0);
  refuse_path (pipe_path, "a pipe");
  refuse_path ("/dev/zero", "a device");
  refuse_path (hostile_get_folder (), "a folder");
  g_unlink (pipe_path);
  g_autoptr (GError) error = NULL;
  g_assert_null (assay_model_file_open (pipe_path, NULL, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND);
}

static void
test_m76_m77_other_formats_are_told_by_content (void)
{
  static const struct
  {
    const char *bytes;
    gsize length;
    AssayEngineError code;
    const char *reason, *text;
  } rows[] = {
    { "PK\3\4\0\0\0\0\0\0archive/data.pkl", 26, FORMAT, "zip-archive", "convert" },
    { "\200\2}q\0(X\6\0\0\0", 12, FORMAT, "python-pickle", "never opened" },
    { "\200\4\225\0\0\0\0\0\0\0\0", 11, FORMAT, "python-pickle", "convert" },
    { "version https://git-lfs.github.com/spec/v1\n", 43, FORMAT, "git-lfs-pointer", "git lfs pull" },
    { "<!DOCTYPE html><html>", 21, FORMAT, "web-page", "fetch" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    hostile_assert_refused ((const guint8 *) rows[i].bytes, rows[i].length, rows[i].code, rows[i].reason,
                            rows[i].text);
}

static void
test_m77_gguf_under_another_name (void)
{
  g_autoptr (GgufWriter) w = tiny_model_new (NULL);
  g_autofree char *path = scratch ("model.safetensors");
  g_autoptr (AssayModelFile) file = open_saved (w, path);
  g_assert_true (hostile_has_notice (file, "ends in .safetensors"));
  g_unlink (path);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
#define ROW(name, function) g_test_add_func ("/weights/map/" name, function)
  ROW ("maps-the-same-bytes", test_maps_the_same_bytes);
  ROW ("M26-file-cut-while-mapped", test_m26_file_cut_while_mapped);
  ROW ("M26-file-cut-and-grown-back", test_m26_file_cut_and_grown);
  ROW ("foreign-addresses-go-to-the-earlier-handler", test_foreign_addresses_go_to_the_earlier_handler);
  ROW ("M68-replaced-between-looking-and-loading", test_m68_replaced_between_looking_and_loading);
  ROW ("M68-metadata-changed-in-place", test_m68_metadata_changed_in_place);
  ROW ("C77-the-last-bytes-count", test_c77_last_bytes_count);
  ROW ("C78-same-weights-in-another-file", test_c78_metadata_reordered);
  ROW ("hash-covers-names-and-shapes", test_hash_covers_names_and_shapes);
  ROW ("M37-scales-that-are-no-numbers", test_m37_scales_that_are_no_numbers);
  ROW ("M37-floats-that-are-no-numbers", test_m37_floats_that_are_no_numbers);
  ROW ("M37-matrix-of-zeros", test_m37_matrix_of_zeros);
  ROW ("M37-sound-weights-pass", test_m37_sound_weights_pass);
  ROW ("hash-reports-and-is-cancelled", test_hash_reports_and_is_cancelled);
  ROW ("open-is-cancelled", test_open_is_cancelled);
  ROW ("what-is-no-file-is-refused-without-waiting", test_what_is_no_file_is_refused_without_waiting);
  ROW ("M76-M77-other-formats-are-told-by-content", test_m76_m77_other_formats_are_told_by_content);
  ROW ("M77-gguf-under-another-name", test_m77_gguf_under_another_name);
  return g_test_run ();
}
