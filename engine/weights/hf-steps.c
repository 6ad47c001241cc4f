/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/hf-steps.c: the steps of tokenizer.json around the model.
 *
 * Each is a program of small parts. Two families of programs are computed here, bytes in an alphabet of their
 * own and SentencePiece's marked spaces; their variations are recognised part by part, and a part that is not
 * known is refused by name. Patterns are compared, never run. */
#include "hf-tokenizer.h"

#include "text/assay-pre-split.h"

#include <string.h>

#define SPACE_MARK "\342\226\201" /* U+2581 */

typedef gboolean (*StepFunc) (HfTokenizer *self, const AssayJsonNode *step, const AssayJsonNode *type,
                              GError **error);

static const AssayJsonNode *
steps_find (const HfTokenizer *self, const AssayJsonNode *parent, const char *key)
{
  return assay_json_tree_find (self->json, parent, key);
}

static gboolean
steps_unsupported (const HfTokenizer *self, const char *what, const AssayJsonNode *type, GError **error)
{
  g_autofree char *shown = type != NULL ? assay_json_node_dup_value (type) : g_strdup ("without a type");
  return assay_hf_tokenizer_fail (
      self, ASSAY_ENGINE_ERROR_UNSUPPORTED, "hf-tokenizer", what, error,
      "%s is not computed here as it stands; choose a GGUF of the model, or another runtime", shown);
}

static gboolean
steps_is_true (const HfTokenizer *self, const AssayJsonNode *step, const char *key, gboolean fallback)
{
  const AssayJsonNode *node = steps_find (self, step, key);
  return node != NULL && node->type == ASSAY_JSON_BOOL ? node->integer != 0 : fallback;
}

static gboolean
steps_pattern_is (const HfTokenizer *self, const AssayJsonNode *step, const char *text)
{
  return assay_json_node_is_text (steps_find (self, steps_find (self, step, "pattern"), "String"), text);
}

/* One step, or each of a sequence of them, whose list has a name of its own. */
static gboolean
steps_walk (HfTokenizer *self, const char *what, const AssayJsonNode *step, const char *list_name,
            StepFunc visit, GError **error)
{
  if (step == NULL || step->type == ASSAY_JSON_NULL)
    return TRUE;
  const AssayJsonNode *type = steps_find (self, step, "type");
  const AssayJsonNode *list = steps_find (self, step, list_name);
  if (!assay_json_node_is_text (type, "Sequence"))
    return visit (self, step, type, error);
  if (list == NULL || list->type != ASSAY_JSON_ARRAY)
    return steps_unsupported (self, what, type, error);
  for (const AssayJsonNode *child = assay_json_tree_first (self->json, list); child != NULL;
       child = assay_json_tree_next (self->json, list, child))
    if (!steps_walk (self, what, child, list_name, visit, error)) /* no deeper than JSON is allowed to be */
      return FALSE;
  return TRUE;
}

/* ---- normalizer ---- */

static gboolean
normalizer_visit (HfTokenizer *self, const AssayJsonNode *step, const AssayJsonNode *type, GError **error)
{
  if (assay_json_node_is_text (type, "NFC") && !self->marks_spaces)
    self->nfc = TRUE;
  else if (assay_json_node_is_text (type, "Prepend")
           && assay_json_node_is_text (steps_find (self, step, "prepend"), SPACE_MARK) && !self->leads_space)
    self->leads_space = TRUE;
  else if (assay_json_node_is_text (type, "Replace") && steps_pattern_is (self, step, " ")
           && assay_json_node_is_text (steps_find (self, step, "content"), SPACE_MARK))
    self->marks_spaces = self->marks_early = TRUE;
  else
    return steps_unsupported (self, "normalizer", type, error);
  return TRUE;
}

/* ---- pre_tokenizer ---- */

static void
layout_add (HfTokenizer *self, const char *kind, AssayBytes pattern)
{
  if (self->layout->len > 0)
    g_string_append_c (self->layout, '\n');
  g_string_append (self->layout, kind);
  g_string_append_len (self->layout, pattern.data, (gssize)pattern.length);
}

/* Isolated matches, or what is left when all else is removed: the same where the pattern leaves nothing out.
 */
