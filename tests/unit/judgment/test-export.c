/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CSV, JSON and Markdown: what a spreadsheet, a script and a person get. */
#include <json-glib/json-glib.h>

#include "assay-export.h"
#include "judgment.h"

static char *
export (AssayLedger *ledger, const char *run_id, AssayExportFormat format)
{
  g_autoptr(GError) error = NULL;
  char *text = assay_export_ledger (ledger, run_id, format, &error);
  g_assert_no_error (error);
  return text;
}

/* A strict reader of RFC 4180: rows of cells; fails on a stray quote or a bare line end. */
static GPtrArray *
csv_parse (const char *text)
{
  GPtrArray *rows = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  const char *p = text;
  while (*p != '\0')
    {
      GPtrArray *row = g_ptr_array_new_with_free_func (g_free);
      for (;;)
        {
          GString *cell = g_string_new (NULL);
          if (*p == '"')
            {
              for (p++; *p != '"' || p[1] == '"'; p++)
                {
                  g_assert_cmpint (*p, !=, '\0');
                  g_string_append_c (cell, *p);
                  if (*p == '"')
                    p++;
                }
              p++;
            }
          else
            for (; *p != ',' && *p != '\r'; p++)
              {
                g_assert_true (*p != '\0' && *p != '"' && *p != '\n');
                g_string_append_c (cell, *p);
              }
          g_ptr_array_add (row, g_string_free (cell, FALSE));
          if (*p != ',')
            break;
          p++;
        }
      g_assert_true (g_str_has_prefix (p, "\r\n"));
      p += 2;
      g_ptr_array_add (rows, row);
    }
  return rows;
}

static const char *
csv_get (GPtrArray *rows, guint row, const char *column)
{
  GPtrArray *header = rows->pdata[0], *cells = rows->pdata[row];
  g_assert_cmpuint (header->len, ==, cells->len);
  for (guint i = 0; i < header->len; i++)
    if (g_str_equal (header->pdata[i], column))
      return cells->pdata[i];
  g_error ("no column %s", column);
}

static void
test_csv_has_a_column_a_field (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  g_autofree char *text = export (ledger, NULL, ASSAY_EXPORT_CSV);
  g_autoptr(GPtrArray) rows = csv_parse (text);
  g_assert_cmpuint (rows->len, ==, 1);
  for (AssayFieldId field = 0; field < ASSAY_N_FIELDS; field++)
    csv_get (rows, 0, assay_field_get_info (field)->name);
}

static void
test_csv_quotes_and_newlines (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  AssayRecord *run = judgment_run ("r", ASSAY_STATUS_COMPLETED, "prompt", "say \"hi\", then\r\nleave\n",
                                   "model_id", " edge ", "system_prompt", "a\x1b[31mb", NULL);
  judgment_add (ledger, run);
  g_autofree char *text = export (ledger, NULL, ASSAY_EXPORT_CSV);
  g_autoptr(GPtrArray) rows = csv_parse (text);
  g_assert_cmpuint (rows->len, ==, 2);
  g_assert_cmpstr (csv_get (rows, 1, "prompt"), ==, "say \"hi\", then\r\nleave\n");
  g_assert_cmpstr (csv_get (rows, 1, "model_id"), ==, " edge ");
  g_assert_cmpstr (csv_get (rows, 1, "system_prompt"), ==, "a␛[31mb");
}

