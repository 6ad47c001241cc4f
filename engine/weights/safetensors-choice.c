/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/safetensors-choice.c: which of a folder's files make the model. Weights of two
 * checkpoints are never mixed: an index decides; without one, files that are named as parts of one set
 * belong together, and where that leaves a choice, people make it. */
#include "safetensors-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

enum { NAMED = 5 };
#define WEIGHTS ".safetensors"
#define INDEX ".safetensors.index.json"

void
assay_safetensors_choice_free (SafetensorsChoice *self)
{
  if (self == NULL)
    return;
  g_free (self->index);
  g_free (self->asked);
  g_ptr_array_unref (self->files);
  g_free (self);
}

G_GNUC_PRINTF (4, 5) static gboolean
choice_fail (const ModelFolder *folder, const char *reason, GError **error, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *message = g_strdup_vprintf (_(format), args);
  va_end (args);
  assay_engine_error_set (error, ASSAY_ENGINE_ERROR_FORMAT, reason, folder->path, NULL, -1, "%s", message);
  return FALSE;
}

/* The names that end so; lent. (transfer container) */
static GPtrArray *
choice_list (const ModelFolder *folder, const char *suffix)
{
  GPtrArray *found = g_ptr_array_new ();
  for (guint i = 0; i < folder->names->len; i++)
    if (g_str_has_suffix (g_ptr_array_index (folder->names, i), suffix))
      g_ptr_array_add (found, g_ptr_array_index (folder->names, i));
  return found;
}

/* For a message: the first few. (transfer full) */
static char *
choice_join (GPtrArray *names)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < MIN (names->len, (guint) NAMED); i++)
    {
      g_autofree char *shown = g_filename_display_name (g_ptr_array_index (names, i));
      g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", shown);
    }
  if (names->len > NAMED)
    g_string_append_printf (text, " and %u more", names->len - NAMED);
  return g_string_free (text, FALSE);
}

/* PREFIX-00002-of-00003.safetensors: *prefix_length and *number. Returns: of how many; 0: no such name. */
static guint
choice_parse_part (const char *name, gsize *prefix_length, guint *number)
{
  static const char pattern[] = "-ddddd-of-ddddd" WEIGHTS;
  const gsize n = sizeof pattern - 1, length = strlen (name);
  if (length < n)
    return 0;
  const char *tail = name + length - n;
  for (gsize i = 0; i < n; i++)
    if (pattern[i] == 'd' ? !g_ascii_isdigit (tail[i]) : tail[i] != pattern[i])
      return 0;
  *prefix_length = length - n;
  *number = (guint) g_ascii_strtoull (tail + 1, NULL, 10);
  return (guint) g_ascii_strtoull (tail + strlen ("-ddddd-of-"), NULL, 10);
}

/* The parts' names are the same but for the number: a set goes by its first file that is there. */
static gboolean
choice_is_same_set (const char *a, const char *b)
{
  gsize prefix_a, prefix_b;
  guint number;
  const guint count = choice_parse_part (a, &prefix_a, &number);
  return strcmp (a, b) == 0
         || (count > 0 && choice_parse_part (b, &prefix_b, &number) == count && prefix_a == prefix_b
             && strncmp (a, b, prefix_a) == 0);
}

static char *
choice_dup_part (const char *name, gsize prefix_length, guint number, guint count)
{
  return g_strdup_printf ("%.*s-%05u-of-%05u" WEIGHTS, (int) prefix_length, name, number, count);
}

/* All names of the set of `name`. Parts count from 1, in some checkpoints from 0: the ends tell. */
static gboolean
choice_take_set (SafetensorsChoice *self, const ModelFolder *folder, const char *name, GError **error)
{
  gsize prefix;
  guint number;
  const guint count = choice_parse_part (name, &prefix, &number);
  if (count == 0)
    {
      g_ptr_array_add (self->files, g_strdup (name));
      return TRUE;
    }
  if (count > SAFETENSORS_FILES_MAX)
    return choice_fail (folder, "safetensors-missing", error, "a model of %u files; at most %d are read",
                        count, SAFETENSORS_FILES_MAX);
  g_autofree char *zeroth = choice_dup_part (name, prefix, 0, count);
  const guint first = assay_model_folder_has (folder, zeroth) ? 0 : 1;
  for (guint i = first; i < first + count; i++)
    g_ptr_array_add (self->files, choice_dup_part (name, prefix, i, count));
  return TRUE;
}

