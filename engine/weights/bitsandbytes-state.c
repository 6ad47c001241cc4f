/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/bitsandbytes-state.c: {"quant_type": "nf4", "blocksize": 64, "shape": [48, 32], …}, with
 * nested_blocksize, nested_dtype and nested_offset where absmax is quantized itself. Members that change
 * nothing about the values, such as the dtype that others dequantize to, are not looked at. */
#include "bitsandbytes-state.h"

#include "json-tree.h"
#include "whole-format.h"

#include <inttypes.h>
#include <math.h>

#define DIMENSION_MAX (G_GINT64_CONSTANT (1) << 40)

typedef struct
{
  const AssayJsonTree *tree;
  const char **reason;
} StateReader;

static const AssayJsonNode *
state_find (const StateReader *r, const char *key)
{
  return assay_json_tree_find (r->tree, assay_json_tree_get_root (r->tree), key);
}

static char *
state_describe (const AssayJsonNode *node)
{
  return node != NULL ? assay_json_node_dup_value (node) : g_strdup ("missing");
}

/* Of a kind that is not computed here. */
static char *
state_dup_variant (const StateReader *r, const AssayJsonNode *node, const char *key, const char *known)
{
  g_autofree char *shown = state_describe (node);
  *r->reason = "bitsandbytes-variant";
  return g_strdup_printf ("its %s is %s; only %s is computed here. Choose another version of the model, or "
                          "quantize the original with assay quantize",
                          key, shown, known);
}

static char *
state_dup_fault (const AssayJsonNode *node, const char *key, const char *wanted)
{
  g_autofree char *shown = state_describe (node);
  return g_strdup_printf ("its %s is %s instead of %s; the file was written wrongly", key, shown, wanted);
}

static char *
state_read_number (const StateReader *r, const char *key, gint64 only)
{
  const AssayJsonNode *node = state_find (r, key);
  g_autofree char *known = g_strdup_printf ("%" PRId64, only);
  if (node == NULL || node->type != ASSAY_JSON_INTEGER)
    return state_dup_fault (node, key, "a whole number");
  return node->integer == only ? NULL : state_dup_variant (r, node, key, known);
}

static char *
state_read_shape (const StateReader *r, BitsState *self)
{
  const AssayJsonNode *list = state_find (r, "shape");
  if (list == NULL || list->type != ASSAY_JSON_ARRAY || list->n != 2)
    return state_dup_fault (list, "shape", "a list of two numbers");
  const AssayJsonNode *node = assay_json_tree_first (r->tree, list);
  for (guint i = 0; i < 2; i++, node = assay_json_tree_next (r->tree, list, node))
    {
      if (node->type != ASSAY_JSON_INTEGER || node->integer < 1 || node->integer > DIMENSION_MAX)
        return state_dup_fault (node, "shape", "whole numbers from 1 to 2^40");
      self->shape[i] = node->integer;
    }
  return NULL;
}

static char *
state_read_offset (const StateReader *r, BitsState *self)
{
  const AssayJsonNode *node = state_find (r, "nested_offset");
  if (node == NULL || (node->type != ASSAY_JSON_INTEGER && node->type != ASSAY_JSON_REAL))
    return state_dup_fault (node, "nested_offset", "a number");
  self->offset = (float) (node->type == ASSAY_JSON_INTEGER ? (double) node->integer : node->real);
  return isfinite (self->offset) ? NULL : state_dup_fault (node, "nested_offset", "a finite float32");
}

static char *
state_read_nested (const StateReader *r, BitsState *self)
{
  const AssayJsonNode *size = state_find (r, "nested_blocksize"), *dtype = state_find (r, "nested_dtype");
  self->nested = size != NULL && size->type != ASSAY_JSON_NULL;
  if (!self->nested)
    return NULL;
  if (dtype != NULL && !assay_json_node_is_text (dtype, "float32"))
    return state_dup_variant (r, dtype, "nested_dtype", "float32");
  char *problem = state_read_number (r, "nested_blocksize", ASSAY_WHOLE_NESTED);
  return problem != NULL ? problem : state_read_offset (r, self);
}

static char *
state_read_type (const StateReader *r, BitsState *self)
{
  const char *known = self->is_nf4 ? "nf4" : "fp4";
  const AssayJsonNode *node = state_find (r, "quant_type");
  if (assay_json_tree_get_root (r->tree)->type != ASSAY_JSON_OBJECT)
    return state_dup_fault (assay_json_tree_get_root (r->tree), "text", "a JSON object");
  return assay_json_node_is_text (node, known) ? NULL : state_dup_fault (node, "quant_type", known);
}

char *
assay_bits_state_read (BitsState *self, GBytes *text, const char **reason)
{
  gsize offset;
  const char *what;
  *reason = "bitsandbytes-state";
  g_autoptr (AssayJsonTree) tree = assay_json_tree_new (text, &offset, &what);
  if (tree == NULL)
    return g_strdup_printf ("no sound JSON at byte %zu: %s. Fetch the file again", offset, what);
  const StateReader r = { tree, reason };
  char *problem = state_read_type (&r, self);
  problem = problem != NULL ? problem : state_read_number (&r, "blocksize", ASSAY_WHOLE_BLOCK);
  problem = problem != NULL ? problem : state_read_shape (&r, self);
  return problem != NULL ? problem : state_read_nested (&r, self);
}
