/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/placement/assay-placement.c: blocks, the window they share, and who is in it.
 *
 * Layers take turns in the window's first part. Blocks of whole layers: as large as their largest neighbouring
 * pair, even ones at its start and odd ones at its end. Leaves, whose sizes and computing differ: a ring of
 * three of the largest, so that small ones are there before a large one's turn. What is no layer (embedding,
 * head), and may be far larger, lies at the window's end, over them:
 *
 *   |<--------------------- window --------------------->|
 *   | even layer |   | odd layer |                       |
 *   |       |<------------- embedding, or head --------->|
 *
 * While a block computes, those after it are copied beside it, as many as find room; the very next one in part
 * where not all of it does, if that is worth a copy of its own, and the rest follows when the first is done.
 * And while layers compute, the part of the next larger block that lies behind them comes too, a piece with
 * every layer, so that it holds no layer up. All that is decided by sizes alone, never by timing, so that the
 * same run moves the same bytes.
 */
#include "assay-placement-private.h"

/* Of the largest size, that fit in the window of leaves. */
#define RING_LEAVES 3

typedef struct
{
  guint first, n_units;
  guint64 bytes;
  gint stream;              /* its number among the streamed; -1: resident */
  gboolean is_layer;
  guint64 start;            /* in the window */
  guint64 from, to;         /* those of its bytes that are there or on their way */
  guint64 ticket;           /* of their last copy */
  guint first_part, n_parts;
} Block;

/* Bytes that wait on the host, and the tensor that finds them in the window. */
typedef struct
{
  AssayTensor *tensor;
  guint64 offset, bytes;    /* in the block */
  const void *host;
} Part;

struct _AssayPlacement
{
  const AssayModelUnit *units; /* borrowed */
  guint n_units;
  guint *block_of;          /* [n_units] */
  guint64 *offset_of;       /* [n_units]: in the block */
  GArray *blocks, *parts;   /* Block, Part */
  GArray *streamed;         /* guint: blocks by their stream number */
  gboolean prefetch;
  gboolean leaves;          /* streamed blocks are single units */
  AssayPlacementFigures figures;

  AssayDevice *device;      /* borrowed, all three */
  AssayLink *link;
  char *window;

  guint n_entered;          /* units of this pass */
  gboolean followed;        /* by another pass, at once */
  guint64 layers_bytes;     /* of the window, that layers take turns in */
  guint n_layers;           /* streamed blocks that are layers */
  guint64 ticket;           /* of the last copy */
  gint current;             /* the streamed block in use; -1 none */
  gint shown;               /* the same, for other threads */
  AssayBlockFunc block_func;
  gpointer block_data;
};

gboolean
assay_placement_is_streamed (const AssayAssembly *assembly, gboolean separate, const AssayModelUnit *unit)
{
  if (!separate)
    return FALSE;
  if (assembly->mode != ASSAY_OFFLOAD_NONE)
    return TRUE;
  return assembly->device_map != NULL
         && !assay_assembly_is_on_device (assembly, unit->component, unit->group);
}

/* --- blocks --- */

/* Whether b, the unit after a, moves together with it. */
static gboolean
placement_moves_with (const AssayAssembly *assembly, gboolean separate, const AssayModelUnit *a,
                      const AssayModelUnit *b)
{
  const gboolean streamed = assay_placement_is_streamed (assembly, separate, a);
  if (streamed != assay_placement_is_streamed (assembly, separate, b)
      || !g_str_equal (a->component, b->component))
    return FALSE;
  if (!streamed)
    return a->group == b->group;
  switch (assembly->mode)
    {
    case ASSAY_OFFLOAD_MODEL:
      return TRUE;
    case ASSAY_OFFLOAD_GROUP:
      if (assembly->granularity == 0)
        return FALSE;
      return a->group < 0 ? b->group < 0
                          : b->group >= 0 && (guint) a->group / assembly->granularity
                                               == (guint) b->group / assembly->granularity;
    default:
      return FALSE;
    }
}

static void
placement_cut (AssayPlacement *self, const guint64 *bytes, const AssayAssembly *assembly, gboolean separate)
{
  for (guint i = 0; i < self->n_units; i++)
    {
      if (i == 0 || !placement_moves_with (assembly, separate, &self->units[i - 1], &self->units[i]))
        {
          Block block = { .first = i, .stream = -1 };
          if (assay_placement_is_streamed (assembly, separate, &self->units[i]))
            {
              block.stream = (gint) self->streamed->len;
              g_array_append_val (self->streamed, self->blocks->len);
            }
          g_array_append_val (self->blocks, block);
        }
      Block *block = &g_array_index (self->blocks, Block, self->blocks->len - 1);
      self->block_of[i] = self->blocks->len - 1;
      self->offset_of[i] = block->bytes;
      block->n_units++;
      block->bytes += bytes[i];
    }
}

