/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-xml-read.c: a whole ledger, in one pass over its text; a large one's runs: assay-xml-runs.c.
 *
 * What is understood becomes values; everything also keeps its bytes: runs in their records, the header,
 * comments and unknown elements in the ledger's frame. So whatever this version does not know is written back
 * where it stood. */
#include "assay-xml-read.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "assay-canon.h"
#include "assay-planned-private.h"
#include "assay-preference-private.h"
#include "assay-removed.h"
#include "assay-splice.h"
#include "assay-text-code.h"
#include "assay-xml-guard.h"
#include "assay-xml-runs.h"

#define READ_NAMESPACE "urn:assay:ledger:"

typedef struct
{
  /* borrowed */
  GBytes *text;
  const char *assets;
  AssayXmlRuns *runs;       /* read before, or NULL */

  /* owned */
  AssayLedger *ledger;
  AssayFrame *frame;
  char *uri;                /* the root's namespace: what counts as ours */
  char *id, *title;
  AssayCriteria *criteria;
  GPtrArray *questions;
  char *question_set;
  AssayRunReader *run;      /* while inside a run */
  AssayRecord *record;      /* likewise, when it was read before */
  GString *lead;            /* unknown bytes since the last run */
  AssayQuestion *question;
  AssayPreference *preference; /* while inside one */
  GHashTable *preference_ids;

  AssayTask task;
  AssayChunkKind kind;      /* of the root's child we are inside */
  gboolean escaped;
  gboolean has_checksum;
  gboolean is_newer;        /* a major version that this program does not know */
  guint n_runs;
  guint n_bad_preferences;
  gsize child_start;
  gsize last_end;           /* behind the last child of the root, or behind the root's start tag */
  gsize root_start, root_end;
  guint64 claimed, header_hash;
} LedgerReader;

static const char *
reader_at (LedgerReader *self, gsize offset)
{
  return (const char *) g_bytes_get_data (self->text, NULL) + offset;
}

/* A part of the text without the blanks around it; NULL when nothing is left. Shares the text's memory. */
static GBytes *
reader_slice (LedgerReader *self, gsize start, gsize end)
{
  while (start < end && assay_xml_is_blank (reader_at (self, start), 1))
    start++;
  while (start < end && assay_xml_is_blank (reader_at (self, end - 1), 1))
    end--;
  return start == end ? NULL : g_bytes_new_from_bytes (self->text, start, end - start);
}

static void
reader_keep_foreign (LedgerReader *self, GBytes *bytes)
{
  if (bytes == NULL)
    return;
  if (self->n_runs == 0)
    {
      assay_frame_add_chunk (self->frame, ASSAY_CHUNK_FOREIGN, bytes);
      return;
    }
  if (self->lead->len > 0)
    g_string_append (self->lead, "\n  ");
  g_string_append_len (self->lead, g_bytes_get_data (bytes, NULL), (gssize) g_bytes_get_size (bytes));
  g_bytes_unref (bytes);
}

static GBytes *
reader_take_lead (LedgerReader *self)
{
  GBytes *bytes = self->lead->len == 0 ? NULL : g_bytes_new (self->lead->str, self->lead->len);
  g_string_truncate (self->lead, 0);
  return bytes;
}

/* ---- root ---- */

static gboolean
reader_check_version (LedgerReader *self, AssayXmlParser *parser, const AssayXmlStart *element)
{
  const char *version = assay_xml_get_attribute (element, "version");
  const char *dot = version == NULL ? NULL : strchr (version, '.');
  guint64 major = 0, minor = 0;
  g_autofree char *head = dot == NULL ? NULL : g_strndup (version, (gsize) (dot - version));

  if (dot == NULL || !g_ascii_string_to_unsigned (head, 10, 0, 1000, &major, NULL)
      || !g_ascii_string_to_unsigned (dot + 1, 10, 0, 1000000, &minor, NULL))
    {
      assay_xml_stop (parser, element->start, _("version=“%s” is no version of the ledger format"),
                      version == NULL ? "" : version);
      return FALSE;
    }
  if (major == 0)
    {
      assay_xml_stop (parser, element->start, _("version %s of the format was never in use"), version);
      return FALSE;
    }
  self->frame->version = g_strdup (version);
  self->is_newer = major > 1 || !g_str_equal (self->uri, READ_NAMESPACE "1");
  return TRUE;
}

