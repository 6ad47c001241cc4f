/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/assay-trial-process.c: the worker where a child process computes: started, heard, measured, ended, judged.
 *
 * The same record, events and phases as of the engine's own runs, so that nobody else needs to know. The child is a
 * stranger: what it says is heard in assay-trial-told.c, what it leaves behind is looked at before it counts as output, and
 * how it ended comes from the system, the scope's count and its own words, in this order; a cause is never guessed. */
#include "assay-trial-child.h"

#include "runtimes/assay-protocol.h"
#include "runtimes/assay-recipe.h"
#include "runtimes/png-uniform.h"

#include "assay-assets.h"
#include "assay-durable.h"

#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>

#define TURN_MS 20
#define GRACE_MS 500

/* --- answers --- */

static ChildAnswer *
child_answer_new (const char *id)
{
  ChildAnswer *self = g_new0 (ChildAnswer, 1);
  *self = (ChildAnswer) { .id = id, .text = g_string_new (NULL), .input_tokens = -1, .output_tokens = -1,
                          .prompt_ns = -1, .generate_ns = -1 };
  return self;
}

static void
child_answer_free (gpointer data)
{
  ChildAnswer *self = data;
  g_string_free (self->text, TRUE);
  g_free (self->image);
  g_free (self->finish);
  g_free (self);
}

/* --- what it is told --- */

static gboolean
condition_is_told (const AssayValues *c, AssayFieldId field)
{
  const AssayFieldInfo *info = assay_field_get_info (field);
  return info->group == ASSAY_GROUP_CONDITIONS && info->section != ASSAY_SECTION_ENVIRONMENT
         && field != ASSAY_FIELD_PROMPT && field != ASSAY_FIELD_QUESTION_SET
         && assay_values_get_state (c, field) == ASSAY_VALUE_SET;
}

static void
told_add (GString *out, const char *key, const char *value)
{
  g_autofree char *escaped = assay_protocol_escape (value);
  g_string_append_printf (out, "%s: %s\n", key, escaped);
}

static void
told_add_conditions (GString *out, const AssayValues *c)
{
  for (AssayFieldId field = 0; field < ASSAY_N_FIELDS; field++)
    {
      if (!condition_is_told (c, field))
        continue;
      g_autofree char *text = assay_values_dup_text (c, field);
      g_autofree char *whole = field == ASSAY_FIELD_MODEL_PATH && *text != '\0' ? g_canonicalize_filename (text, NULL)
                                                                               : g_strdup (text);
      told_add (out, assay_field_get_info (field)->name, whole);
    }
}

static GBytes *
child_dup_input (TrialChild *self)
{
  TrialRun *run = self->run;
  const char *prompt = assay_values_get_text (run->actual, ASSAY_FIELD_PROMPT);
  GString *out = g_string_new ("protocol: 1\n");
  told_add (out, "run_id", assay_record_get_id (run->record));
  told_add (out, "output_folder", self->folder);
  told_add_conditions (out, run->actual);
  for (guint i = 0; i < self->answers->len; i++)
    {
      const AssayQuestion *question
          = run->trial->questions != NULL ? g_ptr_array_index (run->trial->questions, i) : NULL;
      told_add (out, "question", question != NULL ? question->id : "");
      told_add (out, "text", question != NULL ? question->text : prompt != NULL ? prompt : "");
    }
  told_add (out, "end", "");
  return g_string_free_to_bytes (out);
}

/* --- the model and the program --- */

/* A file that this engine can read says what it is; one that it cannot is the child's affair. What the conditions say
 * stands. */
static void
child_identify_model (TrialChild *self)
{
  TrialRun *run = self->run;
  const char *path = assay_values_get_text (run->actual, ASSAY_FIELD_MODEL_PATH);
  if (path == NULL || *path == '\0')
    return;
  run->inspection = assay_inspect (path, TRUE, run->trial->stop, NULL);
  if (run->inspection == NULL)
    return;
  AssayModelFile *file = run->inspection->file;
  const gint64 bytes = (gint64) assay_model_file_get_bytes (file);
  g_autoptr (AssayValues) facts = assay_values_new ();
  assay_inspection_fill_conditions (run->inspection, facts);
  for (AssayFieldId field = 0; field < ASSAY_N_FIELDS; field++)
    if (assay_values_get_state (facts, field) == ASSAY_VALUE_SET
        && assay_values_get_state (run->actual, field) == ASSAY_VALUE_UNSET && field != ASSAY_FIELD_CONTEXT_LENGTH)
      assay_values_copy_field (run->actual, facts, field);
  assay_values_set_text (run->actual, ASSAY_FIELD_MODEL_METADATA_SHA256, assay_model_file_get_metadata_sha256 (file));
  assay_values_set_integer (run->actual, ASSAY_FIELD_MODEL_BYTES, bytes);
  assay_values_set_integer (assay_record_get_burden (run->record), ASSAY_FIELD_STORAGE_BYTES, bytes);
}

