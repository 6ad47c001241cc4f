/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-setup-view.h: the form of the next trial, made from the list of fields.
 *
 * Groups and their order are the record's. A child has one open field; the rest show a padlock. */
#pragma once

#include <gtk/gtk.h>

#include "assay-session.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_SETUP_VIEW (assay_setup_view_get_type ())
G_DECLARE_FINAL_TYPE (AssaySetupView, assay_setup_view, ASSAY, SETUP_VIEW, GtkWidget)

void assay_setup_view_set_session (AssaySetupView *self, AssaySession *session); /* once */
void assay_setup_view_choose_model (AssaySetupView *self);     /* opens the list of models */
/* Scrolls to the one open field of a child and gives it the focus. */
void assay_setup_view_show_open_field (AssaySetupView *self);

G_END_DECLS
