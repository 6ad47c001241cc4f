/* SPDX-License-Identifier: GPL-3.0-or-later */
/* app/cli-model.c: verbs about model files: models, inspect, tokenize, logits. */
#include "cli.h"

#include <glib/gi18n.h>
#include <stdio.h>
#include <string.h>

#include "assay-discovery.h"
#include "assay-inspect.h"
#include "models/assay-model.h"

static void
models_add_json (JsonBuilder *b, AssayFoundModel *model)
{
  static const char *const names[] = { "path", "name", "model-id", "revision", "store", "architecture", "quantization", "problem" };
  json_builder_begin_object (b);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *value = NULL;
      g_autofree char *member = g_strdelimit (g_strdup (names[i]), "-", '_');
      g_object_get (model, names[i], &value, NULL);
      cli_json_text (b, member, value);
    }
  guint64 bytes = 0;
  guint context_length = 0;
  g_object_get (model, "bytes", &bytes, "context-length", &context_length, NULL);
  cli_json_integer (b, "bytes", (gint64) bytes);
  cli_json_integer (b, "context_length", context_length);
  json_builder_end_object (b);
}

static void
models_print_line (AssayFoundModel *model)
{
  guint64 bytes = 0;
  g_autofree char *quantization = NULL;
  g_object_get (model, "bytes", &bytes, "quantization", &quantization, NULL);
  g_autofree char *size = assay_format_bytes (bytes);
  const char *problem = assay_found_model_get_problem (model);
  g_print ("%-40s %-8s %10s  %s\n  %s\n", assay_found_model_get_name (model), quantization != NULL ? quantization : "-", size,
           assay_found_model_get_store (model), assay_found_model_get_path (model));
  if (problem != NULL)
    g_print ("  %s: %s\n", _("skipped"), problem);
}

int
cli_models (int argc, char **argv)
{
  gboolean json = FALSE;
  if (!cli_parse ("models", NULL, 0, 1, &argc, &argv, &json))
    return CLI_USAGE;
  const char *const folders[] = { argc > 1 ? argv[1] : NULL, NULL };
  if (folders[0] != NULL && !g_file_test (folders[0], G_FILE_TEST_EXISTS))
    return cli_complain (CLI_BAD_FILE, _("%s: no such file or folder"), folders[0]);
  GError *error = NULL;
  /* A folder asks about that folder; without one, about every store. */
  g_autoptr (GPtrArray) found = assay_discovery_scan (folders, folders[0] == NULL, NULL, &error);
  if (found == NULL)
    return cli_fail (CLI_BAD_FILE, error);
  g_autoptr (JsonBuilder) b = json_builder_new ();
  json_builder_begin_array (b);
  for (guint i = 0; i < found->len; i++)
    {
      models_add_json (b, g_ptr_array_index (found, i));
      if (!json)
        models_print_line (g_ptr_array_index (found, i));
    }
  json_builder_end_array (b);
  if (json)
    cli_print_json (json_builder_get_root (b));
  else if (found->len == 0)
    g_printerr ("%s\n", _("No model was found. ‘make run’ fetches the default one; any GGUF file or folder of safetensors can be given by path."));
  return CLI_OK;
}

int
cli_inspect (int argc, char **argv)
{
  gboolean json = FALSE, missing_pre = FALSE;
  const GOptionEntry entries[] = {
    { "allow-missing-pre", 0, 0, G_OPTION_ARG_NONE, &missing_pre, N_("Accept a tokenizer that does not name its pre-tokenizer"), NULL },
    { NULL },
  };
  if (!cli_parse ("inspect", entries, 1, 1, &argc, &argv, &json))
    return CLI_USAGE;
  GError *error = NULL;
  g_autoptr (AssayInspection) inspection = assay_inspect (argv[1], missing_pre, NULL, &error);
  if (inspection == NULL)
    return cli_fail (CLI_BAD_FILE, error);
  g_autofree char *report = assay_inspection_dup_report (inspection, json);
  g_print ("%s%s", report, g_str_has_suffix (report, "\n") ? "" : "\n");
  return CLI_OK;
}

static void
model_say_unverified (AssayTokenizer *tokenizer)
{
  if (!assay_tokenizer_is_verified (tokenizer))
    g_printerr ("assay: %s\n", _("the file does not name its pre-tokenizer: these tokens may be wrong"));
}

