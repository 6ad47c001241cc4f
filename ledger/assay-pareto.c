/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-pareto.c: see the header. Settings are sorted by memory once for each kind; one walk along the order then
 * finds every one that no earlier one beats. */
#include "assay-pareto.h"

#include "assay-compare.h"
#include "assay-gates-private.h"
#include "assay-repeats.h"

#include <glib/gi18n-lib.h>

const char *
assay_pareto_reason_get_name (AssayParetoReason reason)
{
  static const char *const names[] = { "damaged", "no_peak", "no_time", "not_completed", "not_as_asked" };
  g_return_val_if_fail (reason < G_N_ELEMENTS (names), NULL);
  return names[reason];
}

static void
point_free (gpointer data)
{
  AssayParetoPoint *point = data;
  g_object_unref (point->representative);
  g_ptr_array_unref (point->runs);
  g_free (point);
}

static void
group_free (gpointer data)
{
  AssayParetoGroup *group = data;
  g_free (group->kind);
  g_free (group->label);
  g_ptr_array_unref (group->points);
  g_free (group);
}

static void
left_out_free (gpointer data)
{
  AssayParetoLeftOut *left_out = data;
  g_object_unref (left_out->record);
  g_free (left_out->words);
  g_free (left_out);
}

/* Left out */

static char *
left_out_dup_words (AssayRecord *record, AssayParetoReason reason)
{
  const char *id = assay_record_get_id (record);
  g_autofree char *deviation = NULL;
  switch (reason)
    {
    case ASSAY_PARETO_DAMAGED:
      return g_strdup_printf (_("run %s: its entry is damaged"), id);
    case ASSAY_PARETO_NO_PEAK:
      return g_strdup_printf (_("run %s: its own peak of memory is unknown"), id);
    case ASSAY_PARETO_NO_TIME:
      return g_strdup_printf (_("run %s: its time is unknown"), id);
    case ASSAY_PARETO_NOT_RUN:
      return g_strdup_printf (_("run %s: did not complete (%s)"), id,
                              assay_run_status_get_name (assay_record_get_status (record)));
    case ASSAY_PARETO_DEVIATES:
    default:
      deviation = assay_compare_dup_deviation (record);
      return g_strdup_printf (_("run %s: not what was asked for (%s)"), id, deviation);
    }
}

static void
pareto_leave_out (AssayPareto *self, AssayRecord *record, AssayParetoReason reason)
{
  AssayParetoLeftOut *left_out = g_new0 (AssayParetoLeftOut, 1);
  left_out->record = g_object_ref (record);
  left_out->reason = reason;
  left_out->words = left_out_dup_words (record, reason);
  g_ptr_array_add (self->left_out, left_out);
}

/* Points */

static gboolean
record_get_figures (AssayRecord *record, AssayFieldId peak, double *bytes, double *seconds)
{
  const AssayValues *burden = assay_record_get_burden (record);
  return assay_values_get_real (burden, peak, bytes)
         && assay_values_get_real (burden, ASSAY_FIELD_ELAPSED_SECONDS, seconds);
}

/* FALSE and a reason where this run alone makes no point. */
static gboolean
record_is_placed (AssayRecord *record, AssayParetoReason *reason)
{
  const AssayValues *burden = assay_record_get_burden (record);
  double ignored;
  if (assay_record_is_damaged (record))
    *reason = ASSAY_PARETO_DAMAGED;
  else if (!assay_values_get_real (burden, assay_compare_get_own_peak (record), &ignored))
    *reason = ASSAY_PARETO_NO_PEAK;
  else if (!assay_values_get_real (burden, ASSAY_FIELD_ELAPSED_SECONDS, &ignored))
    *reason = ASSAY_PARETO_NO_TIME;
  else
    return TRUE;
  return FALSE;
}

static AssayVerdict
setting_judge_quality (GPtrArray *runs)
{
  AssayVerdict verdict = ASSAY_VERDICT_NOT_JUDGED;
  for (guint i = 0; i < runs->len; i++)
    verdict = assay_gates_join (verdict, assay_gates_judge_quality (runs->pdata[i]));
  return verdict;
}

static const char *
record_get_peak_kind (AssayRecord *record)
{
  const AssayMeasure *measure
      = assay_values_get_measure (assay_record_get_burden (record), assay_compare_get_own_peak (record));
  return measure != NULL ? measure->kind : NULL;
}

