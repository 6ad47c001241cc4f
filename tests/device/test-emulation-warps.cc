/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/test-emulation-warps.cc: shuffles, votes and reductions of the emulated device, by their
 * masks. */
#include "test-emulation.h"

#define ALL 0xffffffffu

struct Lane
{
  int down, up, flip, first, narrow_down, narrow_up;
  unsigned ballot, odd, match;
  int sum, greatest;
  double wide;
};

__global__ static void
lanes_kernel (Lane *y)
{
  const int own = (int) threadIdx.x % 32;
  Lane lane;
  lane.down = __shfl_down_sync (ALL, own, 3);
  lane.up = __shfl_up_sync (ALL, own, 3);
  lane.flip = __shfl_xor_sync (ALL, own, 5);
  lane.first = __shfl_sync (ALL, own + 100, 7);
  lane.narrow_down = __shfl_down_sync (ALL, own, 3, 8);
  lane.narrow_up = __shfl_up_sync (ALL, own, 3, 8);
  lane.ballot = __ballot_sync (ALL, own % 3 == 0);
  lane.odd = own % 2 != 0 ? __ballot_sync (0xaaaaaaaa, own > 16) : __ballot_sync (0x55555555, own > 16);
  lane.match = __match_any_sync (ALL, own / 4);
  lane.sum = __reduce_add_sync (ALL, own - 20);
  lane.greatest = __reduce_max_sync (ALL, own - 50);
  lane.wide = __shfl_xor_sync (ALL, own + 0.5, 1);
  y[threadIdx.x] = lane;
}

static void
check_lane (const Lane &lane, int own)
{
  unsigned thirds = 0;
  for (unsigned i = 0; i < 32; i += 3)
    thirds |= 1u << i;
  g_assert_cmpint (lane.down, ==, own + 3 < 32 ? own + 3 : own);
  g_assert_cmpint (lane.up, ==, own >= 3 ? own - 3 : own);
  g_assert_cmpint (lane.flip, ==, own ^ 5);
  g_assert_cmpint (lane.first, ==, 107);
  g_assert_cmpint (lane.narrow_down, ==, own % 8 + 3 < 8 ? own + 3 : own);
  g_assert_cmpint (lane.narrow_up, ==, own % 8 >= 3 ? own - 3 : own);
  g_assert_cmphex (lane.ballot, ==, thirds);
  g_assert_cmphex (lane.odd, ==, own % 2 != 0 ? 0xaaaa0000 : 0x55540000);
  g_assert_cmphex (lane.match, ==, 0xfu << (own / 4 * 4));
  g_assert_cmpint (lane.sum, ==, 31 * 16 - 32 * 20);
  g_assert_cmpint (lane.greatest, ==, 31 - 50);
  g_assert_cmpfloat (lane.wide, ==, (own ^ 1) + 0.5);
}

static void
test_lanes_hear_each_other (void)
{
  for (guint64 seed = 0; seed < 30; seed++)
    {
      const Machine machine (seed);
      Lane lanes[96];
      Device<Lane> to (96);
      ASSAY_LAUNCH (lanes_kernel, 1, 96, 0, stream, to.at);
      to.get (lanes);
      for (int i = 0; i < 96; i++)
        check_lane (lanes[i], i % 32);
    }
}

/* A warp that hands values through shared memory. */
template <bool waits>
__global__ static void
hand_kernel (int *y)
{
  __shared__ int kept[32];
  kept[threadIdx.x] = (int) threadIdx.x;
  if (waits)
    __syncwarp ();
  y[threadIdx.x] = kept[threadIdx.x ^ 1];
}

static void
test_syncwarp_is_needed (void)
{
  int y[32];
  for (guint64 seed = 0; seed < 20; seed++)
    {
      const Machine machine (seed);
      Device<int> to (32);
      ASSAY_LAUNCH (hand_kernel<true>, 1, 32, 0, stream, to.at);
      to.get (y);
      for (int i = 0; i < 32; i++)
        g_assert_cmpint (y[i], ==, i ^ 1);
      ASSAY_LAUNCH (hand_kernel<false>, 1, 32, 0, stream, to.at);
      to.get (y);
      bool is_right = true;
      for (int i = 0; i < 32; i++)
        is_right &= y[i] == (i ^ 1);
      g_assert_false (is_right);
    }
}

/* --- faults --- */

__global__ static void
not_in_mask_kernel (void)
{
  __syncwarp (0x0000fffe);
}

__global__ static void
source_outside_kernel (void)
{
  if (threadIdx.x < 16)
    __shfl_sync (0x0000ffff, 1, 20);
}

__global__ static void
missing_lanes_kernel (void)
{
  __syncwarp ();
}

__global__ static void
ended_lanes_kernel (void)
{
  if (threadIdx.x < 31)
    __shfl_xor_sync (ALL, 1, 1);
}

__global__ static void
two_places_kernel (void)
{
  if (threadIdx.x < 16)
    __shfl_xor_sync (ALL, 1, 1);
  else
    __shfl_xor_sync (ALL, 1, 2);
}

__global__ static void
other_masks_kernel (void)
{
  __syncwarp (threadIdx.x < 16 ? ALL : 0xffff8000);
}

__global__ static void
stuck_kernel (void)
{
  if (threadIdx.x < 16)
    __syncwarp ();
  else
    __syncthreads ();
}

static void
test_broken_masks_are_told (void)
{
  const struct
  {
    void (*kernel) (void);
    unsigned block;
    const char *words;
  } cases[] = {
    { not_in_mask_kernel, 16, "not in its own mask" },
    { source_outside_kernel, 32, "not in its mask" },
    { missing_lanes_kernel, 40, "the block does not have" },
    { ended_lanes_kernel, 32, "ended" },
    { two_places_kernel, 32, "while lanes of it wait at" },
    { other_masks_kernel, 32, "with mask" },
    { stuck_kernel, 32, "for ever" },
  };
  for (const auto &each : cases)
    for (guint64 seed = 0; seed < 5; seed++)
      {
        const Machine machine (seed, EXPECTS_FAULT);
        ASSAY_LAUNCH (each.kernel, 1, each.block, 0, stream);
        expect_broken (cudaErrorLaunchFailure, each.words);
      }
}

/* Whatever was broken off, the next start is whole. */
static void
test_a_broken_grid_leaves_no_trace (void)
{
  for (guint64 seed = 0; seed < 20; seed++)
    {
      {
        const Machine machine (seed, EXPECTS_FAULT);
        ASSAY_LAUNCH (ended_lanes_kernel, 1, 256, 0, stream);
        expect_broken (cudaErrorLaunchFailure, "ended");
      }
      const Machine machine (seed);
      Lane lanes[32];
      Device<Lane> to (32);
      ASSAY_LAUNCH (lanes_kernel, 1, 32, 0, stream, to.at);
      to.get (lanes);
      for (int i = 0; i < 32; i++)
        check_lane (lanes[i], i);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, nullptr);
  g_test_add_func ("/device/emulation/lanes-hear-each-other", test_lanes_hear_each_other);
  g_test_add_func ("/device/emulation/syncwarp-is-needed", test_syncwarp_is_needed);
  g_test_add_func ("/device/emulation/broken-masks-are-told", test_broken_masks_are_told);
  g_test_add_func ("/device/emulation/a-broken-grid-leaves-no-trace", test_a_broken_grid_leaves_no_trace);
  return g_test_run ();
}
