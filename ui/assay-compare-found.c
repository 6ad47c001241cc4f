/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-compare-found.h"

void
assay_compare_found_free (AssayCompareFound *self)
{
  if (self == NULL)
    return;
  assay_pareto_free (self->pareto);
  assay_effects_free (self->effects);
  g_object_unref (self->snapshot);
  g_free (self);
}

static void
find_thread (GTask *task, gpointer source, gpointer snapshot, GCancellable *cancellable)
{
  AssayCompareFound *self = g_new0 (AssayCompareFound, 1);

  self->snapshot = g_object_ref (snapshot);
  self->pareto = assay_pareto_new (snapshot);
  if (!g_cancellable_is_cancelled (cancellable))
    self->effects = assay_effects_find (snapshot, FALSE);
  g_task_return_pointer (task, self, (GDestroyNotify) assay_compare_found_free);
}

void
assay_compare_find_async (AssayLedger *ledger, GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data)
{
  g_return_if_fail (ASSAY_IS_LEDGER (ledger));
  g_autoptr(GTask) task = g_task_new (NULL, cancellable, callback, data);

  g_task_set_source_tag (task, assay_compare_find_async);
  g_task_set_task_data (task, assay_ledger_snapshot (ledger), g_object_unref);
  g_task_run_in_thread (task, find_thread);
}

AssayCompareFound *
assay_compare_find_finish (GAsyncResult *result)
{
  return g_task_propagate_pointer (G_TASK (result), NULL);
}
