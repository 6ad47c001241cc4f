/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-canon.h: the checksum of an element's meaning.
 *
 * FNV-1a, 64 bits, over the events of the parser: names with namespaces, attributes sorted, text. White space
 * between elements, the order of attributes, prefixes, comments and the way a character is written do not
 * count, so an editor may re-indent a ledger. Each step of the hash is a bijection of its state: one changed
 * byte always shows. It guards against bit rot, not against people. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  const char *uri;    /* "" for none */
  const char *name;
  const char *value;
  gsize length;
} AssayCanonAttribute;

guint64 assay_canon_new (void);
guint64 assay_canon_start (guint64 hash, const char *uri, const char *name, AssayCanonAttribute *attributes,
                           guint n);
guint64 assay_canon_text (guint64 hash, const char *text, gsize length);
guint64 assay_canon_end (guint64 hash);

#define ASSAY_CANON_PREFIX "fnv1a64:"
#define ASSAY_CANON_LENGTH 24u                              /* of "fnv1a64:0123456789abcdef" */
char *assay_canon_format (guint64 hash);                    /* (transfer full) */
gboolean assay_canon_parse (const char *text, guint64 *hash); /* FALSE for other algorithms */

G_END_DECLS
