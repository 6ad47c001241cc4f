/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-compare.c: what a comparison of two runs may claim.
 *
 * An effect is claimed only where exactly one axis moved and both runs are what they say they are. Everything
 * else gets a sentence too, which names the reason: the person then knows which run is missing. */
#include "assay-compare.h"

#include "assay-axes-private.h"

#include <math.h>
#include <string.h>

#include <glib/gi18n-lib.h>

static void
sentence_add (GString *sentence, const char *format, ...) G_GNUC_PRINTF (2, 3);

static void
sentence_add (GString *sentence, const char *format, ...)
{
  va_list args;
  if (sentence->len > 0)
    g_string_append (sentence, ", ");
  va_start (args, format);
  g_string_append_vprintf (sentence, format, args);
  va_end (args);
}

/* Requested and effective */

char *
assay_compare_dup_deviation (AssayRecord *record)
{
  g_return_val_if_fail (ASSAY_IS_RECORD (record), NULL);
  const AssayValues *asked = assay_record_get_conditions (record);
  const AssayValues *effective = assay_record_get_effective (record);
  GString *text = g_string_new (NULL);
  for (AssayFieldId field = 0; field < ASSAY_N_FIELDS; field++)
    {
      if (assay_field_get_info (field)->axis == ASSAY_AXIS_NONE /* where a file lies explains nothing */
          || assay_values_get_state (effective, field) == ASSAY_VALUE_UNSET
          || axes_leaves_choice (asked, field))
        continue;
      g_autofree char *was = assay_values_dup_text (effective, field);
      g_autofree char *wanted = assay_values_dup_text (asked, field);
      if (g_strcmp0 (was, wanted) != 0)
        sentence_add (text, _("%s: %s instead of %s"), assay_field_get_info (field)->name,
                      was != NULL ? was : _("unknown"), wanted);
    }
  return g_string_free (text, text->len == 0);
}

/* Reasons to refuse */

static char *
refuse_one (AssayRecord *record, gboolean accepted)
{
  const char *id = assay_record_get_id (record);
  const AssayRunStatus status = assay_record_get_status (record);
  if (assay_record_is_damaged (record))
    return g_strdup_printf (_("not compared: the entry of run %s is damaged"), id);
  if (status != ASSAY_STATUS_COMPLETED)
    return g_strdup_printf (_("not compared: run %s did not complete (%s)"), id,
                            assay_run_status_get_name (status));
  g_autofree char *deviation = accepted ? NULL : assay_compare_dup_deviation (record);
  if (deviation != NULL)
    return g_strdup_printf (
        _("not compared: in run %s, what was in effect is not what was asked for (%s); accept it "
           "to compare what was in effect"),
        id, deviation);
  return NULL;
}

static const char *
peak_get_kind (AssayRecord *record, AssayFieldId field)
{
  const AssayMeasure *measure = assay_values_get_measure (assay_record_get_burden (record), field);
  return measure != NULL ? measure->kind : NULL;
}

static char *
refuse_itself (AssayRecord *a, AssayRecord *b)
{
  if (a != b && g_strcmp0 (assay_record_get_id (a), assay_record_get_id (b)) != 0)
    return NULL;
  return g_strdup_printf (_("not compared: this is one and the same run (%s); choose two"), assay_record_get_id (a));
}

/* A figure of the allocator beside one of the driver: their ratio is that of two instruments, not of two
 * runs. */
static char *
refuse_pair (AssayRecord *a, AssayRecord *b, AssayFieldId peak)
{
  const char *kind_a = peak_get_kind (a, peak), *kind_b = peak_get_kind (b, peak);
  gint64 ignored;
  if (!assay_values_get_integer (assay_record_get_burden (a), peak, &ignored)
      || !assay_values_get_integer (assay_record_get_burden (b), peak, &ignored))
    return NULL;
  if (kind_a == NULL || kind_b == NULL || g_str_equal (kind_a, kind_b))
    return NULL;
  return g_strdup_printf (
      _("not compared: %s of run %s is of the kind '%s', that of run %s of the kind '%s'"),
      assay_field_get_info (peak)->name, assay_record_get_id (a), kind_a, assay_record_get_id (b), kind_b);
}

/* The figures */

static double
ratio_of (AssayRecord *a, AssayRecord *b, AssayFieldId field)
{
  double x, y;
  if (!assay_values_get_real (assay_record_get_burden (a), field, &x)
      || !assay_values_get_real (assay_record_get_burden (b), field, &y) || x <= 0)
    return NAN;
  return y / x;
}

static gboolean
record_used_device_memory (AssayRecord *record)
{
  gint64 peak;
  return assay_values_get_integer (assay_record_get_burden (record), ASSAY_FIELD_PEAK_VRAM, &peak)
         && peak > 0;
}

static AssayFieldId
compare_get_peak_field (AssayRecord *a, AssayRecord *b)
{
  return record_used_device_memory (a) || record_used_device_memory (b) ? ASSAY_FIELD_PEAK_VRAM
                                                                        : ASSAY_FIELD_PEAK_RAM;
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

static double
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
      return ratio_of (a, b, peak);
    }
}

