/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/kernels/test-dtype.c: names and sizes of formats, and where the parts of whole matrices lie. */
#include <glib.h>

#include "whole-format.h"

#define LAST_DTYPE 1100u

static void
test_every_name_leads_back (void)
{
  guint n_formats = 0;
  for (guint32 i = 0; i < LAST_DTYPE; i++)
    {
      const AssayDtypeInfo *info = assay_dtype_info (i);
      AssayDtype dtype;
      if (info == NULL)
        continue;
      g_autofree char *upper = g_ascii_strup (info->name, -1), *lower = g_ascii_strdown (info->name, -1);
      g_assert_true (assay_dtype_from_name (info->name, &dtype));
      g_assert_cmpuint (dtype, ==, i);
      g_assert_true (assay_dtype_from_name (upper, &dtype));
      g_assert_cmpuint (dtype, ==, i);
      g_assert_true (assay_dtype_from_name (lower, &dtype));
      g_assert_cmpuint (dtype, ==, i);
      n_formats++;
    }
  g_assert_cmpuint (n_formats, ==, 40);
}

static void
test_knows_other_libraries_names (void)
{
  AssayDtype dtype = ASSAY_DTYPE_Q4_1;
  g_assert_true (assay_dtype_from_name ("bfloat16", &dtype));
  g_assert_cmpuint (dtype, ==, ASSAY_DTYPE_BF16);
  g_assert_true (assay_dtype_from_name ("Float16", &dtype));
  g_assert_cmpuint (dtype, ==, ASSAY_DTYPE_F16);
  g_assert_true (assay_dtype_from_name ("float32", &dtype));
  g_assert_cmpuint (dtype, ==, ASSAY_DTYPE_F32);
  g_assert_false (assay_dtype_from_name ("float", &dtype));
  g_assert_false (assay_dtype_from_name ("", &dtype));
  g_assert_false (assay_dtype_from_name ("nf4-", &dtype));
  g_assert_cmpuint (dtype, ==, ASSAY_DTYPE_F32);
}

/* NF4: 3 * 70 = 210 codes in 105 bytes, 4 blocks; doubled, 257 blocks need two nested magnitudes. */
static void
test_counts_the_bytes_of_a_matrix (void)
{
  g_assert_cmpuint (assay_dtype_matrix_bytes (ASSAY_DTYPE_F16, 70, 3), ==, 420);
  g_assert_cmpuint (assay_dtype_matrix_bytes (ASSAY_DTYPE_Q4_K, 512, 3), ==, 864);
  g_assert_cmpuint (assay_dtype_matrix_bytes (ASSAY_DTYPE_NF4, 70, 3), ==, 128 + 64);
  g_assert_cmpuint (assay_dtype_matrix_bytes (ASSAY_DTYPE_FP4, 64, 32), ==, 1024 + 128);
  g_assert_cmpuint (assay_dtype_matrix_bytes (ASSAY_DTYPE_NF4_DOUBLE, 64, 257), ==, 8256 + 320 + 64 + 64);
  g_assert_cmpuint (assay_dtype_matrix_bytes (ASSAY_DTYPE_INT8, 70, 3), ==, 256 + 64);
  g_assert_cmpuint (assay_dtype_matrix_bytes (ASSAY_DTYPE_INT8, 0, 17), ==, 128);
  g_assert_cmpuint (assay_dtype_matrix_bytes (ASSAY_DTYPE_Q4_K, 512, 0), ==, 0);
}

/* 4 + 32/64 bits a weight, and 4 + 8/64 + 32/(64 * 256) */
static void
test_large_matrices_have_the_published_bits (void)
{
  const double eighth = 4096.0 * 4096 / 8;
  g_assert_cmpfloat ((double) assay_dtype_matrix_bytes (ASSAY_DTYPE_NF4, 4096, 4096) / eighth, ==, 4.5);
  g_assert_cmpfloat_with_epsilon (
    (double) assay_dtype_matrix_bytes (ASSAY_DTYPE_FP4_DOUBLE, 4096, 4096) / eighth, 4.126953125, 1e-4);
}

