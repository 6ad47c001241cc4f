/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/weights/json-scan.h: JSON of a hostile file, one item after the other.
 *
 * Strict: UTF-8 without byte-order mark, no NaN, no lone surrogate, nothing but blanks after the value.
 * Two members of one name in an object are a fault, where most parsers silently keep one. Nesting is
 * bounded and costs no stack; numbers are handed on as they are written, since a double loses whole
 * numbers above 2^53. Memory follows the names of the objects that are open. One thread. */
#pragma once

#include "assay-model-file.h"

G_BEGIN_DECLS

enum { ASSAY_JSON_DEPTH_LIMIT = 64 };

typedef enum
{
  ASSAY_JSON_ITEM_OBJECT,  /* begins */
  ASSAY_JSON_ITEM_ARRAY,
  ASSAY_JSON_ITEM_CLOSE,   /* of the innermost */
  ASSAY_JSON_ITEM_STRING,
  ASSAY_JSON_ITEM_NUMBER,
  ASSAY_JSON_ITEM_TRUE,
  ASSAY_JSON_ITEM_FALSE,
  ASSAY_JSON_ITEM_NULL,
  ASSAY_JSON_ITEM_END,     /* the text is over */
} AssayJsonKind;

typedef enum
{
  ASSAY_JSON_FAULT_NONE,
  ASSAY_JSON_FAULT_SYNTAX,
  ASSAY_JSON_FAULT_UNICODE,
  ASSAY_JSON_FAULT_DEPTH,
  ASSAY_JSON_FAULT_DUPLICATE,
} AssayJsonFault;

typedef struct
{
  AssayJsonKind kind;
  gboolean is_member;      /* has a name, for it stands in an object */
  AssayBytes name;         /* decoded; may be empty, may hold NUL */
  AssayBytes text;         /* a string decoded, a number as written */
  gsize at;                /* where it begins; of a member, its name */
} AssayJsonItem;

typedef struct _AssayJsonScan AssayJsonScan;

/* Lends the text. Strings that are handed out live as long as the scan, those without escapes as long as
 * the text. depth_max: up to ASSAY_JSON_DEPTH_LIMIT. */
AssayJsonScan *assay_json_scan_new (const char *text, gsize length, guint depth_max);
void assay_json_scan_free (AssayJsonScan *self);

/* FALSE at the first fault, and from then on. */
gboolean assay_json_scan_next (AssayJsonScan *self, AssayJsonItem *item);
/* After `item`: walks over the rest of it, if it began an object or array. */
gboolean assay_json_scan_skip (AssayJsonScan *self, const AssayJsonItem *item);
AssayJsonFault assay_json_scan_get_fault (const AssayJsonScan *self);
const char *assay_json_scan_get_problem (const AssayJsonScan *self); /* for people; static */
gsize assay_json_scan_get_offset (const AssayJsonScan *self); /* where the fault, else the next item, is */

AssayBytes assay_json_scan_get_twice (const AssayJsonScan *self); /* of FAULT_DUPLICATE: the name */

/* A whole number from 0 to 2^64 - 1, written as one: neither -0, 1.0 nor 1e3. */
gboolean assay_json_item_get_uint (const AssayJsonItem *item, guint64 *out);
gboolean assay_json_bytes_are (AssayBytes bytes, const char *text);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayJsonScan, assay_json_scan_free)

G_END_DECLS
