/* SPDX-License-Identifier: GPL-3.0-or-later */
/* app/cli-bench.c: the verb bench: what a card would have to be for a model. Every row is a run on the
 * virtual device: computing is this machine's, memory and transfers are those of a card behind a link of that
 * speed. */
#include "cli.h"

#include <glib/gi18n.h>

#include "assay-inspect.h"
#include "assay-trial.h"

#define GB 1000000000ll
#define MOST_CONTEXT 512 /* unless another one is asked for; less where the model was trained for less */
#define PROMPT "Name three metals and say what each of them is used for."

typedef struct
{
  const char *model;
  gint tokens, context;
  gboolean json;
  JsonBuilder *rows;
} Bench;

typedef struct
{
  const char *quantization, *mode;
  gint granularity; /* -1: the mode has none */
  gint link;        /* GB/s */
} BenchRow;

static const gint links[] = { 3, 12, 25, 50 };
static const struct
{
  const char *mode;
  gint granularity;
} modes[] = {
  { "none", -1 }, { "model", -1 }, { "group", 4 }, { "group", 1 }, { "sequential", -1 },
};
static const char *const quantizations[] = { "none", "Q8_0", "Q4_K", "nf4", "int8" };

static AssayValues *
bench_dup_conditions (const Bench *self, const BenchRow *row)
{
  AssayValues *c = assay_values_new ();
  assay_values_set_text (c, ASSAY_FIELD_MODEL_PATH, self->model);
  assay_values_set_text (c, ASSAY_FIELD_DEVICE, "virtual");
  assay_values_set_text (c, ASSAY_FIELD_DTYPE, "float16");
  assay_values_set_text (c, ASSAY_FIELD_QUANTIZATION, row->quantization);
  assay_values_set_text (c, ASSAY_FIELD_OFFLOAD_MODE, row->mode);
  if (row->granularity >= 0)
    assay_values_set_integer (c, ASSAY_FIELD_OFFLOAD_GRANULARITY, row->granularity);
  assay_values_set_integer (c, ASSAY_FIELD_LINK_BANDWIDTH, row->link * GB);
  assay_values_set_integer (c, ASSAY_FIELD_CONTEXT_LENGTH, self->context);
  assay_values_set_integer (c, ASSAY_FIELD_MAX_TOKENS, self->tokens);
  assay_values_set_text (c, ASSAY_FIELD_PROMPT, PROMPT);
  return c;
}

static double
burden_get (AssayRecord *record, AssayFieldId field)
{
  double value = 0;
  gint64 integer = 0;
  const AssayValues *burden = assay_record_get_burden (record);
  if (assay_field_get_info (field)->type == ASSAY_VALUE_TYPE_INTEGER)
    {
      assay_values_get_integer (burden, field, &integer);
      return (double) integer;
    }
  assay_values_get_real (burden, field, &value);
  return value;
}

static char *
row_dup_label (const BenchRow *row)
{
  return row->granularity < 0
             ? g_strdup_printf ("%s %s", row->quantization, row->mode)
             : g_strdup_printf ("%s %s of %d", row->quantization, row->mode, row->granularity);
}

static void
row_print (const BenchRow *row, AssayRecord *record)
{
  g_autofree char *label = row_dup_label (row);
  const double mib = 1024 * 1024;
  g_print ("%-22s %3d GB/s %9.1f %9.1f %9.1f %9.2f %9.1f %9.2f\n", label, row->link,
           burden_get (record, ASSAY_FIELD_PEAK_VRAM) / mib,
           burden_get (record, ASSAY_FIELD_PEAK_RAM_ENGINE) / mib,
           burden_get (record, ASSAY_FIELD_LINK_PASS_BYTES) / mib,
           burden_get (record, ASSAY_FIELD_ELAPSED_SECONDS),
           burden_get (record, ASSAY_FIELD_GENERATE_TOKENS_PER_SECOND),
           burden_get (record, ASSAY_FIELD_LINK_STALL_SECONDS));
}

