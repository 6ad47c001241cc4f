/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/kernels/test-dequantize.c: every format bit for bit against values of the `gguf` package. */
#include <glib.h>
#include <string.h>

#include "kernels-test.h"

typedef struct
{
  AssayDtype dtype;
  guint n_elements;
  GByteArray *bytes;    /* owned */
  GArray *floats;       /* owned, of guint32: the first values */
  guint64 hash;
} Case;

static void
case_free (gpointer data)
{
  Case *self = data;
  g_byte_array_unref (self->bytes);
  g_array_unref (self->floats);
  g_free (self);
}

static AssayDtype
case_dtype (const char *name)
{
  for (guint32 i = 0; i < 64; i++)
    if (assay_dtype_info (i) != NULL && g_str_equal (assay_dtype_info (i)->name, name))
      return (AssayDtype) i;
  g_error ("no format is called %s", name);
}

/* Every 16-bit pattern but those of NaN. */
static void
case_fill_halves (Case *self)
{
  const guint infinity = self->dtype == ASSAY_DTYPE_F16 ? 0x7c00 : 0x7f80;
  for (guint i = 0; i < 65536; i++)
    if ((i & 0x7fff) <= infinity)
      {
        const guint16 bits = (guint16) i;
        g_byte_array_append (self->bytes, (const guint8 *) &bits, 2);
      }
}

static void
case_read_line (Case *self, const char *key, char **words)
{
  if (g_str_equal (key, "bytes") && g_str_equal (words[1], "all"))
    case_fill_halves (self);
  else if (g_str_equal (key, "bytes"))
    for (const char *at = words[1]; *at != '\0'; at += 2)
      {
        const guint8 byte = (guint8) (g_ascii_xdigit_value (at[0]) << 4 | g_ascii_xdigit_value (at[1]));
        g_byte_array_append (self->bytes, &byte, 1);
      }
  else if (g_str_equal (key, "floats"))
    for (guint i = 1; words[i] != NULL; i++)
      {
        const guint32 bits = (guint32) g_ascii_strtoull (words[i], NULL, 16);
        g_array_append_val (self->floats, bits);
      }
  else if (g_str_equal (key, "hash"))
    self->hash = g_ascii_strtoull (words[1], NULL, 16);
}

static GPtrArray *
cases_read (void)
{
  g_autofree char *path = g_build_filename (g_getenv ("ASSAY_TEST_DATA"), "kernels", "dequantize.txt", NULL);
  g_autofree char *text = NULL;
  g_autoptr(GError) error = NULL;
  GPtrArray *cases = g_ptr_array_new_with_free_func (case_free);
  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  g_auto(GStrv) lines = g_strsplit (g_strstrip (text), "\n", -1);
  for (guint i = 1; lines[i] != NULL; i++)
    {
      g_auto(GStrv) words = g_strsplit (lines[i], " ", -1);
      if (g_str_equal (words[0], "type"))
        {
          Case *started = g_new0 (Case, 1);
          *started = (Case){ case_dtype (words[1]), (guint) g_ascii_strtoull (words[2], NULL, 10),
                             g_byte_array_new (), g_array_new (FALSE, FALSE, sizeof (guint32)), 0 };
          g_ptr_array_add (cases, started);
        }
      else
        case_read_line (g_ptr_array_index (cases, cases->len - 1), words[0], words);
    }
  return cases;
}

/* One row that holds all the blocks, at an odd address. */
static float *
case_dequantize (AssayBackend *b, const Case *self)
{
  g_autofree guint8 *unaligned = g_malloc (self->bytes->len + 1);
  memcpy (unaligned + 1, self->bytes->data, self->bytes->len);
  const AssayTensor w = { self->dtype, { self->n_elements, 1, 1, 1 }, self->bytes->len, unaligned + 1 };
  float *y = g_new0 (float, self->n_elements + 1);
  y[self->n_elements] = 1234.5f;
  g_assert_cmpint (b->ops->dequantize (b, y, &w, 0, 1), ==, ASSAY_OK);
  g_assert_cmpfloat (y[self->n_elements], ==, 1234.5f);
  return y;
}

static void
test_matches_the_reference (void)
{
  for (int isa = ASSAY_CPU_SCALAR; isa < ASSAY_CPU_BEST; isa++)
    {
      const AssayCpuOptions options = { .n_threads = 1, .isa = (AssayCpuIsa) isa };
      AssayBackend *b = assay_cpu_backend_new (&options);
      if (b == NULL)
        continue;
      g_autoptr(GPtrArray) cases = cases_read ();
      g_assert_cmpuint (cases->len, >=, 25);
      for (guint i = 0; i < cases->len; i++)
        {
          const Case *self = g_ptr_array_index (cases, i);
          g_autofree float *y = case_dequantize (b, self);
          g_test_message ("%s", assay_dtype_info (self->dtype)->name);
          g_assert_cmpmem (y, self->floats->len * 4, self->floats->data, self->floats->len * 4);
          g_assert_cmphex (kt_hash (y, self->n_elements * sizeof *y), ==, self->hash);
        }
      b->ops->destroy (b);
    }
}

