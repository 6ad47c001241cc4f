/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/convert/assay-quantize.c: tensor by tensor from one file into another.
 *
 * A tensor goes in pieces of whole rows, a multiple of 64 of them, as the kernels ask: mapped bytes → float32 → the new
 * format → the file. What keeps its format is copied as it lies. */
#include "quantize-private.h"

#include <math.h>
#include <string.h>

enum { PIECE_FLOATS = 2 << 20, PIECE_BYTES = 8 << 20, ROW_GROUP = 64 };

typedef struct
{
  AssayModelFile *file;
  AssayBackend *backend;
  AssayGgufWrite *out;
  void (*progress) (guint64 done, guint64 total, gpointer data);
  gpointer data;
  GCancellable *cancellable;
  guint64 done, total;   /* bytes of the source */
} Quantize;

static gboolean
quantize_fail (const Quantize *self, const AssayTensorInfo *tensor, AssayEngineError code, const char *reason,
               const char *what, GError **error)
{
  g_autofree char *name = assay_engine_escape (tensor->name.data, tensor->name.length);
  g_autofree char *field = g_strdup_printf ("tensor '%s'", name);
  assay_engine_error_set (error, code, reason, assay_model_file_get_path (self->file), field, -1, "%s", what);
  return FALSE;
}

/* Tells how far it is; FALSE when it was cancelled. */
static gboolean
quantize_advance (Quantize *self, guint64 bytes, GError **error)
{
  self->done += bytes;
  if (self->progress != NULL)
    self->progress (self->done, self->total, self->data);
  return !g_cancellable_set_error_if_cancelled (self->cancellable, error);
}

