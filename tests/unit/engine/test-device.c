/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/engine/test-device.c: every byte counted once, and given back. */
#include "assay-device-private.h"
#include "engine-fixture.h"

#include <string.h>

static guint64
allocated (AssayDevice *device)
{
  AssayDeviceFigures f;
  guint64 sum = 0;
  assay_device_get_figures (device, &f);
  for (guint i = 0; i < ASSAY_N_MEMORY; i++)
    sum += f.allocated[i];
  return sum;
}

static AssayDeviceFigures
figures (AssayDevice *device)
{
  AssayDeviceFigures f;
  assay_device_get_figures (device, &f);
  return f;
}

static void
test_marks_are_exact (void)
{
  FaultPlan plan = { 0 };
  g_autoptr (AssayDevice) device = assay_device_new ("cpu", engine_fixture_backend_new (&plan, TRUE), 0);
  AssayBuffer *kv = assay_device_alloc (device, ASSAY_MEMORY_KV_CACHE, 1000, NULL);
  AssayBuffer *work = assay_device_alloc (device, ASSAY_MEMORY_WORKSPACE, 333, NULL);
  g_assert_cmpuint (figures (device).allocated[ASSAY_MEMORY_KV_CACHE], ==, 1000);
  g_assert_cmpuint (figures (device).peak_allocated, ==, 1333);
  assay_buffer_free (kv);
  assay_device_mark_phase (device);
  AssayBuffer *output = assay_device_alloc (device, ASSAY_MEMORY_OUTPUT, 1, NULL);
  const AssayDeviceFigures f = figures (device);
  g_assert_cmpuint (f.peak[ASSAY_MEMORY_KV_CACHE], ==, 1000);
  g_assert_cmpuint (f.allocated[ASSAY_MEMORY_KV_CACHE], ==, 0);
  g_assert_cmpuint (f.peak_allocated, ==, 1333);
  g_assert_cmpuint (f.phase_peak_allocated, ==, 334);
  g_assert_cmpuint (f.reserved, ==, 1334); /* the freed cache is kept */
  assay_buffer_free (work);
  assay_buffer_free (output);
  g_assert_cmpuint (allocated (device), ==, 0);
}

static void
test_memory_is_aligned_and_writable (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayDevice) device = assay_device_new_cpu (1, ASSAY_COMPUTE_F32, 0, &error);
  g_assert_no_error (error);
  for (guint64 bytes = 0; bytes < 200; bytes += 37)
    {
      AssayBuffer *buffer = assay_device_alloc (device, ASSAY_MEMORY_ACTIVATIONS, bytes, &error);
      g_assert_nonnull (assay_buffer_get_data (buffer));
      g_assert_cmpuint ((gsize) assay_buffer_get_data (buffer) % 64, ==, 0);
      g_assert_cmpuint (assay_buffer_get_bytes (buffer), ==, bytes);
      memset (assay_buffer_get_data (buffer), 0xA5, bytes);
      assay_buffer_free (buffer);
    }
}

static void
test_freed_blocks_are_used_again (void)
{
  FaultPlan plan = { 0 };
  g_autoptr (AssayDevice) device = assay_device_new ("cpu", engine_fixture_backend_new (&plan, TRUE), 0);
  AssayBuffer *first = assay_device_alloc (device, ASSAY_MEMORY_KV_CACHE, 8000, NULL);
  void *memory = assay_buffer_get_data (first);
  assay_buffer_free (first);
  AssayBuffer *second = assay_device_alloc (device, ASSAY_MEMORY_OUTPUT, 7100, NULL);
  g_assert_true (assay_buffer_get_data (second) == memory);
  g_assert_cmpuint (figures (device).allocated[ASSAY_MEMORY_OUTPUT], ==, 7100);
  g_assert_cmpuint (figures (device).reserved, ==, 8000);
  assay_buffer_free (second);
  AssayBuffer *small = assay_device_alloc (device, ASSAY_MEMORY_OUTPUT, 6000,
                                           NULL); /* would waste a quarter */
  g_assert_true (assay_buffer_get_data (small) != memory);
  assay_buffer_free (small);
  g_assert_cmpuint (plan.n_blocks, ==, 2);
  assay_device_trim (device);
  g_assert_cmpuint (plan.n_blocks, ==, 0);
  g_assert_cmpint (plan.bytes_held, ==, 0);
  g_assert_cmpuint (figures (device).reserved, ==, 0);
  g_assert_cmpuint (figures (device).peak_reserved, ==, 14000);
}