static void
test_csv_guards_formulas_and_leaves_numbers (void)
{
  static const char *const formulas[] = { "=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "  =1" };
  for (gsize i = 0; i < G_N_ELEMENTS (formulas); i++)
    {
      g_autoptr(AssayLedger) ledger = judgment_ledger ();
      judgment_add (ledger,
                    judgment_run ("r", ASSAY_STATUS_COMPLETED, "prompt", formulas[i], "seed", "-1", NULL));
      g_autofree char *text = export (ledger, NULL, ASSAY_EXPORT_CSV);
      g_autoptr(GPtrArray) rows = csv_parse (text);
      g_autofree char *guarded = g_strconcat ("'", formulas[i], NULL);
      g_assert_cmpstr (csv_get (rows, 1, "prompt"), ==, guarded);
      g_assert_cmpstr (csv_get (rows, 1, "seed"), ==, "-1");
    }
}

static void
test_csv_keeps_states_and_groups_apart (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  AssayRecord *run
      = judgment_run ("r", ASSAY_STATUS_COMPLETED, "context_length", "8192", "effective.context_length",
                      "4096", "effective.threads", "2", "peak_vram", "?no device", "peak_ram", "0", NULL);
  judgment_add (ledger, run);
  g_autofree char *text = export (ledger, NULL, ASSAY_EXPORT_CSV);
  g_autoptr(GPtrArray) rows = csv_parse (text);
  g_assert_cmpstr (csv_get (rows, 1, "context_length"), ==, "4096");
  g_assert_cmpstr (csv_get (rows, 1, "requested"), ==, "context_length=8192");
  g_assert_cmpstr (csv_get (rows, 1, "left_to_engine"), ==, "threads");
  g_assert_cmpstr (csv_get (rows, 1, "peak_vram"), ==, "");
  g_assert_cmpstr (csv_get (rows, 1, "unknown"), ==, "peak_vram: no device");
  g_assert_cmpstr (csv_get (rows, 1, "peak_ram"), ==, "0");
  g_assert_cmpstr (csv_get (rows, 1, "elapsed_seconds"), ==, "");
  g_assert_cmpstr (csv_get (rows, 1, "gate_feasibility"), ==, "pass");
  g_assert_cmpstr (csv_get (rows, 1, "gate_quality"), ==, "not judged");
  g_assert_cmpstr (csv_get (rows, 1, "gate_operation"), ==, "not judged");
  g_assert_cmpstr (csv_get (rows, 1, "reviews"), ==, "0");
}

/* JSON */

static AssayLedger *
rich_ledger (void)
{
  AssayLedger *ledger = assay_ledger_new (ASSAY_TASK_LANGUAGE, "Title \"with\" \\ and \x1b and 한국어");
  GPtrArray *questions = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_question_free);
  g_ptr_array_add (questions, assay_question_new ("q1", "What?\u2028</script>"));
  assay_ledger_take_questions (ledger, questions, "set sha256:00");
  AssayRecord *run = judgment_run ("r1", ASSAY_STATUS_COMPLETED, "model_id", "m", "context_length", "8192",
                                   "effective.context_length", "4096", "temperature", "0.1",
                                   "pipeline_moved_to_cuda", "false", "peak_vram", "9007199254740993",
                                   "peak_ram", "?no /proc", "elapsed_seconds", "1.5", NULL);
  const AssayMeasure measure = { .kind = "allocated", .source = "allocator" };
  assay_values_set_measure (assay_record_get_burden (run), ASSAY_FIELD_PEAK_VRAM, &measure);
  judgment_output (run, "q1", "fine\n\x1b[0m\x01");
  AssayOutput *broken = judgment_output (run, "q2", "\xff\xfe cut \xed\xa0\x80");
  broken->input_tokens = 5;
  AssayReview *review = judgment_review (run, "Ana", ASSAY_VERDICT_PASS);
  assay_review_set_score (review, "groundedness", NULL, 4);
  const AssayPhase phase
      = { .name = (char *)"load", .start_ns = 0, .duration_ns = 5, .peak_allocated = 7, .peak_ram = -1 };
  assay_series_add_phase (assay_record_get_series (run), &phase);
  AssaySample sample = { .t_ns = 3, .vram_device = -1, .link_bytes = -1 };
  assay_series_append (assay_record_get_series (run), &sample);
  judgment_add (ledger, run);
  judgment_add (ledger, judgment_run ("r2", ASSAY_STATUS_FAILED, NULL));
  return ledger;
}

static JsonNode *
json_at (JsonNode *root, const char *path)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(JsonNode) matches = json_path_query (path, root, &error);
  g_assert_no_error (error);
  JsonArray *array = json_node_get_array (matches);
  if (json_array_get_length (array) != 1)
    g_error ("%s: %u matches", path, json_array_get_length (array));
  return json_node_ref (json_array_get_element (array, 0));
}

static char *
json_text (JsonNode *root, const char *path)
{
  g_autoptr(JsonNode) node = json_at (root, path);
  return g_strdup (json_node_get_string (node));
}

static gint64
json_int (JsonNode *root, const char *path)
{
  g_autoptr(JsonNode) node = json_at (root, path);
  g_assert_cmpint (json_node_get_value_type (node), ==, G_TYPE_INT64);
  return json_node_get_int (node);
}

