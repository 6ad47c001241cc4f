/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/weights/test-discovery.c: models in every store of a made-up home (C40, C41, C45), and
 * inspecting one. */
#include "hostile.h"

#include "assay-discovery.h"
#include "assay-inspect.h"
#include "assay-model-id.h"

#include <ftw.h>
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COMMIT "0123456789abcdef0123456789abcdef01234567"
#define DIGEST "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

static const TinyModel tiny
    = { .matrices = ASSAY_DTYPE_Q8_0, .embedding = ASSAY_DTYPE_Q8_0, .tokenizer = TINY_GPT2 };

/* A path below a root, its folder made. (transfer full) */
static char *
place (const char *root, const char *relative)
{
  g_autofree char *path = g_build_filename (root, relative, NULL);
  g_autofree char *folder = g_path_get_dirname (path);
  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  return g_steal_pointer (&path);
}

static char *made_up_home;
static char *default_model;

static int
remove_entry (const char *path, const struct stat *st, int kind, struct FTW *place_in_tree)
{
  return remove (path);
}

/* A home for this program alone. By the environment, before GLib looks at it: what GLib's tests offer for this
 * keeps every name until the end, which the leak checker takes for a leak. */
static void
make_home (void)
{
  static const char *const names[][2] = {
    { "HOME", "" },
    { "XDG_CACHE_HOME", ".cache" },
    { "XDG_DATA_HOME", ".local/share" },
    { "XDG_CONFIG_HOME", ".config" },
  };
  made_up_home = g_dir_make_tmp ("assay-home-XXXXXX", NULL);
  g_assert_nonnull (made_up_home);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (made_up_home, names[i][1], NULL);
      g_setenv (names[i][0], path, TRUE);
    }
  static const char *const moved[]
      = { "HF_HOME", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "OLLAMA_MODELS", "LLAMA_CACHE" };
  for (guint i = 0; i < G_N_ELEMENTS (moved); i++)
    g_unsetenv (moved[i]);
}

