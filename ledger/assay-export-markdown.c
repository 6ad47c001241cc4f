/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ledger/assay-export-markdown.c: a report as Markdown, to read, print or paste into an issue.
 *
 * Names of fields are set as code. Pictures are their words. */
#include "assay-export-private.h"

#include <string.h>

#include "assay-report.h"

#define CELL_CHARS 700

static void
md_append_char (GString *out, gunichar c)
{
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
      if (c < 0x80 && strchr ("\\`*_{}[]#|>~", (int) c) != NULL)
        g_string_append_c (out, '\\');
      g_string_append_unichar (out, c);
    }
}

/* One line of inline text: nothing in it may open markup, a column or a tag. */
static char *
md_dup_inline (const char *text)
{
  GString *out = g_string_new (NULL);
  glong n = 0;
  for (const char *p = text != NULL ? text : ""; *p != '\0' && n < CELL_CHARS; p = g_utf8_next_char (p), n++)
    md_append_char (out, g_utf8_get_char (p));
  if (n == CELL_CHARS)
    g_string_append (out, "…");
  return g_string_free (out, FALSE);
}

static void
md_append_inline (GString *out, const char *text)
{
  g_autofree char *escaped = md_dup_inline (text);
  g_string_append (out, escaped);
}

/* "- `model_id`: text", "- Ana: **pass**. note" */
static void
md_add_item (GString *out, const AssayReportBlock *block)
{
  const gboolean is_name = block->lead != NULL && assay_report_is_name (block->lead);
  g_string_append (out, "- ");
  if (is_name)
    g_string_append_printf (out, "`%s`:", block->lead);
  else
    md_append_inline (out, block->lead);
  if (block->lead != NULL && !is_name && !g_str_has_suffix (block->lead, ":"))
    g_string_append_c (out, ':');
  if (block->lead != NULL)
    g_string_append_c (out, ' ');
  if (block->strong != NULL)
    g_string_append_printf (out, "**%s**", block->strong);
  md_append_inline (out, block->text);
  g_string_append_c (out, '\n');
}

/* Tables */

static void
md_add_row (GString *out, GStrv row, gboolean is_head)
{
  g_string_append (out, "|");
  for (char **cell = row; *cell != NULL; cell++)
    if (is_head && assay_report_is_name (*cell))
      g_string_append_printf (out, " `%s` |", *cell);
    else
      {
        g_string_append_c (out, ' ');
        md_append_inline (out, *cell);
        g_string_append (out, " |");
      }
  g_string_append_c (out, '\n');
}

static void
md_add_table (GString *out, const AssayReportBlock *block)
{
  g_string_append_c (out, '\n');
  for (guint i = 0; i < block->rows->len; i++)
    {
      GStrv row = block->rows->pdata[i];
      md_add_row (out, row, i == 0);
      if (i > 0)
        continue;
      g_string_append_c (out, '|');
      for (char **cell = row; *cell != NULL; cell++)
        g_string_append (out, "---|");
      g_string_append_c (out, '\n');
    }
}

/* Chains */

static void
md_add_lines (GString *out, const AssayChainStep *step, gboolean on_way)
{
  for (guint i = 0; i < step->lines->len; i++)
    {
      const AssayChainLine *line = step->lines->pdata[i];
      if (line->on_way != on_way)
        continue;
      g_string_append_printf (out, "   - %s%s: ", on_way ? "↓ " : "", line->label);
      md_append_inline (out, line->text);
      g_string_append_c (out, '\n');
    }
}

static void
md_add_step (GString *out, const AssayChainStep *step)
{
  g_string_append_printf (out, "%u. ", step->number);
  md_append_inline (out, step->title);
  g_string_append_c (out, '\n');
  md_add_lines (out, step, TRUE);
  md_add_lines (out, step, FALSE);
}

/* Blocks */

static void
md_add_line (GString *out, const char *before, const char *text)
{
  g_string_append (out, before);
  md_append_inline (out, text);
  g_string_append_c (out, '\n');
}

static gboolean
kind_is_listed (AssayReportKind kind)
{
  return kind == ASSAY_REPORT_ITEM || kind == ASSAY_REPORT_STEP;
}

static void
md_add_block (GString *out, const AssayReportBlock *block, gboolean first_of_list)
{
  if (first_of_list || (!kind_is_listed (block->kind) && block->kind != ASSAY_REPORT_TABLE && out->len > 0))
    g_string_append_c (out, '\n');
  switch (block->kind)
    {
    case ASSAY_REPORT_TITLE: md_add_line (out, "# ", block->text); break;
    case ASSAY_REPORT_HEADING: md_add_line (out, "## ", block->text); break;
    case ASSAY_REPORT_SUBHEADING: md_add_line (out, "### ", block->text); break;
    case ASSAY_REPORT_ITEM: md_add_item (out, block); break;
    case ASSAY_REPORT_TABLE: md_add_table (out, block); break;
    case ASSAY_REPORT_STEP: md_add_step (out, block->step); break;
    case ASSAY_REPORT_PARAGRAPH:
    case ASSAY_REPORT_CHART:
    case ASSAY_REPORT_PLOT:
    default: md_add_line (out, "", block->text); break;
    }
}

char *
export_markdown (AssayLedger *ledger, const char *run_id, GError **error)
{
  g_autoptr(AssayReport) report = assay_report_new (ledger, run_id, error);
  if (report == NULL)
    return NULL;
  GString *out = g_string_new (NULL);
  AssayReportKind before = ASSAY_REPORT_TITLE;
  for (guint i = 0; i < report->blocks->len; i++)
    {
      const AssayReportBlock *block = report->blocks->pdata[i];
      md_add_block (out, block, kind_is_listed (block->kind) && before != block->kind);
      before = block->kind;
    }
  return g_string_free (out, FALSE);
}
