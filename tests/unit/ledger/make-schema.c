/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints data/ledger.rng. */
#include "schema-text.h"

int
main (void)
{
  g_autofree char *text = schema_dup_text ();
  g_print ("%s", text);
  return 0;
}
