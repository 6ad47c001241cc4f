/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-answers.c: see the header. Each answer is looked at once: against the first, and in a set. */
#include "assay-answers.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "assay-hints.h"

void
assay_answers_free (AssayAnswers *self)
{
  if (self == NULL)
    return;
  g_free (self->question);
  g_clear_object (&self->first);
  g_clear_object (&self->parting);
  g_free (self);
}

/* While the runs are walked. */
typedef struct
{
  AssayAnswers *answers;
  const AssayOutput *first;
  GHashTable *seen;
} Tally;

static void
tally_free (gpointer data)
{
  Tally *tally = data;
  g_clear_pointer (&tally->answers, assay_answers_free);
  g_hash_table_unref (tally->seen);
  g_free (tally);
}

static gboolean
output_is_answer (const AssayOutput *output)
{
  return output->asset != NULL || output->text != NULL;
}

/* The bytes of a text, the name of a file. */
static GBytes *
output_dup_content (const AssayOutput *output)
{
  return output->asset != NULL ? g_bytes_new (output->asset, strlen (output->asset) + 1)
                               : g_bytes_new_static (output->text, output->text_length);
}

/* Characters before the first difference; -1 when they are equal. */
static glong
output_find_difference (const AssayOutput *a, const AssayOutput *b)
{
  if (a->asset == NULL && b->asset == NULL)
    return (glong) assay_hint_first_difference (a, b) - 1;
  return g_strcmp0 (a->asset, b->asset) == 0 ? -1 : 0;
}

static Tally *
tally_new (GPtrArray *tallies, GHashTable *by_question, AssayRecord *run, const AssayOutput *output)
{
  Tally *tally = g_new0 (Tally, 1);
  tally->answers = g_new0 (AssayAnswers, 1);
  tally->answers->question = g_strdup (output->question != NULL ? output->question : "");
  tally->answers->first = g_object_ref (run);
  tally->answers->same_characters = -1;
  tally->answers->is_text = output->asset == NULL;
  tally->first = output;
  tally->seen
    = g_hash_table_new_full (g_bytes_hash, g_bytes_equal, (GDestroyNotify) g_bytes_unref, NULL);
  g_hash_table_insert (by_question, tally->answers->question, tally);
  g_ptr_array_add (tallies, tally);
  return tally;
}

static void
tally_add (Tally *self, AssayRecord *run, const AssayOutput *output)
{
  AssayAnswers *answers = self->answers;
  const glong difference = output_find_difference (self->first, output);
  g_hash_table_add (self->seen, output_dup_content (output));
  answers->n++;
  answers->is_text &= output->asset == NULL;
  answers->n_different = g_hash_table_size (self->seen);
  if (difference < 0 || (answers->same_characters >= 0 && answers->same_characters <= difference))
    return;
  answers->same_characters = difference;
  g_set_object (&answers->parting, run);
}

/* A question is counted once for a run, whatever the file says. */
static void
tallies_add_run (GPtrArray *tallies, GHashTable *by_question, AssayRecord *run)
{
  GPtrArray *outputs = assay_record_get_outputs (run);
  g_autoptr(GHashTable) done = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < outputs->len; i++)
    {
      const AssayOutput *output = g_ptr_array_index (outputs, i);
      const char *question = output->question != NULL ? output->question : "";
      if (!output_is_answer (output) || !g_hash_table_add (done, (gpointer) question))
        continue;
      Tally *tally = g_hash_table_lookup (by_question, question);
      tally_add (tally != NULL ? tally : tally_new (tallies, by_question, run, output), run, output);
    }
}

GPtrArray *
assay_answers_compare (GPtrArray *runs)
{
  g_return_val_if_fail (runs != NULL, NULL);
  g_autoptr(GPtrArray) tallies = g_ptr_array_new_with_free_func (tally_free);
  g_autoptr(GHashTable) by_question = g_hash_table_new (g_str_hash, g_str_equal);
  GPtrArray *all = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_answers_free);
  for (guint i = 0; i < runs->len; i++)
    tallies_add_run (tallies, by_question, runs->pdata[i]);
  for (guint i = 0; i < tallies->len; i++)
    {
      Tally *tally = g_ptr_array_index (tallies, i);
      if (tally->answers->n > 1)
        g_ptr_array_add (all, g_steal_pointer (&tally->answers));
    }
  return all;
}

guint
assay_answers_count_same (GPtrArray *answers)
{
  guint n = 0;
  for (guint i = 0; i < answers->len; i++)
    n += ((const AssayAnswers *) answers->pdata[i])->n_different == 1;
  return n;
}

static char *
answers_dup_difference (const AssayAnswers *self, const char *question)
{
  if (!self->is_text)
    return g_strdup_printf (_("%s: %u different answers of %u"), question, self->n_different, self->n);
  return g_strdup_printf (_("%s: %u different answers of %u, from character %ld on"), question, self->n_different, self->n,
                          self->same_characters + 1);
}

char *
assay_answers_dup_words (const AssayAnswers *self, gboolean with_runs)
{
  g_return_val_if_fail (self != NULL, NULL);
  const char *question = *self->question != '\0' ? self->question : _("the prompt");
  if (self->n_different == 1)
    return g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "%s: the same answer of all %u",
                                         "%s: the same answer of all %u", self->n),
                            question, self->n);
  g_autofree char *difference = answers_dup_difference (self, question);
  if (!with_runs)
    return g_steal_pointer (&difference);
  /* Translators: how answers differ, and two runs that differ so */
  return g_strdup_printf (_("%s (run %s against run %s)"), difference, assay_record_get_id (self->first),
                          assay_record_get_id (self->parting));
}
