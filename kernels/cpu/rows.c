/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cpu/rows.c: rows of a weight read as float32 (embed, dequantize). */
#include "cpu.h"
#include "dequantize.h"

static AssayStatus
rows_unsupported (AssayBackend *b, const AssayTensor *t)
{
  const AssayDtypeInfo *info = assay_dtype_info (t->dtype);
  return cpu_fault (b, ASSAY_UNSUPPORTED, "the CPU cannot compute with format %s (number %u)",
                    info != NULL ? info->name : "unknown", (unsigned) t->dtype);
}

void
cpu_read_row (const CpuIsa *isa, float *y, AssayDtype dtype, const void *blocks, size_t n)
{
  const CpuFormat *format = isa->dequantize != NULL ? cpu_format_get (dtype) : NULL;
  if (format != NULL)
    isa->dequantize (y, format, blocks, n);
  else if (dtype == ASSAY_DTYPE_F32 || dtype == ASSAY_DTYPE_F16 || dtype == ASSAY_DTYPE_BF16)
    isa->to_float (y, blocks, dtype, n);
  else
    cpu_dequantize_get (dtype) (y, blocks, n);
}

void
cpu_read_matrix_part (const CpuIsa *isa, float *y, const AssayTensor *w, size_t row, size_t from, size_t n)
{
  const AssayDtypeInfo *info = assay_dtype_info (w->dtype);
  if (info->whole)
    cpu_dequantize_whole (isa, y, w, row * (size_t) w->shape[0] + from, n);
  else
    {
      const size_t skipped = from / info->block_elements * info->block_bytes;
      cpu_read_row (isa, y, w->dtype, (const uint8_t *) w->data + row * w->row_bytes + skipped, n);
    }
}

void
cpu_read_matrix_row (const CpuIsa *isa, float *y, const AssayTensor *w, size_t row)
{
  cpu_read_matrix_part (isa, y, w, row, 0, (size_t) w->shape[0]);
}

AssayStatus
cpu_embed (AssayBackend *b, float *y, const AssayTensor *table, const int32_t *ids, size_t n_tokens,
           float scale)
{
  const size_t n = (size_t) table->shape[0];
  if (!assay_dtype_can_compute (table->dtype))
    return rows_unsupported (b, table);
  for (size_t i = 0; i < n_tokens; i++, y += n)
    {
      if (ids[i] < 0 || (size_t) ids[i] >= cpu_n_rows (table))
        return cpu_fault (b, ASSAY_DEVICE_FAULT, "token id %d is outside the embedding table of %zu rows",
                          ids[i], cpu_n_rows (table));
      cpu_read_matrix_row (cpu_backend (b)->isa, y, table, (size_t) ids[i]);
      if (scale != 1.0f)
        for (size_t j = 0; j < n; j++)
          y[j] *= scale;
    }
  return ASSAY_OK;
}

typedef struct
{
  const CpuIsa *isa;
  const AssayTensor *w;
  float *y;
  size_t first;
} RowsJob;

static void
rows_dequantize_chunk (void *data, uint32_t chunk, uint32_t worker)
{
  const RowsJob *job = data;
  (void) worker;
  cpu_read_matrix_row (job->isa, job->y + chunk * (size_t) job->w->shape[0], job->w, job->first + chunk);
}

AssayStatus
cpu_dequantize (AssayBackend *b, float *y, const AssayTensor *w, size_t first, size_t n_rows)
{
  RowsJob job = { .isa = cpu_backend (b)->isa, .w = w };
  if (!assay_dtype_can_compute (w->dtype))
    return rows_unsupported (b, w);
  if (first > cpu_n_rows (w) || n_rows > cpu_n_rows (w) - first)
    return cpu_fault (b, ASSAY_DEVICE_FAULT, "rows %zu to %zu are outside a weight of %zu rows", first,
                      first + n_rows, cpu_n_rows (w));
  for (size_t done = 0, part; done < n_rows; done += part)
    {
      part = cpu_min (n_rows - done, 4096);
      job.y = y + done * (size_t) w->shape[0];
      job.first = first + done;
      cpu_pool_run (cpu_backend (b)->pool, rows_dequantize_chunk, &job, (uint32_t) part);
    }
  return ASSAY_OK;
}
