/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cuda/sample.cu: one token from a row of logits, by one block.
 *
 * The CPU sorts candidates; here every question is one of finding a place in an order without making it: the
 * last of the k best, the last one within top_p, the one that a drawn number falls on. All are the same
 * search: in the order of keys, where does a running sum of weights pass a limit? It goes digit by digit over
 * the key's bits, summing up the weights of each digit. Keys are (logit, id) as one number, greater is
 * better, among equal logits the lower id; weights are whole numbers, so that sums do not depend on the order
 * of the threads. */
#include "backend.h"
#include "device.cuh"
#include "shared/half.h"
#include "shared/philox.h"

#include <math.h>

#define THREADS 512u
#define DIGIT_BITS 8u
#define DIGITS (1u << DIGIT_BITS)
#define WEIGHT_UNIT 0x1p42 /* of the greatest weight: a million candidates stay below 2^62 */

/* In results[0]: what became of it; results[1]: the token. */
enum
{
  SAMPLE_DRAWN,
  SAMPLE_NAN,
  SAMPLE_NOTHING
};

typedef struct
{
  uint64_t key, weight;
} Candidate;

typedef struct
{
  const float *logits;
  size_t n;
  AssaySampling s;
  Candidate *candidates; /* [n] */
  uint64_t *results;
} SampleJob;

/* The block's. */
typedef struct
{
  unsigned long long digit[DIGITS]; /* sums of weights */
  unsigned long long best, total, found, n_candidates;
  unsigned long long before; /* sum of the weights that come before what was found */
  unsigned has_nan;
} SampleShared;

/* Floats in order, as unsigned numbers. */
static __device__ inline uint64_t
sample_key (float logit, size_t id)
{
  const uint32_t bits = bits_from_float (logit == 0 ? 0.0f : logit); /* both zeros are one number */
  const uint32_t ordered = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
  return (uint64_t) ordered << 32 | (uint32_t) ~(uint32_t) id;
}

static __device__ inline int32_t
sample_key_id (uint64_t key)
{
  return (int32_t) ~(uint32_t) key;
}

static __device__ inline float
sample_key_logit (uint64_t key)
{
  const uint32_t ordered = (uint32_t) (key >> 32);
  return float_from_bits (ordered & 0x80000000u ? ordered & 0x7fffffffu : ~ordered);
}

/* The greatest key, and whether there is a NaN. */
static __device__ void
sample_find_best (SampleShared *shared, const SampleJob &job)
{
  unsigned long long best = 0;
  bool has_nan = false;
  for (size_t i = threadIdx.x; i < job.n; i += THREADS)
    {
      const uint64_t key = sample_key (job.logits[i], i);
      has_nan |= isnan (job.logits[i]);
      best = key > best ? key : best;
    }
  if (has_nan)
    atomicOr (&shared->has_nan, 1u);
  atomicMax (&shared->best, best);
  __syncthreads ();
}

/* Candidates lie in any order. One of less than e^-80 of the greatest's weight is none. */
static __device__ void
sample_collect (SampleShared *shared, const SampleJob &job)
{
  const float max = sample_key_logit (shared->best);
  const double floor = max == INFINITY ? (double) INFINITY : (double) max - 80.0 * job.s.temperature;
  for (size_t i = threadIdx.x; i < job.n; i += THREADS)
    {
      const float logit = job.logits[i];
      if (!(logit >= floor))
        continue;
      const double weight = logit == max ? 1.0 : exp (((double) logit - max) / job.s.temperature);
      Candidate *to = &job.candidates[atomicAdd (&shared->n_candidates, 1ull)];
      to->key = sample_key (logit, i);
      to->weight = (uint64_t) (weight * WEIGHT_UNIT + 0.5);
    }
  __syncthreads ();
}

/* Of the candidates from `least` on. */
static __device__ uint64_t
sample_total (SampleShared *shared, const SampleJob &job, uint64_t least)
{
  unsigned long long sum = 0;
  __syncthreads ();
  if (threadIdx.x == 0)
    shared->total = 0;
  __syncthreads ();
  for (size_t i = threadIdx.x; i < shared->n_candidates; i += THREADS)
    if (job.candidates[i].key >= least)
      sum += job.candidates[i].weight;
  atomicAdd (&shared->total, sum);
  __syncthreads ();
  return shared->total;
}

