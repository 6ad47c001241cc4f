/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/emulation/device-language.h: the words that CUDA adds to C++: qualifiers, indices,
 * barriers, warp operations, atomics.
 *
 * __shared__ variables live in thread-local storage, which nothing else in this object uses: it is
 * poisoned for every block. Threads take turns only where they wait, so that atomics are plain; volatile
 * and fences order nothing more than they do on a card. */
#pragma once

#include <cstdint>
#include <cstring>

#include "vector-types.h"

#define __global__
#define __device__
#define __host__
#define __constant__ static
#define __shared__ static thread_local
#define __forceinline__ inline __attribute__ ((always_inline))
#define __launch_bounds__(...)
#define __grid_constant__
#define __align__(n) alignas (n)

namespace emulation
{

struct Thread;
extern Thread *current;

/* What a thread knows of itself; the rest is block.cc's. */
struct ThreadIndex
{
  uint3 thread;
  unsigned lane;
};

extern uint3 block_index;
extern dim3 block_size, grid_size;

static inline const ThreadIndex *
thread_self ()
{
  return (const ThreadIndex *) current;
}

enum Reduction { REDUCE_AND, REDUCE_OR, REDUCE_SUM, REDUCE_MIN, REDUCE_MAX, REDUCE_SUM_UNSIGNED };

/* All return after every thread meant has come. */
int barrier_block (int value, int line, const char *file);      /* sum of the values */
void barrier_warp (unsigned mask, int line, const char *file);
uint64_t warp_shuffle (unsigned mask, uint64_t value, unsigned lane, int line, const char *file);
unsigned warp_ballot (unsigned mask, bool value, int line, const char *file);
int64_t warp_reduce (unsigned mask, int64_t value, Reduction what, int line, const char *file);
uint64_t warp_match (unsigned mask, uint64_t value, int line, const char *file);
[[noreturn]] void thread_trap (int line, const char *file);
void *block_dynamic_shared ();

template <class T>
static inline T
shuffle (unsigned mask, T value, unsigned lane, int line, const char *file)
{
  static_assert (sizeof (T) <= 8, "CUDA shuffles at most eight bytes");
  uint64_t bits = 0;
  memcpy ((void *) &bits, &value, sizeof value);
  bits = warp_shuffle (mask, bits, lane, line, file);
  memcpy ((void *) &value, &bits, sizeof value);
  return value;
}

}

#define threadIdx (emulation::thread_self ()->thread)
#define blockIdx (emulation::block_index)
#define blockDim (emulation::block_size)
#define gridDim (emulation::grid_size)
static constexpr int warpSize = 32;

/* Where a call stands in the source tells one barrier from another. */
#define ASSAY_HERE int line = __builtin_LINE (), const char *file = __builtin_FILE ()

static inline void
__syncthreads (ASSAY_HERE)
{
  emulation::barrier_block (0, line, file);
}

static inline int
__syncthreads_count (int value, ASSAY_HERE)
{
  return emulation::barrier_block (value != 0, line, file);
}

static inline int
__syncthreads_or (int value, ASSAY_HERE)
{
  return emulation::barrier_block (value != 0, line, file) > 0;
}

static inline int
__syncthreads_and (int value, ASSAY_HERE)
{
  return emulation::barrier_block (value == 0, line, file) == 0;
}

static inline void
__syncwarp (unsigned mask = 0xffffffff, ASSAY_HERE)
{
  emulation::barrier_warp (mask, line, file);
}

template <class T>
static inline T
__shfl_sync (unsigned mask, T value, int lane, int width = 32, ASSAY_HERE)
{
  const int own = (int) emulation::thread_self ()->lane;
  return emulation::shuffle (mask, value, (unsigned) ((own & ~(width - 1)) | (lane & (width - 1))), line,
                             file);
}

template <class T>
static inline T
__shfl_xor_sync (unsigned mask, T value, int bits, int width = 32, ASSAY_HERE)
{
  const int own = (int) emulation::thread_self ()->lane, lane = own ^ bits;
  return emulation::shuffle (mask, value, (unsigned) (lane < (own & ~(width - 1)) + width ? lane : own), line,
                             file);
}

template <class T>
static inline T
__shfl_down_sync (unsigned mask, T value, unsigned delta, int width = 32, ASSAY_HERE)
{
  const unsigned own = emulation::thread_self ()->lane, last = own | ((unsigned) width - 1);
  return emulation::shuffle (mask, value, own + delta <= last ? own + delta : own, line, file);
}

