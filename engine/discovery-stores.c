/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/discovery-stores.c: where other programs keep models, with the variables that move their stores. */
#include "assay-discovery-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

static void
store_free (gpointer data)
{
  DiscoveryStore *store = data;
  g_free (store->folder);
  g_free (store);
}

/* Takes the folder; NULL is fine. */
static void
stores_take (GPtrArray *stores, const char *name, char *folder, gboolean is_ollama)
{
  if (folder == NULL)
    return;
  DiscoveryStore *store = g_new0 (DiscoveryStore, 1);
  *store = (DiscoveryStore) { .folder = folder, .name = name, .is_ollama = is_ollama };
  g_ptr_array_add (stores, store);
}

static char *
stores_dup_variable (const char *name)
{
  const char *value = g_getenv (name);
  return value != NULL && value[0] != '\0' ? g_strdup (value) : NULL;
}

/* Where other programs keep their things. In a sandbox the program's own folders lie elsewhere, and hold none of it. */
static char *
stores_dup_theirs (const char *host_variable, const char *below_home, const char *own)
{
  char *told = stores_dup_variable (host_variable);
  if (told != NULL)
    return told;
  return g_getenv ("FLATPAK_ID") != NULL ? g_build_filename (g_get_home_dir (), below_home, NULL) : g_strdup (own);
}

static void
stores_take_cached (GPtrArray *stores, const char *name, const char *below)
{
  g_autofree char *cache = stores_dup_theirs ("HOST_XDG_CACHE_HOME", ".cache", g_get_user_cache_dir ());
  stores_take (stores, name, g_build_filename (cache, below, NULL), FALSE);
}

static void
stores_take_data (GPtrArray *stores, const char *name, const char *below)
{
  g_autofree char *data = stores_dup_theirs ("HOST_XDG_DATA_HOME", ".local/share", g_get_user_data_dir ());
  stores_take (stores, name, g_build_filename (data, below, NULL), FALSE);
}

/* HF_HUB_CACHE, its older name, HF_HOME/hub, the default; the first that is set. */
static char *
stores_dup_hub (void)
{
  g_autofree char *home = stores_dup_variable ("HF_HOME");
  char *folder = stores_dup_variable ("HF_HUB_CACHE");
  if (folder == NULL)
    folder = stores_dup_variable ("HUGGINGFACE_HUB_CACHE");
  if (folder == NULL && home != NULL)
    folder = g_build_filename (home, "hub", NULL);
  if (folder != NULL)
    return folder;
  g_autofree char *cache = stores_dup_theirs ("HOST_XDG_CACHE_HOME", ".cache", g_get_user_cache_dir ());
  return g_build_filename (cache, "huggingface", "hub", NULL);
}

static void
stores_add_home (GPtrArray *stores, const char *name, const char *below_home, gboolean is_ollama)
{
  stores_take (stores, name, g_build_filename (g_get_home_dir (), below_home, NULL), is_ollama);
}

/* The base_path lines of ComfyUI's extra_model_paths.yaml; the rest of the file repeats folders below
 * them. */
static void
stores_add_comfy_paths (GPtrArray *stores)
{
  enum { BYTES_MAX = 64 << 10 };
  g_autofree char *path = g_build_filename (g_get_home_dir (), "ComfyUI", "extra_model_paths.yaml", NULL);
  g_autofree char *text = NULL;
  gsize length;
  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR) || !g_file_get_contents (path, &text, &length, NULL)
      || length > BYTES_MAX)
    return;
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      const char *line = g_strstrip (lines[i]);
      if (!g_str_has_prefix (line, "base_path:"))
        continue;
      const char *value = line + strlen ("base_path:");
      g_autofree char *folder = g_strstrip (g_strdup (value));
      if (g_path_is_absolute (folder))
        stores_take (stores, "ComfyUI", g_steal_pointer (&folder), FALSE);
    }
}

static void
stores_add_ollama (GPtrArray *stores)
{
  stores_take (stores, "Ollama", stores_dup_variable ("OLLAMA_MODELS"), TRUE);
  stores_add_home (stores, "Ollama", ".ollama/models", TRUE);
  stores_take (stores, "Ollama", g_strdup ("/usr/share/ollama/.ollama/models"), TRUE);
  stores_add_home (stores, "Alpaca", ".var/app/com.jeffser.Alpaca/data/.ollama/models", TRUE);
}

GPtrArray *
assay_discovery_list_stores (void)
{
  GPtrArray *stores = g_ptr_array_new_with_free_func (store_free);
  stores_take (stores, "Assay", assay_discovery_dup_own_folder (), FALSE);
  stores_take (stores, N_("Hugging Face cache"), stores_dup_hub (), FALSE);
  stores_take (stores, N_("llama.cpp cache"), stores_dup_variable ("LLAMA_CACHE"), FALSE);
  stores_take_cached (stores, N_("llama.cpp cache"), "llama.cpp");
  stores_add_ollama (stores);
  stores_add_home (stores, "LM Studio", ".lmstudio/models", FALSE);
  stores_take_cached (stores, "LM Studio", "lm-studio/models");
  stores_take_data (stores, "GPT4All", "nomic.ai/GPT4All");
  stores_take_cached (stores, "GPT4All", "gpt4all");
  stores_add_home (stores, "Jan", "jan/models", FALSE);
  stores_take_data (stores, "Jan", "Jan/data/models");
  stores_add_home (stores, "Jan", ".jan/models", FALSE);
  stores_add_home (stores, "textgen", "text-generation-webui/user_data/models", FALSE);
  stores_add_home (stores, "textgen", "textgen/user_data/models", FALSE);
  stores_add_home (stores, "ComfyUI", "ComfyUI/models", FALSE);
  stores_add_comfy_paths (stores);
  stores_take_cached (stores, "llmfit", "llmfit/models");
  return stores;
}

char *
assay_discovery_dup_own_folder (void)
{
  return g_build_filename (g_get_user_data_dir (), "assay", "models", NULL);
}
