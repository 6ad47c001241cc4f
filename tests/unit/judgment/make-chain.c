/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the ledger of a story of five runs, for the tests that read its chain in every form.
 *
 *   make-chain STORY.ledger.xml */
#include "assay-store.h"
#include "chain-story.h"

int
main (int argc, char *argv[])
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AssayLedger) ledger = chain_story_new ();
  if (argc == 2 && assay_store_save (ledger, argv[1], &error))
    return 0;
  g_printerr ("make-chain: %s\n", error != NULL ? error->message : "one argument, the ledger to write, is needed");
  return 1;
}
