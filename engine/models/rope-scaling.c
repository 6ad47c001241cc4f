/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/models/rope-scaling.c: see the header.
 *
 * Formulas: Peng et al., "YaRN: Efficient Context Window Extension of Large Language Models" (2023), and for
 * llama3 what was published with Llama 3.1. The divisors of longrope (Ding et al., 2024) were searched for,
 * and come with a model. Corner cases are those of Hugging Face's transformers, which the unit test compares
 * with. */
#include "rope-scaling.h"

#include <math.h>

static double
rope_frequency (double base, guint n_dims, guint i)
{
  return pow (base, -2.0 * i / n_dims);
}

/* Long waves are stretched by the factor, short ones not at all, those between by a mixture. */
static double
rope_llama3_divisor (const AssayRopeScaling *s, double frequency)
{
  const double turns = s->original_context * frequency / (2 * G_PI); /* within the original context */
  if (turns > s->high_freq)
    return 1;
  if (turns < s->low_freq)
    return s->factor;
  const double smooth = (turns - s->low_freq) / (s->high_freq - s->low_freq);
  return 1 / ((1 - smooth) / s->factor + smooth);
}

/* The pair, as a fraction, that turns so often within the original context. */
static double
rope_yarn_pair (const AssayRopeScaling *s, double base, guint n_dims, double turns)
{
  return n_dims * log (s->original_context / (turns * 2 * G_PI)) / (2 * log (base));
}

static double
rope_yarn_divisor (const AssayRopeScaling *s, double base, guint n_dims, guint i)
{
  double low = rope_yarn_pair (s, base, n_dims, s->beta_fast);
  double high = rope_yarn_pair (s, base, n_dims, s->beta_slow);
  if (s->truncate)
    {
      low = floor (low);
      high = ceil (high);
    }
  low = MAX (low, 0);
  high = MIN (high, n_dims - 1.0);
  if (low == high)
    high += 0.001;
  const double ramp = CLAMP ((i - low) / (high - low), 0, 1);
  const double kept = (1 - ramp) * s->extrapolation; /* the part that is not stretched */
  return 1 / ((1 - kept) / s->factor + kept);
}

void
assay_rope_scaling_fill (const AssayRopeScaling *self, double base, guint n_dims, float *divisor)
{
  for (guint i = 0; i < n_dims / 2; i++)
    {
      double value = 1;
      if (self->kind == ASSAY_ROPE_LLAMA3)
        value = rope_llama3_divisor (self, rope_frequency (base, n_dims, i));
      else if (self->kind == ASSAY_ROPE_YARN)
        value = rope_yarn_divisor (self, base, n_dims, i);
      divisor[i] = (float) value;
    }
}

double
assay_rope_scaling_get_magnitude (const AssayRopeScaling *self)
{
  if (self->attention_factor > 0)
    return self->attention_factor;
  if (self->factor > 1 && self->kind == ASSAY_ROPE_LONG)
    return sqrt (1 + log (self->factor) / log (self->original_context));
  if (self->factor > 1 && self->kind == ASSAY_ROPE_YARN && self->extrapolation > 0)
    return 0.1 * log (self->factor) + 1;
  return 1;
}
