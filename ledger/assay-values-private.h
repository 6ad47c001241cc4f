/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-values-private.h: what only records need of a set of values. */
#pragma once

#include "assay-values.h"

G_BEGIN_DECLS

/* From here on setters are a caller's mistake; there is no way back but a copy. */
void assay_values_freeze (AssayValues *self);

/* The fields that are not unset, in the order of fields.def: for (i = 0; i < n; i++). */
guint assay_values_get_n (const AssayValues *self);
AssayFieldId assay_values_get_nth (const AssayValues *self, guint i);

/* Plain decimal notation, no exponent, the fewest digits that give the same number back. (transfer full) */
char *assay_format_real (double value);

G_END_DECLS
