/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/bench/bench-library.c: how long a folder of many ledgers takes to be listed.
 *
 *   bench-library [LEDGERS [RUNS]]     1000 ledgers of 4 runs in twenty folders unless given
 *
 * Cold: the system was asked to forget the files' contents before. The peer reads the same files, cold too, and does
 * nothing with them. */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "assay-library.h"
#include "large-ledger.h"

static void
forget (GPtrArray *paths)
{
  for (guint i = 0; i < paths->len; i++)
    {
      const int fd = g_open (g_ptr_array_index (paths, i), O_RDONLY | O_CLOEXEC, 0);
      posix_fadvise (fd, 0, 0, POSIX_FADV_DONTNEED);
      close (fd);
    }
}

static double
bench_scan (const char *root, guint n, const char *step)
{
  g_autoptr(GError) error = NULL;
  const double start = bench_now_ms ();
  g_autoptr(GPtrArray) items = assay_library_scan (root, NULL, &error);
  const double taken = bench_now_ms () - start;
  bench_check (items != NULL && items->len == n, error);
  g_print ("%-34s %9.1f ms\n", step, taken);
  return taken;
}

static double
read_plainly (GPtrArray *paths)
{
  gsize total = 0;
  const double start = bench_now_ms ();
  for (guint i = 0; i < paths->len; i++)
    {
      g_autofree char *text = NULL;
      gsize length;
      bench_check (g_file_get_contents (g_ptr_array_index (paths, i), &text, &length, NULL), NULL);
      total += length;
    }
  const double taken = bench_now_ms () - start;
  g_print ("%-34s %9.1f ms   %.1f MB\n", "the peer: read them, cold", taken, (double) total / 1e6);
  return taken;
}

int
main (int argc, char **argv)
{
  const guint n = argc > 1 ? (guint) strtoul (argv[1], NULL, 10) : 1000;
  const guint n_runs = argc > 2 ? (guint) strtoul (argv[2], NULL, 10) : 4;
  g_autofree char *root = g_dir_make_tmp ("assay-bench-XXXXXX", NULL);
  g_autoptr(GPtrArray) paths = bench_make_library (root, n, n_runs, 250);

  g_print ("library of %u ledgers, %u runs each\n", n, n_runs);
  forget (paths);
  const double cold = bench_scan (root, n, "list, cold");
  bench_scan (root, n, "list, warm");
  forget (paths);
  g_print ("%-34s %9.2f of the peer's time\n", "list, cold", cold / read_plainly (paths));
  bench_remove_library (root, paths);
  return 0;
}
