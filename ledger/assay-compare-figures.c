/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-compare-figures.c: the figures of two runs side by side, as words.
 *
 * Memory and time both, always: which of them is worth the other is the person's to say. A figure stands beside one of
 * its own kind, or beside none. */
#include "assay-compare-private.h"
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

/* What a process held before a run began is not the run's: a window holds far more than a command. */
typedef enum
{
  BASELINES_NONE, /* no run states one, or the peak is the device's: the peaks are compared as they are */
  BASELINES_ONE,  /* nothing to be said */
  BASELINES_BOTH
} Baselines;

static Baselines
compare_get_baselines (AssayRecord *a, AssayRecord *b, AssayFieldId peak)
{
  gint64 ignored;
  if (peak != ASSAY_FIELD_PEAK_RAM)
    return BASELINES_NONE;
  const gboolean of_a = assay_values_get_integer (assay_record_get_burden (a), ASSAY_FIELD_RAM_BASELINE, &ignored);
  const gboolean of_b = assay_values_get_integer (assay_record_get_burden (b), ASSAY_FIELD_RAM_BASELINE, &ignored);
  return of_a && of_b ? BASELINES_BOTH : of_a || of_b ? BASELINES_ONE : BASELINES_NONE;
}

static double
record_get_peak_above_baseline (AssayRecord *record)
{
  double peak, baseline;
  if (!assay_values_get_real (assay_record_get_burden (record), ASSAY_FIELD_PEAK_RAM, &peak)
      || !assay_values_get_real (assay_record_get_burden (record), ASSAY_FIELD_RAM_BASELINE, &baseline)
      || peak <= baseline)
    return NAN;
  return peak - baseline;
}

double
compare_get_peak_ratio (AssayRecord *a, AssayRecord *b)
{
  const AssayFieldId peak = compare_get_peak_field (a, b);
  switch (compare_get_baselines (a, b, peak))
    {
    case BASELINES_BOTH:
      return record_get_peak_above_baseline (b) / record_get_peak_above_baseline (a);
    case BASELINES_ONE:
      return NAN;
    case BASELINES_NONE:
    default:
      return compare_get_ratio (a, b, peak);
    }
}

static const char *
peak_get_words (AssayFieldId field, Baselines baselines)
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
      return baselines == BASELINES_BOTH ? _("RAM above its baseline") : _("RAM");
    }
}

static void
figures_add_peak (GString *text, double ratio, AssayRecord *a, AssayRecord *b)
{
  const AssayFieldId field = compare_get_peak_field (a, b);
  const Baselines baselines = compare_get_baselines (a, b, field);
  const char *what = peak_get_words (field, baselines);
  const double percent = round ((ratio - 1) * 100);
  if (baselines == BASELINES_ONE)
    compare_add (text, "%s", _("RAM not compared (only one run states its baseline)"));
  else if (isnan (ratio))
    compare_add (text, _("%s not known of both"), what);
  else if (percent == 0)
    compare_add (text, _("%s unchanged"), what);
  else if (ratio >= 3) /* a percentage above 200 is hard to picture */
    compare_add (text, _("×%.1f %s"), ratio, what);
  else
    compare_add (text, _("%s%.0f %% %s"), percent < 0 ? "−" : "+", fabs (percent), what);
  if (!isnan (ratio) && (compare_get_kind (a, field) == NULL) != (compare_get_kind (b, field) == NULL))
    g_string_append (text, _(" (only one run states the kind of the figure)"));
}

static void
figures_add_time (GString *text, double ratio)
{
  if (isnan (ratio))
    compare_add (text, "%s", _("time not known of both"));
  else if (ratio >= 9.95)
    compare_add (text, _("×%.0f time"), ratio);
  else if (ratio >= 0.095)
    compare_add (text, ratio < 0.95 || ratio >= 1.05 ? _("×%.1f time") : _("×%.2f time"), ratio);
  else
    compare_add (text, _("×%.2g time"), ratio);
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

static void
figures_add_quality (GString *text, AssayLedger *ledger, AssayRecord *a, AssayRecord *b)
{
  g_autoptr(AssayGates) gates_a = assay_gates_judge (ledger, a);
  g_autoptr(AssayGates) gates_b = assay_gates_judge (ledger, b);
  const AssayVerdict before = gates_a->verdict[ASSAY_GATE_QUALITY],
                     after = gates_b->verdict[ASSAY_GATE_QUALITY];
  const guint n = record_count_reviews (a) + record_count_reviews (b);
  if (before == ASSAY_VERDICT_NOT_JUDGED && after == ASSAY_VERDICT_NOT_JUDGED)
    compare_add (text, "%s", _("quality not judged"));
  else if (quality_is_of_two_criteria (ledger, a, b))
    compare_add (text, "%s", _("quality not compared (evaluation_criterion changed between the reviews)"));
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

static const AssayOutput *
record_find_output (AssayRecord *record, const char *question)
{
  GPtrArray *outputs = assay_record_get_outputs (record);
  for (guint i = 0; i < outputs->len; i++)
    if (g_strcmp0 (((const AssayOutput *) g_ptr_array_index (outputs, i))->question, question) == 0)
      return g_ptr_array_index (outputs, i);
  return NULL;
}

/* Characters before the first difference; -1 when the texts are equal. */
static glong
output_find_difference (const AssayOutput *a, const AssayOutput *b)
{
  const gsize shorter = MIN (a->text_length, b->text_length);
  gsize same = 0;
  glong characters = 0;
  while (same < shorter && a->text[same] == b->text[same])
    same++;
  if (same == a->text_length && same == b->text_length)
    return -1;
  for (gsize i = 0; i < same; i++) /* a character whose bytes differ late counts where it begins */
    characters += ((guchar) a->text[i] & 0xc0) != 0x80;
  if (same < shorter && ((guchar) a->text[same] & 0xc0) == 0x80 && characters > 0)
    characters--;
  return characters;
}

static void
figures_add_answers (GString *text, AssayRecord *a, AssayRecord *b)
{
  GPtrArray *outputs = assay_record_get_outputs (a);
  const char *first = NULL;
  glong where = -1;
  guint n = 0, n_same = 0;
  for (guint i = 0; i < outputs->len; i++)
    {
      const AssayOutput *left = g_ptr_array_index (outputs, i);
      const AssayOutput *right = record_find_output (b, left->question);
      if (right == NULL || left->text == NULL || right->text == NULL)
        continue;
      const glong difference = output_find_difference (left, right);
      n++;
      n_same += difference < 0;
      if (difference >= 0 && first == NULL)
        {
          first = left->question;
          where = difference;
        }
    }
  if (n == 0)
    return;
  compare_add (text,
                g_dngettext (GETTEXT_PACKAGE, "%u of %u answer the same", "%u of %u answers the same", n),
                n_same, n);
  if (first != NULL && *first != '\0')
    compare_add (text, _("%s differs from character %ld"), first, where + 1);
  else if (first != NULL)
    compare_add (text, _("it differs from character %ld"), where + 1);
}

void
compare_add_figures (GString *text, const AssayComparison *self, AssayLedger *ledger, AssayRecord *a, AssayRecord *b,
                     AssayAxis moved)
{
  figures_add_peak (text, self->peak_ratio, a, b);
  figures_add_time (text, self->time_ratio);
  if (axis_moves_weights (moved))
    figures_add_link (text, a, b);
  figures_add_quality (text, ledger, a, b);
  figures_add_answers (text, a, b);
}
