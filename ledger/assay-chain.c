/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-chain.c: which runs a chain is made of.
 *
 * Ledgers come from other people: parents may be missing, deleted, or go in a circle. A walk marks every run that it
 * passes, so that it ends after as many steps as there are runs, and says what stopped it. */
#include "assay-chain-private.h"

#include <glib/gi18n-lib.h>

static GPtrArray *
children_get (GHashTable *children, const char *id)
{
  return g_hash_table_lookup (children, id);
}

/* parent id → its runs. Ids are lent by the records. */
static GHashTable *
children_new (AssayLedger *ledger)
{
  GHashTable *children
      = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) g_ptr_array_unref);
  for (guint i = 0; i < assay_ledger_get_n_runs (ledger); i++)
    {
      AssayRecord *run = assay_ledger_get_run (ledger, i);
      const char *parent = assay_record_get_parent (run);
      if (parent == NULL)
        continue;
      GPtrArray *runs = children_get (children, parent);
      if (runs == NULL)
        g_hash_table_insert (children, (gpointer) parent, runs = g_ptr_array_new ());
      g_ptr_array_add (runs, run);
    }
  return children;
}

/* Several ids in place of one, each of a run that is there. */
static gboolean
parent_names_several (AssayLedger *ledger, const char *parent)
{
  g_auto(GStrv) ids = g_strsplit_set (parent, " ,;\t\n", 64);
  guint n = 0;
  for (char **id = ids; *id != NULL; id++)
    n += assay_ledger_find_run (ledger, *id) != NULL;
  return n > 1;
}

static char *
chain_dup_missing (AssayLedger *ledger, AssayRecord *run)
{
  const char *id = assay_record_get_id (run), *parent = assay_record_get_parent (run);
  g_autofree char *shown = chain_dup_line (parent);
  if (parent_names_several (ledger, parent))
    return g_strdup_printf (_("Run %s names several parents (%s): a run continues one run, so the chain begins here."),
                            id, shown);
  if (assay_ledger_has_removed_run (ledger, parent))
    return g_strdup_printf (_("Run %s continues run %s, which was deleted: the chain begins here."), id, shown);
  return g_strdup_printf (_("Run %s continues run %s, which is not in this ledger: the chain begins here."), id,
                          shown);
}

static AssayRecord *
chain_step_back (AssayChain *self, AssayRecord *run)
{
  const char *parent_id = assay_record_get_parent (run);
  AssayRecord *parent = parent_id != NULL ? assay_ledger_find_run (self->ledger, parent_id) : NULL;
  if (parent != NULL && !g_hash_table_contains (self->on_way, parent))
    return parent;
  if (parent != NULL)
    self->problem = g_strdup_printf (_("Run %s continues run %s, which came of it: the parents go in a circle, so the "
                                       "chain begins here."),
                                     assay_record_get_id (run), assay_record_get_id (parent));
  else if (parent_id != NULL)
    self->problem = chain_dup_missing (self->ledger, run);
  return NULL;
}

static void
chain_reverse (GPtrArray *runs)
{
  for (guint i = 0; i < runs->len / 2; i++)
    {
      gpointer *a = &runs->pdata[i], *b = &runs->pdata[runs->len - 1 - i], swapped = *a;
      *a = *b;
      *b = swapped;
    }
}

static AssayChain *
chain_new_with_children (AssayLedger *ledger, AssayRecord *last, GHashTable *children)
{
  AssayChain *self = g_new0 (AssayChain, 1);
  self->ledger = g_object_ref (ledger);
  self->children = g_hash_table_ref (children);
  self->runs = g_ptr_array_new_with_free_func (g_object_unref);
  self->on_way = g_hash_table_new (NULL, NULL);
  for (AssayRecord *run = last; run != NULL; run = chain_step_back (self, run))
    {
      g_ptr_array_add (self->runs, g_object_ref (run));
      g_hash_table_add (self->on_way, run);
    }
  chain_reverse (self->runs);
  return self;
}