static void
reader_take_declarations (LedgerReader *self, const AssayXmlStart *element)
{
  char **declarations = g_new0 (char *, 2 * element->n_declarations + 1);

  for (guint i = 0; i < 2 * element->n_declarations; i++)
    declarations[i] = g_strdup (element->declarations[i]);
  self->frame->scope = assay_scope_new (declarations);
}

static void
reader_take_root_attributes (LedgerReader *self, const AssayXmlStart *element)
{
  static const char *const known[] = { "version", "id", "title", "task", "escaped", "checksum", NULL };
  g_autofree AssayCanonAttribute *canon = g_new (AssayCanonAttribute, element->n_attributes);
  g_autoptr(GString) foreign = g_string_new (NULL);
  guint n = 0;

  for (guint i = 0; i < element->n_attributes; i++)
    {
      const AssayXmlAttribute *attribute = &element->attributes[i];
      const gboolean ours = *attribute->uri == '\0';
      if (!ours || !g_str_equal (attribute->name, "checksum"))
        canon[n++] = (AssayCanonAttribute){ attribute->uri, attribute->name, attribute->value,
                                            strlen (attribute->value) };
      if (ours && g_strv_contains (known, attribute->name))
        continue;
      g_string_append_printf (foreign, "\n  %s%s%s=\"", attribute->prefix,
                              *attribute->prefix == '\0' ? "" : ":", attribute->name);
      assay_text_append (foreign, attribute->value, strlen (attribute->value), ASSAY_TEXT_ATTRIBUTE, FALSE);
      g_string_append_c (foreign, '"');
    }
  self->frame->foreign_attributes = g_strdup (foreign->str);
  self->header_hash = assay_canon_start (assay_canon_new (), "", "ledger", canon, n);
}

static void
reader_start_root (LedgerReader *self, AssayXmlParser *parser, const AssayXmlStart *element)
{
  const char *checksum = assay_xml_get_attribute (element, "checksum");
  const char *task = assay_xml_get_attribute (element, "task");

  if (!g_str_has_prefix (element->uri, READ_NAMESPACE) || !g_str_equal (element->name, "ledger"))
    {
      assay_xml_stop (parser, element->start, _("<%s> is not the root of an Assay ledger"), element->name);
      return;
    }
  self->uri = g_strdup (element->uri);
  if (!reader_check_version (self, parser, element))
    return;
  if (!assay_task_from_name (task, &self->task) && !self->is_newer)
    {
      assay_xml_stop (parser, element->start, _("task=“%s” is none of language, image and mask"),
                      task == NULL ? "" : task);
      return;
    }
  self->id = assay_xml_dup_attribute (element, "id");
  self->title = assay_xml_dup_attribute (element, "title");
  self->has_checksum = checksum != NULL && assay_canon_parse (checksum, &self->claimed);
  self->root_start = element->start;
  self->last_end
      = assay_xml_find_tag_end (reader_at (self, 0), g_bytes_get_size (self->text), element->start);
  reader_take_declarations (self, element);
  reader_take_root_attributes (self, element);
}

/* ---- header ---- */

/* Thresholds have the grammar and the domain of a field like them. */
static void
reader_read_threshold (LedgerReader *self, const AssayXmlStart *element, const char *name, AssayFieldId like,
                       double *real, gint64 *integer)
{
  const char *text = assay_xml_get_attribute (element, name);
  g_autoptr(AssayValues) values = assay_values_new ();
  g_autoptr(GError) error = NULL;

  if (text == NULL)
    return;
  if (!assay_values_parse (values, like, text, &error))
    assay_ledger_add_notice (self->ledger, _("The threshold %s is left aside: “%s” is no value for it"),
                             name, text);
  else if (real != NULL)
    assay_values_get_real (values, like, real);
  else
    assay_values_get_integer (values, like, integer);
}

