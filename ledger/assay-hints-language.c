/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-hints-language.c: is the answer written in the script of the question's language?
 *
 * Letters tell scripts and not languages: English and French look alike to this, and it says so. A number, a
 * formula or a name of a few letters tells nothing either way. */
#include "assay-hints-private.h"

#include <string.h>

#include <glib/gi18n-lib.h>

typedef enum
{
  SCRIPT_LATIN,
  SCRIPT_HAN,
  SCRIPT_KANA,
  SCRIPT_HANGUL,
  SCRIPT_CYRILLIC,
  SCRIPT_GREEK,
  SCRIPT_ARABIC,
  SCRIPT_HEBREW,
  SCRIPT_DEVANAGARI,
  SCRIPT_THAI,
  SCRIPT_OTHER,
  N_SCRIPTS,
} Script;

#define FEWEST_LETTERS 4u /* against the language: fewer may be a name or a formula */

static const struct
{
  const char *language;
  Script script;
} language_scripts[] = {
  { "zh", SCRIPT_HAN },        { "ja", SCRIPT_KANA },       { "ko", SCRIPT_HANGUL },
  { "ru", SCRIPT_CYRILLIC },   { "uk", SCRIPT_CYRILLIC },   { "bg", SCRIPT_CYRILLIC },
  { "be", SCRIPT_CYRILLIC },   { "mk", SCRIPT_CYRILLIC },   { "el", SCRIPT_GREEK },
  { "ar", SCRIPT_ARABIC },     { "fa", SCRIPT_ARABIC },     { "ur", SCRIPT_ARABIC },
  { "he", SCRIPT_HEBREW },     { "hi", SCRIPT_DEVANAGARI }, { "mr", SCRIPT_DEVANAGARI },
  { "ne", SCRIPT_DEVANAGARI }, { "th", SCRIPT_THAI },       { "en", SCRIPT_LATIN },
  { "de", SCRIPT_LATIN },      { "fr", SCRIPT_LATIN },      { "es", SCRIPT_LATIN },
  { "it", SCRIPT_LATIN },      { "pt", SCRIPT_LATIN },      { "nl", SCRIPT_LATIN },
  { "sv", SCRIPT_LATIN },      { "da", SCRIPT_LATIN },      { "nb", SCRIPT_LATIN },
  { "fi", SCRIPT_LATIN },      { "pl", SCRIPT_LATIN },      { "cs", SCRIPT_LATIN },
  { "hu", SCRIPT_LATIN },      { "ro", SCRIPT_LATIN },      { "tr", SCRIPT_LATIN },
  { "vi", SCRIPT_LATIN },      { "id", SCRIPT_LATIN },
};

static const char *
script_get_label (Script script)
{
  switch (script)
    {
    case SCRIPT_LATIN:
      return C_ ("script", "Latin letters");
    case SCRIPT_HAN:
      return C_ ("script", "Chinese characters");
    case SCRIPT_KANA:
      return C_ ("script", "Japanese kana");
    case SCRIPT_HANGUL:
      return C_ ("script", "Hangul");
    case SCRIPT_CYRILLIC:
      return C_ ("script", "Cyrillic letters");
    case SCRIPT_GREEK:
      return C_ ("script", "Greek letters");
    case SCRIPT_ARABIC:
      return C_ ("script", "Arabic letters");
    case SCRIPT_HEBREW:
      return C_ ("script", "Hebrew letters");
    case SCRIPT_DEVANAGARI:
      return C_ ("script", "Devanagari");
    case SCRIPT_THAI:
      return C_ ("script", "Thai letters");
    case SCRIPT_OTHER:
    case N_SCRIPTS:
    default:
      return C_ ("script", "letters of another script");
    }
}

static Script
script_of (gunichar c)
{
  switch (g_unichar_get_script (c))
    {
    case G_UNICODE_SCRIPT_LATIN:
      return SCRIPT_LATIN;
    case G_UNICODE_SCRIPT_HAN:
      return SCRIPT_HAN;
    case G_UNICODE_SCRIPT_HIRAGANA:
    case G_UNICODE_SCRIPT_KATAKANA:
      return SCRIPT_KANA;
    case G_UNICODE_SCRIPT_HANGUL:
      return SCRIPT_HANGUL;
    case G_UNICODE_SCRIPT_CYRILLIC:
      return SCRIPT_CYRILLIC;
    case G_UNICODE_SCRIPT_GREEK:
      return SCRIPT_GREEK;
    case G_UNICODE_SCRIPT_ARABIC:
      return SCRIPT_ARABIC;
    case G_UNICODE_SCRIPT_HEBREW:
      return SCRIPT_HEBREW;
    case G_UNICODE_SCRIPT_DEVANAGARI:
      return SCRIPT_DEVANAGARI;
    case G_UNICODE_SCRIPT_THAI:
      return SCRIPT_THAI;
    default:
      return SCRIPT_OTHER;
    }
}

