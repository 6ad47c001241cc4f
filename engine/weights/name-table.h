/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/name-table.h: finds names among up to millions, and duplicates as they come.
 *
 * Open addressing over 32-bit indices, at most half full: 8 to 16 bytes a name, where a GHashTable takes
 * 60. Hashes are seeded per table, so that a file cannot be made of colliding names. The names themselves
 * stay with the caller. */
#pragma once

#include "assay-model-file.h"

G_BEGIN_DECLS

typedef struct _NameTable NameTable;
typedef AssayBytes (*NameTableFunc) (gconstpointer owner, guint32 index);

NameTable *assay_name_table_new (NameTableFunc get_name, gconstpointer owner);
void assay_name_table_free (NameTable *self);
void assay_name_table_clear (NameTable *self); /* cheap when few names were in it, and small again */
/* Returns: TRUE when added; FALSE when the name of `index` is there already. */
gboolean assay_name_table_add (NameTable *self, guint32 index);
gint64 assay_name_table_find (const NameTable *self, const char *name, gsize length); /* index, or -1 */

G_END_DECLS
