/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cuda/device.cuh: what kernels share: sums over a block, half floats, loads of several bytes.
 *
 * Blocks that reduce are of up to CUDA_BLOCK threads, whole warps, in one dimension. */
#pragma once

#include "launch.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>

#define CUDA_WARP 32u
#define CUDA_BLOCK 256u
#define CUDA_ALL_LANES 0xffffffffu

static __device__ inline float
warp_sum (float value)
{
  for (unsigned step = CUDA_WARP / 2; step > 0; step /= 2)
    value += __shfl_xor_sync (CUDA_ALL_LANES, value, (int) step);
  return value;
}

static __device__ inline float
warp_max (float value)
{
  for (unsigned step = CUDA_WARP / 2; step > 0; step /= 2)
    value = fmaxf (value, __shfl_xor_sync (CUDA_ALL_LANES, value, (int) step));
  return value;
}

static __device__ inline int
warp_sum_int (int value)
{
  for (unsigned step = CUDA_WARP / 2; step > 0; step /= 2)
    value += __shfl_xor_sync (CUDA_ALL_LANES, value, (int) step);
  return value;
}

/* Every thread of the block gets the sum. partial: CUDA_WARP floats of shared memory, which must not be in use. */
static __device__ inline float
block_sum (float value, float *partial)
{
  const unsigned warp = threadIdx.x / CUDA_WARP, lane = threadIdx.x % CUDA_WARP;
  value = warp_sum (value);
  __syncthreads ();
  if (lane == 0)
    partial[warp] = value;
  __syncthreads ();
  return warp_sum (lane < blockDim.x / CUDA_WARP ? partial[lane] : 0.0f);
}

static __device__ inline float
block_max (float value, float *partial)
{
  const unsigned warp = threadIdx.x / CUDA_WARP, lane = threadIdx.x % CUDA_WARP;
  value = warp_max (value);
  __syncthreads ();
  if (lane == 0)
    partial[warp] = value;
  __syncthreads ();
  return warp_max (lane < blockDim.x / CUDA_WARP ? partial[lane] : -INFINITY);
}

/* Bytes that the compiler does not know to be whole words; align: of the address, a power of two. */
template <unsigned align>
static __device__ inline uint2
load_8_bytes (const uint8_t *at)
{
  if (align >= 8)
    return *reinterpret_cast<const uint2 *> (at);
  if (align == 4)
    {
      const uint32_t *words = reinterpret_cast<const uint32_t *> (at);
      return make_uint2 (words[0], words[1]);
    }
  if (align == 2)
    {
      const uint16_t *words = reinterpret_cast<const uint16_t *> (at);
      return make_uint2 (words[0] | (uint32_t) words[1] << 16, words[2] | (uint32_t) words[3] << 16);
    }
  return make_uint2 (at[0] | at[1] << 8 | at[2] << 16 | (uint32_t) at[3] << 24,
                     at[4] | at[5] << 8 | at[6] << 16 | (uint32_t) at[7] << 24);
}

template <unsigned align>
static __device__ inline uint32_t
load_2_bytes (const uint8_t *at)
{
  return align >= 2 ? *reinterpret_cast<const uint16_t *> (at) : (uint32_t) (at[0] | at[1] << 8);
}

template <unsigned align>
static __device__ inline uint32_t
load_4_bytes (const uint8_t *at)
{
  if (align >= 4)
    return *reinterpret_cast<const uint32_t *> (at);
  return load_2_bytes<align> (at) | load_2_bytes<align> (at + 2) << 16;
}

static __device__ inline float
float_of_half (uint32_t bits)
{
  return __half2float (__ushort_as_half ((unsigned short) bits));
}

static __device__ inline float
float_of_bfloat (uint32_t bits)
{
  return __uint_as_float (bits << 16);
}

/* Byte i of eight. */
static __device__ inline uint32_t
byte_of (uint2 bytes, unsigned i)
{
  return (i < 4 ? bytes.x >> (8 * i) : bytes.y >> (8 * (i - 4))) & 255;
}

static __device__ inline float
round_to_half (float value)
{
  return __half2float (__float2half_rn (value));
}

static __device__ inline float
round_to_bfloat (float value)
{
  return __bfloat162float (__float2bfloat16_rn (value));
}
