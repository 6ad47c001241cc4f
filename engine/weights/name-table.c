/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/name-table.c: linear probing; a slot holds index + 1, 0 is free. */
#include "name-table.h"

#include <string.h>
#include <xxhash.h>

enum { FEWEST_SLOTS = 64 };

struct _NameTable
{
  NameTableFunc get_name;
  gconstpointer owner;
  guint64 seed;
  guint32 *slots;
  guint32 n_slots; /* a power of two */
  guint32 n_used;
};

NameTable *
assay_name_table_new (NameTableFunc get_name, gconstpointer owner)
{
  NameTable *self = g_new0 (NameTable, 1);
  self->get_name = get_name;
  self->owner = owner;
  self->seed = (guint64) g_random_int () << 32 | g_random_int ();
  self->n_slots = FEWEST_SLOTS;
  self->slots = g_new0 (guint32, self->n_slots);
  return self;
}

void
assay_name_table_free (NameTable *self)
{
  if (self == NULL)
    return;
  g_free (self->slots);
  g_free (self);
}

void
assay_name_table_clear (NameTable *self)
{
  if (self->n_slots > FEWEST_SLOTS)
    {
      g_free (self->slots);
      self->n_slots = FEWEST_SLOTS;
      self->slots = g_new0 (guint32, self->n_slots);
    }
  else if (self->n_used > 0)
    memset (self->slots, 0, self->n_slots * sizeof *self->slots);
  self->n_used = 0;
}

/* The slot that holds the name, or the free one where it belongs. */
static guint32
name_table_slot (const NameTable *self, const char *name, gsize length)
{
  const guint32 mask = self->n_slots - 1;
  guint32 i = (guint32) XXH3_64bits_withSeed (name, length, self->seed) & mask;
  for (; self->slots[i] != 0; i = (i + 1) & mask)
    {
      const AssayBytes other = self->get_name (self->owner, self->slots[i] - 1);
      if (other.length == length && (length == 0 || memcmp (other.data, name, length) == 0))
        break;
    }
  return i;
}

static void
name_table_grow (NameTable *self)
{
  g_autofree guint32 *old = self->slots;
  const guint32 n_old = self->n_slots;
  self->n_slots *= 2;
  self->slots = g_new0 (guint32, self->n_slots);
  for (guint32 i = 0; i < n_old; i++)
    if (old[i] != 0)
      {
        const AssayBytes name = self->get_name (self->owner, old[i] - 1);
        self->slots[name_table_slot (self, name.data, name.length)] = old[i];
      }
}

gboolean
assay_name_table_add (NameTable *self, guint32 index)
{
  if ((self->n_used + 1) * 2 > self->n_slots)
    name_table_grow (self);
  const AssayBytes name = self->get_name (self->owner, index);
  const guint32 slot = name_table_slot (self, name.data, name.length);
  if (self->slots[slot] != 0)
    return FALSE;
  self->slots[slot] = index + 1;
  self->n_used++;
  return TRUE;
}

gint64
assay_name_table_find (const NameTable *self, const char *name, gsize length)
{
  return (gint64) self->slots[name_table_slot (self, name, length)] - 1;
}
