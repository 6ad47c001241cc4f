/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/assay-rig.c: from the words of the conditions to formats, devices and a model. */
#include "assay-rig.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "assay-device-private.h"
#include "assay-trial-private.h"

AssayCompute
assay_rig_get_compute (const AssayValues *conditions)
{
  static const struct
  {
    const char *name;
    AssayCompute compute;
  } names[] = { { "float16", ASSAY_COMPUTE_F16 },
                { "bfloat16", ASSAY_COMPUTE_BF16 },
                { "int8", ASSAY_COMPUTE_INT8 } };
  const char *text = assay_values_get_text (conditions, ASSAY_FIELD_COMPUTE_DTYPE);
  for (guint i = 0; text != NULL && i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (names[i].name, text))
      return names[i].compute;
  return ASSAY_COMPUTE_F32;
}

/* --- number formats --- */

static gboolean
dtype_is_whole (AssayDtype dtype)
{
  return assay_dtype_info (dtype)->whole;
}

const char *
assay_rig_get_method (const char *quantization)
{
  AssayDtype dtype;
  if (quantization == NULL || g_str_equal (quantization, "none"))
    return "none";
  if (!assay_dtype_from_name (quantization, &dtype))
    return NULL;
  return dtype_is_whole (dtype) ? "bitsandbytes" : "gguf";
}

static gboolean
rig_read_dtype (AssayRig *self, const AssayValues *conditions, const AssayValues *stored, GError **error)
{
  const char *asked = assay_values_get_text (conditions, ASSAY_FIELD_DTYPE);
  const char *is = assay_values_get_text (stored, ASSAY_FIELD_DTYPE);
  self->options.format.float_dtype = ASSAY_DTYPE_AS_STORED;
  if (asked == NULL || g_strcmp0 (asked, is) == 0)
    return TRUE;
  return assay_dtype_from_name (asked, &self->options.format.float_dtype); /* a choice of the field */
}

/* The file's own types listed, as inspecting fills them in, are no choice of modules. */
static gboolean
modules_are_a_choice (const char *modules)
{
  return modules != NULL && *modules != '\0' && strchr (modules, ':') == NULL
         && !g_str_equal (modules, "none") && !g_str_equal (modules, "default");
}

static gboolean
rig_check_method (const char *quantization, const char *method, GError **error)
{
  const char *maker = assay_rig_get_method (quantization);
  const gboolean fp32 = g_strcmp0 (method, "bitsandbytes-fp32-cpu") == 0;
  if (method == NULL || maker == NULL || g_str_equal (method, maker)
      || (fp32 && g_ascii_strcasecmp (quantization, "int8") == 0))
    return TRUE;
  g_autofree char *message = g_strdup_printf (
      _("quantization_method is '%s', but quantization '%s' is made by '%s': leave the method empty, or "
        "choose another quantization"),
      method, quantization, maker);
  return assay_trial_set_rule (error, "quantization-method", ASSAY_FIELD_QUANTIZATION_METHOD, message);
}

static gboolean
rig_check_modules (const char *quantization, const char *modules, GError **error)
{
  if (!g_str_equal (quantization, "none") || !modules_are_a_choice (modules))
    return TRUE;
  g_autofree char *message = g_strdup_printf (
      _("quantized_modules is '%s', but quantization is 'none': leave the modules empty, or choose a "
        "quantization"),
      modules);
  return assay_trial_set_rule (error, "quantized-modules", ASSAY_FIELD_QUANTIZED_MODULES, message);
}

static gboolean
rig_set_unknown_quantization (const char *asked, const char *is, GError **error)
{
  g_autofree char *message = g_strdup_printf (
      _("quantization asks for '%s', the file holds '%s', and this engine makes only Q8_0, Q4_0, Q4_1, "
         "Q5_0, Q5_1, Q4_K, Q5_K, Q6_K, nf4, fp4, nf4-double, fp4-double, int8 and none: choose one of them, or "
        "another file"),
      asked, is);
  return assay_trial_set_rule (error, "quantization-unknown", ASSAY_FIELD_QUANTIZATION, message);
}

