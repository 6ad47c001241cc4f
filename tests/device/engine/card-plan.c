/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/device/engine/card-plan.c: unit/engine/test-plan.c, whose main() is plan_main() here, with cards as its separate
 * devices. */
#undef main

#include "card-fixture.h"
#include "placed-fixture.h"

int plan_main (int argc, char **argv);

int
main (int argc, char **argv)
{
  card_fixture_start (NULL);
  placed_separate_is_card = TRUE;
  const int status = plan_main (argc, argv);
  if (status == 0)
    card_fixture_assert_clean ();
  return status;
}
