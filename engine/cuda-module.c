/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/cuda-module.c: where the module lies, and whether it is the one this program was built with. */
#include "cuda-module.h"

#include <glib/gi18n-lib.h>
#include <gmodule.h>
#include <string.h>

#define MODULE_NAME "libassay-cuda." G_MODULE_SUFFIX

static const AssayCudaModule *chosen; /* by a test */

/* Where a build tree and an installation keep the module, both relative to the program; or where a person
 * says. */
static char *
module_find (void)
{
  const char *folder_chosen = g_getenv ("ASSAY_MODULE_DIR");
  g_autofree char *program = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *folder = program != NULL ? g_path_get_dirname (program) : g_strdup (".");
  char *places[] = {
    folder_chosen != NULL ? g_build_filename (folder_chosen, MODULE_NAME, NULL) : NULL,
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

/* (transfer full) *problem */
static const AssayCudaModule *
module_open (char **problem)
{
  g_autofree char *path = module_find ();
  gpointer symbol = NULL;
  if (path == NULL)
    {
      *problem = g_strdup_printf (_("the module %s is not installed: Assay was built without the CUDA toolkit (nvcc)"),
                                  MODULE_NAME);
      return NULL;
    }
  GModule *library = g_module_open (path, G_MODULE_BIND_LAZY | G_MODULE_BIND_LOCAL);
  if (library == NULL)
    {
      *problem = g_strdup_printf (_("the module could not be loaded, as when the driver is missing: %s"),
                                  g_module_error ());
      return NULL;
    }
  if (g_module_symbol (library, "assay_cuda_module", &symbol))
    {
      const AssayCudaModule *module = symbol;
      if (module->version == ASSAY_CUDA_VERSION && module->bytes == sizeof *module)
        return module;
      *problem = g_strdup_printf (_("%s belongs to another build of Assay: install both anew"), path);
    }
  else
    *problem = g_strdup_printf (_("%s is not Assay's CUDA module"), path);
  g_module_close (library);
  return NULL;
}

const AssayCudaModule *
assay_cuda_module_get (const char **problem)
{
  static gsize once;
  static const AssayCudaModule *module;
  static char *reason;
  const AssayCudaModule *set = g_atomic_pointer_get (&chosen);
  if (set != NULL)
    return set;
  if (g_once_init_enter (&once))
    {
      module = module_open (&reason);
      g_once_init_leave (&once, 1);
    }
  if (problem != NULL)
    *problem = reason;
  return module;
}

void
assay_cuda_module_set (const AssayCudaModule *module)
{
  g_atomic_pointer_set (&chosen, (gpointer) module);
}

gint
assay_cuda_parse_ordinal (const char *device)
{
  guint64 ordinal;
  if (device == NULL || !g_str_has_prefix (device, "cuda:")
      || !g_ascii_string_to_unsigned (device + strlen ("cuda:"), 10, 0, 1023, &ordinal, NULL))
    return -1;
  return (gint) ordinal;
}