static void
reader_read_criterion (LedgerReader *self, const AssayXmlStart *element)
{
  g_autofree char *id = assay_xml_dup_attribute (element, "id");
  const char *word = assay_xml_get_attribute (element, "kind");
  const gint64 most[] = { [ASSAY_CRITERION_SCALE] = 5, [ASSAY_CRITERION_YES_NO] = 1, [ASSAY_CRITERION_FREE] = 0 };
  AssayCriterionKind kind = ASSAY_CRITERION_SCALE;
  const gboolean known = assay_criterion_kind_from_name (word, &kind);
  gint64 pass = 0;
  const char *text = assay_xml_get_attribute (element, "pass");

  if (id == NULL || *id == '\0' || !known
      || (text != NULL && !g_ascii_string_to_signed (text, 10, 0, most[kind], &pass, NULL)))
    {
      assay_ledger_add_notice (self->ledger,
                               _("The criterion “%s” is left aside: its id, kind or pass cannot be"),
                               id == NULL ? "" : id);
      return;
    }
  AssayCriterion *criterion = assay_criterion_new (id, kind);
  criterion->label = assay_xml_dup_attribute (element, "label");
  criterion->low = assay_xml_dup_attribute (element, "low");
  criterion->high = assay_xml_dup_attribute (element, "high");
  criterion->pass = (gint) pass;
  criterion->per_question = g_strcmp0 (assay_xml_get_attribute (element, "per_question"), "true") == 0;
  criterion->required = g_strcmp0 (assay_xml_get_attribute (element, "required"), "true") == 0;
  g_ptr_array_add (self->criteria->criteria, criterion);
}

static void
reader_read_criteria_change (LedgerReader *self, const AssayXmlStart *element)
{
  g_free (self->criteria->changed_at);
  g_free (self->criteria->changed_from);
  self->criteria->changed_at = assay_xml_dup_attribute (element, "changed");
  self->criteria->changed_from = assay_xml_dup_attribute (element, "changed_from");
}

static void
reader_start_criteria (LedgerReader *self, const AssayXmlStart *element)
{
  AssayCriteria *criteria = self->criteria;

  if (element->depth == 3 && g_str_equal (element->name, "feasibility"))
    {
      reader_read_threshold (self, element, "vram_budget", ASSAY_FIELD_VRAM_BUDGET, NULL,
                             &criteria->vram_budget);
      reader_read_threshold (self, element, "time_limit_seconds", ASSAY_FIELD_TIME_LIMIT_SECONDS,
                             &criteria->time_limit_seconds, NULL);
    }
  else if (element->depth == 3 && g_str_equal (element->name, "operation"))
    {
      reader_read_threshold (self, element, "mean_latency_seconds", ASSAY_FIELD_ELAPSED_SECONDS,
                             &criteria->mean_latency_seconds, NULL);
      reader_read_threshold (self, element, "max_retry_rate", ASSAY_FIELD_TOP_P, &criteria->max_retry_rate,
                             NULL);
      reader_read_threshold (self, element, "min_tokens_per_second", ASSAY_FIELD_GENERATE_TOKENS_PER_SECOND,
                             &criteria->min_tokens_per_second, NULL);
      reader_read_threshold (self, element, "max_ram", ASSAY_FIELD_PEAK_RAM, NULL, &criteria->max_ram);
    }
  else if (element->depth == 4 && g_str_equal (element->name, "criterion"))
    reader_read_criterion (self, element);
}

static void
reader_start_questions (LedgerReader *self, const AssayXmlStart *element)
{
  if (element->depth == 3 && g_str_equal (element->name, "question"))
    {
      g_autofree char *id = assay_xml_dup_attribute (element, "id");
      self->question = assay_question_new (id == NULL ? "" : id, NULL);
      self->question->language = assay_xml_dup_attribute (element, "language");
    }
  else if (element->depth == 4)
    self->escaped = assay_xml_is_escaped (element, "text");
}

