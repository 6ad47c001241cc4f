/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-blind-sides.c: who stands left and who right.
 *
 * Comparisons are the arcs of a graph, from left to right. First each is laid so that whoever was left less
 * often stands left, which keeps the sides level all along the way. Then, as long as a way leads along
 * turnable arcs from one that is left too often to one that is right too often, all arcs of that way are
 * turned: the ends come nearer to level by two, and nobody between them changes. When no such way is left,
 * nothing better exists (the flow is of least cost); and where nothing is fixed, that is level: the set of
 * all that can be reached from u has as many arcs inside as it counts lefts and rights, none leads out, so
 * someone in it is right at least as often as u is left. */
#include "assay-blind-private.h"

typedef struct
{
  AssaySides *sides;
  guint n_competitors;
  gint *lead;     /* [n_competitors] left − right */
  GArray **arcs;  /* [n_competitors] (element-type guint): those it occurs in */
  guint *came_by; /* [n_competitors] the arc on the way there */
  gboolean *seen; /* [n_competitors] */
  guint *queue;   /* [n_competitors] */
} Balance;

static void
sides_turn (Balance *self, AssaySides *arc)
{
  const guint was_left = arc->left;
  self->lead[arc->left] -= 2;
  self->lead[arc->right] += 2;
  arc->left = arc->right;
  arc->right = was_left;
}

/* Somebody whom a way of turnable arcs leads to and who is behind `from` by three or more; or `from` itself.
 */
static guint
sides_find_way (Balance *self, guint from)
{
  guint head = 0, tail = 0;
  for (guint i = 0; i < self->n_competitors; i++)
    self->seen[i] = FALSE;
  self->seen[from] = TRUE;
  self->queue[tail++] = from;
  while (head < tail)
    {
      const guint at = self->queue[head++];
      if (self->lead[from] - self->lead[at] >= 3)
        return at;
      for (guint i = 0; i < self->arcs[at]->len; i++)
        {
          const guint index = g_array_index (self->arcs[at], guint, i);
          const AssaySides *arc = &self->sides[index];
          if (arc->fixed || arc->left != at || self->seen[arc->right])
            continue;
          self->seen[arc->right] = TRUE;
          self->came_by[arc->right] = index;
          self->queue[tail++] = arc->right;
        }
    }
  return from;
}

static gboolean
sides_improve (Balance *self, guint from)
{
  guint at = sides_find_way (self, from);
  if (at == from)
    return FALSE;
  while (at != from)
    {
      AssaySides *arc = &self->sides[self->came_by[at]];
      at = arc->left;
      sides_turn (self, arc);
    }
  return TRUE;
}

/* One look at everybody; FALSE when nothing could be made better. Who is ahead of the last by less than three
 * has nowhere to go. */
static gboolean
sides_improve_all (Balance *self)
{
  gboolean improved = FALSE;
  gint least = G_MAXINT;
  for (guint i = 0; i < self->n_competitors; i++)
    least = MIN (least, self->lead[i]);
  for (guint i = 0; i < self->n_competitors; i++)
    while (self->lead[i] - least >= 3 && sides_improve (self, i))
      improved = TRUE;
  return improved;
}

static void
sides_lay (Balance *self, guint n_sides, AssayRandom *random)
{
  for (guint i = 0; i < n_sides; i++)
    if (self->sides[i].fixed)
      {
        self->lead[self->sides[i].left]++;
        self->lead[self->sides[i].right]--;
      }
  for (guint i = 0; i < n_sides; i++)
    {
      AssaySides *arc = &self->sides[i];
      const gint ahead = self->lead[arc->left] - self->lead[arc->right];
      const gboolean toss
          = assay_random_below (random, 2) == 1; /* always drawn: the sequence stays the same */
      if (arc->fixed)
        continue;
      self->lead[arc->left]++;
      self->lead[arc->right]--;
      if (ahead > 0 || (ahead == 0 && toss))
        sides_turn (self, arc);
    }
}

void
assay_blind_balance (AssaySides *sides, guint n_sides, guint n_competitors, AssayRandom *random)
{
  Balance self = {
    .sides = sides,
    .n_competitors = n_competitors,
    .lead = g_new0 (gint, n_competitors),
    .arcs = g_new (GArray *, n_competitors),
    .came_by = g_new (guint, n_competitors),
    .seen = g_new (gboolean, n_competitors),
    .queue = g_new (guint, n_competitors),
  };
  for (guint i = 0; i < n_competitors; i++)
    self.arcs[i] = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; i < n_sides; i++)
    {
      g_array_append_val (self.arcs[sides[i].left], i);
      g_array_append_val (self.arcs[sides[i].right], i);
    }
  sides_lay (&self, n_sides, random);
  while (sides_improve_all (&self))
    ;
  for (guint i = 0; i < n_competitors; i++)
    g_array_unref (self.arcs[i]);
  g_free (self.lead);
  g_free (self.arcs);
  g_free (self.came_by);
  g_free (self.seen);
  g_free (self.queue);
}
