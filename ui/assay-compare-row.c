/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-compare-row.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "assay-child.h"
#include "assay-display-text.h"
#include "assay-prediction.h"
#include "assay-run-row.h"

struct _AssayCompareRow
{
  GObject parent_instance;
  AssayLedger *ledger;    /* owned */
  AssayRecord *record;    /* owned */
  AssayGates *gates;      /* owned; NULL: not judged since the ledger changed */
};

G_DEFINE_FINAL_TYPE (AssayCompareRow, assay_compare_row, G_TYPE_OBJECT)

static const struct
{
  AssayFieldId field;     /* INVALID: not one field's */
  gboolean condition, numeric;
  gboolean optional; /* shown where a run has something to say in it */
} columns[ASSAY_N_COMPARE_COLUMNS] = {
  [ASSAY_COMPARE_RUN] = { ASSAY_FIELD_INVALID, FALSE, FALSE },
  [ASSAY_COMPARE_STATUS] = { ASSAY_FIELD_INVALID, FALSE, FALSE },
  [ASSAY_COMPARE_RAN] = { ASSAY_FIELD_INVALID, FALSE, FALSE },
  [ASSAY_COMPARE_GOOD] = { ASSAY_FIELD_INVALID, FALSE, FALSE },
  [ASSAY_COMPARE_BEARABLE] = { ASSAY_FIELD_INVALID, FALSE, FALSE },
  [ASSAY_COMPARE_MODEL] = { ASSAY_FIELD_MODEL_ID, TRUE, FALSE },
  [ASSAY_COMPARE_QUANTIZATION] = { ASSAY_FIELD_QUANTIZATION, TRUE, FALSE },
  [ASSAY_COMPARE_CONTEXT_LENGTH] = { ASSAY_FIELD_CONTEXT_LENGTH, TRUE, TRUE },
  [ASSAY_COMPARE_COMPUTE_DTYPE] = { ASSAY_FIELD_COMPUTE_DTYPE, TRUE, FALSE },
  [ASSAY_COMPARE_PEAK] = { ASSAY_FIELD_PEAK_VRAM, FALSE, TRUE },
  [ASSAY_COMPARE_TIME] = { ASSAY_FIELD_ELAPSED_SECONDS, FALSE, TRUE },
  [ASSAY_COMPARE_SPEED] = { ASSAY_FIELD_GENERATE_TOKENS_PER_SECOND, FALSE, TRUE },
  [ASSAY_COMPARE_FORETOLD] = { ASSAY_FIELD_PREDICTED_PEAK_VRAM, FALSE, TRUE, TRUE },
  [ASSAY_COMPARE_ERROR] = { ASSAY_FIELD_INVALID, FALSE, TRUE, TRUE },
  [ASSAY_COMPARE_LINK] = { ASSAY_FIELD_LINK_BYTES, FALSE, TRUE, TRUE },
  [ASSAY_COMPARE_STALL] = { ASSAY_FIELD_LINK_STALL_SECONDS, FALSE, TRUE, TRUE },
  [ASSAY_COMPARE_PLAN] = { ASSAY_FIELD_INVALID, FALSE, FALSE, TRUE },
  [ASSAY_COMPARE_OFFLOAD] = { ASSAY_FIELD_OFFLOAD_MODE, TRUE, FALSE, TRUE },
};

const char *
assay_compare_column_get_title (AssayCompareColumn column)
{
  switch (column)
    {
    case ASSAY_COMPARE_RUN:
      return _("Run");
    case ASSAY_COMPARE_STATUS:
      return _("Status");
    case ASSAY_COMPARE_RAN:
    case ASSAY_COMPARE_GOOD:
    case ASSAY_COMPARE_BEARABLE:
      return assay_gate_get_word ((AssayGate) (column - ASSAY_COMPARE_RAN));
    case ASSAY_COMPARE_PEAK:
      return _("Peak memory");
    case ASSAY_COMPARE_FORETOLD:
      return _("Foretold peak");
    case ASSAY_COMPARE_ERROR:
      return _("Forecast error");
    case ASSAY_COMPARE_PLAN:
      return _("As planned");
    case ASSAY_COMPARE_LINK:
      return _("Over the link");
    case ASSAY_COMPARE_STALL:
      return _("Link wait");
    case ASSAY_COMPARE_MODEL:
    case ASSAY_COMPARE_QUANTIZATION:
    case ASSAY_COMPARE_CONTEXT_LENGTH:
    case ASSAY_COMPARE_COMPUTE_DTYPE:
    case ASSAY_COMPARE_TIME:
    case ASSAY_COMPARE_SPEED:
    case ASSAY_COMPARE_OFFLOAD:
      return _(assay_field_get_info (columns[column].field)->label);
    case ASSAY_N_COMPARE_COLUMNS:
    default:
      g_return_val_if_reached (NULL);
    }
}