static void
row_add_json (Bench *self, const BenchRow *row, AssayRecord *record)
{
  static const AssayFieldId fields[] = { ASSAY_FIELD_PEAK_VRAM,
                                         ASSAY_FIELD_PEAK_RAM_ENGINE,
                                         ASSAY_FIELD_LINK_PASS_BYTES,
                                         ASSAY_FIELD_ELAPSED_SECONDS,
                                         ASSAY_FIELD_GENERATE_TOKENS_PER_SECOND,
                                         ASSAY_FIELD_LINK_STALL_SECONDS };
  JsonBuilder *b = self->rows;
  json_builder_begin_object (b);
  cli_json_text (b, "quantization", row->quantization);
  cli_json_text (b, "offload_mode", row->mode);
  cli_json_integer (b, "offload_granularity", row->granularity);
  cli_json_integer (b, "link_bandwidth", row->link * GB);
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    {
      json_builder_set_member_name (b, assay_field_get_info (fields[i])->name);
      json_builder_add_double_value (b, burden_get (record, fields[i]));
    }
  json_builder_end_object (b);
}

static int
bench_run_row (Bench *self, const BenchRow *row)
{
  g_autoptr (AssayValues) conditions = bench_dup_conditions (self, row);
  assay_trial_fill_defaults (conditions);
  g_autoptr (AssayTrial) trial = assay_trial_new (conditions, NULL, NULL, NULL);
  g_autoptr (AssayRecord) record = cli_trial_run_to_end (trial);
  const AssayRunStatus status = assay_record_get_status (record);
  if (status != ASSAY_STATUS_COMPLETED)
    {
      g_autofree char *label = row_dup_label (row);
      return cli_complain (cli_exit_status (status), "%s: %s", label,
                           assay_values_get_text (assay_record_get_outcome (record), ASSAY_FIELD_ERROR));
    }
  if (self->json)
    row_add_json (self, row, record);
  else
    row_print (row, record);
  return CLI_OK;
}

/* Without offload nothing moves while it runs, so that one link tells all. */
static int
bench_run_mode (Bench *self, const char *quantization, guint mode)
{
  int status = CLI_OK;
  for (guint i = 0; status == CLI_OK && i < (mode == 0 ? 1 : G_N_ELEMENTS (links)); i++)
    {
      const BenchRow row = { quantization, modes[mode].mode, modes[mode].granularity, links[i] };
      status = bench_run_row (self, &row);
    }
  return status;
}

static int
bench_run (Bench *self)
{
  int status = CLI_OK;
  if (!self->json)
    g_print ("%s\n%-22s %8s %9s %9s %9s %9s %9s %9s\n", self->model, "", _("link"), _("VRAM MiB"),
             _("RAM MiB"), _("MiB/pass"), _("run s"), _("tokens/s"), _("waited s"));
  for (guint q = 0; status == CLI_OK && q < G_N_ELEMENTS (quantizations); q++)
    for (guint mode = 0; status == CLI_OK && mode < G_N_ELEMENTS (modes); mode++)
      status = bench_run_mode (self, quantizations[q], mode);
  return status;
}

int
cli_bench (int argc, char **argv)
{
  Bench bench = { .tokens = 24, .context = MOST_CONTEXT };
  const GOptionEntry entries[] = {
    { "tokens", 0, 0, G_OPTION_ARG_INT, &bench.tokens, N_("Length of each answer (24)"), "N" },
    { "context", 0, 0, G_OPTION_ARG_INT, &bench.context, N_("Context length (512)"), "N" },
    { NULL },
  };
  if (!cli_parse ("bench", entries, 1, 1, &argc, &argv, &bench.json))
    return CLI_USAGE;
  if (bench.tokens < 1 || bench.context < 64)
    return cli_complain (CLI_USAGE, _("--tokens is at least 1, --context at least 64"));
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayInspection) inspection = assay_inspect (argv[1], FALSE, NULL, &error);
  if (inspection == NULL)
    return cli_complain (CLI_BAD_FILE, "%s", error->message);
  bench.context = MIN (bench.context, (int) inspection->config.context_length);
  g_autoptr (JsonBuilder) rows = json_builder_new ();
  bench.model = argv[1];
  bench.rows = json_builder_begin_array (rows);
  const int status = bench_run (&bench);
  json_builder_end_array (rows);
  if (bench.json)
    cli_print_json (json_builder_get_root (rows));
  return status;
}
