/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/engine/card-speed.c: how fast a model is on a device, and what it takes there.
 *
 *   card-speed MODEL PROMPT_TOKENS DECODE_TOKENS [field=value…]
 *
 * Settings are those of a trial, "device=cuda:0" first of all, and "chunk=N". Prints "key: value" lines: tokens a second of
 * prompt and decode (drawing included), the weights that a decode step reads, the copies over the link in it, and the
 * device memory that was taken beside what the planner foretold. One round warms up. */
#include <stdio.h>
#include <stdlib.h>

#include "assay-device-private.h"
#include "card-work.h"

typedef struct
{
  double prompt_s, decode_s;
  AssayLinkFigures before, after; /* of the decode steps */
} Round;

static gint64
now_us (void)
{
  return g_get_monotonic_time ();
}

/* Of all that is done. */
static gboolean
read_link (CardWork *work, AssayLinkFigures *out, GError **error)
{
  *out = (AssayLinkFigures){ 0 };
  if (work->rig.link == NULL)
    return TRUE;
  if (!assay_link_wait (work->rig.link, 0, error))
    return FALSE;
  assay_link_get_figures (work->rig.link, out);
  return TRUE;
}

static gboolean
decode (AssayModel *model, gint32 token, guint n, GError **error)
{
  const AssaySampling greedy = { .temperature = 0 };
  const guint sequence = 0;
  for (guint i = 0; i < n; i++)
    if (!assay_model_decode (model, &sequence, &token, 1, NULL, NULL, error)
        || !assay_model_sample (model, 0, &greedy, &token, error))
      return FALSE;
  return TRUE;
}

/* Drawing waits for the pass, so that a clock of the host is right. */
static gboolean
run_round (CardWork *work, guint n_prompt, guint n_decode, Round *out, GError **error)
{
  const AssaySampling greedy = { .temperature = 0 };
  AssayModel *model = work->rig.model;
  g_autofree gint32 *tokens = card_work_dup_tokens (work, n_prompt);
  gint32 token;
  assay_model_reset (model, 0);
  const gint64 start_us = now_us ();
  if (!assay_model_prompt (model, 0, tokens, n_prompt, NULL, NULL, error)
      || !assay_model_sample (model, 0, &greedy, &token, error) || !read_link (work, &out->before, error))
    return FALSE;
  const gint64 prompt_us = now_us ();
  if (!decode (model, token, n_decode, error))
    return FALSE;
  out->prompt_s = (double) (prompt_us - start_us) / 1e6;
  out->decode_s = (double) (now_us () - prompt_us) / 1e6;
  return read_link (work, &out->after, error);
}

/* --- what a pass works on --- */

/* Elements of the matrices that each token of a prompt is multiplied with: those of the layers. Bytes of an embedding that
 * is not the head too, of which a pass reads a row and no more. */
static void
count_matrices (AssayModelFile *file, guint64 *n_elements, guint64 *embedding_bytes)
{
  const AssayTensorInfo *embedding = assay_model_file_find_tensor (file, "token_embd.weight"),
                        *head = assay_model_file_find_tensor (file, "output.weight");
  *n_elements = 0;
  *embedding_bytes = head != NULL && embedding != NULL ? embedding->bytes : 0;
  for (guint i = 0; i < assay_model_file_get_n_tensors (file); i++)
    {
      const AssayTensorInfo *tensor = assay_model_file_get_tensor (file, i);
      if (tensor->n_dims > 1 && tensor != embedding && tensor != head)
        *n_elements += (guint64) (tensor->shape[0] * tensor->shape[1]);
    }
}

