/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-device-names.h"

static gpointer
names_ask (gpointer unused)
{
  return assay_device_list ();
}

static void
names_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  static GOnce once = G_ONCE_INIT;
  GPtrArray *devices = g_once (&once, names_ask, NULL);
  g_task_return_pointer (task, g_ptr_array_ref (devices), (GDestroyNotify) g_ptr_array_unref);
}

void
assay_device_names_async (GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data)
{
  g_autoptr(GTask) task = g_task_new (NULL, cancellable, callback, data);
  g_task_set_source_tag (task, assay_device_names_async);
  g_task_run_in_thread (task, names_thread);
}

GPtrArray *
assay_device_names_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
