/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-idle-field.h: conditions that do nothing beside the others, such as a link's speed on the cpu device. */
#pragma once

#include "assay-values.h"

G_BEGIN_DECLS

/* Why the field does nothing as long as the other conditions are what they are: a translated sentence; NULL when it
 * counts, and also when it holds a value that must be mended. */
const char *assay_idle_field_get_reason (const AssayValues *conditions, AssayFieldId field);

G_END_DECLS
