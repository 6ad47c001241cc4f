/* SPDX-License-Identifier: GPL-3.0-or-later */
/* app/assay-language.c: see the header. Of the locale only the messages' language is ever overridden: numbers
 * in files are written without a locale, and a person's own dates and order stay. */
#include "assay-language.h"

#include <glib/gi18n.h>
#include <langinfo.h>
#include <locale.h>
#include <string.h>

void
assay_language_init (void)
{
  const char *folder = g_getenv ("ASSAY_LOCALE_DIR");

  setlocale (LC_ALL, "");
  /* The C locale of cron jobs and containers knows ASCII only: the marks of the gates would print as question
   * marks and a prompt could not be read. Ledgers are UTF-8 whatever the locale. */
  if (strcmp (nl_langinfo (CODESET), "ANSI_X3.4-1968") == 0)
    setlocale (LC_CTYPE, "C.UTF-8");
  bindtextdomain (GETTEXT_PACKAGE, folder != NULL ? folder : ASSAY_LOCALE_DIR);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  /* GLib decides at its first string, once, whether a program without a catalogue in the system's language is translated
   * at all. The language of the preferences is not known yet, and may well have one: before there is a domain, it is. */
  g_dgettext (GETTEXT_PACKAGE, "");
  textdomain (GETTEXT_PACKAGE);
}

/* Catalogues are asked for only in a locale other than C; any other will do, since LANGUAGE names the
 * language. */
static void
language_leave_c_locale (const char *language)
{
  g_autofree char *long_name
      = g_str_equal (language, "ko") ? g_strdup ("ko_KR.UTF-8") : g_strdup_printf ("%s.UTF-8", language);
  const char *const names[] = { long_name, "en_US.UTF-8", "C.UTF-8" };
  const char *variable = g_getenv ("LC_ALL") != NULL ? "LC_ALL" : "LC_MESSAGES";

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (setlocale (LC_MESSAGES, names[i]) != NULL)
      {
        g_setenv (variable, names[i], TRUE); /* GTK asks the environment again */
        return;
      }
}

void
assay_language_prefer (const char *language)
{
  g_return_if_fail (language != NULL);
  if (*language == '\0')
    return;
  g_setenv ("LANGUAGE", language, TRUE);
  const char *messages = setlocale (LC_MESSAGES, NULL);
  if (messages == NULL || g_str_equal (messages, "C") || g_str_equal (messages, "POSIX")
      || g_str_has_prefix (messages, "C."))
    language_leave_c_locale (language);
}
