/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/engine/test-meter.c: RAM of the process tree, anonymous and mapped apart. */
#include "engine-fixture.h"

#include "assay-meter-ram.h"
#include "assay-meter.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB (G_GINT64_CONSTANT (1) << 20)
#define BLOCK (64 * MIB)

static AssayRam
read_ram (void)
{
  AssayRam ram;
  g_autofree char *problem = NULL;
  assay_ram_read (&ram, &problem);
  return ram;
}

static void
test_anonymous_memory_is_seen (void)
{
  const AssayRam before = read_ram ();
  char *memory = mmap (NULL, BLOCK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  g_assert_true (memory != MAP_FAILED);
  memset (memory, 1, BLOCK);
  const AssayRam after = read_ram ();
  g_assert_cmpint (after.anonymous - before.anonymous, >=, BLOCK);
  g_assert_cmpint (after.anonymous - before.anonymous, <, BLOCK + 16 * MIB);
  g_assert_cmpint (after.pinned, ==, 0);
  munmap (memory, BLOCK);
}

/* A mapped model is no anonymous memory, and is not left out either. */
static void
test_mapped_files_are_apart (void)
{
  g_autofree char *path = NULL;
  const int fd = g_file_open_tmp ("assay-meter-XXXXXX", &path, NULL);
  g_assert_cmpint (posix_fallocate (fd, 0, BLOCK), ==, 0);
  const AssayRam before = read_ram ();
  const volatile char *data = mmap (NULL, BLOCK, PROT_READ, MAP_SHARED, fd, 0);
  guint sum = 0;
  for (gint64 i = 0; i < BLOCK; i += 4096)
    sum += (guint) data[i];
  const AssayRam after = read_ram ();
  munmap ((void *) data, BLOCK);
  close (fd);
  unlink (path);
  g_assert_cmpuint (sum, ==, 0);
  if (after.mapped - before.mapped < BLOCK / 2) /* where /tmp is memory, its pages count as shared memory */
    g_assert_cmpint (after.anonymous - before.anonymous, >=, BLOCK);
  else
    g_assert_cmpint (after.anonymous - before.anonymous, <, 16 * MIB);
}

static void
test_children_count (void)
{
  int ready[2];
  g_assert_cmpint (pipe (ready), ==, 0);
  const AssayRam before = read_ram ();
  const pid_t child = fork ();
  if (child == 0)
    {
      char *memory = mmap (NULL, BLOCK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      for (gint64 i = 0; i < BLOCK; i += 4096)
        memory[i] = 1;
      if (write (ready[1], "x", 1) == 1)
        pause ();
      _exit (0);
    }
  char byte;
  g_assert_cmpint (read (ready[0], &byte, 1), ==, 1);
  const AssayRam with = read_ram ();
  kill (child, SIGKILL);
  waitpid (child, NULL, 0);
  g_assert_cmpint (with.anonymous - before.anonymous, >=, BLOCK);
  g_assert_cmpint (read_ram ().anonymous, <, with.anonymous - BLOCK / 2);
}

static void
test_parses_both_sources (void)
{
  AssayRam ram;
  g_assert_true (
    assay_ram_parse_rollup ("55d-7ff ---p 0 00:00 0 [rollup]\nRss: 300 kB\nPss: 250 kB\nPss_Anon: 100 kB\n"
                            "Pss_File: 120 kB\nPss_Shmem: 30 kB\nAnonymous: 110 kB\nSwapPss: 7 kB\n",
                            &ram));
  g_assert_cmpint (ram.anonymous, ==, 137 * 1024);
  g_assert_cmpint (ram.mapped, ==, 120 * 1024);
  g_assert_true (assay_ram_parse_rollup ("Rss: 300 kB\nAnonymous: 110 kB\n", &ram)); /* an older kernel's */
  g_assert_cmpint (ram.anonymous, ==, 110 * 1024);
  g_assert_cmpint (ram.mapped, ==, 190 * 1024);
  g_assert_false (assay_ram_parse_rollup ("", &ram));
  g_assert_false (assay_ram_parse_rollup ("Rss: 10 kB\nAnonymous: 110 kB\n", &ram));
  g_assert_true (assay_ram_parse_statm ("1000 300 120 5 0 90 0\n", 4096, &ram));
  g_assert_cmpint (ram.anonymous, ==, 180 * 4096);
  g_assert_cmpint (ram.mapped, ==, 120 * 4096);
  g_assert_false (assay_ram_parse_statm ("1000 300", 4096, &ram));
  g_assert_false (assay_ram_parse_statm ("1 2 99999999999999999999", 4096, &ram));
}

static void
test_samples_have_their_time (void)
{
  FaultPlan plan = { 0 };
  g_autoptr (AssayDevice) device = assay_device_new ("cpu", engine_fixture_backend_new (&plan, TRUE), 0);
  AssayBuffer *buffer = assay_device_alloc (device, ASSAY_MEMORY_KV_CACHE, 12345, NULL);
  g_autoptr (AssaySeries) series = assay_series_new (5 * 1000000);
  AssayMeter *meter = assay_meter_new (series, 5 * 1000000, g_get_monotonic_time () * 1000);
  assay_meter_set_device (meter, device, NULL);
  assay_meter_set_mapped_weights (meter, 777);
  assay_meter_start (meter);
  g_usleep (100000);
  AssayBuffer *late = assay_device_alloc (device, ASSAY_MEMORY_OUTPUT, 99, NULL);
  assay_meter_stop (meter); /* the last sample sees it */
  g_autoptr (GArray) samples = assay_series_dup_samples (series);
  g_assert_cmpuint (samples->len, >=, 3);
  gint64 last_ns = -1;
  for (guint i = 0; i < samples->len; i++)
    {
      const AssaySample *sample = &g_array_index (samples, AssaySample, i);
      g_assert_cmpint (sample->t_ns, >=, last_ns);
      g_assert_cmpint (sample->allocated[ASSAY_MEMORY_KV_CACHE], ==, 12345);
      g_assert_cmpint (sample->mapped_weights, ==, 777);
      g_assert_cmpint (sample->ram_anonymous, >, 0);
      g_assert_cmpint (sample->ram_system, >, 0);
      g_assert_cmpint (sample->vram_device, ==, -1);
      last_ns = sample->t_ns;
    }
  const AssaySample *end = &g_array_index (samples, AssaySample, samples->len - 1);
  g_assert_cmpint (end->allocated[ASSAY_MEMORY_OUTPUT], ==, 99);
  g_assert_cmpstr (assay_meter_get_ram_source (meter), !=, "");
  assay_meter_free (meter);
  assay_buffer_free (buffer);
  assay_buffer_free (late);
}

int
main (int argc, char *argv[])
{
  engine_fixture_init (&argc, &argv);
  g_test_add_func ("/engine/meter/anonymous-memory-is-seen", test_anonymous_memory_is_seen);
  g_test_add_func ("/engine/meter/mapped-files-are-apart", test_mapped_files_are_apart);
  g_test_add_func ("/engine/meter/children-count", test_children_count);
  g_test_add_func ("/engine/meter/parses-both-sources", test_parses_both_sources);
  g_test_add_func ("/engine/meter/samples-have-their-time", test_samples_have_their_time);
  return g_test_run ();
}
