/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/engine/test-adapter-logits.c: attached adapters against transformers with PEFT.
 *
 * The fixtures are of tests/reference/lora.py, for the tiny models of families.py: PEFT's folders beside a
 * model in either kind of file (in a GGUF llama, the rows of q and k have another order than the adapter's),
 * GGUF adapters beside a GGUF model, and several with scales of their own. */
#include "placed-fixture.h"

#include <math.h>
#include <string.h>

#define EXACT 1e-5
enum { SHORT_CONTEXT = 32, LONG_CONTEXT = 128 };

typedef struct
{
  gboolean base_folder, adapter_folder;
} Way;

static char *
dup_fixture (const char *area, const char *name, gboolean folder)
{
  g_autofree char *file = g_strconcat (name, folder ? "" : ".gguf", NULL);
  return engine_fixture_dup_path (area, file);
}

static void
attach_all (AssayModel *model, JsonArray *adapters, gboolean folder)
{
  for (guint i = 0; i < json_array_get_length (adapters); i++)
    {
      g_autoptr (GError) error = NULL;
      JsonObject *a = json_array_get_object_element (adapters, i);
      g_autofree char *path = dup_fixture ("lora", json_object_get_string_member (a, "name"), folder);
      g_autoptr (AssayAdapter) adapter = assay_adapter_open (path, NULL, &error);
      g_assert_no_error (error);
      g_assert_cmpint (assay_adapter_is_half_split (adapter), ==, folder);
      assay_model_attach (model, adapter, (float) json_object_get_double_member (a, "scale"), &error);
      g_assert_no_error (error);
    }
}

/* Longrope is chosen by the context, so each prompt runs in one of its own kind. */
static void
check_prompt (JsonObject *c, const Way *way, GArray *ids, guint at)
{
  g_autoptr (GError) error = NULL;
  JsonObject *expected = json_array_get_object_element (json_object_get_array_member (c, "at"), at);
  const guint n = (guint) json_object_get_int_member (expected, "n");
  const char *base = json_object_get_string_member (c, "base");
  g_autofree char *path = dup_fixture ("families", base, way->base_folder);
  g_autoptr (AssayModelFile) file = assay_model_file_open (path, NULL, &error);
  g_assert_no_error (error);
  AssayModelConfig config;
  g_assert_true (assay_config_read (&config, file, &error) && assay_model_file_map (file, &error));
  AssayDevice *device = assay_device_new_cpu (2, ASSAY_COMPUTE_F32, 0, &error);
  const AssayModelOptions options = { .context_length = n <= SHORT_CONTEXT ? SHORT_CONTEXT : LONG_CONTEXT,
                                      .format = { ASSAY_DTYPE_AS_STORED, ASSAY_DTYPE_AS_STORED } };
  AssayModel *model = assay_model_new (file, &config, device, device, &options, &error);
  g_assert_no_error (error);
  attach_all (model, json_object_get_array_member (c, "adapters"), way->adapter_folder);
  g_autoptr (AssayAssembly) assembly = assay_assembly_new_resident ();
  assay_model_place (model, assembly, NULL, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  assay_model_prompt (model, 0, (const gint32 *) ids->data, n, NULL, NULL, &error);
  g_assert_no_error (error);
  const double off = engine_fixture_relative_error (assay_model_get_logits (model, 0),
                                                    json_object_get_array_member (expected, "logits"), NULL);
  g_test_message ("%s, %u tokens: %.2e", base, n, off);
  g_assert_cmpfloat (off, <, EXACT);
  assay_model_free (model);
  assay_device_free (device);
}

static gboolean
case_has_gguf (JsonObject *c)
{
  JsonArray *adapters = json_object_get_array_member (c, "adapters");
  for (guint i = 0; i < json_array_get_length (adapters); i++)
    if (!json_object_get_boolean_member (json_array_get_object_element (adapters, i), "gguf"))
      return FALSE;
  return TRUE;
}

static void
check_all (gconstpointer data)
{
  const Way *way = data;
  g_autoptr (JsonNode) root = engine_fixture_load_json ("lora", "lora.json");
  JsonObject *top = json_node_get_object (root);
  g_autoptr (GArray) ids = engine_fixture_dup_ids (json_object_get_array_member (top, "ids"));
  JsonArray *cases = json_object_get_array_member (top, "cases");
  guint n = 0;
  for (guint i = 0; i < json_array_get_length (cases); i++)
    {
      JsonObject *c = json_array_get_object_element (cases, i);
      if (!way->adapter_folder && !case_has_gguf (c))
        continue;
      for (guint at = 0; at < 3; at++, n++)
        check_prompt (c, way, ids, at);
    }
  g_assert_cmpuint (n, >=, 15);
}

/* Beside a model that it was not made for. */
static void
test_misfit (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = dup_fixture ("families", "qwen2", FALSE);
  g_autofree char *other = dup_fixture ("lora", "llama-plain", FALSE);
  g_autofree char *folder = dup_fixture ("lora", "llama-plain", TRUE);
  const char *const adapters[] = { other, folder };
  for (guint i = 0; i < G_N_ELEMENTS (adapters); i++)
    {
      PlacedSetup setup;
      Placed placed;
      g_autoptr (GError) misfit = NULL;
      placed_setup_init (&setup, path);
      setup.adapter = adapters[i];
      g_assert_false (placed_open (&placed, &setup, &misfit));
      g_assert_true (g_error_matches (misfit, ASSAY_ENGINE_ERROR, ASSAY_ENGINE_ERROR_FORMAT)
                     || g_error_matches (misfit, ASSAY_ENGINE_ERROR, ASSAY_ENGINE_ERROR_RULE));
      g_test_message ("%s", misfit->message);
      placed_close (&placed);
    }
}

int
main (int argc, char **argv)
{
  static const Way ways[] = { { TRUE, TRUE }, { FALSE, TRUE }, { FALSE, FALSE }, { TRUE, FALSE } };
  engine_fixture_init (&argc, &argv);
  g_test_add_data_func ("/adapter/logits/PEFT beside a folder", &ways[0], check_all);
  g_test_add_data_func ("/adapter/logits/PEFT beside a GGUF", &ways[1], check_all);
  g_test_add_data_func ("/adapter/logits/GGUF beside a GGUF", &ways[2], check_all);
  g_test_add_data_func ("/adapter/logits/GGUF beside a folder", &ways[3], check_all);
  g_test_add_func ("/adapter/logits/another model's adapter is refused", test_misfit);
  return g_test_run ();
}
