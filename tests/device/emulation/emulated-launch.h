/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/emulation/emulated-launch.h: what kernels/cuda/launch.h means here.
 *
 * Arguments are converted and copied at the launch, as CUDA does. Those that are pointers are looked up when
 * the kernel runs: into live device memory or pinned memory, or the launch is an illegal address. In a
 * structure, what looks like an address of device memory must be one. */
#pragma once

#include <cstddef>
#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "cuda_runtime.h"

namespace emulation
{

struct Pointer
{
  int argument;  /* counted from 1 */
  bool is_guess; /* a word of a structure */
  const void *at;
};

void launch_queue (const char *name,
                   const void *function,
                   dim3 grid,
                   dim3 block,
                   size_t shared_bytes,
                   cudaStream_t stream,
                   std::function<void ()> body,
                   std::vector<Pointer> pointers);

void launch_note_words (std::vector<Pointer> &pointers, int argument, const void *structure, size_t bytes);

template <class T>
static inline void
launch_note_pointer (std::vector<Pointer> &pointers, int argument, const T &value)
{
  if constexpr (std::is_pointer_v<T>)
    pointers.push_back ({ argument, false, (const void *) value });
  else if constexpr (std::is_class_v<T> && sizeof (T) >= sizeof (void *))
    launch_note_words (pointers, argument, &value, sizeof value);
}

template <class... P, class... A>
static inline void
launch (const char *name,
        void (*kernel) (P...),
        dim3 grid,
        dim3 block,
        size_t shared_bytes,
        cudaStream_t stream,
        A &&...arguments)
{
  std::tuple<std::decay_t<P>...> kept{ static_cast<P> (std::forward<A> (arguments))... };
  std::vector<Pointer> pointers;
  std::apply (
      [&pointers] (const auto &...each) {
        int argument = 0;
        (launch_note_pointer (pointers, ++argument, each), ...);
      },
      kept);
  launch_queue (
      name, (const void *) kernel, grid, block, shared_bytes, stream,
      [kernel, kept] { std::apply (kernel, kept); }, std::move (pointers));
}

}

#define ASSAY_LAUNCH(kernel, grid, block, shared_bytes, stream, ...)                                         \
  emulation::launch (#kernel, (kernel), (grid), (block), (shared_bytes), (stream), ##__VA_ARGS__)

#define ASSAY_DYNAMIC_SHARED(type, name)                                                                     \
  type *const name = static_cast<type *> (emulation::block_dynamic_shared ())
