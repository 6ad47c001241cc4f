/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-child.c: whether a run that continues another one changed what was planned, and only that.
 *
 * Asked twice. Before the run, of what a person chose and of the model's file: two changes are refused, since
 * nothing could be learnt from them. After it, of everything the record knows: the environment may have
 * moved, or the runtime may have moved something along, and then the plan was not kept although nobody broke
 * it. */
#include "assay-child.h"

#include <glib/gi18n-lib.h>

#include "assay-axes-private.h"

/* The field or axis that was to change, or NULL. */
static const char *
child_get_plan (AssayRecord *parent, AssayRecord *child)
{
  const AssayNextTrial *next = assay_record_get_next_trial (parent);
  const char *changed = assay_record_get_changed (child);
  const char *name = changed != NULL ? changed : next != NULL && next->invalid == NULL ? next->axis : NULL;
  return assay_axis_from_name (name) != ASSAY_AXIS_NONE ? name : NULL;
}

/* What was asked of the field and did not come, as "model instead of group"; NULL where it came. */
static char *
child_dup_miss (AssayRecord *child, AssayFieldId field)
{
  const AssayAxesSide asked = { .values = assay_record_get_conditions (child) },
                      effective = { .record = child };
  if (field == ASSAY_FIELD_INVALID || axes_leaves_choice (asked.values, field)
      || axes_are_same (&asked, &effective, field))
    return NULL;
  g_autofree char *wanted = axes_side_dup_text (&asked, field);
  g_autofree char *was = axes_side_dup_text (&effective, field);
  g_autofree char *shown_wanted = NULL, *shown_was = NULL;
  axes_dup_shown (field, wanted, was, &shown_wanted, &shown_was);
  return g_strdup_printf (_("%s instead of %s"), was != NULL ? shown_was : _("unknown"), shown_wanted);
}

/* After the run */

static AssayDifference *
difference_copy (const AssayDifference *self)
{
  AssayDifference *copy = g_memdup2 (self, sizeof *self);
  copy->from = g_strdup (self->from);
  copy->to = g_strdup (self->to);
  return copy;
}

/* Sorts the differences into the planned one, which is returned, those that moved along, and those one side
 * is silent about. */
static const AssayDifference *
verdict_sort (AssayChildVerdict *self, GPtrArray *differences)
{
  g_autoptr(GStrvBuilder) unknown = g_strv_builder_new ();
  const AssayDifference *planned = NULL;
  for (guint i = 0; i < differences->len; i++)
    {
      const AssayDifference *difference = g_ptr_array_index (differences, i);
      const gboolean silent = difference->from == NULL || difference->to == NULL;
      if (difference->axis == self->planned)
        planned = difference;
      else if (!difference->implied && silent && assay_axis_is_hidden (difference->axis))
        g_strv_builder_add (unknown, assay_field_get_info (difference->field)->name);
      else if (!difference->implied)
        g_ptr_array_add (self->also, difference_copy (difference));
    }
  self->unknown = g_strv_builder_end (unknown);
  return planned;
}

static void
words_add_move (GString *words, const char *name, const AssayDifference *planned)
{
  g_autofree char *from = NULL, *to = NULL;
  axes_dup_shown (planned->field, planned->from, planned->to, &from, &to);
  g_string_append_printf (words, _("%s moved as planned (%s → %s)"), name, from, to);
}

static void
words_add_plan (GString *words, const AssayChildVerdict *self, const AssayDifference *planned,
                const char *miss)
{
  if (self->planned == ASSAY_AXIS_EVALUATION_CRITERION)
    g_string_append_printf (words, _("%s was to change, which is the ledger's and not told by runs"),
                            self->name);
  else if (miss != NULL)
    g_string_append_printf (words, _("%s did not move as planned: %s"), self->name, miss);
  else if (planned == NULL)
    g_string_append_printf (words, _("%s did not move, though that was planned"), self->name);
  else
    words_add_move (words, self->name, planned);
}

static char *
verdict_dup_words (const AssayChildVerdict *self, const AssayDifference *planned, const char *miss)
{
  g_autofree char *also = assay_axes_describe (self->also);
  g_autofree char *unknown = g_strjoinv (", ", self->unknown);
  GString *words = g_string_new (NULL);
  words_add_plan (words, self, planned, miss);
  if (*also != '\0')
    g_string_append_printf (words, _("; also moved: %s"), also);
  else
    g_string_append (words, _("; nothing else moved"));
  if (*unknown != '\0')
    g_string_append_printf (words, _("; not known of both runs: %s"), unknown);
  return g_string_free (words, FALSE);
}

AssayChildVerdict *
assay_child_verdict (AssayRecord *parent, AssayRecord *child)
{
  g_return_val_if_fail (ASSAY_IS_RECORD (parent) && ASSAY_IS_RECORD (child), NULL);
  const char *name = child_get_plan (parent, child);
  if (name == NULL || assay_record_is_damaged (parent) || assay_record_is_damaged (child))
    return NULL;
  AssayChildVerdict *self = g_new0 (AssayChildVerdict, 1);
  g_autoptr(GPtrArray) differences = assay_axes_diff (parent, child);
  g_autofree char *miss = child_dup_miss (child, assay_field_from_name (name));
  self->planned = assay_axis_from_name (name);
  self->name = g_strdup (name);
  self->also = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_difference_free);
  const AssayDifference *planned = verdict_sort (self, differences);
  self->moved_as_planned
      = miss == NULL && (planned != NULL || self->planned == ASSAY_AXIS_EVALUATION_CRITERION);
  self->satisfied = self->moved_as_planned && self->also->len == 0;
  self->words = verdict_dup_words (self, planned, miss);
  return self;
}