/* "none" of a quantized file: its blocks are turned back into floats of the dtype asked for. */
static gboolean
rig_dequantize (AssayRig *self, const AssayValues *conditions)
{
  AssayWeightFormat *format = &self->options.format;
  const char *dtype = assay_values_get_text (conditions, ASSAY_FIELD_DTYPE);
  if (dtype == NULL || !assay_dtype_from_name (dtype, &format->float_dtype))
    format->float_dtype = ASSAY_DTYPE_F32;
  format->quantized = format->float_dtype;
  return TRUE;
}

static gboolean
rig_read_quantization (AssayRig *self,
                       const AssayValues *conditions,
                       const AssayValues *stored,
                       GError **error)
{
  AssayWeightFormat *format = &self->options.format;
  const char *asked = assay_values_get_text (conditions, ASSAY_FIELD_QUANTIZATION);
  const char *is = assay_values_get_text (stored, ASSAY_FIELD_QUANTIZATION);
  const char *method = assay_values_get_text (conditions, ASSAY_FIELD_QUANTIZATION_METHOD);
  const char *modules = assay_values_get_text (conditions, ASSAY_FIELD_QUANTIZED_MODULES);
  format->quantized = ASSAY_DTYPE_AS_STORED;
  asked = asked != NULL ? asked : is;
  if (!rig_check_method (asked, method, error) || !rig_check_modules (asked, modules, error))
    return FALSE;
  format->fp32_on_host
      = g_strcmp0 (method, "bitsandbytes-fp32-cpu") == 0; /* of int8, as a file may hold it */
  if (g_ascii_strcasecmp (asked, is) == 0)
    return TRUE;
  if (g_str_equal (asked, "none"))
    return rig_dequantize (self, conditions);
  if (!assay_dtype_from_name (asked, &format->quantized) || !assay_dtype_can_quantize (format->quantized)
      || !assay_dtype_info (format->quantized)->quantized)
    return rig_set_unknown_quantization (asked, is, error);
  if (modules_are_a_choice (modules))
    format->modules = self->modules = g_strdup (modules);
  return TRUE;
}

static AssayDtype
rig_read_cache_type (const AssayValues *conditions, AssayFieldId field, AssayDtype fallback)
{
  const char *text = assay_values_get_text (conditions, field);
  AssayDtype dtype = fallback;
  if (text != NULL)
    assay_dtype_from_name (text, &dtype);
  return dtype;
}

static gboolean
rig_check_cache (const AssayRig *self, const AssayInspection *inspection, GError **error)
{
  const AssayModelConfig *c = &inspection->config;
  const gboolean k = self->options.k_dtype != ASSAY_DTYPE_Q8_0 || c->head_dim % 32 == 0;
  const gboolean v = self->options.v_dtype != ASSAY_DTYPE_Q8_0 || c->head_dim_v % 32 == 0;
  if (k && v)
    return TRUE;
  g_autofree char *message
      = g_strdup_printf (_("%s is q8_0, whose blocks of 32 do not divide this model's heads of %u: "
                            "choose float16"),
                         k ? "v_cache_type" : "kv_cache_type", k ? c->head_dim_v : c->head_dim);
  return assay_trial_set_rule (error, "cache-type", k ? ASSAY_FIELD_V_CACHE_TYPE : ASSAY_FIELD_KV_CACHE_TYPE,
                               message);
}

static void
rig_read_scale (AssayRig *self, const AssayValues *conditions)
{
  AssayModelOptions *o = &self->options;
  gint64 context = 0, sequences = 1;
  assay_values_get_integer (conditions, ASSAY_FIELD_CONTEXT_LENGTH, &context);
  assay_values_get_integer (conditions, ASSAY_FIELD_BATCH_SIZE, &sequences);
  o->context_length = (guint) context;
  o->n_sequences = (guint) sequences;
  o->k_dtype = rig_read_cache_type (conditions, ASSAY_FIELD_KV_CACHE_TYPE, ASSAY_DTYPE_F16);
  o->v_dtype = rig_read_cache_type (conditions, ASSAY_FIELD_V_CACHE_TYPE, o->k_dtype);
  o->read_weights = g_strcmp0 (assay_values_get_text (conditions, ASSAY_FIELD_WEIGHT_ACCESS), "read") == 0;
}

