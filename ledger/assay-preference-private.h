/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-preference-private.h: preferences between ledger and file. */
#pragma once

#include "assay-ledger-private.h"
#include "assay-preference.h"
#include "assay-xml-parse.h"

G_BEGIN_DECLS

GPtrArray *assay_preference_list_new (void);

/* Swaps the list, and tells when another one comes. list: (transfer full), not changed any more. */
void assay_ledger_receive_preferences (AssayLedger *self, GPtrArray *list);

/* An element's attributes. NULL with *problem (transfer full, translated) when it cannot be one. */
AssayPreference *assay_preference_read (const AssayXmlStart *element, char **problem);

/* Tells why an element was left aside; the first few of them. */
void
assay_ledger_tell_bad_preference (AssayLedger *self, guint n_before, const char *id, const char *problem);

/* While a file is read: takes `made` into the ledger's own list under its id. by_id: the list's, from id to
 * preference; one that is there already, alike, is dropped, another one gets an id of its own; notices tell.
 */
void assay_ledger_load_preference (AssayLedger *self, GHashTable *by_id, AssayPreference *made);
/* What was read is not removed, whatever the file says besides: else the next save would lose it. */
void assay_ledger_keep_preferences (AssayLedger *self);

/* default_uri: of the file that elements were read from. */
void assay_xml_write_preferences (GString *out, GPtrArray *list, const char *default_uri);

/* All that either has and nobody removed: theirs in their order, then ours. (transfer full) */
GPtrArray *assay_preferences_merge (GPtrArray *ours, GPtrArray *theirs, GHashTable *removed);

G_END_DECLS
