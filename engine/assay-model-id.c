/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/assay-model-id.c: see the header. Nothing here opens a model file; manifests are read with a size
 * limit, and a digest from one is used as a file name only when it is one. */
#include "assay-model-id.h"

#include <json-glib/json-glib.h>
#include <string.h>
#include <sys/stat.h>

enum { MANIFEST_BYTES_MAX = 1 << 20, MANIFESTS_MAX = 4096, MANIFEST_DEPTH_MAX = 6 };

char *
assay_model_id_strip_quantization (const char *name)
{
  static GRegex *regex;
  if (g_once_init_enter (&regex))
    {
      GRegex *made = g_regex_new (
          "[-._ :]((?:ud-)?i?q[1-8](?:_[0-9a-z]+)*|tq[12]_0|f16|f32|fp16|fp32|bf16|mxfp4(?:_moe)?)"
          "(?=$|[-._ :])",
          G_REGEX_CASELESS | G_REGEX_OPTIMIZE, 0, NULL);
      g_once_init_leave (&regex, made);
    }
  g_autofree char *valid = g_utf8_make_valid (name, -1); /* a folder's name may be any bytes */
  return g_regex_replace_literal (regex, valid, -1, 0, "", 0, NULL);
}

/* .../models--ORG--NAME/snapshots/COMMIT, and what is below */
static gboolean
model_id_from_hub (char **words, guint n, char **model_id, char **revision)
{
  for (guint i = 0; i + 2 < n; i++)
    {
      if (!g_str_has_prefix (words[i], "models--") || strcmp (words[i + 1], "snapshots") != 0)
        continue;
      g_auto (GStrv) parts = g_strsplit (words[i] + strlen ("models--"), "--", -1);
      g_autofree char *name = g_strjoinv ("/", parts);
      *model_id = assay_model_id_strip_quantization (name);
      *revision = g_utf8_make_valid (words[i + 2], -1);
      return TRUE;
    }
  return FALSE;
}

/* .../lmstudio/models/PUBLISHER/MODEL, or a file in it */
static gboolean
model_id_from_studio (char **words, guint n, char **model_id)
{
  for (guint i = 0; i + 3 < n; i++)
    {
      const gboolean is_store = strcmp (words[i], ".lmstudio") == 0 || strcmp (words[i], "lm-studio") == 0;
      if (!is_store || strcmp (words[i + 1], "models") != 0 || n > i + 5
          || (n == i + 4 && g_str_has_suffix (words[i + 3], ".gguf")))
        continue;
      g_autofree char *name = g_strdup_printf ("%s/%s", words[i + 2], words[i + 3]);
      *model_id = assay_model_id_strip_quantization (name);
      return TRUE;
    }
  return FALSE;
}

static gboolean
model_id_is_digest (const char *digest)
{
  enum { HEX = 64 };
  if (!g_str_has_prefix (digest, "sha256:") || strlen (digest) != strlen ("sha256:") + HEX)
    return FALSE;
  return strspn (digest + strlen ("sha256:"), "0123456789abcdef") == HEX;
}

static JsonNode *
model_id_load_json (const char *path)
{
  struct stat st;
  g_autofree char *text = NULL;
  gsize length;
  if (stat (path, &st) != 0 || !S_ISREG (st.st_mode) || st.st_size > MANIFEST_BYTES_MAX
      || !g_file_get_contents (path, &text, &length, NULL))
    return NULL;
  g_autoptr (JsonParser) parser = json_parser_new_immutable ();
  if (!json_parser_load_from_data (parser, text, (gssize) length, NULL))
    return NULL;
  return json_parser_steal_root (parser);
}

static const char *
model_id_get_text (JsonObject *object, const char *name)
{
  JsonNode *node = json_object_get_member (object, name);
  return node != NULL && JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_STRING
             ? json_node_get_string (node)
             : NULL;
}

static const char *
model_id_find_model_layer (JsonNode *root)
{
  JsonObject *object = root != NULL && JSON_NODE_HOLDS_OBJECT (root) ? json_node_get_object (root) : NULL;
  JsonNode *layers = object != NULL ? json_object_get_member (object, "layers") : NULL;
  JsonArray *array = layers != NULL && JSON_NODE_HOLDS_ARRAY (layers) ? json_node_get_array (layers) : NULL;
  for (guint i = 0; array != NULL && i < json_array_get_length (array); i++)
    {
      JsonNode *node = json_array_get_element (array, i);
      if (!JSON_NODE_HOLDS_OBJECT (node))
        continue;
      const char *type = model_id_get_text (json_node_get_object (node), "mediaType");
      const char *digest = model_id_get_text (json_node_get_object (node), "digest");
      if (digest != NULL && g_strcmp0 (type, "application/vnd.ollama.image.model") == 0
          && model_id_is_digest (digest))
        return digest;
    }
  return NULL;
}

char *
assay_model_id_read_manifest (const char *models, const char *manifest_path)
{
  g_autoptr (JsonNode) root = model_id_load_json (manifest_path);
  const char *digest = model_id_find_model_layer (root);
  if (digest == NULL)
    return NULL;
  g_autofree char *name = g_strdup (digest);
  name[strlen ("sha256")] = '-';
  return g_build_filename (models, "blobs", name, NULL);
}

