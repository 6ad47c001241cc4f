/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-compare-figures.c: the figures of two runs side by side, as words.
 *
 * Memory and time both, always: which of them is worth the other is the person's to say. A figure stands beside one of
 * its own kind, or beside none. */
#include "assay-compare-private.h"
#include "assay-answers.h"
#include "assay-gates-private.h"

#include <math.h>

#include <glib/gi18n-lib.h>

void
compare_add (GString *text, const char *format, ...)
{
  va_list args;
  if (text->len > 0)
    g_string_append (text, ", ");
  va_start (args, format);
  g_string_append_vprintf (text, format, args);
  va_end (args);
}

double
compare_get_ratio (AssayRecord *a, AssayRecord *b, AssayFieldId field)
{
  double x, y;
  if (!assay_values_get_real (assay_record_get_burden (a), field, &x)
      || !assay_values_get_real (assay_record_get_burden (b), field, &y) || x <= 0)
    return NAN;
  return y / x;
}

/* The planner's kind first, then the driver's and the allocator's, for runs that only these were measured of. The whole
 * device's is nobody's own. */
static const AssayFieldId device_peaks[]
  = { ASSAY_FIELD_PEAK_VRAM, ASSAY_FIELD_PEAK_VRAM_PROCESS, ASSAY_FIELD_PEAK_VRAM_RESERVED };

static gint64
record_get_peak (AssayRecord *record, AssayFieldId peak)
{
  gint64 bytes;
  return assay_values_get_integer (assay_record_get_burden (record), peak, &bytes) ? bytes : -1;
}

AssayFieldId
assay_compare_get_own_peak (AssayRecord *record)
{
  g_return_val_if_fail (ASSAY_IS_RECORD (record), ASSAY_FIELD_PEAK_RAM);
  const AssayValues *runtime = assay_record_get_values_for (record, ASSAY_FIELD_RUNTIME);
  if (assay_values_get_state (assay_record_get_burden (record), ASSAY_FIELD_PEAK_VRAM) == ASSAY_VALUE_SET)
    return ASSAY_FIELD_PEAK_VRAM;
  return g_strcmp0 (assay_values_get_text (runtime, ASSAY_FIELD_RUNTIME), "process") != 0
                 && record_get_peak (record, ASSAY_FIELD_PEAK_RAM_ENGINE) >= 0
             ? ASSAY_FIELD_PEAK_RAM_ENGINE
             : ASSAY_FIELD_PEAK_RAM;
}

gint64
assay_compare_get_mapped_weights (AssayRecord *record)
{
  g_return_val_if_fail (ASSAY_IS_RECORD (record), 0);
  const AssayValues *burden = assay_record_get_burden (record);
  const AssayMeasure *measure = assay_values_get_measure (burden, ASSAY_FIELD_PEAK_WEIGHTS);
  gint64 all, allocated = 0;
  if (measure == NULL || measure->kind == NULL || g_str_equal (measure->kind, "allocated")
      || !assay_values_get_integer (burden, ASSAY_FIELD_PEAK_WEIGHTS, &all))
    return 0;
  assay_values_get_integer (burden, ASSAY_FIELD_PEAK_RAM_WEIGHTS, &allocated);
  return MAX (all - allocated, 0);
}

static AssayFieldId
compare_get_host_field (AssayRecord *a, AssayRecord *b)
{
  const gboolean counted = assay_compare_get_own_peak (a) == ASSAY_FIELD_PEAK_RAM_ENGINE
                           && assay_compare_get_own_peak (b) == ASSAY_FIELD_PEAK_RAM_ENGINE;
  return counted ? ASSAY_FIELD_PEAK_RAM_ENGINE : ASSAY_FIELD_PEAK_RAM;
}

AssayFieldId
compare_get_peak_field (AssayRecord *a, AssayRecord *b)
{
  gboolean used = FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (device_peaks); i++)
    {
      const gint64 of_a = record_get_peak (a, device_peaks[i]), of_b = record_get_peak (b, device_peaks[i]);
      used |= of_a > 0 || of_b > 0;
      if (of_a >= 0 && of_b >= 0 && (of_a > 0 || of_b > 0))
        return device_peaks[i];
    }
  return used ? ASSAY_FIELD_PEAK_VRAM : compare_get_host_field (a, b);
}

