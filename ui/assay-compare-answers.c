/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-compare-answers.c: which questions' answers depend on the run, over all that are selected and their repeats.
 * Of two runs the sentence about them says it. */
#include "assay-compare-view-private.h"

#include <glib/gi18n-lib.h>

#include "assay-answers.h"
#include "assay-display-text.h"

#define MOST_QUESTIONS 4u

static GPtrArray *
rows_dup_runs (AssayCompareRow *from, GPtrArray *selected)
{
  GPtrArray *runs = g_ptr_array_new ();

  g_ptr_array_extend (runs, assay_compare_row_get_family (from), NULL, NULL);
  for (guint i = 0; i < selected->len; i++)
    if (g_ptr_array_index (selected, i) != from)
      g_ptr_array_extend (runs, assay_compare_row_get_family (g_ptr_array_index (selected, i)), NULL, NULL);
  return runs;
}

static void
lines_add_differing (GPtrArray *lines, GPtrArray *answers)
{
  guint n = 0;

  for (guint i = 0; i < answers->len; i++)
    {
      const AssayAnswers *one = g_ptr_array_index (answers, i);
      if (one->n_different == 1 || n++ >= MOST_QUESTIONS)
        continue;
      g_autofree char *words = assay_answers_dup_words (one, FALSE);
      g_ptr_array_add (lines, assay_display_line (words, 200));
    }
  if (n > MOST_QUESTIONS)
    g_ptr_array_add (lines, g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "and %u more question", "and %u more questions",
                                                          n - MOST_QUESTIONS),
                                             n - MOST_QUESTIONS));
}

GPtrArray *
compare_answers_dup_lines (AssayCompareRow *from, GPtrArray *selected)
{
  GPtrArray *lines = g_ptr_array_new_with_free_func (g_free);
  g_autoptr(GPtrArray) runs = rows_dup_runs (from, selected);
  g_autoptr(GPtrArray) answers = runs->len > 2 ? assay_answers_compare (runs) : NULL;

  if (answers == NULL || answers->len == 0)
    return lines;
  g_ptr_array_add (lines,
                   g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "%u of %u question was answered the same by all of them",
                                                 "%u of %u questions were answered the same by all of them", answers->len),
                                    assay_answers_count_same (answers), answers->len));
  lines_add_differing (lines, answers);
  return lines;
}
