/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/engine/process-fixture.h: trials of fakechild.py, which does what its prompt names. */
#pragma once

#include "trial-fixture.h"

G_BEGIN_DECLS

void process_fixture_init (void);
/* scenario: a function of fakechild.py; NULL leaves the prompt out. (transfer full) */
AssayValues *process_conditions (const char *scenario);
/* q0, q1 … with these texts; NULL-terminated. (transfer full) */
GPtrArray *process_questions (const char *first, ...) G_GNUC_NULL_TERMINATED;

G_END_DECLS