static void
remove_home (void)
{
  nftw (made_up_home, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
  g_free (made_up_home);
  g_free (default_model);
}

/* A folder of one test. (transfer full) */
static char *
make_root (void)
{
  static guint n;
  g_autofree char *name = g_strdup_printf ("root-%u", n++);
  char *root = g_build_filename (made_up_home, name, NULL);
  g_assert_cmpint (g_mkdir_with_parents (root, 0700), ==, 0);
  return root;
}

/* Seeds differ, so that no two files are one. */
static char *
put_model (const char *root, const char *relative)
{
  static guint32 seed;
  char *path = place (root, relative);
  TinyModel model = tiny;
  model.seed = ++seed;
  tiny_model_save (&model, path);
  return path;
}

static void
put_text (const char *root, const char *relative, const char *text)
{
  g_autofree char *path = place (root, relative);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

static GPtrArray *
scan (const char *extra)
{
  const char *const folders[] = { extra, NULL };
  g_autoptr (GError) error = NULL;
  GPtrArray *found = assay_discovery_scan (extra != NULL ? folders : NULL, extra == NULL, NULL, &error);
  g_assert_no_error (error);
  return found;
}

static AssayFoundModel *
find (GPtrArray *found, const char *name)
{
  for (guint i = 0; i < found->len; i++)
    if (strcmp (assay_found_model_get_name (g_ptr_array_index (found, i)), name) == 0)
      return g_ptr_array_index (found, i);
  return NULL;
}

static void
assert_found (GPtrArray *found, const char *name, const char *store, const char *model_id,
              const char *revision)
{
  AssayFoundModel *model = find (found, name);
  if (model == NULL)
    g_error ("%s was not found in %s", name, store);
  g_autofree char *its_id = NULL, *its_revision = NULL, *quantization = NULL, *architecture = NULL;
  guint context = 0;
  guint64 bytes = 0;
  g_object_get (model, "model-id", &its_id, "revision", &its_revision, "quantization", &quantization,
                "architecture", &architecture, "context-length", &context, "bytes", &bytes, NULL);
  g_assert_cmpstr (assay_found_model_get_problem (model), ==, NULL);
  g_assert_cmpstr (assay_found_model_get_store (model), ==, store);
  g_assert_cmpstr (its_id, ==, model_id);
  g_assert_cmpstr (its_revision, ==, revision);
  g_assert_cmpstr (quantization, ==, "Q8_0");
  g_assert_cmpstr (architecture, ==, "llama");
  g_assert_cmpuint (context, ==, 128);
  g_assert_cmpuint (bytes, >, 10000);
}

static void
put_hub (const char *hub)
{
  g_autofree char *blob = put_model (hub, "models--acme--Anvil-Q8_0-GGUF/blobs/" DIGEST);
  g_autofree char *link = place (hub, "models--acme--Anvil-Q8_0-GGUF/snapshots/" COMMIT "/anvil.q8_0.gguf");
  g_autofree char *again = place (hub, "models--acme--Anvil-Q8_0-GGUF/snapshots/ffff/anvil.q8_0.gguf");
  g_assert_cmpint (symlink ("../../blobs/" DIGEST, link), ==, 0);
  g_assert_cmpint (symlink ("../../blobs/" DIGEST, again), ==, 0); /* another snapshot of the same file */
}

static void
put_ollama (const char *models, const char *name)
{
  g_autofree char *manifest = g_strdup_printf ("manifests/registry.ollama.ai/library/%s", name);
  g_autofree char *blob = put_model (models, "blobs/sha256-" DIGEST);
  put_text (models, manifest,
            "{\"schemaVersion\":2,\"layers\":[{\"mediaType\":\"application/"
            "vnd.ollama.image.license\",\"digest\":\"sha256:00\"},"
            "{\"mediaType\":\"application/vnd.ollama.image.model\",\"digest\":\"sha256:" DIGEST
            "\",\"size\":1}]}");
}

static void
test_every_store (void)
{
  const char *home = g_get_home_dir (), *cache = g_get_user_cache_dir (), *data = g_get_user_data_dir ();
  const char *const plain[][3] = { /* the last: name of the store */
    { data, "assay/models/own.gguf", "Assay" },
    { cache, "llama.cpp/old.gguf", "llama.cpp cache" },
    { data, "nomic.ai/GPT4All/nomic.gguf", "GPT4All" },
    { cache, "gpt4all/python.gguf", "GPT4All" },
    { home, "jan/models/a/jan1.gguf", "Jan" },
    { data, "Jan/data/models/b/jan2.gguf", "Jan" },
    { home, ".jan/models/jan3.gguf", "Jan" },
    { home, "text-generation-webui/user_data/models/web.gguf", "textgen" },
    { home, "ComfyUI/models/text_encoders/comfy.gguf", "ComfyUI" },
    { home, "elsewhere/comfy-extra.gguf", "ComfyUI" },
    { cache, "llmfit/models/fit.gguf", "llmfit" },
  };
  g_autofree char *hub = g_build_filename (cache, "huggingface", "hub", NULL);
  g_autofree char *ollama = g_build_filename (home, ".ollama", "models", NULL);
  g_autofree char *alpaca = g_build_filename (home, ".var/app/com.jeffser.Alpaca/data/.ollama/models", NULL);
  put_hub (hub);
  put_ollama (ollama, "anvil/1b-q8_0");
  put_ollama (alpaca, "llama/latest");
  g_free (put_model (home, ".lmstudio/models/acme/Hammer/hammer-Q8_0.gguf"));
  g_free (put_model (cache, "lm-studio/models/acme/Tongs/tongs.gguf"));
  for (guint i = 0; i < G_N_ELEMENTS (plain); i++)
    g_free (put_model (plain[i][0], plain[i][1]));
  g_autofree char *elsewhere
      = g_strdup_printf ("comfyui:\n    base_path: %s/elsewhere\n    checkpoints: models\n", home);
  put_text (home, "ComfyUI/extra_model_paths.yaml", elsewhere);

  g_autoptr (GPtrArray) found = scan (NULL);
  assert_found (found, "anvil.q8_0", "Hugging Face cache", "acme/Anvil-GGUF", COMMIT);
  assert_found (found, "anvil:1b-q8_0", "Ollama", "anvil:1b", "sha256:" DIGEST);
  assert_found (found, "llama:latest", "Alpaca", "llama", "sha256:" DIGEST);
  assert_found (found, "hammer-Q8_0", "LM Studio", "acme/Hammer", NULL);
  assert_found (found, "tongs", "LM Studio", "acme/Tongs", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (plain); i++)
    {
      g_autofree char *name = g_path_get_basename (plain[i][1]);
      name[strlen (name) - strlen (".gguf")] = '\0';
      assert_found (found, name, plain[i][2], "Tiny", NULL);
    }
  guint n_here = 0; /* the machine's own store, if it has one, is not the test's */
  for (guint i = 0; i < found->len; i++)
    n_here += !g_str_has_prefix (assay_found_model_get_path (g_ptr_array_index (found, i)), "/usr/share/");
  g_assert_cmpuint (n_here, ==, 5 + G_N_ELEMENTS (plain));
}

static void
test_variables_move_stores (void)
{
  g_autofree char *root = make_root ();
  g_autofree char *hub = g_build_filename (root, "hub-cache", NULL),
                  *hf_home = g_build_filename (root, "hf-home", NULL);
  g_autofree char *ollama = g_build_filename (root, "ollama", NULL),
                  *llama = g_build_filename (root, "llama", NULL);
  put_hub (hub);
  g_free (put_model (hf_home, "hub/models--acme--Bellows/snapshots/" COMMIT "/bellows.gguf"));
  put_ollama (ollama, "forge/latest");
  g_free (put_model (llama, "cached.gguf"));
  g_setenv ("HF_HOME", hf_home, TRUE);
  g_setenv ("OLLAMA_MODELS", ollama, TRUE);
  g_setenv ("LLAMA_CACHE", llama, TRUE);
  g_autoptr (GPtrArray) with_home = scan (NULL);
  assert_found (with_home, "bellows", "Hugging Face cache", "acme/Bellows", COMMIT);
  assert_found (with_home, "forge:latest", "Ollama", "forge", "sha256:" DIGEST);
  assert_found (with_home, "cached", "llama.cpp cache", "Tiny", NULL);
  g_setenv ("HF_HUB_CACHE", hub, TRUE); /* wins over HF_HOME */
  g_autoptr (GPtrArray) with_cache = scan (NULL);
  assert_found (with_cache, "anvil.q8_0", "Hugging Face cache", "acme/Anvil-GGUF", COMMIT);
  g_assert_null (find (with_cache, "bellows"));
  g_unsetenv ("HF_HOME");
  g_unsetenv ("HF_HUB_CACHE");
  g_unsetenv ("OLLAMA_MODELS");
  g_unsetenv ("LLAMA_CACHE");
}

static void
test_split_is_one_entry (void)
{
  g_autofree char *root = make_root ();
  g_autofree char *prefix = g_build_filename (root, "big", NULL);
  g_autoptr (GgufWriter) w = tiny_model_new (&tiny);
  gguf_writer_save_split (w, prefix, 3);
  g_free (put_model (root, "x-00001-of-00013.gguf")); /* named like a part, and none */
  g_autoptr (GPtrArray) found = scan (root);
  g_assert_cmpuint (found->len, ==, 2);
  assert_found (found, "big", "Chosen folder", "Tiny", NULL);
  assert_found (found, "x-00001-of-00013", "Chosen folder", "Tiny", NULL);
  guint64 bytes = 0, sum = 0;
  g_object_get (find (found, "big"), "bytes", &bytes, NULL);
  for (guint i = 1; i <= 3; i++)
    {
      GStatBuf st;
      g_autofree char *part = g_strdup_printf ("%s-%05u-of-00003.gguf", prefix, i);
      g_assert_cmpint (g_stat (part, &st), ==, 0);
      sum += (guint64) st.st_size;
      if (i == 2)
        g_unlink (part);
    }
  g_assert_cmpuint (bytes, ==, sum);
  g_autoptr (GPtrArray) without = scan (root);
  g_assert_cmpuint (without->len, ==, 2);
  g_assert_true (g_str_has_prefix (assay_found_model_get_problem (find (without, "big")),
                                   "incomplete 2/3: missing big-00002-of-00003.gguf"));
}

static void
test_problems_are_told (void)
{
  g_autofree char *root = make_root ();
  g_autofree char *cut = put_model (root, "cut.gguf"), *good = put_model (root, "sub/good.gguf");
  g_autofree char *pipe_path = place (root, "pipe.gguf"), *broken = place (root, "broken.gguf");
  g_assert_cmpint (truncate (cut, 4000), ==, 0);
  g_assert_cmpint (mkfifo (pipe_path, 0600), ==, 0);
  g_assert_cmpint (symlink ("nowhere", broken), ==, 0);
  put_text (root, "weights.safetensors", "\12not one");
  put_text (root, "notes.txt", "no model");
  put_text (root, "small.bin", "no model");
  g_autoptr (GPtrArray) found = scan (root);
  g_assert_cmpuint (found->len, ==, 5);
  /* usable ones come first */
  g_assert_cmpstr (assay_found_model_get_name (g_ptr_array_index (found, 0)), ==, "good");
  g_assert_nonnull (strstr (assay_found_model_get_problem (find (found, "cut")), "cut short"));
  g_assert_nonnull (strstr (assay_found_model_get_problem (find (found, "pipe")), "a pipe"));
  g_assert_nonnull (strstr (assay_found_model_get_problem (find (found, "broken")), "incomplete download"));
  g_assert_nonnull (assay_found_model_get_problem (find (found, "weights.safetensors")));
}

/* What a file is stands before the machine's reason. */
static void
test_what_is_skipped_says_what_it_is (void)
{
  g_autofree char *root = make_root ();
  put_text (root, "models--org--half/blobs/0123.incomplete", "GGUF");
  put_text (root, "models--org--half/blobs/4567.incomplete", "GGUF");
  put_text (root, "loose.gguf.part", "GGUF");
  put_text (root, "notes.part", "no model");
  put_text (root, "pipe/model_index.json", "{}");
  put_text (root, "pipe/unet/diffusion_pytorch_model.safetensors", "12345");
  put_text (root, "pipe/vae/diffusion_pytorch_model.safetensors", "12345");
  put_text (root, "flux.safetensors", "12345678{\"double_blocks.0\":{");
  put_text (root, "bert/config.json", "{\"architectures\":[\"BertForMaskedLM\"],\"model_type\":\"bert\"}");
  g_autofree char *weights = place (root, "bert/model.safetensors");
  g_assert_true (g_file_set_contents (weights, "\2\0\0\0\0\0\0\0{}", 10, NULL));
  g_autoptr (GPtrArray) found = scan (root);
  g_assert_cmpuint (found->len, ==, 5);
  g_assert_nonnull (strstr (assay_found_model_get_problem (find (found, "org/half")), "an incomplete download"));
  g_assert_nonnull (strstr (assay_found_model_get_problem (find (found, "loose.gguf")), "an incomplete download"));
  g_assert_nonnull (strstr (assay_found_model_get_problem (find (found, "pipe")), "an image model of Diffusers"));
  g_assert_true (g_str_has_prefix (assay_found_model_get_problem (find (found, "flux.safetensors")), "an image model"));
  g_assert_true (g_str_has_prefix (assay_found_model_get_problem (find (found, "bert")), "an embedding model"));
}

/* A link to the folder above, one to itself, two names of one file. */
static void
test_loops_end_and_one_file_is_one_entry (void)
{
  g_autofree char *root = make_root ();
  g_autofree char *model = put_model (root, "a/model.gguf"), *up = place (root, "a/up"),
                  *self = place (root, "a/self.gguf");
  g_autofree char *hard = place (root, "b/hard.gguf");
  g_assert_cmpint (symlink ("..", up), ==, 0);
  g_assert_cmpint (symlink ("self.gguf", self), ==, 0);
  g_assert_cmpint (link (model, hard), ==, 0);
  g_autoptr (GPtrArray) found = scan (root);
  g_assert_cmpuint (found->len, ==, 2);
  g_assert_cmpstr (assay_found_model_get_name (g_ptr_array_index (found, 0)), ==, "model");
  g_assert_cmpstr (assay_found_model_get_name (g_ptr_array_index (found, 1)), ==, "self");
}

static void
test_depth_is_bounded (void)
{
  g_autofree char *root = make_root ();
  g_free (put_model (root, "1/2/3/4/5/6/7/8/in.gguf"));
  g_free (put_model (root, "1/2/3/4/5/6/7/8/9/out.gguf"));
  g_autoptr (GPtrArray) found = scan (root);
  g_assert_cmpuint (found->len, ==, 1);
  g_assert_cmpstr (assay_found_model_get_name (g_ptr_array_index (found, 0)), ==, "in");
}

/* A manifest cannot lead out of the store. */
static void
test_manifests_are_not_paths (void)
{
  g_autofree char *root = make_root ();
  static const char *const digests[] = { "sha256:../../../../etc/passwd", "../x", "sha256:", "sha256:ABCD" };
  for (guint i = 0; i < G_N_ELEMENTS (digests); i++)
    {
      g_autofree char *text = g_strdup_printf (
          "{\"layers\":[{\"mediaType\":\"application/vnd.ollama.image.model\",\"digest\":\"%s\"}]}",
          digests[i]);
      put_text (root, "manifests/r/library/m/t", text);
      g_autofree char *path = g_build_filename (root, "manifests/r/library/m/t", NULL);
      g_assert_null (assay_model_id_read_manifest (root, path));
    }
  static const char *const odd[]
      = { "", "[]", "{\"layers\":7}", "{\"layers\":[7,{\"mediaType\":3}]}", "{\"layers\":[{\"digest\":[]" };
  for (guint i = 0; i < G_N_ELEMENTS (odd); i++)
    {
      put_text (root, "manifests/r/library/m/t", odd[i]);
      g_autofree char *path = g_build_filename (root, "manifests/r/library/m/t", NULL);
      g_assert_null (assay_model_id_read_manifest (root, path));
    }
}

static void
scan_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  GAsyncResult **out = data;
  *out = g_object_ref (result);
}

static void
test_async_and_cancelled (void)
{
  g_autofree char *root = make_root ();
  const char *const folders[] = { root, NULL };
  g_autofree char *path = put_model (root, "model.gguf");
  g_autoptr (GAsyncResult) result = NULL, cancelled = NULL, inspected = NULL;
  g_autoptr (GError) error = NULL;
  assay_discovery_scan_async (folders, FALSE, NULL, scan_cb, &result);
  while (result == NULL)
    g_main_context_iteration (NULL, TRUE);
  g_autoptr (GPtrArray) found = assay_discovery_scan_finish (result, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (found->len, ==, 1);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_cancellable_cancel (cancellable);
  assay_discovery_scan_async (folders, FALSE, cancellable, scan_cb, &cancelled);
  while (cancelled == NULL)
    g_main_context_iteration (NULL, TRUE);
  g_assert_null (assay_discovery_scan_finish (cancelled, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  assay_inspect_async (path, NULL, scan_cb, &inspected);
  while (inspected == NULL)
    g_main_context_iteration (NULL, TRUE);
  g_autoptr (AssayInspection) inspection = assay_inspect_finish (inspected, NULL);
  g_assert_nonnull (inspection);
}

static void
test_names_without_quantization (void)
{
  static const char *const rows[][2] = {
    { "Llama-3.2-1B-Instruct-Q4_K_M", "Llama-3.2-1B-Instruct" },
    { "model.Q4_1", "model" },
    { "m-IQ3_XXS-GGUF", "m-GGUF" },
    { "Qwen2.5-7B-UD-Q2_K_XL", "Qwen2.5-7B" },
    { "phi-3-f16", "phi-3" },
    { "x-BF16", "x" },
    { "gpt-oss-mxfp4", "gpt-oss" },
    { "Q-Model", "Q-Model" },
    { "q4-studio/thing", "q4-studio/thing" },
    { "llama3.2:1b-instruct-q4_K_M", "llama3.2:1b-instruct" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *name = assay_model_id_strip_quantization (rows[i][0]);
      g_assert_cmpstr (name, ==, rows[i][1]);
    }
}

static void
test_inspection_fills_conditions (void)
{
  g_autofree char *root = make_root ();
  g_autofree char *path = place (root, "anvil-q8_0.gguf");
  g_autoptr (GgufWriter) w = tiny_model_new (&tiny);
  gguf_writer_set_string (w, "general.basename", "Anvil");
  gguf_writer_set_string (w, "general.size_label", "3M");
  gguf_writer_set_string (w, "general.finetune", "Instruct");
  gguf_writer_set_string (w, "general.version", "v2");
  gguf_writer_set_string (w, "tokenizer.chat_template", "{% import 'os' %}");
  gguf_writer_save (w, path);
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayInspection) inspection = assay_inspect (path, FALSE, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (inspection->chat_format, ==, ASSAY_CHAT_RAW);
  g_assert_nonnull (strstr (inspection->chat_problem, "raw prompt"));
  g_autoptr (AssayValues) values = assay_values_new ();
  assay_inspection_fill_conditions (inspection, values);
  g_assert_cmpstr (assay_values_get_text (values, ASSAY_FIELD_MODEL_ID), ==, "Anvil-3M-Instruct");
  g_assert_cmpstr (assay_values_get_text (values, ASSAY_FIELD_MODEL_REVISION), ==, "v2");
  g_assert_cmpstr (assay_values_get_text (values, ASSAY_FIELD_MODEL_PATH), ==, path);
  g_assert_cmpstr (assay_values_get_text (values, ASSAY_FIELD_WEIGHT_FORMAT), ==, "gguf");
  g_assert_cmpstr (assay_values_get_text (values, ASSAY_FIELD_ARCHITECTURE), ==, "llama");
  g_assert_cmpstr (assay_values_get_text (values, ASSAY_FIELD_DTYPE), ==, "float32");
  g_assert_cmpstr (assay_values_get_text (values, ASSAY_FIELD_QUANTIZATION_METHOD), ==, "gguf");
  g_assert_cmpstr (assay_values_get_text (values, ASSAY_FIELD_QUANTIZED_MODULES), ==,
                   "Q8_0: attn_k attn_output attn_q attn_v ffn_down ffn_gate ffn_up token_embd");
  g_assert_cmpint (assay_values_get_state (values, ASSAY_FIELD_DEVICE), ==, ASSAY_VALUE_UNSET);
}

static void
test_reports (void)
{
  g_autofree char *root = make_root ();
  g_autofree char *path = place (root, "report.gguf");
  g_autoptr (GgufWriter) w = tiny_model_new (&tiny);
  gguf_writer_set_string (w, "general.description", "two\nlines \033[1m \"quoted\"");
  gguf_writer_save (w, path);
  g_autoptr (AssayInspection) inspection = assay_inspect (path, FALSE, NULL, NULL);
  g_autofree char *text = assay_inspection_dup_report (inspection, FALSE);
  g_autofree char *json = assay_inspection_dup_report (inspection, TRUE);
  g_assert_nonnull (strstr (text, "Architecture   llama: 1 layers"));
  g_assert_nonnull (strstr (text, "general.description = two\\x0Alines \\x1B[1m"));
  g_assert_null (strchr (text, '\033'));
  g_autoptr (JsonNode) root_node = json_from_string (json, NULL);
  JsonObject *object = json_node_get_object (root_node);
  g_assert_cmpint (json_object_get_int_member (object, "vocabulary"), ==, 288);
  g_assert_cmpstr (json_object_get_string_member (object, "pre_tokenizer"), ==, "smollm");
  g_assert_true (json_object_get_null_member (object, "model_revision"));
  g_assert_cmpstr (json_object_get_string_member (json_object_get_object_member (object, "metadata"),
                                                  "tokenizer.ggml.tokens"),
                   ==, "[288 string]");
}

/* Names are bytes; a report is text. */
static void
test_reports_of_unreadable_names (void)
{
  static const char *const places[] = { "x\377\376.gguf", "a\377/Q4_0.gguf",
                                        "hub/models--or\377g--na\300me-Q4_0/snapshots/\377" COMMIT "/m\377.gguf",
                                        ".lmstudio/models/pub\377/mod\300el/f\377.gguf" };
  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    {
      g_autofree char *root = make_root ();
      g_autofree char *path = place (root, places[i]);
      g_autoptr (GgufWriter) w = tiny_model_new (&tiny);
      gguf_writer_remove (w, "general.name");
      gguf_writer_save (w, path);
      g_autoptr (GError) error = NULL;
      g_autoptr (AssayInspection) inspection = assay_inspect (path, FALSE, NULL, &error);
      g_assert_no_error (error);
      g_autofree char *text = assay_inspection_dup_report (inspection, FALSE);
      g_autofree char *json = assay_inspection_dup_report (inspection, TRUE);
      g_assert_nonnull (inspection->model_id);
      g_assert_true (g_utf8_validate (inspection->model_id, -1, NULL));
      g_assert_true (g_utf8_validate (text, -1, NULL));
      g_assert_true (g_utf8_validate (json, -1, NULL));
      g_autoptr (JsonNode) node = json_from_string (json, &error);
      g_assert_no_error (error);
    }
}

/* Before the environment is made up. (transfer full) */
static char *
dup_default_model (void)
{
  const char *path = g_getenv ("ASSAY_DEFAULT_MODEL");
  const char *data = g_getenv ("XDG_DATA_HOME"), *home = g_getenv ("HOME");
  if (path != NULL)
    return g_strdup (path);
  g_autofree char *below = data != NULL ? g_strdup (data) : g_build_filename (home, ".local", "share", NULL);
  return g_build_filename (below, "assay", "models", "SmolLM2-135M-Instruct.Q4_1.gguf", NULL);
}

static void
test_default_model (void)
{
  if (!g_file_test (default_model, G_FILE_TEST_EXISTS))
    {
      g_test_skip ("the default model is not on this machine");
      return;
    }
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayInspection) inspection = assay_inspect (default_model, FALSE, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (inspection->quantization, ==, "Q4_1");
  g_assert_cmpuint (inspection->config.n_layers, ==, 30);
  g_assert_cmpint (inspection->chat_format, ==, ASSAY_CHAT_CHATML);
}

int
main (int argc, char *argv[])
{
  default_model = dup_default_model ();
  make_home ();
  g_test_init (&argc, &argv, NULL);
#define ROW(name, function) g_test_add_func ("/weights/discovery/" name, function)
  ROW ("every-store-of-a-home", test_every_store);
  ROW ("variables-move-stores", test_variables_move_stores);
  ROW ("C40-C41-a-split-model-is-one-entry", test_split_is_one_entry);
  ROW ("problems-are-told", test_problems_are_told);
  ROW ("what-is-skipped-says-what-it-is", test_what_is_skipped_says_what_it_is);
  ROW ("loops-end-and-one-file-is-one-entry", test_loops_end_and_one_file_is_one_entry);
  ROW ("depth-is-bounded", test_depth_is_bounded);
  ROW ("manifests-are-not-paths", test_manifests_are_not_paths);
  ROW ("async-and-cancelled", test_async_and_cancelled);
  ROW ("names-without-quantization", test_names_without_quantization);
  ROW ("inspection-fills-conditions", test_inspection_fills_conditions);
  ROW ("reports", test_reports);
  ROW ("reports-of-unreadable-names", test_reports_of_unreadable_names);
  ROW ("default-model", test_default_model);
  const int status = g_test_run ();
  remove_home ();
  return status;
}
