/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-advice-rank.c: what a planner says of the candidates, and the order that follows from it.
 *
 * What fits comes before what does not; among these the smallest change first, since the next trial should
 * keep as much of the last one's findings as it can. What only a person can say follows; last, with the reason, what
 * cannot be run, and that only where nothing else of its axis can. What needs as much as the run that failed is no
 * advice; where one step does not suffice, more along the same axis are tried. */
#include "assay-advice-private.h"

#include <gio/gio.h>
#include <math.h>

#include "assay-change.h"

/* The size of a change, smallest first: what of the last run's findings stays true after it. */
static const AssayFieldId changes[] = {
  /* The same numbers from another place: only time is paid. */
  ASSAY_FIELD_PREFETCH, ASSAY_FIELD_OFFLOAD_GRANULARITY, ASSAY_FIELD_WEIGHT_ACCESS, ASSAY_FIELD_OFFLOAD_MODE,
  /* The same numbers for every input that still fits. */
  ASSAY_FIELD_BATCH_SIZE, ASSAY_FIELD_CONTEXT_LENGTH,
  /* Other numbers, the weights untouched: the cache is rounded, then the products. */
  ASSAY_FIELD_KV_CACHE_TYPE, ASSAY_FIELD_V_CACHE_TYPE, ASSAY_FIELD_COMPUTE_DTYPE,
  /* Other weights: rounded once, then in blocks. Quality must be judged anew. */
  ASSAY_FIELD_DTYPE, ASSAY_FIELD_QUANTIZATION,
  /* Less of the task itself. */
  ASSAY_FIELD_STEPS, ASSAY_FIELD_WIDTH, ASSAY_FIELD_HEIGHT, ASSAY_FIELD_INPUT_SIZE,
  /* The limit itself: no other need, but another question. */
  ASSAY_FIELD_VRAM_BUDGET,
  /* Whatever is not named here (another model, another prompt) is another trial altogether. */
};

static guint
change_get_size (const AssayCandidate *candidate)
{
  guint size = 0;
  while (size < G_N_ELEMENTS (changes) && changes[size] != candidate->field)
    size++;
  return size;
}

static int
choice_get_place (AssayFieldId field, const char *value)
{
  const char *const *choices = assay_field_get_choices (field);
  for (int i = 0; value != NULL && choices[i] != NULL; i++)
    if (g_str_equal (choices[i], value))
      return i;
  return 0;
}

/* How far along its ladder a candidate goes; comparable within one field only. */
static double
change_get_distance (const AssayCandidate *candidate)
{
  const char *from = candidate->from, *to = candidate->to;
  if (candidate->field == ASSAY_FIELD_QUANTIZATION)
    return (from != NULL ? advice_get_bits (from) : 0) - (to != NULL ? advice_get_bits (to) : 0);
  if (candidate->field == ASSAY_FIELD_INVALID || from == NULL || to == NULL)
    return 0;
  if (assay_field_get_choices (candidate->field) != NULL)
    return abs (choice_get_place (candidate->field, to) - choice_get_place (candidate->field, from));
  if (assay_field_get_info (candidate->field)->type != ASSAY_VALUE_TYPE_INTEGER)
    return 0;
  return fabs (log2 ((g_ascii_strtod (to, NULL) + 1) / (g_ascii_strtod (from, NULL) + 1)));
}

typedef enum
{
  RANK_FITS,
  RANK_DOES_NOT_FIT,
  RANK_BY_PERSON,
  RANK_CANNOT_RUN
} Rank;

static Rank
candidate_get_rank (const AssayCandidate *candidate)
{
  if (candidate->to == NULL)
    return RANK_BY_PERSON;
  if (candidate->refused)
    return RANK_CANNOT_RUN;
  return candidate->fits ? RANK_FITS : RANK_DOES_NOT_FIT;
}

static int
candidate_compare (gconstpointer left, gconstpointer right)
{
  const AssayCandidate *a = *(const AssayCandidate *const *) left,
                       *b = *(const AssayCandidate *const *) right;
  const int by_rank = (int) candidate_get_rank (a) - (int) candidate_get_rank (b);
  const int by_size = (int) change_get_size (a) - (int) change_get_size (b);
  const double by_distance = change_get_distance (a) - change_get_distance (b);
  return by_rank != 0 ? by_rank : by_size != 0 ? by_size : by_distance < 0 ? -1 : by_distance > 0;
}