/* "4823 bytes sha256:1f0c…" (transfer full); NULL when it cannot be read */
static char *
file_dup_identity (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GMappedFile) file = g_mapped_file_new (path, FALSE, &error);
  if (file == NULL)
    return NULL;
  g_autofree char *hash = g_compute_checksum_for_data (
      G_CHECKSUM_SHA256, (const guchar *) g_mapped_file_get_contents (file), g_mapped_file_get_length (file));
  return g_strdup_printf ("%zu bytes sha256:%.16s", g_mapped_file_get_length (file), hash);
}

/* What really runs: its own word, and which files these were; another script is another runtime. */
static void
child_write_version (TrialChild *self, const char *program, const char *script)
{
  g_autofree char *of_program = file_dup_identity (program);
  g_autofree char *of_script = script != NULL ? file_dup_identity (script) : NULL;
  GString *text = g_string_new (self->version != NULL ? self->version : "version not told");
  if (of_program != NULL)
    g_string_append_printf (text, "; program %s", of_program);
  if (of_script != NULL)
    g_string_append_printf (text, "; recipe %s", of_script);
  assay_values_set_text (self->run->actual, ASSAY_FIELD_RUNTIME_VERSION, text->str);
  g_string_free (text, TRUE);
}

static void
child_write_scope (TrialChild *self, AssaySpawnScope *scope)
{
  const char *name = assay_spawn_scope_get_name (scope), *problem = assay_spawn_scope_get_problem (scope);
  if (name != NULL)
    assay_values_set_text (self->run->actual, ASSAY_FIELD_PROCESS_SCOPE, name);
  else
    assay_values_set_unknown (self->run->actual, ASSAY_FIELD_PROCESS_SCOPE, problem);
  if (name != NULL && problem != NULL)
    trial_child_warn (self, problem);
}

/* The host's bound: on the cpu, where device and host are one, that of the device counts too. */
static guint64
child_get_limit (TrialRun *run)
{
  gint64 ram = 0, vram = 0;
  assay_values_get_integer (run->actual, ASSAY_FIELD_RAM_BUDGET, &ram);
  if (assay_trial_is_on_cpu (run->actual))
    assay_values_get_integer (run->actual, ASSAY_FIELD_VRAM_BUDGET, &vram);
  return (guint64) (ram > 0 && vram > 0 ? MIN (ram, vram) : MAX (ram, vram));
}

/* --- its end --- */

static gboolean
child_fail (GError **error, AssayEngineError code, const char *reason, const char *message, guint64 request)
{
  assay_engine_error_set (error, code, reason, NULL, NULL, -1, "%s", message);
  if (error != NULL && request > 0)
    assay_engine_error_set_request (*error, request);
  return FALSE;
}

/* What it gave as its reason, in the words of a record's status. */
static gboolean
child_judge_status (TrialChild *self, GError **error)
{
  static const struct
  {
    const char *status;
    AssayEngineError code;
  } told[] = { { "oom_device", ASSAY_ENGINE_ERROR_OOM_DEVICE },
               { "oom_host", ASSAY_ENGINE_ERROR_OOM_HOST },
               { "invalid", ASSAY_ENGINE_ERROR_RULE },
               { "invalid_output", ASSAY_ENGINE_ERROR_OUTPUT },
               { "load_failed", ASSAY_ENGINE_ERROR_DEVICE },
               { "failed", ASSAY_ENGINE_ERROR_DEVICE } };
  for (guint i = 0; self->status != NULL && i < G_N_ELEMENTS (told); i++)
    if (g_str_equal (self->status, told[i].status))
      {
        g_autofree char *reason = g_strdup_printf ("child-%s", told[i].status);
        return child_fail (error, told[i].code, reason,
                           self->error != NULL ? self->error : _("the child process said so, and not why"),
                           (guint64) MAX (self->request, 0));
      }
  return TRUE;
}

