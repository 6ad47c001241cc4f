/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-report-conditions.c: what was asked, under which conditions, and what it took.
 *
 * Conditions that all runs share are told once, so that the table shows what moved. Field names are the record's. */
#include "assay-report-private.h"

#include <glib/gi18n-lib.h>

#include "assay-axes-private.h"
#include "assay-export-private.h"
#include "assay-figure.h"
#include "assay-repeats.h"

void
report_tell_questions (AssayReport *self)
{
  GPtrArray *questions = assay_ledger_get_questions (self->ledger);
  ReportSection section = { self, C_ ("report", "Questions"), FALSE };
  for (guint i = 0; questions != NULL && i < questions->len; i++)
    {
      const AssayQuestion *question = questions->pdata[i];
      g_autofree char *text
          = question->expected != NULL
                ? g_strdup_printf (_("%s (expected: %s)"), question->text, question->expected)
                : g_strdup (question->text);
      report_section_begin (&section);
      report_add_item (self, question->id, NULL, text);
    }
}

/* Values */

static char *
value_dup_words (AssayRecord *record, AssayFieldId field)
{
  const AssayValues *values = assay_record_get_values_for (record, field);
  if (assay_values_get_state (values, field) == ASSAY_VALUE_UNSET)
    return g_strdup (_("not given"));
  g_autofree char *shown = assay_figure_dup_words (values, field);
  if (!export_is_deviation (record, field) || axes_leaves_choice (assay_record_get_conditions (record), field))
    return g_steal_pointer (&shown);
  g_autofree char *asked = assay_values_dup_display (assay_record_get_conditions (record), field);
  return g_strdup_printf (_("%s (asked for %s)"), shown, asked);
}

static void
table_add_rows (AssayReport *self, AssayReportBlock *table, const AssayFieldId *fields, gsize n)
{
  for (guint i = 0; i < self->runs->len; i++)
    {
      g_autoptr(GStrvBuilder) cells = g_strv_builder_new ();
      g_strv_builder_add (cells, assay_record_get_id (self->runs->pdata[i]));
      for (gsize k = 0; k < n; k++)
        {
          g_autofree char *value = value_dup_words (self->runs->pdata[i], fields[k]);
          g_strv_builder_add (cells, value);
        }
      report_take_row (table, cells);
    }
}

/* The runs as rows, their id first. */
static void
report_add_fields (AssayReport *self, const AssayFieldId *fields, gsize n)
{
  AssayReportBlock *table = report_add (self, ASSAY_REPORT_TABLE, NULL);
  g_autoptr(GStrvBuilder) names = g_strv_builder_new ();
  table->rows = g_ptr_array_new_with_free_func ((GDestroyNotify) g_strfreev);
  g_strv_builder_add (names, assay_field_get_info (ASSAY_FIELD_RUN_ID)->name);
  for (gsize i = 0; i < n; i++)
    g_strv_builder_add (names, assay_field_get_info (fields[i])->name);
  report_take_row (table, names);
  table_add_rows (self, table, fields, n);
}

static gboolean
field_is_given (GPtrArray *runs, AssayFieldId field)
{
  for (guint i = 0; i < runs->len; i++)
    if (assay_values_get_state (assay_record_get_values_for (runs->pdata[i], field), field)
        != ASSAY_VALUE_UNSET)
      return TRUE;
  return FALSE;
}

static gboolean
field_is_shared (GPtrArray *runs, AssayFieldId field)
{
  g_autofree char *first = value_dup_words (runs->pdata[0], field);
  for (guint i = 1; i < runs->len; i++)
    {
      g_autofree char *value = value_dup_words (runs->pdata[i], field);
      if (!g_str_equal (first, value))
        return FALSE;
    }
  return TRUE;
}

