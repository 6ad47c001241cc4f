/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/convert/quantize-work.c: what both kinds of result share. */
#include "quantize-private.h"

#include "assay-durable.h"

#include <math.h>
#include <string.h>

enum { PIECE_FLOATS = 2 << 20, ROW_GROUP = 64 };

gboolean
assay_quantize_work_init (QuantizeWork *self, AssayModelFile *file, guint threads, GError **error)
{
  const AssayCpuOptions cpu = { .n_threads = threads, .isa = ASSAY_CPU_BEST, .compute = ASSAY_COMPUTE_F32 };
  self->file = file;
  self->backend = NULL;
  if (!assay_model_file_map (file, error))
    return FALSE;
  self->backend = assay_cpu_backend_new (&cpu);
  if (self->backend == NULL)
    assay_engine_error_set (error, ASSAY_ENGINE_ERROR_OOM_HOST, "no-host-memory", NULL, NULL, -1,
                            "no memory for the threads that quantize");
  return self->backend != NULL;
}

/* A second model among a folder's files would be read as a part of it. */
gboolean
assay_quantize_check_place (AssayModelFile *file, const char *path, GError **error)
{
  g_autofree char *part = assay_durable_dup_target (assay_model_file_get_part_path (file, 0));
  g_autofree char *target = assay_durable_dup_target (path), *folder = g_path_get_dirname (part);
  const gsize length = strlen (folder);
  if (strcmp (assay_model_file_get_format (file), "safetensors") != 0
      || strncmp (target, folder, length) != 0 || target[length] != '/')
    return TRUE;
  assay_engine_error_set (error, ASSAY_ENGINE_ERROR_RULE, "output-in-model", path, NULL, -1,
                          "lies inside the model's own folder, which stays as it is; choose a place outside");
  return FALSE;
}

void
assay_quantize_work_clear (QuantizeWork *self)
{
  if (self->backend != NULL)
    self->backend->ops->destroy (self->backend);
  self->backend = NULL;
}

gboolean
assay_quantize_fail (const QuantizeWork *self, const AssayTensorInfo *tensor, AssayEngineError code,
                     const char *reason, const char *what, GError **error)
{
  g_autofree char *name = assay_engine_escape (tensor->name.data, tensor->name.length);
  g_autofree char *field = g_strdup_printf ("tensor '%s'", name);
  assay_engine_error_set (error, code, reason, assay_model_file_get_path (self->file), field, -1, "%s", what);
  return FALSE;
}

gboolean
assay_quantize_advance (QuantizeWork *self, guint64 bytes, GError **error)
{
  self->done += bytes;
  if (self->progress != NULL)
    self->progress (self->done, self->total, self->data);
  return !g_cancellable_set_error_if_cancelled (self->cancellable, error);
}

gboolean
assay_quantize_check_source (QuantizeWork *self, GError **error)
{
  if (!assay_model_file_is_changed (self->file))
    return TRUE;
  assay_engine_error_set (error, ASSAY_ENGINE_ERROR_CHANGED, "file-changed",
                          assay_model_file_get_path (self->file), NULL, -1,
                          "the model changed while it was read; nothing was written: run again");
  return FALSE;
}

gint64
assay_quantize_get_rows (gint64 n, gint64 n_rows)
{
  return MIN (MAX (PIECE_FLOATS / n / ROW_GROUP, 1) * ROW_GROUP, n_rows);
}

static gboolean
work_is_finite (const float *x, gint64 n)
{
  for (gint64 i = 0; i < n; i++)
    if (!isfinite (x[i]))
      return FALSE;
  return TRUE;
}

gboolean
assay_quantize_rows (QuantizeWork *self, const AssayTensorInfo *tensor, const AssayTensor *to, const float *x,
                     gint64 first, gint64 n_rows, void *scratch, GError **error)
{
  if (!work_is_finite (x, to->shape[0] * n_rows))
    return assay_quantize_fail (
        self, tensor, ASSAY_ENGINE_ERROR_FORMAT, "weights-not-finite",
        "holds a weight that is no finite number; the file is damaged: fetch it again", error);
  const AssayStatus status
      = self->backend->ops->quantize (self->backend, to, x, (size_t) first, (size_t) n_rows, scratch);
  return status == ASSAY_OK
         || assay_quantize_fail (self, tensor, ASSAY_ENGINE_ERROR_RULE, "weight-range",
                                 self->backend->fault, error);
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
      if (change->from == step->tensor->dtype && change->to == step->to
          && change->fell_back == step->fell_back)
        return change;
    }
  const AssayQuantizeChange change = {
    .from = step->tensor->dtype,
    .to = step->to,
    .fell_back = step->fell_back,
    .example = assay_engine_escape (step->tensor->canonical.data, step->tensor->canonical.length),
  };
  g_array_append_val (self->changes, change);
  return &g_array_index (self->changes, AssayQuantizeChange, self->changes->len - 1);
}

AssayQuantizeReport *
assay_quantize_report_new (const GArray *steps, guint64 file_bytes)
{
  AssayQuantizeReport *self = g_new0 (AssayQuantizeReport, 1);
  self->file_bytes = file_bytes;
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
      self->was_quantized
          |= step->to != step->tensor->dtype && assay_dtype_info (step->tensor->dtype)->quantized;
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
