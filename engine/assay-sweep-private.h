/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/assay-sweep-private.h: between the values of a sweep and its trials. */
#pragma once

#include "assay-sweep.h"

G_BEGIN_DECLS

/* (transfer full) (element-type char*) in file form, repeated ones too; NULL with VALUE */
GPtrArray *sweep_read_values (AssayFieldId field, const char *text, GError **error);

G_END_DECLS
