/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/bench/bench-ledger.c: how long a large ledger takes to open, to be judged for its list, and to take one review.
 *
 *   bench-ledger [RUNS [SAMPLES [FILE]]]     10000 runs of 250 memory samples unless given; FILE is kept
 *
 * Two times a step: by the clock, and what this thread worked; the rest is other threads, the disk and other programs.
 * Each has a peer beside it: opening, libxml2's own pass over the same bytes with nothing done; saving, the same bytes
 * written and flushed by one who checks nothing. */
#include <fcntl.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <libxml/parser.h>
#include <stdlib.h>
#include <unistd.h>

#include "assay-gates.h"
#include "assay-store.h"
#include "large-ledger.h"

#define N_SAVES 9u

typedef struct { double wall, worked; } Watch;

static Watch
watch_start (void)
{
  return (Watch){ bench_now_ms (), bench_thread_ms () };
}

/* Returns: ms by the clock. */
static double
watch_stop (const Watch *self, const char *step)
{
  const double wall = bench_now_ms () - self->wall, worked = bench_thread_ms () - self->worked;
  g_print ("%-34s %9.1f ms   this thread %9.1f ms\n", step, wall, worked);
  return wall;
}

static double
bench_open (const char *path, const char *step, AssayLedger **ledger)
{
  g_autoptr(GError) error = NULL;
  const Watch watch = watch_start ();
  *ledger = assay_store_load (path, &error);
  bench_check (*ledger != NULL, error);
  return watch_stop (&watch, step);
}

static double
bench_plain_parse (const char *path)
{
  xmlSAXHandler nothing = { .initialized = XML_SAX2_MAGIC };
  const Watch watch = watch_start ();
  char *text;
  gsize length;
  bench_check (g_file_get_contents (path, &text, &length, NULL), NULL);
  xmlParserCtxtPtr context = xmlCreatePushParserCtxt (&nothing, NULL, NULL, 0, NULL);
  for (gsize at = 0; at < length; at += 65536)
    xmlParseChunk (context, text + at, (int) MIN (length - at, 65536), 0);
  bench_check (xmlParseChunk (context, NULL, 0, 1) == 0, NULL);
  xmlFreeParserCtxt (context);
  g_free (text);
  return watch_stop (&watch, "the peer: libxml2 alone");
}

static void
bench_judge (AssayLedger *ledger)
{
  const Watch watch = watch_start ();
  for (guint i = 0; i < assay_ledger_get_n_runs (ledger); i++)
    {
      AssayRecord *record = assay_ledger_get_run (ledger, i);
      g_autoptr(AssayGates) gates = assay_gates_judge (ledger, record);
      g_autofree char *peak = assay_values_dup_display (assay_record_get_burden (record), ASSAY_FIELD_PEAK_RAM);
      g_autofree char *time = assay_values_dup_display (assay_record_get_burden (record), ASSAY_FIELD_ELAPSED_SECONDS);
    }
  watch_stop (&watch, "judge every row");
}

static void
add_review (AssayLedger *ledger, guint position)
{
  g_autoptr(AssayReview) review = assay_review_new ("Second reviewer");
  g_autoptr(GError) error = NULL;
  assay_review_set_score (review, "groundedness", NULL, 4);
  review->verdict = ASSAY_VERDICT_PASS;
  bench_check (assay_ledger_add_review (ledger, assay_record_get_id (assay_ledger_get_run (ledger, position)), review, &error),
               error);
}

static double
save_review (AssayLedger *ledger, guint position)
{
  g_autoptr(GError) error = NULL;
  const double start = bench_now_ms ();
  add_review (ledger, position);
  bench_check (assay_store_save (ledger, NULL, &error), error);
  return bench_now_ms () - start;
}

/* What one who checks nothing needs for the same bytes: write, flush, rename. */
static double
write_plainly (const char *path, const char *text, gsize length)
{
  g_autofree char *beside = g_strconcat (path, ".plain", NULL);
  const double start = bench_now_ms ();
  const int fd = g_open (beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  for (gsize at = 0; at < length;)
    {
      const gssize n = write (fd, text + at, MIN (length - at, 1u << 20));
      bench_check (n > 0, NULL);
      at += (gsize) n;
    }
  bench_check (fsync (fd) == 0 && close (fd) == 0, NULL);
  const double taken = bench_now_ms () - start;
  g_unlink (beside);
  return taken;
}

static void
bench_save (AssayLedger *ledger, const char *path)
{
  const guint n_runs = assay_ledger_get_n_runs (ledger);
  double ours[N_SAVES], plain[N_SAVES];
  g_autofree char *text = NULL;
  gsize length;
  bench_check (g_file_get_contents (path, &text, &length, NULL), NULL);
  for (guint i = 0; i < N_SAVES; i++) /* in turns, so that both meet the same disk */
    {
      plain[i] = write_plainly (path, text, length);
      ours[i] = save_review (ledger, i * (n_runs - 1) / N_SAVES);
    }
  bench_report_times ("save one review", ours, N_SAVES);
  bench_report_times ("the peer: write and fsync", plain, N_SAVES);
  g_print ("%-34s %9.2f of the peer's time\n", "save one review", ours[N_SAVES / 2] / plain[N_SAVES / 2]);
}

static void
remove_ledger (const char *path)
{
  g_autofree char *backup = g_strconcat (path, ".bak", NULL);
  g_autofree char *folder = g_path_get_dirname (path);
  g_unlink (path);
  g_unlink (backup);
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  const guint n_runs = argc > 1 ? (guint) strtoul (argv[1], NULL, 10) : 10000;
  const guint n_samples = argc > 2 ? (guint) strtoul (argv[2], NULL, 10) : 250;
  g_autoptr(GError) error = NULL;
  g_autofree char *folder = argc > 3 ? NULL : g_dir_make_tmp ("assay-bench-XXXXXX", &error);
  g_autofree char *path = argc > 3 ? g_strdup (argv[3]) : g_build_filename (folder, "large" ASSAY_LEDGER_SUFFIX, NULL);
  GStatBuf info = { 0 };

  if (argc <= 3 || !g_file_test (path, G_FILE_TEST_EXISTS))
    {
      g_autoptr(AssayLedger) made = bench_make_ledger ("A large ledger", n_runs, n_samples, 1);
      const Watch watch = watch_start ();
      bench_check (assay_store_save (made, path, &error), error);
      watch_stop (&watch, "save all of it for the first time");
    }
  bench_check (g_stat (path, &info) == 0, NULL);
  g_print ("ledger of %u runs, %u samples each: %.1f MB\n", n_runs, n_samples, (double) info.st_size / 1e6);
  g_autoptr(AssayLedger) ledger = NULL;
  const double ours = bench_open (path, "open", &ledger);
  g_print ("%-34s %9.2f of the peer's time\n", "open", ours / bench_plain_parse (path));
  bench_judge (ledger);
  bench_save (ledger, path);
  if (argc <= 3)
    remove_ledger (path);
  return 0;
}
