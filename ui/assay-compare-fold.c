/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui/assay-compare-fold.c: see the header. Comparing every run with every other would take too long for thousands:
 * only runs that agree in a few conditions, which no other difference implies, are looked at field by field. */
#include "assay-compare-fold.h"

#include "assay-axes.h"

static char *
record_dup_key (AssayRecord *record)
{
  static const AssayFieldId fields[] = { ASSAY_FIELD_MODEL_ID, ASSAY_FIELD_DEVICE, ASSAY_FIELD_OFFLOAD_MODE,
                                         ASSAY_FIELD_CONTEXT_LENGTH, ASSAY_FIELD_MAX_TOKENS, ASSAY_FIELD_PROMPT };
  GString *key = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    {
      g_autofree char *text
        = assay_values_dup_text (assay_record_get_values_for (record, fields[i]), fields[i]);
      g_string_append (key, text != NULL ? text : "");
      g_string_append_c (key, '\n');
    }
  return g_string_free (key, FALSE);
}

static GPtrArray *
family_new (GPtrArray *families, AssayRecord *record)
{
  GPtrArray *family = g_ptr_array_new_with_free_func (g_object_unref);

  g_ptr_array_add (family, g_object_ref (record));
  g_ptr_array_add (families, family);
  return family;
}

/* alike: families of the same key. Returns: the one that the run repeats, or NULL */
static GPtrArray *
families_find (GPtrArray *alike, AssayRecord *record)
{
  for (guint i = 0; i < alike->len; i++)
    {
      GPtrArray *family = g_ptr_array_index (alike, i);
      if (assay_axes_is_repeat (g_ptr_array_index (family, 0), record))
        return family;
    }
  return NULL;
}

static void
families_add (GPtrArray *families, GHashTable *by_key, AssayRecord *record)
{
  g_autofree char *key = record_dup_key (record);
  GPtrArray *alike = g_hash_table_lookup (by_key, key);

  if (alike == NULL)
    {
      alike = g_ptr_array_new ();
      g_hash_table_insert (by_key, g_steal_pointer (&key), alike);
    }
  GPtrArray *family = families_find (alike, record);
  if (family != NULL)
    g_ptr_array_add (family, g_object_ref (record));
  else
    g_ptr_array_add (alike, family_new (families, record));
}

GPtrArray *
assay_compare_fold (AssayLedger *ledger, gboolean fold)
{
  g_return_val_if_fail (ASSAY_IS_LEDGER (ledger), NULL);

  GPtrArray *families = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  g_autoptr(GHashTable) by_key
    = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_ptr_array_unref);
  for (guint i = 0; i < assay_ledger_get_n_runs (ledger); i++)
    {
      AssayRecord *record = assay_ledger_get_run (ledger, i);
      if (fold && !assay_record_is_damaged (record))
        families_add (families, by_key, record);
      else
        family_new (families, record);
    }
  return families;
}

typedef struct
{
  AssayRecord *record;
  double seconds;
} Timed;

static int
order_timed (gconstpointer a, gconstpointer b)
{
  const double x = ((const Timed *) a)->seconds, y = ((const Timed *) b)->seconds;

  return (x > y) - (x < y);
}

static GArray *
family_dup_timed (GPtrArray *family, gboolean judged)
{
  GArray *timed = g_array_new (FALSE, FALSE, sizeof (Timed));

  for (guint i = 0; i < family->len; i++)
    {
      Timed one = { g_ptr_array_index (family, i), G_MAXDOUBLE };
      assay_values_get_real (assay_record_get_burden (one.record), ASSAY_FIELD_ELAPSED_SECONDS, &one.seconds);
      if (assay_record_get_status (one.record) == ASSAY_STATUS_COMPLETED
          && (!judged || assay_record_get_reviews (one.record)->len > 0))
        g_array_append_val (timed, one);
    }
  g_array_sort (timed, order_timed);
  return timed;
}

AssayRecord *
assay_compare_fold_get_typical (GPtrArray *family)
{
  g_return_val_if_fail (family != NULL && family->len > 0, NULL);

  for (int judged = 1; judged >= 0; judged--)
    {
      g_autoptr(GArray) timed = family_dup_timed (family, judged);
      if (timed->len > 0)
        return g_array_index (timed, Timed, (timed->len - 1) / 2).record;
    }
  return g_ptr_array_index (family, family->len - 1);
}
