/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-xml-write-run.c: one <run>, in one of three ways.
 *
 * As it was read, byte for byte, when nobody edited it. Put together from its old bytes and the edit, when it
 * was read and edited. Anew, when it was made in memory. The last two are read back at once to take their
 * checksum, which is what any later reader will compare. */
#include <string.h>

#include "assay-assets.h"
#include "assay-canon.h"
#include "assay-series-private.h"
#include "assay-text-code.h"
#include "assay-values-private.h"
#include "assay-xml-parts.h"
#include "assay-xml-read.h"
#include "assay-xml-write.h"

#define RUN_CHECKSUM " checksum=\"" ASSAY_CANON_PREFIX "0000000000000000\""

/* ---- sections ---- */

static void
run_write_field (GString *out, const AssayValues *values, AssayFieldId field)
{
  const AssayFieldInfo *info = assay_field_get_info (field);
  const AssayMeasure *measure = assay_values_get_measure (values, field);
  g_autofree char *text = assay_values_dup_text (values, field);
  AssayXmlTag tag;

  assay_xml_open (&tag, out, 6, info->name);
  if (measure != NULL)
    {
      assay_xml_attribute (&tag, "kind", measure->kind);
      assay_xml_attribute (&tag, "source", measure->source);
      assay_xml_attribute_count (&tag, "interval_ns", measure->interval_ns > 0 ? measure->interval_ns : -1);
      assay_xml_attribute_count (&tag, "samples", measure->n_samples > 0 ? (gint64) measure->n_samples : -1);
    }
  if (info->unit == ASSAY_UNIT_BYTES && info->group == ASSAY_GROUP_BURDEN)
    assay_xml_attribute (&tag, "unit", "bytes");
  if (text == NULL)
    {
      assay_xml_attribute (&tag, "unknown", assay_values_get_reason (values, field));
      assay_xml_close_empty (&tag);
    }
  else
    assay_xml_close_text (&tag, info->name, text, strlen (text));
}

static void
run_write_fields (GString *out, const AssayValues *values)
{
  for (guint i = 0; i < assay_values_get_n (values); i++)
    run_write_field (out, values, assay_values_get_nth (values, i));
}

static void
run_write_phases (GString *out, AssaySeries *series)
{
  g_autoptr(GPtrArray) phases = assay_series_dup_phases (series);
  AssayXmlTag tag;

  for (guint i = 0; i < phases->len; i++)
    {
      const AssayPhase *phase = g_ptr_array_index (phases, i);
      assay_xml_open (&tag, out, 6, "phase");
      assay_xml_attribute (&tag, "name", phase->name);
      assay_xml_attribute_count (&tag, "start_ns", phase->start_ns);
      assay_xml_attribute_count (&tag, "duration_ns", phase->duration_ns);
      assay_xml_attribute_count (&tag, "peak_allocated", phase->peak_allocated);
      assay_xml_attribute_count (&tag, "peak_ram", phase->peak_ram);
      assay_xml_close_empty (&tag);
    }
}

static void
run_write_marks (GString *out, AssaySeries *series)
{
  g_autoptr(GPtrArray) marks = assay_series_dup_marks (series);
  AssayXmlTag tag;

  for (guint i = 0; i < marks->len; i++)
    {
      const AssayMark *mark = g_ptr_array_index (marks, i);
      assay_xml_open (&tag, out, 6, "mark");
      assay_xml_attribute_count (&tag, "t_ns", mark->t_ns);
      assay_xml_attribute (&tag, "kind", mark->kind);
      assay_xml_close_text (&tag, "mark", mark->text, strlen (mark->text));
    }
}

static gboolean
run_column_is_unknown (const GArray *samples, guint column)
{
  for (guint i = 0; i < samples->len; i++)
    if (((const gint64 *) &g_array_index (samples, AssaySample, i))[column] >= 0)
      return FALSE;
  return TRUE;
}

