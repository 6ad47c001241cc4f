/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-criteria.c: thresholds, criteria and questions; plain data of a ledger's header. */
#include <glib/gi18n-lib.h>

#include "assay-ledger.h"
#include "assay-timestamp.h"

static const char *const kind_names[] = { "scale", "yes_no", "free" }; /* in AssayCriterionKind's order */

const char *
assay_criterion_kind_get_name (AssayCriterionKind kind)
{
  g_return_val_if_fail (kind < G_N_ELEMENTS (kind_names), NULL);
  return kind_names[kind];
}

gboolean
assay_criterion_kind_from_name (const char *name, AssayCriterionKind *kind)
{
  for (guint i = 0; name != NULL && i < G_N_ELEMENTS (kind_names); i++)
    if (g_str_equal (name, kind_names[i]))
      {
        *kind = (AssayCriterionKind) i;
        return TRUE;
      }
  return FALSE;
}

AssayCriterion *
assay_criterion_new (const char *id, AssayCriterionKind kind)
{
  AssayCriterion *self = g_new0 (AssayCriterion, 1);
  self->id = g_strdup (id);
  self->kind = kind;
  return self;
}

AssayCriterion *
assay_criterion_copy (const AssayCriterion *self)
{
  AssayCriterion *copy = assay_criterion_new (self->id, self->kind);
  copy->label = g_strdup (self->label);
  copy->low = g_strdup (self->low);
  copy->high = g_strdup (self->high);
  copy->pass = self->pass;
  copy->per_question = self->per_question;
  copy->required = self->required;
  return copy;
}

gboolean
assay_criterion_equal (const AssayCriterion *a, const AssayCriterion *b)
{
  return g_strcmp0 (a->id, b->id) == 0 && g_strcmp0 (a->label, b->label) == 0 && a->kind == b->kind
         && g_strcmp0 (a->low, b->low) == 0 && g_strcmp0 (a->high, b->high) == 0 && a->pass == b->pass
         && a->per_question == b->per_question && a->required == b->required;
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
  copy->changed_at = g_strdup (self->changed_at);
  copy->changed_from = g_strdup (self->changed_from);
  for (guint i = 0; i < self->criteria->len; i++)
    g_ptr_array_add (copy->criteria, assay_criterion_copy (g_ptr_array_index (self->criteria, i)));
  return copy;
}

void
assay_criteria_free (AssayCriteria *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->criteria);
  g_free (self->changed_at);
  g_free (self->changed_from);
  g_free (self);
}

gboolean
assay_criteria_same_quality (const AssayCriteria *a, const AssayCriteria *b)
{
  for (guint i = 0; i < a->criteria->len && i < b->criteria->len; i++)
    if (!assay_criterion_equal (g_ptr_array_index (a->criteria, i), g_ptr_array_index (b->criteria, i)))
      return FALSE;
  return a->criteria->len == b->criteria->len;
}

static gboolean
criteria_same_thresholds (const AssayCriteria *a, const AssayCriteria *b)
{
  return a->vram_budget == b->vram_budget && a->max_ram == b->max_ram
         && a->time_limit_seconds == b->time_limit_seconds
         && a->mean_latency_seconds == b->mean_latency_seconds && a->max_retry_rate == b->max_retry_rate
         && a->min_tokens_per_second == b->min_tokens_per_second;
}

gboolean
assay_criteria_equal (const AssayCriteria *a, const AssayCriteria *b)
{
  return assay_criteria_same_quality (a, b) && criteria_same_thresholds (a, b)
         && g_strcmp0 (a->changed_at, b->changed_at) == 0 && g_strcmp0 (a->changed_from, b->changed_from) == 0;
}

char *
assay_criteria_dup_ids (const AssayCriteria *self)
{
  GString *ids = g_string_new (NULL);

  for (guint i = 0; i < self->criteria->len; i++)
    g_string_append_printf (ids, "%s%s", i > 0 ? ", " : "",
                            ((const AssayCriterion *) g_ptr_array_index (self->criteria, i))->id);
  return g_string_free (ids, ids->len == 0);
}

gboolean
assay_criteria_is_earlier (const AssayCriteria *self, const AssayReview *review)
{
  gint64 changed, written;

  return self->changed_at != NULL && review->at != NULL
         && assay_timestamp_parse (self->changed_at, &changed) == ASSAY_TIMESTAMP_VALID
         && assay_timestamp_parse (review->at, &written) == ASSAY_TIMESTAMP_VALID && written < changed;
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
