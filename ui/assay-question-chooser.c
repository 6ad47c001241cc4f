/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-question-chooser.h"

#include <glib/gi18n-lib.h>

struct _AssayQuestionChooser
{
  GtkWidget parent_instance;
  AssaySession *session; /* owned */
  GtkWidget *button;     /* child */
};

G_DEFINE_FINAL_TYPE (AssayQuestionChooser, assay_question_chooser, GTK_TYPE_WIDGET)

static void
chooser_refresh (AssayQuestionChooser *self)
{
  GPtrArray *questions = assay_session_get_questions (self->session);
  const char *set = assay_session_get_question_set (self->session);
  const char *lock = assay_session_get_questions_lock (self->session);
  g_autofree char *text = NULL;
  if (assay_draft_has_prompt (assay_session_get_draft (self->session)))
    text = g_strdup (_("the prompt above"));
  else if (questions == NULL || questions->len == 0)
    text = g_strdup (_("a free prompt"));
  else
    text = g_strdup_printf (ngettext ("%u question", "%u questions", questions->len), questions->len);
  gtk_menu_button_set_label (GTK_MENU_BUTTON (self->button), text);
  gtk_widget_set_sensitive (self->button, lock == NULL);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self), lock != NULL ? lock : set);
}

const char *
assay_question_chooser_get_reason (AssayQuestionChooser *self)
{
  g_return_val_if_fail (ASSAY_IS_QUESTION_CHOOSER (self), NULL);
  return assay_session_get_questions_lock (self->session);
}

static void
on_bundled (GtkWidget *widget, const char *name, GVariant *argument)
{
  assay_session_use_bundled_questions (ASSAY_QUESTION_CHOOSER (widget)->session);
}

static void
on_free_prompt (GtkWidget *widget, const char *name, GVariant *argument)
{
  assay_session_use_free_prompt (ASSAY_QUESTION_CHOOSER (widget)->session);
}

static void
on_response (GtkNativeDialog *dialog, int response, gpointer data)
{
  g_autoptr(AssayQuestionChooser) self = data;
  if (response == GTK_RESPONSE_ACCEPT && self->session != NULL)
    {
      g_autoptr(GFile) file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
      g_autofree char *path = file != NULL ? g_file_get_path (file) : NULL;
      if (path != NULL)
        assay_session_use_questions_file (self->session, path);
    }
  g_object_unref (dialog);
}

static void
on_file (GtkWidget *widget, const char *name, GVariant *argument)
{
  GtkWindow *window = GTK_WINDOW (gtk_widget_get_root (widget));
  GtkFileChooserNative *dialog = gtk_file_chooser_native_new (_("Choose a Question Set"), window,
                                                              GTK_FILE_CHOOSER_ACTION_OPEN, _("_Open"), NULL);
  g_autoptr(GtkFileFilter) filter = gtk_file_filter_new ();
  gtk_file_filter_set_name (filter, _("Question sets"));
  gtk_file_filter_add_pattern (filter, "*.questions.xml");
  gtk_file_chooser_add_filter (GTK_FILE_CHOOSER (dialog), filter);
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  g_signal_connect (dialog, "response", G_CALLBACK (on_response), g_object_ref (widget));
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

static void
assay_question_chooser_dispose (GObject *object)
{
  AssayQuestionChooser *self = ASSAY_QUESTION_CHOOSER (object);
  g_clear_pointer (&self->button, gtk_widget_unparent);
  g_clear_object (&self->session);
  G_OBJECT_CLASS (assay_question_chooser_parent_class)->dispose (object);
}

static void
assay_question_chooser_class_init (AssayQuestionChooserClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = assay_question_chooser_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_install_action (widget_class, "questions.bundled", NULL, on_bundled);
  gtk_widget_class_install_action (widget_class, "questions.file", NULL, on_file);
  gtk_widget_class_install_action (widget_class, "questions.free-prompt", NULL, on_free_prompt);
}

static void
assay_question_chooser_init (AssayQuestionChooser *self)
{
  g_autoptr(GMenu) menu = g_menu_new ();
  g_menu_append (menu, _("The Questions That Come with Assay"), "questions.bundled");
  g_menu_append (menu, _("Questions of a File…"), "questions.file");
  g_menu_append (menu, _("A Free Prompt"), "questions.free-prompt");
  self->button = gtk_menu_button_new ();
  gtk_menu_button_set_menu_model (GTK_MENU_BUTTON (self->button), G_MENU_MODEL (menu));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->button), GTK_ACCESSIBLE_PROPERTY_LABEL, _("Question set"), -1);
  gtk_widget_set_parent (self->button, GTK_WIDGET (self));
}

GtkWidget *
assay_question_chooser_new (AssaySession *session)
{
  AssayQuestionChooser *self = g_object_new (ASSAY_TYPE_QUESTION_CHOOSER, NULL);
  self->session = g_object_ref (session);
  AssayDraft *draft = assay_session_get_draft (session);
  g_signal_connect_object (session, "notify::question-set", G_CALLBACK (chooser_refresh), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::ledger", G_CALLBACK (chooser_refresh), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::running", G_CALLBACK (chooser_refresh), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (draft, "changed", G_CALLBACK (chooser_refresh), self, G_CONNECT_SWAPPED);
  chooser_refresh (self);
  return GTK_WIDGET (self);
}
