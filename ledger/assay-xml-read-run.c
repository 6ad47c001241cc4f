/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-xml-read-run.c: one <run> element, event by event.
 *
 * Three levels: run, section, entry; samples have a fourth. What is not known at a level is passed over with
 * all it holds: it stays in the record's bytes. What is known and wrong makes the run damaged: it keeps its
 * bytes, shows why, and shows no number at all. */
#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <string.h>

#include "assay-assets.h"
#include "assay-canon.h"
#include "assay-series-private.h"
#include "assay-text-code.h"
#include "assay-timestamp.h"
#include "assay-xml-read.h"

typedef enum
{
  SECTION_NONE,
  SECTION_CONDITIONS,
  SECTION_EFFECTIVE,
  SECTION_BURDEN,
  SECTION_OUTCOME,
  SECTION_REVIEW,
  SECTION_NEXT_TRIAL,
} RunSection;

typedef enum
{
  ENTRY_NONE,
  ENTRY_FIELD,
  ENTRY_HOLDERS,
  ENTRY_PHASE,
  ENTRY_MARK,
  ENTRY_SAMPLES,
  ENTRY_OUTPUT,
  ENTRY_SCORE,
  ENTRY_VERDICT,
  ENTRY_WORDS,
  ENTRY_QUALITY_NOTE,
  ENTRY_HELD,
  ENTRY_NOTE,
} RunEntry;

struct _AssayRunReader
{
  /* borrowed */
  const char *uri;
  const char *assets;

  /* owned */
  AssayRecord *record;
  AssaySeries *series;        /* only when the series is what is wanted */
  GArray *samples;            /* likewise, while inside <samples> */
  AssayReview *review;
  AssayNextTrial *next;
  AssayOutput *output;
  char *unknown;              /* reason, of the field at hand */
  char *unit;
  char *word;                 /* criterion of a score, kind of a mark */
  char *question;

  RunSection section;
  RunEntry entry;
  AssayFieldId field;
  AssayMeasure measure;       /* its strings are owned */
  gboolean has_measure;
  gboolean escaped;           /* the text of the entry at hand */
  gboolean has_series;
  gint64 t_ns;
  guint n_samples;
  guint column;
  guint passed_over;          /* depth of the unknown element we are inside; 0 when in none */
  gboolean compares;          /* the file states a checksum of the kind that is known here */
  guint64 claimed;            /* that checksum */
};

AssayRunReader *
assay_run_reader_new (const char *uri, const char *assets)
{
  AssayRunReader *self = g_new0 (AssayRunReader, 1);
  self->uri = uri;
  self->assets = assets;
  return self;
}

static void
run_reader_clear_entry (AssayRunReader *self)
{
  g_clear_pointer (&self->unknown, g_free);
  g_clear_pointer (&self->unit, g_free);
  g_clear_pointer (&self->word, g_free);
  g_clear_pointer (&self->question, g_free);
  g_clear_pointer ((char **) &self->measure.kind, g_free);
  g_clear_pointer ((char **) &self->measure.source, g_free);
  g_clear_pointer (&self->output, assay_output_free);
  memset (&self->measure, 0, sizeof self->measure);
  self->has_measure = self->escaped = FALSE;
  self->entry = ENTRY_NONE;
}

void
assay_run_reader_free (AssayRunReader *self)
{
  if (self == NULL)
    return;
  run_reader_clear_entry (self);
  g_clear_object (&self->record);
  g_clear_pointer (&self->series, assay_series_unref);
  g_clear_pointer (&self->samples, g_array_unref);
  g_clear_pointer (&self->review, assay_review_free);
  g_clear_pointer (&self->next, assay_next_trial_free);
  g_free (self);
}

static void G_GNUC_PRINTF (2, 3)
run_reader_damage (AssayRunReader *self, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  g_autofree char *reason = g_strdup_vprintf (format, args);
  va_end (args);
  assay_record_set_damage (self->record, reason);
}

