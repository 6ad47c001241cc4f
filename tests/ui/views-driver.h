/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/ui/views-driver.h: finds widgets as a person does, by what they say, and uses them. */
#pragma once

#include <adwaita.h>

#include "views-fixture.h"

typedef gboolean (*ViewsMatch) (GtkWidget *widget, const char *wanted);

typedef struct
{
  GtkWidget *window, *view;
  AssayLedger *ledger;
} Scene;

GtkWidget *views_find (GtkWidget *widget, ViewsMatch match, const char *wanted);
gboolean views_is_button (GtkWidget *widget, const char *label);
/* A label that a person sees and whose words contain `part`. */
gboolean views_is_label (GtkWidget *widget, const char *part);
gboolean views_is_term (GtkWidget *widget, const char *words); /* a label of these words alone */
gboolean views_is_type (GtkWidget *widget, const char *type);
gboolean views_is_criterion (GtkWidget *widget, const char *id);
gboolean views_is_note (GtkWidget *widget, const char *wanted);
gboolean views_is_answer (GtkWidget *widget, const char *wanted);
void views_click (GtkWidget *root, const char *label);
gboolean views_press (GtkWidget *widget, guint keyval);
char *views_dup_text (GtkWidget *text_view);
void views_settle (void);
Scene views_scene_new (GtkWidget *view);
void views_scene_show (Scene *scene, const char *run_id);
void views_scene_clear (Scene *scene);
gboolean views_no_display (void);
void views_count_cb (gpointer counter);
