/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cuda/probe.cu: which devices there are, or why there are none.
 *
 * The runtime is linked statically and looks for the driver itself, so this module opens on any machine. */
#include "backend.h"

#include <stdarg.h>
#include <stdio.h>

/* Appends; what does not fit is cut off. Returns the new length. */
static size_t
probe_print (char *text, size_t size, size_t length, const char *format, ...)
{
  va_list args;
  if (length >= size)
    return length;
  va_start (args, format);
  const int n = vsnprintf (text + length, size - length, format, args);
  va_end (args);
  return n > 0 ? length + (size_t) n : length;
}

void
cuda_explain_absence (char *text, size_t size, cudaError_t error)
{
  int driver = 0, runtime = 0;
  cudaRuntimeGetVersion (&runtime);
  if (cudaDriverGetVersion (&driver) != cudaSuccess || driver == 0)
    probe_print (text, size, 0, "no driver");
  else if (driver / 1000 < runtime / 1000)
    probe_print (text, size, 0, "driver too old: it offers CUDA %d.%d, this module needs %d.0", driver / 1000,
                 driver % 1000 / 10, runtime / 1000);
  else
    probe_print (text, size, 0, "%s", cudaGetErrorString (error));
}

extern "C" int
assay_cuda_probe (char *text, size_t size)
{
  int n_devices = 0, n_usable = 0;
  size_t length = 0;
  if (size > 0)
    text[0] = '\0';
  const cudaError_t error = cudaGetDeviceCount (&n_devices);
  if (error != cudaSuccess || n_devices == 0)
    {
      cuda_explain_absence (text, size, error != cudaSuccess ? error : cudaErrorNoDevice);
      return 0;
    }
  for (int i = 0; i < n_devices; i++)
    {
      cudaDeviceProp properties;
      if (cudaGetDeviceProperties (&properties, i) != cudaSuccess)
        continue;
      length
        = probe_print (text, size, length, "%scuda:%d: %s, %.1f GiB, compute %d.%d", n_usable > 0 ? "\n" : "",
                       i, properties.name, (double) properties.totalGlobalMem / (1024.0 * 1024.0 * 1024.0),
                       properties.major, properties.minor);
      n_usable++;
    }
  if (n_usable == 0)
    probe_print (text, size, 0, "%s", cudaGetErrorString (cudaGetLastError ()));
  return n_usable;
}
