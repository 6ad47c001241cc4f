/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/models/adapter-list.c: the condition `attached_components`, a line an adapter. */
#include "adapter-private.h"

#include <math.h>
#include <string.h>

enum { ADAPTERS_MAX = 64 };

static void
adapter_entry_free (gpointer data)
{
  AssayAdapterEntry *entry = data;
  g_free (entry->path);
  g_free (entry);
}

static gboolean
list_fail (GError **error, const char *line, const char *what)
{
  g_autofree char *shown = assay_engine_escape (line, strlen (line));
  assay_engine_error_set (error, ASSAY_ENGINE_ERROR_RULE, "attached-components", NULL, "attached_components",
                          -1, "'%s': %s; write PATH or PATH@SCALE, one a line, for example adapter.gguf@0.5; "
                          "after a path that ends so itself, PATH@1",
                          shown, what);
  return FALSE;
}

/* What follows the last '@' is a scale when it is a number, and meant as one when it has no other characters
 * than numbers have; anything else is a part of the path. A file that is there under the whole name is meant. */
static gboolean
list_split_scale (char *line, float *scale, GError **error)
{
  char *at = strrchr (line, '@'), *end = NULL;
  *scale = 1;
  if (at == NULL || g_file_test (line, G_FILE_TEST_EXISTS))
    return TRUE;
  const double value = g_ascii_strtod (at + 1, &end);
  if (end == at + 1 || *end != '\0')
    return strspn (at + 1, "0123456789.,+-eE") < strlen (at + 1)
           || list_fail (error, line, "what follows the @ is not a number");
  if (!isfinite (value) || fabs (value) > ASSAY_ADAPTER_SCALE_MAX)
    return list_fail (error, line, "the scale must be a finite number from -" G_STRINGIFY (ASSAY_ADAPTER_SCALE_MAX)
                                   " to " G_STRINGIFY (ASSAY_ADAPTER_SCALE_MAX));
  if (at == line)
    return list_fail (error, line, "there is no path before the @");
  *at = '\0';
  *scale = (float) value;
  return TRUE;
}

GPtrArray *
assay_adapter_parse_list (const char *text, GError **error)
{
  g_autoptr (GPtrArray) entries = g_ptr_array_new_with_free_func (adapter_entry_free);
  g_auto (GStrv) lines = g_strsplit (text != NULL ? text : "", "\n", -1);
  for (char **line = lines; *line != NULL; line++)
    {
      float scale;
      g_strstrip (*line);
      if (**line == '\0' || strcmp (*line, "none") == 0)
        continue;
      if (entries->len == ADAPTERS_MAX)
        {
          list_fail (error, *line, "more than 64 adapters");
          return NULL;
        }
      if (!list_split_scale (*line, &scale, error))
        return NULL;
      AssayAdapterEntry *entry = g_new (AssayAdapterEntry, 1);
      *entry = (AssayAdapterEntry) { g_strdup (*line), scale };
      g_ptr_array_add (entries, entry);
    }
  return g_steal_pointer (&entries);
}
