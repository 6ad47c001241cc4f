/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-display-text.h: what models and files say, fit for a widget: valid UTF-8, bounded, for use as
 * plain text and never as markup. */
#pragma once

#include "assay-field.h"

G_BEGIN_DECLS

#define ASSAY_DISPLAY_LIMIT 20000u /* characters of one answer that a widget is given */

/* Any bytes as text that can be shown: invalid UTF-8 replaced, control characters made visible, at most
 * max_chars characters. *cut says whether there was more. (transfer full) */
char *assay_display_text (const char *bytes, gsize length, gsize max_chars, gboolean *cut);

/* One line of it, for a label. (transfer full) */
char *assay_display_line (const char *text, gsize max_chars);

/* A field's value in file form, with its unit: "536870912" is "512 MiB". NULL is unset. (transfer full) */
char *assay_display_value (AssayFieldId field, const char *text, gsize max_chars);

/* A share with its sign: "−0.8 %", "+12.4 %". (transfer full) */
char *assay_display_percent (double share);

/* A sentence that names fields as the record does ("raise vram_budget"), with the labels of the form in their place.
 * (transfer full) */
char *assay_display_labels (const char *text);

G_END_DECLS