/* A whole number of an attribute that is not negative; fallback when there is none. */
static gint64
run_reader_get_count (AssayRunReader *self, const AssayXmlStart *element, const char *name, gint64 fallback)
{
  const char *text = assay_xml_get_attribute (element, name);
  gint64 value;
  if (text == NULL)
    return fallback;
  if (!g_ascii_isdigit (*text) || !g_ascii_string_to_signed (text, 10, 0, G_MAXINT64, &value, NULL))
    {
      run_reader_damage (self, _("%s: %s=“%s” is no whole number from 0"), element->name, name, text);
      return fallback;
    }
  return value;
}

static gboolean
run_reader_get_flag (AssayRunReader *self, const AssayXmlStart *element, const char *name)
{
  const char *text = assay_xml_get_attribute (element, name);

  if (text == NULL || g_str_equal (text, "false"))
    return FALSE;
  if (!g_str_equal (text, "true"))
    run_reader_damage (self, _("%s: %s=“%s” is neither true nor false"), element->name, name, text);
  return TRUE;
}

static void
run_reader_start_run (AssayRunReader *self, const AssayXmlStart *element)
{
  const char *checksum = assay_xml_get_attribute (element, "checksum");
  g_autofree char *id = assay_xml_dup_attribute (element, "id");

  self->record = g_object_new (ASSAY_TYPE_RECORD, NULL);
  self->record->id = g_strdup (id == NULL ? "" : id);
  self->record->parent = assay_xml_dup_attribute (element, "parent");
  self->record->changed = assay_xml_dup_attribute (element, "changed");
  self->record->duplicate_of = assay_xml_dup_attribute (element, "duplicate_of");
  self->record->accepted = assay_xml_dup_attribute (element, "accepted");
  self->record->planned = assay_xml_dup_attribute (element, "planned");
  if (id == NULL || *id == '\0')
    run_reader_damage (self, _("the run has no id"));
  if (self->record->duplicate_of != NULL)
    assay_record_add_notice (self->record,
                             _("Run “%s” was there with other content; this one was kept beside it"),
                             self->record->duplicate_of);
  /* A later version may state a checksum of another kind; one of ours that does not read is a wrong one. */
  self->record->has_checksum = checksum != NULL;
  self->compares = checksum != NULL && g_str_has_prefix (checksum, ASSAY_CANON_PREFIX);
  if (self->compares && !assay_canon_parse (checksum, &self->claimed))
    run_reader_damage (self, _("its checksum “%s” is none"), checksum);
}

static RunSection
run_reader_find_section (const char *name)
{
  static const char *const names[]
      = { "", "conditions", "effective", "burden", "outcome", "review", "next_trial" };

  for (guint i = SECTION_CONDITIONS; i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (name, names[i]))
      return (RunSection) i;
  return SECTION_NONE;
}

static void
run_reader_start_review (AssayRunReader *self, const AssayXmlStart *element)
{
  self->review = assay_review_new_empty ();
  self->review->id = assay_xml_dup_attribute (element, "id");
  self->review->reviewer = assay_xml_dup_attribute (element, "reviewer");
  self->review->at = assay_xml_dup_attribute (element, "at");
  self->review->supersedes = assay_xml_dup_attribute (element, "supersedes");
  self->review->blind = run_reader_get_flag (self, element, "blind");
  self->review->order_seed = (guint64) run_reader_get_count (self, element, "order_seed", 0);
  self->review->position = (guint) MIN (run_reader_get_count (self, element, "position", 0), G_MAXUINT);
}

static void
run_reader_start_next (AssayRunReader *self, const AssayXmlStart *element)
{
  self->next = assay_next_trial_new ();
  self->next->signal = assay_xml_dup_attribute (element, "signal");
  self->next->axis = assay_xml_dup_attribute (element, "axis");
  self->next->from = assay_xml_dup_attribute (element, "from");
  self->next->to = assay_xml_dup_attribute (element, "to");
  if (self->next->signal == NULL)
    self->next->signal = g_strdup ("none");
  self->next->predicted_peak_vram = run_reader_get_count (self, element, "predicted_peak_vram", -1);
  self->next->predicted_peak_ram = run_reader_get_count (self, element, "predicted_peak_ram", -1);
  self->next->predicted_ns = run_reader_get_count (self, element, "predicted_ns", -1);
}

