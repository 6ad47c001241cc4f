/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/assay-safetensors-write.c: see the header. */
#include "assay-safetensors-write.h"

#include "assay-output-file.h"

#include <inttypes.h>
#include <string.h>

enum { HEADER_ALIGNMENT = 8, LENGTH_BYTES = 8, DIMENSIONS_MAX = 4 };

typedef struct
{
  char *name;
  const char *dtype;
  guint element_bytes, n_dims;
  gint64 shape[DIMENSIONS_MAX];
  guint64 bytes, offset; /* from the start of the data */
} WriteEntry;

struct _AssaySafetensorsWrite
{
  GArray *entries; /* WriteEntry */
  guint64 data_start, data_bytes;
  AssayOutputFile *output;
};

static void
write_entry_clear (gpointer data)
{
  g_free (((WriteEntry *) data)->name);
}

AssaySafetensorsWrite *
assay_safetensors_write_new (void)
{
  AssaySafetensorsWrite *self = g_new0 (AssaySafetensorsWrite, 1);
  self->entries = g_array_new (FALSE, TRUE, sizeof (WriteEntry));
  g_array_set_clear_func (self->entries, write_entry_clear);
  return self;
}

void
assay_safetensors_write_free (AssaySafetensorsWrite *self)
{
  if (self == NULL)
    return;
  assay_output_file_free (self->output);
  g_array_unref (self->entries);
  g_free (self);
}

guint
assay_safetensors_write_add (AssaySafetensorsWrite *self, const char *name, const char *dtype,
                             guint element_bytes, guint n_dims, const gint64 *shape)
{
  WriteEntry entry = { .name = g_strdup (name),
                       .dtype = dtype,
                       .element_bytes = element_bytes,
                       .n_dims = n_dims,
                       .bytes = element_bytes };
  g_return_val_if_fail (n_dims <= DIMENSIONS_MAX, 0);
  for (guint i = 0; i < n_dims; i++)
    {
      entry.shape[i] = shape[i];
      entry.bytes *= (guint64) shape[i];
    }
  g_array_append_val (self->entries, entry);
  return self->entries->len - 1;
}

static WriteEntry *
write_entry (AssaySafetensorsWrite *self, guint i)
{
  return &g_array_index (self->entries, WriteEntry, i);
}

/* Wide elements first: what follows is aligned by itself. */
static void
write_lay_out (AssaySafetensorsWrite *self)
{
  static const guint widths[] = { 8, 4, 2, 1 };
  self->data_bytes = 0;
  for (guint k = 0; k < G_N_ELEMENTS (widths); k++)
    for (guint i = 0; i < self->entries->len; i++)
      {
        WriteEntry *entry = write_entry (self, i);
        if (entry->element_bytes != widths[k])
          continue;
        entry->offset = self->data_bytes;
        self->data_bytes += entry->bytes;
      }
}

static void
write_put_text (GString *out, const char *text)
{
  g_string_append_c (out, '"');
  for (const guchar *p = (const guchar *) text; *p != '\0'; p++)
    if (*p == '"' || *p == '\\')
      g_string_append_printf (out, "\\%c", *p);
    else if (*p < 0x20)
      g_string_append_printf (out, "\\u%04x", *p);
    else
      g_string_append_c (out, (char) *p);
  g_string_append_c (out, '"');
}

static GString *
write_make_header (AssaySafetensorsWrite *self)
{
  GString *out = g_string_new ("{\"__metadata__\":{\"format\":\"pt\"}");
  for (guint i = 0; i < self->entries->len; i++)
    {
      const WriteEntry *entry = write_entry (self, i);
      g_string_append_c (out, ',');
      write_put_text (out, entry->name);
      g_string_append_printf (out, ":{\"dtype\":\"%s\",\"shape\":[", entry->dtype);
      for (guint k = 0; k < entry->n_dims; k++)
        g_string_append_printf (out, "%s%" PRId64, k > 0 ? "," : "", entry->shape[k]);
      g_string_append_printf (out, "],\"data_offsets\":[%" PRIu64 ",%" PRIu64 "]}",
                              entry->offset, entry->offset + entry->bytes);
    }
  g_string_append_c (out, '}');
  while (out->len % HEADER_ALIGNMENT != 0)
    g_string_append_c (out, ' ');
  return out;
}

gboolean
assay_safetensors_write_begin (AssaySafetensorsWrite *self, const char *path, GError **error)
{
  write_lay_out (self);
  GString *header = write_make_header (self);
  const guint64 length = GUINT64_TO_LE (header->len);
  self->data_start = LENGTH_BYTES + header->len;
  self->output = assay_output_file_new (path, assay_safetensors_write_get_bytes (self), FALSE, NULL, error);
  const gboolean ok = self->output != NULL
                      && assay_output_file_write (self->output, &length, sizeof length, error)
                      && assay_output_file_write (self->output, header->str, header->len, error);
  g_string_free (header, TRUE);
  return ok;
}

gboolean
assay_safetensors_write_put (AssaySafetensorsWrite *self, guint tensor, guint64 at, const void *data,
                             gsize bytes, GError **error)
{
  const WriteEntry *entry = write_entry (self, tensor);
  g_return_val_if_fail (at + bytes <= entry->bytes, FALSE);
  return assay_output_file_write_at (self->output, self->data_start + entry->offset + at, data, bytes, error);
}

gboolean
assay_safetensors_write_finish (AssaySafetensorsWrite *self, GError **error)
{
  g_return_val_if_fail (assay_output_file_get_written (self->output)
                            == assay_safetensors_write_get_bytes (self),
                        FALSE);
  return assay_output_file_finish (self->output, error);
}

guint64
assay_safetensors_write_get_bytes (AssaySafetensorsWrite *self)
{
  return self->data_start + self->data_bytes;
}