gboolean
assay_rig_read (AssayRig *self,
                const AssayValues *conditions,
                const AssayInspection *inspection,
                GError **error)
{
  g_autoptr (AssayValues) stored = assay_values_new ();
  assay_inspection_fill_conditions (inspection, stored);
  rig_read_scale (self, conditions);
  self->assembly = assay_assembly_new (conditions, NULL, error);
  return self->assembly != NULL
         && assay_assembly_check_map (self->assembly, inspection->config.n_layers, error)
         && rig_read_dtype (self, conditions, stored, error)
         && rig_read_quantization (self, conditions, stored, error)
         && rig_check_cache (self, inspection, error);
}

/* --- devices --- */

static gint64
get_integer (const AssayValues *conditions, AssayFieldId field)
{
  gint64 value = 0;
  assay_values_get_integer (conditions, field, &value);
  return value;
}

static gboolean
rig_open_link (AssayRig *self, const AssayValues *conditions, GError **error)
{
  double latency_s = 0;
  assay_values_get_real (conditions, ASSAY_FIELD_LINK_LATENCY_SECONDS, &latency_s);
  self->link = assay_link_new (self->device, (guint64) get_integer (conditions, ASSAY_FIELD_LINK_BANDWIDTH),
                               (gint64) (latency_s * 1e9), error);
  return self->link != NULL;
}

/* A device with memory of its own. */
static AssayDevice *
rig_new_separate (const AssayValues *conditions, gboolean plan, GError **error)
{
  const char *name = assay_values_get_text (conditions, ASSAY_FIELD_DEVICE);
  const guint64 budget = (guint64) get_integer (conditions, ASSAY_FIELD_VRAM_BUDGET);
  const AssayCompute compute = assay_rig_get_compute (conditions);
  if (!g_str_has_prefix (name, "cuda:"))
    return assay_device_new_virtual ((guint) get_integer (conditions, ASSAY_FIELD_THREADS), compute, budget, error);
  return plan ? assay_device_new_cuda_sizes (name, compute, error)
              : assay_device_new_cuda (name, compute, budget, error);
}

static gboolean
rig_open_pools (AssayRig *self, const AssayValues *conditions, gboolean plan, GError **error)
{
  AssayDevice **device = plan ? &self->like : &self->device, **host = plan ? &self->like_host : &self->host;
  const guint threads = (guint) get_integer (conditions, ASSAY_FIELD_THREADS);
  const guint64 budget = (guint64) get_integer (conditions, ASSAY_FIELD_VRAM_BUDGET);
  if (assay_trial_is_on_cpu (conditions))
    {
      *device = *host = assay_device_new_cpu (threads, assay_rig_get_compute (conditions), budget, error);
      return *device != NULL;
    }
  *device = rig_new_separate (conditions, plan, error);
  if (*device != NULL)
    *host
        = assay_device_new_host (threads, (guint64) get_integer (conditions, ASSAY_FIELD_RAM_BUDGET), error);
  if (*host != NULL && assay_device_get_cuda (*device) != NULL)
    assay_device_set_pinned (*host, *device);
  return *host != NULL;
}

gboolean
assay_rig_open (AssayRig *self, const AssayValues *conditions, GError **error)
{
  return rig_open_pools (self, conditions, FALSE, error)
         && (self->host == self->device || rig_open_link (self, conditions, error));
}

gboolean
assay_rig_open_plan (AssayRig *self, const AssayValues *conditions, GError **error)
{
  if (!rig_open_pools (self, conditions, TRUE, error))
    return FALSE;
  self->device = assay_device_new_plan (self->like, error);
  if (self->device == NULL)
    return FALSE;
  const gboolean separate = self->like_host != self->like;
  self->host = separate ? assay_device_new_plan (self->like_host, error) : self->device;
  return self->host != NULL && (!separate || rig_open_link (self, conditions, error));
}

/* --- the model --- */

