/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-transcript.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "assay-display-text.h"

#define BUFFER_LIMIT 200000 /* characters of all answers together */
#define QUESTION_LIMIT 300

typedef struct
{
  GtkTextBuffer *buffer;  /* owned */
  AssayLedger *ledger;    /* owned, may be NULL: texts of the questions */
  char *question;         /* owned: the one being answered */
  gsize n_chars;          /* of its answer, as shown */
  gboolean cut;
} Transcript;

static void
transcript_free (gpointer data)
{
  Transcript *self = data;

  g_object_unref (self->buffer);
  g_clear_object (&self->ledger);
  g_free (self->question);
  g_free (self);
}

static Transcript *
transcript_new (AssayLedger *ledger)
{
  Transcript *self = g_new0 (Transcript, 1);

  self->buffer = gtk_text_buffer_new (NULL);
  gtk_text_buffer_set_enable_undo (self->buffer, FALSE);
  gtk_text_buffer_create_tag (self->buffer, "question", "weight", PANGO_WEIGHT_BOLD, NULL);
  gtk_text_buffer_create_tag (self->buffer, "note", "style", PANGO_STYLE_ITALIC, NULL);
  self->ledger = ledger != NULL ? g_object_ref (ledger) : NULL;
  return self;
}

static void
transcript_insert (Transcript *self, const char *text, const char *tag)
{
  GtkTextIter end;

  gtk_text_buffer_get_end_iter (self->buffer, &end);
  if (tag != NULL)
    gtk_text_buffer_insert_with_tags_by_name (self->buffer, &end, text, -1, tag, NULL);
  else
    gtk_text_buffer_insert (self->buffer, &end, text, -1);
}

static void
transcript_begin_question (Transcript *self, const char *id)
{
  const AssayQuestion *question = self->ledger != NULL ? assay_ledger_find_question (self->ledger, id) : NULL;
  g_autofree char *name = assay_display_line (id, 40);

  g_free (self->question);
  self->question = g_strdup (id);
  self->n_chars = 0;
  self->cut = FALSE;
  if (gtk_text_buffer_get_char_count (self->buffer) > 0)
    transcript_insert (self, "\n\n", NULL);
  if (*id == '\0')
    return;
  g_autofree char *text = question != NULL ? assay_display_line (question->text, QUESTION_LIMIT) : NULL;
  g_autofree char *line = g_strdup_printf ("%s  %s\n", name, text != NULL ? text : "");
  transcript_insert (self, line, "question");
}

/* The oldest lines go first: what is being said now matters. */
static void
transcript_make_room (Transcript *self)
{
  const int over = gtk_text_buffer_get_char_count (self->buffer) - BUFFER_LIMIT;
  GtkTextIter start, end;

  if (over <= 0)
    return;
  gtk_text_buffer_get_start_iter (self->buffer, &start);
  gtk_text_buffer_get_iter_at_offset (self->buffer, &end, over + BUFFER_LIMIT / 10);
  gtk_text_iter_forward_line (&end);
  gtk_text_buffer_delete (self->buffer, &start, &end);
}

static void
transcript_append (Transcript *self, const char *question, const char *bytes, gsize length)
{
  gboolean cut;

  if (g_strcmp0 (question, self->question) != 0)
    transcript_begin_question (self, question);
  if (self->cut)
    return;
  g_autofree char *text = assay_display_text (bytes, length, ASSAY_DISPLAY_LIMIT - self->n_chars, &cut);
  transcript_insert (self, text, NULL);
  self->n_chars += g_utf8_strlen (text, -1);
  self->cut = cut;
  if (cut)
    transcript_insert (self, _(" … cut here; the record keeps the whole answer"), "note");
  transcript_make_room (self);
}

static void
on_trial_text (AssayTrial *trial, const char *question, const char *text, gpointer data)
{
  transcript_append (data, question, text, strlen (text));
}

GtkTextBuffer *
assay_transcript_get_for_trial (AssayTrial *trial, AssayLedger *ledger)
{
  Transcript *self = g_object_get_data (G_OBJECT (trial), "assay-transcript");

  if (self == NULL)
    {
      self = transcript_new (ledger);
      g_object_set_data_full (G_OBJECT (trial), "assay-transcript", self, transcript_free);
      g_signal_connect (trial, "text", G_CALLBACK (on_trial_text), self);
    }
  return self->buffer;
}

GtkTextBuffer *
assay_transcript_new_for_record (AssayRecord *record, AssayLedger *ledger)
{
  Transcript *self = transcript_new (ledger);
  GPtrArray *outputs = assay_record_get_outputs (record);
  gboolean full = FALSE;

  for (guint i = 0; i < outputs->len && !full; i++)
    {
      const AssayOutput *output = g_ptr_array_index (outputs, i);

      transcript_append (self, output->question, output->text != NULL ? output->text : "",
                         output->text_length);
      full = gtk_text_buffer_get_char_count (self->buffer) > BUFFER_LIMIT / 2 && i + 1 < outputs->len;
    }
  if (full)
    transcript_insert (self, _("\n\nMore answers stand in Review."), "note");
  if (outputs->len == 0)
    transcript_insert (self, _("This run left no answer."), "note");
  GtkTextBuffer *buffer = g_object_ref (self->buffer);
  transcript_free (self);
  return buffer;
}
