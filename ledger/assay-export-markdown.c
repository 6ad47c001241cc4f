/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-export-markdown.c: a ledger for people to read, print or paste into a report.
 *
 * The three groups are three tables with the runs as rows. Conditions that all runs share are listed once, so
 * that the table shows what moved. Field names are the contract's; values are as on screen. */
#include "assay-export-private.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "assay-child.h"
#include "assay-repeats.h"

#define CELL_CHARS 160

/* A cell is one line of inline text: nothing in it may open markup, a column or a tag. */
static char *
md_dup_cell (const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  const gboolean cut = g_utf8_strlen (valid, -1) > CELL_CHARS;
  const char *end = cut ? g_utf8_offset_to_pointer (valid, CELL_CHARS - 1) : valid + strlen (valid);
  GString *out = g_string_new (NULL);
  for (const char *p = valid; p < end; p = g_utf8_next_char (p))
    {
      const gunichar c = g_utf8_get_char (p);
      if (c == '\n')
        g_string_append (out, "<br>");
      else if (c == '<')
        g_string_append (out, "&lt;");
      else if (c == '&')
        g_string_append (out, "&amp;");
      else if (c < 0x20 || c == 0x7f)
        g_string_append_c (out, ' ');
      else
        {
          if (c < 0x80 && strchr ("\\`*_{}[]()#!|>~", (int) c) != NULL)
            g_string_append_c (out, '\\');
          g_string_append_unichar (out, c);
        }
    }
  if (cut)
    g_string_append (out, "…");
  return g_string_free (out, FALSE);
}

static void
md_add_cell (GString *out, const char *text)
{
  g_autofree char *cell = md_dup_cell (text);
  g_string_append_printf (out, " %s |", cell);
}

static char *
md_dup_value (AssayRecord *record, AssayFieldId field)
{
  const AssayValues *values = assay_record_get_values_for (record, field);
  if (assay_values_get_state (values, field) == ASSAY_VALUE_UNSET)
    return g_strdup (_("not given"));
  g_autofree char *shown = assay_values_dup_display (values, field);
  if (!export_is_deviation (record, field))
    return g_steal_pointer (&shown);
  g_autofree char *asked = assay_values_dup_display (assay_record_get_conditions (record), field);
  return g_strdup_printf (_("%s (asked for %s)"), shown, asked);
}

/* Tables */

static void
md_begin_table (GString *out, const AssayFieldId *fields, gsize n, const char *first)
{
  g_string_append_printf (out, "| %s |", first);
  for (gsize i = 0; i < n; i++)
    g_string_append_printf (out, " `%s` |", assay_field_get_info (fields[i])->name);
  g_string_append (out, "\n|---|");
  for (gsize i = 0; i < n; i++)
    g_string_append (out, "---|");
  g_string_append_c (out, '\n');
}

static void
md_add_rows (GString *out, GPtrArray *runs, const AssayFieldId *fields, gsize n)
{
  for (guint i = 0; i < runs->len; i++)
    {
      g_string_append (out, "|");
      md_add_cell (out, assay_record_get_id (runs->pdata[i]));
      for (gsize k = 0; k < n; k++)
        {
          g_autofree char *value = md_dup_value (runs->pdata[i], fields[k]);
          md_add_cell (out, value);
        }
      g_string_append_c (out, '\n');
    }
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
  if (runs->len == 0)
    return TRUE;
  g_autofree char *first = md_dup_value (runs->pdata[0], field);
  for (guint i = 1; i < runs->len; i++)
    {
      g_autofree char *value = md_dup_value (runs->pdata[i], field);
      if (!g_str_equal (first, value))
        return FALSE;
    }
  return TRUE;
}

static void
md_add_conditions (GString *out, GPtrArray *runs)
{
  AssayFieldId moved[ASSAY_N_FIELDS];
  gsize n_moved = 0;
  g_string_append_printf (out, "\n## %s\n\n", _("Conditions"));
  for (AssayFieldId field = 0; field < ASSAY_N_FIELDS; field++)
    {
      if (assay_field_get_info (field)->group != ASSAY_GROUP_CONDITIONS || !field_is_given (runs, field))
        continue;
      if (!field_is_shared (runs, field))
        {
          moved[n_moved++] = field;
          continue;
        }
      g_autofree char *value = md_dup_value (runs->pdata[0], field);
      g_autofree char *cell = md_dup_cell (value);
      g_string_append_printf (out, "- `%s`: %s\n", assay_field_get_info (field)->name, cell);
    }
  if (n_moved == 0)
    return;
  g_string_append_printf (out, "\n%s\n\n", _("What differs:"));
  md_begin_table (out, moved, n_moved, "`run_id`");
  md_add_rows (out, runs, moved, n_moved);
}

/* Columns that every table has, then those that some run gives: other kinds of memory, what offload cost, and what
 * was foretold. */
