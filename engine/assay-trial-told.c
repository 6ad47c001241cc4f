/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/assay-trial-told.c: what a child says, line by line, into the run.
 *
 * Whatever it says is bounded: names of phases, warnings, the log, an answer's length. A line that is none of the
 * protocol's does no harm; it is kept for the log. Sizes whose unit may mean two numbers are kept as they were said. */
#include "assay-trial-child.h"

#include "runtimes/assay-protocol.h"

#include <inttypes.h>
#include <string.h>

#define MOST_PHASES 64u

/* --- the log --- */

static void
log_push (GQueue *queue, guint most, char *line)
{
  g_queue_push_tail (queue, line);
  if (queue->length > most)
    g_free (g_queue_pop_head (queue));
}

void
trial_child_warn (TrialChild *self, const char *text)
{
  if (self->warnings.length < CHILD_WARNINGS) /* the first ones tell the cause */
    g_queue_push_tail (&self->warnings, g_strdup (text));
}

/* What the libraries print where memory does not suffice, in their own words; everything else stays unknown. */
static void
log_note_memory (TrialChild *self, const char *line)
{
  static const char *const device[] = { "CUDA out of memory", "torch.OutOfMemoryError", "torch.cuda.OutOfMemoryError",
                                        "CUDA error: out of memory", "cudaMalloc failed: out of memory",
                                        "HIP out of memory", "MPS backend out of memory" };
  static const char *const host[] = { "MemoryError", "std::bad_alloc", "Cannot allocate memory",
                                      "DefaultCPUAllocator: can't allocate memory" };
  for (guint i = 0; i < G_N_ELEMENTS (device); i++)
    self->out_of_device |= strstr (line, device[i]) != NULL;
  for (guint i = 0; i < G_N_ELEMENTS (host); i++)
    self->out_of_host |= strstr (line, host[i]) != NULL;
}

static void
child_log (TrialChild *self, const char *line, gsize length)
{
  const char *cr = memrchr (line, '\r', length); /* a bar that was drawn over itself: its last state */
  const gsize skip = cr != NULL && (gsize) (cr - line) + 1 < length ? (gsize) (cr - line) + 1 : 0;
  char *text = g_utf8_make_valid (line + skip, (gssize) MIN (length - skip, CHILD_LOG_LINE));
  log_note_memory (self, text);
  g_autofree char *lower = g_ascii_strdown (text, -1);
  if (strstr (lower, "warn") != NULL)
    trial_child_warn (self, text);
  log_push (&self->tail, CHILD_TAIL_LINES, text);
}

static gboolean
name_is_secret (const char *name)
{
  static const char *const parts[] = { "TOKEN", "SECRET", "PASSWORD", "API_KEY", "ACCESS_KEY" };
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    if (strstr (name, parts[i]) != NULL)
      return TRUE;
  return FALSE;
}

static void
log_hide_secrets (GString *text)
{
  g_auto (GStrv) names = g_listenv ();
  for (char **name = names; *name != NULL; name++)
    {
      const char *value = g_getenv (*name);
      if (name_is_secret (*name) && value != NULL && strlen (value) >= 6)
        g_string_replace (text, value, "***", 0);
    }
}

char *
trial_child_dup_log (TrialChild *self, gboolean failed)
{
  GString *text = g_string_new (NULL);
  for (GList *l = self->warnings.head; l != NULL; l = l->next)
    if (!failed || g_queue_find_custom (&self->tail, l->data, (GCompareFunc) strcmp) == NULL)
      g_string_append_printf (text, "%s%s", text->len > 0 ? "\n" : "", (const char *) l->data);
  for (GList *l = failed ? self->tail.head : NULL; l != NULL; l = l->next)
    g_string_append_printf (text, "%s%s", text->len > 0 ? "\n" : "", (const char *) l->data);
  if (self->n_lost > 0)
    g_string_append_printf (text, "%s(%" PRIu64 " bytes of lines or answers that were too long are left out)",
                            text->len > 0 ? "\n" : "", self->n_lost);
  log_hide_secrets (text);
  return g_string_free (text, text->len == 0);
}

/* --- phases and progress --- */

static gboolean
phase_is_before_work (const char *name)
{
  static const char *const names[] = { "fetch", "load", "convert", "attach", "compile", NULL };
  return g_strv_contains (names, name);
}

static AssayFieldId
phase_get_field (const char *name)
{
  return g_str_equal (name, "encode")    ? ASSAY_FIELD_ENCODE_SECONDS
         : g_str_equal (name, "denoise") ? ASSAY_FIELD_DENOISE_SECONDS
         : g_str_equal (name, "decode")  ? ASSAY_FIELD_DECODE_SECONDS
                                         : ASSAY_FIELD_INVALID;
}

