/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-compare-column.h"

#include <glib/gi18n-lib.h>
#include <locale.h>
#include <math.h>
#include <string.h>

#include "assay-gates.h"

static const struct
{
  const char *id;
  AssayFieldId field;
  int width;
  gboolean condition, numeric, optional;
} columns[ASSAY_N_COMPARE_COLUMNS] = {
  [ASSAY_COMPARE_RUN] = { "run", ASSAY_FIELD_INVALID, 24, FALSE, FALSE, FALSE },
  [ASSAY_COMPARE_STATUS] = { "status", ASSAY_FIELD_INVALID, 12, FALSE, FALSE, TRUE },
  [ASSAY_COMPARE_RAN] = { "ran", ASSAY_FIELD_INVALID, 12, FALSE, FALSE, FALSE },
  [ASSAY_COMPARE_GOOD] = { "good", ASSAY_FIELD_INVALID, 12, FALSE, FALSE, FALSE },
  [ASSAY_COMPARE_BEARABLE] = { "bearable", ASSAY_FIELD_INVALID, 12, FALSE, FALSE, TRUE },
  [ASSAY_COMPARE_SCORE] = { "score", ASSAY_FIELD_INVALID, 9, FALSE, TRUE, TRUE },
  [ASSAY_COMPARE_PEAK] = { "peak", ASSAY_FIELD_PEAK_VRAM, 9, FALSE, TRUE, FALSE },
  [ASSAY_COMPARE_MAPPED] = { "mapped", ASSAY_FIELD_PEAK_RAM_MAPPED, 9, FALSE, TRUE, TRUE },
  [ASSAY_COMPARE_TIME] = { "time", ASSAY_FIELD_ELAPSED_SECONDS, 6, FALSE, TRUE, FALSE },
  [ASSAY_COMPARE_SPEED] = { "speed", ASSAY_FIELD_GENERATE_TOKENS_PER_SECOND, 6, FALSE, TRUE, FALSE },
  [ASSAY_COMPARE_FORETOLD] = { "foretold", ASSAY_FIELD_PREDICTED_PEAK_VRAM, 6, FALSE, TRUE, TRUE },
  [ASSAY_COMPARE_ERROR] = { "error", ASSAY_FIELD_INVALID, 8, FALSE, TRUE, TRUE },
  [ASSAY_COMPARE_LINK] = { "link", ASSAY_FIELD_LINK_BYTES, 6, FALSE, TRUE, TRUE },
  [ASSAY_COMPARE_STALL] = { "stall", ASSAY_FIELD_LINK_STALL_SECONDS, 6, FALSE, TRUE, TRUE },
  [ASSAY_COMPARE_PLAN] = { "plan", ASSAY_FIELD_INVALID, 12, FALSE, FALSE, TRUE },
  [ASSAY_COMPARE_OFFLOAD] = { "offload", ASSAY_FIELD_OFFLOAD_MODE, 10, TRUE, FALSE, TRUE },
  [ASSAY_COMPARE_QUANTIZATION] = { "quantization", ASSAY_FIELD_QUANTIZATION, 8, TRUE, FALSE, TRUE },
  [ASSAY_COMPARE_CONTEXT_LENGTH] = { "context-length", ASSAY_FIELD_CONTEXT_LENGTH, 7, TRUE, TRUE, TRUE },
  [ASSAY_COMPARE_COMPUTE_DTYPE] = { "compute-dtype", ASSAY_FIELD_COMPUTE_DTYPE, 8, TRUE, FALSE, TRUE },
  [ASSAY_COMPARE_MODEL] = { "model", ASSAY_FIELD_MODEL_ID, 20, TRUE, FALSE, TRUE },
  [ASSAY_COMPARE_DTYPE] = { "dtype", ASSAY_FIELD_DTYPE, 8, TRUE, FALSE, TRUE },
  [ASSAY_COMPARE_DEVICE] = { "device", ASSAY_FIELD_DEVICE, 8, TRUE, FALSE, TRUE },
  [ASSAY_COMPARE_GROUP_SIZE] = { "group-size", ASSAY_FIELD_OFFLOAD_GRANULARITY, 5, TRUE, TRUE, TRUE },
  [ASSAY_COMPARE_BUDGET] = { "budget", ASSAY_FIELD_VRAM_BUDGET, 7, TRUE, TRUE, TRUE },
  [ASSAY_COMPARE_PREFETCH] = { "prefetch", ASSAY_FIELD_PREFETCH, 6, TRUE, FALSE, TRUE },
  [ASSAY_COMPARE_WEIGHT_ACCESS] = { "weight-access", ASSAY_FIELD_WEIGHT_ACCESS, 8, TRUE, FALSE, TRUE },
  [ASSAY_COMPARE_THREADS] = { "threads", ASSAY_FIELD_THREADS, 5, TRUE, TRUE, TRUE },
  [ASSAY_COMPARE_KV_CACHE] = { "kv-cache", ASSAY_FIELD_KV_CACHE_TYPE, 8, TRUE, FALSE, TRUE },
  [ASSAY_COMPARE_V_CACHE] = { "v-cache", ASSAY_FIELD_V_CACHE_TYPE, 8, TRUE, FALSE, TRUE },
  [ASSAY_COMPARE_WIDTH] = { "width", ASSAY_FIELD_WIDTH, 6, TRUE, TRUE, TRUE },
  [ASSAY_COMPARE_HEIGHT] = { "height", ASSAY_FIELD_HEIGHT, 6, TRUE, TRUE, TRUE },
  [ASSAY_COMPARE_STEPS] = { "steps", ASSAY_FIELD_STEPS, 5, TRUE, TRUE, TRUE },
  [ASSAY_COMPARE_MAX_TOKENS] = { "max-tokens", ASSAY_FIELD_MAX_TOKENS, 6, TRUE, TRUE, TRUE },
  [ASSAY_COMPARE_TEMPERATURE] = { "temperature", ASSAY_FIELD_TEMPERATURE, 6, TRUE, TRUE, TRUE },
  [ASSAY_COMPARE_SEED] = { "seed", ASSAY_FIELD_SEED, 8, TRUE, FALSE, TRUE }, /* a name, not a quantity */
  [ASSAY_COMPARE_CHAT_FORMAT] = { "chat-format", ASSAY_FIELD_CHAT_FORMAT, 8, TRUE, FALSE, TRUE },
  [ASSAY_COMPARE_SYSTEM_PROMPT] = { "system-prompt", ASSAY_FIELD_SYSTEM_PROMPT, 16, TRUE, FALSE, TRUE },
  [ASSAY_COMPARE_RUNTIME] = { "runtime", ASSAY_FIELD_RUNTIME, 8, TRUE, FALSE, TRUE },
  [ASSAY_COMPARE_RUNTIME_BUILD] = { "runtime-build", ASSAY_FIELD_RUNTIME_VERSION, 12, TRUE, FALSE, TRUE },
};

