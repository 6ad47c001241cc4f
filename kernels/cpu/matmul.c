/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cpu/matmul.c: which product to use, and how its rows are shared out.
 *
 * Decode (one token) goes row by row over the weights as they lie in the file, since reading them is what
 * takes the time. A prompt goes panel by panel: some rows are unpacked once into a worker's scratch and met
 * by every token. */
#include "cpu.h"

#include <string.h>

/* Depth of a float32 panel: partial sums of so many products are added up, which also keeps them accurate. */
#define PANEL_DEPTH 512u

/* Tokens that meet a float32 panel at a time. */
#define MATMUL_TILE 48u

/* Chunks are whole panels of either kind, on every instruction set. */
#define CHUNK_ROWS 32u

/* Tokens whose activations are made ready at a time. */
#define CHUNK_TOKENS 16u

/* Tokens from which it pays to unpack a panel. */
#define PANEL_MIN_TOKENS 3u

/* A sum of so many products of 127 and 128 fits 32 bits. */
#define MAX_INT8_COLUMNS 131072

typedef struct
{
  const CpuIsa *isa;
  const AssayTensor *w;
  const CpuFormat *format;      /* NULL: float32 activations */
  AssayDtype form;              /* what activations are rounded to first: F16 or BF16; F32: nothing */
  bool vectorwise;              /* LLM.int8() */
  bool reads_directly;          /* the inner loops read the weights themselves */
  bool panels;
  float *y;
  const float *x, *bias;
  float *rounded;               /* [n_tokens, n], where there is a form */
  size_t n, n_rows, n_tokens, rows_per_chunk;
  int8_t *codes;                /* [n_tokens, 2, n] */
  CpuGroup *groups;             /* [n_tokens, n / group] */
  uint8_t *scratch;             /* [n_threads, scratch_bytes] */
  size_t scratch_bytes;
} MatmulJob;

static bool
matmul_reads_directly (AssayDtype dtype)
{
  return dtype == ASSAY_DTYPE_F32 || dtype == ASSAY_DTYPE_F16 || dtype == ASSAY_DTYPE_BF16;
}

static size_t
matmul_n_groups (const MatmulJob *job)
{
  return job->format != NULL ? job->n / job->format->group : 0;
}

static size_t
matmul_scratch_bytes (const MatmulJob *job)
{
  if (job->vectorwise)
    return 0;
  if (job->format != NULL)
    return job->panels ? cpu_panel_bytes (job->isa, job->format, job->n) : 0;
  if (job->panels)
    return ((job->isa->panel_width + 8) * PANEL_DEPTH + job->isa->panel_width * MATMUL_TILE) * sizeof (float);
  return job->reads_directly ? 0 : job->n * sizeof (float);
}

static AssayDtype
matmul_form (AssayCompute compute)
{
  return compute == ASSAY_COMPUTE_F16    ? ASSAY_DTYPE_F16
         : compute == ASSAY_COMPUTE_BF16 ? ASSAY_DTYPE_BF16
                                         : ASSAY_DTYPE_F32;
}

static MatmulJob
matmul_plan (AssayBackend *b, const AssayTensor *w, size_t n_tokens)
{
  MatmulJob job = { .isa = cpu_backend (b)->isa,
                    .w = w,
                    .n = (size_t) w->shape[0],
                    .n_rows = (size_t) w->shape[1],
                    .n_tokens = n_tokens };
  const AssayCompute compute = cpu_backend (b)->compute;
  job.form = matmul_form (compute);
  job.vectorwise = w->dtype == ASSAY_DTYPE_INT8 && compute != ASSAY_COMPUTE_F32;
  if (compute == ASSAY_COMPUTE_INT8)
    job.format = cpu_format_get (w->dtype);
  job.reads_directly = job.format != NULL || matmul_reads_directly (w->dtype);
  job.panels = job.n > 0 && n_tokens >= PANEL_MIN_TOKENS
               && (job.format != NULL ? job.isa->gemm_int8 != NULL : job.isa->gemm != NULL);
  job.scratch_bytes = cpu_round_up (matmul_scratch_bytes (&job), 64);
  return job;
}

static size_t
matmul_codes_bytes (const MatmulJob *job)
{
  return job->format != NULL ? cpu_round_up (2 * job->n_tokens * job->n, 64) : 0;
}

static size_t
matmul_groups_bytes (const MatmulJob *job)
{
  return cpu_round_up (job->n_tokens * matmul_n_groups (job) * sizeof (CpuGroup), 64);
}

static size_t
matmul_rounded_bytes (const MatmulJob *job)
{
  return job->form != ASSAY_DTYPE_F32 ? cpu_round_up (job->n_tokens * job->n * sizeof (float), 64) : 0;
}

size_t
cpu_matmul_workspace (AssayBackend *b, const AssayTensor *w, size_t n_tokens)
{
  const MatmulJob job = matmul_plan (b, w, n_tokens);
  return matmul_rounded_bytes (&job) + matmul_codes_bytes (&job) + matmul_groups_bytes (&job)
         + job.scratch_bytes * cpu_pool_get_n_threads (cpu_backend (b)->pool)
         + (job.vectorwise ? cpu_vectorwise_bytes (w, n_tokens) : 0);
}