char *
assay_model_id_from_manifest_path (const char *manifest_path)
{
  g_autofree char *valid = g_utf8_make_valid (manifest_path, -1);
  g_auto (GStrv) words = g_strsplit (valid, G_DIR_SEPARATOR_S, -1);
  const guint n = g_strv_length (words);
  if (n < 3)
    return g_steal_pointer (&valid);
  const gboolean is_library = strcmp (words[n - 3], "library") == 0;
  return is_library ? g_strdup_printf ("%s:%s", words[n - 2], words[n - 1])
                    : g_strdup_printf ("%s/%s:%s", words[n - 3], words[n - 2], words[n - 1]);
}

typedef struct
{
  gboolean (*visit) (const char *manifest_path, gpointer data);
  gpointer data;
  guint n_seen;
} ManifestWalk;

static gboolean
model_id_walk (ManifestWalk *walk, const char *folder, guint depth)
{
  g_autoptr (GDir) dir = depth < MANIFEST_DEPTH_MAX ? g_dir_open (folder, 0, NULL) : NULL;
  for (const char *name; dir != NULL && (name = g_dir_read_name (dir)) != NULL;)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      if (++walk->n_seen > MANIFESTS_MAX)
        return FALSE;
      if (g_file_test (path, G_FILE_TEST_IS_DIR) ? !model_id_walk (walk, path, depth + 1)
                                                 : !walk->visit (path, walk->data))
        return FALSE;
    }
  return TRUE;
}

void
assay_model_id_walk_manifests (const char *models,
                               gboolean (*visit) (const char *manifest_path, gpointer data), gpointer data)
{
  g_autofree char *folder = g_build_filename (models, "manifests", NULL);
  ManifestWalk walk = { visit, data, 0 };
  model_id_walk (&walk, folder, 0);
}

typedef struct
{
  const char *models, *blob;
  char *name;
} BlobSearch;

static gboolean
model_id_visit_manifest (const char *manifest_path, gpointer data)
{
  BlobSearch *search = data;
  g_autofree char *blob = assay_model_id_read_manifest (search->models, manifest_path);
  if (g_strcmp0 (blob, search->blob) != 0)
    return TRUE;
  search->name = assay_model_id_from_manifest_path (manifest_path);
  return FALSE;
}

/* MODELS/blobs/sha256-… */
static gboolean
model_id_from_blob (const char *path, char **model_id, char **revision)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *base = g_path_get_basename (path);
  g_autofree char *models = g_path_get_dirname (folder);
  if (!g_str_has_prefix (base, "sha256-") || !g_str_has_suffix (folder, G_DIR_SEPARATOR_S "blobs"))
    return FALSE;
  BlobSearch search = { models, path, NULL };
  assay_model_id_walk_manifests (models, model_id_visit_manifest, &search);
  if (search.name == NULL)
    return FALSE;
  *model_id = assay_model_id_strip_quantization (search.name);
  if (g_str_has_suffix (*model_id, ":latest"))
    (*model_id)[strlen (*model_id) - strlen (":latest")] = '\0';
  *revision = g_strdup_printf ("sha256:%s", base + strlen ("sha256-"));
  g_free (search.name);
  return TRUE;
}

void
assay_model_id_from_path (const char *path, char **model_id, char **revision)
{
  *model_id = *revision = NULL;
  g_autofree char *full = g_canonicalize_filename (path, NULL);
  g_auto (GStrv) words = g_strsplit (full, G_DIR_SEPARATOR_S, -1);
  const guint n = g_strv_length (words);
  if (!model_id_from_hub (words, n, model_id, revision) && !model_id_from_studio (words, n, model_id))
    model_id_from_blob (full, model_id, revision);
}

static char *
model_id_dup_key (AssayModelFile *file, const char *key)
{
  AssayBytes text;
  if (!assay_model_file_get_string (file, key, &text) || text.length == 0)
    return NULL;
  return assay_engine_escape (text.data, text.length);
}

static char *
model_id_from_file_name (AssayModelFile *file)
{
  g_autofree char *base = g_filename_display_basename (assay_model_file_get_path (file));
  static const char *const endings[] = { ".gguf", ".safetensors" };
  for (guint i = 0; i < G_N_ELEMENTS (endings); i++)
    if (g_str_has_suffix (base, endings[i]))
      base[strlen (base) - strlen (endings[i])] = '\0';
  return g_steal_pointer (&base);
}

char *
assay_model_id_from_metadata (AssayModelFile *file)
{
  g_autofree char *basename = model_id_dup_key (file, "general.basename");
  g_autofree char *size = model_id_dup_key (file, "general.size_label");
  g_autofree char *finetune = model_id_dup_key (file, "general.finetune");
  g_autofree char *name = model_id_dup_key (file, "general.name");
  if (basename != NULL)
    {
      g_autofree char *whole
          = g_strjoin ("-", basename, size != NULL ? size : finetune, size != NULL ? finetune : NULL, NULL);
      g_free (name);
      name = g_steal_pointer (&whole);
    }
  if (name == NULL)
    name = model_id_from_file_name (file);
  return assay_model_id_strip_quantization (name);
}