static void
reader_end_questions (LedgerReader *self, const AssayXmlEnd *element, const char *name)
{
  AssayQuestion *question = self->question;

  if (question == NULL)
    return;
  if (element->depth == 3)
    {
      if (question->text == NULL)
        question->text = g_strdup ("");
      g_ptr_array_add (self->questions, g_steal_pointer (&self->question));
      return;
    }
  char **to = g_str_equal (name, "text")       ? &question->text
              : g_str_equal (name, "expected") ? &question->expected
              : g_str_equal (name, "hint")     ? &question->hint
                                               : NULL;
  if (to == NULL || element->depth != 4)
    return;
  g_free (*to);
  *to = self->escaped ? assay_text_unescape (element->text, element->text_length, NULL)
                      : g_strdup (element->text);
}

/* ---- children of the root ---- */

/* FALSE: not as this version writes it, so that it is kept as it is. */
static gboolean
reader_read_removal (LedgerReader *self, const AssayXmlStart *element)
{
  g_autofree char *run = assay_xml_dup_attribute (element, "run");
  g_autofree char *review = assay_xml_dup_attribute (element, "review");
  g_autofree char *planned = assay_xml_dup_attribute (element, "planned");
  g_autofree char *at = assay_xml_dup_attribute (element, "at");
  g_autofree char *preference = assay_xml_dup_attribute (element, "preference");
  if (preference != NULL)
    {
      if (run != NULL || review != NULL || planned != NULL || *preference == '\0')
        return FALSE;
      assay_removed_add_preference (self->ledger->removed, preference, at);
      return TRUE;
    }
  if (run == NULL && review == NULL && planned != NULL && *planned != '\0')
    {
      assay_removed_add_planned (self->ledger->removed, planned, at);
      return TRUE;
    }
  if (planned != NULL || run == NULL || *run == '\0')
    return FALSE;
  assay_removed_add (self->ledger->removed, run, review, at, 0);
  return TRUE;
}

/* FALSE: it cannot be one, so that it is kept as it is. */
static gboolean
reader_start_preference (LedgerReader *self, const AssayXmlStart *element)
{
  g_autofree char *problem = NULL;
  self->preference = assay_preference_read (element, &problem);
  if (problem != NULL)
    assay_ledger_tell_bad_preference (self->ledger, self->n_bad_preferences++, assay_xml_get_attribute (element, "id"),
                                      problem);
  return self->preference != NULL;
}

static void
reader_end_preference (LedgerReader *self, const AssayXmlEnd *element)
{
  self->preference->source = g_bytes_new_from_bytes (self->text, self->child_start, element->end - self->child_start);
  assay_ledger_load_preference (self->ledger, self->preference_ids, g_steal_pointer (&self->preference));
}

static void
reader_start_child (LedgerReader *self, AssayXmlParser *parser, const AssayXmlStart *element)
{
  const gboolean ours = g_str_equal (element->uri, self->uri);

  reader_keep_foreign (self, reader_slice (self, self->last_end, element->start));
  self->child_start = element->start;
  self->kind = ASSAY_CHUNK_FOREIGN;
  self->record = self->runs == NULL ? NULL : assay_xml_runs_take (self->runs, element->start);
  if (self->record == NULL && ours && (g_str_equal (element->name, "run") || g_str_equal (element->name, "planned")))
    {
      self->kind = *element->name == 'p' ? ASSAY_CHUNK_PLANNED : ASSAY_CHUNK_FOREIGN;
      self->run = assay_run_reader_new (self->uri, self->assets);
      assay_run_reader_start (self->run, element, 1);
    }
  else if (ours && g_str_equal (element->name, "criteria"))
    {
      self->kind = ASSAY_CHUNK_CRITERIA;
      reader_read_criteria_change (self, element);
    }
  else if (ours && g_str_equal (element->name, "questions"))
    {
      self->kind = ASSAY_CHUNK_QUESTIONS;
      g_free (self->question_set);
      self->question_set = assay_xml_dup_attribute (element, "set");
    }
  else if (ours && g_str_equal (element->name, "removed") && reader_read_removal (self, element))
    self->kind = ASSAY_CHUNK_REMOVED;
  else if (ours && g_str_equal (element->name, "preference") && reader_start_preference (self, element))
    self->kind = ASSAY_CHUNK_PREFERENCE;
  assay_xml_begin_hash (parser);
}

