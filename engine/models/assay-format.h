/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/models/assay-format.h: what a matrix becomes whose rows are no whole blocks of a wanted format. Any thread. */
#pragma once

#include <glib.h>

#include "kernels.h"

G_BEGIN_DECLS

/* The wanted format where rows of n elements are whole blocks of it, else the nearest that they are whole blocks of, in
 * llama.cpp's order: Q4_K → Q5_0, Q5_K → Q5_1, Q6_K → Q8_0, anything → F16. */
AssayDtype assay_format_fit (AssayDtype wanted, gint64 n);

G_END_DECLS
