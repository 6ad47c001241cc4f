/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/judgment/judgment.h: records in one line each. */
#pragma once

#include "assay-ledger.h"

/* Pairs of field name and file form, NULL at the end; "effective.NAME" sets what was in effect; a value
 * "?reason" is unknown. The record is not sealed. */
AssayRecord *judgment_run (const char *id, AssayRunStatus status, ...) G_GNUC_NULL_TERMINATED;

/* Seals the record, gives it to the ledger and lends it back. */
AssayRecord *judgment_add (AssayLedger *ledger, AssayRecord *record_taken);

AssayReview *judgment_review (AssayRecord *record, const char *reviewer, AssayVerdict verdict);
AssayOutput *judgment_output (AssayRecord *record, const char *question, const char *text);

/* A language ledger with nothing set; the criteria may be changed until it is used. */
AssayLedger *judgment_ledger (void);
AssayCriteria *judgment_criteria (AssayLedger *ledger);

/* A folder of files and what is in it. */
void judgment_remove_folder (const char *path);
