/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/fuzz/fuzz-seeds.c: `fuzz-seeds FOLDER` writes small valid models of several kinds, to start from. */
#include "tiny-model.h"

#include <glib/gstdio.h>

int
main (int argc, char *argv[])
{
  static const TinyModel models[] = {
    { .n_ff = 32, .matrices = ASSAY_DTYPE_Q4_0, .embedding = ASSAY_DTYPE_Q4_0 },
    { .n_ff = 32, .matrices = ASSAY_DTYPE_Q8_0, .embedding = ASSAY_DTYPE_Q4_1, .tokenizer = TINY_GPT2 },
    { .n_ff = 32,
      .matrices = ASSAY_DTYPE_F16,
      .embedding = ASSAY_DTYPE_Q4_0,
      .tokenizer = TINY_LLAMA_BYTES,
      .qkv_bias = TRUE },
    { .n_ff = 32,
      .matrices = ASSAY_DTYPE_Q5_1,
      .embedding = ASSAY_DTYPE_Q5_0,
      .rope_freqs = TRUE,
      .own_output = TRUE,
      .alignment = 8 },
  };
  if (argc != 2)
    {
      g_printerr ("usage: fuzz-seeds FOLDER\n");
      return 2;
    }
  for (guint i = 0; i < G_N_ELEMENTS (models); i++)
    {
      g_autofree char *path = g_strdup_printf ("%s/seed-%u.gguf", argv[1], i);
      g_autoptr (GgufWriter) w = tiny_model_new (&models[i]);
      if (i == 1)
        gguf_writer_set_string (w, "tokenizer.chat_template",
                                "{% for m in messages %}<|im_start|>{{ m['role'] }}{% endfor %}");
      gguf_writer_save (w, path);
    }
  return 0;
}
