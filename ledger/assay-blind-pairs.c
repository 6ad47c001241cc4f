/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-blind-pairs.c: which outputs are compared, and in which order.
 *
 * A cycle is a tournament in which each run meets each other once, laid out by the circle method: one run
 * stays, the others go round it, and each turn of the circle pairs everybody. The runs enter in the order of
 * the seed, so that nothing about them can be read from the layout. */
#include "assay-blind.h"

#include <string.h>

#include "assay-blind-private.h"

#define MOST_LOOKED_AT 2000000u /* pairs, in all cycles: a ledger of strangers must end as well */

typedef struct
{
  guint64 key; /* of the question under the seed: random, and the same for all runs */
  const AssayOutput *output;
} Answer;

typedef struct
{
  AssayLedger *ledger;
  const char *reviewer;
  GPtrArray *runs;    /* in the order of the seed */
  GArray **answers;   /* [runs] (element-type Answer), by key */
  GHashTable *judged; /* key of a comparison → AssayPreference, borrowed */
  GArray *sides;      /* (element-type AssaySides), alike with pairs */
  AssayBlindPlan *plan;
  AssayRandom random;
  guint max, n_looked_at;
  gboolean any_left; /* a pair with questions beyond this cycle's */
} Planner;

static void
pair_free (gpointer data)
{
  AssayBlindPair *pair = data;
  g_free (pair->question);
  assay_preference_unref (pair->judged);
  g_object_unref (pair->left);
  g_object_unref (pair->right);
  g_free (pair);
}

void
assay_blind_plan_free (AssayBlindPlan *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->pairs);
  g_free (self);
}

static int
answer_compare (gconstpointer a, gconstpointer b)
{
  const Answer *x = a, *y = b;
  return x->key < y->key ? -1 : x->key > y->key;
}

/* Answers without a question are to the same one where the prompt is the same. */
static guint64
planner_get_key (Planner *self, AssayRecord *run, const AssayOutput *output)
{
  if (output->question != NULL && *output->question != '\0')
    return assay_random_hash (self->plan->seed, output->question);
  const char *prompt = assay_values_get_text (assay_record_get_conditions (run), ASSAY_FIELD_PROMPT);
  return assay_random_hash (self->plan->seed ^ 1, prompt != NULL ? prompt : "");
}

/* The first output to each question; a second one to the same is no other answer to compare. */
static GArray *
planner_list_answers (Planner *self, AssayRecord *run)
{
  GPtrArray *outputs = assay_record_get_outputs (run);
  GArray *answers = g_array_new (FALSE, FALSE, sizeof (Answer));
  guint kept = 0;
  for (guint i = 0; i < outputs->len; i++)
    {
      const AssayOutput *output = g_ptr_array_index (outputs, i);
      const Answer answer = { planner_get_key (self, run, output), output };
      g_array_append_val (answers, answer);
    }
  g_array_sort (answers, answer_compare);
  for (guint i = 0; i < answers->len; i++)
    if (kept == 0 || g_array_index (answers, Answer, i).key != g_array_index (answers, Answer, kept - 1).key)
      g_array_index (answers, Answer, kept++) = g_array_index (answers, Answer, i);
  return g_array_set_size (answers, kept);
}

/* What both answered, differently. *n_same: what both answered alike. (element-type AssayOutput) */
static void
planner_list_shared (Planner *self, guint a, guint b, GPtrArray *shared, guint *n_same)
{
  const GArray *left = self->answers[a], *right = self->answers[b];
  guint i = 0, k = 0;
  g_ptr_array_set_size (shared, 0);
  *n_same = 0;
  while (i < left->len && k < right->len)
    {
      const Answer *x = &g_array_index (left, Answer, i), *y = &g_array_index (right, Answer, k);
      if (x->key == y->key && assay_output_says_same (x->output, y->output))
        ++*n_same;
      else if (x->key == y->key)
        g_ptr_array_add (shared, (gpointer) x->output);
      i += x->key <= y->key;
      k += y->key <= x->key;
    }
}

static char *
comparison_dup_key (const char *question, const char *left, const char *right)
{
  return g_strdup_printf ("%" G_GSIZE_FORMAT "/%" G_GSIZE_FORMAT "/%s/%s/%s", strlen (left), strlen (right),
                          left, right, question);
}

static AssayPreference *
planner_find_judged (Planner *self, const char *question, const char *left, const char *right)
{
  g_autofree char *key = comparison_dup_key (question, left, right);
  return g_hash_table_lookup (self->judged, key);
}

static void
planner_add (Planner *self, guint a, guint b, const AssayOutput *output)
{
  const char *question = output->question != NULL ? output->question : "";
  const char *id_a = assay_record_get_id (self->runs->pdata[a]),
             *id_b = assay_record_get_id (self->runs->pdata[b]);
  AssayPreference *as_is = planner_find_judged (self, question, id_a, id_b);
  AssayPreference *turned = as_is == NULL ? planner_find_judged (self, question, id_b, id_a) : NULL;
  AssayBlindPair *pair = g_new0 (AssayBlindPair, 1);
  AssaySides sides = { .left = a, .right = b };
  if (turned != NULL)
    sides = (AssaySides){ .left = b, .right = a };
  sides.fixed = as_is != NULL || turned != NULL;
  pair->judged = sides.fixed ? assay_preference_ref (as_is != NULL ? as_is : turned) : NULL;
  pair->question = g_strdup (question);
  self->plan->n_judged += pair->judged != NULL;
  g_ptr_array_add (self->plan->pairs, pair);
  g_array_append_val (self->sides, sides);
}

