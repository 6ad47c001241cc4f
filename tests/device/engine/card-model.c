/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/engine/card-model.c: a Llama of a known shape with random weights, of any size, for measuring.
 *
 *   card-model FILE.gguf SHAPE FORMAT       SHAPE: tiny, thin, 1b, 8b; FORMAT: BF16, Q8_0, Q4_K …
 *
 * 1b and 8b are the numbers of Llama 3.2 and 3.1; thin is as deep as 1b and as narrow as can be, so that a pass of it is
 * little but launches. The metadata is written first, then each tensor is filled with a million random weights over and
 * over: many gigabytes in seconds, and no zeros, which would cost a card less power. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "assay-inspect.h"
#include "tiny-model.h"

#define PATTERN (1u << 20) /* elements */

static const struct { const char *name; TinyModel model; } shapes[] = {
  { "tiny", { .n_layers = 2, .n_embd = 256, .n_ff = 512, .n_heads = 4, .n_kv_heads = 2, .n_vocab = 512 } },
  { "thin", { .n_layers = 16, .n_embd = 256, .n_ff = 256, .n_heads = 4, .n_kv_heads = 1, .n_vocab = 512 } },
  { "1b", { .n_layers = 16, .n_embd = 2048, .n_ff = 8192, .n_heads = 32, .n_kv_heads = 8, .n_vocab = 128256 } },
  { "8b", { .n_layers = 32, .n_embd = 4096, .n_ff = 14336, .n_heads = 32, .n_kv_heads = 8, .n_vocab = 128256,
            .own_output = TRUE } },
};

static const TinyModel *
find_shape (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++)
    if (g_str_equal (shapes[i].name, name))
      return &shapes[i].model;
  return NULL;
}

static gboolean
write_all (int fd, const guint8 *data, gsize bytes, guint64 at)
{
  while (bytes > 0)
    {
      const gssize n = pwrite (fd, data, bytes, (off_t) at);
      if (n <= 0)
        return FALSE;
      data += n;
      at += (guint64) n;
      bytes -= (gsize) n;
    }
  return TRUE;
}

/* Norms are all ones. */
static GByteArray *
pattern_new (GRand *rand, const AssayTensorInfo *tensor)
{
  const float one = 1;
  if (tensor->n_dims > 1)
    return tiny_random_weights (rand, tensor->dtype, PATTERN);
  GByteArray *ones = g_byte_array_new ();
  while (ones->len < 4096)
    g_byte_array_append (ones, (const guint8 *) &one, sizeof one);
  return ones;
}

static gboolean
fill_tensor (int fd, GRand *rand, const AssayTensorInfo *tensor)
{
  g_autoptr (GByteArray) pattern = pattern_new (rand, tensor);
  for (guint64 done = 0; done < tensor->bytes; done += pattern->len)
    if (!write_all (fd, pattern->data, (gsize) MIN (tensor->bytes - done, pattern->len), tensor->offset + done))
      return FALSE;
  return TRUE;
}

static gboolean
fill_tensors (AssayModelFile *file, int fd)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (11);
  for (guint i = 0; i < assay_model_file_get_n_tensors (file); i++)
    if (!fill_tensor (fd, rand, assay_model_file_get_tensor (file, i)))
      return FALSE;
  return TRUE;
}

static gboolean
fill_file (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayModelFile) file = assay_model_file_open (path, NULL, &error);
  const int fd = open (path, O_WRONLY | O_CLOEXEC);
  gboolean fine = file != NULL && fd >= 0 && fill_tensors (file, fd);
  fine = fd >= 0 && close (fd) == 0 && fine;
  if (!fine)
    fprintf (stderr, "card-model: %s: %s\n", path,
             error != NULL ? error->message : "the disk is full, or cannot be written");
  return fine;
}

int
main (int argc, char **argv)
{
  const TinyModel *shape = argc == 4 ? find_shape (argv[2]) : NULL;
  AssayDtype format;
  if (shape == NULL || !assay_dtype_from_name (argv[3], &format))
    {
      fprintf (stderr, "card-model FILE.gguf tiny|thin|1b|8b FORMAT\n");
      return 2;
    }
  TinyModel model = *shape;
  model.matrices = model.embedding = format;
  model.context_length = 4096;
  model.tokenizer = TINY_GPT2;
  model.sparse = TRUE;
  tiny_model_save (&model, argv[1]);
  return fill_file (argv[1]) ? 0 : 1;
}
