/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-notice.h: one thing to tell a person in place, with at most two things to do about it.
 *
 * Immutable. The message is plain text, whatever a file put into it. Posting a notice replaces the one of the same id. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

#define ASSAY_TYPE_NOTICE (assay_notice_get_type ())
G_DECLARE_FINAL_TYPE (AssayNotice, assay_notice, ASSAY, NOTICE, GObject)

typedef struct
{
  char *label;
  char *action; /* detailed action name of the window: "win.open::/path" */
} AssayNoticeAction;

AssayNotice *assay_notice_new (const char *id, gboolean is_error, const char *message);
/* target: string argument of the action, or NULL. Returns self, to chain. */
AssayNotice *assay_notice_with_action (AssayNotice *self, const char *label, const char *action, const char *target);
const char *assay_notice_get_id (AssayNotice *self);
gboolean assay_notice_is_error (AssayNotice *self);
const char *assay_notice_get_message (AssayNotice *self);
guint assay_notice_get_n_actions (AssayNotice *self);
const AssayNoticeAction *assay_notice_get_action (AssayNotice *self, guint i);

void assay_notices_post (GListStore *notices, AssayNotice *notice); /* takes the notice */
void assay_notices_dismiss (GListStore *notices, const char *id);

G_END_DECLS