const char *
compare_get_kind (AssayRecord *record, AssayFieldId field)
{
  const AssayMeasure *measure = assay_values_get_measure (assay_record_get_burden (record), field);
  return measure != NULL ? measure->kind : NULL;
}

static const char *
peak_get_words (AssayFieldId field, gboolean above_baseline)
{
  switch (field)
    {
    case ASSAY_FIELD_PEAK_VRAM:
      return _("VRAM");
    case ASSAY_FIELD_PEAK_VRAM_PROCESS:
      return _("VRAM of the process");
    case ASSAY_FIELD_PEAK_VRAM_RESERVED:
      return _("reserved VRAM");
    default:
      return above_baseline ? _("RAM above its baseline") : _("RAM");
    }
}

void
compare_find_peak (ComparePeak *self, AssayRecord *a, AssayRecord *b)
{
  const gboolean of_a = record_get_peak (a, ASSAY_FIELD_RAM_BASELINE) >= 0;
  const gboolean of_b = record_get_peak (b, ASSAY_FIELD_RAM_BASELINE) >= 0;
  self->field = compare_get_peak_field (a, b);
  self->above_baseline = self->field == ASSAY_FIELD_PEAK_RAM && of_a && of_b;
  self->one_baseline = self->field == ASSAY_FIELD_PEAK_RAM && of_a != of_b;
  self->words = peak_get_words (self->field, self->above_baseline);
}

double
compare_read_peak (const ComparePeak *self, AssayRecord *record)
{
  const AssayValues *burden = assay_record_get_burden (record);
  double peak, baseline = 0;
  if (self->one_baseline || !assay_values_get_real (burden, self->field, &peak))
    return NAN;
  if (!self->above_baseline)
    return peak;
  if (!assay_values_get_real (burden, ASSAY_FIELD_RAM_BASELINE, &baseline) || peak <= baseline)
    return NAN;
  return peak - baseline;
}

double
compare_get_peak_ratio (AssayRecord *a, AssayRecord *b)
{
  ComparePeak peak;
  compare_find_peak (&peak, a, b);
  const double of_a = compare_read_peak (&peak, a);
  return of_a > 0 ? compare_read_peak (&peak, b) / of_a : NAN;
}

char *
compare_dup_change (AssayFieldId field, double ratio)
{
  const double percent = round ((ratio - 1) * 100);
  if (assay_field_get_info (field)->unit == ASSAY_UNIT_SECONDS)
    return ratio >= 9.95                     ? g_strdup_printf (_("×%.0f"), ratio)
           : ratio < 0.095                   ? g_strdup_printf (_("×%.2g"), ratio)
           : ratio < 0.95 || ratio >= 1.05 ? g_strdup_printf (_("×%.1f"), ratio)
                                           : g_strdup_printf (_("×%.2f"), ratio);
  if (percent == 0)
    return g_strdup (C_ ("a figure", "unchanged"));
  if (ratio >= 3) /* a percentage above 200 is hard to picture */
    return g_strdup_printf (_("×%.1f"), ratio);
  return g_strdup_printf (_("%s%.0f %%"), percent < 0 ? "−" : "+", fabs (percent));
}

static void
figures_add_peak (GString *text, double ratio, AssayRecord *a, AssayRecord *b)
{
  ComparePeak peak;
  compare_find_peak (&peak, a, b);
  if (peak.one_baseline)
    compare_add (text, "%s", _("RAM not compared (only one run states its baseline)"));
  else if (isnan (ratio))
    compare_add (text, _("%s not known of both"), peak.words);
  else if (round ((ratio - 1) * 100) == 0)
    compare_add (text, _("%s unchanged"), peak.words);
  else
    {
      g_autofree char *change = compare_dup_change (peak.field, ratio);
      /* Translators: “−61 % VRAM”, “×3.4 RAM”: by how much it changed, and what did */
      compare_add (text, C_ ("a change and what changed", "%s %s"), change, peak.words);
    }
  if (!isnan (ratio) && (compare_get_kind (a, peak.field) == NULL) != (compare_get_kind (b, peak.field) == NULL))
    g_string_append (text, _(" (only one run states the kind of the figure)"));
}

