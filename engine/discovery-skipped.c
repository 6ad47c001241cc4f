/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/discovery-skipped.c: what a file is that this engine does not run, in a person's words before the machine's.
 *
 * Kinds are known by the architecture's name in the refusal, or by the tensors' names where a file names none. */
#include "assay-discovery-private.h"

#include "assay-engine-error.h"

#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <string.h>
#include <unistd.h>

typedef struct
{
  const char *word; /* the architecture, or how it begins where it ends in '*' */
  const char *kind; /* msgid */
} SkippedKind;

#define MIXTURE N_("a mixture of experts (MoE), which this engine does not compute")
#define EMBEDDING N_("an embedding model, which writes no text")
#define VISION N_("the image part of another model, and no model of its own")
#define SPEECH N_("a speech model")
#define IMAGE N_("an image model")
#define ENCODER N_("a text encoder, which is a part of other models")
#define RECURRENT N_("a recurrent model, which this engine does not compute")

static const SkippedKind kinds[] = {
  { "clip*", VISION },        { "mmproj*", VISION },     { "siglip*", VISION },       { "bert*", EMBEDDING },
  { "nomic-bert*", EMBEDDING }, { "nomic_bert*", EMBEDDING }, { "jina-bert*", EMBEDDING }, { "modern-bert*", EMBEDDING },
  { "modernbert*", EMBEDDING }, { "roberta*", EMBEDDING }, { "xlm-roberta*", EMBEDDING }, { "distilbert*", EMBEDDING },
  { "mpnet*", EMBEDDING },    { "gemma-embedding*", EMBEDDING }, { "whisper*", SPEECH }, { "wavtokenizer*", SPEECH },
  { "wav2vec2*", SPEECH },    { "flux*", IMAGE },        { "sd1*", IMAGE },           { "sd2*", IMAGE },
  { "sd3*", IMAGE },          { "sdxl*", IMAGE },        { "qwen_image*", IMAGE },    { "lumina2*", IMAGE },
  { "wan*", IMAGE },          { "ltxv*", IMAGE },        { "hyvid*", IMAGE },         { "t5*", ENCODER },
  { "umt5*", ENCODER },       { "mixtral*", MIXTURE },   { "qwen2_moe*", MIXTURE },   { "qwen2moe*", MIXTURE },
  { "qwen3_moe*", MIXTURE },  { "qwen3moe*", MIXTURE },  { "deepseek*", MIXTURE },    { "olmoe*", MIXTURE },
  { "gpt_oss*", MIXTURE },    { "gpt-oss*", MIXTURE },   { "dbrx*", MIXTURE },        { "llama4*", MIXTURE },
  { "phimoe*", MIXTURE },     { "granitemoe*", MIXTURE }, { "rwkv*", RECURRENT },     { "mamba*", RECURRENT },
};

/* Names that tensors of a checkpoint for images begin with. */
static const char *const image_tensors[] = { "model.diffusion_model.", "double_blocks.", "first_stage_model.",
                                             "transformer_blocks.", "joint_blocks.", "down_blocks.", "lora_unet_" };

static gboolean
word_matches (const char *pattern, const char *word)
{
  const gsize n = strlen (pattern) - 1;
  return pattern[n] == '*' ? strncmp (word, pattern, n) == 0 : strcmp (word, pattern) == 0;
}

static const char *
skipped_find_kind (const char *word)
{
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (word_matches (kinds[i].word, word))
      return _(kinds[i].kind);
  return NULL;
}

/* The value that a refusal quotes: …architecture: 'bert'; … (transfer full) */
static char *
skipped_dup_quoted (const char *message)
{
  const char *start = strpbrk (message, "'\"");
  const char *stop = start != NULL ? strchr (start + 1, *start) : NULL;
  return stop != NULL ? g_strndup (start + 1, (gsize) (stop - start - 1)) : NULL;
}

static gboolean
header_has_image_tensors (const char *header, gsize length)
{
  for (guint i = 0; i < G_N_ELEMENTS (image_tensors); i++)
    {
      g_autofree char *quoted = g_strconcat ("\"", image_tensors[i], NULL);
      if (memmem (header, length, quoted, strlen (quoted)) != NULL)
        return TRUE;
    }
  return FALSE;
}

/* The list of tensors stands at the file's beginning; names of one kind follow each other, so some of it will do. */
static gboolean
skipped_is_image_weights (const char *path)
{
  enum { PEEK_BYTES = 256 << 10 };
  if (!g_str_has_suffix (path, ".safetensors"))
    return FALSE;
  const int fd = open (path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0)
    return FALSE;
  g_autofree char *header = g_malloc (PEEK_BYTES);
  const gssize n = read (fd, header, PEEK_BYTES);
  close (fd);
  return n > 0 && header_has_image_tensors (header, (gsize) n);
}

char *
assay_discovery_dup_skipped_words (const char *path, const GError *error, const char *problem)
{
  const char *field = assay_engine_error_get_field (error);
  const gboolean of_architecture
      = field != NULL && (strcmp (field, "general.architecture") == 0 || strcmp (field, "model_type") == 0);
  g_autofree char *word = of_architecture ? skipped_dup_quoted (problem) : NULL;
  const char *kind = word != NULL ? skipped_find_kind (word) : NULL;
  if (strcmp (assay_engine_error_get_reason (error), "mixture-of-experts") == 0)
    kind = _(MIXTURE);
  if (kind == NULL && skipped_is_image_weights (path))
    kind = _(IMAGE);
  if (kind == NULL && g_error_matches (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND))
    kind = _("an incomplete download");
  /* Translators: what a file is, and the engine's own words on why it cannot be used */
  return kind != NULL ? g_strdup_printf (_("%s. %s"), kind, problem) : g_strdup (problem);
}
