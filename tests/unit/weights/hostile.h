/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/weights/hostile.h: what every malformed file is held to.
 *
 * The bytes go through reader, numbers and tokenizer twice, from memory and from a file, which must give
 * the same verdict; each attempt ends within two seconds. The rows are numbered after the catalogue of
 * malformed models. */
#pragma once

#include "assay-engine-error.h"
#include "tiny-model.h"
#include "weights/assay-model-file.h"

G_BEGIN_DECLS

GError *hostile_check (const guint8 *data, gsize length);        /* NULL: loads. (transfer full) */
GError *hostile_check_writer (GgufWriter *writer);
/* The file's own verdict and notices; aborts when it does not open. From memory that lives as long as the
 * test. */
AssayModelFile *hostile_open (GgufWriter *writer);

/* Refused with this code and reason, and a message that holds `text` (NULL: any). */
#define hostile_assert_refused(data, length, code, reason, text) \
  hostile_judge (hostile_check (data, length), code, reason, text, __FILE__, __LINE__)
#define hostile_assert_writer_refused(writer, code, reason, text) \
  hostile_judge (hostile_check_writer (writer), code, reason, text, __FILE__, __LINE__)
#define hostile_assert_loads(writer) hostile_judge_loads (hostile_check_writer (writer), __FILE__, __LINE__)

void hostile_judge (GError *error, AssayEngineError code, const char *reason, const char *text,
                    const char *file, int line);
void hostile_judge_loads (GError *error, const char *file, int line);
gboolean hostile_has_notice (AssayModelFile *file, const char *text);
const char *hostile_get_folder (void); /* a scratch folder of this test program */

G_END_DECLS
