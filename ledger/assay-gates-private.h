/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-gates-private.h: the findings under the gates, for the advice to tell one signal from another.
 */
#pragma once

#include "assay-setting.h"

G_BEGIN_DECLS

/* One threshold against one figure. */
typedef enum { GATES_NOT_ASKED, GATES_NO_FIGURE, GATES_WITHIN, GATES_BEYOND } GatesFinding;

/* What the runs of one setting took, this record and its repeats; NaN and -1 are unknown. */
typedef struct
{
  guint n_counted;          /* runs that were put to the test: not cancelled, not cut off */
  guint n_completed;
  double latency_seconds;   /* mean of one answer */
  double tokens_per_second; /* mean */
  gint64 peak_ram;          /* greatest */
  GatesFinding latency, throughput, ram, retries;
  AssaySettingFigures figures; /* all of it */
} GatesOperation;

void assay_gates_measure (AssayLedger *ledger, AssayRecord *record, GatesOperation *out);

/* *peak: what the budget limits, peak_vram; on the device cpu, which has no memory of its own, the most the
 * engine allocated. -1 unknown. */
GatesFinding assay_gates_check_budget (AssayLedger *ledger, AssayRecord *record, gint64 *peak);
GatesFinding assay_gates_check_time (AssayLedger *ledger, AssayRecord *record, double *seconds);
/* The verdicts alone, without their evidence and without a look at the repeats. */
AssayVerdict assay_gates_judge_feasibility (AssayLedger *ledger, AssayRecord *record);
AssayVerdict assay_gates_judge_quality (AssayRecord *record);
AssayVerdict assay_gates_join (AssayVerdict a, AssayVerdict b); /* of repeats: any fail fails, not judged says nothing */
guint assay_gates_count_earlier (const AssayCriteria *criteria, GPtrArray *reviews); /* written before a change of them */
void assay_gates_judge_operation (AssayLedger *ledger, AssayRecord *record, AssayVerdict *verdict, char **evidence);
void assay_gates_add_evidence (GString *line, const char *format, ...) G_GNUC_PRINTF (2, 3);

G_END_DECLS
