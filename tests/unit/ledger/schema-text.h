/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/ledger/schema-text.h: data/ledger.rng as fields.def would have it. */
#pragma once

#include <glib.h>

char *schema_dup_text (void);