void
assay_child_verdict_free (AssayChildVerdict *self)
{
  if (self == NULL)
    return;
  g_free (self->name);
  g_ptr_array_unref (self->also);
  g_strfreev (self->unknown);
  g_free (self->words);
  g_free (self);
}

/* Before the run */

static gboolean
side_holds (const AssayAxesSide *side, AssayFieldId field)
{
  const AssayValues *values = axes_side_get_values (side, &field);
  return assay_values_get_state (values, field) == ASSAY_VALUE_SET;
}

/* Whether it is certain by now that the field moved. A number or a choice that the parent does not tell was
 * the engine's, perhaps of a release that did not record it; a text that it does not tell was empty. */
static gboolean
check_is_moved (const AssayAxesSide *parent, const AssayAxesSide *child, AssayFieldId field)
{
  const AssayFieldInfo *info = assay_field_get_info (field);
  const AssayValues *asked = assay_record_get_conditions (child->record);
  const gboolean told = side_holds (parent, field);
  if (axes_are_same (parent, child, field))
    return FALSE;
  if (assay_axis_is_hidden (info->axis))
    return told && side_holds (child, field);
  if (axes_leaves_choice (asked, field)
      && assay_values_get_state (assay_record_get_effective (child->record), field) != ASSAY_VALUE_SET)
    return told && !axes_leaves_choice (assay_record_get_conditions (parent->record), field);
  return told || info->type == ASSAY_VALUE_TYPE_TEXT;
}

static AssayDifference *
check_difference_new (const AssayAxesSide *parent, const AssayAxesSide *child, AssayFieldId field)
{
  AssayDifference *difference = g_new0 (AssayDifference, 1);
  difference->axis = assay_field_get_info (field)->axis;
  difference->field = field;
  difference->from = axes_side_dup_text (parent, field);
  difference->to = axes_side_dup_text (child, field);
  return difference;
}

/* Files are replaced by people: what they hold is asked of, though nobody chose it in the conditions. */
static gboolean
axis_is_content (AssayAxis axis)
{
  return axis == ASSAY_AXIS_MODEL_CONTENT || axis == ASSAY_AXIS_ATTACHED_CONTENT;
}

/* What beside the planned axis is certain to have moved, one an axis. Without a plan only what the files hold is asked
 * of: the conditions that a person changed at once are a trial of their own. */
static GPtrArray *
check_dup_moved (const AssayAxesSide *parent, const AssayAxesSide *child, AssayAxis planned)
{
  GPtrArray *moved = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_difference_free);
  AssayAxesMoves moves;
  guint64 seen = ASSAY_AXES_BIT (planned) | ASSAY_AXES_BIT (ASSAY_AXIS_NONE);
  axes_find_moves (&moves, parent, child);
  if (planned == ASSAY_AXIS_MODEL) /* another file is what was planned, even where it calls itself by the same name */
    moves.axes |= ASSAY_AXES_BIT (planned);
  for (AssayFieldId field = 0; field < ASSAY_N_FIELDS; field++)
    {
      const AssayFieldInfo *info = assay_field_get_info (field);
      const gboolean chosen = axis_is_content (info->axis)
                              || (planned != ASSAY_AXIS_NONE && !assay_axis_is_hidden (info->axis));
      if (info->group != ASSAY_GROUP_CONDITIONS || !chosen || (seen & ASSAY_AXES_BIT (info->axis))
          || !check_is_moved (parent, child, field) || axes_is_implied (info->axis, &moves, parent, child))
        continue;
      seen |= ASSAY_AXES_BIT (info->axis);
      g_ptr_array_add (moved, check_difference_new (parent, child, field));
    }
  return moved;
}

/* Another name for the same weights teaches nothing of another model. */
static gboolean
check_is_same_model (const AssayAxesSide *parent, const AssayAxesSide *child, AssayAxis planned)
{
  return planned == ASSAY_AXIS_MODEL && side_holds (parent, ASSAY_FIELD_MODEL_CONTENT_HASH)
         && axes_are_same (parent, child, ASSAY_FIELD_MODEL_CONTENT_HASH);
}

static char *
check_dup_words (AssayRecord *parent, const char *changed, GPtrArray *moved)
{
  const char *id = assay_record_get_id (parent);
  g_autofree char *what = assay_axes_describe (moved);
  if (changed == NULL)
    return g_strdup_printf (_("no change is planned against run %s, but its files were replaced: %s. "
                              "Put the file back, or run it as a trial of its own"),
                            id, what);
  return g_strdup_printf (
      _("one axis at a time: %s is the planned change against run %s, but this moved as well: %s. "
         "Set it back, or run it as a trial of its own"),
      changed, id, what);
}

char *
assay_child_check (AssayRecord *parent, AssayRecord *child)
{
  g_return_val_if_fail (ASSAY_IS_RECORD (parent) && ASSAY_IS_RECORD (child), NULL);
  const char *changed = assay_record_get_changed (child);
  const AssayAxis planned = assay_axis_from_name (changed);
  if ((changed != NULL && planned == ASSAY_AXIS_NONE) || assay_record_is_damaged (parent))
    return NULL;
  const AssayAxesSide before = { .record = parent }, after = { .record = child };
  if (check_is_same_model (&before, &after, planned))
    return g_strdup_printf (_("%s is the planned change against run %s, but the model is the same by its content: "
                              "choose another file (model_path)"),
                            changed, assay_record_get_id (parent));
  g_autoptr(GPtrArray) moved = check_dup_moved (&before, &after, planned);
  return moved->len > 0 ? check_dup_words (parent, changed, moved) : NULL;
}
