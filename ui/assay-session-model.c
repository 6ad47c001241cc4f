/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-session-model.c: the model and the questions of the next run. */
#include "assay-session-private.h"

#include <errno.h>
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>

#include "assay-engine-error.h"
#include "assay-export.h"

#define BUNDLED_NAME "basic-12.questions.xml"
#define BUNDLED_RESOURCE "/io/github/assay/Assay/questions/" BUNDLED_NAME

typedef struct
{
  AssaySession *session;
  GCancellable *cancellable;
  gboolean describe_only;
  char *path;
} Inspecting;

static void
inspecting_free (gpointer data)
{
  Inspecting *inspecting = data;
  g_object_unref (inspecting->session);
  g_object_unref (inspecting->cancellable);
  g_free (inspecting->path);
  g_free (inspecting);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Inspecting, inspecting_free)

/* Tokens that may be wrong are a person's decision, asked for where the file is refused. */
static void
inspecting_refused (Inspecting *inspecting, const GError *error)
{
  AssaySession *self = inspecting->session;
  if (g_strcmp0 (assay_engine_error_get_reason (error), "tokenizer-no-pre") != 0)
    {
      session_post_error (self, "model", _("This file cannot be used as a model"), error);
      return;
    }
  g_autofree char *message = g_strdup_printf (_("This model’s tokens may be wrong. %s"), error->message);
  AssayNotice *notice = assay_notice_new ("model", TRUE, message);
  assay_notice_with_action (notice, _("Run It Anyway"), "win.choose-unverified-model", inspecting->path);
  assay_notices_post (self->notices, notice);
}

static void
inspect_unverified_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  GError *error = NULL;
  AssayInspection *inspection = assay_inspect (data, TRUE, cancellable, &error);
  if (inspection != NULL)
    g_task_return_pointer (task, inspection, (GDestroyNotify) assay_inspection_free);
  else
    g_task_return_error (task, error);
}

static void
inspect_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(Inspecting) inspecting = data;
  AssaySession *self = inspecting->session;
  g_autoptr(GError) error = NULL;
  AssayInspection *inspection = assay_inspect_finish (result, &error);
  session_end_work (self);
  if (inspection == NULL && !inspecting->describe_only && !g_cancellable_is_cancelled (inspecting->cancellable))
    inspecting_refused (inspecting, error);
  if (inspection == NULL)
    return;
  if (g_cancellable_is_cancelled (inspecting->cancellable))
    {
      assay_inspection_free (inspection);
      return;
    }
  assay_notices_dismiss (self->notices, "model");
  assay_draft_take_inspection (self->draft, inspection, inspecting->describe_only);
}

static void
session_inspect (AssaySession *self, const char *path, gboolean describe_only, gboolean unverified)
{
  if (self->inspecting != NULL)
    g_cancellable_cancel (self->inspecting);
  g_clear_object (&self->inspecting);
  self->inspecting = g_cancellable_new ();
  Inspecting *inspecting = g_new0 (Inspecting, 1);
  inspecting->session = g_object_ref (self);
  inspecting->cancellable = g_object_ref (self->inspecting);
  inspecting->describe_only = describe_only;
  inspecting->path = g_strdup (path);
  g_autofree char *name = g_filename_display_basename (path);
  g_autofree char *words = g_strdup_printf (_("Reading %s…"), name);
  session_begin_work (self, words);
  if (!unverified)
    {
      assay_inspect_async (path, self->inspecting, inspect_cb, inspecting);
      return;
    }
  g_autoptr(GTask) task = g_task_new (NULL, self->inspecting, inspect_cb, inspecting);
  g_task_set_task_data (task, g_strdup (path), g_free);
  g_task_run_in_thread (task, inspect_unverified_thread);
}

void
assay_session_choose_model (AssaySession *self, const char *path)
{
  g_return_if_fail (ASSAY_IS_SESSION (self) && path != NULL);
  session_inspect (self, path, FALSE, FALSE);
}

void
assay_session_choose_unverified_model (AssaySession *self, const char *path)
{
  g_return_if_fail (ASSAY_IS_SESSION (self) && path != NULL);
  session_inspect (self, path, FALSE, TRUE);
}

/* The figures of a model that a ledger names: the values stay the ledger's, and a missing file is no error yet. */
void
session_describe_model (AssaySession *self)
{
  const AssayValues *values = assay_draft_get_values (self->draft);
  const char *path = assay_values_get_text (values, ASSAY_FIELD_MODEL_PATH);
  const char *note = assay_values_get_text (values, ASSAY_FIELD_TOKENIZER_NOTE);
  if (path != NULL)
    session_inspect (self, path, TRUE, g_strcmp0 (note, "unverified") == 0);
}

void
session_set_questions (AssaySession *self, GPtrArray *questions, const char *question_set)
{
  GPtrArray *old = self->questions;
  self->questions = questions != NULL ? g_ptr_array_ref (questions) : NULL;
  g_clear_pointer (&old, g_ptr_array_unref);
  char *name = g_strdup (question_set);
  g_free (self->question_set);
  self->question_set = name;
  const gboolean none = questions == NULL || questions->len == 0;
  assay_draft_set_question_set (self->draft, none ? NULL : name != NULL ? name : _("questions of this ledger"));
  session_notify (self, SESSION_PROP_QUESTION_SET);
}

GPtrArray *
assay_session_get_questions (AssaySession *self)
{
  return self->questions;
}

const char *
assay_session_get_question_set (AssaySession *self)
{
  return self->question_set;
}

