/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/text/assay-chat.c: the turns of each family, written as tokens.
 *
 * Marks become tokens by id; all other text, the template's and the person's, is encoded without looking for
 * control tokens in it. Adjoining text is encoded as one, since tokens may span the seam. */
#include "assay-chat-template.h"
#include "assay-tokenizer-private.h"

#include <string.h>

static const char *const format_names[] = {
  [ASSAY_CHAT_AUTO] = "auto",     [ASSAY_CHAT_RAW] = "raw",       [ASSAY_CHAT_CHATML] = "chatml",
  [ASSAY_CHAT_LLAMA2] = "llama2", [ASSAY_CHAT_LLAMA3] = "llama3", [ASSAY_CHAT_MISTRAL] = "mistral",
  [ASSAY_CHAT_GEMMA] = "gemma",   [ASSAY_CHAT_PHI] = "phi",       [ASSAY_CHAT_ZEPHYR] = "zephyr",
};

const char *
assay_chat_format_get_name (AssayChatFormat format)
{
  g_return_val_if_fail (format < G_N_ELEMENTS (format_names), NULL);
  return format_names[format];
}

gboolean
assay_chat_format_from_name (const char *name, AssayChatFormat *format)
{
  for (guint i = 0; i < G_N_ELEMENTS (format_names); i++)
    if (g_strcmp0 (name, format_names[i]) == 0)
      {
        *format = (AssayChatFormat) i;
        return TRUE;
      }
  return FALSE;
}

/* ---- which ---- */

/* "<|im_start|>, <|im_end|>", or NULL when the vocabulary has all. (transfer full) */
static char *
dup_missing_tokens (AssayChatFormat format, AssayTokenizer *tokenizer)
{
  static const char *const needed[][4] = {
    [ASSAY_CHAT_CHATML] = { "<|im_start|>", "<|im_end|>" },
    [ASSAY_CHAT_LLAMA3] = { "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>" },
    [ASSAY_CHAT_GEMMA] = { "<start_of_turn>", "<end_of_turn>" },
    [ASSAY_CHAT_PHI] = { "<|user|>", "<|assistant|>", "<|end|>" },
    [ASSAY_CHAT_ZEPHYR] = { NULL },
  };
  g_autoptr(GString) missing = g_string_new (NULL);
  for (guint i = 0; i < 4 && needed[format][i] != NULL; i++)
    if (assay_tokenizer_find_special (tokenizer, needed[format][i]) < 0)
      g_string_append_printf (missing, "%s%s", missing->len > 0 ? ", " : "", needed[format][i]);
  return missing->len > 0 ? g_strdup (missing->str) : NULL;
}

static void
set_unknown (GError **error, AssayModelFile *file, const char *why)
{
  assay_engine_error_set (error, ASSAY_ENGINE_ERROR_UNSUPPORTED, "chat-template-unknown",
                          assay_model_file_get_path (file), "tokenizer.chat_template",
                          assay_model_file_get_value_offset (file, "tokenizer.chat_template"),
                          "%s; a raw prompt still works", why);
}

static gboolean
check_tokens (AssayChatFormat format, AssayTokenizer *tokenizer, AssayModelFile *file, GError **error)
{
  g_autofree char *missing = dup_missing_tokens (format, tokenizer);
  if (missing == NULL)
    return TRUE;
  g_autofree char *why = g_strdup_printf ("the chat format %s needs %s, which the vocabulary lacks",
                                          format_names[format], missing);
  set_unknown (error, file, why);
  return FALSE;
}

/* A format that a person chose is a condition; the file is not at fault. */
static gboolean
check_chosen (AssayChatFormat format, AssayTokenizer *tokenizer, GError **error)
{
  g_autofree char *missing = dup_missing_tokens (format, tokenizer);
  if (missing == NULL)
    return TRUE;
  assay_engine_error_set (error, ASSAY_ENGINE_ERROR_RULE, "chat-format-tokens", NULL, "chat_format", -1,
                          "%s needs %s, which the vocabulary lacks; choose 'auto', or 'raw' for the prompt "
                          "as it is",
                          format_names[format], missing);
  return FALSE;
}

gboolean
assay_chat_format_recognise (AssayModelFile *file, AssayTokenizer *tokenizer, AssayChatFormat *format,
                             GError **error)
{
  g_return_val_if_fail (file != NULL && tokenizer != NULL && format != NULL, FALSE);

  g_auto(AssayChatTemplate) template;
  if (!assay_chat_template_read (&template, file, tokenizer))
    {
      set_unknown (error, file,
                   "the model's chat template is of no family known here (ChatML, Llama 2, Llama 3, Mistral, "
                   "Gemma, Phi, Zephyr), and a template from a file is never run");
      return FALSE;
    }
  if (!check_tokens (template.format, tokenizer, file, error))
    return FALSE;
  *format = template.format;
  return TRUE;
}

/* ---- writing ---- */

typedef struct
{
  AssayTokenizer *tokenizer;
  GString *text;  /* not encoded yet */
  GArray *ids;
  GCancellable *cancellable;
  GError **error;
  gboolean failed;
} Writer;

