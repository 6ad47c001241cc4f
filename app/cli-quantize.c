/* SPDX-License-Identifier: GPL-3.0-or-later */
/* app/cli-quantize.c: the verb quantize: a model in another format, as a file. The work has a thread of its
 * own, so that SIGINT and SIGTERM are heard at once; nothing is left then. */
#include "cli.h"

#include <glib/gi18n.h>
#include <glib-unix.h>
#include <string.h>
#include <unistd.h>

#include "assay-engine-error.h"
#include "convert/assay-quantize.h"

enum { THREADS_MOST = 1024 }; /* as in a run */

typedef struct
{
  AssayModelFile *file;
  const char *path;
  AssayQuantizeOptions options;
  GCancellable *cancellable;
  GMainLoop *loop;
  gboolean interactive;
  gint shown;                  /* per cent; the worker's */
  AssayQuantizeReport *report; /* NULL after a failure */
  GError *error;
} QuantizeJob;

static void
quantize_show_progress (guint64 done, guint64 total, gpointer data)
{
  QuantizeJob *job = data;
  const gint percent = total > 0 ? (gint) (100.0 * (double) done / (double) total) : 100;
  if (!job->interactive || percent == job->shown)
    return;
  job->shown = percent;
  g_printerr ("\r\033[K%d %%", percent);
}

static gboolean
quantize_end_loop (gpointer data)
{
  g_main_loop_quit (((QuantizeJob *) data)->loop);
  return G_SOURCE_REMOVE;
}

static gpointer
quantize_work (gpointer data)
{
  QuantizeJob *job = data;
  const gboolean whole = assay_dtype_info (job->options.dtype)->whole;
  job->report = (whole ? assay_quantize_folder : assay_quantize) (job->file, job->path, &job->options,
                                                                  quantize_show_progress, job,
                                                                  job->cancellable, &job->error);
  g_idle_add (quantize_end_loop, job);
  return NULL;
}

static gboolean
on_quantize_signal (gpointer data)
{
  g_cancellable_cancel (((QuantizeJob *) data)->cancellable);
  return G_SOURCE_CONTINUE;
}

static void
quantize_perform (QuantizeJob *job)
{
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  job->loop = loop;
  job->cancellable = cancellable;
  job->interactive = isatty (STDERR_FILENO);
  job->shown = -1;
  const guint sources[] = { g_unix_signal_add (SIGINT, on_quantize_signal, job),
                            g_unix_signal_add (SIGTERM, on_quantize_signal, job),
                            g_unix_signal_add (SIGHUP, on_quantize_signal, job) };
  GThread *worker = g_thread_new ("quantize", quantize_work, job);
  g_main_loop_run (loop);
  g_thread_join (worker);
  for (gsize i = 0; i < G_N_ELEMENTS (sources); i++)
    g_source_remove (sources[i]);
  if (job->interactive)
    g_printerr ("\r\033[K");
}

static int
quantize_exit_status (const GError *error)
{
  if (error->domain != ASSAY_ENGINE_ERROR)
    return CLI_FAILED;
  switch (error->code)
    {
    case ASSAY_ENGINE_ERROR_RULE:
      return CLI_RULE;
    case ASSAY_ENGINE_ERROR_FORMAT:
    case ASSAY_ENGINE_ERROR_UNSUPPORTED:
    case ASSAY_ENGINE_ERROR_CHANGED:
      return CLI_BAD_FILE;
    case ASSAY_ENGINE_ERROR_OOM_HOST:
      return CLI_OOM_HOST;
    default:
      return CLI_FAILED;
    }
}

/* --- the report --- */

static void
quantize_print_json (const QuantizeJob *job)
{
  g_autoptr (JsonBuilder) b = json_builder_new ();
  json_builder_begin_object (b);
  cli_json_text (b, "file", job->path);
  cli_json_integer (b, "bytes_before", (gint64) assay_model_file_get_bytes (job->file));
  cli_json_integer (b, "bytes", (gint64) job->report->file_bytes);
  cli_json_boolean (b, "was_quantized", job->report->was_quantized);
  json_builder_set_member_name (b, "changes");
  json_builder_begin_array (b);
  for (guint i = 0; i < job->report->changes->len; i++)
    {
      const AssayQuantizeChange *change = &g_array_index (job->report->changes, AssayQuantizeChange, i);
      json_builder_begin_object (b);
      cli_json_text (b, "from", assay_dtype_info (change->from)->name);
      cli_json_text (b, "to", assay_dtype_info (change->to)->name);
      cli_json_integer (b, "tensors", change->n_tensors);
      cli_json_integer (b, "bytes_from", (gint64) change->bytes_from);
      cli_json_integer (b, "bytes_to", (gint64) change->bytes_to);
      cli_json_text (b, "example", change->example);
      cli_json_boolean (b, "fell_back", change->fell_back);
      json_builder_end_object (b);
    }
  json_builder_end_array (b);
  json_builder_end_object (b);
  cli_print_json (json_builder_get_root (b));
}

