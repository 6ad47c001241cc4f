/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-splice.c: see assay-splice.h. */
#include "assay-splice.h"

#include <string.h>

#define SPLICE_WINDOW (1u << 20) /* read back at a time: stays in the processor's cache */
#define SPLICE_LEAD_LENGTH (sizeof ASSAY_SPLICE_LEAD - 1)
#define SEAL_LANES 4u
#define SEAL_BLOCK (SEAL_LANES * sizeof (guint64))

typedef struct
{
  gsize at;         /* where in the text it is put in */
  GBytes *bytes;
  guint64 seal;
  gboolean led;
} Passage;

struct _AssaySplice
{
  GString *text;
  GArray *passages; /* by `at` */
  gsize kept;       /* bytes of all passages */
};

static void
passage_clear (gpointer data)
{
  g_bytes_unref (((Passage *) data)->bytes);
}

AssaySplice *
assay_splice_new (void)
{
  AssaySplice *self = g_new0 (AssaySplice, 1);
  self->text = g_string_new (NULL);
  self->passages = g_array_new (FALSE, FALSE, sizeof (Passage));
  g_array_set_clear_func (self->passages, passage_clear);
  return self;
}

AssaySplice *
assay_splice_new_for_bytes (GBytes *bytes)
{
  AssaySplice *self = assay_splice_new ();
  assay_splice_keep (self, bytes, assay_splice_seal (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes)), FALSE);
  return self;
}

void
assay_splice_free (AssaySplice *self)
{
  if (self == NULL)
    return;
  g_string_free (self->text, TRUE);
  g_array_unref (self->passages);
  g_free (self);
}

GString *
assay_splice_get_text (AssaySplice *self)
{
  return self->text;
}

void
assay_splice_keep (AssaySplice *self, GBytes *passage, guint64 seal, gboolean led)
{
  const Passage kept = { .at = self->text->len, .bytes = g_bytes_ref (passage), .seal = seal, .led = led };
  g_array_append_val (self->passages, kept);
  self->kept += g_bytes_get_size (passage);
}

gsize
assay_splice_get_length (AssaySplice *self)
{
  return self->text->len + self->kept;
}

/* ---- writing ---- */

typedef struct
{
  AssaySpliceWrite each;
  gpointer data;
  const char *start;  /* what was collected and not yet handed on */
  gsize length;
} Writer;

static gboolean
writer_flush (Writer *self)
{
  const gsize length = self->length;
  self->length = 0;
  return length == 0 || self->each (self->start, length, self->data);
}

static gboolean
writer_put (Writer *self, const char *data, gsize length)
{
  if (length == 0)
    return TRUE;
  if (self->length > 0 && self->start + self->length == data)
    {
      self->length += length;
      return TRUE;
    }
  if (!writer_flush (self))
    return FALSE;
  self->start = data;
  self->length = length;
  return TRUE;
}

/* The text before a passage; where it is the passage's own lead and no more, that stands in memory already. */
static const char *
splice_find_text (AssaySplice *self, const Passage *passage, gsize from)
{
  const gsize length = passage->at - from;
  const char *text = self->text->str + from;
  if (passage->led && length == SPLICE_LEAD_LENGTH && memcmp (text, ASSAY_SPLICE_LEAD, length) == 0)
    return (const char *) g_bytes_get_data (passage->bytes, NULL) - length;
  return text;
}

gboolean
assay_splice_write (AssaySplice *self, AssaySpliceWrite each, gpointer data)
{
  Writer writer = { .each = each, .data = data };
  gsize from = 0;
  for (guint i = 0; i < self->passages->len; i++)
    {
      const Passage *passage = &g_array_index (self->passages, Passage, i);
      if (!writer_put (&writer, splice_find_text (self, passage, from), passage->at - from)
          || !writer_put (&writer, g_bytes_get_data (passage->bytes, NULL), g_bytes_get_size (passage->bytes)))
        return FALSE;
      from = passage->at;
    }
  return writer_put (&writer, self->text->str + from, self->text->len - from) && writer_flush (&writer);
}

static gboolean
bytes_put (const char *data, gsize length, gpointer out)
{
  g_string_append_len (out, data, (gssize) length);
  return TRUE;
}

