/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/emulation/emulation.h: a CUDA device made of this processor, and the strings to pull on it.
 *
 * The sources of kernels/cuda/ are compiled against the stand-ins of CUDA's headers in this folder,
 * unmodified, and run here. What is promised:
 * - threads of a block are fibers. Barriers, warp shuffles and votes really wait, in an order drawn from
 *   the seed, and only there do threads take turns. A thread that exits before a barrier others wait at, a
 *   barrier reached at two places, a lane outside its mask, a shuffle that reads a lane outside the mask
 *   are faults with a text.
 * - shared memory is poisoned for every block, the dynamic part has guard words and CUDA's limits.
 * - operations queue per stream and run when something waits for them, or (ASSAY_EMULATION_RANDOM) in any
 *   legal order at any legal moment. The legacy default stream is a fault: every operation names its
 *   stream.
 * - copies from pageable memory read it at the call, from pinned memory when they run.
 * - device memory comes from a budget; it starts as NaN and has guard words, and the host cannot touch it
 *   but through copies: a dereference ends the process with a report. The same in a kernel is
 *   cudaErrorIllegalAddress.
 * - any call can be made to fail, once or for good.
 * What is not: time (nothing here says how fast a card would be), memory ordering between blocks that run
 * at once (blocks run one after another, so blocks that wait for each other never end), cooperative
 * groups, textures, unified memory, peer copies, PTX. What the headers here do not declare does not
 * compile.
 *
 * Any host thread may call CUDA; calls are serialised. Tests alone use this header. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum
{
  ASSAY_EMULATION_LAZY,   /* nothing runs before something waits for it, and only what it needs */
  ASSAY_EMULATION_RANDOM, /* any runnable stream, at any call */
} AssayEmulationOrder;

typedef struct
{
  bool no_driver, no_device;
  uint32_t n_devices;       /* 0: one */
  size_t budget_bytes;      /* device memory of each; 0: 1 GiB */
  size_t pinned_bytes;      /* of pinned host memory in all; 0: as much as there is */
  int compute_major, compute_minor; /* 0: 8.0 */
  AssayEmulationOrder order;
  uint64_t seed;            /* of the order of threads, blocks and streams */
} AssayEmulationOptions;

/* Everything as after a fresh start of the process: counters, faults, injected failures and sticky errors
 * are gone, what was still allocated or queued too. NULL: the defaults. */
void assay_emulation_start (const AssayEmulationOptions *options);

/* False here; true where a real card stands behind the module: see real-card.c. */
bool assay_emulation_is_real (void);

void assay_emulation_set_order (AssayEmulationOrder order, uint64_t seed);
void assay_emulation_set_budget (size_t bytes);

/* The n-th call from now on (1 is the next), of `name` ("cudaMalloc", "cudaLaunchKernel" for launches) or
 * of all (NULL), does nothing and returns `error`, a cudaError_t; cuBLAS calls return their own word for
 * it. sticky: all later calls fail so too. Calls that give something back do so even where they fail. n 0:
 * no failure any more. */
void assay_emulation_fail_call (const char *name, uint64_t n, int error, bool sticky);
bool assay_emulation_has_failed (void); /* whether the call to fail came */

/* Calls since the start. NULL: of all. */
uint64_t assay_emulation_get_n_calls (const char *name);

/* What is still there. All zero after a clean end. */
typedef struct
{
  size_t n_device, device_bytes, n_pinned, pinned_bytes, n_registered;
  size_t n_streams, n_events, n_graphs, n_graph_execs, n_blas_handles;
} AssayEmulationBalance;

AssayEmulationBalance assay_emulation_get_balance (void);
bool assay_emulation_is_balanced (void);

/* The first rule of CUDA that was broken since the start, in words; NULL: none. Belongs to the emulation. */
const char *assay_emulation_get_fault (void);
void assay_emulation_clear_fault (void);

/* Looks at all guard words now, as freeing and synchronising do. */
bool assay_emulation_check_guards (void);

#ifdef __cplusplus
}
#endif