/* The order of a search. */
enum
{
  SAMPLE_BEST_FIRST,
  SAMPLE_BEST_LAST,
  SAMPLE_BY_ID
};

/* The digits of the order: ids ascending are the low half of the key, descending. */
static __device__ inline uint64_t
sample_place (uint64_t key, int order)
{
  return order == SAMPLE_BEST_FIRST ? ~key : order == SAMPLE_BEST_LAST ? key : (uint64_t) ~(uint32_t) key;
}

/* Weights of each next digit, of candidates that begin with the digits found so far. */
static __device__ void
sample_sum_digits (SampleShared *shared, const SampleJob &job, uint64_t least, int order, bool counts,
                   unsigned shift)
{
  const uint64_t mask = shift + DIGIT_BITS < 64 ? ~UINT64_C (0) << (shift + DIGIT_BITS) : 0;
  __syncthreads ();
  for (unsigned i = threadIdx.x; i < DIGITS; i += THREADS)
    shared->digit[i] = 0;
  __syncthreads ();
  for (size_t i = threadIdx.x; i < shared->n_candidates; i += THREADS)
    {
      const Candidate c = job.candidates[i];
      const uint64_t place = sample_place (c.key, order);
      if (c.key >= least && (place & mask) == (shared->found & mask))
        atomicAdd (&shared->digit[place >> shift & (DIGITS - 1)], counts ? 1ull : c.weight);
    }
  __syncthreads ();
}

/* One warp: the digit where the sum passes the limit, or the last one that weighs anything. Each lane has so
 * many digits. */
#define LANE_DIGITS (DIGITS / CUDA_WARP)

static __device__ void
sample_find_digit (SampleShared *shared, uint64_t limit, unsigned shift)
{
  const unsigned lane = threadIdx.x;
  const unsigned long long *digit = shared->digit + lane * LANE_DIGITS;
  unsigned long long mine = 0;
  for (unsigned i = 0; i < LANE_DIGITS; i++)
    mine += digit[i];
  unsigned long long sum = mine;
  for (unsigned step = 1; step < CUDA_WARP; step *= 2)
    {
      const unsigned long long other = __shfl_up_sync (CUDA_ALL_LANES, sum, step);
      sum += lane >= step ? other : 0;
    }
  sum += shared->before;
  const unsigned passes = __ballot_sync (CUDA_ALL_LANES, sum > limit && mine > 0);
  const unsigned weighs = __ballot_sync (CUDA_ALL_LANES, mine > 0);
  const unsigned chosen
    = passes != 0 ? (unsigned) __ffs ((int) passes) - 1 : 31u - (unsigned) __clz ((int) weighs);
  if (lane != chosen)
    return;
  unsigned last = 0;
  unsigned long long before_last = sum -= mine;
  for (unsigned i = 0; i < LANE_DIGITS && sum <= limit; i++)
    if (digit[i] > 0)
      {
        last = i;
        before_last = sum;
        sum += digit[i];
      }
  shared->before = before_last;
  shared->found |= (uint64_t) (lane * LANE_DIGITS + last) << shift;
}

/* The key of the first candidate, of those from `least` on, where the sum up to it passes `limit`, or of the
 * last one that weighs anything. counts: each weighs one. */
static __device__ uint64_t
sample_search (SampleShared *shared, const SampleJob &job, uint64_t least, int order, bool counts,
               uint64_t limit)
{
  __syncthreads ();
  if (threadIdx.x == 0)
    shared->found = shared->before = 0;
  for (int shift = (order == SAMPLE_BY_ID ? 32 : 64) - (int) DIGIT_BITS; shift >= 0;
       shift -= (int) DIGIT_BITS)
    {
      sample_sum_digits (shared, job, least, order, counts, (unsigned) shift);
      if (threadIdx.x < CUDA_WARP)
        sample_find_digit (shared, limit, (unsigned) shift);
      __syncthreads ();
    }
  return order == SAMPLE_BEST_FIRST ? ~(uint64_t) shared->found : (uint64_t) shared->found;
}

