/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-reviewer-entry.h: whose judgment this is: a name, and those that signed before to choose from. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define ASSAY_TYPE_REVIEWER_ENTRY (assay_reviewer_entry_get_type ())
G_DECLARE_FINAL_TYPE (AssayReviewerEntry, assay_reviewer_entry, ASSAY, REVIEWER_ENTRY, GtkWidget)

/* Signal: "changed" (): the name. */
const char *assay_reviewer_entry_get_name (AssayReviewerEntry *self);
void assay_reviewer_entry_set_name (AssayReviewerEntry *self, const char *name);
void assay_reviewer_entry_set_known (AssayReviewerEntry *self, const char *const *names); /* NULL: none */

/* The names with `name` first, each once, the oldest dropped. (transfer full) */
char **assay_reviewers_remember (const char *const *names, const char *name);

G_END_DECLS
