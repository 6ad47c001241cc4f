/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "views-driver.h"

#include <string.h>

#include "assay-criterion-row.h"

GtkWidget *
views_find (GtkWidget *widget, ViewsMatch match, const char *wanted)
{
  if (match (widget, wanted))
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = views_find (child, match, wanted);
      if (found != NULL)
        return found;
    }
  return NULL;
}

gboolean
views_is_button (GtkWidget *widget, const char *label)
{
  if (!GTK_IS_BUTTON (widget))
    return FALSE;
  GtkWidget *child = gtk_button_get_child (GTK_BUTTON (widget));
  return GTK_IS_LABEL (child) && g_str_equal (gtk_label_get_text (GTK_LABEL (child)), label);
}

gboolean
views_is_label (GtkWidget *widget, const char *part)
{
  return GTK_IS_LABEL (widget) && gtk_widget_get_mapped (widget)
         && strstr (gtk_label_get_text (GTK_LABEL (widget)), part) != NULL;
}

gboolean
views_is_term (GtkWidget *widget, const char *words)
{
  return GTK_IS_LABEL (widget) && g_str_equal (gtk_label_get_text (GTK_LABEL (widget)), words);
}

gboolean
views_is_type (GtkWidget *widget, const char *type)
{
  return g_str_equal (G_OBJECT_TYPE_NAME (widget), type);
}

gboolean
views_is_criterion (GtkWidget *widget, const char *id)
{
  return ASSAY_IS_CRITERION_ROW (widget)
         && g_str_equal (assay_criterion_row_get_id (ASSAY_CRITERION_ROW (widget)), id);
}

gboolean
views_is_note (GtkWidget *widget, const char *wanted)
{
  return GTK_IS_TEXT_VIEW (widget) && gtk_text_view_get_editable (GTK_TEXT_VIEW (widget));
}

gboolean
views_is_answer (GtkWidget *widget, const char *wanted)
{
  return GTK_IS_TEXT_VIEW (widget) && !gtk_text_view_get_editable (GTK_TEXT_VIEW (widget)) && gtk_widget_get_mapped (widget);
}

void
views_click (GtkWidget *root, const char *label)
{
  GtkWidget *button = views_find (root, views_is_button, label);

  g_assert_nonnull (button);
  g_assert_true (gtk_widget_is_sensitive (button));
  g_signal_emit_by_name (button, "clicked");
}

static GtkEventControllerKey *
get_keys (GtkWidget *widget)
{
  g_autoptr(GListModel) controllers = gtk_widget_observe_controllers (widget);
  GtkEventControllerKey *keys = NULL;

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr(GtkEventController) controller = g_list_model_get_item (controllers, i);
      if (GTK_IS_EVENT_CONTROLLER_KEY (controller))
        keys = GTK_EVENT_CONTROLLER_KEY (controller);
    }
  g_assert_nonnull (keys);
  return keys;
}

gboolean
views_press (GtkWidget *widget, guint keyval)
{
  gboolean handled = FALSE;

  g_signal_emit_by_name (get_keys (widget), "key-pressed", keyval, 0u, (GdkModifierType) 0, &handled);
  return handled;
}

char *
views_dup_text (GtkWidget *text_view)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (text_view));
  GtkTextIter start, end;

  gtk_text_buffer_get_bounds (buffer, &start, &end);
  return gtk_text_buffer_get_text (buffer, &start, &end, TRUE);
}

/* Until nothing has been dispatched for a while: a sanitized build on a busy machine takes what it takes. A
 * picture that never rests (a live chart) is left after some seconds. */
void
views_settle (void)
{
  const gint64 start = g_get_monotonic_time ();
  gint64 last = start, now;

  while ((now = g_get_monotonic_time ()) - last < 80000 && now - start < 4 * G_USEC_PER_SEC)
    if (g_main_context_iteration (NULL, FALSE))
      last = g_get_monotonic_time ();
    else
      g_usleep (2000);
}

Scene
views_scene_new (GtkWidget *view)
{
  Scene scene = { gtk_window_new (), view, views_fixture_ledger_new () };

  gtk_window_set_default_size (GTK_WINDOW (scene.window), 900, 640);
  gtk_window_set_child (GTK_WINDOW (scene.window), view);
  if (g_object_class_find_property (G_OBJECT_GET_CLASS (view), "ledger") != NULL)
    g_object_set (view, "ledger", scene.ledger, NULL);
  gtk_window_present (GTK_WINDOW (scene.window));
  views_settle ();
  return scene;
}

void
views_scene_show (Scene *scene, const char *run_id)
{
  g_object_set (scene->view, "record", assay_ledger_find_run (scene->ledger, run_id), NULL);
  views_settle ();
}

void
views_scene_clear (Scene *scene)
{
  gtk_window_destroy (GTK_WINDOW (scene->window));
  views_settle ();
  g_object_unref (scene->ledger);
}

gboolean
views_no_display (void)
{
  if (gdk_display_get_default () != NULL) /* gtk_init_check() says TRUE when asked twice */
    return FALSE;
  g_test_skip ("no display: run under xvfb-run");
  return TRUE;
}

void
views_count_cb (gpointer counter)
{
  ++*(guint *) counter;
}
