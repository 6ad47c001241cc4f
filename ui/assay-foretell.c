/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-foretell.h"

#include "assay-forecast.h"

void
assay_foretold_free (AssayForetold *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->advice, assay_advice_free);
  g_free (self->was);
  g_object_unref (self->record);
  g_clear_pointer (&self->questions, g_ptr_array_unref);
  g_free (self);
}

static void
foretell_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  AssayForetold *self = g_steal_pointer ((AssayForetold **) data);
  GPtrArray *candidates = self->advice->candidates;
  g_autoptr(GPtrArray) before = g_ptr_array_copy (candidates, NULL, NULL);

  g_ptr_array_set_free_func (before, NULL); /* the advice owns them */
  assay_advice_predict (self->advice, self->record, assay_forecast_predict, self->questions);
  self->was = g_new0 (guint, MAX (candidates->len, 1));
  for (guint k = 0; k < candidates->len; k++)
    g_ptr_array_find (before, g_ptr_array_index (candidates, k), &self->was[k]);
  g_task_return_pointer (task, self, (GDestroyNotify) assay_foretold_free);
}

static gboolean
record_asked_prompt (AssayRecord *record)
{
  const AssayValues *values = assay_record_get_values_for (record, ASSAY_FIELD_PROMPT);
  const char *prompt = assay_values_get_text (values, ASSAY_FIELD_PROMPT);

  return prompt != NULL && *prompt != '\0';
}

static void
holder_free (gpointer data)
{
  AssayForetold **holder = data;
  assay_foretold_free (*holder);
  g_free (holder);
}

/* An advice of its own goes to the thread; what is on screen stays untouched until the answer. */
void
assay_foretell_async (gpointer source, AssayLedger *ledger, AssayRecord *record, GCancellable *cancellable,
                      GAsyncReadyCallback callback, gpointer data)
{
  AssayForetold *foretold = g_new0 (AssayForetold, 1);
  AssayForetold **holder = g_new (AssayForetold *, 1);
  GPtrArray *questions = assay_ledger_get_questions (ledger);

  foretold->advice = assay_advice_for (ledger, record);
  foretold->record = g_object_ref (record);
  if (questions != NULL && questions->len > 0 && !record_asked_prompt (record))
    foretold->questions = g_ptr_array_ref (questions);
  *holder = foretold;
  g_autoptr(GTask) task = g_task_new (source, cancellable, callback, data);
  g_task_set_task_data (task, holder, holder_free);
  g_task_run_in_thread (task, foretell_thread);
}

AssayForetold *
assay_foretell_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
