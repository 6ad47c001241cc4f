/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/safetensors-part.c: the header of one file, and that its tensors fill the rest of it
 * exactly.
 *
 * What the reference reader refuses is refused here too, and what it lets pass and the format forbids:
 * equal names. */
#include "safetensors-private.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

enum { LENGTH_BYTES = 8, NO_FORMAT = -1 };
#define DIMENSION_MAX (G_GUINT64_CONSTANT (1) << 40)

static const struct { const char *name; guint bits; gint dtype; } formats[] = {
  { "F64", 64, ASSAY_DTYPE_F64 }, { "F32", 32, ASSAY_DTYPE_F32 },   { "F16", 16, ASSAY_DTYPE_F16 },
  { "BF16", 16, ASSAY_DTYPE_BF16 }, { "I64", 64, ASSAY_DTYPE_I64 }, { "I32", 32, ASSAY_DTYPE_I32 },
  { "I16", 16, ASSAY_DTYPE_I16 }, { "I8", 8, ASSAY_DTYPE_I8 },      { "U64", 64, NO_FORMAT },
  { "U32", 32, NO_FORMAT },       { "U16", 16, NO_FORMAT },         { "U8", 8, NO_FORMAT },
  { "BOOL", 8, NO_FORMAT },       { "F8_E4M3", 8, NO_FORMAT },      { "F8_E5M2", 8, NO_FORMAT },
  { "F8_E8M0", 8, NO_FORMAT },    { "F8_E4M3FNUZ", 8, NO_FORMAT },  { "F8_E5M2FNUZ", 8, NO_FORMAT },
  { "F6_E2M3", 6, NO_FORMAT },    { "F6_E3M2", 6, NO_FORMAT },      { "F4", 4, NO_FORMAT },
  { "C64", 64, NO_FORMAT },
};

typedef struct
{
  SafetensorsSet *set;
  ModelPart *part;
  GCancellable *cancellable;
  AssayJsonScan *scan;
  AssayBytes name;       /* of the tensor at hand */
  gsize at;              /* where it begins in the JSON */
} HeaderReader;

SafetensorsSet *
assay_safetensors_set_new (void)
{
  SafetensorsSet *self = g_new0 (SafetensorsSet, 1);
  self->parts = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_model_part_free);
  self->tensors = g_array_new (FALSE, FALSE, sizeof (AssayHfTensor));
  self->places = g_array_new (FALSE, FALSE, sizeof (TensorPlace));
  self->strings = g_string_chunk_new (4096);
  return self;
}

void
assay_safetensors_set_free (SafetensorsSet *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->parts, g_ptr_array_unref);
  g_array_unref (self->tensors);
  g_array_unref (self->places);
  g_clear_pointer (&self->strings, g_string_chunk_free);
  g_free (self);
}

G_GNUC_PRINTF (5, 6) static gboolean
header_fail (const HeaderReader *h, const char *reason, gint64 at, GError **error, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *message = g_strdup_vprintf (_(format), args);
  va_end (args);
  g_autofree char *name = h->name.data != NULL ? assay_engine_escape (h->name.data, h->name.length) : NULL;
  g_autofree char *field = name != NULL ? g_strdup_printf ("tensor '%s'", name) : NULL;
  assay_engine_error_set (error, ASSAY_ENGINE_ERROR_FORMAT, reason, h->part->path, field, at, "%s", message);
  return FALSE;
}

void
assay_safetensors_set_json_error (const AssayJsonScan *scan, const char *path, const char *what, guint64 base,
                                  GError **error)
{
  static const char *const reasons[] = {
    [ASSAY_JSON_FAULT_SYNTAX] = "safetensors-json",
    [ASSAY_JSON_FAULT_UNICODE] = "safetensors-unicode",
    [ASSAY_JSON_FAULT_DEPTH] = "safetensors-depth",
    [ASSAY_JSON_FAULT_DUPLICATE] = "safetensors-duplicate",
  };
  const AssayJsonFault fault = assay_json_scan_get_fault (scan);
  g_autofree char *field = NULL;
  if (fault == ASSAY_JSON_FAULT_DUPLICATE)
    {
      const AssayBytes twice = assay_json_scan_get_twice (scan);
      g_autofree char *name = assay_engine_escape (twice.data, twice.length);
      field = g_strdup_printf ("'%s'", name);
    }
  assay_engine_error_set (error, ASSAY_ENGINE_ERROR_FORMAT, reasons[fault], path, field,
                          (gint64) (base + assay_json_scan_get_offset (scan)),
                          "%s %s; the file is damaged or was written wrongly: fetch it again", what,
                          assay_json_scan_get_problem (scan));
}

