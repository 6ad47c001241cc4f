/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-preference-figures.c: see assay-preference-figures.h. */
#include "assay-preference-figures.h"

#include <math.h>
#include <string.h>

#include <glib/gi18n-lib.h>

#include "assay-gates.h"

#define Z_95 1.959963984540054 /* of the normal distribution */

/* ---- position ---- */

static double
binomial_log_share (guint n, guint k)
{
  return lgamma (n + 1.0) - lgamma (k + 1.0) - lgamma (n - k + 1.0) - n * M_LN2;
}

/* With even chances both tails are alike: twice the smaller one, and all of it in the middle. */
static double
binomial_p (guint n, guint k)
{
  const guint few = MIN (k, n - k);
  double tail = 0;
  for (guint i = 0; i <= few; i++)
    tail += exp (binomial_log_share (n, i));
  return MIN (1.0, 2 * tail);
}

/* E. B. Wilson (1927): stays within 0 and 1, and is right for few as well. */
static void
bias_find_interval (AssayPositionBias *self)
{
  const double n = self->n, z2 = Z_95 * Z_95, share = self->share;
  const double middle = (share + z2 / (2 * n)) / (1 + z2 / n);
  const double half = Z_95 * sqrt (share * (1 - share) / n + z2 / (4 * n * n)) / (1 + z2 / n);
  self->low = MAX (0.0, middle - half);
  self->high = MIN (1.0, middle + half);
}

void
assay_position_bias_compute (guint n_left, guint n, AssayPositionBias *out)
{
  g_return_if_fail (n_left <= n);
  *out = (AssayPositionBias){ .n = n, .n_left = n_left, .share = NAN, .low = NAN, .high = NAN, .p = 1 };
  if (n == 0)
    return;
  out->share = (double) n_left / n;
  out->p = binomial_p (n, n_left);
  bias_find_interval (out);
}

char *
assay_position_bias_dup_words (const AssayPositionBias *self)
{
  g_return_val_if_fail (self != NULL, NULL);
  if (self->n == 0)
    return g_strdup (_("no comparison was decided yet"));
  return g_strdup_printf (
      g_dngettext (
          GETTEXT_PACKAGE,
          /* translators: e.g. left chosen in 14 of 20 decided comparisons (70 %, 95 % interval 48 % to 85 %),
             p = 0.12 */
          "left chosen in %u of %u decided comparison (%.0f %%, 95 %% interval %.0f %% to %.0f %%), p = %.2g",
          "left chosen in %u of %u decided comparisons (%.0f %%, 95 %% interval %.0f %% to %.0f %%), p = "
          "%.2g",
          self->n),
      self->n_left, self->n, self->share * 100, self->low * 100, self->high * 100, self->p);
}

/* ---- who against whom ---- */

static void
uncounted_free (gpointer data)
{
  AssayUncounted *self = data;
  g_free (self->reason);
  g_free (self);
}

/* Why a preference about this run counts for nothing; NULL when it counts. */
static char *
run_dup_objection (AssayLedger *ledger, const char *id)
{
  AssayRecord *run = assay_ledger_find_run (ledger, id);
  if (run == NULL)
    return g_strdup_printf (_("the run %s is not in this ledger"), id);
  if (assay_record_is_damaged (run))
    return g_strdup_printf (_("the entry of the run %s is damaged"), id);
  const AssayRunStatus status = assay_record_get_status (run);
  if (status == ASSAY_STATUS_UNKNOWN)
    return g_strdup_printf (_("no status was recorded for the run %s"), id);
  if (status != ASSAY_STATUS_COMPLETED)
    return g_strdup_printf (_("the run %s ended as %s"), id, assay_run_status_get_name (status));
  return NULL;
}

static void
pairing_count (AssayPairing *self, AssayRecord *left, AssayChoice choice)
{
  const gboolean first_is_left = self->first == left;
  switch (choice)
    {
    case ASSAY_CHOICE_LEFT:
      *(first_is_left ? &self->first_wins : &self->second_wins) += 1;
      break;
    case ASSAY_CHOICE_RIGHT:
      *(first_is_left ? &self->second_wins : &self->first_wins) += 1;
      break;
    case ASSAY_CHOICE_TIE:
      self->ties++;
      break;
    case ASSAY_CHOICE_BOTH_BAD:
    case ASSAY_N_CHOICES:
    default:
      self->both_bad++;
      break;
    }
}

