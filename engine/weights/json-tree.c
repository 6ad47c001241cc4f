/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/json-tree.c: the scanner's items, kept. */
#include "json-tree.h"

#include "json-scan.h"

#include <inttypes.h>
#include <string.h>

enum
{
  MOST_BYTES = 100000000,
  MOST_NODES = 1 << 22,
  LONGEST_NUMBER = 400
};

struct _AssayJsonTree
{
  GBytes *text; /* owned; texts without escapes lie in it */
  AssayJsonScan *scan; /* owned; the others lie here */
  GArray *nodes; /* owned; AssayJsonNode */
};

static const AssayJsonNode *
json_at (const AssayJsonTree *self, guint32 i)
{
  return &g_array_index (self->nodes, AssayJsonNode, i);
}

static void
json_fill_number (AssayJsonNode *node, AssayBytes written)
{
  char text[LONGEST_NUMBER + 1];
  memcpy (text, written.data, written.length);
  text[written.length] = '\0';
  node->type = ASSAY_JSON_INTEGER;
  if (strpbrk (text, ".eE") == NULL
      && g_ascii_string_to_signed (text, 10, G_MININT64, G_MAXINT64, &node->integer, NULL))
    return;
  node->type = ASSAY_JSON_REAL;
  node->real = g_ascii_strtod (text, NULL);
}

static gboolean
json_fill (AssayJsonNode *node, const AssayJsonItem *item)
{
  if (item->is_member)
    node->key = item->name;
  switch (item->kind)
    {
    case ASSAY_JSON_ITEM_OBJECT: node->type = ASSAY_JSON_OBJECT; break;
    case ASSAY_JSON_ITEM_ARRAY: node->type = ASSAY_JSON_ARRAY; break;
    case ASSAY_JSON_ITEM_TRUE:
      node->type = ASSAY_JSON_BOOL;
      node->integer = 1;
      break;
    case ASSAY_JSON_ITEM_FALSE: node->type = ASSAY_JSON_BOOL; break;
    case ASSAY_JSON_ITEM_STRING:
      node->type = ASSAY_JSON_TEXT;
      node->text = item->text;
      break;
    case ASSAY_JSON_ITEM_NUMBER:
      if (item->text.length > LONGEST_NUMBER)
        return FALSE;
      json_fill_number (node, item->text);
      break;
    default: break; /* null */
    }
  return TRUE;
}

/* Returns: what is wrong, or NULL. */
static const char *
json_read (AssayJsonTree *self, gsize *offset)
{
  guint32 open[ASSAY_JSON_DEPTH_LIMIT + 1];
  guint depth = 0;
  AssayJsonItem item;
  while (assay_json_scan_next (self->scan, &item))
    {
      *offset = item.at;
      if (item.kind == ASSAY_JSON_ITEM_END)
        return NULL;
      if (item.kind == ASSAY_JSON_ITEM_CLOSE)
        {
          g_array_index (self->nodes, AssayJsonNode, open[--depth]).next = self->nodes->len;
          continue;
        }
      const guint32 i = self->nodes->len;
      AssayJsonNode node = { .next = i + 1, .offset = (guint32)item.at };
      if (i == MOST_NODES)
        return "more than 4194304 values";
      if (!json_fill (&node, &item))
        return "a number of more than 400 characters";
      if (depth > 0)
        g_array_index (self->nodes, AssayJsonNode, open[depth - 1]).n++;
      if (node.type >= ASSAY_JSON_ARRAY)
        open[depth++] = i;
      g_array_append_val (self->nodes, node);
    }
  *offset = assay_json_scan_get_offset (self->scan);
  return assay_json_scan_get_problem (self->scan);
}

AssayJsonTree *
assay_json_tree_new (GBytes *text, gsize *offset, const char **what)
{
  gsize length;
  const char *data = g_bytes_get_data (text, &length);
  g_autoptr (AssayJsonTree) self = g_new0 (AssayJsonTree, 1);
  self->text = g_bytes_ref (text);
  self->scan = assay_json_scan_new (data != NULL ? data : "", length, ASSAY_JSON_DEPTH_LIMIT);
  self->nodes = g_array_new (FALSE, FALSE, sizeof (AssayJsonNode));
  *offset = 0;
  *what = length > MOST_BYTES ? "more than 100000000 bytes" : json_read (self, offset);
  return *what == NULL ? g_steal_pointer (&self) : NULL;
}

void
assay_json_tree_free (AssayJsonTree *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->nodes);
  assay_json_scan_free (self->scan);
  g_bytes_unref (self->text);
  g_free (self);
}

/* ---- reading it ---- */

const AssayJsonNode *
assay_json_tree_get_root (const AssayJsonTree *self)
{
  return json_at (self, 0);
}

const AssayJsonNode *
assay_json_tree_first (const AssayJsonTree *self, const AssayJsonNode *parent)
{
  return parent->type >= ASSAY_JSON_ARRAY && parent->n > 0 ? parent + 1 : NULL;
}

const AssayJsonNode *
assay_json_tree_next (const AssayJsonTree *self, const AssayJsonNode *parent, const AssayJsonNode *child)
{
  return child->next < parent->next ? json_at (self, child->next) : NULL;
}

const AssayJsonNode *
assay_json_tree_find (const AssayJsonTree *self, const AssayJsonNode *parent, const char *key)
{
  if (parent == NULL || parent->type != ASSAY_JSON_OBJECT)
    return NULL;
  const AssayJsonNode *child = assay_json_tree_first (self, parent);
  while (child != NULL && !assay_json_bytes_are (child->key, key))
    child = assay_json_tree_next (self, parent, child);
  return child;
}

char *
assay_json_node_dup_value (const AssayJsonNode *node)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  g_autofree char *shown = NULL;
  switch (node->type)
    {
    case ASSAY_JSON_NULL: return g_strdup ("null");
    case ASSAY_JSON_BOOL: return g_strdup (node->integer ? "true" : "false");
    case ASSAY_JSON_INTEGER: return g_strdup_printf ("%" PRId64, node->integer);
    case ASSAY_JSON_REAL: return g_strdup (g_ascii_formatd (number, sizeof number, "%.9g", node->real));
    case ASSAY_JSON_ARRAY: return g_strdup_printf ("a list of %u", node->n);
    case ASSAY_JSON_OBJECT: return g_strdup_printf ("an object of %u", node->n);
    case ASSAY_JSON_TEXT: break;
    }
  shown = assay_engine_escape (node->text.data, node->text.length);
  return g_strdup_printf ("\"%s\"", shown);
}

gboolean
assay_json_node_is_text (const AssayJsonNode *node, const char *text)
{
  return node != NULL && node->type == ASSAY_JSON_TEXT && assay_json_bytes_are (node->text, text);
}
