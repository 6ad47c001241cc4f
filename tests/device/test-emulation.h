/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/test-emulation.h: what the tests of the emulated device share: a fresh machine with a stream,
 * and arrays on it. */
#pragma once

#include <glib.h>
#include <vector>

#include "emulated-launch.h"
#include "emulation.h"

static cudaStream_t stream;

enum Expectation
{
  EXPECTS_NONE,
  EXPECTS_FAULT
};

/* From here to the end of the block. Faults that nobody expects fail the test. */
struct Machine
{
  Expectation expectation;

  explicit Machine (guint64 seed,
                    Expectation expects = EXPECTS_NONE,
                    AssayEmulationOrder order = ASSAY_EMULATION_LAZY,
                    size_t budget = 0)
      : expectation (expects)
  {
    AssayEmulationOptions options = {};
    options.seed = seed;
    options.order = order;
    options.budget_bytes = budget;
    assay_emulation_start (&options);
    g_assert_cmpint (cudaStreamCreateWithFlags (&stream, cudaStreamNonBlocking), ==, cudaSuccess);
  }

  ~Machine ()
  {
    if (expectation == EXPECTS_FAULT)
      return;
    g_assert_cmpint (cudaStreamDestroy (stream), ==, cudaSuccess);
    g_assert_cmpstr (assay_emulation_get_fault (), ==, nullptr);
    g_assert_true (assay_emulation_is_balanced ());
  }
};

template <class T> struct Device
{
  T *at;
  size_t n;

  explicit Device (size_t count) : n (count)
  {
    g_assert_cmpint (cudaMalloc (&at, n * sizeof (T)), ==, cudaSuccess);
  }
  ~Device () { cudaFree (at); }

  void
  put (const T *host)
  {
    g_assert_cmpint (cudaMemcpyAsync (at, host, n * sizeof (T), cudaMemcpyHostToDevice, stream), ==,
                     cudaSuccess);
  }

  void
  get (T *host)
  {
    g_assert_cmpint (cudaMemcpyAsync (host, at, n * sizeof (T), cudaMemcpyDeviceToHost, stream), ==,
                     cudaSuccess);
  }
};

/* Waiting tells that the device broke, and so does every later call. */
static inline void
expect_broken (cudaError_t error, const char *words)
{
  g_assert_cmpint (cudaStreamSynchronize (stream), ==, error);
  g_assert_nonnull (assay_emulation_get_fault ());
  if (strstr (assay_emulation_get_fault (), words) == nullptr)
    g_error ("'%s' does not say '%s'", assay_emulation_get_fault (), words);
  g_assert_cmpint (cudaGetLastError (), ==, error);
  g_assert_cmpint (cudaGetLastError (), ==, error);
}
