/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-answers.h: whether several runs answered the same, question by question.
 *
 * Texts are compared byte by byte, pictures by the hash in their file's name. Any thread. */
#pragma once

#include "assay-record.h"

G_BEGIN_DECLS

typedef struct
{
  char *question;           /* "" for a free prompt */
  guint n;                  /* runs that answered it */
  guint n_different;        /* different answers among them; 1: all the same */
  glong same_characters;    /* of the two that part soonest of all pairs with the first answer; -1: all the same */
  gboolean is_text;         /* else files, which differ as a whole */
  AssayRecord *first;       /* owned: the run with the first answer */
  AssayRecord *parting;     /* owned: the one that parts from it soonest; NULL: none does */
} AssayAnswers;

/* runs: (element-type AssayRecord). Questions that two or more of them answered, as they first come.
 * (transfer full) (element-type AssayAnswers) */
GPtrArray *assay_answers_compare (GPtrArray *runs);

/* Questions that all of their runs answered the same. */
guint assay_answers_count_same (GPtrArray *answers);

/* "q2: 2 different answers of 3, from character 6 on", with_runs: "(run … against run …)" behind it; "q1: the same answer
 * of all 3". (transfer full) */
char *assay_answers_dup_words (const AssayAnswers *self, gboolean with_runs);

void assay_answers_free (AssayAnswers *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayAnswers, assay_answers_free)

G_END_DECLS