static void
write_flush (Writer *w)
{
  if (w->failed || w->text->len == 0)
    return;
  const AssayEncodeFlags flags = w->ids->len > 0 ? ASSAY_ENCODE_CONTINUED : ASSAY_ENCODE_DEFAULT;
  g_autoptr (GArray) ids
      = assay_tokenizer_encode (w->tokenizer, w->text->str, w->text->len, flags, w->cancellable, w->error);
  w->failed = ids == NULL;
  if (ids != NULL)
    g_array_append_vals (w->ids, ids->data, ids->len);
  g_string_truncate (w->text, 0);
}

static void
write_id (Writer *w, gint32 id)
{
  write_flush (w);
  if (id >= 0)
    g_array_append_val (w->ids, id);
}

/* The template's own text. A tokenizer that puts a space before text brings the one that a template begins
 * with. */
static void
write_literal (Writer *w, const char *text)
{
  if (*text == ' ' && w->text->len == 0 && w->tokenizer->space_prefix == ASSAY_SPACE_ALWAYS)
    text++;
  g_string_append (w->text, text);
}

/* A turn mark: a token, or plain text in vocabularies that have none for it. */
static void
write_mark (Writer *w, const char *mark)
{
  const gint32 id = assay_tokenizer_find_special (w->tokenizer, mark);
  if (id >= 0)
    write_id (w, id);
  else
    write_literal (w, mark);
}

/* As Python's str.strip () does. */
static gboolean
is_blank (gunichar c)
{
  return (c >= 0x1C && c <= 0x1F) || assay_unicode_class (c) == ASSAY_UNI_SPACE;
}

static void
write_text (Writer *w, const char *text, gboolean trim_start, gboolean trim_end)
{
  const char *end = text + strlen (text), *start = text, *last = text;
  gunichar c;
  while (trim_start && start < end)
    {
      const guint n = assay_unicode_next (start, end, &c);
      if (!is_blank (c))
        break;
      start += n;
    }
  for (const char *p = last = start; p < end;)
    {
      p += assay_unicode_next (p, end, &c);
      if (!trim_end || !is_blank (c))
        last = p;
    }
  g_string_append_len (w->text, start, last - start);
}

static void
write_chatml (Writer *w, const AssayChatTemplate *t, const char *system, const char *user)
{
  const struct { const char *role, *text; } turns[] = { { "system\n", system }, { "user\n", user } };
  for (guint i = *system == '\0'; i < 2; i++)
    {
      write_mark (w, "<|im_start|>");
      write_literal (w, turns[i].role);
      write_text (w, turns[i].text, t->trims, t->trims);
      write_mark (w, "<|im_end|>");
      write_literal (w, "\n");
    }
  write_mark (w, "<|im_start|>");
  write_literal (w, t->opens_thought ? "assistant\n<think>\n" : "assistant\n");
}

static void
write_llama3_header (Writer *w, const char *role)
{
  write_mark (w, "<|start_header_id|>");
  write_literal (w, role);
  write_mark (w, "<|end_header_id|>");
  write_literal (w, "\n\n");
}

static void
write_llama3 (Writer *w, const AssayChatTemplate *t, const char *system, const char *user)
{
  const struct { const char *role, *text; } turns[] = { { "system", system }, { "user", user } };
  for (guint i = *system == '\0'; i < 2; i++)
    {
      write_llama3_header (w, turns[i].role);
      write_text (w, turns[i].text, t->trims, t->trims);
      write_mark (w, "<|eot_id|>");
    }
  write_llama3_header (w, "assistant");
}

static void
write_llama2 (Writer *w, const AssayChatTemplate *t, const char *system, const char *user)
{
  write_mark (w, "[INST]");
  write_literal (w, " ");
  if (*system != '\0')
    {
      write_literal (w, "<<SYS>>\n");
      write_text (w, system, FALSE, FALSE);
      write_literal (w, "\n<</SYS>>\n\n");
    }
  write_text (w, user, t->trims && *system == '\0', t->trims);
  write_literal (w, " ");
  write_mark (w, "[/INST]");
}

static void
write_mistral (Writer *w, const AssayChatTemplate *t, const char *system, const char *user)
{
  if (t->space_before_inst)
    write_literal (w, " ");
  write_mark (w, "[INST]");
  if (t->space_in_inst)
    write_literal (w, " ");
  if (*system != '\0')
    {
      write_text (w, system, FALSE, FALSE);
      write_literal (w, "\n\n");
    }
  write_text (w, user, t->trims, t->trims);
  if (t->space_in_inst_end)
    write_literal (w, " ");
  write_mark (w, "[/INST]");
}

static void
write_gemma (Writer *w, const AssayChatTemplate *t, const char *system, const char *user)
{
  write_mark (w, "<start_of_turn>");
  write_literal (w, "user\n");
  if (*system != '\0')
    {
      write_text (w, system, FALSE, FALSE);
      write_literal (w, "\n\n");
    }
  write_text (w, user, t->trims, t->trims);
  write_mark (w, "<end_of_turn>");
  write_literal (w, "\n");
  write_mark (w, "<start_of_turn>");
  write_literal (w, "model\n");
}

