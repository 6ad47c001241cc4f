/* SPDX-License-Identifier: GPL-3.0-or-later */
/* app/main.c: a verb on the command line does its work without a window; anything else opens one. */
#include <gio/gio.h>
#include <glib/gi18n.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "assay-application.h"
#include "assay-language.h"
#include "assay-settings.h"
#include "cli.h"

/* What could not be written to standard output was not delivered. */
static int
finish_output (int status)
{
  if (fflush (stdout) == 0 && !ferror (stdout))
    return status;
  cli_complain (CLI_FAILED, "%s", _("standard output could not be written"));
  return status == CLI_OK ? CLI_FAILED : status;
}

int
main (int argc, char **argv)
{
  signal (SIGXFSZ, SIG_IGN); /* a file size limit is a full disk like others: whoever writes says so */
  assay_language_init ();

  const char *first = argc > 1 ? argv[1] : "";
  const CliVerb *verb = cli_find_verb (first);
  if (verb != NULL)
    {
      g_autofree char *name = g_strdup_printf ("assay %s", verb->name);
      g_set_prgname (name);
      return finish_output (verb->run (argc - 1, argv + 1));
    }
  if (strcmp (first, "--help") == 0 || strcmp (first, "-h") == 0 || strcmp (first, "help") == 0)
    {
      cli_print_help ();
      return CLI_OK;
    }
  if (strcmp (first, "--version") == 0)
    return cli_version (1, argv);
  if (first[0] != '\0' && first[0] != '-' && !g_file_test (first, G_FILE_TEST_EXISTS))
    return cli_complain (CLI_USAGE, _("‘%s’ is neither a verb nor a file; assay --help lists the verbs"), first);

  assay_language_prefer (assay_settings_get_language (assay_settings_get_default ()));
  g_autoptr (AssayApplication) application = assay_application_new ();
  return g_application_run (G_APPLICATION (application), argc, argv);
}