static gboolean
header_next (HeaderReader *h, AssayJsonItem *item, GError **error)
{
  if (assay_json_scan_next (h->scan, item))
    return TRUE;
  assay_safetensors_set_json_error (h->scan, h->part->path, "the header", LENGTH_BYTES, error);
  return FALSE;
}

static gint64
header_place (gsize at)
{
  return (gint64) at + LENGTH_BYTES;
}

static gboolean
header_read_uint (HeaderReader *h, const AssayJsonItem *item, const char *what, guint64 *out, GError **error)
{
  if (assay_json_item_get_uint (item, out))
    return TRUE;
  g_autofree char *seen = item->kind == ASSAY_JSON_ITEM_NUMBER
                              ? assay_engine_escape (item->text.data, item->text.length)
                              : g_strdup ("something else");
  return header_fail (h, "safetensors-number", header_place (item->at), error,
                      "%s holds %s; whole numbers from 0 to 2^64 - 1 are allowed", what, seen);
}

static gboolean
header_read_shape (HeaderReader *h, AssayHfTensor *tensor, const AssayJsonItem *first, GError **error)
{
  AssayJsonItem item;
  guint64 size;
  if (first->kind != ASSAY_JSON_ITEM_ARRAY)
    return header_fail (h, "safetensors-shape", header_place (first->at), error, "its shape is no list");
  for (;; tensor->n_dims++)
    {
      if (!header_next (h, &item, error))
        return FALSE;
      if (item.kind == ASSAY_JSON_ITEM_CLOSE)
        return TRUE;
      if (!header_read_uint (h, &item, "its shape", &size, error))
        return FALSE;
      if (tensor->n_dims == SAFETENSORS_RANK_MAX)
        return header_fail (h, "safetensors-shape", header_place (item.at), error,
                            "more than %d dimensions; at most %d are read", SAFETENSORS_RANK_MAX,
                            SAFETENSORS_RANK_MAX);
      if (size > DIMENSION_MAX)
        return header_fail (h, "safetensors-shape", header_place (item.at), error,
                            "dimension %u is %" PRIu64 "; at most %" PRIu64 " is allowed",
                            tensor->n_dims, size, DIMENSION_MAX);
      tensor->shape[tensor->n_dims] = (gint64) size;
    }
}

static gboolean
header_read_offsets (HeaderReader *h, guint64 offsets[2], const AssayJsonItem *first, GError **error)
{
  AssayJsonItem item;
  guint n = 0;
  if (first->kind != ASSAY_JSON_ITEM_ARRAY)
    return header_fail (h, "safetensors-offsets", header_place (first->at), error,
                        "its data_offsets are no list");
  for (;; n++)
    {
      if (!header_next (h, &item, error))
        return FALSE;
      if (item.kind == ASSAY_JSON_ITEM_CLOSE || n == 2)
        break;
      if (!header_read_uint (h, &item, "data_offsets", &offsets[n], error))
        return FALSE;
    }
  if (n != 2 || item.kind != ASSAY_JSON_ITEM_CLOSE)
    return header_fail (h, "safetensors-offsets", header_place (first->at), error,
                        "data_offsets must hold two numbers, begin and end");
  if (offsets[1] < offsets[0])
    return header_fail (h, "safetensors-offsets", header_place (first->at), error,
                        "begins at %" PRIu64 " and ends before that, at %" PRIu64,
                        offsets[0], offsets[1]);
  return TRUE;
}

static gboolean
header_fail_dtype (HeaderReader *h, const AssayJsonItem *item, GError **error)
{
  g_autoptr (GString) list = g_string_new (NULL);
  g_autofree char *seen
      = assay_engine_escape (item->text.data != NULL ? item->text.data : "", item->text.length);
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    g_string_append_printf (list, "%s%s", i > 0 ? ", " : "", formats[i].name);
  return header_fail (h, "safetensors-dtype", header_place (item->at), error,
                      "dtype '%s'; there are %s. The file is damaged or newer than this program", seen,
                      list->str);
}

/* *format: index into formats. */
static gboolean
header_read_dtype (HeaderReader *h, guint *format, const AssayJsonItem *item, GError **error)
{
  if (item->kind == ASSAY_JSON_ITEM_STRING)
    for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
      if (assay_json_bytes_are (item->text, formats[i].name))
        {
          *format = i;
          return TRUE;
        }
  return header_fail_dtype (h, item, error);
}

