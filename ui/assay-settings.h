/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-settings.h: what a person prefers, as properties to bind to.
 *
 * Kept in GSettings where the schema is installed. Where it is not (a binary run from its build folder), the same
 * properties hold their defaults and last until the program ends: GSettings itself would abort. Main thread. */
#pragma once

#include <gio/gio.h>

#include "assay-values.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_SETTINGS (assay_settings_get_type ())
G_DECLARE_FINAL_TYPE (AssaySettings, assay_settings, ASSAY, SETTINGS, GObject)

/* Properties, read and write: "library-folder" (string, "": the default folder), "more-library-folders" (strv: shown too),
 * "model-folders" (strv),
 * "sample-interval-ms" (uint), "decimal-sizes" (boolean: GB where else GiB), "language" (string, "": the system's),
 * "default-device" (string, "": the engine's), "default-threads" (uint, 0: all), "default-max-tokens" (uint),
 * "notify-after-seconds" (uint, 0: never), "queue-stops-at-failure" (boolean), "window-width", "window-height" (int), "window-maximized", "show-sidebar"
 * (boolean), "last-view", "last-ledger" (string, a path), "reviewer" (string: the name that reviews are signed with),
 * "reviewers" (strv: names that signed before, the last first), "compare-columns" (strv: "+id" of columns that a person
 * chose to see, "-id" of those chosen not to). */
AssaySettings *assay_settings_get_default (void);              /* (transfer none) */
char *assay_settings_dup_library_folder (AssaySettings *self); /* never empty */
const char *const *assay_settings_get_more_library_folders (AssaySettings *self);
char **assay_settings_dup_library_folders (AssaySettings *self); /* the first is where new ledgers go */
/* The first is always shown. */
void assay_settings_show_library_folder (AssaySettings *self, const char *folder, gboolean show);
const char *const *assay_settings_get_model_folders (AssaySettings *self);
guint assay_settings_get_sample_interval_ms (AssaySettings *self);
guint assay_settings_get_notify_after_seconds (AssaySettings *self);
gboolean assay_settings_get_queue_stops_at_failure (AssaySettings *self);
const char *assay_settings_get_language (AssaySettings *self);    /* "", "en", "ko", "zh_CN" */
const char *assay_settings_get_last_view (AssaySettings *self);   /* "" when there was none */
const char *assay_settings_get_last_ledger (AssaySettings *self); /* "" when there was none */
/* What a person prefers for a new trial, into fields that say nothing yet. */
void assay_settings_fill_trial (AssaySettings *self, AssayValues *values);

G_END_DECLS