/* Of what both answered differently, pair number k of a cycle takes the shared question k + cycle, counted
 * round. */
static void
planner_meet (Planner *self, guint a, guint b, guint k, guint cycle, GPtrArray *shared)
{
  guint n_same;
  self->n_looked_at++;
  planner_list_shared (self, a, b, shared, &n_same);
  if (cycle == 0)
    self->plan->n_identical += n_same;
  if (cycle < shared->len)
    planner_add (self, a, b, g_ptr_array_index (shared, (k + cycle) % shared->len));
  self->any_left |= cycle + 1 < shared->len;
}

static gboolean
planner_is_full (Planner *self)
{
  return self->plan->pairs->len >= self->max || self->n_looked_at >= MOST_LOOKED_AT;
}

/* One turn of the circle: the last of n stays and meets number `turn`; those as far before and behind it
 * meet. With an odd number of runs the last is nobody, and whom it would meet sits out. */
static void
planner_turn (Planner *self, guint n, guint turn, guint cycle, GPtrArray *shared)
{
  g_autoptr(GPtrArray) places = g_ptr_array_new ();
  const guint first = self->runs->len % 2, n_meetings = n / 2 - first; /* nobody has the first place */
  for (guint i = first; i < n / 2; i++)
    g_ptr_array_add (places, GUINT_TO_POINTER (i));
  assay_random_shuffle (&self->random, places->pdata, places->len);
  for (guint i = 0; i < places->len && !planner_is_full (self); i++)
    {
      const guint place = GPOINTER_TO_UINT (places->pdata[i]);
      const guint a = (turn + place) % (n - 1), b = place == 0 ? n - 1 : (turn + n - 1 - place) % (n - 1);
      planner_meet (self, a, b, turn * n_meetings + place - first, cycle, shared);
    }
}

static void
planner_draw (Planner *self)
{
  g_autoptr(GPtrArray) shared = g_ptr_array_new ();
  const guint n = self->runs->len + self->runs->len % 2;
  self->any_left = n >= 2;
  for (guint cycle = 0; self->any_left && !planner_is_full (self); cycle++)
    {
      self->any_left = FALSE;
      for (guint turn = 0; turn + 1 < n && !planner_is_full (self); turn++)
        planner_turn (self, n, turn, cycle, shared);
    }
}

static void
planner_take_sides (Planner *self)
{
  AssaySides *sides = (AssaySides *) (gpointer) self->sides->data;
  assay_blind_balance (sides, self->sides->len, self->runs->len, &self->random);
  for (guint i = 0; i < self->sides->len; i++)
    {
      AssayBlindPair *pair = g_ptr_array_index (self->plan->pairs, i);
      pair->left = g_object_ref (self->runs->pdata[sides[i].left]);
      pair->right = g_object_ref (self->runs->pdata[sides[i].right]);
    }
}

/* Of several about the same comparison the last counts. */
static GHashTable *
planner_index_judged (AssayLedger *ledger, const char *reviewer)
{
  GHashTable *judged = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr(GPtrArray) current = assay_ledger_dup_current_preferences (ledger);
  for (guint i = 0; i < current->len; i++)
    {
      AssayPreference *made = g_ptr_array_index (current, i);
      if (strcmp (made->reviewer, reviewer) == 0)
        g_hash_table_insert (judged, comparison_dup_key (made->question, made->left, made->right), made);
    }
  return judged;
}

AssayBlindPlan *
assay_blind_plan_pairs (AssayLedger *ledger, const char *reviewer, guint64 seed, guint max)
{
  g_return_val_if_fail (ASSAY_IS_LEDGER (ledger) && reviewer != NULL && seed != 0, NULL);
  g_autoptr(GPtrArray) runs = assay_blind_order (ledger, seed);
  g_autoptr(GHashTable) judged = planner_index_judged (ledger, reviewer);
  g_autoptr(GArray) sides = g_array_new (FALSE, FALSE, sizeof (AssaySides));
  AssayBlindPlan *plan = g_new0 (AssayBlindPlan, 1);
  Planner self = { .ledger = ledger,
                   .reviewer = reviewer,
                   .runs = runs,
                   .judged = judged,
                   .sides = sides,
                   .plan = plan,
                   .random = { seed },
                   .max = max,
                   .answers = g_new0 (GArray *, runs->len + 1) };
  plan->seed = seed;
  plan->pairs = g_ptr_array_new_with_free_func (pair_free);
  for (guint i = 0; i < runs->len; i++)
    self.answers[i] = planner_list_answers (&self, runs->pdata[i]);
  planner_draw (&self);
  planner_take_sides (&self);
  for (guint i = 0; i < runs->len; i++)
    g_array_unref (self.answers[i]);
  g_free (self.answers);
  return plan;
}

const AssayBlindPair *
assay_blind_plan_get_next (const AssayBlindPlan *self)
{
  g_return_val_if_fail (self != NULL, NULL);
  for (guint i = 0; i < self->pairs->len; i++)
    {
      const AssayBlindPair *pair = g_ptr_array_index (self->pairs, i);
      if (pair->judged == NULL)
        return pair;
    }
  return NULL;
}