static void
test_sizes_that_cannot_be_are_nothing (void)
{
  const gint64 large = G_GINT64_CONSTANT (1) << 34;
  for (guint32 i = 0; i < LAST_DTYPE; i++)
    if (assay_dtype_info (i) != NULL)
      {
        const AssayDtype dtype = (AssayDtype) i;
        g_assert_cmpuint (assay_dtype_matrix_bytes (dtype, G_MAXINT64 / 256 * 256, G_MAXINT64), ==, 0);
        g_assert_cmpuint (assay_dtype_matrix_bytes (dtype, large, large), ==, 0);
        g_assert_cmpuint (assay_dtype_matrix_bytes (dtype, -256, 1), ==, 0);
        g_assert_cmpuint (assay_dtype_matrix_bytes (dtype, 256, -1), ==, 0);
      }
  g_assert_cmpuint (assay_dtype_matrix_bytes (ASSAY_DTYPE_INT8, G_MAXINT64, 2), ==, 0);
  g_assert_cmpuint (assay_dtype_matrix_bytes (ASSAY_DTYPE_INT8, 1, G_MAXINT64), ==, 0);
  g_assert_cmpuint (assay_dtype_matrix_bytes (ASSAY_DTYPE_Q4_K, 255, 1), ==, 0);
  g_assert_cmpuint (assay_dtype_matrix_bytes ((AssayDtype) 4, 256, 1), ==, 0);
}

/* Random sizes: parts in order, apart, aligned, and large enough. */
static void
test_parts_do_not_overlap (void)
{
  const guint32 seed = g_test_rand_int ();
  g_autoptr(GRand) rand = g_rand_new_with_seed (seed);
  g_test_message ("seed %u", seed);
  for (guint i = 0; i < 2000; i++)
    {
      const gint64 n = g_rand_int_range (rand, 0, 300), rows = g_rand_int_range (rand, 0, 300);
      const gsize count = (gsize) (n * rows), blocks = (count + 63) / 64;
      AssayWholeLayout l;
      g_assert_true (assay_whole_layout (ASSAY_DTYPE_NF4_DOUBLE, n, rows, &l));
      g_assert_cmpuint (l.absmax, >=, (count + 1) / 2);
      g_assert_cmpuint (l.nested, >=, l.absmax + blocks);
      g_assert_cmpuint (l.offset, >=, l.nested + (blocks + 255) / 256 * 4);
      g_assert_cmpuint (l.bytes, >=, l.offset + 4);
      g_assert_cmpuint ((l.absmax | l.nested | l.offset | l.bytes) % 64, ==, 0);
      g_assert_true (assay_whole_layout (ASSAY_DTYPE_INT8, n, rows, &l));
      g_assert_cmpuint (l.scale, >=, count);
      g_assert_cmpuint (l.bytes, >=, l.scale + (gsize) rows * 4);
      g_assert_cmpuint ((l.scale | l.bytes) % 64, ==, 0);
    }
  AssayWholeLayout untouched = { .bytes = 77 };
  g_assert_false (assay_whole_layout (ASSAY_DTYPE_Q4_0, 64, 1, &untouched));
  g_assert_cmpuint (untouched.bytes, ==, 77);
}

static void
test_the_dynamic_map_ascends (void)
{
  g_assert_cmpfloat (assay_dynamic_values[0], ==, -0x1.fc6666p-1f);   /* -0.99296875 nearly */
  g_assert_cmpfloat (assay_dynamic_values[127], ==, 0);
  g_assert_cmpfloat (assay_dynamic_values[255], ==, 1);
  g_assert_cmpfloat_with_epsilon (assay_dynamic_values[128], 5.5e-7, 1e-12);
  g_assert_cmpfloat_with_epsilon (assay_dynamic_values[129], 3.25e-6, 1e-12);
  g_assert_cmpfloat_with_epsilon (assay_dynamic_values[130], 7.75e-6, 1e-12);
  g_assert_cmpfloat_with_epsilon (assay_dynamic_values[252], 0.96484375, 1e-6);
  for (guint i = 1; i < 256; i++)
    g_assert_cmpfloat (assay_dynamic_values[i], >, assay_dynamic_values[i - 1]);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kernels/dtype/every-name-leads-back", test_every_name_leads_back);
  g_test_add_func ("/kernels/dtype/knows-other-libraries-names", test_knows_other_libraries_names);
  g_test_add_func ("/kernels/dtype/counts-the-bytes-of-a-matrix", test_counts_the_bytes_of_a_matrix);
  g_test_add_func ("/kernels/dtype/large-matrices-have-the-published-bits",
                   test_large_matrices_have_the_published_bits);
  g_test_add_func ("/kernels/dtype/sizes-that-cannot-be-are-nothing", test_sizes_that_cannot_be_are_nothing);
  g_test_add_func ("/kernels/dtype/parts-do-not-overlap", test_parts_do_not_overlap);
  g_test_add_func ("/kernels/dtype/the-dynamic-map-ascends", test_the_dynamic_map_ascends);
  return g_test_run ();
}
