/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-axes.c: what differs between two trials, as axes.
 *
 * Two passes. The first marks every axis of which a field differs. The second decides which of them a person
 * could have left alone (assay-axes-implied.c). The operation gate looks for the repeats of a run among thousands, so
 * the passes allocate nothing. */
#include "assay-axes-private.h"

#include <string.h>

#include <glib/gi18n-lib.h>

G_STATIC_ASSERT (ASSAY_N_AXES <= 64); /* sets of axes are bits */

#define SHOWN_CHARS 40

/* Sides */

static const AssayValues *
side_values (const AssayAxesSide *side, AssayFieldId field)
{
  return side->record != NULL ? assay_record_get_values_for (side->record, field) : side->values;
}

const AssayValues *
axes_side_get_values (const AssayAxesSide *side, AssayFieldId *field)
{
  const AssayValues *values = side_values (side, *field);
  if (*field != ASSAY_FIELD_V_CACHE_TYPE || assay_values_get_state (values, *field) == ASSAY_VALUE_SET)
    return values;
  *field = ASSAY_FIELD_KV_CACHE_TYPE;
  return side_values (side, *field);
}

const char *
axes_side_get_text (const AssayAxesSide *side, AssayFieldId field)
{
  const AssayValues *values = axes_side_get_values (side, &field);
  return assay_values_get_text (values, field);
}

gboolean
axes_side_is_greedy (const AssayAxesSide *side)
{
  double temperature = 1;
  return assay_values_get_real (side_values (side, ASSAY_FIELD_TEMPERATURE), ASSAY_FIELD_TEMPERATURE,
                                &temperature)
         && temperature == 0;
}

gboolean
axes_side_streams_nothing (const AssayAxesSide *side)
{
  const char *map = axes_side_get_text (side, ASSAY_FIELD_DEVICE_MAP);
  return g_strcmp0 (axes_side_get_text (side, ASSAY_FIELD_OFFLOAD_MODE), "none") == 0
         && (map == NULL || *map == '\0' || g_str_equal (map, "none"));
}

gboolean
axes_leaves_choice (const AssayValues *conditions, AssayFieldId field)
{
  gint64 seed;
  if (assay_values_get_state (conditions, field) != ASSAY_VALUE_SET)
    return TRUE;
  if (field == ASSAY_FIELD_SEED)
    return assay_values_get_integer (conditions, field, &seed) && seed == -1;
  return g_strcmp0 (assay_values_get_text (conditions, field), "auto") == 0;
}

/* Differences */

gboolean
axes_are_same (const AssayAxesSide *left, const AssayAxesSide *right, AssayFieldId field)
{
  AssayFieldId of_a = field, of_b = field;
  const AssayValues *a = axes_side_get_values (left, &of_a), *b = axes_side_get_values (right, &of_b);
  const gboolean a_set = assay_values_get_state (a, of_a) == ASSAY_VALUE_SET;
  const gboolean b_set = assay_values_get_state (b, of_b) == ASSAY_VALUE_SET;
  if (!a_set || !b_set)
    return a_set == b_set;
  gint64 i = 0, j = 0;
  double x = 0, y = 0;
  gboolean p = FALSE, q = FALSE;
  switch (assay_field_get_info (field)->type)
    {
    case ASSAY_VALUE_TYPE_INTEGER:
      return assay_values_get_integer (a, of_a, &i) && assay_values_get_integer (b, of_b, &j) && i == j;
    case ASSAY_VALUE_TYPE_REAL:
      return assay_values_get_real (a, of_a, &x) && assay_values_get_real (b, of_b, &y) && x == y;
    case ASSAY_VALUE_TYPE_BOOLEAN:
      return assay_values_get_boolean (a, of_a, &p) && assay_values_get_boolean (b, of_b, &q) && !p == !q;
    case ASSAY_VALUE_TYPE_TEXT:
    case ASSAY_VALUE_TYPE_CHOICE:
    default:
      return g_strcmp0 (assay_values_get_text (a, of_a), assay_values_get_text (b, of_b)) == 0;
    }
}

void
axes_find_moves (AssayAxesMoves *moves, const AssayAxesSide *a, const AssayAxesSide *b)
{
  moves->axes = 0;
  for (AssayFieldId field = 0; field < ASSAY_N_FIELDS; field++)
    {
      const AssayFieldInfo *info = assay_field_get_info (field);
      if (info->group != ASSAY_GROUP_CONDITIONS || info->axis == ASSAY_AXIS_NONE)
        continue;
      if ((moves->axes & ASSAY_AXES_BIT (info->axis)) || axes_are_same (a, b, field))
        continue;
      moves->axes |= ASSAY_AXES_BIT (info->axis);
      moves->first[info->axis] = field;
    }
}