static void
md_add_burden (GString *out, GPtrArray *runs)
{
  static const AssayFieldId always[] = { ASSAY_FIELD_PEAK_VRAM,       ASSAY_FIELD_PEAK_RAM,
                                         ASSAY_FIELD_PEAK_RAM_MAPPED, ASSAY_FIELD_ELAPSED_SECONDS,
                                         ASSAY_FIELD_INPUT_TOKENS,    ASSAY_FIELD_OUTPUT_TOKENS,
                                         ASSAY_FIELD_GENERATE_TOKENS_PER_SECOND };
  static const AssayFieldId given[] = { ASSAY_FIELD_PEAK_VRAM_RESERVED, ASSAY_FIELD_PEAK_VRAM_PROCESS,
                                        ASSAY_FIELD_PEAK_VRAM_DEVICE,   ASSAY_FIELD_PEAK_RAM_ENGINE,
                                        ASSAY_FIELD_LINK_BYTES,         ASSAY_FIELD_LINK_STALL_SECONDS,
                                        ASSAY_FIELD_PREDICTED_PEAK_VRAM, ASSAY_FIELD_PREDICTED_PEAK_RAM };
  AssayFieldId fields[G_N_ELEMENTS (always) + G_N_ELEMENTS (given)];
  gsize n = 0;
  for (gsize i = 0; i < G_N_ELEMENTS (always); i++)
    fields[n++] = always[i];
  for (gsize i = 0; i < G_N_ELEMENTS (given); i++)
    if (field_is_given (runs, given[i]))
      fields[n++] = given[i];
  g_string_append_printf (out, "\n## %s\n\n", _("Burden"));
  md_begin_table (out, fields, n, "`run_id`");
  md_add_rows (out, runs, fields, n);
}

static void
md_add_repeats_of (GString *out, GPtrArray *family)
{
  static const AssayFieldId fields[]
      = { ASSAY_FIELD_ELAPSED_SECONDS, ASSAY_FIELD_GENERATE_TOKENS_PER_SECOND };
  g_autofree char *first = md_dup_cell (assay_record_get_id (family->pdata[0]));
  for (gsize i = 0; i < G_N_ELEMENTS (fields); i++)
    {
      AssayRepeats figures;
      if (!assay_repeats_summarize (family, fields[i], &figures))
        continue;
      g_autofree char *words = assay_repeats_dup_words (&figures, fields[i]);
      g_string_append_printf (out, "- %s, `%s`: %s\n", first, assay_field_get_info (fields[i])->name, words);
    }
}

/* Each family of repeats once, under its first run. */
static void
md_add_repeats (GString *out, AssayLedger *ledger, GPtrArray *runs)
{
  g_autoptr(GHashTable) told = g_hash_table_new (NULL, NULL);
  gboolean begun = FALSE;
  for (guint i = 0; i < runs->len; i++)
    {
      if (g_hash_table_contains (told, runs->pdata[i]))
        continue;
      g_autoptr(GPtrArray) family = assay_repeats_find (ledger, runs->pdata[i]);
      for (guint k = 0; k < family->len; k++)
        g_hash_table_add (told, family->pdata[k]);
      if (family->len < 2)
        continue;
      if (!begun)
        g_string_append_printf (out, "\n## %s\n\n", _("Repeats"));
      begun = TRUE;
      md_add_repeats_of (out, family);
    }
}

/* Gates, reviews, plans */

static void
md_add_gates (GString *out, AssayLedger *ledger, GPtrArray *runs)
{
  g_string_append_printf (out, "\n## %s\n\n| `run_id` |", _("The three gates"));
  for (AssayGate gate = 0; gate < ASSAY_N_GATES; gate++)
    g_string_append_printf (out, " %s |", assay_gate_get_word (gate));
  g_string_append (out, "\n|---|---|---|---|\n");
  for (guint i = 0; i < runs->len; i++)
    {
      g_autoptr(AssayGates) gates = assay_gates_judge (ledger, runs->pdata[i]);
      g_string_append (out, "|");
      md_add_cell (out, assay_record_get_id (runs->pdata[i]));
      for (AssayGate gate = 0; gate < ASSAY_N_GATES; gate++)
        {
          g_autofree char *line = g_strdup_printf ("%s %s: %s", assay_verdict_get_mark (gates->verdict[gate]),
                                                   export_get_gate (gates, gate), gates->evidence[gate]);
          md_add_cell (out, line);
        }
      g_string_append_c (out, '\n');
    }
}

