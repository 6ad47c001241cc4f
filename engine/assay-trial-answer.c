/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/assay-trial-answer.c: some questions at once: their prompts are processed one after another, then
 * every pass adds one token to each answer that goes on.
 *
 * Speeds: prompt tokens over the prompt phases; answer tokens (the end token not counted) over the generate
 * phases, which hold the drawing of every token, the end token's too, and the forward pass of every token but
 * the last. */
#include "assay-trial-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#define NUL_SYMBOL "\xE2\x90\x80" /* U+2400: text in a record holds no NUL */

typedef struct
{
  TrialRun *run;
  const char *id;          /* of the question */
  GArray *prompt, *answer; /* gint32 */
  AssayTextStream *stream;
  AssaySampling sampling;
  gint64 max_tokens;
  gint64 start_ns, prompt_ns, generate_ns;
  const char *finish;
  guint question; /* from 0 */
  guint sequence; /* of the model */
  guint row;      /* where its logits lie */
  gboolean more;  /* it goes on */
} Answer;

/* The questions that are worked on at once. */
typedef struct
{
  TrialRun *run;
  GPtrArray *answers; /* (element-type Answer) */
  guint n_tokens;     /* drawn in this generate phase */
} Batch;

static const AssayQuestion *
run_question (TrialRun *run, guint i)
{
  return run->trial->questions != NULL ? g_ptr_array_index (run->trial->questions, i) : NULL;
}

/* --- before anything is loaded --- */

gboolean
trial_run_tokenize (TrialRun *run, GError **error)
{
  run->prompts = assay_trial_encode_prompts (run->actual, run->inspection, run->trial->questions,
                                             &run->chat_format, run->trial->stop, error);
  if (run->prompts == NULL)
    return FALSE;
  assay_values_set_text (run->actual, ASSAY_FIELD_CHAT_FORMAT, assay_chat_format_get_name (run->chat_format));
  return TRUE;
}

/* --- one answer --- */

static gboolean
run_unit (const AssayModelUnit *unit, gpointer data, GError **error)
{
  TrialRun *run = data;
  g_autofree char *block = assay_placement_dup_resident (assay_model_get_placement (run->rig.model));
  assay_trial_post_unit (run->trial, unit, block);
  return trial_run_check_stop (run, error);
}

static void
answer_post_progress (Answer *self)
{
  TrialRun *run = self->run;
  const double n = assay_trial_get_n_questions (run->trial);
  const double within = MIN ((double) self->answer->len / self->max_tokens, 1.0);
  const double done = (run->question + within) / n;
  const double asked_s = (assay_trial_now_ns () - run->start_ns - run->load_ns - run->convert_ns) / 1e9;
  const double left_s = assay_remaining_update (&run->remaining, done, asked_s);
  assay_trial_post_fraction (run->trial, 0.2 + 0.8 * done, left_s);
}

static gboolean
answer_prompt (Answer *self, GError **error)
{
  TrialRun *run = self->run;
  self->start_ns = assay_trial_now_ns ();
  run->question = self->question;
  assay_trial_post_question (run->trial, self->question + 1);
  assay_series_add_mark (run->trial->series, self->start_ns - run->start_ns, "question", self->id);
  trial_run_begin_phase (run, "prompt");
  assay_model_reset (run->rig.model, self->sequence);
  const gboolean ok = assay_model_prompt (run->rig.model, self->sequence, (const gint32 *) self->prompt->data,
                                          self->prompt->len, run_unit, run, error);
  run->step = assay_model_get_position (run->rig.model, self->sequence);
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
  const gboolean ok = assay_model_sample (run->rig.model, self->row, &self->sampling, token, error);
  run->sampling_ns += assay_trial_now_ns () - before_ns;
  return ok;
}

static gboolean
run_check_file (TrialRun *run, GError **error)
{
  AssayModelFile *file = run->inspection->file;
  if (!assay_model_file_is_changed (file))
    return TRUE;
  assay_engine_error_set (error, ASSAY_ENGINE_ERROR_CHANGED, "file-changed", assay_model_file_get_path (file),
                          NULL, -1, _("the model file changed while it was in use; run again"));
  return FALSE;
}

static void
answer_accept (Answer *self, Batch *batch, gint32 token)
{
  TrialRun *run = self->run;
  if (self->answer->len == 0)
    {
      run->first_token_ns += assay_trial_now_ns () - self->start_ns;
      run->n_first_tokens++;
    }
  g_array_append_val (self->answer, token);
  run->output_tokens++;
  batch->n_tokens++;
  run->step = self->answer->len;
  g_autofree char *text = assay_text_stream_push (self->stream, token);
  assay_trial_post_text (run->trial, self->id, text);
  const gint64 spent_ns = assay_trial_now_ns () - run->phase_start_ns;
  if (batch->n_tokens > batch->answers->len && spent_ns > 0) /* the first token of each is the prompt's */
    assay_trial_post_speed (run->trial, (batch->n_tokens - batch->answers->len) * 1e9 / spent_ns);
  answer_post_progress (self);
}

static void
answer_end (Answer *self, const char *finish)
{
  self->finish = finish;
  self->more = FALSE;
  self->generate_ns = assay_trial_now_ns () - self->run->phase_start_ns;
}

