/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-hints.c: see assay-hints.h. */
#include "assay-hints-private.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "assay-repeats.h"
#include "assay-repetition.h"

#define REPETITIVE 0.5 /* from half of the text on it is told */

static const char *const kind_names[] = { "expected", "repeats", "runs", "language", "repetition" };
static const char *const leaning_names[] = { "favourable", "doubtful", "cannot tell" };

const char *
assay_hint_kind_get_name (AssayHintKind kind)
{
  g_return_val_if_fail (kind < G_N_ELEMENTS (kind_names), NULL);
  return kind_names[kind];
}

const char *
assay_hint_leaning_get_name (AssayHintLeaning leaning)
{
  g_return_val_if_fail (leaning < G_N_ELEMENTS (leaning_names), NULL);
  return leaning_names[leaning];
}

AssayHint *
hint_new (AssayHintKind kind, AssayHintLeaning leaning, char *text_taken)
{
  AssayHint *self = g_new (AssayHint, 1);
  *self = (AssayHint){ kind, leaning, text_taken };
  return self;
}

void
assay_hint_free (AssayHint *self)
{
  if (self == NULL)
    return;
  g_free (self->text);
  g_free (self);
}

/* ---- the expected answer ---- */

static char *
text_dup_folded (const char *text, gssize length)
{
  g_autofree char *valid = g_utf8_make_valid (text, length);
  g_autofree char *normal = g_utf8_normalize (valid, -1, G_NORMALIZE_ALL_COMPOSE);
  return g_utf8_casefold (normal, -1);
}

/* "12" is not in "2012": a number is looked for as a whole one. */
static gboolean
text_is_cut_number (const char *text, const char *found, const char *wanted)
{
  const gsize length = strlen (wanted);
  return (found > text && g_ascii_isdigit (wanted[0]) && g_ascii_isdigit (found[-1]))
         || (g_ascii_isdigit (wanted[length - 1]) && g_ascii_isdigit (found[length]));
}

static gboolean
text_has (const char *text, const char *wanted)
{
  if (*wanted == '\0')
    return FALSE;
  for (const char *found = strstr (text, wanted); found != NULL; found = strstr (found + 1, wanted))
    if (!text_is_cut_number (text, found, wanted))
      return TRUE;
  return FALSE;
}

gboolean
assay_hint_find_expected (const AssayQuestion *question, const char *answer, gsize length, gboolean *known)
{
  const char *hint = question->hint != NULL ? question->hint : question->expected;

  *known = hint != NULL && *hint != '\0';
  if (!*known || answer == NULL)
    return FALSE;
  g_autofree char *said = text_dup_folded (answer, (gssize) MIN (length, HINT_MOST_BYTES));
  g_auto(GStrv) wanted = g_strsplit (hint, question->hint != NULL ? "|" : "\n", -1);
  for (guint i = 0; wanted[i] != NULL; i++)
    {
      g_autofree char *folded = text_dup_folded (g_strstrip (wanted[i]), -1);
      if (text_has (said, folded))
        return TRUE;
    }
  return FALSE;
}

static AssayHint *
hint_of_expected (const AssayQuestion *question, const AssayOutput *output)
{
  gboolean known = FALSE;
  if (question == NULL || output->asset != NULL)
    return NULL;
  const gboolean found = assay_hint_find_expected (question, output->text, output->text_length, &known);
  if (!known)
    return NULL;
  if (found)
    return hint_new (ASSAY_HINT_EXPECTED, ASSAY_HINT_FAVOURABLE,
                     g_strdup (_("The expected answer occurs in this text.")));
  return hint_new (ASSAY_HINT_EXPECTED, ASSAY_HINT_DOUBTFUL,
                   g_strdup (output->text_length > HINT_MOST_BYTES
                                 ? _("The expected answer was not found in the first MiB of this text.")
                                 : _("The expected answer was not found in this text.")));
}

/* ---- the same elsewhere ---- */

typedef struct
{
  guint n, n_same;
  const AssayOutput *other; /* the first that differs, or NULL */
} Elsewhere;

static const char *
record_get_prompt (AssayRecord *record)
{
  return assay_values_get_text (assay_record_get_conditions (record), ASSAY_FIELD_PROMPT);
}

/* To the same question, or to the same prompt where there are none; NULL: not asked there. */
static const AssayOutput *
record_find_answer (AssayRecord *record, AssayRecord *asked, const AssayOutput *output)
{
  GPtrArray *outputs = assay_record_get_outputs (record);
  const gboolean free_prompt = output->question == NULL || *output->question == '\0';
  if (free_prompt && g_strcmp0 (record_get_prompt (record), record_get_prompt (asked)) != 0)
    return NULL;
  for (guint i = 0; i < outputs->len; i++)
    {
      const AssayOutput *other = g_ptr_array_index (outputs, i);
      if (g_strcmp0 (other->question, output->question) == 0)
        return other;
    }
  return NULL;
}

