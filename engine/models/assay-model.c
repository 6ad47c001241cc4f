/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/models/assay-model.c: memory, position and units of a model, whatever its family.
 *
 * Everything is allocated here, once: a forward pass allocates nothing, so its peak is known before it
 * begins. Weights are used where the file is mapped. */
#include "assay-model-private.h"

#define DEFAULT_CHUNK 128u

static const AssayGraph *const graphs[] = { &assay_llama_graph };

static const AssayGraph *
model_find_graph (const char *architecture)
{
  for (guint i = 0; i < G_N_ELEMENTS (graphs); i++)
    if (g_str_equal (graphs[i]->architecture, architecture))
      return graphs[i];
  return NULL;
}

/* --- tensors and units --- */

static AssayTensor
model_tensor (AssayModel *self, const AssayTensorInfo *info)
{
  AssayTensor tensor = { .dtype = info->dtype, .row_bytes = info->row_bytes };
  for (guint i = 0; i < 4; i++)
    tensor.shape[i] = info->shape[i];
  tensor.data = assay_model_file_get_data (self->file, info);
  return tensor;
}

static const AssayTensorInfo *
model_require (AssayModel *self, const char *name, GError **error)
{
  const AssayTensorInfo *info = assay_model_file_find_tensor (self->file, name);
  if (info == NULL)
    assay_engine_error_set (error, ASSAY_ENGINE_ERROR_FORMAT, "tensor-missing",
                            assay_model_file_get_path (self->file), name, -1,
                            "the tensor is not in the file");
  return info;
}

static guint
model_add_unit (AssayModel *self, const char *component, gint group, const char *module, guint64 bytes)
{
  const AssayModelUnit unit = { component, group, module, bytes };
  g_array_append_val (self->units, unit);
  return self->units->len - 1;
}

static char *
model_dup_name (gint group, const char *module, const char *suffix)
{
  return group < 0 ? g_strconcat (module, suffix, NULL)
                   : g_strdup_printf ("blk.%d.%s%s", group, module, suffix);
}

const float *
assay_model_find_vector (AssayModel *self, const char *name, GError **error)
{
  const AssayTensorInfo *info = assay_model_file_find_tensor (self->file, name);
  if (info == NULL)
    return NULL;
  AssayTensor tensor = model_tensor (self, info);
  if (tensor.dtype == ASSAY_DTYPE_F32 && (gsize) tensor.data % sizeof (float) == 0)
    return tensor.data;

  AssayBackend *b = assay_device_get_backend (self->device);
  AssayBuffer *buffer = assay_device_alloc (self->device, ASSAY_MEMORY_WEIGHTS,
                                            (guint64) tensor.shape[0] * sizeof (float), error);
  if (buffer == NULL)
    return NULL;
  g_ptr_array_add (self->converted, buffer);
  float *data = assay_buffer_get_data (buffer);
  return assay_device_check (self->device, b->ops->dequantize (b, data, &tensor, 0, 1), "dequantize", error)
           ? data
           : NULL;
}

gboolean
assay_model_find_linear (AssayModel *self, const char *component, gint group, const char *module,
                         AssayLinear *out, GError **error)
{
  g_autofree char *weight = model_dup_name (group, module, ".weight");
  g_autofree char *bias = model_dup_name (group, module, ".bias");
  const AssayTensorInfo *info = model_require (self, weight, error);
  if (info == NULL)
    return FALSE;
  const AssayTensorInfo *bias_info = assay_model_file_find_tensor (self->file, bias);
  GError *local = NULL;
  *out = (AssayLinear) { .w = model_tensor (self, info),
                         .bias = assay_model_find_vector (self, bias, &local) };
  out->unit = model_add_unit (self, component, group, module,
                              info->bytes + (bias_info != NULL ? bias_info->bytes : 0));
  if (local != NULL)
    g_propagate_error (error, local);
  return local == NULL;
}

gboolean
assay_model_find_norm (AssayModel *self, const char *component, gint group, const char *module,
                       AssayNorm *out, GError **error)
{
  g_autofree char *weight = model_dup_name (group, module, ".weight");
  const AssayTensorInfo *info = model_require (self, weight, error);
  if (info == NULL)
    return FALSE;
  out->w = assay_model_find_vector (self, weight, error);
  out->unit = model_add_unit (self, component, group, module, info->bytes);
  return out->w != NULL;
}

