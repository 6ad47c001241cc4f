/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define ASSAY_LEDGER_ERROR (assay_ledger_error_quark ())
typedef enum
{
  ASSAY_LEDGER_ERROR_VALUE,     /* a value outside its field's grammar or domain: show it beside the field */
  ASSAY_LEDGER_ERROR_FORMAT,    /* not a ledger that can be read: offer the backup, leave the file alone */
  ASSAY_LEDGER_ERROR_LOST,      /* empty or zero-filled by a crash: offer the backup */
  ASSAY_LEDGER_ERROR_CONFLICT,  /* merge conflict markers: offer the union of both sides */
  ASSAY_LEDGER_ERROR_READ_ONLY, /* newer major version, read-only file or folder: offer 'Save as' */
  ASSAY_LEDGER_ERROR_SAVE,      /* the save failed and the old file stands: offer retry and another place */
  ASSAY_LEDGER_ERROR_BUSY,      /* another writer holds the lock: retry */
  ASSAY_LEDGER_ERROR_NO_SUCH,   /* no run, criterion or question of that name */
  ASSAY_LEDGER_ERROR_RULE,      /* one-axis rule or a next_trial that contradicts the record */
} AssayLedgerError;
GQuark assay_ledger_error_quark (void);

G_END_DECLS
