/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-xml-write.c: tags, and the ledger around its runs.
 *
 * libxml2's writer is not used: it writes what it cannot read again, formats numbers by locale, and knows
 * nothing of lines. What is needed of a writer is forty lines; that its output is XML is checked by libxml2
 * at every save. */
#include "assay-xml-write.h"

#include <string.h>

#include "assay-canon.h"
#include "assay-planned-private.h"
#include "assay-preference-private.h"
#include "assay-removed.h"
#include "assay-text-code.h"
#include "assay-values-private.h"
#include "assay-xml-read.h"

#define WRITE_WRAP 100u /* a tag longer than this goes on in the next line */

void
assay_xml_open (AssayXmlTag *tag, GString *out, guint indent, const char *name)
{
  tag->out = out;
  tag->escaped = NULL;
  g_string_append_printf (out, "%*s<%s", (int) indent, "", name);
  tag->line = out->len - indent - strlen (name) - 1;
}

static void
xml_attribute_raw (AssayXmlTag *tag, const char *name, const char *value, gsize length, gboolean escaped)
{
  const gboolean wrap = tag->out->len - tag->line + strlen (name) + length > WRITE_WRAP;

  g_string_append_printf (tag->out, "%s%s=\"", wrap ? "\n    " : " ", name);
  if (wrap)
    tag->line = tag->out->len;
  assay_text_append (tag->out, value, length, ASSAY_TEXT_ATTRIBUTE, escaped);
  g_string_append_c (tag->out, '"');
}

void
assay_xml_attribute (AssayXmlTag *tag, const char *name, const char *value)
{
  if (value == NULL)
    return;
  const gsize length = strlen (value);
  const gboolean escaped = assay_text_needs_escape (value, length);
  if (escaped && tag->escaped == NULL)
    tag->escaped = g_string_new (name);
  else if (escaped)
    g_string_append_printf (tag->escaped, " %s", name);
  xml_attribute_raw (tag, name, value, length, escaped);
}

void
assay_xml_attribute_count (AssayXmlTag *tag, const char *name, gint64 value)
{
  char text[32];

  if (value < 0)
    return;
  g_snprintf (text, sizeof text, "%" G_GINT64_FORMAT, value);
  xml_attribute_raw (tag, name, text, strlen (text), FALSE);
}

static void
xml_finish_tag (AssayXmlTag *tag, const char *end)
{
  if (tag->escaped != NULL)
    {
      xml_attribute_raw (tag, "escaped", tag->escaped->str, tag->escaped->len, FALSE);
      g_string_free (tag->escaped, TRUE);
      tag->escaped = NULL;
    }
  g_string_append (tag->out, end);
}

void
assay_xml_close (AssayXmlTag *tag)
{
  xml_finish_tag (tag, ">\n");
}

void
assay_xml_close_empty (AssayXmlTag *tag)
{
  xml_finish_tag (tag, "/>\n");
}

void
assay_xml_close_text (AssayXmlTag *tag, const char *name, const char *text, gsize length)
{
  const gboolean escaped = assay_text_needs_escape (text, length);

  if (escaped && tag->escaped == NULL)
    tag->escaped = g_string_new ("text");
  else if (escaped)
    g_string_append (tag->escaped, " text");
  xml_finish_tag (tag, ">");
  assay_text_append (tag->out, text, length, ASSAY_TEXT_ELEMENT, escaped);
  g_string_append_printf (tag->out, "</%s>\n", name);
}

void
assay_xml_end (GString *out, guint indent, const char *name)
{
  g_string_append_printf (out, "%*s</%s>\n", (int) indent, "", name);
}

/* ---- header ---- */

static void
xml_attribute_real (AssayXmlTag *tag, const char *name, double value)
{
  if (value < 0)
    return;
  g_autofree char *text = assay_format_real (value);
  assay_xml_attribute (tag, name, text);
}

static void
xml_write_criterion (GString *out, const AssayCriterion *criterion)
{
  AssayXmlTag tag;

  assay_xml_open (&tag, out, 6, "criterion");
  assay_xml_attribute (&tag, "id", criterion->id);
  assay_xml_attribute (&tag, "label", criterion->label);
  assay_xml_attribute (&tag, "kind", assay_criterion_kind_get_name (criterion->kind));
  assay_xml_attribute (&tag, "low", criterion->low);
  assay_xml_attribute (&tag, "high", criterion->high);
  assay_xml_attribute_count (&tag, "pass", criterion->pass > 0 ? criterion->pass : -1);
  assay_xml_attribute (&tag, "per_question", criterion->per_question ? "true" : NULL);
  assay_xml_attribute (&tag, "required", criterion->required ? "true" : NULL);
  assay_xml_close_empty (&tag);
}

