/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-effect-words.c: an effect as one line for people: each figure from old to new, how many runs it stands on,
 * and whether it is more than the repeats differ among themselves. */
#include "assay-answers.h"
#include "assay-compare-private.h"
#include "assay-effects.h"

#include <math.h>

#include <glib/gi18n-lib.h>

static char *
figure_dup_value (AssayFieldId field, double value)
{
  switch (assay_field_get_info (field)->unit)
    {
    case ASSAY_UNIT_BYTES:
      return assay_format_bytes ((guint64) (value + 0.5));
    case ASSAY_UNIT_SECONDS:
      return assay_format_seconds (value);
    default:
      return g_strdup_printf (_("%.3g tokens/s"), value);
    }
}

/* "4.30 s (4.20 s to 4.40 s)" */
static char *
figure_dup_side (AssayFieldId field, const AssayRepeats *side)
{
  g_autofree char *mean = figure_dup_value (field, side->mean);
  g_autofree char *low = figure_dup_value (field, side->low);
  g_autofree char *high = figure_dup_value (field, side->high);
  if (g_str_equal (low, high))
    return g_steal_pointer (&mean);
  /* Translators: a mean, with the lowest and the highest of the repeats */
  return g_strdup_printf (_("%s (%s to %s)"), mean, low, high);
}

static const char *
spread_get_words (AssaySpread spread)
{
  switch (spread)
    {
    case ASSAY_SPREAD_WITHIN:
      return _("smaller than the spread of the repeats");
    case ASSAY_SPREAD_UNKNOWN:
      return _("spread unknown without repeats of both");
    case ASSAY_SPREAD_BEYOND:
    default:
      return _("more than the spread of the repeats");
    }
}

char *
assay_effect_figure_dup_words (const AssayEffectFigure *self)
{
  g_return_val_if_fail (self != NULL, NULL);
  g_autofree char *from = figure_dup_side (self->field, &self->from);
  g_autofree char *to = figure_dup_side (self->field, &self->to);
  g_autofree char *change = isnan (self->ratio) ? g_strdup (_("no ratio")) : compare_dup_change (self->field, self->ratio);
  /* Translators: “VRAM 6.20 GiB → 5.20 GiB, −16 % (3 and 2 runs, more than the spread of the repeats)” */
  return g_strdup_printf (_("%s %s → %s, %s (%u and %u runs, %s)"), self->words, from, to, change, self->from.n,
                          self->to.n, spread_get_words (self->spread));
}

static void
words_add_criterion (GString *text, const AssayEffectCriterion *criterion)
{
  const char *label = criterion->criterion->label != NULL ? criterion->criterion->label : criterion->criterion->id;
  g_string_append (text, "; ");
  if (criterion->criterion->kind == ASSAY_CRITERION_YES_NO)
    /* Translators: a criterion, the share of yes before and after, and on how many reviewed runs each stands */
    g_string_append_printf (text, _("%s: yes in %.0f %% → %.0f %% (%u and %u reviewed runs)"), label,
                            criterion->from * 100, criterion->to * 100, criterion->n_from, criterion->n_to);
  else
    g_string_append_printf (text, _("%s: %.2g → %.2g of 5 (%u and %u reviewed runs)"), label, criterion->from,
                            criterion->to, criterion->n_from, criterion->n_to);
}

static void
words_add_quality (GString *text, const AssayEffect *self)
{
  const guint n = self->n_reviews_from + self->n_reviews_to;
  g_string_append (text, "; ");
  if (n == 0)
    g_string_append (text, _("quality not judged"));
  else if (self->criteria_changed)
    g_string_append (text, _("quality not compared (evaluation_criterion changed between the reviews)"));
  else if (compare_judged_differently (self->answers, self->quality_from, self->quality_to))
    {
      g_autofree char *words = compare_dup_judged_differently (self->quality_from, self->quality_to, n);
      g_string_append (text, words);
      return;
    }
  else
    g_string_append_printf (text,
                            g_dngettext (GETTEXT_PACKAGE, "quality %s → %s (%u review)", "quality %s → %s (%u reviews)", n),
                            assay_verdict_get_word (self->quality_from), assay_verdict_get_word (self->quality_to), n);
  for (guint i = 0; i < self->criteria->len; i++)
    words_add_criterion (text, self->criteria->pdata[i]);
}

static void
words_add_answers (GString *text, const AssayEffect *self)
{
  const guint n = self->answers->len;
  if (n > 0)
    g_string_append_printf (
      text, g_dngettext (GETTEXT_PACKAGE, "; %u of %u answer the same", "; %u of %u answers the same", n),
      assay_answers_count_same (self->answers), n);
}

char *
assay_effect_dup_words (const AssayEffect *self)
{
  g_return_val_if_fail (self != NULL, NULL);
  if (self->comparison->kind != ASSAY_COMPARISON_EFFECT && self->comparison->kind != ASSAY_COMPARISON_SAME)
    return g_strdup (self->comparison->sentence);
  GString *text = g_string_new (NULL);
  g_autofree char *change = assay_axes_describe (self->comparison->differences);
  g_string_append (text, *change != '\0' ? change : _("repeats, no axis moved"));
  for (guint i = 0; i < self->figures->len; i++)
    {
      g_autofree char *figure = assay_effect_figure_dup_words (&g_array_index (self->figures, AssayEffectFigure, i));
      g_string_append_printf (text, "; %s", figure);
    }
  words_add_quality (text, self);
  words_add_answers (text, self);
  return g_string_free (text, FALSE);
}
