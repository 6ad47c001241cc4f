/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/ui/views-fixture.h: made-up runs for looking at the views and for testing them. */
#pragma once

#include "assay-ledger.h"

/* A run of load, convert, and n_questions × (prompt, generate), sampled every 20 ms. own_memory: on a device
 * that has memory of its own. Its greatest total lies in a prompt. */
AssaySeries *views_fixture_series_new (gboolean own_memory, guint n_questions);
void
views_fixture_append (AssaySeries *series, gint64 t_ns, gint64 weights, gint64 activations, gint64 mapped);

/* Questions in three languages; runs "base", "child" (another context length), "full" (ran out of memory, no
 * output) and "slow"; "base" has a review by Kim that fails it. */
AssayLedger *views_fixture_ledger_new (void);

/* Runs on the virtual device: "resident", its child "group", which changed what was planned, and "off", a child
 * of group whose peak contradicts its forecast and that moved more than was planned. */
AssayLedger *views_fixture_virtual_ledger_new (void);

#define FIXTURE_RESIDENT "20261130T081400Z-4e51d0"
#define FIXTURE_GROUP "20261130T081500Z-6409d0"
#define FIXTURE_OFF "20261130T081600Z-0ff000"
#define FIXTURE_BASE "20261130T071400Z-ba5e00"
#define FIXTURE_CHILD "20261130T071500Z-c41d00"
#define FIXTURE_FULL "20261130T071600Z-f01100"
#define FIXTURE_SLOW "20261130T071700Z-510300"
