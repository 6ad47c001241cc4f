/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/engine/test-card-families.c: every family's logits on the emulated card against transformers' (fixtures
 * of tests/reference/families.py), resident and with each leaf coming over the link. */
#include "card-fixture.h"
#include "placed-fixture.h"

#define TOLERANCE 1e-3
#define LONG_CONTEXT 128
#define SHORT_CONTEXT 32

static void
check_prompt (PlacedSetup *setup, const gint32 *ids, guint n, JsonArray *expected, const char *label)
{
  g_autoptr (GError) error = NULL;
  const guint n_vocab = json_array_get_length (expected);
  g_autofree float *logits = g_new (float, n_vocab);
  Placed placed;
  card_fixture_start (NULL);
  placed_open (&placed, setup, &error);
  g_assert_no_error (error);
  assay_model_prompt (placed.model, 0, ids, n, NULL, NULL, &error);
  g_assert_no_error (error);
  AssayBackend *b = assay_device_get_backend (placed.device);
  g_assert_cmpint (b->ops->download (b, logits, assay_model_get_logits (placed.model, 0), n_vocab * sizeof (float)), ==,
                   ASSAY_OK);
  const double off = engine_fixture_relative_error (logits, expected, NULL);
  g_test_message ("%s, %u tokens: %.2e", label, n, off);
  g_assert_cmpfloat (off, <, TOLERANCE);
  placed_close (&placed);
  card_fixture_assert_clean ();
}

/* Longrope is chosen by the context, so each prompt runs in one of its own kind. */
static void
check_case (JsonObject *c, GArray *ids, AssayOffloadMode mode)
{
  const char *name = json_object_get_string_member (c, "name");
  JsonArray *at = json_object_get_array_member (c, "at");
  g_autofree char *file = g_strconcat (name, ".gguf", NULL);
  g_autofree char *path = engine_fixture_dup_path ("families", file);
  if (!g_file_test (path, G_FILE_TEST_EXISTS)) /* a rotation that GGUF has no word for */
    return;
  PlacedSetup setup;
  placed_setup_init (&setup, path);
  setup.separate = TRUE;
  setup.assembly = (AssayAssembly){ .mode = mode, .prefetch = TRUE };
  for (guint i = 0; i < json_array_get_length (at); i++)
    {
      JsonObject *point = json_array_get_object_element (at, i);
      const guint n = (guint) json_object_get_int_member (point, "n");
      setup.options.context_length = n <= SHORT_CONTEXT ? SHORT_CONTEXT : LONG_CONTEXT;
      check_prompt (&setup, (const gint32 *) ids->data, n, json_object_get_array_member (point, "logits"), name);
    }
}

static void
test_families (gconstpointer mode)
{
  g_autoptr (JsonNode) root = engine_fixture_load_json ("families", "families.json");
  JsonArray *cases = json_object_get_array_member (json_node_get_object (root), "cases");
  g_autoptr (GArray) ids
    = engine_fixture_dup_ids (json_object_get_array_member (json_node_get_object (root), "ids"));
  for (guint i = 0; i < json_array_get_length (cases); i++)
    check_case (json_array_get_object_element (cases, i), ids, GPOINTER_TO_UINT (mode));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  placed_separate_is_card = TRUE;
  g_test_add_data_func ("/device/families/resident", GUINT_TO_POINTER (ASSAY_OFFLOAD_NONE), test_families);
  g_test_add_data_func ("/device/families/leaf-by-leaf", GUINT_TO_POINTER (ASSAY_OFFLOAD_SEQUENTIAL), test_families);
  return g_test_run ();
}
