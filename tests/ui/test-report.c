/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chains drawn and reports set: whatever a ledger holds, it stays on the page, and what cannot be done is said. */
#include <string.h>

#include <cairo.h>

#include "assay-chain-draw.h"
#include "assay-chain-export.h"
#include "assay-report-pdf.h"
#include "chain-story.h"
#include "judgment.h"

static AssayLedger *
hostile_ledger (void)
{
  AssayLedger *ledger = judgment_ledger ();
  g_autofree char *unbroken = g_strnfill (30000, 'W'), *lines = g_strnfill (30000, '\n');
  judgment_add (ledger, judgment_run ("a", ASSAY_STATUS_FAILED, "model_id", unbroken, "prompt", lines, "error", unbroken,
                                      "device", "virtual", NULL));
  AssayRecord *child = judgment_run ("b", ASSAY_STATUS_COMPLETED, "model_id", "\xff\xfe\x01<b>&amp;", "prompt", unbroken,
                                     "device", "virtual", "peak_vram", "?no \033[31m driver", NULL);
  assay_record_set_parent (child, "a", "model_id");
  judgment_output (child, "", unbroken);
  judgment_review (child, unbroken, ASSAY_VERDICT_FAIL)->quality_note = g_strdup (lines);
  judgment_add (ledger, child);
  return ledger;
}

static void
step_get_ink (const AssayChainStep *step, const AssayChartStyle *style, double width, double *height, double *right)
{
  double x, y, ink_width, ink_height;
  cairo_surface_t *surface = cairo_recording_surface_create (CAIRO_CONTENT_COLOR_ALPHA, NULL);
  cairo_t *cr = cairo_create (surface);
  const AssayChainPicture picture = { step, style, width, TRUE };
  const double measured = assay_chain_draw_measure (cr, &picture);
  *height = assay_chain_draw_step (cr, &picture);
  g_assert_cmpfloat (measured, ==, *height);
  cairo_destroy (cr);
  cairo_recording_surface_ink_extents (surface, &x, &y, &ink_width, &ink_height);
  g_assert_cmpfloat (x, >=, 0);
  g_assert_cmpfloat (y + ink_height, <=, *height + 1);
  *right = x + ink_width;
  cairo_surface_destroy (surface);
}

static void
assert_chain_fits (AssayLedger *ledger, const char *run_id)
{
  g_autoptr(AssayChartStyle) style = assay_chart_style_new_paper ();
  g_autoptr(AssayChain) chain = assay_chain_new (ledger, run_id);
  for (guint i = 0; i <= assay_chain_get_length (chain); i++)
    {
      g_autoptr(AssayChainStep) step = assay_chain_dup_step (chain, i);
      double before = 0;
      for (double width = 1200; width >= 260; width -= 188)
        {
          double height, right;
          step_get_ink (step, style, width, &height, &right);
          g_assert_cmpfloat (right, <=, width);
          g_assert_cmpfloat (height, >=, before); /* narrower is higher */
          before = height;
        }
    }
}

static void
test_step_stays_within_its_width (void)
{
  g_autoptr(AssayLedger) story = chain_story_new (), hostile = hostile_ledger ();
  assert_chain_fits (story, chain_story_ids[CHAIN_STORY_RUNS - 1]);
  assert_chain_fits (hostile, "b");
}

static GBytes *
render (AssayLedger *ledger, const char *run_id, AssayChartFormat format)
{
  g_autoptr(GError) error = NULL;
  GBytes *bytes = assay_chain_export_render (ledger, run_id, format, &error);
  g_assert_no_error (error);
  return bytes;
}

static void
assert_begins (GBytes *bytes, const char *magic)
{
  gsize length;
  const char *data = g_bytes_get_data (bytes, &length);
  g_assert_cmpuint (length, >, 1000);
  g_assert_cmpmem (data, strlen (magic), magic, strlen (magic));
}

static void
test_chain_is_saved_in_three_forms (void)
{
  g_autoptr(AssayLedger) ledger = chain_story_new ();
  g_autoptr(GBytes) png = render (ledger, chain_story_ids[4], ASSAY_CHART_PNG);
  g_autoptr(GBytes) svg = render (ledger, chain_story_ids[4], ASSAY_CHART_SVG);
  g_autoptr(GBytes) pdf = render (ledger, chain_story_ids[4], ASSAY_CHART_PDF);
  assert_begins (png, "\x89PNG");
  assert_begins (svg, "<?xml");
  assert_begins (pdf, "%PDF-");
}