/* Axes that moved in some run by themselves, not because another one did: bits by AssayAxis. */
static guint64
runs_find_own_moves (GPtrArray *runs)
{
  AssayRecord *first = runs->pdata[0];
  guint64 own = 0;
  for (guint i = 1; i < runs->len; i++)
    {
      if (assay_record_is_damaged (first) || assay_record_is_damaged (runs->pdata[i]))
        continue;
      g_autoptr(GPtrArray) differences = assay_axes_diff (first, runs->pdata[i]);
      for (guint k = 0; k < differences->len; k++)
        {
          const AssayDifference *difference = differences->pdata[k];
          own |= difference->implied ? 0 : ASSAY_AXES_BIT (difference->axis);
        }
    }
  return own;
}

/* What nobody set: it is another because something else is. */
static gboolean
field_came_along (GPtrArray *runs, AssayFieldId field, guint64 own)
{
  const AssayAxis axis = assay_field_get_info (field)->axis;
  if (field == ASSAY_FIELD_DEVICE_MEMORY)
    return !field_is_shared (runs, ASSAY_FIELD_DEVICE);
  return axis != ASSAY_AXIS_NONE && assay_axis_is_hidden (axis) && (own & ASSAY_AXES_BIT (axis)) == 0;
}

/* Of one seed it does not matter who chose it: a run that continues another one asks for what that one had. */
static gboolean
field_is_told (GPtrArray *runs, AssayFieldId field)
{
  return assay_field_get_info (field)->group == ASSAY_GROUP_CONDITIONS && field_is_given (runs, field)
         && !(field == ASSAY_FIELD_SEED_SOURCE && !field_is_shared (runs, field)
              && field_is_shared (runs, ASSAY_FIELD_SEED));
}

void
report_tell_conditions (AssayReport *self)
{
  AssayFieldId moved[ASSAY_N_FIELDS], along[ASSAY_N_FIELDS];
  gsize n_moved = 0, n_along = 0;
  const guint64 own = runs_find_own_moves (self->runs);
  report_add (self, ASSAY_REPORT_HEADING, _("Conditions"));
  for (AssayFieldId field = 0; field < ASSAY_N_FIELDS; field++)
    {
      const AssayFieldInfo *info = assay_field_get_info (field);
      if (!field_is_told (self->runs, field))
        continue;
      if (!field_is_shared (self->runs, field))
        {
          if (field_came_along (self->runs, field, own))
            along[n_along++] = field;
          else
            moved[n_moved++] = field;
          continue;
        }
      g_autofree char *value = value_dup_words (self->runs->pdata[0], field);
      report_add_item (self, info->name, NULL, value);
    }
  if (n_moved > 0)
    {
      report_add (self, ASSAY_REPORT_PARAGRAPH, _("What differs:"));
      report_add_fields (self, moved, n_moved);
    }
  if (n_along > 0)
    {
      report_add (self, ASSAY_REPORT_PARAGRAPH, _("What came along with that:"));
      report_add_fields (self, along, n_along);
    }
}

/* Columns that every table has, then those that some run gives: other kinds of memory, what offload cost, and what
 * was foretold. */
void
report_tell_burden (AssayReport *self)
{
  static const AssayFieldId always[] = { ASSAY_FIELD_PEAK_VRAM, ASSAY_FIELD_PEAK_RAM, ASSAY_FIELD_ELAPSED_SECONDS };
  static const AssayFieldId given[]
      = { ASSAY_FIELD_PEAK_RAM_MAPPED,    ASSAY_FIELD_INPUT_TOKENS,        ASSAY_FIELD_OUTPUT_TOKENS,
          ASSAY_FIELD_GENERATE_TOKENS_PER_SECOND, ASSAY_FIELD_PEAK_VRAM_RESERVED, ASSAY_FIELD_PEAK_VRAM_PROCESS,
          ASSAY_FIELD_PEAK_VRAM_DEVICE,   ASSAY_FIELD_PEAK_RAM_ENGINE,     ASSAY_FIELD_LINK_BYTES,
          ASSAY_FIELD_LINK_STALL_SECONDS, ASSAY_FIELD_PREDICTED_PEAK_VRAM, ASSAY_FIELD_PREDICTED_PEAK_RAM };
  AssayFieldId fields[G_N_ELEMENTS (always) + G_N_ELEMENTS (given)];
  gsize n = 0;
  for (gsize i = 0; i < G_N_ELEMENTS (always); i++)
    fields[n++] = always[i];
  for (gsize i = 0; i < G_N_ELEMENTS (given); i++)
    if (field_is_given (self->runs, given[i]))
      fields[n++] = given[i];
  report_add (self, ASSAY_REPORT_HEADING, _("Burden"));
  report_add_fields (self, fields, n);
}

