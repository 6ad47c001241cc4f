/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/ledger/ledger-fixture.h: ledgers to damage, and what to compare afterwards. */
#pragma once

#include "assay-ledger-private.h"
#include "assay-store.h"

G_BEGIN_DECLS

#define FIXTURE_HEAD                                                                                         \
  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"                                                             \
  "<ledger xmlns=\"urn:assay:ledger:1\" version=\"1.0\" id=\"11111111-2222-3333-4444-555555555555\" "        \
  "title=\"t\" "                                                                                             \
  "task=\"language\">\n"
#define FIXTURE_TAIL "</ledger>\n"

/* A sealed record with something in every section. */
AssayRecord *fixture_record (const char *id, gint64 peak_vram);
AssayRecord *fixture_record_with_output (const char *id, const char *bytes, gsize length);
AssayLedger *fixture_ledger (guint n_runs);          /* runs "run-0", "run-1", … */
AssaySeries *fixture_series (guint n_samples);

char *fixture_serialize (AssayLedger *ledger);       /* asserts that it reads back */
AssayLedger *fixture_parse (const char *xml);        /* asserts that it reads */
AssayLedger *fixture_parse_run (const char *run);    /* one run between head and tail */
void fixture_refuses (const char *xml, gssize length, int code, const char *part); /* part: of the message */
void fixture_same_records (AssayRecord *a, AssayRecord *b);
void fixture_same_ledgers (AssayLedger *a, AssayLedger *b);

/* Asserts that one pass and threads read the same, or that threads leave it to the one pass. Returns: whether they read
 * it. parse, parse_run and refuses ask this too. */
gboolean fixture_reads_apart (const char *xml, gsize length);

/* Does expat's kind of parser, GLib's, take it, and what text has the n-th element of that name? (transfer
 * full) */
char *fixture_second_parser_text (const char *xml, gsize length, const char *element, guint n);

/* Both assert that it goes well. path NULL: where it was loaded from. */
void fixture_save (AssayLedger *ledger, const char *path);
AssayLedger *fixture_load (const char *path);

/* Two programs' ledgers of one file. */
typedef struct
{
  char *folder, *path;
  AssayLedger *first, *second;
  GPtrArray *edits;       /* (element-type AssayEdit) of the first, newest last */
} FixturePair;

void fixture_pair_open (FixturePair *pair, AssayLedger *first); /* takes the ledger, saves it and loads the other */
void fixture_pair_close (FixturePair *pair);

char *fixture_dup_folder (void);                     /* a fresh one */
void fixture_remove_folder (const char *folder);
void fixture_write (const char *path, const char *bytes, gssize length);
char *fixture_read (const char *path, gsize *length);

G_END_DECLS