static gboolean
child_judge_signal (gint number, gint64 kills, GError **error)
{
  g_autofree char *message = NULL;
  if (number == SIGKILL && kills > 0)
    message = g_strdup_printf (_("killed(%d): memory limit of the run's scope was hit (oom_kill %" PRId64 "); "
                                 "raise ram_budget, or choose what needs less"),
                               number, kills);
  else if (number == SIGKILL)
    message = g_strdup_printf (_("killed(%d) from outside, and nothing says why; most often the system does that where "
                                 "memory runs out"),
                               number);
  else
    message = g_strdup_printf (_("killed(%d): %s; its last words are in runtime_log"), number, g_strsignal (number));
  return child_fail (error, ASSAY_ENGINE_ERROR_KILLED, number == SIGKILL && kills > 0 ? "killed-for-memory" : "killed",
                     message, 0);
}

static gboolean
child_judge_exit (TrialChild *self, gint code, gint64 kills, GError **error)
{
  const char *last = self->tail.tail != NULL ? self->tail.tail->data : "";
  g_autofree char *words = assay_engine_escape (last, strlen (last));
  g_autofree char *message
      = *last != '\0' ? g_strdup_printf (_("the child process ended with exit status %d; its last words: %s"), code, words)
                      : g_strdup_printf (_("the child process ended with exit status %d and said nothing"), code);
  if (self->out_of_device)
    return child_fail (error, ASSAY_ENGINE_ERROR_OOM_DEVICE, "child-oom-device", message, 0);
  if (self->out_of_host || kills > 0)
    return child_fail (error, ASSAY_ENGINE_ERROR_OOM_HOST, "child-oom-host", message, 0);
  return child_fail (error, ASSAY_ENGINE_ERROR_DEVICE, "child-exit", message, 0);
}

/* --- its output --- */

/* A plain file of its folder, made in this run. (transfer full) or NULL */
static GBytes *
child_read_image (TrialChild *self, const char *name)
{
  g_autofree char *path = g_build_filename (self->folder, name, NULL);
  if (strchr (name, '/') != NULL || name[0] == '.')
    return NULL;
  return assay_durable_read (path, ASSAY_ASSET_MAX_BYTES, TRUE, NULL, NULL);
}

static gboolean
child_judge_image (TrialChild *self, const char *name, GBytes *bytes, GError **error)
{
  guint32 width = 0, height = 0;
  const PngVerdict verdict = bytes != NULL ? png_uniform_judge (bytes, &width, &height) : PNG_BROKEN;
  g_autofree char *shown = assay_engine_escape (name, strlen (name)), *message = NULL;
  const char *warning = self->warnings.head != NULL ? self->warnings.head->data : NULL;
  if (verdict == PNG_VARIED || verdict == PNG_UNJUDGED)
    return TRUE;
  if (verdict == PNG_BROKEN)
    message = g_strdup_printf (_("the image %s that the child process named is not there, or no whole PNG file"), shown);
  else if (warning != NULL)
    message = g_strdup_printf (_("uniform image: all %u × %u pixels of %s are one colour; the runtime warned: %s"), width,
                               height, shown, warning);
  else
    message = g_strdup_printf (_("uniform image: all %u × %u pixels of %s are one colour"), width, height, shown);
  return child_fail (error, ASSAY_ENGINE_ERROR_OUTPUT, verdict == PNG_BROKEN ? "output-broken-image" : "output-uniform-image",
                     message, 0);
}