static void
child_end_phase (TrialChild *self)
{
  TrialRun *run = self->run;
  const char *name = run->phase;
  if (name == NULL)
    return;
  const gint64 spent_ns = trial_run_end_phase (run);
  const AssayFieldId field = phase_get_field (name);
  double before = 0;
  if (field != ASSAY_FIELD_INVALID)
    {
      assay_values_get_real (run->told, field, &before);
      assay_values_set_real (run->told, field, before + spent_ns / 1e9);
    }
  if (self->answer == NULL)
    return;
  gint64 *sum = g_str_equal (name, "prompt")     ? &self->answer->prompt_ns
                : g_str_equal (name, "generate") ? &self->answer->generate_ns
                                                 : NULL;
  if (sum != NULL)
    *sum = MAX (*sum, 0) + spent_ns;
}

void
trial_child_begin_phase (TrialChild *self, const char *name)
{
  TrialRun *run = self->run;
  for (guint i = 0; name != NULL && i < self->phases->len; i++)
    if (g_str_equal (self->phases->pdata[i], name))
      {
        child_end_phase (self);
        run->placed |= !phase_is_before_work (name);
        run->step = -1;
        trial_run_begin_phase (run, self->phases->pdata[i]);
        return;
      }
  child_end_phase (self);
}

static gboolean
told_phase (TrialChild *self, const char *value)
{
  const gsize n = strspn (value, "abcdefghijklmnopqrstuvwxyz_");
  if (n == 0 || n > 32 || value[n] != '\0')
    return FALSE;
  const char *name = g_intern_string (value);
  if (!g_ptr_array_find (self->phases, name, NULL))
    {
      if (self->phases->len >= MOST_PHASES)
        return FALSE;
      g_ptr_array_add (self->phases, (gpointer) name);
    }
  trial_child_begin_phase (self, name);
  return TRUE;
}

static gboolean
told_step (TrialChild *self, const char *value)
{
  TrialRun *run = self->run;
  guint64 step;
  if (!g_ascii_string_to_unsigned (value, 10, 0, G_MAXINT32, &step, NULL) || run->phase == NULL)
    return FALSE;
  run->step = (gint64) step;
  const double spent_s = (assay_trial_now_ns () - run->phase_start_ns) / 1e9;
  if (g_str_equal (run->phase, "generate") && step > 1 && spent_s > 0)
    assay_trial_post_speed (run->trial, (double) (step - 1) / spent_s);
  return TRUE;
}

static gboolean
told_progress (TrialChild *self, const char *value)
{
  char *end;
  const double fraction = g_ascii_strtod (value, &end);
  if (end == value || *end != '\0' || !(fraction >= 0 && fraction <= 1))
    return FALSE;
  assay_trial_post_fraction (self->run->trial, fraction, -1);
  return TRUE;
}

/* --- answers --- */

static gboolean
told_question (TrialChild *self, const char *value)
{
  for (guint i = 0; i < self->answers->len; i++)
    {
      ChildAnswer *answer = self->answers->pdata[i];
      if (!g_str_equal (answer->id, value))
        continue;
      self->answer = answer;
      answer->begun = TRUE;
      self->run->question = i;
      assay_trial_post_question (self->run->trial, i + 1);
      assay_series_add_mark (self->run->trial->series, assay_trial_now_ns () - self->run->start_ns, "question", value);
      return TRUE;
    }
  return FALSE;
}

static gboolean
told_text (TrialChild *self, const char *value, gsize length)
{
  ChildAnswer *answer = self->answer;
  gsize n;
  if (answer == NULL)
    return FALSE;
  g_autofree char *bytes = assay_protocol_unescape (value, length, &n);
  const gsize fits = MIN (n, CHILD_ANSWER_MAX - MIN (answer->text->len, CHILD_ANSWER_MAX));
  self->n_lost += n - fits;
  g_string_append_len (answer->text, bytes, (gssize) fits);
  answer->begun = TRUE;
  g_autofree char *shown = g_utf8_make_valid (bytes, (gssize) fits);
  assay_trial_post_text (self->run->trial, answer->id, shown);
  return TRUE;
}

static gboolean
told_tokens (TrialChild *self, const char *key, const char *value)
{
  guint64 n;
  if (self->answer == NULL || !g_ascii_string_to_unsigned (value, 10, 0, G_MAXINT32, &n, NULL))
    return FALSE;
  gint64 *at = *key == 'i' ? &self->answer->input_tokens : &self->answer->output_tokens;
  gint64 *sum = *key == 'i' ? &self->run->input_tokens : &self->run->output_tokens;
  *sum += (gint64) n - MAX (*at, 0);
  *at = (gint64) n;
  return TRUE;
}

