/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/judgment/chain-story.h: one way from a failure to what works, built as the program builds it: advice,
 * choice, a child's conditions, a review.
 *
 * Device memory was short → weights are streamed one by one; too slow → by groups; too slow still → copied ahead;
 * the answers miss → another model, which passes, and plans what is to be learnt next. */
#pragma once

#include "assay-ledger.h"

#define CHAIN_STORY_RUNS 5u

AssayLedger *chain_story_new (void);                         /* (transfer full), without a path */
extern const char *const chain_story_ids[CHAIN_STORY_RUNS];  /* oldest first */
extern const char *const chain_story_axes[CHAIN_STORY_RUNS]; /* what led to each; NULL for the first */
extern const char *const chain_story_signals[CHAIN_STORY_RUNS];
extern const char chain_story_branch[];                      /* a second child of the second run */
