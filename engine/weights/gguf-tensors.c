/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/gguf-tensors.c: tensor infos, and that the data they promise is in the file.
 *
 * Sizes derive from rows, never from a total divided by blocks, and each is computed once, checked, and kept:
 * every later user takes it from AssayTensorInfo. */
#include "gguf-private.h"

#include <inttypes.h>
#include <string.h>

enum { TENSOR_ENTRY_MIN = 24 }; /* an empty name, no dimension, type and offset */
#define DIMENSION_MAX (G_GUINT64_CONSTANT (1) << 40)

static AssayBytes
gguf_name_of (gconstpointer owner, guint32 index)
{
  const ModelPart *part = owner;
  AssayBytes name = g_array_index (part->tensors, AssayTensorInfo, index).name;
  if (part->name_at != NULL) /* still reading: the buffer may move */
    name.data = (const char *) part->metadata + g_array_index (part->name_at, guint32, index);
  return name;
}

static gboolean
gguf_read_name (GgufReader *r, AssayTensorInfo *tensor, GError **error)
{
  const guint64 start = r->at;
  guint32 at, length;
  if (!assay_gguf_read_string (r, GGUF_TENSOR_NAME_MAX, &at, &length, error))
    return FALSE;
  r->name_at = at;
  r->name_length = length;
  tensor->name.length = length;
  if (length == 0)
    return assay_gguf_fail (r, "gguf-tensor-name", start, error, "the tensor has no name");
  for (guint32 i = 0; i < length; i++)
    if (g_ascii_iscntrl (r->part->metadata[at + i]))
      return assay_gguf_fail (r, "gguf-tensor-name", start, error, "the name holds a control character");
  return TRUE;
}

static gboolean
gguf_read_shape (GgufReader *r, AssayTensorInfo *tensor, GError **error)
{
  const guint64 start = r->at;
  guint32 n_dims;
  if (!assay_gguf_read_u32 (r, &n_dims, error))
    return FALSE;
  if (n_dims > 4)
    return assay_gguf_fail (r, "gguf-tensor-dims", start, error, "%u dimensions; at most 4 are allowed",
                            n_dims);
  tensor->n_dims = n_dims;
  for (guint32 i = 0; i < 4; i++)
    {
      guint64 size = 1;
      if (i < n_dims && !assay_gguf_read_u64 (r, &size, error))
        return FALSE;
      if (size > DIMENSION_MAX)
        return assay_gguf_fail (r, "gguf-tensor-dims", r->at - 8, error,
                                "dimension %u is %" PRIu64 "; at most %" PRIu64
                                " is allowed",
                                i, size, DIMENSION_MAX);
      tensor->shape[i] = (gint64) size;
    }
  return TRUE;
}

static const char *
gguf_removed_type (guint32 type)
{
  return type == 4 ? "Q4_2" : type == 5 ? "Q4_3" : type >= 31 && type <= 33 ? "repacked Q4_0"
         : type >= 36 && type <= 38 ? "repacked IQ4_NL" : NULL;
}

static gboolean
gguf_read_dtype (GgufReader *r, const AssayDtypeInfo **info, GError **error)
{
  const guint64 start = r->at;
  guint32 type;
  if (!assay_gguf_read_u32 (r, &type, error))
    return FALSE;
  *info = assay_dtype_info (type);
  if (*info != NULL && !(*info)->whole)
    return TRUE;
  if (gguf_removed_type (type) != NULL)
    return assay_gguf_fail (
        r, "gguf-tensor-type", start, error,
        "type %u (%s) was removed from GGUF: make the file again with a current converter", type,
        gguf_removed_type (type));
  return assay_gguf_fail (r, "gguf-tensor-type", start, error,
                          "there is no tensor type %u; the file is damaged or newer than this program", type);
}

static gboolean
gguf_compute_size (GgufReader *r, AssayTensorInfo *tensor, const AssayDtypeInfo *info, GError **error)
{
  const guint64 at = r->at;
  if (tensor->shape[0] % info->block_elements != 0)
    return assay_gguf_fail (r, "gguf-tensor-dims", at, error,
                            "rows of %" PRId64 " elements; %s comes in blocks of %u",
                            tensor->shape[0], info->name, info->block_elements);
  guint64 padded;
  tensor->dtype = info->dtype;
  /* below 2^40 * 292 */
  tensor->row_bytes = (guint64) tensor->shape[0] / info->block_elements * info->block_bytes;
  tensor->bytes = tensor->row_bytes;
  for (guint i = 1; i < 4; i++)
    if (__builtin_mul_overflow (tensor->bytes, (guint64) tensor->shape[i], &tensor->bytes))
      return assay_gguf_fail (r, "gguf-tensor-size", at, error, "a size of more than 2^64 bytes");
  if (__builtin_add_overflow (tensor->bytes, (guint64) r->part->alignment - 1, &padded)
      || tensor->bytes > r->part->size)
    return assay_gguf_fail (r, "gguf-tensor-size", at, error,
                            "%" PRIu64 " bytes, but the whole file has %" PRIu64
                            "; it is cut short or damaged: fetch it again",
                            tensor->bytes, r->part->size);
  return TRUE;
}