static gboolean
json_null (JsonNode *root, const char *path)
{
  g_autoptr(JsonNode) node = json_at (root, path);
  return JSON_NODE_HOLDS_NULL (node);
}

#define assert_json_text(root, path, wanted)            \
  G_STMT_START                                          \
    {                                                   \
      g_autofree char *got_ = json_text (root, path);   \
      g_assert_cmpstr (got_, ==, wanted);               \
    }                                                   \
  G_STMT_END

static JsonNode *
json_read (const char *text)
{
  g_autoptr(GError) error = NULL;
  JsonNode *root = json_from_string (text, &error);
  g_assert_no_error (error);
  for (const char *p = text; *p != '\0'; p++)
    g_assert_true ((guchar) *p >= 0x20 || *p == '\n'); /* no raw control character */
  g_assert_true (g_utf8_validate (text, -1, NULL));
  return root;
}

static void
test_a_corrected_review_is_told_apart (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  AssayRecord *run = judgment_run ("r", ASSAY_STATUS_COMPLETED, NULL);
  AssayReview *first = judgment_review (run, "Ana", ASSAY_VERDICT_PASS);
  judgment_review (run, "Ana", ASSAY_VERDICT_FAIL)->supersedes = g_strdup (first->id);
  judgment_review (run, "Bo", ASSAY_VERDICT_FAIL);
  judgment_add (ledger, run);
  static const gboolean superseded[] = { TRUE, FALSE, FALSE };
  g_autofree char *text = export (ledger, NULL, ASSAY_EXPORT_JSON);
  g_autofree char *markdown = export (ledger, NULL, ASSAY_EXPORT_MARKDOWN);
  g_autoptr(JsonNode) root = json_read (text);
  for (gsize i = 0; i < G_N_ELEMENTS (superseded); i++)
    {
      g_autofree char *path = g_strdup_printf ("$.runs[0].reviews[%zu].superseded", i);
      g_autoptr(JsonNode) node = json_at (root, path);
      g_assert_cmpint (json_node_get_boolean (node), ==, superseded[i]);
    }
  g_assert_nonnull (strstr (markdown, "Ana (superseded, not counted): **pass**"));
  g_assert_nonnull (strstr (markdown, "Ana: **fail**"));
}

static void
test_json_reads_back_whole (void)
{
  g_autoptr(AssayLedger) ledger = rich_ledger ();
  g_autofree char *text = export (ledger, NULL, ASSAY_EXPORT_JSON);
  g_autoptr(JsonNode) root = json_read (text);
  assert_json_text (root, "$.title", "Title \"with\" \\ and \x1b and 한국어");
  assert_json_text (root, "$.questions[0].text", "What?\u2028</script>");
  assert_json_text (root, "$.runs[0].run_id", "r1");
  g_assert_cmpint (json_int (root, "$.runs[0].conditions.context_length"), ==, 8192);
  g_assert_cmpint (json_int (root, "$.runs[0].effective.context_length"), ==, 4096);
  g_assert_cmpint (json_int (root, "$.runs[0].burden.peak_vram"), ==, G_GINT64_CONSTANT (9007199254740993));
  assert_json_text (root, "$.runs[0].burden.measures.peak_vram.kind", "allocated");
  g_assert_true (json_null (root, "$.runs[0].burden.peak_ram"));
  assert_json_text (root, "$.runs[0].burden.unknown.peak_ram", "no /proc");
  assert_json_text (root, "$.runs[0].outcome.status", "completed");
  assert_json_text (root, "$.runs[0].gates.quality", "pass");
  assert_json_text (root, "$.runs[1].gates.quality", "not judged");
  assert_json_text (root, "$.runs[1].gates.feasibility", "fail");
  assert_json_text (root, "$.runs[0].outputs[0].text", "fine\n\x1b[0m\x01");
  g_assert_cmpint (json_int (root, "$.runs[0].outputs[1].input_tokens"), ==, 5);
  g_assert_true (json_null (root, "$.runs[0].outputs[1].output_tokens"));
  g_assert_cmpint (json_int (root, "$.runs[0].reviews[0].scores[0].value"), ==, 4);
  g_assert_cmpint (json_int (root, "$.runs[0].series.phases[0].peak_allocated"), ==, 7);
  g_assert_true (json_null (root, "$.runs[0].series.samples[0].vram_device"));
  g_assert_true (json_null (root, "$.runs[0].next_trial"));
}

