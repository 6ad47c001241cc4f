/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/text/assay-token-tables.c: linear probing; slots hold ids, and the texts stay in the model file. */
#include "assay-token-tables.h"

#include <string.h>

enum { FIRST_BITS = 10 };

static guint64
mix (guint64 a, guint64 b)
{
  const __uint128_t product = (__uint128_t) (a ^ 0x9E3779B97F4A7C15u) * (b ^ 0xD6E8FEB86659FD93u);
  return (guint64) product ^ (guint64) (product >> 64);
}

static guint64
fresh_seed (void)
{
  return (guint64) g_random_int () << 32 | g_random_int ();
}

static guint64
hash_bytes (guint64 seed, const char *p, gsize length)
{
  guint64 hash = seed ^ length;
  for (; length >= 8; p += 8, length -= 8)
    {
      guint64 word;
      memcpy (&word, p, 8);
      hash = mix (hash ^ word, seed);
    }
  guint64 rest = 0;
  memcpy (&rest, p, length);
  return mix (mix (hash ^ rest, seed), hash);
}

/* Grows at three quarters full. */
static gboolean
is_full (gsize n, guint bits)
{
  return n + 1 > ((gsize) 3 << bits) / 4;
}

/* ---- pieces ---- */

static gint32 *
piece_slots_new (guint bits)
{
  gint32 *slots = g_new (gint32, (gsize) 1 << bits);
  memset (slots, 0xFF, sizeof (gint32) << bits);
  return slots;
}

void
assay_piece_table_init (AssayPieceTable *self, gconstpointer owner,
                        const char *(*text) (gconstpointer owner, gint32 id, gsize *length))
{
  *self = (AssayPieceTable) { owner, text, piece_slots_new (FIRST_BITS), FIRST_BITS, 0, fresh_seed () };
}

void
assay_piece_table_clear (AssayPieceTable *self)
{
  g_clear_pointer (&self->slots, g_free);
}

/* The slot that holds the text, or the empty one where it would be. */
static gsize
piece_slot (const AssayPieceTable *self, const char *text, gsize length)
{
  const gsize mask = ((gsize) 1 << self->bits) - 1;
  gsize i = hash_bytes (self->seed, text, length) & mask;
  for (; self->slots[i] >= 0; i = (i + 1) & mask)
    {
      gsize n;
      const char *held = self->text (self->owner, self->slots[i], &n);
      if (n == length && memcmp (held, text, n) == 0)
        break;
    }
  return i;
}

static void
piece_table_grow (AssayPieceTable *self)
{
  g_autofree gint32 *old = self->slots;
  const gsize n_old = (gsize) 1 << self->bits;
  self->slots = piece_slots_new (++self->bits);
  for (gsize i = 0; i < n_old; i++)
    if (old[i] >= 0)
      {
        gsize length;
        const char *text = self->text (self->owner, old[i], &length);
        self->slots[piece_slot (self, text, length)] = old[i];
      }
}

gboolean
assay_piece_table_add (AssayPieceTable *self, gint32 id)
{
  if (is_full (self->n, self->bits))
    piece_table_grow (self);
  gsize length;
  const char *text = self->text (self->owner, id, &length);
  const gsize slot = piece_slot (self, text, length);
  if (self->slots[slot] >= 0)
    return FALSE;
  self->slots[slot] = id;
  self->n++;
  return TRUE;
}

gint32
assay_piece_table_find (const AssayPieceTable *self, const char *text, gsize length)
{
  return self->slots[piece_slot (self, text, length)];
}

/* ---- pairs ---- */

static AssayPairSlot *
pair_slots_new (guint bits)
{
  AssayPairSlot *slots = g_new (AssayPairSlot, (gsize) 1 << bits);
  memset (slots, 0xFF, sizeof (AssayPairSlot) << bits);
  return slots;
}

void
assay_pair_table_init (AssayPairTable *self)
{
  *self = (AssayPairTable) { pair_slots_new (FIRST_BITS), FIRST_BITS, 0, fresh_seed () };
}

void
assay_pair_table_clear (AssayPairTable *self)
{
  g_clear_pointer (&self->slots, g_free);
}

static AssayPairSlot *
pair_slot (const AssayPairTable *self, gint32 left, gint32 right)
{
  const gsize mask = ((gsize) 1 << self->bits) - 1;
  gsize i = mix ((guint64) (guint32) left << 32 | (guint32) right, self->seed) & mask;
  while (self->slots[i].left >= 0 && (self->slots[i].left != left || self->slots[i].right != right))
    i = (i + 1) & mask;
  return &self->slots[i];
}

