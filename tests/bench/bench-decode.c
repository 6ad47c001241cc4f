/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/bench/bench-decode.c: prompt and decode speed of the engine on a model file.
 *
 *   bench-decode MODEL THREADS PROMPT_TOKENS DECODE_TOKENS [exact]
 *
 * Prints what computes, then for every line on standard input one round: "PROMPT DECODE" in tokens a second.
 * Whoever compares it with another engine can so take turns with it, since shared machines drift within
 * seconds. Forward passes only: nothing is drawn. */
#include <stdio.h>
#include <stdlib.h>

#include "assay-inspect.h"
#include "models/assay-model.h"

static void
check (gboolean fine, GError *error)
{
  if (fine)
    return;
  fprintf (stderr, "bench-decode: %s\n", error->message);
  exit (1);
}

static double
tokens_per_second (AssayModel *model, const gint32 *tokens, guint n, guint step)
{
  GError *error = NULL;
  const gint64 start_us = g_get_monotonic_time ();
  for (guint i = 0; i < n; i += step)
    check (assay_model_prompt (model, 0, tokens + i, step, NULL, NULL, &error), error);
  return n * 1e6 / (g_get_monotonic_time () - start_us);
}

/* The same ids as bench-decode.py gives to the other engine. */
static gint32 *
make_tokens (guint n, guint n_vocab)
{
  gint32 *tokens = g_new (gint32, n);
  for (guint i = 0; i < n; i++)
    tokens[i] = (gint32) (1000 + i * 7919u % (n_vocab - 1000));
  return tokens;
}

int
main (int argc, char *argv[])
{
  if (argc < 5)
    {
      fprintf (stderr, "bench-decode MODEL THREADS PROMPT_TOKENS DECODE_TOKENS [exact]\n");
      return 2;
    }
  const guint n_threads = (guint) atoi (argv[2]), n_prompt = (guint) atoi (argv[3]),
              n_decode = (guint) atoi (argv[4]);
  const AssayModelOptions options = { .context_length = n_prompt + n_decode, .k_dtype = ASSAY_DTYPE_F16,
                                      .v_dtype = ASSAY_DTYPE_F16,
                                      .format = { ASSAY_DTYPE_AS_STORED, ASSAY_DTYPE_AS_STORED } };
  g_autoptr (AssayAssembly) assembly = assay_assembly_new_resident ();
  GError *error = NULL;
  g_autoptr (AssayInspection) inspection = assay_inspect (argv[1], FALSE, NULL, &error);
  check (inspection != NULL, error);
  check (assay_model_file_map (inspection->file, &error), error);
  AssayDevice *device = assay_device_new_cpu (n_threads, argc > 5 ? ASSAY_COMPUTE_F32 : ASSAY_COMPUTE_INT8, 0,
                                              &error);
  check (device != NULL, error);
  AssayModel *model = assay_model_new (inspection->file, &inspection->config, device, device, &options,
                                       &error);
  check (model != NULL, error);
  check (assay_model_place (model, assembly, NULL, NULL, NULL, NULL, &error), error);
  g_autofree gint32 *tokens = make_tokens (n_prompt + n_decode, inspection->config.n_vocab);
  printf ("%s, %s\n", assay_cpu_get_kernel_name (assay_device_get_backend (device)),
          assay_model_get_attention_kernel (model));
  fflush (stdout);

  char line[64];
  while (fgets (line, sizeof line, stdin) != NULL)
    {
      assay_model_reset (model, 0);
      const double prompt = tokens_per_second (model, tokens, n_prompt, n_prompt);
      assay_model_reset (model, 0);
      const double decode = tokens_per_second (model, tokens, n_decode, 1);
      printf ("%.2f %.2f\n", prompt, decode);
      fflush (stdout);
    }
  assay_model_free (model);
  assay_device_free (device);
  return 0;
}
