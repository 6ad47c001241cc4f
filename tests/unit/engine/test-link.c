/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/engine/test-link.c: copies beside the computing, as fast as the link is said to be. */
#include "engine-fixture.h"

#include "placement/assay-link.h"

#include <string.h>

static AssayLinkFigures
figures (AssayLink *link)
{
  AssayLinkFigures f;
  assay_link_get_figures (link, &f);
  return f;
}

static void
test_copies_are_whole_and_in_order (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayDevice) device = assay_device_new_virtual (1, ASSAY_COMPUTE_F32, 1 << 20, &error);
  g_assert_no_error (error);
  g_autoptr (AssayLink) link = assay_link_new (device, 0, 0, &error);
  g_assert_no_error (error);
  AssayBuffer *buffer = assay_device_alloc (device, ASSAY_MEMORY_WEIGHTS, 100000, &error);
  char *memory = assay_buffer_get_data (buffer);
  g_autofree char *host = g_malloc (100000);
  guint64 ticket = 0, bytes = 0;
  for (guint i = 0; i < 1000; i++) /* later ones overwrite earlier ones */
    {
      const gsize n = 1 + i * 97 % 50000;
      if (i % 100 == 0)
        g_assert_true (assay_link_wait (link, ticket, &error));
      if (i % 100 == 0)
        memset (host, (int) (i / 100 + 1), 100000);
      ticket = assay_link_copy (link, memory + i % 100 * 100, host, n);
      bytes += n;
    }
  assay_link_copy (link, memory, host, 100000);
  g_assert_true (assay_link_wait (link, ticket + 1, &error));
  g_assert_cmpmem (memory, 100000, host, 100000);
  g_assert_cmpuint (figures (link).bytes, ==, bytes + 100000);
  g_assert_cmpuint (figures (link).n_copies, ==, 1001);
  assay_buffer_free (buffer);
}

/* Never faster than it is said to be; how much slower, a busy machine decides. */
static void
test_speed_is_kept_to (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayDevice) device = assay_device_new_virtual (1, ASSAY_COMPUTE_F32, 1 << 20, &error);
  AssayBuffer *buffer = assay_device_alloc (device, ASSAY_MEMORY_WEIGHTS, 100000, &error);
  g_autofree char *host = g_malloc0 (100000);
  const gint64 latency_ns = 200000, copy_ns = 1000000;
  AssayLink *link = assay_link_new (device, 100000000, latency_ns, &error); /* 100 kB in 1 ms */
  const gint64 start_us = g_get_monotonic_time ();
  guint64 ticket = 0;
  for (guint i = 0; i < 20; i++)
    ticket = assay_link_copy (link, assay_buffer_get_data (buffer), host, 100000);
  g_assert_true (assay_link_wait (link, ticket, &error));
  const gint64 spent_ns = (g_get_monotonic_time () - start_us + 1) * 1000;
  g_assert_cmpint (figures (link).busy_ns, >=, 20 * (latency_ns + copy_ns));
  g_assert_cmpint (spent_ns, >=, 20 * (latency_ns + copy_ns));
  g_assert_cmpint (figures (link).busy_ns, <=, spent_ns);
  g_assert_cmpint (figures (link).stall_ns, <=, spent_ns);
  g_assert_cmpint (figures (link).stall_ns, >, 0);
  assay_link_free (link);
  assay_buffer_free (buffer);
}

/* A chart of the link's rate would show bursts faster than the link, were a copy counted when it is done. */
static void
test_copy_under_way_counts_bit_by_bit (void)
{
  g_autoptr (AssayDevice) device = assay_device_new_virtual (1, ASSAY_COMPUTE_F32, 1 << 20, NULL);
  AssayBuffer *buffer = assay_device_alloc (device, ASSAY_MEMORY_WEIGHTS, 100000, NULL);
  g_autofree char *host = g_malloc0 (100000);
  AssayLink *link = assay_link_new (device, 250000, 0, NULL); /* 100 kB in 400 ms */
  const gint64 start_us = g_get_monotonic_time ();
  const guint64 ticket = assay_link_copy (link, assay_buffer_get_data (buffer), host, 100000);
  guint64 before = 0;
  guint n_parts = 0;
  while (before < 100000)
    {
      const guint64 bytes = figures (link).bytes;
      const double most = (double) (g_get_monotonic_time () - start_us + 1) * 0.25;
      g_assert_cmpuint (bytes, >=, before);
      g_assert_cmpfloat ((double) bytes, <=, most);
      n_parts += bytes > before && bytes < 100000;
      before = bytes;
      g_usleep (500);
    }
  g_assert_cmpuint (n_parts, >, 2);
  g_assert_true (assay_link_wait (link, ticket, NULL));
  g_assert_cmpuint (figures (link).bytes, ==, 100000);
  assay_link_free (link);
  assay_buffer_free (buffer);
}