const char *
assay_compare_column_get_id (AssayCompareColumn column)
{
  g_return_val_if_fail (column < ASSAY_N_COMPARE_COLUMNS, NULL);
  return columns[column].id;
}

const char *
assay_compare_column_get_name (AssayCompareColumn column)
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
    case ASSAY_COMPARE_SCORE:
      return _("Score");
    case ASSAY_COMPARE_PEAK:
      return _("Peak memory");
    case ASSAY_COMPARE_SPEED:
      return _("Speed");
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
    case ASSAY_COMPARE_TIME:
      return _("Time");
    case ASSAY_N_COMPARE_COLUMNS:
      g_return_val_if_reached (NULL);
    default: /* conditions are called what the form calls them */
      return _(assay_field_get_info (columns[column].field)->label);
    }
}

char *
assay_compare_column_dup_title (AssayCompareColumn column, const AssayCompareUnit *unit)
{
  const char *name = assay_compare_column_get_name (column);

  if (column == ASSAY_COMPARE_PEAK && unit->memory != NULL)
    /* Translators: the title of a column: “Peak VRAM (MiB)” */
    return g_strdup_printf (C_ ("column", "Peak %s (%s)"), unit->memory, unit->name);
  /* Translators: the title of a column of figures and their unit: “Peak memory (MiB)”. */
  return *unit->name != '\0' ? g_strdup_printf (C_ ("column", "%s (%s)"), name, unit->name) : g_strdup (name);
}

