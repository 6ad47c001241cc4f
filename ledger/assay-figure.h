/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-figure.h: a measured value in words that say what kind of value it is. */
#pragma once

#include "assay-values.h"

G_BEGIN_DECLS

/* "401 MiB (allocated, allocator)", "1.20 GiB (process, NVML, every 50.0 ms)": the value with its unit, then its
 * kind, who gave it, and how often it was asked for; an unknown with its reason; NULL where nothing is said.
 * (transfer full) */
char *assay_figure_dup_words (const AssayValues *values, AssayFieldId field);

G_END_DECLS
