/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/assay-device.c: accounts and a cache of freed blocks over a backend's plain alloc and free.
 *
 * A run allocates a few dozen blocks, most of them once, and gives some back between phases; so the cache is
 * a list that is searched, not a tree. A block is reused for the size it was made for, or for one up to an
 * eighth smaller. The budget bounds `reserved`, since cached blocks are taken from the device too; before it
 * refuses, the cache is given back. Sizes are exact, without rounding, so that a prediction can be compared
 * to the byte. */
#include "assay-device.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>

#include "assay-device-host-private.h"
#include "assay-device-private.h"
#include "assay-values.h"
#include "plan/plan.h"

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
  guint64 budget, ram_limit; /* 0: none */
  guint64 memory;        /* all there is */
  gint64 available; /* the machine's memory when the device was made; -1: unknown, or none of its matter */
  guint64 fixed[ASSAY_N_MEMORY];
  gboolean separate, plan, pinned;
  const AssayCudaModule *cuda; /* of a card; lives for good */
  AssayDevice *card;     /* borrowed: pins this host memory; NULL in a plan */
  AssayTrimFunc trim_func;
  gpointer trim_data;
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
  self->memory = (guint64) MAX (assay_host_read_total (), 0);
  self->cache = g_array_new (FALSE, FALSE, sizeof (DeviceBlock));
  g_mutex_init (&self->lock);
  return self;
}

AssayDevice *
assay_device_new_separate (const char *name, AssayBackend *backend, guint64 budget_bytes)
{
  AssayDevice *self = assay_device_new (name, backend, budget_bytes);
  self->separate = TRUE;
  return self;
}

/* options: all but the instruction set, which is the widest. */
static AssayDevice *
device_new_on_cpu (const char *name, AssayCpuOptions options, guint64 budget, GError **error)
{
  options.isa = ASSAY_CPU_BEST;
  AssayBackend *backend = assay_cpu_backend_new (&options);
  if (backend == NULL)
    {
      assay_engine_error_set (
        error, ASSAY_ENGINE_ERROR_OOM_HOST, "no-threads", NULL, "threads", -1,
        "the %s device could not be made with %u threads: no memory for them; ask for fewer", name,
        options.n_threads);
      return NULL;
    }
  AssayDevice *self = assay_device_new (name, backend, budget);
  g_free (self->kernel_name);
  self->kernel_name = g_strdup (assay_cpu_get_kernel_name (backend));
  self->n_threads = assay_cpu_get_n_threads (backend);
  return self;
}

AssayDevice *
assay_device_new_cpu (guint n_threads, AssayCompute compute, guint64 budget_bytes, GError **error)
{
  const AssayCpuOptions options = { .n_threads = n_threads, .compute = compute };
  return device_new_on_cpu ("cpu", options, budget_bytes, error);
}

AssayDevice *
assay_device_new_virtual (guint n_threads, AssayCompute compute, guint64 budget_bytes, GError **error)
{
  const AssayCpuOptions options = { .n_threads = n_threads, .compute = compute, .shared_memory = true };
  AssayDevice *self = device_new_on_cpu ("virtual", options, budget_bytes, error);
  if (self == NULL)
    return NULL;
  if (self->budget == 0)
    self->budget = (guint64) MAX (self->available, 0);
  self->memory = self->budget;
  self->separate = TRUE;
  return self;
}

AssayDevice *
assay_device_new_host (guint n_threads, guint64 limit_bytes, GError **error)
{
  const AssayCpuOptions options = { .n_threads = n_threads, .compute = ASSAY_COMPUTE_F32 };
  AssayDevice *self = device_new_on_cpu ("host", options, 0, error);
  if (self != NULL)
    self->ram_limit = limit_bytes;
  return self;
}

AssayDevice *
assay_device_new_plan (AssayDevice *like, GError **error)
{
  AssayBackend *backend = assay_plan_backend_new (like->backend, 0);
  if (backend == NULL)
    {
      assay_engine_error_set (error, ASSAY_ENGINE_ERROR_OOM_HOST, "no-host-memory", NULL, NULL, -1,
                              "there is no memory to plan with");
      return NULL;
    }
  AssayDevice *self = assay_device_new (like->name, backend, 0);
  g_free (self->kernel_name);
  self->kernel_name = g_strdup (like->kernel_name);
  self->n_threads = like->n_threads;
  self->memory = like->memory;
  self->separate = like->separate;
  self->pinned = like->pinned;
  self->cuda = like->cuda;
  self->available = -1;
  self->plan = TRUE;
  for (guint i = 0; i < ASSAY_N_MEMORY; i++)
    assay_device_count_fixed (self, i, like->fixed[i]);
  return self;
}

