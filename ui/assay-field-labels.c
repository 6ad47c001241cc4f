/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-field-labels.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#define WIDE_COLON "："

static gboolean
is_name_char (char c)
{
  return g_ascii_islower (c) || g_ascii_isdigit (c) || c == '_';
}

static gsize
name_length (const char *at)
{
  gsize length = 0;

  while (is_name_char (at[length]))
    length++;
  return length;
}

const char *
assay_field_labels_get (const char *name)
{
  g_return_val_if_fail (name != NULL, NULL);
  const AssayFieldId field = assay_field_from_name (name);

  if (assay_axis_from_name (name) == ASSAY_AXIS_EVALUATION_CRITERION)
    return _("Evaluation criterion");
  return field != ASSAY_FIELD_INVALID ? g_dgettext (GETTEXT_PACKAGE, assay_field_get_info (field)->label) : NULL;
}

/* NULL: not a field's name, or a word of the sentence. */
static const char *
name_get_label (const char *at, gsize length)
{
  g_autofree char *name = g_strndup (at, length);
  const gboolean told = at[length] == ':' || g_str_has_prefix (at + length, WIDE_COLON);

  return told || strchr (name, '_') != NULL ? assay_field_labels_get (name) : NULL;
}

/* Within a word that goes on with other letters, as in a path or an id, nothing is a name. */
static gboolean
stands_alone (const char *sentence, const char *at, gsize length)
{
  return (at == sentence || !(g_ascii_isalnum (at[-1]) || strchr ("-./\\", at[-1]) != NULL))
         && !(g_ascii_isalnum (at[length]) || (at[length] != '\0' && strchr ("-/\\", at[length]) != NULL));
}

char *
assay_field_labels_put (const char *sentence)
{
  g_return_val_if_fail (sentence != NULL, NULL);
  GString *out = g_string_new (NULL);

  for (const char *at = sentence; *at != '\0';)
    {
      const gsize length = name_length (at);
      const char *label
        = length > 0 && stands_alone (sentence, at, length) ? name_get_label (at, length) : NULL;
      if (label != NULL)
        g_string_append (out, label);
      else
        g_string_append_len (out, at, (gssize) MAX (length, 1));
      at += MAX (length, 1);
    }
  return g_string_free (out, FALSE);
}
