/* SPDX-License-Identifier: GPL-3.0-or-later */
/* app/cli-export.c: a ledger, or one run of it, as text for other programs and as a report for people. */
#include "cli.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <glib/gi18n.h>

#include "assay-export.h"
#include "assay-report-pdf.h"
#include "assay-store.h"
#include "assay-write-out.h"

typedef struct
{
  AssayLedger *ledger;
  const char *run_id;   /* or NULL: all of them */
  const char *output;   /* or NULL: standard output */
} Export;

static gboolean
export_would_destroy (const char *ledger_path, const char *output)
{
  g_autofree char *backup = g_strconcat (ledger_path, ".bak", NULL);
  return g_str_has_suffix (output, ASSAY_LEDGER_SUFFIX) || cli_is_same_file (output, ledger_path)
         || cli_is_same_file (output, backup);
}

static int
export_text (const Export *job, AssayExportFormat format)
{
  GError *error = NULL;
  g_autofree char *text = assay_export_ledger (job->ledger, job->run_id, format, &error);
  if (text == NULL)
    return cli_fail (CLI_FAILED, error);
  if (job->output == NULL)
    g_print ("%s", text);
  else if (!assay_write_out (job->output, text, strlen (text), &error))
    return cli_fail (CLI_BAD_FILE, error);
  return CLI_OK;
}

/* Past GLib's printing, which would take the bytes for text. */
static int
export_print_bytes (GBytes *bytes)
{
  gsize length;
  const char *data = g_bytes_get_data (bytes, &length);
  if (fwrite (data, 1, length, stdout) == length && fflush (stdout) == 0)
    return CLI_OK;
  return cli_complain (CLI_BAD_FILE, _("the report could not be written: %s"), g_strerror (errno));
}

static int
export_pdf (const Export *job)
{
  GError *error = NULL;
  if (job->output == NULL && isatty (STDOUT_FILENO))
    return cli_complain (CLI_USAGE, _("a PDF is no text for a terminal: name a file with -o FILE"));
  if (job->output != NULL)
    return assay_report_pdf_write (job->ledger, job->run_id, job->output, &error) ? CLI_OK
                                                                                  : cli_fail (CLI_BAD_FILE, error);
  g_autoptr (GBytes) pdf = assay_report_pdf_render (job->ledger, job->run_id, &error);
  return pdf != NULL ? export_print_bytes (pdf) : cli_fail (CLI_FAILED, error);
}

int
cli_export (int argc, char **argv)
{
  gboolean json = FALSE;
  g_autofree char *format_name = NULL, *output = NULL;
  const GOptionEntry entries[] = {
    { "format", 0, 0, G_OPTION_ARG_STRING, &format_name, N_("csv, json, md, kv or pdf"), "FORMAT" },
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &output, N_("Write here, not to standard output"), "FILE" },
    { NULL },
  };
  if (!cli_parse ("export", entries, 1, 2, &argc, &argv, &json))
    return CLI_USAGE;
  const gboolean is_pdf = g_strcmp0 (format_name, "pdf") == 0;
  AssayExportFormat format = ASSAY_EXPORT_JSON;
  if (format_name == NULL && !json)
    return cli_complain (CLI_USAGE, _("--format csv, json, md, kv or pdf is needed"));
  if (format_name != NULL && !is_pdf && !assay_export_format_from_name (format_name, &format))
    return cli_complain (CLI_USAGE, _("‘%s’ is no export format; csv, json, md, kv and pdf are"), format_name);
  g_autoptr (AssayLedger) ledger = cli_load_ledger (argv[1]);
  if (ledger == NULL)
    return CLI_BAD_FILE;
  AssayRecord *record = argc > 2 ? cli_find_run (ledger, argv[2]) : NULL;
  if (argc > 2 && record == NULL)
    return CLI_USAGE;
  if (output != NULL && export_would_destroy (argv[1], output))
    return cli_complain (CLI_USAGE, _("%s is a ledger; name another file for the export"), output);
  const Export job = { ledger, record != NULL ? assay_record_get_id (record) : NULL, output };
  return is_pdf ? export_pdf (&job) : export_text (&job, format);
}
