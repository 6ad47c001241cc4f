/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/models/model-convert.c: see model-convert.h. */
#include "model-convert.h"

#include <string.h>

#define ROW_STEP 64u                      /* what quantize() takes at least, but for the last rows */
#define STEP_FLOATS (1u << 18)            /* float32 worked on at once, where rows are short: 1 MiB */
#define PLAN_PART_BYTES ((gsize) 1 << 44) /* where a plan thinks each file, beyond what is ever touched */
#define COPY_STEP (G_GUINT64_CONSTANT (8) << 20)

static guint64
convert_step_rows (const AssayWeight *weight)
{
  const guint64 rows = MAX (STEP_FLOATS / (guint64) weight->n / ROW_STEP, 1) * ROW_STEP;
  return MIN (rows, weight->n_rows);
}

static guint64
convert_float_bytes (const AssayWeight *weight)
{
  return convert_step_rows (weight) * (guint64) weight->n * sizeof (float);
}

static gboolean
convert_is_transposed (const AssayWeight *weight)
{
  return (weight->info->change & ASSAY_CHANGE_TRANSPOSE) != 0;
}

static AssayBuffer *
converter_alloc (AssayConverter *self, AssayMemory category, guint64 bytes, gboolean *ok, GError **error)
{
  if (bytes == 0 || !*ok)
    return NULL;
  AssayBuffer *buffer = assay_device_alloc (self->model->host, category, bytes, error);
  *ok = buffer != NULL;
  return buffer;
}

gboolean
assay_converter_init (AssayConverter *self, gboolean low_rank, GError **error)
{
  AssayBackend *b = assay_device_get_backend (self->model->host);
  guint64 rows = 0, turned = 0, scratch = 0, stored = 0;
  gboolean ok = TRUE;
  for (guint i = 0; i < self->model->weights->len; i++)
    {
      const AssayWeight *weight = assay_model_get_weight (self->model, i);
      if (!assay_weight_is_changed (weight) || (weight->linear != NULL) != low_rank)
        continue;
      rows = MAX (rows, convert_float_bytes (weight));
      if (weight->info->assembled != 0)
        stored = MAX (stored,
                      assay_dtype_matrix_bytes (weight->info->dtype, weight->n, (gint64) weight->n_rows));
      if (convert_is_transposed (weight))
        turned = MAX (turned, convert_float_bytes (weight));
      if (weight->dtype != ASSAY_DTYPE_F32)
        {
          const AssayTensor tensor = assay_weight_get_tensor (weight);
          scratch = MAX (scratch, b->ops->quantize_scratch (b, &tensor));
        }
    }
  self->rows = converter_alloc (self, ASSAY_MEMORY_STAGING, rows, &ok, error);
  self->turned = converter_alloc (self, ASSAY_MEMORY_STAGING, turned, &ok, error);
  self->scratch = converter_alloc (self, ASSAY_MEMORY_WORKSPACE, scratch, &ok, error);
  self->stored = converter_alloc (self, ASSAY_MEMORY_STAGING, stored, &ok, error);
  if (!ok)
    assay_converter_clear (self);
  return ok;
}

void
assay_converter_clear (AssayConverter *self)
{
  g_clear_pointer (&self->rows, assay_buffer_free);
  g_clear_pointer (&self->turned, assay_buffer_free);
  g_clear_pointer (&self->scratch, assay_buffer_free);
  g_clear_pointer (&self->stored, assay_buffer_free);
  self->stored_weight = NULL;
}

/* --- sources --- */

static guint64
weight_get_source_offset (const AssayWeight *weight)
{
  const AssayDtypeInfo *info = assay_dtype_info (weight->info->dtype);
  if (weight->vector || convert_is_transposed (weight))
    return weight->first_row * info->block_bytes;
  return weight->first_row * weight->info->row_bytes;
}