static void
run_write_samples (GString *out, AssaySeries *series)
{
  g_autoptr(GArray) samples
      = assay_series_dup_downsampled (series, G_MININT64, G_MAXINT64, ASSAY_SERIES_KEPT);
  AssayXmlTag tag;

  if (samples->len == 0)
    return;
  assay_xml_open (&tag, out, 6, "samples");
  assay_xml_attribute_count (&tag, "count", samples->len);
  assay_xml_attribute_count (&tag, "measured", (gint64) assay_series_get_n_measured (series));
  assay_xml_attribute_count (&tag, "interval_ns", assay_series_get_interval_ns (series));
  assay_xml_close (&tag);
  for (guint i = 0; i < ASSAY_SAMPLE_N_COLUMNS; i++)
    {
      if (i > 0 && run_column_is_unknown (samples, i))
        continue;
      assay_xml_open (&tag, out, 8, "column");
      assay_xml_attribute (&tag, "name", assay_sample_get_column_name (i));
      g_string_append_c (out, '>');
      assay_samples_append_column (out, samples, i);
      g_string_append (out, "</column>\n");
    }
  assay_xml_end (out, 6, "samples");
}

static void
run_write_burden (GString *out, AssayRecord *record)
{
  AssaySeries *series = assay_record_get_series (record);
  AssayXmlTag tag;

  run_write_fields (out, record->burden);
  if (record->holders != NULL)
    {
      assay_xml_open (&tag, out, 6, "holders");
      assay_xml_close_text (&tag, "holders", record->holders, strlen (record->holders));
    }
  run_write_phases (out, series);
  run_write_marks (out, series);
  run_write_samples (out, series);
}

static void
run_write_output (GString *out, const AssayOutput *output)
{
  g_autofree char *asset = assay_output_dup_asset (output);
  AssayXmlTag tag;

  assay_xml_open (&tag, out, 6, "output");
  assay_xml_attribute (&tag, "question", output->question);
  assay_xml_attribute_count (&tag, "input_tokens", output->input_tokens);
  assay_xml_attribute_count (&tag, "tokens", output->output_tokens);
  assay_xml_attribute_count (&tag, "prompt_ns", output->prompt_ns);
  assay_xml_attribute_count (&tag, "generate_ns", output->generate_ns);
  assay_xml_attribute (&tag, "finish", output->finish);
  assay_xml_attribute (&tag, "partial", output->partial ? "true" : NULL);
  assay_xml_attribute (&tag, "asset", asset);
  if (asset != NULL)
    assay_xml_close_empty (&tag);
  else
    assay_xml_close_text (&tag, "output", output->text == NULL ? "" : output->text, output->text_length);
}

static void
run_write_outcome (GString *out, AssayRecord *record)
{
  run_write_fields (out, record->outcome);
  for (guint i = 0; i < record->outputs->len; i++)
    run_write_output (out, g_ptr_array_index (record->outputs, i));
}

static void
run_write_score (GString *out, const AssayScore *score)
{
  AssayXmlTag tag;
  char value[16];
  const char *name = score->words != NULL ? "words" : "score";

  g_snprintf (value, sizeof value, "%d", score->value);
  assay_xml_open (&tag, out, 6, name);
  assay_xml_attribute (&tag, "criterion", score->criterion);
  assay_xml_attribute (&tag, "question", score->question);
  const char *text = score->words != NULL ? score->words : value;
  assay_xml_close_text (&tag, name, text, strlen (text));
}

static void
run_write_review (GString *out, const AssayReview *review)
{
  AssayXmlTag tag;

  assay_xml_open (&tag, out, 4, "review");
  assay_xml_attribute (&tag, "id", review->id);
  assay_xml_attribute (&tag, "reviewer", review->reviewer);
  assay_xml_attribute (&tag, "at", review->at);
  assay_xml_attribute (&tag, "blind", review->blind ? "true" : "false");
  assay_xml_attribute (&tag, "supersedes", review->supersedes);
  assay_xml_attribute_count (&tag, "order_seed", review->order_seed > 0 ? (gint64) review->order_seed : -1);
  assay_xml_attribute_count (&tag, "position", review->position > 0 ? (gint64) review->position : -1);
  assay_xml_close (&tag);
  for (guint i = 0; i < review->scores->len; i++)
    run_write_score (out, g_ptr_array_index (review->scores, i));
  if (review->verdict != ASSAY_VERDICT_NOT_JUDGED)
    g_string_append_printf (out, "      <verdict>%s</verdict>\n", assay_verdict_get_name (review->verdict));
  if (review->quality_note != NULL)
    {
      assay_xml_open (&tag, out, 6, "quality_note");
      assay_xml_close_text (&tag, "quality_note", review->quality_note, strlen (review->quality_note));
    }
  assay_xml_end (out, 4, "review");
}

