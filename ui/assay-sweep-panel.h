/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-sweep-panel.h: the open field of a continued run at several values: what is typed is read as it is typed, and
 * says how many trials it makes, or why it makes none. Above the form, which stays in sight; hidden until it is opened. */
#pragma once

#include <gtk/gtk.h>

#include "assay-session.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_SWEEP_PANEL (assay_sweep_panel_get_type ())
G_DECLARE_FINAL_TYPE (AssaySweepPanel, assay_sweep_panel, ASSAY, SWEEP_PANEL, GtkWidget)

void assay_sweep_panel_set_session (AssaySweepPanel *self, AssaySession *session); /* once */
void assay_sweep_panel_open (AssaySweepPanel *self); /* for the field that is open; it follows when that is another one */
void assay_sweep_panel_close (AssaySweepPanel *self);

G_END_DECLS