static gboolean
pre_visit_split (HfTokenizer *self, const AssayJsonNode *step, const AssayJsonNode *type, GError **error)
{
  const AssayJsonNode *regex = steps_find (self, steps_find (self, step, "pattern"), "Regex");
  const AssayJsonNode *behavior = steps_find (self, step, "behavior");
  const gboolean invert = steps_is_true (self, step, "invert", FALSE);
  /* Gemma's: spaces are marks by now, so that it finds none */
  if (steps_pattern_is (self, step, " ") && self->marks_early && !self->byte_level)
    return TRUE;
  const gboolean isolated = assay_json_node_is_text (behavior, "Isolated") && !invert;
  const gboolean inverted = assay_json_node_is_text (behavior, "Removed") && invert;
  if (regex == NULL || regex->type != ASSAY_JSON_TEXT || (!isolated && !inverted))
    return steps_unsupported (self, "pre_tokenizer", behavior != NULL ? behavior : type, error);
  layout_add (self, "split ", regex->text);
  return TRUE;
}

static gboolean
pre_visit_metaspace (HfTokenizer *self, const AssayJsonNode *step, const AssayJsonNode *type, GError **error)
{
  const AssayJsonNode *scheme = steps_find (self, step, "prepend_scheme");
  const gboolean legacy = steps_is_true (self, step, "add_prefix_space", TRUE);
  if (!assay_json_node_is_text (steps_find (self, step, "replacement"), SPACE_MARK) || self->leads_space)
    return steps_unsupported (self, "pre_tokenizer", type, error);
  if (assay_json_node_is_text (scheme, "always") || (scheme == NULL && legacy))
    self->space_prefix = "unless-space";
  else if (assay_json_node_is_text (scheme, "first"))
    self->space_prefix = "first-unless-space";
  else if (scheme != NULL && !assay_json_node_is_text (scheme, "never"))
    return steps_unsupported (self, "pre_tokenizer.prepend_scheme", scheme, error);
  self->marks_spaces = TRUE;
  self->split_words = steps_is_true (self, step, "split", TRUE);
  return TRUE;
}

static gboolean
pre_visit (HfTokenizer *self, const AssayJsonNode *step, const AssayJsonNode *type, GError **error)
{
  static const AssayBytes nothing = { "", 0 };
  if (assay_json_node_is_text (type, "Split"))
    return pre_visit_split (self, step, type, error);
  if (assay_json_node_is_text (type, "Metaspace"))
    return pre_visit_metaspace (self, step, type, error);
  if (assay_json_node_is_text (type, "Digits") && steps_is_true (self, step, "individual_digits", FALSE))
    layout_add (self, "digits", nothing);
  else if (assay_json_node_is_text (type, "ByteLevel") && !self->byte_level)
    {
      const gboolean leads = steps_is_true (self, step, "add_prefix_space", TRUE);
      if (leads && self->layout->len > 0) /* before each piece of an earlier step */
        return steps_unsupported (self, "pre_tokenizer.add_prefix_space", type, error);
      self->space_prefix = leads ? "unless-space" : "never";
      layout_add (self, steps_is_true (self, step, "use_regex", TRUE) ? "bytes-regex" : "bytes", nothing);
      self->byte_level = TRUE;
    }
  else
    return steps_unsupported (self, "pre_tokenizer", type, error);
  return TRUE;
}

/* ---- decoder ---- */

static gboolean
decoder_visit (HfTokenizer *self, const AssayJsonNode *step, const AssayJsonNode *type, GError **error)
{
  const AssayJsonNode *start = steps_find (self, step, "start"), *stop = steps_find (self, step, "stop");
  if (assay_json_node_is_text (type, "ByteLevel") && self->byte_level)
    return TRUE;
  if (self->byte_level)
    return steps_unsupported (self, "decoder", type, error);
  if (assay_json_node_is_text (type, "ByteFallback") || assay_json_node_is_text (type, "Fuse")
      || (assay_json_node_is_text (type, "Replace") && steps_pattern_is (self, step, SPACE_MARK)
          && assay_json_node_is_text (steps_find (self, step, "content"), " ")))
    return TRUE;
  const gboolean strips = assay_json_node_is_text (type, "Strip") && start != NULL && start->integer == 1
                          && stop != NULL && stop->integer == 0
                          && assay_json_node_is_text (steps_find (self, step, "content"), " ");
  if (!strips && !assay_json_node_is_text (type, "Metaspace"))
    return steps_unsupported (self, "decoder", type, error);
  self->strip_space = strips || !assay_json_node_is_text (steps_find (self, step, "prepend_scheme"), "never");
  return TRUE;
}

/* ---- post_processor ---- */

