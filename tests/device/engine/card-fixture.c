/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "card-fixture.h"

#include "cuda-module.h"

void
card_fixture_start (const AssayEmulationOptions *options)
{
  assay_emulation_start (options);
  assay_cuda_module_set (&assay_cuda_module);
}

void
card_fixture_assert_clean (void)
{
  const char *fault = assay_emulation_get_fault ();
  const AssayEmulationBalance left = assay_emulation_get_balance ();
  if (fault != NULL)
    g_error ("a rule of CUDA was broken: %s", fault);
  if (!assay_emulation_is_balanced ())
    g_error ("left behind: %zu blocks of device memory (%zu bytes), %zu pinned, %zu streams, %zu events, %zu cuBLAS handles",
             left.n_device, left.device_bytes, left.n_pinned, left.n_streams, left.n_events, left.n_blas_handles);
}
