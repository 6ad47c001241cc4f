/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/assay-inspect-report.c: an inspection as text for people, JSON for scripts; the file's text
 * escaped. */
#include "assay-inspect-private.h"

#include <json-glib/json-glib.h>

static char *
report_dup_value (AssayModelFile *file, guint i, char **key)
{
  const AssayBytes bytes = assay_model_file_get_key (file, i);
  g_autofree char *name = g_strndup (bytes.data, bytes.length);
  *key = assay_engine_escape (bytes.data, bytes.length);
  return assay_model_file_dup_value (file, name);
}

static void
report_add_string (JsonBuilder *b, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  json_builder_add_string_value (b, valid);
}

static void
report_add_text (JsonBuilder *b, const char *name, const char *text)
{
  json_builder_set_member_name (b, name);
  if (text == NULL)
    json_builder_add_null_value (b);
  else
    report_add_string (b, text);
}

static void
report_add_integer (JsonBuilder *b, const char *name, guint64 value)
{
  json_builder_set_member_name (b, name);
  json_builder_add_int_value (b, (gint64) value);
}

static void
report_add_formats (JsonBuilder *b, AssayModelFile *file)
{
  g_autoptr (GArray) formats = assay_inspect_count_formats (file, FALSE);
  json_builder_set_member_name (b, "tensors_by_type");
  json_builder_begin_array (b);
  for (guint i = 0; i < formats->len; i++)
    {
      const InspectFormat *format = &g_array_index (formats, InspectFormat, i);
      json_builder_begin_object (b);
      report_add_text (b, "type", format->info->name);
      report_add_integer (b, "tensors", format->n_tensors);
      report_add_integer (b, "bytes", format->bytes);
      json_builder_end_object (b);
    }
  json_builder_end_array (b);
}

static void
report_add_notices (JsonBuilder *b, const AssayInspection *self)
{
  const char *const *lists[]
      = { assay_model_file_get_notices (self->file), assay_tokenizer_get_notices (self->tokenizer) };
  json_builder_set_member_name (b, "notices");
  json_builder_begin_array (b);
  for (guint k = 0; k < G_N_ELEMENTS (lists); k++)
    for (guint i = 0; lists[k] != NULL && lists[k][i] != NULL; i++)
      report_add_string (b, lists[k][i]);
  json_builder_end_array (b);
}

static void
report_add_metadata (JsonBuilder *b, AssayModelFile *file)
{
  json_builder_set_member_name (b, "metadata");
  json_builder_begin_object (b);
  for (guint i = 0; i < assay_model_file_get_n_keys (file); i++)
    {
      g_autofree char *key = NULL;
      g_autofree char *value = report_dup_value (file, i, &key);
      report_add_text (b, key, value);
    }
  json_builder_end_object (b);
}

static void
report_add_model (JsonBuilder *b, const AssayInspection *self)
{
  const AssayModelConfig *c = &self->config;
  g_autofree char *path = g_filename_display_name (assay_model_file_get_path (self->file));
  report_add_text (b, "model_id", self->model_id);
  report_add_text (b, "model_revision", self->model_revision);
  report_add_text (b, "path", path);
  report_add_text (b, "format", assay_model_file_get_format (self->file));
  report_add_integer (b, "files", assay_model_file_get_n_parts (self->file));
  report_add_integer (b, "bytes", assay_model_file_get_bytes (self->file));
  report_add_text (b, "metadata_sha256", assay_model_file_get_metadata_sha256 (self->file));
  report_add_text (b, "architecture", c->architecture);
  report_add_text (b, "quantization", self->quantization);
  report_add_integer (b, "context_length", c->context_length);
  report_add_integer (b, "layers", c->n_layers);
  report_add_integer (b, "embedding", c->n_embd);
  report_add_integer (b, "feed_forward", c->n_ff);
  report_add_integer (b, "heads", c->n_heads);
  report_add_integer (b, "kv_heads", c->n_kv_heads);
  report_add_integer (b, "head_size", c->head_dim);
  report_add_integer (b, "vocabulary", c->n_vocab);
  report_add_text (b, "tokenizer", assay_tokenizer_get_model (self->tokenizer));
  report_add_text (b, "pre_tokenizer", assay_tokenizer_get_pre (self->tokenizer));
  report_add_integer (b, "tokens", assay_tokenizer_get_n_tokens (self->tokenizer));
  report_add_text (b, "chat_format", assay_chat_format_get_name (self->chat_format));
  report_add_text (b, "chat_problem", self->chat_problem);
  report_add_integer (b, "tensors", assay_model_file_get_n_tensors (self->file));
}