static Block *
placement_get_streamed (AssayPlacement *self, guint stream)
{
  return &g_array_index (self->blocks, Block, g_array_index (self->streamed, guint, stream));
}

/* How much of the window layers take turns in. Leaves never take more than whole layers would. */
static guint64
placement_size_layers (AssayPlacement *self)
{
  guint64 largest = 0, pair = 0, before = 0, layer = 0;
  gint group = -1;
  for (guint s = 0; s < self->streamed->len; s++)
    {
      const Block *block = placement_get_streamed (self, s);
      if (!block->is_layer)
        continue;
      if (!self->leaves || self->units[block->first].group != group)
        {
          before = layer;
          layer = 0;
        }
      group = self->units[block->first].group;
      layer += block->bytes;
      largest = MAX (largest, block->bytes);
      pair = MAX (pair, before + layer);
    }
  if (!self->prefetch)
    return largest;
  return self->leaves ? MIN (RING_LEAVES * largest, pair) : pair;
}

static void
placement_choose_window (AssayPlacement *self)
{
  for (guint s = 0; s < self->streamed->len; s++)
    {
      Block *block = placement_get_streamed (self, s);
      block->is_layer = self->units[block->first].group >= 0;
      self->n_layers += block->is_layer;
      self->figures.window_bytes = MAX (self->figures.window_bytes, block->bytes);
    }
  self->layers_bytes = placement_size_layers (self);
  self->figures.window_bytes = MAX (self->figures.window_bytes, self->layers_bytes);
}

static void
placement_lay_out (AssayPlacement *self)
{
  guint n_layers = 0;
  guint64 ring = 0;
  for (guint s = 0; s < self->streamed->len; s++)
    {
      Block *block = placement_get_streamed (self, s);
      if (!block->is_layer)
        block->start = self->figures.window_bytes - block->bytes;
      else if (self->leaves)
        {
          block->start = ring + block->bytes <= self->layers_bytes ? ring : 0;
          ring = block->start + block->bytes;
        }
      else if (n_layers++ % 2 != 0)
        block->start = self->layers_bytes - block->bytes;
    }
}

AssayPlacement *
assay_placement_new (const AssayModelUnit *units, const guint64 *bytes, guint n_units,
                     const AssayAssembly *assembly, gboolean separate)
{
  AssayPlacement *self = g_new0 (AssayPlacement, 1);
  self->units = units;
  self->n_units = n_units;
  self->block_of = g_new0 (guint, n_units);
  self->offset_of = g_new0 (guint64, n_units);
  self->blocks = g_array_new (FALSE, FALSE, sizeof (Block));
  self->parts = g_array_new (FALSE, FALSE, sizeof (Part));
  self->streamed = g_array_new (FALSE, FALSE, sizeof (guint));
  self->prefetch = assembly->prefetch;
  self->leaves = assembly->mode != ASSAY_OFFLOAD_MODEL
                 && !(assembly->mode == ASSAY_OFFLOAD_GROUP && assembly->granularity > 0);
  self->current = self->shown = -1;
  placement_cut (self, bytes, assembly, separate);
  placement_choose_window (self);
  placement_lay_out (self);
  self->figures.n_blocks = self->blocks->len;
  self->figures.n_streamed = self->streamed->len;
  return self;
}

void
assay_placement_free (AssayPlacement *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->streamed);
  g_array_unref (self->parts);
  g_array_unref (self->blocks);
  g_free (self->offset_of);
  g_free (self->block_of);
  g_free (self);
}

guint64
assay_placement_get_window_bytes (AssayPlacement *self)
{
  return self->figures.window_bytes;
}

guint
assay_placement_get_n_blocks (AssayPlacement *self)
{
  return self->blocks->len;
}

guint64
assay_placement_get_block (AssayPlacement *self, guint block, guint *first, guint *n, gboolean *streamed)
{
  const Block *b = &g_array_index (self->blocks, Block, block);
  *first = b->first;
  *n = b->n_units;
  *streamed = b->stream >= 0;
  return b->bytes;
}

