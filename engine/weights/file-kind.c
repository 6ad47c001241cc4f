/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/file-kind.c: what a file is that is not GGUF, told by its content whatever its name says,
 * and what to do about it. Nothing of it is opened: archives and pickles can carry programs. */
#include "gguf-private.h"

#include <string.h>

typedef struct
{
  const char *magic;
  gsize length;
  const char *reason;
  AssayEngineError code;
  const char *advice;
} FileKind;

#define OLD_ADVICE                                                                                           \
  "a model from before GGUF (GGML, GGMF, GGJT); it must be converted: llama.cpp's "                          \
  "convert-llama-ggml-to-gguf.py does it"
#define PICKLE_ADVICE                                                                                        \
  "a Python pickle, which can run programs when it is read, so it is never opened here; convert the model "  \
  "to GGUF "                                                                                                 \
  "(llama.cpp's convert_hf_to_gguf.py) or look for a GGUF of it"

static const FileKind kinds[] = {
  { "lmgg", 4, "gguf-old-format", ASSAY_ENGINE_ERROR_FORMAT, OLD_ADVICE },
  { "ggml", 4, "gguf-old-format", ASSAY_ENGINE_ERROR_FORMAT, OLD_ADVICE },
  { "fmgg", 4, "gguf-old-format", ASSAY_ENGINE_ERROR_FORMAT, OLD_ADVICE },
  { "ggmf", 4, "gguf-old-format", ASSAY_ENGINE_ERROR_FORMAT, OLD_ADVICE },
  { "tjgg", 4, "gguf-old-format", ASSAY_ENGINE_ERROR_FORMAT, OLD_ADVICE },
  { "ggjt", 4, "gguf-old-format", ASSAY_ENGINE_ERROR_FORMAT, OLD_ADVICE },
  { "FUGG", 4, "gguf-byte-order", ASSAY_ENGINE_ERROR_FORMAT,
    "the letters of GGUF in reverse: the file was written for machines of the other byte order, or is "
    "damaged" },
  { "PK\003\004", 4, "zip-archive", ASSAY_ENGINE_ERROR_FORMAT,
    "a zip archive, as PyTorch writes its checkpoints; these can run programs when they are read, so it is "
    "never "
    "opened here; convert the model to GGUF (llama.cpp's convert_hf_to_gguf.py) or look for a GGUF of it" },
  { "\200\002", 2, "python-pickle", ASSAY_ENGINE_ERROR_FORMAT, PICKLE_ADVICE },
  { "\200\003", 2, "python-pickle", ASSAY_ENGINE_ERROR_FORMAT, PICKLE_ADVICE },
  { "\200\004", 2, "python-pickle", ASSAY_ENGINE_ERROR_FORMAT, PICKLE_ADVICE },
  { "\200\005", 2, "python-pickle", ASSAY_ENGINE_ERROR_FORMAT, PICKLE_ADVICE },
  { "\211HDF", 4, "hdf5-file", ASSAY_ENGINE_ERROR_FORMAT,
    "an HDF5 file (Keras); choose a GGUF of the model" },
  { "version https://", 16, "git-lfs-pointer", ASSAY_ENGINE_ERROR_FORMAT,
    "a Git LFS pointer, a small text in the model's place; fetch the file itself with `git lfs pull`" },
  { "<!DOCTYPE html", 14, "web-page", ASSAY_ENGINE_ERROR_FORMAT,
    "a web page saved under this name; fetch the model file itself" },
  { "\037\213", 2, "compressed-file", ASSAY_ENGINE_ERROR_FORMAT, "a gzip file; unpack it first" },
};

static gboolean
file_kind_is_safetensors (const guint8 *first, gsize length, guint64 size)
{
  guint64 header;
  if (length < 9)
    return FALSE;
  memcpy (&header, first, sizeof header);
  header = GUINT64_FROM_LE (header);
  return first[8] == '{' && header >= 2 && header <= size - 8;
}

void
assay_gguf_set_kind_error (const char *path, const guint8 *first, gsize length, guint64 size, GError **error)
{
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (length >= kinds[i].length && memcmp (first, kinds[i].magic, kinds[i].length) == 0)
      {
        assay_engine_error_set (error, kinds[i].code, kinds[i].reason, path, NULL, 0, "not GGUF, but %s",
                                kinds[i].advice);
        return;
      }
  if (file_kind_is_safetensors (first, length, size))
    {
      assay_engine_error_set (
          error, ASSAY_ENGINE_ERROR_UNSUPPORTED, "safetensors-file", path, NULL, 0,
          "a safetensors file; reading these comes with a later release. Choose a GGUF of the model");
      return;
    }
  if (length < 4)
    {
      assay_engine_error_set (
          error, ASSAY_ENGINE_ERROR_FORMAT, "gguf-truncated", path, NULL, 0,
          "the file has %" G_GUINT64_FORMAT " bytes, too few for any model: fetch it again", size);
      return;
    }
  g_autofree char *magic = assay_engine_escape ((const char *) first, 4);
  assay_engine_error_set (error, ASSAY_ENGINE_ERROR_FORMAT, "gguf-bad-magic", path, NULL, 0,
                          "not a GGUF file: it begins with '%s' instead of 'GGUF'", magic);
}
