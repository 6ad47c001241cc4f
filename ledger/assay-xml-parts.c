/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-xml-parts.c: see assay-xml-parts.h. */
#include "assay-xml-parts.h"

#include <string.h>

#include "assay-text-code.h"

typedef struct
{
  GArray *parts;          /* (element-type AssayXmlPart) */
  const char *const *known;
  GString *attributes;
  guint child;            /* index of the child we are inside */
  guint grandchild;
} PartLister;

static void
part_clear (gpointer data)
{
  AssayXmlPart *part = data;
  g_free (part->name);
  g_free (part->id);
}

static void
lister_take_attribute (PartLister *self, const char *prefix, const char *name, const char *value)
{
  g_string_append_printf (self->attributes, " %s%s%s=\"", prefix, *prefix != '\0' && *name != '\0' ? ":" : "",
                          name);
  assay_text_append (self->attributes, value, strlen (value), ASSAY_TEXT_ATTRIBUTE, FALSE);
  g_string_append_c (self->attributes, '"');
}

static void
lister_take_attributes (PartLister *self, const AssayXmlStart *element)
{
  for (guint i = 0; i < element->n_declarations; i++)
    if (*element->declarations[2 * i] == '\0')
      lister_take_attribute (self, "xmlns", "", element->declarations[2 * i + 1]);
    else
      lister_take_attribute (self, "xmlns", element->declarations[2 * i], element->declarations[2 * i + 1]);
  for (guint i = 0; i < element->n_attributes; i++)
    {
      const AssayXmlAttribute *attribute = &element->attributes[i];
      if (*attribute->uri != '\0' || !g_strv_contains (self->known, attribute->name))
        lister_take_attribute (self, attribute->prefix, attribute->name, attribute->value);
    }
}

static void
on_part_start (AssayXmlParser *parser, const AssayXmlStart *element, gpointer data)
{
  PartLister *self = data;

  if (element->depth == 1)
    lister_take_attributes (self, element);
  if (element->depth != 2 && element->depth != 3)
    return;
  if (element->depth == 2)
    self->child = self->parts->len;
  else
    self->grandchild = self->parts->len;
  const AssayXmlPart part = {
    .ours = g_str_has_prefix (element->uri, "urn:assay:ledger:"),
    .name = g_strdup (element->name),
    .id = assay_xml_dup_attribute (element, "id"),
    .depth = element->depth,
    .parent = self->child,
    .start = element->start,
  };
  g_array_append_val (self->parts, part);
}

static void
on_part_end (AssayXmlParser *parser, const AssayXmlEnd *element, gpointer data)
{
  PartLister *self = data;

  if (element->depth == 2)
    g_array_index (self->parts, AssayXmlPart, self->child).end = element->end;
  else if (element->depth == 3)
    g_array_index (self->parts, AssayXmlPart, self->grandchild).end = element->end;
}

static const AssayXmlHandler part_handler = { on_part_start, on_part_end };

GArray *
assay_xml_list_parts (GBytes *bytes, const AssayScope *scope, const char *const *known, char **attributes)
{
  PartLister lister = { .known = known, .attributes = g_string_new (NULL) };

  lister.parts = g_array_new (FALSE, FALSE, sizeof (AssayXmlPart));
  g_array_set_clear_func (lister.parts, part_clear);
  if (!assay_xml_parse_fragment (bytes, scope, &part_handler, &lister, NULL))
    g_clear_pointer (&lister.parts, g_array_unref);
  *attributes = g_string_free (lister.attributes, FALSE);
  return lister.parts;
}