const char *
assay_session_get_questions_lock (AssaySession *self)
{
  if (assay_draft_get_parent (self->draft) != NULL)
    return _("Held fixed: one thing changes");
  if (self->ledger != NULL && assay_ledger_get_n_runs (self->ledger) > 0)
    return _("This ledger keeps its questions, so that its answers can be compared. Other questions belong to a new ledger");
  return NULL;
}

void
assay_session_use_free_prompt (AssaySession *self)
{
  g_return_if_fail (ASSAY_IS_SESSION (self));
  g_free (self->questions_from);
  self->questions_from = g_strdup ("");
  session_set_questions (self, NULL, NULL);
}

/* A loaded question set on its way from the thread that read it. */
typedef struct
{
  GPtrArray *questions;
  char *set;
} Loaded;

static void
loaded_free (gpointer data)
{
  Loaded *loaded = data;
  g_clear_pointer (&loaded->questions, g_ptr_array_unref);
  g_free (loaded->set);
  g_free (loaded);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Loaded, loaded_free)

/* Question sets are read from files; the one inside the program is put into the cache folder first. */
static char *
questions_dup_bundled_path (GError **error)
{
  g_autoptr(GBytes) bytes = g_resources_lookup_data (BUNDLED_RESOURCE, G_RESOURCE_LOOKUP_FLAGS_NONE, error);
  if (bytes == NULL)
    return NULL;
  g_autofree char *folder = g_build_filename (g_get_user_cache_dir (), "assay", NULL);
  if (g_mkdir_with_parents (folder, 0700) != 0)
    {
      g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno), "%s: %s", folder, g_strerror (errno));
      return NULL;
    }
  g_autofree char *path = g_build_filename (folder, BUNDLED_NAME, NULL);
  gsize length;
  const char *data = g_bytes_get_data (bytes, &length);
  return g_file_set_contents (path, data, (gssize) length, error) ? g_steal_pointer (&path) : NULL;
}

static void
questions_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  GError *error = NULL;
  g_autoptr(Loaded) loaded = g_new0 (Loaded, 1);
  g_autofree char *path = data != NULL ? g_strdup (data) : questions_dup_bundled_path (&error);
  if (path != NULL)
    loaded->questions = assay_questions_load (path, &loaded->set, &error);
  if (loaded->questions == NULL)
    g_task_return_error (task, error);
  else
    g_task_return_pointer (task, g_steal_pointer (&loaded), loaded_free);
}

static void
session_load_questions (AssaySession *self, const char *path, GAsyncReadyCallback callback, gpointer data)
{
  g_autoptr(GTask) task = g_task_new (self, NULL, callback, data);
  g_task_set_task_data (task, g_strdup (path), g_free);
  session_begin_work (self, _("Reading the questions…"));
  g_task_run_in_thread (task, questions_thread);
}

static void
file_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  AssaySession *self = ASSAY_SESSION (source);
  g_autoptr(GError) error = NULL;
  g_autoptr(Loaded) loaded = g_task_propagate_pointer (G_TASK (result), &error);
  session_end_work (self);
  if (loaded == NULL)
    session_post_error (self, "questions", _("This file cannot be used as a question set"), error);
  else if (assay_session_get_questions_lock (self) == NULL)
    {
      assay_notices_dismiss (self->notices, "questions");
      g_free (self->questions_from);
      self->questions_from = g_strdup (g_task_get_task_data (G_TASK (result)));
      session_set_questions (self, loaded->questions, loaded->set);
    }
}

void
assay_session_use_questions_file (AssaySession *self, const char *path)
{
  g_return_if_fail (ASSAY_IS_SESSION (self) && path != NULL);
  session_load_questions (self, path, file_cb, NULL);
}

static void
bundled_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  AssaySession *self = ASSAY_SESSION (source);
  g_autoptr(GTask) then = data;
  GError *error = NULL;
  g_autoptr(Loaded) loaded = g_task_propagate_pointer (G_TASK (result), &error);
  session_end_work (self);
  if (loaded != NULL)
    {
      g_clear_pointer (&self->bundled, g_ptr_array_unref);
      g_free (self->bundled_set);
      self->bundled = g_steal_pointer (&loaded->questions);
      self->bundled_set = g_steal_pointer (&loaded->set);
      if (self->questions == NULL && self->ledger == NULL)
        session_set_questions (self, self->bundled, self->bundled_set);
      g_task_return_boolean (then, TRUE);
      return;
    }
  session_post_error (self, "questions", _("The questions that come with Assay cannot be read"), error);
  g_task_return_error (then, error);
}

void
session_load_bundled_questions (AssaySession *self, GAsyncReadyCallback callback, gpointer data)
{
  session_load_questions (self, NULL, bundled_cb, g_task_new (self, NULL, callback, data));
}

static void
use_bundled_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  AssaySession *self = ASSAY_SESSION (source);
  if (g_task_propagate_boolean (G_TASK (result), NULL) && assay_session_get_questions_lock (self) == NULL)
    session_set_questions (self, self->bundled, self->bundled_set);
}

void
assay_session_use_bundled_questions (AssaySession *self)
{
  g_return_if_fail (ASSAY_IS_SESSION (self));
  g_clear_pointer (&self->questions_from, g_free);
  if (self->bundled != NULL)
    session_set_questions (self, self->bundled, self->bundled_set);
  else
    session_load_bundled_questions (self, use_bundled_cb, NULL);
}
