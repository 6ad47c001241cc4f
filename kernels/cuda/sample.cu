/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cuda/sample.cu: one token from a row of logits, by one block.
 *
 * The CPU sorts candidates; here every question is one of finding a place in an order without making it: the
 * last of the k best, the last one within top_p, the one that a drawn number falls on. All are the same
 * search: in the order of keys, where does a running sum of weights pass a limit? It goes digit by digit over
 * the key's bits, summing up the weights of each digit. Keys are (logit, id) as one number, greater is
 * better, among equal logits the lower id; weights are whole numbers, so that sums do not depend on the order
 * of the threads.
 *
 * One block reads some hundred thousand logits, so passes over all of them are few: a search leaves out what can
 * no longer matter. And 64-bit atomics in shared memory are loops that wait for one another: a warp that adds to
 * one place sums up first. */
#include "backend.h"
#include "device.cuh"
#include "shared/half.h"
#include "shared/philox.h"

#include <math.h>

#define THREADS 1024u
#define DIGIT_BITS 8u
#define DIGITS (1u << DIGIT_BITS)
#define CROWD 4            /* lanes of a warp that are worth a sum of their own */
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
  unsigned long long best, total, found;
  unsigned long long before; /* sum of the weights that come before what was found */
  unsigned n_candidates, has_nan;
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

static __device__ inline unsigned long long
sample_warp_sum (unsigned long long value)
{
  for (unsigned step = CUDA_WARP / 2; step > 0; step /= 2)
    value += __shfl_xor_sync (CUDA_ALL_LANES, value, (int) step);
  return value;
}

static __device__ inline unsigned long long
sample_warp_max (unsigned long long value)
{
  for (unsigned step = CUDA_WARP / 2; step > 0; step /= 2)
    {
      const unsigned long long other = __shfl_xor_sync (CUDA_ALL_LANES, value, (int) step);
      value = other > value ? other : value;
    }
  return value;
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
  best = sample_warp_max (best);
  if (threadIdx.x % CUDA_WARP == 0)
    atomicMax (&shared->best, best);
  __syncthreads ();
}

/* Whole warps; candidates lie in any order. */
static __device__ inline void
sample_append (SampleShared *shared, const SampleJob &job, bool is_one, const Candidate &c)
{
  const unsigned lane = threadIdx.x % CUDA_WARP, all = __ballot_sync (CUDA_ALL_LANES, is_one);
  unsigned first = 0;
  if (lane == 0 && all != 0)
    first = atomicAdd (&shared->n_candidates, (unsigned) __popc (all));
  first = __shfl_sync (CUDA_ALL_LANES, first, 0);
  if (is_one)
    job.candidates[first + (unsigned) __popc (all & ((1u << lane) - 1))] = c;
}