static void
test_sees_one_wrong_bit (void)
{
  const AssayCpuOptions options = { .n_threads = 1, .isa = ASSAY_CPU_SCALAR };
  AssayBackend *b = assay_cpu_backend_new (&options);
  g_autoptr(GPtrArray) cases = cases_read ();
  Case *last = g_ptr_array_index (cases, cases->len - 1);
  last->bytes->data[20] ^= 0x10;
  g_autofree float *y = case_dequantize (b, last);
  g_assert_cmphex (kt_hash (y, last->n_elements * sizeof *y), !=, last->hash);
  b->ops->destroy (b);
}

/* Bytes 37 i + 11, a scale of 0.25 and a minimum of 0.125: the weighted sums that the format's description
 * gives. */
static void
test_gives_the_described_sums (void)
{
  static const struct { AssayDtype dtype; guint d, m; double sum, weighted; } expected[] = {
    { ASSAY_DTYPE_Q4_0, 0, 0, -5.25, -129.5 },        { ASSAY_DTYPE_Q4_1, 0, 2, 65.25, 1061.75 },
    { ASSAY_DTYPE_Q5_0, 0, 0, 3.75, 28 },             { ASSAY_DTYPE_Q5_1, 0, 2, 130.25, 2041.25 },
    { ASSAY_DTYPE_Q8_0, 0, 0, -44, -2020 },           { ASSAY_DTYPE_IQ4_NL, 0, 0, -64.25, -1729.75 },
    { ASSAY_DTYPE_Q2_K, 80, 82, 514.75, 60782.5 },    { ASSAY_DTYPE_Q3_K, 108, 0, 239.5, 44286.25 },
    { ASSAY_DTYPE_Q4_K, 0, 2, 13610, 1893210 },       { ASSAY_DTYPE_Q5_K, 0, 2, 29054, 4006862 },
    { ASSAY_DTYPE_Q6_K, 208, 0, 1153, 196105 },       { ASSAY_DTYPE_IQ4_XS, 0, 0, -2751.25, -522783.5 },
  };
  const AssayCpuOptions options = { .n_threads = 1, .isa = ASSAY_CPU_SCALAR };
  AssayBackend *b = assay_cpu_backend_new (&options);
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    {
      const AssayDtypeInfo *info = assay_dtype_info (expected[i].dtype);
      guint8 block[256];
      float y[256];
      double sum = 0, weighted = 0;
      for (guint k = 0; k < info->block_bytes; k++)
        block[k] = (guint8) (37 * k + 11);
      if (expected[i].m != 0)
        memcpy (block + expected[i].m, "\x00\x30", 2);
      memcpy (block + expected[i].d, "\x00\x34", 2);
      const AssayTensor w = { info->dtype, { info->block_elements, 1, 1, 1 }, info->block_bytes, block };
      g_assert_cmpint (b->ops->dequantize (b, y, &w, 0, 1), ==, ASSAY_OK);
      for (guint e = 0; e < info->block_elements; e++)
        {
          sum += y[e];
          weighted += (e + 1) * (double) y[e];
        }
      g_test_message ("%s", info->name);
      g_assert_cmpfloat (sum, ==, expected[i].sum);
      g_assert_cmpfloat (weighted, ==, expected[i].weighted);
    }
  b->ops->destroy (b);
}

static void
test_refuses_what_it_cannot_decode (void)
{
  const AssayCpuOptions options = { .n_threads = 1, .isa = ASSAY_CPU_SCALAR };
  AssayBackend *b = assay_cpu_backend_new (&options);
  float y[8];
  const guint8 data[64] = { 0 };
  const AssayTensor integers = { ASSAY_DTYPE_I32, { 8, 1, 1, 1 }, 32, data };
  const AssayTensor floats = { ASSAY_DTYPE_F32, { 8, 2, 1, 1 }, 32, data };
  g_assert_false (assay_dtype_can_compute (ASSAY_DTYPE_I32));
  g_assert_false (assay_dtype_can_compute (4));
  g_assert_false (assay_dtype_can_compute (4000000000u));
  g_assert_true (assay_dtype_can_compute (ASSAY_DTYPE_IQ2_XXS));
  g_assert_cmpint (b->ops->dequantize (b, y, &integers, 0, 1), ==, ASSAY_UNSUPPORTED);
  g_assert_nonnull (strstr (b->fault, "I32"));
  g_assert_cmpint (b->ops->dequantize (b, y, &floats, 2, 1), ==, ASSAY_DEVICE_FAULT);
  g_assert_cmpint (b->ops->dequantize (b, y, &floats, SIZE_MAX, 2), ==, ASSAY_DEVICE_FAULT);
  g_assert_cmpint (b->ops->dequantize (b, y, &floats, 2, 0), ==, ASSAY_OK);
  b->ops->destroy (b);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kernels/dequantize/matches-the-reference", test_matches_the_reference);
  g_test_add_func ("/kernels/dequantize/sees-one-wrong-bit", test_sees_one_wrong_bit);
  g_test_add_func ("/kernels/dequantize/gives-the-described-sums", test_gives_the_described_sums);
  g_test_add_func ("/kernels/dequantize/refuses-what-it-cannot-decode", test_refuses_what_it_cannot_decode);
  return g_test_run ();
}
