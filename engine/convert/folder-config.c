/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/convert/folder-config.c: what stands beside the weights: config.json with a quantization_config as
 * Transformers writes it, and the tokenizer's files as they are. */
#include "quantize-private.h"

#include "assay-durable.h"
#include "weights/safetensors-private.h"

#include <json-glib/json-glib.h>
#include <string.h>

enum { TEXT_BYTES_MAX = 100 << 20 };

static const char *const copied[] = { "generation_config.json",
                                      "tokenizer.json",
                                      "tokenizer_config.json",
                                      "special_tokens_map.json",
                                      "added_tokens.json",
                                      "vocab.json",
                                      "merges.txt",
                                      "chat_template.jinja",
                                      "tokenizer.model" };

/* Linear modules that keep their format: Transformers must not expect them in the other. */
static JsonArray *
config_make_skipped (AssayModelFile *file, AssayDtype dtype, const GArray *steps)
{
  JsonArray *skipped = json_array_new ();
  gboolean head = FALSE;
  for (guint i = 0; i < steps->len; i++)
    {
      const QuantizeStep *step = &g_array_index (steps, QuantizeStep, i);
      const AssayBytes *canonical = &step->tensor->canonical;
      g_autofree char *name = g_strndup (step->tensor->name.data, step->tensor->name.length);
      if (step->to == dtype || !assay_quantize_is_matrix (step->tensor)
          || g_strstr_len (canonical->data, (gssize) canonical->length, "token_embd") != NULL)
        continue;
      name[strlen (name) - strlen (".weight")] = '\0';
      head = head || strcmp (name, "lm_head") == 0;
      json_array_add_string_element (skipped, name);
    }
  if (!head)
    json_array_add_string_element (skipped, "lm_head"); /* the embedding once more, where they are tied */
  return skipped;
}

static const char *
config_get_compute (const GArray *steps)
{
  for (guint i = 0; i < steps->len; i++)
    {
      const AssayDtype dtype = g_array_index (steps, QuantizeStep, i).tensor->dtype;
      if (dtype == ASSAY_DTYPE_F16 || dtype == ASSAY_DTYPE_BF16)
        return dtype == ASSAY_DTYPE_F16 ? "float16" : "bfloat16";
    }
  return "float32";
}

static JsonObject *
config_make_quantization (AssayModelFile *file, AssayDtype dtype, const GArray *steps)
{
  JsonObject *o = json_object_new ();
  const gboolean four = dtype != ASSAY_DTYPE_INT8;
  const gboolean nf4 = dtype == ASSAY_DTYPE_NF4 || dtype == ASSAY_DTYPE_NF4_DOUBLE;
  json_object_set_string_member (o, "quant_method", "bitsandbytes");
  json_object_set_boolean_member (o, "load_in_4bit", four);
  json_object_set_boolean_member (o, "load_in_8bit", !four);
  json_object_set_string_member (o, "bnb_4bit_quant_type", four && nf4 ? "nf4" : "fp4");
  json_object_set_boolean_member (o, "bnb_4bit_use_double_quant",
                                  dtype == ASSAY_DTYPE_NF4_DOUBLE || dtype == ASSAY_DTYPE_FP4_DOUBLE);
  json_object_set_string_member (o, "bnb_4bit_compute_dtype", config_get_compute (steps));
  json_object_set_string_member (o, "bnb_4bit_quant_storage", "uint8");
  json_object_set_double_member (o, "llm_int8_threshold", ASSAY_INT8_THRESHOLD);
  json_object_set_boolean_member (o, "llm_int8_has_fp16_weight", FALSE);
  json_object_set_boolean_member (o, "llm_int8_enable_fp32_cpu_offload", FALSE);
  json_object_set_array_member (o, "llm_int8_skip_modules", config_make_skipped (file, dtype, steps));
  return o;
}

/* The text was read strictly when the model was opened; here its members only get one more. */
static GBytes *
config_extend (AssayModelFile *file, GBytes *text, AssayDtype dtype, const GArray *steps, GError **error)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  gsize length;
  const char *data = g_bytes_get_data (text, &length);
  if (!json_parser_load_from_data (parser, data, (gssize) length, error))
    return NULL;
  JsonNode *root = json_parser_get_root (parser);
  json_object_set_object_member (json_node_get_object (root), "quantization_config",
                                 config_make_quantization (file, dtype, steps));
  char *made = json_to_string (root, TRUE);
  return g_bytes_new_take (made, strlen (made));
}

static gboolean
config_put (const char *folder, const char *name, GBytes *bytes, GError **error)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  return assay_durable_replace (path, bytes, NULL, error);
}

static gboolean
config_copy (const ModelFolder *from, const char *folder, const char *name, GError **error)
{
  g_autoptr (GBytes) text = NULL;
  return assay_model_folder_read (from, name, TEXT_BYTES_MAX, NULL, &text, error)
         && (text == NULL || config_put (folder, name, text, error));
}

gboolean
assay_quantize_put_config (AssayModelFile *file, const char *folder, AssayDtype dtype, const GArray *steps,
                           GError **error)
{
  g_autoptr (GBytes) text = NULL, made = NULL;
  g_autofree char *place = g_path_get_dirname (assay_model_file_get_part_path (file, 0));
  g_autoptr (ModelFolder) from = assay_model_folder_open (place, error);
  if (from == NULL || !assay_model_folder_read (from, "config.json", TEXT_BYTES_MAX, NULL, &text, error))
    return FALSE;
  if (text == NULL)
    {
      assay_engine_error_set (error, ASSAY_ENGINE_ERROR_CHANGED, "file-changed", place, NULL, -1,
                              "config.json is no longer there; run again");
      return FALSE;
    }
  made = config_extend (file, text, dtype, steps, error);
  if (made == NULL || !config_put (folder, "config.json", made, error))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (copied); i++)
    if (!config_copy (from, folder, copied[i], error))
      return FALSE;
  return TRUE;
}
