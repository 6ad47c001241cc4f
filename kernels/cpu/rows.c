/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cpu/rows.c: rows of a weight read as float32 (embed, dequantize), rows of the KV cache written. */
#include "cpu.h"
#include "dequantize.h"

#include <string.h>

static size_t
rows_count (const AssayTensor *t)
{
  return (size_t) t->shape[1] * (size_t) t->shape[2] * (size_t) t->shape[3];
}

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

AssayStatus
cpu_embed (AssayBackend *b, float *y, const AssayTensor *table, const int32_t *ids, size_t n_tokens,
           float scale)
{
  const size_t n = (size_t) table->shape[0];
  if (!assay_dtype_can_compute (table->dtype))
    return rows_unsupported (b, table);
  for (size_t i = 0; i < n_tokens; i++, y += n)
    {
      if (ids[i] < 0 || (size_t) ids[i] >= rows_count (table))
        return cpu_fault (b, ASSAY_DEVICE_FAULT, "token id %d is outside the embedding table of %zu rows",
                          ids[i], rows_count (table));
      cpu_read_row (cpu_backend (b)->isa, y, table->dtype,
                    (const uint8_t *) table->data + (size_t) ids[i] * table->row_bytes, n);
      if (scale != 1.0f)
        for (size_t j = 0; j < n; j++)
          y[j] *= scale;
    }
  return ASSAY_OK;
}

typedef struct
{
  const CpuIsa *isa;
  AssayDtype dtype;
  float *y;
  const uint8_t *rows;
  size_t n, row_bytes;
} RowsJob;

static void
rows_dequantize_chunk (void *data, uint32_t chunk, uint32_t worker)
{
  const RowsJob *job = data;
  (void) worker;
  cpu_read_row (job->isa, job->y + chunk * job->n, job->dtype, job->rows + chunk * job->row_bytes, job->n);
}

AssayStatus
cpu_dequantize (AssayBackend *b, float *y, const AssayTensor *w, size_t first, size_t n_rows)
{
  RowsJob job = {
    .isa = cpu_backend (b)->isa, .dtype = w->dtype, .n = (size_t) w->shape[0], .row_bytes = w->row_bytes
  };
  if (!assay_dtype_can_compute (w->dtype))
    return rows_unsupported (b, w);
  if (first > rows_count (w) || n_rows > rows_count (w) - first)
    return cpu_fault (b, ASSAY_DEVICE_FAULT, "rows %zu to %zu are outside a weight of %zu rows", first,
                      first + n_rows, rows_count (w));
  for (size_t done = 0, part; done < n_rows; done += part)
    {
      part = cpu_min (n_rows - done, 4096);
      job.y = y + done * job.n;
      job.rows = (const uint8_t *) w->data + (first + done) * w->row_bytes;
      cpu_pool_run (cpu_backend (b)->pool, rows_dequantize_chunk, &job, (uint32_t) part);
    }
  return ASSAY_OK;
}

AssayStatus
cpu_kv_store (AssayBackend *b, const AssayTensor *cache, const float *x, size_t n_tokens, uint32_t first)
{
  const size_t n = (size_t) cache->shape[0], capacity = (size_t) cache->shape[1];
  uint8_t *to = (uint8_t *) cache->data + first * cache->row_bytes;
  if (cache->dtype != ASSAY_DTYPE_F32 && cache->dtype != ASSAY_DTYPE_F16)
    return cpu_fault (b, ASSAY_UNSUPPORTED, "a KV cache on the CPU is F32 or F16, not number %u",
                      (unsigned) cache->dtype);
  if (first > capacity || n_tokens > capacity - first)
    return cpu_fault (b, ASSAY_DEVICE_FAULT, "%zu tokens at position %u do not fit a KV cache of %zu",
                      n_tokens, first, capacity);
  for (size_t i = 0; i < n_tokens; i++, to += cache->row_bytes, x += n)
    {
      if (cache->dtype == ASSAY_DTYPE_F16)
        cpu_backend (b)->isa->to_f16 (to, x, n);
      else if (n > 0)
        memcpy (to, x, n * sizeof *x);
    }
  return ASSAY_OK;
}