static void
md_add_review (GString *out, AssayRecord *record, const AssayReview *review, gboolean counts)
{
  g_autofree char *id = md_dup_cell (assay_record_get_id (record));
  g_autofree char *who = md_dup_cell (review->reviewer != NULL ? review->reviewer : "");
  g_autofree char *note = md_dup_cell (review->quality_note != NULL ? review->quality_note : "");
  g_string_append_printf (out, "- %s, %s%s%s: **%s**", id, who, review->blind ? _(" (blind)") : "",
                          counts ? "" : _(" (superseded, not counted)"), assay_verdict_get_name (review->verdict));
  for (guint i = 0; i < review->scores->len; i++)
    {
      const AssayScore *score = review->scores->pdata[i];
      g_autofree char *criterion = md_dup_cell (score->criterion);
      g_autofree char *words = md_dup_cell (score->words != NULL ? score->words : "");
      if (score->question == NULL && score->words != NULL)
        g_string_append_printf (out, ", %s: %s", criterion, words);
      else if (score->question == NULL)
        g_string_append_printf (out, ", %s %d", criterion, score->value);
    }
  if (*note != '\0')
    g_string_append_printf (out, ". %s", note);
  g_string_append_c (out, '\n');
}

static void
md_add_reviews (GString *out, GPtrArray *runs)
{
  gboolean any = FALSE;
  g_string_append_printf (out, "\n## %s\n\n", _("Reviews"));
  for (guint i = 0; i < runs->len; i++)
    {
      g_autoptr(GPtrArray) current = assay_record_get_current_reviews (runs->pdata[i]);
      GPtrArray *reviews = assay_record_get_reviews (runs->pdata[i]);
      for (guint k = 0; k < reviews->len; k++)
        md_add_review (out, runs->pdata[i], reviews->pdata[k],
                       g_ptr_array_find (current, reviews->pdata[k], NULL));
      any |= reviews->len > 0;
    }
  if (!any)
    g_string_append_printf (out, "%s\n", _("None: no run is judged on quality."));
}

static void
md_add_plans (GString *out, GPtrArray *runs)
{
  gboolean begun = FALSE;
  for (guint i = 0; i < runs->len; i++)
    {
      const AssayNextTrial *next = assay_record_get_next_trial (runs->pdata[i]);
      if (next == NULL)
        continue;
      if (!begun)
        g_string_append_printf (out, "\n## %s\n\n", _("Next trials"));
      begun = TRUE;
      g_autofree char *id = md_dup_cell (assay_record_get_id (runs->pdata[i]));
      g_autofree char *from = md_dup_cell (next->from != NULL ? next->from : _("not set"));
      g_autofree char *to = md_dup_cell (next->to != NULL ? next->to : _("not set"));
      g_autofree char *note = md_dup_cell (next->note != NULL ? next->note : "");
      g_autofree char *axis = md_dup_cell (next->axis != NULL ? next->axis : "");
      g_string_append_printf (out, "- %s: %s, %s → %s. %s\n", id, axis, from, to, note);
    }
}

/* What came of the plans: of every run that continues another one. */
static void
md_add_verdicts (GString *out, AssayLedger *ledger, GPtrArray *runs)
{
  gboolean begun = FALSE;
  for (guint i = 0; i < runs->len; i++)
    {
      const char *parent_id = assay_record_get_parent (runs->pdata[i]);
      AssayRecord *parent = parent_id != NULL ? assay_ledger_find_run (ledger, parent_id) : NULL;
      g_autoptr(AssayChildVerdict) verdict
          = parent != NULL ? assay_child_verdict (parent, runs->pdata[i]) : NULL;
      if (verdict == NULL)
        continue;
      if (!begun)
        g_string_append_printf (out, "\n## %s\n\n", _("One axis at a time"));
      begun = TRUE;
      g_autofree char *id = md_dup_cell (assay_record_get_id (runs->pdata[i]));
      g_autofree char *words = md_dup_cell (verdict->words);
      g_string_append_printf (out, "- %s %s: %s\n", verdict->satisfied ? "✓" : "✕", id, words);
    }
}

static void
md_add_head (GString *out, AssayLedger *ledger, GPtrArray *runs)
{
  g_autofree char *title
      = md_dup_cell (assay_ledger_get_title (ledger) != NULL ? assay_ledger_get_title (ledger) : "");
  guint n_completed = 0;
  for (guint i = 0; i < runs->len; i++)
    n_completed += assay_record_get_status (runs->pdata[i]) == ASSAY_STATUS_COMPLETED;
  g_string_append_printf (out, "# %s\n\n", title);
  g_string_append_printf (
      out, g_dngettext (GETTEXT_PACKAGE, "%u of %u run completed.", "%u of %u runs completed.", runs->len),
      n_completed, runs->len);
  g_string_append_c (out, '\n');
}

char *
export_markdown (AssayLedger *ledger, GPtrArray *runs)
{
  GString *out = g_string_new (NULL);
  md_add_head (out, ledger, runs);
  if (runs->len > 0)
    {
      md_add_conditions (out, runs);
      md_add_burden (out, runs);
      md_add_repeats (out, ledger, runs);
      md_add_gates (out, ledger, runs);
      md_add_reviews (out, runs);
      md_add_plans (out, runs);
      md_add_verdicts (out, ledger, runs);
    }
  return g_string_free (out, FALSE);
}
