/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-xml-parts.h: an element's children as bytes, for writing back what an edit did not touch. */
#pragma once

#include "assay-xml-parse.h"

G_BEGIN_DECLS

typedef struct
{
  gboolean ours;        /* of the ledger's namespace */
  char *name;
  char *id;             /* attribute, or NULL */
  guint depth;          /* 2: child of the element, 3: grandchild */
  guint parent;         /* of a grandchild: index of the child */
  gsize start, end;
} AssayXmlPart;

/* Children and grandchildren in document order; *attributes: what the element's own start tag holds beyond
 * `known`, as XML text, namespace declarations included. NULL when the bytes are no element. */
GArray *assay_xml_list_parts (GBytes *bytes, const AssayScope *scope, const char *const *known,
                              char **attributes);

G_END_DECLS
