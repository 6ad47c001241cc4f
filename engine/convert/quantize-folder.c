/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/convert/quantize-folder.c: a folder whose linear weights are in one of bitsandbytes' formats,
 * serialized as that package does, so that Transformers loads it as its own.
 *
 * Of a linear P.weight stay, for NF4 and FP4: P.weight (codes), .absmax, .quant_map,
 * .quant_state.bitsandbytes__nf4, and .nested_absmax, .nested_quant_map when absmax is quantized itself; for
 * INT8: P.weight, P.SCB, P.weight_format. Everything else is copied. The folder grows under a hidden name
 * beside its own. */
#include "quantize-private.h"

#include "assay-durable.h"
#include "weights/assay-hidden-name.h"
#include "weights/assay-safetensors-write.h"
#include "whole-format.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STATE_BYTES = 256, PIECE_BYTES = 8 << 20 }; /* the state's text is filled up with blanks */
#define WEIGHTS "model.safetensors"

/* Numbers of a weight's tensors in the file. */
typedef struct
{
  guint weight, absmax, map, nested, nested_map, state, scale, format;
} FolderParts;

typedef struct
{
  QuantizeWork work;
  AssayDtype dtype;
  AssaySafetensorsWrite *out;
  FolderParts *parts; /* [steps] */
} Folder;

static guint
folder_add (Folder *self, const char *name, const char *suffix, const char *dtype, guint element_bytes,
            gint64 n)
{
  g_autofree char *whole = g_strconcat (name, suffix, NULL);
  return assay_safetensors_write_add (self->out, whole, dtype, element_bytes, 1, &n);
}

static const char *
folder_state_suffix (AssayDtype dtype)
{
  return dtype == ASSAY_DTYPE_NF4 || dtype == ASSAY_DTYPE_NF4_DOUBLE ? ".quant_state.bitsandbytes__nf4"
                                                                     : ".quant_state.bitsandbytes__fp4";
}

static void
folder_declare_four_bit (Folder *self, FolderParts *parts, const char *name, const AssayWholeLayout *layout)
{
  const gboolean nested = assay_whole_is_double (self->dtype);
  const gint64 codes[] = { (gint64) (layout->n_elements + 1) / 2, 1 };
  parts->weight = assay_safetensors_write_add (self->out, name, "U8", 1, 2, codes);
  parts->absmax
      = folder_add (self, name, ".absmax", nested ? "U8" : "F32", nested ? 1 : 4, (gint64) layout->n_blocks);
  parts->map = folder_add (self, name, ".quant_map", "F32", 4, 16);
  if (nested)
    {
      parts->nested = folder_add (self, name, ".nested_absmax", "F32", 4, (gint64) layout->n_nested);
      parts->nested_map = folder_add (self, name, ".nested_quant_map", "F32", 4, 256);
    }
  parts->state = folder_add (self, name, folder_state_suffix (self->dtype), "U8", 1, STATE_BYTES);
}

static void
folder_declare_int8 (Folder *self, FolderParts *parts, const char *name, const AssayTensorInfo *tensor)
{
  const gint64 shape[] = { tensor->shape[1], tensor->shape[0] };
  g_autofree char *module = g_strndup (name, strlen (name) - strlen ("weight"));
  g_autofree char *format = g_strconcat (module, "weight_format", NULL);
  parts->weight = assay_safetensors_write_add (self->out, name, "I8", 1, 2, shape);
  parts->scale = folder_add (self, module, "SCB", "F32", 4, tensor->shape[1]);
  parts->format = assay_safetensors_write_add (self->out, format, "U8", 1, 0, NULL);
}

static void
folder_declare_copy (Folder *self, FolderParts *parts, const char *name, const AssayTensorInfo *tensor)
{
  const AssayDtypeInfo *info = assay_dtype_info (tensor->dtype);
  const gboolean transposed = (tensor->change & ASSAY_CHANGE_TRANSPOSE) != 0;
  gint64 shape[4];
  for (guint i = 0; i < tensor->n_dims; i++)
    shape[i] = tensor->shape[transposed ? i : tensor->n_dims - 1 - i];
  parts->weight
      = assay_safetensors_write_add (self->out, name, info->name, info->block_bytes, tensor->n_dims, shape);
}

