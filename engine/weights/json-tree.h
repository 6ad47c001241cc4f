/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/json-tree.h: a JSON text of a model's folder as a whole, for those who look things up in it.
 *
 * What json-scan.h finds, in one array in the order of the text, so that a vocabulary of 250000 tokens is one
 * allocation: a node's children follow it, and node->next is one past the last. Immutable once made: any
 * thread. */
#pragma once

#include "assay-model-file.h"

G_BEGIN_DECLS

typedef enum
{
  ASSAY_JSON_NULL,
  ASSAY_JSON_BOOL,
  ASSAY_JSON_INTEGER, /* without fraction and exponent, in the range of gint64 */
  ASSAY_JSON_REAL, /* any other number; may be infinite after 1e400 */
  ASSAY_JSON_TEXT,
  ASSAY_JSON_ARRAY,
  ASSAY_JSON_OBJECT,
} AssayJsonType;

typedef struct
{
  AssayJsonType type;
  guint32 next; /* index of the node after this one and all its children */
  guint32 n; /* children */
  guint32 offset; /* in the text; of a member, its name's */
  AssayBytes key; /* in an object; else NULL */
  union
  {
    gint64 integer; /* also a bool: 0, 1 */
    double real;
    AssayBytes text; /* UTF-8; may hold NUL */
  };
} AssayJsonNode;

typedef struct _AssayJsonTree AssayJsonTree;

/* At most 100 MB and 2^22 values, besides what the scanner refuses.
 * Returns: NULL, and *offset and *what (static) say where and why. */
AssayJsonTree *assay_json_tree_new (GBytes *text, gsize *offset, const char **what);
void assay_json_tree_free (AssayJsonTree *self);

const AssayJsonNode *assay_json_tree_get_root (const AssayJsonTree *self);
/* The first child of an array or object, then the next; NULL at the end, and of anything else. */
const AssayJsonNode *assay_json_tree_first (const AssayJsonTree *self, const AssayJsonNode *parent);
const AssayJsonNode *assay_json_tree_next (const AssayJsonTree *self, const AssayJsonNode *parent,
                                           const AssayJsonNode *child);
/* NULL: parent is no object or has no such member. Walks through the members. */
const AssayJsonNode *assay_json_tree_find (const AssayJsonTree *self, const AssayJsonNode *parent,
                                           const char *key);

/* For messages: "a text", "the number 7" … (transfer full) */
char *assay_json_node_dup_value (const AssayJsonNode *node);
gboolean assay_json_node_is_text (const AssayJsonNode *node, const char *text); /* NULL node: FALSE */

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayJsonTree, assay_json_tree_free)

G_END_DECLS
