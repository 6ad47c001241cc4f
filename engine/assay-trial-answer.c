/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/assay-trial-answer.c: one question: its prompt is processed, then tokens are drawn one by one.
 *
 * Speeds: prompt tokens over the prompt phase; answer tokens (the end token not counted) over the generate
 * phase, which holds the drawing of every token, the end token's too, and the forward pass of every token but
 * the last. */
#include "assay-trial-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#define NUL_SYMBOL "\xE2\x90\x80" /* U+2400: text in a record holds no NUL */

typedef struct
{
  TrialRun *run;
  const char *id;               /* of the question */
  GArray *prompt, *answer;      /* gint32 */
  AssayTextStream *stream;
  AssaySampling sampling;
  gint64 max_tokens;
  gint64 start_ns, prompt_ns, generate_ns;
  const char *finish;
} Answer;

static const AssayQuestion *
run_question (TrialRun *run, guint i)
{
  return run->trial->questions != NULL ? g_ptr_array_index (run->trial->questions, i) : NULL;
}

/* --- before anything is loaded --- */

static gboolean
run_choose_chat_format (TrialRun *run, GError **error)
{
  const char *name = assay_values_get_text (run->actual, ASSAY_FIELD_CHAT_FORMAT);
  if (!assay_chat_format_from_name (name, &run->chat_format))
    g_return_val_if_reached (FALSE); /* a choice of the field */
  if (run->chat_format == ASSAY_CHAT_AUTO
      && !assay_chat_format_recognise (run->inspection->file, run->inspection->tokenizer, &run->chat_format,
                                       error))
    return FALSE;
  assay_values_set_text (run->actual, ASSAY_FIELD_CHAT_FORMAT, assay_chat_format_get_name (run->chat_format));
  return TRUE;
}

static GArray *
run_encode (TrialRun *run, guint i, GError **error)
{
  const AssayQuestion *question = run_question (run, i);
  const char *text = question != NULL ? question->text
                                      : assay_values_get_text (run->actual, ASSAY_FIELD_PROMPT);
  const char *system = assay_values_get_text (run->actual, ASSAY_FIELD_SYSTEM_PROMPT);
  return assay_chat_encode (run->chat_format, run->inspection->tokenizer, system, text != NULL ? text : "",
                            run->trial->stop, error);
}

static gboolean
run_check_prompt (TrialRun *run, guint i, const GArray *ids, GError **error)
{
  const AssayQuestion *question = run_question (run, i);
  gint64 context = 0;
  assay_values_get_integer (run->actual, ASSAY_FIELD_CONTEXT_LENGTH, &context);
  if (ids->len > 0 && ids->len <= context)
    return TRUE;
  if (ids->len == 0)
    assay_engine_error_set (error, ASSAY_ENGINE_ERROR_CONTEXT, "prompt-empty", NULL, NULL, -1,
                            _("the prompt%s%s has no tokens: write one"), question != NULL ? " of " : "",
                            question != NULL ? question->id : "");
  else
    assay_engine_error_set (error, ASSAY_ENGINE_ERROR_CONTEXT, "prompt-too-long", NULL, NULL, -1,
                            _("the prompt%s%s has %u tokens, the context holds %" G_GINT64_FORMAT
                               ": shorten it or raise context_length; nothing was cut and nothing was run"),
                            question != NULL ? " of " : "", question != NULL ? question->id : "", ids->len,
                            context);
  if (error != NULL)
    assay_engine_error_set_field (*error, "prompt"); /* the sentences say it */
  return FALSE;
}

gboolean
trial_run_tokenize (TrialRun *run, GError **error)
{
  if (!run_choose_chat_format (run, error))
    return FALSE;
  for (guint i = 0; i < assay_trial_get_n_questions (run->trial); i++)
    {
      GArray *ids = run_encode (run, i, error);
      if (ids == NULL)
        return FALSE;
      g_ptr_array_add (run->prompts, ids);
      if (!run_check_prompt (run, i, ids, error))
        return FALSE;
    }
  return TRUE;
}

/* --- one answer --- */

