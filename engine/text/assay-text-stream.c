/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/text/assay-text-stream.c: tokens as they come, shown as whole characters. */
#include "assay-tokenizer-private.h"

#include <string.h>

struct _AssayTextStream
{
  AssayTokenizer *tokenizer; /* owned */
  GString *held;             /* owned; the bytes of a character that is not whole yet, at most 3 */
  gboolean at_start;
};

AssayTextStream *
assay_text_stream_new (AssayTokenizer *tokenizer)
{
  g_return_val_if_fail (tokenizer != NULL, NULL);
  AssayTextStream *self = g_new (AssayTextStream, 1);
  *self = (AssayTextStream) { assay_tokenizer_ref (tokenizer), g_string_new (NULL), TRUE };
  return self;
}

void
assay_text_stream_free (AssayTextStream *self)
{
  if (self == NULL)
    return;
  assay_tokenizer_unref (self->tokenizer);
  g_string_free (self->held, TRUE);
  g_free (self);
}

/* How many bytes at p begin a character that the end cuts off; 0: none. */
static gsize
cut_off (const char *p, const char *end)
{
  const gunichar c = g_utf8_get_char_validated (p, end - p);
  return c == (gunichar) -2 && end - p < 4 ? (gsize) (end - p) : 0;
}

static char *
stream_take (AssayTextStream *self, gboolean last)
{
  g_autoptr(GString) shown = g_string_new (NULL);
  const char *p = self->held->str, *end = p + self->held->len;
  while (p < end)
    {
      gunichar c;
      const guint length = assay_unicode_next (p, end, &c);
      if (c == ASSAY_UNI_INVALID && !last && cut_off (p, end) > 0)
        break;
      if (c == ASSAY_UNI_INVALID || c == 0)
        g_string_append (shown, "\357\277\275");
      else
        g_string_append_len (shown, p, length);
      p += length;
    }
  g_string_erase (self->held, 0, p - self->held->str);
  return g_string_free (g_steal_pointer (&shown), FALSE);
}

char *
assay_text_stream_push (AssayTextStream *self, gint32 id)
{
  g_return_val_if_fail (self != NULL, NULL);
  assay_tokenizer_decode_one (self->tokenizer, id, FALSE, &self->at_start, self->held);
  return stream_take (self, FALSE);
}

char *
assay_text_stream_finish (AssayTextStream *self)
{
  g_return_val_if_fail (self != NULL, NULL);
  return stream_take (self, TRUE);
}
