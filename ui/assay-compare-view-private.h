/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-compare-view-private.h: the comparison from the inside: its table (assay-compare-table.c), what is said of
 * the selection (assay-compare-findings.c), and the rest. */
#pragma once

#include "assay-compare-row.h"
#include "assay-compare-view.h"

G_BEGIN_DECLS

struct _AssayCompareView
{
  AdwBin parent_instance;

  /* owned */
  AssayLedger *ledger;
  GSignalGroup *ledger_signals;
  GListStore *rows;             /* of AssayCompareRow, as the ledger has its runs */
  GtkMultiSelection *selection;
  GtkSorter *pinned_first;
  AssayRecord *baseline;
  char *pinned;                 /* run id, or NULL */
  char **chosen;                /* "+id", "-id" of columns that a person chose, or NULL */
  guint refresh_source, rebuild_source;
  gboolean fold;
  double from_start;            /* how far the table is scrolled, in pixels from its first column */

  AssayCompareUnit units[ASSAY_N_COMPARE_COLUMNS];
  int sorted_by;                /* column that the menu sorted by last; -1: none */
  GtkSortType direction;

  /* borrowed: the table's */
  GtkColumnViewColumn *columns[ASSAY_N_COMPARE_COLUMNS];

  /* template children */
  GtkStack *stack;
  GtkColumnView *table;
  GtkMenuButton *chooser, *sort_button, *more_button;
  GtkButton *pin;
  GtkLabel *findings, *baseline_words;
};

/* The table */
void compare_table_add_columns (AssayCompareView *self);
void compare_table_update_units (AssayCompareView *self); /* and the titles that name them */
void compare_table_refresh (AssayCompareView *self);      /* every cell in sight */
void compare_table_sort (AssayCompareView *self, AssayCompareColumn column); /* again: the other way round */

/* What is shown, a row an array of texts, the titles first. selected: only those rows, unless none is.
 * (transfer full) (element-type GStrv) */
GPtrArray *compare_table_dup_shown (AssayCompareView *self, gboolean selected);
char *compare_table_format (GPtrArray *lines, gboolean csv); /* else tabs, for the clipboard */

/* The selection, in the ledger's order: (element-type AssayCompareRow), each a reference. (transfer full) */
GPtrArray *compare_view_dup_selected (AssayCompareView *self);
void compare_findings_update (AssayCompareView *self);

G_END_DECLS