/* Repeats */

static void
report_add_family (AssayReport *self, GPtrArray *family)
{
  static const AssayFieldId fields[]
      = { ASSAY_FIELD_ELAPSED_SECONDS, ASSAY_FIELD_GENERATE_TOKENS_PER_SECOND };
  for (gsize i = 0; i < G_N_ELEMENTS (fields); i++)
    {
      AssayRepeats figures;
      if (!assay_repeats_summarize (family, fields[i], &figures))
        continue;
      g_autofree char *words = assay_repeats_dup_words (&figures, fields[i]);
      g_autofree char *text = g_strdup_printf ("%s: %s", assay_field_get_info (fields[i])->name, words);
      report_add_item (self, assay_record_get_id (family->pdata[0]), NULL, text);
    }
}

static gboolean
family_is_told (AssayReport *self, GPtrArray *family)
{
  for (guint i = 0; i < family->len; i++)
    if (g_ptr_array_find (self->runs, family->pdata[i], NULL))
      return TRUE;
  return FALSE;
}

/* Each family of repeats once, under its first run. */
void
report_tell_repeats (AssayReport *self)
{
  ReportSection section = { self, _("Repeats"), FALSE };
  g_autoptr(GPtrArray) families = assay_repeats_fold (self->ledger, TRUE);
  for (guint i = 0; i < families->len; i++)
    {
      GPtrArray *family = families->pdata[i];
      if (family->len < 2 || !family_is_told (self, family))
        continue;
      report_section_begin (&section);
      report_add_family (self, family);
    }
}

/* Charts */

static gboolean
run_has_series (AssayRecord *run)
{
  return !assay_record_is_damaged (run) && assay_series_get_length (assay_record_get_series (run)) > 0;
}

static char *
run_dup_caption (AssayRecord *run)
{
  const AssayFieldId fields[] = { ASSAY_FIELD_PEAK_VRAM, ASSAY_FIELD_PEAK_VRAM_RESERVED, ASSAY_FIELD_PEAK_VRAM_DEVICE,
                                  ASSAY_FIELD_PEAK_RAM, ASSAY_FIELD_ELAPSED_SECONDS };
  GString *text = g_string_new (assay_record_get_id (run));
  g_string_append_printf (text, ": %s", assay_run_status_get_name (assay_record_get_status (run)));
  for (gsize i = 0; i < G_N_ELEMENTS (fields); i++)
    {
      g_autofree char *words = assay_figure_dup_words (assay_record_get_burden (run), fields[i]);
      if (words != NULL)
        g_string_append_printf (text, "; %s %s", assay_field_get_info (fields[i])->name, words);
    }
  return g_string_free (text, FALSE);
}

void
report_tell_charts (AssayReport *self)
{
  ReportSection section = { self, _("Memory over time"), FALSE };
  guint n = 0;
  for (guint i = 0; i < self->runs->len; i++)
    {
      AssayRecord *run = self->runs->pdata[i];
      if (!run_has_series (run) || n++ >= ASSAY_REPORT_MOST_PICTURES)
        continue;
      g_autofree char *caption = run_dup_caption (run);
      report_section_begin (&section);
      report_add (self, ASSAY_REPORT_CHART, caption)->record = g_object_ref (run);
    }
  if (n <= ASSAY_REPORT_MOST_PICTURES)
    return;
  g_autofree char *more = g_strdup_printf (
      g_dngettext (GETTEXT_PACKAGE, "The chart of %u more run is in the window.",
                   "The charts of %u more runs are in the window.", n - ASSAY_REPORT_MOST_PICTURES),
      n - ASSAY_REPORT_MOST_PICTURES);
  report_add (self, ASSAY_REPORT_PARAGRAPH, more);
}
