/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/text/assay-merger.c: symbols are never moved, so that a position names one for the whole run. */
#include "assay-merger.h"

#include "../assay-engine-error.h"

enum { FIRST_ROOM = 256, POLL_EVERY = 1 << 16 };

void
assay_merger_clear (AssayMerger *self)
{
  g_free (self->symbols);
  g_free (self->heap);
  *self = (AssayMerger) { 0 };
}

void
assay_merger_start (AssayMerger *self)
{
  self->n_symbols = 0;
  self->n_heap = 0;
}

void
assay_merger_set_no_memory (GError **error)
{
  assay_engine_error_set (error, ASSAY_ENGINE_ERROR_OOM_HOST, "tokenizer-no-memory", NULL, NULL, -1,
                          "no memory to split the text into tokens; use a shorter prompt");
}

static gboolean
room_grow (gpointer *items, gsize *room, gsize n, gsize item_bytes)
{
  if (n < *room)
    return TRUE;
  const gsize more = *room == 0 ? FIRST_ROOM : *room * 2;
  gpointer grown = g_try_realloc_n (*items, more, item_bytes);
  if (grown == NULL)
    return FALSE;
  *items = grown;
  *room = more;
  return TRUE;
}

gboolean
assay_merger_add (AssayMerger *self, guint32 start, guint32 length, gint32 id)
{
  if (!room_grow ((gpointer *) &self->symbols, &self->symbols_room, self->n_symbols, sizeof (AssaySymbol)))
    return FALSE;
  const guint32 i = self->n_symbols++;
  self->symbols[i]
      = (AssaySymbol) { start, length, i == 0 ? ASSAY_MERGER_NONE : i - 1, ASSAY_MERGER_NONE, id };
  if (i > 0)
    self->symbols[i - 1].next = i;
  return TRUE;
}

static gboolean
is_before (const AssayCandidate *a, const AssayCandidate *b)
{
  return a->order != b->order ? a->order < b->order : a->position < b->position;
}

static gboolean
heap_push (AssayMerger *self, AssayCandidate candidate)
{
  if (!room_grow ((gpointer *) &self->heap, &self->heap_room, self->n_heap, sizeof (AssayCandidate)))
    return FALSE;
  gsize i = self->n_heap++;
  for (; i > 0 && is_before (&candidate, &self->heap[(i - 1) / 2]); i = (i - 1) / 2)
    self->heap[i] = self->heap[(i - 1) / 2];
  self->heap[i] = candidate;
  return TRUE;
}

static AssayCandidate
heap_pop (AssayMerger *self)
{
  const AssayCandidate best = self->heap[0];
  const AssayCandidate last = self->heap[--self->n_heap];
  gsize i = 0;
  for (;;)
    {
      gsize child = 2 * i + 1;
      if (child >= self->n_heap)
        break;
      if (child + 1 < self->n_heap && is_before (&self->heap[child + 1], &self->heap[child]))
        child++;
      if (!is_before (&self->heap[child], &last))
        break;
      self->heap[i] = self->heap[child];
      i = child;
    }
  self->heap[i] = last;
  return best;
}

static gboolean
merger_offer (AssayMerger *self, guint32 left, const char *text, gconstpointer owner, AssayMergeLookup lookup)
{
  if (left == ASSAY_MERGER_NONE || self->symbols[left].next == ASSAY_MERGER_NONE)
    return TRUE;
  const AssaySymbol *a = &self->symbols[left], *b = &self->symbols[a->next];
  AssayCandidate candidate = { .position = left, .length = a->length + b->length };
  if (!lookup (owner, text, a, b, &candidate.order, &candidate.merged))
    return TRUE;
  return heap_push (self, candidate);
}

/* A symbol only ever grows, by whole neighbours: the pair is the one that was offered exactly while its
 * length is. */
static gboolean
is_stale (const AssayMerger *self, const AssayCandidate *candidate)
{
  const AssaySymbol *left = &self->symbols[candidate->position];
  return left->length == 0 || left->next == ASSAY_MERGER_NONE
         || left->length + self->symbols[left->next].length != candidate->length;
}

static void
merger_join (AssayMerger *self, const AssayCandidate *candidate)
{
  AssaySymbol *left = &self->symbols[candidate->position];
  AssaySymbol *right = &self->symbols[left->next];
  left->length = candidate->length;
  left->id = candidate->merged;
  left->next = right->next;
  right->length = 0;
  if (left->next != ASSAY_MERGER_NONE)
    self->symbols[left->next].previous = candidate->position;
}

gboolean
assay_merger_run (AssayMerger *self, const char *text, gconstpointer owner, AssayMergeLookup lookup,
                  GCancellable *cancellable, GError **error)
{
  gboolean memory = TRUE;
  for (gsize i = 0; i + 1 < self->n_symbols && memory; i++)
    {
      if (i % POLL_EVERY == POLL_EVERY - 1 && g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
      memory = merger_offer (self, i, text, owner, lookup);
    }
  for (gsize i = 0; self->n_heap > 0 && memory; i++)
    {
      if (i % POLL_EVERY == POLL_EVERY - 1 && g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
      const AssayCandidate best = heap_pop (self);
      if (is_stale (self, &best))
        continue;
      merger_join (self, &best);
      memory = merger_offer (self, self->symbols[best.position].previous, text, owner, lookup)
               && merger_offer (self, best.position, text, owner, lookup);
    }
  if (!memory)
    assay_merger_set_no_memory (error);
  return memory;
}