void
assay_xml_write_criteria (GString *out, const AssayCriteria *criteria)
{
  AssayXmlTag tag;

  assay_xml_open (&tag, out, 0, "criteria");
  assay_xml_attribute (&tag, "changed", criteria->changed_at);
  assay_xml_attribute (&tag, "changed_from", criteria->changed_from);
  assay_xml_close (&tag);
  assay_xml_open (&tag, out, 4, "feasibility");
  assay_xml_attribute_count (&tag, "vram_budget", criteria->vram_budget);
  xml_attribute_real (&tag, "time_limit_seconds", criteria->time_limit_seconds);
  assay_xml_close_empty (&tag);
  g_string_append (out, criteria->criteria->len == 0 ? "    <quality/>\n" : "    <quality>\n");
  for (guint i = 0; i < criteria->criteria->len; i++)
    xml_write_criterion (out, g_ptr_array_index (criteria->criteria, i));
  if (criteria->criteria->len > 0)
    assay_xml_end (out, 4, "quality");
  assay_xml_open (&tag, out, 4, "operation");
  xml_attribute_real (&tag, "mean_latency_seconds", criteria->mean_latency_seconds);
  xml_attribute_real (&tag, "max_retry_rate", criteria->max_retry_rate);
  xml_attribute_real (&tag, "min_tokens_per_second", criteria->min_tokens_per_second);
  assay_xml_attribute_count (&tag, "max_ram", criteria->max_ram);
  assay_xml_close_empty (&tag);
  g_string_append (out, "  </criteria>");
}

static void
xml_write_text (GString *out, guint indent, const char *name, const char *text)
{
  AssayXmlTag tag;

  if (text == NULL)
    return;
  assay_xml_open (&tag, out, indent, name);
  assay_xml_close_text (&tag, name, text, strlen (text));
}

void
assay_xml_write_questions (GString *out, GPtrArray *questions, const char *question_set)
{
  AssayXmlTag tag;

  assay_xml_open (&tag, out, 0, "questions");
  assay_xml_attribute (&tag, "set", question_set);
  assay_xml_close (&tag);
  for (guint i = 0; i < questions->len; i++)
    {
      const AssayQuestion *question = g_ptr_array_index (questions, i);
      assay_xml_open (&tag, out, 4, "question");
      assay_xml_attribute (&tag, "id", question->id);
      assay_xml_attribute (&tag, "language", question->language);
      assay_xml_close (&tag);
      xml_write_text (out, 6, "text", question->text);
      xml_write_text (out, 6, "expected", question->expected);
      xml_write_text (out, 6, "hint", question->hint);
      assay_xml_end (out, 4, "question");
    }
  g_string_append (out, "  </questions>");
}

/* ---- the ledger ---- */

static void
xml_append_bytes (GString *out, GBytes *bytes)
{
  gsize length;
  const char *data = g_bytes_get_data (bytes, &length);
  g_string_append_len (out, data, (gssize) length);
}

static void
xml_append_child (GString *out, GBytes *bytes)
{
  if (bytes == NULL)
    return;
  g_string_append (out, "  ");
  xml_append_bytes (out, bytes);
  g_string_append_c (out, '\n');
}

/* Our namespace is the default one; a file that used a prefix keeps that beside it. */
static AssayScope *
xml_make_scope (const AssayFrame *frame)
{
  g_autoptr(GPtrArray) out = g_ptr_array_new ();

  g_ptr_array_add (out, g_strdup (""));
  g_ptr_array_add (out, g_strdup ("urn:assay:ledger:1"));
  for (char **p = frame == NULL ? NULL : frame->scope->declarations; p != NULL && *p != NULL; p += 2)
    if (**p != '\0')
      {
        g_ptr_array_add (out, g_strdup (p[0]));
        g_ptr_array_add (out, g_strdup (p[1]));
      }
  g_ptr_array_add (out, NULL);
  return assay_scope_new ((char **) g_ptr_array_steal (out, NULL));
}

static const char *
xml_default_uri (const AssayScope *scope)
{
  const char *uri = assay_scope_lookup (scope, "");
  return uri == NULL ? "" : uri;
}

/* Do elements without a prefix mean the same where our namespace is the default? */
static gboolean
xml_frame_fits (const AssayFrame *frame)
{
  return g_str_equal (xml_default_uri (frame->scope), "urn:assay:ledger:1");
}

