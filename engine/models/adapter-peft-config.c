/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/models/adapter-peft-config.c: adapter_config.json, and what in it cannot be done here.
 *
 * PEFT's config has many settings that change what is computed. Those that are known and off are let pass;
 * one that is on, or that nobody here knows by a value that says something, would silently give another
 * result, so it is refused. */
#include "adapter-private.h"

#include "weights/json-tree.h"

#include <math.h>
#include <string.h>

enum { PATTERNS_MAX = 4096, PATTERN_BYTES_MAX = 1024 };

typedef struct
{
  GRegex *regex;
  double value;
} PeftPattern;

typedef struct
{
  AssayJsonTree *tree;
  const char *path;
} ConfigReader;

static void
peft_pattern_free (gpointer data)
{
  PeftPattern *self = data;
  g_regex_unref (self->regex);
  g_free (self);
}

void
assay_peft_config_free (PeftConfig *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->rank_patterns);
  g_ptr_array_unref (self->alpha_patterns);
  g_free (self->path);
  g_free (self);
}

static gboolean
config_fail (const ConfigReader *r, AssayEngineError code, const char *reason, const char *key,
             const AssayJsonNode *node, const char *wanted, GError **error)
{
  g_autofree char *value = node != NULL ? assay_json_node_dup_value (node) : g_strdup ("missing");
  assay_engine_error_set (error, code, reason, r->path, key, node != NULL ? (gint64) node->offset : -1,
                          "is %s; %s", value, wanted);
  return FALSE;
}

static const AssayJsonNode *
config_find (const ConfigReader *r, const char *key)
{
  const AssayJsonNode *node = assay_json_tree_find (r->tree, assay_json_tree_get_root (r->tree), key);
  return node != NULL && node->type != ASSAY_JSON_NULL ? node : NULL;
}

static gboolean
config_is_off (const AssayJsonNode *node)
{
  return node == NULL || (node->type == ASSAY_JSON_BOOL && node->integer == 0)
         || ((node->type == ASSAY_JSON_ARRAY || node->type == ASSAY_JSON_OBJECT) && node->n == 0);
}

/* --- what is refused --- */

static gboolean
config_check_off (const ConfigReader *r, GError **error)
{
  static const struct
  {
    const char *key, *reason, *what;
  } extras[] = {
    { "use_dora", "adapter-dora",
      "DoRA scales the weights' columns as well; merge the adapter into the model first" },
    { "modules_to_save", "adapter-modules",
      "it brings whole modules of its own; merge it into the model first" },
    { "trainable_token_indices", "adapter-tokens",
      "it brings embeddings of its own; merge it into the model first" },
    { "target_parameters", "adapter-parameters", "it adapts parameters that are no linear module" },
    { "layer_replication", "adapter-replication", "it makes another model out of repeated layers" },
    { "lora_bias", "adapter-bias", "its B has a bias; only plain LoRA is attached" },
    { "alora_invocation_tokens", "adapter-activated",
      "an activated LoRA works from a token on; only plain LoRA is attached" },
    { "use_qalora", "adapter-variant", "QALoRA pools its input; only plain LoRA is attached" },
    { "use_bdlora", "adapter-variant", "BD-LoRA is block-diagonal; only plain LoRA is attached" },
    { "arrow_config", "adapter-variant", "Arrow routes between adapters; only plain LoRA is attached" },
    { "monteclora_config", "adapter-variant", "MonteCLoRA draws its weights; only plain LoRA is attached" },
    { "kasa_config", "adapter-variant", "KaSA changes the model's own weights; only plain LoRA is attached" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (extras); i++)
    {
      const AssayJsonNode *node = config_find (r, extras[i].key);
      if (!config_is_off (node))
        return config_fail (r, ASSAY_ENGINE_ERROR_UNSUPPORTED, extras[i].reason, extras[i].key, node,
                            extras[i].what, error);
    }
  return TRUE;
}

static gboolean
config_check_words (const ConfigReader *r, GError **error)
{
  const AssayJsonNode *type = config_find (r, "peft_type"), *bias = config_find (r, "bias");
  if (type == NULL)
    return config_fail (r, ASSAY_ENGINE_ERROR_FORMAT, "not-an-adapter", "peft_type", NULL,
                        "a PEFT adapter says there what it is", error);
  if (!assay_json_node_is_text (type, "LORA"))
    return config_fail (r, ASSAY_ENGINE_ERROR_UNSUPPORTED, "adapter-type", "peft_type", type,
                        "only \"LORA\" is attached", error);
  if (bias != NULL && !assay_json_node_is_text (bias, "none"))
    return config_fail (r, ASSAY_ENGINE_ERROR_UNSUPPORTED, "adapter-bias", "bias", bias,
                        "it changes the model's biases as well; only \"none\" is attached", error);
  return TRUE;
}

/* Some ways to begin the training take a part out of the model's own weights, which the adapter then stands
 * for. */
static gboolean
config_check_init (const ConfigReader *r, GError **error)
{
  static const char *const harmless[] = { "gaussian", "eva", "orthogonal" };
  const AssayJsonNode *init = config_find (r, "init_lora_weights");
  if (init == NULL || init->type == ASSAY_JSON_BOOL)
    return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (harmless); i++)
    if (assay_json_node_is_text (init, harmless[i]))
      return TRUE;
  return config_fail (r, ASSAY_ENGINE_ERROR_UNSUPPORTED, "adapter-init", "init_lora_weights", init,
                      "such an adapter belongs to changed model weights; save it with "
                      "path_initial_model_for_weight_conversion",
                      error);
}

