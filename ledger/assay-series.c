/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-series.c: samples, phases and marks under one lock.
 *
 * Appending happens fifty times a second, drawing sixty times; both take the lock for microseconds, except
 * the join at the limit, which walks the array once an hour. The overall peak is kept as samples arrive: it
 * is drawn with every frame. */
#include "assay-series-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#define SERIES_N_VALUES ((sizeof (AssaySample) - sizeof (gint64)) / sizeof (gint64)) /* all but the time */

struct _AssaySeries
{
  gatomicrefcount refs;
  GMutex lock;
  gint64 interval_ns;
  guint64 n_measured;
  guint stride;         /* appended samples that make one kept sample; a power of two */
  guint n_pending;      /* appended into the last kept sample so far */
  GArray *samples;      /* (element-type AssaySample) */
  AssaySample peak;     /* field by field; meaningless while nothing was measured */
  gint64 peak_total;    /* greatest total of one moment, at peak.t_ns */
  GPtrArray *phases;    /* (element-type AssayPhase) */
  GPtrArray *marks;     /* (element-type AssayMark) */
};

const char *
assay_memory_get_name (AssayMemory category)
{
  static const char *const names[ASSAY_N_MEMORY]
    = { "weights", "kv_cache", "activations", "workspace", "staging", "output" };
  g_return_val_if_fail (category < ASSAY_N_MEMORY, NULL);
  return names[category];
}

const char *
assay_memory_get_label (AssayMemory category)
{
  static const char *const labels[ASSAY_N_MEMORY] = { N_("Weights"), N_("KV cache"), N_("Activations"),
                                                      N_("Workspace"), N_("Staging"), N_("Output") };
  g_return_val_if_fail (category < ASSAY_N_MEMORY, NULL);
  return _(labels[category]);
}

gint64
assay_sample_get_allocated (const AssaySample *sample)
{
  gint64 sum = 0;
  for (guint i = 0; i < ASSAY_N_MEMORY; i++)
    sum += MAX (sample->allocated[i], 0);
  return sum;
}

AssayPhase *
assay_phase_copy (const AssayPhase *self)
{
  AssayPhase *copy = g_new (AssayPhase, 1);
  *copy = *self;
  copy->name = g_strdup (self->name);
  return copy;
}

void
assay_phase_free (AssayPhase *self)
{
  if (self == NULL)
    return;
  g_free (self->name);
  g_free (self);
}

void
assay_mark_free (AssayMark *self)
{
  if (self == NULL)
    return;
  g_free (self->kind);
  g_free (self->text);
  g_free (self);
}

static AssayMark *
series_mark_new (gint64 t_ns, const char *kind, const char *text)
{
  AssayMark *mark = g_new (AssayMark, 1);
  mark->t_ns = t_ns;
  mark->kind = g_strdup (kind);
  mark->text = g_strdup (text);
  return mark;
}

AssaySeries *
assay_series_new (gint64 interval_ns)
{
  AssaySeries *self = g_new0 (AssaySeries, 1);
  g_atomic_ref_count_init (&self->refs);
  g_mutex_init (&self->lock);
  self->interval_ns = interval_ns;
  self->stride = 1;
  self->samples = g_array_new (FALSE, FALSE, sizeof (AssaySample));
  self->phases = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_phase_free);
  self->marks = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_mark_free);
  return self;
}

AssaySeries *
assay_series_ref (AssaySeries *self)
{
  g_atomic_ref_count_inc (&self->refs);
  return self;
}

void
assay_series_unref (AssaySeries *self)
{
  if (self == NULL || !g_atomic_ref_count_dec (&self->refs))
    return;
  g_array_unref (self->samples);
  g_ptr_array_unref (self->phases);
  g_ptr_array_unref (self->marks);
  g_mutex_clear (&self->lock);
  g_free (self);
}

gint64
assay_series_get_interval_ns (AssaySeries *self)
{
  return self->interval_ns; /* never changes once it is shared */
}

void
assay_series_set_interval_ns (AssaySeries *self, gint64 interval_ns)
{
  self->interval_ns = interval_ns;
}

guint64
assay_series_get_n_measured (AssaySeries *self)
{
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  return self->n_measured;
}

void
assay_series_set_n_measured (AssaySeries *self, guint64 n)
{
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  self->n_measured = MAX (n, self->samples->len);
}

/* Field by field the greater value. `greatest` is the greatest total of one moment joined so far: the maxima
 * of several moments together would exceed it and misplace the time. */