AssayChain *
assay_chain_new (AssayLedger *ledger, const char *run_id)
{
  g_return_val_if_fail (ASSAY_IS_LEDGER (ledger), NULL);
  AssayRecord *last = assay_ledger_find_run (ledger, run_id);
  if (last == NULL)
    return NULL;
  g_autoptr(GHashTable) children = children_new (ledger);
  return chain_new_with_children (ledger, last, children);
}

/* How many of its first runs others have told: these are the ones before the first that is new. */
static void
chain_count_told (AssayChain *self, GHashTable *told)
{
  while (self->n_told < self->runs->len && g_hash_table_contains (told, self->runs->pdata[self->n_told]))
    self->n_told++;
  for (guint i = self->n_told; i < self->runs->len; i++)
    g_hash_table_add (told, self->runs->pdata[i]);
}

static gboolean
run_ends_chain (GHashTable *children, AssayRecord *run)
{
  return assay_record_get_parent (run) != NULL && children_get (children, assay_record_get_id (run)) == NULL;
}

/* The longest first; of two as long, by the ids of their ends, which begin with the time. */
static int
chain_compare_length (gconstpointer a, gconstpointer b)
{
  const AssayChain *left = *(AssayChain *const *) a, *right = *(AssayChain *const *) b;
  if (left->runs->len != right->runs->len)
    return left->runs->len > right->runs->len ? -1 : 1;
  return g_strcmp0 (assay_record_get_id (left->runs->pdata[left->runs->len - 1]),
                    assay_record_get_id (right->runs->pdata[right->runs->len - 1]));
}

GPtrArray *
assay_chain_list (AssayLedger *ledger)
{
  g_return_val_if_fail (ASSAY_IS_LEDGER (ledger), NULL);
  g_autoptr(GHashTable) children = children_new (ledger), told = g_hash_table_new (NULL, NULL);
  GPtrArray *chains = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_chain_free);
  for (guint i = 0; i < assay_ledger_get_n_runs (ledger); i++)
    {
      AssayRecord *run = assay_ledger_get_run (ledger, i);
      if (!run_ends_chain (children, run))
        continue;
      g_ptr_array_add (chains, chain_new_with_children (ledger, run, children));
    }
  g_ptr_array_sort (chains, chain_compare_length);
  for (guint i = 0; i < chains->len; i++)
    chain_count_told (chains->pdata[i], told);
  return chains;
}

void
assay_chain_free (AssayChain *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->children);
  g_hash_table_unref (self->on_way);
  g_ptr_array_unref (self->runs);
  g_free (self->problem);
  g_object_unref (self->ledger);
  g_free (self);
}

guint
assay_chain_get_length (AssayChain *self)
{
  return self->runs->len;
}

AssayRecord *
assay_chain_get_run (AssayChain *self, guint position)
{
  g_return_val_if_fail (position < self->runs->len, NULL);
  return g_ptr_array_index (self->runs, position);
}

guint
assay_chain_get_n_told (AssayChain *self)
{
  return self->n_told;
}

const char *
assay_chain_get_problem (AssayChain *self)
{
  return self->problem;
}

gboolean
assay_chain_has_plan (AssayChain *self)
{
  AssayRecord *last = assay_chain_get_run (self, self->runs->len - 1);
  return !assay_record_is_damaged (last) && assay_record_get_next_trial (last) != NULL;
}

char *
assay_chain_dup_heading (AssayChain *self)
{
  AssayRecord *last = assay_chain_get_run (self, self->runs->len - 1);
  return g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "The chain to run %s: %u run, the oldest first",
                                       "The chain to run %s: %u runs, the oldest first", self->runs->len),
                          assay_record_get_id (last), self->runs->len);
}

char **
chain_dup_branches (AssayChain *self, AssayRecord *run)
{
  g_autoptr(GStrvBuilder) ids = g_strv_builder_new ();
  GPtrArray *runs = children_get (self->children, assay_record_get_id (run));
  for (guint i = 0; runs != NULL && i < runs->len; i++)
    if (!g_hash_table_contains (self->on_way, runs->pdata[i]))
      g_strv_builder_add (ids, assay_record_get_id (runs->pdata[i]));
  return g_strv_builder_end (ids);
}