static void
run_write_next_trial (GString *out, const AssayNextTrial *next)
{
  AssayXmlTag tag;

  assay_xml_open (&tag, out, 4, "next_trial");
  assay_xml_attribute (&tag, "signal", next->signal);
  assay_xml_attribute (&tag, "axis", next->axis);
  assay_xml_attribute (&tag, "from", next->from);
  assay_xml_attribute (&tag, "to", next->to);
  assay_xml_attribute_count (&tag, "predicted_peak_vram", next->predicted_peak_vram);
  assay_xml_attribute_count (&tag, "predicted_peak_ram", next->predicted_peak_ram);
  assay_xml_attribute_count (&tag, "predicted_ns", next->predicted_ns);
  assay_xml_close (&tag);
  for (char **held = next->held; held != NULL && *held != NULL; held++)
    {
      assay_xml_open (&tag, out, 6, "held");
      assay_xml_close_text (&tag, "held", *held, strlen (*held));
    }
  if (next->note != NULL)
    {
      assay_xml_open (&tag, out, 6, "note");
      assay_xml_close_text (&tag, "note", next->note, strlen (next->note));
    }
  assay_xml_end (out, 4, "next_trial");
}

typedef enum { RUN_CONDITIONS, RUN_EFFECTIVE, RUN_BURDEN, RUN_OUTCOME, RUN_N_SECTIONS } RunSectionKind;
static const char *const section_names[RUN_N_SECTIONS] = { "conditions", "effective", "burden", "outcome" };

static void
run_write_section_inside (GString *out, AssayRecord *record, RunSectionKind section)
{
  switch (section)
    {
    case RUN_CONDITIONS: run_write_fields (out, record->conditions); break;
    case RUN_EFFECTIVE: run_write_fields (out, record->effective); break;
    case RUN_BURDEN: run_write_burden (out, record); break;
    case RUN_OUTCOME: run_write_outcome (out, record); break;
    case RUN_N_SECTIONS:
    default: g_assert_not_reached ();
    }
}

/* A section that would be empty is not written. extra: bytes of unknown children to keep, or NULL. */
static void
run_write_section (GString *out, AssayRecord *record, RunSectionKind section, GString *extra)
{
  g_autoptr(GString) inside = g_string_new (NULL);

  run_write_section_inside (inside, record, section);
  if (extra != NULL)
    g_string_append_len (inside, extra->str, (gssize) extra->len);
  if (inside->len == 0)
    return;
  g_string_append_printf (out, "    <%s>\n", section_names[section]);
  g_string_append_len (out, inside->str, (gssize) inside->len);
  assay_xml_end (out, 4, section_names[section]);
}

/* ---- start tag ---- */

/* Namespace declarations that `from` has and `to` has not, or has otherwise; `tag` may hold some itself. */
static void
run_append_declarations (GString *out, const AssayScope *from, const AssayScope *to, const char *tag,
                         gsize tag_length, gboolean with_default)
{
  if (with_default && assay_scope_lookup (from, "") == NULL && assay_scope_lookup (to, "") != NULL
      && memmem (tag, tag_length, "xmlns=", 6) == NULL)
    g_string_append (out, " xmlns=\"\"");
  for (char **p = from->declarations; *p != NULL; p += 2)
    {
      g_autofree char *name = **p == '\0' ? g_strdup ("xmlns") : g_strconcat ("xmlns:", p[0], NULL);
      g_autofree char *declared = g_strconcat (name, "=", NULL);
      if ((**p == '\0' && !with_default) || g_strcmp0 (assay_scope_lookup (to, p[0]), p[1]) == 0
          || memmem (tag, tag_length, declared, strlen (declared)) != NULL)
        continue;
      g_string_append_printf (out, " %s=\"", name);
      assay_text_append (out, p[1], strlen (p[1]), ASSAY_TEXT_ATTRIBUTE, FALSE);
      g_string_append_c (out, '"');
    }
}

static const char *
run_get_name (AssayRecord *record)
{
  return record->is_planned ? "planned" : "run";
}

static void
run_write_start (GString *out, AssayRecord *record, const char *more)
{
  AssayXmlTag tag;

  assay_xml_open (&tag, out, 0, run_get_name (record));
  assay_xml_attribute (&tag, "id", record->id);
  assay_xml_attribute (&tag, "parent", record->parent);
  assay_xml_attribute (&tag, "changed", record->changed);
  assay_xml_attribute (&tag, "duplicate_of", record->duplicate_of);
  assay_xml_attribute (&tag, "accepted", record->accepted);
  assay_xml_attribute (&tag, "planned", record->planned);
  g_string_append (out, RUN_CHECKSUM);
  g_string_append (out, more);
  assay_xml_close (&tag);
}