void
assay_placement_add_part (AssayPlacement *self, guint unit, AssayTensor *tensor, guint64 offset,
                          const void *host, guint64 bytes)
{
  Block *block = &g_array_index (self->blocks, Block, self->block_of[unit]);
  const Part part
      = { .tensor = tensor, .offset = self->offset_of[unit] + offset, .host = host, .bytes = bytes };
  if (block->n_parts++ == 0)
    block->first_part = self->parts->len;
  g_array_append_val (self->parts, part);
  self->figures.pass_bytes += bytes;
}

void
assay_placement_count_load (AssayPlacement *self, guint64 resident_bytes, guint64 load_bytes)
{
  self->figures.resident_bytes += resident_bytes;
  self->figures.load_bytes += load_bytes;
}

void
assay_placement_start (AssayPlacement *self, AssayDevice *device, AssayLink *link, void *window)
{
  self->device = device;
  self->link = link;
  self->window = window;
}

/* --- a pass --- */

/* Bytes [from, to) of a block. Parts that lie one after another on both sides go in one copy. */
static void
placement_copy (AssayPlacement *self, Block *block, guint64 from, guint64 to)
{
  char *place = self->window + block->start;
  for (guint i = 0; i < block->n_parts;)
    {
      const Part *first = &g_array_index (self->parts, Part, block->first_part + i);
      guint64 end = first->offset + first->bytes;
      for (i++; i < block->n_parts; i++)
        {
          const Part *next = &g_array_index (self->parts, Part, block->first_part + i);
          if (next->offset != end
              || (const char *) next->host != (const char *) first->host + (end - first->offset))
            break;
          end += next->bytes;
        }
      const guint64 start = MAX (first->offset, from), stop = MIN (end, to);
      if (start < stop)
        self->ticket = block->ticket
          = assay_link_copy (self->link, place + start, (const char *) first->host + (start - first->offset),
                             stop - start);
    }
}

static void
placement_set_tensors (AssayPlacement *self, const Block *block)
{
  const char *place = self->window + block->start;
  for (guint i = 0; i < block->n_parts; i++)
    {
      const Part *part = &g_array_index (self->parts, Part, block->first_part + i);
      part->tensor->data = place + part->offset;
    }
}

/* Bytes [from, to) of a block, but for those that are there. What is there afterwards is one piece again. */
static void
placement_extend (AssayPlacement *self, Block *block, guint64 from, guint64 to)
{
  if (block->from == block->to)
    block->from = block->to = from;
  if (from < block->from)
    placement_copy (self, block, from, block->from);
  if (to > block->to)
    placement_copy (self, block, block->to, to);
  block->from = MIN (block->from, from);
  block->to = MAX (block->to, to);
}

/* What of `next` lies beside `block` in the window, before or behind it: [*from, *to) of its bytes. */
static void
placement_find_free (const Block *block, const Block *next, guint64 *from, guint64 *to)
{
  const guint64 end = block->start + block->bytes, next_end = next->start + next->bytes;
  const guint64 before = block->start > next->start ? MIN (block->start, next_end) - next->start : 0;
  const guint64 behind = next_end > end ? next_end - MAX (end, next->start) : 0;
  *from = before >= behind ? 0 : next->bytes - behind;
  *to = before >= behind ? before : next->bytes;
}

/* The streamed block that is entered after this one, in this pass or the one that follows at once; or
 * NULL. */
static Block *
placement_get_next (AssayPlacement *self, const Block *block)
{
  const guint stream = (guint) block->stream + 1;
  if (stream < self->streamed->len && placement_get_streamed (self, stream)->first < self->n_entered)
    return placement_get_streamed (self, stream);
  return self->followed && block->stream > 0 ? placement_get_streamed (self, 0) : NULL;
}

/* The next that is no layer; or NULL. */
static Block *
placement_get_far (AssayPlacement *self, Block *block)
{
  for (Block *next = placement_get_next (self, block); next != NULL; next = placement_get_next (self, next))
    if (!next->is_layer)
      return next;
    else if (next->stream <= block->stream) /* the next pass begins with a layer */
      return NULL;
  return NULL;
}

/* A piece of the next block that is no layer, of what lies behind the layers. */
static void
placement_prefetch_far (AssayPlacement *self, Block *layer)
{
  Block *block = placement_get_far (self, layer);
  if (block == NULL || block->start + block->bytes <= self->layers_bytes)
    return;
  const guint64 first = block->start < self->layers_bytes ? self->layers_bytes - block->start : 0;
  const guint64 piece = (block->bytes - first) / self->n_layers + 1;
  const guint64 done = block->from == block->to ? first : block->to;
  if (done < block->bytes)
    placement_extend (self, block, MIN (first, done), MIN (done + piece, block->bytes));
}

