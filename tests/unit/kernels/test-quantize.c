/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/kernels/test-quantize.c: quantized bytes and what they are read back as, against bitsandbytes
 * and ggml; and what comes of numbers and sizes that cannot be quantized. */
#include <math.h>
#include <string.h>

#include "kernels-test.h"

/* What ggml's own searches may be better by. */
#define ERROR_RATIO_MAX 1.02

static const AssayDtype made[] = {
  ASSAY_DTYPE_F32,  ASSAY_DTYPE_F16,  ASSAY_DTYPE_BF16, ASSAY_DTYPE_Q8_0,       ASSAY_DTYPE_Q4_0,
  ASSAY_DTYPE_Q4_1, ASSAY_DTYPE_Q5_0, ASSAY_DTYPE_Q5_1, ASSAY_DTYPE_Q4_K,       ASSAY_DTYPE_Q5_K,
  ASSAY_DTYPE_Q6_K, ASSAY_DTYPE_NF4,  ASSAY_DTYPE_FP4,  ASSAY_DTYPE_NF4_DOUBLE, ASSAY_DTYPE_FP4_DOUBLE,
  ASSAY_DTYPE_INT8,
};

/* --- a matrix and its numbers --- */

/* Bytes start out as 0xa5, but for those of whole formats, whose padding the fixtures have as zeros. */
static AssayTensor
matrix_new (AssayDtype dtype, gsize rows, gsize n)
{
  const gsize bytes = assay_dtype_matrix_bytes (dtype, (gint64) n, (gint64) rows);
  const gboolean whole = assay_dtype_info (dtype)->whole;
  guint8 *data = g_malloc (bytes + 1);
  memset (data, whole ? 0 : 0xa5, bytes);
  data[bytes] = 0x5a;
  return (AssayTensor) { dtype, { (gint64) n, (gint64) rows, 1, 1 }, whole ? 0 : bytes / rows, data };
}

static gsize
matrix_bytes (const AssayTensor *w)
{
  return assay_dtype_matrix_bytes (w->dtype, w->shape[0], w->shape[1]);
}

/* `step` rows at a time */
static void
matrix_quantize (AssayBackend *b, const AssayTensor *w, const float *x, gsize step)
{
  const gsize n = (gsize) w->shape[0], rows = (gsize) w->shape[1], bytes = b->ops->quantize_scratch (b, w);
  g_autofree guint8 *scratch = g_malloc (bytes + 1);
  scratch[bytes] = 0x5a;
  for (gsize first = 0; first < rows; first += step)
    {
      const gsize count = MIN (step, rows - first);
      g_assert_cmpint (b->ops->quantize (b, w, x + first * n, first, count, scratch), ==, ASSAY_OK);
    }
  g_assert_cmpint (b->ops->quantize_finish (b, w, scratch), ==, ASSAY_OK);
  g_assert_cmphex (scratch[bytes], ==, 0x5a);
  g_assert_cmphex (((const guint8 *) w->data)[matrix_bytes (w)], ==, 0x5a);
}

static float *
matrix_dequantize (AssayBackend *b, const AssayTensor *w)
{
  float *y = g_new (float, w->shape[0] * w->shape[1] + 1);
  g_assert_cmpint (b->ops->dequantize (b, y, w, 0, (gsize) w->shape[1]), ==, ASSAY_OK);
  return y;
}

/* Four draws a number, times 1 to 7, as in the fixtures' script. */
static float *
numbers_new (guint32 seed, gsize count)
{
  float *x = g_new (float, count + 1);
  for (gsize i = 0; i < count; i++)
    {
      gint32 total = -(1 << 25);
      for (guint k = 0; k < 4; k++)
        {
          seed = seed * 1664525 + 1013904223;
          total += (gint32) (seed >> 8);
        }
      x[i] = (float) total * 0x1p-28f * (float) (i % 7 + 1);
    }
  return x;
}

/* --- the fixtures' cases --- */

typedef struct
{
  AssayDtype dtype;
  gsize rows, n;
  const float *x;
  guint64 bytes_hash, values_hash;
} Case;

typedef void (*CaseFunc) (AssayBackend *b, const Case *c);

static float *
values_read (char **words)
{
  float *x = g_new0 (float, g_strv_length (words) + 1);
  for (guint i = 0; words[i] != NULL; i++)
    {
      const guint32 bits = (guint32) g_ascii_strtoull (words[i], NULL, 16);
      memcpy (x + i, &bits, sizeof bits);
    }
  return x;
}

