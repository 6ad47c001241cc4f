/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/runtimes/assay-recipe.c: see assay-recipe.h. */
#include "assay-recipe.h"

#include "assay-engine-error.h"

#include <glib/gi18n-lib.h>
#include <stdlib.h>
#include <string.h>

#define RECIPE_SUFFIX ".py"

static char *
recipe_dup_folder (void)
{
  const char *data = g_getenv ("ASSAY_DATA_DIR");
  return g_build_filename (data != NULL ? data : ASSAY_DATA_DIR, "runtimes", NULL);
}

static gint
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

char **
assay_recipe_list (void)
{
  g_autofree char *folder = recipe_dup_folder ();
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  GPtrArray *names = g_ptr_array_new ();
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, RECIPE_SUFFIX) && !g_str_has_prefix (name, "assay_"))
      g_ptr_array_add (names, g_strndup (name, strlen (name) - strlen (RECIPE_SUFFIX)));
  g_ptr_array_sort (names, compare_names);
  g_ptr_array_add (names, NULL);
  return (char **) g_ptr_array_free (names, FALSE);
}

static gboolean
recipe_set_absent (const char *recipe, GError **error)
{
  g_auto (GStrv) names = assay_recipe_list ();
  g_autofree char *known = g_strjoinv (", ", names), *shown = assay_engine_escape (recipe, strlen (recipe));
  assay_engine_error_set (error, ASSAY_ENGINE_ERROR_RULE, "no-such-recipe", NULL, NULL, -1,
                          _("recipe is '%s', which is none of %s: choose one, or give the path of a script"), shown,
                          *known != '\0' ? known : "–");
  if (error != NULL)
    assay_engine_error_set_field (*error, "recipe");
  return FALSE;
}

gboolean
assay_recipe_find (const char *recipe, char **path, GError **error)
{
  *path = NULL;
  if (recipe == NULL || *recipe == '\0' || g_str_equal (recipe, "none"))
    return TRUE;
  g_autofree char *folder = recipe_dup_folder ();
  g_autofree char *file = g_strconcat (recipe, RECIPE_SUFFIX, NULL);
  g_autofree char *bundled = g_build_filename (folder, file, NULL);
  const gboolean named = strchr (recipe, '/') == NULL;
  g_autofree char *script = named ? g_steal_pointer (&bundled) : g_canonicalize_filename (recipe, NULL);
  if (!g_file_test (script, G_FILE_TEST_IS_REGULAR))
    return recipe_set_absent (recipe, error);
  *path = g_steal_pointer (&script);
  return TRUE;
}
