/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assay-figure.h"

#include <glib/gi18n-lib.h>

static void
origin_add (GString *origin, const char *part)
{
  if (part != NULL && *part != '\0')
    g_string_append_printf (origin, "%s%s", origin->len > 0 ? ", " : "", part);
}

/* "allocated, allocator"; empty where the record does not say. */
static char *
measure_dup_origin (const AssayMeasure *measure)
{
  GString *origin = g_string_new (NULL);
  if (measure == NULL)
    return g_string_free (origin, FALSE);
  origin_add (origin, measure->kind);
  origin_add (origin, measure->source);
  if (measure->interval_ns > 0)
    {
      g_autofree char *interval = assay_format_seconds ((double) measure->interval_ns / 1e9);
      /* Translators: how often a figure was measured: every 20.0 ms */
      g_autofree char *every = g_strdup_printf (_("every %s"), interval);
      origin_add (origin, every);
    }
  return g_string_free (origin, FALSE);
}

char *
assay_figure_dup_words (const AssayValues *values, AssayFieldId field)
{
  g_return_val_if_fail (values != NULL && field < ASSAY_N_FIELDS, NULL);
  const AssayValueState state = assay_values_get_state (values, field);
  if (state == ASSAY_VALUE_UNSET)
    return NULL;
  g_autofree char *shown = assay_values_dup_display (values, field);
  g_autofree char *origin
      = measure_dup_origin (state == ASSAY_VALUE_SET ? assay_values_get_measure (values, field) : NULL);
  return *origin != '\0' ? g_strdup_printf ("%s (%s)", shown, origin) : g_steal_pointer (&shown);
}
