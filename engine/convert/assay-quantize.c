/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/convert/assay-quantize.c: tensor by tensor from one file into another.
 *
 * A tensor goes in pieces of whole rows, a multiple of 64 of them, as the kernels ask: mapped bytes → float32
 * → the new format → the file. What keeps its format is copied as it lies. */
#include "quantize-private.h"

enum { PIECE_BYTES = 8 << 20 };

typedef struct
{
  QuantizeWork work;
  AssayGgufWrite *out;
} Quantize;

static gboolean
quantize_copy (Quantize *self, const QuantizeStep *step, GError **error)
{
  const guint8 *bytes = assay_model_file_get_data (self->work.file, step->tensor);
  for (guint64 at = 0; at < step->tensor->bytes || at == 0; at += PIECE_BYTES)
    {
      const gsize n = (gsize) MIN (step->tensor->bytes - at, (guint64) PIECE_BYTES);
      if (!assay_gguf_write_append (self->out, bytes + at, n, error)
          || !assay_quantize_advance (&self->work, n, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
quantize_convert_open (Quantize *self, QuantizeSource *source, float *x, guint8 *y, gint64 rows,
                       GError **error)
{
  const AssayDtypeInfo *info = assay_dtype_info (source->step->to);
  const guint64 stored_row = source->step->tensor->bytes / (guint64) source->n_rows;
  AssayTensor to = { .dtype = source->step->to,
                     .shape = { source->n, rows, 1, 1 },
                     .data = y,
                     .row_bytes = (gsize) source->n / info->block_elements * info->block_bytes };
  g_autofree void *scratch = g_malloc0 (self->work.backend->ops->quantize_scratch (self->work.backend, &to));
  for (gint64 first = 0; first < source->n_rows; first += rows)
    {
      to.shape[1] = MIN (rows, source->n_rows - first);
      if (!assay_quantize_source_read (source, x, first, to.shape[1], error)
          || !assay_quantize_rows (&self->work, source->step->tensor, &to, x, 0, to.shape[1], scratch, error)
          || !assay_gguf_write_append (self->out, y, (gsize) to.shape[1] * to.row_bytes, error)
          || !assay_quantize_advance (&self->work, stored_row * (guint64) to.shape[1], error))
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
  if (!assay_quantize_source_open (&source, self->work.backend, self->work.file, step, error))
    {
      assay_quantize_source_close (&source);
      return FALSE;
    }
  const gint64 rows = assay_quantize_get_rows (source.n, source.n_rows);
  g_autofree float *x = g_try_malloc_n ((gsize) rows, (gsize) source.n * sizeof *x);
  g_autofree guint8 *y
      = g_try_malloc_n ((gsize) rows, (gsize) source.n * sizeof *x); /* no format is larger */
  const gboolean ok
      = x != NULL && y != NULL
            ? quantize_convert_open (self, &source, x, y, rows, error)
            : assay_quantize_fail (&self->work, step->tensor, ASSAY_ENGINE_ERROR_OOM_HOST, "no-host-memory",
                                   "no memory for its rows as float32", error);
  assay_quantize_source_close (&source);
  return ok;
}

static gboolean
quantize_step (Quantize *self, const QuantizeStep *step, GError **error)
{
  const gboolean same
      = step->to == step->tensor->dtype && step->interleave == 0 && step->tensor->change == ASSAY_CHANGE_NONE;
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
      assay_gguf_write_add_tensor (self->out, step->tensor->canonical, step->tensor->n_dims,
                                   step->tensor->shape, step->to);
      quantized = quantized || assay_dtype_info (step->to)->quantized;
      self->work.total += step->tensor->bytes;
    }
  if (assay_quantize_get_file_type (steps, &file_type))
    assay_gguf_write_set_u32 (self->out, "general.file_type", file_type);
  if (quantized)
    assay_gguf_write_set_u32 (self->out, "general.quantization_version", 2);
}

static gboolean
quantize_run (Quantize *self, const AssayModelConfig *config, const GArray *steps, const char *path,
              gboolean overwrite, GError **error)
{
  quantize_announce (self, steps);
  g_autoptr (GPtrArray) vectors = assay_quantize_put_foreign (self->out, self->work.file, config, error);
  if (vectors == NULL || !assay_gguf_write_begin (self->out, path, overwrite, error))
    return FALSE;
  for (guint i = 0; i < steps->len; i++)
    if (!quantize_step (self, &g_array_index (steps, QuantizeStep, i), error))
      return FALSE;
  for (guint i = 0; i < vectors->len; i++)
    if (!assay_gguf_write_append (self->out, g_ptr_array_index (vectors, i),
                                  config->rope.n_dims / 2 * sizeof (float), error))
      return FALSE;
  return assay_quantize_check_source (&self->work, error) && assay_gguf_write_finish (self->out, error);
}

AssayQuantizeReport *
assay_quantize (AssayModelFile *file, const char *path, const AssayQuantizeOptions *options,
                void (*progress) (guint64 done, guint64 total, gpointer data), gpointer data,
                GCancellable *cancellable, GError **error)
{
  AssayModelConfig config;
  AssayQuantizeReport *report = NULL;
  Quantize self = { .work = { .progress = progress, .data = data, .cancellable = cancellable } };
  if (!assay_quantize_check_place (file, path, error) || !assay_config_read (&config, file, error))
    return NULL;
  g_autoptr (GArray) steps = assay_quantize_plan (file, &config, options, error);
  if (steps == NULL || !assay_quantize_work_init (&self.work, file, options->threads, error))
    return NULL;
  self.out = assay_gguf_write_new (file);
  if (quantize_run (&self, &config, steps, path, options->overwrite, error))
    report = assay_quantize_report_new (steps, assay_gguf_write_get_bytes (self.out));
  assay_gguf_write_free (self.out);
  assay_quantize_work_clear (&self.work);
  return report;
}
