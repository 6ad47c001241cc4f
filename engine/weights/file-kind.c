/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/file-kind.c: what a file is that is no model, told by its content whatever its name says,
 * and what to do about it. Nothing of it is opened: archives and pickles can carry programs. */
#include "model-private.h"

#include <string.h>

typedef struct
{
  const char *magic;
  gsize length;
  const char *reason;
  const char *advice;
} FileKind;

#define OLD_ADVICE                                                                                           \
  "a model from before GGUF (GGML, GGMF, GGJT); it must be converted: llama.cpp's "                          \
  "convert-llama-ggml-to-gguf.py does it"
#define CONVERT_ADVICE                                                                                       \
  "can run programs when it is read, so it is never opened here; convert the model to safetensors "          \
  "(transformers: save_pretrained) or GGUF (llama.cpp: convert_hf_to_gguf.py), or look for one of it"
#define PICKLE_ADVICE "a Python pickle, which " CONVERT_ADVICE

static const FileKind kinds[] = {
  { "lmgg", 4, "gguf-old-format", OLD_ADVICE },
  { "ggml", 4, "gguf-old-format", OLD_ADVICE },
  { "fmgg", 4, "gguf-old-format", OLD_ADVICE },
  { "ggmf", 4, "gguf-old-format", OLD_ADVICE },
  { "tjgg", 4, "gguf-old-format", OLD_ADVICE },
  { "ggjt", 4, "gguf-old-format", OLD_ADVICE },
  { "FUGG", 4, "gguf-byte-order",
    "the letters of GGUF in reverse: the file was written for machines of the other byte order, or is "
    "damaged" },
  { "PK\003\004", 4, "zip-archive",
    "a zip archive, as PyTorch writes its checkpoints, which " CONVERT_ADVICE },
  { "\200\002", 2, "python-pickle", PICKLE_ADVICE },
  { "\200\003", 2, "python-pickle", PICKLE_ADVICE },
  { "\200\004", 2, "python-pickle", PICKLE_ADVICE },
  { "\200\005", 2, "python-pickle", PICKLE_ADVICE },
  { "\211HDF", 4, "hdf5-file",
    "an HDF5 file (Keras); choose a GGUF or safetensors of the model" },
  { "version https://", 16, "git-lfs-pointer",
    "a Git LFS pointer, a small text in the model's place; fetch the file itself with `git lfs pull`" },
  { "<!DOCTYPE html", 14, "web-page",
    "a web page saved under this name; fetch the model file itself" },
  { "\037\213", 2, "compressed-file", "a gzip file; unpack it first" },
};

gboolean
assay_file_kind_is_gguf (const guint8 *first, gsize length)
{
  return length >= 4 && memcmp (first, "GGUF", 4) == 0;
}

/* Told before the others: a header's length may begin like a pickle or an archive. */
gboolean
assay_file_kind_is_safetensors (const guint8 *first, gsize length, guint64 size)
{
  guint64 header;
  if (length < 9)
    return FALSE;
  memcpy (&header, first, sizeof header);
  header = GUINT64_FROM_LE (header);
  gsize brace = 8;
  while (brace < length && memchr (" \t\r\n", first[brace], 4) != NULL)
    brace++;
  return brace < length && first[brace] == '{' && header >= 2 && header <= size - 8;
}

gboolean
assay_file_kind_check (const char *path, const guint8 *first, gsize length, const char *wanted, GError **error)
{
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (length >= kinds[i].length && memcmp (first, kinds[i].magic, kinds[i].length) == 0)
      {
        assay_engine_error_set (error, ASSAY_ENGINE_ERROR_FORMAT, kinds[i].reason, path, NULL, 0,
                                "not %s, but %s", wanted, kinds[i].advice);
        return FALSE;
      }
  return TRUE;
}
