/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/models/assay-model.c: the life of a model, its sequences and its passes, whatever its family. */
#include "assay-model-private.h"

#include "assay-device-private.h"
#include "placement/assay-placement-private.h"

#define DEFAULT_CHUNK 128u
#define CARD_CHUNK 512u /* a card needs many tokens at a time to be busy */
#define CARD_CHUNK 512u /* a card needs many tokens at a time to be busy */
#define RECORDED_TOKENS 8u /* at most, of a pass that is recorded */

static const struct
{
  const char *architecture;
  const AssayGraph *graph;
} graphs[] = {
  { "llama", &assay_decoder_graph },  { "qwen2", &assay_decoder_graph },  { "qwen3", &assay_decoder_graph },
  { "gemma2", &assay_decoder_graph }, { "gemma3", &assay_decoder_graph }, { "gpt2", &assay_decoder_graph },
  { "phi3", &assay_decoder_graph },
};

static const AssayGraph *
model_find_graph (const char *architecture)
{
  for (guint i = 0; i < G_N_ELEMENTS (graphs); i++)
    if (g_str_equal (graphs[i].architecture, architecture))
      return graphs[i].graph;
  return NULL;
}

/* --- new --- */

static gboolean
model_can_cache (AssayDtype dtype)
{
  return dtype == ASSAY_DTYPE_F32 || dtype == ASSAY_DTYPE_F16 || dtype == ASSAY_DTYPE_Q8_0;
}

static void
model_init (AssayModel *self, const AssayModelOptions *options)
{
  self->context = options->context_length;
  self->n_sequences = MAX (options->n_sequences, 1);
  const guint chunk = assay_device_get_cuda (self->device) != NULL ? CARD_CHUNK : DEFAULT_CHUNK;
  self->chunk = MIN (options->chunk > 0 ? options->chunk : chunk, self->context);
  self->k_dtype = options->k_dtype;
  self->v_dtype = options->v_dtype;
  self->read_weights = options->read_weights;
  self->layers = g_new0 (AssayLayer, self->config.n_layers);
  self->position = g_new0 (guint, self->n_sequences);
  self->buffers = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_buffer_free);
  self->adapters = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_adapter_unref);
  self->ropes[0] = self->config.rope;
  self->step = "";
  assay_format_init (self, &options->format);
  assay_model_init_weights (self);
}

static gboolean
model_build (AssayModel *self, GError **error)
{
  if (!assay_model_check_cache (self, error) || !self->graph->build (self, error))
    return FALSE;
  if (self->build_error != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&self->build_error));
      return FALSE;
    }
  assay_model_set_unit_bytes (self);
  return assay_format_check (self, error);
}

AssayModel *
assay_model_new (AssayModelFile *file, const AssayModelConfig *config, AssayDevice *device, AssayDevice *host,
                 const AssayModelOptions *options, GError **error)
{
  g_return_val_if_fail (model_can_cache (options->k_dtype) && model_can_cache (options->v_dtype), NULL);
  g_return_val_if_fail (options->context_length > 0, NULL);
  g_return_val_if_fail ((device != host) == assay_device_is_separate (device), NULL);
  const AssayGraph *graph = model_find_graph (config->architecture);
  if (graph == NULL)
    {
      assay_engine_error_set (error, ASSAY_ENGINE_ERROR_UNSUPPORTED, "architecture-unsupported",
                              assay_model_file_get_path (file), "general.architecture", -1,
                              "this engine has no graph for '%s'", config->architecture);
      return NULL;
    }
  g_autoptr (AssayModel) self = g_new0 (AssayModel, 1);
  self->file = assay_model_file_ref (file);
  self->config = *config;
  self->device = device;
  self->host = host;
  self->graph = graph;
  model_init (self, options);
  return model_build (self, error) ? g_steal_pointer (&self) : NULL;
}

static void
model_unplace (AssayModel *self)
{
  assay_model_free_memory (self);
  assay_model_unplace_weights (self);
}

void
assay_model_free (AssayModel *self)
{
  if (self == NULL)
    return;
  model_unplace (self);
  assay_model_clear_weights (self);
  g_clear_pointer (&self->modules, assay_module_list_free);
  g_ptr_array_unref (self->adapters);
  g_ptr_array_unref (self->buffers);
  g_free (self->position);
  g_free (self->layers);
  assay_model_file_unref (self->file);
  g_free (self);
}

/* --- what it is --- */

const AssayModelConfig *
assay_model_get_config (AssayModel *self)
{
  return &self->config;
}