static gboolean
record_measures_like (AssayRecord *record, AssayRecord *other)
{
  return assay_compare_get_own_peak (record) == assay_compare_get_own_peak (other)
         && g_strcmp0 (record_get_peak_kind (record), record_get_peak_kind (other)) == 0;
}

/* Those of the runs that completed and measured the same thing as the one that speaks for them. (transfer container) */
static GPtrArray *
point_dup_counted (AssayParetoPoint *point, AssayFieldId peak)
{
  GPtrArray *counted = g_ptr_array_new ();
  double bytes, seconds;
  for (guint i = 0; i < point->runs->len; i++)
    {
      AssayRecord *run = point->runs->pdata[i];
      if (assay_record_get_status (run) == ASSAY_STATUS_COMPLETED && record_measures_like (run, point->representative)
          && record_get_figures (run, peak, &bytes, &seconds))
        g_ptr_array_add (counted, run);
    }
  return counted;
}

/* Means as an effect tells them: a warm-up is left out of both. */
static void
point_fill_means (AssayParetoPoint *point, AssayFieldId peak)
{
  g_autoptr(GPtrArray) counted = point_dup_counted (point, peak);
  AssayRepeats times, peaks;
  double bytes = 0;
  point->n = counted->len;
  if (counted->len > 0 && assay_repeats_summarize (counted, peak, &peaks)
      && assay_repeats_summarize (counted, ASSAY_FIELD_ELAPSED_SECONDS, &times))
    {
      bytes = peaks.mean;
      point->seconds = times.mean;
    }
  else
    {
      record_get_figures (point->representative, peak, &bytes, &point->seconds);
      point->deviates = FALSE; /* that it did not complete is the reason */
    }
  point->peak_bytes = (guint64) (bytes + 0.5);
}

static AssayParetoPoint *
point_new (AssayLedger *ledger, GPtrArray *runs, GPtrArray *placed)
{
  AssayParetoPoint *point = g_new0 (AssayParetoPoint, 1);
  point->representative = g_object_ref (assay_repeats_get_typical (placed));
  point->runs = g_ptr_array_ref (runs);
  point->feasibility = assay_gates_judge_feasibility (ledger, point->representative);
  point->quality = setting_judge_quality (runs);
  point->deviates = !assay_compare_is_as_asked (point->representative);
  point_fill_means (point, assay_compare_get_own_peak (point->representative));
  return point;
}

/* Groups */

static AssayParetoGroup *
pareto_find_group (AssayPareto *self, AssayFieldId peak, const char *kind)
{
  for (guint i = 0; i < self->groups->len; i++)
    {
      AssayParetoGroup *group = g_ptr_array_index (self->groups, i);
      if (group->peak == peak && g_strcmp0 (group->kind, kind) == 0)
        return group;
    }
  AssayParetoGroup *group = g_new0 (AssayParetoGroup, 1);
  group->peak = peak;
  group->kind = g_strdup (kind);
  group->points = g_ptr_array_new_with_free_func (point_free);
  g_ptr_array_add (self->groups, group);
  return group;
}

/* Where one kind alone is stated of a peak, the figures without a kind are taken for it. */
static AssayParetoGroup *
pareto_find_only_kind (AssayPareto *self, AssayFieldId peak)
{
  AssayParetoGroup *only = NULL;
  for (guint i = 0; i < self->groups->len; i++)
    {
      AssayParetoGroup *group = g_ptr_array_index (self->groups, i);
      if (group->peak != peak || group->kind == NULL)
        continue;
      if (only != NULL)
        return NULL;
      only = group;
    }
  return only;
}

static void
pareto_join_unstated_kinds (AssayPareto *self)
{
  for (guint i = self->groups->len; i-- > 0;)
    {
      AssayParetoGroup *group = g_ptr_array_index (self->groups, i);
      AssayParetoGroup *only = group->kind == NULL ? pareto_find_only_kind (self, group->peak) : NULL;
      if (only == NULL)
        continue;
      while (group->points->len > 0)
        g_ptr_array_add (only->points, g_ptr_array_steal_index (group->points, group->points->len - 1));
      g_ptr_array_remove_index (self->groups, i);
    }
}

static char *
group_dup_label (const AssayParetoGroup *group)
{
  const char *label = g_dgettext (GETTEXT_PACKAGE, assay_field_get_info (group->peak)->label);
  /* Translators: a peak of memory and, as it is written in files, the kind of the figure: “Peak VRAM (allocated)” */
  return group->kind != NULL ? g_strdup_printf (C_ ("kind of a figure", "%s (%s)"), label, group->kind)
                             : g_strdup (label);
}