/* Bytes by shape and format, which must be those of the place. */
static gboolean
header_check_size (HeaderReader *h, const AssayHfTensor *tensor, guint bits, const guint64 offsets[2],
                   GError **error)
{
  guint64 total = bits;
  gboolean fits = TRUE, empty = FALSE;
  for (guint i = 0; i < tensor->n_dims; i++)
    {
      empty |= tensor->shape[i] == 0;
      fits &= !__builtin_mul_overflow (total, (guint64) tensor->shape[i], &total);
    }
  if (!fits && !empty)
    return header_fail (h, "safetensors-size", header_place (h->at), error, "a size of more than 2^64 bits");
  if (empty)
    total = 0;
  if (total % 8 != 0)
    return header_fail (h, "safetensors-size", header_place (h->at), error,
                        "%" PRIu64 " bits of %s do not fill whole bytes", total,
                        tensor->dtype_name);
  if (total / 8 != offsets[1] - offsets[0])
    return header_fail (h, "safetensors-size", header_place (h->at), error,
                        "its shape in %s needs %" PRIu64
                        " bytes, its data_offsets span %" PRIu64,
                        tensor->dtype_name, total / 8, offsets[1] - offsets[0]);
  return TRUE;
}

static gboolean
header_check_name (HeaderReader *h, GError **error)
{
  if (h->name.length == 0)
    return header_fail (h, "safetensors-name", header_place (h->at), error, "a tensor has no name");
  if (h->name.length > SAFETENSORS_NAME_MAX)
    return header_fail (h, "safetensors-name", header_place (h->at), error,
                        "a name of %zu bytes; at most %d are allowed", h->name.length, SAFETENSORS_NAME_MAX);
  if (memchr (h->name.data, '\0', h->name.length) != NULL)
    return header_fail (h, "safetensors-name", header_place (h->at), error, "the name holds a zero byte");
  return TRUE;
}

/* The fields may come in any order; the scan saw to it that none comes twice. */
static gboolean
header_read_fields (HeaderReader *h, AssayHfTensor *tensor, guint *format, guint64 offsets[2], GError **error)
{
  gboolean has_dtype = FALSE, has_shape = FALSE, has_offsets = FALSE;
  AssayJsonItem item;
  for (;;)
    {
      gboolean ok = TRUE;
      if (!header_next (h, &item, error))
        return FALSE;
      if (item.kind == ASSAY_JSON_ITEM_CLOSE)
        break;
      if (assay_json_bytes_are (item.name, "dtype"))
        ok = has_dtype = header_read_dtype (h, format, &item, error);
      else if (assay_json_bytes_are (item.name, "shape"))
        ok = has_shape = header_read_shape (h, tensor, &item, error);
      else if (assay_json_bytes_are (item.name, "data_offsets"))
        ok = has_offsets = header_read_offsets (h, offsets, &item, error);
      else if (assay_json_scan_skip (h->scan, &item))
        assay_model_part_notice (h->part, "a tensor has an unknown field, which was ignored");
      else
        return header_next (h, &item, error);
      if (!ok)
        return FALSE;
    }
  if (has_dtype && has_shape && has_offsets)
    return TRUE;
  return header_fail (h, "safetensors-field", header_place (h->at), error, "has no %s",
                      !has_dtype ? "dtype" : !has_shape ? "shape" : "data_offsets");
}

/* The scan ends; a name without escapes stands in the part's own memory. */
static AssayBytes
header_keep_name (HeaderReader *h)
{
  const char *start = (const char *) h->part->metadata;
  if (h->name.data >= start && h->name.data < start + h->part->metadata_bytes)
    return h->name;
  return (AssayBytes) { g_string_chunk_insert_len (h->set->strings, h->name.data, (gssize) h->name.length),
                        h->name.length };
}

static gboolean
header_read_tensor (HeaderReader *h, const AssayJsonItem *item, GError **error)
{
  AssayHfTensor tensor = { .shape = { 1, 1, 1, 1, 1, 1, 1, 1 } };
  guint64 offsets[2] = { 0, 0 };
  guint format = 0;
  h->name = item->name;
  h->at = item->at;
  if (!header_check_name (h, error))
    return FALSE;
  if (item->kind != ASSAY_JSON_ITEM_OBJECT)
    return header_fail (h, "safetensors-field", header_place (h->at), error, "has no dtype");
  if (h->set->tensors->len == SAFETENSORS_TENSORS_MAX)
    return header_fail (h, "safetensors-too-many-tensors", header_place (h->at), error,
                        "more than %d tensors", SAFETENSORS_TENSORS_MAX);
  if (!header_read_fields (h, &tensor, &format, offsets, error))
    return FALSE;
  tensor.dtype_name = formats[format].name;
  tensor.readable = formats[format].dtype != NO_FORMAT;
  tensor.dtype = tensor.readable ? (AssayDtype) formats[format].dtype : ASSAY_DTYPE_F32;
  if (!header_check_size (h, &tensor, formats[format].bits, offsets, error))
    return FALSE;
  tensor.name = header_keep_name (h);
  const TensorPlace place = { h->set->parts->len, offsets[0], offsets[1] - offsets[0] };
  g_array_append_val (h->set->tensors, tensor);
  g_array_append_val (h->set->places, place);
  return TRUE;
}