guint
assay_model_get_n_units (AssayModel *self)
{
  return self->units->len;
}

const AssayModelUnit *
assay_model_get_unit (AssayModel *self, guint i)
{
  g_return_val_if_fail (i < self->units->len, NULL);
  return &g_array_index (self->units, AssayModelUnit, i);
}

gboolean
assay_model_needs_conversion (AssayModel *self)
{
  for (guint i = 0; i < self->weights->len; i++)
    {
      const AssayWeight *weight = assay_model_get_weight (self, i);
      if (weight->linear == NULL && assay_weight_is_changed (weight))
        return TRUE;
    }
  return FALSE;
}

const char *
assay_model_get_attention_kernel (AssayModel *self)
{
  if (self->k_dtype == ASSAY_DTYPE_Q8_0)
    return "online softmax, q8_0 cache";
  return self->k_dtype == ASSAY_DTYPE_F16 ? "online softmax, float16 cache"
                                          : "online softmax, float32 cache";
}

/* --- place --- */

gboolean
assay_model_place (AssayModel *self, const AssayAssembly *assembly, AssayLink *link,
                   void (*progress) (guint64 done, guint64 total, gpointer data), gpointer data,
                   GCancellable *cancellable, GError **error)
{
  g_return_val_if_fail (self->placement == NULL, FALSE);
  g_return_val_if_fail ((link != NULL) == (self->device != self->host), FALSE);
  if (assay_model_place_weights (self, assembly, link, progress, data, cancellable, error))
    {
      self->step = "cache";
      if (assay_model_allocate_cache (self, error))
        return TRUE;
    }
  model_unplace (self);
  return FALSE;
}

AssayPlacement *
assay_model_get_placement (AssayModel *self)
{
  return self->placement;
}

const char *
assay_model_get_step (AssayModel *self)
{
  return self->step;
}

guint64
assay_model_get_mapped_bytes (AssayModel *self)
{
  return self->mapped_bytes;
}

/* --- passes --- */

gboolean
assay_model_enter (AssayModel *self, guint unit, GError **error)
{
  if (unit == self->current_unit)
    return TRUE;
  self->current_unit = unit;
  return (self->unit_func == NULL
          || self->unit_func (assay_model_get_unit (self, unit), self->unit_data, error))
         && assay_placement_enter (self->placement, unit, error);
}

static gboolean
model_check_tokens (AssayModel *self, guint sequence, const gint32 *tokens, guint n, GError **error)
{
  if (n > self->context - self->position[sequence])
    {
      assay_engine_error_set (error, ASSAY_ENGINE_ERROR_CONTEXT, "context-full", NULL, "context_length", -1,
                              "%u tokens after %u do not fit a context of %u", n, self->position[sequence],
                              self->context);
      return FALSE;
    }
  for (guint i = 0; i < n; i++)
    if (tokens[i] < 0 || (guint) tokens[i] >= self->config.n_vocab)
      {
        assay_engine_error_set (error, ASSAY_ENGINE_ERROR_FORMAT, "token-out-of-range",
                                assay_model_file_get_path (self->file), "token_embd.weight", -1,
                                "token %d lies outside the model's %u rows", tokens[i], self->config.n_vocab);
        return FALSE;
      }
  return TRUE;
}

/* Units that a pass enters: without logits, the head is not among them. */
static guint
model_count_entered (AssayModel *self, const AssayPass *pass)
{
  guint n = self->units->len;
  while (pass->n_logits == 0 && n > 0 && g_str_equal (assay_model_get_unit (self, n - 1)->component, "head"))
    n--;
  return n;
}

/* On a card whose weights stay where they are, the launches of a pass of few tokens are handed over as one: each is
 * shorter than the way to it. */
static gboolean
model_forward (AssayModel *self, const AssayPass *pass, GError **error)
{
  AssayBackend *b = assay_device_get_backend (self->device);
  const AssayCudaModule *cuda = assay_device_is_plan (self->device) ? NULL : assay_device_get_cuda (self->device);
  if (cuda == NULL || pass->n_tokens > RECORDED_TOKENS || assay_placement_get_window_bytes (self->placement) > 0)
    return self->graph->forward (self, pass, error);
  if (!assay_device_check (self->device, cuda->graph_begin (b), "graph_begin", error))
    return FALSE;
  const gboolean ok = self->graph->forward (self, pass, error);
  const AssayStatus status = cuda->graph_end (b, ok);
  return ok && assay_device_check (self->device, status, "graph_end", error);
}

