/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/real-card.c: the strings of emulation.h where the module stands before a real card: there is nothing to
 * start and nothing to see from here. A card breaks no rule in words; compute-sanitizer tells of those. What makes calls
 * fail ends the test: such tests are to be skipped (card-skip.h). */
#include <glib.h>

#include "emulation.h"

bool
assay_emulation_is_real (void)
{
  return true;
}

void
assay_emulation_start (const AssayEmulationOptions *options G_GNUC_UNUSED)
{
}

void
assay_emulation_fail_call (const char *name, uint64_t n, int error G_GNUC_UNUSED, bool sticky G_GNUC_UNUSED)
{
  g_error ("call %" G_GUINT64_FORMAT " of %s cannot be made to fail: this is a real card", (guint64) n,
           name != NULL ? name : "all");
}

bool
assay_emulation_has_failed (void)
{
  return false;
}

uint64_t
assay_emulation_get_n_calls (const char *name G_GNUC_UNUSED)
{
  return 0;
}

AssayEmulationBalance
assay_emulation_get_balance (void)
{
  return (AssayEmulationBalance){ 0 };
}

bool
assay_emulation_is_balanced (void)
{
  return true;
}

const char *
assay_emulation_get_fault (void)
{
  return NULL;
}