/* Draws one token, and says whether the answer goes on behind it. */
static gboolean
answer_draw (Answer *self, Batch *batch, gint32 *token, GError **error)
{
  TrialRun *run = self->run;
  gint64 context = 0;
  if (!answer_sample (self, token, error))
    return FALSE;
  if (assay_tokenizer_is_end (run->inspection->tokenizer, *token))
    {
      answer_end (self, "stop");
      return TRUE;
    }
  answer_accept (self, batch, *token);
  assay_values_get_integer (run->actual, ASSAY_FIELD_CONTEXT_LENGTH, &context);
  if (self->answer->len >= self->max_tokens
      || assay_model_get_position (run->rig.model, self->sequence) >= context)
    answer_end (self, "length");
  return TRUE;
}

/* One token for every answer that goes on, then one pass for those that still do. */
static gboolean
batch_step (Batch *self, guint *sequences, gint32 *tokens, guint *n_live, GError **error)
{
  TrialRun *run = self->run;
  *n_live = 0;
  if (!trial_run_check_stop (run, error) || !run_check_file (run, error))
    return FALSE;
  for (guint i = 0; i < self->answers->len; i++)
    {
      Answer *answer = g_ptr_array_index (self->answers, i);
      if (answer->more && !answer_draw (answer, self, &tokens[*n_live], error))
        return FALSE;
      if (!answer->more)
        continue;
      sequences[*n_live] = answer->sequence;
      answer->row = (*n_live)++;
    }
  return *n_live == 0
         || assay_model_decode (run->rig.model, sequences, tokens, *n_live, run_unit, run, error);
}

static gboolean
batch_generate (Batch *self, GError **error)
{
  TrialRun *run = self->run;
  g_autofree guint *sequences = g_new (guint, self->answers->len);
  g_autofree gint32 *tokens = g_new (gint32, self->answers->len);
  guint n_live = self->answers->len;
  trial_run_begin_phase (run, "generate");
  run->step = 0;
  while (n_live > 0)
    if (!batch_step (self, sequences, tokens, &n_live, error))
      return FALSE;
  trial_run_end_phase (run);
  run->step = -1;
  return TRUE;
}

char *
trial_run_keep_text (GString *bytes, gsize *length)
{
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

static char *
answer_dup_text (Answer *self, gsize *length)
{
  return trial_run_keep_text (assay_tokenizer_decode (self->run->inspection->tokenizer,
                                                      (const gint32 *) self->answer->data, self->answer->len, FALSE),
                              length);
}

gboolean
trial_run_text_is_empty (const char *text)
{
  return text[strspn (text, " \t\r\n")] == '\0';
}

/* Keeps what there is, also of an answer that was broken off; one that had not begun is no output. */
static void
answer_keep (Answer *self, const GError *error)
{
  TrialRun *run = self->run;
  const gboolean broken = self->more && error != NULL;
  if (broken && self->answer->len == 0)
    return;
  if (broken && run->phase != NULL && self->prompt_ns >= 0)
    self->generate_ns = assay_trial_now_ns () - run->phase_start_ns;
  g_autofree char *rest = assay_text_stream_finish (self->stream);
  assay_trial_post_text (run->trial, self->id, rest);
  AssayOutput *output = assay_output_new (self->id);
  output->text = answer_dup_text (self, &output->text_length);
  output->input_tokens = self->prompt->len;
  output->output_tokens = self->answer->len;
  output->prompt_ns = self->prompt_ns;
  output->generate_ns = self->generate_ns;
  const gboolean stopped = g_atomic_int_get (&run->trial->stop_reason) != ASSAY_STOP_NONE;
  output->finish = g_strdup (!broken ? self->finish : stopped ? "cancelled" : "error");
  output->partial = broken;
  if (!broken && trial_run_text_is_empty (output->text))
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
  self->sampling = (AssaySampling){ .temperature = (float) temperature,
                                    .top_p = (float) top_p,
                                    .top_k = (guint32) top_k,
                                    .seed = (guint64) seed,
                                    .stream = self->question };
}

static Answer *
answer_new (TrialRun *run, guint i, guint sequence)
{
  const AssayQuestion *question = run_question (run, i);
  Answer *self = g_new0 (Answer, 1);
  *self = (Answer){ .run = run,
                    .id = question != NULL ? question->id : "",
                    .finish = "error",
                    .question = i,
                    .sequence = sequence,
                    .row = sequence,
                    .more = TRUE,
                    .prompt = g_ptr_array_index (run->prompts, i),
                    .prompt_ns = -1,
                    .generate_ns = -1 };
  self->answer = g_array_new (FALSE, FALSE, sizeof (gint32));
  self->stream = assay_text_stream_new (run->inspection->tokenizer);
  answer_read_sampling (self);
  return self;
}

static void
answer_free (gpointer data)
{
  Answer *self = data;
  g_array_unref (self->answer);
  assay_text_stream_free (self->stream);
  g_free (self);
}

static gboolean
batch_run (Batch *self, GError **error)
{
  for (guint i = 0; i < self->answers->len; i++)
    if (!answer_prompt (g_ptr_array_index (self->answers, i), error))
      return FALSE;
  return batch_generate (self, error);
}

gboolean
trial_run_answer (TrialRun *run, guint first, guint n, GError **error)
{
  g_autoptr (GPtrArray) answers = g_ptr_array_new_with_free_func (answer_free);
  Batch batch = { .run = run, .answers = answers };
  GError *local = NULL;
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (answers, answer_new (run, first + i, i));
  const gboolean ok = batch_run (&batch, &local);
  for (guint i = 0; i < n; i++)
    answer_keep (g_ptr_array_index (answers, i), local);
  if (!ok)
    g_propagate_error (error, local);
  return ok;
}