static void
run_reader_start_section (AssayRunReader *self, const AssayXmlStart *element)
{
  self->section = run_reader_find_section (element->name);
  if (self->section == SECTION_NONE)
    self->passed_over = 2;
  else if (self->section == SECTION_REVIEW)
    run_reader_start_review (self, element);
  else if (self->section == SECTION_NEXT_TRIAL)
    run_reader_start_next (self, element);
}

static AssayValues *
run_reader_get_values (AssayRunReader *self)
{
  switch (self->section)
    {
    case SECTION_CONDITIONS: return self->record->conditions;
    case SECTION_EFFECTIVE: return self->record->effective;
    case SECTION_BURDEN: return self->record->burden;
    case SECTION_OUTCOME: return self->record->outcome;
    case SECTION_NONE:
    case SECTION_REVIEW:
    case SECTION_NEXT_TRIAL:
    default: return NULL;
    }
}

static AssayGroup
run_reader_get_group (AssayRunReader *self)
{
  return self->section == SECTION_BURDEN    ? ASSAY_GROUP_BURDEN
         : self->section == SECTION_OUTCOME ? ASSAY_GROUP_OUTCOME
                                            : ASSAY_GROUP_CONDITIONS;
}

static gboolean
run_reader_start_field (AssayRunReader *self, const AssayXmlStart *element)
{
  const AssayFieldId field = assay_field_from_name (element->name);

  if (run_reader_get_values (self) == NULL || field == ASSAY_FIELD_INVALID
      || assay_field_get_info (field)->group != run_reader_get_group (self))
    return FALSE;
  self->entry = ENTRY_FIELD;
  self->field = field;
  if (element->n_attributes == 0)
    return TRUE;
  self->unknown = assay_xml_dup_attribute (element, "unknown");
  self->unit = assay_xml_dup_attribute (element, "unit");
  self->measure.kind = assay_xml_dup_attribute (element, "kind");
  self->measure.source = assay_xml_dup_attribute (element, "source");
  self->measure.interval_ns = run_reader_get_count (self, element, "interval_ns", 0);
  self->measure.n_samples = (guint64) run_reader_get_count (self, element, "samples", 0);
  self->has_measure = self->measure.kind != NULL || self->measure.source != NULL
                      || self->measure.interval_ns > 0 || self->measure.n_samples > 0;
  return TRUE;
}

static void
run_reader_start_phase (AssayRunReader *self, const AssayXmlStart *element)
{
  g_autofree char *name = assay_xml_dup_attribute (element, "name");
  const AssayPhase phase = {
    .name = name,
    .start_ns = run_reader_get_count (self, element, "start_ns", 0),
    .duration_ns = run_reader_get_count (self, element, "duration_ns", -1),
    .peak_allocated = run_reader_get_count (self, element, "peak_allocated", -1),
    .peak_ram = run_reader_get_count (self, element, "peak_ram", -1),
  };

  self->has_series = TRUE;
  if (name == NULL)
    run_reader_damage (self, _("a phase has no name"));
  else if (self->series != NULL)
    assay_series_add_phase (self->series, &phase);
}

