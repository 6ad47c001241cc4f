/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-hint-words.h"

#include <glib/gi18n-lib.h>

#include "assay-display-text.h"
#include "assay-hints.h"

typedef struct
{
  AssayLedger *ledger; /* owned: a snapshot */
  char *run_id;        /* owned */
  gboolean with_others;
} Search;

static void
search_free (gpointer data)
{
  Search *search = data;
  g_object_unref (search->ledger);
  g_free (search->run_id);
  g_free (search);
}

void
assay_hint_words_free (AssayHintWords *self)
{
  g_free (self->question);
  g_free (self->about);
  g_free (self->said);
  g_free (self);
}

static char *
output_dup_about (AssayLedger *ledger, AssayRecord *record, const AssayOutput *output)
{
  const AssayQuestion *question = assay_ledger_find_question (ledger, output->question);
  const char *prompt = assay_values_get_text (assay_record_get_conditions (record), ASSAY_FIELD_PROMPT);
  const char *text = question != NULL ? question->text : prompt;

  return assay_display_line (text != NULL ? text : output->question, 160);
}

static char *
output_dup_said (const Search *search, AssayRecord *record, const AssayOutput *output)
{
  g_autoptr(GPtrArray) hints = assay_hints_for_output (search->ledger, record, output);
  g_autoptr(GString) said = g_string_new (NULL);

  for (guint i = 0; i < hints->len; i++)
    {
      const AssayHint *hint = g_ptr_array_index (hints, i);
      if (search->with_others || (hint->kind != ASSAY_HINT_RUNS && hint->kind != ASSAY_HINT_REPEATS))
        g_string_append_printf (said, said->len > 0 ? "\n%s" : "%s", hint->text);
    }
  return g_string_free (g_steal_pointer (&said), FALSE);
}

static AssayHintWords *
words_new (const Search *search, AssayRecord *record, const AssayOutput *output)
{
  g_autofree char *said = output_dup_said (search, record, output);

  if (*said == '\0')
    return NULL;
  AssayHintWords *self = g_new (AssayHintWords, 1);
  *self = (AssayHintWords) { g_strdup (output->question), output_dup_about (search->ledger, record, output),
                             g_steal_pointer (&said) };
  return self;
}

static void
search_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Search *search = data;
  GPtrArray *words = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_hint_words_free);
  AssayRecord *record = assay_ledger_find_run (search->ledger, search->run_id);
  GPtrArray *outputs = record != NULL ? assay_record_get_outputs (record) : NULL;

  for (guint i = 0; outputs != NULL && i < outputs->len && !g_cancellable_is_cancelled (cancellable); i++)
    {
      AssayHintWords *of_output = words_new (search, record, g_ptr_array_index (outputs, i));
      if (of_output != NULL)
        g_ptr_array_add (words, of_output);
    }
  g_task_return_pointer (task, words, (GDestroyNotify) g_ptr_array_unref);
}

void
assay_hint_words_find_async (AssayLedger *ledger, const char *run_id, gboolean with_others,
                             GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data)
{
  g_autoptr(GTask) task = g_task_new (NULL, cancellable, callback, data);
  Search *search = g_new (Search, 1);

  *search = (Search) { assay_ledger_snapshot (ledger), g_strdup (run_id), with_others };
  g_task_set_task_data (task, search, search_free);
  g_task_run_in_thread (task, search_thread);
}

GPtrArray *
assay_hint_words_find_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
