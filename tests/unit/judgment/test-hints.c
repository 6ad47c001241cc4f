/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit/judgment/test-hints.c: what is noticed about an output, whatever bytes it holds. */
#include <string.h>

#include "assay-hints.h"
#include "judgment.h"

/* A ledger whose run "a" gave `answer` to the question q1. */
static AssayLedger *
asked (const char *language,
       const char *text,
       const char *expected,
       const char *hint,
       const char *answer,
       gsize length)
{
  AssayLedger *ledger = judgment_ledger ();
  GPtrArray *questions = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_question_free);
  AssayQuestion *question = assay_question_new ("q1", text);
  question->language = g_strdup (language);
  question->expected = g_strdup (expected);
  question->hint = g_strdup (hint);
  g_ptr_array_add (questions, question);
  assay_ledger_take_questions (ledger, questions, NULL);
  AssayRecord *record = judgment_run ("a", ASSAY_STATUS_COMPLETED, "model_id", "m", "seed", "1", NULL);
  AssayOutput *output = judgment_output (record, "q1", "");
  g_free (output->text);
  output->text = g_memdup2 (answer, length + 1);
  output->text_length = length;
  judgment_add (ledger, record);
  return ledger;
}

static void
add_run (AssayLedger *ledger, const char *id, const char *model, AssayRunStatus status, const char *answer)
{
  AssayRecord *record = judgment_run (id, status, "model_id", model, "seed", "1", NULL);
  judgment_output (record, "q1", answer);
  judgment_add (ledger, record);
}

static GPtrArray *
hints_of (AssayLedger *ledger)
{
  AssayRecord *record = assay_ledger_get_run (ledger, 0);
  return assay_hints_for_output (ledger, record, assay_record_get_outputs (record)->pdata[0]);
}

static const AssayHint *
find (GPtrArray *hints, AssayHintKind kind)
{
  for (guint i = 0; i < hints->len; i++)
    if (((const AssayHint *) hints->pdata[i])->kind == kind)
      return hints->pdata[i];
  return NULL;
}

static void
assert_expected (const char *expected, const char *hint, const char *answer, gint leaning)
{
  g_autoptr(AssayLedger) ledger = asked (NULL, "?", expected, hint, answer, strlen (answer));
  g_autoptr(GPtrArray) hints = hints_of (ledger);
  const AssayHint *found = find (hints, ASSAY_HINT_EXPECTED);
  if (leaning < 0)
    g_assert_null (found);
  else
    g_assert_cmpint (found->leaning, ==, leaning);
}

static void
test_the_expected_answer_is_found_past_case_and_width (void)
{
  assert_expected ("Carbon Dioxide", NULL, "it is CARBON DIOXIDE.", ASSAY_HINT_FAVOURABLE);
  assert_expected ("x", "CO2| 二氧化碳 ", "是二氧化碳", ASSAY_HINT_FAVOURABLE);
  assert_expected ("x", "CO2| 二氧化碳 ", "ＣＯ２", ASSAY_HINT_FAVOURABLE);
  assert_expected ("x", "CO2| 二氧化碳 ", "carbon dioxide", ASSAY_HINT_DOUBTFUL);
  assert_expected (NULL, NULL, "anything", -1);
  assert_expected ("", NULL, "anything", -1);
  assert_expected (NULL, " | ", "anything", ASSAY_HINT_DOUBTFUL); /* blanks are no answer */
}

static void
test_a_number_is_looked_for_as_a_whole (void)
{
  assert_expected ("12", NULL, "In 2012 there were 120 of them", ASSAY_HINT_DOUBTFUL);
  assert_expected ("12", NULL, "In 2012 there were 12.", ASSAY_HINT_FAVOURABLE);
  assert_expected ("7", NULL, "7일입니다", ASSAY_HINT_FAVOURABLE);
}