/* The same id again: the same run is read once, another run is kept under an id of its own. FALSE: drop it.
 */
static gboolean
reader_settle_duplicate (LedgerReader *self, AssayRecord *record)
{
  AssayRecord *present = assay_ledger_find_run (self->ledger, record->id);

  if (present == NULL)
    return TRUE;
  if (present->checksum == record->checksum && (present->damage == NULL) == (record->damage == NULL))
    {
      assay_ledger_add_notice (self->ledger, _("Run “%s” stands in the file twice, alike; read once"),
                               record->id);
      return FALSE;
    }
  char *fresh = g_strdup_printf ("%s-dup-%08x", record->id, (guint) (record->checksum >> 32));
  assay_ledger_add_notice (self->ledger,
                           _("Run “%s” stands in the file with different contents; the other is kept "
                              "as “%s”"),
                           record->id, fresh);
  if (record->damage == NULL) /* a damaged one is written back as it is */
    {
      g_free (record->duplicate_of);
      record->duplicate_of = g_strdup (record->id);
      record->origin = g_steal_pointer (&record->source);
      assay_record_add_notice (
          record, _("Run “%s” was there with other content; this one was kept beside it"), record->id);
    }
  g_free (record->id);
  record->id = fresh;
  return assay_ledger_find_run (self->ledger, fresh) == NULL;
}

/* Where to look in the file. */
static void
reader_place_damage (LedgerReader *self, AssayRecord *record)
{
  if (record->damage == NULL)
    return;
  g_autofree char *reason = g_steal_pointer (&record->damage);
  record->damage
      = g_strdup_printf (_("%s (the run begins at byte %zu)"), reason, self->child_start);
}

static void
reader_take_source (LedgerReader *self, AssayRecord *record, gsize end)
{
  const gsize start = self->child_start, lead = strlen (ASSAY_SPLICE_LEAD);

  record->source = g_bytes_new_from_bytes (self->text, start, end - start);
  record->scope = assay_scope_ref (self->frame->scope);
  if (!record->has_seal)
    record->seal = assay_splice_seal (reader_at (self, start), end - start);
  record->has_seal = TRUE;
  record->led = start >= lead && memcmp (reader_at (self, start - lead), ASSAY_SPLICE_LEAD, lead) == 0;
}

static AssayRecord *
reader_steal_run (LedgerReader *self, const AssayXmlEnd *element)
{
  if (self->record != NULL)
    return g_steal_pointer (&self->record);
  assay_run_reader_end (self->run, element, 1);
  AssayRecord *record = assay_run_reader_steal (self->run);
  g_clear_pointer (&self->run, assay_run_reader_free);
  return record;
}

static void
reader_end_run (LedgerReader *self, const AssayXmlEnd *element)
{
  g_autoptr(AssayRecord) record = reader_steal_run (self, element);
  GBytes *lead = reader_take_lead (self);

  reader_take_source (self, record, element->end);
  reader_place_damage (self, record);
  self->n_runs++;
  if (!reader_settle_duplicate (self, record))
    {
      g_clear_pointer (&lead, g_bytes_unref);
      return;
    }
  if (lead != NULL)
    g_hash_table_insert (self->frame->leads, g_strdup (record->id), lead);
  assay_ledger_load_run (self->ledger, g_steal_pointer (&record));
}

/* One that cannot be run is told, and kept as it is. */
static void
reader_end_planned (LedgerReader *self, const AssayXmlEnd *element)
{
  AssayRecord *record = reader_steal_run (self, element);
  GBytes *bytes = g_bytes_new_from_bytes (self->text, self->child_start, element->end - self->child_start);
  record->source = g_bytes_ref (bytes);
  record->scope = assay_scope_ref (self->frame->scope);
  g_autofree char *problem = assay_ledger_load_planned (self->ledger, record);
  g_object_unref (record);
  if (problem == NULL)
    {
      g_bytes_unref (bytes);
      return;
    }
  assay_ledger_add_notice (self->ledger, _("A planned trial (byte %zu) is left aside: %s"), self->child_start, problem);
  reader_keep_foreign (self, bytes);
}