gboolean
assay_model_find_embedding (AssayModel *self, const char *module, GError **error)
{
  g_autofree char *weight = model_dup_name (-1, module, ".weight");
  const AssayTensorInfo *info = model_require (self, weight, error);
  if (info == NULL)
    return FALSE;
  self->embedding = model_tensor (self, info);
  self->embedding_unit = model_add_unit (self, "embedding", -1, module, info->bytes);
  return TRUE;
}

gboolean
assay_model_enter (AssayModel *self, guint unit, GError **error)
{
  if (self->unit_func == NULL)
    return TRUE;
  return self->unit_func (&g_array_index (self->units, AssayModelUnit, unit), self->unit_data, error);
}

gboolean
assay_model_file_needs_conversion (AssayModelFile *file)
{
  for (guint i = 0; i < assay_model_file_get_n_tensors (file); i++)
    {
      const AssayTensorInfo *info = assay_model_file_get_tensor (file, i);
      if (info->n_dims == 1 && info->dtype != ASSAY_DTYPE_F32)
        return TRUE;
    }
  return FALSE;
}

/* --- memory --- */

static guint64
model_cache_bytes (const AssayModel *self, guint head_dim)
{
  const guint64 element = self->kv_dtype == ASSAY_DTYPE_F16 ? 2 : 4;
  return (guint64) self->context * self->config.n_kv_heads * head_dim * element;
}

static AssayTensor
model_cache (const AssayModel *self, guint head_dim, void *data)
{
  AssayTensor cache = { .dtype = self->kv_dtype,
                        .shape = { (gint64) self->config.n_kv_heads * head_dim, self->context, 1, 1 },
                        .data = data };
  cache.row_bytes = (gsize) cache.shape[0] * (self->kv_dtype == ASSAY_DTYPE_F16 ? 2 : 4);
  return cache;
}

static gboolean
model_allocate_cache (AssayModel *self, GError **error)
{
  const guint64 k_bytes = model_cache_bytes (self, self->config.head_dim);
  const guint64 v_bytes = model_cache_bytes (self, self->config.head_dim_v);
  guint64 total;
  if (!g_uint64_checked_mul (&total, k_bytes + v_bytes, self->config.n_layers))
    total = G_MAXUINT64; /* refused below, with this number */
  self->kv = assay_device_alloc (self->device, ASSAY_MEMORY_KV_CACHE, total, error);
  if (self->kv == NULL)
    return FALSE;
  char *data = assay_buffer_get_data (self->kv);
  for (guint i = 0; i < self->config.n_layers; i++, data += k_bytes + v_bytes)
    {
      self->layers[i].k_cache = model_cache (self, self->config.head_dim, data);
      self->layers[i].v_cache = model_cache (self, self->config.head_dim_v, data + k_bytes);
    }
  return TRUE;
}

static gboolean
model_allocate_activations (AssayModel *self, GError **error)
{
  const guint64 stream = (guint64) self->chunk * self->config.n_embd;
  const guint64 scratch = self->graph->scratch_floats (&self->config, self->chunk);
  self->activations = assay_device_alloc (self->device, ASSAY_MEMORY_ACTIVATIONS,
                                          (2 * stream + scratch) * sizeof (float), error);
  if (self->activations == NULL)
    return FALSE;
  float *data = assay_buffer_get_data (self->activations);
  self->a = (AssayActivations) { .x = data, .h = data + stream, .scratch = data + 2 * stream };
  return TRUE;
}

static gboolean
model_allocate (AssayModel *self, GError **error)
{
  AssayBackend *b = assay_device_get_backend (self->device);
  const gsize n_vocab = self->config.n_vocab;
  if (!model_allocate_cache (self, error) || !model_allocate_activations (self, error))
    return FALSE;
  const guint64 scratch = MAX (self->graph->workspace_bytes (self, self->chunk),
                               b->ops->sample_workspace (b, n_vocab));
  self->workspace = assay_device_alloc (self->device, ASSAY_MEMORY_WORKSPACE, scratch, error);
  if (self->workspace == NULL)
    return FALSE;
  self->logits = assay_device_alloc (self->device, ASSAY_MEMORY_OUTPUT, n_vocab * sizeof (float), error);
  return self->logits != NULL;
}