/* The least key that top_k and top_p leave. */
static __device__ uint64_t
sample_cut (SampleShared *shared, const SampleJob &job)
{
  uint64_t least = 0;
  if (job.s.top_k > 0 && job.s.top_k < shared->n_candidates)
    least = sample_search (shared, job, 0, SAMPLE_BEST_FIRST, true, job.s.top_k - 1);
  if (job.s.top_p < 1.0f)
    {
      /* the first one whose sum reaches the share: passes what is one less */
      const double share = (double) job.s.top_p * (double) sample_total (shared, job, least);
      const uint64_t limit = share > 1.0 ? (uint64_t) ceil (share) - 1 : 0;
      least = sample_search (shared, job, least, SAMPLE_BEST_FIRST, false, limit);
    }
  return least;
}

/* Without a cut the CPU goes through the candidates by id, else from the worst to the best. */
static __device__ int32_t
sample_draw (SampleShared *shared, const SampleJob &job)
{
  const bool is_cut = job.s.top_k > 0 || job.s.top_p < 1.0f;
  const uint64_t least = is_cut ? sample_cut (shared, job) : 0;
  const double at
    = philox_uniform (job.s.seed, job.s.stream, job.s.counter) * (double) sample_total (shared, job, least);
  const uint64_t found
    = sample_search (shared, job, least, is_cut ? SAMPLE_BEST_LAST : SAMPLE_BY_ID, false, (uint64_t) at);
  return is_cut ? sample_key_id (found) : (int32_t) found;
}

static __global__ void
sample_kernel (SampleJob job)
{
  __shared__ SampleShared shared;
  if (threadIdx.x == 0)
    {
      shared.best = shared.n_candidates = 0;
      shared.has_nan = 0;
    }
  __syncthreads ();
  sample_find_best (&shared, job);
  const bool nothing = sample_key_logit (shared.best) == -INFINITY;
  int32_t token = sample_key_id (shared.best);
  if (!shared.has_nan && !nothing && job.s.temperature > 0)
    {
      sample_collect (&shared, job);
      token = sample_draw (&shared, job);
    }
  if (threadIdx.x == 0)
    {
      job.results[0] = shared.has_nan ? SAMPLE_NAN : nothing ? SAMPLE_NOTHING : SAMPLE_DRAWN;
      job.results[1] = (uint64_t) (uint32_t) token;
    }
}

size_t
cuda_sample_workspace (AssayBackend *b, size_t n)
{
  (void) b;
  return n * sizeof (Candidate);
}

AssayStatus
cuda_sample (AssayBackend *b, int32_t *token, const float *logits, size_t n, const AssaySampling *s,
             void *workspace)
{
  CudaBackend *self = cuda_backend (b);
  CUDA_TRY (cuda_enter_queue (b));
  if (n == 0)
    return cuda_fault (b, ASSAY_UNSUPPORTED, "there are no logits to draw a token from");
  if (!(s->temperature >= 0) || !(s->top_p >= 0))
    return cuda_fault (b, ASSAY_UNSUPPORTED, "temperature %g and top_p %g must not be negative",
                       (double) s->temperature, (double) s->top_p);
  const SampleJob job = { logits, n, *s, (Candidate *) workspace, self->results };
  ASSAY_LAUNCH (sample_kernel, 1, THREADS, 0, self->compute_stream, job);
  CUDA_TRY (cuda_launched (b, "sample"));
  CUDA_TRY (cuda_read_results (b, 2, "sample"));
  if (self->host_results[0] == SAMPLE_NAN)
    return cuda_fault (b, ASSAY_DEVICE_FAULT, "a logit is not a number: the model's values have overflowed");
  if (self->host_results[0] == SAMPLE_NOTHING)
    return cuda_fault (b, ASSAY_DEVICE_FAULT, "every logit is minus infinity: no token can be drawn");
  *token = (int32_t) (uint32_t) self->host_results[1];
  return ASSAY_OK;
}