static void
matmul_place (MatmulJob *job, uint8_t *workspace)
{
  job->rounded = (float *) workspace;
  workspace += matmul_rounded_bytes (job);
  job->codes = (int8_t *) workspace;
  workspace += matmul_codes_bytes (job);
  job->groups = (CpuGroup *) workspace;
  job->scratch = workspace + matmul_groups_bytes (job);
}

static void
matmul_round_chunk (void *data, uint32_t chunk, uint32_t worker)
{
  const MatmulJob *job = data;
  const size_t first = CHUNK_TOKENS * (size_t) chunk, n = cpu_min (CHUNK_TOKENS, job->n_tokens - first);
  (void) worker;
  job->isa->round (job->rounded + first * job->n, job->x + first * job->n, job->form, n * job->n);
}

static void
matmul_quantize_chunk (void *data, uint32_t chunk, uint32_t worker)
{
  const MatmulJob *job = data;
  (void) worker;
  const size_t first = CHUNK_TOKENS * (size_t) chunk;
  for (size_t t = first; t < cpu_min (first + CHUNK_TOKENS, job->n_tokens); t++)
    job->isa->quantize (job->codes + 2 * t * job->n, job->groups + t * matmul_n_groups (job),
                        job->x + t * job->n, job->n, job->format);
}

static void
matmul_add_bias (const MatmulJob *job, size_t first, size_t count)
{
  if (job->bias == NULL)
    return;
  for (size_t t = 0; t < job->n_tokens; t++)
    for (size_t r = first; r < first + count; r++)
      job->y[t * job->n_rows + r] += job->bias[r];
}

static void
matmul_rows_int8 (const MatmulJob *job, size_t first, size_t count)
{
  const uint8_t *rows = (const uint8_t *) job->w->data + first * job->w->row_bytes;
  for (size_t t = 0; t < job->n_tokens; t++)
    job->isa->gemv_int8 (job->y + t * job->n_rows + first, job->format, rows, job->w->row_bytes, count,
                         job->codes + 2 * t * job->n, job->groups + t * matmul_n_groups (job), job->n);
}

static void
matmul_rows_float (const MatmulJob *job, size_t first, size_t count, float *scratch)
{
  for (size_t r = first; r < first + count; r++)
    {
      const uint8_t *row = (const uint8_t *) job->w->data + r * job->w->row_bytes;
      if (!job->reads_directly)
        cpu_read_matrix_row (job->isa, scratch, job->w, r);
      for (size_t t = 0; t < job->n_tokens; t++)
        job->y[t * job->n_rows + r] = job->reads_directly
          ? job->isa->dot (job->x + t * job->n, row, job->w->dtype, job->n)
          : job->isa->dot (job->x + t * job->n, scratch, ASSAY_DTYPE_F32, job->n);
    }
}

static void
matmul_rows_4bit (const MatmulJob *job, size_t first, size_t count)
{
  for (size_t t = 0; t < job->n_tokens; t++)
    cpu_whole_dot (job->isa, job->y + t * job->n_rows + first, job->w, job->x + t * job->n, first, count);
}

static void
matmul_panels_int8 (const MatmulJob *job, size_t first, size_t count, void *panel)
{
  const uint8_t *rows = (const uint8_t *) job->w->data;
  const size_t width = job->isa->panel_rows;
  for (size_t r = first; r < first + count; r += width)
    {
      const size_t n_rows = cpu_min (width, first + count - r);
      job->isa->pack_int8 (panel, job->format, rows + r * job->w->row_bytes, job->w->row_bytes, n_rows,
                           job->n);
      job->isa->gemm_int8 (job->y + r, job->n_rows, job->format, panel, n_rows, job->codes, job->groups,
                           job->n_tokens, job->n);
    }
}

/* Elements [from, from + depth) of up to panel_width rows, turned so that a row is a lane.
 * rows: [8, PANEL_DEPTH] */
static void
matmul_pack_float (const MatmulJob *job, float *panel, float *rows, size_t first, size_t n_rows, size_t from,
                   size_t depth)
{
  for (size_t lane = 0; lane < job->isa->panel_width; lane += 8)
    {
      for (size_t r = 0; r < 8; r++)
        if (lane + r < n_rows)
          cpu_read_matrix_part (job->isa, rows + r * PANEL_DEPTH, job->w, first + lane + r, from, depth);
        else
          memset (rows + r * PANEL_DEPTH, 0, depth * sizeof *rows);
      job->isa->turn (panel + lane, rows, PANEL_DEPTH, depth);
    }
}

