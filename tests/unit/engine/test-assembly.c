/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rules on the order in which a model is placed, each by its name, and device maps. */
#include <glib.h>

#include "assay-engine-error.h"
#include "placement/assay-assembly.h"

typedef struct
{
  AssayFieldId field;
  const char *value;
} Condition;

static AssayValues *
conditions_new (const Condition *list, guint n)
{
  AssayValues *conditions = assay_values_new ();
  for (guint i = 0; i < n && list[i].value != NULL; i++)
    g_assert_true (assay_values_parse (conditions, list[i].field, list[i].value, NULL));
  return conditions;
}

static void
test_each_rule_is_named (void)
{
  static const struct
  {
    Condition conditions[4];
    const char *reason;
    AssayFieldId field;
  } cases[] = {
    { { { ASSAY_FIELD_OFFLOAD_MODE, "sequential" },
        { ASSAY_FIELD_OFFLOAD_API, "enable_sequential_cpu_offload, enable_sequential_cpu_offload" } },
      "offload-enabled-twice",
      ASSAY_FIELD_OFFLOAD_API },
    { { { ASSAY_FIELD_OFFLOAD_MODE, "model" },
        { ASSAY_FIELD_OFFLOAD_API, "enable_group_offload,enable_model_cpu_offload" } },
      "offload-enabled-twice",
      ASSAY_FIELD_OFFLOAD_API },
    { { { ASSAY_FIELD_OFFLOAD_MODE, "group" },
        { ASSAY_FIELD_ATTACHED_COMPONENTS, "a.gguf" },
        { ASSAY_FIELD_OFFLOAD_API, "enable_group_offload, attach" } },
      "attached-after-offload",
      ASSAY_FIELD_ATTACHED_COMPONENTS },
    { { { ASSAY_FIELD_OFFLOAD_MODE, "model" }, { ASSAY_FIELD_PIPELINE_MOVED_TO_CUDA, "true" } },
      "moved-before-offload",
      ASSAY_FIELD_PIPELINE_MOVED_TO_CUDA },
    { { { ASSAY_FIELD_OFFLOAD_MODE, "sequential" },
        { ASSAY_FIELD_OFFLOAD_API, "to_device, enable_sequential_cpu_offload" } },
      "moved-before-offload",
      ASSAY_FIELD_PIPELINE_MOVED_TO_CUDA },
    { { { ASSAY_FIELD_OFFLOAD_MODE, "group" },
        { ASSAY_FIELD_OFFLOAD_API, "enable_group_offload, to_device" } },
      "moved-after-offload",
      ASSAY_FIELD_PIPELINE_MOVED_TO_CUDA },
    { { { ASSAY_FIELD_OFFLOAD_MODE, "model" },
        { ASSAY_FIELD_DEVICE_MAP, "embedding=device, decoder=cpu, head=device" } },
      "device-map-not-reset",
      ASSAY_FIELD_DEVICE_MAP },
    { { { ASSAY_FIELD_DEVICE_MAP, "embedding=device, decoder=cpu, head=device" },
        { ASSAY_FIELD_PIPELINE_MOVED_TO_CUDA, "true" } },
      "device-map-not-reset",
      ASSAY_FIELD_DEVICE_MAP },
    { { { ASSAY_FIELD_OFFLOAD_MODE, "model" },
        { ASSAY_FIELD_DEVICE_MAP, "embedding=cpu, decoder=cpu, head=cpu" },
        { ASSAY_FIELD_OFFLOAD_API, "enable_model_cpu_offload, device_map" } },
      "mapped-after-offload",
      ASSAY_FIELD_DEVICE_MAP },
    { { { ASSAY_FIELD_OFFLOAD_API, "enable_magic" } }, "offload-call-unknown", ASSAY_FIELD_OFFLOAD_API },
    { { { ASSAY_FIELD_OFFLOAD_API, "enable_group_offload" } },
      "offload-call-mismatch",
      ASSAY_FIELD_OFFLOAD_API },
    { { { ASSAY_FIELD_ATTACHED_COMPONENTS, "a.gguf" },
        { ASSAY_FIELD_OFFLOAD_MODE, "group" },
        { ASSAY_FIELD_OFFLOAD_API, "enable_group_offload" } },
      "offload-call-mismatch",
      ASSAY_FIELD_ATTACHED_COMPONENTS },
    { { { ASSAY_FIELD_DEVICE_MAP, "decoder=gpu" } }, "device-map-syntax", ASSAY_FIELD_DEVICE_MAP },
    { { { ASSAY_FIELD_DEVICE_MAP, "head.3=cpu" } }, "device-map-syntax", ASSAY_FIELD_DEVICE_MAP },
    { { { ASSAY_FIELD_DEVICE_MAP, "decoder.9-3=cpu" } }, "device-map-syntax", ASSAY_FIELD_DEVICE_MAP },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      AssayFieldId field;
      g_autoptr (GError) error = NULL;
      g_autoptr (AssayValues) conditions
          = conditions_new (cases[i].conditions, G_N_ELEMENTS (cases[i].conditions));
      g_autoptr (AssayAssembly) assembly = assay_assembly_new (conditions, &field, &error);
      g_assert_null (assembly);
      g_assert_error (error, ASSAY_ENGINE_ERROR, ASSAY_ENGINE_ERROR_RULE);
      g_assert_cmpstr (assay_engine_error_get_reason (error), ==, cases[i].reason);
      g_assert_cmpint (field, ==, cases[i].field);
    }
}