static void
run_reader_start_samples (AssayRunReader *self, const AssayXmlStart *element)
{
  const gint64 n = run_reader_get_count (self, element, "count", 0);
  const gint64 interval = run_reader_get_count (self, element, "interval_ns", 0);
  const AssaySample unknown = { 0, { -1, -1, -1, -1, -1, -1 }, -1, -1, -1, -1, -1, -1, -1, -1 };

  self->has_series = TRUE;
  if (n > ASSAY_SERIES_LIMIT)
    run_reader_damage (self, _("samples: %" PRId64 " of them; at most %u are read"), n,
                       ASSAY_SERIES_LIMIT);
  self->n_samples = (guint) MIN (n, ASSAY_SERIES_LIMIT);
  self->t_ns = run_reader_get_count (self, element, "measured", n);
  if (self->series == NULL)
    return;
  self->samples = g_array_sized_new (FALSE, FALSE, sizeof (AssaySample), self->n_samples);
  for (guint i = 0; i < self->n_samples; i++)
    g_array_append_val (self->samples, unknown);
  assay_series_set_interval_ns (self->series, interval);
}

static gboolean
run_reader_start_burden (AssayRunReader *self, const AssayXmlStart *element)
{
  if (g_str_equal (element->name, "phase"))
    {
      self->entry = ENTRY_PHASE;
      run_reader_start_phase (self, element);
    }
  else if (g_str_equal (element->name, "samples"))
    {
      self->entry = ENTRY_SAMPLES;
      run_reader_start_samples (self, element);
    }
  else if (g_str_equal (element->name, "mark"))
    {
      self->entry = ENTRY_MARK;
      self->has_series = TRUE;
      self->word = assay_xml_dup_attribute (element, "kind");
      self->t_ns = run_reader_get_count (self, element, "t_ns", 0);
    }
  else if (g_str_equal (element->name, "holders"))
    self->entry = ENTRY_HOLDERS;
  return self->entry != ENTRY_NONE;
}

static gboolean
run_reader_start_output (AssayRunReader *self, const AssayXmlStart *element)
{
  if (!g_str_equal (element->name, "output"))
    return FALSE;
  g_autofree char *question = assay_xml_dup_attribute (element, "question");
  self->entry = ENTRY_OUTPUT;
  self->output = assay_output_new (question);
  self->output->input_tokens = run_reader_get_count (self, element, "input_tokens", -1);
  self->output->output_tokens = run_reader_get_count (self, element, "tokens", -1);
  self->output->prompt_ns = run_reader_get_count (self, element, "prompt_ns", -1);
  self->output->generate_ns = run_reader_get_count (self, element, "generate_ns", -1);
  self->output->finish = assay_xml_dup_attribute (element, "finish");
  self->output->partial = run_reader_get_flag (self, element, "partial");
  self->output->asset = assay_xml_dup_attribute (element, "asset");
  return TRUE;
}

static gboolean
run_reader_start_judgment (AssayRunReader *self, const AssayXmlStart *element)
{
  const gboolean words = g_str_equal (element->name, "words");
  if (self->section == SECTION_REVIEW && (words || g_str_equal (element->name, "score")))
    {
      self->entry = words ? ENTRY_WORDS : ENTRY_SCORE;
      self->word = assay_xml_dup_attribute (element, "criterion");
      self->question = assay_xml_dup_attribute (element, "question");
    }
  else if (self->section == SECTION_REVIEW && g_str_equal (element->name, "verdict"))
    self->entry = ENTRY_VERDICT;
  else if (self->section == SECTION_REVIEW && g_str_equal (element->name, "quality_note"))
    self->entry = ENTRY_QUALITY_NOTE;
  else if (self->section == SECTION_NEXT_TRIAL && g_str_equal (element->name, "held"))
    self->entry = ENTRY_HELD;
  else if (self->section == SECTION_NEXT_TRIAL && g_str_equal (element->name, "note"))
    self->entry = ENTRY_NOTE;
  return self->entry != ENTRY_NONE;
}

static void
run_reader_start_entry (AssayRunReader *self, const AssayXmlStart *element)
{
  run_reader_clear_entry (self);
  self->escaped = assay_xml_is_escaped (element, "text");
  if (run_reader_start_field (self, element) || run_reader_start_judgment (self, element)
      || (self->section == SECTION_BURDEN && run_reader_start_burden (self, element))
      || (self->section == SECTION_OUTCOME && run_reader_start_output (self, element)))
    return;
  self->passed_over = 3;
}

