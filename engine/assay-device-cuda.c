/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/assay-device-cuda.c: a card as a device: its backend, what that took beforehand, and what is free. */
#include "assay-device-private.h"
#include "assay-nvml.h"
#include "cuda-module.h"

static gboolean
cuda_set_unusable (GError **error, const char *name, const char *why)
{
  assay_engine_error_set (error, ASSAY_ENGINE_ERROR_UNSUPPORTED, "no-cuda", NULL, "device", -1,
                          "the device %s cannot be used: %s; choose 'cpu' or 'virtual'", name, why);
  return FALSE;
}

/* Without a context only NVML knows; what is fixed is not taken yet. All of it where NVML does not say. */
static guint64
cuda_read_free (const AssayCudaInfo *card, guint64 fixed)
{
  AssayNvmlFigures figures;
  if (!assay_nvml_get (assay_nvml_get_shared (card->uuid), &figures) || figures.free < 0)
    return card->memory_bytes - MIN (fixed, card->memory_bytes);
  return (guint64) figures.free - MIN (fixed, (guint64) figures.free);
}

static AssayDevice *
cuda_open (const char *name, const AssayCudaOptions *options, guint64 budget, GError **error)
{
  const char *problem = NULL;
  char fault[256] = "";
  AssayCudaInfo card;
  uint64_t fixed, pinned;
  const AssayCudaModule *module = assay_cuda_module_get (&problem);
  if (module == NULL)
    return cuda_set_unusable (error, name, problem), NULL;
  if (!module->get_info (options->ordinal, &card, fault, sizeof fault))
    return cuda_set_unusable (error, name, fault), NULL;
  AssayBackend *backend = module->backend_new (options, fault, sizeof fault);
  if (backend == NULL)
    return cuda_set_unusable (error, name, fault), NULL;
  AssayDevice *self = assay_device_new_separate (name, backend, budget);
  module->get_fixed_bytes (backend, &fixed, &pinned);
  assay_device_count_fixed (self, ASSAY_MEMORY_WORKSPACE, fixed);
  assay_device_set_cuda (self, module, card.memory_bytes, cuda_read_free (&card, fixed));
  return self;
}

AssayDevice *
assay_device_new_cuda (const char *name, AssayCompute compute, guint64 budget_bytes, GError **error)
{
  const AssayCudaOptions options = { .ordinal = assay_cuda_parse_ordinal (name), .compute = compute };
  uint64_t free_bytes, total;
  g_autoptr (AssayDevice) self = cuda_open (name, &options, budget_bytes, error);
  if (self == NULL)
    return NULL;
  const AssayCudaModule *module = assay_device_get_cuda (self);
  AssayBackend *backend = assay_device_get_backend (self);
  if (!assay_device_check (self, module->get_memory (backend, &free_bytes, &total), "memory", error))
    return NULL;
  assay_device_set_cuda (self, module, total, free_bytes);
  return g_steal_pointer (&self);
}

AssayDevice *
assay_device_new_cuda_sizes (const char *name, AssayCompute compute, GError **error)
{
  const AssayCudaOptions options
    = { .ordinal = assay_cuda_parse_ordinal (name), .compute = compute, .sizes_only = true };
  return cuda_open (name, &options, 0, error);
}