void
assay_device_set_trim_func (AssayDevice *self, AssayTrimFunc func, gpointer data)
{
  self->trim_func = func;
  self->trim_data = data;
}

void
assay_device_free (AssayDevice *self)
{
  if (self == NULL)
    return;
  assay_device_trim (self);
  for (guint i = 0; i < ASSAY_N_MEMORY; i++)
    g_warn_if_fail (self->figures.allocated[i] == self->fixed[i]); /* a buffer outlives its device */
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

gboolean
assay_device_is_separate (AssayDevice *self)
{
  return self->separate;
}

gboolean
assay_device_is_plan (AssayDevice *self)
{
  return self->plan;
}

guint64
assay_device_get_memory (AssayDevice *self)
{
  return self->memory;
}

gint64
assay_device_get_available (AssayDevice *self)
{
  return self->available;
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

/* --- what a card brings with it --- */

void
assay_device_count_fixed (AssayDevice *self, AssayMemory category, guint64 bytes)
{
  self->fixed[category] += bytes;
  device_count (self, category, (gint64) bytes, (gint64) bytes);
}

void
assay_device_set_cuda (AssayDevice *self, const AssayCudaModule *module, guint64 memory, guint64 free_bytes)
{
  g_free (self->kernel_name);
  self->kernel_name = g_strdup (module->get_kernel_name (self->backend));
  self->cuda = module;
  self->memory = memory;
  self->available = (gint64) (self->figures.reserved + free_bytes);
}

const AssayCudaModule *
assay_device_get_cuda (AssayDevice *self)
{
  return self->cuda;
}

void
assay_device_set_pinned (AssayDevice *host, AssayDevice *card)
{
  uint64_t device_bytes, pinned_bytes;
  card->cuda->get_fixed_bytes (card->backend, &device_bytes, &pinned_bytes);
  host->pinned = TRUE;
  host->card = card;
  assay_device_count_fixed (host, ASSAY_MEMORY_STAGING, pinned_bytes);
}

gboolean
assay_device_is_pinned (AssayDevice *self)
{
  return self->pinned;
}

/* --- blocks --- */

static AssayStatus
device_acquire (AssayDevice *self, guint64 bytes, void **out)
{
  if (self->card != NULL)
    return self->card->cuda->pinned_alloc (self->card->backend, MAX (bytes, 1), out);
  return self->backend->ops->alloc (self->backend, MAX (bytes, 1), out);
}

static void
device_release (AssayDevice *self, const DeviceBlock *block)
{
  if (self->card != NULL)
    self->card->cuda->pinned_free (self->card->backend, block->memory);
  else
    self->backend->ops->free (self->backend, block->memory, block->bytes);
  device_count (self, ASSAY_MEMORY_OUTPUT, 0, -(gint64) block->bytes);
}

void
assay_device_trim (AssayDevice *self)
{
  guint64 bytes = 0;
  for (guint i = 0; i < self->cache->len; i++)
    {
      const DeviceBlock *block = &g_array_index (self->cache, DeviceBlock, i);
      bytes += block->bytes;
      device_release (self, block);
    }
  g_array_set_size (self->cache, 0);
  if (bytes == 0)
    return;
  g_mutex_lock (&self->lock);
  self->figures.n_trims++;
  g_mutex_unlock (&self->lock);
  if (self->trim_func != NULL)
    self->trim_func (bytes, self->trim_data);
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

/* What stands in the way, and what a person can do about it. */
typedef struct
{
  AssayEngineError code;
  const char *reason, *what, *advice;
} DeviceLimit;

static const DeviceLimit limit_budget = { ASSAY_ENGINE_ERROR_OOM_DEVICE, "over-budget", N_("budget is"),
                                          N_("raise vram_budget, or lower context_length or the weights' bits") };
static const DeviceLimit limit_ram = { ASSAY_ENGINE_ERROR_OOM_HOST, "over-ram-budget", N_("ram_budget are"),
                                       N_("raise ram_budget, or lower the weights' bits") };
static const DeviceLimit limit_machine
    = { ASSAY_ENGINE_ERROR_OOM_HOST, "no-host-memory", N_("available memory is"),
        N_("close other programs, or lower context_length or the weights' bits") };

static const DeviceLimit limit_card
    = { ASSAY_ENGINE_ERROR_OOM_DEVICE, "no-device-memory", N_("free memory is"),
        N_("close what else uses the card, or lower context_length or the weights' bits") };
static const DeviceLimit limit_pinned
    = { ASSAY_ENGINE_ERROR_OOM_HOST, "no-pinned-memory", N_("available memory is"),
        N_("what waits beside a card cannot be paged out: offload less, or close other programs") };

/* Where there simply is no more. */
static const DeviceLimit *
device_get_last_limit (AssayDevice *self)
{
  return self->cuda != NULL ? &limit_card : self->card != NULL ? &limit_pinned : &limit_machine;
}

static char *
device_dup_exact (guint64 bytes)
{
  return g_strdup_printf ("%" PRIu64 " bytes", bytes);
}

/* As many digits as it takes: two amounts that differ never look alike. */
static void
device_dup_pair (guint64 a, guint64 b, char **a_text, char **b_text)
{
  *a_text = assay_format_bytes (a);
  *b_text = assay_format_bytes (b);
  if (a == b || !g_str_equal (*a_text, *b_text))
    return;
  g_free (*a_text);
  g_free (*b_text);
  *a_text = device_dup_exact (a);
  *b_text = device_dup_exact (b);
}

/* Rounded, and exact where rounding took something. */
static char *
device_dup_request (guint64 bytes)
{
  g_autofree char *rounded = assay_format_bytes (bytes), *exact = device_dup_exact (bytes);
  return g_str_has_suffix (rounded, " B") ? g_steal_pointer (&rounded)
                                          : g_strdup_printf ("%s (%s)", rounded, exact);
}

static void
device_set_oom (AssayDevice *self, const DeviceLimit *limit, AssayMemory category, guint64 bytes,
                guint64 bound, GError **error)
{
  g_autofree char *request = device_dup_request (bytes), *use = device_dup_use (self);
  g_autofree char *in_use = NULL, *most = NULL;
  GError *local = NULL;
  device_dup_pair (self->figures.reserved, bound, &in_use, &most);
  assay_engine_error_set (
    &local, limit->code, limit->reason, NULL, assay_memory_get_name (category), -1,
    "asked for %s on %s, where %s of %s %s in use%s%s%s; %s", request, self->name, in_use, most, _(limit->what),
    *use != '\0' ? " (" : "", use, *use != '\0' ? ")" : "", _(limit->advice));
  assay_engine_error_set_request (local, bytes);
  g_propagate_error (error, local);
}

static gboolean
device_exceeds (AssayDevice *self, guint64 bytes, guint64 limit)
{
  return bytes > limit - MIN (self->figures.reserved, limit);
}

/* The limit that so many bytes more would break; NULL: none. Overcommitting kernels grant memory they do not
 * have and kill the process when it is touched: so what the machine had at the start bounds the sum too. */
static const DeviceLimit *
device_find_limit (AssayDevice *self, guint64 bytes, guint64 *bound)
{
  *bound = self->budget;
  if (self->budget > 0 && device_exceeds (self, bytes, self->budget))
    return &limit_budget;
  *bound = self->ram_limit;
  if (self->ram_limit > 0 && device_exceeds (self, bytes, self->ram_limit))
    return &limit_ram;
  *bound = self->available >= 0 ? (guint64) self->available : self->figures.reserved;
  return self->available >= 0 && device_exceeds (self, bytes, *bound) ? device_get_last_limit (self)
                                                                            : NULL;
}

static gboolean
device_take_new (AssayDevice *self, AssayMemory category, guint64 bytes, DeviceBlock *out, GError **error)
{
  guint64 bound;
  const DeviceLimit *limit = device_find_limit (self, bytes, &bound);
  if (limit != NULL)
    {
      assay_device_trim (self);
      limit = device_find_limit (self, bytes, &bound);
    }
  out->bytes = bytes;
  AssayStatus status = ASSAY_OK;
  if (limit == NULL)
    status = device_acquire (self, bytes, &out->memory);
  if (status == ASSAY_NO_MEMORY && self->cache->len > 0)
    {
      assay_device_trim (self);
      status = device_acquire (self, bytes, &out->memory);
    }
  if (limit != NULL || status == ASSAY_NO_MEMORY)
    {
      device_set_oom (self, limit != NULL ? limit : device_get_last_limit (self), category, bytes, bound, error);
      return FALSE;
    }
  if (!assay_device_check (self->card != NULL ? self->card : self, status, "alloc", error))
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
  const gboolean oom = status == ASSAY_NO_MEMORY && self->cuda != NULL;
  assay_engine_error_set (error, oom ? ASSAY_ENGINE_ERROR_OOM_DEVICE : faults[status].code, faults[status].reason, NULL, operation, -1,
                          "%s on %s: %s%s%s", operation, self->name, faults[status].words,
                          *fault != '\0' ? ": " : "", fault);
  return FALSE;
}