static gboolean
quantize_copy (Quantize *self, const QuantizeStep *step, GError **error)
{
  const guint8 *bytes = assay_model_file_get_data (self->file, step->tensor);
  for (guint64 at = 0; at < step->tensor->bytes || at == 0; at += PIECE_BYTES)
    {
      const gsize n = (gsize) MIN (step->tensor->bytes - at, (guint64) PIECE_BYTES);
      if (!assay_gguf_write_append (self->out, bytes + at, n, error) || !quantize_advance (self, n, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
quantize_is_finite (const float *x, gint64 n)
{
  for (gint64 i = 0; i < n; i++)
    if (!isfinite (x[i]))
      return FALSE;
  return TRUE;
}

/* One piece: rows of x become rows of `to`, which begins anew with each piece. */
static gboolean
quantize_rows (Quantize *self, const QuantizeStep *step, const AssayTensor *to, const float *x, void *scratch, GError **error)
{
  if (!quantize_is_finite (x, to->shape[0] * to->shape[1]))
    return quantize_fail (self, step->tensor, ASSAY_ENGINE_ERROR_FORMAT, "weights-not-finite",
                          "holds a weight that is no finite number; the file is damaged: fetch it again", error);
  const AssayStatus status
      = self->backend->ops->quantize (self->backend, to, x, 0, (size_t) to->shape[1], scratch);
  return status == ASSAY_OK
         || quantize_fail (self, step->tensor, ASSAY_ENGINE_ERROR_DEVICE, "kernel-failed", self->backend->fault, error);
}

static gboolean
quantize_convert_open (Quantize *self, QuantizeSource *source, float *x, guint8 *y, gint64 rows, GError **error)
{
  const AssayDtypeInfo *info = assay_dtype_info (source->step->to);
  const guint64 stored_row = source->step->tensor->bytes / (guint64) source->n_rows;
  AssayTensor to = { .dtype = source->step->to, .shape = { source->n, rows, 1, 1 }, .data = y,
                     .row_bytes = (gsize) source->n / info->block_elements * info->block_bytes };
  g_autofree void *scratch = g_malloc0 (self->backend->ops->quantize_scratch (self->backend, &to));
  for (gint64 first = 0; first < source->n_rows; first += rows)
    {
      to.shape[1] = MIN (rows, source->n_rows - first);
      if (!assay_quantize_source_read (source, x, first, to.shape[1], error)
          || !quantize_rows (self, source->step, &to, x, scratch, error)
          || !assay_gguf_write_append (self->out, y, (gsize) to.shape[1] * to.row_bytes, error)
          || !quantize_advance (self, stored_row * (guint64) to.shape[1], error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
quantize_convert (Quantize *self, const QuantizeStep *step, GError **error)
{
  QuantizeSource source;
  if (step->tensor->bytes == 0)
    return assay_gguf_write_append (self->out, "", 0, error);
  if (!assay_quantize_source_open (&source, self->backend, self->file, step, error))
    {
      assay_quantize_source_close (&source);
      return FALSE;
    }
  const gint64 groups = MAX (PIECE_FLOATS / source.n / ROW_GROUP, 1);
  const gint64 rows = MIN (groups * ROW_GROUP, source.n_rows);
  g_autofree float *x = g_try_malloc_n ((gsize) rows, (gsize) source.n * sizeof *x);
  g_autofree guint8 *y = g_try_malloc_n ((gsize) rows, (gsize) source.n * sizeof *x); /* no format is larger */
  const gboolean ok = x != NULL && y != NULL
                          ? quantize_convert_open (self, &source, x, y, rows, error)
                          : quantize_fail (self, step->tensor, ASSAY_ENGINE_ERROR_OOM_HOST, "no-host-memory",
                                           "no memory for its rows as float32", error);
  assay_quantize_source_close (&source);
  return ok;
}

static gboolean
quantize_step (Quantize *self, const QuantizeStep *step, GError **error)
{
  const gboolean same = step->to == step->tensor->dtype && step->interleave == 0
                        && step->tensor->change == ASSAY_CHANGE_NONE;
  return same ? quantize_copy (self, step, error) : quantize_convert (self, step, error);
}

static void
quantize_announce (Quantize *self, const GArray *steps)
{
  guint32 file_type;
  gboolean quantized = FALSE;
  for (guint i = 0; i < steps->len; i++)
    {
      const QuantizeStep *step = &g_array_index (steps, QuantizeStep, i);
      assay_gguf_write_add_tensor (self->out, step->tensor->canonical, step->tensor->n_dims, step->tensor->shape, step->to);
      quantized = quantized || assay_dtype_info (step->to)->quantized;
      self->total += step->tensor->bytes;
    }
  if (assay_quantize_get_file_type (steps, &file_type))
    assay_gguf_write_set_u32 (self->out, "general.file_type", file_type);
  if (quantized)
    assay_gguf_write_set_u32 (self->out, "general.quantization_version", 2);
}

static gboolean
quantize_run (Quantize *self, const AssayModelConfig *config, const GArray *steps, const char *path, gboolean overwrite,
              GError **error)
{
  quantize_announce (self, steps);
  g_autoptr (GPtrArray) vectors = assay_quantize_put_foreign (self->out, self->file, config, error);
  if (vectors == NULL || !assay_gguf_write_begin (self->out, path, overwrite, error))
    return FALSE;
  for (guint i = 0; i < steps->len; i++)
    if (!quantize_step (self, &g_array_index (steps, QuantizeStep, i), error))
      return FALSE;
  for (guint i = 0; i < vectors->len; i++)
    if (!assay_gguf_write_append (self->out, g_ptr_array_index (vectors, i), config->rope.n_dims / 2 * sizeof (float), error))
      return FALSE;
  if (assay_model_file_is_changed (self->file))
    {
      assay_engine_error_set (error, ASSAY_ENGINE_ERROR_CHANGED, "file-changed", assay_model_file_get_path (self->file), NULL,
                              -1, "the model changed while it was read; nothing was written: run again");
      return FALSE;
    }
  return assay_gguf_write_finish (self->out, error);
}

/* --- the report --- */

static void
report_change_clear (gpointer data)
{
  g_free (((AssayQuantizeChange *) data)->example);
}

static AssayQuantizeChange *
report_find (AssayQuantizeReport *self, const QuantizeStep *step)
{
  for (guint i = 0; i < self->changes->len; i++)
    {
      AssayQuantizeChange *change = &g_array_index (self->changes, AssayQuantizeChange, i);
      if (change->from == step->tensor->dtype && change->to == step->to && change->fell_back == step->fell_back)
        return change;
    }
  const AssayQuantizeChange change = {
    .from = step->tensor->dtype, .to = step->to, .fell_back = step->fell_back,
    .example = assay_engine_escape (step->tensor->canonical.data, step->tensor->canonical.length),
  };
  g_array_append_val (self->changes, change);
  return &g_array_index (self->changes, AssayQuantizeChange, self->changes->len - 1);
}

static AssayQuantizeReport *
report_new (const GArray *steps)
{
  AssayQuantizeReport *self = g_new0 (AssayQuantizeReport, 1);
  self->changes = g_array_new (FALSE, TRUE, sizeof (AssayQuantizeChange));
  g_array_set_clear_func (self->changes, report_change_clear);
  for (guint i = 0; i < steps->len; i++)
    {
      const QuantizeStep *step = &g_array_index (steps, QuantizeStep, i);
      const gint64 *shape = step->tensor->shape;
      AssayQuantizeChange *change = report_find (self, step);
      change->n_tensors++;
      change->bytes_from += step->tensor->bytes;
      change->bytes_to += assay_dtype_matrix_bytes (step->to, shape[0], shape[1] * shape[2] * shape[3]);
      self->was_quantized |= step->to != step->tensor->dtype && assay_dtype_info (step->tensor->dtype)->quantized;
    }
  return self;
}

void
assay_quantize_report_free (AssayQuantizeReport *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->changes);
  g_free (self);
}

AssayQuantizeReport *
assay_quantize (AssayModelFile *file, const char *path, const AssayQuantizeOptions *options,
                void (*progress) (guint64 done, guint64 total, gpointer data), gpointer data, GCancellable *cancellable,
                GError **error)
{
  AssayModelConfig config;
  const AssayCpuOptions cpu = { .n_threads = options->threads, .isa = ASSAY_CPU_BEST, .compute = ASSAY_COMPUTE_F32 };
  if (!assay_config_read (&config, file, error))
    return NULL;
  g_autoptr (GArray) steps = assay_quantize_plan (file, &config, options, error);
  if (steps == NULL || !assay_model_file_map (file, error))
    return NULL;
  Quantize self = { .file = file, .progress = progress, .data = data, .cancellable = cancellable };
  self.backend = assay_cpu_backend_new (&cpu);
  if (self.backend == NULL)
    {
      assay_engine_error_set (error, ASSAY_ENGINE_ERROR_OOM_HOST, "no-host-memory", NULL, NULL, -1,
                              "no memory for %u threads", options->threads);
      return NULL;
    }
  self.out = assay_gguf_write_new (file);
  AssayQuantizeReport *report = NULL;
  if (quantize_run (&self, &config, steps, path, options->overwrite, error))
    {
      report = report_new (steps);
      report->file_bytes = assay_gguf_write_get_bytes (self.out);
    }
  assay_gguf_write_free (self.out);
  self.backend->ops->destroy (self.backend);
  return report;
}
