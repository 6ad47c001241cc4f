/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/app/make-tiny-model.c: writes a small valid model for tests that drive the program from outside.
 *
 *   make-tiny-model FILE.gguf [DTYPE [CONTEXT [LAYERS]]]     Q8_0 512 2 unless given */
#include <stdlib.h>
#include <string.h>

#include "tiny-model.h"

static AssayDtype
dtype_from_name (const char *name)
{
  for (guint32 i = 0; i < 64; i++)
    if (assay_dtype_info (i) != NULL && strcmp (assay_dtype_info (i)->name, name) == 0)
      return i;
  g_printerr ("make-tiny-model: no format is called %s\n", name);
  exit (2);
}

int
main (int argc, char **argv)
{
  if (argc < 2)
    {
      g_printerr ("usage: make-tiny-model FILE.gguf [DTYPE [CONTEXT [LAYERS]]]\n");
      return 2;
    }
  const TinyModel options = {
    .n_layers = argc > 4 ? (guint) atoi (argv[4]) : 2,
    .n_embd = 64,
    .n_heads = 4,
    .n_kv_heads = 2,
    .context_length = argc > 3 ? (guint) atoi (argv[3]) : 512,
    .matrices = dtype_from_name (argc > 2 ? argv[2] : "Q8_0"),
    .tokenizer = TINY_GPT2,
    .seed = 7,
  };
  tiny_model_save (&options, argv[1]);
  return 0;
}
