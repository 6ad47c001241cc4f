/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-display-text.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "assay-record.h"

/* A control character as its picture from U+2400; tabs and line ends stay. */
static void
append_visible (GString *text, gunichar c)
{
  if (c == '\n' || c == '\t')
    g_string_append_unichar (text, c);
  else if (c < 0x20)
    g_string_append_unichar (text, 0x2400 + c);
  else if (c == 0x7f)
    g_string_append_unichar (text, 0x2421);
  else
    g_string_append_unichar (text, c);
}

char *
assay_display_text (const char *bytes, gsize length, gsize max_chars, gboolean *cut)
{
  const gsize most = max_chars <= G_MAXSIZE / 4 ? max_chars * 4 : G_MAXSIZE; /* no character is longer */
  gsize taken = MIN (length, most);
  g_autofree char *valid = NULL;
  GString *text = g_string_sized_new (taken);
  gsize n_chars = 0;

  while (taken > 0 && taken < length && ((guchar) bytes[taken] & 0xc0) == 0x80)
    taken--; /* not in the middle of a character */
  valid = g_utf8_make_valid (bytes, taken);
  const char *p = valid;
  for (; *p != '\0' && n_chars < max_chars; p = g_utf8_next_char (p), n_chars++)
    append_visible (text, g_utf8_get_char (p));
  if (cut != NULL)
    *cut = *p != '\0' || taken < length;
  return g_string_free (text, FALSE);
}

char *
assay_display_line (const char *text, gsize max_chars)
{
  gboolean cut;
  g_autofree char *shown = assay_display_text (text, strlen (text), max_chars, &cut);

  g_strdelimit (shown, "\n\t", ' ');
  return cut ? g_strconcat (shown, "…", NULL) : g_steal_pointer (&shown);
}

char *
assay_display_value (AssayFieldId field, const char *text, gsize max_chars)
{
  g_autoptr(AssayValues) values = assay_values_new ();
  g_autofree char *shown = NULL;

  if (text == NULL)
    return g_strdup (_("not set"));
  if (field < ASSAY_N_FIELDS && assay_values_parse (values, field, text, NULL))
    shown = assay_values_dup_display (values, field);
  return assay_display_line (shown != NULL ? shown : text, max_chars);
}

static gsize
word_length (const char *text)
{
  gsize n = 0;

  while (g_ascii_isalnum (text[n]) || text[n] == '_')
    n++;
  return n;
}

/* Names of one plain word, such as "device", are left: there they may be that word. (transfer none) */
static const char *
word_get_label (const char *word)
{
  const AssayFieldId field = strchr (word, '_') != NULL ? assay_field_from_name (word) : ASSAY_FIELD_INVALID;

  return field < ASSAY_N_FIELDS ? g_dgettext (GETTEXT_PACKAGE, assay_field_get_info (field)->label) : NULL;
}

char *
assay_display_labels (const char *text)
{
  GString *shown = g_string_new (NULL);

  while (*text != '\0')
    {
      const gsize length = word_length (text), taken = MAX (length, 1);
      g_autofree char *word = g_strndup (text, taken);
      const char *label = length > 0 ? word_get_label (word) : NULL;
      if (label != NULL)
        /* Translators: the label of a field, in a sentence */
        g_string_append_printf (shown, _("“%s”"), label);
      else
        g_string_append_len (shown, text, (gssize) taken);
      text += taken;
    }
  return g_string_free (shown, FALSE);
}

char *
assay_display_percent (double share)
{
  /* Rounded first: a share that is shown as nothing has no sign. */
  const double tenths = round (share * 1000.0);

  return g_strdup_printf ("%s%.1f %%", tenths < 0.0 ? "−" : tenths > 0.0 ? "+" : "", fabs (tenths) / 10.0);
}