/* Only a child process brings files of its own; of other runs the series need not be read. */
static double
record_get_fetch_seconds (AssayRecord *record)
{
  const AssayValues *runtime = assay_record_get_values_for (record, ASSAY_FIELD_RUNTIME);
  double seconds = 0;
  if (g_strcmp0 (assay_values_get_text (runtime, ASSAY_FIELD_RUNTIME), "process") != 0)
    return 0;
  g_autoptr(GPtrArray) phases = assay_series_dup_phases (assay_record_get_series (record));
  for (guint i = 0; i < phases->len; i++)
    {
      const AssayPhase *phase = g_ptr_array_index (phases, i);
      if (g_strcmp0 (phase->name, "fetch") == 0 && phase->duration_ns > 0)
        seconds += (double) phase->duration_ns / 1e9;
    }
  return seconds;
}

static void
figures_add_time (GString *text, double ratio, AssayRecord *a, AssayRecord *b)
{
  g_autofree char *change = isnan (ratio) ? NULL : compare_dup_change (ASSAY_FIELD_ELAPSED_SECONDS, ratio);
  const double of_a = record_get_fetch_seconds (a), of_b = record_get_fetch_seconds (b);
  if (change == NULL)
    {
      compare_add (text, "%s", _("time not known of both"));
      return;
    }
  compare_add (text, _("%s time"), change);
  if (of_a <= 0 && of_b <= 0)
    return;
  g_autofree char *before = assay_format_seconds (of_a), *after = assay_format_seconds (of_b);
  g_string_append_printf (text, _(" (fetching files is in it: %s and %s)"), before, after);
}

/* The link */

/* Axes that decide which weights wait, and where. */
static gboolean
axis_moves_weights (AssayAxis axis)
{
  return axis == ASSAY_AXIS_OFFLOAD_MODE || axis == ASSAY_AXIS_OFFLOAD_GRANULARITY || axis == ASSAY_AXIS_PREFETCH
         || axis == ASSAY_AXIS_DEVICE_MAP;
}

static void
figures_add_link (GString *text, AssayRecord *a, AssayRecord *b)
{
  const AssayValues *of_a = assay_record_get_burden (a), *of_b = assay_record_get_burden (b);
  gint64 moved_a, moved_b;
  double waited_a, waited_b;
  if (assay_values_get_integer (of_a, ASSAY_FIELD_LINK_BYTES, &moved_a)
      && assay_values_get_integer (of_b, ASSAY_FIELD_LINK_BYTES, &moved_b))
    {
      g_autofree char *before = assay_format_bytes ((guint64) moved_a), *after = assay_format_bytes ((guint64) moved_b);
      if (!g_str_equal (after, before))
        compare_add (text, _("%s over the link instead of %s"), after, before);
    }
  if (assay_values_get_real (of_a, ASSAY_FIELD_LINK_STALL_SECONDS, &waited_a)
      && assay_values_get_real (of_b, ASSAY_FIELD_LINK_STALL_SECONDS, &waited_b))
    {
      g_autofree char *before = assay_format_seconds (waited_a), *after = assay_format_seconds (waited_b);
      if (!g_str_equal (after, before))
        compare_add (text, _("waited for the link %s instead of %s"), after, before);
    }
}

/* Quality */

static guint
record_count_reviews (AssayRecord *record)
{
  g_autoptr(GPtrArray) reviews = assay_record_get_current_reviews (record);
  return reviews->len;
}

/* The axis evaluation_criterion moved between what was said of one run and of the other. */
static gboolean
quality_is_of_two_criteria (AssayLedger *ledger, AssayRecord *a, AssayRecord *b)
{
  const AssayCriteria *criteria = assay_ledger_get_criteria (ledger);
  g_autoptr(GPtrArray) of_a = assay_record_get_current_reviews (a);
  g_autoptr(GPtrArray) of_b = assay_record_get_current_reviews (b);
  const guint earlier_a = assay_gates_count_earlier (criteria, of_a);
  const guint earlier_b = assay_gates_count_earlier (criteria, of_b);
  const guint n = of_a->len + of_b->len, earlier = earlier_a + earlier_b;
  return earlier > 0 && earlier < n;
}

