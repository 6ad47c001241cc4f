/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-ledger-error.h"

G_DEFINE_QUARK (assay-ledger-error-quark, assay_ledger_error)
