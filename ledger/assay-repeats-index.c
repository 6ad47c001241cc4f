/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-repeats-index.c: see assay-repeats-index.h.
 *
 * Records of one key differ only in what may be without effect (a seed where nothing is drawn). All of that is without
 * effect whichever two of them are compared, but for the time limit: it is when both runs completed. So runs that
 * repeat one another and have one limit form a setting: what has that limit and repeats one of them repeats all. */
#include "assay-repeats-index.h"

#include "assay-axes-private.h"

struct _AssayRepeatsIndex
{
  GHashTable *by_key;   /* guint64 → GPtrArray of AssayRepeatsSetting */
};

static void
setting_free (gpointer data)
{
  AssayRepeatsSetting *self = data;
  g_ptr_array_unref (self->runs);
  g_free (self->sums);
  g_free (self);
}

static gboolean
record_completed (AssayRecord *record)
{
  return assay_record_get_status (record) == ASSAY_STATUS_COMPLETED;
}

static gboolean
setting_has_limit_of (const AssayRepeatsSetting *self, AssayRecord *record)
{
  const AssayAxesSide left = { .record = g_ptr_array_index (self->runs, 0) }, right = { .record = record };
  return axes_are_same (&left, &right, ASSAY_FIELD_TIME_LIMIT_SECONDS);
}

static gboolean
setting_takes (const AssayRepeatsSetting *self, AssayRecord *record)
{
  return setting_has_limit_of (self, record) && assay_axes_is_repeat (g_ptr_array_index (self->runs, 0), record);
}

/* Those of the record's key, or NULL. */
static GPtrArray *
index_get_alike (AssayRepeatsIndex *self, AssayRecord *record)
{
  const guint64 key = axes_get_key (record);
  return g_hash_table_lookup (self->by_key, &key);
}

static AssayRepeatsSetting *
index_add_setting (AssayRepeatsIndex *self, AssayRecord *record)
{
  const guint64 key = axes_get_key (record);
  GPtrArray *alike = index_get_alike (self, record);
  AssayRepeatsSetting *setting = g_new0 (AssayRepeatsSetting, 1);
  setting->runs = g_ptr_array_new ();
  if (alike == NULL)
    {
      alike = g_ptr_array_new_with_free_func (setting_free);
      g_hash_table_insert (self->by_key, g_memdup2 (&key, sizeof key), alike);
    }
  g_ptr_array_add (alike, setting);
  return setting;
}

AssayRepeatsIndex *
assay_repeats_index_new (GPtrArray *runs)
{
  AssayRepeatsIndex *self = g_new0 (AssayRepeatsIndex, 1);
  self->by_key = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, (GDestroyNotify) g_ptr_array_unref);
  for (guint i = 0; i < runs->len; i++)
    assay_repeats_index_append (self, g_ptr_array_index (runs, i));
  return self;
}

void
assay_repeats_index_free (AssayRepeatsIndex *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->by_key);
  g_free (self);
}

void
assay_repeats_index_append (AssayRepeatsIndex *self, AssayRecord *record)
{
  AssayRepeatsSetting *setting = NULL;
  if (assay_record_is_damaged (record))
    return;
  GPtrArray *alike = index_get_alike (self, record);
  for (guint i = 0; alike != NULL && setting == NULL && i < alike->len; i++)
    if (setting_takes (g_ptr_array_index (alike, i), record))
      setting = g_ptr_array_index (alike, i);
  if (setting == NULL)
    setting = index_add_setting (self, record);
  g_ptr_array_add (setting->runs, record);
  g_clear_pointer (&setting->sums, g_free);
}

/* The setting that holds this very record, and where; NULL when none does. */
static AssayRepeatsSetting *
index_locate (AssayRepeatsIndex *self, AssayRecord *record, guint *at)
{
  GPtrArray *alike = index_get_alike (self, record);
  for (guint i = 0; alike != NULL && i < alike->len; i++)
    {
      AssayRepeatsSetting *setting = g_ptr_array_index (alike, i);
      if (g_ptr_array_find (setting->runs, record, at))
        return setting;
    }
  return NULL;
}

void
assay_repeats_index_remove (AssayRepeatsIndex *self, AssayRecord *record)
{
  guint at;
  AssayRepeatsSetting *setting = index_locate (self, record, &at);
  if (setting == NULL)
    return;
  g_ptr_array_remove_index (setting->runs, at);
  g_clear_pointer (&setting->sums, g_free);
  if (setting->runs->len == 0)
    g_ptr_array_remove (index_get_alike (self, record), setting);
}

gboolean
assay_repeats_index_replace (AssayRepeatsIndex *self, AssayRecord *before, AssayRecord *after)
{
  guint at;
  AssayRepeatsSetting *setting = index_locate (self, before, &at);
  if (setting == NULL || assay_record_is_damaged (after) || !setting_takes (setting, after))
    return FALSE;
  g_ptr_array_index (setting->runs, at) = after;
  g_clear_pointer (&setting->sums, g_free);
  return TRUE;
}

AssayRepeatsSetting *
assay_repeats_index_get_setting (AssayRepeatsIndex *self, AssayRecord *record)
{
  GPtrArray *alike = index_get_alike (self, record);
  if (alike == NULL || alike->len != 1 || !setting_takes (g_ptr_array_index (alike, 0), record))
    return NULL;
  return g_ptr_array_index (alike, 0);
}

/* Under another limit: repeats where neither met it. Returns: whether there were any */
static gboolean
setting_add_completed (const AssayRepeatsSetting *self, AssayRecord *record, GPtrArray *found)
{
  const guint before = found->len;
  for (guint i = 0; i < self->runs->len && record_completed (record); i++)
    if (assay_axes_is_repeat (record, g_ptr_array_index (self->runs, i)))
      g_ptr_array_add (found, g_ptr_array_index (self->runs, i));
  return found->len > before;
}

GPtrArray *
assay_repeats_index_find (AssayRepeatsIndex *self, AssayRecord *record, gboolean *mixed)
{
  GPtrArray *alike = index_get_alike (self, record);
  GPtrArray *found = g_ptr_array_new ();
  guint n = 0;
  for (guint i = 0; alike != NULL && i < alike->len; i++)
    {
      const AssayRepeatsSetting *setting = g_ptr_array_index (alike, i);
      if (setting_takes (setting, record))
        {
          g_ptr_array_extend (found, setting->runs, NULL, NULL);
          n++;
        }
      else if (!setting_has_limit_of (setting, record))
        n += setting_add_completed (setting, record, found);
    }
  *mixed = n > 1;
  return found;
}
