/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ledger-fixture.h"

#include <glib/gstdio.h>
#include <string.h>

#include "assay-edit.h"
#include "assay-preference.h"
#include "assay-xml-guard.h"
#include "assay-xml-read.h"
#include "assay-xml-write.h"

AssaySeries *
fixture_series (guint n_samples)
{
  AssaySeries *series = assay_series_new (20000000);

  assay_series_begin_phase (series, "load", 0);
  for (guint i = 0; i < n_samples; i++)
    {
      const AssaySample sample = { .t_ns = (gint64) i * 20000123,
                                   .allocated = { 1000, i * 64, 7, -1, 0, 5 },
                                   .reserved = 4096,
                                   .mapped_weights = 100,
                                   .ram_anonymous = 5000 + i % 7,
                                   .ram_mapped = 9,
                                   .ram_pinned = 0,
                                   .ram_system = G_MAXINT64 / 2,
                                   .vram_device = -1, .link_bytes = -1 };
      assay_series_append (series, &sample);
    }
  assay_series_end_phase (series, (gint64) n_samples * 20000123, 123456);
  assay_series_add_mark (series, 5, "trim", "cache \x1b[1m trimmed");
  return series;
}

static void
fixture_fill_burden (AssayRecord *record, gint64 peak_vram)
{
  const AssayMeasure measure = { "allocated", "allocator", 20000000, 42 };
  AssayValues *burden = assay_record_get_burden (record);

  assay_values_set_integer (burden, ASSAY_FIELD_PEAK_VRAM, peak_vram);
  assay_values_set_measure (burden, ASSAY_FIELD_PEAK_VRAM, &measure);
  assay_values_set_unknown (burden, ASSAY_FIELD_PEAK_VRAM_DEVICE, "no NVML on this machine");
  assay_values_set_real (burden, ASSAY_FIELD_ELAPSED_SECONDS, 11.250000001);
  assay_values_set_text (burden, ASSAY_FIELD_STARTED_AT, "2026-11-30T07:14:00Z");
  assay_record_set_baseline_holders (record, "Xorg 12 MiB\nbrowser");
  assay_record_take_series (record, fixture_series (8));
}

static void
fixture_fill_judgment (AssayRecord *record)
{
  AssayReview *review = assay_review_new ("Ada");
  AssayNextTrial *next = assay_next_trial_new ();

  review->blind = TRUE;
  review->order_seed = 4711;
  review->position = 3;
  review->verdict = ASSAY_VERDICT_PASS;
  review->quality_note = g_strdup ("fine\n");
  assay_review_set_score (review, "groundedness", NULL, 4);
  g_ptr_array_add (assay_record_get_reviews (record), review);
  next->signal = g_strdup ("oom_device");
  next->axis = g_strdup ("offload_mode");
  next->from = g_strdup ("none");
  next->to = g_strdup ("model");
  g_strfreev (next->held);
  next->held = g_strsplit ("model_id context_length", " ", -1);
  assay_record_take_next_trial (record, next);
}

static AssayRecord *
fixture_unsealed (const char *id, gint64 peak_vram)
{
  AssayRecord *record = assay_record_new ();
  AssayValues *conditions = assay_record_get_conditions (record);

  assay_record_set_id (record, id);
  assay_values_set_text (conditions, ASSAY_FIELD_MODEL_ID, "SmolLM2-135M-Instruct");
  assay_values_set_text (conditions, ASSAY_FIELD_DTYPE, "bfloat16");
  assay_values_set_text (conditions, ASSAY_FIELD_PROMPT, "");
  assay_values_set_text (conditions, ASSAY_FIELD_OFFLOAD_MODE, "none");
  assay_values_set_integer (conditions, ASSAY_FIELD_CONTEXT_LENGTH, 8192);
  assay_values_set_integer (conditions, ASSAY_FIELD_SEED, -1);
  assay_values_set_real (conditions, ASSAY_FIELD_TEMPERATURE, 0.7);
  assay_values_set_boolean (conditions, ASSAY_FIELD_PIPELINE_MOVED_TO_CUDA, FALSE);
  assay_values_set_integer (assay_record_get_effective (record), ASSAY_FIELD_CONTEXT_LENGTH, 4096);
  assay_record_set_status (record, ASSAY_STATUS_COMPLETED);
  fixture_fill_burden (record, peak_vram);
  return record;
}

