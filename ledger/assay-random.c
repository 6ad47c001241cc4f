/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-random.c: see assay-random.h. */
#include "assay-random.h"

#define STEP G_GUINT64_CONSTANT (0x9e3779b97f4a7c15)

guint64
assay_random_mix (guint64 value)
{
  value = (value ^ (value >> 30)) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  value = (value ^ (value >> 27)) * G_GUINT64_CONSTANT (0x94d049bb133111eb);
  return value ^ (value >> 31);
}

guint64
assay_random_next (AssayRandom *self)
{
  self->state += STEP;
  return assay_random_mix (self->state);
}

/* What is left over at the top of the range is drawn again: a remainder alone would favour small numbers. */
guint
assay_random_below (AssayRandom *self, guint n)
{
  g_return_val_if_fail (n > 0, 0);
  const guint64 end = G_MAXUINT64 - G_MAXUINT64 % n;
  guint64 drawn;
  do
    drawn = assay_random_next (self);
  while (drawn >= end);
  return (guint) (drawn % n);
}

void
assay_random_shuffle (AssayRandom *self, gpointer *items, guint n)
{
  for (guint i = n; i > 1; i--)
    {
      const guint k = assay_random_below (self, i);
      gpointer kept = items[i - 1];
      items[i - 1] = items[k];
      items[k] = kept;
    }
}

/* FNV-1a, begun at the mixed seed. */
guint64
assay_random_hash (guint64 seed, const char *text)
{
  guint64 hash = assay_random_mix (seed + STEP);
  for (const char *p = text; *p != '\0'; p++)
    hash = (hash ^ (guint8) *p) * G_GUINT64_CONSTANT (1099511628211);
  return assay_random_mix (hash);
}
