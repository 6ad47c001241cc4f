/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-transcript.h: the answers of a run as a text buffer, growing with a trial or complete from a
 * record.
 *
 * A trial's transcript belongs to the trial: looking at another run and coming back loses nothing. The buffer
 * is bounded, whatever a model says: an answer is cut for display (its record keeps all of it), and the
 * oldest answers make room. */
#pragma once

#include <gtk/gtk.h>

#include "assay-trial.h"

G_BEGIN_DECLS

GtkTextBuffer *assay_transcript_get_for_trial (AssayTrial *trial, AssayLedger *ledger); /* (transfer none) */
GtkTextBuffer *assay_transcript_new_for_record (AssayRecord *record,
                                                AssayLedger *ledger); /* (transfer full) */

G_END_DECLS