static void
run_reader_start_column (AssayRunReader *self, const AssayXmlStart *element)
{
  self->column = G_MAXUINT;
  if (self->entry == ENTRY_SAMPLES && g_str_equal (element->name, "column"))
    self->column = assay_sample_find_column (assay_xml_get_attribute (element, "name"));
  if (self->column == G_MAXUINT)
    self->passed_over = 4;
}

void
assay_run_reader_start (AssayRunReader *self, const AssayXmlStart *element, guint depth)
{
  if (self->passed_over > 0)
    return;
  if (!g_str_equal (element->uri, self->uri))
    self->passed_over = depth;
  else if (depth == 1)
    run_reader_start_run (self, element);
  else if (depth == 2)
    run_reader_start_section (self, element);
  else if (depth == 3)
    run_reader_start_entry (self, element);
  else if (depth == 4)
    run_reader_start_column (self, element);
  else
    self->passed_over = depth;
}

/* The text of the entry at hand, its escaped form undone. (transfer full) */
static char *
run_reader_dup_text (AssayRunReader *self, const AssayXmlEnd *element, gsize *length)
{
  if (self->escaped)
    return assay_text_unescape (element->text, element->text_length, length);
  if (length != NULL)
    *length = element->text_length;
  return g_strndup (element->text, element->text_length);
}

/* Damage can bring a text twice: the last one stands. */
static void
run_reader_take_text (AssayRunReader *self, const AssayXmlEnd *element, char **text)
{
  g_free (*text);
  *text = run_reader_dup_text (self, element, NULL);
}

static void
run_reader_check_time (AssayRunReader *self, const char *text)
{
  gint64 instant;

  if ((self->field == ASSAY_FIELD_STARTED_AT || self->field == ASSAY_FIELD_FINISHED_AT)
      && assay_timestamp_parse (text, &instant) == ASSAY_TIMESTAMP_INVALID)
    run_reader_damage (self, _("%s: “%s” is no time of RFC 3339"), assay_field_get_info (self->field)->name,
                       text);
}

static void
run_reader_end_field (AssayRunReader *self, const AssayXmlEnd *element)
{
  AssayValues *values = run_reader_get_values (self);
  const AssayFieldInfo *info = assay_field_get_info (self->field);
  g_autoptr(GError) error = NULL;
  gsize length;
  g_autofree char *text = run_reader_dup_text (self, element, &length);

  if (assay_values_get_state (values, self->field) != ASSAY_VALUE_UNSET)
    run_reader_damage (self, _("%s is given twice"), info->name);
  else if (self->unit != NULL && !g_str_equal (self->unit, assay_unit_get_name (info->unit)))
    run_reader_damage (self, _("%s: the unit “%s” is not read; files hold %s"), info->name, self->unit,
                       info->unit == ASSAY_UNIT_NONE ? _("no unit") : assay_unit_get_name (info->unit));
  else if (self->unknown != NULL && length > 0)
    run_reader_damage (self, _("%s is unknown and has a value"), info->name);
  else if (strlen (text) != length)
    run_reader_damage (self, _("%s holds a zero byte"), info->name);
  else if (self->unknown != NULL)
    assay_values_set_unknown (values, self->field, self->unknown);
  else if (!assay_values_parse (values, self->field, text, &error))
    run_reader_damage (self, "%s", error->message);
  else
    run_reader_check_time (self, text);
  if (self->has_measure && assay_values_get_state (values, self->field) != ASSAY_VALUE_UNSET)
    assay_values_set_measure (values, self->field, &self->measure);
}