static void
quantize_print_change (const AssayQuantizeChange *change, const char *wanted)
{
  g_autofree char *before = assay_format_bytes (change->bytes_from);
  g_autofree char *after = assay_format_bytes (change->bytes_to);
  g_autofree char *count
      = g_strdup_printf (g_dngettext (NULL, "%u tensor", "%u tensors", change->n_tensors), change->n_tensors);
  if (change->from == change->to)
    g_print ("  %s  %s, %s\n", assay_dtype_info (change->from)->name, count, after);
  else
    g_print ("  %s → %s  %s, %s → %s\n", assay_dtype_info (change->from)->name,
             assay_dtype_info (change->to)->name, count, before, after);
  if (change->fell_back)
    g_print (_("    their rows are no whole blocks of %s (%s is one of them)\n"), wanted, change->example);
}

static void
quantize_print_text (const QuantizeJob *job)
{
  g_autofree char *shown = g_filename_display_name (job->path);
  g_autofree char *before = assay_format_bytes (assay_model_file_get_bytes (job->file));
  g_autofree char *after = assay_format_bytes (job->report->file_bytes);
  g_print ("%s: %s → %s\n", shown, before, after);
  for (guint i = 0; i < job->report->changes->len; i++)
    quantize_print_change (&g_array_index (job->report->changes, AssayQuantizeChange, i),
                           assay_dtype_info (job->options.dtype)->name);
  if (job->report->was_quantized)
    g_printerr ("assay: %s\n", _("the model was quantized before; what that lost is not won back: "
                                  "quantize the original where you have it"));
}

/* --- the verb --- */

int
cli_quantize (int argc, char **argv)
{
  gboolean json = FALSE;
  QuantizeJob job = { 0 };
  gint threads = 0;
  g_autofree char *method = NULL, *path = NULL, *modules = NULL;
  const GOptionEntry entries[] = {
    { "method", 0, 0, G_OPTION_ARG_STRING, &method,
      N_("A GGUF file: q8_0, q4_0, q4_1, q5_0, q5_1, q4_k, q5_k, q6_k, f16, bf16, f32; a folder: nf4, fp4, "
          "nf4-double, fp4-double, int8"),
      "METHOD" },
    { "out", 'o', 0, G_OPTION_ARG_FILENAME, &path, N_("The file or folder to write"), "FILE" },
    { "modules", 0, 0, G_OPTION_ARG_STRING, &modules,
      N_("Only these matrices: names and patterns, such as attn_*,blk.3.ffn_down"), "LIST" },
    { "threads", 0, 0, G_OPTION_ARG_INT, &threads, N_("How many; 0 is one a core"), "N" },
    { "force", 0, 0, G_OPTION_ARG_NONE, &job.options.overwrite, N_("Replace the file when it is there"),
      NULL },
    { NULL },
  };
  if (!cli_parse ("quantize", entries, 1, 1, &argc, &argv, &json))
    return CLI_USAGE;
  if (method == NULL || path == NULL || threads < 0 || threads > THREADS_MOST)
    return cli_complain (CLI_USAGE,
                         _("--method METHOD and --out FILE are needed, and --threads is from 0 to %d"),
                         THREADS_MOST);
  if (!assay_dtype_from_name (method, &job.options.dtype))
    return cli_complain (CLI_USAGE, _("‘%s’ is no method; ‘assay quantize --help’ lists them"), method);
  job.path = path;
  job.options.modules = modules;
  job.options.threads = (guint) threads;
  g_autoptr (AssayModelFile) file = job.file = assay_model_file_open (argv[1], NULL, &job.error);
  if (file == NULL)
    return cli_fail (CLI_BAD_FILE, job.error);
  quantize_perform (&job);
  if (g_error_matches (job.error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return cli_complain (CLI_CANCELLED, _("cancelled; nothing was written"));
  if (job.report == NULL)
    return cli_fail (quantize_exit_status (job.error), job.error);
  if (json)
    quantize_print_json (&job);
  else
    quantize_print_text (&job);
  assay_quantize_report_free (job.report);
  return CLI_OK;
}
