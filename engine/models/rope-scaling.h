/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/models/rope-scaling.h: how a rotation is stretched beyond the context of training.
 *
 * Every kind becomes a divisor of each pair's frequency, and a factor on cosine and sine. Pure arithmetic,
 * any thread. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  ASSAY_ROPE_PLAIN, ASSAY_ROPE_LINEAR, ASSAY_ROPE_LLAMA3, ASSAY_ROPE_YARN, ASSAY_ROPE_LONG,
} AssayRopeKind;

typedef struct
{
  AssayRopeKind kind;
  double factor;               /* how far it is stretched */
  double original_context;     /* tokens, before it was */
  double low_freq, high_freq;  /* llama3: turns within original_context */
  double beta_fast, beta_slow; /* yarn: turns within original_context */
  double extrapolation;        /* yarn: 1 the whole correction, 0 none */
  gboolean truncate;           /* yarn: the corrected range begins and ends at whole pairs */
  double attention_factor;     /* the magnitude itself; 0: by the kind's formula */
} AssayRopeScaling;

/* divisor [n_dims/2]: ones where the kind has no divisors of its own (plain, linear, long). */
void assay_rope_scaling_fill (const AssayRopeScaling *self, double base, guint n_dims, float *divisor);
double assay_rope_scaling_get_magnitude (const AssayRopeScaling *self);

G_END_DECLS