/* Whether `next` lies clear of the block in use and of all between them. */
static gboolean
placement_has_room (AssayPlacement *self, const Block *block, const Block *next)
{
  for (; block != next; block = placement_get_next (self, block))
    if (block->start < next->start + next->bytes && next->start < block->start + block->bytes)
      return FALSE;
  return TRUE;
}

/* What of the very next block lies beside the one in use. */
static void
placement_prefetch_part (AssayPlacement *self, const Block *block, Block *next)
{
  guint64 from, to;
  placement_find_free (block, next, &from, &to);
  if (to - from >= next->bytes / 4 && (next->from == next->to || (from <= next->from && to >= next->to)))
    placement_extend (self, next, from, to);
}

static void
placement_prefetch (AssayPlacement *self, Block *block)
{
  Block *first = self->prefetch ? placement_get_next (self, block) : NULL, *next = first;
  if (first == NULL)
    return;
  for (; next != NULL && placement_has_room (self, block, next); next = placement_get_next (self, next))
    {
      placement_extend (self, next, 0, next->bytes);
      if (next->stream <= block->stream) /* of the next pass its first only */
        break;
    }
  if (next == first)
    placement_prefetch_part (self, block, next);
  if (block->is_layer && first->is_layer)
    placement_prefetch_far (self, block);
}

/* All that is not there yet. */
static void
placement_complete (AssayPlacement *self, Block *block)
{
  placement_extend (self, block, 0, block->bytes);
  block->from = block->to = 0; /* whoever enters it again copies it again */
}

/* All but the next pass's first block, which may be on its way. */
static void
placement_forget (AssayPlacement *self, gboolean but_first)
{
  for (guint s = but_first ? 1 : 0; s < self->streamed->len; s++)
    {
      Block *block = placement_get_streamed (self, s);
      block->from = block->to = 0;
    }
}

void
assay_placement_begin (AssayPlacement *self, guint n_units, gboolean followed)
{
  self->n_entered = n_units;
  self->followed = followed;
}

gboolean
assay_placement_enter (AssayPlacement *self, guint unit, GError **error)
{
  Block *block = &g_array_index (self->blocks, Block, self->block_of[unit]);
  if (block->stream < 0 || block->stream == self->current)
    return TRUE;
  if (!assay_link_settle (self->link, error))
    return FALSE;
  placement_complete (self, block);
  if (!assay_link_order (self->link, block->ticket, error))
    return FALSE;
  self->current = block->stream;
  g_atomic_int_set (&self->shown, block->stream);
  placement_set_tensors (self, block);
  placement_prefetch (self, block);
  if (self->block_func != NULL)
    self->block_func (self, block->bytes, self->block_data);
  return TRUE;
}

gboolean
assay_placement_end (AssayPlacement *self, gboolean whole, GError **error)
{
  self->current = -1;
  g_atomic_int_set (&self->shown, -1);
  const gboolean goes_on = whole && self->followed;
  placement_forget (self, goes_on);
  return goes_on || self->streamed->len == 0 || assay_link_wait (self->link, self->ticket, error);
}

/* --- for others --- */

void
assay_placement_set_block_func (AssayPlacement *self, AssayBlockFunc func, gpointer data)
{
  self->block_func = func;
  self->block_data = data;
}

void
assay_placement_get_figures (AssayPlacement *self, AssayPlacementFigures *out)
{
  *out = self->figures;
}

char *
assay_placement_dup_resident (AssayPlacement *self)
{
  const gint stream = g_atomic_int_get (&self->shown);
  if (stream < 0)
    return g_strdup ("");
  const Block *block = placement_get_streamed (self, (guint) stream);
  const AssayModelUnit *first = &self->units[block->first],
                       *last = &self->units[block->first + block->n_units - 1];
  if (first->group < 0)
    return g_strdup (block->n_units == 1 ? first->module : first->component);
  if (block->n_units == 1)
    return g_strdup_printf ("%s %d %s", first->component, first->group, first->module);
  return first->group == last->group
             ? g_strdup_printf ("%s %d", first->component, first->group)
             : g_strdup_printf ("%s %d … %d", first->component, first->group, last->group);
}
