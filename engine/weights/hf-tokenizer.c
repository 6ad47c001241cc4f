/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/hf-tokenizer.c: tokenizer.json and its companions as tokenizer.* keys. */
#include "hf-tokenizer.h"

#include "text/assay-pre-split.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#define KEY(name) "tokenizer.ggml." name
#define OWN(name) "assay.tokenizer." name

enum
{
  GGUF_I32 = 5
};

gboolean
assay_hf_tokenizer_fail (const HfTokenizer *self, AssayEngineError code, const char *reason, const char *key,
                         GError **error, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *message = g_strdup_vprintf (_(format), args);
  va_end (args);
  return assay_hf_fail (self->t->folder, code, reason, self->file, key, error, "%s", message);
}

static void
tokenizer_clear (HfTokenizer *self)
{
  g_clear_pointer (&self->by_text, assay_name_table_free);
  g_clear_pointer (&self->json, assay_json_tree_free);
  g_clear_pointer (&self->settings, assay_json_tree_free);
  g_clear_pointer (&self->specials, assay_json_tree_free);
  g_clear_pointer (&self->generation, assay_json_tree_free);
  g_free (self->tokens);
  g_free (self->types);
  g_free (self->flags);
  g_array_unref (self->merges);
  g_string_free (self->layout, TRUE);
}

static gboolean
tokenizer_parse (const HfTokenizer *self, GBytes *text, const char *file, AssayJsonTree **tree,
                 GError **error)
{
  if (text == NULL)
    return TRUE;
  *tree = assay_hf_parse (self->t->folder, text, file, error);
  return *tree != NULL;
}

/* ---- the files ---- */

static gboolean
tokenizer_fail_missing (const HfTokenizer *self, GError **error)
{
  const AssayHfFolder *folder = self->t->folder;
  const char *seen
      = folder->tokenizer_model != NULL ? "there is tokenizer.model, SentencePiece's own file, but "
        : folder->vocab != NULL         ? "there is vocab.json, which does not tell how text is cut, but "
                                        : "";
  return assay_hf_fail (folder, ASSAY_ENGINE_ERROR_UNSUPPORTED, "hf-tokenizer-missing", "tokenizer.json",
                        NULL, error,
                        "%stokenizer.json is missing; transformers writes it with "
                        "AutoTokenizer.from_pretrained (FOLDER).save_pretrained (FOLDER)",
                        seen);
}

static gboolean
tokenizer_read_model (HfTokenizer *self, GError **error)
{
  const AssayHfFolder *folder = self->t->folder;
  const gboolean is_old = folder->tokenizer == NULL;
  if (is_old
      && (folder->vocab == NULL || folder->merges == NULL
          || strcmp (self->t->class->model_type, "gpt2") != 0))
    return tokenizer_fail_missing (self, error);
  self->file = is_old ? "vocab.json" : "tokenizer.json";
  if (!tokenizer_parse (self, is_old ? folder->vocab : folder->tokenizer, self->file, &self->json, error))
    return FALSE;
  if (!is_old)
    return assay_hf_vocab_read (self, error) && assay_hf_steps_read (self, error);
  self->byte_level = TRUE;
  self->space_prefix = "never";
  g_string_assign (self->layout, "bytes-regex");
  return assay_hf_vocab_read_old (self, error);
}

/* ---- special tokens ---- */

/* "bos_token": a text, or an object with its content. */
static gint64
special_find_named (const HfTokenizer *self, const AssayJsonTree *tree, const char *name)
{
  const AssayJsonNode *node
      = tree != NULL ? assay_json_tree_find (tree, assay_json_tree_get_root (tree), name) : NULL;
  if (node != NULL && node->type == ASSAY_JSON_OBJECT)
    node = assay_json_tree_find (tree, node, "content");
  return node != NULL && node->type == ASSAY_JSON_TEXT ? assay_hf_tokenizer_find (self, node->text) : -1;
}

static gint64
special_id (const HfTokenizer *self, const AssayJsonNode *node)
{
  const gboolean is_one = node != NULL && node->type == ASSAY_JSON_INTEGER && node->integer >= 0
                          && node->integer < self->n_tokens && self->tokens[node->integer].data != NULL;
  return is_one ? node->integer : -1;
}