/* "__metadata__": texts of whoever wrote the file; nothing of it is used. */
static gboolean
header_read_metadata (HeaderReader *h, const AssayJsonItem *first, GError **error)
{
  AssayJsonItem item = *first;
  if (first->kind == ASSAY_JSON_ITEM_OBJECT)
    do
      if (!header_next (h, &item, error))
        return FALSE;
    while (item.kind == ASSAY_JSON_ITEM_STRING);
  if (item.kind == ASSAY_JSON_ITEM_CLOSE)
    return TRUE;
  return header_fail (h, "safetensors-metadata", header_place (item.at), error,
                      "__metadata__ holds something else than names with texts");
}

static gboolean
header_poll (const HeaderReader *h, guint64 i, GError **error)
{
  return i % 4096 != 0 || !g_cancellable_set_error_if_cancelled (h->cancellable, error);
}

static gboolean
header_read_members (HeaderReader *h, GError **error)
{
  AssayJsonItem item;
  if (!header_next (h, &item, error))
    return FALSE;
  if (item.kind != ASSAY_JSON_ITEM_OBJECT)
    return header_fail (h, "safetensors-json", header_place (item.at), error,
                        "the header does not begin with '{'; the file is damaged or no safetensors file");
  for (guint64 i = 0;; i++)
    {
      h->name = (AssayBytes) { NULL, 0 };
      if (!header_poll (h, i, error) || !header_next (h, &item, error))
        return FALSE;
      if (item.kind == ASSAY_JSON_ITEM_CLOSE)
        break;
      if (assay_json_bytes_are (item.name, "__metadata__") ? !header_read_metadata (h, &item, error)
                                                           : !header_read_tensor (h, &item, error))
        return FALSE;
    }
  return header_next (h, &item, error); /* blanks, and the end */
}