gboolean
assay_compare_column_is_numeric (AssayCompareColumn column)
{
  return columns[column].numeric;
}

gboolean
assay_compare_column_is_optional (AssayCompareColumn column)
{
  return columns[column].optional;
}

static const AssayGates *
row_get_gates (AssayCompareRow *self)
{
  if (self->gates == NULL)
    self->gates = assay_gates_judge (self->ledger, self->record);
  return self->gates;
}

static gboolean
column_is_gate (AssayCompareColumn column)
{
  return column >= ASSAY_COMPARE_RAN && column <= ASSAY_COMPARE_BEARABLE;
}

static char *
verdict_words (AssayVerdict verdict)
{
  const char *words = verdict == ASSAY_VERDICT_PASS   ? _("pass")
                      : verdict == ASSAY_VERDICT_FAIL ? _("fail")
                                                      : _("not judged");

  return g_strdup_printf ("%s %s", assay_verdict_get_mark (verdict), words);
}

static char *
row_dup_run (AssayCompareRow *self)
{
  g_autofree char *id = assay_display_line (assay_run_get_short_id (assay_record_get_id (self->record)), 24);
  g_autofree char *title = assay_run_dup_title (self->ledger, self->record);
  g_autofree char *shown = assay_display_line (title, 120);

  return g_strdup_printf ("%s · %s", id, shown);
}

/* Device memory where there is one; else what the process needed. */
static AssayFieldId
row_peak_field (AssayCompareRow *self)
{
  const AssayValues *burden = assay_record_get_burden (self->record);

  return assay_values_get_state (burden, ASSAY_FIELD_PEAK_VRAM) == ASSAY_VALUE_SET ? ASSAY_FIELD_PEAK_VRAM
                                                                                    : ASSAY_FIELD_PEAK_RAM;
}

static AssayFieldId
row_column_field (AssayCompareRow *self, AssayCompareColumn column)
{
  if (column == ASSAY_COMPARE_PEAK)
    return row_peak_field (self);
  if (column == ASSAY_COMPARE_FORETOLD && row_peak_field (self) == ASSAY_FIELD_PEAK_RAM)
    return ASSAY_FIELD_PREDICTED_PEAK_RAM;
  return columns[column].field;
}

static char *
row_dup_value (AssayCompareRow *self, AssayFieldId field)
{
  g_autofree char *display
      = assay_values_dup_display (assay_record_get_values_for (self->record, field), field);

  return assay_display_line (*display != '\0' ? display : "—", 80);
}

static char *
row_dup_peak (AssayCompareRow *self)
{
  const AssayFieldId field = row_peak_field (self);
  g_autofree char *value = row_dup_value (self, field);

  if (assay_values_get_state (assay_record_get_burden (self->record), field) != ASSAY_VALUE_SET)
    return g_steal_pointer (&value);
  return g_strdup_printf ("%s %s", field == ASSAY_FIELD_PEAK_VRAM ? _("VRAM") : _("RAM"), value);
}

/* Of the memory that the peak column shows; FALSE where nothing was foretold of it. */
static gboolean
row_get_error (AssayCompareRow *self, double *error, gboolean *contradicted)
{
  const AssayFieldId field
      = row_peak_field (self) == ASSAY_FIELD_PEAK_VRAM ? ASSAY_FIELD_PEAK_VRAM : ASSAY_FIELD_PEAK_RAM_ENGINE;
  g_autoptr(GPtrArray) terms = assay_prediction_terms (self->record);

  for (guint i = 0; i < terms->len; i++)
    {
      const AssayPredictionError *term = g_ptr_array_index (terms, i);
      if (term->field != field)
        continue;
      *error = term->error;
      *contradicted = term->contradicted;
      return TRUE;
    }
  return FALSE;
}

static char *
row_dup_error (AssayCompareRow *self)
{
  gboolean contradicted;
  double error;

  if (!row_get_error (self, &error, &contradicted))
    return g_strdup ("—");
  g_autofree char *share = isnan (error) ? NULL : assay_display_percent (error);
  if (!contradicted)
    return g_strdup (share != NULL ? share : "—");
  return share != NULL ? g_strdup_printf (_("≠ %s, contradicted"), share) : g_strdup (_("≠ contradicted"));
}