static gboolean
predict_value (const AssayCandidate *candidate, const char *to, const AssayValues *base,
               AssayPredictFunc predict, gpointer data, AssayPrediction *out, GError **error)
{
  g_autoptr(AssayValues) conditions = assay_values_copy (base);
  *out = (AssayPrediction){ .peak_vram = -1, .peak_ram = -1, .link_bytes = -1, .seconds = -1 };
  return assay_change_apply (conditions, candidate->field, to, error)
         && predict (conditions, out, data, error);
}

/* Rows of some models are no whole blocks of 256: then as many bits come in blocks of 32. */
static gboolean
predict_candidate (AssayCandidate *candidate, const AssayValues *base, AssayPredictFunc predict,
                   gpointer data, AssayPrediction *out, GError **error)
{
  const char *small
      = candidate->field == ASSAY_FIELD_QUANTIZATION ? advice_get_small_blocks (candidate->to) : NULL;
  if (predict_value (candidate, candidate->to, base, predict, data, out, error))
    return TRUE;
  if (small == NULL || !predict_value (candidate, small, base, predict, data, out, NULL))
    return FALSE;
  g_clear_error (error);
  g_free (candidate->to);
  candidate->to = g_strdup (small);
  return TRUE;
}

/* A run that is known to take longer than it may is ended before it is done. */
static gboolean
prediction_is_in_time (const AssayPrediction *prediction, const AssayValues *base)
{
  double limit_s = 0;
  return !assay_values_get_real (base, ASSAY_FIELD_TIME_LIMIT_SECONDS, &limit_s) || limit_s <= 0
         || prediction->seconds <= limit_s;
}

static void
candidate_predict (AssayCandidate *candidate, const AssayValues *base, AssayPredictFunc predict,
                   gpointer data)
{
  AssayPrediction prediction;
  g_autoptr(GError) error = NULL;
  const gboolean known = predict_candidate (candidate, base, predict, data, &prediction, &error);
  candidate->predicted_peak_vram = known ? prediction.peak_vram : -1;
  candidate->predicted_peak_ram = known ? prediction.peak_ram : -1;
  candidate->predicted_link_bytes = known ? prediction.link_bytes : -1;
  candidate->predicted_seconds = known ? prediction.seconds : -1;
  candidate->fits = known && prediction.fits && prediction_is_in_time (&prediction, base);
  g_free (candidate->problem);
  candidate->problem = error != NULL ? g_strdup (error->message) : NULL;
  candidate->refused = error != NULL && error->domain != G_IO_ERROR; /* a model that is not there refuses nothing */
}

/* What cannot help */

/* The memory that was short, as foretold; -1: unknown. */
static gint64
peak_that_was_short (AssaySignal signal, gint64 peak_vram, gint64 peak_ram)
{
  return signal == ASSAY_SIGNAL_OOM_DEVICE && peak_vram >= 0 ? peak_vram : peak_ram;
}

/* Quantization that finds no tensor to change moves nothing at all, whatever the signal. */
static gboolean
candidate_cannot_help (const AssayCandidate *candidate, AssaySignal signal, const AssayPrediction *need)
{
  const gint64 peak = peak_that_was_short (signal, candidate->predicted_peak_vram, candidate->predicted_peak_ram);
  const gboolean short_of_memory = signal == ASSAY_SIGNAL_OOM_DEVICE || signal == ASSAY_SIGNAL_OOM_HOST;
  if (candidate->field == ASSAY_FIELD_VRAM_BUDGET)
    return candidate->problem == NULL && !candidate->fits;
  if (peak < 0)
    return FALSE; /* nothing was foretold of it */
  if (short_of_memory && peak >= peak_that_was_short (signal, need->peak_vram, need->peak_ram))
    return TRUE;
  return candidate->field == ASSAY_FIELD_QUANTIZATION && candidate->predicted_peak_vram == need->peak_vram
         && candidate->predicted_peak_ram == need->peak_ram;
}

static void
advice_drop_what_cannot_help (AssayAdvice *self, const AssayPrediction *need)
{
  for (guint i = self->candidates->len; i-- > 0;)
    if (candidate_cannot_help (g_ptr_array_index (self->candidates, i), self->signal, need))
      g_ptr_array_remove_index (self->candidates, i);
}