/* --- the public door --- */

AssayModel *
assay_model_new (AssayModelFile *file, const AssayModelConfig *config, AssayDevice *device,
                 const AssayModelOptions *options, GError **error)
{
  g_return_val_if_fail (options->kv_dtype == ASSAY_DTYPE_F32 || options->kv_dtype == ASSAY_DTYPE_F16, NULL);
  g_return_val_if_fail (options->context_length > 0, NULL);
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
  self->graph = graph;
  self->context = options->context_length;
  self->chunk = MIN (options->chunk > 0 ? options->chunk : DEFAULT_CHUNK, self->context);
  self->kv_dtype = options->kv_dtype;
  self->units = g_array_new (FALSE, FALSE, sizeof (AssayModelUnit));
  self->layers = g_new0 (AssayLayer, config->n_layers);
  self->converted = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_buffer_free);
  self->rope = config->rope;
  if (!graph->build (self, error) || !model_allocate (self, error))
    return NULL;
  return g_steal_pointer (&self);
}

void
assay_model_free (AssayModel *self)
{
  if (self == NULL)
    return;
  assay_buffer_free (self->logits);
  assay_buffer_free (self->workspace);
  assay_buffer_free (self->activations);
  assay_buffer_free (self->kv);
  g_ptr_array_unref (self->converted);
  g_free (self->layers);
  g_array_unref (self->units);
  assay_model_file_unref (self->file);
  g_free (self);
}

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

static gboolean
model_check_tokens (AssayModel *self, const gint32 *tokens, guint n, GError **error)
{
  if (n > self->context - self->position)
    {
      assay_engine_error_set (error, ASSAY_ENGINE_ERROR_CONTEXT, "context-full", NULL, "context_length", -1,
                              "%u tokens after %u do not fit a context of %u", n, self->position,
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

gboolean
assay_model_forward (AssayModel *self, const gint32 *tokens, guint n, AssayUnitFunc unit, gpointer data,
                     GError **error)
{
  g_return_val_if_fail (n > 0, FALSE);
  if (!model_check_tokens (self, tokens, n, error))
    return FALSE;
  self->unit_func = unit;
  self->unit_data = data;
  gboolean ok = TRUE;
  for (guint done = 0; ok && done < n;)
    {
      const guint step = MIN (self->chunk, n - done);
      ok = self->graph->forward (self, tokens + done, step, done + step == n, error);
      self->position += ok ? step : 0;
      done += step;
    }
  self->unit_func = NULL;
  AssayBackend *b = assay_device_get_backend (self->device);
  return ok && assay_device_check (self->device, b->ops->sync (b), "sync", error);
}

const float *
assay_model_get_logits (AssayModel *self)
{
  return assay_buffer_get_data (self->logits);
}

guint
assay_model_get_position (AssayModel *self)
{
  return self->position;
}

void
assay_model_reset (AssayModel *self)
{
  self->position = 0;
}

gboolean
assay_model_sample (AssayModel *self, const AssaySampling *sampling, gint32 *token, GError **error)
{
  AssayBackend *b = assay_device_get_backend (self->device);
  const AssayStatus status = b->ops->sample (b, token, assay_model_get_logits (self), self->config.n_vocab,
                                             sampling, assay_buffer_get_data (self->workspace));
  if (status != ASSAY_DEVICE_FAULT)
    return assay_device_check (self->device, status, "sample", error);
  assay_engine_error_set (
    error, ASSAY_ENGINE_ERROR_OUTPUT, "output-not-finite", NULL, "logits", -1,
    "the model's scores at position %u are not numbers (%s); its weights or its number format "
    "do not suit this computation: try compute_dtype float32",
    self->position, b->fault);
  return FALSE;
}

const char *
assay_model_get_attention_kernel (AssayModel *self)
{
  return self->kv_dtype == ASSAY_DTYPE_F16 ? "online softmax, float16 cache"
                                           : "online softmax, float32 cache";
}
