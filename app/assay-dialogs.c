/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-dialogs.h"

#include <glib/gi18n.h>

#include "assay-help.h"
#include "assay-preferences.h"

void
assay_dialogs_show_preferences (GtkWindow *parent)
{
  GtkWidget *preferences = assay_preferences_new (assay_settings_get_default ());
  gtk_window_set_transient_for (GTK_WINDOW (preferences), parent);
  gtk_window_present (GTK_WINDOW (preferences));
}

/* No addresses: nothing here may need a network to be true. */
void
assay_dialogs_show_about (GtkWindow *parent)
{
  const char *const developers[] = { _("The Assay contributors"), NULL };
  GtkWidget *about = adw_about_window_new ();
  g_object_set (about, "application-name", _("Assay"), "application-icon", ASSAY_APPLICATION_ID, "version",
                ASSAY_VERSION, "license-type", GTK_LICENSE_GPL_3_0, "developer-name", _("The Assay contributors"),
                "developers", developers, "copyright", _("© 2026 The Assay contributors"), "comments",
                _("Weighs a model run, lets a person judge its output, and writes both into one book, apart."),
                /* Translators: your names, one a line; they are shown in the about window */
                "translator-credits", _("translator-credits"), "modal", TRUE, "transient-for", parent, NULL);
  adw_about_window_add_legal_section (ADW_ABOUT_WINDOW (about), _("The sample’s model, SmolLM2-135M-Instruct"), NULL,
                                      GTK_LICENSE_APACHE_2_0, NULL);
  gtk_window_present (GTK_WINDOW (about));
}

void
assay_dialogs_show_help (GtkApplication *application, const char *topic)
{
  static GtkWidget *help; /* a weak pointer */
  if (help == NULL)
    {
      g_set_weak_pointer (&help, assay_help_new ());
      gtk_window_set_application (GTK_WINDOW (help), application);
    }
  if (topic != NULL)
    assay_help_show_topic (ASSAY_HELP (help), topic);
  gtk_window_present (GTK_WINDOW (help));
}
