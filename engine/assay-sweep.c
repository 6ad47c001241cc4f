/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/assay-sweep.c: see the header. A child made here is a child like any other: the same base, the same change, the
 * same rules. */
#include "assay-sweep-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "assay-axes.h"
#include "assay-change.h"
#include "assay-trial.h"

typedef struct
{
  AssaySweep *out;
  AssayRecord *parent;
  AssayValues *base; /* the parent's conditions */
  gboolean all;      /* "*" was asked for: what breaks a rule is left out */
} Sweeping;

gboolean
assay_sweep_can (AssayFieldId field)
{
  const AssayFieldInfo *info = field < ASSAY_N_FIELDS ? assay_field_get_info (field) : NULL;
  switch (field)
    {
    case ASSAY_FIELD_MODEL_ID: /* facts of a file */
    case ASSAY_FIELD_MODEL_REVISION:
    case ASSAY_FIELD_MODEL_PATH:
    case ASSAY_FIELD_WEIGHT_FORMAT:
    case ASSAY_FIELD_ARCHITECTURE:
    case ASSAY_FIELD_OFFLOAD_API: /* follows from others */
    case ASSAY_FIELD_QUESTION_SET: /* the ledger's */
      return FALSE;
    default:
      return info != NULL && info->group == ASSAY_GROUP_CONDITIONS && info->axis != ASSAY_AXIS_NONE
             && info->section != ASSAY_SECTION_ENVIRONMENT && info->section != ASSAY_SECTION_NONE;
    }
}

static void G_GNUC_PRINTF (2, 3)
sweep_tell (AssaySweep *self, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_ptr_array_add (self->told, g_strdup_vprintf (format, args));
  va_end (args);
}

/* Why this value makes no trial, in the rule's words; NULL where it makes one. (transfer full) */
static char *
sweeping_dup_problem (Sweeping *s, AssayValues *conditions, guint n_axes, GPtrArray *differences)
{
  AssayFieldId field;
  g_autoptr (AssayValues) whole = assay_values_copy (conditions);
  if (n_axes > 1)
    {
      g_autofree char *axes = assay_axes_describe (differences);
      return g_strdup_printf (_("more than one axis would move: %s"), axes);
    }
  assay_trial_fill_defaults (whole);
  return assay_trial_check_conditions (whole, &field);
}

static gboolean
sweep_has (AssaySweep *self, AssayValues *conditions)
{
  for (guint i = 0; i < self->planned->len; i++)
    if (assay_values_equal (assay_record_get_conditions (self->planned->pdata[i]), conditions))
      return TRUE;
  return FALSE;
}

static gboolean
sweeping_add (Sweeping *s, const char *value, GError **error)
{
  const char *name = assay_field_get_info (s->out->field)->name, *run = assay_record_get_id (s->parent);
  g_autoptr (AssayValues) conditions = assay_values_copy (s->base);
  if (!assay_change_apply (conditions, s->out->field, value, error))
    return FALSE;
  g_autoptr (GPtrArray) differences = assay_axes_diff_conditions (s->base, conditions);
  const guint n_axes = assay_axes_count (differences);
  if (n_axes == 0)
    {
      g_autofree char *was = assay_values_dup_text (s->base, s->out->field);
      if (g_strcmp0 (was, value) == 0)
        sweep_tell (s->out, _("%s=%s is what run %s had: it is not run again"), name, value, run);
      else
        sweep_tell (s->out, _("%s=%s can have no effect in run %s: it is left out"), name, value, run);
      return TRUE;
    }
  if (sweep_has (s->out, conditions))
    {
      sweep_tell (s->out, _("%s=%s was named twice: it is run once"), name, value);
      return TRUE;
    }
  g_autofree char *problem = sweeping_dup_problem (s, conditions, n_axes, differences);
  if (problem == NULL)
    g_ptr_array_add (s->out->planned, assay_planned_new (conditions, run, name));
  else if (s->all)
    sweep_tell (s->out, _("%s=%s is left out: %s"), name, value, problem);
  else
    g_set_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_RULE, _("%s=%s cannot be run: %s"), name, value, problem);
  return problem == NULL || s->all;
}

static gboolean
sweeping_fill (Sweeping *s, const char *text, GError **error)
{
  g_autoptr (GPtrArray) values = sweep_read_values (s->out->field, text, error);
  if (values == NULL)
    return FALSE;
  for (guint i = 0; i < values->len; i++)
    if (!sweeping_add (s, values->pdata[i], error))
      return FALSE;
  if (s->out->planned->len > 0)
    return TRUE;
  g_autofree char *why = s->out->told->len > 0 ? g_strdup (s->out->told->pdata[0]) : g_strdup ("");
  g_set_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_RULE, _("the sweep would run nothing: %s"), why);
  return FALSE;
}

AssaySweep *
assay_sweep_new (AssayRecord *parent, AssayFieldId field, const char *values, GError **error)
{
  g_return_val_if_fail (ASSAY_IS_RECORD (parent) && field < ASSAY_N_FIELDS && values != NULL, NULL);
  const char *name = assay_field_get_info (field)->name;
  if (!assay_sweep_can (field))
    {
      g_set_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_RULE,
                   _("%s cannot be swept: it is no condition that is chosen by itself"), name);
      return NULL;
    }
  if (assay_record_is_damaged (parent))
    {
      g_set_error (error, ASSAY_LEDGER_ERROR, ASSAY_LEDGER_ERROR_RULE, _("run %s is damaged: nothing can continue it"),
                   assay_record_get_id (parent));
      return NULL;
    }
  g_autoptr (AssaySweep) self = g_new0 (AssaySweep, 1);
  self->field = field;
  self->planned = g_ptr_array_new_with_free_func (g_object_unref);
  self->told = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (AssayValues) base = assay_change_dup_base (parent);
  Sweeping sweeping = { .out = self, .parent = parent, .base = base, .all = g_regex_match_simple ("(^|,)\\s*\\*\\s*(,|$)", values, 0, 0) };
  return sweeping_fill (&sweeping, values, error) ? g_steal_pointer (&self) : NULL;
}

void
assay_sweep_set_repeats (AssaySweep *self, gint64 repeats)
{
  for (guint i = 0; i < self->planned->len; i++)
    {
      g_autoptr (AssayRecord) once = self->planned->pdata[i];
      g_autoptr (AssayValues) conditions = assay_values_copy (assay_record_get_conditions (once));
      assay_values_set_integer (conditions, ASSAY_FIELD_REPEATS, repeats);
      self->planned->pdata[i]
          = assay_planned_new (conditions, assay_record_get_parent (once), assay_record_get_changed (once));
    }
}

void
assay_sweep_free (AssaySweep *self)
{
  g_ptr_array_unref (self->planned);
  g_ptr_array_unref (self->told);
  g_free (self);
}
