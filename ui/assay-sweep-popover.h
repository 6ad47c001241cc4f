/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-sweep-popover.h: the open field of a continued run at several values: what is typed is read as it is typed, and
 * says how many trials it makes, or why it makes none. */
#pragma once

#include <gtk/gtk.h>

#include "assay-session.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_SWEEP_POPOVER (assay_sweep_popover_get_type ())
G_DECLARE_FINAL_TYPE (AssaySweepPopover, assay_sweep_popover, ASSAY, SWEEP_POPOVER, GtkPopover)

/* parent: what it points at; it is unparented with gtk_widget_unparent(). */
AssaySweepPopover *assay_sweep_popover_new (AssaySession *session, GtkWidget *parent);
void assay_sweep_popover_open (AssaySweepPopover *self); /* for the field that is open now */

G_END_DECLS
