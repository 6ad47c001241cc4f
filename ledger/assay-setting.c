/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-setting.c: see assay-setting.h. */
#include "assay-setting.h"

#include <math.h>

#include <glib/gi18n-lib.h>

#include "assay-gates-private.h"

typedef struct
{
  GArray *latency, *speed, *elapsed, *ram; /* (element-type double) */
} Samples;

/* Every answer with both its times; the run as a whole when no answer has them. */
static void
samples_add_latency (Samples *self, AssayRecord *record)
{
  GPtrArray *outputs = assay_record_get_outputs (record);
  guint n_timed = 0;
  double seconds;
  for (guint i = 0; i < outputs->len; i++)
    {
      const AssayOutput *output = g_ptr_array_index (outputs, i);
      if (output->prompt_ns < 0 || output->generate_ns < 0)
        continue;
      seconds = ((double) output->prompt_ns + (double) output->generate_ns) / 1e9;
      g_array_append_val (self->latency, seconds);
      n_timed++;
    }
  if (n_timed == 0
      && assay_values_get_real (assay_record_get_burden (record), ASSAY_FIELD_ELAPSED_SECONDS, &seconds))
    g_array_append_val (self->latency, seconds);
}

static void
samples_add_real (GArray *samples, const AssayValues *burden, AssayFieldId field)
{
  double value;
  if (assay_values_get_real (burden, field, &value))
    g_array_append_val (samples, value);
}

static void
samples_add_completed (Samples *self, AssaySettingFigures *out, AssayRecord *record)
{
  const AssayValues *burden = assay_record_get_burden (record);
  gint64 bytes;
  samples_add_latency (self, record);
  samples_add_real (self->speed, burden, ASSAY_FIELD_GENERATE_TOKENS_PER_SECOND);
  samples_add_real (self->elapsed, burden, ASSAY_FIELD_ELAPSED_SECONDS);
  if (assay_values_get_integer (burden, ASSAY_FIELD_PEAK_RAM, &bytes))
    {
      const double ram = (double) bytes;
      g_array_append_val (self->ram, ram);
    }
  if (assay_values_get_integer (burden, ASSAY_FIELD_STORAGE_BYTES, &bytes)
      || assay_values_get_integer (assay_record_get_values_for (record, ASSAY_FIELD_MODEL_BYTES),
                                   ASSAY_FIELD_MODEL_BYTES, &bytes))
    out->storage_bytes = MAX (out->storage_bytes, bytes);
}

static void
setting_add_run (AssaySettingFigures *out, Samples *samples, AssayRecord *record)
{
  const AssayRunStatus status = assay_record_get_status (record);
  double seconds;
  if (status == ASSAY_STATUS_CANCELLED || status == ASSAY_STATUS_INTERRUPTED
      || status == ASSAY_STATUS_UNKNOWN)
    {
      out->n_stopped++;
      return;
    }
  out->n_counted++;
  if (status == ASSAY_STATUS_COMPLETED)
    {
      out->n_completed++;
      samples_add_completed (samples, out, record);
      return;
    }
  out->n_failed++;
  if (assay_values_get_real (assay_record_get_burden (record), ASSAY_FIELD_ELAPSED_SECONDS, &seconds))
    out->lost_seconds += seconds;
  else
    out->lost_seconds = NAN;
}

static void
samples_conclude (GArray *samples, AssayDistribution *out)
{
  assay_distribution_compute ((double *) (gpointer) samples->data, samples->len, out);
}

void
assay_setting_measure (GPtrArray *runs, AssaySettingFigures *out)
{
  g_autoptr(GArray) latency = g_array_new (FALSE, FALSE, sizeof (double)),
                     speed = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr(GArray) elapsed = g_array_new (FALSE, FALSE, sizeof (double)),
                     ram = g_array_new (FALSE, FALSE, sizeof (double));
  Samples samples = { latency, speed, elapsed, ram };
  *out = (AssaySettingFigures){ .storage_bytes = -1 };
  for (guint i = 0; i < runs->len; i++)
    if (!assay_record_is_damaged (runs->pdata[i]))
      setting_add_run (out, &samples, runs->pdata[i]);
  samples_conclude (latency, &out->latency);
  samples_conclude (speed, &out->tokens_per_second);
  samples_conclude (elapsed, &out->elapsed);
  samples_conclude (ram, &out->peak_ram);
}

/* ---- the gates of a setting ---- */

/* Any fail fails, as a person's would; a pass needs no run that says otherwise. */
static AssayVerdict
verdict_join (AssayVerdict a, AssayVerdict b)
{
  if (a == ASSAY_VERDICT_FAIL || b == ASSAY_VERDICT_FAIL)
    return ASSAY_VERDICT_FAIL;
  return a == ASSAY_VERDICT_PASS || b == ASSAY_VERDICT_PASS ? ASSAY_VERDICT_PASS : ASSAY_VERDICT_NOT_JUDGED;
}