/* Results pass through a tile of full width, since a panel at the edge has fewer rows. */
static void
matmul_panel_float (const MatmulJob *job, size_t first, size_t n_rows, float *scratch)
{
  const size_t width = job->isa->panel_width;
  float *panel = scratch, *rows = panel + width * PANEL_DEPTH, *tile = rows + 8 * PANEL_DEPTH;
  for (size_t from = 0, depth; from < job->n; from += depth)
    {
      depth = cpu_min (job->n - from, PANEL_DEPTH);
      matmul_pack_float (job, panel, rows, first, n_rows, from, depth);
      for (size_t t = 0, m; t < job->n_tokens; t += m)
        {
          m = cpu_min (job->n_tokens - t, MATMUL_TILE);
          job->isa->gemm (tile, width, job->x + t * job->n + from, job->n, panel, m, depth, false);
          for (size_t i = 0; i < m; i++)
            for (size_t r = 0; r < n_rows; r++)
              {
                float *y = job->y + (t + i) * job->n_rows + first + r;
                *y = from == 0 ? tile[i * width + r] : *y + tile[i * width + r];
              }
        }
    }
}

static void
matmul_panels_float (const MatmulJob *job, size_t first, size_t count, float *scratch)
{
  const size_t width = job->isa->panel_width;
  for (size_t r = first; r < first + count; r += width)
    matmul_panel_float (job, r, cpu_min (width, first + count - r), scratch);
}

static void
matmul_chunk (void *data, uint32_t chunk, uint32_t worker)
{
  const MatmulJob *job = data;
  const size_t first = chunk * job->rows_per_chunk;
  const size_t count = cpu_min (job->rows_per_chunk, job->n_rows - first);
  void *scratch = job->scratch + worker * job->scratch_bytes;
  if (job->format != NULL && job->panels)
    matmul_panels_int8 (job, first, count, scratch);
  else if (job->format != NULL)
    matmul_rows_int8 (job, first, count);
  else if (job->panels)
    matmul_panels_float (job, first, count, scratch);
  else if (cpu_whole_can_dot (job->isa, job->w))
    matmul_rows_4bit (job, first, count);
  else
    matmul_rows_float (job, first, count, scratch);
  matmul_add_bias (job, first, count);
}

/* Enough work a chunk to outweigh claiming it, little enough that the last one is not waited for long; whole
 * panels. */
static size_t
matmul_rows_per_chunk (const MatmulJob *job)
{
  const size_t row_bytes = job->w->row_bytes > 0 ? job->w->row_bytes : job->n / 2;
  const size_t bytes = row_bytes * job->n_tokens + 1;
  const size_t rows = cpu_round_up (32768 / bytes + 1, CHUNK_ROWS);
  return job->n_rows / rows > 65536 ? cpu_round_up (job->n_rows / 65536 + 1, CHUNK_ROWS) : rows;
}

static AssayStatus
matmul_check (AssayBackend *b, const AssayTensor *w)
{
  const AssayDtypeInfo *info = assay_dtype_info (w->dtype);
  if (!assay_dtype_can_compute (w->dtype))
    return cpu_fault (b, ASSAY_UNSUPPORTED, "the CPU cannot multiply with weights of format %s (number %u)",
                      info != NULL ? info->name : "unknown", (unsigned) w->dtype);
  if (w->shape[0] % info->block_elements != 0)
    return cpu_fault (b, ASSAY_UNSUPPORTED, "rows of %lld elements are not whole %s blocks of %u",
                      (long long) w->shape[0], info->name, info->block_elements);
  if (w->dtype == ASSAY_DTYPE_INT8 && w->shape[0] > MAX_INT8_COLUMNS)
    return cpu_fault (b, ASSAY_UNSUPPORTED, "int8 products of rows of %lld elements can exceed 32 bits",
                      (long long) w->shape[0]);
  return ASSAY_OK;
}

static uint32_t
matmul_token_chunks (const MatmulJob *job)
{
  return (uint32_t) ((job->n_tokens + CHUNK_TOKENS - 1) / CHUNK_TOKENS);
}

AssayStatus
cpu_matmul (AssayBackend *b, float *y, const AssayTensor *w, const float *x, size_t n_tokens,
            const float *bias, void *workspace)
{
  CpuPool *pool = cpu_backend (b)->pool;
  const AssayStatus status = matmul_check (b, w);
  if (status != ASSAY_OK || n_tokens == 0 || w->shape[1] == 0)
    return status;
  MatmulJob job = matmul_plan (b, w, n_tokens);
  job.y = y;
  job.x = x;
  job.bias = bias;
  job.rows_per_chunk = matmul_rows_per_chunk (&job);
  matmul_place (&job, workspace);
  if (job.form != ASSAY_DTYPE_F32)
    {
      cpu_pool_run (pool, matmul_round_chunk, &job, matmul_token_chunks (&job));
      job.x = job.rounded;
    }
  if (job.vectorwise)
    {
      cpu_vectorwise (cpu_backend (b), y, w, job.x, job.form, n_tokens, bias, job.scratch);
      return ASSAY_OK;
    }
  if (job.format != NULL)
    cpu_pool_run (pool, matmul_quantize_chunk, &job, matmul_token_chunks (&job));
  cpu_pool_run (pool, matmul_chunk, &job,
                (uint32_t) ((job.n_rows + job.rows_per_chunk - 1) / job.rows_per_chunk));
  return ASSAY_OK;
}
