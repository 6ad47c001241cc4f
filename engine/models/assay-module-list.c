/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/models/assay-module-list.c: see the header. */
#include "assay-module-list.h"

#include <string.h>

typedef struct
{
  char *text;
  GPatternSpec *pattern;
  gboolean served;
} ModuleEntry;

struct _AssayModuleList
{
  GArray *entries; /* ModuleEntry */
};

static void
module_entry_clear (gpointer data)
{
  ModuleEntry *entry = data;
  g_free (entry->text);
  g_pattern_spec_free (entry->pattern);
}

AssayModuleList *
assay_module_list_new (const char *text)
{
  AssayModuleList *self = g_new (AssayModuleList, 1);
  g_auto (GStrv) words = g_strsplit_set (text, ",\n", -1);
  self->entries = g_array_new (FALSE, FALSE, sizeof (ModuleEntry));
  g_array_set_clear_func (self->entries, module_entry_clear);
  for (char **word = words; *word != NULL; word++)
    {
      g_strstrip (*word);
      if (**word == '\0')
        continue;
      const ModuleEntry entry = { g_strdup (*word), g_pattern_spec_new (*word), FALSE };
      g_array_append_val (self->entries, entry);
    }
  return self;
}

void
assay_module_list_free (AssayModuleList *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->entries);
  g_free (self);
}

/* The whole name, and what follows the last dot. */
static gboolean
module_matches (const GPatternSpec *pattern, const char *name)
{
  const char *dot = strrchr (name, '.');
  return g_pattern_spec_match_string ((GPatternSpec *) pattern, name)
         || (dot != NULL && g_pattern_spec_match_string ((GPatternSpec *) pattern, dot + 1));
}

static char *
module_dup_name (const char *name)
{
  return g_strndup (name, strlen (name) - (g_str_has_suffix (name, ".weight") ? strlen (".weight") : 0));
}

gboolean
assay_module_list_has (AssayModuleList *self, const char *canonical, const char *own)
{
  g_autofree char *module = module_dup_name (canonical);
  g_autofree char *other = module_dup_name (own != NULL ? own : canonical);
  gboolean found = FALSE;
  for (guint i = 0; i < self->entries->len; i++)
    {
      ModuleEntry *entry = &g_array_index (self->entries, ModuleEntry, i);
      if (!module_matches (entry->pattern, module) && !module_matches (entry->pattern, other))
        continue;
      entry->served = found = TRUE;
    }
  return found;
}

const char *
assay_module_list_get_idle (AssayModuleList *self)
{
  for (guint i = 0; i < self->entries->len; i++)
    if (!g_array_index (self->entries, ModuleEntry, i).served)
      return g_array_index (self->entries, ModuleEntry, i).text;
  return NULL;
}
