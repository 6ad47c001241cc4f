/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/runtimes/png-uniform.c: PNG far enough to see that all pixels are one: chunks, inflate, the five row filters.
 *
 * A runtime whose arithmetic broke writes a black picture and ends well. Seeing that needs no picture library: two rows
 * at a time are held, whatever size the header claims, and the first pixel that differs ends the work. */
#include "png-uniform.h"

#include <gio/gio.h>
#include <string.h>

#define MOST_PIXELS 65536u
#define MOST_BYTES_A_PIXEL 8

typedef struct
{
  const guint8 *next, *end;     /* of the file */
  const guint8 *data;           /* of the IDAT chunk that is being read */
  gsize left;
  GConverter *inflate;
  guint32 width, height;
  guint bytes;                  /* a pixel */
} Png;

static guint32
png_u32 (const guint8 *p)
{
  return (guint32) p[0] << 24 | (guint32) p[1] << 16 | (guint32) p[2] << 8 | p[3];
}

/* Steps to the next chunk of a type; FALSE when there is none. */
static gboolean
png_find_chunk (Png *self, const char *type, gsize *length)
{
  while (self->end - self->next >= 12)
    {
      const gsize n = png_u32 (self->next);
      const guint8 *chunk = self->next;
      if (n > (gsize) (self->end - self->next) - 12)
        return FALSE;
      self->next += n + 12;
      if (memcmp (chunk + 4, type, 4) != 0)
        continue;
      self->data = chunk + 8;
      *length = n;
      return TRUE;
    }
  return FALSE;
}

/* Exactly n inflated bytes. What is still to be told of the chunks read so far comes before the next one. */
static gboolean
png_read (Png *self, guint8 *out, gsize n)
{
  while (n > 0)
    {
      gsize taken = 0, made = 0;
      g_autoptr (GError) error = NULL;
      const GConverterResult result = g_converter_convert (self->inflate, self->data, self->left, out, n,
                                                           G_CONVERTER_NO_FLAGS, &taken, &made, &error);
      const gboolean hungry = g_error_matches (error, G_IO_ERROR, G_IO_ERROR_PARTIAL_INPUT);
      if (hungry ? !png_find_chunk (self, "IDAT", &self->left) : result == G_CONVERTER_ERROR)
        return FALSE;
      if (hungry)
        continue;
      self->data += taken;
      self->left -= taken;
      out += made;
      n -= made;
      if (result == G_CONVERTER_FINISHED && n > 0)
        return FALSE;
    }
  return TRUE;
}

static guint8
png_paeth (gint a, gint b, gint c)
{
  const gint p = a + b - c, x = ABS (p - a), y = ABS (p - b), z = ABS (p - c);
  return (guint8) (x <= y && x <= z ? a : y <= z ? b : c);
}

/* In place; above: the row before, zeros at first. Both have a pixel of zeros in front. */
static gboolean
png_unfilter (guint filter, guint8 *row, const guint8 *above, gsize n, guint bytes)
{
  for (gsize i = 0; i < n && filter != 0; i++)
    {
      const guint8 *left = row + i - bytes, *up = above + i, *corner = above + i - bytes;
      row[i] += filter == 1   ? *left
                : filter == 2 ? *up
                : filter == 3 ? (guint8) ((*left + *up) / 2)
                              : png_paeth (*left, *up, *corner);
    }
  return filter <= 4;
}

static PngVerdict
png_compare_rows (Png *self)
{
  const gsize n = (gsize) self->width * self->bytes;
  g_autofree guint8 *a = g_malloc0 (n + MOST_BYTES_A_PIXEL), *b = g_malloc0 (n + MOST_BYTES_A_PIXEL);
  guint8 *row = a + MOST_BYTES_A_PIXEL, *above = b + MOST_BYTES_A_PIXEL, first[MOST_BYTES_A_PIXEL] = { 0 };
  for (guint32 y = 0; y < self->height; y++)
    {
      guint8 filter;
      if (!png_read (self, &filter, 1) || !png_read (self, row, n) || !png_unfilter (filter, row, above, n, self->bytes))
        return PNG_BROKEN;
      if (y == 0)
        memcpy (first, row, self->bytes);
      for (gsize i = 0; i < n; i += self->bytes)
        if (memcmp (row + i, first, self->bytes) != 0)
          return PNG_VARIED;
      guint8 *swap = row;
      row = above;
      above = swap;
    }
  return PNG_UNIFORM;
}

PngVerdict
png_uniform_judge (GBytes *png, guint32 *width, guint32 *height)
{
  static const guint8 channels[] = { 1, 0, 3, 1, 2, 0, 4 };
  gsize size, length;
  const guint8 *bytes = g_bytes_get_data (png, &size);
  *width = *height = 0;
  if (size < 8 || memcmp (bytes, "\x89PNG\r\n\x1a\n", 8) != 0)
    return PNG_BROKEN;
  Png self = { .next = bytes + 8, .end = bytes + size };
  if (!png_find_chunk (&self, "IHDR", &length) || length != 13)
    return PNG_BROKEN;
  const guint8 *header = self.data;
  self.width = *width = png_u32 (header);
  self.height = *height = png_u32 (header + 4);
  const guint depth = header[8], kind = header[9];
  if (*width == 0 || *height == 0 || *width > MOST_PIXELS || *height > MOST_PIXELS
      || kind >= G_N_ELEMENTS (channels) || channels[kind] == 0)
    return PNG_BROKEN;
  if (header[12] != 0 || (depth != 8 && depth != 16))
    return PNG_UNJUDGED;
  self.bytes = channels[kind] * depth / 8;
  g_autoptr (GZlibDecompressor) inflate = g_zlib_decompressor_new (G_ZLIB_COMPRESSOR_FORMAT_ZLIB);
  self.inflate = G_CONVERTER (inflate);
  return png_compare_rows (&self);
}
