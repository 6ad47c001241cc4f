/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-compare-cell.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "assay-compare.h"

static gboolean
row_has_part (AssayCompareRow *row, AssayCompareColumn column, AssayCompareCellPart part)
{
  AssayRepeats figures;
  double error;
  gboolean contradicted = FALSE;

  switch (part)
    {
    case ASSAY_CELL_LOWEST:
    case ASSAY_CELL_GREATEST:
      return assay_compare_column_is_spread (column) && assay_compare_row_get_figures (row, column, &figures)
             && figures.low < figures.high;
    case ASSAY_CELL_MEMORY:
      return column == ASSAY_COMPARE_PEAK;
    case ASSAY_CELL_ASKED:
      {
        g_autofree char *asked = assay_compare_row_dup_asked (row, column);
        return asked != NULL;
      }
    case ASSAY_CELL_CONTRADICTED:
      return column == ASSAY_COMPARE_ERROR && assay_compare_row_get_error (row, &error, &contradicted) && contradicted;
    case ASSAY_CELL_COUNT:
      return column == ASSAY_COMPARE_SCORE;
    case ASSAY_CELL_WHOLE:
    default:
      return TRUE;
    }
}

GArray *
assay_compare_cells_new (GArray *columns, GPtrArray *rows)
{
  GArray *cells = g_array_new (FALSE, FALSE, sizeof (AssayCompareCell));

  for (guint i = 0; i < columns->len; i++)
    for (guint part = ASSAY_CELL_WHOLE; part <= ASSAY_CELL_COUNT; part++)
      {
        const AssayCompareCell cell = { g_array_index (columns, guint, i), part };
        gboolean wanted = part == ASSAY_CELL_WHOLE;
        for (guint k = 0; k < rows->len && !wanted; k++)
          wanted = row_has_part (g_ptr_array_index (rows, k), cell.column, part);
        if (wanted)
          g_array_append_val (cells, cell);
      }
  return cells;
}

char *
assay_compare_cell_dup_title (const AssayCompareCell *self, const AssayCompareUnit *unit)
{
  g_autofree char *title = self->column == ASSAY_COMPARE_ERROR
                             ? g_strdup_printf ("%s (%%)", assay_compare_column_get_name (self->column))
                             : assay_compare_column_dup_title (self->column, unit);

  switch (self->part)
    {
    case ASSAY_CELL_LOWEST:
      return g_strdup_printf (C_ ("column", "%s, lowest"), title);
    case ASSAY_CELL_GREATEST:
      return g_strdup_printf (C_ ("column", "%s, greatest"), title);
    case ASSAY_CELL_MEMORY:
      return g_strdup (C_ ("column", "Memory of the peak"));
    case ASSAY_CELL_ASKED:
      return g_strdup_printf (C_ ("column", "%s, asked for"), title);
    case ASSAY_CELL_CONTRADICTED:
      return g_strdup (C_ ("column", "Forecast contradicted"));
    case ASSAY_CELL_COUNT:
      return g_strdup (C_ ("column", "Runs in the score"));
    case ASSAY_CELL_WHOLE:
    default:
      return g_steal_pointer (&title);
    }
}

static char *
dup_figure (const AssayCompareCell *self, AssayCompareRow *row, const AssayCompareUnit *unit)
{
  AssayRepeats figures;

  if (!assay_compare_row_get_figures (row, self->column, &figures))
    return NULL;
  return assay_compare_unit_dup_plain (unit, self->part == ASSAY_CELL_LOWEST     ? figures.low
                                             : self->part == ASSAY_CELL_GREATEST ? figures.high
                                                                                 : figures.mean);
}

static char *
dup_error (AssayCompareRow *row)
{
  const AssayCompareUnit percent = { 0.01, "%", NULL };
  gboolean contradicted;
  double error;

  return assay_compare_row_get_error (row, &error, &contradicted) && !isnan (error)
           ? assay_compare_unit_dup_plain (&percent, error) : NULL;
}

static char *
dup_score (const AssayCompareCell *self, AssayCompareRow *row, const AssayCompareUnit *unit)
{
  double mean;
  guint n;

  if (!assay_compare_row_get_score (row, &mean, &n))
    return NULL;
  return self->part == ASSAY_CELL_COUNT ? g_strdup_printf ("%u", n) : assay_compare_unit_dup_plain (unit, mean);
}

static char *
dup_number (const AssayCompareCell *self, AssayCompareRow *row, const AssayCompareUnit *unit)
{
  if (self->column == ASSAY_COMPARE_ERROR)
    return dup_error (row);
  return self->column == ASSAY_COMPARE_SCORE ? dup_score (self, row, unit) : dup_figure (self, row, unit);
}

static const char *
row_get_memory (AssayCompareRow *row)
{
  AssayRecord *record = assay_compare_row_get_record (row);
  const AssayFieldId peak = assay_compare_get_own_peak (record);

  if (assay_values_get_state (assay_record_get_burden (record), peak) != ASSAY_VALUE_SET)
    return NULL;
  return peak == ASSAY_FIELD_PEAK_VRAM ? _("VRAM") : _("RAM");
}

static char *
dup_contradicted (AssayCompareRow *row)
{
  gboolean contradicted;
  double error;

  if (!assay_compare_row_get_error (row, &error, &contradicted))
    return NULL;
  return g_strdup (contradicted ? C_ ("answer", "yes") : C_ ("answer", "no"));
}

/* Words, without the signs that stand before them on screen. */
static char *
dup_words (AssayCompareRow *row, AssayCompareColumn column, const AssayCompareUnit *unit)
{
  AssayVerdict verdict;

  if (assay_compare_column_is_condition (column))
    return assay_compare_row_dup_value (row, column, unit);
  if (!assay_compare_column_is_gate (column))
    {
      g_autofree char *text = assay_compare_row_dup_text (row, column, unit);
      const gboolean signed_text = g_str_has_prefix (text, "✓ ") || g_str_has_prefix (text, "≠ ");
      return g_str_equal (text, "—") ? NULL : g_strdup (signed_text ? strchr (text, ' ') + 1 : text);
    }
  assay_compare_row_get_evidence (row, column, &verdict);
  return g_strdup (assay_verdict_get_word (verdict));
}

char *
assay_compare_cell_dup_text (const AssayCompareCell *self, AssayCompareRow *row, const AssayCompareUnit *unit,
                             gboolean *is_number)
{
  const gboolean number = assay_compare_column_is_numeric (self->column);

  *is_number = FALSE;
  if (self->part == ASSAY_CELL_MEMORY)
    return g_strdup (row_get_memory (row));
  if (self->part == ASSAY_CELL_ASKED)
    return assay_compare_row_dup_asked (row, self->column);
  if (self->part == ASSAY_CELL_CONTRADICTED)
    return dup_contradicted (row);
  *is_number = number;
  return number ? dup_number (self, row, unit) : dup_words (row, self->column, unit);
}