/* Into the record, whatever it is worth; the verdict on images is left in *error, the first one. */
static void
child_keep_answer (TrialChild *self, ChildAnswer *answer, const GError *broken, GError **error)
{
  TrialRun *run = self->run;
  if (answer->text->len == 0 && answer->image == NULL && (broken != NULL || !answer->begun))
    return;
  AssayOutput *output = assay_output_new (answer->id);
  output->input_tokens = answer->input_tokens;
  output->output_tokens = answer->output_tokens;
  output->prompt_ns = answer->prompt_ns;
  output->generate_ns = answer->generate_ns;
  output->partial = broken != NULL;
  const gboolean stopped = g_atomic_int_get (&run->trial->stop_reason) != ASSAY_STOP_NONE;
  output->finish = g_strdup (broken == NULL ? (g_strcmp0 (answer->finish, "length") == 0 ? "length" : "stop")
                             : stopped      ? "cancelled"
                                            : "error");
  g_autoptr (GBytes) image = answer->image != NULL ? child_read_image (self, answer->image) : NULL;
  if (answer->image != NULL && broken == NULL && *error == NULL)
    child_judge_image (self, answer->image, image, error);
  if (image != NULL)
    assay_output_take_attachment (output, g_steal_pointer (&image), ".png");
  else
    output->text = trial_run_keep_text (g_string_new_len (answer->text->str, (gssize) answer->text->len),
                                        &output->text_length);
  run->n_empty += output->text != NULL && broken == NULL && trial_run_text_is_empty (output->text);
  g_ptr_array_add (assay_record_get_outputs (run->record), output);
}

/* An answer to every question is what makes a run complete. */
static gboolean
child_judge_answers (TrialChild *self, GError **error)
{
  for (guint i = 0; i < self->answers->len; i++)
    {
      const ChildAnswer *answer = self->answers->pdata[i];
      if (answer->begun && self->run->n_empty < self->answers->len)
        continue;
      g_autofree char *message
          = *answer->id != '\0' && self->answers->len > 1
                ? g_strdup_printf (_("the child process ended well, but gave no answer to %s"), answer->id)
                : g_strdup (_("the child process ended well, but gave no answer"));
      return child_fail (error, ASSAY_ENGINE_ERROR_OUTPUT, "output-empty", message, 0);
    }
  return TRUE;
}

static gboolean
child_judge (TrialChild *self, AssaySpawn *spawn, AssaySpawnScope *scope, GError **error)
{
  gint number;
  const gint code = assay_spawn_get_exit (spawn, &number);
  const gint64 kills = assay_spawn_scope_count_kills (scope);
  if (!child_judge_status (self, error))
    return FALSE;
  if (number != 0)
    return child_judge_signal (number, kills, error);
  return code == 0 || child_judge_exit (self, code, kills, error);
}

/* --- the run --- */

/* Until it is gone. FALSE when it was asked to end. */
static gboolean
child_attend (TrialChild *self, AssaySpawn *spawn, GError **error)
{
  gboolean stopped = FALSE;
  while (assay_spawn_turn (spawn, TURN_MS, trial_child_read_line, self))
    if (!stopped && !trial_run_check_stop (self->run, error))
      {
        stopped = TRUE;
        assay_spawn_stop (spawn);
      }
  return !stopped;
}

static void
child_note_rest (TrialChild *self, AssaySpawn *spawn)
{
  const guint n = assay_spawn_get_n_stragglers (spawn);
  self->n_lost += assay_spawn_get_dropped (spawn);
  if (n == 0)
    return;
  g_autofree char *text = g_strdup_printf ("%u processes that the child had left behind were ended", n);
  trial_child_warn (self, text);
}

static gboolean
child_run (TrialChild *self, const char *const *argv, GError **error)
{
  TrialRun *run = self->run;
  AssaySpawnScope *scope = assay_spawn_scope_new (assay_record_get_id (run->record), child_get_limit (run));
  g_autoptr (GBytes) input = child_dup_input (self);
  child_write_scope (self, scope);
  AssaySpawn *spawn = assay_spawn_new (argv, self->folder, input, scope, GRACE_MS, error);
  gboolean ok = spawn != NULL;
  if (ok)
    {
      assay_meter_set_family (run->meter, assay_spawn_get_family (spawn));
      ok = child_attend (self, spawn, error);
      child_note_rest (self, spawn);
      ok = ok && child_judge (self, spawn, scope, error);
      assay_meter_set_family (run->meter, -1);
    }
  assay_spawn_free (spawn);
  assay_spawn_scope_free (scope);
  return ok;
}

static void
child_keep_answers (TrialChild *self, GError **error)
{
  const GError *broken = *error;
  GError *image = NULL;
  for (guint i = 0; i < self->answers->len; i++)
    child_keep_answer (self, self->answers->pdata[i], broken, &image);
  if (image != NULL)
    g_propagate_error (error, image);
}

