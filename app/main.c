/* SPDX-License-Identifier: GPL-3.0-or-later */
/* app/main.c: a verb on the command line does its work without a window; anything else opens one. */
#include <gio/gio.h>
#include <glib/gi18n.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "assay-application.h"
#include "cli.h"

/* The C locale of cron jobs and containers knows ASCII only: the marks of the gates would print as question marks and a
 * prompt could not be read. Ledgers are UTF-8 whatever the locale. */
static void
use_utf8 (void)
{
  setlocale (LC_ALL, "");
  if (strcmp (nl_langinfo (CODESET), "ANSI_X3.4-1968") == 0)
    setlocale (LC_CTYPE, "C.UTF-8");
}

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
  use_utf8 ();
  bindtextdomain (GETTEXT_PACKAGE, ASSAY_LOCALE_DIR);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);

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

  g_autoptr (AssayApplication) application = assay_application_new ();
  return g_application_run (G_APPLICATION (application), argc, argv);
}
