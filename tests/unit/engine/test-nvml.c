/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/engine/test-nvml.c: what the driver says reaches the record as it was said, and its silence as silence.
 *
 * Each test is a process of its own, with a library that answers as told (fake-nvml.c): a library is loaded once. */
#include "assay-nvml.h"

#include <string.h>

#define MIB (G_GINT64_CONSTANT (1) << 20)
#define INTERVAL_NS 2000000
#define MOST_NS (G_GINT64_CONSTANT (5) * 1000000000)

static AssayNvmlFigures
read_after (AssayNvml *nvml, guint64 n_samples)
{
  AssayNvmlFigures f = { 0 };
  for (guint i = 0; i < 2000 && (!assay_nvml_get (nvml, &f) || f.n_samples < n_samples); i++)
    g_usleep (2000);
  return f;
}

static void
test_figures (void)
{
  g_autofree char *problem = NULL;
  AssayNvml *nvml = assay_nvml_new ("GPU-1", INTERVAL_NS);
  g_assert_true (assay_nvml_wait (nvml, MOST_NS, &problem));
  const AssayNvmlFigures f = read_after (nvml, 3);
  g_assert_cmpint (f.total, ==, 16384 * MIB);
  g_assert_cmpint (f.device, ==, (1024 + (gint64) f.n_samples - 1) * MIB); /* the driver's own 512 MiB left out */
  g_assert_cmpint (f.peak_device, ==, f.device);
  g_assert_cmpint (f.process, ==, 700 * MIB);
  g_autofree char *holders = assay_nvml_dup_holders (nvml);
  g_assert_nonnull (strstr (holders, " (1): 5.00 MiB"));
  g_assert_null (strstr (holders, "700"));
  assay_nvml_free (nvml);
}

static void
test_process_unknown (void)
{
  g_autofree char *problem = NULL;
  AssayNvml *nvml = assay_nvml_new ("GPU-1", INTERVAL_NS);
  g_assert_true (assay_nvml_wait (nvml, MOST_NS, &problem));
  const AssayNvmlFigures f = read_after (nvml, 1);
  g_assert_cmpint (f.process, ==, -1);
  g_assert_cmpint (f.peak_process, ==, -1);
  g_assert_cmpint (f.device, >, 0);
  assay_nvml_free (nvml);
}

static void
test_lost (void)
{
  g_autofree char *problem = NULL;
  AssayNvml *nvml = assay_nvml_new ("GPU-1", INTERVAL_NS);
  g_assert_true (assay_nvml_wait (nvml, MOST_NS, &problem));
  const AssayNvmlFigures before = read_after (nvml, 3);
  g_usleep (50000);
  const AssayNvmlFigures after = read_after (nvml, 3);
  g_assert_cmpuint (before.n_samples, ==, 3);
  g_assert_cmpuint (after.n_samples, ==, 3); /* not asked again and again */
  assay_nvml_free (nvml);
}

static void
test_hangs (void)
{
  g_autofree char *problem = NULL;
  const gint64 before_us = g_get_monotonic_time ();
  AssayNvml *nvml = assay_nvml_new ("GPU-1", INTERVAL_NS);
  g_assert_false (assay_nvml_wait (nvml, 20000000, &problem));
  g_assert_cmpstr (problem, ==, "NVML did not answer in time");
  assay_nvml_free (nvml);
  g_assert_cmpint (g_get_monotonic_time () - before_us, <, 20 * G_USEC_PER_SEC); /* it hangs for a minute */
}

static void
test_problem (gconstpointer words)
{
  g_autofree char *problem = NULL;
  AssayNvmlFigures f;
  AssayNvml *nvml = assay_nvml_new ("GPU-1", INTERVAL_NS);
  g_assert_false (assay_nvml_wait (nvml, MOST_NS, &problem));
  g_assert_nonnull (strstr (problem, words));
  g_assert_false (assay_nvml_get (nvml, &f));
  assay_nvml_free (nvml);
}

typedef struct { const char *name; const char *environment; GTestDataFunc func; const char *words; } Case;

static void
as_data_func (gconstpointer data)
{
  ((GTestFunc) data) ();
}

static const Case cases[] = {
  { "figures-are-the-driver's", "FAKE_NVML_PROCESS=734003200", as_data_func, NULL },
  { "a-process-it-cannot-see-is-unknown", "FAKE_NVML_PROCESS=na", as_data_func, NULL },
  { "a-lost-card-is-not-asked-again", "FAKE_NVML_LOST_AFTER=3", as_data_func, NULL },
  { "a-driver-that-hangs-holds-nothing-up", "FAKE_NVML_HANG_US=60000000", as_data_func, NULL },
  { "no-driver-is-said", "FAKE_NVML_INIT=9", test_problem, "Driver Not Loaded" },
  { "an-unknown-card-is-said", "FAKE_NVML_HANDLE=6", test_problem, "does not know the card GPU-1" },
  { "a-failing-reading-is-said", "FAKE_NVML_MEMORY=15", test_problem, "GPU is lost" },
  { "more-than-there-is-is-refused", "FAKE_NVML_USED=99999999999999", test_problem, "more than the card has" },
  { "no-library-is-said", "FAKE_NVML_LIBRARY=/nowhere/libnvidia-ml.so.1", test_problem, "no NVML on this machine" },
};
static const GTestFunc functions[] = { test_figures, test_process_unknown, test_lost, test_hangs };

/* The case runs in this program, started anew. */
static void
test_in_child (gconstpointer data)
{
  const Case *c = data;
  g_autofree char *path = g_strconcat ("/engine/nvml/child/", c->name, "/subprocess", NULL);
  g_auto (GStrv) setting = g_strsplit (c->environment, "=", 2);
  g_setenv (setting[0], setting[1], TRUE);
  g_test_trap_subprocess (path, 30 * G_USEC_PER_SEC, G_TEST_SUBPROCESS_DEFAULT);
  g_unsetenv (setting[0]);
  g_test_trap_assert_passed ();
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  const char *library = g_getenv ("FAKE_NVML_LIBRARY");
  g_autofree char *fake = g_build_filename (g_test_get_dir (G_TEST_BUILT), "unit", "engine", "libfake-nvml.so", NULL);
  assay_nvml_set_library (library != NULL ? library : fake);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strconcat ("/engine/nvml/", cases[i].name, NULL);
      g_autofree char *child = g_strconcat ("/engine/nvml/child/", cases[i].name, "/subprocess", NULL);
      gconstpointer argument
        = cases[i].func == as_data_func ? (gconstpointer) functions[i] : (gconstpointer) cases[i].words;
      g_test_add_data_func (path, &cases[i], test_in_child);
      g_test_add_data_func (child, argument, cases[i].func);
    }
  return g_test_run ();
}