/* case TYPE rows n (seed NUMBER | values NAME) bytes-hash values-hash */
static void
case_run (AssayBackend *b, char **words, GHashTable *values, CaseFunc func)
{
  Case c = { .rows = (gsize) g_ascii_strtoull (words[2], NULL, 10),
             .n = (gsize) g_ascii_strtoull (words[3], NULL, 10),
             .bytes_hash = g_ascii_strtoull (words[6], NULL, 16),
             .values_hash = g_ascii_strtoull (words[7], NULL, 16) };
  g_autofree float *numbers = NULL;
  g_assert_true (assay_dtype_from_name (words[1], &c.dtype));
  if (g_str_equal (words[4], "seed"))
    numbers = numbers_new ((guint32) g_ascii_strtoull (words[5], NULL, 10), c.rows * c.n);
  c.x = numbers != NULL ? numbers : g_hash_table_lookup (values, words[5]);
  g_test_message ("%s, %s rows of %s, %s %s", words[1], words[2], words[3], words[4], words[5]);
  func (b, &c);
}

static char **
fixture_lines (const char *name)
{
  g_autofree char *path = g_build_filename (g_getenv ("ASSAY_TEST_DATA"), "quantize", name, NULL);
  g_autofree char *text = NULL;
  g_autoptr(GError) error = NULL;
  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  return g_strsplit (g_strstrip (text), "\n", -1);
}

static void
for_each_case (AssayBackend *b, CaseFunc func)
{
  g_auto(GStrv) lines = fixture_lines ("cases.txt");
  g_autoptr(GHashTable) values = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  guint n_cases = 0;
  for (guint i = 1; lines[i] != NULL; i++)
    {
      g_auto(GStrv) words = g_strsplit (lines[i], " ", -1);
      if (g_str_equal (words[0], "values"))
        g_hash_table_insert (values, g_strdup (words[1]), values_read (words + 2));
      else
        case_run (b, words, values, func);
      n_cases += g_str_equal (words[0], "case");
    }
  g_assert_cmpuint (n_cases, >=, 55);
}

/* Hashes take zeros without their sign. */
static guint64
values_hash (float *y, gsize n)
{
  for (gsize i = 0; i < n; i++)
    y[i] += 0.0f;
  return kt_hash (y, n * sizeof *y);
}

static void
case_check (AssayBackend *b, const Case *c)
{
  AssayTensor w = matrix_new (c->dtype, c->rows, c->n);
  matrix_quantize (b, &w, c->x, 64);
  g_assert_cmphex (kt_hash (w.data, matrix_bytes (&w)), ==, c->bytes_hash);
  g_autofree float *y = matrix_dequantize (b, &w);
  g_assert_cmphex (values_hash (y, c->rows * c->n), ==, c->values_hash);
  kt_weight_clear (&w);
}

static void
test_makes_the_bytes_of_the_formats_owner (void)
{
  for (int isa = ASSAY_CPU_SCALAR; isa < ASSAY_CPU_BEST; isa++)
    {
      AssayBackend *b = kt_backend ((AssayCpuIsa) isa, 2, TRUE);
      if (b == NULL)
        continue;
      for_each_case (b, case_check);
      b->ops->destroy (b);
    }
}

/* One number changed by what its format can just tell apart. */
static void
case_check_sees (AssayBackend *b, const Case *c)
{
  AssayTensor w = matrix_new (c->dtype, c->rows, c->n);
  matrix_quantize (b, &w, c->x, 64);
  ((guint8 *) w.data)[0] ^= 0x40;
  g_assert_cmphex (kt_hash (w.data, matrix_bytes (&w)), !=, c->bytes_hash);
  g_autofree float *y = matrix_dequantize (b, &w);
  if (c->x[0] != 0)
    g_assert_cmphex (values_hash (y, c->rows * c->n), !=, c->values_hash);
  kt_weight_clear (&w);
}

static void
test_sees_one_wrong_code (void)
{
  AssayBackend *b = kt_backend (ASSAY_CPU_BEST, 1, TRUE);
  for_each_case (b, case_check_sees);
  b->ops->destroy (b);
}