/* --- numbers --- */

static gboolean
config_take_rank (const ConfigReader *r, const char *key, const AssayJsonNode *node, guint *rank,
                  GError **error)
{
  if (node == NULL || node->type != ASSAY_JSON_INTEGER || node->integer < 1
      || node->integer > ADAPTER_RANK_MAX)
    return config_fail (r, ASSAY_ENGINE_ERROR_FORMAT, "adapter-rank", key, node,
                        "a rank is a whole number from 1 to 65536", error);
  *rank = (guint) node->integer;
  return TRUE;
}

static gboolean
config_take_alpha (const ConfigReader *r, const char *key, const AssayJsonNode *node, double *alpha,
                   GError **error)
{
  const gboolean number = node != NULL && (node->type == ASSAY_JSON_INTEGER || node->type == ASSAY_JSON_REAL);
  *alpha = !number ? 0 : node->type == ASSAY_JSON_REAL ? node->real : (double) node->integer;
  if (number && isfinite (*alpha) && fabs (*alpha) <= ADAPTER_ALPHA_MAX)
    return TRUE;
  return config_fail (r, ASSAY_ENGINE_ERROR_FORMAT, "adapter-alpha", key, node,
                      "alpha is a finite number of at most a million", error);
}

static gboolean
config_take_bool (const ConfigReader *r, const char *key, gboolean *out, GError **error)
{
  const AssayJsonNode *node = config_find (r, key);
  if (node != NULL && node->type != ASSAY_JSON_BOOL)
    return config_fail (r, ASSAY_ENGINE_ERROR_FORMAT, "adapter-config", key, node, "it must be true or false",
                        error);
  *out = node != NULL && node->integer != 0;
  return TRUE;
}

/* --- patterns --- */

/* As PEFT: re.match ("(.*\.)?(KEY)$", module). The steps of a match are bounded: KEY is a stranger's
 * expression. */
static GRegex *
config_compile (const ConfigReader *r, const char *key, const AssayJsonNode *node, GError **error)
{
  g_autoptr (GError) why = NULL;
  g_autofree char *text = g_strndup (node->key.data, node->key.length);
  g_autofree char *whole = g_strdup_printf ("(*LIMIT_MATCH=5000)(?:.*\\.)?(?:%s)$", text);
  GRegex *regex = NULL;
  if (node->key.length > 0 && node->key.length <= PATTERN_BYTES_MAX && strlen (text) == node->key.length)
    regex = g_regex_new (whole, G_REGEX_NO_AUTO_CAPTURE, G_REGEX_MATCH_ANCHORED, &why);
  if (regex != NULL)
    return regex;
  g_autofree char *shown = assay_engine_escape (node->key.data, node->key.length);
  assay_engine_error_set (error, ASSAY_ENGINE_ERROR_UNSUPPORTED, "adapter-pattern", r->path, key,
                          node->offset, "the pattern '%s' is not understood%s%s", shown,
                          why != NULL ? ": " : "", why != NULL ? why->message : "");
  return NULL;
}

