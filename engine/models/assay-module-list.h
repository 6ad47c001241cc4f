/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/models/assay-module-list.h: which modules a condition names.
 *
 * Entries between commas or line ends, each a name or a pattern with '*' and '?'. An entry is matched with
 * the module
 * ("attn_q"), with group and module ("blk.3.attn_q"), and, where the file has names of its own, with those
 * ("q_proj", "model.layers.3.self_attn.q_proj"). Pure; any thread. */
#pragma once

#include "weights/assay-model-file.h"

G_BEGIN_DECLS

typedef struct _AssayModuleList AssayModuleList;

AssayModuleList *assay_module_list_new (const char *text);
void assay_module_list_free (AssayModuleList *self);
/* canonical: "blk.3.attn_q", with or without ".weight". own: the file's own name, or NULL. Notes which
 * entries served. */
gboolean assay_module_list_has (AssayModuleList *self, const char *canonical, const char *own);
/* The first entry that has named nothing so far, or NULL; lent. */
const char *assay_module_list_get_idle (AssayModuleList *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayModuleList, assay_module_list_free)

G_END_DECLS
