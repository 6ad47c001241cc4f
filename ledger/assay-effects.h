/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-effects.h: what one axis does, found by itself among the settings of a ledger.
 *
 * A setting is a run and its repeats. Settings that differ in one axis alone are a family, and what the axis does is told
 * from the oldest of them to each other. Figures are means over repeats; a change that is smaller than their spread is
 * called so. Any thread, on a ledger of its own (a snapshot). O(n log n) in the number of runs. */
#pragma once

#include "assay-compare.h"
#include "assay-repeats.h"

G_BEGIN_DECLS

/* The change of a mean beside the spread of the repeats, lowest to highest. */
typedef enum
{
  ASSAY_SPREAD_UNKNOWN,  /* one side is a single run */
  ASSAY_SPREAD_WITHIN,   /* the two ranges meet */
  ASSAY_SPREAD_BEYOND,   /* they lie apart */
} AssaySpread;

const char *assay_spread_get_name (AssaySpread spread); /* "within", for scripts */

typedef struct
{
  AssayFieldId field;    /* of the peak, the time or the speed of both sides */
  const char *words;     /* translated: "VRAM", "time", "speed" */
  AssayRepeats from, to; /* n is 1 or more */
  double difference;     /* of the means, to − from */
  double ratio;          /* to / from; NaN where from is 0 */
  AssaySpread spread;
} AssayEffectFigure;

typedef struct
{
  const AssayCriterion *criterion; /* borrowed from the ledger */
  double from, to;       /* means over runs: 1..5, or for yes/no 0..1 */
  guint n_from, n_to;    /* runs in them, 1 or more */
} AssayEffectCriterion;

/* From one setting to another. */
typedef struct
{
  GPtrArray *from, *to;  /* (element-type AssayRecord) the runs that count: completed, and as asked or accepted */
  AssayComparison *comparison; /* of the run that speaks for each; kind and reason hold for the settings */
  GArray *figures;       /* (element-type AssayEffectFigure) those known of both */
  AssayVerdict quality_from, quality_to;
  guint n_reviews_from, n_reviews_to;  /* current ones */
  gboolean criteria_changed; /* between those reviews: their verdicts are not compared */
  GPtrArray *criteria;   /* (element-type AssayEffectCriterion) with scores on both sides */
  GPtrArray *answers;    /* (element-type AssayAnswers) over all runs of both */
} AssayEffect;

/* Of two settings, each a list of repeats, whatever differs between them; the figures are there where exactly one axis
 * moved or none. in_effect: see assay_compare_runs_in_effect(). */
AssayEffect *assay_effect_new (AssayLedger *ledger, GPtrArray *from, GPtrArray *to, gboolean in_effect);
/* "offload_mode: none → model: VRAM 6.20 GiB → 5.20 GiB, −16 % (3 and 2 runs); time …"; the comparison's own sentence where
 * no effect is claimed. (transfer full) */
char *assay_effect_dup_words (const AssayEffect *self);
char *assay_effect_figure_dup_words (const AssayEffectFigure *self);
void assay_effect_free (AssayEffect *self);

typedef struct
{
  AssayAxis axis;
  GPtrArray *effects;    /* (element-type AssayEffect) all from the same setting, in the order of the ledger */
} AssayEffectFamily;

typedef struct
{
  AssayRecord *record;   /* owned */
  AssayComparisonReason reason;
  char *words;           /* translated */
} AssayKeptOut;

typedef struct
{
  GPtrArray *families;   /* (element-type AssayEffectFamily), by axis */
  GPtrArray *kept_out;   /* (element-type AssayKeptOut) runs that are in no effect, in the order of the ledger */
  guint n_settings;      /* that count */
} AssayEffects;

/* in_effect: runs whose effective values differ from what was asked for count too. Axes that nobody chooses make no
 * family. */
AssayEffects *assay_effects_find (AssayLedger *ledger, gboolean in_effect);
void assay_effects_free (AssayEffects *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayEffect, assay_effect_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayEffects, assay_effects_free)

G_END_DECLS
