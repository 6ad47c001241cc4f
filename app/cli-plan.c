/* SPDX-License-Identifier: GPL-3.0-or-later */
/* app/cli-plan.c: the verb plan: what a trial would need, from metadata alone. The exit status is that of the
 * run it foretells: 10 where device memory, 11 where host memory would not do, 4 where a rule is broken. */
#include "cli.h"

#include <glib/gi18n.h>

#include "assay-forecast.h"

static int
plan_status_of_error (const GError *error)
{
  if (g_error_matches (error, ASSAY_ENGINE_ERROR, ASSAY_ENGINE_ERROR_RULE)
      || g_error_matches (error, ASSAY_ENGINE_ERROR, ASSAY_ENGINE_ERROR_CONTEXT))
    return CLI_RULE;
  return CLI_BAD_FILE;
}

static int
plan_request (CliRequest *request)
{
  GError *error = NULL;
  const char *path = assay_values_get_text (request->trial.conditions, ASSAY_FIELD_MODEL_PATH);
  if (path == NULL)
    return cli_complain (CLI_USAGE, _("give --set model_path=FILE (‘assay models’ lists what is here)"));
  g_autoptr (AssayInspection) inspection = assay_inspect (path, TRUE, NULL, &error);
  if (inspection == NULL)
    return cli_fail (CLI_BAD_FILE, error);
  g_autoptr (AssayForecast) forecast
      = assay_forecast_new (request->trial.conditions, inspection, request->trial.questions, &error);
  if (forecast == NULL)
    return cli_fail (plan_status_of_error (error), error);
  g_autofree char *report = assay_forecast_dup_report (forecast, request->trial.json);
  g_print ("%s\n", report);
  return cli_exit_status (forecast->status);
}

int
cli_plan (int argc, char **argv)
{
  g_auto (CliRequest) request = { 0 };
  const GOptionEntry entries[] = {
    { "ledger", 0, 0, G_OPTION_ARG_FILENAME, &request.ledger_path,
      N_("The ledger that --from looks in and whose questions are asked"), "FILE" },
    CLI_REQUEST_OPTIONS (request),
    { NULL },
  };
  if (!cli_parse ("plan", entries, 0, 0, &argc, &argv, &request.trial.json))
    return CLI_USAGE;
  const int status = cli_request_read (&request);
  return status != CLI_OK ? status : plan_request (&request);
}
