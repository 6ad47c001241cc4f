/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/engine/fake-nvml.c: a libnvidia-ml.so.1 that answers as a test says.
 *
 * By the environment: FAKE_NVML_INIT, FAKE_NVML_HANDLE, FAKE_NVML_MEMORY statuses; FAKE_NVML_LOST_AFTER the number of
 * readings after which the card is lost; FAKE_NVML_HANG_US how long a reading takes; FAKE_NVML_USED the first reading's
 * bytes in use, which grow by 1 MiB each time; FAKE_NVML_PROCESS what this process uses, "na" for not available. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct { unsigned version; unsigned long long total, reserved, free, used; } Memory;
typedef struct { unsigned pid; unsigned long long used; unsigned gpu_instance, compute_instance; } Process;

int nvmlInit_v2 (void);
const char *nvmlErrorString (int status);
int nvmlDeviceGetHandleByUUID (const char *uuid, void **device);
int nvmlDeviceGetMemoryInfo_v2 (void *device, Memory *memory);
int nvmlDeviceGetComputeRunningProcesses_v3 (void *device, unsigned *n, Process *processes);

static unsigned long long
told (const char *name, unsigned long long otherwise)
{
  const char *text = getenv (name);
  return text != NULL ? strtoull (text, NULL, 10) : otherwise;
}

int
nvmlInit_v2 (void)
{
  return (int) told ("FAKE_NVML_INIT", 0);
}

const char *
nvmlErrorString (int status)
{
  return status == 15 ? "GPU is lost" : status == 9 ? "Driver Not Loaded" : "Unknown Error";
}

int
nvmlDeviceGetHandleByUUID (const char *uuid, void **device)
{
  *device = (void *) uuid;
  return (int) told ("FAKE_NVML_HANDLE", 0);
}

int
nvmlDeviceGetMemoryInfo_v2 (void *device, Memory *memory)
{
  static unsigned n;
  (void) device;
  usleep ((useconds_t) told ("FAKE_NVML_HANG_US", 0));
  if (memory->version != (sizeof (Memory) | 2u << 24))
    return 25;
  if (n >= told ("FAKE_NVML_LOST_AFTER", UINT64_MAX))
    return 15;
  memory->total = 1ull << 34;
  memory->reserved = 1ull << 29;
  memory->used = told ("FAKE_NVML_USED", 1ull << 30) + n * (1ull << 20);
  memory->free = memory->total - memory->used - memory->reserved;
  n++;
  return (int) told ("FAKE_NVML_MEMORY", 0);
}

int
nvmlDeviceGetComputeRunningProcesses_v3 (void *device, unsigned *n, Process *processes)
{
  const char *own = getenv ("FAKE_NVML_PROCESS");
  (void) device;
  *n = 1;
  processes[0] = (Process) { 1, 5ull << 20, 0, 0 };
  if (own != NULL)
    processes[(*n)++] = (Process) { (unsigned) getpid (),
                                    strcmp (own, "na") == 0 ? UINT64_MAX : strtoull (own, NULL, 10), 0, 0 };
  return 0;
}
