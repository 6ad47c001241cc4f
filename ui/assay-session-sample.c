/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-session-sample.c: the sample experiment: the default model, the questions that come with Assay, one click. */
#include "assay-session-private.h"

#include <glib/gi18n-lib.h>

#include "assay-discovery.h"

#define SAMPLE_MODEL "SmolLM2-135M-Instruct"

static void
session_report_no_sample (AssaySession *self, const char *why)
{
  g_autofree char *folder = assay_discovery_dup_own_folder ();
  g_autofree char *shown = g_filename_display_name (folder);
  g_autofree char *message =
    *why != '\0'
      ? g_strdup_printf (_("The sample model, %s, cannot be used from %s: %s. Choose any GGUF model of the Llama family "
                           "instead."), SAMPLE_MODEL, shown, why)
      : g_strdup_printf (_("The sample model, %s, is not on this machine yet. Put its GGUF file into %s (“make run” in the "
                           "source folder does so), or choose any GGUF model of the Llama family."), SAMPLE_MODEL, shown);
  AssayNotice *notice = assay_notice_new ("sample", TRUE, message);
  assay_notice_with_action (notice, _("Choose a Model File…"), "win.choose-model-file", NULL);
  assay_notices_post (self->notices, notice);
}

static void
inspected_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(AssaySession) self = data;
  g_autoptr(GError) error = NULL;
  AssayInspection *inspection = assay_inspect_finish (result, &error);
  session_end_work (self);
  if (inspection == NULL)
    {
      session_report_no_sample (self, error->message);
      return;
    }
  if (assay_session_is_running (self))
    {
      assay_inspection_free (inspection);
      return;
    }
  assay_notices_dismiss (self->notices, "sample");
  assay_session_close_ledger (self);
  session_set_questions (self, self->bundled, self->bundled_set);
  assay_draft_take_inspection (self->draft, inspection, FALSE);
  session_mark_draft (self); /* nobody's edit */
  session_create_ledger (self, _("SmolLM2 sample experiment"));
  assay_session_start (self);
}

static void
scan_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(AssaySession) self = data;
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) found = assay_discovery_scan_finish (result, &error);
  for (guint i = 0; found != NULL && i < found->len; i++)
    {
      AssayFoundModel *model = g_ptr_array_index (found, i);
      g_autofree char *name = g_path_get_basename (assay_found_model_get_path (model));
      if (assay_found_model_get_problem (model) == NULL && g_str_has_prefix (name, SAMPLE_MODEL))
        {
          assay_inspect_async (assay_found_model_get_path (model), NULL, inspected_cb, g_steal_pointer (&self));
          return;
        }
    }
  session_end_work (self);
  session_report_no_sample (self, error != NULL ? error->message : "");
}

static void
questions_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  AssaySession *self = ASSAY_SESSION (source);
  if (!g_task_propagate_boolean (G_TASK (result), NULL))
    return; /* told already */
  g_autofree char *folder = assay_discovery_dup_own_folder ();
  const char *folders[] = { folder, NULL };
  session_begin_work (self, _("Looking for the sample model…"));
  assay_discovery_scan_async (folders, FALSE, NULL, scan_cb, g_object_ref (self));
}

void
assay_session_try_sample (AssaySession *self)
{
  g_return_if_fail (ASSAY_IS_SESSION (self));
  if (!assay_session_is_running (self))
    session_load_bundled_questions (self, questions_cb, NULL);
}