static AssayChildVerdict *
row_dup_child_verdict (AssayCompareRow *self)
{
  const char *parent_id = assay_record_get_parent (self->record);
  AssayRecord *parent = parent_id != NULL ? assay_ledger_find_run (self->ledger, parent_id) : NULL;

  return parent != NULL ? assay_child_verdict (parent, self->record) : NULL;
}

static char *
row_dup_plan (AssayCompareRow *self)
{
  g_autoptr(AssayChildVerdict) verdict = row_dup_child_verdict (self);

  if (verdict == NULL)
    return g_strdup ("—");
  if (verdict->satisfied)
    return g_strdup (_("✓ only that"));
  return g_strdup (verdict->moved_as_planned ? _("≠ and more") : _("≠ not as planned"));
}

/* What really happened, and what was asked for where that differs. */
static char *
row_dup_condition (AssayCompareRow *self, AssayFieldId field)
{
  const AssayValues *effective = assay_record_get_effective (self->record);
  const AssayValues *asked = assay_record_get_conditions (self->record);
  g_autofree char *value = row_dup_value (self, field);

  if (assay_values_get_state (effective, field) == ASSAY_VALUE_UNSET
      || assay_values_get_state (asked, field) == ASSAY_VALUE_UNSET)
    return g_steal_pointer (&value);
  g_autofree char *display = assay_values_dup_display (asked, field);
  g_autofree char *shown = assay_display_line (display, 60);
  return g_strdup_printf (_("%s (asked for %s)"), value, shown);
}

char *
assay_compare_row_dup_text (AssayCompareRow *self, AssayCompareColumn column)
{
  g_return_val_if_fail (ASSAY_IS_COMPARE_ROW (self), NULL);

  if (column == ASSAY_COMPARE_RUN)
    return row_dup_run (self);
  if (column == ASSAY_COMPARE_STATUS)
    return g_strdup (assay_record_is_damaged (self->record)
                       ? _("damaged") : assay_run_status_get_name (assay_record_get_status (self->record)));
  if (column_is_gate (column))
    return verdict_words (row_get_gates (self)->verdict[column - ASSAY_COMPARE_RAN]);
  if (column == ASSAY_COMPARE_PEAK)
    return row_dup_peak (self);
  if (column == ASSAY_COMPARE_ERROR)
    return row_dup_error (self);
  if (column == ASSAY_COMPARE_PLAN)
    return row_dup_plan (self);
  return columns[column].condition ? row_dup_condition (self, columns[column].field)
                                   : row_dup_value (self, columns[column].field);
}

char *
assay_compare_row_dup_tooltip (AssayCompareRow *self, AssayCompareColumn column)
{
  g_return_val_if_fail (ASSAY_IS_COMPARE_ROW (self), NULL);

  if (column == ASSAY_COMPARE_RUN)
    return assay_display_line (assay_record_get_id (self->record), 200);
  if (column_is_gate (column))
    {
      const char *evidence = row_get_gates (self)->evidence[column - ASSAY_COMPARE_RAN];
      return evidence != NULL ? assay_display_line (evidence, 600) : NULL;
    }
  if (column == ASSAY_COMPARE_PLAN)
    {
      g_autoptr(AssayChildVerdict) verdict = row_dup_child_verdict (self);
      return verdict != NULL ? assay_display_line (verdict->words, 600) : NULL;
    }
  if (column == ASSAY_COMPARE_ERROR)
    {
      g_autofree char *contradiction = assay_prediction_dup_contradiction (self->record);
      return contradiction != NULL ? assay_display_line (contradiction, 600) : NULL;
    }
  const AssayFieldId field = row_column_field (self, column);
  if (field == ASSAY_FIELD_INVALID)
    return NULL;
  const AssayFieldInfo *info = assay_field_get_info (field);
  g_autofree char *exact = assay_values_dup_text (assay_record_get_values_for (self->record, field), field);
  g_autofree char *shown = exact != NULL ? assay_display_line (exact, 300) : NULL;
  return shown != NULL ? g_strdup_printf ("%s: %s %s", info->name, shown, assay_unit_get_name (info->unit))
                       : NULL;
}

gboolean
assay_compare_row_differs (AssayCompareRow *self, AssayRecord *baseline, AssayCompareColumn column)
{
  g_return_val_if_fail (ASSAY_IS_COMPARE_ROW (self), FALSE);

  if (!columns[column].condition || baseline == NULL || baseline == self->record)
    return FALSE;
  const AssayFieldId field = columns[column].field;
  g_autofree char *a = assay_values_dup_text (assay_record_get_values_for (self->record, field), field);
  g_autofree char *b = assay_values_dup_text (assay_record_get_values_for (baseline, field), field);
  return g_strcmp0 (a, b) != 0;
}

