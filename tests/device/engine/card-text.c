/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/engine/card-text.c: whether a model says on a device what it says on the processor.
 *
 *   card-text MODEL N [DEVICE]
 *
 * N greedy tokens to one question, in float32 and in each offload mode: the text must be the processor's, or the program
 * ends with 1. Then the other compute types, whose text may differ: how many tokens are the same is printed. */
#include <stdio.h>
#include <stdlib.h>

#include "card-work.h"

#define QUESTION "Name three metals and say what each is used for."

typedef struct { const char *label, *compute, *mode; gboolean must_agree; } Way;

static const Way ways[] = {
  { "float32, resident", "float32", "none", TRUE },      { "float32, model", "float32", "model", TRUE },
  { "float32, group", "float32", "group", TRUE },        { "float32, sequential", "float32", "sequential", TRUE },
  { "float16, resident", "float16", "none", FALSE },     { "bfloat16, resident", "bfloat16", "none", FALSE },
  { "int8, resident", "int8", "none", FALSE },
};

/* NULL where it cannot be had; the reason was printed. */
static GArray *
answer (const char *path, const char *device, const Way *way, guint n, char **text)
{
  g_autofree char *on = g_strconcat ("device=", device, NULL);
  g_autofree char *compute = g_strconcat ("compute_dtype=", way->compute, NULL);
  g_autofree char *mode = g_strconcat ("offload_mode=", way->mode, NULL);
  const char *const settings[] = { on, compute, mode, "context_length=512", "kv_cache_type=float32", NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) prompt = NULL;
  CardWork work;
  GArray *out = NULL;
  if (card_work_open (&work, path, settings, FALSE, &error))
    prompt = assay_chat_encode (work.inspection->chat_format, work.inspection->tokenizer, NULL, QUESTION, NULL, &error);
  if (prompt != NULL)
    out = card_work_generate (&work, (const gint32 *) prompt->data, prompt->len, n, &error);
  if (out != NULL && text != NULL)
    *text = g_string_free (
      assay_tokenizer_decode (work.inspection->tokenizer, (const gint32 *) out->data, out->len, TRUE), FALSE);
  if (out == NULL)
    printf ("%-22s %s\n", way->label, error->message);
  card_work_close (&work);
  return out;
}

static guint
count_same (GArray *a, GArray *b)
{
  guint n = 0;
  while (n < a->len && n < b->len && g_array_index (a, gint32, n) == g_array_index (b, gint32, n))
    n++;
  return n;
}

int
main (int argc, char **argv)
{
  if (argc < 3 || atoi (argv[2]) < 1)
    {
      fprintf (stderr, "card-text MODEL N [DEVICE]\n");
      return 2;
    }
  const char *device = argc > 3 ? argv[3] : "cuda:0";
  const guint n = (guint) atoi (argv[2]);
  g_autofree char *text = NULL;
  g_autoptr (GArray) expected = answer (argv[1], "cpu", &ways[0], n, &text);
  guint n_wrong = 0;
  if (expected == NULL)
    return 1;
  printf ("on the processor: %s\n", text);
  for (guint i = 0; i < G_N_ELEMENTS (ways); i++)
    {
      g_autoptr (GArray) got = answer (argv[1], device, &ways[i], n, NULL);
      const guint same = got != NULL ? count_same (got, expected) : 0;
      const gboolean wrong = got == NULL || (ways[i].must_agree && same < n);
      if (got != NULL)
        printf ("%-22s %u of %u tokens the same%s\n", ways[i].label, same, n, wrong ? ": NOT the processor's text" : "");
      n_wrong += wrong;
    }
  return n_wrong > 0;
}