AssayFieldId
assay_compare_column_get_field (AssayCompareColumn column)
{
  return columns[column].field;
}

gboolean
assay_compare_column_is_condition (AssayCompareColumn column)
{
  return columns[column].condition;
}

gboolean
assay_compare_column_is_gate (AssayCompareColumn column)
{
  return column >= ASSAY_COMPARE_RAN && column <= ASSAY_COMPARE_BEARABLE;
}

gboolean
assay_compare_column_is_numeric (AssayCompareColumn column)
{
  return columns[column].numeric;
}

gboolean
assay_compare_column_is_spread (AssayCompareColumn column)
{
  return columns[column].numeric && !columns[column].condition && columns[column].field != ASSAY_FIELD_INVALID;
}

gboolean
assay_compare_column_is_optional (AssayCompareColumn column)
{
  return columns[column].optional;
}

int
assay_compare_column_get_width (AssayCompareColumn column)
{
  return columns[column].width;
}

/* Units */

/* Of the size as it is shown elsewhere, in powers of 1024 or of 1000 as the person prefers. */
static AssayCompareUnit
unit_of_bytes (double greatest)
{
  const guint64 bytes = greatest > 0 ? (guint64) greatest : 0;
  g_autofree char *shown = assay_format_bytes (bytes);
  const char *name = strrchr (shown, ' ');
  AssayCompareUnit unit = { 1, "B", NULL };
  static const struct { const char *name; double divisor; } units[] = {
    { "KiB", 1024.0 }, { "MiB", 1048576.0 }, { "GiB", 1073741824.0 }, { "TiB", 1099511627776.0 },
    { "kB", 1e3 },     { "MB", 1e6 },        { "GB", 1e9 },           { "TB", 1e12 },
  };

  for (guint i = 0; name != NULL && i < G_N_ELEMENTS (units); i++)
    if (g_str_equal (name + 1, units[i].name))
      {
        unit.divisor = units[i].divisor;
        g_strlcpy (unit.name, units[i].name, sizeof unit.name);
      }
  return unit;
}

static AssayCompareUnit
unit_named (const char *name)
{
  AssayCompareUnit unit = { 1, "", NULL };

  g_strlcpy (unit.name, name, sizeof unit.name);
  return unit;
}

AssayCompareUnit
assay_compare_unit_for (AssayCompareColumn column, double greatest)
{
  switch (column)
    {
    case ASSAY_COMPARE_PEAK:
    case ASSAY_COMPARE_MAPPED:
    case ASSAY_COMPARE_FORETOLD:
    case ASSAY_COMPARE_LINK:
    case ASSAY_COMPARE_BUDGET:
      return unit_of_bytes (greatest);
    case ASSAY_COMPARE_TIME:
    case ASSAY_COMPARE_STALL:
      return unit_named ("s");
    case ASSAY_COMPARE_SPEED:
      return unit_named (C_ ("unit", "tokens/s"));
    case ASSAY_COMPARE_CONTEXT_LENGTH:
    case ASSAY_COMPARE_MAX_TOKENS:
      return unit_named (C_ ("unit", "tokens"));
    default:
      return unit_named ("");
    }
}

static const char *
number_get_format (double shown)
{
  const double size = fabs (shown);

  if (shown == round (shown) || size >= 99.95)
    return "%.0f";
  return size >= 9.995 ? "%.1f" : size >= 0.9995 ? "%.2f" : "%.3g";
}

char *
assay_compare_unit_dup_plain (const AssayCompareUnit *self, double value)
{
  const double shown = value / self->divisor;
  char buffer[400]; /* of any double, in its whole length */

  return g_strdup (g_ascii_formatd (buffer, sizeof buffer, number_get_format (shown), shown));
}

/* With the language's own decimal point. */
char *
assay_compare_unit_dup_number (const AssayCompareUnit *self, double value)
{
  g_autofree char *plain = assay_compare_unit_dup_plain (self, value);
  const char *point = localeconv ()->decimal_point;
  g_auto(GStrv) parts = g_strsplit (plain, ".", 2);

  return g_strjoinv (point, parts);
}
