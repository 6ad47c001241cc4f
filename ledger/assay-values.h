/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-values.h: a set of field values.
 *
 * Every field is in one of three states, never confused: unset (nobody said), unknown (could not be had, with
 * the reason), set (zero and the empty text are values like others). Reference counted; frozen once shared:
 * setters on a set with more than one reference are a caller's mistake. Integers are gint64 (bytes included),
 * reals are double, choices are text of the domain. Any thread may read. */
#pragma once

#include "assay-field.h"

G_BEGIN_DECLS

typedef enum { ASSAY_VALUE_UNSET, ASSAY_VALUE_UNKNOWN, ASSAY_VALUE_SET } AssayValueState;

/* How a measured value was had. All strings may be NULL; interval_ns 0 is exact (a high-water mark). */
typedef struct
{
  const char *kind;    /* "allocated", "reserved", "process", "device", "anonymous", "mapped" … */
  const char *source;  /* "allocator", "NVML", "/proc/self/smaps_rollup" … */
  gint64 interval_ns;  /* between samples */
  guint64 n_samples;
} AssayMeasure;

typedef struct _AssayValues AssayValues;

AssayValues *assay_values_new (void);
AssayValues *assay_values_ref (AssayValues *self);
void assay_values_unref (AssayValues *self);
AssayValues *assay_values_copy (const AssayValues *self);          /* (transfer full) an unshared one */
gboolean assay_values_equal (const AssayValues *a, const AssayValues *b);
/* Is the field set to the same in both, or set in neither? However it was measured. */
gboolean assay_values_equal_in (const AssayValues *a, const AssayValues *b, AssayFieldId field);

AssayValueState assay_values_get_state (const AssayValues *self, AssayFieldId field);
const char *assay_values_get_reason (const AssayValues *self,
                                     AssayFieldId field); /* of an unknown; else NULL */
gboolean assay_values_get_integer (const AssayValues *self, AssayFieldId field, gint64 *out);
gboolean assay_values_get_real (const AssayValues *self, AssayFieldId field,
                                double *out); /* integers widen */
gboolean assay_values_get_boolean (const AssayValues *self, AssayFieldId field, gboolean *out);
const char *assay_values_get_text (const AssayValues *self,
                                   AssayFieldId field); /* TEXT or CHOICE; NULL unless set */
const AssayMeasure *assay_values_get_measure (const AssayValues *self, AssayFieldId field); /* or NULL */

void assay_values_set_integer (AssayValues *self, AssayFieldId field, gint64 value);
void assay_values_set_real (AssayValues *self, AssayFieldId field, double value);  /* finite */
void assay_values_set_boolean (AssayValues *self, AssayFieldId field, gboolean value);
void assay_values_set_text (AssayValues *self, AssayFieldId field, const char *value); /* any bytes but NUL */
void assay_values_set_unknown (AssayValues *self, AssayFieldId field, const char *reason);
void assay_values_set_measure (AssayValues *self, AssayFieldId field,
                               const AssayMeasure *measure); /* copied */
void assay_values_unset (AssayValues *self, AssayFieldId field);
/* The state that `from` has the field in, with reason or measure. */
void assay_values_copy_field (AssayValues *self, const AssayValues *from, AssayFieldId field);

/* Reads the file form of a value: C locale, decimal digits; booleans true/false; checks the domain.
 * Returns: FALSE with ASSAY_LEDGER_ERROR_VALUE and a message naming field, value and what is allowed. */
gboolean assay_values_parse (AssayValues *self, AssayFieldId field, const char *text, GError **error);

/* As parse, for what a person types: also size suffixes (4GiB, 512 MiB) for BYTES and units of time for
 * SECONDS. */
gboolean assay_values_parse_user (AssayValues *self, AssayFieldId field, const char *text, GError **error);

char *assay_values_dup_text (const AssayValues *self, AssayFieldId field);    /* file form; NULL unless set */
char *assay_values_dup_display (const AssayValues *self,
                                AssayFieldId field); /* for people: "3.87 GiB", "1.23 s";
                                                        "unknown: reason"; "" when unset */

/* Sizes with three significant digits in binary units, times as 1.23 s or 4 min 05 s. (transfer full) */
char *assay_format_bytes (guint64 bytes);
/* Powers of ten, "4.16 GB", in place of "3.87 GiB"; for what is said to a person from now on, on any thread. Text that
 * is typed and files keep their units. */
void assay_format_use_decimal (gboolean decimal);
gboolean assay_format_is_decimal (void);
char *assay_format_seconds (double seconds);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayValues, assay_values_unref)

G_END_DECLS