static gboolean
gguf_read_tensor (GgufReader *r, GError **error)
{
  ModelPart *part = r->part;
  AssayTensorInfo tensor = { 0 };
  const AssayDtypeInfo *info;
  const guint64 start = r->at;
  if (!gguf_read_name (r, &tensor, error) || !gguf_read_shape (r, &tensor, error)
      || !gguf_read_dtype (r, &info, error) || !gguf_compute_size (r, &tensor, info, error)
      || !assay_gguf_read_u64 (r, &tensor.offset, error))
    return FALSE;
  if (tensor.offset % part->alignment != 0)
    return assay_gguf_fail (r, "gguf-tensor-offset", r->at - 8, error,
                            "an offset of %" PRIu64 ", not a multiple of the alignment %u",
                            tensor.offset, part->alignment);
  g_array_append_val (part->tensors, tensor);
  g_array_append_val (part->name_at, r->name_at);
  if (!assay_name_table_add (part->names, part->tensors->len - 1))
    return assay_gguf_fail (r, "gguf-duplicate-tensor", start, error, "the tensor is there twice");
  return TRUE;
}

gboolean
assay_gguf_read_tensors (GgufReader *r, guint64 n, GError **error)
{
  ModelPart *part = r->part;
  part->names = assay_name_table_new (gguf_name_of, part);
  for (guint64 i = 0; i < n; i++)
    {
      r->what = "tensor";
      r->index = i;
      r->name_length = 0;
      if (!assay_gguf_poll (r, i, error) || !gguf_read_tensor (r, error))
        return FALSE;
    }
  r->what = NULL;
  if (!part->lent)
    {
      part->metadata_bytes = (gsize) r->at; /* what was read beyond is tensor data */
      part->metadata = g_realloc (part->metadata, part->metadata_bytes);
    }
  return TRUE;
}

static gint
gguf_compare_offsets (gconstpointer a, gconstpointer b, gpointer data)
{
  const GArray *tensors = data;
  const AssayTensorInfo *x = &g_array_index (tensors, AssayTensorInfo, *(const guint32 *) a);
  const AssayTensorInfo *y = &g_array_index (tensors, AssayTensorInfo, *(const guint32 *) b);
  if (x->offset != y->offset)
    return x->offset < y->offset ? -1 : 1;
  return x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

static void
gguf_stand_at (GgufReader *r, guint32 index)
{
  const AssayTensorInfo *tensor = &g_array_index (r->part->tensors, AssayTensorInfo, index);
  r->what = "tensor";
  r->index = index;
  r->name_at = g_array_index (r->part->name_at, guint32, index);
  r->name_length = (guint32) tensor->name.length;
}

/* One tensor in the order of offsets. end: where the one before ended, from the start of the data. */
static gboolean
gguf_place_tensor (GgufReader *r, guint32 index, guint64 *end, guint64 *gap, GError **error)
{
  ModelPart *part = r->part;
  AssayTensorInfo *tensor = &g_array_index (part->tensors, AssayTensorInfo, index);
  const guint64 data_bytes = part->size > part->data_start ? part->size - part->data_start : 0;
  gguf_stand_at (r, index);
  if (tensor->offset > data_bytes || tensor->bytes > data_bytes - tensor->offset)
    return assay_gguf_fail (
        r, tensor->offset > data_bytes ? "gguf-tensor-offset" : "gguf-data-short", part->data_start, error,
        "%" PRIu64 " bytes from offset %" PRIu64
        ", but the data ends at %" PRIu64 "; the file is cut short or damaged: fetch it again",
        tensor->bytes, tensor->offset, data_bytes);
  if (tensor->bytes > 0 && tensor->offset < *end)
    return assay_gguf_fail (r, "gguf-tensor-overlap", part->data_start + tensor->offset, error,
                            "begins at offset %" PRIu64
                            ", but the tensor before it needs the bytes up to %" PRIu64
                            "; the file was written wrongly",
                            tensor->offset, *end);
  const guint64 padded
      = (*end + part->alignment - 1) & ~((guint64) part->alignment - 1); /* *end is below the size */
  if (tensor->offset > padded)
    *gap += tensor->offset - padded;
  *end = MAX (*end, tensor->offset + tensor->bytes);
  tensor->offset += part->data_start; /* both below the file's size */
  return TRUE;
}

/* The data's start is known once the infos end; whatever follows the last tensor is looked at here too. */
gboolean
assay_gguf_check_layout (GgufReader *r, GError **error)
{
  ModelPart *part = r->part;
  const guint n = part->tensors->len;
  g_autofree guint32 *order = g_new (guint32, n);
  guint64 end = 0, gap = 0;
  part->data_start = (r->at + part->alignment - 1) & ~((guint64) part->alignment - 1); /* r->at <= 2^30 */
  for (guint32 i = 0; i < n; i++)
    order[i] = i;
  g_qsort_with_data (order, (gint) n, sizeof *order, gguf_compare_offsets, part->tensors);
  for (guint32 i = 0; i < n; i++)
    if (!assay_gguf_poll (r, i, error) || !gguf_place_tensor (r, order[i], &end, &gap, error))
      return FALSE;
  r->what = NULL;
  if (gap > 0)
    assay_model_part_notice (part, "%" PRIu64 " bytes between tensors belong to none", gap);

  part->trailing = part->size - MIN (part->data_start + end, part->size);
  if (part->trailing > part->alignment)
    assay_model_part_notice (part, "%" PRIu64 " bytes follow the last tensor and were ignored",
                            part->trailing);
  for (guint32 i = 0; i < n; i++)
    {
      AssayTensorInfo *tensor = &g_array_index (part->tensors, AssayTensorInfo, i);
      tensor->name.data = (const char *) part->metadata + g_array_index (part->name_at, guint32, i);
      tensor->canonical = tensor->name;
    }
  g_clear_pointer (&part->name_at, g_array_unref);
  return TRUE;
}