template <class T>
static inline T
__shfl_up_sync (unsigned mask, T value, unsigned delta, int width = 32, ASSAY_HERE)
{
  const unsigned own = emulation::thread_self ()->lane, first = own & ~((unsigned) width - 1);
  return emulation::shuffle (mask, value, own >= first + delta ? own - delta : own, line, file);
}

static inline unsigned
__ballot_sync (unsigned mask, int value, ASSAY_HERE)
{
  return emulation::warp_ballot (mask, value != 0, line, file);
}

static inline int
__any_sync (unsigned mask, int value, ASSAY_HERE)
{
  return emulation::warp_ballot (mask, value != 0, line, file) != 0;
}

static inline int
__all_sync (unsigned mask, int value, ASSAY_HERE)
{
  return emulation::warp_ballot (mask, value == 0, line, file) == 0;
}

template <class T>
static inline unsigned
__match_any_sync (unsigned mask, T value, ASSAY_HERE)
{
  uint64_t bits = 0;
  memcpy (&bits, &value, sizeof value);
  return (unsigned) emulation::warp_match (mask, bits, line, file);
}

/* As on a card, of 32-bit integers only. */
#define ASSAY_REDUCTION(type, name, what)                                                             \
  static inline type name (unsigned mask, type value, ASSAY_HERE)                                     \
  {                                                                                                   \
    return (type) emulation::warp_reduce (mask, value, emulation::what, line, file);                  \
  }
ASSAY_REDUCTION (int, __reduce_add_sync, REDUCE_SUM)
ASSAY_REDUCTION (unsigned, __reduce_add_sync, REDUCE_SUM)
ASSAY_REDUCTION (int, __reduce_min_sync, REDUCE_MIN)
ASSAY_REDUCTION (unsigned, __reduce_min_sync, REDUCE_MIN)
ASSAY_REDUCTION (int, __reduce_max_sync, REDUCE_MAX)
ASSAY_REDUCTION (unsigned, __reduce_max_sync, REDUCE_MAX)
ASSAY_REDUCTION (unsigned, __reduce_and_sync, REDUCE_AND)
ASSAY_REDUCTION (unsigned, __reduce_or_sync, REDUCE_OR)
#undef ASSAY_REDUCTION

#define __trap() emulation::thread_trap (__builtin_LINE (), __builtin_FILE ())

static inline void __threadfence () {}
static inline void __threadfence_block () {}
static inline void __threadfence_system () {}

template <class T>
static inline T
__ldg (const T *at)
{
  return *at;
}

template <class T>
static inline T
__ldcs (const T *at)
{
  return *at;
}

template <class T>
static inline T
__ldcg (const T *at)
{
  return *at;
}

template <class T>
static inline T
__ldca (const T *at)
{
  return *at;
}

template <class T>
static inline void
__stcs (T *at, T value)
{
  *at = value;
}

template <class T>
static inline void
__stcg (T *at, T value)
{
  *at = value;
}

/* The second parameter takes no part in finding T, as CUDA's overloads convert it. */
template <class T>
struct AssaySame
{
  using type = T;
};

#define ASSAY_ATOMIC(name, expression)                                                                \
  template <class T>                                                                                  \
  static inline T name (T *at, typename AssaySame<T>::type value)                                     \
  {                                                                                                   \
    const T old = *at;                                                                                \
    *at = expression;                                                                                 \
    return old;                                                                                       \
  }
ASSAY_ATOMIC (atomicAdd, (T) (old + value))
ASSAY_ATOMIC (atomicSub, (T) (old - value))
ASSAY_ATOMIC (atomicMax, old > value ? old : value)
ASSAY_ATOMIC (atomicMin, old < value ? old : value)
ASSAY_ATOMIC (atomicOr, (T) (old | value))
ASSAY_ATOMIC (atomicAnd, (T) (old & value))
ASSAY_ATOMIC (atomicXor, (T) (old ^ value))
ASSAY_ATOMIC (atomicExch, value)
ASSAY_ATOMIC (atomicInc, (T) (old >= value ? 0 : old + 1))
#undef ASSAY_ATOMIC

template <class T>
static inline T
atomicCAS (T *at, typename AssaySame<T>::type expected, typename AssaySame<T>::type value)
{
  const T old = *at;
  if (old == expected)
    *at = value;
  return old;
}