static gboolean
tokenize_print (AssayTokenizer *tokenizer, const char *text, gsize length, AssayEncodeFlags flags, gboolean json, GError **error)
{
  g_autoptr (GArray) ids = assay_tokenizer_encode (tokenizer, text, (gssize) length, flags, NULL, error);
  if (ids == NULL)
    return FALSE;
  g_autoptr (GString) line = g_string_new (json ? "[" : NULL);
  for (guint i = 0; i < ids->len; i++)
    g_string_append_printf (line, "%s%d", i == 0 ? "" : json ? ", " : " ", g_array_index (ids, gint32, i));
  g_print ("%s%s\n", line->str, json ? "]" : "");
  return TRUE;
}

/* Each line of standard input is a JSON string: text with line ends and control characters, one text a line. */
static gboolean
tokenize_lines (AssayTokenizer *tokenizer, AssayEncodeFlags flags, gboolean json, GError **error)
{
  g_autofree char *line = NULL;
  size_t capacity = 0;
  for (ssize_t n; (n = getline (&line, &capacity, stdin)) >= 0;)
    {
      g_autoptr (JsonNode) node = json_from_string (line, error);
      if (node == NULL || !JSON_NODE_HOLDS_VALUE (node) || json_node_get_value_type (node) != G_TYPE_STRING)
        {
          if (error != NULL && *error == NULL)
            g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, _("not a JSON string: %.60s"), line);
          return FALSE;
        }
      const char *text = json_node_get_string (node);
      if (strstr (line, "\\u0000") != NULL) /* the JSON reader would end the text there */
        {
          g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, _("a text with U+0000 cannot be given this way: %.60s"), line);
          return FALSE;
        }
      if (!tokenize_print (tokenizer, text, strlen (text), flags, json, error))
        return FALSE;
    }
  return TRUE;
}

int
cli_tokenize (int argc, char **argv)
{
  gboolean json = FALSE, lines = FALSE, special = FALSE, parse = FALSE, missing_pre = FALSE;
  const GOptionEntry entries[] = {
    { "lines", 0, 0, G_OPTION_ARG_NONE, &lines, N_("Read JSON strings from standard input, one a line"), NULL },
    { "add-special", 0, 0, G_OPTION_ARG_NONE, &special, N_("Add the begin and end tokens that the model asks for"), NULL },
    { "parse-special", 0, 0, G_OPTION_ARG_NONE, &parse, N_("Read control tokens in the text as such"), NULL },
    { "allow-missing-pre", 0, 0, G_OPTION_ARG_NONE, &missing_pre, N_("Accept a tokenizer that does not name its pre-tokenizer"), NULL },
    { NULL },
  };
  if (!cli_parse ("tokenize", entries, 1, 2, &argc, &argv, &json))
    return CLI_USAGE;
  if ((argc == 3) == lines)
    return cli_complain (CLI_USAGE, _("give TEXT, or --lines and the texts on standard input"));
  GError *error = NULL;
  g_autoptr (AssayModelFile) file = assay_model_file_open (argv[1], NULL, &error);
  g_autoptr (AssayTokenizer) tokenizer = file != NULL ? assay_tokenizer_new (file, missing_pre, &error) : NULL;
  if (tokenizer == NULL)
    return cli_fail (CLI_BAD_FILE, error);
  const AssayEncodeFlags flags = (special ? ASSAY_ENCODE_ADD_SPECIAL : 0) | (parse ? ASSAY_ENCODE_PARSE_SPECIAL : 0);
  model_say_unverified (tokenizer);
  const gboolean fine = lines ? tokenize_lines (tokenizer, flags, json, &error)
                              : tokenize_print (tokenizer, argv[2], strlen (argv[2]), flags, json, &error);
  return fine ? CLI_OK : cli_fail (CLI_USAGE, error);
}

/* --- logits --- */

typedef struct
{
  gint32 id;
  float logit;
} TokenLogit;

static int
compare_logits (const void *a, const void *b)
{
  const TokenLogit *x = a, *y = b;
  if (x->logit != y->logit)
    return x->logit < y->logit ? 1 : -1;
  return (x->id > y->id) - (x->id < y->id);
}

static void
logits_print (AssayModel *model, AssayTokenizer *tokenizer, guint top, gboolean json)
{
  const guint n = assay_model_get_config (model)->n_vocab;
  const float *logits = assay_model_get_logits (model, 0);
  g_autofree TokenLogit *sorted = g_new (TokenLogit, n);
  for (guint i = 0; i < n; i++)
    sorted[i] = (TokenLogit) { (gint32) i, logits[i] };
  qsort (sorted, n, sizeof *sorted, compare_logits);
  const guint shown = top == 0 || top > n ? n : top;
  if (json)
    g_print ("[");
  for (guint i = 0; i < shown; i++)
    {
      char number[G_ASCII_DTOSTR_BUF_SIZE];
      g_ascii_formatd (number, sizeof number, "%.9g", sorted[i].logit);
      if (json)
        {
          g_print ("%s{\"id\": %d, \"logit\": %s}", i == 0 ? "" : ",\n ", sorted[i].id, number);
          continue;
        }
      g_autoptr (GString) piece = assay_tokenizer_decode (tokenizer, &sorted[i].id, 1, TRUE);
      g_autofree char *shown_piece = assay_engine_escape (piece->str, piece->len);
      g_print ("%d\t%s\t%s\n", sorted[i].id, number, shown_piece);
    }
  if (json)
    g_print ("]\n");
}