static gboolean
answer_unit (const AssayModelUnit *unit, gpointer data, GError **error)
{
  Answer *answer = data;
  assay_trial_post_unit (answer->run->trial, unit);
  return trial_run_check_stop (answer->run, error);
}

static void
answer_post_progress (Answer *self)
{
  TrialRun *run = self->run;
  const double n = assay_trial_get_n_questions (run->trial);
  const double within = MIN ((double) self->answer->len / self->max_tokens, 1.0);
  const double done = (run->question + within) / n;
  const double asked_s = (assay_trial_now_ns () - run->start_ns - run->load_ns - run->convert_ns) / 1e9;
  const double left_s = done > 0 && asked_s > 0.5 ? asked_s * (1 - done) / done : -1;
  assay_trial_post_fraction (run->trial, 0.2 + 0.8 * done, left_s);
}

static gboolean
answer_prompt (Answer *self, GError **error)
{
  TrialRun *run = self->run;
  trial_run_begin_phase (run, "prompt");
  assay_model_reset (run->model, 0);
  const gboolean ok = assay_model_prompt (run->model, 0, (const gint32 *) self->prompt->data, self->prompt->len,
                                          answer_unit, self, error);
  run->step = assay_model_get_position (run->model, 0);
  run->input_tokens += run->step;
  if (!ok)
    return FALSE;
  self->prompt_ns = trial_run_end_phase (run);
  return TRUE;
}

static gboolean
answer_sample (Answer *self, gint32 *token, GError **error)
{
  TrialRun *run = self->run;
  const gint64 before_ns = assay_trial_now_ns ();
  self->sampling.counter = self->answer->len;
  const gboolean ok = assay_model_sample (run->model, 0, &self->sampling, token, error);
  run->sampling_ns += assay_trial_now_ns () - before_ns;
  return ok;
}

static gboolean
answer_check_file (Answer *self, GError **error)
{
  AssayModelFile *file = self->run->inspection->file;
  if (!assay_model_file_is_changed (file))
    return TRUE;
  assay_engine_error_set (error, ASSAY_ENGINE_ERROR_CHANGED, "file-changed", assay_model_file_get_path (file),
                          NULL, -1, _("the model file changed while it was in use; run again"));
  return FALSE;
}

static void
answer_accept (Answer *self, gint32 token)
{
  TrialRun *run = self->run;
  if (self->answer->len == 0)
    {
      run->first_token_ns += assay_trial_now_ns () - self->start_ns;
      run->n_first_tokens++;
    }
  g_array_append_val (self->answer, token);
  run->output_tokens++;
  run->step = self->answer->len;
  g_autofree char *text = assay_text_stream_push (self->stream, token);
  assay_trial_post_text (run->trial, self->id, text);
  const gint64 spent_ns = assay_trial_now_ns () - run->phase_start_ns;
  assay_trial_post_speed (run->trial, spent_ns > 0 ? self->answer->len * 1e9 / spent_ns : 0);
  answer_post_progress (self);
}

/* One token. *more: whether the answer goes on. */
static gboolean
answer_step (Answer *self, gboolean *more, GError **error)
{
  TrialRun *run = self->run;
  gint32 token = 0;
  *more = FALSE;
  if (!trial_run_check_stop (run, error) || !answer_check_file (self, error)
      || !answer_sample (self, &token, error))
    return FALSE;
  if (assay_tokenizer_is_end (run->inspection->tokenizer, token))
    {
      self->finish = "stop";
      return TRUE;
    }
  answer_accept (self, token);
  gint64 context = 0;
  assay_values_get_integer (run->actual, ASSAY_FIELD_CONTEXT_LENGTH, &context);
  if (self->answer->len >= self->max_tokens || assay_model_get_position (run->model, 0) >= context)
    {
      self->finish = "length";
      return TRUE;
    }
  *more = TRUE;
  const guint sequence = 0;
  return assay_model_decode (run->model, &sequence, &token, 1, answer_unit, self, error);
}

static gboolean
answer_generate (Answer *self, GError **error)
{
  TrialRun *run = self->run;
  trial_run_begin_phase (run, "generate");
  run->step = 0;
  gboolean more = TRUE;
  while (more)
    if (!answer_step (self, &more, error))
      {
        self->generate_ns = assay_trial_now_ns () - run->phase_start_ns;
        return FALSE;
      }
  self->generate_ns = trial_run_end_phase (run);
  run->step = -1;
  return TRUE;
}

