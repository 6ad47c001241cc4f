/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/text/assay-chat-template.c: a family is known by the turn marks that its template holds; what its
 * members differ in, by the literals around them. A line end in a literal is written either as itself or as
 * \n. */
#include "assay-chat-template.h"

#include <string.h>

enum { LONGEST_TEMPLATE = 1 << 20, LONGEST_SYSTEM = 4096 };

#define BLANKS " \t\r\n"

typedef struct { const char *p, *end; } Span;

static const char *
span_find (Span in, const char *what)
{
  return in.p < in.end ? memmem (in.p, in.end - in.p, what, strlen (what)) : NULL;
}

static gboolean
span_has (Span in, const char *what)
{
  return span_find (in, what) != NULL;
}

static gboolean
span_has_any (Span in, const char *const *whats)
{
  for (; *whats != NULL; whats++)
    if (span_has (in, *whats))
      return TRUE;
  return FALSE;
}

static gboolean
span_starts (Span in, const char *what)
{
  const gsize n = strlen (what);
  return in.end - in.p >= (gssize) n && memcmp (in.p, what, n) == 0;
}

static gboolean
span_skip (Span *in, const char *what)
{
  if (!span_starts (*in, what))
    return FALSE;
  in->p += strlen (what);
  return TRUE;
}

static gboolean
span_skip_line_end (Span *in)
{
  return span_skip (in, "\n") || span_skip (in, "\\n");
}

static const char *
skip_blanks_back (const char *start, const char *p)
{
  while (p > start && strchr (BLANKS, p[-1]) != NULL && p[-1] != '\0')
    p--;
  return p;
}

/* ---- the default system message: a literal of the whole turn, under a condition that there is none ---- */

/* The text of the last {% %} that ends at or before end; empty: none. *start: where it begins. */
static Span
tag_before (const char *template, const char *end, const char **start)
{
  const Span none = { end, end };
  const char *close = skip_blanks_back (template, end);
  if (close - template < 4 || memcmp (close - 2, "%}", 2) != 0)
    return none;
  const char *open = close - 2;
  while (open > template && memcmp (open, "{%", 2) != 0)
    open--;
  if (memcmp (open, "{%", 2) != 0)
    return none;
  *start = open;
  Span tag = { open + 2, close - 2 };
  if (tag.p < tag.end && *tag.p == '-')
    tag.p++;
  if (tag.p < tag.end && tag.end[-1] == '-')
    tag.end--;
  while (tag.p < tag.end && strchr (BLANKS, *tag.p) != NULL)
    tag.p++;
  while (tag.p < tag.end && strchr (BLANKS, tag.end[-1]) != NULL)
    tag.end--;
  return tag;
}

/* The {{ }} that ends at or before end, stepped over; NULL: there is none. */
static const char *
expression_before (const char *template, const char *end)
{
  const char *close = skip_blanks_back (template, end);
  if (close - template < 4 || memcmp (close - 2, "}}", 2) != 0)
    return NULL;
  for (const char *open = close - 2; open >= template; open--)
    if (memcmp (open, "{{", 2) == 0)
      return open;
  return NULL;
}

static gboolean
is_first_if (Span tag, const char *relation)
{
  g_autofree char *single = g_strdup_printf ("messages[0]['role'] %s 'system'", relation);
  g_autofree char *both = g_strdup_printf ("messages[0][\"role\"] %s \"system\"", relation);
  g_autofree char *dot = g_strdup_printf ("messages[0].role %s 'system'", relation);
  return span_starts (tag, "if ") && (span_has (tag, single) || span_has (tag, both) || span_has (tag, dot));
}

/* {% if … messages[0]['role'] != 'system' %}, or the else of {% if … == 'system' %}{{ … }}. */
static gboolean
is_without_system (const char *template, const char *expression)
{
  const char *start = NULL;
  const Span tag = tag_before (template, expression, &start);
  if (is_first_if (tag, "!="))
    return TRUE;
  if (tag.end - tag.p != 4 || !span_starts (tag, "else"))
    return FALSE;
  const char *given = expression_before (template, start);
  return given != NULL && is_first_if (tag_before (template, given, &start), "==");
}

