/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-timestamp.h: times of day as files hold them, RFC 3339 with an offset. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  ASSAY_TIMESTAMP_INVALID,  /* no time at all */
  ASSAY_TIMESTAMP_LOCAL,    /* no offset: which instant is not known, and is not guessed */
  ASSAY_TIMESTAMP_VALID,
} AssayTimestampKind;

/* *instant: microseconds since 1970 UTC, for VALID only; a leap second counts as the second after it. */
AssayTimestampKind assay_timestamp_parse (const char *text, gint64 *instant);

G_END_DECLS
