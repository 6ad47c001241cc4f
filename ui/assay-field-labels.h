/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-field-labels.h: the form's labels in place of the record's names, for sentences that a person reads. */
#pragma once

#include "assay-field.h"

G_BEGIN_DECLS

/* The label of a field, or of the axis that no field holds; NULL: the name of neither. */
const char *assay_field_labels_get (const char *name);

/* "the effect of offload_mode: …" becomes "the effect of Offload mode: …". What is replaced are names that contain '_', and
 * others where ':' follows, as sentences about axes are made: a name like "device" is a word too. (transfer full) */
char *assay_field_labels_put (const char *sentence);

G_END_DECLS