static void
reader_end_child (LedgerReader *self, const AssayXmlEnd *element)
{
  if (self->run != NULL && self->kind == ASSAY_CHUNK_PLANNED)
    reader_end_planned (self, element);
  else if (self->run != NULL || self->record != NULL)
    reader_end_run (self, element);
  else if (self->kind == ASSAY_CHUNK_PREFERENCE)
    reader_end_preference (self, element);
  else if (self->kind == ASSAY_CHUNK_FOREIGN)
    reader_keep_foreign (self, reader_slice (self, self->child_start, element->end));
  else if (self->kind != ASSAY_CHUNK_REMOVED)
    {
      self->header_hash += element->hash; /* their order does not count */
      assay_frame_add_chunk (self->frame, self->kind, reader_slice (self, self->child_start, element->end));
    }
  self->kind = ASSAY_CHUNK_FOREIGN;
  self->last_end = element->end;
}

static void
on_ledger_start (AssayXmlParser *parser, const AssayXmlStart *element, gpointer data)
{
  LedgerReader *self = data;

  if (element->depth == 1)
    reader_start_root (self, parser, element);
  else if (element->depth == 2)
    reader_start_child (self, parser, element);
  else if (self->run != NULL)
    assay_run_reader_start (self->run, element, element->depth - 1);
  else if (self->kind == ASSAY_CHUNK_CRITERIA && g_str_equal (element->uri, self->uri))
    reader_start_criteria (self, element);
  else if (self->kind == ASSAY_CHUNK_QUESTIONS && g_str_equal (element->uri, self->uri))
    reader_start_questions (self, element);
}

static void
on_ledger_end (AssayXmlParser *parser, const AssayXmlEnd *element, gpointer data)
{
  LedgerReader *self = data;

  if (element->depth == 1)
    {
      /* "</l:ledger >": the tag's beginning is the last '<' */
      const char *start = memrchr (reader_at (self, 0), '<', element->end);
      self->root_end = element->end;
      if (start != NULL && start > reader_at (self, self->last_end - 1))
        reader_keep_foreign (self, reader_slice (self, self->last_end, (gsize) (start - reader_at (self, 0))));
    }
  else if (element->depth == 2)
    reader_end_child (self, element);
  else if (self->run != NULL)
    assay_run_reader_end (self->run, element, element->depth - 1);
  else if (self->kind == ASSAY_CHUNK_QUESTIONS)
    reader_end_questions (self, element, element->name);
}

/* ---- the end ---- */

static void
reader_take_surroundings (LedgerReader *self)
{
  const gsize length = g_bytes_get_size (self->text);
  const char *text = reader_at (self, 0);
  gsize start = 0;

  if (self->root_start > 6 && memcmp (text, "<?xml", 5) == 0 && assay_xml_is_blank (text + 5, 1))
    {
      const char *end = memmem (text, self->root_start, "?>", 2);
      start = end == NULL ? 0 : (gsize) (end - text) + 2;
    }
  self->frame->prolog = reader_slice (self, start, self->root_start);
  self->frame->epilog = reader_slice (self, self->root_end, length);
  self->frame->tail = reader_take_lead (self);
}

static void
reader_judge_writability (LedgerReader *self)
{
  if (self->is_newer)
    {
      g_autofree char *reason = g_strdup_printf (_("This ledger was written by a newer Assay: format %s. It "
                                                    "opens for reading only; update Assay to change it."),
                                                 self->frame->version);
      assay_ledger_set_read_only (self->ledger, reason);
    }
  else if (self->has_checksum && self->claimed != self->header_hash)
    assay_ledger_set_read_only (
        self->ledger, _("The ledger's title, criteria or questions do not match their checksum: damaged on "
                         "disk, or changed by another program. Removing the root's checksum attribute "
                         "accepts the change."));
}

