/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-question-chooser.h: what the next run is asked: the questions that come with Assay, those of a file, or a
 * prompt. Tells why where a ledger keeps its questions. */
#pragma once

#include <gtk/gtk.h>

#include "assay-session.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_QUESTION_CHOOSER (assay_question_chooser_get_type ())
G_DECLARE_FINAL_TYPE (AssayQuestionChooser, assay_question_chooser, ASSAY, QUESTION_CHOOSER, GtkWidget)

GtkWidget *assay_question_chooser_new (AssaySession *session);

const char *assay_question_chooser_get_reason (AssayQuestionChooser *self); /* why they are held; NULL: they are not */

G_END_DECLS