AssayRecord *
fixture_record_with_output (const char *id, const char *bytes, gsize length)
{
  AssayRecord *record = fixture_unsealed (id, 1234567);
  AssayOutput *output = assay_output_new ("q1");

  output->text = g_malloc (length + 1);
  memcpy (output->text, bytes, length);
  output->text[length] = '\0';
  output->text_length = length;
  output->output_tokens = 57;
  output->finish = g_strdup ("stop");
  g_ptr_array_add (assay_record_get_outputs (record), output);
  fixture_fill_judgment (record);
  assay_record_seal (record);
  return record;
}

AssayRecord *
fixture_record (const char *id, gint64 peak_vram)
{
  AssayRecord *record = fixture_unsealed (id, peak_vram);

  fixture_fill_judgment (record);
  assay_record_seal (record);
  return record;
}

AssayLedger *
fixture_ledger (guint n_runs)
{
  AssayLedger *ledger = assay_ledger_new (ASSAY_TASK_LANGUAGE, "SmolLM2 on 4 GiB");
  GPtrArray *questions = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_question_free);
  AssayCriteria *criteria = assay_criteria_new_default (ASSAY_TASK_LANGUAGE);

  criteria->vram_budget = G_GINT64_CONSTANT (4294967296);
  criteria->mean_latency_seconds = 0.125;
  assay_ledger_take_criteria (ledger, criteria);
  g_ptr_array_add (questions, assay_question_new ("q1", "Why <this> & \"that\"?"));
  assay_ledger_take_questions (ledger, questions, "basic-1");
  for (guint i = 0; i < n_runs; i++)
    {
      g_autofree char *id = g_strdup_printf ("run-%u", i);
      g_autoptr(AssayRecord) record = fixture_record (id, 1000 + i);
      assay_ledger_add_run (ledger, record);
    }
  return ledger;
}

char *
fixture_serialize (AssayLedger *ledger)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GBytes) bytes = assay_store_serialize (ledger, &error);
  g_assert_no_error (error);
  return g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
}

AssayLedger *
fixture_parse (const char *xml)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GBytes) bytes = g_bytes_new (xml, strlen (xml));
  AssayLedger *ledger = assay_store_parse (bytes, "x.ledger.xml", &error);
  g_assert_no_error (error);
  fixture_reads_apart (xml, strlen (xml));
  return ledger;
}

AssayLedger *
fixture_parse_run (const char *run)
{
  g_autofree char *xml = g_strconcat (FIXTURE_HEAD, run, FIXTURE_TAIL, NULL);
  return fixture_parse (xml);
}

void
fixture_refuses (const char *xml, gssize length, int code, const char *part)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GBytes) bytes = g_bytes_new (xml, length < 0 ? strlen (xml) : (gsize) length);
  g_autoptr(AssayLedger) ledger = assay_store_parse (bytes, "x.ledger.xml", &error);

  g_assert_null (ledger);
  g_assert_error (error, ASSAY_LEDGER_ERROR, code);
  g_assert_nonnull (strstr (error->message, "x.ledger.xml"));
  if (part != NULL && strstr (error->message, part) == NULL)
    g_error ("“%s” is not in “%s”", part, error->message);
  g_assert_false (fixture_reads_apart (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes)));
}

static void
fixture_same_notices (GPtrArray *a, GPtrArray *b)
{
  const guint n = a == NULL ? 0 : a->len;
  g_assert_cmpuint (n, ==, b == NULL ? 0 : b->len);
  for (guint i = 0; i < n; i++)
    g_assert_cmpstr (a->pdata[i], ==, b->pdata[i]);
}

static void
fixture_same_sources (AssayRecord *a, AssayRecord *b)
{
  g_assert_cmpuint (a->checksum, ==, b->checksum);
  g_assert_cmpuint (a->seal, ==, b->seal);
  g_assert_true (a->has_checksum == b->has_checksum && a->has_seal && b->has_seal && a->led == b->led);
  g_assert_true ((a->source == NULL) == (b->source == NULL) && (a->origin == NULL) == (b->origin == NULL));
  g_assert_true (a->source == NULL || g_bytes_equal (a->source, b->source));
  fixture_same_notices (a->notices, b->notices);
}