gboolean
assay_pair_table_add (AssayPairTable *self, gint32 left, gint32 right, gint32 rank, gint32 merged)
{
  if (is_full (self->n, self->bits))
    {
      g_autofree AssayPairSlot *old = self->slots;
      const gsize n_old = (gsize) 1 << self->bits;
      self->slots = pair_slots_new (++self->bits);
      for (gsize i = 0; i < n_old; i++)
        if (old[i].left >= 0)
          *pair_slot (self, old[i].left, old[i].right) = old[i];
    }
  AssayPairSlot *slot = pair_slot (self, left, right);
  if (slot->left >= 0)
    return FALSE;
  *slot = (AssayPairSlot) { left, right, rank, merged };
  self->n++;
  return TRUE;
}

void
assay_pair_table_set_rank (AssayPairTable *self, gint32 left, gint32 right, gint32 rank)
{
  AssayPairSlot *slot = pair_slot (self, left, right);
  g_return_if_fail (slot->left >= 0);
  slot->rank = rank;
}

const AssayPairSlot *
assay_pair_table_find (const AssayPairTable *self, gint32 left, gint32 right)
{
  const AssayPairSlot *slot = pair_slot (self, left, right);
  return slot->left >= 0 ? slot : NULL;
}

/* ---- special tokens: a sorted list narrowed byte by byte; a trie would cost more than the file ---- */

void
assay_special_index_init (AssaySpecialIndex *self, gconstpointer owner,
                          const char *(*text) (gconstpointer owner, gint32 id, gsize *length))
{
  *self = (AssaySpecialIndex) { owner, text, g_array_new (FALSE, FALSE, sizeof (gint32)), { 0 } };
}

void
assay_special_index_clear (AssaySpecialIndex *self)
{
  g_clear_pointer (&self->ids, g_array_unref);
}

void
assay_special_index_add (AssaySpecialIndex *self, gint32 id)
{
  g_array_append_val (self->ids, id);
}

static int
special_compare (gconstpointer a, gconstpointer b, gpointer data)
{
  const AssaySpecialIndex *self = data;
  const gint32 id_a = *(const gint32 *) a, id_b = *(const gint32 *) b;
  gsize length_a, length_b;
  const char *text_a = self->text (self->owner, id_a, &length_a);
  const char *text_b = self->text (self->owner, id_b, &length_b);
  const int order = memcmp (text_a, text_b, MIN (length_a, length_b));
  if (order != 0)
    return order;
  if (length_a != length_b)
    return length_a < length_b ? -1 : 1;
  return id_a < id_b ? -1 : id_a > id_b;
}

void
assay_special_index_sort (AssaySpecialIndex *self)
{
  g_array_sort_with_data (self->ids, special_compare, self);
  guint i = 0;
  for (guint byte = 0; byte < 256; byte++)
    {
      self->first[byte] = i;
      gsize length;
      while (i < self->ids->len
             && (guint8) *self->text (self->owner, g_array_index (self->ids, gint32, i), &length) == byte)
        i++;
    }
  self->first[256] = i;
}

/* Where in [low, high), whose texts share depth bytes, a text begins whose byte at depth is at least byte. */
static guint
special_bound (const AssaySpecialIndex *self, guint low, guint high, gsize depth, guint byte)
{
  while (low < high)
    {
      const guint middle = low + (high - low) / 2;
      gsize length;
      const char *text = self->text (self->owner, g_array_index (self->ids, gint32, middle), &length);
      if (length <= depth || (guint8) text[depth] < byte)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

gint32
assay_special_index_match (const AssaySpecialIndex *self, const char *text, gsize length,
                           gboolean (*accept) (gconstpointer owner, gint32 id), gsize *matched)
{
  gint32 found = -1;
  guint low = self->first[(guint8) *text], high = self->first[(guint8) *text + 1];
  for (gsize depth = 1; low < high; depth++)
    {
      gsize n;
      const char *first = self->text (self->owner, g_array_index (self->ids, gint32, low), &n);
      if (high - low == 1)
        {
          const gint32 id = g_array_index (self->ids, gint32, low);
          if (n <= length && memcmp (first, text, n) == 0 && accept (self->owner, id))
            {
              found = id;
              *matched = n;
            }
          break;
        }
      for (; low < high && n == depth; low++) /* equal texts are adjacent: the lowest id first */
        {
          const gint32 id = g_array_index (self->ids, gint32, low);
          self->text (self->owner, id, &n);
          if (n != depth)
            break;
          if (accept (self->owner, id) && (found < 0 || *matched < depth))
            {
              found = id;
              *matched = depth;
            }
        }
      if (depth == length)
        break;
      const guint byte = (guint8) text[depth];
      low = special_bound (self, low, high, depth, byte);
      high = special_bound (self, low, high, depth, byte + 1);
    }
  return found;
}

static gboolean
accept_any (gconstpointer owner, gint32 id)
{
  return TRUE;
}

gint32
assay_special_index_find (const AssaySpecialIndex *self, const char *text, gsize length)
{
  gsize matched = 0;
  const gint32 id = length > 0 ? assay_special_index_match (self, text, length, accept_any, &matched) : -1;
  return id >= 0 && matched == length ? id : -1;
}
