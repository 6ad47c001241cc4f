/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-effects.c: finding the settings that differ in one axis alone.
 *
 * Comparing every setting with every other would take minutes for ten thousand. So each one is thrown, for each axis
 * that varies, into the bucket of what it has apart from that axis and all that may follow it: two settings that differ
 * in this axis alone are in one bucket. Only within buckets are they compared field by field, and there with at most
 * MOST_TRIED others. */
#include "assay-axes-private.h"
#include "assay-compare-private.h"
#include "assay-effects.h"

#include <string.h>

#define MOST_TRIED 64u

/* A setting whose runs may be compared. */
typedef struct
{
  GPtrArray *runs;
  AssayRecord *typical;        /* borrowed from runs */
  guint64 keys[ASSAY_N_AXES];
  guint64 key;                 /* their sum */
} Setting;

static void
setting_free (gpointer data)
{
  Setting *setting = data;
  g_ptr_array_unref (setting->runs);
  g_free (setting);
}

static Setting *
setting_new (GPtrArray *runs)
{
  Setting *setting = g_new0 (Setting, 1);
  setting->runs = g_ptr_array_ref (runs);
  setting->typical = assay_repeats_get_typical (runs);
  axes_fill_keys (setting->typical, setting->keys);
  for (AssayAxis axis = 0; axis < ASSAY_N_AXES; axis++)
    setting->key += setting->keys[axis];
  return setting;
}

/* What counts, and what is kept out */

static void
kept_out_free (gpointer data)
{
  AssayKeptOut *kept_out = data;
  g_object_unref (kept_out->record);
  g_free (kept_out->words);
  g_free (kept_out);
}

static void
effects_keep_out (AssayEffects *self, AssayLedger *ledger, gboolean in_effect, GHashTable *refused)
{
  for (guint i = 0; i < assay_ledger_get_n_runs (ledger); i++)
    {
      AssayRecord *run = assay_ledger_get_run (ledger, i);
      AssayComparisonReason reason;
      g_autofree char *words = compare_refuse_run (run, in_effect, &reason);
      if (words == NULL)
        continue;
      AssayKeptOut *kept_out = g_new0 (AssayKeptOut, 1);
      kept_out->record = g_object_ref (run);
      kept_out->reason = reason;
      kept_out->words = g_steal_pointer (&words);
      g_ptr_array_add (self->kept_out, kept_out);
      g_hash_table_add (refused, run);
    }
}

/* (element-type Setting) in the order of the ledger */
static GPtrArray *
ledger_dup_settings (AssayLedger *ledger, GHashTable *refused)
{
  GPtrArray *settings = g_ptr_array_new_with_free_func (setting_free);
  g_autoptr(GPtrArray) folded = assay_repeats_fold (ledger, TRUE);
  for (guint i = 0; i < folded->len; i++)
    {
      GPtrArray *runs = folded->pdata[i];
      for (guint k = runs->len; k-- > 0;)
        if (g_hash_table_contains (refused, runs->pdata[k]))
          g_ptr_array_remove_index (runs, k);
      if (runs->len > 0)
        g_ptr_array_add (settings, setting_new (runs));
    }
  return settings;
}

/* Families */

static void
family_free (gpointer data)
{
  AssayEffectFamily *family = data;
  g_ptr_array_unref (family->effects);
  g_free (family);
}

typedef struct
{
  AssayEffects *effects;
  AssayLedger *ledger;
  gboolean in_effect;
  AssayAxis axis;
  GHashTable *placed;          /* settings of the bucket at hand that are in a family of it */
} Search;

static gboolean
settings_differ_in (const Setting *a, const Setting *b, AssayAxis axis)
{
  const AssayAxesSide left = { .record = a->typical }, right = { .record = b->typical };
  AssayAxesMoves moves;
  if (a->keys[axis] == b->keys[axis])
    return FALSE;
  axes_find_moves (&moves, &left, &right);
  for (AssayAxis other = 0; other < ASSAY_N_AXES; other++)
    if (other != axis && (moves.axes & ASSAY_AXES_BIT (other)) && !axes_is_implied (other, &moves, &left, &right))
      return FALSE;
  return (moves.axes & ASSAY_AXES_BIT (axis)) && !axes_is_implied (axis, &moves, &left, &right);
}

static AssayEffectFamily *
search_add_family (Search *self)
{
  AssayEffectFamily *family = g_new0 (AssayEffectFamily, 1);
  family->axis = self->axis;
  family->effects = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_effect_free);
  g_ptr_array_add (self->effects->families, family);
  return family;
}

static void
search_add_effect (Search *self, AssayEffectFamily *family, const Setting *from, const Setting *to)
{
  g_ptr_array_add (family->effects, assay_effect_new (self->ledger, from->runs, to->runs, self->in_effect));
  g_hash_table_add (self->placed, (gpointer) from);
  g_hash_table_add (self->placed, (gpointer) to);
}

