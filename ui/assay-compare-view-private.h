/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-compare-view-private.h: the comparison from the inside: its table (assay-compare-table.c), what is said of
 * the selection (assay-compare-findings.c) and of the whole ledger (assay-compare-plot.c), what leaves it
 * (assay-compare-export.c), and the rest. */
#pragma once

#include "assay-compare-found.h"
#include "assay-compare-row.h"
#include "assay-compare-view.h"
#include "assay-comparison-plot.h"

G_BEGIN_DECLS

struct _AssayCompareView
{
  AdwBin parent_instance;

  /* owned */
  AssayLedger *ledger;
  GSignalGroup *ledger_signals;
  GHashTable *cells;            /* (element-type GtkListItem), borrowed: those that are bound */
  GHashTable *stale;            /* likewise: those of them that show what was before */
  GListStore *rows;             /* of AssayCompareRow, as the ledger has its runs */
  GtkMultiSelection *selection;
  GtkSorter *pinned_first;
  AssayRecord *baseline;
  char *pinned;                 /* run id, or NULL */
  char **chosen;                /* "+id", "-id" of columns that a person chose, or NULL */
  guint refresh_source, rebuild_source, stale_source;
  gboolean fold;
  AssayCompareFound *found;     /* NULL: not yet */
  GCancellable *finding;
  gboolean is_found;            /* or being looked for; FALSE: the ledger changed since */
  GHashTable *read_anyway;      /* "id id": pairs of runs whose unchosen change a person has accepted */
  gboolean moved[ASSAY_N_COMPARE_COLUMNS]; /* to the front, once */
  int halves_at;                /* where the program put the handle; 0: nowhere yet */
  double from_start;            /* how far the table is scrolled, in pixels from its first column */

  AssayCompareUnit units[ASSAY_N_COMPARE_COLUMNS];
  gboolean units_stale;         /* the rows are not those that they were chosen for */
  int sorted_by;                /* column that the menu sorted by last; -1: none */
  GtkSortType direction;

  /* borrowed: the table's */
  GtkColumnViewColumn *columns[ASSAY_N_COMPARE_COLUMNS];

  /* template children */
  GtkStack *stack;
  GtkColumnView *table;
  GtkMenuButton *chooser, *sort_button, *more_button;
  GtkButton *pin;
  GtkLabel *baseline_words, *left_out_words, *elsewhere;
  GtkBox *findings, *effects_list;
  GtkExpander *effects, *left_out;
  GtkDropDown *memory;
  GtkPaned *halves, *upper;
  AssayComparisonPlot *plot;

  char *said;                   /* owned: the findings, a line each */
};

/* The table */
void compare_table_add_columns (AssayCompareView *self);
void compare_table_update_units (AssayCompareView *self); /* and the titles that name them */
void compare_table_refresh (AssayCompareView *self);      /* every cell, over the next frames */
void compare_table_sort (AssayCompareView *self, AssayCompareColumn column); /* again: the other way round */

void compare_table_arrange (AssayCompareView *self);      /* columns that these runs have something to say in */
void compare_table_scroll_to (AssayCompareView *self, guint position);
GArray *compare_table_dup_visible (AssayCompareView *self); /* (element-type guint) columns, as the person put them */
/* As they stand, those selected or all: where none is, all of them. (element-type AssayCompareRow) */
GPtrArray *compare_table_dup_rows (AssayCompareView *self, gboolean selected);

/* The selection, in the ledger's order: (element-type AssayCompareRow), each a reference. (transfer full) */
GPtrArray *compare_view_dup_selected (AssayCompareView *self);
void compare_findings_update (AssayCompareView *self);
/* Which questions' answers depend on the run, over `from`, the selected rows and their repeats: lines of text, none where
 * there are fewer than three runs. (transfer full) (element-type utf8) */
GPtrArray *compare_answers_dup_lines (AssayCompareRow *from, GPtrArray *selected);

/* The plot, and what is found in the ledger by itself */
void compare_plot_init (AssayCompareView *self);
void compare_plot_renew (AssayCompareView *self); /* the ledger changed */
void compare_plot_clear (AssayCompareView *self);

/* What leaves it */
void compare_export_install (GtkWidgetClass *widget_class);

G_END_DECLS