static void
test_chain_too_long_for_a_png_is_said (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  g_autoptr(GError) error = NULL;
  for (guint i = 0; i < 300; i++)
    {
      g_autofree char *id = g_strdup_printf ("r%u", i), *parent = g_strdup_printf ("r%u", i - 1);
      AssayRecord *run = judgment_run (id, ASSAY_STATUS_COMPLETED, "model_id", "m", NULL);
      assay_record_set_parent (run, i > 0 ? parent : NULL, NULL);
      judgment_add (ledger, run);
    }
  g_assert_null (assay_chain_export_render (ledger, "r299", ASSAY_CHART_PNG, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED);
  g_assert_nonnull (strstr (error->message, "300 steps"));
  g_autoptr(GBytes) pdf = render (ledger, "r299", ASSAY_CHART_PDF);
  assert_begins (pdf, "%PDF-");
}

static void
test_hostile_ledger_becomes_a_report (void)
{
  g_autoptr(AssayLedger) ledger = hostile_ledger ();
  g_autoptr(GError) error = NULL;
  g_autoptr(GBytes) pdf = assay_report_pdf_render (ledger, NULL, &error);
  g_assert_no_error (error);
  assert_begins (pdf, "%PDF-");
}

/* The names in the table that follows a paragraph, as "run_id device"; NULL: there is no such paragraph. */
static char *
report_dup_names_after (const AssayReport *report, const char *paragraph)
{
  for (guint i = 0; i + 1 < report->blocks->len; i++)
    {
      const AssayReportBlock *block = report->blocks->pdata[i], *next = report->blocks->pdata[i + 1];
      if (g_strcmp0 (block->text, paragraph) == 0 && next->rows != NULL)
        return g_strjoinv (" ", next->rows->pdata[0]);
    }
  return NULL;
}

/* A run that continues another one asks for what that one was left to choose: nothing of it moved. */
static void
test_report_lists_what_moved_apart_from_what_came_along (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  g_autoptr(GError) error = NULL;
  judgment_add (ledger, judgment_run ("a", ASSAY_STATUS_COMPLETED, "device", "cpu", "chat_format", "auto",
                                      "effective.chat_format", "chatml", "seed", "0", "seed_source", "default",
                                      "driver", "one", "device_memory", "1000", NULL));
  judgment_add (ledger, judgment_run ("b", ASSAY_STATUS_COMPLETED, "device", "virtual", "chat_format", "chatml", "seed",
                                      "0", "seed_source", "asked", "driver", "two", "device_memory", "900", NULL));
  g_autoptr(AssayReport) report = assay_report_new (ledger, NULL, &error);
  g_assert_no_error (error);
  g_autofree char *moved = report_dup_names_after (report, "What differs:");
  g_autofree char *along = report_dup_names_after (report, "What came along with that:");
  g_assert_cmpstr (moved, ==, "run_id device");
  g_assert_cmpstr (along, ==, "run_id driver device_memory");
}

static void
test_empty_ledger_becomes_a_report (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  g_autoptr(GError) error = NULL;
  g_autoptr(GBytes) pdf = assay_report_pdf_render (ledger, NULL, &error);
  g_assert_no_error (error);
  assert_begins (pdf, "%PDF-");
}

/* Some seconds with a sanitizer; without breaks in it, minutes. */
static void
test_a_hundred_thousand_letters_without_a_space_take_no_minutes (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  g_autoptr(GError) error = NULL;
  g_autofree char *letters = g_strnfill (200000, 'x');
  AssayRecord *run = judgment_run ("a", ASSAY_STATUS_COMPLETED, "model_id", letters, NULL);
  AssayReview *review = judgment_review (run, "Ana", ASSAY_VERDICT_PASS);
  review->quality_note = g_strdup (letters);
  judgment_add (ledger, run);
  const gint64 start = g_get_monotonic_time ();
  g_autoptr(GBytes) pdf = assay_report_pdf_render (ledger, NULL, &error);
  g_assert_no_error (error);
  assert_begins (pdf, "%PDF-");
  g_assert_cmpint (g_get_monotonic_time () - start, <, 20 * G_USEC_PER_SEC);
}

static void
test_report_is_written_whole_or_not_at_all (void)
{
  g_autoptr(AssayLedger) ledger = chain_story_new ();
  g_autoptr(GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("assay-report-XXXXXX", &error);
  g_autofree char *path = g_build_filename (folder, "report.pdf", NULL);
  g_autofree char *absent = g_build_filename (folder, "absent", "report.pdf", NULL);
  g_assert_true (assay_report_pdf_write (ledger, NULL, path, &error));
  g_assert_no_error (error);
  g_assert_false (assay_report_pdf_write (ledger, NULL, absent, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT);
  g_clear_error (&error);
  g_assert_false (assay_report_pdf_write (ledger, "nobody", path, &error));
  g_assert_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_NO_SUCH);
  g_assert_true (g_file_test (path, G_FILE_TEST_IS_REGULAR)); /* as it was */
  judgment_remove_folder (folder);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ui/chain/step-stays-within-its-width", test_step_stays_within_its_width);
  g_test_add_func ("/ui/chain/is-saved-in-three-forms", test_chain_is_saved_in_three_forms);
  g_test_add_func ("/ui/chain/too-long-for-a-png-is-said", test_chain_too_long_for_a_png_is_said);
  g_test_add_func ("/ui/report/hostile-ledger-becomes-a-report", test_hostile_ledger_becomes_a_report);
  g_test_add_func ("/ui/report/lists-what-moved-apart-from-what-came-along",
                   test_report_lists_what_moved_apart_from_what_came_along);
  g_test_add_func ("/ui/report/empty-ledger-becomes-a-report", test_empty_ledger_becomes_a_report);
  g_test_add_func ("/ui/report/a-hundred-thousand-letters-without-a-space-take-no-minutes",
                   test_a_hundred_thousand_letters_without_a_space_take_no_minutes);
  g_test_add_func ("/ui/report/is-written-whole-or-not-at-all", test_report_is_written_whole_or_not_at_all);
  return g_test_run ();
}