/* ---- as it was read ---- */

static void
run_write_source (GString *out, AssayRecord *record, GBytes *source, const AssayScope *from,
                  const AssayScope *to)
{
  gsize length;
  const char *data = g_bytes_get_data (source, &length);
  const gsize name = strcspn (data, " \t\r\n/>");

  g_string_append_len (out, data, (gssize) name);
  if (record->damage == NULL && !record->has_checksum)
    {
      g_autofree char *checksum = assay_canon_format (record->checksum);
      g_string_append_printf (out, " checksum=\"%s\"", checksum);
    }
  run_append_declarations (out, from, to, data, assay_xml_find_tag_end (data, length, 0), TRUE);
  g_string_append_len (out, data + name, (gssize) (length - name));
}

/* ---- from its old bytes and the edit ---- */

typedef struct
{
  GString *out;
  AssayRecord *record;     /* as edited */
  AssayRecord *base;       /* as the old bytes say */
  const char *data;        /* the old bytes */
  const char *default_uri; /* in force in them */
  GArray *parts;
  gboolean written[RUN_N_SECTIONS];
  gboolean next_written;
  guint n_reviews_done;    /* of the record's: those that stand in the output */
} RunEdit;

static gboolean
run_series_alike (AssayRecord *a, AssayRecord *b)
{
  AssaySeries *x = assay_record_get_series (a), *y = assay_record_get_series (b);
  return assay_series_get_length (x) == assay_series_get_length (y)
         && assay_series_get_n_measured (x) == assay_series_get_n_measured (y)
         && assay_series_get_end_ns (x) == assay_series_get_end_ns (y);
}

static gboolean
run_section_unchanged (RunEdit *self, RunSectionKind section)
{
  AssayRecord *a = self->record, *b = self->base;

  switch (section)
    {
    case RUN_CONDITIONS: return assay_values_equal (a->conditions, b->conditions);
    case RUN_EFFECTIVE: return assay_values_equal (a->effective, b->effective);
    case RUN_BURDEN:
      return assay_values_equal (a->burden, b->burden) && g_strcmp0 (a->holders, b->holders) == 0
             && run_series_alike (a, b);
    case RUN_OUTCOME: return assay_values_equal (a->outcome, b->outcome) && assay_record_same_outputs (a, b);
    case RUN_N_SECTIONS:
    default: return FALSE;
    }
}

static void
run_edit_keep (RunEdit *self, gsize start, gsize end, guint indent)
{
  g_string_append_printf (self->out, "%*s", (int) indent, "");
  assay_xml_append_moved (self->out, self->data + start, end - start, self->default_uri);
  g_string_append_c (self->out, '\n');
}

/* Comments and instructions between two children. */
static void
run_edit_keep_gap (RunEdit *self, gsize start, gsize end)
{
  while (start < end && assay_xml_is_blank (self->data + start, 1))
    start++;
  while (start < end && assay_xml_is_blank (self->data + end - 1, 1))
    end--;
  if (start < end)
    run_edit_keep (self, start, end, 4);
}

static gboolean
run_part_is_known_inside (const AssayXmlPart *part, RunSectionKind section)
{
  static const char *const burden[] = { "holders", "phase", "mark", "samples", NULL };
  const AssayFieldId field = assay_field_from_name (part->name);
  const AssayGroup group = section == RUN_BURDEN    ? ASSAY_GROUP_BURDEN
                           : section == RUN_OUTCOME ? ASSAY_GROUP_OUTCOME
                                                    : ASSAY_GROUP_CONDITIONS;

  if (!part->ours)
    return FALSE;
  if (field != ASSAY_FIELD_INVALID)
    return assay_field_get_info (field)->group == group;
  return section == RUN_BURDEN ? g_strv_contains (burden, part->name)
                               : section == RUN_OUTCOME && g_str_equal (part->name, "output");
}

static void
run_edit_rewrite_section (RunEdit *self, guint index, RunSectionKind section)
{
  g_autoptr(GString) extra = g_string_new (NULL);

  for (guint i = index + 1; i < self->parts->len; i++)
    {
      const AssayXmlPart *part = &g_array_index (self->parts, AssayXmlPart, i);
      if (part->depth != 3 || part->parent != index || run_part_is_known_inside (part, section))
        continue;
      g_string_append (extra, "      ");
      assay_xml_append_moved (extra, self->data + part->start, part->end - part->start, self->default_uri);
      g_string_append_c (extra, '\n');
    }
  run_write_section (self->out, self->record, section, extra);
}