/* What was hidden is no stall. */
static void
test_hidden_time_is_no_stall (void)
{
  g_autoptr (AssayDevice) device = assay_device_new_virtual (1, ASSAY_COMPUTE_F32, 1 << 20, NULL);
  AssayBuffer *buffer = assay_device_alloc (device, ASSAY_MEMORY_WEIGHTS, 1000, NULL);
  char host[1000] = { 1 };
  AssayLink *link = assay_link_new (device, 0, 2000000, NULL);
  const guint64 ticket = assay_link_copy (link, assay_buffer_get_data (buffer), host, sizeof host);
  while (figures (link).busy_ns == 0) /* busy elsewhere */
    g_usleep (100);
  g_assert_true (assay_link_wait (link, ticket, NULL));
  g_assert_cmpint (figures (link).stall_ns, ==, 0);
  assay_link_free (link);
  assay_buffer_free (buffer);
}

static void
test_plan_counts_and_waits_for_nothing (void)
{
  g_autoptr (AssayDevice) real = assay_device_new_virtual (1, ASSAY_COMPUTE_F32, 1 << 20, NULL);
  g_autoptr (AssayDevice) plan = assay_device_new_plan (real, NULL);
  g_autoptr (AssayLink) link = assay_link_new (plan, 1000, 5, NULL); /* a kilobyte in a second */
  const gint64 start_us = g_get_monotonic_time ();
  guint64 ticket = 0;
  for (guint i = 0; i < 100; i++)
    ticket = assay_link_copy (link, NULL, NULL, 1000000);
  g_assert_true (assay_link_wait (link, ticket, NULL));
  g_assert_cmpint (g_get_monotonic_time () - start_us, <, 1000000);
  g_assert_cmpuint (figures (link).bytes, ==, 100000000);
  g_assert_cmpint (figures (link).busy_ns, ==, 100 * (G_GINT64_CONSTANT (1000000000000) + 5));
  g_assert_cmpint (figures (link).stall_ns, ==, 0);
}

static void
test_failed_copy_is_told_once (void)
{
  g_autoptr (GError) error = NULL;
  FaultPlan plan = { .upload_fail_at = 2 };
  g_autoptr (AssayDevice) device = assay_device_new ("faulty", engine_fixture_backend_new (&plan, TRUE), 0);
  g_autoptr (AssayLink) link = assay_link_new (device, 0, 0, NULL);
  char from[8] = "copied", to[8] = "";
  for (guint i = 0; i < 3; i++)
    assay_link_copy (link, to, from, sizeof from);
  g_assert_false (assay_link_wait (link, 3, &error));
  g_assert_error (error, ASSAY_ENGINE_ERROR, ASSAY_ENGINE_ERROR_DEVICE);
  g_assert_nonnull (strstr (error->message, "planted at upload 2"));
  g_clear_error (&error);
  g_assert_true (assay_link_wait (link, assay_link_copy (link, to, from, sizeof from), &error));
  g_assert_cmpstr (to, ==, "copied");
}

static gboolean
on_ask (gpointer data)
{
  guint *n = data;
  return ++*n >= 5;
}

/* A byte in a second: a day's work each, of which a moment was done. */
static void
test_cut_short_counts_what_passed (void)
{
  guint n = 0;
  char host[100000] = { 1 };
  g_autoptr (AssayDevice) device = assay_device_new_virtual (1, ASSAY_COMPUTE_F32, 1 << 20, NULL);
  AssayBuffer *buffer = assay_device_alloc (device, ASSAY_MEMORY_WEIGHTS, sizeof host, NULL);
  AssayLink *link = assay_link_new (device, 1, 1000, NULL);
  guint64 ticket = 0;
  assay_link_set_stop_func (link, on_ask, &n);
  const gint64 start_us = g_get_monotonic_time ();
  for (guint i = 0; i < 3; i++)
    ticket = assay_link_copy (link, assay_buffer_get_data (buffer), host, sizeof host);
  g_assert_cmpuint (figures (link).bytes, ==, 0);
  g_assert_true (assay_link_wait (link, ticket, NULL));
  const gint64 spent_ns = (g_get_monotonic_time () - start_us + 1) * 1000;
  g_assert_cmpint (figures (link).busy_ns, >, 0);
  g_assert_cmpint (figures (link).busy_ns, <=, spent_ns);
  g_assert_cmpuint (figures (link).bytes, <=, (guint64) spent_ns / 1000000000);
  g_assert_cmpuint (figures (link).n_copies, ==, 0);
  assay_link_free (link);
  assay_buffer_free (buffer);
}

