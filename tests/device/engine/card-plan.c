/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/engine/card-plan.c: makes the separate devices of unit/engine/test-plan.c cards. */
#include "card-fixture.h"
#include "placed-fixture.h"

static void __attribute__ ((constructor))
card_plan_start (void)
{
  card_fixture_start (NULL);
  placed_separate_is_card = TRUE;
}