/* Copies of the weights in their makers' own layout, adapters, and the parts of a model that are none of
 * its layers: heads that foretell more tokens, and projectors. */
static gboolean
choice_is_beside (const char *name)
{
  static const char *const words[] = { "consolidated", "adapter_model", "mtp-", "-mtp", "mmproj" };
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (strstr (name, words[i]) != NULL)
      return TRUE;
  return FALSE;
}

/* One file of each set; those beside the model only when there is nothing else. */
static GPtrArray *
choice_list_sets (const ModelFolder *folder)
{
  g_autoptr (GPtrArray) names = choice_list (folder, WEIGHTS);
  GPtrArray *sets = g_ptr_array_new ();
  for (guint pass = 0; pass < 2 && sets->len == 0; pass++)
    for (guint i = 0; i < names->len; i++)
      {
        const char *name = g_ptr_array_index (names, i);
        if ((pass == 0 && choice_is_beside (name))
            || (sets->len > 0 && choice_is_same_set (g_ptr_array_index (sets, sets->len - 1), name)))
          continue;
        g_ptr_array_add (sets, (char *) name);
      }
  return sets;
}

/* The first of the folder's files of that ending; NULL: none. */
static const char *
choice_find_ending (const ModelFolder *folder, const char *const *endings)
{
  for (guint i = 0; i < folder->names->len; i++)
    for (guint k = 0; endings[k] != NULL; k++)
      if (g_str_has_suffix (g_ptr_array_index (folder->names, i), endings[k]))
        return g_ptr_array_index (folder->names, i);
  return NULL;
}

static gboolean
choice_fail_empty (const ModelFolder *folder, GError **error)
{
  static const char *const pickles[] = { ".bin", ".pt", ".pth", ".ckpt", NULL };
  static const char *const ggufs[] = { ".gguf", NULL };
  const char *pickle = choice_find_ending (folder, pickles), *gguf = choice_find_ending (folder, ggufs);
  g_autofree char *shown = g_filename_display_name (gguf != NULL ? gguf : pickle != NULL ? pickle : "");
  if (gguf != NULL)
    return choice_fail (folder, "not-a-file", error,
                        "this is a folder; choose one of its GGUF files, such as %s", shown);
  if (pickle != NULL)
    return choice_fail (
        folder, "python-pickle", error,
        "no .safetensors file, only PyTorch's own, such as %s, which can run programs when they are "
        "read and are never opened here; convert the model to safetensors (transformers: "
        "save_pretrained) or GGUF (llama.cpp: convert_hf_to_gguf.py), or look for one of it",
        shown);
  return choice_fail (
      folder, "not-a-file", error,
      "this is a folder without model files; choose a GGUF file, or a folder with config.json and "
      ".safetensors files");
}

/* The index to go by, or NULL: there is none, or several and none of them is the usual one (*unclear). */
static const char *
choice_find_index (const ModelFolder *folder, const char *wanted, gboolean *unclear)
{
  g_autoptr (GPtrArray) indices = choice_list (folder, INDEX);
  gsize prefix;
  guint number;
  *unclear = FALSE;
  for (guint i = 0; wanted != NULL && i < indices->len; i++)
    {
      const char *name = g_ptr_array_index (indices, i);
      const gsize stem = strlen (name) - strlen (INDEX);
      if (strcmp (name, wanted) == 0
          || (choice_parse_part (wanted, &prefix, &number) > 0 && prefix == stem
              && strncmp (name, wanted, stem) == 0))
        return name;
    }
  if (assay_model_folder_has (folder, "model" INDEX))
    return "model" INDEX;
  *unclear = indices->len > 1;
  return indices->len == 1 ? g_ptr_array_index (indices, 0) : NULL;
}