static void
gates_add (AssayGates *sum, const AssayGates *one, AssayRecord *record, gboolean several)
{
  for (AssayGate gate = 0; gate < ASSAY_N_GATES; gate++)
    {
      sum->verdict[gate] = verdict_join (sum->verdict[gate], one->verdict[gate]);
      if (gate == ASSAY_GATE_OPERATION && sum->evidence[gate] != NULL)
        continue; /* of all repeats as it is */
      g_autofree char *before = sum->evidence[gate];
      g_autofree char *id = g_utf8_make_valid (assay_record_get_id (record), -1);
      g_autofree char *line = several && gate != ASSAY_GATE_OPERATION
                                  ? g_strdup_printf ("%s: %s", id, one->evidence[gate])
                                  : g_strdup (one->evidence[gate]);
      sum->evidence[gate] = before != NULL ? g_strconcat (before, "\n", line, NULL) : g_steal_pointer (&line);
    }
}

AssayGates *
assay_gates_judge_setting (AssayLedger *ledger, GPtrArray *runs)
{
  g_return_val_if_fail (ASSAY_IS_LEDGER (ledger) && runs != NULL && runs->len > 0, NULL);
  AssayGates *sum = g_new0 (AssayGates, 1);
  for (guint i = 0; i < runs->len; i++)
    {
      g_autoptr(AssayGates) one = assay_gates_judge (ledger, runs->pdata[i]);
      gates_add (sum, one, runs->pdata[i], runs->len > 1);
    }
  return sum;
}

/* ---- words ---- */

static void
words_add_latency (GString *line, const AssayDistribution *latency)
{
  if (latency->n == 0)
    return;
  g_autofree char *mean = assay_format_seconds (latency->mean), *median = assay_format_seconds (latency->median);
  g_autofree char *most = assay_format_seconds (latency->p95);
  if (latency->n == 1)
    {
      assay_gates_add_evidence (line, _("latency of 1 answer: %s"), mean);
      return;
    }
  g_autofree char *spread = assay_format_seconds (latency->spread);
  assay_gates_add_evidence (line,
                            g_dngettext (GETTEXT_PACKAGE,
                                         /* translators: times; ± is the standard deviation */
                                         "latency of %u answer: mean %s ± %s, median %s, 95 %% within %s",
                                         "latency of %u answers: mean %s ± %s, median %s, 95 %% within %s",
                                         latency->n),
                            latency->n, mean, spread, median, most);
}

static void
words_add_speed (GString *line, const AssayDistribution *speed)
{
  if (speed->n == 1)
    assay_gates_add_evidence (line, _("speed of 1 run: %.3g tokens/s"), speed->mean);
  else if (speed->n > 1)
    assay_gates_add_evidence (
        line,
        g_dngettext (GETTEXT_PACKAGE,
                     /* translators: tokens per second; ± is the standard deviation */
                     "speed of %u run: mean %.3g ± %.2g tokens/s, median %.3g, 95 %% reach %.3g",
                     "speed of %u runs: mean %.3g ± %.2g tokens/s, median %.3g, 95 %% reach %.3g", speed->n),
        speed->n, speed->mean, speed->spread, speed->median, speed->p5);
}

static void
words_add_memory (GString *line, const AssaySettingFigures *self)
{
  if (self->peak_ram.n > 0)
    {
      g_autofree char *low = assay_format_bytes ((guint64) self->peak_ram.low);
      g_autofree char *high = assay_format_bytes ((guint64) self->peak_ram.high);
      if (self->peak_ram.low < self->peak_ram.high)
        assay_gates_add_evidence (line, _("peak RAM %s to %s"), low, high);
      else
        assay_gates_add_evidence (line, _("peak RAM %s"), high);
    }
  if (self->storage_bytes >= 0)
    {
      g_autofree char *storage = assay_format_bytes ((guint64) self->storage_bytes);
      assay_gates_add_evidence (line, _("model files %s"), storage);
    }
}

static void
words_add_failures (GString *line, const AssaySettingFigures *self)
{
  if (self->n_failed == 0)
    return;
  if (isnan (self->lost_seconds))
    {
      assay_gates_add_evidence (
          line, g_dngettext (GETTEXT_PACKAGE, "%u run failed", "%u runs failed", self->n_failed),
          self->n_failed);
      return;
    }
  g_autofree char *lost = assay_format_seconds (self->lost_seconds);
  assay_gates_add_evidence (line,
                            g_dngettext (GETTEXT_PACKAGE, "%u run failed after %s",
                                         "%u runs failed after %s together", self->n_failed),
                            self->n_failed, lost);
}

char *
assay_setting_dup_words (const AssaySettingFigures *self)
{
  g_return_val_if_fail (self != NULL, NULL);
  GString *line = g_string_new (NULL);
  words_add_latency (line, &self->latency);
  words_add_speed (line, &self->tokens_per_second);
  words_add_memory (line, self);
  words_add_failures (line, self);
  return g_string_free (line, FALSE);
}