static int
order_numbers (AssayCompareRow *a, AssayCompareRow *b, AssayCompareColumn column)
{
  const AssayFieldId field_a = row_column_field (a, column), field_b = row_column_field (b, column);
  double x = G_MAXDOUBLE, y = G_MAXDOUBLE;

  assay_values_get_real (assay_record_get_values_for (a->record, field_a), field_a, &x);
  assay_values_get_real (assay_record_get_values_for (b->record, field_b), field_b, &y);
  return (x > y) - (x < y);
}

/* The smaller error first, whichever way it went. */
static int
order_errors (AssayCompareRow *a, AssayCompareRow *b)
{
  double x = NAN, y = NAN;
  gboolean contradicted;

  row_get_error (a, &x, &contradicted);
  row_get_error (b, &y, &contradicted);
  x = isnan (x) ? G_MAXDOUBLE : fabs (x);
  y = isnan (y) ? G_MAXDOUBLE : fabs (y);
  return (x > y) - (x < y);
}

int
assay_compare_row_order (AssayCompareRow *a, AssayCompareRow *b, AssayCompareColumn column)
{
  if (column == ASSAY_COMPARE_ERROR)
    return order_errors (a, b);
  if (columns[column].numeric)
    return order_numbers (a, b, column);
  if (column == ASSAY_COMPARE_RUN)
    return g_strcmp0 (assay_record_get_id (a->record), assay_record_get_id (b->record));
  if (column_is_gate (column))
    {
      static const int ranks[]
          = { [ASSAY_VERDICT_PASS] = 0, [ASSAY_VERDICT_FAIL] = 1, [ASSAY_VERDICT_NOT_JUDGED] = 2 };
      return ranks[row_get_gates (a)->verdict[column - ASSAY_COMPARE_RAN]]
             - ranks[row_get_gates (b)->verdict[column - ASSAY_COMPARE_RAN]];
    }
  g_autofree char *x = assay_compare_row_dup_text (a, column);
  g_autofree char *y = assay_compare_row_dup_text (b, column);
  return g_utf8_collate (x, y);
}

gboolean
assay_compare_row_has (AssayCompareRow *self, AssayCompareColumn column)
{
  g_return_val_if_fail (ASSAY_IS_COMPARE_ROW (self), FALSE);

  if (column == ASSAY_COMPARE_PLAN) /* judging it would compare every field of both runs */
    return assay_record_get_parent (self->record) != NULL && assay_record_get_changed (self->record) != NULL;
  const AssayFieldId field
      = row_column_field (self, column == ASSAY_COMPARE_ERROR ? ASSAY_COMPARE_FORETOLD : column);
  if (field == ASSAY_FIELD_INVALID)
    return FALSE;
  const AssayValues *values = assay_record_get_values_for (self->record, field);
  if (assay_values_get_state (values, field) != ASSAY_VALUE_SET)
    return FALSE;
  return field != ASSAY_FIELD_OFFLOAD_MODE || g_strcmp0 (assay_values_get_text (values, field), "none") != 0;
}

AssayRecord *
assay_compare_row_get_record (AssayCompareRow *self)
{
  g_return_val_if_fail (ASSAY_IS_COMPARE_ROW (self), NULL);
  return self->record;
}

void
assay_compare_row_forget (AssayCompareRow *self)
{
  g_return_if_fail (ASSAY_IS_COMPARE_ROW (self));
  g_clear_pointer (&self->gates, assay_gates_free);
}

static void
assay_compare_row_finalize (GObject *object)
{
  AssayCompareRow *self = ASSAY_COMPARE_ROW (object);

  g_object_unref (self->ledger);
  g_object_unref (self->record);
  g_clear_pointer (&self->gates, assay_gates_free);
  G_OBJECT_CLASS (assay_compare_row_parent_class)->finalize (object);
}

static void
assay_compare_row_class_init (AssayCompareRowClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = assay_compare_row_finalize;
}

static void
assay_compare_row_init (AssayCompareRow *self)
{
}

AssayCompareRow *
assay_compare_row_new (AssayLedger *ledger, AssayRecord *record)
{
  AssayCompareRow *self = g_object_new (ASSAY_TYPE_COMPARE_ROW, NULL);

  self->ledger = g_object_ref (ledger);
  self->record = g_object_ref (record);
  return self;
}