gboolean
fixture_reads_apart (const char *xml, gsize length)
{
  g_autoptr(GBytes) bytes = g_bytes_new (xml, length);
  g_autofree char *notice = NULL;
  g_autoptr(GBytes) text = assay_xml_guard_decode (bytes, "x", &notice, NULL);
  g_autoptr(AssayLedger) whole = text == NULL ? NULL : assay_xml_read_ledger (text, "x", NULL, NULL);
  g_autoptr(AssayLedger) apart = text == NULL ? NULL : assay_xml_read_ledger_apart (text, NULL, 3);

  if (apart == NULL)
    return FALSE;
  g_assert_nonnull (whole);
  g_free (apart->id); /* a root without one gets another each time */
  apart->id = g_strdup (whole->id);
  fixture_same_ledgers (whole, apart);
  fixture_same_notices (whole->notices, apart->notices);
  g_assert_cmpstr (whole->read_only_reason, ==, apart->read_only_reason);
  for (guint i = 0; i < whole->runs->len; i++)
    fixture_same_sources (whole->runs->pdata[i], apart->runs->pdata[i]);
  g_autoptr(GBytes) one = assay_xml_write_ledger (whole), other = assay_xml_write_ledger (apart);
  g_assert_true (g_bytes_equal (one, other));
  return TRUE;
}

static void
fixture_same_series (AssaySeries *a, AssaySeries *b)
{
  g_autoptr(GArray) x = assay_series_dup_samples (a), y = assay_series_dup_samples (b);
  g_autofree char *csv = assay_series_dup_csv (a), *other = assay_series_dup_csv (b);
  g_autoptr(GPtrArray) phases = assay_series_dup_phases (a), same = assay_series_dup_phases (b);
  g_autoptr(GPtrArray) marks = assay_series_dup_marks (a), same_marks = assay_series_dup_marks (b);

  g_assert_cmpuint (x->len, ==, y->len);
  g_assert_cmpstr (csv, ==, other);
  g_assert_cmpuint (phases->len, ==, same->len);
  for (guint i = 0; i < phases->len; i++)
    {
      const AssayPhase *p = g_ptr_array_index (phases, i), *q = g_ptr_array_index (same, i);
      g_assert_cmpstr (p->name, ==, q->name);
      g_assert_cmpint (p->duration_ns, ==, q->duration_ns);
      g_assert_cmpint (p->peak_allocated, ==, q->peak_allocated);
      g_assert_cmpint (p->peak_ram, ==, q->peak_ram);
    }
  g_assert_cmpuint (marks->len, ==, same_marks->len);
  for (guint i = 0; i < marks->len; i++)
    g_assert_cmpstr (((AssayMark *) g_ptr_array_index (marks, i))->text, ==,
                     ((AssayMark *) g_ptr_array_index (same_marks, i))->text);
  g_assert_cmpuint (assay_series_get_n_measured (a), ==, assay_series_get_n_measured (b));
  g_assert_cmpint (assay_series_get_interval_ns (a), ==, assay_series_get_interval_ns (b));
}

void
fixture_same_records (AssayRecord *a, AssayRecord *b)
{
  g_assert_cmpstr (assay_record_get_id (a), ==, assay_record_get_id (b));
  g_assert_cmpstr (assay_record_get_damage (a), ==, assay_record_get_damage (b));
  g_assert_true (assay_record_same_run (a, b));
  g_assert_cmpuint (a->reviews->len, ==, b->reviews->len);
  for (guint i = 0; i < a->reviews->len; i++)
    g_assert_true (assay_review_equal (g_ptr_array_index (a->reviews, i), g_ptr_array_index (b->reviews, i)));
  g_assert_true (assay_next_trial_equal (a->next_trial, b->next_trial));
  fixture_same_series (assay_record_get_series (a), assay_record_get_series (b));
}

void
fixture_same_ledgers (AssayLedger *a, AssayLedger *b)
{
  g_assert_cmpstr (assay_ledger_get_id (a), ==, assay_ledger_get_id (b));
  g_assert_cmpstr (assay_ledger_get_title (a), ==, assay_ledger_get_title (b));
  g_assert_cmpuint (assay_ledger_get_n_runs (a), ==, assay_ledger_get_n_runs (b));
  g_assert_cmpint (a->criteria->vram_budget, ==, b->criteria->vram_budget);
  g_assert_cmpfloat (a->criteria->mean_latency_seconds, ==, b->criteria->mean_latency_seconds);
  g_assert_cmpuint (a->criteria->criteria->len, ==, b->criteria->criteria->len);
  g_assert_cmpuint (a->questions->len, ==, b->questions->len);
  g_assert_cmpuint (a->preferences->len, ==, b->preferences->len);
  for (guint i = 0; i < a->preferences->len; i++)
    g_assert_true (assay_preference_equal (a->preferences->pdata[i], b->preferences->pdata[i]));
  g_assert_cmpuint (g_hash_table_size (a->removed), ==, g_hash_table_size (b->removed));
  for (guint i = 0; i < assay_ledger_get_n_runs (a); i++)
    fixture_same_records (assay_ledger_get_run (a, i), assay_ledger_get_run (b, i));
}