static void
sample_join (AssaySample *into, const AssaySample *other, gint64 *greatest)
{
  gint64 *a = (gint64 *) into + 1;
  const gint64 *b = (const gint64 *) other + 1;
  const gint64 total = assay_sample_get_allocated (other);

  G_STATIC_ASSERT (offsetof (AssaySample, t_ns) == 0);
  if (total > *greatest)
    {
      *greatest = total;
      into->t_ns = other->t_ns;
    }
  for (gsize i = 0; i < SERIES_N_VALUES; i++)
    a[i] = MAX (a[i], b[i]);
}

static void
series_note_peak (AssaySeries *self, const AssaySample *sample)
{
  if (self->n_measured == 0)
    {
      self->peak = *sample;
      self->peak_total = assay_sample_get_allocated (sample);
    }
  else
    sample_join (&self->peak, sample, &self->peak_total);
}

static void
series_halve (AssaySeries *self)
{
  const guint half = self->samples->len / 2;
  AssaySample *samples = (AssaySample *) self->samples->data;

  for (guint i = 0; i < half; i++)
    {
      AssaySample joined = samples[2 * i];
      gint64 greatest = assay_sample_get_allocated (&joined);
      sample_join (&joined, &samples[2 * i + 1], &greatest);
      samples[i] = joined;
    }
  g_array_set_size (self->samples, half);
  self->stride *= 2;
}

void
assay_series_append (AssaySeries *self, const AssaySample *sample)
{
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  series_note_peak (self, sample);
  self->n_measured++;
  if (self->n_pending > 0 && self->n_pending < self->stride)
    {
      AssaySample *last = &g_array_index (self->samples, AssaySample, self->samples->len - 1);
      gint64 greatest = assay_sample_get_allocated (last);
      sample_join (last, sample, &greatest);
      self->n_pending++;
      return;
    }
  if (self->samples->len == ASSAY_SERIES_LIMIT)
    series_halve (self);
  g_array_append_val (self->samples, *sample);
  self->n_pending = 1;
}

static AssayPhase *
series_get_open_phase (AssaySeries *self)
{
  AssayPhase *last = self->phases->len == 0 ? NULL : g_ptr_array_index (self->phases, self->phases->len - 1);
  return last != NULL && last->duration_ns < 0 ? last : NULL;
}

/* The greatest process RAM sampled since a phase began. */
static gint64
series_peak_ram_since (AssaySeries *self, gint64 start_ns)
{
  gint64 peak = -1;

  for (guint i = self->samples->len; i > 0; i--)
    {
      const AssaySample *sample = &g_array_index (self->samples, AssaySample, i - 1);
      if (sample->t_ns < start_ns)
        break;
      if (sample->ram_anonymous >= 0)
        peak = MAX (peak, sample->ram_anonymous + MAX (sample->ram_pinned, 0));
    }
  return peak;
}

static void
series_close_phase (AssaySeries *self, gint64 t_ns, gint64 peak_allocated)
{
  AssayPhase *open = series_get_open_phase (self);

  if (open == NULL)
    return;
  open->duration_ns = MAX (t_ns - open->start_ns, 0);
  open->peak_allocated = peak_allocated;
  open->peak_ram = series_peak_ram_since (self, open->start_ns);
}

void
assay_series_begin_phase (AssaySeries *self, const char *name, gint64 t_ns)
{
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  const AssayPhase phase = { (char *) name, t_ns, -1, -1, -1 };

  series_close_phase (self, t_ns, -1);
  g_ptr_array_add (self->phases, assay_phase_copy (&phase));
}

void
assay_series_end_phase (AssaySeries *self, gint64 t_ns, gint64 peak_allocated)
{
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  series_close_phase (self, t_ns, peak_allocated);
}

void
assay_series_add_phase (AssaySeries *self, const AssayPhase *phase)
{
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  g_ptr_array_add (self->phases, assay_phase_copy (phase));
}

void
assay_series_add_mark (AssaySeries *self, gint64 t_ns, const char *kind, const char *text)
{
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  g_ptr_array_add (self->marks, series_mark_new (t_ns, kind, text));
}

guint
assay_series_get_length (AssaySeries *self)
{
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  return self->samples->len;
}

gint64
assay_series_get_end_ns (AssaySeries *self)
{
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  gint64 end = 0;

  if (self->samples->len > 0)
    end = g_array_index (self->samples, AssaySample, self->samples->len - 1).t_ns;
  for (guint i = 0; i < self->phases->len; i++)
    {
      const AssayPhase *phase = g_ptr_array_index (self->phases, i);
      end = MAX (end, phase->start_ns + MAX (phase->duration_ns, 0));
    }
  return end;
}