typedef struct
{
  AssayLedger *ledger;
  AssayPreferenceFigures *out;
  GHashTable *positions; /* run → its place in the ledger, from 1 */
  GHashTable *pairings;  /* (first place << 32 | second place) → AssayPairing, borrowed */
  GHashTable *reviewers;
  guint n_left, n_decided;
} Counting;

static guint
counting_place (Counting *self, AssayRecord *run)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (self->positions, run));
}

static AssayPairing *
counting_get_pairing (Counting *self, AssayRecord *left, AssayRecord *right)
{
  const guint a = counting_place (self, left), b = counting_place (self, right);
  const guint64 key = (guint64) MIN (a, b) << 32 | MAX (a, b);
  AssayPairing *pairing = g_hash_table_lookup (self->pairings, &key);
  if (pairing != NULL)
    return pairing;
  pairing = g_new0 (AssayPairing, 1);
  pairing->first = a < b ? left : right;
  pairing->second = a < b ? right : left;
  g_hash_table_insert (self->pairings, g_memdup2 (&key, sizeof key), pairing);
  g_ptr_array_add (self->out->pairings, pairing);
  return pairing;
}

static void
counting_take (Counting *self, const AssayPreference *made)
{
  char *reason = run_dup_objection (self->ledger, made->left);
  if (reason == NULL)
    reason = run_dup_objection (self->ledger, made->right);
  if (reason != NULL)
    {
      AssayUncounted *uncounted = g_new0 (AssayUncounted, 1);
      uncounted->preference = made;
      uncounted->reason = reason;
      g_ptr_array_add (self->out->uncounted, uncounted);
      return;
    }
  AssayRecord *left = assay_ledger_find_run (self->ledger, made->left);
  pairing_count (counting_get_pairing (self, left, assay_ledger_find_run (self->ledger, made->right)), left,
                 made->choice);
  g_hash_table_add (self->reviewers, made->reviewer);
  self->out->n_counted++;
  self->n_left += made->choice == ASSAY_CHOICE_LEFT;
  self->n_decided += made->choice == ASSAY_CHOICE_LEFT || made->choice == ASSAY_CHOICE_RIGHT;
}

static int
pairing_compare (gconstpointer a, gconstpointer b, gpointer data)
{
  const AssayPairing *x = *(AssayPairing *const *) a, *y = *(AssayPairing *const *) b;
  const guint first_x = counting_place (data, x->first), first_y = counting_place (data, y->first);
  if (first_x != first_y)
    return first_x < first_y ? -1 : 1;
  return counting_place (data, x->second) < counting_place (data, y->second) ? -1 : 1;
}

AssayPreferenceFigures *
assay_preference_figures_new (AssayLedger *ledger)
{
  g_return_val_if_fail (ASSAY_IS_LEDGER (ledger), NULL);
  g_autoptr(GPtrArray) current = assay_ledger_dup_current_preferences (ledger);
  g_autoptr(GHashTable) positions = g_hash_table_new (NULL, NULL),
                         reviewers = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr(GHashTable) pairings = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  AssayPreferenceFigures *self = g_new0 (AssayPreferenceFigures, 1);
  Counting counting = { ledger, self, positions, pairings, reviewers, 0, 0 };
  self->pairings = g_ptr_array_new_with_free_func (g_free);
  self->uncounted = g_ptr_array_new_with_free_func (uncounted_free);
  self->n_superseded = assay_ledger_get_preferences (ledger)->len - current->len;
  for (guint i = 0; i < assay_ledger_get_n_runs (ledger); i++)
    g_hash_table_insert (positions, assay_ledger_get_run (ledger, i), GUINT_TO_POINTER (i + 1));
  for (guint i = 0; i < current->len; i++)
    counting_take (&counting, g_ptr_array_index (current, i));
  g_ptr_array_sort_with_data (self->pairings, pairing_compare, &counting);
  self->n_reviewers = g_hash_table_size (reviewers);
  assay_position_bias_compute (counting.n_left, counting.n_decided, &self->bias);
  return self;
}

void
assay_preference_figures_free (AssayPreferenceFigures *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->pairings);
  g_ptr_array_unref (self->uncounted);
  g_free (self);
}