static gboolean
run_edit_has_review_part (RunEdit *self, const char *id)
{
  if (assay_record_has_dropped_review (self->record, id))
    return FALSE;
  for (guint i = 0; i < self->parts->len; i++)
    {
      const AssayXmlPart *part = &g_array_index (self->parts, AssayXmlPart, i);
      if (part->depth == 2 && part->ours && g_str_equal (part->name, "review")
          && g_strcmp0 (part->id, id) == 0)
        return TRUE;
    }
  return FALSE;
}

/* The reviews that the old bytes do not have, up to the one of this id; NULL: all. */
static void
run_edit_write_new_reviews (RunEdit *self, const char *until)
{
  GPtrArray *reviews = self->record->reviews;

  if (until != NULL && assay_record_find_review (self->record, until) == G_MAXUINT)
    return; /* one that was left aside when it was read: it has no place in the order */
  for (; self->n_reviews_done < reviews->len; self->n_reviews_done++)
    {
      const AssayReview *review = g_ptr_array_index (reviews, self->n_reviews_done);
      if (g_strcmp0 (review->id, until) == 0)
        return;
      if (!run_edit_has_review_part (self, review->id))
        run_write_review (self->out, review);
    }
}

static gboolean
run_edit_is_last_review (RunEdit *self, guint index)
{
  for (guint i = index + 1; i < self->parts->len; i++)
    {
      const AssayXmlPart *part = &g_array_index (self->parts, AssayXmlPart, i);
      if (part->depth == 2 && part->ours && g_str_equal (part->name, "review"))
        return FALSE;
    }
  return TRUE;
}

static void
run_edit_write_review (RunEdit *self, const AssayXmlPart *part, guint index)
{
  run_edit_write_new_reviews (self, part->id != NULL ? part->id : "");
  if (!assay_record_has_dropped_review (self->record, part->id))
    run_edit_keep (self, part->start, part->end, 4);
  if (run_edit_is_last_review (self, index))
    run_edit_write_new_reviews (self, NULL);
}

static void
run_edit_write_next (RunEdit *self, const AssayXmlPart *part)
{
  const AssayNextTrial *next = self->record->next_trial;

  run_edit_write_new_reviews (self, NULL);
  if (assay_next_trial_equal (next, self->base->next_trial))
    run_edit_keep (self, part->start, part->end, 4);
  else if (next != NULL && !self->next_written)
    run_write_next_trial (self->out, next);
  self->next_written = TRUE;
}

static void
run_edit_write_part (RunEdit *self, guint index)
{
  const AssayXmlPart *part = &g_array_index (self->parts, AssayXmlPart, index);

  for (guint i = 0; part->ours && i < RUN_N_SECTIONS; i++)
    if (g_str_equal (part->name, section_names[i]))
      {
        if (run_section_unchanged (self, (RunSectionKind) i))
          run_edit_keep (self, part->start, part->end, 4);
        else if (!self->written[i])
          run_edit_rewrite_section (self, index, (RunSectionKind) i);
        self->written[i] = TRUE;
        return;
      }
  if (part->ours && g_str_equal (part->name, "next_trial"))
    {
      run_edit_write_next (self, part);
      return;
    }
  if (part->ours && g_str_equal (part->name, "review"))
    run_edit_write_review (self, part, index);
  else
    run_edit_keep (self, part->start, part->end, 4);
}

static void
run_edit_write_parts (RunEdit *self, gsize length)
{
  const char *tail = memrchr (self->data, '<', length);
  gsize last = assay_xml_find_tag_end (self->data, length, 0);

  for (guint i = 0; i < self->parts->len; i++)
    {
      const AssayXmlPart *part = &g_array_index (self->parts, AssayXmlPart, i);
      if (part->depth != 2)
        continue;
      if (last < part->start && self->parts->len > 0)
        run_edit_keep_gap (self, last, part->start);
      run_edit_write_part (self, i);
      last = part->end;
    }
  if (tail != NULL && last < (gsize) (tail - self->data))
    run_edit_keep_gap (self, last, (gsize) (tail - self->data));
}

