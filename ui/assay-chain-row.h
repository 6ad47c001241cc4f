/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-chain-row.h: one step of a chain, drawn; its accessible name is the same in words. */
#pragma once

#include <gtk/gtk.h>

#include "assay-chain.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_CHAIN_ROW (assay_chain_row_get_type ())
G_DECLARE_FINAL_TYPE (AssayChainRow, assay_chain_row, ASSAY, CHAIN_ROW, GtkWidget)

GtkWidget *assay_chain_row_new (void);
void assay_chain_row_take_step (AssayChainRow *self, AssayChainStep *step, gboolean has_next); /* NULL: nothing */

G_END_DECLS