/* A Jinja string's content, as far as <|im_end|> and its quote. NULL: not plain. */
static GString *
unquote (Span in, char quote)
{
  g_autoptr(GString) text = g_string_new (NULL);
  for (; in.p < in.end; in.p++)
    {
      if (*in.p == quote || *in.p == '{' || *in.p == '}' || *in.p == '\0')
        return NULL;
      if (*in.p != '\\')
        {
          g_string_append_c (text, *in.p);
          continue;
        }
      static const char escapes[] = "nt'\"\\", meanings[] = "\n\t'\"\\";
      const char *escape = ++in.p < in.end && *in.p != '\0' ? strchr (escapes, *in.p) : NULL;
      if (escape == NULL)
        return NULL;
      g_string_append_c (text, meanings[escape - escapes]);
    }
  return text->len > 0 ? g_steal_pointer (&text) : NULL;
}

/* The literal whose "<|im_start|>system" is at mark, or NULL. */
static GString *
system_at (Span template, const char *mark)
{
  if (mark == template.p || (mark[-1] != '\'' && mark[-1] != '"'))
    return NULL;
  const char quote = mark[-1];
  const char *open = skip_blanks_back (template.p, mark - 1);
  if (open > template.p && open[-1] == '-')
    open--;
  if (open - template.p < 2 || memcmp (open - 2, "{{", 2) != 0 || !is_without_system (template.p, open - 2))
    return NULL;

  Span rest = { mark, MIN (template.end, mark + LONGEST_SYSTEM) };
  if (!span_skip (&rest, "<|im_start|>system") || !span_skip_line_end (&rest))
    return NULL;
  const char *end = span_find (rest, "<|im_end|>");
  if (end == NULL)
    return NULL;
  Span after = { end, template.end };
  span_skip (&after, "<|im_end|>");
  span_skip_line_end (&after);
  if (after.p >= after.end || *after.p++ != quote)
    return NULL;
  while (after.p < after.end && *after.p != '\0' && strchr (BLANKS, *after.p) != NULL)
    after.p++;
  span_skip (&after, "-");
  return span_starts (after, "}}") ? unquote ((Span) { rest.p, end }, quote) : NULL;
}

static GString *
find_default_system (Span template)
{
  enum { MOST_MARKS = 32 };
  g_autoptr(GString) found = NULL;
  Span rest = template;
  const char *mark;
  for (guint i = 0; i < MOST_MARKS && (mark = span_find (rest, "<|im_start|>system")) != NULL; i++)
    {
      GString *text = system_at (template, mark);
      rest.p = mark + 1;
      if (text == NULL)
        continue;
      if (found != NULL && !g_string_equal (found, text))
        {
          g_string_free (text, TRUE);
          return NULL; /* two: which one is meant cannot be told by looking */
        }
      if (found != NULL)
        g_string_free (found, TRUE);
      found = text;
    }
  return g_steal_pointer (&found);
}

/* ---- families ---- */

static const char *const trim_marks[] = {
  "['content'] | trim",
  "['content']|trim",
  "[\"content\"] | trim",
  "[\"content\"]|trim",
  "message.content | trim",
  "message.content|trim",
  "message['content'].strip()",
  "message[\"content\"].strip()",
  NULL,
};
static const char *const eos_marks[] = {
  "message['content'] + eos_token", "message[\"content\"] + eos_token", "message.content + eos_token", NULL,
};
static const char *const end_of_text_marks[] = {
  "message['content'] + '<|endoftext|>'", "message[\"content\"] + \"<|endoftext|>\"", NULL,
};

