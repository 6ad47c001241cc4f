/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/runtimes/assay-recipe.h: the scripts that speak the protocol for a runtime: llama-cpp, transformers, diffusers.
 *
 * They lie in runtimes/ of the application's data, and need an interpreter that a person names; nothing is searched for.
 * Any thread. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* What to pass to the program: NULL without a recipe, the file of a name, or the path itself. RULE when there is no such
 * recipe, naming those there are. (transfer full) */
gboolean assay_recipe_find (const char *recipe, char **path, GError **error);
/* Names of the bundled ones, sorted; NULL-terminated, may be empty. Reads a folder. (transfer full) */
char **assay_recipe_list (void);

G_END_DECLS