/* Half of it passed: half of it counts. */
static void
test_part_of_a_copy_counts (void)
{
  guint n = 0;
  char host[100000] = { 1 };
  g_autoptr (AssayDevice) device = assay_device_new_virtual (1, ASSAY_COMPUTE_F32, 1 << 20, NULL);
  AssayBuffer *buffer = assay_device_alloc (device, ASSAY_MEMORY_WEIGHTS, sizeof host, NULL);
  AssayLink *link = assay_link_new (device, 10000, 0, NULL); /* ten seconds */
  assay_link_set_stop_func (link, on_ask, &n);
  g_assert_true (assay_link_wait (
      link, assay_link_copy (link, assay_buffer_get_data (buffer), host, sizeof host), NULL));
  const AssayLinkFigures f = figures (link);
  g_assert_cmpfloat_with_epsilon ((double) f.bytes, f.busy_ns * 1e-5, 1);
  g_assert_cmpuint (f.bytes, >, 0);
  g_assert_cmpuint (f.bytes, <, sizeof host);
  assay_link_free (link);
  assay_buffer_free (buffer);
}

static void
test_a_plan_of_an_endless_link (void)
{
  g_autoptr (AssayDevice) real = assay_device_new_virtual (1, ASSAY_COMPUTE_F32, 1 << 20, NULL);
  g_autoptr (AssayDevice) plan = assay_device_new_plan (real, NULL);
  g_autoptr (AssayLink) link = assay_link_new (plan, 1, 0, NULL);
  for (guint i = 0; i < 10; i++)
    assay_link_copy (link, NULL, NULL, G_GUINT64_CONSTANT (1) << 40);
  g_assert_cmpint (figures (link).busy_ns, ==, G_MAXINT64);
}

static void
test_freed_while_copying (void)
{
  g_autoptr (AssayDevice) device = assay_device_new_virtual (1, ASSAY_COMPUTE_F32, 1 << 20, NULL);
  AssayBuffer *buffer = assay_device_alloc (device, ASSAY_MEMORY_WEIGHTS, 1000, NULL);
  char host[1000];
  memset (host, 7, sizeof host);
  AssayLink *link = assay_link_new (device, 0, 1000000, NULL);
  for (guint i = 0; i < 10; i++)
    assay_link_copy (link, (char *) assay_buffer_get_data (buffer) + 100 * i, host, 100);
  assay_link_free (link);
  g_assert_cmpmem (assay_buffer_get_data (buffer), 1000, host, 1000);
  assay_buffer_free (buffer);
}

int
main (int argc, char *argv[])
{
  engine_fixture_init (&argc, &argv);
  g_test_add_func ("/engine/link/copies-are-whole-and-in-order", test_copies_are_whole_and_in_order);
  g_test_add_func ("/engine/link/speed-is-kept-to", test_speed_is_kept_to);
  g_test_add_func ("/engine/link/a-copy-under-way-counts-bit-by-bit", test_copy_under_way_counts_bit_by_bit);
  g_test_add_func ("/engine/link/hidden-time-is-no-stall", test_hidden_time_is_no_stall);
  g_test_add_func ("/engine/link/a-plan-counts-and-waits-for-nothing",
                   test_plan_counts_and_waits_for_nothing);
  g_test_add_func ("/engine/link/a-failed-copy-is-told-once", test_failed_copy_is_told_once);
  g_test_add_func ("/engine/link/what-is-cut-short-counts-as-what-passed", test_cut_short_counts_what_passed);
  g_test_add_func ("/engine/link/a-part-of-a-copy-counts", test_part_of_a_copy_counts);
  g_test_add_func ("/engine/link/a-plan-of-an-endless-link-does-not-overflow", test_a_plan_of_an_endless_link);
  g_test_add_func ("/engine/link/freeing-waits-for-copies", test_freed_while_copying);
  return g_test_run ();
}