/* The ids of a member: a number, or a list of them. What is no token is left out, and noticed. */
static void
special_add_ids (const HfTokenizer *self, const AssayJsonTree *tree, const AssayJsonNode *node, GArray *ids)
{
  if (node == NULL || node->type == ASSAY_JSON_NULL)
    return;
  const AssayJsonNode *one = node->type == ASSAY_JSON_ARRAY ? assay_json_tree_first (tree, node) : node;
  for (; one != NULL; one = one != node ? assay_json_tree_next (tree, node, one) : NULL)
    {
      const gint64 id = special_id (self, one);
      gboolean known = id < 0;
      for (guint i = 0; i < ids->len && !known; i++)
        known = g_array_index (ids, gint32, i) == id;
      const gint32 narrow = (gint32)id;
      if (!known)
        g_array_append_val (ids, narrow);
      if (id >= 0)
        continue;
      g_autofree char *shown = assay_json_node_dup_value (one);
      assay_hf_names_notice (self->t->names, "%s, which should end an answer, is no token of tokenizer.json",
                             shown);
    }
}

/* By its name in one of the tokenizer's files, then by its number in config.json. */
static gint64
special_find (const HfTokenizer *self, const char *name)
{
  const AssayJsonTree *trees[] = { self->settings, self->specials };
  gint64 id = -1;
  for (guint i = 0; id < 0 && i < G_N_ELEMENTS (trees); i++)
    id = special_find_named (self, trees[i], name);
  if (id >= 0)
    return id;
  g_autofree char *key = g_strconcat (name, "_id", NULL);
  const AssayJsonTree *config = self->t->config;
  const AssayJsonNode *places[] = { self->t->model, assay_json_tree_get_root (config) };
  for (guint i = 0; id < 0 && i < G_N_ELEMENTS (places); i++)
    id = special_id (self, assay_json_tree_find (config, places[i], key));
  return id;
}

static void
special_put (const HfTokenizer *self, const char *key, gint64 id)
{
  if (id >= 0)
    assay_gguf_build_u32 (self->t->out, key, (guint32)id);
}

/* What ends an answer: the tokenizer's end token first, then all that the two configurations name. */
static void
special_put_ends (const HfTokenizer *self, gint64 eos)
{
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (gint32));
  const AssayJsonTree *config = self->t->config, *generation = self->generation;
  const gint32 first = (gint32)eos;
  if (eos >= 0)
    g_array_append_val (ids, first);
  if (generation != NULL)
    special_add_ids (self, generation,
                     assay_json_tree_find (generation, assay_json_tree_get_root (generation), "eos_token_id"),
                     ids);
  special_add_ids (self, config,
                   assay_json_tree_find (config, assay_json_tree_get_root (config), "eos_token_id"), ids);
  if (ids->len == 0)
    return;
  special_put (self, KEY ("eos_token_id"), g_array_index (ids, gint32, 0));
  if (ids->len == 1)
    return;
  special_put (self, KEY ("eot_token_id"), g_array_index (ids, gint32, 1));
  assay_gguf_build_array (self->t->out, OWN ("end_token_ids"), GGUF_I32, ids->len);
  for (guint i = 0; i < ids->len; i++)
    assay_gguf_build_element_u32 (self->t->out, (guint32)g_array_index (ids, gint32, i));
}

/* An explicit word in tokenizer_config.json wins over the template. */
static gboolean
special_adds (const HfTokenizer *self, const char *key, gint64 in_template)
{
  const AssayJsonNode *node
      = self->settings != NULL
            ? assay_json_tree_find (self->settings, assay_json_tree_get_root (self->settings), key)
            : NULL;
  return node != NULL && node->type == ASSAY_JSON_BOOL ? node->integer != 0 : in_template >= 0;
}

static void
special_put_all (const HfTokenizer *self)
{
  const gint64 bos = self->template_bos >= 0 ? self->template_bos : special_find (self, "bos_token");
  const gint64 eos = self->template_eos >= 0 ? self->template_eos : special_find (self, "eos_token");
  special_put (self, KEY ("bos_token_id"), bos);
  special_put_ends (self, eos);
  special_put (self, KEY ("unknown_token_id"), self->unknown);
  special_put (self, KEY ("padding_token_id"), special_find (self, "pad_token"));
  assay_gguf_build_bool (self->t->out, KEY ("add_bos_token"),
                         special_adds (self, "add_bos_token", self->template_bos));
  assay_gguf_build_bool (self->t->out, KEY ("add_eos_token"),
                         special_adds (self, "add_eos_token", self->template_eos));
}

/* ---- how text becomes tokens ---- */