static gint
header_compare_places (gconstpointer a, gconstpointer b, gpointer data)
{
  const GArray *places = data;
  const TensorPlace *x = &g_array_index (places, TensorPlace, *(const guint32 *) a);
  const TensorPlace *y = &g_array_index (places, TensorPlace, *(const guint32 *) b);
  if (x->offset != y->offset)
    return x->offset < y->offset ? -1 : 1;
  return x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

/* *end: where the tensor before ended, counted from the start of the data. */
static gboolean
header_place_tensor (HeaderReader *h, guint32 i, guint64 *end, GError **error)
{
  TensorPlace *place = &g_array_index (h->set->places, TensorPlace, i);
  h->name = g_array_index (h->set->tensors, AssayHfTensor, i).name;
  if (place->offset < *end)
    return header_fail (h, "safetensors-overlap", -1, error,
                        "begins at offset %" PRIu64
                        ", but the tensor before it needs the bytes up to %" PRIu64
                        "; the file was written wrongly",
                        place->offset, *end);
  if (place->offset > *end)
    return header_fail (h, "safetensors-hole", -1, error,
                        "begins at offset %" PRIu64
                        ", but the tensor before it ends at %" PRIu64
                        ": bytes between belong to none, which the format forbids",
                        place->offset, *end);
  *end = place->offset + place->bytes; /* was read as an end */
  place->offset += h->part->data_start;
  return TRUE;
}

/* Nothing is between the tensors, nothing before the first or after the last. */
static gboolean
header_check_layout (HeaderReader *h, guint first, GError **error)
{
  const guint n = h->set->tensors->len - first;
  const guint64 data_bytes = h->part->size - h->part->data_start;
  g_autofree guint32 *order = g_new (guint32, n);
  guint64 end = 0;
  for (guint32 i = 0; i < n; i++)
    order[i] = first + i;
  g_qsort_with_data (order, (gint) n, sizeof *order, header_compare_places, h->set->places);
  for (guint32 i = 0; i < n; i++)
    if (!header_poll (h, i, error) || !header_place_tensor (h, order[i], &end, error))
      return FALSE;
  h->name = (AssayBytes) { NULL, 0 };
  if (end > data_bytes)
    return header_fail (h, "safetensors-data-short", (gint64) h->part->data_start, error,
                        "its tensors need %" PRIu64 " bytes, the file has %" PRIu64
                        "; it is cut short: fetch it again",
                        end, data_bytes);
  if (end < data_bytes)
    return header_fail (h, "safetensors-trailing", (gint64) (h->part->data_start + end), error,
                        "%" PRIu64 " bytes follow the last tensor, which the format forbids: "
                        "something was appended, or the header does not belong to this file",
                        data_bytes - end);
  return TRUE;
}

static gboolean
header_check_length (HeaderReader *h, guint64 length, GError **error)
{
  const guint64 left = h->part->size - LENGTH_BYTES;
  if (length > SAFETENSORS_HEADER_MAX)
    return header_fail (h, "safetensors-header-too-large", 0, error,
                        "header of %" PRIu64
                        " bytes, limit %d; the file is damaged, or has more tensors "
                        "than are read here",
                        length, SAFETENSORS_HEADER_MAX);
  if (length > left)
    return header_fail (h, "safetensors-truncated", 0, error,
                        "header of %" PRIu64 " bytes, but the file has %" PRIu64
                        " left; it is cut short or damaged: fetch it again",
                        length, left);
  if (length < 2)
    return header_fail (h, "safetensors-json", 0, error,
                        "header of %" PRIu64 " bytes, too few for any", length);
  return TRUE;
}

static gboolean
header_need (HeaderReader *h, gint fd, gsize bytes, GError **error)
{
  return h->part->lent || assay_model_part_read (h->part, fd, bytes, h->cancellable, error);
}

/* The length is compared with the limit and the file before anything is allocated by it. */
static gboolean
header_read (HeaderReader *h, gint fd, GError **error)
{
  ModelPart *part = h->part;
  const gsize first = (gsize) MIN (part->size, (guint64) MODEL_FIRST_BYTES);
  guint64 length;
  if (!header_need (h, fd, first, error))
    return FALSE;
  if (!assay_file_kind_is_safetensors (part->metadata, first, part->size)
      && !assay_file_kind_check (part->path, part->metadata, first, "safetensors", error))
    return FALSE;
  if (first < LENGTH_BYTES)
    return header_fail (h, "safetensors-truncated", 0, error,
                        "the file has %zu bytes, too few for any model: fetch it again", first);
  memcpy (&length, part->metadata, sizeof length);
  length = GUINT64_FROM_LE (length);
  if (!header_check_length (h, length, error) || !header_need (h, fd, LENGTH_BYTES + (gsize) length, error))
    return FALSE;
  part->data_start = LENGTH_BYTES + length;
  if (!part->lent) /* up to the data only, as for GGUF */
    part->metadata_bytes = MIN (part->metadata_bytes, (gsize) part->data_start);
  const guint first_tensor = h->set->tensors->len;
  g_autoptr (AssayJsonScan) scan = assay_json_scan_new ((const char *)part->metadata + LENGTH_BYTES,
                                                        (gsize)length, SAFETENSORS_DEPTH_MAX);
  h->scan = scan;
  return header_read_members (h, error) && header_check_layout (h, first_tensor, error);
}

gboolean
assay_safetensors_read_part (SafetensorsSet *set, const char *path, const char *place,
                             GCancellable *cancellable, GError **error)
{
  gint fd = -1;
  g_autoptr (ModelPart) part = assay_model_part_open (path, place, &fd, error);
  if (part == NULL)
    return FALSE;
  if (!g_str_has_suffix (path, ".safetensors"))
    assay_model_part_notice (part, "the file is safetensors, though its name does not end so");
  HeaderReader reader = { .set = set, .part = part, .cancellable = cancellable };
  const gboolean ok = header_read (&reader, fd, error);
  close (fd);
  if (ok)
    g_ptr_array_add (set->parts, g_steal_pointer (&part));
  return ok;
}

gboolean
assay_safetensors_read_bytes (SafetensorsSet *set, const void *data, gsize length, const char *name,
                              GError **error)
{
  g_autoptr (ModelPart) part = assay_model_part_new (name, length);
  part->lent = TRUE;
  part->metadata = (guint8 *) data;
  part->metadata_bytes = length;
  HeaderReader reader = { .set = set, .part = part };
  if (!header_read (&reader, -1, error))
    return FALSE;
  g_ptr_array_add (set->parts, g_steal_pointer (&part));
  return TRUE;
}