static AssayLedger *
reader_finish (LedgerReader *self)
{
  AssayLedger *ledger = g_object_ref (self->ledger);

  reader_take_surroundings (self);
  if (self->id == NULL || *self->id == '\0')
    {
      g_free (self->id);
      self->id = g_uuid_string_random ();
    }
  assay_ledger_load_header (ledger, self->id, self->title == NULL ? "" : self->title, self->task,
                            g_steal_pointer (&self->criteria), g_steal_pointer (&self->questions),
                            self->question_set);
  ledger->frame = assay_frame_ref (self->frame);
  reader_judge_writability (self);
  assay_ledger_keep_preferences (ledger);
  assay_ledger_check_runs (ledger);
  for (guint i = 0; i < ledger->runs->len; i++)
    assay_record_seal (g_ptr_array_index (ledger->runs, i));
  assay_ledger_note_known (ledger);
  return ledger;
}

static void
reader_clear (LedgerReader *self)
{
  g_clear_object (&self->ledger);
  g_clear_pointer (&self->frame, assay_frame_unref);
  g_free (self->uri);
  g_free (self->id);
  g_free (self->title);
  g_free (self->question_set);
  g_clear_pointer (&self->criteria, assay_criteria_free);
  g_clear_pointer (&self->questions, g_ptr_array_unref);
  g_clear_pointer (&self->run, assay_run_reader_free);
  g_clear_object (&self->record);
  g_clear_pointer (&self->question, assay_question_free);
  g_clear_pointer (&self->preference, assay_preference_unref);
  g_hash_table_unref (self->preference_ids);
  g_string_free (self->lead, TRUE);
}

static const AssayXmlHandler ledger_handler = { on_ledger_start, on_ledger_end };

static void
reader_init (LedgerReader *self, GBytes *text, const char *assets)
{
  *self = (LedgerReader){
    .text = text,
    .assets = assets,
    .ledger = assay_ledger_new (ASSAY_TASK_LANGUAGE, ""),
    .frame = assay_frame_new (),
    .criteria = assay_criteria_new (),
    .questions = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_question_free),
    .lead = g_string_new (NULL),
    .preference_ids = g_hash_table_new (g_str_hash, g_str_equal),
    .task = ASSAY_TASK_LANGUAGE,
    .kind = ASSAY_CHUNK_FOREIGN,
  };
}

/* runs NULL: in one pass. */
static AssayLedger *
reader_read (GBytes *text, const char *name, const char *assets, AssayXmlRuns *runs, GError **error)
{
  LedgerReader reader;
  AssayLedger *ledger = NULL;

  reader_init (&reader, text, assets);
  reader.runs = runs;
  if (runs != NULL ? assay_xml_runs_parse_rest (runs, &ledger_handler, &reader)
                   : assay_xml_parse (text, name, &ledger_handler, &reader, error))
    ledger = reader_finish (&reader);
  reader_clear (&reader);
  return ledger;
}

AssayLedger *
assay_xml_read_ledger_apart (GBytes *text, const char *assets, guint n_threads)
{
  g_autoptr(AssayXmlRuns) runs = assay_xml_runs_read (text, assets, n_threads);
  return runs == NULL ? NULL : reader_read (text, "", assets, runs, NULL);
}

AssayLedger *
assay_xml_read_ledger (GBytes *text, const char *name, const char *assets, GError **error)
{
  const guint n_threads = assay_xml_runs_count_threads (text);
  AssayLedger *ledger = n_threads > 1 ? assay_xml_read_ledger_apart (text, assets, n_threads) : NULL;
  return ledger != NULL ? ledger : reader_read (text, name, assets, NULL, error);
}

gboolean
assay_xml_hash_header (GBytes *text, guint64 *hash)
{
  LedgerReader reader;

  reader_init (&reader, text, NULL);
  const gboolean read = assay_xml_parse (text, "", &ledger_handler, &reader, NULL);
  *hash = reader.header_hash;
  reader_clear (&reader);
  return read;
}