static gboolean
told_of_answer (TrialChild *self, char **at, const char *value)
{
  if (self->answer == NULL || *value == '\0')
    return FALSE;
  g_free (*at);
  *at = g_strdup (value);
  self->answer->begun = TRUE;
  return TRUE;
}

/* --- memory --- */

static gboolean
told_memory_now (TrialChild *self, const char *key, const char *value)
{
  TrialRun *run = self->run;
  const gboolean allocated = g_str_equal (key, "vram_allocated");
  gint64 bytes;
  if (!assay_protocol_parse_bytes (value, &bytes))
    return FALSE;
  *(allocated ? &run->told_allocated : &run->told_reserved) = bytes;
  gint64 *peak = allocated ? &self->peak_allocated : &self->peak_reserved;
  *peak = MAX (*peak, bytes);
  run->told_phase_peak = MAX (run->told_phase_peak, run->told_allocated);
  assay_meter_set_told (run->meter, run->told_allocated, run->told_reserved);
  return TRUE;
}

static const char *
measure_get_kind (AssayFieldId field)
{
  switch (field)
    {
    case ASSAY_FIELD_PEAK_VRAM:
      return "allocated";
    case ASSAY_FIELD_PEAK_VRAM_RESERVED:
      return "reserved";
    case ASSAY_FIELD_PEAK_VRAM_PROCESS:
      return "process";
    case ASSAY_FIELD_PEAK_VRAM_DEVICE:
    case ASSAY_FIELD_VRAM_BASELINE:
      return "device";
    default:
      return "told";
    }
}

static gboolean
told_burden (TrialChild *self, AssayFieldId field, const char *value)
{
  const AssayFieldInfo *info = assay_field_get_info (field);
  g_autofree char *source = g_strdup_printf ("child: %s", self->source != NULL ? self->source : "unnamed");
  const AssayMeasure measure = { .kind = measure_get_kind (field), .source = source };
  gint64 bytes;
  if (info->unit == ASSAY_UNIT_BYTES && assay_protocol_parse_bytes (value, &bytes))
    assay_values_set_integer (self->run->told, field, bytes);
  else if (info->unit == ASSAY_UNIT_BYTES)
    {
      g_autofree char *shown = assay_engine_escape (value, strlen (value));
      g_autofree char *reason = g_strdup_printf ("the child told '%s', which may mean more than one size", shown);
      assay_values_set_unknown (self->run->told, field, reason);
    }
  else if (!assay_values_parse (self->run->told, field, value, NULL))
    return FALSE;
  assay_values_set_measure (self->run->told, field, &measure);
  return TRUE;
}

/* What Assay measures itself is not told by anybody else. */
static gboolean
burden_may_be_told (AssayFieldId field)
{
  const char *name = assay_field_get_info (field)->name;
  return !g_str_has_prefix (name, "predicted_") && field != ASSAY_FIELD_PEAK_RAM && field != ASSAY_FIELD_PEAK_RAM_MAPPED
         && field != ASSAY_FIELD_PEAK_RAM_PINNED && field != ASSAY_FIELD_PEAK_RAM_SYSTEM
         && field != ASSAY_FIELD_RAM_BASELINE && field != ASSAY_FIELD_ELAPSED_SECONDS
         && field != ASSAY_FIELD_STARTED_AT && field != ASSAY_FIELD_FINISHED_AT && field != ASSAY_FIELD_STORAGE_BYTES;
}

/* --- conditions in effect --- */

static gboolean
condition_may_be_told (AssayFieldId field)
{
  static const AssayFieldId asked[]
      = { ASSAY_FIELD_MODEL_ID,      ASSAY_FIELD_MODEL_PATH,   ASSAY_FIELD_RUNTIME,    ASSAY_FIELD_PROGRAM,
          ASSAY_FIELD_RECIPE,        ASSAY_FIELD_PROMPT,       ASSAY_FIELD_QUESTION_SET, ASSAY_FIELD_SYSTEM_PROMPT,
          ASSAY_FIELD_PROCESS_SCOPE, ASSAY_FIELD_OPERATING_SYSTEM, ASSAY_FIELD_RUNTIME_VERSION };
  for (guint i = 0; i < G_N_ELEMENTS (asked); i++)
    if (field == asked[i])
      return FALSE;
  return assay_field_get_info (field)->section != ASSAY_SECTION_LIMITS;
}

/* Calls come one by one, in the order in which they are made. */
static void
told_call (TrialChild *self, const char *value)
{
  AssayValues *actual = self->run->actual;
  const char *before = self->calls_told ? assay_values_get_text (actual, ASSAY_FIELD_OFFLOAD_API) : NULL;
  g_autofree char *calls = before != NULL ? g_strdup_printf ("%s, %s", before, value) : g_strdup (value);
  if (strlen (calls) < 4096)
    assay_values_set_text (actual, ASSAY_FIELD_OFFLOAD_API, calls);
  self->calls_told = TRUE; /* what was asked for is no part of it */
}

