/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/assay-device.c: accounts and a cache of freed blocks over a backend's plain alloc and free.
 *
 * A run allocates a few dozen blocks, most of them once, and gives some back between phases; so the cache is
 * a list that is searched, not a tree. A block is reused for the size it was made for, or for one up to an
 * eighth smaller. The budget bounds `reserved`, since cached blocks are taken from the device too; before it
 * refuses, the cache is given back. Sizes are exact, without rounding, so that a prediction can be compared
 * to the byte. */
#include "assay-device.h"

#include "assay-device-host-private.h"
#include "assay-device-private.h"
#include "assay-values.h"

typedef struct
{
  void *memory;
  guint64 bytes;
} DeviceBlock;

struct _AssayDevice
{
  char *name, *kernel_name;
  guint n_threads;
  AssayBackend *backend;
  guint64 budget;
  gint64 available;      /* the machine's memory when the device was made; -1 unknown */
  GArray *cache;         /* DeviceBlock */
  GMutex lock;           /* over the figures only: the engine thread writes, others read */
  AssayDeviceFigures figures;
};

struct _AssayBuffer
{
  AssayDevice *device;   /* borrowed: outlives its buffers */
  DeviceBlock block;
  guint64 bytes;         /* as asked for */
  AssayMemory category;
};

AssayDevice *
assay_device_new (const char *name, AssayBackend *backend, guint64 budget_bytes)
{
  g_return_val_if_fail (name != NULL && backend != NULL, NULL);
  AssayDevice *self = g_new0 (AssayDevice, 1);
  self->name = g_strdup (name);
  self->kernel_name = g_strdup (backend->ops->name);
  self->backend = backend;
  self->budget = budget_bytes;
  self->available = assay_host_read_available ();
  self->cache = g_array_new (FALSE, FALSE, sizeof (DeviceBlock));
  g_mutex_init (&self->lock);
  return self;
}

AssayDevice *
assay_device_new_cpu (guint n_threads, gboolean exact, guint64 budget_bytes, GError **error)
{
  const AssayCpuOptions options = { .n_threads = n_threads, .isa = ASSAY_CPU_BEST, .compute = exact ? ASSAY_COMPUTE_F32 : ASSAY_COMPUTE_INT8 };
  AssayBackend *backend = assay_cpu_backend_new (&options);
  if (backend == NULL)
    {
      assay_engine_error_set (
        error, ASSAY_ENGINE_ERROR_OOM_HOST, "no-threads", NULL, "threads", -1,
        "the cpu device could not be made with %u threads: no memory for them; ask for fewer", n_threads);
      return NULL;
    }
  AssayDevice *self = assay_device_new ("cpu", backend, budget_bytes);
  g_free (self->kernel_name);
  self->kernel_name = g_strdup (assay_cpu_get_kernel_name (backend));
  self->n_threads = assay_cpu_get_n_threads (backend);
  return self;
}

void
assay_device_free (AssayDevice *self)
{
  if (self == NULL)
    return;
  assay_device_trim (self);
  for (guint i = 0; i < ASSAY_N_MEMORY; i++)
    g_warn_if_fail (self->figures.allocated[i] == 0); /* a buffer outlives its device */
  self->backend->ops->destroy (self->backend);
  g_array_unref (self->cache);
  g_mutex_clear (&self->lock);
  g_free (self->kernel_name);
  g_free (self->name);
  g_free (self);
}

const char *
assay_device_get_name (AssayDevice *self)
{
  return self->name;
}

const char *
assay_device_get_kernel_name (AssayDevice *self)
{
  return self->kernel_name;
}

guint
assay_device_get_n_threads (AssayDevice *self)
{
  return self->n_threads;
}

AssayBackend *
assay_device_get_backend (AssayDevice *self)
{
  return self->backend;
}

guint64
assay_device_get_budget (AssayDevice *self)
{
  return self->budget;
}

static guint64
device_sum_allocated (const AssayDeviceFigures *figures)
{
  guint64 sum = 0;
  for (guint i = 0; i < ASSAY_N_MEMORY; i++)
    sum += figures->allocated[i];
  return sum;
}