static void
test_repeats_and_runs_are_told_apart (void)
{
  g_autoptr(AssayLedger) ledger = asked ("en", "?", NULL, NULL, "It is Paris.", 12);
  add_run (ledger, "b", "m", ASSAY_STATUS_COMPLETED, "It is Paris.");
  add_run (ledger, "c", "m", ASSAY_STATUS_COMPLETED, "It is Lyon.");
  add_run (ledger, "d", "other", ASSAY_STATUS_COMPLETED, "It is Paris.");
  add_run (ledger, "e", "m", ASSAY_STATUS_CANCELLED, "It"); /* broke off: says nothing */
  g_autoptr(GPtrArray) hints = hints_of (ledger);
  const AssayHint *repeats = find (hints, ASSAY_HINT_REPEATS), *runs = find (hints, ASSAY_HINT_RUNS);
  g_assert_cmpstr (repeats->text, ==,
                   "The same in 1 of 2 other repeats of these conditions; first difference at character 7: "
                   "“It is Paris.” here, “It is Lyon.” there.");
  g_assert_cmpint (repeats->leaning, ==, ASSAY_HINT_DOUBTFUL);
  g_assert_cmpstr (runs->text, ==, "The same in 1 of 1 run under other conditions.");
  g_assert_cmpint (runs->leaning, ==, ASSAY_HINT_FAVOURABLE);
}

static void
assert_difference (const char *a, gsize length_a, const char *b, gsize length_b, guint at)
{
  AssayOutput x = { .text = (char *) a, .text_length = length_a },
              y = { .text = (char *) b, .text_length = length_b };
  g_assert_cmpuint (assay_hint_first_difference (&x, &y), ==, at);
  g_assert_cmpuint (assay_hint_first_difference (&y, &x), ==, at);
}

static void
test_the_first_difference_is_counted_in_characters (void)
{
  assert_difference ("same", 4, "same", 4, 0);
  assert_difference ("", 0, "", 0, 0);
  assert_difference ("", 0, "a", 1, 1);
  assert_difference ("abc", 3, "abd", 3, 3);
  assert_difference ("ab", 2, "abc", 3, 3);
  assert_difference ("서울", 6, "서운", 6, 2); /* differs in the middle of a character */
  assert_difference ("a\0b", 3, "a\0c", 3, 3); /* a NUL is one */
  assert_difference ("\xff\xfe", 2, "\xff\xfd", 2, 2);
  assert_difference ("é", 2, "\xc3", 1, 1); /* a character cut in two */
}

static void
assert_language (const char *language, const char *question, const char *answer, gint leaning)
{
  g_autoptr(AssayLedger) ledger = asked (language, question, NULL, NULL, answer, strlen (answer));
  g_autoptr(GPtrArray) hints = hints_of (ledger);
  const AssayHint *found = find (hints, ASSAY_HINT_LANGUAGE);
  if (leaning < 0)
    g_assert_null (found);
  else if (found == NULL || found->leaning != (AssayHintLeaning) leaning)
    g_error ("“%s” to “%s”: %s", answer, language, found != NULL ? found->text : "nothing");
}

static void
test_the_script_is_told_and_doubt_admitted (void)
{
  assert_language ("en", "?", "It is Paris", ASSAY_HINT_FAVOURABLE);
  assert_language ("zh", "?", "是巴黎", ASSAY_HINT_FAVOURABLE);
  assert_language ("zh-CN", "?", "是巴黎", ASSAY_HINT_FAVOURABLE);
  assert_language ("ko", "?", "서울입니다", ASSAY_HINT_FAVOURABLE);
  assert_language ("ja", "?", "東京です", ASSAY_HINT_FAVOURABLE);
  assert_language ("ja", "?", "東京", ASSAY_HINT_CANNOT_TELL);
  assert_language ("ru", "?", "Это Париж", ASSAY_HINT_FAVOURABLE);
  assert_language ("ko", "?", "The capital is Seoul", ASSAY_HINT_DOUBTFUL);
  assert_language ("en", "?", "首都是巴黎", ASSAY_HINT_DOUBTFUL);
  assert_language ("zh", "?", "12", ASSAY_HINT_CANNOT_TELL);
  assert_language ("zh", "?", "CO2", ASSAY_HINT_CANNOT_TELL);
  assert_language ("zh", "?", "", -1);
  assert_language (NULL, "一年有几个月？", "twelve months",
                   ASSAY_HINT_DOUBTFUL); /* by how the question is written */
  assert_language ("", "일주일은 며칠입니까?", "칠일", ASSAY_HINT_FAVOURABLE);
  assert_language ("xx", "7 + 5 = ?", "twelve", -1);
  assert_language ("en", "?", "abcd где είναι 서울", ASSAY_HINT_CANNOT_TELL);
}

