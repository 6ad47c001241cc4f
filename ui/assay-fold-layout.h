/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-fold-layout.h: children side by side where there is room, else one below the other.
 *
 * For a sentence with buttons behind it, at any text size and in a narrow window. Children that do not expand are as wide
 * as they like; those that do share the rest, and where that would be less than a few words wide, all are stacked. To be
 * given to a GtkBox whose own spacing is left alone. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define ASSAY_TYPE_FOLD_LAYOUT (assay_fold_layout_get_type ())
G_DECLARE_FINAL_TYPE (AssayFoldLayout, assay_fold_layout, ASSAY, FOLD_LAYOUT, GtkLayoutManager)

/* Property: "spacing" (uint, px, both ways). */

G_END_DECLS