/* Phi 3's marks swallow the blanks after them, so what its template writes there never becomes a token. */
static void
write_phi (Writer *w, const AssayChatTemplate *t, const char *system, const char *user)
{
  const gboolean swallows = w->tokenizer->kind == &assay_score_bpe_kind;
  const char *line_end = t->role_line && !swallows ? "\n" : "";
  const struct { const char *role, *text; } turns[] = { { "<|system|>", system }, { "<|user|>", user } };
  for (guint i = *system == '\0'; i < 2; i++)
    {
      write_mark (w, turns[i].role);
      write_literal (w, line_end);
      write_text (w, turns[i].text, t->trims || swallows, t->trims);
      write_mark (w, "<|end|>");
      write_literal (w, line_end);
    }
  write_mark (w, "<|assistant|>");
  write_literal (w, line_end);
}

static void
write_zephyr (Writer *w, const AssayChatTemplate *t, const char *system, const char *user)
{
  const struct { const char *role, *text; } turns[] = { { "<|system|>", system }, { "<|user|>", user } };
  for (guint i = *system == '\0'; i < 2; i++)
    {
      write_mark (w, turns[i].role);
      write_literal (w, "\n");
      write_text (w, turns[i].text, t->trims, t->trims);
      if (t->turn_end != NULL)
        write_mark (w, t->turn_end);
      else
        write_id (w, assay_tokenizer_get_eos (w->tokenizer));
      write_literal (w, "\n");
    }
  write_mark (w, "<|assistant|>");
  write_literal (w, "\n");
}

static void
write_turns (Writer *w, const AssayChatTemplate *t, const char *system, const char *user)
{
  static void (*const writers[]) (Writer *, const AssayChatTemplate *, const char *, const char *) = {
    [ASSAY_CHAT_CHATML] = write_chatml, [ASSAY_CHAT_LLAMA2] = write_llama2,
    [ASSAY_CHAT_LLAMA3] = write_llama3, [ASSAY_CHAT_MISTRAL] = write_mistral,
    [ASSAY_CHAT_GEMMA] = write_gemma,   [ASSAY_CHAT_PHI] = write_phi,
    [ASSAY_CHAT_ZEPHYR] = write_zephyr,
  };
  const gint32 bos = assay_tokenizer_get_bos (w->tokenizer);
  writers[t->format] (w, t, system, user);
  write_flush (w);
  /* SmolLM2's is <|im_start|>. */
  const gboolean has_bos = w->ids->len > 0 && g_array_index (w->ids, gint32, 0) == bos;
  if ((t->bos || assay_tokenizer_adds_bos (w->tokenizer)) && bos >= 0 && !has_bos)
    g_array_prepend_val (w->ids, bos);
}

static GArray *
encode_raw (AssayTokenizer *tokenizer, const char *system, const char *user, GCancellable *cancellable,
            GError **error)
{
  if (system != NULL && *system != '\0')
    {
      assay_engine_error_set (error, ASSAY_ENGINE_ERROR_RULE, "chat-raw-system", NULL, "chat_format", -1,
                              "a raw prompt has no place for a system message; write it into the prompt");
      return NULL;
    }
  return assay_tokenizer_encode (tokenizer, user, -1, ASSAY_ENCODE_ADD_SPECIAL, cancellable, error);
}

/* The model's own template where it is of that family, the family's habits otherwise. */
static gboolean
template_for (AssayChatTemplate *template, AssayChatFormat format, AssayTokenizer *tokenizer, GError **error)
{
  if (format == ASSAY_CHAT_AUTO && !assay_chat_format_recognise (tokenizer->file, tokenizer, &format, error))
    return FALSE;
  assay_chat_template_read (template, tokenizer->file, tokenizer);
  if (template->format != format)
    {
      assay_chat_template_clear (template);
      assay_chat_template_init (template, format);
    }
  return check_chosen (format, tokenizer, error);
}

GArray *
assay_chat_encode (AssayChatFormat format, AssayTokenizer *tokenizer, const char *system, const char *user,
                   GCancellable *cancellable, GError **error)
{
  g_return_val_if_fail (tokenizer != NULL && user != NULL, NULL);
  g_return_val_if_fail (format < G_N_ELEMENTS (format_names), NULL);

  g_auto(AssayChatTemplate) template = { .default_system = NULL };
  if (!template_for (&template, format, tokenizer, error))
    return NULL;
  if (template.format == ASSAY_CHAT_RAW)
    return encode_raw (tokenizer, system, user, cancellable, error);
  if (system == NULL)
    system = template.default_system != NULL ? template.default_system->str : "";

  Writer w = {
    .tokenizer = tokenizer, .text = g_string_new (NULL), .ids = g_array_new (FALSE, FALSE, sizeof (gint32)),
    .cancellable = cancellable, .error = error,
  };
  write_turns (&w, &template, system, user);
  g_string_free (w.text, TRUE);
  if (!w.failed)
    return w.ids;
  g_array_unref (w.ids);
  return NULL;
}