static void
print_memory (CardWork *work)
{
  AssayDeviceFigures figures;
  guint64 n_elements, embedding_bytes, free_bytes, total;
  const AssayCudaModule *cuda = assay_device_get_cuda (work->rig.device);
  assay_device_get_figures (work->rig.device, &figures);
  count_matrices (work->inspection->file, &n_elements, &embedding_bytes);
  printf ("layer_elements: %" G_GUINT64_FORMAT "\n", n_elements);
  printf ("read_bytes: %" G_GUINT64_FORMAT "\n",
          figures.allocated[ASSAY_MEMORY_WEIGHTS] - MIN (embedding_bytes, figures.allocated[ASSAY_MEMORY_WEIGHTS]));
  printf ("peak_bytes: %" G_GUINT64_FORMAT "\n", figures.peak_allocated);
  printf ("reserved_bytes: %" G_GUINT64_FORMAT "\n", figures.peak_reserved);
  if (cuda != NULL
      && cuda->get_memory (assay_device_get_backend (work->rig.device), &free_bytes, &total) == ASSAY_OK)
    printf ("device_used_bytes: %" G_GUINT64_FORMAT "\n", total - free_bytes);
}

static void
print_round (const Round *r, guint n_prompt, guint n_decode)
{
  const double busy_s = (double) (r->after.busy_ns - r->before.busy_ns) / 1e9,
               stall_s = (double) (r->after.stall_ns - r->before.stall_ns) / 1e9;
  const guint64 bytes = r->after.bytes - r->before.bytes;
  printf ("prompt_tokens_s: %.2f\ndecode_tokens_s: %.3f\nstep_seconds: %.9f\n", n_prompt / r->prompt_s,
          n_decode / r->decode_s, r->decode_s / n_decode);
  printf ("link_pass_bytes: %" G_GUINT64_FORMAT "\nlink_busy_s: %.6f\nlink_stall_s: %.6f\n", bytes / n_decode, busy_s,
          stall_s);
  if (busy_s > 0)
    printf ("link_gb_s: %.3f\nlink_hidden: %.4f\n", (double) bytes / busy_s / 1e9, 1 - stall_s / busy_s);
}

static gboolean
measure (const char *path, guint n_prompt, guint n_decode, const char *const *settings, GError **error)
{
  CardWork work;
  Round round;
  const gint64 start_us = now_us ();
  gboolean fine = card_work_open (&work, path, settings, FALSE, error);
  const double load_s = (double) (now_us () - start_us) / 1e6;
  fine = fine && run_round (&work, n_prompt, MIN (n_decode, 3), &round, error)
         && run_round (&work, n_prompt, n_decode, &round, error);
  if (fine)
    {
      printf ("load_s: %.2f\n", load_s);
      print_round (&round, n_prompt, n_decode);
      print_memory (&work);
    }
  card_work_close (&work);
  return fine;
}

/* The same calls, counted. */
static gboolean
foretell (const char *path, guint n_prompt, const char *const *settings, GError **error)
{
  CardWork work;
  Round round;
  AssayDeviceFigures figures;
  const gboolean fine
    = card_work_open (&work, path, settings, TRUE, error) && run_round (&work, n_prompt, 1, &round, error);
  if (fine)
    {
      assay_device_get_figures (work.rig.device, &figures);
      printf ("plan_bytes: %" G_GUINT64_FORMAT "\n", figures.peak_allocated);
    }
  card_work_close (&work);
  return fine;
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  if (argc < 4 || atoi (argv[2]) < 1 || atoi (argv[3]) < 1)
    {
      fprintf (stderr, "card-speed MODEL PROMPT_TOKENS DECODE_TOKENS [field=value…]\n");
      return 2;
    }
  const guint n_prompt = (guint) atoi (argv[2]), n_decode = (guint) atoi (argv[3]);
  g_autofree char *context = g_strdup_printf ("context_length=%u", n_prompt + n_decode);
  g_autoptr (GPtrArray) settings = g_ptr_array_new ();
  g_ptr_array_add (settings, context);
  for (int i = 4; i <= argc; i++) /* its end too */
    g_ptr_array_add (settings, argv[i]);
  const char *const *list = (const char *const *) settings->pdata;
  if (measure (argv[1], n_prompt, n_decode, list, &error) && foretell (argv[1], n_prompt, list, &error))
    return 0;
  fprintf (stderr, "card-speed: %s\n", error->message);
  return 1;
}
