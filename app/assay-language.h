/* SPDX-License-Identifier: GPL-3.0-or-later */
/* app/assay-language.h: the language of everything the program says. To be settled before the first word is looked up;
 * main() only. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The locale of the environment, and the catalogues: installed, or those of a build folder in ASSAY_LOCALE_DIR. */
void assay_language_init (void);

/* A language that a person chose, whatever the environment says: "ko", "zh_CN", "en"; "" is the environment's. */
void assay_language_prefer (const char *language);

G_END_DECLS