/* Behind the name of the element that begins here; 0: none does. The bytes end where they end, without a zero. */
static gsize
xml_find_name_end (const char *data, gsize length)
{
  gsize end = 1;

  if (length < 2 || data[0] != '<' || !(g_ascii_isalpha (data[1]) || data[1] == '_' || (data[1] & 0x80) != 0))
    return 0;
  while (end < length && memchr (" \t\r\n/>", data[end], 6) == NULL)
    end++;
  return end;
}

void
assay_xml_append_moved (GString *out, const char *data, gsize length, const char *default_uri)
{
  const gsize name = xml_find_name_end (data, length);

  /* a text, a comment, or a prefix that is declared further out, needs nothing */
  if (g_str_equal (default_uri, "urn:assay:ledger:1") || name == 0 || memchr (data, ':', name) != NULL)
    {
      g_string_append_len (out, data, (gssize) length);
      return;
    }
  g_string_append_len (out, data, (gssize) name);
  g_string_append (out, " xmlns=\"");
  assay_text_append (out, default_uri, strlen (default_uri), ASSAY_TEXT_ATTRIBUTE, FALSE);
  g_string_append_c (out, '"');
  g_string_append_len (out, data + name, (gssize) (length - name));
}

static void
xml_append_foreign (GString *out, const AssayFrame *frame, GBytes *bytes)
{
  if (bytes == NULL)
    return;
  g_string_append (out, "  ");
  assay_xml_append_moved (out, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes),
                          xml_default_uri (frame->scope));
  g_string_append_c (out, '\n');
}

static const char *
xml_pick_version (const AssayFrame *frame)
{
  /* a newer 1.x holds what only it knows: the number stays */
  return frame != NULL && g_str_has_prefix (frame->version, "1.") ? frame->version : ASSAY_XML_VERSION;
}

static gsize
xml_write_root (GString *out, AssayLedger *ledger, const AssayScope *scope)
{
  AssayXmlTag tag;

  assay_xml_open (&tag, out, 0, "ledger");
  for (char **p = scope->declarations; *p != NULL; p += 2)
    {
      g_autofree char *name = **p == '\0' ? g_strdup ("xmlns") : g_strconcat ("xmlns:", p[0], NULL);
      assay_xml_attribute (&tag, name, p[1]);
    }
  assay_xml_attribute (&tag, "version", xml_pick_version (ledger->frame));
  assay_xml_attribute (&tag, "id", ledger->id);
  assay_xml_attribute (&tag, "title", ledger->title);
  assay_xml_attribute (&tag, "task", assay_task_get_name (ledger->task));
  g_string_append (out, "\n    checksum=\"" ASSAY_CANON_PREFIX "0000000000000000\"");
  const gsize checksum = out->len - 1 - ASSAY_CANON_LENGTH;
  tag.line = out->len;
  if (ledger->frame != NULL)
    g_string_append (out, ledger->frame->foreign_attributes);
  assay_xml_close (&tag);
  return checksum;
}

static void
xml_write_header (GString *out, AssayLedger *ledger)
{
  const gboolean as_read = ledger->header_edits == ledger->saved_header_edits;
  gboolean criteria = FALSE, questions = FALSE;
  GPtrArray *chunks = ledger->frame == NULL ? NULL : ledger->frame->header;

  for (guint i = 0; chunks != NULL && i < chunks->len; i++)
    {
      const AssayChunk *chunk = g_ptr_array_index (chunks, i);
      const gboolean raw = as_read && xml_frame_fits (ledger->frame);
      gboolean *done = chunk->kind == ASSAY_CHUNK_CRITERIA ? &criteria : &questions;
      if (chunk->kind == ASSAY_CHUNK_FOREIGN)
        {
          xml_append_foreign (out, ledger->frame, chunk->bytes);
          continue;
        }
      if (raw)
        xml_append_child (out, chunk->bytes);
      else if (!*done)
        {
          g_string_append (out, "  ");
          if (chunk->kind == ASSAY_CHUNK_CRITERIA)
            assay_xml_write_criteria (out, ledger->criteria);
          else
            assay_xml_write_questions (out, ledger->questions, ledger->question_set);
          g_string_append_c (out, '\n');
        }
      *done = TRUE;
    }
  if (!criteria)
    {
      g_string_append (out, "  ");
      assay_xml_write_criteria (out, ledger->criteria);
      g_string_append_c (out, '\n');
    }
  if (!questions && (ledger->questions->len > 0 || ledger->question_set != NULL))
    {
      g_string_append (out, "  ");
      assay_xml_write_questions (out, ledger->questions, ledger->question_set);
      g_string_append_c (out, '\n');
    }
}

