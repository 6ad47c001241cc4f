/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-record-words.h: the record's own words for a status and a phase, in the person's language. In English they
 * are the record's, as files and the command line have them. */
#pragma once

#include "assay-record.h"

G_BEGIN_DECLS

const char *assay_record_words_status (AssayRunStatus status);
/* A child process names phases of its own: these stay as they are. */
const char *assay_record_words_phase (const char *phase);
/* The kind of a measure, or its source. */
const char *assay_record_words_measure (const char *word);

G_END_DECLS
