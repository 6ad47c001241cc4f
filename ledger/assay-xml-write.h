/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-xml-write.h: records and ledgers as XML. Bytes are the same in every locale; lines we make are
 * short. */
#pragma once

#include "assay-ledger-private.h"

G_BEGIN_DECLS

#define ASSAY_XML_VERSION "1.0"

/* A tag being written: knows which of its attributes had to be escaped. */
typedef struct
{
  GString *out;
  GString *escaped;
  gsize line;             /* where the present line of `out` began */
} AssayXmlTag;

void assay_xml_open (AssayXmlTag *tag, GString *out, guint indent, const char *name);
void assay_xml_attribute (AssayXmlTag *tag, const char *name, const char *value);  /* NULL: left out */
void assay_xml_attribute_count (AssayXmlTag *tag, const char *name, gint64 value); /* negative: left out */
void assay_xml_close (AssayXmlTag *tag);                                                   /* ">" */
void assay_xml_close_empty (AssayXmlTag *tag);                                             /* "/>" */
void assay_xml_close_text (AssayXmlTag *tag, const char *name, const char *text, gsize length);
void assay_xml_end (GString *out, guint indent, const char *name);

/* An element's bytes, put where our namespace is the default: says so when its own default was another one.
 */
void assay_xml_append_moved (GString *out, const char *data, gsize length, const char *default_uri);

/* Appends one <run>, without a line end around it. An unedited record is its source; an edited one keeps what
 * its origin holds beyond the edit. `scope` is in force where the run is put. *made is the new source for the
 * record when it was written anew, and *hash its checksum; else NULL. */
void assay_xml_write_run (GString *out, AssayRecord *record, AssayScope *scope, GBytes **made, guint64 *hash);

void assay_xml_write_criteria (GString *out, const AssayCriteria *criteria);
void assay_xml_write_questions (GString *out, GPtrArray *questions, const char *question_set);

/* The whole ledger. made: (element-type AssayMadeSource), what to hand to assay_record_keep_source() once it
 * is safe on disk; may be NULL. */
typedef struct { AssayRecord *record; GBytes *source; guint64 checksum; } AssayMadeSource;
void assay_made_source_free (AssayMadeSource *self);
GBytes *assay_xml_write_ledger (AssayLedger *ledger, GPtrArray *made, AssayScope **scope);

G_END_DECLS
