/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/plan/plan.h: a backend that computes nothing and counts every byte.
 *
 * A model's own forward code run over it says, in milliseconds and before anything is loaded, what memory
 * that run would take. Addresses it gives out are real but cannot be read or written: code that touches
 * memory behind the table's back stops at once. Sizes count as asked for, without rounding. */
#pragma once

#include "kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

/* like: (borrowed, must live as long) the backend whose workspaces are foretold, or NULL: no operation
 * needs any. limit_bytes: beyond it alloc answers ASSAY_NO_MEMORY; 0: none. NULL: no memory. */
AssayBackend *assay_plan_backend_new (AssayBackend *like, uint64_t limit_bytes);

uint64_t assay_plan_get_bytes (const AssayBackend *b); /* allocated now */
uint64_t assay_plan_get_peak_bytes (const AssayBackend *b);
void assay_plan_reset_peak (AssayBackend *b); /* the peak starts again at what is allocated now */
uint64_t assay_plan_get_n_calls (const AssayBackend *b); /* operations that would have computed something */

#ifdef __cplusplus
}
#endif