static void
test_budget_is_exact (void)
{
  FaultPlan plan = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayDevice) device = assay_device_new ("cpu", engine_fixture_backend_new (&plan, TRUE),
                                                     1 << 20);
  AssayBuffer *kv = assay_device_alloc (device, ASSAY_MEMORY_KV_CACHE, (1 << 20) - 10, &error);
  AssayBuffer *rest = assay_device_alloc (device, ASSAY_MEMORY_OUTPUT, 10, &error);
  g_assert_no_error (error);
  g_assert_null (assay_device_alloc (device, ASSAY_MEMORY_WORKSPACE, 1, &error));
  g_assert_error (error, ASSAY_ENGINE_ERROR, ASSAY_ENGINE_ERROR_OOM_DEVICE);
  g_assert_cmpuint (assay_engine_error_get_request (error), ==, 1);
  g_assert_cmpstr (assay_engine_error_get_reason (error), ==, "over-budget");
  for (const char *const *part = (const char *const[]) { "workspace", "1.00 MiB", "budget", "kv_cache",
                                                         "vram_budget", NULL };
       *part != NULL; part++)
    g_assert_nonnull (strstr (error->message, *part));
  g_assert_true (g_str_has_prefix (error->message, "workspace: asked for 1 B on ")); /* name and size once */
  g_clear_error (&error);
  g_assert_null (assay_device_alloc (device, ASSAY_MEMORY_WORKSPACE, 2048, &error));
  g_assert_nonnull (strstr (error->message, "asked for 2.00 KiB (2048 bytes) on "));
  g_clear_error (&error);
  assay_buffer_free (rest);
  AssayBuffer *again = assay_device_alloc (device, ASSAY_MEMORY_STAGING, 9,
                                           &error); /* the cache is given back first */
  g_assert_no_error (error);
  assay_buffer_free (again);
  assay_buffer_free (kv);
}

static void
test_amounts_that_differ_never_look_alike (void)
{
  FaultPlan plan = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayDevice) device = assay_device_new ("cpu", engine_fixture_backend_new (&plan, TRUE),
                                                     1 << 20);
  AssayBuffer *kv = assay_device_alloc (device, ASSAY_MEMORY_KV_CACHE, (1 << 20) - 10, NULL);
  g_assert_null (assay_device_alloc (device, ASSAY_MEMORY_WORKSPACE, 11, &error));
  g_assert_nonnull (strstr (error->message, "where 1048566 bytes of 1048576 bytes budget is in use"));
  assay_buffer_free (kv);
}

static void
test_budget_never_wraps (void)
{
  FaultPlan plan = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayDevice) device = assay_device_new ("cpu", engine_fixture_backend_new (&plan, TRUE),
                                                     G_MAXUINT64);
  AssayBuffer *some = assay_device_alloc (device, ASSAY_MEMORY_OUTPUT, 4096, &error);
  g_assert_null (assay_device_alloc (device, ASSAY_MEMORY_KV_CACHE, G_MAXUINT64, &error));
  g_assert_error (error, ASSAY_ENGINE_ERROR, ASSAY_ENGINE_ERROR_OOM_DEVICE);
  g_assert_cmpuint (assay_engine_error_get_request (error), ==, G_MAXUINT64);
  assay_buffer_free (some);
}

static void
on_trim (guint64 bytes, gpointer data)
{
  *(guint64 *) data += bytes;
}

/* Asked for or forced, and only when there was something to give back. */
static void
test_trims_are_counted (void)
{
  FaultPlan plan = { 0 };
  guint64 trimmed = 0;
  g_autoptr (AssayDevice) device = assay_device_new ("cpu", engine_fixture_backend_new (&plan, TRUE), 1000);
  assay_device_set_trim_func (device, on_trim, &trimmed);
  assay_device_trim (device);
  g_assert_cmpuint (figures (device).n_trims, ==, 0);
  assay_buffer_free (assay_device_alloc (device, ASSAY_MEMORY_STAGING, 600, NULL));
  assay_device_trim (device);
  g_assert_cmpuint (figures (device).n_trims, ==, 1);
  assay_buffer_free (assay_device_alloc (device, ASSAY_MEMORY_STAGING, 500, NULL));
  assay_buffer_free (assay_device_alloc (device, ASSAY_MEMORY_STAGING, 900, NULL)); /* only without the 500 */
  g_assert_cmpuint (figures (device).n_trims, ==, 2);
  g_assert_null (assay_device_alloc (device, ASSAY_MEMORY_STAGING, 1001, NULL)); /* in vain */
  g_assert_cmpuint (figures (device).n_trims, ==, 3);
  g_assert_cmpuint (trimmed, ==, 600 + 500 + 900);
}