/* FALSE when the old bytes cannot be taken apart: then the run is written anew. */
static gboolean
run_write_edited (GString *out, AssayRecord *record, GBytes *origin, AssayScope *from, const AssayScope *to)
{
  static const char *const known[]
      = { "id", "parent", "changed", "duplicate_of", "accepted", "planned", "checksum", "escaped", NULL };
  g_autofree char *attributes = NULL;
  g_autoptr(GArray) parts = assay_xml_list_parts (origin, from, known, &attributes);
  g_autoptr(AssayRecord) base = assay_xml_read_run (origin, from, NULL, NULL);
  const char *default_uri = assay_scope_lookup (from, "");

  if (parts == NULL || base == NULL || base->damage != NULL)
    return FALSE;
  RunEdit edit = { .out = out, .record = record, .base = base, .data = g_bytes_get_data (origin, NULL),
                   .default_uri = default_uri == NULL ? "" : default_uri, .parts = parts };
  g_autoptr(GString) more = g_string_new (attributes);
  run_append_declarations (more, from, to, attributes, strlen (attributes), FALSE);
  run_write_start (out, record, more->str);
  run_edit_write_parts (&edit, g_bytes_get_size (origin));
  for (guint i = 0; i < RUN_N_SECTIONS; i++)
    if (!edit.written[i])
      run_write_section (out, record, (RunSectionKind) i, NULL);
  run_edit_write_new_reviews (&edit, NULL);
  if (!edit.next_written && record->next_trial != NULL)
    run_write_next_trial (out, record->next_trial);
  g_string_append (out, "  </run>");
  return TRUE;
}

static void
run_write_anew (GString *out, AssayRecord *record)
{
  run_write_start (out, record, "");
  for (guint i = 0; i < RUN_N_SECTIONS; i++)
    run_write_section (out, record, (RunSectionKind) i, NULL);
  for (guint i = 0; i < record->reviews->len; i++)
    run_write_review (out, g_ptr_array_index (record->reviews, i));
  if (record->next_trial != NULL)
    run_write_next_trial (out, record->next_trial);
  g_string_append_printf (out, "  </%s>", run_get_name (record));
}

/* Puts the checksum into what was just written. */
static GBytes *
run_finish (GString *run, AssayScope *scope, guint64 *hash)
{
  const char *slot = strstr (run->str, RUN_CHECKSUM);
  g_autoptr(GBytes) unsigned_bytes = g_bytes_new (run->str, run->len);
  g_autoptr(AssayRecord) read = assay_xml_read_run (unsigned_bytes, scope, NULL, NULL);

  *hash = read == NULL ? 0 : read->checksum; /* the check before the rename says what is wrong */
  g_autofree char *checksum = assay_canon_format (*hash);
  memcpy (run->str + (slot - run->str) + strlen (" checksum=\""), checksum, ASSAY_CANON_LENGTH);
  return g_bytes_new (run->str, run->len);
}

gboolean
assay_xml_keep_run (AssaySplice *splice, AssayRecord *record, AssayScope *scope)
{
  AssayScope *from = NULL;
  guint64 seal;
  gboolean led;
  g_autoptr(GBytes) source = assay_record_dup_passage (record, &from, &seal, &led);

  if (source == NULL)
    return FALSE;
  g_autoptr(GString) missing = g_string_new (NULL); /* declarations that it would need here */
  gsize length;
  const char *data = g_bytes_get_data (source, &length);
  if (from != scope)
    run_append_declarations (missing, from, scope, data, assay_xml_find_tag_end (data, length, 0), TRUE);
  assay_scope_unref (from);
  if (missing->len > 0)
    return FALSE;
  assay_splice_keep (splice, source, seal, led);
  return TRUE;
}

void
assay_xml_write_run (GString *out, AssayRecord *record, AssayScope *scope, GBytes **made, guint64 *hash)
{
  AssayScope *from = NULL;
  g_autoptr(GBytes) source = assay_record_dup_source (record, &from);

  *made = NULL;
  if (source != NULL)
    {
      run_write_source (out, record, source, from, scope);
      assay_scope_unref (from);
      return;
    }
  g_autoptr(GString) run = g_string_new (NULL);
  g_autoptr(GBytes) origin = assay_record_dup_origin (record, &from);
  if (origin == NULL || !run_write_edited (run, record, origin, from, scope))
    {
      g_string_truncate (run, 0);
      run_write_anew (run, record);
    }
  assay_scope_unref (from);
  *made = run_finish (run, scope, hash);
  g_string_append_len (out, run->str, (gssize) run->len);
}
