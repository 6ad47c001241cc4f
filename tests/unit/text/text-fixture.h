/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/text/text-fixture.h: the fixtures that tests/reference/text.py writes, and small vocabularies
 * made here. */
#pragma once

#include "gguf-writer.h"
#include "text/assay-tokenizer.h"

G_BEGIN_DECLS

/* A packed file: a line that says what made it, then little-endian u32 counts and values. */
typedef struct { GBytes *bytes; const guint8 *p, *end; } Fixture;

void fixture_open (Fixture *self, const char *name);
void fixture_close (Fixture *self);
guint32 fixture_u32 (Fixture *self);
AssayBytes fixture_text (Fixture *self);
GArray *fixture_list (Fixture *self);       /* (element-type guint32) (transfer full) */
GBytes *fixture_bytes (const char *name);   /* unpacked (transfer full) */

/* Files must outlive the tokenizer's bytes: they are kept until the process ends. */
AssayModelFile *file_from_writer (GgufWriter *writer);
AssayTokenizer *tokenizer_from_writer (GgufWriter *writer, gboolean allow_missing_pre, GError **error);

/* Byte-level: ids 0..255 are the bytes, then what is added. A comma-separated list of merges ("h e,he l"). */
GgufWriter *byte_vocabulary (const char *pre, const char *const *specials, const char *merges);
/* By score: <unk> <s> </s>, the 256 bytes (3..258), then pieces with falling scores. */
GgufWriter *score_vocabulary (const char *const *pieces);
void writer_set_types (GgufWriter *writer, const gint32 *types, guint n);

/* The default model, or NULL after g_test_skip(). */
AssayModelFile *open_default_model (void);

char *ids_to_string (GArray *ids);
void assert_ids (GArray *ids, const guint32 *expected, guint n, const char *text, gsize length);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Fixture, fixture_close)

G_END_DECLS