/* A family from this setting on: of each value of the axis the oldest setting that differs in nothing else. */
static gboolean
search_from (Search *self, GPtrArray *bucket, guint base)
{
  const Setting *from = bucket->pdata[base];
  g_autoptr(GHashTable) values = g_hash_table_new (g_int64_hash, g_int64_equal);
  AssayEffectFamily *family = NULL;
  guint n_missed = 0;
  g_hash_table_add (values, (gpointer) &from->keys[self->axis]);
  for (guint i = base + 1; i < bucket->len && n_missed < MOST_TRIED; i++)
    {
      const Setting *to = bucket->pdata[i];
      if (g_hash_table_contains (values, &to->keys[self->axis]))
        continue;
      if (!settings_differ_in (from, to, self->axis))
        {
          n_missed++;
          continue;
        }
      if (family == NULL)
        family = search_add_family (self);
      search_add_effect (self, family, from, to);
      g_hash_table_add (values, (gpointer) &to->keys[self->axis]);
    }
  return family != NULL;
}

/* One that nothing younger goes with, and that no family took: the oldest before it that it goes with. */
static void
search_back (Search *self, GPtrArray *bucket, guint position)
{
  const Setting *to = bucket->pdata[position];
  for (guint i = 0; i < MIN (position, MOST_TRIED); i++)
    if (settings_differ_in (bucket->pdata[i], to, self->axis))
      {
        search_add_effect (self, search_add_family (self), bucket->pdata[i], to);
        return;
      }
}

static void
search_bucket (Search *self, GPtrArray *bucket)
{
  g_hash_table_remove_all (self->placed);
  for (guint i = 0; i < bucket->len; i++)
    if (!g_hash_table_contains (self->placed, bucket->pdata[i]) && !search_from (self, bucket, i))
      search_back (self, bucket, i);
}

/* Buckets in the order of their oldest setting. (element-type GPtrArray of Setting, borrowed) */
static GPtrArray *
settings_dup_buckets (GPtrArray *settings, AssayAxis axis)
{
  GPtrArray *buckets = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  g_autoptr(GHashTable) by_key = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  const guint64 followers = axes_get_followers (axis);
  for (guint i = 0; i < settings->len; i++)
    {
      const Setting *setting = settings->pdata[i];
      guint64 key = setting->key;
      for (AssayAxis other = 0; other < ASSAY_N_AXES; other++)
        key -= (followers & ASSAY_AXES_BIT (other)) ? setting->keys[other] : 0;
      GPtrArray *bucket = g_hash_table_lookup (by_key, &key);
      if (bucket == NULL)
        {
          bucket = g_ptr_array_new ();
          g_ptr_array_add (buckets, bucket);
          g_hash_table_insert (by_key, g_memdup2 (&key, sizeof key), bucket);
        }
      g_ptr_array_add (bucket, settings->pdata[i]);
    }
  return buckets;
}

static gboolean
axis_varies (GPtrArray *settings, AssayAxis axis)
{
  for (guint i = 1; i < settings->len; i++)
    if (((const Setting *) settings->pdata[i])->keys[axis] != ((const Setting *) settings->pdata[0])->keys[axis])
      return TRUE;
  return FALSE;
}

static void
search_axis (Search *self, GPtrArray *settings)
{
  g_autoptr(GPtrArray) buckets = settings_dup_buckets (settings, self->axis);
  for (guint i = 0; i < buckets->len; i++)
    search_bucket (self, buckets->pdata[i]);
}

AssayEffects *
assay_effects_find (AssayLedger *ledger, gboolean in_effect)
{
  g_return_val_if_fail (ASSAY_IS_LEDGER (ledger), NULL);
  AssayEffects *self = g_new0 (AssayEffects, 1);
  g_autoptr(GHashTable) refused = g_hash_table_new (NULL, NULL), placed = g_hash_table_new (NULL, NULL);
  self->families = g_ptr_array_new_with_free_func (family_free);
  self->kept_out = g_ptr_array_new_with_free_func (kept_out_free);
  effects_keep_out (self, ledger, in_effect, refused);
  g_autoptr(GPtrArray) settings = ledger_dup_settings (ledger, refused);
  Search search = { .effects = self, .ledger = ledger, .in_effect = in_effect, .placed = placed };
  self->n_settings = settings->len;
  for (search.axis = 0; search.axis < ASSAY_N_AXES; search.axis++)
    if (!assay_axis_is_hidden (search.axis) && axis_varies (settings, search.axis))
      search_axis (&search, settings);
  return self;
}

void
assay_effects_free (AssayEffects *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->families);
  g_ptr_array_unref (self->kept_out);
  g_free (self);
}
