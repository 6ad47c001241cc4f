/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-xml-write.h: records and ledgers as XML. Bytes are the same in every locale; lines we make are
 * short. */
#pragma once

#include "assay-ledger-private.h"
#include "assay-splice.h"

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

/* Keeps an unedited record's source as a passage. FALSE when it must be written: then nothing was done. */
gboolean assay_xml_keep_run (AssaySplice *splice, AssayRecord *record, AssayScope *scope);

void assay_xml_write_criteria (GString *out, const AssayCriteria *criteria);
void assay_xml_write_questions (GString *out, GPtrArray *questions, const char *question_set);

typedef struct { AssayRecord *record; GBytes *source; guint64 checksum; } AssayMadeSource;

/* A whole ledger, to be written. */
typedef struct
{
  AssaySplice *splice;
  AssayScope *scope;      /* in force in it */
  GPtrArray *made;        /* (element-type AssayMadeSource): for assay_record_keep_source() once it is safe on disk */
  GPtrArray *fresh;       /* (element-type AssayRecord), borrowed: whose runs stand in the splice's text, in order */
} AssayXmlWritten;

AssayXmlWritten *assay_xml_write_splice (AssayLedger *ledger);
void assay_xml_written_free (AssayXmlWritten *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayXmlWritten, assay_xml_written_free)

GBytes *assay_xml_write_ledger (AssayLedger *ledger);   /* the same as bytes */

G_END_DECLS