static AssayModel *
logits_compute (AssayInspection *inspection, AssayValues *settings, const char *prompt, AssayDevice **device, GError **error)
{
  gint64 threads = 0;
  assay_values_get_integer (settings, ASSAY_FIELD_THREADS, &threads);
  const gboolean exact = g_strcmp0 (assay_values_get_text (settings, ASSAY_FIELD_COMPUTE_DTYPE), "int8") != 0;
  const gboolean half = g_strcmp0 (assay_values_get_text (settings, ASSAY_FIELD_KV_CACHE_TYPE), "float16") == 0;

  g_autoptr (GArray) ids = assay_tokenizer_encode (inspection->tokenizer, prompt, -1,
                                                   ASSAY_ENCODE_ADD_SPECIAL | ASSAY_ENCODE_PARSE_SPECIAL, NULL, error);
  if (ids == NULL || !assay_model_file_map (inspection->file, error))
    return NULL;
  if (ids->len == 0)
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, _("the prompt holds no token"));
      return NULL;
    }
  if (ids->len > inspection->config.context_length)
    g_printerr (_("assay: %u tokens, but the model was trained for %u\n"), ids->len, inspection->config.context_length);
  const AssayDtype cache = half ? ASSAY_DTYPE_F16 : ASSAY_DTYPE_F32;
  const AssayModelOptions options = { .context_length = ids->len, .k_dtype = cache, .v_dtype = cache,
                                      .format = { ASSAY_DTYPE_AS_STORED, ASSAY_DTYPE_AS_STORED } };
  g_autoptr (AssayAssembly) assembly = assay_assembly_new_resident ();
  *device = assay_device_new_cpu ((guint) threads, exact ? ASSAY_COMPUTE_F32 : ASSAY_COMPUTE_INT8, 0, error);
  if (*device == NULL)
    return NULL;
  g_autoptr (AssayModel) model = assay_model_new (inspection->file, &inspection->config, *device, *device, &options, error);
  if (model == NULL || !assay_model_place (model, assembly, NULL, NULL, NULL, NULL, error)
      || !assay_model_prompt (model, 0, (const gint32 *) ids->data, ids->len, NULL, NULL, error))
    return NULL;
  return g_steal_pointer (&model);
}

int
cli_logits (int argc, char **argv)
{
  gboolean json = FALSE;
  gint top = 10;
  g_autofree char *prompt = NULL;
  g_auto (GStrv) settings = NULL;
  const GOptionEntry entries[] = {
    { "prompt", 0, 0, G_OPTION_ARG_FILENAME, &prompt, N_("The text before the token; control tokens count as such"), "TEXT" },
    { "top", 0, 0, G_OPTION_ARG_INT, &top, N_("How many to print; 0 is all"), "N" },
    { "set", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &settings, N_("compute_dtype (float32 unless set), kv_cache_type, threads"), "FIELD=VALUE" },
    { NULL },
  };
  if (!cli_parse ("logits", entries, 1, 1, &argc, &argv, &json))
    return CLI_USAGE;
  g_autoptr (AssayValues) values = assay_values_new ();
  if (prompt == NULL || top < 0)
    return cli_complain (CLI_USAGE, _("--prompt TEXT is needed, and --top is not negative"));
  if (!cli_apply_settings (values, settings))
    return CLI_USAGE;
  GError *error = NULL;
  g_autoptr (AssayInspection) inspection = assay_inspect (argv[1], TRUE, NULL, &error);
  if (inspection == NULL)
    return cli_fail (CLI_BAD_FILE, error);
  model_say_unverified (inspection->tokenizer);
  g_autoptr (AssayDevice) device = NULL;
  g_autoptr (AssayModel) model = logits_compute (inspection, values, prompt, &device, &error);
  if (model == NULL)
    return cli_fail (CLI_FAILED, error);
  logits_print (model, inspection->tokenizer, (guint) top, json);
  g_clear_pointer (&model, assay_model_free); /* before its device */
  return CLI_OK;
}