static void
xml_write_leads_of_lost_runs (GString *out, AssayLedger *ledger)
{
  GHashTableIter iter;
  gpointer id, bytes;

  g_hash_table_iter_init (&iter, ledger->frame->leads);
  while (g_hash_table_iter_next (&iter, &id, &bytes))
    if (assay_ledger_find_run (ledger, id) == NULL)
      xml_append_foreign (out, ledger->frame, bytes);
}

static void
made_source_free (gpointer data)
{
  AssayMadeSource *self = data;
  g_object_unref (self->record);
  g_bytes_unref (self->source);
  g_free (self);
}

static void
xml_note_made (AssayXmlWritten *written, AssayRecord *record, GBytes *source, guint64 hash)
{
  AssayMadeSource *pair = g_new (AssayMadeSource, 1);
  pair->record = g_object_ref (record);
  pair->source = g_bytes_ref (source);
  pair->checksum = hash;
  g_ptr_array_add (written->made, pair);
}

static void
xml_write_one_run (AssayXmlWritten *written, AssayLedger *ledger, AssayRecord *record)
{
  GString *out = assay_splice_get_text (written->splice);
  g_autoptr(GBytes) source = NULL;
  guint64 hash = 0;

  if (ledger->frame != NULL)
    xml_append_foreign (out, ledger->frame, g_hash_table_lookup (ledger->frame->leads, record->id));
  g_string_append (out, "  ");
  if (!assay_xml_keep_run (written->splice, record, written->scope))
    {
      assay_xml_write_run (out, record, written->scope, &source, &hash);
      g_ptr_array_add (written->fresh, record);
    }
  g_string_append_c (out, '\n');
  if (source != NULL && record->sealed)
    xml_note_made (written, record, source, hash);
}

/* The header's checksum is what the reader makes of it: read the header alone, take its word, put it in. */
static void
xml_put_header_checksum (GString *out, gsize checksum)
{
  GString *alone = g_string_new_len (out->str, (gssize) out->len);
  guint64 hash;

  g_string_append (alone, "</ledger>\n");
  g_autoptr(GBytes) text = g_string_free_to_bytes (alone);
  if (!assay_xml_hash_header (text, &hash))
    return; /* the check before the rename says what is wrong */
  g_autofree char *formatted = assay_canon_format (hash);
  memcpy (out->str + checksum, formatted, ASSAY_CANON_LENGTH);
}

AssayXmlWritten *
assay_xml_write_splice (AssayLedger *ledger)
{
  const AssayFrame *frame = ledger->frame;
  AssayXmlWritten *written = g_new0 (AssayXmlWritten, 1);
  written->splice = assay_splice_new ();
  written->scope = xml_make_scope (frame);
  written->made = g_ptr_array_new_with_free_func (made_source_free);
  written->fresh = g_ptr_array_new ();
  GString *out = assay_splice_get_text (written->splice);

  g_string_append (out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
  if (frame != NULL && frame->prolog != NULL)
    {
      xml_append_bytes (out, frame->prolog);
      g_string_append_c (out, '\n');
    }
  const gsize checksum = xml_write_root (out, ledger, written->scope);
  xml_write_header (out, ledger);
  assay_xml_write_removed (out, ledger->removed);
  xml_put_header_checksum (out, checksum);
  assay_xml_write_preferences (out, ledger->preferences, frame != NULL ? xml_default_uri (frame->scope) : "");
  assay_xml_write_planned (out, ledger, written->scope);
  for (guint i = 0; i < ledger->runs->len; i++)
    xml_write_one_run (written, ledger, g_ptr_array_index (ledger->runs, i));
  if (frame != NULL)
    {
      xml_write_leads_of_lost_runs (out, ledger);
      xml_append_foreign (out, frame, frame->tail);
    }
  g_string_append (out, "</ledger>\n");
  if (frame != NULL && frame->epilog != NULL)
    {
      xml_append_bytes (out, frame->epilog);
      g_string_append_c (out, '\n');
    }
  return written;
}

void
assay_xml_written_free (AssayXmlWritten *self)
{
  assay_splice_free (self->splice);
  assay_scope_unref (self->scope);
  g_ptr_array_unref (self->made);
  g_ptr_array_unref (self->fresh);
  g_free (self);
}

GBytes *
assay_xml_write_ledger (AssayLedger *ledger)
{
  g_autoptr(AssayXmlWritten) written = assay_xml_write_splice (ledger);
  return assay_splice_to_bytes (written->splice);
}
