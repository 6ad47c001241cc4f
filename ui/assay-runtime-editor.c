/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-runtime-editor.h"

#include <glib/gi18n-lib.h>

#include "assay-accessible.h"
#include "assay-field-editor.h"
#include "runtimes/assay-recipe.h"

struct _AssayRuntimeEditor
{
  GtkWidget parent_instance;
  AssayDraft *draft;            /* owned */
  AssayFieldId field;
  GtkWidget *text, *button;     /* children */
  GtkFileChooserNative *asking; /* owned */
};

G_DEFINE_FINAL_TYPE (AssayRuntimeEditor, assay_runtime_editor, GTK_TYPE_WIDGET)

static void
editor_set (AssayRuntimeEditor *self, const char *value)
{
  if (assay_draft_is_open (self->draft, self->field))
    assay_draft_set_typed (self->draft, self->field, value);
}

static void
on_response (GtkNativeDialog *dialog, int response, AssayRuntimeEditor *self)
{
  g_autoptr(GFile) file =
    response == GTK_RESPONSE_ACCEPT ? gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog)) : NULL;
  g_autofree char *path = file != NULL ? g_file_get_path (file) : NULL;
  if (path != NULL)
    editor_set (self, path);
  g_clear_object (&self->asking);
}

static void
on_ask (GtkWidget *widget, const char *name, GVariant *argument)
{
  AssayRuntimeEditor *self = ASSAY_RUNTIME_EDITOR (widget);
  const char *title = self->field == ASSAY_FIELD_PROGRAM ? _("Choose a Program") : _("Choose a Script");
  if (self->asking != NULL)
    return;
  self->asking = gtk_file_chooser_native_new (title, GTK_WINDOW (gtk_widget_get_root (widget)),
                                              GTK_FILE_CHOOSER_ACTION_OPEN, _("_Open"), NULL);
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (self->asking), TRUE);
  g_signal_connect_object (self->asking, "response", G_CALLBACK (on_response), self, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (self->asking));
}

static void
on_set (GtkWidget *widget, const char *name, GVariant *argument)
{
  editor_set (ASSAY_RUNTIME_EDITOR (widget), g_variant_get_string (argument, NULL));
}

static void
recipes_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  g_task_return_pointer (task, assay_recipe_list (), (GDestroyNotify) g_strfreev);
}

static void
recipes_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  AssayRuntimeEditor *self = ASSAY_RUNTIME_EDITOR (source);
  g_auto(GStrv) recipes = g_task_propagate_pointer (G_TASK (result), NULL);
  g_autoptr(GMenu) menu = g_menu_new ();
  for (guint i = 0; recipes != NULL && recipes[i] != NULL; i++)
    {
      g_autoptr(GMenuItem) item = g_menu_item_new (recipes[i], NULL);
      g_menu_item_set_action_and_target (item, "runtime.set", "s", recipes[i]);
      g_menu_append_item (menu, item);
    }
  g_menu_append (menu, _("A Script of Your Own…"), "runtime.ask");
  g_menu_append (menu, _("None: The Program Speaks for Itself"), "runtime.set::");
  if (self->button != NULL)
    gtk_menu_button_set_menu_model (GTK_MENU_BUTTON (self->button), G_MENU_MODEL (menu));
}

static void
editor_list_recipes (AssayRuntimeEditor *self)
{
  g_autoptr(GTask) task = g_task_new (self, NULL, recipes_cb, NULL);
  g_task_run_in_thread (task, recipes_thread);
}

static void
editor_sync (AssayRuntimeEditor *self)
{
  assay_field_editor_sync (ASSAY_FIELD_EDITOR (self->text));
}

static void
editor_reset (AssayRuntimeEditor *self)
{
  assay_field_editor_reset (ASSAY_FIELD_EDITOR (self->text));
}

static void
assay_runtime_editor_dispose (GObject *object)
{
  AssayRuntimeEditor *self = ASSAY_RUNTIME_EDITOR (object);
  if (self->asking != NULL)
    gtk_native_dialog_destroy (GTK_NATIVE_DIALOG (self->asking));
  g_clear_object (&self->asking);
  g_clear_pointer (&self->text, gtk_widget_unparent);
  g_clear_pointer (&self->button, gtk_widget_unparent);
  g_clear_object (&self->draft);
  G_OBJECT_CLASS (assay_runtime_editor_parent_class)->dispose (object);
}

static void
assay_runtime_editor_class_init (AssayRuntimeEditorClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = assay_runtime_editor_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BOX_LAYOUT);
  gtk_widget_class_install_action (widget_class, "runtime.ask", NULL, on_ask);
  gtk_widget_class_install_action (widget_class, "runtime.set", "s", on_set);
}

static void
assay_runtime_editor_init (AssayRuntimeEditor *self)
{
  gtk_box_layout_set_spacing (GTK_BOX_LAYOUT (gtk_widget_get_layout_manager (GTK_WIDGET (self))), 6);
}

static void
editor_make_button (AssayRuntimeEditor *self)
{
  const gboolean program = self->field == ASSAY_FIELD_PROGRAM;
  const char *label = program ? _("Choose a program") : _("Choose a recipe");
  self->button = program ? gtk_button_new_from_icon_name ("document-open-symbolic") : gtk_menu_button_new ();
  if (program)
    gtk_actionable_set_action_name (GTK_ACTIONABLE (self->button), "runtime.ask");
  else
    editor_list_recipes (self);
  gtk_widget_set_tooltip_text (self->button, label);
  assay_accessible_name (self->button, label);
  gtk_widget_set_parent (self->button, GTK_WIDGET (self));
}

GtkWidget *
assay_runtime_editor_new (AssayDraft *draft, AssayFieldId field)
{
  AssayRuntimeEditor *self = g_object_new (ASSAY_TYPE_RUNTIME_EDITOR, NULL);
  self->draft = g_object_ref (draft);
  self->field = field;
  self->text = assay_field_editor_new (draft, field);
  gtk_widget_set_parent (self->text, GTK_WIDGET (self));
  editor_make_button (self);
  g_signal_connect_object (draft, "changed", G_CALLBACK (editor_sync), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (draft, "notify::open-field", G_CALLBACK (editor_reset), self, G_CONNECT_SWAPPED);
  return GTK_WIDGET (self);
}
