/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-report-private.h: what the sections of the report share. */
#pragma once

#include "assay-report.h"

G_BEGIN_DECLS

AssayReportBlock *report_add (AssayReport *self, AssayReportKind kind, const char *text);
/* lead and strong may be NULL. */
void report_add_item (AssayReport *self, const char *lead, const char *strong, const char *text);
/* Columns' names, NULL at the end. Rows are added by report_take_row(). */
AssayReportBlock *report_add_table (AssayReport *self, const char *first, ...) G_GNUC_NULL_TERMINATED;
void report_take_row (AssayReportBlock *table, GStrvBuilder *cells);

/* A heading that is written only when something comes under it. */
typedef struct { AssayReport *report; const char *title; gboolean begun; } ReportSection;
void report_section_begin (ReportSection *self);

/* The run that this one continues, or NULL. (transfer none) */
AssayRecord *report_get_parent (AssayReport *self, AssayRecord *run);

/* The sections, in order. */
void report_tell_questions (AssayReport *self);
void report_tell_conditions (AssayReport *self);
void report_tell_burden (AssayReport *self);
void report_tell_repeats (AssayReport *self);
void report_tell_charts (AssayReport *self);
void report_tell_gates (AssayReport *self);
void report_tell_comparison (AssayReport *self);
void report_tell_reviews (AssayReport *self);
void report_tell_agreement (AssayReport *self); /* of the whole ledger */
void report_tell_means (AssayReport *self);
void report_tell_chains (AssayReport *self, const char *run_id);
void report_tell_plans (AssayReport *self);

G_END_DECLS
