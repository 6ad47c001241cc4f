/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-review-lobby.h: how to review, where there is a choice: blind, side by side, or by name; and whose review it
 * will be, since the order of a blind one is the reviewer's own. */
#pragma once

#include <adwaita.h>

#include "assay-review-next.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_REVIEW_LOBBY (assay_review_lobby_get_type ())
G_DECLARE_FINAL_TYPE (AssayReviewLobby, assay_review_lobby, ASSAY, REVIEW_LOBBY, AdwBin)

/* Its buttons have the actions review.blind, review.pairs, review.by-name, review.agreement and review.edit-criteria.
 * Signal: "name-changed" (AssayReviewerEntry). */
void assay_review_lobby_show (AssayReviewLobby *self, const AssayReviewProgress *progress, const char *reviewer,
                              gboolean writable);
void assay_review_lobby_set_name (AssayReviewLobby *self, const char *name);
void assay_review_lobby_set_known (AssayReviewLobby *self, const char *const *names);
void assay_review_lobby_ask_name (AssayReviewLobby *self);             /* says that it is needed, and takes the focus */
void assay_review_lobby_say (AssayReviewLobby *self, const char *words); /* until it is shown again */
void assay_review_lobby_focus (AssayReviewLobby *self);                /* on what comes next: the name, or to begin */

G_END_DECLS