static void
sentence_add_peak (GString *sentence, double ratio, AssayFieldId field, Baselines baselines)
{
  const char *what = field == ASSAY_FIELD_PEAK_VRAM  ? _("VRAM")
                     : baselines == BASELINES_BOTH ? _("RAM above its baseline")
                                                   : _("RAM");
  const double percent = round ((ratio - 1) * 100);
  if (baselines == BASELINES_ONE)
    sentence_add (sentence, "%s", _("RAM not compared (only one run states its baseline)"));
  else if (isnan (ratio))
    sentence_add (sentence, _("%s not known of both"), what);
  else if (percent == 0)
    sentence_add (sentence, _("%s unchanged"), what);
  else if (ratio >= 3) /* a percentage above 200 is hard to picture */
    sentence_add (sentence, _("×%.1f %s"), ratio, what);
  else
    sentence_add (sentence, _("%s%.0f %% %s"), percent < 0 ? "−" : "+", fabs (percent), what);
}

static void
sentence_add_time (GString *sentence, double ratio)
{
  if (isnan (ratio))
    sentence_add (sentence, "%s", _("time not known of both"));
  else if (ratio >= 9.95)
    sentence_add (sentence, _("×%.0f time"), ratio);
  else if (ratio >= 0.095)
    sentence_add (sentence, ratio < 0.95 || ratio >= 1.05 ? _("×%.1f time") : _("×%.2f time"), ratio);
  else
    sentence_add (sentence, _("×%.2g time"), ratio);
}

static const char *
verdict_get_word (AssayVerdict verdict)
{
  return verdict == ASSAY_VERDICT_PASS   ? _("pass")
         : verdict == ASSAY_VERDICT_FAIL ? _("fail")
                                         : _("not judged");
}

static guint
record_count_reviews (AssayRecord *record)
{
  g_autoptr(GPtrArray) reviews = assay_record_get_current_reviews (record);
  return reviews->len;
}

static void
sentence_add_quality (GString *sentence, AssayLedger *ledger, AssayRecord *a, AssayRecord *b)
{
  g_autoptr(AssayGates) gates_a = assay_gates_judge (ledger, a);
  g_autoptr(AssayGates) gates_b = assay_gates_judge (ledger, b);
  const AssayVerdict before = gates_a->verdict[ASSAY_GATE_QUALITY],
                     after = gates_b->verdict[ASSAY_GATE_QUALITY];
  const guint n = record_count_reviews (a) + record_count_reviews (b);
  if (before == ASSAY_VERDICT_NOT_JUDGED && after == ASSAY_VERDICT_NOT_JUDGED)
    sentence_add (sentence, "%s", _("quality not judged"));
  else if (before == after)
    sentence_add (
        sentence,
        g_dngettext (GETTEXT_PACKAGE, "quality unchanged (%u review)", "quality unchanged (%u reviews)", n),
        n);
  else
    sentence_add (
        sentence,
        g_dngettext (GETTEXT_PACKAGE, "quality %s → %s (%u review)", "quality %s → %s (%u reviews)", n),
        verdict_get_word (before), verdict_get_word (after), n);
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
sentence_add_answers (GString *sentence, AssayRecord *a, AssayRecord *b)
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
  sentence_add (sentence,
                g_dngettext (GETTEXT_PACKAGE, "%u of %u answer the same", "%u of %u answers the same", n),
                n_same, n);
  if (first != NULL && *first != '\0')
    sentence_add (sentence, _("%s differs from character %ld"), first, where + 1);
  else if (first != NULL)
    sentence_add (sentence, _("it differs from character %ld"), where + 1);
}

static void
sentence_add_figures (
    GString *sentence, const AssayComparison *self, AssayLedger *ledger, AssayRecord *a, AssayRecord *b)
{
  const AssayFieldId peak = compare_get_peak_field (a, b);
  sentence_add_peak (sentence, self->peak_ratio, peak, compare_get_baselines (a, b, peak));
  sentence_add_time (sentence, self->time_ratio);
  sentence_add_quality (sentence, ledger, a, b);
  sentence_add_answers (sentence, a, b);
}

/* The sentence */

static const AssayDifference *
compare_get_single (const AssayComparison *self)
{
  for (guint i = 0; i < self->differences->len; i++)
    if (!((const AssayDifference *) g_ptr_array_index (self->differences, i))->implied)
      return g_ptr_array_index (self->differences, i);
  return NULL;
}

static char *
sentence_for_effect (const AssayComparison *self, AssayLedger *ledger, AssayRecord *a, AssayRecord *b)
{
  const AssayDifference *moved = compare_get_single (self);
  g_autofree char *change = assay_axes_describe (self->differences);
  GString *figures = g_string_new (NULL);
  sentence_add_figures (figures, self, ledger, a, b);
  g_autofree char *tail = g_string_free (figures, FALSE);
  return g_strdup_printf (_("the effect of %s: %s; %s"), assay_field_get_info (moved->field)->name, tail,
                          change);
}