GArray *
assay_series_dup_samples (AssaySeries *self)
{
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  GArray *copy = g_array_sized_new (FALSE, FALSE, sizeof (AssaySample), self->samples->len);
  g_array_append_vals (copy, self->samples->data, self->samples->len);
  return copy;
}

GPtrArray *
assay_series_dup_phases (AssaySeries *self)
{
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  GPtrArray *copy = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_phase_free);
  for (guint i = 0; i < self->phases->len; i++)
    g_ptr_array_add (copy, assay_phase_copy (g_ptr_array_index (self->phases, i)));
  return copy;
}

GPtrArray *
assay_series_dup_marks (AssaySeries *self)
{
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  GPtrArray *copy = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_mark_free);
  for (guint i = 0; i < self->marks->len; i++)
    {
      const AssayMark *mark = g_ptr_array_index (self->marks, i);
      g_ptr_array_add (copy, series_mark_new (mark->t_ns, mark->kind, mark->text));
    }
  return copy;
}

/* The first sample at or after t. */
static guint
series_lower_bound (AssaySeries *self, gint64 t_ns)
{
  guint low = 0, high = self->samples->len;

  while (low < high)
    {
      const guint middle = (low + high) / 2;
      if (g_array_index (self->samples, AssaySample, middle).t_ns < t_ns)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

GArray *
assay_series_dup_downsampled (AssaySeries *self, gint64 from_ns, gint64 to_ns, guint n)
{
  GArray *out = g_array_new (FALSE, FALSE, sizeof (AssaySample));
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  const guint first = series_lower_bound (self, from_ns), end = series_lower_bound (self, to_ns);
  const guint count = end > first ? end - first : 0, kept = MIN (count, n);

  /* Stretches by count, not by time: sampling is steady, and no stretch is then empty. */
  for (guint i = 0; i < kept; i++)
    {
      const guint begin = first + (guint) ((guint64) count * i / kept);
      const guint stop = first + (guint) ((guint64) count * (i + 1) / kept);
      AssaySample joined = g_array_index (self->samples, AssaySample, begin);
      gint64 greatest = assay_sample_get_allocated (&joined);
      for (guint k = begin + 1; k < stop; k++)
        sample_join (&joined, &g_array_index (self->samples, AssaySample, k), &greatest);
      g_array_append_val (out, joined);
    }
  return out;
}

gboolean
assay_series_get_at (AssaySeries *self, gint64 t_ns, AssaySample *out)
{
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  const guint after = t_ns == G_MAXINT64 ? self->samples->len : series_lower_bound (self, t_ns + 1);

  if (after == 0)
    return FALSE;
  *out = g_array_index (self->samples, AssaySample, after - 1);
  return TRUE;
}

gboolean
assay_series_get_after (AssaySeries *self, gint64 t_ns, AssaySample *out)
{
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  const guint after = t_ns == G_MAXINT64 ? self->samples->len : series_lower_bound (self, t_ns + 1);

  if (after == self->samples->len)
    return FALSE;
  *out = g_array_index (self->samples, AssaySample, after);
  return TRUE;
}

gboolean
assay_series_get_peak (AssaySeries *self, AssaySample *out)
{
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  if (self->samples->len == 0)
    return FALSE;
  *out = self->peak;
  return TRUE;
}

static void
series_append_csv_value (GString *csv, gint64 value)
{
  g_string_append_c (csv, ',');
  if (value >= 0)
    g_string_append_printf (csv, "%" G_GINT64_FORMAT, value);
}

char *
assay_series_dup_csv (AssaySeries *self)
{
  g_autoptr(GArray) samples = assay_series_dup_samples (self);
  GString *csv = g_string_new ("t_ns");

  for (guint i = 0; i < ASSAY_N_MEMORY; i++)
    g_string_append_printf (csv, ",%s", assay_memory_get_name ((AssayMemory) i));
  g_string_append (csv,
                   ",reserved,mapped_weights,ram_anonymous,ram_mapped,ram_pinned,ram_system,vram_device,link_bytes\r\n");
  for (guint i = 0; i < samples->len; i++)
    {
      const gint64 *values = (const gint64 *) &g_array_index (samples, AssaySample, i);
      g_string_append_printf (csv, "%" G_GINT64_FORMAT, values[0]);
      for (gsize k = 1; k <= SERIES_N_VALUES; k++)
        series_append_csv_value (csv, values[k]);
      g_string_append (csv, "\r\n");
    }
  return g_string_free (csv, FALSE);
}
