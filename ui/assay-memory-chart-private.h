/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-memory-chart-private.h: the widget's state, shared by its drawing, its input and its saving. */
#pragma once

#include "assay-chart-draw.h"
#include "assay-memory-chart.h"

struct _AssayMemoryChart
{
  GtkWidget parent_instance;

  /* owned */
  AssayChartData *data;
  AssayChartStyle *style;
  GskRenderNode *picture;       /* NULL: draw again */
  GCancellable *cancellable;    /* of saving */
  char *note;                   /* what is known where nothing can be drawn; or NULL */

  gint64 budget_bytes, foretold_bytes, ram_budget_bytes;
  gboolean live;
  guint tick;                   /* 0: not live */
  gboolean zoomed;
  gint64 view_from_ns, view_to_ns; /* while zoomed */
  gint64 readout_ns;            /* -1: none */
  gboolean roomy;               /* the least height has the link's lane in it */
  gint64 drag_from_ns, drag_to_ns;
  gint64 described_peak, described_link; /* what the accessible label was made from */
  guint described_trims;
  AssayChartLayout layout;

  /* template children */
  GtkWidget *menu;
};

void assay_memory_chart_redraw (AssayMemoryChart *self);                   /* forgets the kept picture */
void assay_memory_chart_move_readout (AssayMemoryChart *self, gint64 t_ns); /* -1: none */
void assay_memory_chart_class_bind_input (GtkWidgetClass *widget_class);
void assay_memory_chart_save (GtkWidget *widget, const char *action, GVariant *parameter);