char *
axes_side_dup_text (const AssayAxesSide *side, AssayFieldId field)
{
  const AssayValues *values = axes_side_get_values (side, &field);
  return assay_values_dup_text (values, field);
}

void
assay_difference_free (AssayDifference *self)
{
  if (self == NULL)
    return;
  g_free (self->from);
  g_free (self->to);
  g_free (self);
}

static AssayDifference *
difference_new (AssayAxis axis, const AssayAxesMoves *moves, const AssayAxesSide *a, const AssayAxesSide *b)
{
  AssayDifference *difference = g_new0 (AssayDifference, 1);
  const AssayFieldId field = moves->first[axis];
  difference->axis = axis;
  difference->field = field;
  difference->from = axes_side_dup_text (a, field);
  difference->to = axes_side_dup_text (b, field);
  difference->implied = axes_is_implied (axis, moves, a, b);
  return difference;
}

static GPtrArray *
axes_diff (const AssayAxesSide *a, const AssayAxesSide *b, gboolean with_hidden)
{
  GPtrArray *differences = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_difference_free);
  AssayAxesMoves moves;
  axes_find_moves (&moves, a, b);
  for (int hidden = 0; hidden <= (with_hidden ? 1 : 0); hidden++)
    for (AssayAxis axis = 0; axis < ASSAY_N_AXES; axis++)
      if ((moves.axes & ASSAY_AXES_BIT (axis)) && !assay_axis_is_hidden (axis) == !hidden)
        g_ptr_array_add (differences, difference_new (axis, &moves, a, b));
  return differences;
}

GPtrArray *
assay_axes_diff (AssayRecord *a, AssayRecord *b)
{
  g_return_val_if_fail (ASSAY_IS_RECORD (a) && ASSAY_IS_RECORD (b), NULL);
  return axes_diff (&(AssayAxesSide){ .record = a }, &(AssayAxesSide){ .record = b }, TRUE);
}

GPtrArray *
assay_axes_diff_conditions (const AssayValues *a, const AssayValues *b)
{
  g_return_val_if_fail (a != NULL && b != NULL, NULL);
  return axes_diff (&(AssayAxesSide){ .values = a }, &(AssayAxesSide){ .values = b }, FALSE);
}

guint
assay_axes_count (GPtrArray *differences)
{
  guint n = 0;
  for (guint i = 0; differences != NULL && i < differences->len; i++)
    n += !((AssayDifference *) g_ptr_array_index (differences, i))->implied;
  return n;
}

static char *
shown_cut (const char *value)
{
  if (value == NULL)
    return g_strdup (_("not set"));
  g_autofree char *valid = g_utf8_make_valid (value, -1);
  g_strdelimit (valid, "\n\r\t", ' ');
  if (g_utf8_strlen (valid, -1) <= SHOWN_CHARS)
    return g_steal_pointer (&valid);
  g_autofree char *head = g_utf8_substring (valid, 0, SHOWN_CHARS - 1);
  return g_strconcat (head, "…", NULL);
}

/* With a unit where it has one. NULL as it is. */
static char *
shown_dup_display (AssayFieldId field, const char *value)
{
  g_autoptr(AssayValues) values = assay_values_new ();
  if (value == NULL || !assay_values_parse (values, field, value, NULL))
    return g_strdup (value);
  return assay_values_dup_display (values, field);
}

void
axes_dup_shown (AssayFieldId field, const char *from, const char *to, char **shown_from, char **shown_to)
{
  g_autofree char *before = shown_dup_display (field, from);
  g_autofree char *after = shown_dup_display (field, to);
  const gboolean told_apart = g_strcmp0 (before, after) != 0; /* else rounding hides what differs */
  *shown_from = shown_cut (told_apart ? before : from);
  *shown_to = shown_cut (told_apart ? after : to);
}

/* Nobody sets a hidden axis: where one run does not state it, it was not known, and may or may not have moved. */
static void
describe_one (GString *text, const AssayDifference *difference)
{
  const char *name = assay_field_get_info (difference->field)->name;
  const gboolean half_known = (difference->from == NULL) != (difference->to == NULL);
  g_autofree char *from = NULL, *to = NULL;
  axes_dup_shown (difference->field, difference->from, difference->to, &from, &to);
  if (assay_axis_is_hidden (difference->axis) && half_known)
    g_string_append_printf (text, _("%s: %s, known of one run only, so that it may have moved"), name,
                            difference->from != NULL ? from : to);
  else
    g_string_append_printf (text, "%s: %s → %s", name, from, to);
}

char *
assay_axes_describe (GPtrArray *differences)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; differences != NULL && i < differences->len; i++)
    {
      const AssayDifference *difference = g_ptr_array_index (differences, i);
      if (difference->implied)
        continue;
      if (text->len > 0)
        g_string_append (text, ", ");
      describe_one (text, difference);
    }
  return g_string_free (text, FALSE);
}