const void *
assay_weight_get_source (AssayModel *model, const AssayWeight *weight)
{
  const guint64 offset = weight_get_source_offset (weight);
  if (assay_device_is_plan (model->device))
    return GSIZE_TO_POINTER (((gsize) weight->info->part + 1) * PLAN_PART_BYTES + weight->info->offset
                             + offset);
  return (const char *) assay_model_file_get_data (weight->file, weight->info) + offset;
}

guint64
assay_weight_get_piece_rows (const AssayWeight *weight, guint64 bytes)
{
  const AssayTensor tensor = assay_weight_get_tensor (weight);
  if (tensor.row_bytes == 0)
    return weight->n_rows;
  return MIN (MAX (bytes / tensor.row_bytes / ROW_STEP, 1) * ROW_STEP, weight->n_rows);
}

static gboolean
converter_check (AssayConverter *self, AssayStatus status, const char *operation, GError **error)
{
  return assay_device_check (self->model->host, status, operation, error);
}

/* Stored [in, out]: columns [first, first + n) of it become rows. */
static gboolean
converter_read_columns (
    AssayConverter *self, const AssayWeight *weight, float *x, guint64 first, guint64 n, GError **error)
{
  AssayBackend *b = assay_device_get_backend (self->model->host);
  const gsize element = assay_dtype_info (weight->info->dtype)->block_bytes;
  const AssayTensor columns
      = { .dtype = weight->info->dtype,
          .shape = { (gint64) n, weight->n, 1, 1 },
          .row_bytes = (gsize) weight->info->shape[1] * element,
          .data = (const char *) assay_weight_get_source (self->model, weight) + first * element };
  float *turned = assay_buffer_get_data (self->turned); /* [weight->n, n] */
  if (!converter_check (self, b->ops->dequantize (b, turned, &columns, 0, (gsize) weight->n), "dequantize",
                        error))
    return FALSE;
  for (guint64 r = 0; r < n; r++)
    for (gint64 k = 0; k < weight->n; k++)
      x[r * (guint64) weight->n + (guint64) k] = turned[(guint64) k * n + r];
  return TRUE;
}

/* The row that goes to `row` when a head's rows change from halves to neighbouring pairs, or back. */
static guint64
convert_turned_row (const AssayWeight *weight, guint64 row)
{
  const guint64 dim = weight->turn_dim, head = row / dim, i = row % dim;
  return head * dim + (weight->turn_adjacent ? i % 2 * (dim / 2) + i / 2 : i % (dim / 2) * 2 + i / (dim / 2));
}

/* The weight's rows as the file has them, in one piece. */
static const void *
converter_get_stored (AssayConverter *self, const AssayWeight *weight)
{
  if (weight->info->assembled == 0)
    return assay_weight_get_source (self->model, weight);
  if (self->stored_weight != weight)
    assay_model_file_read_rows (weight->file, weight->info, weight->first_row, weight->n_rows,
                                assay_buffer_get_data (self->stored));
  self->stored_weight = weight;
  return assay_buffer_get_data (self->stored);
}

static gboolean
converter_read (
    AssayConverter *self, const AssayWeight *weight, float *x, guint64 first, guint64 n, GError **error)
{
  AssayBackend *b = assay_device_get_backend (self->model->host);
  AssayTensor source = { .dtype = weight->info->dtype,
                         .shape = { weight->n, (gint64) weight->n_rows, 1, 1 },
                         .row_bytes = weight->info->row_bytes };
  if (convert_is_transposed (weight))
    return converter_read_columns (self, weight, x, first, n, error);
  source.data = converter_get_stored (self, weight);
  if (weight->turn_dim == 0)
    return converter_check (self, b->ops->dequantize (b, x, &source, first, n), "dequantize", error);
  for (guint64 i = 0; i < n; i++)
    {
      const AssayStatus status = b->ops->dequantize (b, x + i * (guint64) weight->n, &source,
                                                     convert_turned_row (weight, first + i), 1);
      if (!converter_check (self, status, "dequantize", error))
        return FALSE;
    }
  return TRUE;
}

/* --- making --- */

gboolean
assay_converter_advance (AssayConverter *self, guint64 bytes, GError **error)
{
  self->done += bytes;
  if (self->progress != NULL)
    self->progress (self->done, self->total, self->data);
  return !g_cancellable_set_error_if_cancelled (self->cancellable, error);
}

