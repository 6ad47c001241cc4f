/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-notice-bar.h: the notices of a session, in a stack above the content: inline, dismissible, plain text. */
#pragma once

#include <gtk/gtk.h>

#include "assay-notice.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_NOTICE_BAR (assay_notice_bar_get_type ())
G_DECLARE_FINAL_TYPE (AssayNoticeBar, assay_notice_bar, ASSAY, NOTICE_BAR, GtkWidget)

void assay_notice_bar_set_notices (AssayNoticeBar *self, GListStore *notices); /* once */
/* While answers are judged blind only these are told, the others once it is over: they may speak of runs. ids: static,
 * NULL-terminated; NULL: all are told. */
void assay_notice_bar_set_told (AssayNoticeBar *self, const char *const *ids);

G_END_DECLS
