/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-field-choices.h: the values that a form offers for a field, where they can be counted.
 *
 * Truth values and choices of the record are the field's own; what the engine converts weights to is open text in the
 * record (a file may hold other types) and a list here. */
#pragma once

#include <gio/gio.h>

#include "assay-field.h"

G_BEGIN_DECLS

/* In the file form; NULL: the field is typed. */
const char *const *assay_field_choices_get (AssayFieldId field);
/* What leaving the field unset means, for people: "as stored", "automatic", "not set". */
const char *assay_field_choices_get_unset_label (AssayFieldId field);
/* The field has a value of its own for that, "auto", and need not be left unset. */
gboolean assay_field_choices_names_automatic (AssayFieldId field);
/* Those that would be a change. (transfer full) (element-type AssayChoice) */
GListModel *assay_field_choices_new_others (AssayFieldId field, const char *present);
char *assay_field_choices_dup_label (AssayFieldId field, const char *value); /* "yes" for "true" */

G_END_DECLS
