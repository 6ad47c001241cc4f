/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/content-hash.c: the identity of the weights themselves, whatever file carries them.
 *
 * XXH3-128 over each tensor's name, format, shape and bytes, names in byte order. It guards against mistakes,
 * not against an adversary; it keeps up with memory, so it is taken of all bytes while they are read, never
 * of a sample. */
#include "model-private.h"
#include "weight-scan.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <string.h>
#include <xxhash.h>

enum { PIECE_BYTES = 4 << 20 };

typedef struct
{
  AssayModelFile *file;
  XXH3_state_t *state;
  gboolean verify;
  void (*progress) (guint64 done, guint64 total, gpointer data);
  gpointer data;
  GCancellable *cancellable;
  guint64 done, total;
} ContentHash;

static gint
content_compare (gconstpointer a, gconstpointer b)
{
  const AssayBytes *x = &(*(const AssayTensorInfo *const *) a)->canonical;
  const AssayBytes *y = &(*(const AssayTensorInfo *const *) b)->canonical;
  const int order = memcmp (x->data, y->data, MIN (x->length, y->length));
  return order != 0 ? order : x->length < y->length ? -1 : x->length > y->length;
}

static GPtrArray *
content_sort (ContentHash *h)
{
  GPtrArray *order = g_ptr_array_new ();
  for (guint i = 0; i < h->file->tensors->len; i++)
    {
      AssayTensorInfo *tensor = &g_array_index (h->file->tensors, AssayTensorInfo, i);
      h->total += tensor->bytes;
      g_ptr_array_add (order, tensor);
    }
  g_ptr_array_sort (order, content_compare);
  return order;
}

static void
content_hash_u64 (ContentHash *h, guint64 value)
{
  value = GUINT64_TO_LE (value);
  XXH3_128bits_update (h->state, &value, sizeof value);
}

G_GNUC_PRINTF (5, 6) static gboolean
content_fail (ContentHash *h, const AssayTensorInfo *tensor, const char *reason,
              GError **error, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *message = g_strdup_vprintf (_(format), args);
  va_end (args);
  g_autofree char *name = assay_engine_escape (tensor->name.data, tensor->name.length);
  g_autofree char *field = g_strdup_printf ("tensor '%s'", name);
  assay_engine_error_set (error, ASSAY_ENGINE_ERROR_FORMAT, reason,
                          assay_model_file_get_part_path (h->file, tensor->part), field,
                          (gint64) tensor->offset, "%s", message);
  return FALSE;
}

/* n: what was looked at. A vector of zeros is a bias that was never trained; a matrix of zeros is a file gone
 * wrong. */
static gboolean
content_judge (ContentHash *h, const AssayTensorInfo *tensor, guint64 n, const WeightScan *scan,
               GError **error)
{
  const AssayDtypeInfo *info = assay_dtype_info (tensor->dtype);
  if (scan->n_bad > 0)
    return content_fail (h, tensor, "weights-not-finite", error,
                         "%" PRIu64 " of its %" PRIu64
                         " %s are NaN or infinite, the first is number %" PRIu64
                         "; the file is damaged or was converted wrongly",
                         scan->n_bad, n, info->quantized ? "block scales" : "values", scan->first_bad);
  if (!scan->any && tensor->n_dims > 1)
    return content_fail (h, tensor, "weights-all-zero", error,
                         "all %" PRIu64
                         " blocks are zero; the file is damaged or was converted wrongly",
                         n);
  return TRUE;
}

/* scan: NULL where any bytes are sound. */
static gboolean
content_add_bytes (ContentHash *h, AssayDtype dtype, const guint8 *data, guint64 n_bytes, WeightScan *scan,
                   GError **error)
{
  const guint block_bytes = assay_dtype_info (dtype)->block_bytes;
  const guint64 piece = PIECE_BYTES / block_bytes * block_bytes;
  for (guint64 at = 0; at < n_bytes; at += piece)
    {
      const guint64 bytes = MIN (piece, n_bytes - at);
      if (g_cancellable_set_error_if_cancelled (h->cancellable, error))
        return FALSE;
      XXH3_128bits_update (h->state, data + at, bytes);
      if (h->verify && scan != NULL)
        assay_weight_scan (dtype, data + at, at / block_bytes, bytes / block_bytes, scan);
      h->done += bytes;
      if (h->progress != NULL)
        h->progress (h->done, h->total, h->data);
    }
  return TRUE;
}

