/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cpu/elementwise.c: norms, gates, sums and softmax: loops over rows or pieces of a vector.
 *
 * A decode step has about 200 of these, on a few thousand numbers each: done on the caller's thread, since to
 * share one out takes longer than to do it. */
#include "cpu.h"

#define SMALL 16384u      /* elements that are not worth a second thread */
#define PIECE 8192u

typedef struct
{
  const CpuIsa *isa;
  float *y;
  const float *x, *w, *bias;
  size_t n, n_rows, rows_per_chunk;
  float number;           /* eps or cap */
  AssayActivation activation;
} ElementJob;

/* Jobs over rows count rows, jobs over a vector count elements. */
static void
element_run (AssayBackend *b, CpuJob chunk, ElementJob *job, size_t count, size_t elements, size_t per_chunk)
{
  job->isa = cpu_backend (b)->isa;
  job->n_rows = count;
  job->rows_per_chunk = elements <= SMALL ? count : per_chunk;
  if (count > 0)
    cpu_pool_run (cpu_backend (b)->pool, chunk, job,
                  (uint32_t) ((count + job->rows_per_chunk - 1) / job->rows_per_chunk));
}

static size_t
element_rows (size_t n_rows, size_t n)
{
  size_t rows = n > 0 ? PIECE / n : n_rows;
  rows = rows > 0 ? rows : 1;
  return n_rows / rows > 65536 ? n_rows / 65536 + 1 : rows;
}

static size_t
element_piece (size_t n)
{
  return n / PIECE > 65536 ? n / 65536 + 1 : PIECE;
}

static size_t
element_count (const ElementJob *job, uint32_t chunk)
{
  return cpu_min (job->rows_per_chunk, job->n_rows - chunk * job->rows_per_chunk);
}

static void
rmsnorm_chunk (void *data, uint32_t chunk, uint32_t worker)
{
  const ElementJob *job = data;
  size_t at = chunk * job->rows_per_chunk * job->n;
  (void) worker;
  for (size_t i = 0; i < element_count (job, chunk); i++, at += job->n)
    job->isa->rmsnorm (job->y + at, job->x + at, job->w, job->n, job->number);
}

AssayStatus
cpu_rmsnorm (AssayBackend *b, float *y, const float *x, const float *w, size_t n_rows, size_t n, float eps)
{
  ElementJob job = { .y = y, .x = x, .w = w, .n = n, .number = eps };
  element_run (b, rmsnorm_chunk, &job, n_rows, n_rows * n, element_rows (n_rows, n));
  return ASSAY_OK;
}

static void
layernorm_chunk (void *data, uint32_t chunk, uint32_t worker)
{
  const ElementJob *job = data;
  size_t at = chunk * job->rows_per_chunk * job->n;
  (void) worker;
  for (size_t i = 0; i < element_count (job, chunk); i++, at += job->n)
    job->isa->layernorm (job->y + at, job->x + at, job->w, job->bias, job->n, job->number);
}

AssayStatus
cpu_layernorm (AssayBackend *b, float *y, const float *x, const float *w, const float *bias, size_t n_rows,
               size_t n, float eps)
{
  ElementJob job = { .y = y, .x = x, .w = w, .bias = bias, .n = n, .number = eps };
  element_run (b, layernorm_chunk, &job, n_rows, n_rows * n, element_rows (n_rows, n));
  return ASSAY_OK;
}

static void
softmax_chunk (void *data, uint32_t chunk, uint32_t worker)
{
  const ElementJob *job = data;
  size_t at = chunk * job->rows_per_chunk * job->n;
  (void) worker;
  for (size_t i = 0; i < element_count (job, chunk); i++, at += job->n)
    job->isa->softmax (job->y + at, job->n);
}

AssayStatus
cpu_softmax (AssayBackend *b, float *x, size_t n_rows, size_t n)
{
  ElementJob job = { .y = x, .n = n };
  if (n > 0)
    element_run (b, softmax_chunk, &job, n_rows, n_rows * n, element_rows (n_rows, n));
  return ASSAY_OK;
}

static void
gated_chunk (void *data, uint32_t chunk, uint32_t worker)
{
  const ElementJob *job = data;
  const size_t at = chunk * job->rows_per_chunk;
  (void) worker;
  job->isa->gated (job->y + at, job->x + at, job->w + at, element_count (job, chunk), job->activation);
}

static void
activate_chunk (void *data, uint32_t chunk, uint32_t worker)
{
  const ElementJob *job = data;
  const size_t at = chunk * job->rows_per_chunk;
  (void) worker;
  job->isa->activate (job->y + at, job->x + at, element_count (job, chunk), job->activation);
}

static AssayStatus
activation_run (AssayBackend *b, CpuJob chunk, ElementJob *job, size_t n)
{
  if (job->activation != ASSAY_ACTIVATION_SILU && job->activation != ASSAY_ACTIVATION_GELU_TANH
      && job->activation != ASSAY_ACTIVATION_GELU)
    return cpu_fault (b, ASSAY_UNSUPPORTED, "activation number %d is not known", (int) job->activation);
  element_run (b, chunk, job, n, n, element_piece (n));
  return ASSAY_OK;
}

AssayStatus
cpu_gated (AssayBackend *b, float *y, const float *gate, const float *up, size_t n,
           AssayActivation activation)
{
  ElementJob job = { .y = y, .x = gate, .w = up, .activation = activation };
  return activation_run (b, gated_chunk, &job, n);
}

AssayStatus
cpu_activate (AssayBackend *b, float *y, const float *x, size_t n, AssayActivation activation)
{
  ElementJob job = { .y = y, .x = x, .activation = activation };
  return activation_run (b, activate_chunk, &job, n);
}

static void
add_chunk (void *data, uint32_t chunk, uint32_t worker)
{
  const ElementJob *job = data;
  const size_t at = chunk * job->rows_per_chunk;
  (void) worker;
  job->isa->add (job->y + at, job->x + at, element_count (job, chunk), job->number);
}

AssayStatus
cpu_add (AssayBackend *b, float *y, const float *x, size_t n, float scale)
{
  ElementJob job = { .y = y, .x = x, .number = scale };
  element_run (b, add_chunk, &job, n, n, element_piece (n));
  return ASSAY_OK;
}

static void
soft_cap_chunk (void *data, uint32_t chunk, uint32_t worker)
{
  const ElementJob *job = data;
  (void) worker;
  job->isa->soft_cap (job->y + chunk * job->rows_per_chunk, element_count (job, chunk), job->number);
}

AssayStatus
cpu_soft_cap (AssayBackend *b, float *x, size_t n, float cap)
{
  ElementJob job = { .y = x, .number = cap };
  element_run (b, soft_cap_chunk, &job, n, n, element_piece (n));
  return ASSAY_OK;
}
