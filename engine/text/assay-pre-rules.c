/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/text/assay-pre-rules.c: the pre-tokenizers known, by the names that files write in
 * tokenizer.ggml.pre. The pattern is above each: where two names share it, they differ in nothing that the
 * tokenizer does. */
#include "assay-pre-rules.h"

#include <string.h>

enum
{
  ALL_CLASSES = (1u << 12) - 1,
  NOT_ALNUM = ALL_CLASSES & ~(ASSAY_UNI_IS_SPACE | ASSAY_UNI_IS_LETTER | ASSAY_UNI_IS_NUMBER),
};

/* 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+ */
#define GPT2_PATTERN \
  .contractions = PRE_CONTRACTIONS_LOWER, .prefix = PRE_PREFIX_SPACE, .word = PRE_WORD_LETTERS, \
  .digits = PRE_DIGITS_WITH_SPACE, .others = NOT_ALNUM

/* (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,digits}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+
 * |\s+(?!\S)|\s+ */
#define LLAMA3_PATTERN \
  .contractions = PRE_CONTRACTIONS_ANY_CASE, .prefix = PRE_PREFIX_NOT_ALNUM, .word = PRE_WORD_LETTERS, \
  .others = NOT_ALNUM, .tail = "\r\n", .line_ends = TRUE

/* [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+
 * |[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}{1,digits}
 * | ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+ */
#define CASED_PATTERN \
  .prefix = PRE_PREFIX_NOT_ALNUM, .word = PRE_WORD_CASED, .others = NOT_ALNUM, .tail = "\r\n/", \
  .line_ends = TRUE

/* The same in a tokenizer.json: compared as text, never run. */
#define SPLIT_CASE "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
#define SPLIT_REST " ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"
#define SPLIT_GPT2 \
  "split 's|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+\nbytes"
#define SPLIT_LLAMA3(digits) \
  "split " SPLIT_CASE "|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|" digits "|" SPLIT_REST "\nbytes"
#define SPLIT_MARKS \
  "split " SPLIT_CASE "|[^\\r\\n\\p{L}\\p{N}]?[\\p{L}\\p{M}]+|\\p{N}| ?[^\\s\\p{L}\\p{M}\\p{N}]+[\\r\\n]*" \
  "|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+\nbytes"
#define SPLIT_HEAD "[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]"
#define SPLIT_TAIL "[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]"
#define SPLIT_CASED(suffix, digits)                                                                          \
  "split [^\\r\\n\\p{L}\\p{N}]?" SPLIT_HEAD "*" SPLIT_TAIL "+" suffix "|[^\\r\\n\\p{L}\\p{N}]?" SPLIT_HEAD   \
  "+" SPLIT_TAIL "*" suffix "|" digits                                                                       \
  "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+\nbytes"
#define SPLIT_DEEPSEEK                                                                                       \
  "split \\p{N}{1,3}\nsplit "                                                                                \
  "[\344\270\200-\351\276\245\343\201\200-\343\202\237\343\202\240-\343\203\277]+\n"                         \
  "split [!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+"  \
  "| ?[\\p{P}\\p{S}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+\nbytes"