/* Frontiers */

static int
order_points (gconstpointer a, gconstpointer b)
{
  const AssayParetoPoint *x = *(AssayParetoPoint *const *) a, *y = *(AssayParetoPoint *const *) b;
  if (x->peak_bytes != y->peak_bytes)
    return x->peak_bytes < y->peak_bytes ? -1 : 1;
  return (x->seconds > y->seconds) - (x->seconds < y->seconds);
}

static gboolean
point_is_candidate (const AssayParetoPoint *point, gboolean judged)
{
  return point->n > 0 && !point->deviates && (!judged || point->quality == ASSAY_VERDICT_PASS);
}

/* Along the order, a point that is no faster than the fastest before it is beaten by that one, unless it is its equal. */
static void
group_mark_frontier (AssayParetoGroup *group, gboolean judged)
{
  const AssayParetoPoint *fastest = NULL;
  for (guint i = 0; i < group->points->len; i++)
    {
      AssayParetoPoint *point = g_ptr_array_index (group->points, i);
      if (!point_is_candidate (point, judged))
        continue;
      const gboolean stands = fastest == NULL || point->seconds < fastest->seconds
                              || order_points (&point, &fastest) == 0;
      if (judged)
        point->on_quality_frontier = stands;
      else
        point->on_ran_frontier = stands;
      if (stands)
        fastest = point;
    }
}

static int
order_groups (gconstpointer a, gconstpointer b)
{
  const AssayParetoGroup *x = *(AssayParetoGroup *const *) a, *y = *(AssayParetoGroup *const *) b;
  if (x->points->len != y->points->len)
    return x->points->len > y->points->len ? -1 : 1;
  return x->peak != y->peak ? (int) x->peak - (int) y->peak : g_strcmp0 (x->kind, y->kind);
}

static void
pareto_add_setting (AssayPareto *self, AssayLedger *ledger, GPtrArray *runs)
{
  g_autoptr(GPtrArray) placed = g_ptr_array_new ();
  AssayParetoReason ignored;
  for (guint i = 0; i < runs->len; i++)
    if (record_is_placed (runs->pdata[i], &ignored))
      g_ptr_array_add (placed, runs->pdata[i]);
  if (placed->len == 0)
    return;
  AssayParetoPoint *point = point_new (ledger, runs, placed);
  AssayParetoGroup *group = pareto_find_group (self, assay_compare_get_own_peak (point->representative),
                                               record_get_peak_kind (point->representative));
  g_ptr_array_add (group->points, point);
}

static void
pareto_list_left_out (AssayPareto *self, AssayLedger *ledger)
{
  for (guint i = 0; i < assay_ledger_get_n_runs (ledger); i++)
    {
      AssayRecord *run = assay_ledger_get_run (ledger, i);
      AssayParetoReason reason;
      if (!record_is_placed (run, &reason))
        pareto_leave_out (self, run, reason);
      else if (assay_record_get_status (run) != ASSAY_STATUS_COMPLETED)
        pareto_leave_out (self, run, ASSAY_PARETO_NOT_RUN);
      else if (!assay_compare_is_as_asked (run))
        pareto_leave_out (self, run, ASSAY_PARETO_DEVIATES);
    }
}

AssayPareto *
assay_pareto_new (AssayLedger *ledger)
{
  g_return_val_if_fail (ASSAY_IS_LEDGER (ledger), NULL);
  AssayPareto *self = g_new0 (AssayPareto, 1);
  g_autoptr(GPtrArray) settings = assay_repeats_fold (ledger, TRUE);
  self->groups = g_ptr_array_new_with_free_func (group_free);
  self->left_out = g_ptr_array_new_with_free_func (left_out_free);
  for (guint i = 0; i < settings->len; i++)
    pareto_add_setting (self, ledger, settings->pdata[i]);
  pareto_join_unstated_kinds (self);
  for (guint i = 0; i < self->groups->len; i++)
    {
      AssayParetoGroup *group = g_ptr_array_index (self->groups, i);
      group->label = group_dup_label (group);
      g_ptr_array_sort (group->points, order_points);
      group_mark_frontier (group, FALSE);
      group_mark_frontier (group, TRUE);
    }
  g_ptr_array_sort (self->groups, order_groups);
  pareto_list_left_out (self, ledger);
  return self;
}

void
assay_pareto_free (AssayPareto *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->groups);
  g_ptr_array_unref (self->left_out);
  g_free (self);
}
