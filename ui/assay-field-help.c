/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-field-help.h"

#include <glib/gi18n-lib.h>

#include "assay-field-choices.h"

static void
help_add (GString *text, char *line)
{
  g_string_append_printf (text, "\n%s", line);
  g_free (line);
}

static void
help_add_unit (GString *text, const AssayFieldInfo *info)
{
  if (info->unit == ASSAY_UNIT_BYTES)
    help_add (text, g_strdup (_("Unit: bytes; KiB, MiB and GiB can be typed")));
  else if (info->unit == ASSAY_UNIT_SECONDS)
    help_add (text, g_strdup (_("Unit: seconds; ms, min and h can be typed")));
  else if (info->unit != ASSAY_UNIT_NONE)
    help_add (text, g_strdup_printf (_("Unit: %s"), assay_unit_get_name (info->unit)));
}

static void
help_add_choices (GString *text, AssayFieldId field, const char *const *choices)
{
  g_autoptr(GPtrArray) labels = g_ptr_array_new_with_free_func (g_free);
  for (; *choices != NULL; choices++)
    g_ptr_array_add (labels, assay_field_choices_dup_label (field, *choices));
  g_ptr_array_add (labels, NULL);
  g_autofree char *joined = g_strjoinv (", ", (char **) labels->pdata);
  help_add (text, g_strdup_printf (_("Values: %s"), joined));
}

/* "min..max", either end of which may be left out. */
static void
help_add_range (GString *text, const char *domain)
{
  g_auto(GStrv) ends = g_strsplit (domain, "..", 2);
  if (g_strv_length (ends) != 2)
    return;
  if (*ends[0] != '\0' && *ends[1] != '\0')
    help_add (text, g_strdup_printf (_("From %s to %s"), ends[0], ends[1]));
  else if (*ends[0] != '\0')
    help_add (text, g_strdup_printf (_("%s or more"), ends[0]));
  else if (*ends[1] != '\0')
    help_add (text, g_strdup_printf (_("%s at most"), ends[1]));
}

char *
assay_field_help_dup_text (AssayFieldId field)
{
  const AssayFieldInfo *info = assay_field_get_info (field);
  const char *const *choices = assay_field_choices_get (field);
  g_autoptr(GString) text = g_string_new (NULL);
  /* Translators: the full stop behind the one line that explains a field */
  g_string_append_printf (text, _("%s."), g_dgettext (GETTEXT_PACKAGE, info->help));
  help_add (text, g_strdup_printf (_("In the record: %s"), info->name));
  help_add_unit (text, info);
  if (choices != NULL)
    help_add_choices (text, field, choices);
  else
    help_add_range (text, info->domain);
  if (info->axis != ASSAY_AXIS_NONE)
    help_add (text, g_strdup_printf (_("A change counts as the axis %s"), assay_axis_get_name (info->axis)));
  else
    help_add (text, g_strdup (_("A change is no axis: runs stay comparable")));
  return g_string_free (g_steal_pointer (&text), FALSE);
}

const char *
assay_field_help_get_lock_reason (AssayDraft *draft, AssayFieldId field)
{
  const char *idle = assay_draft_get_idle_reason (draft, field);
  if (idle != NULL)
    return idle;
  if (assay_draft_can_unlock (draft, field))
    return _("Held fixed: one thing changes");
  if (field == ASSAY_FIELD_QUESTION_SET)
    return _("Held fixed: a ledger asks one set of questions, so that answers can be compared");
  if (assay_draft_is_from_file (field))
    return _("Held fixed: a fact of the model file, and another one with it");
  return _("Held fixed: a difference in it explains nothing, so it is no change of its own");
}