static gboolean
tokenizer_put_bytes (const HfTokenizer *self, GError **error)
{
  g_autofree char *pre = assay_pre_rule_dup_name_of_layout (self->layout->str, self->ignore_merges);
  if (pre == NULL)
    {
      g_autofree char *shown = assay_engine_escape (self->layout->str, self->layout->len);
      return assay_hf_tokenizer_fail (
          self, ASSAY_ENGINE_ERROR_UNSUPPORTED, "hf-tokenizer", "pre_tokenizer", error,
          "'%s' is no way to cut text that this engine knows; choose another runtime", shown);
    }
  assay_gguf_build_text (self->t->out, KEY ("model"), "gpt2", -1);
  assay_gguf_build_text (self->t->out, KEY ("pre"), pre, -1);
  assay_gguf_build_bool (self->t->out, OWN ("ignore_merges"), self->ignore_merges);
  return TRUE;
}

static void
tokenizer_put_marks (const HfTokenizer *self)
{
  const struct
  {
    const char *key;
    gboolean value;
  } flags[] = {
    { KEY ("add_space_prefix"), strcmp (self->space_prefix, "never") != 0 },
    { OWN ("by_rank"), TRUE },
    { OWN ("strip_space"), self->strip_space },
    { OWN ("byte_fallback"), self->byte_fallback },
    { OWN ("fuse_unknown"), self->fuse_unknown },
    { OWN ("marks_early"), self->marks_early },
    { OWN ("split_words"), self->split_words },
  };
  assay_gguf_build_text (self->t->out, KEY ("model"), "llama", -1);
  for (guint i = 0; i < G_N_ELEMENTS (flags); i++)
    assay_gguf_build_bool (self->t->out, flags[i].key, flags[i].value);
}

/* ---- chat template ---- */

/* A text, or the one named "default" of a list. */
static const AssayJsonNode *
chat_find (const AssayJsonTree *tree)
{
  const AssayJsonNode *node = assay_json_tree_find (tree, assay_json_tree_get_root (tree), "chat_template");
  if (node == NULL || node->type == ASSAY_JSON_TEXT)
    return node;
  const AssayJsonNode *found = NULL, *entry = assay_json_tree_first (tree, node);
  for (; entry != NULL && found == NULL; entry = assay_json_tree_next (tree, node, entry))
    if (assay_json_node_is_text (assay_json_tree_find (tree, entry, "name"), "default"))
      found = assay_json_tree_find (tree, entry, "template");
  return found != NULL && found->type == ASSAY_JSON_TEXT ? found : NULL;
}

/* A file of its own wins, as in transformers. */
static void
chat_put (const HfTokenizer *self)
{
  static const char key[] = "tokenizer.chat_template";
  gsize length;
  if (self->t->folder->chat_template != NULL)
    {
      const char *text = g_bytes_get_data (self->t->folder->chat_template, &length);
      assay_gguf_build_text (self->t->out, key, text != NULL ? text : "", (gssize)length);
      return;
    }
  const AssayJsonNode *node = self->settings != NULL ? chat_find (self->settings) : NULL;
  if (node != NULL)
    assay_gguf_build_text (self->t->out, key, node->text.data, (gssize)node->text.length);
}

/* ---- together ---- */

static gboolean
tokenizer_translate (HfTokenizer *self, GError **error)
{
  const AssayHfFolder *folder = self->t->folder;
  if (!tokenizer_parse (self, folder->tokenizer_config, "tokenizer_config.json", &self->settings, error)
      || !tokenizer_parse (self, folder->special_tokens_map, "special_tokens_map.json", &self->specials,
                           error)
      || !tokenizer_parse (self, folder->generation_config, "generation_config.json", &self->generation,
                           error)
      || !tokenizer_read_model (self, error))
    return FALSE;
  if (self->byte_level && !tokenizer_put_bytes (self, error))
    return FALSE;
  if (!self->byte_level)
    tokenizer_put_marks (self);
  assay_gguf_build_text (self->t->out, OWN ("space_prefix"), self->space_prefix, -1);
  if (self->nfc)
    assay_gguf_build_text (self->t->out, OWN ("normalizer"), "nfc", -1);
  special_put_all (self);
  chat_put (self);
  return assay_hf_vocab_put (self, error);
}

gboolean
assay_hf_translate_tokenizer (HfTranslation *t, GError **error)
{
  HfTokenizer self = {
    .t = t,
    .layout = g_string_new (NULL),
    .merges = g_array_new (FALSE, FALSE, sizeof (HfMerge)),
    .unknown = -1,
    .template_bos = -1,
    .template_eos = -1,
  };
  const gboolean done = tokenizer_translate (&self, error);
  tokenizer_clear (&self);
  return done;
}