/* A pipeline that was moved whole stays resident, whatever is enabled behind it. */
static void
told_moved (TrialChild *self)
{
  AssayValues *actual = self->run->actual;
  gboolean moved = FALSE;
  const char *mode = assay_values_get_text (actual, ASSAY_FIELD_OFFLOAD_MODE);
  if (!assay_values_get_boolean (actual, ASSAY_FIELD_PIPELINE_MOVED_TO_CUDA, &moved) || !moved || mode == NULL
      || g_str_equal (mode, "none"))
    return;
  g_autofree char *text = g_strdup_printf ("offload_mode %s was asked for and is not in effect: the weights were "
                                           "moved to the device as a whole, and are resident",
                                           mode);
  trial_child_warn (self, text);
  assay_values_set_text (actual, ASSAY_FIELD_OFFLOAD_MODE, "none");
}

static gboolean
told_condition (TrialChild *self, AssayFieldId field, const char *value)
{
  if (field == ASSAY_FIELD_OFFLOAD_API)
    told_call (self, value);
  else if (assay_field_get_info (field)->unit == ASSAY_UNIT_BYTES)
    {
      gint64 bytes;
      if (!assay_protocol_parse_bytes (value, &bytes))
        return FALSE;
      assay_values_set_integer (self->run->actual, field, bytes);
    }
  else if (!assay_values_parse (self->run->actual, field, value, NULL))
    return FALSE;
  if (field == ASSAY_FIELD_PIPELINE_MOVED_TO_CUDA || field == ASSAY_FIELD_OFFLOAD_MODE)
    told_moved (self);
  return TRUE;
}

static gboolean
told_field (TrialChild *self, const char *key, const char *value)
{
  const AssayFieldId field = assay_field_from_name (key);
  if (field == ASSAY_FIELD_INVALID)
    return FALSE;
  const AssayGroup group = assay_field_get_info (field)->group;
  if (group == ASSAY_GROUP_BURDEN && burden_may_be_told (field))
    return told_burden (self, field, value);
  return group == ASSAY_GROUP_CONDITIONS && condition_may_be_told (field) && told_condition (self, field, value);
}

/* --- one line --- */

static gboolean
told_once (char **at, const char *value)
{
  g_free (*at);
  *at = g_strndup (value, 4000);
  return TRUE;
}

static gboolean
child_hear (TrialChild *self, const char *key, const char *value)
{
  if (g_str_equal (key, "phase"))
    return told_phase (self, value);
  if (g_str_equal (key, "step"))
    return told_step (self, value);
  if (g_str_equal (key, "progress"))
    return told_progress (self, value);
  if (g_str_equal (key, "question"))
    return told_question (self, value);
  if (g_str_equal (key, "input_tokens") || g_str_equal (key, "output_tokens"))
    return told_tokens (self, key, value);
  if (g_str_equal (key, "finish"))
    return self->answer != NULL && told_of_answer (self, &self->answer->finish, value);
  if (g_str_equal (key, "image"))
    return self->answer != NULL && told_of_answer (self, &self->answer->image, value);
  if (g_str_equal (key, "vram_allocated") || g_str_equal (key, "vram_reserved"))
    return told_memory_now (self, key, value);
  if (g_str_equal (key, "memory_source"))
    return told_once (&self->source, value);
  if (g_str_equal (key, "version"))
    return told_once (&self->version, value);
  if (g_str_equal (key, "status"))
    return told_once (&self->status, value);
  if (g_str_equal (key, "error"))
    return told_once (&self->error, value);
  if (g_str_equal (key, "failed_request"))
    return assay_protocol_parse_bytes (value, &self->request);
  if (g_str_equal (key, "warning"))
    {
      trial_child_warn (self, value);
      return TRUE;
    }
  return told_field (self, key, value);
}

void
trial_child_read_line (AssaySpawnStream stream, const char *line, gsize length, gpointer data)
{
  TrialChild *self = data;
  char key[41];
  const char *rest;
  gsize n;
  if (stream == ASSAY_SPAWN_OUTPUT && assay_protocol_split (line, length, key, &rest, &n))
    {
      if (g_str_equal (key, "text") && told_text (self, rest, n))
        return;
      g_autofree char *bytes = assay_protocol_unescape (rest, n, &n);
      g_autofree char *value = g_utf8_make_valid (bytes, (gssize) n); /* a NUL is no part of any other value */
      if (child_hear (self, key, value))
        return;
    }
  self->n_odd += stream == ASSAY_SPAWN_OUTPUT;
  child_log (self, line, length);
}