/* sin (i): the bytes that the formats' description gives. */
static void
test_makes_the_described_bytes (void)
{
  static const struct { AssayDtype dtype; const char *hex; } described[] = {
    { ASSAY_DTYPE_NF4, "7ef9104efc202cfe4019fe7106efa103dfd301bfe5017ef9104efc202cfd4019" },
    { ASSAY_DTYPE_FP4, "0336abf234dbd532fba6339bbe237abc535dba432eba1336abf234dbd532cba6" },
  };
  AssayBackend *b = kt_backend (ASSAY_CPU_BEST, 1, TRUE);
  float x[64];
  for (guint i = 0; i < 64; i++)
    x[i] = (float) sin (i);
  for (guint k = 0; k < G_N_ELEMENTS (described); k++)
    {
      AssayTensor w = matrix_new (described[k].dtype, 1, 64);
      g_autoptr(GString) hex = g_string_new (NULL);
      matrix_quantize (b, &w, x, 64);
      for (guint i = 0; i < 32; i++)
        g_string_append_printf (hex, "%02x", ((const guint8 *) w.data)[i]);
      g_assert_cmpstr (hex->str, ==, described[k].hex);
      kt_weight_clear (&w);
    }
  b->ops->destroy (b);
}

/* --- quality --- */

static float *
sample_read (AssayBackend *b, gsize rows, gsize n)
{
  g_autofree char *path = g_build_filename (g_getenv ("ASSAY_TEST_DATA"), "quantize", "weights.f16", NULL);
  g_autofree char *halves = NULL;
  g_autoptr(GError) error = NULL;
  gsize length;
  g_file_get_contents (path, &halves, &length, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (length, ==, 2 * rows * n);
  const AssayTensor w = { ASSAY_DTYPE_F16, { (gint64) n, (gint64) rows, 1, 1 }, 2 * n, halves };
  return matrix_dequantize (b, &w);
}

static double
quantize_error (AssayBackend *b, AssayDtype dtype, const float *x, gsize rows, gsize n)
{
  AssayTensor w = matrix_new (dtype, rows, n);
  double sum = 0;
  matrix_quantize (b, &w, x, rows);
  g_autofree float *y = matrix_dequantize (b, &w);
  for (gsize i = 0; i < rows * n; i++)
    sum += ((double) y[i] - x[i]) * ((double) y[i] - x[i]);
  kt_weight_clear (&w);
  return sqrt (sum / (double) (rows * n));
}

static void
test_loses_no_more_than_ggml (void)
{
  AssayBackend *b = kt_backend (ASSAY_CPU_BEST, 2, TRUE);
  g_auto(GStrv) lines = fixture_lines ("ggml.txt");
  g_auto(GStrv) header = g_strsplit (lines[0], " ", -1);
  const guint last = g_strv_length (header) - 1;
  const gsize rows = (gsize) g_ascii_strtoull (header[last - 1], NULL, 10);
  const gsize n = (gsize) g_ascii_strtoull (header[last], NULL, 10);
  g_autofree float *x = sample_read (b, rows, n);
  for (guint i = 1; lines[i] != NULL; i++)
    {
      g_auto(GStrv) words = g_strsplit (lines[i], " ", -1);
      AssayDtype dtype;
      g_assert_true (assay_dtype_from_name (words[0], &dtype));
      const double theirs = g_ascii_strtod (words[1], NULL), ours = quantize_error (b, dtype, x, rows, n);
      g_test_message ("%s: %.6g of ggml's %.6g", words[0], ours / theirs, theirs);
      g_assert_cmpfloat (ours, <=, ERROR_RATIO_MAX * theirs);
      g_assert_cmpfloat (ours, >=, 0.9 * theirs);
    }
  g_assert_cmpuint (g_strv_length (lines), ==, 9);
  b->ops->destroy (b);
}

/* --- what must hold of any numbers --- */

/* Greatest distance from a number to what it is read back as, of the greatest magnitude nearby: half a step
 * of the codes, and what rounding the scales adds. */
static double
error_max (AssayDtype dtype)
{
  switch ((int) dtype)
    {
    case ASSAY_DTYPE_F32: return 0;
    case ASSAY_DTYPE_F16: return 0x1p-11;
    case ASSAY_DTYPE_BF16: return 0x1p-8;
    case ASSAY_DTYPE_Q8_0: return 0.6 / 127;
    case ASSAY_DTYPE_INT8: return 0.6 / 127;
    case ASSAY_DTYPE_Q6_K: return 2.0 / 32;
    case ASSAY_DTYPE_Q5_0: return 1.01 / 16;
    case ASSAY_DTYPE_Q5_1: return 1.01 / 31;
    case ASSAY_DTYPE_Q5_K: return 0.15;
    default: return 0.25;
    }
}

static void
edge_row (float *x, guint kind, gsize n)
{
  for (gsize i = 0; i < n; i++)
    switch (kind)
      {
      case 0: x[i] = 0; break;
      case 1: x[i] = 0.37f; break;
      case 2: x[i] = -1000.0f; break;
      case 3: x[i] = i == n / 2 ? -3.0f : 0; break;
      case 4: x[i] = i % 2 == 0 ? 65504.0f : -65504.0f; break;
      case 5: x[i] = (float) i * 1e-42f; break;
      case 6: x[i] = 5.0f + (float) (i % 9) * 0.01f; break;
      case 7: x[i] = i % 64 == 0 ? 60000.0f : 1e-30f; break;
      default: x[i] = (i % 2 == 0 ? 1e-16f : -1e-15f) * (float) (i % 5); break;
      }
}

static void
edge_check (AssayBackend *b, AssayDtype dtype, guint kind)
{
  float x[512];
  double greatest = 0;
  AssayTensor w = matrix_new (dtype, 1, G_N_ELEMENTS (x));
  edge_row (x, kind, G_N_ELEMENTS (x));
  matrix_quantize (b, &w, x, 1);
  g_autofree float *y = matrix_dequantize (b, &w);
  for (gsize i = 0; i < G_N_ELEMENTS (x); i++)
    greatest = MAX (greatest, fabs ((double) x[i]));
  for (gsize i = 0; i < G_N_ELEMENTS (x); i++)
    if (!(fabs ((double) y[i] - x[i]) <= error_max (dtype) * greatest + 1e-7))
      g_error ("%s, kind %u, at %zu: %g became %g", assay_dtype_info (dtype)->name, kind, i, (double) x[i],
               (double) y[i]);
  kt_weight_clear (&w);
}

static void
test_edges_are_read_back_near (void)
{
  AssayBackend *b = kt_backend (ASSAY_CPU_BEST, 1, TRUE);
  for (guint k = 0; k < G_N_ELEMENTS (made); k++)
    for (guint kind = 0; kind < 9; kind++)
      edge_check (b, made[k], kind);
  b->ops->destroy (b);
}

static void
test_random_numbers_are_read_back_near (void)
{
  const guint32 seed = g_test_rand_int ();
  enum { ROWS = 70, N = 512 };
  AssayBackend *b = kt_backend (ASSAY_CPU_BEST, 2, TRUE);
  g_auto(KtBuffer) x = kt_buffer_new (ROWS * N);
  g_test_message ("seed %u", seed);
  kt_fill (&x, seed, -2, 2);
  for (guint k = 0; k < G_N_ELEMENTS (made); k++)
    {
      const double error = quantize_error (b, made[k], x.data, ROWS, N);
      g_test_message ("%s: %g", assay_dtype_info (made[k])->name, error);
      g_assert_cmpfloat (error, <=, 2 * error_max (made[k]));
    }
  b->ops->destroy (b);
}

/* As many rows at a time as there are, or 64: more than the pool takes at a time, and a short last block. */
static void
test_threads_and_portions_do_not_change_a_bit (void)
{
  enum { ROWS = 4500, N = 33, BLOCK_ROWS = 150, BLOCK_N = 768 };
  g_autofree float *x = numbers_new (5, MAX (ROWS * N, BLOCK_ROWS * BLOCK_N));
  for (guint k = 0; k < G_N_ELEMENTS (made); k++)
    {
      const gboolean free_size = assay_dtype_info (made[k])->block_elements == 1;
      const gsize rows = free_size ? ROWS : BLOCK_ROWS, n = free_size ? N : BLOCK_N;
      AssayTensor one = matrix_new (made[k], rows, n), four = matrix_new (made[k], rows, n);
      AssayBackend *single = kt_backend (ASSAY_CPU_SCALAR, 1, TRUE);
      AssayBackend *many = kt_backend (ASSAY_CPU_BEST, 4, TRUE);
      matrix_quantize (single, &one, x, 64);
      matrix_quantize (many, &four, x, rows);
      g_assert_cmpmem (one.data, matrix_bytes (&one), four.data, matrix_bytes (&four));
      single->ops->destroy (single);
      many->ops->destroy (many);
      kt_weight_clear (&one);
      kt_weight_clear (&four);
    }
}

/* Any rows of a matrix are those of all of it, and so are the rows that ids pick. */
static void
test_rows_of_a_whole_matrix_stand_alone (void)
{
  const guint32 seed = g_test_rand_int ();
  g_autoptr(GRand) rand = g_rand_new_with_seed (seed);
  AssayBackend *b = kt_backend (ASSAY_CPU_BEST, 2, TRUE);
  g_test_message ("seed %u", seed);
  for (guint round = 0; round < 60; round++)
    {
      const AssayDtype dtype = made[11 + round % 5];
      const gsize rows = (gsize) g_rand_int_range (rand, 1, 150), n = (gsize) g_rand_int_range (rand, 1, 300);
      g_autofree float *x = numbers_new (seed + round, rows * n);
      AssayTensor w = matrix_new (dtype, rows, n);
      matrix_quantize (b, &w, x, 64);
      g_autofree float *all = matrix_dequantize (b, &w), *y = g_new (float, rows * n);
      const gsize first = (gsize) g_rand_int_range (rand, 0, (gint) rows);
      g_assert_cmpint (b->ops->dequantize (b, y, &w, first, rows - first), ==, ASSAY_OK);
      g_assert_cmpmem (y, (rows - first) * n * 4, all + first * n, (rows - first) * n * 4);
      const gint32 id = (gint32) first;
      g_assert_cmpint (b->ops->embed (b, y, &w, &id, 1, 1.0f), ==, ASSAY_OK);
      g_assert_cmpmem (y, n * 4, all + first * n, n * 4);
      kt_weight_clear (&w);
    }
  b->ops->destroy (b);
}

/* --- refusals --- */

static void
test_says_which_number_is_too_great (void)
{
  AssayBackend *b = kt_backend (ASSAY_CPU_BEST, 4, TRUE);
  static const float bad[] = { NAN, INFINITY, -INFINITY, 70000.0f, -3e38f };
  enum { ROWS = 128, N = 256 };
  g_autofree float *x = numbers_new (3, ROWS * N);
  for (guint k = 1; k < G_N_ELEMENTS (made); k++)
    for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
      {
        const gboolean wide = made[k] == ASSAY_DTYPE_BF16
                              || (assay_dtype_info (made[k])->whole && made[k] != ASSAY_DTYPE_INT8);
        const gboolean refused = made[k] != ASSAY_DTYPE_BF16 && (i < 3 || !wide);
        AssayTensor w = matrix_new (made[k], ROWS, N);
        g_autofree float *scratch = g_malloc (b->ops->quantize_scratch (b, &w) + 1);
        const float kept = x[9 * N + 17];
        x[9 * N + 17] = x[70 * N] = bad[i];
        const AssayStatus status = b->ops->quantize (b, &w, x, 0, ROWS, scratch);
        g_assert_cmpint (status, ==, refused ? ASSAY_DEVICE_FAULT : ASSAY_OK);
        if (refused)
          {
            g_test_message ("%s", b->fault);
            g_assert_nonnull (strstr (b->fault, "element 17 of row 9 "));
            g_assert_nonnull (strstr (b->fault, assay_dtype_info (made[k])->name));
          }
        x[9 * N + 17] = x[70 * N] = kept;
        kt_weight_clear (&w);
      }
  b->ops->destroy (b);
}

static void
test_makes_what_it_says_it_can (void)
{
  AssayBackend *b = kt_backend (ASSAY_CPU_BEST, 1, TRUE);
  guint8 bytes[4096], scratch[4096];
  float x[256] = { 0 };
  guint n_made = 0;
  for (guint32 i = 0; i < 1100; i++)
    {
      const AssayDtypeInfo *info = assay_dtype_info (i);
      const AssayTensor w = { (AssayDtype) i, { 256, 1, 1, 1 }, 2048, bytes };
      const AssayStatus status = b->ops->quantize (b, &w, x, 0, 1, scratch);
      g_assert_cmpint (status, ==, assay_dtype_can_quantize (i) ? ASSAY_OK : ASSAY_UNSUPPORTED);
      if (info != NULL && status != ASSAY_OK)
        g_assert_nonnull (strstr (b->fault, info->name));
      n_made += status == ASSAY_OK;
    }
  g_assert_cmpuint (n_made, ==, G_N_ELEMENTS (made));
  b->ops->destroy (b);
}

static void
test_refuses_rows_that_are_not_there (void)
{
  AssayBackend *b = kt_backend (ASSAY_CPU_BEST, 1, TRUE);
  AssayTensor w = matrix_new (ASSAY_DTYPE_Q4_0, 4, 64), nf4 = matrix_new (ASSAY_DTYPE_NF4, 200, 3);
  const AssayTensor ragged = { ASSAY_DTYPE_Q4_K, { 300, 1, 1, 1 }, 144, w.data };
  g_autofree float *x = numbers_new (1, 600);
  g_assert_cmpint (b->ops->quantize (b, &w, x, 3, 2, NULL), ==, ASSAY_DEVICE_FAULT);
  g_assert_cmpint (b->ops->quantize (b, &w, x, SIZE_MAX, 2, NULL), ==, ASSAY_DEVICE_FAULT);
  g_assert_cmpint (b->ops->quantize (b, &w, x, 4, 0, NULL), ==, ASSAY_OK);
  g_assert_cmpint (b->ops->quantize (b, &ragged, x, 0, 1, NULL), ==, ASSAY_UNSUPPORTED);
  g_assert_nonnull (strstr (b->fault, "300"));
  g_assert_cmpint (b->ops->quantize (b, &nf4, x, 32, 64, NULL), ==, ASSAY_DEVICE_FAULT);
  g_assert_cmpint (b->ops->quantize (b, &nf4, x, 64, 65, NULL), ==, ASSAY_DEVICE_FAULT);
  g_assert_nonnull (strstr (b->fault, "65 rows from row 64"));
  g_assert_cmpint (b->ops->quantize (b, &nf4, x, 192, 8, NULL), ==, ASSAY_OK);
  kt_weight_clear (&w);
  kt_weight_clear (&nf4);
  b->ops->destroy (b);
}

/* Statistics wait in the scratch: a float for each block. */
static void
test_asks_scratch_for_double_quantization_only (void)
{
  AssayBackend *b = kt_backend (ASSAY_CPU_BEST, 1, TRUE);
  for (guint k = 0; k < G_N_ELEMENTS (made); k++)
    {
      const AssayTensor w = { made[k], { 768, 5, 1, 1 }, 0, NULL };
      const gboolean is_double = made[k] == ASSAY_DTYPE_NF4_DOUBLE || made[k] == ASSAY_DTYPE_FP4_DOUBLE;
      g_assert_cmpuint (b->ops->quantize_scratch (b, &w), ==, is_double ? 5 * 768 / 64 * 4 : 0);
    }
  b->ops->destroy (b);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kernels/quantize/makes-the-bytes-of-the-formats-owner",
                   test_makes_the_bytes_of_the_formats_owner);
  g_test_add_func ("/kernels/quantize/sees-one-wrong-code", test_sees_one_wrong_code);
  g_test_add_func ("/kernels/quantize/makes-the-described-bytes", test_makes_the_described_bytes);
  g_test_add_func ("/kernels/quantize/loses-no-more-than-ggml", test_loses_no_more_than_ggml);
  g_test_add_func ("/kernels/quantize/edges-are-read-back-near", test_edges_are_read_back_near);
  g_test_add_func ("/kernels/quantize/random-numbers-are-read-back-near",
                   test_random_numbers_are_read_back_near);
  g_test_add_func ("/kernels/quantize/threads-and-portions-do-not-change-a-bit",
                   test_threads_and_portions_do_not_change_a_bit);
  g_test_add_func ("/kernels/quantize/rows-of-a-whole-matrix-stand-alone",
                   test_rows_of_a_whole_matrix_stand_alone);
  g_test_add_func ("/kernels/quantize/says-which-number-is-too-great", test_says_which_number_is_too_great);
  g_test_add_func ("/kernels/quantize/makes-what-it-says-it-can", test_makes_what_it_says_it_can);
  g_test_add_func ("/kernels/quantize/refuses-rows-that-are-not-there", test_refuses_rows_that_are_not_there);
  g_test_add_func ("/kernels/quantize/asks-scratch-for-double-quantization-only",
                   test_asks_scratch_for_double_quantization_only);
  return g_test_run ();
}