typedef struct
{
  guint n[N_SCRIPTS], all;
} Letters;

static void
letters_count (Letters *self, const char *text, gsize length)
{
  *self = (Letters){ .all = 0 };
  for (gsize i = 0; i < length;)
    {
      const gunichar c = g_utf8_get_char_validated (text + i, (gssize) (length - i));
      if (c == (gunichar) -1 || c == (gunichar) -2)
        {
          i++;
          continue;
        }
      i += (gsize) MAX (1, g_unichar_to_utf8 (c, NULL));
      if (!g_unichar_isalpha (c))
        continue;
      self->n[script_of (c)]++;
      self->all++;
    }
}

/* The script of more than half of the letters; N_SCRIPTS when there is none. A word of Japanese has both of
 * its own. */
static Script
letters_get_main (const Letters *self)
{
  for (Script script = 0; script < N_SCRIPTS; script++)
    if (self->n[script] * 2 > self->all)
      return script;
  if (self->n[SCRIPT_KANA] > 0 && (self->n[SCRIPT_KANA] + self->n[SCRIPT_HAN]) * 2 > self->all)
    return SCRIPT_KANA;
  return N_SCRIPTS;
}

/* From the question's language, else from how it is written. */
static Script
question_get_script (const AssayQuestion *question)
{
  Letters letters;
  for (guint i = 0; question->language != NULL && i < G_N_ELEMENTS (language_scripts); i++)
    if (g_ascii_strncasecmp (question->language, language_scripts[i].language, 2) == 0
        && !g_ascii_isalpha (question->language[2]))
      return language_scripts[i].script;
  if (question->text == NULL)
    return N_SCRIPTS;
  letters_count (&letters, question->text, MIN (strlen (question->text), HINT_MOST_BYTES));
  return letters.n[SCRIPT_KANA] > 0 && letters_get_main (&letters) == SCRIPT_HAN
             ? SCRIPT_KANA
             : letters_get_main (&letters);
}

static gboolean
scripts_agree (Script wanted, const Letters *letters, Script found)
{
  if (wanted == SCRIPT_KANA) /* Japanese is written with both */
    return found == SCRIPT_KANA || (found == SCRIPT_HAN && letters->n[SCRIPT_KANA] > 0);
  return found == wanted;
}

static char *
language_dup_agreement (Script found)
{
  if (found == SCRIPT_LATIN)
    return g_strdup (
        _("Written in Latin letters, like the question; which language it is, letters do not tell."));
  return g_strdup_printf (_("Written in the question's script: %s."), script_get_label (found));
}

AssayHint *
hint_of_language (const AssayQuestion *question, const AssayOutput *output)
{
  Letters letters;
  if (question == NULL || output->text == NULL || output->text_length == 0)
    return NULL;
  const Script wanted = question_get_script (question);
  if (wanted == N_SCRIPTS || wanted == SCRIPT_OTHER)
    return NULL;
  letters_count (&letters, output->text, MIN (output->text_length, HINT_MOST_BYTES));
  const Script found = letters_get_main (&letters);
  if (letters.all == 0)
    return hint_new (ASSAY_HINT_LANGUAGE, ASSAY_HINT_CANNOT_TELL,
                     g_strdup (_("The language cannot be told: there are no letters in it.")));
  if (found != N_SCRIPTS && scripts_agree (wanted, &letters, found))
    return hint_new (ASSAY_HINT_LANGUAGE, ASSAY_HINT_FAVOURABLE, language_dup_agreement (found));
  if (letters.all < FEWEST_LETTERS || (wanted == SCRIPT_KANA && found == SCRIPT_HAN))
    return hint_new (
        ASSAY_HINT_LANGUAGE, ASSAY_HINT_CANNOT_TELL,
        g_strdup (_("The language cannot be told: these few characters may be of more than one.")));
  if (found == N_SCRIPTS)
    return hint_new (
        ASSAY_HINT_LANGUAGE, ASSAY_HINT_CANNOT_TELL,
        g_strdup (
            _("The language cannot be told: several scripts are mixed, none of them for the most part.")));
  return hint_new (
      ASSAY_HINT_LANGUAGE, ASSAY_HINT_DOUBTFUL,
      /* translators: two scripts, such as "Latin letters" and "Hangul" */
      g_strdup_printf (_("Mostly written in %s, while the question's language is written in %s."),
                       script_get_label (found), script_get_label (wanted)));
}