static gboolean
config_take_pattern (const ConfigReader *r, const char *key, const AssayJsonNode *node, gboolean is_rank,
                     GPtrArray *out, GError **error)
{
  double value = 0;
  guint rank = 0;
  if (is_rank ? !config_take_rank (r, key, node, &rank, error)
              : !config_take_alpha (r, key, node, &value, error))
    return FALSE;
  GRegex *regex = config_compile (r, key, node, error);
  if (regex == NULL)
    return FALSE;
  PeftPattern *pattern = g_new (PeftPattern, 1);
  *pattern = (PeftPattern) { regex, is_rank ? rank : value };
  g_ptr_array_add (out, pattern);
  return TRUE;
}

static gboolean
config_take_patterns (const ConfigReader *r, const char *key, gboolean is_rank, GPtrArray *out,
                      GError **error)
{
  const AssayJsonNode *object = config_find (r, key);
  if (object == NULL)
    return TRUE;
  if (object->type != ASSAY_JSON_OBJECT || object->n > PATTERNS_MAX)
    return config_fail (r, ASSAY_ENGINE_ERROR_FORMAT, "adapter-config", key, object,
                        "it must be an object of at most 4096 patterns", error);
  for (const AssayJsonNode *node = assay_json_tree_first (r->tree, object); node != NULL;
       node = assay_json_tree_next (r->tree, object, node))
    if (!config_take_pattern (r, key, node, is_rank, out, error))
      return FALSE;
  return TRUE;
}

/* --- the whole --- */

static gboolean
config_read (const ConfigReader *r, PeftConfig *self, GError **error)
{
  const AssayJsonNode *root = assay_json_tree_get_root (r->tree);
  if (root->type != ASSAY_JSON_OBJECT)
    return config_fail (r, ASSAY_ENGINE_ERROR_FORMAT, "adapter-config", NULL, root, "it must be an object",
                        error);
  return config_check_words (r, error) && config_check_off (r, error) && config_check_init (r, error)
         && config_take_rank (r, "r", config_find (r, "r"), &self->rank, error)
         && config_take_alpha (r, "lora_alpha", config_find (r, "lora_alpha"), &self->alpha, error)
         && config_take_bool (r, "use_rslora", &self->rank_stabilized, error)
         && config_take_patterns (r, "rank_pattern", TRUE, self->rank_patterns, error)
         && config_take_patterns (r, "alpha_pattern", FALSE, self->alpha_patterns, error);
}

PeftConfig *
assay_peft_config_read (GBytes *text, const char *path, GError **error)
{
  gsize offset;
  const char *what;
  g_autoptr (AssayJsonTree) tree = assay_json_tree_new (text, &offset, &what);
  if (tree == NULL)
    {
      assay_engine_error_set (error, ASSAY_ENGINE_ERROR_FORMAT, "adapter-config", path, NULL, (gint64) offset,
                              "%s", what);
      return NULL;
    }
  g_autoptr (PeftConfig) self = g_new0 (PeftConfig, 1);
  const ConfigReader reader = { tree, path };
  self->path = g_strdup (path);
  self->rank_patterns = g_ptr_array_new_with_free_func (peft_pattern_free);
  self->alpha_patterns = g_ptr_array_new_with_free_func (peft_pattern_free);
  return config_read (&reader, self, error) ? g_steal_pointer (&self) : NULL;
}

/* The first pattern that matches decides. found: NULL when none does. */
static gboolean
config_match (const PeftConfig *self, const GPtrArray *patterns, const char *module,
              const PeftPattern **found, GError **error)
{
  *found = NULL;
  for (guint i = 0; i < patterns->len && *found == NULL; i++)
    {
      const PeftPattern *pattern = g_ptr_array_index (patterns, i);
      g_autoptr (GError) why = NULL;
      if (g_regex_match_full (pattern->regex, module, -1, 0, 0, NULL, &why))
        *found = pattern;
      else if (why != NULL)
        {
          assay_engine_error_set (error, ASSAY_ENGINE_ERROR_UNSUPPORTED, "adapter-pattern", self->path, NULL,
                                  -1, "the pattern %s takes too long to match",
                                  g_regex_get_pattern (pattern->regex));
          return FALSE;
        }
    }
  return TRUE;
}

gboolean
assay_peft_config_find (const PeftConfig *self, const char *module, guint *rank, double *alpha,
                        GError **error)
{
  const PeftPattern *of_rank, *of_alpha;
  if (!config_match (self, self->rank_patterns, module, &of_rank, error)
      || !config_match (self, self->alpha_patterns, module, &of_alpha, error))
    return FALSE;
  *rank = of_rank != NULL ? (guint) of_rank->value : self->rank;
  *alpha = of_alpha != NULL ? of_alpha->value : self->alpha;
  return TRUE;
}
