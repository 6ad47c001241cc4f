/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/assay-device-list.c: what this machine offers, and in words why not more.
 *
 * CUDA lives in a module that is looked for at run time, so that the app starts where there is no driver and
 * no toolkit. It is asked one question here, whether a card can be used, and closed again. */
#include "assay-device.h"

#include "assay-device-host-private.h"

#include <gmodule.h>

#define MODULE_NAME "libassay-cuda." G_MODULE_SUFFIX

/* TRUE and the cards' names, one a line; or FALSE and the reason. */
typedef bool (*CudaProbe) (char *message, size_t size);

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
  g_string_append_printf (text, ", %u cores", g_get_num_processors ());
  for (guint i = 0; i < G_N_ELEMENTS (sets); i++)
    if (assay_cpu_has_isa (sets[i].isa))
      g_string_append_printf (text, ", %s", sets[i].name);
  g_string_append (text, "; computes in float32, float16, bfloat16 and int8");
  return device_info_new ("cpu", g_string_free (text, FALSE), assay_host_read_total (), NULL);
}

static AssayDeviceInfo *
device_info_new_virtual (void)
{
  return device_info_new ("virtual",
                          g_strdup ("computes on the processor, with device memory and a link of its own: "
                                    "vram_budget and link_bandwidth make it the card to be tried out"),
                          assay_host_read_available (), NULL);
}

/* Where a build tree and an installation keep the module, both relative to the program; or where a person
 * says. */
static char *
device_find_module (void)
{
  const char *chosen = g_getenv ("ASSAY_MODULE_DIR");
  g_autofree char *program = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *folder = program != NULL ? g_path_get_dirname (program) : g_strdup (".");
  char *places[] = {
    chosen != NULL ? g_build_filename (chosen, MODULE_NAME, NULL) : NULL,
    g_build_filename (ASSAY_MODULE_DIR, MODULE_NAME, NULL),
    g_build_filename (folder, "..", "kernels", "cuda", MODULE_NAME, NULL),
  };
  char *found = NULL;
  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    {
      if (found == NULL && places[i] != NULL && g_file_test (places[i], G_FILE_TEST_IS_REGULAR))
        found = g_steal_pointer (&places[i]);
      g_free (places[i]);
    }
  return found;
}

static AssayDeviceInfo *
device_info_new_cuda (void)
{
  g_autofree char *path = device_find_module ();
  if (path == NULL)
    return device_info_new ("cuda:0", g_strdup ("CUDA"), 0,
                            g_strdup ("the module " MODULE_NAME
                                      " is not installed: Assay was built without the CUDA "
                                      "toolkit (nvcc)"));
  GModule *module = g_module_open (path, G_MODULE_BIND_LAZY | G_MODULE_BIND_LOCAL);
  if (module == NULL)
    return device_info_new (
      "cuda:0", g_strdup ("CUDA"), 0,
      g_strdup_printf ("the module could not be loaded, as when the driver is missing: %s",
                       g_module_error ()));
  gpointer symbol = NULL;
  char message[512] = "";
  AssayDeviceInfo *info;
  if (!g_module_symbol (module, "assay_cuda_probe", &symbol))
    info = device_info_new ("cuda:0", g_strdup ("CUDA"), 0,
                            g_strdup_printf ("%s is not Assay's CUDA module", path));
  else if (!((CudaProbe) symbol) (message, sizeof message))
    info = device_info_new ("cuda:0", g_strdup ("CUDA"), 0, g_strdup (message));
  else
    info = device_info_new (
      "cuda:0", g_strdup (message), 0,
      g_strdup ("running on a CUDA device comes with a later release; the cpu device works"));
  g_module_close (module);
  return info;
}

GPtrArray *
assay_device_list (void)
{
  GPtrArray *list = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_device_info_free);
  g_ptr_array_add (list, device_info_new_cpu ());
  g_ptr_array_add (list, device_info_new_virtual ());
  g_ptr_array_add (list, device_info_new_cuda ());
  return list;
}