/* --- kinds --- */

static void
test_virtual_has_its_own_memory (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayDevice) device = assay_device_new_virtual (1, ASSAY_COMPUTE_F16, 1 << 20, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (assay_device_get_name (device), ==, "virtual");
  g_assert_true (assay_device_is_separate (device));
  g_assert_false (assay_device_is_plan (device));
  g_assert_cmpuint (assay_device_get_memory (device), ==, 1 << 20);
  g_assert_null (assay_device_alloc (device, ASSAY_MEMORY_WEIGHTS, (1 << 20) + 1, &error));
  g_assert_error (error, ASSAY_ENGINE_ERROR, ASSAY_ENGINE_ERROR_OOM_DEVICE);
  g_clear_error (&error);
  AssayBuffer *all = assay_device_alloc (device, ASSAY_MEMORY_WEIGHTS, 1 << 20, &error);
  g_assert_no_error (error);
  memset (assay_buffer_get_data (all), 0xA5, 1 << 20);
  assay_buffer_free (all);

  g_autoptr (AssayDevice) unbounded = assay_device_new_virtual (1, ASSAY_COMPUTE_F32, 0, &error);
  g_assert_cmpuint (assay_device_get_budget (unbounded), >, 1 << 20); /* the machine's */
  g_assert_cmpuint (assay_device_get_memory (unbounded), ==, assay_device_get_budget (unbounded));
}

static void
test_host_names_the_ram_budget (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayDevice) host = assay_device_new_host (1, 5000, &error);
  g_assert_false (assay_device_is_separate (host));
  AssayBuffer *some = assay_device_alloc (host, ASSAY_MEMORY_WEIGHTS, 4000, &error);
  g_assert_no_error (error);
  g_assert_null (assay_device_alloc (host, ASSAY_MEMORY_STAGING, 1001, &error));
  g_assert_error (error, ASSAY_ENGINE_ERROR, ASSAY_ENGINE_ERROR_OOM_HOST);
  g_assert_cmpstr (assay_engine_error_get_reason (error), ==, "over-ram-budget");
  g_assert_nonnull (strstr (error->message, "ram_budget"));
  g_assert_cmpuint (assay_engine_error_get_request (error), ==, 1001);
  assay_buffer_free (some);
}

static void
test_plan_has_no_limits (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayDevice) real = assay_device_new_virtual (1, ASSAY_COMPUTE_F32, 1000, &error);
  g_autoptr (AssayDevice) plan = assay_device_new_plan (real, &error);
  g_assert_no_error (error);
  g_assert_true (assay_device_is_plan (plan));
  g_assert_true (assay_device_is_separate (plan));
  g_assert_cmpstr (assay_device_get_name (plan), ==, "virtual");
  g_assert_cmpstr (assay_device_get_kernel_name (plan), ==, assay_device_get_kernel_name (real));
  AssayBuffer *huge = assay_device_alloc (plan, ASSAY_MEMORY_WEIGHTS, G_GUINT64_CONSTANT (1) << 42, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (figures (plan).peak_allocated, ==, G_GUINT64_CONSTANT (1) << 42);
  assay_buffer_free (huge);
}

/* An overcommitting kernel would grant it and kill the process later. */
static void
test_more_than_the_machine_has_is_refused (void)
{
  FaultPlan plan = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayDevice) device = assay_device_new ("cpu", engine_fixture_backend_new (&plan, TRUE), 0);
  g_assert_null (assay_device_alloc (device, ASSAY_MEMORY_KV_CACHE, G_GUINT64_CONSTANT (1) << 50, &error));
  g_assert_error (error, ASSAY_ENGINE_ERROR, ASSAY_ENGINE_ERROR_OOM_HOST);
  g_assert_cmpuint (assay_engine_error_get_request (error), ==, G_GUINT64_CONSTANT (1) << 50);
  g_assert_cmpuint (plan.n_calls, ==, 0);
}