/* The parts as they lie, one after the other. Codes are sound whatever they are; statistics are floats. */
static gboolean
content_add_whole (ContentHash *h, const AssayTensorInfo *tensor, GError **error)
{
  const ModelWhole *whole = assay_model_file_get_whole (h->file, tensor);
  const gboolean nested = assay_whole_is_double (tensor->dtype);
  const struct { const TensorPlace *place; gboolean floats; } parts[]
      = { { &whole->codes, FALSE }, { &whole->absmax, !nested }, { &whole->nested, TRUE },
          { &whole->scale, TRUE } };
  const guint64 begun = h->done;
  WeightScan scan = { 0 };
  guint64 n = 0;
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      const TensorPlace *place = parts[i].place;
      if (place->bytes > 0
          && !content_add_bytes (h, parts[i].floats ? ASSAY_DTYPE_F32 : ASSAY_DTYPE_I8,
                                 assay_model_file_get_place (h->file, place), place->bytes,
                                 parts[i].floats ? &scan : NULL, error))
        return FALSE;
      n += parts[i].floats ? place->bytes / sizeof (float) : 0;
    }
  XXH3_128bits_update (h->state, &whole->offset, sizeof whole->offset);
  scan.any |= whole->offset != 0;
  h->done = begun + tensor->bytes; /* with what fills the parts up */
  return !h->verify || n == 0 || content_judge (h, tensor, n, &scan, error);
}

static gboolean
content_add_plain (ContentHash *h, const AssayTensorInfo *tensor, GError **error)
{
  const guint8 *data = assay_model_file_get_data (h->file, tensor);
  const guint64 n = tensor->bytes / assay_dtype_info (tensor->dtype)->block_bytes;
  WeightScan scan = { 0 };
  return content_add_bytes (h, tensor->dtype, data, tensor->bytes, &scan, error)
         && (!h->verify || n == 0 || content_judge (h, tensor, n, &scan, error));
}

static gboolean
content_add_tensor (ContentHash *h, const AssayTensorInfo *tensor, GError **error)
{
  content_hash_u64 (h, tensor->canonical.length);
  XXH3_128bits_update (h->state, tensor->canonical.data, tensor->canonical.length);
  content_hash_u64 (h, tensor->dtype);
  for (guint i = 0; i < 4; i++)
    content_hash_u64 (h, (guint64) tensor->shape[i]);
  return tensor->assembled != 0 ? content_add_whole (h, tensor, error) : content_add_plain (h, tensor, error);
}

/* A page that vanished reads as zeros, so that this is said first. */
static gboolean
content_set_changed (AssayModelFile *file, GError **error)
{
  g_clear_error (error);
  assay_engine_error_set (error, ASSAY_ENGINE_ERROR_CHANGED, "file-changed", assay_model_file_get_path (file),
                          NULL, -1, "the file changed while it was read; run again");
  return FALSE;
}

static gboolean
content_add_all (ContentHash *h, GError **error)
{
  g_autoptr (GPtrArray) order = content_sort (h);
  gboolean ok = TRUE;
  XXH3_128bits_reset (h->state);
  for (guint i = 0; ok && i < order->len; i++)
    ok = content_add_tensor (h, g_ptr_array_index (order, i), error);
  return assay_model_file_is_changed (h->file) ? content_set_changed (h->file, error) : ok;
}

char *
assay_model_file_hash_content (AssayModelFile *self, gboolean verify,
                               void (*progress) (guint64 done, guint64 total, gpointer data), gpointer data,
                               GCancellable *cancellable, GError **error)
{
  if (!assay_model_file_map (self, error))
    return NULL;
  ContentHash h = { .file = self,
                    .state = XXH3_createState (),
                    .verify = verify,
                    .progress = progress,
                    .data = data,
                    .cancellable = cancellable };
  if (h.state == NULL)
    {
      assay_engine_error_set (error, ASSAY_ENGINE_ERROR_OOM_HOST, "no-host-memory", NULL, NULL, -1,
                              "no memory for a hash");
      return NULL;
    }
  char *hex = NULL;
  if (content_add_all (&h, error))
    {
      const XXH128_hash_t hash = XXH3_128bits_digest (h.state);
      hex = g_strdup_printf ("xxh3-128:%016" G_GINT64_MODIFIER "x%016" G_GINT64_MODIFIER "x",
                             (guint64) hash.high64, (guint64) hash.low64);
    }
  XXH3_freeState (h.state);
  return hex;
}