typedef struct
{
  const char *element;
  guint left;
  gboolean inside, done;
  GString *text;
} SecondParser;

static void
second_start (GMarkupParseContext *context, const char *name, const char **names, const char **values,
              gpointer data, GError **error)
{
  SecondParser *self = data;
  if (!self->done && g_str_equal (name, self->element) && self->left-- == 0)
    self->inside = TRUE;
}

static void
second_end (GMarkupParseContext *context, const char *name, gpointer data, GError **error)
{
  SecondParser *self = data;
  self->done = self->done || self->inside;
  self->inside = FALSE;
}

static void
second_text (GMarkupParseContext *context, const char *text, gsize length, gpointer data, GError **error)
{
  SecondParser *self = data;
  if (self->inside)
    g_string_append_len (self->text, text, (gssize) length);
}

char *
fixture_second_parser_text (const char *xml, gsize length, const char *element, guint n)
{
  const GMarkupParser parser = { second_start, second_end, second_text, NULL, NULL };
  SecondParser self = { .element = element, .left = n, .text = g_string_new (NULL) };
  g_autoptr(GMarkupParseContext) context = g_markup_parse_context_new (&parser, 0, &self, NULL);
  g_autoptr(GError) error = NULL;

  g_markup_parse_context_parse (context, xml, (gssize) length, &error);
  g_assert_no_error (error);
  g_markup_parse_context_end_parse (context, &error);
  g_assert_no_error (error);
  return g_string_free (self.text, FALSE);
}

void
fixture_save (AssayLedger *ledger, const char *path)
{
  g_autoptr(GError) error = NULL;
  assay_store_save (ledger, path, &error);
  g_assert_no_error (error);
}

AssayLedger *
fixture_load (const char *path)
{
  g_autoptr(GError) error = NULL;
  AssayLedger *ledger = assay_store_load (path, &error);
  g_assert_no_error (error);
  return ledger;
}

char *
fixture_dup_folder (void)
{
  g_autoptr(GError) error = NULL;
  char *folder = g_dir_make_tmp ("assay-ledger-XXXXXX", &error);
  g_assert_no_error (error);
  return folder;
}

void
fixture_remove_folder (const char *folder)
{
  g_autoptr(GDir) dir = g_dir_open (folder, 0, NULL);

  for (const char *name; dir != NULL && (name = g_dir_read_name (dir)) != NULL;)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      if (g_file_test (path, G_FILE_TEST_IS_DIR) && !g_file_test (path, G_FILE_TEST_IS_SYMLINK))
        fixture_remove_folder (path);
      else
        g_unlink (path);
    }
  g_rmdir (folder);
}

void
fixture_write (const char *path, const char *bytes, gssize length)
{
  g_autoptr(GError) error = NULL;
  g_file_set_contents (path, bytes, length, &error);
  g_assert_no_error (error);
}

char *
fixture_read (const char *path, gsize *length)
{
  g_autoptr(GError) error = NULL;
  char *text = NULL;
  g_file_get_contents (path, &text, length, &error);
  g_assert_no_error (error);
  return text;
}

static void
on_pair_edited (AssayLedger *ledger, const AssayEdit *edit, gpointer data)
{
  g_ptr_array_add (((FixturePair *) data)->edits, assay_edit_copy (edit));
}

void
fixture_pair_open (FixturePair *pair, AssayLedger *first)
{
  pair->folder = fixture_dup_folder ();
  pair->path = g_build_filename (pair->folder, "book.ledger.xml", NULL);
  pair->first = first;
  pair->edits = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_edit_free);
  assay_ledger_set_path (first, pair->path);
  fixture_save (first, NULL);
  g_signal_connect (first, "edited", G_CALLBACK (on_pair_edited), pair);
  pair->second = fixture_load (pair->path);
}

void
fixture_pair_close (FixturePair *pair)
{
  g_object_unref (pair->first);
  g_object_unref (pair->second);
  g_ptr_array_unref (pair->edits);
  fixture_remove_folder (pair->folder);
  g_free (pair->folder);
  g_free (pair->path);
}
