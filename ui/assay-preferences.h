/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-preferences.h: where ledgers and models lie, and how often memory is read. */
#pragma once

#include <adwaita.h>

#include "assay-settings.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_PREFERENCES (assay_preferences_get_type ())
G_DECLARE_FINAL_TYPE (AssayPreferences, assay_preferences, ASSAY, PREFERENCES, AdwPreferencesWindow)

GtkWidget *assay_preferences_new (AssaySettings *settings);

G_END_DECLS
