/* SPDX-License-Identifier: GPL-3.0-or-later */
/* app/cli-compare.h: what `assay compare --json` says. Each adds members to the object that is open in the builder. */
#pragma once

#include "cli.h"

#include "assay-answers.h"
#include "assay-effects.h"
#include "assay-pareto.h"

G_BEGIN_DECLS

void cli_compare_add_comparison (JsonBuilder *b, const AssayComparison *comparison);
void cli_compare_add_answers (JsonBuilder *b, GPtrArray *answers);          /* (element-type AssayAnswers) */
void cli_compare_add_families (JsonBuilder *b, const AssayEffects *effects);
void cli_compare_add_frontiers (JsonBuilder *b, const AssayPareto *pareto);

G_END_DECLS