static void
device_count (AssayDevice *self, AssayMemory category, gint64 allocated, gint64 reserved)
{
  g_mutex_lock (&self->lock);
  AssayDeviceFigures *f = &self->figures;
  f->allocated[category] += (guint64) allocated;
  f->reserved += (guint64) reserved;
  const guint64 sum = device_sum_allocated (f);
  f->peak[category] = MAX (f->peak[category], f->allocated[category]);
  f->peak_allocated = MAX (f->peak_allocated, sum);
  f->phase_peak_allocated = MAX (f->phase_peak_allocated, sum);
  f->peak_reserved = MAX (f->peak_reserved, f->reserved);
  g_mutex_unlock (&self->lock);
}

static void
device_release (AssayDevice *self, const DeviceBlock *block)
{
  self->backend->ops->free (self->backend, block->memory, block->bytes);
  device_count (self, ASSAY_MEMORY_OUTPUT, 0, -(gint64) block->bytes);
}

void
assay_device_trim (AssayDevice *self)
{
  for (guint i = 0; i < self->cache->len; i++)
    device_release (self, &g_array_index (self->cache, DeviceBlock, i));
  g_array_set_size (self->cache, 0);
}

/* The smallest cached block that fits without wasting more than an eighth. */
static gboolean
device_take_cached (AssayDevice *self, guint64 bytes, DeviceBlock *out)
{
  gint best = -1;
  for (guint i = 0; i < self->cache->len; i++)
    {
      const DeviceBlock *block = &g_array_index (self->cache, DeviceBlock, i);
      if (block->bytes < bytes || block->bytes - bytes > block->bytes / 8)
        continue;
      if (best < 0 || block->bytes < g_array_index (self->cache, DeviceBlock, best).bytes)
        best = (gint) i;
    }
  if (best < 0)
    return FALSE;
  *out = g_array_index (self->cache, DeviceBlock, best);
  g_array_remove_index_fast (self->cache, (guint) best);
  return TRUE;
}

static char *
device_dup_use (AssayDevice *self)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < ASSAY_N_MEMORY; i++)
    {
      if (self->figures.allocated[i] == 0)
        continue;
      g_autofree char *size = assay_format_bytes (self->figures.allocated[i]);
      g_string_append_printf (text, "%s%s %s", text->len > 0 ? ", " : "", assay_memory_get_name (i), size);
    }
  return g_string_free (text, FALSE);
}

static void
device_set_oom (AssayDevice *self, AssayEngineError code, AssayMemory category, guint64 bytes, guint64 limit,
                GError **error)
{
  g_autofree char *request = assay_format_bytes (bytes);
  g_autofree char *in_use = assay_format_bytes (self->figures.reserved);
  g_autofree char *bound = assay_format_bytes (limit);
  g_autofree char *use = device_dup_use (self);
  const gboolean budget = code == ASSAY_ENGINE_ERROR_OOM_DEVICE;
  GError *local = NULL;
  assay_engine_error_set (
    &local, code, budget ? "over-budget" : "no-host-memory", NULL, assay_memory_get_name (category), -1,
    "asked for %s (%" G_GUINT64_FORMAT " bytes) on %s, where %s of %s %s in use%s%s%s; %s", request, bytes,
    self->name, in_use, bound,
    budget ? "budget is" : "available memory is", *use != '\0' ? " (" : "", use, *use != '\0' ? ")" : "",
    budget ? "raise vram_budget, or lower context_length or the weights' bits"
           : "close other programs, or lower context_length or the weights' bits");
  assay_engine_error_set_request (local, bytes);
  g_propagate_error (error, local);
}

/* Overcommitting kernels grant memory they do not have and kill the process when it is touched: so what the
 * machine had at the start bounds the sum here. */
static gboolean
device_exceeds_host (AssayDevice *self, guint64 bytes)
{
  return self->available >= 0
         && bytes > (guint64) self->available - MIN (self->figures.reserved, (guint64) self->available);
}