static void
run_reader_load_asset (AssayRunReader *self)
{
  AssayOutput *output = self->output;
  g_autoptr(GBytes) bytes = NULL;

  if (!assay_asset_is_name (output->asset))
    assay_record_add_notice (self->record,
                             _("An output names the side file “%s”, which is none of this ledger's"),
                             output->asset);
  else if (self->assets != NULL)
    bytes = assay_asset_read (self->assets, output->asset);
  output->asset_missing = bytes == NULL;
  if (bytes == NULL)
    {
      if (self->assets != NULL && assay_asset_is_name (output->asset))
        assay_record_add_notice (self->record, _("The side file “%s” is missing or was changed"),
                                 output->asset);
      return;
    }
  if (!g_str_has_suffix (output->asset, ".txt"))
    return;
  output->text_length = g_bytes_get_size (bytes);
  output->text = g_malloc (output->text_length + 1);
  memcpy (output->text, g_bytes_get_data (bytes, NULL), output->text_length);
  output->text[output->text_length] = '\0';
}

static void
run_reader_end_output (AssayRunReader *self, const AssayXmlEnd *element)
{
  if (self->output->asset != NULL)
    run_reader_load_asset (self);
  else
    self->output->text = run_reader_dup_text (self, element, &self->output->text_length);
  g_ptr_array_add (self->record->outputs, g_steal_pointer (&self->output));
}

static void
run_reader_end_score (AssayRunReader *self, const AssayXmlEnd *element)
{
  gint64 value = G_MININT; /* no score at all is out of every range */

  if (self->word == NULL)
    return;
  if (!g_ascii_string_to_signed (element->text, 10, -1000000, 1000000, &value, NULL))
    value = G_MININT;
  assay_review_set_score (self->review, self->word, self->question, (gint) value);
}

static void
run_reader_end_words (AssayRunReader *self, const AssayXmlEnd *element)
{
  g_autofree char *words = run_reader_dup_text (self, element, NULL);

  if (self->word != NULL)
    assay_review_set_words (self->review, self->word, self->question, words);
}

static void
run_reader_end_verdict (AssayRunReader *self, const AssayXmlEnd *element)
{
  if (g_str_equal (element->text, "pass"))
    self->review->verdict = ASSAY_VERDICT_PASS;
  else if (g_str_equal (element->text, "fail"))
    self->review->verdict = ASSAY_VERDICT_FAIL;
  else if (!g_str_equal (element->text, "not judged"))
    run_reader_damage (self, _("verdict: “%s” is neither pass nor fail"), element->text);
}

/* One name an element is what is written; a list of names in one element is read too. */
static void
run_reader_end_held (AssayRunReader *self, const AssayXmlEnd *element)
{
  g_autofree char *text = run_reader_dup_text (self, element, NULL);
  g_autoptr(GStrvBuilder) names = g_strv_builder_new ();
  g_auto(GStrv) words = g_strsplit_set (text, " \n\t", -1);
  gboolean list = TRUE;

  for (char **word = words; *word != NULL; word++)
    list = list && (**word == '\0' || assay_axis_from_name (*word) != ASSAY_AXIS_NONE
                    || assay_field_from_name (*word) != ASSAY_FIELD_INVALID);
  g_strv_builder_addv (names, (const char **) self->next->held);
  if (!list)
    g_strv_builder_add (names, text);
  for (char **word = words; list && *word != NULL; word++)
    if (**word != '\0')
      g_strv_builder_add (names, *word);
  g_strfreev (self->next->held);
  self->next->held = g_strv_builder_end (names);
}

static void
run_reader_end_column (AssayRunReader *self, const AssayXmlEnd *element)
{
  if (!assay_samples_parse_column (element->text, self->column, self->n_samples, self->samples))
    run_reader_damage (self, _("samples: the column %s does not hold %u values"),
                       assay_sample_get_column_name (self->column), self->n_samples);
}

static void
run_reader_end_samples (AssayRunReader *self)
{
  if (self->samples == NULL)
    return;
  for (guint i = 0; i < self->samples->len; i++)
    assay_series_append (self->series, &g_array_index (self->samples, AssaySample, i));
  assay_series_set_n_measured (self->series, (guint64) self->t_ns);
  g_clear_pointer (&self->samples, g_array_unref);
}