GBytes *
assay_splice_to_bytes (AssaySplice *self)
{
  GString *out = g_string_sized_new (assay_splice_get_length (self) + 1);
  assay_splice_write (self, bytes_put, out);
  return g_string_free_to_bytes (out);
}

/* ---- reading back ---- */

typedef struct
{
  AssaySpliceRead read;
  gpointer data;
  char *buffer;
  gsize capacity, from, to; /* what was read and not yet taken lies in between */
} Window;

/* The next bytes, valid until the next call; NULL when there are fewer. */
static const char *
window_take (Window *self, gsize length)
{
  if (self->to - self->from < length)
    {
      memmove (self->buffer, self->buffer + self->from, self->to - self->from);
      self->to -= self->from;
      self->from = 0;
      if (self->capacity < length)
        self->buffer = g_realloc (self->buffer, self->capacity = length);
    }
  while (self->to - self->from < length)
    {
      const gssize n = self->read (self->buffer + self->to, self->capacity - self->to, self->data);
      if (n <= 0)
        return NULL;
      self->to += (gsize) n;
    }
  self->from += length;
  return self->buffer + self->from - length;
}

static gboolean
window_is_at_end (Window *self)
{
  return self->from == self->to && self->read (self->buffer, 1, self->data) == 0;
}

static gboolean
window_take_text (Window *self, const char *meant, gsize length, GString *text)
{
  const char *read = window_take (self, length);
  if (read == NULL || memcmp (read, meant, length) != 0)
    return FALSE;
  g_string_append_len (text, read, (gssize) length);
  return TRUE;
}

static gboolean
window_take_passage (Window *self, const Passage *passage)
{
  const gsize length = g_bytes_get_size (passage->bytes);
  const char *read = window_take (self, length);
  return read != NULL && assay_splice_seal (read, length) == passage->seal;
}

gboolean
assay_splice_compare (AssaySplice *self, AssaySpliceRead read, gpointer data, GBytes **text)
{
  Window window = { .read = read, .data = data, .buffer = g_malloc (SPLICE_WINDOW), .capacity = SPLICE_WINDOW };
  GString *seen = g_string_sized_new (self->text->len + 1);
  gboolean same = TRUE;
  gsize from = 0;
  for (guint i = 0; same && i < self->passages->len; i++)
    {
      const Passage *passage = &g_array_index (self->passages, Passage, i);
      same = window_take_text (&window, self->text->str + from, passage->at - from, seen)
             && window_take_passage (&window, passage);
      from = passage->at;
    }
  same = same && window_take_text (&window, self->text->str + from, self->text->len - from, seen)
         && window_is_at_end (&window);
  g_free (window.buffer);
  g_autoptr(GBytes) bytes = g_string_free_to_bytes (seen);
  if (same && text != NULL)
    *text = g_steal_pointer (&bytes);
  return same;
}

/* ---- seals ---- */

static guint64
seal_step (guint64 lane, guint64 word)
{
  lane = (lane ^ word) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  return lane << 29 | lane >> 35;
}

static void
seal_block (guint64 lanes[SEAL_LANES], const char *block)
{
  guint64 words[SEAL_LANES];
  memcpy (words, block, sizeof words);
  for (guint i = 0; i < SEAL_LANES; i++)
    lanes[i] = seal_step (lanes[i], words[i]);
}

/* Every step is a bijection of its lane, so a change within one block of it is never lost; four lanes, since the
 * multiplications of one have to wait for each other. */
guint64
assay_splice_seal (const char *data, gsize length)
{
  guint64 lanes[SEAL_LANES] = { 1, 2, 3, 4 };
  char tail[SEAL_BLOCK] = { 0 };
  gsize at = 0;
  for (; length - at >= SEAL_BLOCK; at += SEAL_BLOCK)
    seal_block (lanes, data + at);
  if (length > at)
    memcpy (tail, data + at, length - at);
  seal_block (lanes, tail);
  guint64 seal = length;
  for (guint i = 0; i < SEAL_LANES; i++)
    seal = seal_step (seal, lanes[i]);
  return seal;
}