static gboolean
converter_copy (AssayConverter *self, char *target, const char *source, guint64 bytes, GError **error)
{
  for (guint64 done = 0; done < bytes;)
    {
      const guint64 n = MIN (COPY_STEP, bytes - done);
      memcpy (target + done, source + done, n);
      done += n;
      if (!assay_converter_advance (self, n, error))
        return FALSE;
    }
  return TRUE;
}

/* target: a tensor of just the rows that are made, of which `at` come before these. */
/* The only fault of quantizing is a number that the format cannot hold: it is the weight's, not the device's.
 */
static gboolean
converter_check_range (AssayConverter *self, const AssayWeight *weight, AssayStatus status, GError **error)
{
  if (status != ASSAY_DEVICE_FAULT)
    return converter_check (self, status, "quantize", error);
  const AssayBytes name = weight->info->name;
  g_autofree char *shown = assay_engine_escape (name.data, name.length);
  g_autofree char *field = g_strdup_printf ("tensor '%s'", shown);
  assay_engine_error_set (
      error, ASSAY_ENGINE_ERROR_RULE, "weight-range",
      assay_model_file_get_part_path (weight->file, weight->info->part), field, -1,
      "%s; choose dtype bfloat16 or float32, or leave the module out with quantized_modules",
      assay_device_get_backend (self->model->host)->fault);
  return FALSE;
}

static gboolean
converter_make_step (AssayConverter *self,
                     const AssayWeight *weight,
                     const AssayTensor *target,
                     guint64 first,
                     guint64 at,
                     guint64 n,
                     GError **error)
{
  AssayBackend *b = assay_device_get_backend (self->model->host);
  const gboolean is_float = weight->dtype == ASSAY_DTYPE_F32;
  float *x = is_float ? (float *) ((char *) target->data + at * target->row_bytes)
                      : assay_buffer_get_data (self->rows);
  if (!converter_read (self, weight, x, first + at, n, error))
    return FALSE;
  if (weight->info->change & ASSAY_CHANGE_ADD_ONE)
    for (guint64 i = 0; i < n * (guint64) weight->n; i++)
      x[i] += 1.0f;
  if (is_float)
    return TRUE;
  void *scratch = self->scratch != NULL ? assay_buffer_get_data (self->scratch) : NULL;
  return converter_check_range (self, weight, b->ops->quantize (b, target, x, at, n, scratch), error);
}

gboolean
assay_converter_make (
    AssayConverter *self, const AssayWeight *weight, void *target, guint64 first, guint64 n, GError **error)
{
  AssayBackend *b = assay_device_get_backend (self->model->host);
  AssayTensor rows = assay_weight_get_tensor (weight);
  rows.shape[1] = (gint64) n;
  rows.data = target;
  if (assay_device_is_plan (self->model->device))
    return TRUE;
  if (!assay_weight_is_changed (weight) && weight->info->assembled != 0)
    {
      assay_model_file_read_rows (weight->file, weight->info, weight->first_row, n, target);
      return assay_converter_advance (self, weight->bytes, error);
    }
  if (!assay_weight_is_changed (weight))
    {
      const char *source = assay_weight_get_source (self->model, weight);
      return converter_copy (self, target, source + first * rows.row_bytes,
                             n == weight->n_rows ? weight->bytes : n * rows.row_bytes, error);
    }
  for (guint64 at = 0; at < n;)
    {
      const guint64 step = MIN (convert_step_rows (weight), n - at);
      if (!converter_make_step (self, weight, &rows, first, at, step, error)
          || !assay_converter_advance (self, step * weight->bytes / weight->n_rows, error))
        return FALSE;
      at += step;
    }
  void *scratch = self->scratch != NULL ? assay_buffer_get_data (self->scratch) : NULL;
  return rows.row_bytes > 0
         || converter_check (self, b->ops->quantize_finish (b, &rows, scratch), "quantize", error);
}