static gboolean
model_run_pass (AssayModel *self, const AssayPass *pass, AssayUnitFunc unit, gpointer data, GError **error)
{
  AssayBackend *b = assay_device_get_backend (self->device);
  self->unit_func = unit;
  self->unit_data = data;
  self->current_unit = G_MAXUINT;
  assay_placement_begin (self->placement, model_count_entered (self, pass), pass->followed);
  gboolean ok = model_forward (self, pass, error)
                && assay_device_check (self->device, b->ops->sync (b), "sync", error);
  self->unit_func = NULL;
  if (!assay_placement_end (self->placement, ok, ok ? error : NULL))
    ok = FALSE;
  for (guint i = 0; ok && i < pass->n_spans; i++)
    self->position[pass->spans[i].sequence] += pass->spans[i].n;
  return ok;
}

gboolean
assay_model_prompt (AssayModel *self, guint sequence, const gint32 *tokens, guint n, AssayUnitFunc unit,
                    gpointer data, GError **error)
{
  g_return_val_if_fail (n > 0 && sequence < self->n_sequences && self->placement != NULL, FALSE);
  if (!model_check_tokens (self, sequence, tokens, n, error)
      || !assay_model_reserve (self, MIN (self->chunk, n), self->n_sequences, error))
    return FALSE;
  self->first_logit = sequence;
  for (guint done = 0; done < n;)
    {
      const AssaySpan span = { .sequence = sequence, .n = MIN (self->chunk, n - done),
                               .first = self->position[sequence] };
      const AssayPass pass = { .tokens = tokens + done, .n_tokens = span.n, .spans = &span, .n_spans = 1,
                               .n_logits = done + span.n == n ? 1 : 0, .followed = done + span.n < n };
      if (!model_run_pass (self, &pass, unit, data, error))
        return FALSE;
      done += span.n;
    }
  return TRUE;
}

gboolean
assay_model_decode (AssayModel *self, const guint *sequences, const gint32 *tokens, guint n,
                    AssayUnitFunc unit, gpointer data, GError **error)
{
  g_return_val_if_fail (n > 0 && n <= self->n_sequences && self->placement != NULL, FALSE);
  g_autofree AssaySpan *spans = g_new (AssaySpan, n);
  for (guint i = 0; i < n; i++)
    {
      g_return_val_if_fail (sequences[i] < self->n_sequences, FALSE);
      if (!model_check_tokens (self, sequences[i], &tokens[i], 1, error))
        return FALSE;
      spans[i] = (AssaySpan) { .sequence = sequences[i], .n = 1, .first = self->position[sequences[i]] };
    }
  const AssayPass pass = { .tokens = tokens, .n_tokens = n, .spans = spans, .n_spans = n, .n_logits = n };
  self->first_logit = 0;
  return assay_model_reserve (self, n, self->n_sequences, error)
         && model_run_pass (self, &pass, unit, data, error);
}

const float *
assay_model_get_logits (AssayModel *self, guint row)
{
  g_return_val_if_fail (row < self->n_logits_reserved, NULL);
  return (const float *) assay_buffer_get_data (self->logits) + (gsize) row * self->config.n_vocab;
}

guint
assay_model_get_chunk (AssayModel *self)
{
  return self->chunk;
}

guint
assay_model_get_position (AssayModel *self, guint sequence)
{
  g_return_val_if_fail (sequence < self->n_sequences, 0);
  return self->position[sequence];
}

void
assay_model_reset (AssayModel *self, guint sequence)
{
  g_return_if_fail (sequence < self->n_sequences);
  self->position[sequence] = 0;
}

gboolean
assay_model_sample (AssayModel *self, guint row, const AssaySampling *sampling, gint32 *token, GError **error)
{
  AssayBackend *b = assay_device_get_backend (self->device);
  const AssayStatus status
      = b->ops->sample (b, token, assay_model_get_logits (self, row), self->config.n_vocab, sampling,
                        assay_buffer_get_data (self->workspace));
  if (status != ASSAY_DEVICE_FAULT)
    return assay_device_check (self->device, status, "sample", error);
  assay_engine_error_set (
    error, ASSAY_ENGINE_ERROR_OUTPUT, "output-not-finite", NULL, "logits", -1,
    "the model's scores at position %u are not numbers (%s); its weights or its number format "
    "do not suit this computation: try compute_dtype float32",
    self->position[0], b->fault);
  return FALSE;
}