static gboolean
device_exceeds_budget (AssayDevice *self, guint64 bytes)
{
  return self->budget > 0 && bytes > self->budget - MIN (self->figures.reserved, self->budget);
}

static gboolean
device_take_new (AssayDevice *self, AssayMemory category, guint64 bytes, DeviceBlock *out, GError **error)
{
  if (device_exceeds_budget (self, bytes) || device_exceeds_host (self, bytes))
    assay_device_trim (self);
  if (device_exceeds_budget (self, bytes))
    {
      device_set_oom (self, ASSAY_ENGINE_ERROR_OOM_DEVICE, category, bytes, self->budget, error);
      return FALSE;
    }
  out->bytes = bytes;
  AssayStatus status = ASSAY_NO_MEMORY;
  if (!device_exceeds_host (self, bytes))
    status = self->backend->ops->alloc (self->backend, MAX (bytes, 1), &out->memory);
  if (status == ASSAY_NO_MEMORY && self->cache->len > 0)
    {
      assay_device_trim (self);
      status = self->backend->ops->alloc (self->backend, MAX (bytes, 1), &out->memory);
    }
  if (status == ASSAY_NO_MEMORY)
    {
      const guint64 limit = self->available >= 0 ? (guint64) self->available : self->figures.reserved;
      device_set_oom (self, ASSAY_ENGINE_ERROR_OOM_HOST, category, bytes, limit, error);
      return FALSE;
    }
  if (!assay_device_check (self, status, "alloc", error))
    return FALSE;
  device_count (self, category, 0, (gint64) bytes);
  return TRUE;
}

AssayBuffer *
assay_device_alloc (AssayDevice *self, AssayMemory category, guint64 bytes, GError **error)
{
  g_return_val_if_fail (category < ASSAY_N_MEMORY, NULL);
  DeviceBlock block = { NULL, 0 };
  if (!device_take_cached (self, bytes, &block) && !device_take_new (self, category, bytes, &block, error))
    return NULL;
  device_count (self, category, (gint64) bytes, 0);
  AssayBuffer *buffer = g_new (AssayBuffer, 1);
  *buffer = (AssayBuffer) { .device = self, .block = block, .bytes = bytes, .category = category };
  return buffer;
}

void
assay_buffer_free (AssayBuffer *self)
{
  if (self == NULL)
    return;
  device_count (self->device, self->category, -(gint64) self->bytes, 0);
  g_array_append_val (self->device->cache, self->block);
  g_free (self);
}

void *
assay_buffer_get_data (AssayBuffer *self)
{
  return self->block.memory;
}

guint64
assay_buffer_get_bytes (AssayBuffer *self)
{
  return self->bytes;
}

void
assay_device_get_figures (AssayDevice *self, AssayDeviceFigures *out)
{
  g_mutex_lock (&self->lock);
  *out = self->figures;
  g_mutex_unlock (&self->lock);
}

void
assay_device_mark_phase (AssayDevice *self)
{
  g_mutex_lock (&self->lock);
  self->figures.phase_peak_allocated = device_sum_allocated (&self->figures);
  g_mutex_unlock (&self->lock);
}

gboolean
assay_device_check (AssayDevice *self, AssayStatus status, const char *operation, GError **error)
{
  static const struct
  {
    AssayEngineError code;
    const char *reason, *words;
  } faults[] = {
    [ASSAY_UNSUPPORTED] = { ASSAY_ENGINE_ERROR_UNSUPPORTED, "operation-unsupported",
                            "this device cannot do it" },
    [ASSAY_NO_MEMORY] = { ASSAY_ENGINE_ERROR_OOM_HOST, "no-host-memory", "there was no memory for it" },
    [ASSAY_DEVICE_FAULT] = { ASSAY_ENGINE_ERROR_DEVICE, "device-fault", "the device failed" },
  };
  if (status == ASSAY_OK)
    return TRUE;
  const char *fault = self->backend->fault;
  assay_engine_error_set (error, faults[status].code, faults[status].reason, NULL, operation, -1,
                          "%s on %s: %s%s%s", operation, self->name, faults[status].words,
                          *fault != '\0' ? ": " : "", fault);
  return FALSE;
}
