/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/placement/assay-placement.c: blocks, the window they share, and who is in it.
 *
 * Streamed blocks are numbered apart, s = 0, 1, 2 …; even ones lie at the window's start, odd ones at its
 * end:
 *
 *   |<------------------ window ------------------>|
 *   | block 2k        |              |  block 2k+1 |
 *
 * While block s computes, s + 1 is copied beside it (after the last one the first, where another pass follows
 * at once): all of it where both fit, else as much as lies beside, if that is worth a copy of its own; the
 * rest follows when s is done. That is decided by sizes alone, never by timing, so that the same run moves
 * the same bytes. */
#include "assay-placement-private.h"

typedef struct
{
  guint first, n_units;
  guint64 bytes;
  gint stream;              /* its number among the streamed; -1: resident */
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
  AssayPlacementFigures figures;

  AssayDevice *device;      /* borrowed, all three */
  AssayLink *link;
  char *window;

  guint n_entered;          /* units of this pass */
  gboolean followed;        /* by another pass, at once */
  gint copied;              /* the last streamed block whose copy was begun in this pass; -1 none */
  guint64 copied_from, copied_to; /* those of its bytes */
  guint64 ticket;           /* of its last copy */
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

static guint64
placement_choose_window (AssayPlacement *self)
{
  guint64 most = 0;
  for (guint s = 0; s < self->streamed->len; s++)
    {
      const Block *block = placement_get_streamed (self, s);
      most = MAX (most, block->bytes);
      if (s == 0 || !self->prefetch)
        continue;
      const Block *before = placement_get_streamed (self, s - 1);
      if (self->units[before->first].group >= 0 && self->units[block->first].group >= 0)
        most = MAX (most, before->bytes + block->bytes);
    }
  return most;
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
  self->copied = self->current = self->shown = -1;
  placement_cut (self, bytes, assembly, separate);
  self->figures.window_bytes = placement_choose_window (self);
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

guint64
assay_placement_get_offset (AssayPlacement *self, guint unit)
{
  return self->offset_of[unit];
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

static guint64
placement_get_start (AssayPlacement *self, const Block *block)
{
  return block->stream % 2 == 0 ? 0 : self->figures.window_bytes - block->bytes;
}

static char *
placement_get_place (AssayPlacement *self, const Block *block)
{
  return self->window + placement_get_start (self, block);
}

/* Bytes [from, to) of a block. Parts that lie one after another on both sides go in one copy. */
static void
placement_copy (AssayPlacement *self, const Block *block, guint64 from, guint64 to)
{
  char *place = placement_get_place (self, block);
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
        self->ticket = assay_link_copy (self->link, place + start,
                                        (const char *) first->host + (start - first->offset), stop - start);
    }
}

static void
placement_set_tensors (AssayPlacement *self, const Block *block)
{
  const char *place = placement_get_place (self, block);
  for (guint i = 0; i < block->n_parts; i++)
    {
      const Part *part = &g_array_index (self->parts, Part, block->first_part + i);
      part->tensor->data = place + part->offset;
    }
}

/* What of `next` lies beside `block` in the window, before or behind it: [*from, *to) of its bytes. */
static void
placement_find_free (AssayPlacement *self, const Block *block, const Block *next, guint64 *from, guint64 *to)
{
  const guint64 start = placement_get_start (self, block), end = start + block->bytes;
  const guint64 next_start = placement_get_start (self, next), next_end = next_start + next->bytes;
  const guint64 before = start > next_start ? MIN (start, next_end) - next_start : 0;
  const guint64 behind = next_end > end ? next_end - MAX (end, next_start) : 0;
  *from = before >= behind ? 0 : next->bytes - behind;
  *to = before >= behind ? before : next->bytes;
}

/* The streamed block that is entered after this one, in this pass or the one that follows at once; or
 * NULL. */
static const Block *
placement_get_next (AssayPlacement *self, const Block *block)
{
  const guint stream = (guint) block->stream + 1;
  if (stream < self->streamed->len && placement_get_streamed (self, stream)->first < self->n_entered)
    return placement_get_streamed (self, stream);
  return self->followed && block->stream > 0 ? placement_get_streamed (self, 0) : NULL;
}

static void
placement_prefetch (AssayPlacement *self, const Block *block)
{
  const Block *next = self->prefetch ? placement_get_next (self, block) : NULL;
  guint64 from, to;
  if (next == NULL)
    return;
  placement_find_free (self, block, next, &from, &to);
  if (to - from < next->bytes / 4)
    return;
  self->copied = next->stream;
  self->copied_from = from;
  self->copied_to = to;
  placement_copy (self, next, from, to);
}

/* All that is not there yet. */
static void
placement_complete (AssayPlacement *self, const Block *block)
{
  if (self->copied != block->stream)
    self->copied_from = self->copied_to = 0;
  self->copied = block->stream;
  placement_copy (self, block, 0, self->copied_from);
  placement_copy (self, block, self->copied_to, block->bytes);
  self->copied_from = self->copied_to = 0; /* whoever enters it again copies it again */
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
  const Block *block = &g_array_index (self->blocks, Block, self->block_of[unit]);
  if (block->stream < 0 || block->stream == self->current)
    return TRUE;
  /* Whatever still computes may read what is overwritten next. */
  AssayBackend *b = assay_device_get_backend (self->device);
  if (!assay_device_check (self->device, b->ops->sync (b), "sync", error))
    return FALSE;
  placement_complete (self, block);
  if (!assay_link_wait (self->link, self->ticket, error))
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
  if (whole && self->followed) /* the next pass's first block may be on its way */
    {
      self->copied = self->copied == 0 ? 0 : -1;
      return TRUE;
    }
  const gboolean fine = self->copied < 0 || assay_link_wait (self->link, self->ticket, error);
  self->copied = -1;
  return fine;
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