static void
run_reader_end_entry (AssayRunReader *self, const AssayXmlEnd *element)
{
  g_autofree char *text = NULL;

  switch (self->entry)
    {
    case ENTRY_FIELD: run_reader_end_field (self, element); break;
    case ENTRY_OUTPUT: run_reader_end_output (self, element); break;
    case ENTRY_SAMPLES: run_reader_end_samples (self); break;
    case ENTRY_SCORE: run_reader_end_score (self, element); break;
    case ENTRY_WORDS: run_reader_end_words (self, element); break;
    case ENTRY_VERDICT: run_reader_end_verdict (self, element); break;
    case ENTRY_HELD: run_reader_end_held (self, element); break;
    case ENTRY_HOLDERS: run_reader_take_text (self, element, &self->record->holders); break;
    case ENTRY_QUALITY_NOTE: run_reader_take_text (self, element, &self->review->quality_note); break;
    case ENTRY_NOTE: run_reader_take_text (self, element, &self->next->note); break;
    case ENTRY_MARK:
      text = run_reader_dup_text (self, element, NULL);
      if (self->series != NULL)
        assay_series_add_mark (self->series, self->t_ns, self->word == NULL ? "" : self->word, text);
      break;
    case ENTRY_PHASE:
    case ENTRY_NONE:
    default: break;
    }
  run_reader_clear_entry (self);
}

static void
run_reader_end_section (AssayRunReader *self)
{
  if (self->section == SECTION_REVIEW)
    g_ptr_array_add (self->record->reviews, g_steal_pointer (&self->review));
  if (self->section == SECTION_NEXT_TRIAL && self->record->next_trial != NULL)
    {
      g_free (self->next->invalid);
      self->next->invalid = g_strdup (_("the run names two next trials: one signal, one changed axis"));
    }
  if (self->section == SECTION_NEXT_TRIAL)
    {
      assay_next_trial_free (self->record->next_trial);
      self->record->next_trial = g_steal_pointer (&self->next);
    }
  self->section = SECTION_NONE;
}

static void
run_reader_end_run (AssayRunReader *self, guint64 hash)
{
  AssayRecord *record = self->record;
  record->checksum = hash;
  if (self->compares && self->claimed != hash)
    run_reader_damage (self,
                       _("its content does not match its checksum: damaged on disk, or changed by another "
                          "program (removing the run's checksum attribute accepts the change)"));
  if (record->damage == NULL)
    return;
  AssayRecord *bare = g_object_new (ASSAY_TYPE_RECORD, NULL); /* no number of a damaged run is shown */
  bare->id = *record->id != '\0' ? g_strdup (record->id) : g_strdup_printf ("damaged-%08x", (guint) (hash >> 32));
  bare->damage = g_strdup (record->damage);
  bare->checksum = hash;
  g_set_object (&self->record, bare);
  g_object_unref (bare);
}

void
assay_run_reader_end (AssayRunReader *self, const AssayXmlEnd *element, guint depth)
{
  if (self->passed_over > 0)
    {
      if (self->passed_over == depth)
        self->passed_over = 0;
      return;
    }
  if (depth == 4)
    run_reader_end_column (self, element);
  else if (depth == 3)
    run_reader_end_entry (self, element);
  else if (depth == 2)
    run_reader_end_section (self);
  else if (depth == 1)
    run_reader_end_run (self, element->hash);
}

AssayRecord *
assay_run_reader_steal (AssayRunReader *self)
{
  if (self->has_series && self->record->damage == NULL)
    self->record->load_series = assay_xml_read_series;
  return g_steal_pointer (&self->record);
}

AssayRunReader *
assay_run_reader_new_for_series (AssaySeries *series)
{
  AssayRunReader *self = assay_run_reader_new (NULL, NULL);
  self->series = assay_series_ref (series);
  return self;
}

void
assay_run_reader_set_uri (AssayRunReader *self, const char *uri)
{
  self->uri = uri;
}
