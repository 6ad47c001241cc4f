/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/assay-device-list.c: what this machine offers, and in words why not more. */
#include "assay-device.h"

#include <glib/gi18n-lib.h>

#include "assay-device-host-private.h"
#include "cuda-module.h"

void
assay_device_info_free (AssayDeviceInfo *self)
{
  if (self == NULL)
    return;
  g_free (self->name);
  g_free (self->description);
  g_free (self->problem);
  g_free (self);
}

static AssayDeviceInfo *
device_info_new (const char *name, char *description, gint64 memory_bytes, char *problem)
{
  AssayDeviceInfo *info = g_new0 (AssayDeviceInfo, 1);
  info->name = g_strdup (name);
  info->description = description;
  info->memory_bytes = (guint64) MAX (memory_bytes, 0);
  info->problem = problem;
  return info;
}

static AssayDeviceInfo *
device_info_new_cpu (void)
{
  static const struct { AssayCpuIsa isa; const char *name; } sets[] = {
    { ASSAY_CPU_AVX512, "AVX-512 VNNI" }, { ASSAY_CPU_AVX2, "AVX2" },
  };
  g_autofree char *processor = assay_host_dup_processor_name ();
  GString *text = g_string_new (processor);
  g_string_append_printf (text, _(", %u cores"), g_get_num_processors ());
  for (guint i = 0; i < G_N_ELEMENTS (sets); i++)
    if (assay_cpu_has_isa (sets[i].isa))
      g_string_append_printf (text, ", %s", sets[i].name);
  g_string_append (text, _("; computes in float32, float16, bfloat16 and int8"));
  return device_info_new ("cpu", g_string_free (text, FALSE), assay_host_read_total (), NULL);
}

static AssayDeviceInfo *
device_info_new_virtual (void)
{
  return device_info_new ("virtual",
                          g_strdup (_("computes on the processor, with device memory and a link of its own: "
                                      "vram_budget and link_bandwidth make it the card to be tried out")),
                          assay_host_read_available (), NULL);
}

static AssayDeviceInfo *
device_info_new_card (const AssayCudaModule *module, int ordinal)
{
  AssayCudaInfo card;
  char fault[256] = "";
  g_autofree char *name = g_strdup_printf ("cuda:%d", ordinal);
  if (!module->get_info (ordinal, &card, fault, sizeof fault))
    return device_info_new (name, g_strdup ("CUDA"), 0, g_strdup (fault));
  return device_info_new (name,
                          g_strdup_printf (_("%s, compute %d.%d; computes in float32, float16, bfloat16 and int8"),
                                           card.name, card.compute_major, card.compute_minor),
                          (gint64) card.memory_bytes, NULL);
}

/* One entry where there is no card, to say why. */
static void
device_list_add_cards (GPtrArray *list)
{
  const char *problem = NULL;
  char message[1024] = "";
  const AssayCudaModule *module = assay_cuda_module_get (&problem);
  const int n = module != NULL ? module->probe (message, sizeof message) : 0;
  if (n == 0)
    g_ptr_array_add (list, device_info_new ("cuda:0", g_strdup ("CUDA"), 0,
                                            g_strdup (module != NULL ? message : problem)));
  for (int i = 0; i < n; i++)
    g_ptr_array_add (list, device_info_new_card (module, i));
}

GPtrArray *
assay_device_list (void)
{
  GPtrArray *list = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_device_info_free);
  g_ptr_array_add (list, device_info_new_cpu ());
  g_ptr_array_add (list, device_info_new_virtual ());
  device_list_add_cards (list);
  return list;
}