/* Peaks that it did not name are the greatest of what it told on its way. */
static void
child_write_told (TrialChild *self)
{
  AssayValues *told = self->run->told;
  g_autofree char *source = g_strdup_printf ("child: %s", self->source != NULL ? self->source : "unnamed");
  const AssayMeasure allocated = { .kind = "allocated", .source = source };
  const AssayMeasure reserved = { .kind = "reserved", .source = source };
  if (self->peak_allocated >= 0 && assay_values_get_state (told, ASSAY_FIELD_PEAK_VRAM) == ASSAY_VALUE_UNSET)
    {
      assay_values_set_integer (told, ASSAY_FIELD_PEAK_VRAM, self->peak_allocated);
      assay_values_set_measure (told, ASSAY_FIELD_PEAK_VRAM, &allocated);
    }
  if (self->peak_reserved >= 0 && assay_values_get_state (told, ASSAY_FIELD_PEAK_VRAM_RESERVED) == ASSAY_VALUE_UNSET)
    {
      assay_values_set_integer (told, ASSAY_FIELD_PEAK_VRAM_RESERVED, self->peak_reserved);
      assay_values_set_measure (told, ASSAY_FIELD_PEAK_VRAM_RESERVED, &reserved);
    }
}

static void
child_write (TrialChild *self, gboolean failed)
{
  g_autofree char *log = trial_child_dup_log (self, failed);
  child_write_told (self);
  if (log != NULL)
    assay_values_set_text (assay_record_get_outcome (self->run->record), ASSAY_FIELD_RUNTIME_LOG, log);
}

/* The folder was empty and ours; what the child put there goes with it, links as links. */
static void
folder_remove (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *inner = g_build_filename (path, name, NULL);
      if (g_file_test (inner, G_FILE_TEST_IS_SYMLINK) || !g_file_test (inner, G_FILE_TEST_IS_DIR))
        g_unlink (inner);
      else
        folder_remove (inner);
    }
  g_rmdir (path);
}

static void
child_init (TrialChild *self, TrialRun *run)
{
  *self = (TrialChild) { .run = run, .peak_allocated = -1, .peak_reserved = -1 };
  self->answers = g_ptr_array_new_with_free_func (child_answer_free);
  self->phases = g_ptr_array_new ();
  for (guint i = 0; i < assay_trial_get_n_questions (run->trial); i++)
    {
      const AssayQuestion *question
          = run->trial->questions != NULL ? g_ptr_array_index (run->trial->questions, i) : NULL;
      g_ptr_array_add (self->answers, child_answer_new (question != NULL ? question->id : ""));
    }
  if (self->answers->len == 1) /* it need not repeat what is asked */
    self->answer = self->answers->pdata[0];
  g_ptr_array_add (self->phases, (gpointer) g_intern_static_string ("load"));
}

static void
child_clear (TrialChild *self)
{
  if (self->folder != NULL)
    folder_remove (self->folder);
  g_free (self->folder);
  g_ptr_array_unref (self->answers);
  g_ptr_array_unref (self->phases);
  g_queue_clear_full (&self->tail, g_free);
  g_queue_clear_full (&self->warnings, g_free);
  g_free (self->version);
  g_free (self->source);
  g_free (self->status);
  g_free (self->error);
}

static gboolean
child_all (TrialChild *self, GError **error)
{
  TrialRun *run = self->run;
  const char *program = assay_values_get_text (run->actual, ASSAY_FIELD_PROGRAM);
  g_autofree char *script = NULL;
  if (!assay_recipe_find (assay_values_get_text (run->actual, ASSAY_FIELD_RECIPE), &script, error))
    return FALSE;
  child_identify_model (self);
  self->folder = g_dir_make_tmp ("assay-XXXXXX", error);
  if (self->folder == NULL || !trial_run_check_stop (run, error) || !trial_run_check_parent (run, error))
    return FALSE;
  const char *argv[] = { program, script, NULL };
  const gboolean ok = child_run (self, argv, error);
  child_write_version (self, program, script);
  return ok;
}

gboolean
trial_run_process (TrialRun *run, GError **error)
{
  TrialChild child;
  GError *local = NULL;
  child_init (&child, run);
  trial_run_begin_phase (run, child.phases->pdata[0]);
  child_all (&child, &local);
  child_keep_answers (&child, &local);
  if (local == NULL)
    child_judge_answers (&child, &local);
  child_write (&child, local != NULL);
  child_clear (&child);
  if (local != NULL)
    g_propagate_error (error, local);
  return local == NULL;
}