static void
test_the_right_order_works (void)
{
  static const Condition order[][4] = {
    { { ASSAY_FIELD_OFFLOAD_MODE, "group" }, { ASSAY_FIELD_ATTACHED_COMPONENTS, "a.gguf" } },
    { { ASSAY_FIELD_OFFLOAD_MODE, "group" },
      { ASSAY_FIELD_ATTACHED_COMPONENTS, "a.gguf" },
      { ASSAY_FIELD_OFFLOAD_API, "attach, enable_group_offload" } },
    { { ASSAY_FIELD_OFFLOAD_MODE, "group" },
      { ASSAY_FIELD_DEVICE_MAP, "embedding=cpu, decoder=cpu, head=cpu" },
      { ASSAY_FIELD_OFFLOAD_API, "device_map, reset_device_map, enable_group_offload" } },
  };
  for (guint i = 0; i < G_N_ELEMENTS (order); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (AssayValues) conditions = conditions_new (order[i], G_N_ELEMENTS (order[i]));
      g_autoptr (AssayAssembly) assembly = assay_assembly_new (conditions, NULL, &error);
      g_assert_no_error (error);
      g_assert_cmpint (assembly->mode, ==, ASSAY_OFFLOAD_GROUP);
      g_assert_cmpuint (assembly->granularity, ==, 1);
      g_assert_null (assembly->device_map);
    }
}

static void
test_calls_follow_from_conditions (void)
{
  const Condition order[]
      = { { ASSAY_FIELD_OFFLOAD_MODE, "sequential" }, { ASSAY_FIELD_ATTACHED_COMPONENTS, "a" } };
  g_autoptr (AssayValues) conditions = conditions_new (order, G_N_ELEMENTS (order));
  g_autofree char *calls = assay_assembly_dup_calls (conditions);
  g_assert_cmpstr (calls, ==, "attach, enable_sequential_cpu_offload");
  assay_values_parse (conditions, ASSAY_FIELD_PIPELINE_MOVED_TO_CUDA, "true", NULL);
  g_autofree char *moved = assay_assembly_dup_calls (conditions);
  g_assert_cmpstr (moved, ==, "attach, to_device, enable_sequential_cpu_offload");
}

static void
test_a_map_places_parts (void)
{
  const Condition order[]
      = { { ASSAY_FIELD_DEVICE_MAP, "embedding=device, decoder=cpu, decoder.1-2=device, head=cpu" } };
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayValues) conditions = conditions_new (order, 1);
  g_autoptr (AssayAssembly) assembly = assay_assembly_new (conditions, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (assay_assembly_check_map (assembly, 4, &error));
  g_assert_true (assay_assembly_is_on_device (assembly, "embedding", -1));
  g_assert_false (assay_assembly_is_on_device (assembly, "decoder", 0));
  g_assert_true (assay_assembly_is_on_device (assembly, "decoder", 2));
  g_assert_false (assay_assembly_is_on_device (assembly, "decoder", 3));
  g_assert_false (assay_assembly_is_on_device (assembly, "head", -1));
}

static void
test_a_map_names_every_part (void)
{
  static const char *const maps[] = { "decoder=cpu, head=cpu", "embedding=cpu, head=cpu, decoder.0-2=cpu" };
  for (guint i = 0; i < G_N_ELEMENTS (maps); i++)
    {
      const Condition order[] = { { ASSAY_FIELD_DEVICE_MAP, maps[i] } };
      g_autoptr (GError) error = NULL;
      g_autoptr (AssayValues) conditions = conditions_new (order, 1);
      g_autoptr (AssayAssembly) assembly = assay_assembly_new (conditions, NULL, &error);
      g_assert_no_error (error);
      g_assert_false (assay_assembly_check_map (assembly, 4, &error));
      g_assert_cmpstr (assay_engine_error_get_reason (error), ==, "device-map-incomplete");
    }
}

static void
test_a_map_names_layers_there_are (void)
{
  static const char *const maps[] = { "decoder.4=cpu", "decoder.3-99=device", "decoder.99 = cpu" };
  for (guint i = 0; i < G_N_ELEMENTS (maps); i++)
    {
      g_autofree char *map = g_strdup_printf ("embedding=device, decoder=device, head=cpu,\n %s", maps[i]);
      const Condition order[] = { { ASSAY_FIELD_DEVICE_MAP, map } };
      g_autoptr (GError) error = NULL;
      g_autoptr (AssayValues) conditions = conditions_new (order, 1);
      g_autoptr (AssayAssembly) assembly = assay_assembly_new (conditions, NULL, &error);
      g_assert_no_error (error);
      g_assert_false (assay_assembly_check_map (assembly, 4, &error));
      g_assert_error (error, ASSAY_ENGINE_ERROR, ASSAY_ENGINE_ERROR_RULE);
      g_assert_cmpstr (assay_engine_error_get_reason (error), ==, "device-map-layer");
      g_assert_cmpstr (assay_engine_error_get_field (error), ==, "device_map");
      g_assert_nonnull (strstr (error->message, maps[i]));
      g_assert_nonnull (strstr (error->message, "0 to 3"));
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/assembly/each-rule-is-named", test_each_rule_is_named);
  g_test_add_func ("/engine/assembly/the-right-order-works", test_the_right_order_works);
  g_test_add_func ("/engine/assembly/calls-follow-from-conditions", test_calls_follow_from_conditions);
  g_test_add_func ("/engine/assembly/a-map-places-parts", test_a_map_places_parts);
  g_test_add_func ("/engine/assembly/a-map-names-every-part", test_a_map_names_every_part);
  g_test_add_func ("/engine/assembly/a-map-names-layers-that-there-are", test_a_map_names_layers_there_are);
  return g_test_run ();
}
