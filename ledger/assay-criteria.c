/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-criteria.c: thresholds, criteria and questions; plain data of a ledger's header. */
#include <glib/gi18n-lib.h>

#include "assay-ledger.h"

AssayCriterion *
assay_criterion_new (const char *id, AssayCriterionKind kind)
{
  AssayCriterion *self = g_new0 (AssayCriterion, 1);
  self->id = g_strdup (id);
  self->kind = kind;
  return self;
}

static AssayCriterion *
criterion_copy (const AssayCriterion *self)
{
  AssayCriterion *copy = assay_criterion_new (self->id, self->kind);
  copy->label = g_strdup (self->label);
  copy->low = g_strdup (self->low);
  copy->high = g_strdup (self->high);
  copy->pass = self->pass;
  copy->per_question = self->per_question;
  return copy;
}

void
assay_criterion_free (AssayCriterion *self)
{
  if (self == NULL)
    return;
  g_free (self->id);
  g_free (self->label);
  g_free (self->low);
  g_free (self->high);
  g_free (self);
}

AssayCriteria *
assay_criteria_new (void)
{
  AssayCriteria *self = g_new0 (AssayCriteria, 1);
  self->vram_budget = self->max_ram = -1;
  self->time_limit_seconds = self->mean_latency_seconds = self->max_retry_rate = self->min_tokens_per_second
      = -1;
  self->criteria = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_criterion_free);
  return self;
}

static void
criteria_add_scale (AssayCriteria *self, const char *id, const char *low, const char *high,
                    gboolean per_question)
{
  AssayCriterion *criterion = assay_criterion_new (id, ASSAY_CRITERION_SCALE);
  criterion->low = g_strdup (low);
  criterion->high = g_strdup (high);
  criterion->pass = 4;
  criterion->per_question = per_question;
  g_ptr_array_add (self->criteria, criterion);
}

static void
criteria_add_yes_no (AssayCriteria *self, const char *id, gboolean per_question)
{
  AssayCriterion *criterion = assay_criterion_new (id, ASSAY_CRITERION_YES_NO);
  criterion->pass = 1;
  criterion->per_question = per_question;
  g_ptr_array_add (self->criteria, criterion);
}

AssayCriteria *
assay_criteria_new_default (AssayTask task)
{
  AssayCriteria *self = assay_criteria_new ();

  switch (task)
    {
    case ASSAY_TASK_IMAGE:
      criteria_add_scale (self, "style_kept", _("another style"), _("the same style"), FALSE);
      criteria_add_scale (self, "pose_kept", _("another pose"), _("the same pose"), FALSE);
      criteria_add_scale (self, "identity_kept", _("someone else"), _("the same person"), FALSE);
      break;
    case ASSAY_TASK_MASK:
      criteria_add_scale (self, "mask_quality", _("misses the object"), _("follows its edge"), FALSE);
      break;
    case ASSAY_TASK_LANGUAGE:
    case ASSAY_TASK_ANY:
    default:
      criteria_add_yes_no (self, "expected_answer_seen", TRUE);
      criteria_add_scale (self, "groundedness", _("invented"), _("supported"), FALSE);
      break;
    }
  return self;
}

AssayCriteria *
assay_criteria_copy (const AssayCriteria *self)
{
  AssayCriteria *copy = assay_criteria_new ();

  copy->vram_budget = self->vram_budget;
  copy->time_limit_seconds = self->time_limit_seconds;
  copy->mean_latency_seconds = self->mean_latency_seconds;
  copy->max_retry_rate = self->max_retry_rate;
  copy->min_tokens_per_second = self->min_tokens_per_second;
  copy->max_ram = self->max_ram;
  for (guint i = 0; i < self->criteria->len; i++)
    g_ptr_array_add (copy->criteria, criterion_copy (g_ptr_array_index (self->criteria, i)));
  return copy;
}

void
assay_criteria_free (AssayCriteria *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->criteria);
  g_free (self);
}

const AssayCriterion *
assay_criteria_find (const AssayCriteria *self, const char *id)
{
  for (guint i = 0; i < self->criteria->len; i++)
    {
      const AssayCriterion *criterion = g_ptr_array_index (self->criteria, i);
      if (g_strcmp0 (criterion->id, id) == 0)
        return criterion;
    }
  return NULL;
}

AssayQuestion *
assay_question_new (const char *id, const char *text)
{
  AssayQuestion *self = g_new0 (AssayQuestion, 1);
  self->id = g_strdup (id);
  self->text = g_strdup (text);
  return self;
}

void
assay_question_free (AssayQuestion *self)
{
  if (self == NULL)
    return;
  g_free (self->id);
  g_free (self->language);
  g_free (self->text);
  g_free (self->expected);
  g_free (self->hint);
  g_free (self);
}