static void
test_one_pattern_is_noticed (void)
{
  g_autofree char *text = g_strnfill (4096, '!');
  g_autoptr(AssayLedger) ledger = asked ("en", "?", NULL, NULL, text, 4096);
  g_autoptr(GPtrArray) hints = hints_of (ledger);
  g_assert_cmpstr (find (hints, ASSAY_HINT_REPETITION)->text, ==,
                   "One short pattern over and over makes up 100 % of this text.");
  g_autoptr(AssayLedger) plain = asked ("en", "?", NULL, NULL, "It is Paris", 11);
  g_autoptr(GPtrArray) none = hints_of (plain);
  g_assert_null (find (none, ASSAY_HINT_REPETITION));
}

static void
assert_hints_are_fine (const char *bytes, gsize length)
{
  g_autoptr(AssayLedger) ledger = asked ("en", "?", "answer", NULL, bytes, length);
  AssayRecord *other = judgment_run ("b", ASSAY_STATUS_COMPLETED, "model_id", "m", "seed", "1", NULL);
  AssayOutput *output = judgment_output (other, "q1", "");
  g_free (output->text);
  output->text = g_memdup2 (bytes, length + 1);
  output->text_length = length;
  if (length > 0)
    output->text[length / 2] ^= 0x15;
  judgment_add (ledger, other);
  g_autoptr(GPtrArray) hints = hints_of (ledger), again = hints_of (ledger);
  g_assert_cmpuint (hints->len, ==, again->len);
  for (guint i = 0; i < hints->len; i++)
    {
      const AssayHint *hint = hints->pdata[i], *twin = again->pdata[i];
      g_assert_true (g_utf8_validate (hint->text, -1, NULL));
      g_assert_cmpstr (hint->text, ==, twin->text);
      g_assert_null (strpbrk (hint->text, "\n\r\t\x1b"));
      g_assert_null (strstr (hint->text, "\xe2\x80\xae")); /* what follows would be read backwards */
      g_assert_cmpuint (strlen (hint->text), <, 500);
    }
}

static void
test_any_bytes_give_hints_that_can_be_shown (void)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed ((guint32) g_test_rand_int ());
  assert_hints_are_fine ("", 0);
  assert_hints_are_fine ("\0\0\0", 3);
  assert_hints_are_fine ("\xed\xa0\x80 \xf4\x90\x80\x80 \xc0\x80", 11);
  assert_hints_are_fine ("\xe2\x80\xae\x1b[31mred\n", 12);
  for (guint round = 0; round < 300; round++)
    {
      char bytes[65] = { 0 };
      const gsize length = (gsize) g_rand_int_range (rand, 0, 65);
      for (gsize i = 0; i < length; i++)
        bytes[i] = (char) g_rand_int (rand);
      assert_hints_are_fine (bytes, length);
    }
}

static void
test_megabytes_take_no_time (void)
{
  const gsize length = 2u << 20;
  g_autofree char *bytes = g_malloc (length + 1);
  g_autoptr(GRand) rand = g_rand_new_with_seed (3);
  for (gsize i = 0; i < length; i++)
    bytes[i] = (char) g_rand_int (rand);
  bytes[length] = '\0';
  const gint64 start = g_get_monotonic_time ();
  assert_hints_are_fine (bytes, length);
  const gint64 took = g_get_monotonic_time () - start;
  g_test_message ("2 MiB of noise, twice: %.0f ms", (double) took / 1e3);
  g_assert_cmpint (took, <, 60 * G_USEC_PER_SEC);
}

#define ADD(name, function) g_test_add_func ("/judgment/hints/" name, function)

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  ADD ("the-expected-answer-is-found-past-case-and-width",
       test_the_expected_answer_is_found_past_case_and_width);
  ADD ("a-number-is-looked-for-as-a-whole", test_a_number_is_looked_for_as_a_whole);
  ADD ("repeats-and-runs-are-told-apart", test_repeats_and_runs_are_told_apart);
  ADD ("the-first-difference-is-counted-in-characters", test_the_first_difference_is_counted_in_characters);
  ADD ("the-script-is-told-and-doubt-admitted", test_the_script_is_told_and_doubt_admitted);
  ADD ("one-pattern-is-noticed", test_one_pattern_is_noticed);
  ADD ("any-bytes-give-hints-that-can-be-shown", test_any_bytes_give_hints_that_can_be_shown);
  ADD ("megabytes-take-no-time", test_megabytes_take_no_time);
  return g_test_run ();
}