static void
elsewhere_add (Elsewhere *self, AssayRecord *run, AssayRecord *asked, const AssayOutput *output)
{
  const AssayOutput *other = record_find_answer (run, asked, output);
  if (other == NULL || other->partial)
    return;
  self->n++;
  if (assay_output_says_same (output, other))
    self->n_same++;
  else if (self->other == NULL)
    self->other = other;
}

/* The sentence, and behind it where they part. */
static char *
elsewhere_dup_text (const Elsewhere *self, const AssayOutput *output, char *sentence)
{
  g_autofree char *told = sentence;
  g_autofree char *difference = self->other != NULL ? hint_dup_difference (output, self->other) : NULL;
  if (difference == NULL)
    /* translators: a sentence of its own */
    return g_strdup_printf (_("%s."), told);
  /* translators: how many are the same, then where the first difference is */
  return g_strdup_printf (_("%s; %s."), told, difference);
}

static AssayHint *
hint_of_repeats (const Elsewhere *repeats, const AssayOutput *output)
{
  if (repeats->n == 0)
    return NULL;
  char *sentence = g_strdup_printf (
      g_dngettext (GETTEXT_PACKAGE, "The same in %u of %u other repeat of these conditions",
                   "The same in %u of %u other repeats of these conditions", repeats->n),
      repeats->n_same, repeats->n);
  return hint_new (ASSAY_HINT_REPEATS,
                   repeats->n_same == repeats->n ? ASSAY_HINT_FAVOURABLE : ASSAY_HINT_DOUBTFUL,
                   elsewhere_dup_text (repeats, output, sentence));
}

/* Other conditions may well give another answer: neither good nor bad. */
static AssayHint *
hint_of_runs (const Elsewhere *runs, const AssayOutput *output)
{
  if (runs->n == 0)
    return NULL;
  char *sentence
      = g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "The same in %u of %u run under other conditions",
                                      "The same in %u of %u runs under other conditions", runs->n),
                         runs->n_same, runs->n);
  return hint_new (ASSAY_HINT_RUNS, runs->n_same == runs->n ? ASSAY_HINT_FAVOURABLE : ASSAY_HINT_CANNOT_TELL,
                   elsewhere_dup_text (runs, output, sentence));
}

static void
hints_look_elsewhere (
    AssayLedger *ledger, AssayRecord *record, const AssayOutput *output, Elsewhere *repeats, Elsewhere *runs)
{
  g_autoptr(GPtrArray) family = assay_repeats_find (ledger, record);
  g_autoptr(GHashTable) is_repeat = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < family->len; i++)
    g_hash_table_add (is_repeat, g_ptr_array_index (family, i));
  for (guint i = 0; i < assay_ledger_get_n_runs (ledger); i++)
    {
      AssayRecord *run = assay_ledger_get_run (ledger, i);
      if (g_strcmp0 (assay_record_get_id (run), assay_record_get_id (record)) == 0
          || assay_record_is_damaged (run) || assay_record_get_status (run) != ASSAY_STATUS_COMPLETED)
        continue;
      elsewhere_add (g_hash_table_contains (is_repeat, run) ? repeats : runs, run, record, output);
    }
}

/* ---- one pattern ---- */

static AssayHint *
hint_of_repetition (const AssayOutput *output)
{
  const double share
      = output->text != NULL ? assay_repetition_measure (output->text, output->text_length) : 0;
  if (share < REPETITIVE)
    return NULL;
  return hint_new (
      ASSAY_HINT_REPETITION, ASSAY_HINT_DOUBTFUL,
      g_strdup_printf (_("One short pattern over and over makes up %.0f %% of this text."), share * 100));
}

static void
hints_add (GPtrArray *hints, AssayHint *hint)
{
  if (hint != NULL)
    g_ptr_array_add (hints, hint);
}

GPtrArray *
assay_hints_for_output (AssayLedger *ledger, AssayRecord *record, const AssayOutput *output)
{
  g_return_val_if_fail (ASSAY_IS_LEDGER (ledger) && ASSAY_IS_RECORD (record) && output != NULL, NULL);
  GPtrArray *hints = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_hint_free);
  const AssayQuestion *question = assay_ledger_find_question (ledger, output->question);
  Elsewhere repeats = { 0, 0, NULL }, runs = { 0, 0, NULL };
  hints_look_elsewhere (ledger, record, output, &repeats, &runs);
  hints_add (hints, hint_of_expected (question, output));
  hints_add (hints, hint_of_repeats (&repeats, output));
  hints_add (hints, hint_of_runs (&runs, output));
  hints_add (hints, hint_of_language (question, output));
  hints_add (hints, hint_of_repetition (output));
  return hints;
}
