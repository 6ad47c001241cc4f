/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/fuzz/fuzz-ledger.c: a ledger's XML; what is read must be written and read again. */
#include "assay-store.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (GBytes) xml = g_bytes_new (data, size);
  g_autoptr (AssayLedger) ledger = assay_store_parse (xml, "fuzzed.ledger.xml", NULL);
  g_autoptr (GBytes) written = ledger != NULL ? assay_store_serialize (ledger, NULL) : NULL;
  if (written == NULL)
    return 0;
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayLedger) again = assay_store_parse (written, "again.ledger.xml", &error);
  if (again == NULL)
    g_error ("what was written is not read: %s", error->message);
  return 0;
}