static char *
answer_dup_text (Answer *self, gsize *length)
{
  GString *bytes = assay_tokenizer_decode (self->run->inspection->tokenizer,
                                           (const gint32 *) self->answer->data, self->answer->len, FALSE);
  if (memchr (bytes->str, '\0', bytes->len) != NULL)
    {
      GString *escaped = g_string_sized_new (bytes->len + 8);
      for (gsize i = 0; i < bytes->len; i++)
        if (bytes->str[i] == '\0')
          g_string_append (escaped, NUL_SYMBOL);
        else
          g_string_append_c (escaped, bytes->str[i]);
      g_string_free (bytes, TRUE);
      bytes = escaped;
    }
  *length = bytes->len;
  return g_string_free (bytes, FALSE);
}

static gboolean
text_is_empty (const char *text)
{
  return text[strspn (text, " \t\r\n")] == '\0';
}

/* Keeps what there is, also of an answer that was broken off; one that had not begun is no output. */
static void
answer_keep (Answer *self, const GError *error)
{
  TrialRun *run = self->run;
  if (error != NULL && self->answer->len == 0)
    return;
  g_autofree char *rest = assay_text_stream_finish (self->stream);
  assay_trial_post_text (run->trial, self->id, rest);
  AssayOutput *output = assay_output_new (self->id);
  output->text = answer_dup_text (self, &output->text_length);
  output->input_tokens = self->prompt->len;
  output->output_tokens = self->answer->len;
  output->prompt_ns = self->prompt_ns;
  output->generate_ns = self->generate_ns;
  const gboolean stopped = g_atomic_int_get (&run->trial->stop_reason) != ASSAY_STOP_NONE;
  output->finish = g_strdup (error == NULL ? self->finish : stopped ? "cancelled" : "error");
  output->partial = error != NULL;
  if (error == NULL && text_is_empty (output->text))
    run->n_empty++;
  g_ptr_array_add (assay_record_get_outputs (run->record), output);
}

static void
answer_read_sampling (Answer *self)
{
  const AssayValues *c = self->run->actual;
  double temperature = 0, top_p = 1;
  gint64 top_k = 0, seed = 0;
  assay_values_get_real (c, ASSAY_FIELD_TEMPERATURE, &temperature);
  assay_values_get_real (c, ASSAY_FIELD_TOP_P, &top_p);
  assay_values_get_integer (c, ASSAY_FIELD_TOP_K, &top_k);
  assay_values_get_integer (c, ASSAY_FIELD_SEED, &seed);
  assay_values_get_integer (c, ASSAY_FIELD_MAX_TOKENS, &self->max_tokens);
  self->sampling = (AssaySampling) { .temperature = (float) temperature, .top_p = (float) top_p,
                                     .top_k = (guint32) top_k, .seed = (guint64) seed,
                                     .stream = self->run->question };
}

gboolean
trial_run_answer (TrialRun *run, guint i, GError **error)
{
  const AssayQuestion *question = run_question (run, i);
  Answer self = { .run = run, .id = question != NULL ? question->id : "", .finish = "error",
                  .prompt = g_ptr_array_index (run->prompts, i), .start_ns = assay_trial_now_ns (),
                  .prompt_ns = -1, .generate_ns = -1 };
  g_autoptr (GArray) answer = self.answer = g_array_new (FALSE, FALSE, sizeof (gint32));
  g_autoptr (AssayTextStream) stream = self.stream = assay_text_stream_new (run->inspection->tokenizer);
  run->question = i;
  answer_read_sampling (&self);
  assay_trial_post_question (run->trial, i + 1);
  assay_series_add_mark (run->trial->series, self.start_ns - run->start_ns, "question", self.id);

  GError *local = NULL;
  const gboolean ok = answer_prompt (&self, &local) && answer_generate (&self, &local);
  answer_keep (&self, local);
  if (!ok)
    g_propagate_error (error, local);
  return ok;
}