static void
test_json_keeps_bytes_that_are_no_text (void)
{
  g_autoptr(AssayLedger) ledger = rich_ledger ();
  g_autofree char *text = export (ledger, "r1", ASSAY_EXPORT_JSON);
  g_autoptr(JsonNode) root = json_read (text);
  g_autofree char *encoded = json_text (root, "$.runs[0].outputs[1].text.base64");
  gsize length;
  g_autofree guchar *bytes = g_base64_decode (encoded, &length);
  g_assert_cmpmem (bytes, length, "\xff\xfe cut \xed\xa0\x80", strlen ("\xff\xfe cut \xed\xa0\x80"));
}

static void
test_json_of_one_run_is_that_run (void)
{
  g_autoptr(AssayLedger) ledger = rich_ledger ();
  g_autofree char *text = assay_export_record_json (ledger, assay_ledger_find_run (ledger, "r2"));
  g_autoptr(JsonNode) root = json_read (text);
  assert_json_text (root, "$.run_id", "r2");
  assert_json_text (root, "$.gates.operation", "not judged");
}

/* Markdown */

static void
test_markdown_escapes_and_counts (void)
{
  g_autoptr(AssayLedger) ledger = assay_ledger_new (ASSAY_TASK_LANGUAGE, "A | B <script> *c*");
  for (guint i = 0; i < 5; i++)
    {
      g_autofree char *id = g_strdup_printf ("r%u", i);
      judgment_add (ledger, judgment_run (id, ASSAY_STATUS_LOAD_FAILED, "model_id", "m|x\ny",
                                          "context_length", i == 0 ? "1" : "2", NULL));
    }
  g_autofree char *text = export (ledger, NULL, ASSAY_EXPORT_MARKDOWN);
  g_assert_true (g_str_has_prefix (text, "# A \\| B &lt;script\\> \\*c\\*\n\n0 of 5 runs completed.\n"));
  g_assert_nonnull (strstr (text, "- `model_id`: m\\|x<br>y\n"));
  g_assert_nonnull (strstr (text, "| r1 | 2 tokens |"));
  g_assert_nonnull (strstr (text, "not given"));
  g_assert_nonnull (strstr (text, "None: no run is judged on quality."));
  g_assert_null (strstr (text, "0 %"));
}

static void
test_markdown_tells_what_came_of_plans (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  AssayRecord *parent = judgment_run ("p", ASSAY_STATUS_COMPLETED, "offload_mode", "none", NULL);
  AssayRecord *kept = judgment_run ("k", ASSAY_STATUS_COMPLETED, "offload_mode", "model", "link_bytes", "2048",
                                    "predicted_peak_vram", "7", NULL);
  AssayRecord *broken = judgment_run ("b", ASSAY_STATUS_COMPLETED, "offload_mode", "model", "threads", "2", NULL);
  g_autofree char *before = export (ledger, NULL, ASSAY_EXPORT_MARKDOWN);
  assay_record_set_parent (kept, "p", "offload_mode");
  assay_record_set_parent (broken, "p", "offload_mode");
  judgment_add (ledger, parent);
  g_autofree char *alone = export (ledger, NULL, ASSAY_EXPORT_MARKDOWN);
  judgment_add (ledger, kept);
  judgment_add (ledger, broken);
  g_autofree char *text = export (ledger, NULL, ASSAY_EXPORT_MARKDOWN);
  g_assert_null (strstr (before, "One axis"));
  g_assert_null (strstr (alone, "link_bytes")); /* no column that no run fills */
  g_assert_nonnull (strstr (text, "`link_bytes`"));
  g_assert_nonnull (strstr (text, "`predicted_peak_vram`"));
  g_assert_nonnull (strstr (text, "- ✓ k: offload"));
  g_assert_nonnull (strstr (text, "- ✕ b: offload"));
  g_assert_nonnull (strstr (text, "threads: not set → 2"));
}

static void
test_markdown_keeps_gates_apart (void)
{
  g_autoptr(AssayLedger) ledger = judgment_ledger ();
  AssayRecord *run = judgment_run ("r1", ASSAY_STATUS_COMPLETED, NULL);
  judgment_review (run, "Ana", ASSAY_VERDICT_FAIL)->quality_note = g_strdup ("wrong");
  judgment_add (ledger, run);
  g_autofree char *text = export (ledger, NULL, ASSAY_EXPORT_MARKDOWN);
  g_assert_nonnull (strstr (text, "✓ pass: status completed"));
  g_assert_nonnull (strstr (text, "✕ fail: 1 review"));
  g_assert_nonnull (strstr (text, "– not judged: no threshold is set"));
  g_assert_nonnull (strstr (text, "- r1, Ana: **fail**. wrong\n"));
}