/* What differs between two verdicts on the same texts is the judgment: no condition of a run explains it. */
gboolean
compare_judged_differently (GPtrArray *answers, AssayVerdict before, AssayVerdict after)
{
  return answers->len > 0 && assay_answers_count_same (answers) == answers->len && before != after
         && before != ASSAY_VERDICT_NOT_JUDGED && after != ASSAY_VERDICT_NOT_JUDGED;
}

char *
compare_dup_judged_differently (AssayVerdict before, AssayVerdict after, guint n)
{
  /* Translators: the words are "pass" and "fail"; behind them the number of reviews of both runs together */
  return g_strdup_printf (
    g_dngettext (GETTEXT_PACKAGE, "the same answers were judged differently, no effect on quality: %s and %s (%u review)",
                 "the same answers were judged differently, no effect on quality: %s and %s (%u reviews)", n),
    assay_verdict_get_word (before), assay_verdict_get_word (after), n);
}

static void
figures_add_quality (GString *text, AssayLedger *ledger, AssayRecord *a, AssayRecord *b, GPtrArray *answers)
{
  const AssayVerdict before = assay_gates_judge_quality (a), after = assay_gates_judge_quality (b);
  const guint n = record_count_reviews (a) + record_count_reviews (b);
  if (before == ASSAY_VERDICT_NOT_JUDGED && after == ASSAY_VERDICT_NOT_JUDGED)
    compare_add (text, "%s", _("quality not judged"));
  else if (quality_is_of_two_criteria (ledger, a, b))
    compare_add (text, "%s", _("quality not compared (evaluation_criterion changed between the reviews)"));
  else if (compare_judged_differently (answers, before, after))
    {
      g_autofree char *words = compare_dup_judged_differently (before, after, n);
      compare_add (text, "%s", words);
    }
  else if (before == after)
    compare_add (
        text,
        g_dngettext (GETTEXT_PACKAGE, "quality unchanged (%u review)", "quality unchanged (%u reviews)", n),
        n);
  else
    compare_add (
        text,
        g_dngettext (GETTEXT_PACKAGE, "quality %s → %s (%u review)", "quality %s → %s (%u reviews)", n),
        assay_verdict_get_word (before), assay_verdict_get_word (after), n);
}

/* The answers */

static void
figures_add_first_difference (GString *text, GPtrArray *answers)
{
  for (guint i = 0; i < answers->len; i++)
    {
      const AssayAnswers *one = g_ptr_array_index (answers, i);
      if (one->n_different == 1 || !one->is_text)
        continue;
      if (*one->question != '\0')
        compare_add (text, _("%s differs from character %ld"), one->question, one->same_characters + 1);
      else
        compare_add (text, _("it differs from character %ld"), one->same_characters + 1);
      return;
    }
}

static GPtrArray *
runs_compare_answers (AssayRecord *a, AssayRecord *b)
{
  g_autoptr(GPtrArray) runs = g_ptr_array_new ();
  g_ptr_array_add (runs, a);
  g_ptr_array_add (runs, b);
  return assay_answers_compare (runs);
}

static void
figures_add_answers (GString *text, GPtrArray *answers)
{
  if (answers->len == 0)
    return;
  compare_add (text,
               g_dngettext (GETTEXT_PACKAGE, "%u of %u answer the same", "%u of %u answers the same", answers->len),
               assay_answers_count_same (answers), answers->len);
  figures_add_first_difference (text, answers);
}

void
compare_add_figures (GString *text, const AssayComparison *self, AssayLedger *ledger, AssayRecord *a, AssayRecord *b,
                     AssayAxis moved)
{
  g_autoptr(GPtrArray) answers = runs_compare_answers (a, b);
  figures_add_peak (text, self->peak_ratio, a, b);
  figures_add_time (text, self->time_ratio, a, b);
  if (axis_moves_weights (moved))
    figures_add_link (text, a, b);
  figures_add_quality (text, ledger, a, b, answers);
  figures_add_answers (text, answers);
}