/* Further along an axis */

static gboolean
advice_has_what_fits (const AssayAdvice *self)
{
  for (guint i = 0; i < self->candidates->len; i++)
    {
      const AssayCandidate *candidate = g_ptr_array_index (self->candidates, i);
      if (candidate->to != NULL && candidate->fits && candidate->field != ASSAY_FIELD_VRAM_BUDGET)
        return TRUE;
    }
  return FALSE;
}

/* Steps on until it fits; where no step does, it stays as it is. */
static void
candidate_go_on (AssayCandidate *candidate, AssayRecord *record, const AssayValues *base, AssayPredictFunc predict,
                 gpointer data)
{
  AssayPrediction prediction = { .fits = FALSE };
  g_autofree char *to = advice_dup_further (record, candidate->field, candidate->to);
  while (to != NULL && predict_value (candidate, to, base, predict, data, &prediction, NULL))
    {
      if (prediction.fits && prediction_is_in_time (&prediction, base))
        {
          g_free (candidate->to);
          candidate->to = g_steal_pointer (&to);
          candidate_predict (candidate, base, predict, data);
          return;
        }
      char *further = advice_dup_further (record, candidate->field, to);
      g_free (to);
      to = further;
    }
}

static void
advice_go_on (AssayAdvice *self, AssayRecord *record, const AssayValues *base, AssayPredictFunc predict,
              gpointer data)
{
  for (guint i = 0; i < self->candidates->len; i++)
    {
      AssayCandidate *candidate = g_ptr_array_index (self->candidates, i);
      if (candidate->to != NULL && candidate->problem == NULL && candidate->field != ASSAY_FIELD_INVALID)
        candidate_go_on (candidate, record, base, predict, data);
    }
}

/* The candidates are in order: what comes before another of its axis is no worse. */
static void
advice_drop_what_cannot_run (AssayAdvice *self)
{
  guint64 seen = 0;
  for (guint i = 0; i < self->candidates->len;)
    {
      const AssayCandidate *candidate = g_ptr_array_index (self->candidates, i);
      const guint64 axis = G_GUINT64_CONSTANT (1) << candidate->axis;
      const gboolean superfluous = candidate->refused && (seen & axis);
      seen |= axis;
      if (superfluous)
        g_ptr_array_remove_index (self->candidates, i);
      else
        i++;
    }
}

/* A budget is raised only as far as the machine goes. */
static void
candidate_check_machine (AssayCandidate *candidate, const AssayValues *base, AssayPredictFunc predict, gpointer data)
{
  AssayPrediction unlimited;
  if (candidate->field == ASSAY_FIELD_VRAM_BUDGET && candidate->fits)
    candidate->fits = predict_value (candidate, "0", base, predict, data, &unlimited, NULL) && unlimited.fits;
}

void
assay_advice_predict (AssayAdvice *self, AssayRecord *record, AssayPredictFunc predict, gpointer data)
{
  g_return_if_fail (self != NULL && ASSAY_IS_RECORD (record) && predict != NULL);
  g_autoptr(AssayValues) base = assay_change_dup_base (record);
  AssayPrediction need = { .peak_vram = -1, .peak_ram = -1, .link_bytes = -1, .seconds = -1 };
  const gboolean short_of_memory = self->signal == ASSAY_SIGNAL_OOM_DEVICE || self->signal == ASSAY_SIGNAL_OOM_HOST;
  const gboolean known = predict (base, &need, data, NULL);
  for (guint i = 0; i < self->candidates->len; i++)
    {
      AssayCandidate *candidate = g_ptr_array_index (self->candidates, i);
      if (candidate->to != NULL && candidate->field != ASSAY_FIELD_INVALID)
        candidate_predict (candidate, base, predict, data);
      candidate_check_machine (candidate, base, predict, data);
    }
  if (short_of_memory && !advice_has_what_fits (self))
    advice_go_on (self, record, base, predict, data);
  if (known)
    advice_drop_what_cannot_help (self, &need);
  /* Stable: the signal's own order decides between equals. */
  g_ptr_array_sort (self->candidates, candidate_compare);
  advice_drop_what_cannot_run (self);
  advice_hold_again (self);
}
