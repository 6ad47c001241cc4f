/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/card-skip.h: tests that pull strings which only the emulation has. */
#pragma once

#include <glib.h>

#include "emulation.h"

/* TRUE, and the test is marked as skipped, on a real card. */
static inline gboolean
card_skip (const char *why)
{
  if (!assay_emulation_is_real ())
    return FALSE;
  g_test_skip (why);
  return TRUE;
}

#define CARD_NO_FAILURES "a real card's calls cannot be made to fail"
#define CARD_NO_SIZES "a real card has the memory it has"
#define CARD_NO_ORDERS "a real card chooses the order of its streams itself"