static gboolean
choice_take_files (SafetensorsChoice *self, const ModelFolder *folder, const char *wanted, GError **error)
{
  g_autoptr (GPtrArray) sets = choice_list_sets (folder);
  if (wanted == NULL && sets->len == 0)
    return choice_fail_empty (folder, error);
  if (wanted == NULL && sets->len > 1)
    {
      g_autofree char *names = choice_join (sets);
      return choice_fail (
          folder, "safetensors-several", error,
          "the folder has several sets of weights and no index that says which is the model: %s; "
          "choose the file itself",
          names);
    }
  if (wanted != NULL && (sets->len != 1 || !choice_is_same_set (g_ptr_array_index (sets, 0), wanted)))
    self->asked = g_strdup (wanted);
  return choice_take_set (self, folder, wanted != NULL ? wanted : g_ptr_array_index (sets, 0), error);
}

SafetensorsChoice *
assay_safetensors_choose (const ModelFolder *folder, const char *wanted, GError **error)
{
  gboolean unclear, unclear_alone;
  g_autoptr (SafetensorsChoice) self = g_new0 (SafetensorsChoice, 1);
  self->files = g_ptr_array_new_with_free_func (g_free);
  const char *index = choice_find_index (folder, wanted, &unclear);
  if (unclear)
    {
      g_autoptr (GPtrArray) indices = choice_list (folder, INDEX);
      g_autofree char *names = choice_join (indices);
      choice_fail (folder, "safetensors-several", error,
                   "the folder has several models: %s; choose the one that is meant", names);
      return NULL;
    }
  self->index = g_strdup (index);
  if (index == NULL)
    return choice_take_files (self, folder, wanted, error) ? g_steal_pointer (&self) : NULL;
  if (g_strcmp0 (choice_find_index (folder, NULL, &unclear_alone), index) != 0)
    self->asked = g_strdup (index);
  return g_steal_pointer (&self);
}

GPtrArray *
assay_safetensors_list_strays (const ModelFolder *folder, GPtrArray *files)
{
  g_autoptr (GPtrArray) names = choice_list (folder, WEIGHTS);
  GPtrArray *strays = g_ptr_array_new ();
  for (guint i = 0; i < names->len; i++)
    if (!g_ptr_array_find_with_equal_func (files, g_ptr_array_index (names, i), g_str_equal, NULL))
      g_ptr_array_add (strays, g_ptr_array_index (names, i));
  return strays;
}

/* Without an index, and both ends missing, the set may count from 0 or from 1. */
static char *
choice_dup_missing (const char *name, gboolean indexed)
{
  gsize prefix;
  guint number;
  const guint count = choice_parse_part (name, &prefix, &number);
  if (indexed || count == 0 || number != count)
    return g_filename_display_name (name);
  g_autofree char *zeroth = choice_dup_part (name, prefix, 0, count);
  g_autofree char *either = g_strdup_printf ("%s (or %s, if they count from 0)", name, zeroth);
  return g_filename_display_name (either);
}

gboolean
assay_safetensors_check_present (const ModelFolder *folder, GPtrArray *files, gboolean indexed,
                                 GError **error)
{
  g_autoptr (GPtrArray) missing = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < files->len; i++)
    if (!assay_model_folder_is_present (folder, g_ptr_array_index (files, i)))
      g_ptr_array_add (missing, choice_dup_missing (g_ptr_array_index (files, i), indexed));
  if (missing->len == 0)
    return TRUE;
  g_autoptr (GPtrArray) strays = assay_safetensors_list_strays (folder, files);
  g_autofree char *names = choice_join (missing);
  g_autofree char *others
      = strays->len > 0
            ? g_strdup_printf (_(" (%u other safetensors files of the folder do not count)"), strays->len)
            : g_strdup ("");
  return choice_fail (folder, "safetensors-missing", error,
                      "incomplete %u of %u: missing %s; fetch the missing files into the same folder%s",
                      files->len - missing->len, files->len, names, others);
}