/* The one token that a template's piece stands for; -1 with an error. */
static gint64
post_find_token (HfTokenizer *self, const AssayJsonNode *post, const AssayJsonNode *piece, GError **error)
{
  const AssayJsonNode *name = steps_find (self, steps_find (self, piece, "SpecialToken"), "id");
  const AssayJsonNode *special = NULL, *ids = NULL;
  if (name != NULL && name->type == ASSAY_JSON_TEXT)
    {
      g_autofree char *key = g_strndup (name->text.data, name->text.length);
      special = steps_find (self, steps_find (self, post, "special_tokens"), key);
      ids = steps_find (self, special, "ids");
    }
  const AssayJsonNode *id = ids != NULL ? assay_json_tree_first (self->json, ids) : NULL;
  if (id != NULL && ids->n == 1 && id->type == ASSAY_JSON_INTEGER && id->integer >= 0
      && id->integer < self->n_tokens && self->tokens[id->integer].data != NULL)
    return id->integer;
  assay_hf_tokenizer_fail (
      self, ASSAY_ENGINE_ERROR_FORMAT, "hf-vocabulary", "post_processor", error,
      "the template names a token that special_tokens does not tell, or that the vocabulary lacks");
  return -1;
}

/* [begin] text [end] */
static gboolean
post_visit_template (HfTokenizer *self, const AssayJsonNode *post, const AssayJsonNode *type, GError **error)
{
  const AssayJsonNode *single = steps_find (self, post, "single");
  gboolean behind_text = FALSE;
  if (single == NULL || single->type != ASSAY_JSON_ARRAY)
    return steps_unsupported (self, "post_processor", type, error);
  for (const AssayJsonNode *piece = assay_json_tree_first (self->json, single); piece != NULL;
       piece = assay_json_tree_next (self->json, single, piece))
    {
      gint64 *place = behind_text ? &self->template_eos : &self->template_bos;
      const gboolean is_token = steps_find (self, piece, "SpecialToken") != NULL;
      const gboolean is_text
          = assay_json_node_is_text (steps_find (self, steps_find (self, piece, "Sequence"), "id"), "A");
      if (is_token ? *place >= 0 : !is_text || behind_text)
        return steps_unsupported (self, "post_processor", type, error);
      behind_text = behind_text || is_text;
      if (is_token && (*place = post_find_token (self, post, piece, error)) < 0)
        return FALSE;
    }
  return behind_text || steps_unsupported (self, "post_processor", type, error);
}

static gboolean
post_visit (HfTokenizer *self, const AssayJsonNode *step, const AssayJsonNode *type, GError **error)
{
  if (assay_json_node_is_text (type, "TemplateProcessing"))
    return post_visit_template (self, step, type, error);
  return assay_json_node_is_text (type, "ByteLevel")
         || steps_unsupported (self, "post_processor", type, error);
}

/* ---- together ---- */

/* Every byte has its character in a byte-level alphabet; without, unknown tokens would come in between. */
static gboolean
steps_check_family (HfTokenizer *self, GError **error)
{
  if (self->byte_level)
    return !(self->marks_spaces || self->leads_space) || steps_unsupported (self, "normalizer", NULL, error);
  if (!self->marks_spaces || self->layout->len > 0)
    return assay_hf_tokenizer_fail (
        self, ASSAY_ENGINE_ERROR_UNSUPPORTED, "hf-tokenizer", "pre_tokenizer", error,
        "neither byte-level nor with marked spaces, as this engine knows them; choose a GGUF "
        "of the model, or another runtime");
  if (self->leads_space)
    self->space_prefix = "always";
  return TRUE;
}

gboolean
assay_hf_steps_read (HfTokenizer *self, GError **error)
{
  const AssayJsonNode *root = assay_json_tree_get_root (self->json);
  const AssayJsonNode *decoder = steps_find (self, root, "decoder");
  self->space_prefix = "never";
  if (!steps_walk (self, "normalizer", steps_find (self, root, "normalizer"), "normalizers", normalizer_visit,
                   error)
      || !steps_walk (self, "pre_tokenizer", steps_find (self, root, "pre_tokenizer"), "pretokenizers",
                      pre_visit, error)
      || !steps_check_family (self, error))
    return FALSE;
  if (decoder == NULL || decoder->type == ASSAY_JSON_NULL)
    return steps_unsupported (self, "decoder", decoder, error);
  return steps_walk (self, "decoder", decoder, "decoders", decoder_visit, error)
         && steps_walk (self, "post_processor", steps_find (self, root, "post_processor"), "processors",
                        post_visit, error);
}