static gboolean
recognise_family (Span t, AssayChatFormat *format)
{
  static const char *const foreign[] = { "<|im_sep|>", "<end_of_utterance>", "[SYSTEM_PROMPT]", NULL };
  if (span_has_any (t, foreign))
    return FALSE;
  const struct { gboolean is; AssayChatFormat format; } families[] = {
    { span_has (t, "<|im_start|>") && span_has (t, "<|im_end|>"), ASSAY_CHAT_CHATML },
    { span_has (t, "<|start_header_id|>") && span_has (t, "<|end_header_id|>") && span_has (t, "<|eot_id|>"),
      ASSAY_CHAT_LLAMA3 },
    { span_has (t, "<start_of_turn>") && span_has (t, "<end_of_turn>"), ASSAY_CHAT_GEMMA },
    { span_has (t, "[INST]") && span_has (t, "[/INST]"),
      span_has (t, "<<SYS>>") ? ASSAY_CHAT_LLAMA2 : ASSAY_CHAT_MISTRAL },
    { span_has (t, "<|end|>") && span_has (t, "<|user|>") && span_has (t, "<|assistant|>"), ASSAY_CHAT_PHI },
    { span_has (t, "<|end|>") && span_has (t, "'<|' + message['role'] + '|>'"), ASSAY_CHAT_PHI },
    { span_has (t, "<|user|>") && span_has (t, "<|assistant|>")
          && (span_has_any (t, eos_marks) || span_has_any (t, end_of_text_marks)),
      ASSAY_CHAT_ZEPHYR },
  };
  for (guint i = 0; i < G_N_ELEMENTS (families); i++)
    if (families[i].is)
      {
        *format = families[i].format;
        return TRUE;
      }
  return FALSE;
}

static gboolean
template_writes_bos (Span template, AssayTokenizer *tokenizer)
{
  const gint32 bos = assay_tokenizer_get_bos (tokenizer);
  if (span_has (template, "bos_token"))
    return TRUE;
  const AssayBytes piece = bos >= 0 ? assay_tokenizer_get_piece (tokenizer, bos) : (AssayBytes) { "", 0 };
  return piece.length > 2 && memmem (template.p, template.end - template.p, piece.data, piece.length) != NULL;
}

static void
template_read_details (AssayChatTemplate *self, Span t)
{
  static const char *const role_lines[] = { "|>\n", "|>\\n", "|>' + '\n", "|>' + '\\n", "|>'+'\\n", NULL };
  static const char *const inst_after_space[] = { "' [INST]", "\" [INST]", NULL };
  static const char *const thoughts[]
      = { "<|im_start|>assistant\n<think>\n'", "<|im_start|>assistant\\n<think>\\n'", NULL };
  self->trims = self->format == ASSAY_CHAT_LLAMA2 ? span_has (t, ".strip()") : span_has_any (t, trim_marks);
  self->role_line = span_has_any (t, role_lines);
  self->space_before_inst = span_has_any (t, inst_after_space);
  self->space_in_inst = span_has (t, "[INST] ");
  self->space_in_inst_end = span_has (t, " [/INST]");
  self->opens_thought = span_has_any (t, thoughts);
  self->turn_end = span_has_any (t, end_of_text_marks) ? "<|endoftext|>" : NULL;
  if (self->format == ASSAY_CHAT_CHATML)
    self->default_system = find_default_system (t);
}

void
assay_chat_template_init (AssayChatTemplate *self, AssayChatFormat format)
{
  *self = (AssayChatTemplate) {
    .format = format,
    .bos = format == ASSAY_CHAT_LLAMA2 || format == ASSAY_CHAT_LLAMA3 || format == ASSAY_CHAT_MISTRAL
           || format == ASSAY_CHAT_GEMMA,
    .trims = format == ASSAY_CHAT_LLAMA2 || format == ASSAY_CHAT_LLAMA3 || format == ASSAY_CHAT_GEMMA,
    .role_line = TRUE,
    .space_in_inst = TRUE,
    .space_in_inst_end = TRUE,
  };
}

gboolean
assay_chat_template_read (AssayChatTemplate *self, AssayModelFile *file, AssayTokenizer *tokenizer)
{
  AssayBytes text;
  assay_chat_template_init (self, ASSAY_CHAT_RAW);
  if (!assay_model_file_has (file, "tokenizer.chat_template"))
    return TRUE;
  if (!assay_model_file_get_string (file, "tokenizer.chat_template", &text) || text.length > LONGEST_TEMPLATE)
    return FALSE;
  const Span template = { text.data, text.data + text.length };
  AssayChatFormat format;
  if (!recognise_family (template, &format))
    return FALSE;
  assay_chat_template_init (self, format);
  self->bos = template_writes_bos (template, tokenizer);
  template_read_details (self, template);
  return TRUE;
}

void
assay_chat_template_clear (AssayChatTemplate *self)
{
  if (self->default_system != NULL)
    g_string_free (self->default_system, TRUE);
  self->default_system = NULL;
}
