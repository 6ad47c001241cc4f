/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-report.h: what is told of a ledger, or of one run, to a person who did not see it made.
 *
 * A report is a list of blocks: headings, sentences, items, tables, pictures, steps of chains. It says everything once,
 * with its unit and kind; Markdown and PDF are two ways to set it. Made on the thread that owns the ledger; then any
 * thread may read it. */
#pragma once

#include "assay-chain.h"

G_BEGIN_DECLS

typedef enum
{
  ASSAY_REPORT_TITLE,
  ASSAY_REPORT_HEADING,
  ASSAY_REPORT_SUBHEADING,
  ASSAY_REPORT_PARAGRAPH,
  ASSAY_REPORT_ITEM,
  ASSAY_REPORT_TABLE,
  ASSAY_REPORT_STEP,            /* of a chain */
  ASSAY_REPORT_CHART,           /* memory over time of a run */
  ASSAY_REPORT_PLOT,            /* of one kind of memory against time */
} AssayReportKind;

typedef struct
{
  AssayReportKind kind;
  char *lead;                   /* of an item: what it is about, "model_id"; or NULL */
  char *strong;                 /* of an item: said with weight between lead and text, "pass"; or NULL */
  char *text;                   /* valid UTF-8; a picture's words for who cannot see it; NULL of tables and steps */
  GPtrArray *rows;              /* of a table: (element-type GStrv), the first holds the columns' names */
  AssayRecord *record;          /* of a chart; owned */
  AssayChainStep *step;         /* of a step */
  guint group;                  /* of a plot: which of assay_pareto_new()'s groups */
} AssayReportBlock;

typedef struct
{
  AssayLedger *ledger;          /* owned */
  char *title;
  GPtrArray *runs;              /* (element-type AssayRecord): those it is about */
  GPtrArray *blocks;            /* (element-type AssayReportBlock) */
} AssayReport;

#define ASSAY_REPORT_MOST_PICTURES 100u /* runs with a chart; more of them are told and left to the window */

/* All runs, or only `run_id` and the chain that leads to it; NO_SUCH when there is no such run. (transfer full) */
AssayReport *assay_report_new (AssayLedger *ledger, const char *run_id, GError **error);
void assay_report_free (AssayReport *self);

/* A name of the record, which is set as such: "peak_vram". */
gboolean assay_report_is_name (const char *text);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayReport, assay_report_free)

G_END_DECLS
