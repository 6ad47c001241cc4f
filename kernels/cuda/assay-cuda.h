/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cuda/assay-cuda.h: the module libassay-cuda.so, opened at run time, so that the app starts without
 * a driver.
 *
 * A program opens the module, reads the symbol `assay_cuda_module` and looks at its version; everything else is
 * in that table. Plain C. A backend belongs to one thread: the one that calls anything with it as argument. Host
 * memory is the caller's unless said otherwise.
 *
 * Work is queued: an operation answers before it is done. Two streams run at a time. Operations of kernels.h
 * go one after another on the compute stream; copy() goes on the copy stream. Events order them where a copy is
 * begun (after all operations queued so far) and where it is waited for (before all operations queued later), so
 * memory may be handed out anew as soon as an operation was queued.
 *
 * Faults. Any status but OK has its words in `fault`: the operation, CUDA's name of the error and its meaning. An
 * error of queued work shows at whichever later call waits. An error that spoils the context ("illegal address",
 * a lost card) closes the backend: from then on every call answers DEVICE_FAULT with the same words, at once
 * and without asking CUDA. What gives memory back, and destroy(), is always right to call.
 *
 * Memory. Besides what alloc() gives, a backend takes fixed blocks when it is made, and none later: they are told
 * by get_fixed_bytes() for the caller's accounts. What the driver itself takes for context, code and libraries
 * can only be seen from outside, as the difference that get_memory() shows. */
#pragma once

#include "kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ASSAY_CUDA_PUBLIC __attribute__ ((visibility ("default")))

/* How many CUDA devices can be used. text gets a line for each, "cuda:0: NVIDIA H200, 139.8 GiB,
 * compute 9.0"; or, with none, why: "no driver", "driver too old: ...". Always terminated within `size`.
 * Any thread; never ends the process. */
ASSAY_CUDA_PUBLIC int assay_cuda_probe (char *text, size_t size);

#define ASSAY_CUDA_VERSION 1u   /* of all below */

typedef struct
{
  int ordinal;            /* which device: 0 .. assay_cuda_probe() - 1 */
  /* INT8 as kernels.h says. With F16 and BF16 the products of more than a few tokens run on tensor cores, where
   * weights of other formats are rounded to that form too. */
  AssayCompute compute;
  bool tf32;              /* with F32: products of many tokens may round their factors to 11 bits */
  /* For planning: no context is made and no memory taken. Sizes (…_workspace(), quantize_scratch(), fixed bytes) and
   * names are those of the real one, and every other call answers DEVICE_FAULT. */
  bool sizes_only;
} AssayCudaOptions;

typedef struct
{
  char name[256];
  char pci_bus_id[32];    /* "0000:3b:00.0": NVML counts devices in another order */
  char uuid[48];          /* "GPU-8e4f..." */
  int compute_major, compute_minor;
  int driver_version, runtime_version;  /* 13000: 13.0 */
  int n_multiprocessors;
  int memory_bus_bits, memory_clock_khz;  /* 0: unknown */
  bool integrated;        /* its memory is the host's */
  uint64_t memory_bytes;
} AssayCudaInfo;

/* Times are the device's own, of what is done. */
typedef struct
{
  uint64_t bytes, n_copies;
  int64_t busy_ns;        /* the copy stream at work */
  int64_t stall_ns;       /* the compute stream stood still for a copy */
} AssayCudaCopyFigures;

/* What a backend can do beyond the operations of kernels.h: b is one that backend_new() made. */
typedef struct
{
  uint32_t version;       /* ASSAY_CUDA_VERSION; a table of another one is not to be used */
  size_t bytes;           /* of this struct */

  int (*probe) (char *text, size_t size); /* assay_cuda_probe() */
  /* false, with why in fault (always terminated), where there is no such device. Any thread. */
  bool (*get_info) (int ordinal, AssayCudaInfo *out, char *fault, size_t fault_bytes);
  /* NULL, with why in fault. The caller frees it by its table's destroy(). */
  AssayBackend *(*backend_new) (const AssayCudaOptions *options, char *fault, size_t fault_bytes);

  const char *(*get_kernel_name) (const AssayBackend *b); /* "cuda sm_90 bfloat16": for the record */
  void (*get_fixed_bytes) (const AssayBackend *b, uint64_t *device_bytes, uint64_t *pinned_bytes);
  bool (*is_closed) (const AssayBackend *b);              /* by an error that spoilt the context */
  AssayStatus (*get_memory) (AssayBackend *b, uint64_t *free_bytes, uint64_t *total_bytes); /* of the device */

  /* Host memory that cannot be paged out, which copy() needs to run beside compute. 4096-byte aligned. */
  AssayStatus (*pinned_alloc) (AssayBackend *b, size_t bytes, void **out);
  void (*pinned_free) (AssayBackend *b, void *memory);    /* NULL is fine */

  /* Queues a copy to the device, behind all operations queued so far. Both ends must stay as they are until it
   * was waited for. From pageable memory it works, but the caller waits. *ticket counts up from 1. */
  AssayStatus (*copy) (AssayBackend *b, void *device, const void *host, size_t bytes, uint64_t *ticket);
  /* Operations queued later run after this copy and all before it; the caller does not wait. 0: nothing. */
  AssayStatus (*copy_order) (AssayBackend *b, uint64_t ticket);
  AssayStatus (*copy_is_done) (AssayBackend *b, uint64_t ticket, bool *done);
  AssayStatus (*copy_wait) (AssayBackend *b, uint64_t ticket);  /* the caller waits: host memory is free again */
  AssayStatus (*copy_get_figures) (AssayBackend *b, AssayCudaCopyFigures *out);

  /* Between the two, operations are recorded, not done; the end hands them to the device at once (run false: forgets
   * them), which passes of one token gain from. For operations on memory that is there: upload, download, sync,
   * sample, quantize and copies answer UNSUPPORTED meanwhile. The order of events is as if each operation had been
   * queued at the end. The graph that is kept from pass to pass is the driver's memory. */
  AssayStatus (*graph_begin) (AssayBackend *b);
  AssayStatus (*graph_end) (AssayBackend *b, bool run);
} AssayCudaModule;

extern ASSAY_CUDA_PUBLIC const AssayCudaModule assay_cuda_module;

#ifdef __cplusplus
}
#endif