gboolean
assay_rig_make_model (AssayRig *self, const AssayInspection *inspection, GError **error)
{
  self->model = assay_model_new (inspection->file, &inspection->config, self->device, self->host,
                                 &self->options, error);
  return self->model != NULL;
}

static void
attached_add_text (GChecksum *sum, const char *text)
{
  g_checksum_update (sum, (const guint8 *) text, (gssize) strlen (text) + 1); /* with its end: "ab", "c" is no "a", "bc" */
}

/* alpha and rank are in no tensor: a part's scale tells them. */
static void
attached_add_part (GChecksum *sum, const AssayAdapterPart *part)
{
  char scale[G_ASCII_DTOSTR_BUF_SIZE];
  attached_add_text (sum, part->module);
  attached_add_text (sum, g_ascii_dtostr (scale, sizeof scale, (double) part->scale));
}

static gboolean
attached_add (GChecksum *sum, AssayAdapter *adapter, float scale, GCancellable *cancellable, GError **error)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  AssayModelFile *file = assay_adapter_get_file (adapter);
  /* not verified: a matrix of zeros is where the training of an adapter begins */
  g_autofree char *content = assay_model_file_hash_content (file, FALSE, NULL, NULL, cancellable, error);
  if (content == NULL)
    return FALSE;
  attached_add_text (sum, g_ascii_dtostr (text, sizeof text, (double) scale));
  attached_add_text (sum, assay_model_file_get_metadata_sha256 (file));
  attached_add_text (sum, content);
  for (guint i = 0; i < assay_adapter_get_n_parts (adapter); i++)
    attached_add_part (sum, assay_adapter_get_part (adapter, i));
  return TRUE;
}

static gboolean
rig_attach_entry (AssayRig *self, const AssayAdapterEntry *entry, GChecksum *sum, GCancellable *cancellable,
                  GError **error)
{
  g_autoptr (AssayAdapter) adapter = assay_adapter_open (entry->path, cancellable, error);
  return adapter != NULL && assay_model_attach (self->model, adapter, entry->scale, error)
         && (sum == NULL || attached_add (sum, adapter, entry->scale, cancellable, error));
}

gboolean
assay_rig_attach (AssayRig *self, const AssayValues *conditions, char **content_hash, GCancellable *cancellable,
                  GError **error)
{
  const char *text = assay_values_get_text (conditions, ASSAY_FIELD_ATTACHED_COMPONENTS);
  g_autoptr (GPtrArray) entries = assay_adapter_parse_list (text != NULL ? text : "", error);
  g_autoptr (GChecksum) sum = content_hash != NULL ? g_checksum_new (G_CHECKSUM_SHA256) : NULL;
  if (entries == NULL)
    return FALSE;
  for (guint i = 0; i < entries->len; i++)
    if (!rig_attach_entry (self, g_ptr_array_index (entries, i), sum, cancellable, error))
      return FALSE;
  if (content_hash != NULL)
    *content_hash = entries->len > 0 ? g_strconcat ("sha256:", g_checksum_get_string (sum), NULL) : NULL;
  return TRUE;
}

gboolean
assay_rig_place (AssayRig *self,
                 void (*progress) (guint64 done, guint64 total, gpointer data),
                 gpointer data,
                 GCancellable *cancellable,
                 GError **error)
{
  return assay_model_place (self->model, self->assembly, self->link, progress, data, cancellable, error);
}

static void
rig_clear_pools (AssayDevice **device, AssayDevice **host)
{
  if (*host != *device)
    g_clear_pointer (host, assay_device_free);
  *host = NULL;
  g_clear_pointer (device, assay_device_free);
}

void
assay_rig_clear (AssayRig *self)
{
  g_clear_pointer (&self->link, assay_link_free); /* nothing is under way when memory goes */
  g_clear_pointer (&self->model, assay_model_free);
  rig_clear_pools (&self->device, &self->host);
  rig_clear_pools (&self->like, &self->like_host);
  g_clear_pointer (&self->assembly, assay_assembly_free);
  g_clear_pointer (&self->modules, g_free);
}