static char *
sentence_for_same (const AssayComparison *self, AssayLedger *ledger, AssayRecord *a, AssayRecord *b)
{
  GString *figures = g_string_new (NULL);
  sentence_add_figures (figures, self, ledger, a, b);
  g_autofree char *tail = g_string_free (figures, FALSE);
  return g_strdup_printf (_("repeats, no axis moved: %s"), tail);
}

/* The same tensors in a file whose header or tokenizer differs: an import rewrote it. */
static gboolean
compare_has_same_weights (const AssayComparison *self, AssayRecord *a, AssayRecord *b)
{
  const AssayFieldId field = ASSAY_FIELD_MODEL_CONTENT_HASH;
  const char *hash_a = assay_values_get_text (assay_record_get_values_for (a, field), field);
  const char *hash_b = assay_values_get_text (assay_record_get_values_for (b, field), field);
  for (guint i = 0; i < self->differences->len; i++)
    if (((const AssayDifference *)g_ptr_array_index (self->differences, i))->axis == ASSAY_AXIS_MODEL_CONTENT)
      return hash_a != NULL && g_strcmp0 (hash_a, hash_b) == 0;
  return FALSE;
}

/* The run says that one axis moved from its parent; more did. */
static gboolean
compare_breaks_plan (AssayRecord *a, AssayRecord *b)
{
  return assay_record_get_changed (b) != NULL
         && g_strcmp0 (assay_record_get_parent (b), assay_record_get_id (a)) == 0;
}

static char *
sentence_for_confounded (const AssayComparison *self, AssayRecord *a, AssayRecord *b)
{
  g_autofree char *change = assay_axes_describe (self->differences);
  const guint n = assay_axes_count (self->differences);
  GString *sentence = g_string_new (NULL);
  g_string_append_printf (sentence,
                          g_dngettext (GETTEXT_PACKAGE,
                                       "confounded, not one axis but %u, so that nothing is claimed: %s",
                                       "confounded, not one axis but %u, so that nothing is claimed: %s", n),
                          n, change);
  if (compare_breaks_plan (a, b))
    g_string_append_printf (sentence, _("; the plan to change %s alone was not kept"),
                            assay_record_get_changed (b));
  return g_string_free (sentence, FALSE);
}

static AssayComparison *
compare_runs (AssayLedger *ledger, AssayRecord *a, AssayRecord *b, gboolean accepted)
{
  AssayComparison *self = g_new0 (AssayComparison, 1);
  const AssayFieldId peak = compare_get_peak_field (a, b);
  self->differences = assay_axes_diff (a, b);
  self->peak_ratio = self->time_ratio = NAN;
  self->sentence = refuse_itself (a, b);
  if (self->sentence == NULL)
    self->sentence = refuse_one (a, accepted);
  if (self->sentence == NULL)
    self->sentence = refuse_one (b, accepted);
  if (self->sentence == NULL)
    self->sentence = refuse_pair (a, b, peak);
  if (self->sentence != NULL)
    {
      self->kind = ASSAY_COMPARISON_REFUSED;
      return self;
    }
  self->peak_ratio = compare_get_peak_ratio (a, b);
  self->time_ratio = ratio_of (a, b, ASSAY_FIELD_ELAPSED_SECONDS);
  const guint n = assay_axes_count (self->differences);
  self->kind = n == 0   ? ASSAY_COMPARISON_SAME
               : n == 1 ? ASSAY_COMPARISON_EFFECT
                        : ASSAY_COMPARISON_CONFOUNDED;
  self->sentence = n == 0   ? sentence_for_same (self, ledger, a, b)
                   : n == 1 ? sentence_for_effect (self, ledger, a, b)
                            : sentence_for_confounded (self, a, b);
  if (compare_has_same_weights (self, a, b))
    {
      g_autofree char *head = g_steal_pointer (&self->sentence);
      self->sentence = g_strconcat (head, _("; the same weights in a different file"), NULL);
    }
  return self;
}

AssayComparison *
assay_compare_runs (AssayLedger *ledger, AssayRecord *a, AssayRecord *b)
{
  g_return_val_if_fail (ASSAY_IS_LEDGER (ledger) && ASSAY_IS_RECORD (a) && ASSAY_IS_RECORD (b), NULL);
  return compare_runs (ledger, a, b, FALSE);
}

AssayComparison *
assay_compare_runs_in_effect (AssayLedger *ledger, AssayRecord *a, AssayRecord *b)
{
  g_return_val_if_fail (ASSAY_IS_LEDGER (ledger) && ASSAY_IS_RECORD (a) && ASSAY_IS_RECORD (b), NULL);
  return compare_runs (ledger, a, b, TRUE);
}

void
assay_comparison_free (AssayComparison *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->differences);
  g_free (self->sentence);
  g_free (self);
}