static void
folder_declare (Folder *self, const QuantizeStep *step, FolderParts *parts)
{
  const AssayTensorInfo *tensor = step->tensor;
  g_autofree char *name = g_strndup (tensor->name.data, tensor->name.length);
  AssayWholeLayout layout;
  self->work.total += tensor->bytes;
  if (step->to != self->dtype)
    folder_declare_copy (self, parts, name, tensor);
  else if (self->dtype == ASSAY_DTYPE_INT8)
    folder_declare_int8 (self, parts, name, tensor);
  else if (assay_whole_layout (self->dtype, tensor->shape[0], tensor->shape[1], &layout))
    folder_declare_four_bit (self, parts, name, &layout);
}

/* --- data --- */

static gboolean
folder_copy (Folder *self, const QuantizeStep *step, const FolderParts *parts, GError **error)
{
  const guint8 *bytes = assay_model_file_get_data (self->work.file, step->tensor);
  for (guint64 at = 0; at < step->tensor->bytes; at += PIECE_BYTES)
    {
      const gsize n = (gsize) MIN (step->tensor->bytes - at, (guint64) PIECE_BYTES);
      if (!assay_safetensors_write_put (self->out, parts->weight, at, bytes + at, n, error)
          || !assay_quantize_advance (&self->work, n, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
folder_put (Folder *self, guint tensor, const void *data, gsize bytes, GError **error)
{
  return assay_safetensors_write_put (self->out, tensor, 0, data, bytes, error);
}

static gboolean
folder_put_state (Folder *self, const FolderParts *parts, const AssayTensorInfo *tensor, float offset,
                  GError **error)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  const char *dtype = tensor->dtype == ASSAY_DTYPE_F16    ? "float16"
                      : tensor->dtype == ASSAY_DTYPE_BF16 ? "bfloat16"
                                                          : "float32";
  const gboolean is_nf4 = g_str_has_suffix (folder_state_suffix (self->dtype), "nf4");
  g_autoptr (GString) text = g_string_new (NULL);
  g_string_printf (
      text,
      "{\"quant_type\": \"%s\", \"blocksize\": 64, \"dtype\": \"%s\", \"shape\": [%" PRId64
      ", %" PRId64 "]",
      is_nf4 ? "nf4" : "fp4", dtype, tensor->shape[1], tensor->shape[0]);
  if (assay_whole_is_double (self->dtype))
    g_string_append_printf (
        text, ", \"nested_blocksize\": 256, \"nested_dtype\": \"float32\", \"nested_offset\": %s",
        g_ascii_formatd (number, sizeof number, "%.17g", (double) offset));
  g_string_append_c (text, '}');
  while (text->len < STATE_BYTES)
    g_string_append_c (text, ' ');
  return folder_put (self, parts->state, text->str, STATE_BYTES, error);
}

static gboolean
folder_put_four_bit (Folder *self, const FolderParts *parts, const AssayTensorInfo *tensor,
                     const guint8 *bytes, const AssayWholeLayout *l, GError **error)
{
  const gboolean nested = assay_whole_is_double (self->dtype);
  float offset = 0;
  if (nested)
    memcpy (&offset, bytes + l->offset, sizeof offset);
  return folder_put (self, parts->weight, bytes, (l->n_elements + 1) / 2, error)
         && folder_put (self, parts->absmax, bytes + l->absmax, l->n_blocks * (nested ? 1 : sizeof (float)),
                        error)
         && folder_put (self, parts->map, assay_whole_values (self->dtype), 16 * sizeof (float), error)
         && (!nested
             || folder_put (self, parts->nested, bytes + l->nested, l->n_nested * sizeof (float), error))
         && (!nested
             || folder_put (self, parts->nested_map, assay_dynamic_values, 256 * sizeof (float),
                            error))
         && folder_put_state (self, parts, tensor, offset, error);
}

/* 127 stands for the row's greatest magnitude in either; its format is 0, rows as they are. */
static gboolean
folder_put_int8 (Folder *self, const FolderParts *parts, const guint8 *bytes, const AssayWholeLayout *l,
                 gint64 n_rows, GError **error)
{
  const guint8 format = 0;
  return folder_put (self, parts->weight, bytes, l->n_elements, error)
         && folder_put (self, parts->scale, bytes + l->scale, (gsize) n_rows * sizeof (float), error)
         && folder_put (self, parts->format, &format, 1, error);
}

static gboolean
folder_fill (Folder *self, QuantizeSource *source, const AssayTensor *to, float *x, void *scratch,
             GError **error)
{
  const gint64 rows = assay_quantize_get_rows (source->n, source->n_rows);
  const guint64 stored_row = source->step->tensor->bytes / (guint64) source->n_rows;
  const AssayTensorInfo *tensor = source->step->tensor;
  for (gint64 first = 0; first < source->n_rows; first += rows)
    {
      const gint64 n = MIN (rows, source->n_rows - first);
      if (!assay_quantize_source_read (source, x, first, n, error)
          || !assay_quantize_rows (&self->work, tensor, to, x, first, n, scratch, error)
          || !assay_quantize_advance (&self->work, stored_row * (guint64) n, error))
        return FALSE;
    }
  const AssayStatus status = self->work.backend->ops->quantize_finish (self->work.backend, to, scratch);
  return status == ASSAY_OK
         || assay_quantize_fail (&self->work, tensor, ASSAY_ENGINE_ERROR_DEVICE, "kernel-failed",
                                 self->work.backend->fault, error);
}

static gboolean
folder_convert (Folder *self, const QuantizeStep *step, const FolderParts *parts, GError **error)
{
  QuantizeSource source;
  AssayWholeLayout layout;
  const AssayTensorInfo *tensor = step->tensor;
  if (!assay_whole_layout (self->dtype, tensor->shape[0], tensor->shape[1], &layout)
      || !assay_quantize_source_open (&source, self->work.backend, self->work.file, step, error))
    return FALSE;
  g_autofree guint8 *bytes = g_try_malloc0 (layout.bytes);
  g_autofree float *x = g_try_malloc_n ((gsize) assay_quantize_get_rows (source.n, source.n_rows),
                                        (gsize) source.n * sizeof *x);
  const AssayTensor to = { .dtype = self->dtype, .shape = { source.n, source.n_rows, 1, 1 }, .data = bytes };
  g_autofree void *scratch
      = g_try_malloc0 (MAX (self->work.backend->ops->quantize_scratch (self->work.backend, &to), 1));
  gboolean ok = bytes != NULL && x != NULL && scratch != NULL;
  if (!ok)
    assay_quantize_fail (&self->work, tensor, ASSAY_ENGINE_ERROR_OOM_HOST, "no-host-memory",
                         "no memory for the matrix", error);
  ok = ok && folder_fill (self, &source, &to, x, scratch, error)
       && (self->dtype == ASSAY_DTYPE_INT8
               ? folder_put_int8 (self, parts, bytes, &layout, source.n_rows, error)
               : folder_put_four_bit (self, parts, tensor, bytes, &layout, error));
  assay_quantize_source_close (&source);
  return ok;
}

static gboolean
folder_write_weights (Folder *self, const GArray *steps, const char *path, GError **error)
{
  for (guint i = 0; i < steps->len; i++)
    folder_declare (self, &g_array_index (steps, QuantizeStep, i), &self->parts[i]);
  if (!assay_safetensors_write_begin (self->out, path, error))
    return FALSE;
  for (guint i = 0; i < steps->len; i++)
    {
      const QuantizeStep *step = &g_array_index (steps, QuantizeStep, i);
      if (step->to == self->dtype ? !folder_convert (self, step, &self->parts[i], error)
                                  : !folder_copy (self, step, &self->parts[i], error))
        return FALSE;
    }
  return assay_quantize_check_source (&self->work, error)
         && assay_safetensors_write_finish (self->out, error);
}

/* --- the folder --- */

static gboolean
folder_fail (const char *path, const char *what, GError **error)
{
  const int code = errno;
  g_autofree char *shown = g_filename_display_name (path);
  g_set_error (error, G_IO_ERROR, g_io_error_from_errno (code), _("%s: %s: %s; choose another place"), shown,
               what, g_strerror (code));
  return FALSE;
}

static gboolean
folder_write_all (Folder *self, const GArray *steps, const char *hidden, GError **error)
{
  g_autofree char *weights = g_build_filename (hidden, WEIGHTS, NULL);
  return folder_write_weights (self, steps, weights, error)
         && assay_quantize_put_config (self->work.file, hidden, self->dtype, steps, error)
         && (assay_durable_flush_folder (hidden) || folder_fail (hidden, "the disk did not take it", error));
}

/* A folder is never replaced: what is in it might be anything. */
static gboolean
folder_refuse_existing (const char *path, GError **error)
{
  assay_engine_error_set (error, ASSAY_ENGINE_ERROR_RULE, "output-exists", path, NULL, -1,
                          "is there already, and a folder is never replaced; choose another name");
  return FALSE;
}

static gboolean
folder_rename (const char *hidden, const char *target, GError **error)
{
  g_autofree char *parent = g_path_get_dirname (target);
  if (renameat2 (AT_FDCWD, hidden, AT_FDCWD, target, RENAME_NOREPLACE) != 0)
    return errno == EEXIST ? folder_refuse_existing (target, error)
                           : folder_fail (target, "renaming failed", error);
  return assay_durable_flush_folder (parent)
         || folder_fail (target, "is written, but its folder did not reach the disk", error);
}

/* Made, filled and named, or removed again. */
static gboolean
folder_make (Folder *self, const GArray *steps, const char *target, GError **error)
{
  GError *local = NULL;
  g_autofree char *hidden = assay_hidden_name_new (target), *parent = g_path_get_dirname (target);
  assay_hidden_name_sweep (parent);
  if (g_mkdir (hidden, 0777) != 0)
    return folder_fail (target, "no folder can be made", error);
  const int fd = g_open (hidden, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (fd >= 0)
    assay_hidden_name_hold (fd);
  const gboolean ok
      = folder_write_all (self, steps, hidden, &local) && folder_rename (hidden, target, &local);
  if (!ok)
    {
      assay_hidden_name_reveal (local, hidden, target);
      g_propagate_error (error, local);
      assay_hidden_name_remove (hidden);
    }
  if (fd >= 0)
    close (fd);
  return ok;
}

AssayQuantizeReport *
assay_quantize_folder (AssayModelFile *file, const char *path, const AssayQuantizeOptions *options,
                       void (*progress) (guint64 done, guint64 total, gpointer data), gpointer data,
                       GCancellable *cancellable, GError **error)
{
  AssayModelConfig config;
  AssayQuantizeReport *report = NULL;
  Folder self = { .work = { .progress = progress, .data = data, .cancellable = cancellable },
                  .dtype = options->dtype };
  g_autofree char *target = g_canonicalize_filename (path, NULL);
  if (g_access (target, F_OK) == 0)
    {
      folder_refuse_existing (target, error);
      return NULL;
    }
  if (!assay_quantize_check_place (file, target, error) || !assay_config_read (&config, file, error))
    return NULL;
  g_autoptr (GArray) steps = assay_quantize_plan_folder (file, options, error);
  if (steps == NULL || !assay_quantize_work_init (&self.work, file, options->threads, error))
    return NULL;
  g_autofree FolderParts *parts = self.parts = g_new0 (FolderParts, steps->len);
  self.out = assay_safetensors_write_new ();
  if (folder_make (&self, steps, target, error))
    report = assay_quantize_report_new (steps, assay_safetensors_write_get_bytes (self.out));
  assay_safetensors_write_free (self.out);
  assay_quantize_work_clear (&self.work);
  return report;
}