static void
test_formats_and_runs_by_name (void)
{
  g_autoptr(AssayLedger) ledger = rich_ledger ();
  g_autoptr(GError) error = NULL;
  AssayExportFormat format;
  g_assert_true (assay_export_format_from_name ("md", &format) && format == ASSAY_EXPORT_MARKDOWN);
  g_assert_true (assay_export_format_from_name ("kv", &format) && format == ASSAY_EXPORT_KEY_VALUE);
  g_assert_false (assay_export_format_from_name ("xls", &format));
  g_assert_null (assay_export_ledger (ledger, "none such", ASSAY_EXPORT_CSV, &error));
  g_assert_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_NO_SUCH);
  g_autofree char *one = export (ledger, "r2", ASSAY_EXPORT_KEY_VALUE);
  g_assert_true (g_str_has_prefix (one, "run_id: r2\n"));
  g_assert_null (strstr (one, "\n\n"));
}

static void
test_plain_leaves_out_other_tasks (void)
{
  g_autoptr(AssayLedger) words = judgment_ledger ();
  g_autoptr(AssayLedger) pictures = assay_ledger_new (ASSAY_TASK_IMAGE, "pictures");
  judgment_add (words, judgment_run ("a", ASSAY_STATUS_COMPLETED, NULL));
  judgment_add (words, judgment_run ("b", ASSAY_STATUS_COMPLETED, "steps", "9", NULL));
  judgment_add (pictures, judgment_run ("a", ASSAY_STATUS_COMPLETED, NULL));
  g_autofree char *of_words = export (words, "a", ASSAY_EXPORT_KEY_VALUE);
  g_autofree char *with_steps = export (words, "b", ASSAY_EXPORT_KEY_VALUE);
  g_autofree char *of_pictures = export (pictures, "a", ASSAY_EXPORT_KEY_VALUE);
  g_assert_null (strstr (of_words, "\nwidth:"));
  g_assert_null (strstr (of_words, "\nsteps:"));
  g_assert_nonnull (strstr (of_words, "\ndevice_map:\n")); /* not known yet, and of this task */
  g_assert_nonnull (strstr (with_steps, "\nsteps: 9\n"));
  g_assert_nonnull (strstr (of_pictures, "\nwidth:\n"));
  g_assert_nonnull (strstr (of_pictures, "\nsteps:\n"));
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ledger/export/csv-has-a-column-a-field", test_csv_has_a_column_a_field);
  g_test_add_func ("/ledger/export/csv-quotes-and-newlines", test_csv_quotes_and_newlines);
  g_test_add_func ("/ledger/export/csv-guards-formulas-and-leaves-numbers",
                   test_csv_guards_formulas_and_leaves_numbers);
  g_test_add_func ("/ledger/export/csv-keeps-states-and-groups-apart",
                   test_csv_keeps_states_and_groups_apart);
  g_test_add_func ("/ledger/export/json-reads-back-whole", test_json_reads_back_whole);
  g_test_add_func ("/ledger/export/json-keeps-bytes-that-are-no-text",
                   test_json_keeps_bytes_that_are_no_text);
  g_test_add_func ("/ledger/export/json-of-one-run-is-that-run", test_json_of_one_run_is_that_run);
  g_test_add_func ("/ledger/export/markdown-escapes-and-counts", test_markdown_escapes_and_counts);
  g_test_add_func ("/ledger/export/markdown-tells-what-came-of-plans",
                   test_markdown_tells_what_came_of_plans);
  g_test_add_func ("/ledger/export/markdown-keeps-gates-apart", test_markdown_keeps_gates_apart);
  g_test_add_func ("/ledger/export/formats-and-runs-by-name", test_formats_and_runs_by_name);
  g_test_add_func ("/ledger/export/plain-leaves-out-other-tasks", test_plain_leaves_out_other_tasks);
  g_test_add_func ("/ledger/export/a-corrected-review-is-told-apart", test_a_corrected_review_is_told_apart);
  return g_test_run ();
}