static void
test_backend_out_of_memory (void)
{
  FaultPlan plan = { .fail_at = 2, .failure = ASSAY_NO_MEMORY };
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayDevice) device = assay_device_new ("cpu", engine_fixture_backend_new (&plan, TRUE), 0);
  AssayBuffer *first = assay_device_alloc (device, ASSAY_MEMORY_KV_CACHE, 100, &error);
  g_assert_null (assay_device_alloc (device, ASSAY_MEMORY_WORKSPACE, 50, &error));
  g_assert_error (error, ASSAY_ENGINE_ERROR, ASSAY_ENGINE_ERROR_OOM_HOST);
  g_assert_cmpuint (allocated (device), ==, 100);
  assay_buffer_free (first);
}

static void
test_statuses_become_errors (void)
{
  static const struct { AssayStatus status; AssayEngineError code; } cases[] = {
    { ASSAY_UNSUPPORTED, ASSAY_ENGINE_ERROR_UNSUPPORTED },
    { ASSAY_NO_MEMORY, ASSAY_ENGINE_ERROR_OOM_HOST },
    { ASSAY_DEVICE_FAULT, ASSAY_ENGINE_ERROR_DEVICE },
  };
  FaultPlan plan = { 0 };
  g_autoptr (AssayDevice) device = assay_device_new ("cpu", engine_fixture_backend_new (&plan, TRUE), 0);
  g_strlcpy (assay_device_get_backend (device)->fault, "because of reasons", 64);
  g_assert_true (assay_device_check (device, ASSAY_OK, "rope", NULL));
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_assert_false (assay_device_check (device, cases[i].status, "rope", &error));
      g_assert_error (error, ASSAY_ENGINE_ERROR, (gint) cases[i].code);
      g_assert_nonnull (strstr (error->message, "rope on cpu"));
      g_assert_nonnull (strstr (error->message, "because of reasons"));
    }
}

static void
test_list_names_the_cpu_and_says_why_not_cuda (void)
{
  g_autoptr (GPtrArray) list = assay_device_list ();
  g_assert_cmpuint (list->len, ==, 3);
  const AssayDeviceInfo *cpu = g_ptr_array_index (list, 0), *virtual = g_ptr_array_index (list, 1),
                        *cuda = g_ptr_array_index (list, 2);
  g_assert_cmpstr (cpu->name, ==, "cpu");
  g_assert_null (cpu->problem);
  g_assert_cmpuint (cpu->memory_bytes, >, 1 << 20);
  g_assert_nonnull (strstr (cpu->description, "cores"));
  g_assert_cmpstr (virtual->name, ==, "virtual");
  g_assert_null (virtual->problem);
  g_assert_cmpstr (cuda->name, ==, "cuda:0");
  g_assert_cmpuint (strlen (cuda->problem), >, 20);
}

int
main (int argc, char *argv[])
{
  engine_fixture_init (&argc, &argv);
  g_test_add_func ("/engine/device/high-water-marks-are-exact", test_marks_are_exact);
  g_test_add_func ("/engine/device/memory-is-aligned-and-writable", test_memory_is_aligned_and_writable);
  g_test_add_func ("/engine/device/freed-blocks-are-used-again-until-trimmed",
                   test_freed_blocks_are_used_again);
  g_test_add_func ("/engine/device/budget-is-exact-and-its-error-says-all", test_budget_is_exact);
  g_test_add_func ("/engine/device/budget-arithmetic-never-wraps", test_budget_never_wraps);
  g_test_add_func ("/engine/device/amounts that differ never look alike",
                   test_amounts_that_differ_never_look_alike);
  g_test_add_func ("/engine/device/trims-that-freed-something-are-counted", test_trims_are_counted);
  g_test_add_func ("/engine/device/virtual-has-its-own-memory", test_virtual_has_its_own_memory);
  g_test_add_func ("/engine/device/host-names-the-ram-budget", test_host_names_the_ram_budget);
  g_test_add_func ("/engine/device/a-plan-has-no-limits", test_plan_has_no_limits);
  g_test_add_func ("/engine/device/more-than-the-machine-has-is-refused",
                   test_more_than_the_machine_has_is_refused);
  g_test_add_func ("/engine/device/backend-out-of-memory-leaves-the-accounts-right",
                   test_backend_out_of_memory);
  g_test_add_func ("/engine/device/statuses-become-errors", test_statuses_become_errors);
  g_test_add_func ("/engine/device/list-names-what-can-be-used-and-says-why-not-cuda",
                   test_list_names_the_cpu_and_says_why_not_cuda);
  return g_test_run ();
}
