/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-focus.h: how the focus passes through a widget that takes none itself.
 *
 * GTK's own way tries the widget too: one whose grab_focus leads to a control within sends the keyboard back to that
 * control for ever, and so does a list's row that is not focusable. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* A GtkWidgetClass.focus: through the children, in their order, and out. */
gboolean assay_focus_through (GtkWidget *widget, GtkDirectionType direction);

G_END_DECLS
