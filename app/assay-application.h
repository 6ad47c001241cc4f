/* SPDX-License-Identifier: GPL-3.0-or-later */
/* app/assay-application.h: the program with a window: one instance, its windows, its keys. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define ASSAY_TYPE_APPLICATION (assay_application_get_type ())
G_DECLARE_FINAL_TYPE (AssayApplication, assay_application, ASSAY, APPLICATION, AdwApplication)

AssayApplication *assay_application_new (void);

G_END_DECLS
