/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-field-help.h: what a field of the record means, as the list of fields has it. */
#pragma once

#include "assay-draft.h"

G_BEGIN_DECLS

/* Its one sentence, then unit, allowed values and axis, a line each. (transfer full) */
char *assay_field_help_dup_text (AssayFieldId field);
/* Why the trial holds this field fixed; and what would have to be changed where it cannot be opened by itself. */
const char *assay_field_help_get_lock_reason (AssayDraft *draft, AssayFieldId field);

G_END_DECLS
