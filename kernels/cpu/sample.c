/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cpu/sample.c: one token from a row of logits.
 *
 * The same steps in the same order on every instruction set. Candidates are kept as (logit, id); among equal
 * logits the lower id counts as the greater, so every cut has one answer. */
#include "cpu.h"
#include "shared/philox.h"

#include <math.h>

typedef struct
{
  float logit;
  int32_t id;
} Candidate;

static bool
sample_before (Candidate a, Candidate b)
{
  return a.logit > b.logit || (a.logit == b.logit && a.id < b.id);
}

/* The index of the greatest, the lowest among equals; n when there is a NaN. */
static size_t
sample_greatest (const float *logits, size_t n)
{
  size_t best = 0;
  for (size_t i = 0; i < n; i++)
    {
      if (isnan (logits[i]))
        return n;
      if (logits[i] > logits[best])
        best = i;
    }
  return best;
}

static void
sample_sift_down (Candidate *heap, size_t n, size_t at)
{
  const Candidate moved = heap[at];
  for (size_t child; (child = 2 * at + 1) < n; at = child)
    {
      if (child + 1 < n && sample_before (heap[child + 1], heap[child]))
        child++;
      if (!sample_before (heap[child], moved))
        break;
      heap[at] = heap[child];
    }
  heap[at] = moved;
}

static void
sample_make_heap (Candidate *heap, size_t n)
{
  for (size_t i = n / 2; i > 0; i--)
    sample_sift_down (heap, n, i - 1);
}

/* Moves the greatest behind the heap, to heap[n - 1]. */
static void
sample_pop (Candidate *heap, size_t n)
{
  const Candidate top = heap[0];
  heap[0] = heap[n - 1];
  sample_sift_down (heap, n - 1, 0);
  heap[n - 1] = top;
}

static double
sample_weight (float logit, float max, float temperature)
{
  return logit == max ? 1.0 : exp (((double) logit - max) / temperature);
}

/* The candidates, in id order. One of less than e^-80 of the greatest's weight is never drawn. */
static size_t
sample_collect (Candidate *candidates, const float *logits, size_t n, float max, float temperature)
{
  const double floor = max == INFINITY ? INFINITY : (double) max - 80.0 * temperature;
  size_t count = 0;
  for (size_t i = 0; i < n; i++)
    if (logits[i] >= floor)
      candidates[count++] = (Candidate) { logits[i], (int32_t) i };
  return count;
}

static double
sample_total (const Candidate *candidates, size_t n, float max, float temperature)
{
  double total = 0;
  for (size_t i = 0; i < n; i++)
    total += sample_weight (candidates[i].logit, max, temperature);
  return total;
}

/* Moves the `limit` best behind the heap, best last. */
static void
sample_sort_best (Candidate *candidates, size_t n, size_t limit)
{
  sample_make_heap (candidates, n);
  for (size_t i = 0; i < limit; i++)
    sample_pop (candidates, n - i);
}

/* All candidates lighter than this share of the total weigh no more than what top_p may leave out, so the cut
 * is never among them. Half of it, for rounding. */
static size_t
sample_drop_light (Candidate *candidates, size_t n, const AssaySampling *s, float max, double total)
{
  const double share = 0.5 * (1.0 - s->top_p) * total / (double) n;
  const double floor = max == INFINITY ? max : max + s->temperature * log (share);
  size_t kept = 0;
  for (size_t i = 0; i < n; i++)
    if (candidates[i].logit >= floor)
      candidates[kept++] = candidates[i];
  return kept;
}

/* Cuts by top_k, then by top_p of what is left. Returns how many stay: those at *best, the best one last. */
static size_t
sample_cut (Candidate *candidates, size_t n, const AssaySampling *s, float max, const Candidate **best)
{
  size_t limit = n, count = 0;
  double total, kept = 0;
  if (s->top_k > 0)
    {
      limit = cpu_min (s->top_k, n);
      sample_sort_best (candidates, n, limit);
      total = sample_total (candidates + n - limit, limit, max, s->temperature);
    }
  else
    {
      total = sample_total (candidates, n, max, s->temperature);
      limit = n = sample_drop_light (candidates, n, s, max, total);
      sample_make_heap (candidates, n);
    }
  for (; count < limit && (count == 0 || s->top_p >= 1.0f || kept < s->top_p * total); count++)
    {
      if (s->top_k == 0)
        sample_pop (candidates, n - count);
      kept += sample_weight (candidates[n - 1 - count].logit, max, s->temperature);
    }
  *best = candidates + n - count;
  return count;
}

static int32_t
sample_draw (const Candidate *candidates, size_t n, const AssaySampling *s, float max)
{
  const double at
    = philox_uniform (s->seed, s->stream, s->counter) * sample_total (candidates, n, max, s->temperature);
  double reached = 0;
  for (size_t i = 0; i < n; i++)
    {
      reached += sample_weight (candidates[i].logit, max, s->temperature);
      if (reached > at)
        return candidates[i].id;
    }
  return candidates[n - 1].id;
}

size_t
cpu_sample_workspace (AssayBackend *b, size_t n)
{
  (void) b;
  return n * sizeof (Candidate);
}

AssayStatus
cpu_sample (AssayBackend *b, int32_t *token, const float *logits, size_t n, const AssaySampling *s,
            void *workspace)
{
  Candidate *candidates = workspace;
  const size_t best = sample_greatest (logits, n);
  if (n == 0)
    return cpu_fault (b, ASSAY_UNSUPPORTED, "there are no logits to draw a token from");
  if (best == n)
    return cpu_fault (b, ASSAY_DEVICE_FAULT, "a logit is not a number: the model's values have overflowed");
  if (logits[best] == -INFINITY)
    return cpu_fault (b, ASSAY_DEVICE_FAULT, "every logit is minus infinity: no token can be drawn");
  if (!(s->temperature >= 0) || !(s->top_p >= 0))
    return cpu_fault (b, ASSAY_UNSUPPORTED, "temperature %g and top_p %g must not be negative",
                      (double) s->temperature, (double) s->top_p);
  *token = (int32_t) best;
  if (s->temperature == 0)
    return ASSAY_OK;
  const Candidate *from = candidates;
  size_t count = sample_collect (candidates, logits, n, logits[best], s->temperature);
  if (s->top_k > 0 || s->top_p < 1.0f)
    count = sample_cut (candidates, count, s, logits[best], &from);
  *token = sample_draw (from, count, s, logits[best]);
  return ASSAY_OK;
}