static const AssayPreRule rules[] = {
  { .names = "gpt-2,phi-2,roberta-bpe,jina-es,jina-de,jina-v1-en,jina-v2-es,jina-v2-de,jina-v2-code,mpt,"
             "olmo,jais,gigachat,a.x-4.0,mellum,exaone4,trillion,granite-docling",
    .layouts = { "bytes-regex", SPLIT_GPT2 },
    GPT2_PATTERN },
  /* each \p{N} on its own first */
  { .names = "smollm,starcoder,refact,command-r,codeshell,exaone,minerva-7b,mellum2",
    .layouts = { "digits\nbytes-regex" },
    .passes = { PRE_PASS_EACH_NUMBER },
    GPT2_PATTERN },
  { .names = "llama-bpe,llama3,llama-v3,falcon3,falcon-h1,pixtral,midm-2.0,lfm2,jina-v5-nano",
    .layouts = { SPLIT_LLAMA3 ("\\p{N}{1,3}") },
    LLAMA3_PATTERN,
    .digits = 3,
    .ignore_merges = TRUE,
    .add_bos = TRUE },
  { .names = "smaug-bpe,dbrx,chatglm-bpe,glm4",
    .layouts = { SPLIT_LLAMA3 ("\\p{N}{1,3}") },
    LLAMA3_PATTERN,
    .digits = 3 },
  { .names = "qwen2,deepseek-r1-qwen,megrez,stablelm2,kormo,hunyuan,solar-open,grok-2",
    .layouts = { SPLIT_LLAMA3 ("\\p{N}") },
    LLAMA3_PATTERN,
    .digits = 1 },
  /* as qwen2, marks counted as letters: [\p{L}\p{M}]+ and [^\s\p{L}\p{M}\p{N}]+ */
  { .names = "qwen35",
    .layouts = { SPLIT_MARKS },
    .contractions = PRE_CONTRACTIONS_ANY_CASE,
    .prefix = PRE_PREFIX_NOT_ALNUM,
    .word = PRE_WORD_MARKS,
    .digits = 1,
    .others = NOT_ALNUM & ~ASSAY_UNI_IS_MARK,
    .tail = "\r\n",
    .line_ends = TRUE },
  { .names = "tekken",
    .layouts = { SPLIT_CASED ("", "\\p{N}") },
    CASED_PATTERN,
    .digits = 1,
    .ignore_merges = TRUE,
    .add_bos = TRUE },
  /* as tekken, with (?i:'s|'t|'re|'ve|'m|'ll|'d)? after each word */
  { .names = "gpt-4o,llama4,kanana2",
    .layouts = { SPLIT_CASED (SPLIT_CASE "?", "\\p{N}{1,3}") },
    CASED_PATTERN,
    .contractions = PRE_CONTRACTIONS_SUFFIX,
    .digits = 3 },
  /* \p{N}{1,3}, then [U+4E00-U+9FA5 U+3040-U+30FF]+, then
   * [!-/:-~ without letters][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+
   * |\s+(?!\S)|\s+ */
  { .names = "deepseek-v3,hunyuan-dense,joyai-llm",
    .layouts = { SPLIT_DEEPSEEK },
    .passes = { PRE_PASS_THREE_NUMBERS, PRE_PASS_HAN_KANA },
    .prefix = PRE_PREFIX_NOT_PUNCT,
    .word = PRE_WORD_MARKS,
    .others = ASSAY_UNI_IS_PUNCT,
    .tail = "\r\n",
    .punct_leads = TRUE,
    .line_ends = TRUE },
};

const AssayPreRule *
assay_pre_rule_find (const char *name, gsize length)
{
  for (guint i = 0; i < G_N_ELEMENTS (rules); i++)
    for (const char *p = rules[i].names; *p != '\0';)
      {
        const gsize n = strcspn (p, ",");
        if (n == length && memcmp (p, name, n) == 0)
          return &rules[i];
        p += n + (p[n] == ',');
      }
  return NULL;
}

char *
assay_pre_rule_dup_name_of_layout (const char *layout, gboolean ignore_merges)
{
  const AssayPreRule *found = NULL;
  for (guint i = 0; i < G_N_ELEMENTS (rules); i++)
    if ((g_strcmp0 (rules[i].layouts[0], layout) == 0 || g_strcmp0 (rules[i].layouts[1], layout) == 0)
        && (found == NULL || rules[i].ignore_merges == ignore_merges))
      found = &rules[i];
  return found != NULL ? g_strndup (found->names, strcspn (found->names, ",")) : NULL;
}

const AssayPreRule *
assay_pre_rule_fallback (void)
{
  return &rules[0];
}

gboolean
assay_pre_rule_ignores_merges (const AssayPreRule *rule)
{
  return rule->ignore_merges;
}

gboolean
assay_pre_rule_adds_bos (const AssayPreRule *rule)
{
  return rule->add_bos;
}

char *
assay_pre_rule_dup_names (void)
{
  GString *names = g_string_new (rules[0].names);
  for (guint i = 1; i < G_N_ELEMENTS (rules); i++)
    g_string_append_printf (names, ",%s", rules[i].names);
  g_string_replace (names, ",", ", ", 0);
  return g_string_free (names, FALSE);
}