static char *
report_dup_json (const AssayInspection *self)
{
  g_autoptr (JsonBuilder) b = json_builder_new ();
  json_builder_begin_object (b);
  report_add_model (b, self);
  report_add_formats (b, self->file);
  report_add_notices (b, self);
  report_add_metadata (b, self->file);
  json_builder_end_object (b);
  g_autoptr (JsonNode) root = json_builder_get_root (b);
  g_autoptr (JsonGenerator) generator = json_generator_new ();
  json_generator_set_pretty (generator, TRUE);
  json_generator_set_root (generator, root);
  return json_generator_to_data (generator, NULL);
}

static void
report_put_model (GString *out, const AssayInspection *self)
{
  const AssayModelConfig *c = &self->config;
  const char *pre = assay_tokenizer_get_pre (self->tokenizer);
  g_autofree char *path = g_filename_display_name (assay_model_file_get_path (self->file));
  g_autofree char *size = assay_format_bytes (assay_model_file_get_bytes (self->file));
  g_string_append_printf (out, "Model          %s\n", self->model_id);
  if (self->model_revision != NULL)
    g_string_append_printf (out, "Revision       %s\n", self->model_revision);
  g_string_append_printf (out, "File           %s\n               %s, %s, files: %u\n", path,
                          assay_model_file_get_format (self->file), size,
                          assay_model_file_get_n_parts (self->file));
  g_string_append_printf (
      out,
      "Architecture   %s: %u layers, embedding %u, feed-forward %u, heads %u of %u, key-value heads %u\n",
      c->architecture, c->n_layers, c->n_embd, c->n_ff, c->n_heads, c->head_dim, c->n_kv_heads);
  g_string_append_printf (out, "Context        %u tokens\n", c->context_length);
  g_string_append_printf (out, "Quantization   %s\n", self->quantization);
  g_string_append_printf (out, "Tokenizer      %s%s%s, %u tokens%s\n",
                          assay_tokenizer_get_model (self->tokenizer), pre[0] != '\0' ? " " : "", pre,
                          assay_tokenizer_get_n_tokens (self->tokenizer),
                          assay_tokenizer_is_verified (self->tokenizer) ? "" : ", unverified");
  g_string_append_printf (out, "Chat format    %s%s%s\n", assay_chat_format_get_name (self->chat_format),
                          self->chat_problem != NULL ? "; " : "",
                          self->chat_problem != NULL ? self->chat_problem : "");
  g_string_append_printf (out, "Metadata hash  %s\n", assay_model_file_get_metadata_sha256 (self->file));
}

static void
report_put_lists (GString *out, const AssayInspection *self)
{
  const char *const *lists[]
      = { assay_model_file_get_notices (self->file), assay_tokenizer_get_notices (self->tokenizer) };
  g_autoptr (GArray) formats = assay_inspect_count_formats (self->file, FALSE);
  g_string_append_printf (out, "Tensors        %u\n", assay_model_file_get_n_tensors (self->file));
  for (guint i = 0; i < formats->len; i++)
    {
      const InspectFormat *format = &g_array_index (formats, InspectFormat, i);
      g_autofree char *size = assay_format_bytes (format->bytes);
      g_string_append_printf (out, "  %-12s %u tensors, %s\n", format->info->name, format->n_tensors, size);
    }
  for (guint k = 0; k < G_N_ELEMENTS (lists); k++)
    for (guint i = 0; lists[k] != NULL && lists[k][i] != NULL; i++)
      g_string_append_printf (out, "Notice         %s\n", lists[k][i]);
  g_string_append (out, "Metadata\n");
  for (guint i = 0; i < assay_model_file_get_n_keys (self->file); i++)
    {
      g_autofree char *key = NULL;
      g_autofree char *value = report_dup_value (self->file, i, &key);
      g_string_append_printf (out, "  %s = %s\n", key, value);
    }
}

char *
assay_inspection_dup_report (const AssayInspection *self, gboolean json)
{
  if (json)
    return report_dup_json (self);
  GString *out = g_string_new (NULL);
  report_put_model (out, self);
  report_put_lists (out, self);
  return g_string_free (out, FALSE);
}
