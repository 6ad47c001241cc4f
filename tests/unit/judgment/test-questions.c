/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Question sets: the one that ships, and files that are none. */
#include <sys/stat.h>

#include <glib/gstdio.h>

#include "assay-export.h"

#define HEAD "<questions xmlns=\"urn:assay:questions:1\" version=\"1.0\" name=\"t\">"
#define ONE "<question id=\"a\" language=\"en\"><text>What?</text><expected>That</expected></question>"

static GPtrArray *
load_text (const char *text, gssize length, char **set, GError **error)
{
  g_autofree char *folder = g_dir_make_tmp ("assay-questions-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "t.questions.xml", NULL);
  g_assert_true (g_file_set_contents (path, text, length, NULL));
  GPtrArray *questions = assay_questions_load (path, set, error);
  g_unlink (path);
  g_rmdir (folder);
  return questions;
}

static void
test_basic_set (void)
{
  g_autofree char *path = g_build_filename (g_getenv ("ASSAY_SOURCE_ROOT"), "data", "questions",
                                            "basic-12.questions.xml", NULL);
  g_autofree char *set = NULL;
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) questions = assay_questions_load (path, &set, &error);
  guint n_en = 0, n_zh = 0, n_ko = 0;
  g_assert_no_error (error);
  g_assert_cmpuint (questions->len, ==, 12);
  g_assert_true (g_str_has_prefix (set, "basic-12 sha256:"));
  g_assert_cmpuint (strlen (set), ==, strlen ("basic-12 sha256:") + 64);
  for (guint i = 0; i < questions->len; i++)
    {
      const AssayQuestion *question = questions->pdata[i];
      n_en += g_str_equal (question->language, "en");
      n_zh += g_str_equal (question->language, "zh");
      n_ko += g_str_equal (question->language, "ko");
      g_assert_cmpint (strlen (question->expected), >, 0);
      g_assert_cmpint (g_utf8_strlen (question->text, -1), <=, 100);
      /* the expected answer satisfies its own hint */
      g_auto(GStrv) hints = g_strsplit (question->hint, "|", -1);
      gboolean found = FALSE;
      for (guint k = 0; hints[k] != NULL; k++)
        {
          g_assert_cmpint (strlen (hints[k]), >, 0);
          found |= strstr (question->expected, hints[k]) != NULL;
        }
      g_assert_true (found);
    }
  g_assert_true (n_en == 4 && n_zh == 4 && n_ko == 4);
}

static char *
hash_of (const char *text)
{
  char *set = NULL;
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) questions = load_text (text, -1, &set, &error);
  g_assert_no_error (error);
  return set;
}

static void
test_hash_is_of_the_content (void)
{
  g_autofree char *plain = hash_of (HEAD ONE "</questions>");
  g_autofree char *spaced
      = hash_of (HEAD "\n  <!-- note -->\n  <question language=\"en\" id=\"a\">\n <text> What? </text>\n"
                      "<newer/><expected>That</expected></question>\n</questions>\n");
  g_autofree char *other
      = hash_of (HEAD "<question id=\"a\" "
                      "language=\"en\"><text>What?</text><expected>This</expected></question></questions>");
  g_autofree char *moved = hash_of (
      HEAD "<question id=\"a\" language=\"en\"><text>What?</text><hint>That</hint></question></questions>");
  g_assert_cmpstr (plain, ==, spaced);
  g_assert_cmpstr (plain, !=, other);
  g_assert_cmpstr (plain, !=, moved);
}

static void
test_defects_are_refused (void)
{
  static const struct
  {
    const char *text, *words;
  } rows[] = {
    { "", "empty" },
    { "words", "t.questions.xml" },
    { "<questions name=\"t\" version=\"1.0\"/>", "not a question set" },
    { "<questions xmlns=\"urn:assay:questions:1\" version=\"2.0\" name=\"t\"/>", "version 2.0" },
    { "<questions xmlns=\"urn:assay:questions:1\" version=\"1.0\"/>", "name" },
    { HEAD "</questions>", "no question" },
    { HEAD ONE, "t.questions.xml, line 1" },
    { HEAD ONE ONE "</questions>", "a comes twice" },
    { HEAD "\n<question id=\"a b\"><text>x</text></question></questions>", "line 2" },
    { HEAD "<question id=\"a\"><text>  </text></question></questions>", "no text" },
    { HEAD "<question id=\"a\"><text>x</text><text>y</text></question></questions>", "twice" },
    { "<!DOCTYPE questions [<!ENTITY x SYSTEM \"file:///etc/hostname\">]>" HEAD
      "<question id=\"a\"><text>&x;</text></question></questions>",
      "document type" },
    { HEAD "<question id=\"a\"><text>&lol;</text></question></questions>", "t.questions.xml" },
    { HEAD "<question id=\"a\"><text>caf\xe9</text></question></questions>", "UTF-8" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr(GError) error = NULL;
      g_assert_null (load_text (rows[i].text, -1, NULL, &error));
      g_assert_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_FORMAT);
      if (strstr (error->message, rows[i].words) == NULL)
        g_error ("row %u: '%s' does not say '%s'", (guint) i, error->message, rows[i].words);
    }
}

static void
test_cut_anywhere_is_refused (void)
{
  static const char text[] = HEAD ONE "</questions>";
  for (gsize i = 0; i < sizeof text - 1; i++)
    {
      g_autoptr(GError) error = NULL;
      g_assert_null (load_text (text, (gssize) i, NULL, &error));
      g_assert_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_FORMAT);
    }
}

static void
test_pipe_does_not_wait (void)
{
  g_autofree char *folder = g_dir_make_tmp ("assay-questions-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "p", NULL);
  g_autoptr(GError) error = NULL;
  g_assert_cmpint (mkfifo (path, 0600), ==, 0);
  g_assert_null (assay_questions_load (path, NULL, &error));
  g_assert_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_FORMAT);
  g_unlink (path);
  g_rmdir (folder);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ledger/questions/basic-set-has-twelve-in-three-languages", test_basic_set);
  g_test_add_func ("/ledger/questions/hash-is-of-the-content", test_hash_is_of_the_content);
  g_test_add_func ("/ledger/questions/defects-are-refused", test_defects_are_refused);
  g_test_add_func ("/ledger/questions/cut-anywhere-is-refused", test_cut_anywhere_is_refused);
  g_test_add_func ("/ledger/questions/pipe-does-not-wait", test_pipe_does_not_wait);
  return g_test_run ();
}