/* One of less than e^-30 of the greatest's weight is none: it would count for less than half of a unit. */
static __device__ void
sample_collect (SampleShared *shared, const SampleJob &job)
{
  const float max = sample_key_logit (shared->best);
  const double floor = max == INFINITY ? (double) INFINITY : (double) max - 30.0 * job.s.temperature;
  for (size_t from = 0; from < job.n; from += THREADS)
    {
      const size_t i = from + threadIdx.x;
      const float logit = i < job.n ? job.logits[i] : 0.0f;
      const bool is_one = i < job.n && logit >= floor;
      Candidate c = { 0, 0 };
      if (is_one)
        {
          const double weight = logit == max ? 1.0 : exp (((double) logit - max) / job.s.temperature);
          c.key = sample_key (logit, i);
          c.weight = (uint64_t) (weight * WEIGHT_UNIT + 0.5);
        }
      sample_append (shared, job, is_one, c);
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
  sum = sample_warp_sum (sum);
  if (threadIdx.x % CUDA_WARP == 0)
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

/* Whole warps. Crowded digits get a warp's sum; the others each their own. */
static __device__ inline void
sample_add_to_digits (SampleShared *shared, bool is_one, unsigned digit, unsigned long long weight)
{
  const unsigned lane = threadIdx.x % CUDA_WARP;
  unsigned rest = __ballot_sync (CUDA_ALL_LANES, is_one);
  while (rest != 0)
    {
      const unsigned leader = (unsigned) __ffs ((int) rest) - 1;
      const unsigned chosen = __shfl_sync (CUDA_ALL_LANES, digit, (int) leader);
      const bool is_same = (rest >> lane & 1) != 0 && digit == chosen;
      const unsigned same = __ballot_sync (CUDA_ALL_LANES, is_same);
      if (__popc (same) < CROWD)
        break;
      const unsigned long long sum = sample_warp_sum (is_same ? weight : 0);
      if (lane == leader)
        atomicAdd (&shared->digit[digit], sum);
      rest &= ~same;
    }
  if ((rest >> lane & 1) != 0)
    atomicAdd (&shared->digit[digit], weight);
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
  const unsigned n = shared->n_candidates;
  for (unsigned from = 0; from < n; from += THREADS)
    {
      const unsigned i = from + threadIdx.x;
      const Candidate c = i < n ? job.candidates[i] : Candidate { 0, 0 };
      const uint64_t place = sample_place (c.key, order);
      const bool is_one = i < n && c.key >= least && (place & mask) == (shared->found & mask);
      sample_add_to_digits (shared, is_one, (unsigned) (place >> shift & (DIGITS - 1)), counts ? 1ull : c.weight);
    }
  __syncthreads ();
}

/* Leaves out what a search can do without once its digits down to `shift` are found: what is worse where the best
 * are sought, and of a draw all but those that begin like it. Each step has read what it overwrites. */
static __device__ void
sample_narrow (SampleShared *shared, const SampleJob &job, uint64_t least, int order, unsigned shift)
{
  const uint64_t low = (UINT64_C (1) << shift) - 1, found = shared->found;
  const unsigned n = shared->n_candidates;
  if (n <= THREADS)
    return;
  __syncthreads ();
  if (threadIdx.x == 0)
    shared->n_candidates = 0;
  for (unsigned from = 0; from < n; from += THREADS)
    {
      const unsigned i = from + threadIdx.x;
      const Candidate c = i < n ? job.candidates[i] : Candidate { 0, 0 };
      const uint64_t place = sample_place (c.key, order);
      const bool stays = order == SAMPLE_BEST_FIRST ? place <= (found | low) : (place & ~low) == found;
      __syncthreads ();
      sample_append (shared, job, i < n && c.key >= least && stays, c);
    }
  __syncthreads ();
}

/* One warp: the digit where the sum passes the limit, or the last one that weighs anything. */
#define LANE_DIGITS (DIGITS / CUDA_WARP) /* of each lane */

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
  __syncwarp (); /* all have read what one overwrites */
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

/* The key of the first candidate from `least` on where the sum passes `limit`, or of the last that weighs anything.
 * counts: each weighs one. */
static __device__ uint64_t
sample_search (SampleShared *shared, const SampleJob &job, uint64_t least, int order, bool counts,
               uint64_t limit)
{
  __syncthreads ();
  if (threadIdx.x == 0)
    shared->found = shared->before = 0;
  const int id_bits = job.n > 1u << 24 ? 32 : job.n > 1u << 16 ? 24 : 16;
  for (int shift = (order == SAMPLE_BY_ID ? id_bits : 64) - (int) DIGIT_BITS; shift >= 0; shift -= (int) DIGIT_BITS)
    {
      sample_sum_digits (shared, job, least, order, counts, (unsigned) shift);
      if (threadIdx.x < CUDA_WARP)
        sample_find_digit (shared, limit, (unsigned) shift);
      __syncthreads ();
      sample_narrow (shared, job, least, order, (unsigned) shift);
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

static __global__ void __launch_bounds__ (THREADS)
sample_kernel (SampleJob job)
{
  __shared__ SampleShared shared;
  if (threadIdx.x == 0)
    {
      shared.best = 0;
      shared.n_candidates = shared.has_nan = 0;
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
